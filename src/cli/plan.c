/* `icf plan`: what a scene would be on P ranks, without them.
 *
 *   options -> scene and bodies -> (settle: steps on this process, which may measure rates) -> plan -> cost -> print
 */
#include <inttypes.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/plan_print.h"
#include "io/checkpoint.h"
#include "io/scene_open.h"
#include "step/body_cost.h"
#include "step/deformable_motion.h"
#include "step/simulation.h"

enum { ranks_max = 1000000 };

typedef struct plan_options {
    const char *scene;
    icf_cnt nrank;        /* 0: not given */
    uint64_t settle, age; /* steps; steps since the cut */
    const char *restart;  /* NULL: the scene's start */
    int cut;              /* icf_plan_cut */
    double iterations;    /* 0: from the settle steps, or the usual ones */
    double latency, bandwidth;
    bool calibrate, json;
    icf_overrides overrides;
} plan_options;

typedef struct plan_state {
    icf_context *context;
    const plan_options *options;
    icf_scene scene;
    icf_bodies bodies;
    icf_cnt step;         /* of the bodies' state */
    icf_plan plan, alone; /* alone: of the same step on one rank, where plan is for more */
    icf_plan before;      /* of the step that the scene is cut in, if it is another one */
    icf_priced_plan priced;
} plan_state;

/* Simulates n steps. */
static icf_status settle(plan_state *state, uint64_t n)
{
    icf_simulation *simulation = NULL;
    icf_step_stats stats;
    if (n == 0) return ICF_OK;
    icf_status status = icf_simulation_create(state->context, &state->scene, &state->bodies, state->step, &simulation);
    for (uint64_t k = 0; k < n && status == ICF_OK; ++k) status = icf_simulation_step(simulation, &stats);
    icf_simulation_destroy(&simulation);
    state->step += (icf_cnt)n;
    return status;
}

/* ---- cost ---- */

/* The plan for one rank. */
static const icf_plan *plan_alone(const plan_state *state)
{
    return state->plan.step.nrank == 1 ? &state->plan : &state->alone;
}

static void scale(double *rate, double measured, double predicted)
{
    if (measured > 0.0 && predicted > 0.0) *rate *= measured / predicted;
}

/* Scales the rates of each stage so that one rank takes as long as it takes here. */
static icf_status calibrate(plan_state *state)
{
    icf_cost_rates *rates = &state->priced.rates;
    const icf_rank_cost one = icf_cost_rank(rates, &plan_alone(state)->step, &plan_alone(state)->total);
    icf_rank_cost here;
    ICF_TRY(icf_plan_measure(state->context, &state->scene, &state->bodies, state->step, &here));
    scale(&rates->body, here.geometry, one.geometry);
    scale(&rates->element, here.geometry, one.geometry);
    scale(&rates->found, here.geometry, one.geometry);
    scale(&rates->island_body, here.assembly, one.assembly);
    scale(&rates->assembly, here.assembly, one.assembly);
    scale(&rates->assembly_body, here.assembly, one.assembly);
    scale(&rates->flop, here.factor, one.factor);
    scale(&rates->factor_body, here.factor, one.factor);
    scale(&rates->update, here.factor, one.factor);
    scale(&rates->analysis, here.factor, one.factor);
    scale(&rates->solve_value, here.solve, one.solve);
    scale(&rates->solve_body, here.solve, one.solve);
    scale(&rates->finish, here.assembly, one.assembly); /* work of the same kind, which the measured step leaves out */
    scale(&rates->line_search, here.line_search, one.line_search);
    state->priced.calibrated = true;
    return ICF_OK;
}

