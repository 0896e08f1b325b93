/* Results of a run: one object that writes all files. */
#include "io/results.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/frames.h"
#include "io/ranks_csv.h"
#include "io/stats_csv.h"
#include "io/summary.h"
#include "io/trace.h"

static const double flush_interval = 5.0; /* s */
static const double flush_share = 0.05;   /* of the time, which flushes may take when they come more often */

struct icf_results {
    icf_context *context;   /* borrowed */
    const icf_scene *scene; /* borrowed */
    icf_frames *frames;
    icf_text_file stats;  /* open on rank 0 */
    icf_ranks_file ranks; /* likewise, if it is written */
    icf_trace trace;
    bool has_trace, frames_waiting; /* frames_waiting: some are not flushed */
    icf_run_totals totals;          /* the same on all ranks */
    icf_cnt last_step;              /* -1 before the first */
    double opened;                  /* wall clock [s] */
    double flushed;                 /* wall clock of the last flush [s] */
    double flush_cost;              /* time of the last flush [s] */
};

/* Whether a directory entry is a file that a run writes (stats.csv is reused, it holds the lock). */
static bool is_result(const char *name)
{
    static const char *const names[] = {
        "run.h5",       "run.xmf",          "run_bodies.xmf", "run_contacts.xmf",   "run_deformables.xmf",
        "summary.json", "summary.json.tmp", "report.html",    "failed-island.yaml", "ranks.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(name, names[i]) == 0) return true;
    if (strncmp(name, "checkpoint-", 11) != 0) return false;
    const char *rest = name + 11 + strspn(name + 11, "0123456789");
    return rest > name + 11 && (strcmp(rest, ".h5") == 0 || strcmp(rest, ".h5.tmp") == 0);
}

/* Removes the files of an earlier run and nothing else. */
static icf_status remove_results(icf_context *context, const char *directory)
{
    DIR *listing = opendir(directory);
    if (!listing) return icf_file_fail(context, directory, errno);
    icf_status status = ICF_OK;
    for (struct dirent *entry; status == ICF_OK && (entry = readdir(listing));) {
        if (!is_result(entry->d_name)) continue;
        char *path = icf_path_print("%s/%s", directory, entry->d_name);
        status =
            path ? icf_file_remove(context, path) : icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
        icf_free(path);
    }
    closedir(listing);
    return status;
}

static void add_to_totals(void *user, const icf_step_stats *stats)
{
    icf_run_totals_add(user, stats);
}

/* Rank 0's part of opening: lock, earlier files. */
static icf_status take_directory(icf_results *results, icf_cnt restart_step)
{
    const char *directory = results->scene->output.directory;
    ICF_TRY(
        icf_stats_open(results->context, &results->stats, directory, restart_step, add_to_totals, &results->totals));
    if (restart_step < 0) ICF_TRY(remove_results(results->context, directory));
    return icf_ranks_open(results->context, &results->ranks, directory, restart_step, results->scene->output.ranks);
}

/* Removes the beginnings of a run that could not start; rank 0. */
static void remove_beginnings(icf_results *results)
{
    /* the failure to start is the one that counts */
    if (remove_results(results->context, results->scene->output.directory) != ICF_OK) return;
    (void)unlink(results->stats.path);
}

/* The directory, and the trace, which may lie in it; a wrong path must not cost an earlier run's results. */
static icf_status open_paths(icf_results *results, const char *trace, icf_cnt restart_step)
{
    icf_context *context = results->context;
    icf_status status = ICF_OK;
    if (context->rank == 0) status = icf_directory_create(context, results->scene->output.directory);
    ICF_TRY(icf_agree(context, status));
    results->has_trace = trace != NULL;
    return trace ? icf_trace_open(context, &results->trace, trace, results->scene, restart_step) : ICF_OK;
}

static icf_status open_files(icf_results *results, const icf_bodies *bodies, const char *trace, icf_cnt restart_step)
{
    icf_context *context = results->context;
    icf_status status = ICF_OK;
    ICF_TRY(open_paths(results, trace, restart_step));
    if (context->rank == 0) status = take_directory(results, restart_step);
    ICF_TRY(icf_agree(context, status));
    MPI_Bcast(&results->totals, (int)sizeof results->totals, MPI_BYTE, 0, context->comm);
    status = icf_frames_open(context, results->scene, bodies, results->scene->output.directory, restart_step,
                             &results->frames);
    if (status != ICF_OK && restart_step < 0 && context->rank == 0) remove_beginnings(results);
    return status;
}

/* Closes all files and releases the object; the first failure is returned. */
static icf_status close_files(icf_results **results)
{
    icf_results *closed = *results;
    *results = NULL;
    const icf_status frames = icf_frames_close(&closed->frames);
    const icf_status trace = icf_trace_close(closed->context, &closed->trace);
    const icf_status ranks = icf_ranks_close(closed->context, &closed->ranks);
    icf_status stats = icf_text_file_close(closed->context, &closed->stats);
    stats = icf_agree(closed->context, stats != ICF_OK ? stats : ranks);
    icf_free(closed);
    return frames != ICF_OK ? frames : trace != ICF_OK ? trace : stats;
}

icf_status icf_results_open(icf_context *context, const icf_scene *scene, const icf_bodies *bodies, const char *trace,
                            icf_cnt restart_step, icf_results **results)
{
    *results = icf_alloc(sizeof **results);
    icf_status status = *results ? ICF_OK : icf_fail(context, ICF_ERROR_MEMORY, "out of memory for results");
    ICF_TRY(icf_agree(context, status));
    const double now = icf_clock_wall();
    const icf_cnt done = ICF_MAX(restart_step, 0);
    **results = (icf_results){.context = context,
                              .scene = scene,
                              .totals = {.last_step = done, .time = (double)done * scene->time.step},
                              .last_step = restart_step,
                              .opened = now,
                              .flushed = now};
    status = open_files(*results, bodies, trace, restart_step);
    if (status != ICF_OK && close_files(results) != ICF_OK) return status;
    return status;
}

/* The clock of rank 0 decides for all. */
static bool is_flush_due(const icf_results *results)
{
    const double elapsed = icf_clock_wall() - results->flushed;
    int due = elapsed >= flush_interval || elapsed * flush_share >= results->flush_cost;
    if (results->context->size > 1) MPI_Bcast(&due, 1, MPI_INT, 0, results->context->comm);
    return due;
}

static icf_status flush_frames(icf_results *results)
{
    if (!results->frames_waiting) return ICF_OK;
    results->frames_waiting = false;
    return icf_frames_flush(results->frames);
}

static icf_status flush_lines(icf_results *results)
{
    icf_status status = icf_text_file_flush(results->context, &results->trace.file);
    if (status == ICF_OK) status = icf_text_file_flush(results->context, &results->stats);
    if (status == ICF_OK) status = icf_text_file_flush(results->context, &results->ranks.file);
    return icf_agree(results->context, status);
}

icf_status icf_results_flush(icf_results *results)
{
    ICF_TRY(flush_frames(results));
    return flush_lines(results);
}

static icf_status write_frame(icf_results *results, const icf_bodies *bodies, const icf_contact_views *contacts,
                              const icf_step_stats *stats)
{
    /* contacts of a step redone in substeps are those of the last one */
    const double dt = results->scene->time.step / (double)ICF_MAX(stats->substeps, 1);
    ICF_TRY(icf_frames_write(results->frames, bodies, contacts, stats->step, stats->time, dt));
    results->frames_waiting = true;
    if (!results->has_trace || stats->step == 0) return ICF_OK;
    return icf_trace_put(results->context, &results->trace, bodies, contacts, stats);
}

/* Largest memory of this rank so far [MB]. */
static double peak_memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1.024e-3 * (double)usage.ru_maxrss; /* from KiB */
}

