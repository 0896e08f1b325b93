/* Size distributions of a population's templates in a scene. */
#include "io/scene_parse.h"

enum {
    SCALE_DISTRIBUTION,
    SCALE_MIN,
    SCALE_MAX,
    SCALE_MEAN,
    SCALE_MEDIAN,
    SCALE_DEVIATION,
    SCALE_VALUES,
    SCALE_WEIGHTS
};

/* A list of numbers as long as a size may have values. */
typedef struct number_list {
    int n; /* numbers so far, also those that there is no room for */
    double value[ICF_SIZE_VALUES_MAX];
} number_list;

/* A distribution as the file gives it. */
typedef struct scale_input {
    int distribution; /* of icf_size_names, from the first behind ICF_SIZE_ONE on */
    double min, max, center, deviation;
    number_list values, weights;
    icf_size size; /* what it gives */
} scale_input;

static icf_status read_list_number(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                   void *value)
{
    number_list *list = value;
    if (list->n++ >= ICF_SIZE_VALUES_MAX) return icf_yaml_skip(&reader->stream, first);
    return icf_read_number(reader, key, first, &list->value[list->n - 1]);
}

/* value: number_list. */
static icf_status read_number_list(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                   void *value)
{
    const icf_mark mark = first->mark;
    number_list *list = value;
    if (first->kind != ICF_YAML_LIST) return icf_wrong_type(reader, first, "a list of numbers");
    ICF_TRY(icf_read_list(reader, key, first, read_list_number, list));
    if (list->n == 0) icf_reader_error(reader, mark, "must not be empty");
    if (list->n > ICF_SIZE_VALUES_MAX)
        icf_reader_error(reader, mark, "must have at most %d numbers, got %d", (int)ICF_SIZE_VALUES_MAX, list->n);
    return ICF_OK;
}

#define SCALE(text)  ICF_KEY("populations[].templates[].scale.", text)
#define INPUT(field) offsetof(scale_input, field)

static const icf_scene_key scale_keys[] = {
    [SCALE_DISTRIBUTION] = {SCALE("distribution"), icf_read_choice, INPUT(distribution), .required = true,
                            .choice = icf_size_names + 1},
    [SCALE_MIN] = {SCALE("min"), icf_read_number, INPUT(min), .range = ICF_POSITIVE("")},
    [SCALE_MAX] = {SCALE("max"), icf_read_number, INPUT(max), .range = ICF_POSITIVE("")},
    [SCALE_MEAN] = {SCALE("mean"), icf_read_number, INPUT(center), .range = ICF_POSITIVE("")},
    [SCALE_MEDIAN] = {SCALE("median"), icf_read_number, INPUT(center), .range = ICF_POSITIVE("")},
    [SCALE_DEVIATION] = {SCALE("deviation"), icf_read_number, INPUT(deviation), .range = ICF_POSITIVE("")},
    [SCALE_VALUES] = {SCALE("values"), read_number_list, INPUT(values), .range = ICF_POSITIVE("")},
    [SCALE_WEIGHTS] = {SCALE("weights"), read_number_list, INPUT(weights), .range = ICF_POSITIVE("")},
};

#define BIT(key) (1u << (key))

/* Keys that a distribution must have, and those that it may have besides. */
static const struct {
    uint32_t required, optional;
} scale_rules[] = {
    [ICF_SIZE_ONE] = {0, 0},
    [ICF_SIZE_UNIFORM] = {BIT(SCALE_MIN) | BIT(SCALE_MAX), 0},
    [ICF_SIZE_NORMAL] = {BIT(SCALE_MEAN) | BIT(SCALE_DEVIATION), BIT(SCALE_MIN) | BIT(SCALE_MAX)},
    [ICF_SIZE_LOG_NORMAL] = {BIT(SCALE_MEDIAN) | BIT(SCALE_DEVIATION), BIT(SCALE_MIN) | BIT(SCALE_MAX)},
    [ICF_SIZE_LIST] = {BIT(SCALE_VALUES), BIT(SCALE_WEIGHTS)},
};

