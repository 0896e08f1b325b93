/* What in a run deserves a look. */
#include "io/report_warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits above which a run is worth a look. */
static const double deep_part = 0.1;          /* of the smallest half extent of a moving body */
static const double large_residual = 1e-3;    /* of momentum, relative */
static const double large_imbalance = 1.2;    /* busiest rank over the mean */
static const double worth_balancing_ms = 1.0; /* CPU time a step of a rank, below which balance does not matter */

/* Adds a finding; step < 0: it is of no step. */
__attribute__((format(printf, 4, 5))) static void add(json_t *list, const char *level, icf_cnt step, const char *format,
                                                      ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_t *finding = json_pack("{s:s, s:s}", "level", level, "text", text);
    if (step >= 0) json_object_set_new(finding, "step", json_integer(step));
    json_array_append_new(list, finding);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static icf_cnt count_of(const json_t *object, const char *key)
{
    return (icf_cnt)json_integer_value(json_object_get(object, key));
}

static void look_at_end(json_t *list, const icf_report_facts *facts)
{
    if (!facts->summary)
        add(list, "warning", -1, "There is no summary.json: the run goes on, or it was killed. The results end early.");
    else if (strcmp(text_of(facts->summary, "status"), "failed") == 0)
        add(list, "warning", count_of(facts->summary, "steps"),
            "The solver could not go on after step %" PRId64 ". The island that failed is in failed-island.yaml.",
            count_of(facts->summary, "steps"));
}

static void look_at_substeps(json_t *list, const icf_report_stats *stats)
{
    const icf_report_column *substeps = icf_report_stats_column(stats, "substeps");
    if (!substeps || stats->redone == 0) return;
    add(list, "warning", stats->first_redone,
        "%" PRId64 " of %" PRId64
        " steps did not converge and were done again in substeps, at most %.0f; the first was "
        "step %" PRId64 ".",
        stats->redone, stats->nstep, substeps->max, stats->first_redone);
}

static void look_at_penetration(json_t *list, const icf_report_facts *facts)
{
    const icf_report_column *penetration = icf_report_stats_column(facts->stats, "penetration_max");
    const double size = icf_report_smallest_size(facts->run);
    if (!penetration || size <= 0.0 || !(penetration->max > deep_part * size)) return;
    add(list, "warning", penetration->max_step,
        "Deep penetration: %.3g m at step %" PRId64
        ", %.0f %% of the half extent of the smallest moving body (%.3g m). "
        "The contacts are too soft, or the step is too long.",
        penetration->max, penetration->max_step, 100.0 * penetration->max / size, size);
}

static void look_at_residual(json_t *list, const icf_report_stats *stats)
{
    const icf_report_column *residual = icf_report_stats_column(stats, "momentum_residual");
    if (!residual || !(residual->max > large_residual)) return;
    add(list, "warning", residual->max_step, "The momentum error reached %.2g (relative) at step %" PRId64 ".",
        residual->max, residual->max_step);
}

static void look_at_balance(json_t *list, const icf_report_facts *facts)
{
    const icf_report_column *most = icf_report_stats_column(facts->stats, "cpu_max");
    const icf_report_column *mean = icf_report_stats_column(facts->stats, "cpu_mean");
    if (!most || !mean || count_of(facts->summary, "ranks") < 2 || !(mean->sum > 0.0)) return;
    const double imbalance = most->sum / mean->sum, steps = (double)facts->stats->nstep;
    if (imbalance <= large_imbalance) return;
    const bool matters = most->sum / steps >= worth_balancing_ms;
    add(list, matters ? "warning" : "note", -1,
        "Load imbalance: the busiest rank has %.2f times the mean load of the ranks%s.", imbalance,
        matters ? "" : ", with less than 1 ms a step");
}

static void look_at_notes(json_t *list, const icf_report_facts *facts)
{
    const icf_report_column *roundoff = icf_report_stats_column(facts->stats, "roundoff");
    const icf_report_movie *movie = facts->movie;
    icf_cnt cut = 0;
    for (size_t k = 0; k < movie->nframe; ++k) cut += movie->moment[k].nshown < movie->moment[k].ncontact;
    if (strcmp(text_of(facts->summary, "status"), "stopped") == 0)
        add(list, "note", -1, "The run was stopped before its end; it can go on from its checkpoint.");
    if (facts->stats->ncolumn == 0) add(list, "note", -1, "There is no stats.csv: there are no plots.");
    if (roundoff && roundoff->sum > 0.0)
        add(list, "note", roundoff->max_step, "%.0f islands stopped at round-off, which counts as converged.",
            roundoff->sum);
    if (movie->nframe < facts->run->frames.n)
        add(list, "note", -1, "%zu of the %zu frames are shown: more do not fit (--max-size).", movie->nframe,
            facts->run->frames.n);
    if (cut > 0)
        add(list, "note", -1, "In %" PRId64 " frames only the %d strongest contacts are shown as arrows.", cut,
            (int)ICF_REPORT_CONTACTS);
    if (facts->stats->merge > 1)
        add(list, "note", -1, "A point of a plot is %" PRId64 " steps: their mean, or their largest value.",
            facts->stats->merge);
}

json_t *icf_report_warnings(const icf_report_facts *facts)
{
    json_t *list = json_array();
    if (!list) return NULL;
    look_at_end(list, facts);
    look_at_substeps(list, facts->stats);
    look_at_penetration(list, facts);
    look_at_residual(list, facts->stats);
    look_at_balance(list, facts);
    look_at_notes(list, facts);
    return list;
}

size_t icf_report_count_warnings(const json_t *list)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); ++i)
        n += strcmp(text_of(json_array_get(list, i), "level"), "warning") == 0;
    return n;
}
