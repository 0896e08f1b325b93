/* Deformables of a scene, and forces on their vertices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/deformable_input.h"

/* ---- selectors ---- */

/* Two corners; value: icf_vec3[2]. */
typedef struct corners {
    icf_vec3 *corner;
    int n;
} corners;

static icf_status add_corner(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                             void *value)
{
    corners *list = value;
    icf_vec3 item;
    ICF_TRY(icf_read_vector(reader, key, first, list->n < 2 ? &list->corner[list->n] : &item));
    ++list->n;
    return ICF_OK;
}

static icf_status read_corners(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                               void *value)
{
    const icf_mark mark = first->mark;
    const int nerror = reader->errors.n;
    corners list = {value, 0};
    ICF_TRY(icf_read_list(reader, key, first, add_corner, &list));
    if (list.n != 2 && reader->errors.n == nerror)
        icf_reader_error(reader, mark, "must be two corners [[x, y, z], [x, y, z]], got %d", list.n);
    return ICF_OK;
}

#define SELECT(type, field) offsetof(type, selector.field)
#define SELECTOR_KEYS(prefix, type, sphere_map)                                                                       \
    [ICF_SELECT_BOX] = {ICF_KEY(prefix, "box"), read_corners, SELECT(type, low), .range = ICF_ANY("m")},              \
    [ICF_SELECT_SPHERE] = {ICF_KEY(prefix, "sphere"), icf_read_section, offsetof(type, selector), .map = sphere_map}, \
    [ICF_SELECT_GROUP] = {ICF_KEY(prefix, "group"), icf_read_text, SELECT(type, group)},                              \
    [ICF_SELECT_VERTICES] = {ICF_KEY(prefix, "vertices"), icf_read_indices, SELECT(type, vertices),                   \
                             .range = {.min = 0.0, .max = 2147483646.0, .unit = ""}}

#define SPHERE_SELECTOR_KEYS(prefix)                                                                               \
    {ICF_KEY(prefix, "center"), icf_read_vector, offsetof(icf_selector, center), .required = true,                 \
     .range = ICF_ANY("m")},                                                                                       \
    {                                                                                                              \
        ICF_KEY(prefix, "radius"), icf_read_number, offsetof(icf_selector, radius), .required = true,              \
                                                                                    .range = ICF_NOT_NEGATIVE("m") \
    }

static const icf_scene_key fixed_sphere_keys[] = {SPHERE_SELECTOR_KEYS("deformables[].fixed[].sphere.")};
static const icf_scene_key attached_sphere_keys[] = {SPHERE_SELECTOR_KEYS("deformables[].attachments[].sphere.")};
const icf_scene_map icf_map_fixed_sphere = ICF_MAP(fixed_sphere_keys, NULL);
const icf_scene_map icf_map_attached_sphere = ICF_MAP(attached_sphere_keys, NULL);

/* Exactly one of the selector's keys must be there. */
static void check_selector(icf_scene_reader *reader, const icf_scene_given *given, icf_selector *selector)
{
    int n = 0;
    for (int k = ICF_SELECT_BOX; k <= ICF_SELECT_VERTICES; ++k)
        if (icf_given(given, k)) {
            selector->type = (icf_selector_type)k;
            ++n;
        }
    if (n != 1) icf_reader_error(reader, given->start, "must select by one of box, sphere, group, vertices");
}

enum { FIXED_MOTION = ICF_SELECT_VERTICES + 1, ATTACHMENT_BODY = ICF_SELECT_VERTICES + 1 };

static const char *const support_types[] = {
    [ICF_SUPPORT_FIXED] = "fixed", [ICF_SUPPORT_LINEAR] = "linear", [ICF_SUPPORT_HARMONIC] = "harmonic", NULL};

enum { SUPPORT_TYPE, SUPPORT_VELOCITY, SUPPORT_DIRECTION, SUPPORT_AMPLITUDE, SUPPORT_FREQUENCY, SUPPORT_PHASE };

#define SUPPORT(field) offsetof(icf_support_motion, field)
#define SUPPORT_PREFIX "deformables[].fixed[].motion."