static icf_status price(plan_state *state)
{
    icf_priced_plan *priced = &state->priced;
    const icf_plan *plan = &state->plan, *alone = plan_alone(state);
    if (state->options->calibrate) ICF_TRY(calibrate(state));
    priced->one = icf_cost_rank(&priced->rates, &alone->step, &alone->total);
    priced->cost = icf_alloc((size_t)plan->step.nrank * sizeof *priced->cost);
    if (!priced->cost)
        return icf_fail(state->context, ICF_ERROR_MEMORY, "out of memory for %d ranks", plan->step.nrank);
    for (int rank = 0; rank < plan->step.nrank; ++rank)
        priced->cost[rank] = icf_cost_rank(&priced->rates, &plan->step, &plan->load[rank]);
    priced->seconds = icf_cost_total(plan->step.nrank, priced->cost);
    priced->seconds_on_one = icf_cost_total(1, &priced->one);
    return ICF_OK;
}

/* ---- the command ---- */

/* A step that follows others is solved to see its iterations; at the start of a scene nothing is. */
static icf_plan_settings settings_of(const plan_options *options, icf_cnt step)
{
    const bool solves = options->iterations == 0.0 && (step > 0 || options->calibrate);
    const double given = options->iterations > 0.0 ? options->iterations : ICF_USUAL_ITERATIONS;
    return (icf_plan_settings){.cut = (icf_plan_cut)options->cut,
                               .step = step,
                               .iterations = solves ? 0.0 : given,
                               .evaluations = ICF_USUAL_EVALUATIONS};
}

/* The model takes deformable bodies as whole. */
static void warn_of_split_meshes(const plan_state *state)
{
    for (int32_t k = 0; k < state->scene.ndeformable && state->options->nrank > 1; ++k)
        if (icf_deformable_is_split(&state->scene, k))
            icf_warn(state->context,
                     "deformable \"%s\": a run splits its work over the ranks (parallel.split_above); here it is "
                     "counted whole, on one of them",
                     state->scene.deformable[k].name);
}

/* The plan of the present step for a number of ranks, with the parts of `before` unless it is NULL. */
static icf_status build(plan_state *state, int nrank, const icf_plan *before, icf_plan *plan)
{
    icf_plan_settings settings = settings_of(state->options, state->step);
    settings.nrank = nrank;
    settings.before = before;
    icf_bodies_prescribe_poses(&state->bodies, (double)settings.step * state->scene.time.step);
    return icf_plan_build(plan, state->context, &state->scene, &state->bodies, &settings);
}

static icf_status make_plan(plan_state *state)
{
    const plan_options *options = state->options;
    ICF_TRY(icf_scene_open(state->context, options->scene, options->overrides.n, options->overrides.item, &state->scene,
                           &state->bodies));
    if (options->restart)
        ICF_TRY(icf_checkpoint_read(state->context, options->restart, &state->scene, &state->bodies, &state->step));
    warn_of_split_meshes(state);
    ICF_TRY(settle(state, options->settle - options->age));
    const int nrank = (int)options->nrank;
    if (options->age > 0) ICF_TRY(build(state, nrank, NULL, &state->before));
    ICF_TRY(settle(state, options->age));
    if (nrank > 1) ICF_TRY(build(state, 1, NULL, &state->alone));
    ICF_TRY(build(state, nrank, options->age > 0 ? &state->before : NULL, &state->plan));
    state->priced.scene = &state->scene;
    state->priced.path = options->scene;
    state->priced.step = state->step;
    state->priced.plan = &state->plan;
    state->priced.rates = icf_cost_rates_default();
    if (options->latency > 0.0) state->priced.rates.latency = options->latency;
    if (options->bandwidth > 0.0) state->priced.rates.bandwidth = options->bandwidth;
    ICF_TRY(price(state));
    if (options->json) return icf_plan_print_json(&state->priced, stdout);
    icf_plan_print(&state->priced, stdout);
    return ICF_OK;
}

static icf_status start(icf_context *context, const plan_options *options)
{
    ICF_TRY(icf_session_begin(context, 1));
    if (context->size > 1)
        return icf_fail(context, ICF_ERROR_USAGE, "plan: runs in one process; start it without mpirun");
    plan_state state = {.context = context, .options = options};
    icf_bodies_init(&state.bodies);
    icf_plan_init(&state.plan);
    icf_plan_init(&state.alone);
    icf_plan_init(&state.before);
    const icf_status status = make_plan(&state);
    icf_free(state.priced.cost);
    icf_plan_clear(&state.plan);
    icf_plan_clear(&state.alone);
    icf_plan_clear(&state.before);
    icf_bodies_clear(&state.bodies);
    icf_scene_clear(&state.scene);
    return status;
}

