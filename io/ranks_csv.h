/* ranks.csv: what each rank did in each step, a line a rank and step, for studies of the load (output.ranks: true).
 *
 * Rank 0 writes what it gathers.
 */
#ifndef ICF_IO_RANKS_CSV_H
#define ICF_IO_RANKS_CSV_H

#include "io/text_file.h"
#include "step/stats.h"

/* All zero: not open. */
typedef struct icf_ranks_file {
    icf_text_file file;
    icf_rank_stats *all; /* (ranks) of a step; on rank 0 while the file is open */
} icf_ranks_file;

/* Opens DIRECTORY/ranks.csv.  Local to rank 0.  ICF_ERROR_FILE, ICF_ERROR_MEMORY.
 *   last_step [in] lines up to this step are kept; < 0: a new file
 *   wanted    [in] false: the file of a run that goes on is cut, if there is one, and stays closed */
ICF_MUST_CHECK icf_status icf_ranks_open(icf_context *context, icf_ranks_file *ranks, const char *directory,
                                         icf_cnt last_step, bool wanted);

/* Appends the lines of a step.  Collective. */
void icf_ranks_put(icf_context *context, icf_ranks_file *ranks, const icf_step_stats *stats);

/* Flushes and closes; local to rank 0, nothing on others. */
ICF_MUST_CHECK icf_status icf_ranks_close(icf_context *context, icf_ranks_file *ranks);

#endif