static const icf_scene_key support_keys[] = {
    [SUPPORT_TYPE] = {ICF_KEY(SUPPORT_PREFIX, "type"), icf_read_choice, SUPPORT(type), .required = true,
                      .choice = support_types},
    [SUPPORT_VELOCITY] = {ICF_KEY(SUPPORT_PREFIX, "velocity"), icf_read_vector, SUPPORT(velocity),
                          .range = ICF_ANY("m/s")},
    [SUPPORT_DIRECTION] = {ICF_KEY(SUPPORT_PREFIX, "direction"), icf_read_direction, SUPPORT(harmonic.direction),
                           .range = ICF_ANY("")},
    [SUPPORT_AMPLITUDE] = {ICF_KEY(SUPPORT_PREFIX, "amplitude"), icf_read_number, SUPPORT(harmonic.amplitude),
                           .range = ICF_ANY("m")},
    [SUPPORT_FREQUENCY] = {ICF_KEY(SUPPORT_PREFIX, "frequency"), icf_read_number, SUPPORT(harmonic.frequency),
                           .range = ICF_NOT_NEGATIVE("Hz")},
    [SUPPORT_PHASE] = {ICF_KEY(SUPPORT_PREFIX, "phase"), icf_read_number, SUPPORT(harmonic.phase),
                       .range = ICF_ANY("rad")},
};

/* Keys that a motion must have (first to last), and those that are not its own. */
static void check_support(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    const icf_support_motion *motion = target;
    if (!icf_given_good(given, SUPPORT_TYPE)) return;
    for (int k = SUPPORT_VELOCITY; k <= SUPPORT_PHASE; ++k) {
        const icf_support_type owner = k == SUPPORT_VELOCITY ? ICF_SUPPORT_LINEAR : ICF_SUPPORT_HARMONIC;
        if (motion->type == owner && k != SUPPORT_PHASE && !icf_given(given, k))
            icf_report_missing(reader, &icf_map_support_motion, given, k);
        if (motion->type != owner && icf_given(given, k))
            icf_reader_key_error(reader, given->key[k], support_keys[k].name, "is only for type: %s",
                                 support_types[owner]);
    }
}

const icf_scene_map icf_map_support_motion = ICF_MAP(support_keys, check_support);

static const icf_scene_key fixed_keys[] = {
    SELECTOR_KEYS("deformables[].fixed[].", icf_fixed_input, &icf_map_fixed_sphere),
    [FIXED_MOTION] = {ICF_KEY("deformables[].fixed[].", "motion"), icf_read_section, offsetof(icf_fixed_input, motion),
                      .map = &icf_map_support_motion},
};

static void check_fixed(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    check_selector(reader, given, &((icf_fixed_input *)target)->selector);
}

const icf_scene_map icf_map_fixed = ICF_MAP(fixed_keys, check_fixed);

