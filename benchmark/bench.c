/* icf_bench: steps a scene without output and prints what a step costs, as one line of JSON.
 *
 *   scene -> bodies -> (list for other engines) or -> simulation -> steps, each timed -> line
 *
 * One MPI rank.  The scene comes from `icf make` or any file; reading it is not timed.
 */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "base/memory.h"
#include "body_list.h"
#include "cli/options.h"
#include "geometry/populate.h"
#include "measure.h"
#include "step/simulation.h"

typedef struct bench {
    icf_context *context;
    const char *scene_path, *list_path, *setting;
    icf_cnt nthread;
    double window; /* s */
    icf_overrides overrides;
    icf_scene scene;
    icf_bodies bodies;
    icf_simulation *simulation;
    icf_step_stats *stats;    /* (steps) */
    icf_bench_sample *sample; /* (steps) */
} bench;

static icf_status take_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    bench *b = user;
    for (icf_cnt i = 0; i < n; ++i) ICF_TRY(icf_bodies_add(&b->bodies, &bodies[i], true));
    return ICF_OK;
}

static icf_status step_and_time(bench *b, icf_cnt k)
{
    icf_bench_sample *sample = &b->sample[k];
    icf_bench_begin(sample);
    const icf_status status = icf_simulation_step(b->simulation, &b->stats[k]);
    icf_bench_end(sample);
    sample->contacts = (double)b->stats[k].candidates;
    sample->iterations = (double)b->stats[k].iterations_max;
    sample->penetration = b->stats[k].penetration_max;
    return status;
}

static icf_lid count_moving(const icf_bodies *bodies)
{
    icf_lid n = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) n += icf_bodies_moves(bodies, i);
    return n;
}

/* Means over the steps of the last window of what only this engine tells. */
static void print_own(const bench *b, const icf_step_stats *stats, int n)
{
    double active = 0.0, islands = 0.0, factorizations = 0.0, line_search = 0.0, residual = 0.0,
           phase[ICF_PHASE_COUNT] = {0};
    for (int i = 0; i < n; ++i) {
        active += (double)stats[i].active / n;
        islands += (double)stats[i].islands / n;
        factorizations += (double)stats[i].factorizations / n;
        line_search += (double)stats[i].line_search / n;
        residual = fmax(residual, stats[i].momentum_residual);
        for (int p = 0; p < ICF_PHASE_COUNT; ++p) phase[p] += stats[i].ms[p] / n;
    }
    printf(", \"residual\": %.2g", residual);
    printf(
        ", \"active\": %.1f, \"islands\": %.1f, \"factorizations\": %.2f, \"line_search\": %.2f, \"wall_ms_phase\": {",
        active, islands, factorizations, line_search);
    for (int p = 0; p < ICF_PHASE_COUNT; ++p)
        printf("%s\"%s\": %.4g", p ? ", " : "", icf_phase_name((icf_phase)p), phase[p]);
    printf("}, \"kinetic_energy\": %.4g, \"checksum\": \"%016" PRIx64 "\"}\n", stats[n - 1].kinetic_energy,
           icf_bodies_checksum(&b->bodies));
}

static void print_run(const bench *b)
{
    const icf_cnt nstep = b->scene.time.steps;
    const icf_cnt nwindow = ICF_MIN(nstep, ICF_MAX(1, (icf_cnt)(b->window / b->scene.time.step + 0.5)));
    const icf_bench_run run = {
        .engine = "icf",
        .version = ICF_VERSION,
        .setting = b->setting,
        .nbody = count_moving(&b->bodies),
        .nthread = b->context->nthread,
        .dt = b->scene.time.step,
        .nstep = (int)nstep,
        .nwindow = (int)nwindow,
        .sample = b->sample,
    };
    icf_bench_print(&run);
    print_own(b, b->stats + (nstep - nwindow), (int)nwindow);
}

