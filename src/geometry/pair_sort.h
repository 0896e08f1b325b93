/* Pairs into canonical order, in linear time. */
#ifndef ICF_GEOMETRY_PAIR_SORT_H
#define ICF_GEOMETRY_PAIR_SORT_H

#include "geometry/broad_phase.h"

/* Sorts by (a, b), all of them in [0, n).
 *   pairs [in,out] (npair)
 *   work  [out]    (npair) scratch
 *   begin [out]    (n + 1) scratch
 * Serial; takes no memory. */
void icf_sort_pairs(icf_lid n, icf_lid npair, icf_pair *pairs, icf_pair *work, icf_lid *begin);

#endif
