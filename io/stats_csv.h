/* stats.csv: a header and a line a step; read back when a run is continued.
 *
 * Results are written with 17 significant digits, times in milliseconds with 4 decimals.  Rank 0 only.
 */
#ifndef ICF_IO_STATS_CSV_H
#define ICF_IO_STATS_CSV_H

#include "io/text_file.h"
#include "step/stats.h"

/* Receives a line that is kept. */
typedef void (*icf_stats_sink)(void *user, const icf_step_stats *stats);

/* Opens DIRECTORY/stats.csv.
 *   last_step [in] lines up to this step are kept and handed to `sink`; < 0: a new file */
ICF_MUST_CHECK icf_status icf_stats_open(icf_context *context, icf_text_file *file, const char *directory,
                                         icf_cnt last_step, icf_stats_sink sink, void *user);

/* Appends the line of a step. */
void icf_stats_put(icf_text *text, const icf_step_stats *stats);

#endif
