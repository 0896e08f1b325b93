/* Populations of a scene: rules for many bodies, checked and kept, not expanded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/scene_parse.h"

enum {
    POPULATION_KIND,
    POPULATION_COUNT,
    POPULATION_BODIES,
    POPULATION_HEIGHT,
    POPULATION_SPACING,
    POPULATION_ORIGIN,
    POPULATION_JITTER,
    POPULATION_SEED,
    POPULATION_TEMPLATES
};

/* A population as the file gives it. */
typedef struct population_input {
    icf_population_kind kind;
    icf_cnt count[3];
    icf_cnt bodies, height;
    icf_vec3 spacing, origin;
    double jitter;
    uint64_t seed;
    int32_t ntemplate;
    icf_template *templates; /* (ntemplate) owned */
    size_t template_capacity;
    bool good; /* all that gives its bodies could be read */
} population_input;

static const char *const kinds[] = {[ICF_POPULATION_GRID] = "grid", [ICF_POPULATION_COLUMNS] = "columns", NULL};

/* The numbers of a list of counts. */
typedef struct count_list {
    icf_cnt *count; /* (3) */
    int n;          /* numbers so far */
} count_list;

static icf_status read_list_count(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    count_list *list = value;
    if (list->n++ >= 3) return icf_yaml_skip(&reader->stream, first);
    return icf_read_count(reader, key, first, &list->count[list->n - 1]);
}

/* Three counts; value: icf_cnt[3]. */
static icf_status read_counts(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                              void *value)
{
    const icf_mark mark = first->mark;
    count_list list = {.count = value};
    if (first->kind != ICF_YAML_LIST) return icf_wrong_type(reader, first, "a list of 3 counts");
    ICF_TRY(icf_read_list(reader, key, first, read_list_count, &list));
    if (list.n != 3) icf_reader_error(reader, mark, "must be a list of 3 counts, got %d", list.n);
    return ICF_OK;
}

/* A whole number below 2^64, of which a double would lose digits; value: uint64_t. */
static icf_status read_seed(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    const bool digits = first->kind == ICF_YAML_SCALAR && first->plain && first->length > 0 &&
                        strspn(first->text, "0123456789") == first->length;
    if (!digits) {
        icf_cnt count = 0;
        ICF_TRY(icf_read_count(reader, key, first, &count));
        *(uint64_t *)value = (uint64_t)count;
        return ICF_OK;
    }
    errno = 0;
    const uint64_t seed = strtoull(first->text, NULL, 10);
    if (errno != 0)
        icf_reader_error(reader, first->mark, "the number %.40s is too large", first->text);
    else
        *(uint64_t *)value = seed;
    return ICF_OK;
}

static const icf_scene_key template_keys[] = {
    {ICF_KEY("populations[].templates[].", "weight"), icf_read_number, offsetof(icf_template, weight),
     .range = ICF_POSITIVE("")},
    {ICF_KEY("populations[].templates[].", "body"), icf_read_template_body, offsetof(icf_template, body),
     .required = true, .map = &icf_map_body},
};

const icf_scene_map icf_map_template = ICF_MAP(template_keys, NULL);

static icf_status read_template(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                void *value)
{
    population_input *input = value;
    icf_template read = {.weight = 1.0, .body = icf_body_def_default()};
    ICF_TRY(icf_read_map(reader, key->map, first, &read));
    ICF_TRY(ICF_GROW(input->templates, input->template_capacity, input->ntemplate + 1));
    input->templates[input->ntemplate++] = read;
    return ICF_OK;
}

/* value: population_input. */
static icf_status read_templates(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    const icf_mark mark = first->mark;
    const population_input *input = value;
    if (first->kind != ICF_YAML_LIST) return icf_wrong_type(reader, first, "a list");
    ICF_TRY(icf_read_list(reader, key, first, read_template, value));
    double weight = 0.0;
    for (int32_t i = 0; i < input->ntemplate; ++i) weight += input->templates[i].weight;
    if (input->ntemplate == 0) icf_reader_error(reader, mark, "must not be empty");
    if (isinf(weight)) icf_reader_error(reader, mark, "the weights are too large to be added");
    return ICF_OK;
}

#define AT_LEAST_1                              \
    {                                           \
        .min = 1.0, .max = INFINITY, .unit = "" \
    }
#define POPULATION(text) ICF_KEY("populations[].", text)
#define INPUT(field)     offsetof(population_input, field)

