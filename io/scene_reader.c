/* Scene reader: the scene's root mapping, and the course of reading. */
#include "io/scene_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/scene_parse.h"

enum { SCENE_BODIES = 7, SCENE_POPULATIONS, SCENE_DEFORMABLES };

#define SCENE(field) offsetof(icf_scene, field)

static const icf_scene_key scene_keys[] = {
    {ICF_KEY("", "name"), icf_read_text, SCENE(name)},
    {ICF_KEY("", "gravity"), icf_read_vector, SCENE(gravity), .range = ICF_ANY("m/s^2")},
    {ICF_KEY("", "time"), icf_read_time, SCENE(time), .required = true, .map = &icf_map_time},
    {ICF_KEY("", "contact"), icf_read_section, SCENE(contact), .map = &icf_map_contact},
    {ICF_KEY("", "solver"), icf_read_section, SCENE(solver), .map = &icf_map_solver},
    {ICF_KEY("", "parallel"), icf_read_section, SCENE(parallel), .map = &icf_map_parallel},
    {ICF_KEY("", "materials"), icf_read_materials, 0, .map = &icf_map_material},
    [SCENE_BODIES] = {ICF_KEY("", "bodies"), icf_read_bodies, 0, .map = &icf_map_body},
    [SCENE_POPULATIONS] = {ICF_KEY("", "populations"), icf_read_populations, 0, .map = &icf_map_population},
    [SCENE_DEFORMABLES] = {ICF_KEY("", "deformables"), icf_read_deformables, 0, .map = &icf_map_deformable},
    {ICF_KEY("", "forces"), icf_read_forces, 0, .map = &icf_map_force},
    {ICF_KEY("", "springs"), icf_read_springs, 0, .map = &icf_map_spring},
    {ICF_KEY("", "vertex_forces"), icf_read_vertex_forces, 0, .map = &icf_map_vertex_force},
    {ICF_KEY("", "output"), icf_read_section, SCENE(output), .map = &icf_map_output},
};

static void check_scene(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    (void)target;
    if (!icf_given(given, SCENE_BODIES) && !icf_given(given, SCENE_POPULATIONS) && !icf_given(given, SCENE_DEFORMABLES))
        icf_report_missing(reader, &icf_map_scene, given, SCENE_BODIES);
}

const icf_scene_map icf_map_scene = ICF_MAP(scene_keys, check_scene);

const char *icf_scene_reader_key(int n)
{
    static const icf_scene_map *const maps[] = {&icf_map_scene,
                                                &icf_map_time,
                                                &icf_map_contact,
                                                &icf_map_pair,
                                                &icf_map_pair_friction,
                                                &icf_map_solver,
                                                &icf_map_parallel,
                                                &icf_map_output,
                                                &icf_map_material,
                                                &icf_map_friction,
                                                &icf_map_body,
                                                &icf_map_shape,
                                                &icf_map_shape_mesh,
                                                &icf_map_part,
                                                &icf_map_motion,
                                                &icf_map_surface_velocity,
                                                &icf_map_force,
                                                &icf_map_spring,
                                                &icf_map_population,
                                                &icf_map_template,
                                                &icf_map_region,
                                                &icf_map_population_velocity,
                                                &icf_map_scale,
                                                &icf_map_deformable,
                                                &icf_map_damping,
                                                &icf_map_mesh,
                                                &icf_map_mesh_box,
                                                &icf_map_mesh_cylinder,
                                                &icf_map_mesh_sphere,
                                                &icf_map_mesh_tube,
                                                &icf_map_fixed,
                                                &icf_map_fixed_sphere,
                                                &icf_map_support_motion,
                                                &icf_map_attachment,
                                                &icf_map_attached_sphere,
                                                &icf_map_pressure,
                                                &icf_map_vertex_force};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; ++i) {
        if (n < maps[i]->nkey) return n < 0 ? NULL : maps[i]->key[n].path;
        n -= maps[i]->nkey;
    }
    return NULL;
}

static icf_status init_reader(icf_scene_reader *reader, FILE *file, int noverride)
{
    icf_name_table_init(&reader->material_names);
    icf_name_table_init(&reader->pair_names);
    icf_name_table_init(&reader->body_names);
    icf_name_table_init(&reader->reference_names);
    icf_name_table_init(&reader->file_names);
    reader->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    reader->chunk = icf_alloc(ICF_READER_CHUNK * sizeof *reader->chunk);
    reader->chunk_name = icf_alloc(ICF_READER_CHUNK * sizeof *reader->chunk_name);
    if (!reader->locale || !reader->chunk || !reader->chunk_name) return ICF_ERROR_MEMORY;
    return icf_yaml_stream_init(&reader->stream, file, noverride, &reader->errors);
}

