/* ranks.csv: what each rank did in each step, a line a rank and step, for studies of the load (output.ranks: true). */
#ifndef ICF_IO_RANKS_CSV_H
#define ICF_IO_RANKS_CSV_H

#include "io/text_file.h"
#include "step/stats.h"

/* Opens DIRECTORY/ranks.csv on rank 0.
 *   last_step [in] lines up to this step are kept; < 0: a new file */
ICF_MUST_CHECK icf_status icf_ranks_open(icf_context *context, icf_text_file *file, const char *directory,
                                         icf_cnt last_step);

/* Appends the lines of a step on rank 0.  Collective. */
ICF_MUST_CHECK icf_status icf_ranks_put(icf_context *context, icf_text_file *file, const icf_step_stats *stats);

#endif
