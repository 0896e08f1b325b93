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
    POPULATION_REGION,
    POPULATION_FILL,
    POPULATION_GAP,
    POPULATION_RATE,
    POPULATION_START,
    POPULATION_ORIENTATION,
    POPULATION_VELOCITY,
    POPULATION_SEED,
    POPULATION_TEMPLATES
};

/* Which orientations the bodies of a population have. */
enum { ORIENTATION_TEMPLATE, ORIENTATION_RANDOM };

/* A population as the file gives it. */
typedef struct population_input {
    icf_population rule; /* but for what follows from the numbers below */
    icf_cnt count[3];
    icf_cnt bodies, height;
    double fill;
    int orientation;
    int32_t ntemplate;
    icf_template *templates; /* (ntemplate) owned */
    size_t template_capacity;
    bool good; /* all that gives its bodies could be read */
} population_input;

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

/* ---- templates ---- */

enum { TEMPLATE_WEIGHT, TEMPLATE_SCALE, TEMPLATE_BODY };

static const icf_scene_key template_keys[] = {
    [TEMPLATE_WEIGHT] = {ICF_KEY("populations[].templates[].", "weight"), icf_read_number,
                         offsetof(icf_template, weight), .range = ICF_POSITIVE("")},
    [TEMPLATE_SCALE] = {ICF_KEY("populations[].templates[].", "scale"), icf_read_scale, offsetof(icf_template, size),
                        .map = &icf_map_scale},
    [TEMPLATE_BODY] = {ICF_KEY("populations[].templates[].", "body"), icf_read_template_body,
                       offsetof(icf_template, body), .required = true, .map = &icf_map_body},
};

static void check_template(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    const icf_template *item = target;
    if (icf_given(given, TEMPLATE_SCALE) && icf_shape_has_solid(&item->body.shape))
        icf_reader_key_error(reader, given->key[TEMPLATE_SCALE], "scale", "the shape %s has one size",
                             icf_shape_name(item->body.shape.type));
}

const icf_scene_map icf_map_template = ICF_MAP(template_keys, check_template);

/* Sum of the templates' weights. */
static double sum_weights(const population_input *input)
{
    double weight = 0.0;
    for (int32_t i = 0; i < input->ntemplate; ++i) weight += input->templates[i].weight;
    return weight;
}

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
    const double weight = sum_weights(input);
    if (input->ntemplate == 0) icf_reader_error(reader, mark, "must not be empty");
    if (isinf(weight)) icf_reader_error(reader, mark, "the weights are too large to be added");
    return ICF_OK;
}

/* ---- regions and velocities ---- */

/* A region as the file gives it. */
typedef struct region_input {
    icf_region_kind kind;
    icf_vec3 center, size;
    double radius, length;
} region_input;

enum { REGION_TYPE, REGION_CENTER, REGION_SIZE, REGION_RADIUS, REGION_LENGTH };

#define REGION(text)        ICF_KEY("populations[].region.", text)
#define REGION_INPUT(field) offsetof(region_input, field)
#define LEAST_OF_REGION     ICF_NOT_NEGATIVE("m (packing: > 0 m)")

static const icf_scene_key region_keys[] = {
    [REGION_TYPE] = {REGION("type"), icf_read_choice, REGION_INPUT(kind), .required = true, .choice = icf_region_names},
    [REGION_CENTER] = {REGION("center"), icf_read_vector, REGION_INPUT(center), .range = ICF_ANY("m")},
    [REGION_SIZE] = {REGION("size"), icf_read_vector, REGION_INPUT(size), .range = LEAST_OF_REGION},
    [REGION_RADIUS] = {REGION("radius"), icf_read_number, REGION_INPUT(radius), .range = ICF_POSITIVE("m")},
    [REGION_LENGTH] = {REGION("length"), icf_read_number, REGION_INPUT(length), .range = LEAST_OF_REGION},
};

#define BIT(key) (1u << (key))

/* Keys that a type of region must have, and all others have not. */
static const uint32_t region_rules[] = {
    [ICF_REGION_BOX] = BIT(REGION_SIZE),
    [ICF_REGION_CYLINDER] = BIT(REGION_RADIUS) | BIT(REGION_LENGTH),
    [ICF_REGION_SPHERE] = BIT(REGION_RADIUS),
};

