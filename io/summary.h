/* summary.json, and the sums over steps behind it. */
#ifndef ICF_IO_SUMMARY_H
#define ICF_IO_SUMMARY_H

#include "io/results.h"

/* Sums over the steps written so far. */
typedef struct icf_run_totals {
    icf_run_summary sum;   /* means hold sums here */
    icf_cnt contact_steps; /* steps with contacts */
    icf_cnt last_step;
    double time; /* of the last step [s] */
} icf_run_totals;

/* Adds a step. */
void icf_run_totals_add(icf_run_totals *totals, const icf_step_stats *stats);

/* The totals with sums turned into means. */
icf_run_summary icf_run_totals_summary(const icf_run_totals *totals);

/* Writes DIRECTORY/summary.json, replacing it at once.  Rank 0 only. */
ICF_MUST_CHECK icf_status icf_summary_write(icf_context *context, const icf_scene *scene, const char *directory,
                                            const icf_run_totals *totals, const icf_run_summary *summary,
                                            const char *status_text);

#endif
