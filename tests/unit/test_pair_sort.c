/* Pair sort: canonical order of every pair once, against a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/pair_sort.h"

enum { n = 40, npair = n * (n - 1) / 2 };

/* All pairs in a scrambled order (steps of 7 are prime to their number 780) come out row by row, from any number of
 * lists, with the names of their bodies. */
static void all_pairs_row_by_row(void **state)
{
    (void)state;
    icf_pair sorted[npair], from[npair], pairs[npair], work[npair];
    icf_lid begin[2 * (n + 1)], name[n], k = 0;
    for (icf_lid a = 0; a < n; ++a) name[a] = 3 * a % n; /* any */
    for (icf_lid a = 0; a < n; ++a)
        for (icf_lid b = a + 1; b < n; ++b) {
            from[7 * k % npair] = (icf_pair){a, b};
            sorted[k++] = (icf_pair){name[a], name[b]};
        }
    for (icf_lid first = 0; first <= npair; first += 390) {
        const icf_pair_list list[3] = {{first, from}, {0, NULL}, {npair - first, from + first}};
        icf_sort_pairs(n, name, 3, list, pairs, work, begin);
        assert_memory_equal(pairs, sorted, sizeof sorted);
    }
}

static void nothing_to_sort(void **state)
{
    (void)state;
    icf_lid begin[2] = {7, 7};
    icf_sort_pairs(0, NULL, 0, NULL, NULL, NULL, begin);
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
