/* `icf run`: scene to results.
 *
 *   options -> MPI -> scene and bodies -> (checkpoint) -> simulation -> results -> steps -> checkpoint, summary
 *
 * The loop over steps looks at signals and at the schedule of checkpoints between two steps, so that whatever
 * ends a run, the last state is that after a whole step.  A step that fails leaves the state before it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/blas.h"
#include "cli/census.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/summary.h"
#include "io/checkpoint.h"
#include "io/results.h"
#include "io/scene_open.h"
#include "io/scene_writer.h"
#include "io/yaml_write.h"
#include "step/simulation.h"

typedef struct run_options {
    const char *scene, *output, *trace, *restart; /* files; NULL when not given */
    icf_cnt nthread;                              /* 0: what OpenMP offers */
    int progress;                                 /* icf_progress_mode */
    bool quiet, verbose;
    icf_overrides overrides;
    char *directory; /* --output as the YAML text of an override, of malloc */
} run_options;

typedef struct run_state {
    icf_context *context;
    const run_options *options;
    icf_scene scene;
    icf_bodies bodies;
    icf_census census;
    icf_simulation *simulation;
    icf_results *results;
    icf_progress progress;
    icf_cnt first;      /* step of the state at the start */
    icf_cnt checkpoint; /* step of the last checkpoint written, -1: none */
    const char *signal; /* name of the signal that ended the run, or NULL */
} run_state;

static icf_status read_scene(run_state *run)
{
    const icf_overrides *overrides = &run->options->overrides;
    ICF_TRY(
        icf_scene_open(run->context, run->options->scene, overrides->n, overrides->item, &run->scene, &run->bodies));
    icf_census_count(&run->census, run->context, &run->bodies);
    icf_census_add_deformables(&run->census, &run->scene);
    return ICF_OK;
}

static icf_status read_checkpoint(run_state *run)
{
    if (!run->options->restart) return ICF_OK;
    ICF_TRY(icf_checkpoint_read(run->context, run->options->restart, &run->scene, &run->bodies, &run->first));
    if (run->first >= run->scene.time.steps)
        icf_warn(run->context, "nothing to do: the checkpoint is at step %" PRId64 ", the run ends at step %" PRId64,
                 run->first, run->scene.time.steps);
    return ICF_OK;
}

static void print_header(const run_state *run)
{
    const icf_context *context = run->context;
    if (context->rank != 0 || context->level == ICF_LOG_QUIET) return;
    printf("icf %s: %s (%s)\n", ICF_VERSION, run->scene.name, run->options->scene);
    printf("bodies       ");
    icf_census_print_bodies(&run->census, stdout);
    printf("\ndofs         %" PRId64 "\nmodel        ", run->census.dofs);
    icf_census_print_settings(&run->scene, stdout);
    printf("\nprocesses    %d rank%s x %d thread%s; BLAS kernel %s\n", context->size, context->size > 1 ? "s" : "",
           context->nthread, context->nthread > 1 ? "s" : "", icf_blas_kernel());
    printf("output       %s\n", run->scene.output.directory);
    if (run->options->restart) printf("restart      step %" PRId64 " of %s\n", run->first, run->options->restart);
    fflush(stdout);
}

/* Tells where the checkpoint is when it is not an ordinary one. */
static icf_status write_checkpoint(run_state *run, bool announce)
{
    char *path = NULL;
    const icf_cnt step = icf_simulation_step_number(run->simulation);
    if (run->checkpoint == step) return ICF_OK;
    ICF_TRY(icf_results_flush(run->results));
    ICF_TRY(icf_checkpoint_write(run->context, &run->scene, &run->bodies, step, &path));
    run->checkpoint = step;
    icf_log(run->context, announce ? ICF_LOG_QUIET : ICF_LOG_VERBOSE, "icf: step %" PRId64 " saved in %s", step, path);
    free(path);
    return ICF_OK;
}

static bool is_checkpoint_step(const icf_scene *scene, icf_cnt step)
{
    const icf_cnt every = scene->output.checkpoint_every;
    return every > 0 && step % every == 0;
}

static icf_status write_results(run_state *run, const icf_step_stats *stats)
{
    icf_contact_views views = icf_simulation_contacts(run->simulation);
    if (icf_scene_is_frame(&run->scene, stats->step)) ICF_TRY(icf_simulation_frame(run->simulation, &views));
    return icf_results_write(run->results, &run->bodies, &views, stats);
}

static icf_status write_first_frame(run_state *run)
{
    if (run->options->restart) return ICF_OK;
    const icf_step_stats stats = icf_simulation_initial_stats(run->simulation);
    return write_results(run, &stats);
}