static icf_status check_options(icf_context *context, const plan_options *options)
{
    if (options->nrank == 0) return icf_fail(context, ICF_ERROR_USAGE, "plan: --ranks P is missing");
    if (options->nrank > ranks_max)
        return icf_fail(context, ICF_ERROR_USAGE, "--ranks: must be at most %d, got %" PRId64, ranks_max,
                        options->nrank);
    if (options->settle > INT32_MAX)
        return icf_fail(context, ICF_ERROR_USAGE, "--settle: must be at most %d, got %" PRIu64, INT32_MAX,
                        options->settle);
    if (options->age > options->settle)
        return icf_fail(context, ICF_ERROR_USAGE,
                        "--age: must be at most the steps of --settle, %" PRIu64 ", got %" PRIu64, options->settle,
                        options->age);
    return ICF_OK;
}

static icf_status read_options(icf_context *context, int argc, char **argv, plan_options *o, bool *help)
{
    const icf_option options[] = {
        {"--ranks", ICF_OPTION_COUNT, "P", "ranks to plan for, 1 to 1000000; required", &o->nrank, NULL, NULL},
        {"--settle", ICF_OPTION_SEED, "N", "simulate N steps first (default 0: the scene as it starts)", &o->settle,
         NULL, NULL},
        {"--age", ICF_OPTION_SEED, "N", "cut the scene N steps before the last of these (default 0)", &o->age, NULL,
         NULL},
        {"--restart", ICF_OPTION_TEXT, "CHECKPOINT", "start from the state of a checkpoint", &o->restart, NULL, NULL},
        {"--calibrate", ICF_OPTION_SET, NULL, "measure this machine's rates on one step of the scene", &o->calibrate,
         NULL, NULL},
        {"--cut", ICF_OPTION_CHOICE, "WAY", "cut by metis, along the curve, or as a run does (default auto)", &o->cut,
         NULL, "auto|metis|curve"},
        {"--iterations", ICF_OPTION_POSITIVE, "K",
         "Newton iterations of an island (default: as solved\nafter --settle, else 6)", &o->iterations, NULL, NULL},
        {"--latency", ICF_OPTION_POSITIVE, "S", "time of a message between ranks [s] (default 1e-6)", &o->latency, NULL,
         NULL},
        {"--bandwidth", ICF_OPTION_POSITIVE, "B", "bandwidth between ranks [bytes/s] (default 5e9)", &o->bandwidth,
         NULL, NULL},
        {"--json", ICF_OPTION_SET, NULL, "print JSON, with all ranks", &o->json, NULL, NULL},
        {"--set", ICF_OPTION_OVERRIDE, "PATH=VALUE", "set any key of the scene, repeatable", NULL, NULL, NULL},
    };
    const icf_usage usage = {
        "icf plan SCENE --ranks P [options]",
        "Cuts a scene for P ranks in this one process and predicts what a step would be on them: bodies,\n"
        "contacts, dofs, ghosts, messages, memory and time of each rank, and the largest islands.  Scenes\n"
        "start in the air: --settle plans for the pile they become.  docs/parallel.md has the cost model.\n",
        1,
        "SCENE",
        sizeof options / sizeof *options,
        options};
    return icf_options_read(context, &usage, argc, argv, &o->scene, &o->overrides, help);
}

icf_status icf_command_plan(icf_context *context, int argc, char **argv)
{
    bool help;
    plan_options options = {0};
    icf_status status = read_options(context, argc, argv, &options, &help);
    if (status == ICF_OK && !help) status = check_options(context, &options);
    if (status == ICF_OK && !help) status = start(context, &options);
    icf_overrides_clear(&options.overrides);
    return status;
}