/* The line of a step, with the time that its output took. */
static void write_line(icf_results *results, const icf_step_stats *stats, double wall, double cpu)
{
    double largest[2] = {1e3 * (icf_clock_wall() - wall), peak_memory_mb()}, spent = 1e3 * (icf_clock_cpu() - cpu);
    if (results->context->size > 1) {
        MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, results->context->comm);
        MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_SUM, results->context->comm);
    }
    icf_step_stats line = *stats;
    line.ms[ICF_PHASE_OUTPUT] += largest[0];
    line.ms_total += largest[0];
    line.cpu_ms += spent;
    line.memory_mb = largest[1];
    icf_run_totals_add(&results->totals, &line);
    if (results->context->rank == 0) icf_stats_put(&results->stats.text, &line);
}

icf_status icf_results_write(icf_results *results, const icf_bodies *bodies, const icf_contact_views *contacts,
                             const icf_step_stats *stats)
{
    if (stats->step <= results->last_step) return ICF_OK;
    const double wall = icf_clock_wall(), cpu = icf_clock_cpu();
    if (icf_scene_is_frame(results->scene, stats->step)) ICF_TRY(write_frame(results, bodies, contacts, stats));
    /* frames are flushed before the line, so that the line can tell how long it took */
    const bool due = is_flush_due(results);
    const double start = icf_clock_wall();
    if (due) ICF_TRY(flush_frames(results));
    if (stats->step > 0 && results->scene->output.ranks) icf_ranks_put(results->context, &results->ranks, stats);
    if (stats->step > 0) write_line(results, stats, wall, cpu);
    results->last_step = stats->step;
    if (!due) return ICF_OK;
    ICF_TRY(flush_lines(results));
    results->flushed = icf_clock_wall();
    results->flush_cost = results->flushed - start;
    return ICF_OK;
}

static double largest_memory_mb(const icf_context *context)
{
    double peak = peak_memory_mb();
    if (context->size > 1) MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_MAX, context->comm);
    return peak;
}

static uint64_t checksum(const icf_context *context, const icf_bodies *bodies)
{
    uint64_t sum = icf_bodies_checksum(bodies);
    if (context->size > 1) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, context->comm);
    return sum;
}

icf_run_summary icf_results_summary(icf_results *results, const icf_bodies *bodies)
{
    icf_run_summary summary = icf_run_totals_summary(&results->totals);
    summary.wall_s = icf_clock_wall() - results->opened;
    summary.peak_memory_mb = largest_memory_mb(results->context);
    summary.checksum = checksum(results->context, bodies);
    return summary;
}

icf_status icf_results_close(icf_results **results, const icf_bodies *bodies, const char *status_text)
{
    if (!*results) return ICF_OK;
    icf_context *context = (*results)->context;
    const icf_scene *scene = (*results)->scene;
    const icf_run_summary summary = icf_results_summary(*results, bodies);
    const icf_run_totals totals = (*results)->totals;
    const icf_status closed = close_files(results);
    icf_status status = ICF_OK;
    if (context->rank == 0)
        status = icf_summary_write(context, scene, scene->output.directory, &totals, &summary, status_text);
    status = icf_agree(context, status);
    return closed != ICF_OK ? closed : status;
}