/* Until the last step, a failure, or a signal. */
static icf_status run_steps(run_state *run)
{
    icf_step_stats stats;
    ICF_TRY(write_first_frame(run));
    while (icf_simulation_step_number(run->simulation) < run->scene.time.steps) {
        ICF_TRY(icf_simulation_step(run->simulation, &stats));
        ICF_TRY(write_results(run, &stats));
        icf_progress_show(&run->progress, &stats);
        run->signal = icf_signals_received(run->context);
        if (run->signal) return ICF_STOPPED;
        if (is_checkpoint_step(&run->scene, stats.step)) ICF_TRY(write_checkpoint(run, false));
    }
    return ICF_OK;
}

/* The island's bodies and all that do not move, ascending: a scene that shows the failure. */
static icf_lid list_island(const icf_bodies *bodies, icf_lid nisland, const icf_lid *island, icf_lid *list)
{
    icf_lid n = 0, next = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        const bool in_island = next < nisland && island[next] == i;
        if (in_island) ++next;
        if (in_island || !icf_bodies_moves(bodies, i)) list[n++] = i;
    }
    return n;
}

static icf_status write_island(run_state *run)
{
    char path[4096];
    const icf_bodies *bodies;
    icf_lid nisland;
    const icf_lid *island = icf_simulation_failed_island(run->simulation, &bodies, &nisland);
    if (nisland == 0) return ICF_OK;
    icf_lid *list = icf_alloc((size_t)bodies->n * sizeof *list);
    if (!list) return ICF_ERROR_MEMORY;
    const icf_lid n = list_island(bodies, nisland, island, list);
    snprintf(path, sizeof path, "%s/failed-island.yaml", run->scene.output.directory);
    const icf_status status = icf_scene_write_bodies(run->context, path, &run->scene, bodies, n, list);
    if (status == ICF_OK) icf_log(run->context, ICF_LOG_QUIET, "icf: the island that failed is in %s", path);
    icf_free(list);
    return status;
}

static const char *status_word(icf_status status)
{
    return status == ICF_OK ? "done" : status == ICF_STOPPED ? "stopped" : "failed";
}

/* The failure that ended the run is the one that counts; what cannot be saved after it is only told. */
static icf_status save(run_state *run, icf_status status)
{
    const bool solver_failed = icf_status_exit_code(status) == 3;
    icf_status saved = ICF_OK;
    if (status == ICF_OK || status == ICF_STOPPED || solver_failed) saved = write_checkpoint(run, status != ICF_OK);
    if (!solver_failed) return saved != ICF_OK ? saved : status;
    if (saved != ICF_OK) icf_warn(run->context, "the last good state could not be saved");
    if (write_island(run) != ICF_OK) icf_warn(run->context, "the island that failed could not be saved");
    return status;
}

static icf_status finish(run_state *run, icf_status status)
{
    icf_progress_end(&run->progress);
    if (run->signal) icf_log(run->context, ICF_LOG_QUIET, "icf: stopped by %s", run->signal);
    status = save(run, status);
    const icf_run_summary summary = icf_results_summary(run->results, &run->bodies);
    const icf_status closed = icf_results_close(&run->results, &run->bodies, status_word(status));
    if (run->context->rank == 0 && run->context->level != ICF_LOG_QUIET) icf_summary_print(&summary, stdout);
    return closed != ICF_OK && (status == ICF_OK || status == ICF_STOPPED) ? closed : status;
}

static icf_status simulate(run_state *run)
{
    /* before reading, which takes a while for a large scene: a batch system's signal then stops the run after a step */
    icf_signals_install();
    ICF_TRY(read_scene(run));
    ICF_TRY(read_checkpoint(run));
    ICF_TRY(icf_simulation_create(run->context, &run->scene, &run->bodies, run->first, &run->simulation));
    ICF_TRY(icf_results_open(run->context, &run->scene, &run->bodies, run->options->trace,
                             run->options->restart ? run->first : -1, &run->results));
    print_header(run);
    icf_progress_begin(&run->progress, run->context, (icf_progress_mode)run->options->progress, run->first,
                       run->scene.time.steps);
    return finish(run, run_steps(run));
}

static icf_status start(icf_context *context, const run_options *options)
{
    context->level = options->quiet ? ICF_LOG_QUIET : options->verbose ? ICF_LOG_VERBOSE : ICF_LOG_NORMAL;
    ICF_TRY(icf_session_begin(context, (int)options->nthread));
    run_state run = {.context = context, .options = options, .checkpoint = -1};
    icf_bodies_init(&run.bodies);
    const icf_status status = icf_agree(context, simulate(&run));
    icf_simulation_destroy(&run.simulation);
    icf_bodies_clear(&run.bodies);
    icf_scene_clear(&run.scene);
    return status;
}

