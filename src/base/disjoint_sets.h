/* Disjoint sets of the numbers 0 .. n - 1: which hang together by pairs that are given one after the other. */
#ifndef ICF_BASE_DISJOINT_SETS_H
#define ICF_BASE_DISJOINT_SETS_H

#include "base/types.h"

/* Starts with each number alone.
 *   set [out] (n) */
static inline void icf_sets_start(icf_lid n, icf_lid *set)
{
    for (icf_lid i = 0; i < n; ++i) set[i] = i;
}

/* The smallest number of the set of i; halves the path on its way. */
static inline icf_lid icf_sets_find(icf_lid *set, icf_lid i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

/* Joins the sets of two numbers. */
static inline void icf_sets_join(icf_lid *set, icf_lid a, icf_lid b)
{
    const icf_lid first = icf_sets_find(set, a), second = icf_sets_find(set, b);
    set[ICF_MAX(first, second)] = ICF_MIN(first, second);
}

#endif