static void check_region(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    const region_input *input = target;
    if (!icf_given_good(given, REGION_TYPE)) return;
    for (int i = REGION_SIZE; i <= REGION_LENGTH; ++i) {
        const bool own = (region_rules[input->kind] & BIT(i)) != 0;
        if (own && !icf_given(given, i)) icf_report_missing(reader, &icf_map_region, given, i);
        if (!own && icf_given(given, i))
            icf_reader_key_error(reader, given->key[i], region_keys[i].name, "does not belong to the region %s",
                                 icf_region_names[input->kind]);
    }
}

const icf_scene_map icf_map_region = ICF_MAP(region_keys, check_region);

/* value: icf_region. */
static icf_status read_region(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                              void *value)
{
    region_input input = {.kind = ICF_REGION_BOX};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    icf_region *region = value;
    *region = (icf_region){.kind = input.kind, .center = input.center};
    const double r = input.radius;
    switch (input.kind) {
    case ICF_REGION_BOX: region->half = icf_scale(0.5, input.size); break;
    case ICF_REGION_CYLINDER: region->half = icf_vec3_make(r, r, 0.5 * input.length); break;
    case ICF_REGION_SPHERE: region->half = icf_vec3_make(r, r, r); break;
    }
    return ICF_OK;
}

#define VELOCITY(text) ICF_KEY("populations[].velocity.", text)
#define RULE(field)    offsetof(icf_population, field)

static const icf_scene_key velocity_keys[] = {
    {VELOCITY("linear"), icf_read_vector, RULE(linear), .range = ICF_ANY("m/s")},
    {VELOCITY("linear_spread"), icf_read_number, RULE(linear_spread), .range = ICF_NOT_NEGATIVE("m/s")},
    {VELOCITY("angular"), icf_read_vector, RULE(angular), .range = ICF_ANY("rad/s")},
    {VELOCITY("angular_spread"), icf_read_number, RULE(angular_spread), .range = ICF_NOT_NEGATIVE("rad/s")},
};

const icf_scene_map icf_map_population_velocity = ICF_MAP(velocity_keys, NULL);

/* ---- populations ---- */

static const char *const orientations[] = {[ORIENTATION_TEMPLATE] = "template", [ORIENTATION_RANDOM] = "random", NULL};

#define AT_LEAST_1                              \
    {                                           \
        .min = 1.0, .max = INFINITY, .unit = "" \
    }
#define BELOW_1                                                          \
    {                                                                    \
        .min = 0.0, .above = true, .max = 1.0, .below = true, .unit = "" \
    }
#define POPULATION(text) ICF_KEY("populations[].", text)
#define INPUT(field)     offsetof(population_input, field)

static const icf_scene_key population_keys[] = {
    [POPULATION_KIND] = {POPULATION("kind"), icf_read_choice, INPUT(rule.kind), .required = true,
                         .choice = icf_population_names},
    [POPULATION_COUNT] = {POPULATION("count"), read_counts, INPUT(count), .range = AT_LEAST_1},
    [POPULATION_BODIES] = {POPULATION("bodies"), icf_read_count, INPUT(bodies), .range = AT_LEAST_1},
    [POPULATION_HEIGHT] = {POPULATION("height"), icf_read_count, INPUT(height), .range = AT_LEAST_1},
    [POPULATION_SPACING] = {POPULATION("spacing"), icf_read_vector, INPUT(rule.spacing),
                            .range = ICF_NOT_NEGATIVE("m")},
    [POPULATION_ORIGIN] = {POPULATION("origin"), icf_read_vector, INPUT(rule.origin), .range = ICF_ANY("m")},
    [POPULATION_JITTER] = {POPULATION("jitter"), icf_read_number, INPUT(rule.jitter), .range = ICF_NOT_NEGATIVE("m")},
    [POPULATION_REGION] = {POPULATION("region"), read_region, INPUT(rule.region), .map = &icf_map_region},
    [POPULATION_FILL] = {POPULATION("fill"), icf_read_number, INPUT(fill), .range = BELOW_1},
    [POPULATION_GAP] = {POPULATION("gap"), icf_read_number, INPUT(rule.gap), .range = ICF_NOT_NEGATIVE("m")},
    [POPULATION_RATE] = {POPULATION("rate"), icf_read_number, INPUT(rule.rate), .range = ICF_POSITIVE("1/s")},
    [POPULATION_START] = {POPULATION("start"), icf_read_number, INPUT(rule.start), .range = ICF_NOT_NEGATIVE("s")},
    [POPULATION_ORIENTATION] = {POPULATION("orientation"), icf_read_choice, INPUT(orientation), .choice = orientations},
    [POPULATION_VELOCITY] = {POPULATION("velocity"), icf_read_section, INPUT(rule),
                             .map = &icf_map_population_velocity},
    [POPULATION_SEED] = {POPULATION("seed"), read_seed, INPUT(rule.seed), .range = ICF_NOT_NEGATIVE("")},
    [POPULATION_TEMPLATES] = {POPULATION("templates"), read_templates, 0, .required = true, .map = &icf_map_template},
};

