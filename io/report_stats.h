/* stats.csv as a report reads it: any columns, of as many steps as a plot can show.
 *
 * Lines are merged in groups of 1, 2, 4, ... when there are more than a plot can show: columns that end in _max, and
 * those that a peak matters of, keep their maximum, step, time and energies the last value, the others the mean.
 */
#ifndef ICF_IO_REPORT_STATS_H
#define ICF_IO_REPORT_STATS_H

#include "base/context.h"

enum { ICF_REPORT_LINES = 20000 };

typedef struct icf_report_column {
    char *name;      /* in the header's memory */
    double *value;   /* (nline) */
    double sum, max; /* over all steps; NaN counts as nothing */
    icf_cnt max_step;
} icf_report_column;

typedef struct icf_report_stats {
    char *header;
    int ncolumn;
    icf_report_column *column;
    size_t nline;                 /* lines that are kept */
    icf_cnt nstep;                /* lines of the file */
    icf_cnt merge;                /* lines of the file to a line that is kept */
    icf_cnt in_last;              /* of the last one that is kept */
    icf_cnt redone, first_redone; /* steps that were done again in substeps; the first of them */
} icf_report_stats;

/* Reads DIRECTORY/stats.csv; a file that is missing has no columns.
 * ICF_ERROR_FILE: a line that is not like the first, with its number. */
ICF_MUST_CHECK icf_status icf_report_stats_read(icf_context *context, const char *directory, icf_report_stats *stats);
void icf_report_stats_clear(icf_report_stats *stats);

/* A column by its name; NULL when there is none. */
const icf_report_column *icf_report_stats_column(const icf_report_stats *stats, const char *name);

#endif
