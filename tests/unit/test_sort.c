/* Sorting: ascending keys, equal keys in their order, against an independent sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "base/sort.h"

enum { nmax = 5000 };

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

/* Order by key, then by value: with values 0..n-1 in the input this is the stable order. */
static int compare(const void *a, const void *b)
{
    const icf_keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Keys limited by a mask: few different ones test stability, some digits are then all the same. */
static void agrees_with_qsort(void **state)
{
    (void)state;
    static icf_keyed items[nmax], expected[nmax], work[nmax];
    const icf_lid sizes[] = {0, 1, 2, 32, 33, 1000, nmax};
    const uint64_t masks[] = {0, 7, 0xff00, 0xff00000000000001u, 0x0301000300010003u, UINT64_MAX};
    uint64_t seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; ++m) {
            const icf_lid n = sizes[s];
            for (icf_lid i = 0; i < n; ++i) expected[i] = items[i] = (icf_keyed){draw(&seed) & masks[m], i};
            qsort(expected, (size_t)n, sizeof *expected, compare);
            icf_sort_keyed(n, items, work);
            for (icf_lid i = 0; i < n; ++i) {
                assert_int_equal(items[i].key, expected[i].key);
                assert_int_equal(items[i].value, expected[i].value);
            }
        }
}

/* Rows of 1 to 5 numbers from a small range: ascending, equal rows by their number. */
static void rows_are_lexicographic(void **state)
{
    (void)state;
    enum { n = 700, widest = 5 };
    static icf_lid rows[n * widest];
    static icf_keyed items[n], work[n];
    uint64_t seed = 7;
    for (int width = 1; width <= widest; ++width) {
        for (int i = 0; i < n * width; ++i) rows[i] = (icf_lid)(draw(&seed) % 5 == 0 ? INT32_MAX : draw(&seed) % 3);
        icf_sort_rows(n, width, rows, items, work);
        int nequal = 0;
        for (int i = 1; i < n; ++i) {
            const icf_lid *a = rows + items[i - 1].value * width, *b = rows + items[i].value * width;
            int c = 0;
            while (c < width && a[c] == b[c]) ++c;
            if (c == width) assert_true(items[i - 1].value < items[i].value);
            if (c < width) assert_true(a[c] < b[c]);
            nequal += c == width;
        }
        assert_true(width > 4 || nequal > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_qsort), cmocka_unit_test(rows_are_lexicographic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
