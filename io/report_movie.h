/* Frames of a run, packed for a report.
 *
 * A frame is these lists of whole numbers (report_bytes.h), one after the other; `last` is the frame before it, all 0
 * at first.  n bodies, v surface vertices of deformable bodies, k contacts that are shown.
 *
 *   position x, y, z   (n)  steps of `quantum`, less 2 last - (the one before)
 *   orientation w .. z (n)  32767 times, the sign nearest to the last, less last
 *   speed              (n)  icf_report_float, less last
 *   force              (n)  icf_report_float, less last
 *   island             (n)  less last
 *   rank               (n)  -1 when the body is absent, less last
 *   vertex x, y, z     (v)  as position
 *   speed, von Mises   (v)  icf_report_float, less last
 *   k                       whole number >= 0
 *   first              (k)  row, less that of the contact before
 *   second             (k)  row, less first
 *   point x, y, z      (k)  steps of `quantum`, less those of the contact before
 *   force x, y, z      (k)  icf_report_float
 *
 * Only the strongest contacts of a frame are shown, at most ICF_REPORT_CONTACTS; the force of a body is of all.
 */
#ifndef ICF_IO_REPORT_MOVIE_H
#define ICF_IO_REPORT_MOVIE_H

#include "io/report_bytes.h"
#include "io/report_run.h"

enum { ICF_REPORT_CONTACTS = 4000 };

typedef struct icf_report_moment {
    icf_cnt step;
    double time;
    icf_lid ncontact, nshown; /* contacts that carry an impulse; those in the movie */
} icf_report_moment;

typedef struct icf_report_movie {
    double quantum; /* m */
    icf_report_pack pack;
    size_t nframe;
    icf_report_moment *moment; /* (nframe) */
} icf_report_movie;

/* Packs all frames of a run, or as many, evenly chosen, with the first and the last, as fit into so many bytes of
 * base64. ICF_ERROR_USAGE: two do not fit. */
ICF_MUST_CHECK icf_status icf_report_movie_build(icf_report_run *run, size_t most_bytes, icf_report_movie *movie);
void icf_report_movie_clear(icf_report_movie *movie);

/* Smallest half extent of the rigid bodies that the solver moves; 0 when there is none [m]. */
double icf_report_smallest_size(const icf_report_run *run);

#endif
