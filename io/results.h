/* Results of a run: run.h5 with run.xmf beside it (ParaView), stats.csv, summary.json and the trace.
 *
 * One object owns all files of a run.  HDF5: one group a frame.  Every file is flushed after each frame (at
 * most every 5 s).  With a restart the files are cut back to the checkpoint's step and appended to.
 */
#ifndef ICF_IO_RESULTS_H
#define ICF_IO_RESULTS_H

#include "base/context.h"
#include "contact/contacts.h"
#include "scene/bodies.h"
#include "scene/scene.h"
#include "step/stats.h"

typedef struct icf_results icf_results;

/* Opens the files of a run in scene->output.directory (created when missing).
 *   trace        [in] path of the trace or NULL
 *   restart_step [in] -1: a new run replaces the files there; else cut back to this step and append
 * ICF_ERROR_FILE with the path and the system's reason.  Collective. */
ICF_MUST_CHECK icf_status icf_results_open(icf_context *context, const icf_scene *scene, const icf_bodies *bodies,
                                           const char *trace, icf_cnt restart_step, icf_results **results);

/* Writes the line of a step to stats.csv (every step) and, when icf_scene_is_frame says so, a frame to
 * run.h5 and (not for step 0) a line to the trace.
 *   contacts [in] the step's contacts with impulses; NULL at step 0
 * ICF_ERROR_FILE on a full disk and the like.  Collective. */
ICF_MUST_CHECK icf_status icf_results_write(icf_results *results, const icf_bodies *bodies,
                                            const icf_contacts *contacts, const icf_step_stats *stats);

/* Writes what is still buffered, the index files and summary.json, and closes.  Nulls *results; accepts
 * NULL in it.  Collective. */
ICF_MUST_CHECK icf_status icf_results_close(icf_results **results, const icf_bodies *bodies, const char *status_text);

/* What the run did so far, over all steps written; the end summary prints it. */
typedef struct icf_run_summary {
    icf_cnt steps;
    double wall_s;              /* wall time since open */
    double ms_total;            /* mean wall ms a step */
    double cpu_ms;              /* mean CPU ms a step */
    double ms[ICF_PHASE_COUNT]; /* mean wall ms a step by phase */
    double iterations_mean;     /* mean over steps that had contacts of iterations_mean */
    icf_cnt iterations_max;
    double contacts_mean; /* candidates */
    icf_cnt contacts_max;
    double islands_mean;
    icf_cnt islands_max;
    icf_cnt factorizations, line_search, roundoff, redone; /* totals; redone: steps done in substeps */
    double penetration_max;                                /* m */
    double momentum_residual;                              /* the worst */
    double kinetic_energy, potential_energy;               /* at the last step [J] */
    double peak_memory_mb;                                 /* largest resident set of a rank */
    uint64_t checksum;                                     /* of the last state */
} icf_run_summary;

/* Summary so far.  Collective. */
icf_run_summary icf_results_summary(icf_results *results, const icf_bodies *bodies);

#endif
