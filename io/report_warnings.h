/* What a report says first: what in a run deserves a look. */
#ifndef ICF_IO_REPORT_WARNINGS_H
#define ICF_IO_REPORT_WARNINGS_H

#include <jansson.h>

#include "io/report_movie.h"
#include "io/report_stats.h"

/* What the warnings are made of. */
typedef struct icf_report_facts {
    const icf_report_run *run;
    const icf_report_movie *movie;
    const icf_report_stats *stats;
    const json_t *summary; /* NULL: there is none */
} icf_report_facts;

/* Makes the list of {"level": "warning" | "note", "text": ..., "step": ...}, warnings first; step only where one is
 * meant. NULL when out of memory. */
json_t *icf_report_warnings(const icf_report_facts *facts);

/* Number of warnings, without notes. */
size_t icf_report_count_warnings(const json_t *list);

#endif