/* Keys of every kind, and those that a kind must have and may have besides. */
static const uint32_t common_keys = BIT(POPULATION_KIND) | BIT(POPULATION_ORIENTATION) | BIT(POPULATION_VELOCITY) |
                                    BIT(POPULATION_SEED) | BIT(POPULATION_TEMPLATES);
static const struct {
    uint32_t required, optional;
} kind_rules[] = {
    [ICF_POPULATION_GRID] = {BIT(POPULATION_COUNT) | BIT(POPULATION_SPACING),
                             BIT(POPULATION_ORIGIN) | BIT(POPULATION_JITTER)},
    [ICF_POPULATION_COLUMNS] = {BIT(POPULATION_BODIES) | BIT(POPULATION_HEIGHT) | BIT(POPULATION_SPACING),
                                BIT(POPULATION_ORIGIN) | BIT(POPULATION_JITTER)},
    [ICF_POPULATION_PACKING] = {BIT(POPULATION_REGION),
                                BIT(POPULATION_BODIES) | BIT(POPULATION_FILL) | BIT(POPULATION_GAP)},
    [ICF_POPULATION_EMITTER] = {BIT(POPULATION_REGION) | BIT(POPULATION_BODIES) | BIT(POPULATION_RATE),
                                BIT(POPULATION_START) | BIT(POPULATION_GAP)},
};

/* Keys of other kinds are refused, those of this one required. */
static void check_kind(icf_scene_reader *reader, const icf_scene_given *given, icf_population_kind kind)
{
    const uint32_t required = kind_rules[kind].required, known = required | kind_rules[kind].optional | common_keys;
    for (int i = 0; i < icf_map_population.nkey; ++i) {
        if ((required & BIT(i)) && !icf_given(given, i)) icf_report_missing(reader, &icf_map_population, given, i);
        if (!(known & BIT(i)) && icf_given(given, i))
            icf_reader_key_error(reader, given->key[i], population_keys[i].name, "does not belong to the kind %s",
                                 icf_population_names[kind]);
    }
}

/* Bodies of the packing that fill a part of its region. */
static double fill_number(const icf_scene_reader *reader, const population_input *input)
{
    icf_population rule = input->rule;
    rule.first_template = 0;
    rule.ntemplate = input->ntemplate;
    rule.weight = sum_weights(input);
    const double volume = icf_population_mean_volume(&rule, input->templates, reader->scene->solid);
    return floor(input->fill * icf_region_volume(&rule.region) / volume);
}

