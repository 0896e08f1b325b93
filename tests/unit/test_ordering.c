/* Orders: permutations, fill compared with that of known good orders, repeatability, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <amd.h>

#include "sample_block_matrix.h"
#include "sample_order.h"
#include "solver/ordering.h"
#include "solver/symbolic.h"

typedef icf_status order_function(icf_ordering *ordering, const icf_block_matrix *matrix, icf_lid *order);
static order_function *const FUNCTIONS[] = {icf_order_minimum_degree, icf_order_nested_dissection};

static icf_lid *make_order(order_function *function, const icf_block_matrix *m)
{
    icf_lid *order = calloc((size_t)m->nblock + 1, sizeof *order);
    icf_ordering ordering;
    icf_ordering_init(&ordering);
    assert_int_equal(function(&ordering, m, order), ICF_OK);
    icf_ordering_clear(&ordering);
    return order;
}

static double flops_of(const icf_block_matrix *m, const icf_lid *order)
{
    icf_symbolic s;
    icf_symbolic_init(&s);
    assert_int_equal(icf_symbolic_build(&s, m, order), ICF_OK);
    const double flops = s.flops;
    icf_symbolic_clear(&s);
    return flops;
}

static void orders_are_permutations(void **state)
{
    (void)state;
    const int32_t mixed[] = {6, 3, 1, 17};
    for (int f = 0; f < 2; ++f)
        for (icf_lid n = 0; n <= 2000; n = n < 5 ? n + 1 : 3 * n) {
            for (int degree = 0; degree <= 8; degree += 4) {
                sample_matrix m = sample_random(n, mixed, 4, degree, 1.0, (uint64_t)n);
                icf_lid *order = make_order(FUNCTIONS[f], &m.matrix);
                assert_permutation(order, n);
                free(order);
                sample_free(&m);
            }
        }
}

/* amd_order, the library's entry that takes its own memory, is the yardstick. */
static void minimum_degree_has_the_fill_of_the_library(void **state)
{
    (void)state;
    const int32_t six[] = {6};
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        sample_matrix m = seed < 5 ? sample_random(300, six, 1, 2.0 + (double)seed, 1.0, seed)
                                   : sample_grid(9, 8, (icf_lid)seed, 6, 1.0, seed);
        icf_lid *order = make_order(icf_order_minimum_degree, &m.matrix);
        int *yardstick = calloc((size_t)m.matrix.nblock, sizeof *yardstick);
        assert_true(amd_order(m.matrix.nblock, m.ptr, m.idx, yardstick, NULL, NULL) >= 0);
        assert_true(flops_of(&m.matrix, order) <= 1.15 * flops_of(&m.matrix, yardstick));
        free(yardstick);
        free(order);
        sample_free(&m);
    }
}

/* The hub of an arrow goes last (or second to last, which is the same): no fill at all. */
static void an_arrow_has_no_fill(void **state)
{
    (void)state;
    for (icf_lid hub = 0; hub < 2000; hub += 999) {
        sample_matrix m = sample_arrow(2000, hub, 6, 1.0, 1);
        for (int f = 0; f < 2; ++f) {
            icf_lid *order = make_order(FUNCTIONS[f], &m.matrix);
            icf_symbolic s;
            icf_symbolic_init(&s);
            assert_int_equal(icf_symbolic_build(&s, &m.matrix, order), ICF_OK);
            int64_t blocks = 0;
            for (icf_lid k = 0; k < 2000; ++k) blocks += s.colcount[k];
            assert_int_equal(blocks, 2000 + 1999);
            icf_symbolic_clear(&s);
            free(order);
        }
        sample_free(&m);
    }
}

static void dissection_wins_on_a_large_cube(void **state)
{
    (void)state;
    sample_matrix m = sample_grid(24, 24, 24, 3, 1.0, 1);
    icf_lid *a = make_order(icf_order_minimum_degree, &m.matrix),
            *b = make_order(icf_order_nested_dissection, &m.matrix);
    assert_true(flops_of(&m.matrix, b) < 0.75 * flops_of(&m.matrix, a));
    free(a);
    free(b);
    sample_free(&m);
}

static void orders_repeat(void **state)
{
    (void)state;
    sample_matrix m = sample_grid(12, 12, 12, 3, 1.0, 1);
    for (int f = 0; f < 2; ++f) {
        icf_lid *first = make_order(FUNCTIONS[f], &m.matrix);
        int wrong = 0;
#pragma omp parallel for num_threads(2) reduction(+ : wrong)
        for (int i = 0; i < 4; ++i) {
            icf_lid order[12 * 12 * 12];
            icf_ordering ordering;
            icf_ordering_init(&ordering);
            wrong += FUNCTIONS[f](&ordering, &m.matrix, order) != ICF_OK || memcmp(order, first, sizeof order) != 0;
            icf_ordering_clear(&ordering);
        }
        assert_int_equal(wrong, 0);
        free(first);
    }
    sample_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_permutations), cmocka_unit_test(minimum_degree_has_the_fill_of_the_library),
        cmocka_unit_test(an_arrow_has_no_fill),    cmocka_unit_test(dissection_wins_on_a_large_cube),
        cmocka_unit_test(orders_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
