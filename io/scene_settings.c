/* Settings of a scene: time, contact, solver, output. */
#include <string.h>

#include "io/scene_parse.h"

enum { TIME_STEP, TIME_STEPS, TIME_DURATION, TIME_INTEGRATOR };

/* The section as the file gives it. */
typedef struct time_input {
    double step, duration;
    icf_cnt steps;
    int integrator;
} time_input;

static const icf_scene_key time_keys[] = {
    [TIME_STEP] = {ICF_KEY("time.", "step"), icf_read_number, offsetof(time_input, step), .required = true,
                   .range = ICF_POSITIVE("s")},
    [TIME_STEPS] = {ICF_KEY("time.", "steps"), icf_read_count, offsetof(time_input, steps),
                    .range = ICF_NOT_NEGATIVE("")},
    [TIME_DURATION] = {ICF_KEY("time.", "duration"), icf_read_number, offsetof(time_input, duration),
                       .range = ICF_NOT_NEGATIVE("s")},
    [TIME_INTEGRATOR] = {ICF_KEY("time.", "integrator"), icf_read_choice, offsetof(time_input, integrator),
                         .choice = icf_integrator_names},
};

static void check_time(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    time_input *input = target;
    if (icf_given_good(given, TIME_INTEGRATOR)) reader->integrator = given->value[TIME_INTEGRATOR];
    const int which = icf_given_one_of(reader, &icf_map_time, given, TIME_STEPS, TIME_DURATION);
    if (which < 0) icf_reader_key_error(reader, given->start, "steps", "missing, either steps or duration is required");
    if (which != TIME_DURATION || !icf_given_good(given, TIME_DURATION) || !icf_given_good(given, TIME_STEP)) return;
    const double steps = round(input->duration / input->step);
    if (steps > 9007199254740992.0)
        icf_reader_key_error(reader, given->value[TIME_DURATION], "duration", "is more than 2^53 steps of %.6g s",
                             input->step);
    else if (steps == 0.0 && input->duration > 0.0)
        icf_reader_key_error(reader, given->value[TIME_DURATION], "duration", "is less than half a step of %.6g s",
                             input->step);
    else
        input->steps = (icf_cnt)steps;
}

const icf_scene_map icf_map_time = ICF_MAP(time_keys, check_time);

icf_status icf_read_time(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    time_input input = {0};
    ICF_TRY(icf_read_map(reader, key->map, first, &input));
    *(icf_time_settings *)value =
        (icf_time_settings){.step = input.step, .steps = input.steps, .integrator = (icf_integrator)input.integrator};
    return ICF_OK;
}

static const char *const models[] = {
    [ICF_MODEL_SAP] = "sap", [ICF_MODEL_LAGGED] = "lagged", [ICF_MODEL_SIMILAR] = "similar", NULL};

/* auto, or a distance; value: icf_contact_settings. */
static icf_status read_distance(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                void *value)
{
    icf_contact_settings *contact = value;
    contact->auto_distance = first->kind == ICF_YAML_SCALAR && strcmp(first->text, "auto") == 0;
    if (contact->auto_distance) return ICF_OK;
    if (!icf_is_number(reader, first)) return icf_wrong_type(reader, first, "auto or a number");
    return icf_read_number(reader, key, first, &contact->distance);
}

#define CONTACT(field) offsetof(icf_contact_settings, field)

enum { CONTACT_MODEL, CONTACT_SIGMA = 3 };

static const icf_scene_key contact_keys[] = {
    [CONTACT_MODEL] = {ICF_KEY("contact.", "model"), icf_read_choice, CONTACT(model), .choice = models},
    {ICF_KEY("contact.", "regularized"), icf_read_flag, CONTACT(regularized)},
    {ICF_KEY("contact.", "stiction_tolerance"), icf_read_number, CONTACT(stiction_tolerance),
     .range = ICF_POSITIVE("m/s")},
    [CONTACT_SIGMA] = {ICF_KEY("contact.", "sigma"), icf_read_number, CONTACT(sigma), .range = ICF_NOT_NEGATIVE("")},
    {ICF_KEY("contact.", "near_rigid"), icf_read_number, CONTACT(near_rigid), .range = ICF_NOT_NEGATIVE("")},
    {ICF_KEY("contact.", "distance"), read_distance, 0, .range = ICF_NOT_NEGATIVE("m")},
    {ICF_KEY("contact.", "pairs"), icf_read_pairs, 0, .map = &icf_map_pair},
};

static void check_contact(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    const icf_contact_settings *contact = target;
    /* SAP divides by R_t = sigma w */
    if (contact->model == ICF_MODEL_SAP && icf_given_good(given, CONTACT_SIGMA) && contact->sigma == 0.0)
        icf_reader_key_error(reader, given->value[CONTACT_SIGMA], "sigma", "must be > 0 with model sap, got 0");
}

const icf_scene_map icf_map_contact = ICF_MAP(contact_keys, check_contact);

static const char *const linear_solvers[] = {[ICF_LINEAR_AUTO] = "auto",
                                             [ICF_LINEAR_BLOCK] = "block",
                                             [ICF_LINEAR_MUMPS] = "mumps",
                                             [ICF_LINEAR_PCG] = "pcg",
                                             NULL};