/* A packing is of bodies that have a surface, so many or as many as fill a part of the region. */
static void check_packing(icf_scene_reader *reader, icf_scene_given *given, population_input *input)
{
    for (int32_t i = 0; i < input->ntemplate; ++i)
        if (icf_shape_radius(&input->templates[i].body.shape) == 0.0)
            icf_reader_key_error(reader, given->value[POPULATION_TEMPLATES], "templates",
                                 "the shape none of template %d cannot be packed", (int)i);
    if (icf_given_good(given, POPULATION_REGION) && icf_region_volume(&input->rule.region) == 0.0)
        icf_reader_key_error(reader, given->value[POPULATION_REGION], "region", "must have a volume");
    const int which = icf_given_one_of(reader, &icf_map_population, given, POPULATION_BODIES, POPULATION_FILL);
    if (which < 0) icf_reader_key_error(reader, given->start, "bodies", "missing, bodies or fill is required");
    if (which != POPULATION_FILL || reader->errors.n > 0 || given->good != given->present) return;
    const double n = fill_number(reader, input);
    input->bodies = n >= 1.0 && n <= 9007199254740992.0 ? (icf_cnt)n : 0;
    if (n < 1.0) icf_reader_key_error(reader, given->value[POPULATION_FILL], "fill", "is less than one body");
    if (n > 9007199254740992.0)
        icf_reader_key_error(reader, given->value[POPULATION_FILL], "fill", "gives more than 2^53 bodies");
}

/* A number of bodies that every count holds, together with those of the populations before. */
static void check_number(icf_scene_reader *reader, const icf_scene_given *given, const population_input *input)
{
    const bool grid = input->rule.kind == ICF_POPULATION_GRID;
    const double n =
        grid ? (double)input->count[0] * (double)input->count[1] * (double)input->count[2] : (double)input->bodies;
    const int key = grid ? POPULATION_COUNT : icf_given(given, POPULATION_FILL) ? POPULATION_FILL : POPULATION_BODIES;
    if (n + (double)reader->scene->nbody > 9007199254740992.0)
        icf_reader_key_error(reader, given->value[key], population_keys[key].name, "gives more than 2^53 bodies");
}

static void check_population(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    population_input *input = target;
    const int nerror = reader->errors.n;
    if (!icf_given_good(given, POPULATION_KIND)) return;
    check_kind(reader, given, input->rule.kind);
    if (input->rule.kind == ICF_POPULATION_PACKING) check_packing(reader, given, input);
    if (reader->errors.n == nerror && given->good == given->present) check_number(reader, given, input);
    input->good = reader->errors.n == nerror && given->good == given->present;
}

const icf_scene_map icf_map_population = ICF_MAP(population_keys, check_population);

/* The rule, with what follows from its numbers. */
static icf_population make_population(const population_input *input)
{
    icf_population rule = input->rule, numbers = {0};
    switch (rule.kind) {
    case ICF_POPULATION_GRID: numbers = icf_population_grid(input->count[0], input->count[1], input->count[2]); break;
    case ICF_POPULATION_COLUMNS: numbers = icf_population_columns(input->bodies, input->height); break;
    case ICF_POPULATION_EMITTER: numbers = icf_population_emitter(input->bodies, &rule.region, rule.rate); break;
    case ICF_POPULATION_PACKING: numbers = icf_population_packing(input->bodies, &rule.region); break;
    }
    rule.n = numbers.n;
    rule.nx = numbers.nx;
    rule.ny = numbers.ny;
    rule.nz = numbers.nz;
    rule.turned = input->orientation == ORIENTATION_RANDOM;
    return rule;
}

/* Adds what was read without an error to the scene. */
static icf_status add_population(icf_scene_reader *reader, const population_input *input, icf_mark mark)
{
    icf_scene *scene = reader->scene;
    const icf_population population = make_population(input);
    ICF_TRY(ICF_GROW(reader->population, reader->population_capacity, scene->npopulation + 1));
    reader->population[scene->npopulation] = mark;
    for (int32_t i = 0; i < input->ntemplate; ++i) {
        const icf_template *copied = &input->templates[i];
        const bool scaled = copied->size.kind != ICF_SIZE_ONE;
        icf_reader_count_material(reader, &copied->body, population.n);
        icf_reader_note_size(reader, &copied->body, scaled ? copied->size.min : 1.0, scaled ? copied->size.max : 1.0);
    }
    return icf_scene_add_population(scene, &population, input->ntemplate, input->templates);
}

static icf_status read_population(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value)
{
    (void)value;
    const icf_mark mark = first->mark;
    const int nerror = reader->errors.n;
    population_input input = {.rule = {.seed = ICF_POPULATION_SEED}};
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
