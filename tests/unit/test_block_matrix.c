/* Block matrix: product against the dense one, key of the pattern, finiteness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample_block_matrix.h"

static void product_equals_dense_product(void **state)
{
    (void)state;
    const int32_t list[] = {6, 3, 1, 17, 64};
    sample_matrix s = sample_random(23, list, 5, 4.0, 3.0, 1);
    const size_t n = (size_t)s.dof[23];
    double *a = sample_dense(&s.matrix), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    uint64_t seed = 5;
    for (size_t i = 0; i < n; ++i) x[i] = sample_uniform(&seed) - 0.5;
    icf_block_matrix_multiply(&s.matrix, x, y);
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.0, scale = 0.0;
        for (size_t j = 0; j < n; ++j) {
            sum += a[i * n + j] * x[j];
            scale += fabs(a[i * n + j] * x[j]);
        }
        assert_true(fabs(y[i] - sum) <= 1e-14 * scale);
    }
    free(a);
    free(x);
    free(y);
    sample_free(&s);
}

static void pattern_key_sees_every_part_and_no_value(void **state)
{
    (void)state;
    const int32_t list[] = {6, 3};
    sample_matrix s = sample_random(12, list, 2, 3.0, 3.0, 2);
    const uint64_t key = icf_block_matrix_pattern(&s.matrix);
    s.val[0] += 1.0;
    s.diag_at[3] += 1;
    assert_true(icf_block_matrix_pattern(&s.matrix) == key);
    for (icf_lid i = 1; i <= 12; ++i) {
        ++s.dof[i];
        assert_true(icf_block_matrix_pattern(&s.matrix) != key);
        --s.dof[i];
    }
    for (icf_lid e = 0; e < s.ptr[12]; ++e) {
        ++s.idx[e];
        assert_true(icf_block_matrix_pattern(&s.matrix) != key);
        --s.idx[e];
    }
    for (icf_lid i = 1; i < 12; ++i) {
        ++s.ptr[i];
        assert_true(icf_block_matrix_pattern(&s.matrix) != key);
        --s.ptr[i];
    }
    s.matrix.nblock = 11;
    assert_true(icf_block_matrix_pattern(&s.matrix) != key);
    s.matrix.nblock = 12;
    assert_true(icf_block_matrix_pattern(&s.matrix) == key);
    sample_free(&s);
}

static void only_finite_values_are_finite(void **state)
{
    (void)state;
    const int32_t list[] = {6};
    sample_matrix s = sample_random(5, list, 1, 3.0, 10.0, 3);
    assert_true(icf_block_matrix_is_finite(&s.matrix));
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; ++b)
        for (int64_t i = 0; i < s.matrix.nval; ++i) {
            const double kept = s.val[i];
            s.val[i] = bad[b];
            assert_false(icf_block_matrix_is_finite(&s.matrix));
            s.val[i] = kept;
        }
    s.val[0] = 1e308;
    s.val[1] = 1e308;
    assert_true(icf_block_matrix_is_finite(&s.matrix));
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_equals_dense_product),
        cmocka_unit_test(pattern_key_sees_every_part_and_no_value),
        cmocka_unit_test(only_finite_values_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
