/* Shapes of bodies in a scene. */
#include <string.h>

#include "base/memory.h"
#include "io/scene_surface.h"

enum {
    SHAPE_TYPE,
    SHAPE_RADIUS,
    SHAPE_LENGTH,
    SHAPE_SIZE,
    SHAPE_NORMAL,
    SHAPE_OFFSET,
    SHAPE_RADII,
    SHAPE_MESH,
    SHAPE_SCALE,
    SHAPE_HEIGHTS,
    SHAPE_DATASET,
    SHAPE_SPACING,
    SHAPE_PARTS
};

/* A shape as the file gives it. */
typedef struct shape_input {
    int choice; /* place in shape_types */
    icf_shape_type type;
    double radius, length, offset;
    icf_vec3 size, normal, radii;
    char *mesh, *heights, *dataset; /* files and what of them, owned */
    double mesh_scale;              /* of the file's lengths */
    double scale, spacing[2];
    icf_mark file;  /* of mesh or heights */
    icf_part *part; /* (npart) heap */
    int32_t npart;
    size_t part_capacity;
    bool good; /* all of it could be read and fits together */
} shape_input;

/* Those that a body may have, as scenes name them; deformables are a list of their own. */
static const char *const shape_types[] = {"none",      "half_space", "sphere",   "capsule", "box",          "cylinder",
                                          "ellipsoid", "convex",     "compound", "mesh",    "height_field", NULL};
static const icf_shape_type chosen_type[] = {ICF_SHAPE_NONE,      ICF_SHAPE_HALF_SPACE,  ICF_SHAPE_SPHERE,
                                             ICF_SHAPE_CAPSULE,   ICF_SHAPE_BOX,         ICF_SHAPE_CYLINDER,
                                             ICF_SHAPE_ELLIPSOID, ICF_SHAPE_CONVEX,      ICF_SHAPE_COMPOUND,
                                             ICF_SHAPE_MESH,      ICF_SHAPE_HEIGHT_FIELD};

/* ---- mesh ---- */

static const icf_scene_key mesh_keys[] = {
    {ICF_KEY("bodies[].shape.mesh.", "file"), icf_read_text, offsetof(shape_input, mesh), .required = true},
    {ICF_KEY("bodies[].shape.mesh.", "scale"), icf_read_number, offsetof(shape_input, mesh_scale),
     .range = ICF_POSITIVE("")},
};
const icf_scene_map icf_map_shape_mesh = ICF_MAP(mesh_keys, NULL);

/* A path, or {file, scale}; value: shape_input. */
static icf_status read_shape_mesh(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    shape_input *input = value;
    if (first->kind == ICF_YAML_MAP) return icf_read_map(reader, key->map, first, value);
    return icf_read_text(reader, key, first, &input->mesh);
}

/* ---- parts ---- */

enum { PART_SHAPE, PART_POSITION, PART_ORIENTATION };

static void check_part(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    const icf_part *part = target;
    if (!icf_given_good(given, PART_SHAPE)) return;
    const icf_shape_type type = part->shape.type;
    if (type == ICF_SHAPE_NONE || type == ICF_SHAPE_HALF_SPACE || type == ICF_SHAPE_COMPOUND ||
        icf_shape_is_surface(&part->shape))
        icf_reader_key_error(reader, given->value[PART_SHAPE], "shape", "%s cannot be a part of a compound",
                             icf_shape_name(type));
    else if (type != ICF_SHAPE_CONVEX && icf_shape_volume(&part->shape) == 0.0)
        icf_reader_key_error(reader, given->value[PART_SHAPE], "shape", "a part must have a volume");
}

static const icf_scene_key part_keys[] = {
    [PART_SHAPE] = {ICF_KEY("bodies[].shape.parts[].", "shape"), icf_read_shape, offsetof(icf_part, shape),
                    .required = true, .map = &icf_map_shape},
    [PART_POSITION] = {ICF_KEY("bodies[].shape.parts[].", "position"), icf_read_vector, offsetof(icf_part, position),
                       .range = ICF_ANY("m")},
    [PART_ORIENTATION] = {ICF_KEY("bodies[].shape.parts[].", "orientation"), icf_read_rotation,
                          offsetof(icf_part, orientation), .range = ICF_ANY("")},
};
const icf_scene_map icf_map_part = ICF_MAP(part_keys, check_part);

