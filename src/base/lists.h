/* Items by list, one array behind the other: list k has the items at[k] .. at[k + 1] - 1.
 *
 * Filled in two passes: items of list k are counted in at[k + 1], icf_lists_start; each item goes to at[k]++,
 * icf_lists_end. */
#ifndef ICF_BASE_LISTS_H
#define ICF_BASE_LISTS_H

#include "base/types.h"

/* Turns numbers of items into starts; at (n + 1), at[0] = 0. */
static inline void icf_lists_start(icf_lid n, icf_lid *at)
{
    for (icf_lid k = 0; k < n; ++k) at[k + 1] += at[k];
}

/* Moves the starts, which have become ends, back. */
static inline void icf_lists_end(icf_lid n, icf_lid *at)
{
    for (icf_lid k = n; k > 0; --k) at[k] = at[k - 1];
    at[0] = 0;
}

#endif
