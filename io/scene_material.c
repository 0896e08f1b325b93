/* Materials and pairs of materials of a scene. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/scene_parse.h"

/* In the order of the bits ICF_MATERIAL_... */
enum {
    MATERIAL_NORMAL,
    MATERIAL_STIFFNESS,
    MATERIAL_BARRIER_DISTANCE,
    MATERIAL_DISSIPATION,
    MATERIAL_RELAXATION_TIME,
    MATERIAL_FRICTION,
    MATERIAL_STIFFNESS_PER_AREA,
    PAIR_MATERIALS
};
_Static_assert(1 << MATERIAL_NORMAL == ICF_MATERIAL_NORMAL && 1 << MATERIAL_FRICTION == ICF_MATERIAL_FRICTION,
               "bits of given keys follow the table");

/* A material or pair as the file gives it. */
typedef struct material_input {
    icf_material values;
    int32_t material[2];       /* pair: the materials, -1: not known */
    icf_mark normal, friction; /* where these values are */
} material_input;

static const char *const normal_laws[] = {[ICF_NORMAL_LINEAR] = "linear",
                                          [ICF_NORMAL_HERTZ] = "hertz",
                                          [ICF_NORMAL_LOG_BARRIER] = "log_barrier",
                                          [ICF_NORMAL_IPC_BARRIER] = "ipc_barrier",
                                          NULL};

/* The two principal values; value: double[2]. */
static icf_status read_principal(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    return icf_read_numbers(reader, key, first, 2, value);
}

#define FRICTION_KEYS(prefix)                                                                           \
    {ICF_KEY(prefix, "principal"), read_principal, offsetof(icf_material, friction), .required = true,  \
     .range = ICF_NOT_NEGATIVE("")},                                                                    \
    {                                                                                                   \
        ICF_KEY(prefix, "axis"), icf_read_direction, offsetof(icf_material, axis), .required = true,    \
                                                                                   .range = ICF_ANY("") \
    }

static const icf_scene_key friction_keys[] = {FRICTION_KEYS("materials.NAME.friction.")};
static const icf_scene_key pair_friction_keys[] = {FRICTION_KEYS("contact.pairs[].friction.")};
const icf_scene_map icf_map_friction = ICF_MAP(friction_keys, NULL);
const icf_scene_map icf_map_pair_friction = ICF_MAP(pair_friction_keys, NULL);

/* A number, or a mapping with principal values; value: icf_material. */
static icf_status read_friction(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                void *value)
{
    icf_material *material = value;
    material->anisotropic = first->kind == ICF_YAML_MAP;
    if (material->anisotropic) return icf_read_map(reader, key->map, first, material);
    ICF_TRY(icf_read_number(reader, key, first, &material->friction[0]));
    material->friction[1] = material->friction[0];
    return ICF_OK;
}

#define VALUE(field) offsetof(material_input, values.field)
#define MATERIAL_KEYS(prefix, infinite_stiffness, friction_map)                                                   \
    [MATERIAL_NORMAL] = {ICF_KEY(prefix, "normal"), icf_read_choice, VALUE(normal), .choice = normal_laws},       \
    [MATERIAL_STIFFNESS] =                                                                                        \
        {ICF_KEY(prefix, "stiffness"), icf_read_number, VALUE(stiffness),                                         \
         .range = {.min = 0.0, .above = true, .max = INFINITY, .infinite = infinite_stiffness, .unit = ""}},      \
    [MATERIAL_BARRIER_DISTANCE] = {ICF_KEY(prefix, "barrier_distance"), icf_read_number, VALUE(barrier_distance), \
                                   .range = ICF_POSITIVE("m")},                                                   \
    [MATERIAL_DISSIPATION] = {ICF_KEY(prefix, "dissipation"), icf_read_number, VALUE(dissipation),                \
                              .range = ICF_NOT_NEGATIVE("s/m")},                                                  \
    [MATERIAL_RELAXATION_TIME] = {ICF_KEY(prefix, "relaxation_time"), icf_read_number, VALUE(relaxation_time),    \
                                  .range = ICF_NOT_NEGATIVE("s")},                                                \
    [MATERIAL_FRICTION] = {ICF_KEY(prefix, "friction"), read_friction, offsetof(material_input, values),          \
                           .range = ICF_NOT_NEGATIVE(""), .map = friction_map},                                   \
    [MATERIAL_STIFFNESS_PER_AREA] = {ICF_KEY(prefix, "stiffness_per_area"), icf_read_number,                      \
                                     VALUE(stiffness_per_area), .range = ICF_POSITIVE("Pa/m")}