static icf_status read_part(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    shape_input *input = value;
    icf_part part = {.shape = {.type = ICF_SHAPE_NONE}, .orientation = {1.0, 0.0, 0.0, 0.0}};
    ICF_TRY(icf_read_map(reader, key->map, first, &part));
    ICF_TRY(ICF_GROW(input->part, input->part_capacity, input->npart + 1));
    input->part[input->npart++] = part;
    return ICF_OK;
}

/* value: shape_input. */
static icf_status read_parts(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                             void *value)
{
    const icf_mark mark = first->mark;
    const shape_input *input = value;
    if (first->kind != ICF_YAML_LIST) return icf_wrong_type(reader, first, "a list");
    ICF_TRY(icf_read_list(reader, key, first, read_part, value));
    if (input->npart == 0) icf_reader_error(reader, mark, "must not be empty");
    return ICF_OK;
}

/* ---- shapes ---- */

/* One number for both axes, or a list of two; value: double[2]. */
static icf_status read_spacing(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                               void *value)
{
    double *spacing = value;
    if (first->kind == ICF_YAML_LIST) return icf_read_numbers(reader, key, first, 2, spacing);
    ICF_TRY(icf_read_number(reader, key, first, spacing));
    spacing[1] = spacing[0];
    return ICF_OK;
}

static const icf_scene_key shape_keys[] = {
    [SHAPE_TYPE] = {ICF_KEY("bodies[].shape.", "type"), icf_read_choice, offsetof(shape_input, choice),
                    .required = true, .choice = shape_types},
    [SHAPE_RADIUS] = {ICF_KEY("bodies[].shape.", "radius"), icf_read_number, offsetof(shape_input, radius),
                      .range = ICF_ANY("m")},
    [SHAPE_LENGTH] = {ICF_KEY("bodies[].shape.", "length"), icf_read_number, offsetof(shape_input, length),
                      .range = ICF_POSITIVE("m")},
    [SHAPE_SIZE] = {ICF_KEY("bodies[].shape.", "size"), icf_read_vector, offsetof(shape_input, size),
                    .range = ICF_POSITIVE("m")},
    [SHAPE_NORMAL] = {ICF_KEY("bodies[].shape.", "normal"), icf_read_direction, offsetof(shape_input, normal),
                      .range = ICF_ANY("")},
    [SHAPE_OFFSET] = {ICF_KEY("bodies[].shape.", "offset"), icf_read_number, offsetof(shape_input, offset),
                      .range = ICF_ANY("m")},
    [SHAPE_RADII] = {ICF_KEY("bodies[].shape.", "radii"), icf_read_vector, offsetof(shape_input, radii),
                     .range = ICF_POSITIVE("m")},
    [SHAPE_MESH] = {ICF_KEY("bodies[].shape.", "mesh"), read_shape_mesh, 0, .map = &icf_map_shape_mesh},
    [SHAPE_SCALE] = {ICF_KEY("bodies[].shape.", "scale"), icf_read_number, offsetof(shape_input, scale),
                     .range = ICF_POSITIVE("")},
    [SHAPE_HEIGHTS] = {ICF_KEY("bodies[].shape.", "heights"), icf_read_text, offsetof(shape_input, heights)},
    [SHAPE_DATASET] = {ICF_KEY("bodies[].shape.", "dataset"), icf_read_text, offsetof(shape_input, dataset)},
    [SHAPE_SPACING] = {ICF_KEY("bodies[].shape.", "spacing"), read_spacing, offsetof(shape_input, spacing),
                       .range = ICF_POSITIVE("m")},
    [SHAPE_PARTS] = {ICF_KEY("bodies[].shape.", "parts"), read_parts, 0, .map = &icf_map_part},
};

#define BIT(key) (1u << (key))

/* Keys that a type must have, and those that it may have besides. */
static const struct {
    uint32_t required, optional;
} shape_rules[ICF_SHAPE_COUNT] = {
    [ICF_SHAPE_NONE] = {0, 0},
    [ICF_SHAPE_HALF_SPACE] = {BIT(SHAPE_NORMAL), BIT(SHAPE_OFFSET)},
    [ICF_SHAPE_SPHERE] = {BIT(SHAPE_RADIUS), 0},
    [ICF_SHAPE_CAPSULE] = {BIT(SHAPE_RADIUS) | BIT(SHAPE_LENGTH), 0},
    [ICF_SHAPE_BOX] = {BIT(SHAPE_SIZE), 0},
    [ICF_SHAPE_CYLINDER] = {BIT(SHAPE_RADIUS) | BIT(SHAPE_LENGTH), 0},
    [ICF_SHAPE_ELLIPSOID] = {BIT(SHAPE_RADII), 0},
    [ICF_SHAPE_CONVEX] = {BIT(SHAPE_MESH), 0},
    [ICF_SHAPE_COMPOUND] = {BIT(SHAPE_PARTS), 0},
    [ICF_SHAPE_MESH] = {BIT(SHAPE_MESH), 0},
    [ICF_SHAPE_HEIGHT_FIELD] = {BIT(SHAPE_HEIGHTS) | BIT(SHAPE_SPACING),
                                BIT(SHAPE_SCALE) | BIT(SHAPE_OFFSET) | BIT(SHAPE_DATASET)},
};

