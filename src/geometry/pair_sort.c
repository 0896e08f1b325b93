/* Two stable counting sorts: by the second, then by the first body. */
#include "geometry/pair_sort.h"

/* begin[i] = number of keys below i, from counts in begin[i + 1] */
static void accumulate(icf_lid n, icf_lid *begin)
{
    for (icf_lid i = 0; i < n; ++i) begin[i + 1] += begin[i];
}

void icf_sort_pairs(icf_lid n, icf_lid npair, icf_pair *pairs, icf_pair *work, icf_lid *begin)
{
    for (icf_lid i = 0; i <= n; ++i) begin[i] = 0;
    for (icf_lid k = 0; k < npair; ++k) ++begin[pairs[k].b + 1];
    accumulate(n, begin);
    for (icf_lid k = 0; k < npair; ++k) work[begin[pairs[k].b]++] = pairs[k];

    for (icf_lid i = 0; i <= n; ++i) begin[i] = 0;
    for (icf_lid k = 0; k < npair; ++k) ++begin[work[k].a + 1];
    accumulate(n, begin);
    for (icf_lid k = 0; k < npair; ++k) pairs[begin[work[k].a]++] = work[k];
}
