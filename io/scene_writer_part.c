/* Scene writer: some bodies of a rank as they are now, deformable ones with their meshes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/scene_writer_private.h"

/* Bodies to be saved, also for names by global id. */
typedef struct body_list {
    icf_context *context;
    const icf_scene *scene;
    const icf_bodies *bodies;
    icf_lid n;
    const icf_lid *list;
    char buffer[ICF_BODY_NAME_BYTES];
} body_list;

static int compare_lid(const void *a, const void *b)
{
    const icf_lid x = *(const icf_lid *)a, y = *(const icf_lid *)b;
    return (x > y) - (x < y);
}

static const char *name_in_list(void *user, icf_gid body)
{
    body_list *list = user;
    const icf_lid i = icf_bodies_find(list->bodies, body);
    if (i < 0 || !bsearch(&i, list->list, (size_t)list->n, sizeof i, compare_lid)) return NULL;
    return icf_bodies_name(list->bodies, i, list->buffer);
}

/* ---- deformable bodies as they are now ---- */

static void write_vectors(FILE *file, const char *key, const icf_vec3 *v, icf_lid n)
{
    fprintf(file, "    %s: [", key);
    for (icf_lid i = 0; i < n; ++i) {
        if (i > 0) fputs(",\n      ", file);
        icf_yaml_vec3(file, v[i]);
    }
    fputs("]\n", file);
}

static void write_mesh(FILE *file, const icf_tet_mesh *mesh)
{
    fputs("    mesh:\n  ", file);
    write_vectors(file, "vertices", mesh->vertex, mesh->nvertex);
    fputs("      tets: [", file);
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        fprintf(file, "%s[%d, %d, %d, %d]", t > 0 ? ", " : "", (int)mesh->tet[t][0], (int)mesh->tet[t][1],
                (int)mesh->tet[t][2], (int)mesh->tet[t][3]);
    fputs("]\n", file);
}

static void write_elastic(FILE *file, const icf_scene *scene, const icf_deformable *deformable)
{
    const icf_deformable_material *elastic = &deformable->elastic;
    fprintf(file, "    model: %s\n", icf_elastic_model_names[elastic->model]);
    if (elastic->model == ICF_ELASTIC_COROTATIONAL)
        fprintf(file, "    geometric_stiffness: %s\n", elastic->geometric_stiffness ? "true" : "false");
    fputs("  ", file);
    icf_scene_write_setting(file, "youngs_modulus", elastic->youngs_modulus);
    fputs("  ", file);
    icf_scene_write_setting(file, "poissons_ratio", elastic->poissons_ratio);
    fputs("  ", file);
    icf_scene_write_setting(file, "density", elastic->density);
    fputs("    damping: ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_number(&out, "mass", elastic->mass_damping);
    icf_flow_number(&out, "stiffness", elastic->stiffness_damping);
    icf_flow_end(&out);
    fprintf(file, "\n    contact_subdivision: %d\n    self_contact: %s\n", (int)deformable->subdivision,
            deformable->self_contact ? "true" : "false");
    if (deformable->material < 0) return;
    fputs("    material: ", file);
    icf_yaml_text(file, scene->material_name[deformable->material]);
    fputc('\n', file);
}

static void write_support_motion(icf_flow *out, const icf_support_motion *motion)
{
    if (motion->type == ICF_SUPPORT_FIXED) return;
    icf_flow_key(out, "motion");
    icf_flow keys = icf_flow_begin(out->file);
    icf_flow_word(&keys, "type", motion->type == ICF_SUPPORT_LINEAR ? "linear" : "harmonic");
    if (motion->type == ICF_SUPPORT_LINEAR)
        icf_flow_vec3(&keys, "velocity", motion->velocity);
    else
        icf_scene_write_harmonic(&keys, &motion->harmonic);
    icf_flow_end(&keys);
}

/* The vertices of one support; a support whose vertices later ones took over has none. */
static void write_support(FILE *file, const icf_deformable *deformable, int32_t support, const char **section)
{
    const char *separator = "";
    for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i) {
        if (deformable->support[i] != support) continue;
        if (!separator[0]) fprintf(file, "%s      - {vertices: [", *section);
        fprintf(file, "%s%d", separator, (int)i);
        separator = ", ";
        *section = "";
    }
    if (!separator[0]) return;
    fputc(']', file);
    icf_flow out = {file, ", "};
    write_support_motion(&out, &deformable->motion[support]);
    icf_flow_end(&out);
    fputc('\n', file);
}

