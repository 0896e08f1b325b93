/* Motions of bodies and of their surfaces in a scene. */
#include <string.h>

#include "io/scene_parse.h"

/* A motion or surface velocity as the file gives it. */
typedef struct motion_input {
    icf_motion_type type;
    icf_harmonic harmonic;
    icf_steady steady;
    icf_vec3 velocity;
    bool constant; /* surface velocity: velocity was given */
} motion_input;

#define HARMONIC(field) offsetof(motion_input, harmonic.field)
#define HARMONIC_KEYS(prefix, first)                                                                           \
    [first] = {ICF_KEY(prefix, "direction"), icf_read_direction, HARMONIC(direction), .range = ICF_ANY("")},   \
    [first + 1] = {ICF_KEY(prefix, "amplitude"), icf_read_number, HARMONIC(amplitude), .range = ICF_ANY("m")}, \
    [first + 2] = {ICF_KEY(prefix, "frequency"), icf_read_number, HARMONIC(frequency),                         \
                   .range = ICF_NOT_NEGATIVE("Hz")},                                                           \
    [first + 3] = {ICF_KEY(prefix, "phase"), icf_read_number, HARMONIC(phase), .range = ICF_ANY("rad")}

/* The harmonic keys stand behind one other key: direction, amplitude, frequency, phase. */
enum { KIND, DIRECTION, AMPLITUDE, FREQUENCY, PHASE, LINEAR, ANGULAR, CENTER };

/* Direction, amplitude and frequency must be there; the phase is 0 by default. */
static void require_harmonic(icf_scene_reader *reader, const icf_scene_map *map, const icf_scene_given *given)
{
    for (int i = DIRECTION; i <= FREQUENCY; ++i)
        if (!icf_given(given, i)) icf_report_missing(reader, map, given, i);
}

/* None of the keys from `first` to `last` may be there. */
static void refuse(icf_scene_reader *reader, const icf_scene_map *map, const icf_scene_given *given, int first,
                   int last, const char *reason)
{
    for (int i = first; i <= last; ++i)
        if (icf_given(given, i)) icf_reader_key_error(reader, given->key[i], map->key[i].name, "%s", reason);
}

static const char *const motion_types[] = {[ICF_MOTION_DYNAMIC] = "dynamic",
                                           [ICF_MOTION_FIXED] = "fixed",
                                           [ICF_MOTION_HARMONIC] = "harmonic",
                                           [ICF_MOTION_VELOCITY] = "velocity",
                                           NULL};

#define STEADY(field) offsetof(motion_input, steady.field)

static const icf_scene_key motion_keys[] = {
    [KIND] = {ICF_KEY("bodies[].motion.", "type"), icf_read_choice, offsetof(motion_input, type), .required = true,
              .choice = motion_types},
    HARMONIC_KEYS("bodies[].motion.", DIRECTION),
    [LINEAR] = {ICF_KEY("bodies[].motion.", "linear"), icf_read_vector, STEADY(linear), .range = ICF_ANY("m/s")},
    [ANGULAR] = {ICF_KEY("bodies[].motion.", "angular"), icf_read_vector, STEADY(angular), .range = ICF_ANY("rad/s")},
    [CENTER] = {ICF_KEY("bodies[].motion.", "center"), icf_read_vector, STEADY(center), .range = ICF_ANY("m")},
};

static void check_motion(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    const motion_input *input = target;
    if (!icf_given_good(given, KIND)) return;
    if (input->type != ICF_MOTION_VELOCITY)
        refuse(reader, &icf_map_motion, given, LINEAR, CENTER, "is only for type: velocity");
    else if (!icf_given(given, LINEAR) && !icf_given(given, ANGULAR))
        icf_reader_key_error(reader, given->start, "linear", "missing, linear or angular is required");
    if (input->type == ICF_MOTION_HARMONIC)
        require_harmonic(reader, &icf_map_motion, given);
    else
        refuse(reader, &icf_map_motion, given, DIRECTION, PHASE, "is only for type: harmonic");
}

const icf_scene_map icf_map_motion = ICF_MAP(motion_keys, check_motion);

icf_status icf_read_motion(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    const icf_mark mark = first->mark;
    motion_input input = {.type = ICF_MOTION_DYNAMIC, .steady.center = {NAN, NAN, NAN}};
    const bool mapping = first->kind == ICF_YAML_MAP;
    if (mapping)
        ICF_TRY(icf_read_map(reader, key->map, first, &input));
    else
        ICF_TRY(icf_read_choice(reader, &motion_keys[KIND], first, &input.type));
    if (!mapping && input.type == ICF_MOTION_HARMONIC)
        icf_reader_error(reader, mark, "must be {type: harmonic, direction, amplitude, frequency, phase}");
    if (!mapping && input.type == ICF_MOTION_VELOCITY)
        icf_reader_error(reader, mark, "must be {type: velocity, linear, angular, center}");
    icf_motion *motion = value;
    *motion = (icf_motion){.type = input.type, .steady = {.linear = {0}}};
    if (input.type == ICF_MOTION_HARMONIC) motion->harmonic = input.harmonic;
    if (input.type == ICF_MOTION_VELOCITY) motion->steady = input.steady;
    return ICF_OK;
}

static const icf_scene_key surface_velocity_keys[] = {
    [KIND] = {ICF_KEY("bodies[].surface_velocity.", "velocity"), icf_read_vector, offsetof(motion_input, velocity),
              .range = ICF_ANY("m/s")},
    HARMONIC_KEYS("bodies[].surface_velocity.", DIRECTION),
};

static void check_surface_velocity(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    motion_input *input = target;
    input->constant = icf_given(given, KIND);
    if (input->constant)
        refuse(reader, &icf_map_surface_velocity, given, DIRECTION, PHASE, "cannot be given together with velocity");
    else
        require_harmonic(reader, &icf_map_surface_velocity, given);
}

const icf_scene_map icf_map_surface_velocity = ICF_MAP(surface_velocity_keys, check_surface_velocity);

icf_status icf_read_surface_velocity(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                     void *value)
{
    motion_input input = {.type = ICF_MOTION_FIXED};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    *(icf_surface_velocity *)value =
        (icf_surface_velocity){.moving = true, .constant = input.velocity, .harmonic = input.harmonic};
    return ICF_OK;
}
