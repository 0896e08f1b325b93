/* Pairs into canonical order, in linear time. */
#ifndef ICF_GEOMETRY_PAIR_SORT_H
#define ICF_GEOMETRY_PAIR_SORT_H

#include "geometry/broad_phase.h"

/* What one thread found. */
typedef struct icf_pair_list {
    icf_lid n;
    const icf_pair *pair;
} icf_pair_list;

/* Puts lists together, sorted by (a, b), all of them in [0, n); then names take the place of numbers.
 *   name  [in]  (n)
 *   list  [in]  (nlist)
 *   pairs [out] (pairs of all lists)
 *   work  [out] (pairs of all lists) scratch
 *   begin [out] (2 (n + 1)) scratch
 * Serial; takes no memory. */
void icf_sort_pairs(icf_lid n, const icf_lid *name, int nlist, const icf_pair_list *list, icf_pair *pairs,
                    icf_pair *work, icf_lid *begin);

#endif