/* Name of a body that is found when all have been read; value: its number in reference_names. */
static icf_status read_reference(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    (void)key;
    if (!icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    bool added;
    return icf_name_table_intern(&reader->reference_names, first->text, first->length, value, &added);
}

static const icf_scene_key attachment_keys[] = {
    SELECTOR_KEYS("deformables[].attachments[].", icf_attachment_input, &icf_map_attached_sphere),
    [ATTACHMENT_BODY] = {ICF_KEY("deformables[].attachments[].", "body"), read_reference,
                         offsetof(icf_attachment_input, body), .required = true},
};

static void check_attachment(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    check_selector(reader, given, &((icf_attachment_input *)target)->selector);
}

const icf_scene_map icf_map_attachment = ICF_MAP(attachment_keys, check_attachment);

static const icf_scene_key pressure_keys[] = {
    {ICF_KEY("deformables[].pressure[].", "group"), icf_read_text, offsetof(icf_pressure_input, group),
     .required = true},
    {ICF_KEY("deformables[].pressure[].", "value"), icf_read_number, offsetof(icf_pressure_input, value),
     .required = true, .range = ICF_ANY("Pa")},
};

const icf_scene_map icf_map_pressure = ICF_MAP(pressure_keys, NULL);

static icf_cnt element_index(const icf_scene_reader *reader)
{
    return reader->path[reader->npath - 1].index;
}

static icf_status add_fixed(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    icf_deformable_input *input = value;
    ICF_TRY(ICF_GROW(input->fixed, input->fixed_capacity, input->nfixed + 1));
    icf_fixed_input *fixed = &input->fixed[input->nfixed++];
    *fixed =
        (icf_fixed_input){.motion = {.type = ICF_SUPPORT_FIXED}, .index = element_index(reader), .mark = first->mark};
    return icf_read_map(reader, key->map, first, fixed);
}

static icf_status add_attachment(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    icf_deformable_input *input = value;
    ICF_TRY(ICF_GROW(input->attachment, input->attachment_capacity, input->nattachment + 1));
    icf_attachment_input *attachment = &input->attachment[input->nattachment++];
    *attachment = (icf_attachment_input){.index = element_index(reader), .mark = first->mark};
    return icf_read_map(reader, key->map, first, attachment);
}

static icf_status add_pressure(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                               void *value)
{
    icf_deformable_input *input = value;
    ICF_TRY(ICF_GROW(input->pressure, input->pressure_capacity, input->npressure + 1));
    icf_pressure_input *pressure = &input->pressure[input->npressure++];
    *pressure = (icf_pressure_input){.index = element_index(reader), .mark = first->mark};
    return icf_read_map(reader, key->map, first, pressure);
}

static icf_status read_fixed(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                             void *value)
{
    return icf_read_list(reader, key, first, add_fixed, value);
}

static icf_status read_attachments(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                   void *value)
{
    return icf_read_list(reader, key, first, add_attachment, value);
}

static icf_status read_pressures(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    return icf_read_list(reader, key, first, add_pressure, value);
}

/* ---- a deformable ---- */

static const icf_scene_key damping_keys[] = {
    {ICF_KEY("deformables[].damping.", "mass"), icf_read_number, offsetof(icf_deformable_material, mass_damping),
     .range = ICF_NOT_NEGATIVE("1/s")},
    {ICF_KEY("deformables[].damping.", "stiffness"), icf_read_number,
     offsetof(icf_deformable_material, stiffness_damping), .range = ICF_NOT_NEGATIVE("s")},
};
const icf_scene_map icf_map_damping = ICF_MAP(damping_keys, NULL);

static icf_status read_contact_material(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                        void *value)
{
    (void)key;
    if (!icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    return icf_reader_material(reader, first, true, value);
}

enum {
    DEFORMABLE_NAME,
    DEFORMABLE_MESH,
    DEFORMABLE_MODEL,
    DEFORMABLE_GEOMETRIC,
    DEFORMABLE_POSITIONS = 12,
    DEFORMABLE_VELOCITIES
};

#define DEFORMABLE(field) offsetof(icf_deformable_input, field)
#define DEFORMABLE_PREFIX "deformables[]."

static const icf_scene_key deformable_keys[] = {
    [DEFORMABLE_NAME] = {ICF_KEY(DEFORMABLE_PREFIX, "name"), icf_read_text, DEFORMABLE(name)},
    [DEFORMABLE_MESH] = {ICF_KEY(DEFORMABLE_PREFIX, "mesh"), icf_read_mesh, DEFORMABLE(mesh), .required = true,
                         .map = &icf_map_mesh},
    [DEFORMABLE_MODEL] = {ICF_KEY(DEFORMABLE_PREFIX, "model"), icf_read_choice, DEFORMABLE(elastic.model),
                          .choice = icf_elastic_model_names},
    [DEFORMABLE_GEOMETRIC] = {ICF_KEY(DEFORMABLE_PREFIX, "geometric_stiffness"), icf_read_flag,
                              DEFORMABLE(elastic.geometric_stiffness)},
    {ICF_KEY(DEFORMABLE_PREFIX, "youngs_modulus"), icf_read_number, DEFORMABLE(elastic.youngs_modulus),
     .required = true, .range = ICF_POSITIVE("Pa")},
    {ICF_KEY(DEFORMABLE_PREFIX, "poissons_ratio"), icf_read_number, DEFORMABLE(elastic.poissons_ratio),
     .required = true, .range = {.min = 0.0, .max = 0.5, .below = true, .unit = ""}},
    {ICF_KEY(DEFORMABLE_PREFIX, "density"), icf_read_number, DEFORMABLE(elastic.density), .required = true,
     .range = ICF_POSITIVE("kg/m^3")},
    {ICF_KEY(DEFORMABLE_PREFIX, "damping"), icf_read_section, DEFORMABLE(elastic), .map = &icf_map_damping},
    {ICF_KEY(DEFORMABLE_PREFIX, "position"), icf_read_vector, DEFORMABLE(position), .range = ICF_ANY("m")},
    {ICF_KEY(DEFORMABLE_PREFIX, "orientation"), icf_read_rotation, DEFORMABLE(orientation), .range = ICF_ANY("")},
    {ICF_KEY(DEFORMABLE_PREFIX, "linear_velocity"), icf_read_vector, DEFORMABLE(linear_velocity),
     .range = ICF_ANY("m/s")},
    {ICF_KEY(DEFORMABLE_PREFIX, "angular_velocity"), icf_read_vector, DEFORMABLE(angular_velocity),
     .range = ICF_ANY("rad/s")},
    [DEFORMABLE_POSITIONS] = {ICF_KEY(DEFORMABLE_PREFIX, "vertex_positions"), icf_read_vectors,
                              DEFORMABLE(vertex_positions), .range = ICF_ANY("m")},
    [DEFORMABLE_VELOCITIES] = {ICF_KEY(DEFORMABLE_PREFIX, "vertex_velocities"), icf_read_vectors,
                               DEFORMABLE(vertex_velocities), .range = ICF_ANY("m/s")},
    {ICF_KEY(DEFORMABLE_PREFIX, "material"), read_contact_material, DEFORMABLE(material)},
    {ICF_KEY(DEFORMABLE_PREFIX, "contact_subdivision"), icf_read_count, DEFORMABLE(subdivision),
     .range = {.min = 1.0, .max = ICF_MAX_SUBDIVISION, .unit = ""}},
    {ICF_KEY(DEFORMABLE_PREFIX, "self_contact"), icf_read_flag, DEFORMABLE(self_contact)},
    {ICF_KEY(DEFORMABLE_PREFIX, "fixed"), read_fixed, 0, .map = &icf_map_fixed},
    {ICF_KEY(DEFORMABLE_PREFIX, "attachments"), read_attachments, 0, .map = &icf_map_attachment},
    {ICF_KEY(DEFORMABLE_PREFIX, "pressure"), read_pressures, 0, .map = &icf_map_pressure},
};

static void check_deformable(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    icf_deformable_input *input = target;
    if (icf_given(given, DEFORMABLE_POSITIONS)) input->positions_mark = given->key[DEFORMABLE_POSITIONS];
    if (icf_given(given, DEFORMABLE_VELOCITIES)) input->velocities_mark = given->key[DEFORMABLE_VELOCITIES];
    if (icf_given(given, DEFORMABLE_GEOMETRIC) && !icf_given_bad(given, DEFORMABLE_MODEL) &&
        input->elastic.model != ICF_ELASTIC_COROTATIONAL)
        icf_reader_key_error(reader, given->key[DEFORMABLE_GEOMETRIC], "geometric_stiffness",
                             "is only for model: corotational");
}

const icf_scene_map icf_map_deformable = ICF_MAP(deformable_keys, check_deformable);

static void clear_input(icf_deformable_input *input)
{
    for (size_t k = 0; k < input->nfixed; ++k) {
        icf_free(input->fixed[k].selector.group);
        icf_free(input->fixed[k].selector.vertices.item);
    }
    for (size_t k = 0; k < input->nattachment; ++k) {
        icf_free(input->attachment[k].selector.group);
        icf_free(input->attachment[k].selector.vertices.item);
    }
    for (size_t k = 0; k < input->npressure; ++k) icf_free(input->pressure[k].group);
    icf_free(input->fixed);
    icf_free(input->attachment);
    icf_free(input->pressure);
    icf_free(input->vertex_positions.item);
    icf_free(input->vertex_velocities.item);
    icf_free(input->mesh.file);
    icf_free(input->mesh.vertices.item);
    icf_free(input->mesh.tets.item);
    icf_free(input->name);
}

/* A name that no other deformable has; one without a name is called "deformableN". */
static icf_status name_deformable(icf_scene_reader *reader, icf_deformable_input *input, icf_deformable *deformable)
{
    const icf_scene *scene = reader->scene;
    char made_up[32];
    snprintf(made_up, sizeof made_up, "deformable%d", (int)scene->ndeformable - 1);
    ICF_TRY(icf_scene_set_text(&deformable->name, input->name ? input->name : made_up));
    const int32_t other = icf_reader_find_deformable(reader, deformable->name);
    const icf_gid body = icf_reader_find_body(reader, deformable->name);
    if (other < scene->ndeformable - 1)
        icf_reader_key_error(reader, input->mark, "name", "the name \"%.60s\" is already that of deformables[%d]",
                             deformable->name, (int)other);
    if (body >= 0)
        icf_reader_key_error(reader, input->mark, "name", "the name \"%.60s\" is already that of bodies[%lld]",
                             deformable->name, (long long)body);
    return ICF_OK;
}

static icf_status note_attachments(icf_scene_reader *reader, const icf_deformable_input *input)
{
    for (size_t k = 0; k < input->nattachment; ++k) {
        ICF_TRY(ICF_GROW(reader->reference, reader->reference_capacity, reader->nreference + 1));
        reader->reference[reader->nreference++] = (icf_body_reference){.kind = ICF_REFERENCE_ATTACHMENT,
                                                                       .index = reader->scene->ndeformable - 1,
                                                                       .element = input->attachment[k].index,
                                                                       .name = input->attachment[k].body,
                                                                       .mark = input->attachment[k].mark};
    }
    return ICF_OK;
}

static icf_status read_into(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            icf_deformable_input *input)
{
    const int nerror = reader->errors.n;
    icf_deformable *deformable;
    ICF_TRY(icf_read_map(reader, key->map, first, input));
    ICF_TRY(icf_scene_add_deformable(reader->scene, &deformable));
    ICF_TRY(name_deformable(reader, input, deformable));
    if (reader->errors.n > nerror) return ICF_OK;
    ICF_TRY(note_attachments(reader, input));
    if (input->material >= 0) reader->material[input->material].ndeformable += 1;
    return icf_build_deformable(reader, input, deformable);
}

static icf_status read_deformable(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    (void)value;
    icf_deformable_input input = {.mesh = {.scale = 1.0},
                                  .elastic = icf_deformable_material_default(),
                                  .orientation = {1.0, 0.0, 0.0, 0.0},
                                  .positions_mark = {.line = -1},
                                  .velocities_mark = {.line = -1},
                                  .material = -1,
                                  .subdivision = 2,
                                  .mark = first->mark};
    const icf_status status = read_into(reader, key, first, &input);
    clear_input(&input);
    return status;
}

icf_status icf_read_deformables(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                void *value)
{
    return icf_read_list(reader, key, first, read_deformable, value);
}

/* ---- forces on vertices ---- */

static const icf_scene_key vertex_force_keys[] = {
    {ICF_KEY("vertex_forces[].", "deformable"), icf_read_text, offsetof(icf_vertex_force, deformable),
     .required = true},
    {ICF_KEY("vertex_forces[].", "vertices"), icf_read_indices, offsetof(icf_vertex_force, vertices), .required = true,
     .range = {.min = 0.0, .max = 2147483646.0, .unit = ""}},
    {ICF_KEY("vertex_forces[].", "value"), icf_read_vector, offsetof(icf_vertex_force, value), .required = true,
     .range = ICF_ANY("N")},
};
const icf_scene_map icf_map_vertex_force = ICF_MAP(vertex_force_keys, NULL);

static icf_status read_vertex_force(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                    void *value)
{
    (void)value;
    ICF_TRY(ICF_GROW(reader->vertex_force, reader->vertex_force_capacity, reader->nvertex_force + 1));
    icf_vertex_force *force = &reader->vertex_force[reader->nvertex_force++];
    *force = (icf_vertex_force){.index = element_index(reader), .mark = first->mark};
    return icf_read_map(reader, key->map, first, force);
}

icf_status icf_read_vertex_forces(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    return icf_read_list(reader, key, first, read_vertex_force, value);
}

void icf_reader_clear_vertex_forces(icf_scene_reader *reader)
{
    for (size_t k = 0; k < reader->nvertex_force; ++k) {
        icf_free(reader->vertex_force[k].deformable);
        icf_free(reader->vertex_force[k].vertices.item);
    }
    icf_free(reader->vertex_force);
}

/* ---- when the whole scene has been read ---- */

static icf_deformable *find_deformable(icf_scene *scene, const char *name)
{
    for (int32_t d = 0; d < scene->ndeformable; ++d)
        if (strcmp(scene->deformable[d].name, name) == 0) return &scene->deformable[d];
    return NULL;
}

static void apply_vertex_force(icf_scene_reader *reader, const icf_vertex_force *force)
{
    char path[64], quoted[ICF_QUOTE_BYTES];
    icf_deformable *deformable = find_deformable(reader->scene, force->deformable);
    snprintf(path, sizeof path, "vertex_forces[%lld].%s", (long long)force->index,
             deformable ? "vertices" : "deformable");
    if (!deformable) {
        icf_scene_errors_add(&reader->errors, force->mark, path, "no deformable is named %s",
                             icf_scene_quote(quoted, force->deformable, strlen(force->deformable)));
        return;
    }
    if (force->vertices.n == 0) icf_scene_errors_add(&reader->errors, force->mark, path, "selects no vertex");
    for (size_t k = 0; k < force->vertices.n; ++k) {
        const icf_cnt vertex = force->vertices.item[k];
        if (vertex >= deformable->mesh.nvertex)
            icf_scene_errors_add(&reader->errors, force->mark, path, "there is no vertex %lld, the mesh has %d",
                                 (long long)vertex, (int)deformable->mesh.nvertex);
        else if (deformable->force)
            deformable->force[vertex] = icf_add(deformable->force[vertex], force->value);
    }
}

static int compare_attachments(const void *a, const void *b)
{
    const icf_attachment *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* A vertex that several selectors attach to a body is attached once. */
static void drop_repeated(icf_deformable *deformable)
{
    icf_lid n = 0;
    for (icf_lid k = 0; k < deformable->nattachment; ++k)
        if (n == 0 || compare_attachments(&deformable->attachment[k], &deformable->attachment[n - 1]) != 0)
            deformable->attachment[n++] = deformable->attachment[k];
    deformable->nattachment = n;
}

/* Names of bodies become bodies. */
static void resolve_attachments(icf_scene_reader *reader, icf_deformable *deformable)
{
    for (icf_lid k = 0; k < deformable->nattachment; ++k) {
        icf_attachment *attachment = &deformable->attachment[k];
        const char *name = icf_name_table_text(&reader->reference_names, (size_t)attachment->body);
        const icf_gid listed = icf_reader_find_body(reader, name);
        attachment->body = listed >= 0 ? listed : icf_reader_find_generated(reader, name);
    }
    if (deformable->nattachment > 0)
        qsort(deformable->attachment, (size_t)deformable->nattachment, sizeof *deformable->attachment,
              compare_attachments);
    drop_repeated(deformable);
}

void icf_reader_finish_deformables(icf_scene_reader *reader)
{
    icf_scene *scene = reader->scene;
    for (size_t k = 0; k < reader->nvertex_force; ++k)
        if (reader->vertex_force[k].deformable) apply_vertex_force(reader, &reader->vertex_force[k]);
    for (int32_t d = 0; d < scene->ndeformable; ++d) {
        scene->deformable[d].gid = scene->nbody + d;
        resolve_attachments(reader, &scene->deformable[d]);
    }
}
