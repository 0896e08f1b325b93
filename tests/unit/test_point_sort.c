/* Sorting of contact points: every order comes out the same, in n log n comparisons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/point_sort.h"

enum { most = 20000 };

static icf_contact_point points[most];
static long ncompare;

static bool count_features(const icf_contact_point *p, const icf_contact_point *q)
{
    ++ncompare;
    return icf_point_has_lower_feature(p, q);
}

/* Features 0..n-1 in an order; the rest of a point goes with its feature. */
static void fill(int n, int order)
{
    for (int i = 0; i < n; ++i) {
        const int64_t feature = order == 0 ? i : order == 1 ? n - 1 - i : (int64_t)i * 7919 % n; // 7919 is prime
        points[i] = (icf_contact_point){.distance = -0.5 * (double)feature, .feature = feature};
    }
}

static void every_order_is_sorted(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 100, 1000, most};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int order = 0; order < 3; ++order) {
            const int n = sizes[s];
            fill(n, order);
            ncompare = 0;
            icf_sort_points((size_t)n, points, count_features);
            for (int i = 0; i < n; ++i) {
                assert_int_equal(points[i].feature, i);
                assert_true(points[i].distance == -0.5 * i);
            }
            assert_true((double)ncompare <= 2.0 * n * log2(n + 1.0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_order_is_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