/* The two materials of a pair; value: int32_t[2]. */
static icf_status read_pair_names(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value);

static const icf_scene_key material_keys[] = {MATERIAL_KEYS("materials.NAME.", true, &icf_map_friction)};

static const icf_scene_key pair_keys[] = {
    MATERIAL_KEYS("contact.pairs[].", false, &icf_map_pair_friction),
    [PAIR_MATERIALS] = {ICF_KEY("contact.pairs[].", "materials"), read_pair_names, offsetof(material_input, material),
                        .required = true},
};

/* Notes what was given, for the combination rules and for later messages. */
static void note_given(const icf_scene_given *given, material_input *input)
{
    input->values.given = given->present & (2u * ICF_MATERIAL_STIFFNESS_PER_AREA - 1u);
    input->normal = icf_given(given, MATERIAL_NORMAL) ? given->value[MATERIAL_NORMAL] : given->start;
    input->friction = icf_given(given, MATERIAL_FRICTION) ? given->value[MATERIAL_FRICTION] : given->start;
}

static void check_material(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    material_input *input = target;
    note_given(given, input);
    if (icf_given_bad(given, MATERIAL_NORMAL)) return;
    const bool ipc = input->values.normal == ICF_NORMAL_IPC_BARRIER;
    if (ipc && !icf_given(given, MATERIAL_BARRIER_DISTANCE))
        icf_reader_key_error(reader, given->start, "barrier_distance", "missing, normal: ipc_barrier requires it");
    if (!ipc && icf_given(given, MATERIAL_BARRIER_DISTANCE))
        icf_reader_key_error(reader, given->key[MATERIAL_BARRIER_DISTANCE], "barrier_distance",
                             "is only for normal: ipc_barrier");
}

static void check_pair(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    (void)reader;
    note_given(given, target);
}

const icf_scene_map icf_map_material = ICF_MAP(material_keys, check_material);
const icf_scene_map icf_map_pair = ICF_MAP(pair_keys, check_pair);

icf_status icf_reader_material(icf_scene_reader *reader, const icf_yaml_event *name, bool use, int32_t *index)
{
    size_t number;
    bool added;
    ICF_TRY(icf_name_table_intern(&reader->material_names, name->text, name->length, &number, &added));
    if (added) {
        ICF_TRY(ICF_GROW(reader->material, reader->material_capacity, number + 1));
        reader->material[number] = (icf_material_record){.used = name->mark};
        icf_reader_path(reader, reader->material[number].used_path, ICF_USED_BYTES);
        const icf_material values = icf_material_default();
        ICF_TRY(icf_scene_add_material(reader->scene, name->text, &values, NULL));
    }
    if (use) reader->material[number].is_used = true;
    *index = (int32_t)number;
    return ICF_OK;
}

/* Reads the mapping of a material, which begins with `first`. */
static icf_status read_material(icf_scene_reader *reader, const icf_scene_key *key, int32_t index, icf_mark mark,
                                const icf_yaml_event *first)
{
    icf_material_record *record = &reader->material[index];
    if (record->is_defined) {
        icf_reader_error(reader, mark, "duplicate key, first given at line %d", record->defined.line);
        return icf_yaml_skip(&reader->stream, first);
    }
    record->is_defined = true;
    record->defined = mark;
    const int nerror = reader->errors.n;
    material_input input = {.values = icf_material_default()};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    record->bad = reader->errors.n > nerror;
    record->normal = input.normal;
    record->friction = input.friction;
    reader->scene->material[index] = input.values;
    return ICF_OK;
}