static icf_size_kind kind_of(const scale_input *input)
{
    return (icf_size_kind)(input->distribution + 1);
}

static void check_keys(icf_scene_reader *reader, const icf_scene_given *given, icf_size_kind kind)
{
    const uint32_t required = scale_rules[kind].required;
    for (int i = SCALE_MIN; i <= SCALE_WEIGHTS; ++i) {
        if ((required & BIT(i)) && !icf_given(given, i)) icf_report_missing(reader, &icf_map_scale, given, i);
        if (!((required | scale_rules[kind].optional) & BIT(i)) && icf_given(given, i))
            icf_reader_key_error(reader, given->key[i], scale_keys[i].name, "does not belong to the distribution %s",
                                 icf_size_names[kind]);
    }
}

/* Without bounds of their own, distributions with tails end three deviations from their middle. */
static void set_bounds(const icf_scene_given *given, const scale_input *input, icf_size *size)
{
    const double reach = 3.0 * input->deviation;
    const bool log_normal = kind_of(input) == ICF_SIZE_LOG_NORMAL;
    size->min = icf_given(given, SCALE_MIN) ? input->min
                : log_normal                ? input->center * exp(-reach)
                                            : input->center - reach;
    size->max = icf_given(given, SCALE_MAX) ? input->max
                : log_normal                ? input->center * exp(reach)
                                            : input->center + reach;
}

static void check_bounds(icf_scene_reader *reader, const icf_scene_given *given, const scale_input *input,
                         icf_size *size)
{
    set_bounds(given, input, size);
    if (size->min <= 0.0)
        icf_reader_key_error(reader, given->start, "min",
                             "missing, the distribution goes down to %.6g, three deviations below the mean", size->min);
    else if (!(size->min < size->max && size->max < INFINITY))
        icf_reader_key_error(reader, icf_given(given, SCALE_MAX) ? given->value[SCALE_MAX] : given->start, "max",
                             "must be larger than min, got %.6g and %.6g", size->max, size->min);
}

static void check_list(icf_scene_reader *reader, const icf_scene_given *given, const scale_input *input, icf_size *size)
{
    const bool weighted = icf_given(given, SCALE_WEIGHTS);
    const int n = input->values.n;
    if (weighted && input->weights.n != n) {
        icf_reader_key_error(reader, given->value[SCALE_WEIGHTS], "weights",
                             "must be as many as the values, %d, got %d", n, input->weights.n);
        return;
    }
    size->n = n;
    size->min = size->max = input->values.value[0];
    for (int i = 0; i < n; ++i) {
        size->value[i] = input->values.value[i];
        size->min = fmin(size->min, size->value[i]);
        size->max = fmax(size->max, size->value[i]);
        size->weight[i] = weighted ? input->weights.value[i] : 1.0;
        size->total += size->weight[i];
    }
    if (isinf(size->total))
        icf_reader_key_error(reader, given->value[SCALE_WEIGHTS], "weights", "are too large to be added");
}

static void check_scale(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    scale_input *input = target;
    const int nerror = reader->errors.n;
    if (!icf_given_good(given, SCALE_DISTRIBUTION)) return;
    check_keys(reader, given, kind_of(input));
    if (reader->errors.n > nerror || given->good != given->present) return;
    input->size = (icf_size){.kind = kind_of(input), .center = input->center, .deviation = input->deviation};
    if (kind_of(input) == ICF_SIZE_LIST)
        check_list(reader, given, input, &input->size);
    else
        check_bounds(reader, given, input, &input->size);
}

const icf_scene_map icf_map_scale = ICF_MAP(scale_keys, check_scale);

icf_status icf_read_scale(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    scale_input input = {0};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    *(icf_size *)value = input.size;
    return ICF_OK;
}
