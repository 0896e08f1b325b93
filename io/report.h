/* One page of a run: report.html, which opens from disk without a network.
 *
 *   run.h5 --------> report_run.c, report_mesh.c, report_frame.c --> report_movie.c --+
 *   stats.csv -----> report_stats.c --------------------------------------------------+--> report.c --> report.html
 *   summary.json, job.txt, a scene ---------------------------------------------------+
 *                                                     report_warnings.c, report_data.c
 *
 * The page itself (HTML, style, scripts, three.js) is part of the program: report_page.h.  One process.
 */
#ifndef ICF_IO_REPORT_H
#define ICF_IO_REPORT_H

#include "base/context.h"

typedef struct icf_report_options {
    const char *directory; /* of the run */
    const char *output;    /* the page */
    const char *scene;     /* a scene to show as text, or NULL */
    const char *program;   /* version of the program */
    double max_mb;         /* of the page [MB] */
} icf_report_options;

typedef struct icf_report_outcome {
    size_t nframe, nframe_run; /* in the page; in the run */
    size_t nwarning;
    double first_time, last_time; /* of the frames [s] */
    double mb;                    /* size of the page [MB] */
} icf_report_outcome;

/* Writes the page; it appears whole or not at all.
 * ICF_ERROR_FILE: no run there, a file of it is damaged, the page cannot be written.  ICF_ERROR_USAGE: two frames are
 * larger than the page may be. */
ICF_MUST_CHECK icf_status icf_report_write(icf_context *context, const icf_report_options *options,
                                           icf_report_outcome *outcome);

#endif