static icf_status run_scene(bench *b)
{
    const icf_cnt nstep = b->scene.time.steps;
    b->stats = icf_alloc((size_t)nstep * sizeof *b->stats);
    b->sample = icf_alloc((size_t)nstep * sizeof *b->sample);
    if (nstep > 0 && (!b->stats || !b->sample)) return icf_fail(b->context, ICF_ERROR_MEMORY, "out of memory");
    ICF_TRY(icf_simulation_create(b->context, &b->scene, &b->bodies, 0, &b->simulation));
    for (icf_cnt k = 0; k < nstep; ++k) ICF_TRY(step_and_time(b, k));
    if (nstep > 0) print_run(b);
    return ICF_OK;
}

static icf_status run(bench *b)
{
    ICF_TRY(icf_scene_read(b->context, b->scene_path, b->overrides.n, b->overrides.item, &b->scene, take_bodies, b));
    ICF_TRY(icf_populate_all(b->context, &b->scene, take_bodies, b));
    if (b->list_path) return icf_body_list_write(b->context, b->list_path, &b->scene, &b->bodies);
    return run_scene(b);
}

static icf_status read_options(bench *b, int argc, char **argv, bool *help)
{
    const icf_option options[] = {
        {"--window", ICF_OPTION_POSITIVE, "S", "length of the windows at start and end [s] (default 0.5)", &b->window,
         NULL, NULL},
        {"--threads", ICF_OPTION_COUNT, "N", "threads (default 1)", &b->nthread, NULL, NULL},
        {"--model", ICF_OPTION_CHOICE, "M", "contact model: sap, lagged or similar", NULL, "contact.model",
         "sap|lagged|similar"},
        {"--step", ICF_OPTION_POSITIVE, "DT", "time step [s]", NULL, "time.step", NULL},
        {"--duration", ICF_OPTION_POSITIVE, "S", "simulated time [s]", NULL, "time.duration", NULL},
        {"--linear", ICF_OPTION_CHOICE, "L", "linear solver: auto, block, mumps or pcg", NULL, "solver.linear",
         "auto|block|mumps|pcg"},
        {"--set", ICF_OPTION_OVERRIDE, "PATH=VALUE", "set any key of the scene, repeatable", NULL, NULL, NULL},
        {"--setting", ICF_OPTION_TEXT, "TEXT", "word for the setting in the line (default: default)", &b->setting, NULL,
         NULL},
        {"--list", ICF_OPTION_TEXT, "FILE", "write the bodies to FILE for other engines, do not step", &b->list_path,
         NULL, NULL},
    };
    const icf_usage usage = {
        "icf_bench SCENE [options]",
        "Steps a scene (- for standard input) without output and prints one line of JSON: CPU ms per step with\n"
        "collision detection, mean and median over the last window and mean over the first, and what the steps did.\n",
        1,
        "SCENE",
        sizeof options / sizeof *options,
        options};
    return icf_options_read(b->context, &usage, argc, argv, &b->scene_path, &b->overrides, help);
}

static icf_status start(icf_context *context, int argc, char **argv)
{
    bool help;
    bench b = {.context = context, .setting = "default", .nthread = 1, .window = 0.5};
    icf_bodies_init(&b.bodies);
    icf_status status = read_options(&b, argc, argv, &help);
    context->nthread = (int)b.nthread;
    if (status == ICF_OK && !help) status = run(&b);
    icf_simulation_destroy(&b.simulation);
    icf_free(b.stats);
    icf_free(b.sample);
    icf_bodies_clear(&b.bodies);
    icf_scene_clear(&b.scene);
    icf_overrides_clear(&b.overrides);
    return status;
}

int main(int argc, char **argv)
{
    icf_context context;
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
    icf_status status = icf_context_init(&context, MPI_COMM_SELF, 1);
    if (status == ICF_OK) status = start(&context, argc - 1, argv + 1);
    if (status != ICF_OK)
        fprintf(stderr, "icf_bench: error: %s\n", context.message[0] ? context.message : icf_status_text(status));
    icf_context_clear(&context);
    MPI_Finalize();
    return icf_status_exit_code(status);
}
