/* Two stable counting sorts: by the second, then by the first body.  Every list is read twice, the sorted pairs once.
 */
#include "geometry/pair_sort.h"

#include <string.h>

/* begin[i] = number of keys below i, from counts in begin[i + 1] */
static void accumulate(icf_lid n, icf_lid *begin)
{
    for (icf_lid i = 0; i < n; ++i) begin[i + 1] += begin[i];
}

static void count(const icf_pair_list *list, icf_lid *begin_a, icf_lid *begin_b)
{
    for (icf_lid k = 0; k < list->n; ++k) {
        ++begin_a[list->pair[k].a + 1];
        ++begin_b[list->pair[k].b + 1];
    }
}

void icf_sort_pairs(icf_lid n, const icf_lid *name, int nlist, const icf_pair_list *list, icf_pair *pairs,
                    icf_pair *work, icf_lid *begin)
{
    icf_lid *begin_a = begin, *begin_b = begin + n + 1, npair = 0;
    memset(begin, 0, 2 * ((size_t)n + 1) * sizeof *begin);
    for (int l = 0; l < nlist; ++l) count(&list[l], begin_a, begin_b);
    accumulate(n, begin_a);
    accumulate(n, begin_b);
    for (int l = 0; l < nlist; ++l) {
        const icf_pair *from = list[l].pair;
        for (icf_lid k = 0; k < list[l].n; ++k) work[begin_b[from[k].b]++] = from[k];
        npair += list[l].n;
    }
    for (icf_lid k = 0; k < npair; ++k) pairs[begin_a[work[k].a]++] = (icf_pair){name[work[k].a], name[work[k].b]};
}
