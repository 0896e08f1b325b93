/* summary.json, and the sums over steps behind it. */
#include "io/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/names.h"

void icf_run_totals_add(icf_run_totals *totals, const icf_step_stats *stats)
{
    icf_run_summary *sum = &totals->sum;
    totals->last_step = stats->step;
    totals->time = stats->time;
    totals->contact_steps += stats->islands > 0;
    sum->steps += 1;
    sum->ms_total += stats->ms_total;
    sum->cpu_ms += stats->cpu_ms;
    sum->cpu_max += stats->cpu_max;
    sum->cpu_mean += stats->cpu_mean;
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) sum->ms[phase] += stats->ms[phase];
    sum->iterations_mean += stats->islands > 0 ? stats->iterations_mean : 0.0;
    sum->iterations_max = ICF_MAX(sum->iterations_max, stats->iterations_max);
    sum->contacts_mean += (double)stats->candidates;
    sum->contacts_max = ICF_MAX(sum->contacts_max, stats->candidates);
    sum->islands_mean += (double)stats->islands;
    sum->islands_max = ICF_MAX(sum->islands_max, stats->islands);
    sum->factorizations += stats->factorizations;
    sum->flops += stats->flops;
    sum->line_search += stats->line_search;
    sum->group_iterations += stats->group_iterations;
    sum->group_sums += stats->group_sums;
    sum->messages += stats->messages;
    sum->bytes += stats->bytes;
    sum->roundoff += stats->roundoff;
    sum->redone += stats->substeps > 1;
    sum->penetration_max = fmax(sum->penetration_max, stats->penetration_max);
    sum->momentum_residual = fmax(sum->momentum_residual, stats->momentum_residual);
    sum->error_signorini_max = fmax(sum->error_signorini_max, stats->error_signorini_max);
    sum->error_coulomb_max = fmax(sum->error_coulomb_max, stats->error_coulomb_max);
    sum->error_dissipation_max = fmax(sum->error_dissipation_max, stats->error_dissipation_max);
    sum->kinetic_energy = stats->kinetic_energy;
    sum->potential_energy = stats->potential_energy;
}

icf_run_summary icf_run_totals_summary(const icf_run_totals *totals)
{
    icf_run_summary mean = totals->sum;
    const double n = (double)ICF_MAX(mean.steps, 1), ncontact = (double)ICF_MAX(totals->contact_steps, 1);
    mean.ms_total /= n;
    mean.cpu_ms /= n;
    mean.cpu_max /= n;
    mean.cpu_mean /= n;
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) mean.ms[phase] /= n;
    mean.iterations_mean /= ncontact;
    mean.contacts_mean /= n;
    mean.islands_mean /= n;
    return mean;
}

static void put_count(json_t *object, const char *key, icf_cnt value)
{
    json_object_set_new(object, key, json_integer(value));
}

/* JSON knows no infinity and no NaN: null stands for them. */
static void put_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void put_text(json_t *object, const char *key, const char *value)
{
    json_object_set_new(object, key, json_string(value));
}

static void put_run(json_t *object, const icf_context *context, const icf_scene *scene, const icf_run_totals *totals,
                    const char *status_text)
{
    put_text(object, "scene", scene->name);
    put_text(object, "status", status_text);
    put_text(object, "model", icf_model_name(scene->contact.model));
    put_count(object, "bodies", scene->nbody);
    put_count(object, "steps", totals->last_step);
    put_number(object, "time", totals->time);
    put_number(object, "step_size", scene->time.step);
    put_count(object, "ranks", context->size);
    put_count(object, "threads", context->nthread);
}

static void put_times(json_t *object, const icf_run_summary *summary)
{
    put_number(object, "wall_s", summary->wall_s);
    put_number(object, "ms_total", summary->ms_total);
    put_number(object, "cpu_ms", summary->cpu_ms);
    put_number(object, "cpu_max", summary->cpu_max);
    put_number(object, "cpu_mean", summary->cpu_mean);
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) {
        char key[32];
        snprintf(key, sizeof key, "ms_%s", icf_phase_name((icf_phase)phase));
        put_number(object, key, summary->ms[phase]);
    }
    put_number(object, "over_factor", summary->ms_total / summary->ms[ICF_PHASE_FACTOR]);
    put_number(object, "peak_memory_mb", summary->peak_memory_mb);
}

static void put_solution(json_t *object, const icf_run_summary *summary)
{
    char checksum[20];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, summary->checksum);
    put_number(object, "iterations_mean", summary->iterations_mean);
    put_count(object, "iterations_max", summary->iterations_max);
    put_number(object, "contacts_mean", summary->contacts_mean);
    put_count(object, "contacts_max", summary->contacts_max);
    put_number(object, "islands_mean", summary->islands_mean);
    put_count(object, "islands_max", summary->islands_max);
    put_count(object, "factorizations", summary->factorizations);
    put_number(object, "flops", summary->flops);
    put_count(object, "line_search", summary->line_search);
    put_count(object, "group_iterations", summary->group_iterations);
    put_count(object, "group_sums", summary->group_sums);
    put_count(object, "messages", summary->messages);
    put_count(object, "bytes", summary->bytes);
    put_count(object, "roundoff", summary->roundoff);
    put_count(object, "redone", summary->redone);
    put_number(object, "penetration_max", summary->penetration_max);
    put_number(object, "momentum_residual", summary->momentum_residual);
    put_number(object, "error_signorini_max", summary->error_signorini_max);
    put_number(object, "error_coulomb_max", summary->error_coulomb_max);
    put_number(object, "error_dissipation_max", summary->error_dissipation_max);
    put_number(object, "kinetic_energy", summary->kinetic_energy);
    put_number(object, "potential_energy", summary->potential_energy);
    put_text(object, "checksum", checksum);
}

/* Writes and closes a new file; 0 or an errno value. */
static int write_json(const json_t *object, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return errno;
    int error = json_dumpf(object, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ? EIO : 0;
    if (fputc('\n', file) == EOF) error = errno;
    if (fclose(file) != 0) error = errno;
    return error;
}

static icf_status replace(icf_context *context, const json_t *object, const char *path)
{
    char *temporary = icf_path_print("%s.tmp", path);
    if (!temporary) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    const int error = write_json(object, temporary);
    icf_status status;
    if (error == 0) {
        status = icf_file_commit(context, temporary, path);
    } else {
        status = icf_file_fail(context, path, error);
        (void)remove(temporary);
    }
    icf_free(temporary);
    return status;
}

icf_status icf_summary_write(icf_context *context, const icf_scene *scene, const char *directory,
                             const icf_run_totals *totals, const icf_run_summary *summary, const char *status_text)
{
    json_t *object = json_object();
    char *path = icf_path_print("%s/summary.json", directory);
    icf_status status = ICF_ERROR_MEMORY;
    if (object && path) {
        put_run(object, context, scene, totals, status_text);
        put_times(object, summary);
        put_solution(object, summary);
        status = replace(context, object, path);
    }
    if (status == ICF_ERROR_MEMORY) status = icf_fail(context, status, "out of memory for summary.json");
    icf_free(path);
    json_decref(object);
    return status;
}