static void clear_reader(icf_scene_reader *reader)
{
    icf_yaml_stream_clear(&reader->stream);
    if (reader->locale) freelocale(reader->locale);
    icf_name_table_clear(&reader->material_names);
    icf_name_table_clear(&reader->pair_names);
    icf_name_table_clear(&reader->body_names);
    icf_name_table_clear(&reader->reference_names);
    icf_free(reader->material);
    icf_free(reader->pair);
    icf_free(reader->named_body);
    icf_free(reader->population);
    icf_free(reader->chunk);
    icf_free(reader->chunk_name);
    icf_free(reader->reference);
    for (size_t i = 0; i < reader->file_names.n; ++i) icf_free(reader->file_path[i]);
    icf_free(reader->file_path);
    icf_name_table_clear(&reader->file_names);
    icf_reader_clear_vertex_forces(reader);
}

char *icf_reader_file_path(const icf_scene_reader *reader, const char *file)
{
    const char *slash = strrchr(reader->errors.file, '/');
    const size_t folder = file[0] == '/' || !slash ? 0 : (size_t)(slash - reader->errors.file) + 1;
    char *path = icf_alloc(folder + strlen(file) + 1);
    if (!path) return NULL;
    memcpy(path, reader->errors.file, folder);
    strcpy(path + folder, file);
    return path;
}

/* NULL: out of memory. */
static char *find_absolute_path(const icf_scene_reader *reader, const char *file)
{
    char *path = icf_reader_file_path(reader, file);
    char *absolute = path ? realpath(path, NULL) : NULL;
    if (absolute && icf_scene_set_text(&path, absolute) != ICF_OK) {
        icf_free(path);
        path = NULL;
    }
    free(absolute);
    return path;
}

icf_status icf_reader_absolute_path(icf_scene_reader *reader, const char *file, const char **path)
{
    size_t number;
    bool added;
    ICF_TRY(ICF_GROW(reader->file_path, reader->file_path_capacity, reader->file_names.n + 1));
    ICF_TRY(icf_name_table_intern(&reader->file_names, file, strlen(file), &number, &added));
    if (added) reader->file_path[number] = find_absolute_path(reader, file);
    *path = reader->file_path[number];
    return *path ? ICF_OK : ICF_ERROR_MEMORY;
}

/* Reads all events, then checks what needs the whole scene. */
static icf_status read_scene(icf_scene_reader *reader)
{
    icf_yaml_event event;
    ICF_TRY(icf_yaml_next(&reader->stream, &event));
    if (event.kind == ICF_YAML_EOF) {
        icf_reader_error(reader, event.mark, "the file is empty");
        return ICF_ERROR_SCENE;
    }
    ICF_TRY(icf_read_map(reader, &icf_map_scene, &event, reader->scene));
    /* reports a second document */
    ICF_TRY(icf_yaml_next(&reader->stream, &event));
    ICF_TRY(icf_reader_check(reader));
    return icf_reader_flush(reader);
}

/* Puts the failure into the context: all errors of the scene, or what stopped the reading. */
static icf_status report(icf_scene_reader *reader, icf_status status)
{
    icf_context *context = reader->context;
    if (status == ICF_ERROR_FILE && reader->stream.source.read_error != 0)
        return icf_fail(context, status, "%s: cannot be read: %s", reader->errors.file,
                        strerror(reader->stream.source.read_error));
    if (status == ICF_ERROR_MEMORY) return icf_fail(context, status, "%s: out of memory", reader->errors.file);
    if (status == ICF_OK || status == ICF_ERROR_SCENE) ICF_TRY(icf_scene_errors_report(&reader->errors, context));
    return status;
}

static icf_status read_file(icf_context *context, FILE *file, const char *name, int noverride,
                            const icf_override *overrides, icf_scene *scene, icf_body_sink sink, void *user)
{
    icf_scene_reader *reader = icf_alloc(sizeof *reader);
    if (!reader) return icf_fail(context, ICF_ERROR_MEMORY, "%s: out of memory", name);
    *reader =
        (icf_scene_reader){.context = context, .scene = scene, .sink = sink, .user = user, .smallest_body = INFINITY};
    reader->errors.file = name;
    reader->errors.overrides = overrides;
    icf_status status = init_reader(reader, file, noverride);
    if (status == ICF_OK) status = read_scene(reader);
    if (status == ICF_OK && reader->errors.n == 0) status = icf_reader_doubt_units(reader);
    status = report(reader, status);
    clear_reader(reader);
    icf_free(reader);
    return status;
}

icf_status icf_scene_read(icf_context *context, const char *path, int noverride, const icf_override *overrides,
                          icf_scene *scene, icf_body_sink sink, void *user)
{
    ICF_TRY(icf_scene_init(scene));
    const bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : fopen(path, "rb");
    icf_status status;
    if (file)
        status =
            read_file(context, file, standard_input ? "standard input" : path, noverride, overrides, scene, sink, user);
    else
        status = icf_fail(context, ICF_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (file && !standard_input) fclose(file);
    if (status == ICF_OK) status = icf_scene_combine(scene);
    if (status != ICF_OK) icf_scene_clear(scene);
    return status;
}