/* Reads a name and its mapping. */
static icf_status read_named_material(icf_scene_reader *reader, const icf_scene_key *key, icf_yaml_event *name)
{
    int32_t index = -1;
    const icf_mark mark = name->mark;
    name->plain = false; /* a key is text, also when it looks like a number */
    if (name->kind == ICF_YAML_SCALAR && icf_expect_text(reader, name))
        ICF_TRY(icf_reader_material(reader, name, false, &index));
    else if (name->kind != ICF_YAML_SCALAR && name->kind != ICF_YAML_INVALID)
        icf_reader_error(reader, mark, "a key must be text");
    ICF_TRY(icf_yaml_skip(&reader->stream, name));
    icf_yaml_event value;
    ICF_TRY(icf_yaml_next(&reader->stream, &value));
    if (index < 0) return icf_yaml_skip(&reader->stream, &value);
    reader->path[reader->npath++] = (icf_path_step){.key = reader->scene->material_name[index]};
    ICF_TRY(read_material(reader, key, index, mark, &value));
    --reader->npath;
    return ICF_OK;
}

icf_status icf_read_materials(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                              void *value)
{
    (void)value;
    reader->no_materials = first->kind != ICF_YAML_MAP;
    if (reader->no_materials) return icf_wrong_type(reader, first, "a mapping");
    for (;;) {
        icf_yaml_event name;
        ICF_TRY(icf_yaml_next(&reader->stream, &name));
        if (name.kind == ICF_YAML_END) return ICF_OK;
        ICF_TRY(read_named_material(reader, key, &name));
    }
}

typedef struct pair_names {
    int32_t *material; /* (2) */
    int n;             /* names so far */
} pair_names;

static icf_status read_pair_name(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    (void)key;
    pair_names *names = value;
    if (!icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    int32_t index;
    ICF_TRY(icf_reader_material(reader, first, true, &index));
    if (names->n < 2) names->material[names->n] = index;
    ++names->n;
    return ICF_OK;
}

static icf_status read_pair_names(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    const int nerror = reader->errors.n;
    const icf_mark mark = first->mark;
    pair_names names = {.material = value};
    ICF_TRY(icf_read_list(reader, key, first, read_pair_name, &names));
    if (names.n != 2 && reader->errors.n == nerror)
        icf_reader_error(reader, mark, "must be a list of 2 names of materials, got %d", names.n);
    return ICF_OK;
}

/* Appends a pair to the scene, unless it is there already. */
static icf_status add_pair(icf_scene_reader *reader, const material_input *input, icf_pair_record record)
{
    const int32_t a = ICF_MIN(input->material[0], input->material[1]);
    const int32_t b = ICF_MAX(input->material[0], input->material[1]);
    const int32_t pair[2] = {a, b};
    size_t number;
    bool added;
    ICF_TRY(icf_name_table_intern(&reader->pair_names, (const char *)pair, sizeof pair, &number, &added));
    if (!added) {
        icf_reader_error(reader, record.mark, "the materials are those of contact.pairs[%lld]",
                         (long long)reader->pair[number].index);
        return ICF_OK;
    }
    ICF_TRY(ICF_GROW(reader->pair, reader->pair_capacity, number + 1));
    reader->pair[number] = record;
    return icf_scene_add_pair(reader->scene, a, b, &input->values);
}

static icf_status read_pair(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    (void)value;
    const int nerror = reader->errors.n;
    icf_pair_record record = {.mark = first->mark, .index = reader->path[reader->npath - 1].index};
    material_input input = {.values = icf_material_default(), .material = {-1, -1}};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    if (input.material[0] < 0 || input.material[1] < 0) return ICF_OK;
    record.bad = reader->errors.n > nerror;
    record.normal = input.normal;
    record.friction = input.friction;
    return add_pair(reader, &input, record);
}

icf_status icf_read_pairs(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    return icf_read_list(reader, key, first, read_pair, value);
}
