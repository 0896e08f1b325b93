/* Results of a run: run.h5 with index files beside it (ParaView), stats.csv, ranks.csv, summary.json and the trace.
 *
 * One object owns all files of a run and writes them step by step:
 *
 *   icf_results_write --+-- frames.c ----- run.h5, index files (xdmf.c)    steps that are frames
 *                       +-- trace.c ------ the trace                       steps that are frames, but step 0
 *                       +-- stats_csv.c -- stats.csv                       every step, but step 0
 *                       +-- ranks_csv.c -- ranks.csv                       likewise, with output.ranks
 *   icf_results_close ----- summary.c ---- summary.json
 *
 * Flushes follow a write when the last one is 5 s old, or sooner as long as they take under a twentieth of
 * the time; what was flushed survives a kill.  Text files hold whole lines only, and the index files name
 * only frames that were flushed.  Bodies' rows in run.h5 are written by the ranks that own them; text files
 * are rank 0's.  Every function is collective; ranks agree on failures.
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
 *   restart_step [in] -1: a new run, which removes the files of an earlier one there (and nothing else); else
 *                     the files are cut back to this step and appended to, missing ones are created
 * Keeps context and scene (borrowed).  ICF_ERROR_FILE with the path and the system's reason, also when
 * another run is writing there.  Collective. */
ICF_MUST_CHECK icf_status icf_results_open(icf_context *context, const icf_scene *scene, const icf_bodies *bodies,
                                           const char *trace, icf_cnt restart_step, icf_results **results);

/* Writes the line of a step to stats.csv and, when icf_scene_is_frame says so, a frame to run.h5 and an
 * object to the trace.  Step 0 is a frame only.  A step that the files hold already is skipped.
 *   contacts [in] the step's contacts with impulses; NULL at step 0
 *   stats    [in] the line, without the time of this call, which is added to its ms_output, ms_total, cpu_ms
 * ICF_ERROR_FILE on a full disk and the like; the files then hold what they held before.  Collective. */
ICF_MUST_CHECK icf_status icf_results_write(icf_results *results, const icf_bodies *bodies,
                                            const icf_contact_views *contacts, const icf_step_stats *stats);

/* Hands everything written so far to the operating system, whatever the clock says: to be called before a
 * checkpoint, so that a restart from it finds every line.  Collective. */
ICF_MUST_CHECK icf_status icf_results_flush(icf_results *results);

/* Writes what is still buffered, the index files and summary.json, and closes.  Nulls *results; accepts
 * NULL in it.  Collective. */
ICF_MUST_CHECK icf_status icf_results_close(icf_results **results, const icf_bodies *bodies, const char *status_text);

/* What the run did so far, over all steps in its files (a restart counts those it kept). */
typedef struct icf_run_summary {
    icf_cnt steps;
    double wall_s;              /* wall time since this process opened the results */
    double ms_total;            /* mean wall ms a step */
    double cpu_ms;              /* mean CPU ms a step */
    double cpu_max, cpu_mean;   /* mean CPU ms a step outside MPI waits: busiest rank, mean over ranks */
    double ms[ICF_PHASE_COUNT]; /* mean wall ms a step by phase */
    double iterations_mean;     /* mean over steps that had contacts of iterations_mean */
    icf_cnt iterations_max;
    double contacts_mean; /* candidates */
    icf_cnt contacts_max;
    double islands_mean;
    icf_cnt islands_max;
    icf_cnt factorizations, line_search, roundoff, redone; /* totals; redone: steps done in substeps */
    double flops; /* operations of the factorisations, but of those that groups of ranks share */
    icf_cnt group_iterations, group_sums;    /* totals, of islands that groups of ranks solved */
    icf_cnt messages, bytes;                 /* totals, from rank to rank */
    double penetration_max;                  /* m */
    double momentum_residual;                /* the worst */
    double error_signorini_max;              /* of contact laws, step/diagnose.h [W] */
    double error_coulomb_max;                /* [N] */
    double error_dissipation_max;            /* [W] */
    double kinetic_energy, potential_energy; /* at the last step [J] */
    double peak_memory_mb;                   /* largest resident set of a rank */
    uint64_t checksum;                       /* of the last state */
} icf_run_summary;

/* Summary so far.  Collective. */
icf_run_summary icf_results_summary(icf_results *results, const icf_bodies *bodies);

#endif