/* The least radius depends on the type: a capsule without one is a rod. */
static void check_radius(icf_scene_reader *reader, const icf_scene_given *given, const shape_input *input)
{
    const bool is_capsule = input->type == ICF_SHAPE_CAPSULE;
    if (!icf_given_good(given, SHAPE_RADIUS) || input->radius > 0.0 || (is_capsule && input->radius == 0.0)) return;
    icf_reader_key_error(reader, given->value[SHAPE_RADIUS], "radius", "must be %s 0 m, got %.6g",
                         is_capsule ? ">=" : ">", input->radius);
}

static void check_shape(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    shape_input *input = target;
    if (!icf_given_good(given, SHAPE_TYPE)) return;
    input->type = chosen_type[input->choice];
    const uint32_t required = shape_rules[input->type].required, optional = shape_rules[input->type].optional;
    const int nerror = reader->errors.n;
    for (int i = SHAPE_RADIUS; i < icf_map_shape.nkey; ++i) {
        if ((required & BIT(i)) && !icf_given(given, i)) icf_report_missing(reader, &icf_map_shape, given, i);
        if (icf_given(given, i) && !((required | optional) & BIT(i)))
            icf_reader_key_error(reader, given->key[i], shape_keys[i].name, "does not belong to the shape %s",
                                 icf_shape_name(input->type));
    }
    if (required & BIT(SHAPE_RADIUS)) check_radius(reader, given, input);
    input->file = given->value[input->type == ICF_SHAPE_HEIGHT_FIELD ? SHAPE_HEIGHTS : SHAPE_MESH];
    input->good = reader->errors.n == nerror && given->good == given->present;
}

const icf_scene_map icf_map_shape = ICF_MAP(shape_keys, check_shape);

static icf_status make_convex(icf_scene_reader *reader, const shape_input *input, icf_shape *shape)
{
    return icf_reader_convex(reader, input->file, input->mesh, input->mesh_scale, shape);
}

static icf_status make_surface(icf_scene_reader *reader, const shape_input *input, icf_shape *shape)
{
    *shape = (icf_shape){.type = input->type};
    const icf_surface_input surface = {.mesh = input->mesh,
                                       .heights = input->heights,
                                       .dataset = input->dataset,
                                       .scale = input->heights ? input->scale : input->mesh_scale,
                                       .offset = input->offset,
                                       .spacing = {input->spacing[0], input->spacing[1]},
                                       .mark = input->file};
    return icf_reader_surface(reader, &surface, shape);
}

/* The shape of what was read without an error. */
static icf_status make_shape(icf_scene_reader *reader, const shape_input *input, icf_shape *shape)
{
    if (input->type == ICF_SHAPE_CONVEX) return make_convex(reader, input, shape);
    if (input->type == ICF_SHAPE_COMPOUND) return icf_reader_compound(reader, input->npart, input->part, shape);
    if (input->type == ICF_SHAPE_MESH || input->type == ICF_SHAPE_HEIGHT_FIELD)
        return make_surface(reader, input, shape);
    *shape = (icf_shape){.type = input->type,
                         .radius = input->radius,
                         .half = 0.5 * input->length,
                         .extent = input->type == ICF_SHAPE_ELLIPSOID ? input->radii : icf_scale(0.5, input->size),
                         .normal = input->normal,
                         .offset = input->offset};
    return ICF_OK;
}

icf_status icf_read_shape(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    shape_input input = {.type = ICF_SHAPE_NONE, .mesh_scale = 1.0, .scale = 1.0};
    icf_status status = icf_read_map(reader, key->map, first, &input);
    if (status == ICF_OK && input.good) status = make_shape(reader, &input, value);
    icf_free(input.mesh);
    icf_free(input.heights);
    icf_free(input.dataset);
    icf_free(input.part);
    return status;
}
