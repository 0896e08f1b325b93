/* Bodies of a scene: one mapping after the other, checked when it ends, handed over in chunks. */
#include <stdio.h>

#include "base/memory.h"
#include "io/scene_parse.h"

enum {
    BODY_NAME,
    BODY_SHAPE,
    BODY_MATERIAL,
    BODY_MASS,
    BODY_DENSITY,
    BODY_INERTIA,
    BODY_POSITION,
    BODY_ORIENTATION,
    BODY_LINEAR_VELOCITY,
    BODY_ANGULAR_VELOCITY,
    BODY_FREE,
    BODY_MOTION,
    BODY_SURFACE_VELOCITY
};

/* A body as the file gives it. */
typedef struct body_input {
    icf_body_def def;
    double density;        /* kg/m^3 */
    int64_t name;          /* number in body_names, -1: none */
    icf_solid_frame frame; /* of a dynamic body with a solid */
    bool in_template;      /* of a population: without name and position */
} body_input;

static const char *const dof_names[] = {"vx", "vy", "vz", "wx", "wy", "wz", NULL};

/* A name that no other body has; value: body_input. */
static icf_status read_name(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    (void)key;
    body_input *input = value;
    if (input->in_template || !icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    size_t number;
    bool added;
    const icf_gid other = icf_reader_find_body(reader, first->text);
    if (other >= 0 && other != input->def.gid) {
        char quoted[ICF_QUOTE_BYTES];
        icf_reader_error(reader, first->mark, "the name %s is already that of bodies[%lld]",
                         icf_scene_quote(quoted, first->text, first->length), (long long)other);
        return ICF_OK;
    }
    const int32_t deformable = icf_reader_find_deformable(reader, first->text);
    if (deformable >= 0) {
        char quoted[ICF_QUOTE_BYTES];
        icf_reader_error(reader, first->mark, "the name %s is already that of deformables[%d]",
                         icf_scene_quote(quoted, first->text, first->length), (int)deformable);
        return ICF_OK;
    }
    ICF_TRY(icf_name_table_intern(&reader->body_names, first->text, first->length, &number, &added));
    ICF_TRY(ICF_GROW(reader->named_body, reader->named_body_capacity, number + 1));
    reader->named_body[number] = input->def.gid;
    input->name = (int64_t)number;
    return ICF_OK;
}

/* A material's name; value: body_input. */
static icf_status read_material(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                void *value)
{
    (void)key;
    body_input *input = value;
    if (!icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    return icf_reader_material(reader, first, true, &input->def.material);
}

/* A degree of freedom; value: the bits so far. */
static icf_status read_dof(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    const int nerror = reader->errors.n;
    unsigned *bits = value;
    int dof = 0;
    ICF_TRY(icf_read_choice(reader, key, first, &dof));
    if (reader->errors.n > nerror || first->kind == ICF_YAML_INVALID) return ICF_OK;
    if (*bits & 1u << dof) icf_reader_error(reader, first->mark, "%s is in the list twice", dof_names[dof]);
    *bits |= 1u << dof;
    return ICF_OK;
}

/* The degrees of freedom that move; value: body_input. */
static icf_status read_free(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    body_input *input = value;
    unsigned moving = 0;
    ICF_TRY(icf_read_list(reader, key, first, read_dof, &moving));
    input->def.locked = ICF_DOF_ALL & ~moving;
    return ICF_OK;
}

#define BODY(field) offsetof(body_input, def.field)

static const icf_scene_key body_keys[] = {
    [BODY_NAME] = {ICF_KEY("bodies[].", "name"), read_name, 0},
    [BODY_SHAPE] = {ICF_KEY("bodies[].", "shape"), icf_read_shape, BODY(shape), .required = true,
                    .map = &icf_map_shape},
    [BODY_MATERIAL] = {ICF_KEY("bodies[].", "material"), read_material, 0},
    [BODY_MASS] = {ICF_KEY("bodies[].", "mass"), icf_read_number, BODY(mass), .range = ICF_POSITIVE("kg")},
    [BODY_DENSITY] = {ICF_KEY("bodies[].", "density"), icf_read_number, offsetof(body_input, density),
                      .range = ICF_POSITIVE("kg/m^3")},
    [BODY_INERTIA] = {ICF_KEY("bodies[].", "inertia"), icf_read_vector, BODY(inertia), .range = ICF_POSITIVE("kg m^2")},
    [BODY_POSITION] = {ICF_KEY("bodies[].", "position"), icf_read_vector, BODY(position), .range = ICF_ANY("m")},
    [BODY_ORIENTATION] = {ICF_KEY("bodies[].", "orientation"), icf_read_rotation, BODY(orientation),
                          .range = ICF_ANY("")},
    [BODY_LINEAR_VELOCITY] = {ICF_KEY("bodies[].", "linear_velocity"), icf_read_vector, BODY(linear_velocity),
                              .range = ICF_ANY("m/s")},
    [BODY_ANGULAR_VELOCITY] = {ICF_KEY("bodies[].", "angular_velocity"), icf_read_vector, BODY(angular_velocity),
                               .range = ICF_ANY("rad/s")},
    [BODY_FREE] = {ICF_KEY("bodies[].", "free"), read_free, 0, .choice = dof_names},
    [BODY_MOTION] = {ICF_KEY("bodies[].", "motion"), icf_read_motion, BODY(motion), .map = &icf_map_motion},
    [BODY_SURFACE_VELOCITY] = {ICF_KEY("bodies[].", "surface_velocity"), icf_read_surface_velocity, BODY(surface),
                               .map = &icf_map_surface_velocity},
};

/* What the checks of one body share. */
typedef struct body_check {
    icf_scene_reader *reader;
    icf_scene_given *given;
    body_input *input;
    bool knows_shape, knows_motion; /* these were read without error */
} body_check;

/* Where a key is, or where the body begins when it is not there. */
static icf_mark mark_of(const body_check *check, int key)
{
    return icf_given(check->given, key) ? check->given->key[key] : check->given->start;
}

static void refuse(const body_check *check, int key, const char *reason)
{
    if (icf_given(check->given, key))
        icf_reader_key_error(check->reader, mark_of(check, key), body_keys[key].name, "%s", reason);
}

/* A half-space has no pose, and so it cannot move. */
static void check_half_space(const body_check *check)
{
    refuse(check, BODY_POSITION, "a half_space takes no position");
    refuse(check, BODY_ORIENTATION, "a half_space takes no orientation");
    if (check->knows_motion && check->input->def.motion.type != ICF_MOTION_FIXED)
        icf_reader_key_error(check->reader, mark_of(check, BODY_MOTION), "motion", "must be fixed for a half_space");
}

/* What is inside a surface is not known, so that it has no mass. */
static void check_surface(const body_check *check)
{
    if (check->knows_motion && check->input->def.motion.type == ICF_MOTION_DYNAMIC)
        icf_reader_key_error(check->reader, mark_of(check, BODY_MOTION), "motion",
                             "a %s cannot be dynamic: fixed, or prescribed",
                             icf_shape_name(check->input->def.shape.type));
}

static void check_velocity(const body_check *check, int key, icf_vec3 velocity, int first_dof)
{
    if (!icf_given_good(check->given, key)) return;
    for (int i = 0; i < 3; ++i) {
        if (icf_get(velocity, i) == 0.0 || !(check->input->def.locked & 1u << (first_dof + i))) continue;
        icf_reader_key_error(check->reader, check->given->value[key], body_keys[key].name,
                             "%s is locked (not in free), but its velocity is %.6g", dof_names[first_dof + i],
                             icf_get(velocity, i));
    }
}

/* Fixed and prescribed bodies: what would make them move by itself is an error. */
static void check_prescribed(const body_check *check)
{
    icf_body_def *def = &check->input->def;
    const bool fixed = def->motion.type == ICF_MOTION_FIXED;
    const char *reason = fixed ? "must be 0 for a fixed body" : "must be 0, the motion gives the velocity";
    refuse(check, BODY_FREE, "is only for dynamic bodies");
    if (icf_norm2(def->linear_velocity) > 0.0) refuse(check, BODY_LINEAR_VELOCITY, reason);
    if (icf_norm2(def->angular_velocity) > 0.0) refuse(check, BODY_ANGULAR_VELOCITY, reason);
    if (def->motion.type == ICF_MOTION_VELOCITY && isnan(def->motion.steady.center.x))
        def->motion.steady.center = def->position;
    def->mass = 0.0;
    def->inertia = icf_vec3_make(0.0, 0.0, 0.0);
    def->locked = ICF_DOF_ALL;
}

/* Mass of a dynamic body from mass or density; 0 when it is not known. */
static double find_mass(const body_check *check, int which, double volume)
{
    icf_scene_given *given = check->given;
    if (which < 0)
        icf_reader_key_error(check->reader, given->start, "mass", "missing, a dynamic body requires mass or density");
    if (which == BODY_MASS && icf_given_good(given, BODY_MASS)) return check->input->def.mass;
    if (which != BODY_DENSITY || !icf_given_good(given, BODY_DENSITY)) return 0.0;
    if (volume == 0.0) {
        icf_reader_key_error(check->reader, given->key[BODY_DENSITY], "density",
                             "the shape has no volume: give mass and inertia");
        return 0.0;
    }
    const double mass = check->input->density * volume;
    if (mass > 0.0 && mass < INFINITY) return mass;
    icf_reader_key_error(check->reader, given->value[BODY_DENSITY], "density",
                         "gives a mass of %.6g kg with the volume %.6g m^3", mass, volume);
    return 0.0;
}

/* Principal moments of a real body: each at most the sum of the others, but for rounding. */
static bool is_inertia(icf_vec3 inertia)
{
    const double sum = inertia.x + inertia.y + inertia.z;
    const double largest = fmax(inertia.x, fmax(inertia.y, inertia.z));
    return largest - (sum - largest) <= 1e-9 * largest;
}

/* Inertia of a dynamic body whose mass is known. */
static void check_inertia(const body_check *check, double volume)
{
    icf_scene_given *given = check->given;
    icf_body_def *def = &check->input->def;
    if (icf_given_bad(given, BODY_INERTIA)) return;
    if (icf_given(given, BODY_INERTIA)) {
        if (!is_inertia(def->inertia))
            icf_reader_key_error(check->reader, given->value[BODY_INERTIA], "inertia",
                                 "breaks the triangle inequality: no moment can be larger than the sum of the others");
        return;
    }
    if (volume == 0.0) {
        icf_reader_key_error(check->reader, given->start, "inertia", "missing, the shape has no volume");
        return;
    }
    const icf_solid *solid = icf_scene_solid(check->reader->scene, &def->shape);
    def->inertia = solid ? icf_scale(def->mass, solid->inertia) : icf_shape_inertia(&def->shape, def->mass);
    const double least = fmin(def->inertia.x, fmin(def->inertia.y, def->inertia.z));
    if (!(least > 0.0 && icf_is_finite(def->inertia)))
        icf_reader_key_error(check->reader, given->key[BODY_SHAPE], "shape",
                             "gives no usable inertia (smallest moment %.6g kg m^2)", least);
}

static void check_dynamic(const body_check *check, int which)
{
    icf_body_def *def = &check->input->def;
    check_velocity(check, BODY_LINEAR_VELOCITY, def->linear_velocity, 0);
    check_velocity(check, BODY_ANGULAR_VELOCITY, def->angular_velocity, 3);
    if (!check->knows_shape || def->shape.type == ICF_SHAPE_HALF_SPACE) return;
    const icf_solid *solid = icf_scene_solid(check->reader->scene, &def->shape);
    const double volume = solid ? solid->volume : icf_shape_volume(&def->shape);
    def->mass = find_mass(check, which, volume);
    if (def->mass > 0.0) check_inertia(check, volume);
}

/* A body without a name is called "bodyN": no other may have taken that name. */
static void check_made_up_name(icf_scene_reader *reader, const icf_scene_given *given, icf_gid gid)
{
    char name[32];
    const int length = snprintf(name, sizeof name, "body%lld", (long long)gid);
    const int64_t taken = icf_name_table_find(&reader->body_names, name, (size_t)length);
    if (taken >= 0)
        icf_reader_key_error(reader, given->start, "name", "missing, its default \"%s\" is that of bodies[%lld]", name,
                             (long long)reader->named_body[taken]);
}

/* Bodies of a population: named and placed by their number, and moved by the solver. */
static void check_template(const body_check *check)
{
    const icf_body_def *def = &check->input->def;
    refuse(check, BODY_NAME, "the bodies of a population have no name of their own");
    refuse(check, BODY_POSITION, "the population gives the position");
    if (check->knows_shape && def->shape.type == ICF_SHAPE_HALF_SPACE)
        refuse(check, BODY_SHAPE, "a half_space cannot be in a population");
    if (check->knows_shape && icf_shape_is_surface(&def->shape))
        refuse(check, BODY_SHAPE, "a mesh or height_field cannot be in a population");
    if (check->knows_motion && def->motion.type != ICF_MOTION_DYNAMIC)
        refuse(check, BODY_MOTION, "must be dynamic in a population");
    else if (icf_given_good(check->given, BODY_FREE) && def->locked == ICF_DOF_ALL)
        refuse(check, BODY_FREE, "must not be empty in a population");
}

static void check_body(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    body_input *input = target;
    if (!icf_given(given, BODY_NAME) && !input->in_template) check_made_up_name(reader, given, input->def.gid);
    const body_check check = {.reader = reader,
                              .given = given,
                              .input = input,
                              .knows_shape = icf_given_good(given, BODY_SHAPE),
                              .knows_motion = !icf_given_bad(given, BODY_MOTION)};
    if (input->in_template)
        check_template(&check);
    else if (check.knows_shape && input->def.shape.type == ICF_SHAPE_HALF_SPACE)
        check_half_space(&check);
    else if (check.knows_shape && icf_shape_is_surface(&input->def.shape))
        check_surface(&check);
    if (check.knows_shape && input->def.shape.type != ICF_SHAPE_NONE && !icf_given(given, BODY_MATERIAL))
        icf_report_missing(reader, &icf_map_body, given, BODY_MATERIAL);
    const bool is_surface = check.knows_shape && icf_shape_is_surface(&input->def.shape);
    const int which = icf_given_one_of(reader, &icf_map_body, given, BODY_MASS, BODY_DENSITY);
    input->frame = icf_given(given, BODY_INERTIA) ? ICF_SOLID_CENTRAL : ICF_SOLID_PRINCIPAL;
    if (!check.knows_motion) return;
    if (input->def.motion.type == ICF_MOTION_DYNAMIC && !is_surface)
        check_dynamic(&check, which);
    else
        check_prescribed(&check);
}

const icf_scene_map icf_map_body = ICF_MAP(body_keys, check_body);

icf_status icf_reader_flush(icf_scene_reader *reader)
{
    if (reader->nchunk == 0) return ICF_OK;
    /* the pool of names may have moved since the bodies were read */
    for (int i = 0; i < reader->nchunk; ++i) {
        const int64_t name = reader->chunk_name[i];
        reader->chunk[i].name = name >= 0 ? icf_name_table_text(&reader->body_names, (size_t)name) : NULL;
    }
    const int n = reader->nchunk;
    reader->nchunk = 0;
    return reader->sink(reader->user, n, reader->chunk);
}

void icf_reader_count_material(icf_scene_reader *reader, const icf_body_def *def, icf_cnt n)
{
    if (def->material < 0 || def->shape.type == ICF_SHAPE_NONE) return;
    icf_material_record *record = &reader->material[def->material];
    record->nbody += n;
    if (def->locked != ICF_DOF_ALL) record->nmoving += n;
}

/* A body with a solid moves about its centre of mass: its frame is put there, with the principal axes unless the scene
 * gives the inertia about its own.  Bodies of a population have their centre of mass where the population puts them. */
static icf_status reframe(icf_scene_reader *reader, body_input *input)
{
    icf_body_def *def = &input->def;
    if (def->motion.type != ICF_MOTION_DYNAMIC || !icf_scene_solid(reader->scene, &def->shape)) return ICF_OK;
    ICF_TRY(icf_reader_reframe(reader, input->frame, &def->shape));
    const icf_solid *solid = icf_scene_solid(reader->scene, &def->shape);
    if (input->frame == ICF_SOLID_PRINCIPAL) def->inertia = icf_scale(def->mass, solid->inertia);
    const icf_vec3 position = def->position, velocity = def->linear_velocity;
    icf_solid_to_body(solid, &def->position, &def->orientation, &def->linear_velocity, def->angular_velocity);
    if (!input->in_template) return ICF_OK;
    def->position = position;
    def->linear_velocity = velocity;
    return ICF_OK;
}

static icf_status read_body(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    (void)value;
    body_input input = {.def = icf_body_def_default(), .name = -1};
    input.def.gid = icf_scene_nlisted(reader->scene);
    ++reader->scene->nbody;
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    icf_reader_count_material(reader, &input.def, 1);
    icf_reader_note_size(reader, &input.def, 1.0, 1.0);
    /* a scene with errors is read on only to find them all */
    if (reader->errors.n > 0) return ICF_OK;
    ICF_TRY(reframe(reader, &input));
    reader->chunk[reader->nchunk] = input.def;
    reader->chunk_name[reader->nchunk] = input.name;
    return ++reader->nchunk < ICF_READER_CHUNK ? ICF_OK : icf_reader_flush(reader);
}

icf_status icf_read_bodies(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    return icf_read_list(reader, key, first, read_body, value);
}

icf_status icf_read_template_body(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    body_input input = {.def = icf_body_def_default(), .name = -1, .in_template = true};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    if (reader->errors.n == 0) ICF_TRY(reframe(reader, &input));
    *(icf_body_def *)value = input.def;
    return ICF_OK;
}
