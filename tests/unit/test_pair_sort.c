/* Pair sort: canonical order of every pair once, against a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/pair_sort.h"

enum { n = 40, npair = n * (n - 1) / 2 };

/* All pairs in a scrambled order (steps of 7 are prime to their number 780) come out row by row. */
static void all_pairs_row_by_row(void **state)
{
    (void)state;
    icf_pair sorted[npair], pairs[npair], work[npair];
    icf_lid begin[n + 1], k = 0;
    for (icf_lid a = 0; a < n; ++a)
        for (icf_lid b = a + 1; b < n; ++b) sorted[k++] = (icf_pair){a, b};
    for (k = 0; k < npair; ++k) pairs[k] = sorted[7 * k % npair];
    icf_sort_pairs(n, npair, pairs, work, begin);
    assert_memory_equal(pairs, sorted, sizeof sorted);
}

static void nothing_to_sort(void **state)
{
    (void)state;
    icf_lid begin[1];
    icf_sort_pairs(0, 0, NULL, NULL, begin);
    assert_int_equal(begin[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_row_by_row),
        cmocka_unit_test(nothing_to_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