/* A whole number that fits an int. */
static icf_status read_int(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    icf_cnt count = *(int *)value;
    ICF_TRY(icf_read_count(reader, key, first, &count));
    *(int *)value = (int)count;
    return ICF_OK;
}

#define SOLVER(field) offsetof(icf_solver_settings, field)

static const icf_scene_key solver_keys[] = {
    {ICF_KEY("solver.", "relative_tolerance"), icf_read_number, SOLVER(relative_tolerance),
     .range = {.min = 0.0, .max = 1.0, .below = true, .unit = ""}},
    {ICF_KEY("solver.", "absolute_tolerance"), icf_read_number, SOLVER(absolute_tolerance),
     .range = ICF_NOT_NEGATIVE("")},
    {ICF_KEY("solver.", "max_iterations"), read_int, SOLVER(max_iterations),
     .range = {.min = 1.0, .max = 1.0e9, .unit = ""}},
    {ICF_KEY("solver.", "linear"), icf_read_choice, SOLVER(linear), .choice = linear_solvers},
    {ICF_KEY("solver.", "parts"), icf_read_flag, SOLVER(parts)},
    {ICF_KEY("solver.", "condition"), icf_read_flag, SOLVER(condition)},
};

const icf_scene_map icf_map_solver = ICF_MAP(solver_keys, NULL);

/* auto, never, or a number of steps. */
static icf_status read_rebalance(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    icf_cnt *rebalance = value;
    *rebalance = ICF_REBALANCE_AUTO;
    if (first->kind == ICF_YAML_SCALAR && strcmp(first->text, "auto") == 0) return ICF_OK;
    *rebalance = ICF_REBALANCE_NEVER;
    if (first->kind == ICF_YAML_SCALAR && strcmp(first->text, "never") == 0) return ICF_OK;
    if (!icf_is_number(reader, first)) return icf_wrong_type(reader, first, "auto, never or a number of steps");
    return icf_read_count(reader, key, first, rebalance);
}

/* auto, or a number of dofs. */
static icf_status read_dofs(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    _Static_assert(ICF_GATHER_AUTO == ICF_SPLIT_AUTO, "one value for auto");
    icf_cnt *dofs = value;
    *dofs = ICF_GATHER_AUTO;
    if (first->kind == ICF_YAML_SCALAR && strcmp(first->text, "auto") == 0) return ICF_OK;
    if (!icf_is_number(reader, first)) return icf_wrong_type(reader, first, "auto or a number of dofs");
    return icf_read_count(reader, key, first, dofs);
}

static const icf_scene_key parallel_keys[] = {
    {ICF_KEY("parallel.", "gather_below"), read_dofs, offsetof(icf_parallel_settings, gather_below),
     .range = ICF_NOT_NEGATIVE("dofs")},
    {ICF_KEY("parallel.", "split_above"), read_dofs, offsetof(icf_parallel_settings, split_above),
     .range = ICF_NOT_NEGATIVE("dofs")},
    {ICF_KEY("parallel.", "rebalance"), read_rebalance, offsetof(icf_parallel_settings, rebalance),
     .range = {.min = 1.0, .max = INFINITY, .unit = "steps"}},
    {ICF_KEY("parallel.", "lend"), icf_read_flag, offsetof(icf_parallel_settings, lend)},
};

const icf_scene_map icf_map_parallel = ICF_MAP(parallel_keys, NULL);

enum { OUTPUT_DIRECTORY, OUTPUT_EVERY, OUTPUT_RATE };

#define OUTPUT(field) offsetof(icf_output_settings, field)

static const icf_scene_key output_keys[] = {
    [OUTPUT_DIRECTORY] = {ICF_KEY("output.", "directory"), icf_read_text, OUTPUT(directory)},
    [OUTPUT_EVERY] = {ICF_KEY("output.", "every"), icf_read_count, OUTPUT(every),
                      .range = {.min = 1.0, .max = INFINITY, .unit = "steps"}},
    [OUTPUT_RATE] = {ICF_KEY("output.", "rate"), icf_read_number, OUTPUT(rate), .range = ICF_POSITIVE("1/s")},
    {ICF_KEY("output.", "checkpoint_every"), icf_read_count, OUTPUT(checkpoint_every),
     .range = ICF_NOT_NEGATIVE("steps")},
    {ICF_KEY("output.", "surfaces"), icf_read_count, OUTPUT(surfaces), .range = ICF_NOT_NEGATIVE("bodies")},
    {ICF_KEY("output.", "ranks"), icf_read_flag, OUTPUT(ranks)},
};

static void check_output(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    icf_output_settings *output = target;
    const int which = icf_given_one_of(reader, &icf_map_output, given, OUTPUT_EVERY, OUTPUT_RATE);
    if (which == OUTPUT_RATE) output->every = 0;
    if (which == OUTPUT_EVERY) output->rate = 0.0;
}

const icf_scene_map icf_map_output = ICF_MAP(output_keys, check_output);