static const icf_scene_key population_keys[] = {
    [POPULATION_KIND] = {POPULATION("kind"), icf_read_choice, INPUT(kind), .required = true, .choice = kinds},
    [POPULATION_COUNT] = {POPULATION("count"), read_counts, INPUT(count), .range = AT_LEAST_1},
    [POPULATION_BODIES] = {POPULATION("bodies"), icf_read_count, INPUT(bodies), .range = AT_LEAST_1},
    [POPULATION_HEIGHT] = {POPULATION("height"), icf_read_count, INPUT(height), .range = AT_LEAST_1},
    [POPULATION_SPACING] = {POPULATION("spacing"), icf_read_vector, INPUT(spacing), .required = true,
                            .range = ICF_NOT_NEGATIVE("m")},
    [POPULATION_ORIGIN] = {POPULATION("origin"), icf_read_vector, INPUT(origin), .range = ICF_ANY("m")},
    [POPULATION_JITTER] = {POPULATION("jitter"), icf_read_number, INPUT(jitter), .range = ICF_NOT_NEGATIVE("m")},
    [POPULATION_SEED] = {POPULATION("seed"), read_seed, INPUT(seed), .range = ICF_NOT_NEGATIVE("")},
    [POPULATION_TEMPLATES] = {POPULATION("templates"), read_templates, 0, .required = true, .map = &icf_map_template},
};

/* Keys of the other kind are refused, those of this one required; what is given is then part of the rule. */
static void check_kind(icf_scene_reader *reader, const icf_scene_given *given, int first, int last, bool own,
                       const char *kind)
{
    for (int i = first; i <= last; ++i) {
        if (own && !icf_given(given, i)) icf_report_missing(reader, &icf_map_population, given, i);
        if (!own && icf_given(given, i))
            icf_reader_key_error(reader, given->key[i], population_keys[i].name, "does not belong to the kind %s",
                                 kind);
    }
}

/* A number of bodies that every count holds, together with those of the populations before. */
static void check_number(icf_scene_reader *reader, const icf_scene_given *given, const population_input *input)
{
    const bool grid = input->kind == ICF_POPULATION_GRID;
    const double n =
        grid ? (double)input->count[0] * (double)input->count[1] * (double)input->count[2] : (double)input->bodies;
    const int key = grid ? POPULATION_COUNT : POPULATION_BODIES;
    if (n + (double)reader->scene->nbody > 9007199254740992.0)
        icf_reader_key_error(reader, given->value[key], population_keys[key].name, "gives more than 2^53 bodies");
}

static void check_population(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    population_input *input = target;
    const int nerror = reader->errors.n;
    if (!icf_given_good(given, POPULATION_KIND)) return;
    const bool grid = input->kind == ICF_POPULATION_GRID;
    check_kind(reader, given, POPULATION_COUNT, POPULATION_COUNT, grid, kinds[input->kind]);
    check_kind(reader, given, POPULATION_BODIES, POPULATION_HEIGHT, !grid, kinds[input->kind]);
    if (reader->errors.n == nerror && given->good == given->present) check_number(reader, given, input);
    input->good = reader->errors.n == nerror && given->good == given->present;
}

const icf_scene_map icf_map_population = ICF_MAP(population_keys, check_population);

/* The rule, with what follows from its numbers. */
static icf_population make_population(const population_input *input)
{
    icf_population population = input->kind == ICF_POPULATION_GRID
                                    ? icf_population_grid(input->count[0], input->count[1], input->count[2])
                                    : icf_population_columns(input->bodies, input->height);
    population.spacing = input->spacing;
    population.origin = input->origin;
    population.jitter = input->jitter;
    population.seed = input->seed;
    return population;
}

/* Adds what was read without an error to the scene. */
static icf_status add_population(icf_scene_reader *reader, const population_input *input, icf_mark mark)
{
    icf_scene *scene = reader->scene;
    const icf_population population = make_population(input);
    ICF_TRY(ICF_GROW(reader->population, reader->population_capacity, scene->npopulation + 1));
    reader->population[scene->npopulation] = mark;
    for (int32_t i = 0; i < input->ntemplate; ++i)
        icf_reader_count_material(reader, &input->templates[i].body, population.n);
    return icf_scene_add_population(scene, &population, input->ntemplate, input->templates);
}

static icf_status read_population(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    (void)value;
    const icf_mark mark = first->mark;
    const int nerror = reader->errors.n;
    population_input input = {.seed = ICF_POPULATION_SEED};
    icf_status status = icf_read_map(reader, key->map, first, &input);
    if (status == ICF_OK && input.good && reader->errors.n == nerror) status = add_population(reader, &input, mark);
    icf_free(input.templates);
    return status;
}

icf_status icf_read_populations(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                void *value)
{
    return icf_read_list(reader, key, first, read_population, value);
}