/* --output is a text whatever it looks like; as an override it needs quotes where YAML does. */
static icf_status quote_output(icf_context *context, run_options *options)
{
    size_t size;
    if (!options->output) return ICF_OK;
    FILE *stream = open_memstream(&options->directory, &size);
    if (!stream) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    icf_yaml_text(stream, options->output);
    if (fclose(stream) != 0) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    return icf_overrides_set(&options->overrides, "output.directory", options->directory);
}

static icf_status check_options(icf_context *context, run_options *options)
{
    const icf_overrides *overrides = &options->overrides;
    if (icf_overrides_has(overrides, "time.duration") && icf_overrides_has(overrides, "time.steps"))
        return icf_fail(context, ICF_ERROR_USAGE, "--duration and --steps exclude each other");
    if (options->quiet && options->verbose)
        return icf_fail(context, ICF_ERROR_USAGE, "--quiet and --verbose exclude each other");
    if (options->nthread > 4096)
        return icf_fail(context, ICF_ERROR_USAGE, "--threads: must be at most 4096, got %" PRId64, options->nthread);
    return quote_output(context, options);
}

static icf_status read_options(icf_context *context, int argc, char **argv, run_options *o, bool *help)
{
    const icf_option options[] = {
        {"--duration", ICF_OPTION_POSITIVE, "S", "simulated time [s], from the scene's start also after a restart",
         NULL, "time.duration", NULL},
        {"--steps", ICF_OPTION_COUNT, "N", "number of steps instead, counted in the same way", NULL, "time.steps",
         NULL},
        {"--step", ICF_OPTION_POSITIVE, "DT", "time step [s]", NULL, "time.step", NULL},
        {"--model", ICF_OPTION_CHOICE, "M", "contact model: sap, lagged or similar", NULL, "contact.model",
         "sap|lagged|similar"},
        {"--output", ICF_OPTION_TEXT, "DIR", "directory of the results (default out)", &o->output, NULL, NULL},
        {"--trace", ICF_OPTION_TEXT, "FILE", "write a JSON line a recorded step to FILE (small scenes)", &o->trace,
         NULL, NULL},
        {"--every", ICF_OPTION_COUNT, "N", "steps between frames (default 10)", NULL, "output.every", NULL},
        {"--threads", ICF_OPTION_COUNT, "N", "OpenMP threads a rank (default OMP_NUM_THREADS, else all cores)",
         &o->nthread, NULL, NULL},
        {"--restart", ICF_OPTION_TEXT, "CHECKPOINT", "go on from a checkpoint; results there are continued",
         &o->restart, NULL, NULL},
        {"--set", ICF_OPTION_OVERRIDE, "PATH=VALUE",
         "set any key of the scene, repeatable: contact.sigma=1e-4,\nbodies[3].mass=2, bodies.ball.mass=2", NULL, NULL,
         NULL},
        {"--progress", ICF_OPTION_CHOICE, "WHEN", "progress line: auto (on a terminal), always, never (default auto)",
         &o->progress, NULL, "auto|always|never"},
        {"--quiet", ICF_OPTION_SET, NULL, "print errors only", &o->quiet, NULL, NULL},
        {"--verbose", ICF_OPTION_SET, NULL, "print more, such as every checkpoint", &o->verbose, NULL, NULL},
    };
    const icf_usage usage = {
        "icf run SCENE [options]",
        "Simulates a scene (- for standard input).  Options replace what the scene says.  Results go to\n"
        "the directory of the scene or of --output: run.h5 with run.xmf (ParaView), stats.csv,\n"
        "summary.json, checkpoint-STEP.h5.  SIGUSR1, SIGTERM and SIGINT end the run after the step\n"
        "with a checkpoint (exit code 5).\n",
        1,
        "SCENE",
        sizeof options / sizeof *options,
        options};
    return icf_options_read(context, &usage, argc, argv, &o->scene, &o->overrides, help);
}

icf_status icf_command_run(icf_context *context, int argc, char **argv)
{
    bool help;
    run_options options = {0};
    icf_status status = read_options(context, argc, argv, &options, &help);
    if (status == ICF_OK && !help) status = check_options(context, &options);
    if (status == ICF_OK && !help) status = start(context, &options);
    icf_overrides_clear(&options.overrides);
    free(options.directory);
    return status;
}
