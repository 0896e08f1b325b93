/* Forces and springs of a scene.  Their bodies are known by name and found when all have been read. */
#include <string.h>

#include "base/memory.h"
#include "io/scene_parse.h"

/* A force or spring as the file gives it. */
typedef struct load_input {
    icf_force force;
    icf_spring spring;
    int64_t name; /* of the body, number in reference_names; -1: none */
    icf_mark mark;
} load_input;

/* The name of a body; value: load_input. */
static icf_status read_body_name(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    (void)key;
    load_input *input = value;
    if (!icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    size_t number;
    bool added;
    ICF_TRY(icf_name_table_intern(&reader->reference_names, first->text, first->length, &number, &added));
    input->name = (int64_t)number;
    input->mark = first->mark;
    return ICF_OK;
}

enum { FORCE_BODY, FORCE_DIRECTION, FORCE_VALUE, FORCE_RATE };

static const icf_scene_key force_keys[] = {
    [FORCE_BODY] = {ICF_KEY("forces[].", "body"), read_body_name, 0, .required = true},
    [FORCE_DIRECTION] = {ICF_KEY("forces[].", "direction"), icf_read_direction, offsetof(load_input, force.direction),
                         .required = true, .range = ICF_ANY("")},
    [FORCE_VALUE] = {ICF_KEY("forces[].", "value"), icf_read_number, offsetof(load_input, force.value),
                     .range = ICF_ANY("N")},
    [FORCE_RATE] = {ICF_KEY("forces[].", "rate"), icf_read_number, offsetof(load_input, force.rate),
                    .range = ICF_ANY("N/s")},
};

static void check_force(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    (void)target;
    if (!icf_given(given, FORCE_VALUE) && !icf_given(given, FORCE_RATE))
        icf_reader_key_error(reader, given->start, "value", "missing, value or rate is required");
}

const icf_scene_map icf_map_force = ICF_MAP(force_keys, check_force);

#define SPRING(field) offsetof(load_input, spring.field)

static const icf_scene_key spring_keys[] = {
    {ICF_KEY("springs[].", "body"), read_body_name, 0, .required = true},
    {ICF_KEY("springs[].", "axis"), icf_read_direction, SPRING(axis), .required = true, .range = ICF_ANY("")},
    {ICF_KEY("springs[].", "stiffness"), icf_read_number, SPRING(stiffness), .required = true,
     .range = ICF_NOT_NEGATIVE("N/m")},
    {ICF_KEY("springs[].", "damping"), icf_read_number, SPRING(damping), .range = ICF_NOT_NEGATIVE("N s/m")},
    {ICF_KEY("springs[].", "rest"), icf_read_number, SPRING(rest), .range = ICF_ANY("m")},
    {ICF_KEY("springs[].", "implicit"), icf_read_flag, SPRING(implicit)},
};

const icf_scene_map icf_map_spring = ICF_MAP(spring_keys, NULL);

/* Notes which body the element that has just been read waits for. */
static icf_status add_reference(icf_scene_reader *reader, icf_reference_kind kind, const load_input *input)
{
    ICF_TRY(ICF_GROW(reader->reference, reader->reference_capacity, reader->nreference + 1));
    reader->reference[reader->nreference++] = (icf_body_reference){
        .kind = kind, .index = reader->path[reader->npath - 1].index, .name = (size_t)input->name, .mark = input->mark};
    return ICF_OK;
}

static icf_status read_force(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                             void *value)
{
    (void)value;
    load_input input = {.force = {.body = -1}, .name = -1};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    ICF_TRY(icf_scene_add_force(reader->scene, &input.force));
    return input.name >= 0 ? add_reference(reader, ICF_REFERENCE_FORCE, &input) : ICF_OK;
}

static icf_status read_spring(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                              void *value)
{
    (void)value;
    load_input input = {.spring = {.body = -1, .implicit = true}, .name = -1};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    ICF_TRY(icf_scene_add_spring(reader->scene, &input.spring));
    return input.name >= 0 ? add_reference(reader, ICF_REFERENCE_SPRING, &input) : ICF_OK;
}

icf_status icf_read_forces(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    return icf_read_list(reader, key, first, read_force, value);
}

icf_status icf_read_springs(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    return icf_read_list(reader, key, first, read_spring, value);
}