/* Attachments to bodies that are written; each vertex is held where it is now. */
static void write_attachments(FILE *file, body_list *list, const icf_deformable *deformable)
{
    const char *section = "    attachments:\n";
    for (icf_lid k = 0; k < deformable->nattachment; ++k) {
        const char *body = name_in_list(list, deformable->attachment[k].body);
        if (!body) continue;
        fprintf(file, "%s      - ", section);
        icf_flow out = icf_flow_begin(file);
        icf_flow_text(&out, "body", body);
        icf_flow_key(&out, "vertices");
        fprintf(file, "[%d]", (int)deformable->attachment[k].vertex);
        icf_flow_end(&out);
        fputc('\n', file);
        section = "";
    }
}

static void write_deformable(FILE *file, body_list *list, icf_lid i)
{
    const icf_bodies *bodies = list->bodies;
    const icf_deformable *deformable = &list->scene->deformable[bodies->shape[i].index];
    const char *section = "    fixed:\n";
    fputs("  - name: ", file);
    icf_yaml_text(file, deformable->name);
    fputc('\n', file);
    write_elastic(file, list->scene, deformable);
    write_mesh(file, &deformable->mesh);
    write_vectors(file, "vertex_positions", bodies->vertex_position + bodies->vertex[i], bodies->nvertex[i]);
    write_vectors(file, "vertex_velocities", bodies->vertex_velocity + bodies->vertex[i], bodies->nvertex[i]);
    for (int32_t k = 0; k < deformable->nmotion; ++k) write_support(file, deformable, k, &section);
    write_attachments(file, list, deformable);
    if (deformable->npressure > 0) fputs("    # its pressure is left out: listed meshes have no groups\n", file);
}

static bool is_deformable(const body_list *list, icf_lid k)
{
    return icf_bodies_is_deformable(list->bodies, list->list[k]);
}

static void write_vertex_forces(FILE *file, const icf_deformable *deformable, const char **section)
{
    for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i) {
        if (icf_vec3_is_plus_zero(deformable->force[i])) continue;
        fprintf(file, "%s  - ", *section);
        icf_flow out = icf_flow_begin(file);
        icf_flow_text(&out, "deformable", deformable->name);
        icf_flow_key(&out, "vertices");
        fprintf(file, "[%d]", (int)i);
        icf_flow_vec3(&out, "value", deformable->force[i]);
        icf_flow_end(&out);
        fputc('\n', file);
        *section = "";
    }
}

static void write_deformables(FILE *file, body_list *list)
{
    const char *section = "deformables:\n", *forces = "vertex_forces:\n";
    for (icf_lid k = 0; k < list->n; ++k) {
        if (!is_deformable(list, k)) continue;
        fputs(section, file);
        write_deformable(file, list, list->list[k]);
        section = "";
    }
    for (icf_lid k = 0; k < list->n; ++k)
        if (is_deformable(list, k))
            write_vertex_forces(file, &list->scene->deformable[list->bodies->shape[list->list[k]].index], &forces);
}

static icf_status write_list(void *user, FILE *file)
{
    body_list *list = user;
    icf_lid nrigid = 0;
    icf_scene_write_begin(file, list->scene);
    for (icf_lid k = 0; k < list->n; ++k) {
        if (is_deformable(list, k)) continue;
        const icf_body_def def = icf_bodies_def(list->bodies, list->list[k], list->buffer);
        icf_scene_write_body(file, list->scene, &def);
        ++nrigid;
    }
    if (nrigid == 0) fputs("  []\n", file);
    write_deformables(file, list);
    return icf_scene_write_end(list->context, file, list->scene, name_in_list, list);
}

/* A run of the part must not replace the results of the whole: its directory has another name. */
icf_status icf_scene_write_bodies(icf_context *context, const char *path, const icf_scene *scene,
                                  const icf_bodies *bodies, icf_lid nlist, const icf_lid *list)
{
    icf_scene part = *scene;
    part.output.directory = icf_path_print("%s-part", scene->output.directory);
    if (!part.output.directory) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    body_list user = {.context = context, .scene = &part, .bodies = bodies, .n = nlist, .list = list};
    const icf_status status = icf_scene_write_file(context, path, write_list, &user);
    icf_free(part.output.directory);
    return status;
}
