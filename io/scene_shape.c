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
    icf_shape_type type;
    double radius, length, offset;
    icf_vec3 size, normal;
    char *mesh, *heights, *dataset; /* owned */
    double scale, spacing[2];
    icf_mark file; /* of mesh or heights */
    bool good;     /* all of it could be read and fits together */
} shape_input;

/* Those that a body may have; deformables are a list of their own. */
static const char *const shape_types[] = {[ICF_SHAPE_NONE] = "none",
                                          [ICF_SHAPE_HALF_SPACE] = "half_space",
                                          [ICF_SHAPE_SPHERE] = "sphere",
                                          [ICF_SHAPE_CAPSULE] = "capsule",
                                          [ICF_SHAPE_BOX] = "box",
                                          [ICF_SHAPE_MESH] = "mesh",
                                          [ICF_SHAPE_HEIGHT_FIELD] = "height_field",
                                          NULL};
static const char *const later_shapes[] = {"cylinder", "ellipsoid", "convex", "compound", NULL};

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
    [SHAPE_TYPE] = {ICF_KEY("bodies[].shape.", "type"), icf_read_choice, offsetof(shape_input, type), .required = true,
                    .choice = shape_types, .later = later_shapes},
    [SHAPE_RADIUS] = {ICF_KEY("bodies[].shape.", "radius"), icf_read_number, offsetof(shape_input, radius),
                      .range = ICF_NOT_NEGATIVE("m")},
    [SHAPE_LENGTH] = {ICF_KEY("bodies[].shape.", "length"), icf_read_number, offsetof(shape_input, length),
                      .range = ICF_POSITIVE("m")},
    [SHAPE_SIZE] = {ICF_KEY("bodies[].shape.", "size"), icf_read_vector, offsetof(shape_input, size),
                    .range = ICF_POSITIVE("m")},
    [SHAPE_NORMAL] = {ICF_KEY("bodies[].shape.", "normal"), icf_read_direction, offsetof(shape_input, normal),
                      .range = ICF_ANY("")},
    [SHAPE_OFFSET] = {ICF_KEY("bodies[].shape.", "offset"), icf_read_number, offsetof(shape_input, offset),
                      .range = ICF_ANY("m")},
    [SHAPE_MESH] = {ICF_KEY("bodies[].shape.", "mesh"), icf_read_text, offsetof(shape_input, mesh)},
    [SHAPE_SCALE] = {ICF_KEY("bodies[].shape.", "scale"), icf_read_number, offsetof(shape_input, scale),
                     .range = ICF_POSITIVE("")},
    [SHAPE_HEIGHTS] = {ICF_KEY("bodies[].shape.", "heights"), icf_read_text, offsetof(shape_input, heights)},
    [SHAPE_DATASET] = {ICF_KEY("bodies[].shape.", "dataset"), icf_read_text, offsetof(shape_input, dataset)},
    [SHAPE_SPACING] = {ICF_KEY("bodies[].shape.", "spacing"), read_spacing, offsetof(shape_input, spacing),
                       .range = ICF_POSITIVE("m")},
    /* of shapes that are not supported yet: refused with the type, or as not belonging to it */
    [SHAPE_RADII] = {ICF_KEY("bodies[].shape.", "radii"), icf_read_ignored, 0},
    [SHAPE_PARTS] = {ICF_KEY("bodies[].shape.", "parts"), icf_read_ignored, 0},
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
    [ICF_SHAPE_MESH] = {BIT(SHAPE_MESH), BIT(SHAPE_SCALE)},
    [ICF_SHAPE_HEIGHT_FIELD] = {BIT(SHAPE_HEIGHTS) | BIT(SHAPE_SPACING),
                                BIT(SHAPE_SCALE) | BIT(SHAPE_OFFSET) | BIT(SHAPE_DATASET)},
};

static void check_shape(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    shape_input *input = target;
    if (!icf_given_good(given, SHAPE_TYPE)) return;
    const uint32_t required = shape_rules[input->type].required, optional = shape_rules[input->type].optional;
    const int nerror = reader->errors.n;
    for (int i = SHAPE_RADIUS; i < icf_map_shape.nkey; ++i) {
        if ((required & BIT(i)) && !icf_given(given, i)) icf_report_missing(reader, &icf_map_shape, given, i);
        if (icf_given(given, i) && !((required | optional) & BIT(i)))
            icf_reader_key_error(reader, given->key[i], shape_keys[i].name, "does not belong to the shape %s",
                                 icf_shape_name(input->type));
    }
    if (input->type == ICF_SHAPE_SPHERE && icf_given_good(given, SHAPE_RADIUS) && input->radius == 0.0)
        icf_reader_key_error(reader, given->value[SHAPE_RADIUS], "radius", "must be > 0 m, got 0");
    input->file = given->value[input->type == ICF_SHAPE_MESH ? SHAPE_MESH : SHAPE_HEIGHTS];
    input->good = reader->errors.n == nerror && given->good == given->present;
}

const icf_scene_map icf_map_shape = ICF_MAP(shape_keys, check_shape);

/* The shape that a mapping without errors describes. */
static icf_status make_shape(icf_scene_reader *reader, const shape_input *input, icf_shape *shape)
{
    *shape = (icf_shape){.type = input->type,
                         .radius = input->radius,
                         .half = 0.5 * input->length,
                         .extent = icf_scale(0.5, input->size),
                         .normal = input->normal,
                         .offset = input->offset};
    if (!icf_shape_is_surface(shape)) return ICF_OK;
    shape->offset = 0.0;
    const icf_surface_input surface = {.mesh = input->mesh,
                                       .heights = input->heights,
                                       .dataset = input->dataset,
                                       .scale = input->scale,
                                       .offset = input->offset,
                                       .spacing = {input->spacing[0], input->spacing[1]},
                                       .mark = input->file};
    return icf_reader_surface(reader, &surface, shape);
}

icf_status icf_read_shape(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    const int nerror = reader->errors.n;
    reader->later_error = -1;
    shape_input input = {.type = ICF_SHAPE_NONE, .scale = 1.0};
    icf_status status = icf_read_map(reader, key->map, first, &input);
    icf_reader_keep_later_error(reader, nerror);
    if (status == ICF_OK && input.good) status = make_shape(reader, &input, value);
    icf_free(input.mesh);
    icf_free(input.heights);
    icf_free(input.dataset);
    return status;
}
