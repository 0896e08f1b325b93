/* Progress of a run on standard error, on rank 0.
 *
 * On a terminal one line that is rewritten up to ten times a second; elsewhere (when it is asked for) a line
 * every second.
 */
#ifndef ICF_CLI_PROGRESS_H
#define ICF_CLI_PROGRESS_H

#include "base/context.h"
#include "step/stats.h"

typedef enum icf_progress_mode { ICF_PROGRESS_AUTO, ICF_PROGRESS_ALWAYS, ICF_PROGRESS_NEVER } icf_progress_mode;

typedef struct icf_progress {
    bool enabled, terminal;
    icf_cnt first, last;   /* step of the state at the start, last step of the run */
    double begin, printed; /* wall time of the start and of the last line [s] */
    bool dirty;            /* a line stands on the terminal without a newline */
} icf_progress;

/* Starts: auto prints on a terminal only; a quiet context prints only when asked for always.
 *   first [in] step of the state at the start
 *   last  [in] last step of the run */
void icf_progress_begin(icf_progress *progress, const icf_context *context, icf_progress_mode mode, icf_cnt first,
                        icf_cnt last);

/* Shows a step when it is time to: time, step, contacts, Newton iterations, ms/step, time left. */
void icf_progress_show(icf_progress *progress, const icf_step_stats *stats);

/* Removes the line from the terminal. */
void icf_progress_end(icf_progress *progress);

#endif
