/* Shapes of bodies in a scene. */
#include <string.h>

#include "io/scene_parse.h"

enum {
    SHAPE_TYPE,
    SHAPE_RADIUS,
    SHAPE_LENGTH,
    SHAPE_SIZE,
    SHAPE_NORMAL,
    SHAPE_OFFSET,
    SHAPE_RADII,
    SHAPE_MESH,
    SHAPE_PARTS
};

/* A shape as the file gives it. */
typedef struct shape_input {
    icf_shape_type type;
    double radius, length, offset;
    icf_vec3 size, normal;
    bool good; /* all of it could be read and fits together */
} shape_input;

/* Those that a body may have; deformables are a list of their own. */
static const char *const shape_types[] = {[ICF_SHAPE_NONE] = "none",     [ICF_SHAPE_HALF_SPACE] = "half_space",
                                          [ICF_SHAPE_SPHERE] = "sphere", [ICF_SHAPE_CAPSULE] = "capsule",
                                          [ICF_SHAPE_BOX] = "box",       NULL};
static const char *const later_shapes[] = {"cylinder", "ellipsoid", "convex", "mesh", "height_field", "compound", NULL};

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
    /* of shapes that are not supported yet: refused with the type, or as not belonging to it */
    [SHAPE_RADII] = {ICF_KEY("bodies[].shape.", "radii"), icf_read_ignored, 0},
    [SHAPE_MESH] = {ICF_KEY("bodies[].shape.", "mesh"), icf_read_ignored, 0},
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
    input->good = reader->errors.n == nerror && given->good == given->present;
}

const icf_scene_map icf_map_shape = ICF_MAP(shape_keys, check_shape);

icf_status icf_read_shape(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    const int nerror = reader->errors.n;
    reader->later_error = -1;
    shape_input input = {.type = ICF_SHAPE_NONE};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    icf_reader_keep_later_error(reader, nerror);
    if (!input.good) return ICF_OK;
    *(icf_shape *)value = (icf_shape){.type = input.type,
                                      .radius = input.radius,
                                      .half = 0.5 * input.length,
                                      .extent = icf_scale(0.5, input.size),
                                      .normal = input.normal,
                                      .offset = input.offset};
    return ICF_OK;
}
