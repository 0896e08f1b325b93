/* Vectors, matrices, quaternions: identities that any right implementation keeps, and known turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "check.h"

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 1073741824.0 - 1.0;
}

static icf_vec3 draw_vec3(uint64_t *seed)
{
    const double x = draw(seed), y = draw(seed), z = draw(seed);
    return icf_vec3_make(x, y, z);
}

static icf_quat draw_quat(uint64_t *seed)
{
    const double w = draw(seed), x = draw(seed), y = draw(seed), z = draw(seed);
    return icf_quat_unit((icf_quat){w + 2.0, x, y, z});
}

static void assert_vec3(icf_vec3 a, icf_vec3 b)
{
    for (int k = 0; k < 3; ++k) assert_near(icf_get(a, k), icf_get(b, k), 1e-14);
}

static void products_of_axes(void **state)
{
    (void)state;
    const icf_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    assert_vec3(icf_cross(x, y), z);
    assert_vec3(icf_cross(y, z), x);
    assert_vec3(icf_cross(z, x), y);
    assert_near(icf_dot(icf_vec3_make(1, 2, 3), icf_vec3_make(4, -5, 6)), 12.0, 0.0);
    assert_near(icf_norm(icf_vec3_make(2, 3, 6)), 7.0, 1e-15);
    assert_vec3(icf_mul_add(x, 2.0, y), icf_vec3_make(1, 2, 0));
    assert_vec3(icf_unit(icf_vec3_make(0, 0, -3)), icf_neg(z));
}

/* a x (b x c) = b (a.c) - c (a.b) */
static void triple_product(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 100; ++i) {
        const icf_vec3 a = draw_vec3(&seed), b = draw_vec3(&seed), c = draw_vec3(&seed);
        const icf_vec3 expected = icf_sub(icf_scale(icf_dot(a, c), b), icf_scale(icf_dot(a, b), c));
        assert_vec3(icf_cross(a, icf_cross(b, c)), expected);
    }
}

static void components_by_index(void **state)
{
    (void)state;
    icf_vec3 a = {1, 2, 3};
    for (int k = 0; k < 3; ++k) {
        assert_true(icf_get(a, k) == 1.0 + k);
        icf_set(&a, k, 10.0 * k);
    }
    assert_true(a.x == 0.0 && a.y == 10.0 && a.z == 20.0);
    assert_true(icf_is_finite(a));
    a.z = NAN;
    assert_false(icf_is_finite(a));
}

/* A third of a turn about (1,1,1) takes x to y, y to z, z to x; a quarter about z takes x to y. */
static void known_turns(void **state)
{
    (void)state;
    const icf_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const icf_quat third = {0.5, 0.5, 0.5, 0.5}, quarter = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    assert_vec3(icf_rotate(third, x), y);
    assert_vec3(icf_rotate(third, y), z);
    assert_vec3(icf_rotate(third, z), x);
    assert_vec3(icf_rotate(quarter, x), y);
    assert_vec3(icf_rotate(quarter, y), icf_neg(x));
}

/* A rotation keeps lengths and handedness; its transpose is its inverse. */
static void rotations_are_orthogonal(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 100; ++i) {
        const icf_mat3 r = icf_quat_matrix(draw_quat(&seed));
        const icf_vec3 a = draw_vec3(&seed);
        assert_vec3(icf_mat3_tmul(&r, icf_mat3_mul(&r, a)), a);
        assert_vec3(icf_cross(icf_mat3_column(&r, 0), icf_mat3_column(&r, 1)), icf_mat3_column(&r, 2));
    }
}

static void quaternion_product_is_composition(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100; ++i) {
        const icf_quat p = draw_quat(&seed), q = draw_quat(&seed);
        const icf_vec3 a = draw_vec3(&seed);
        assert_vec3(icf_rotate(icf_quat_mul(p, q), a), icf_rotate(p, icf_rotate(q, a)));
        assert_near(icf_quat_norm(icf_quat_mul(p, q)), 1.0, 1e-14);
    }
}

/* R diag(d) R^T a, once by the matrix and once factor by factor. */
static void rotated_diagonal(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 100; ++i) {
        const icf_mat3 r = icf_quat_matrix(draw_quat(&seed));
        const icf_vec3 d = draw_vec3(&seed), a = draw_vec3(&seed), local = icf_mat3_tmul(&r, a);
        const icf_mat3 m = icf_mat3_rotate_diagonal(&r, d);
        const icf_vec3 scaled = {d.x * local.x, d.y * local.y, d.z * local.z};
        assert_vec3(icf_mat3_mul(&m, a), icf_mat3_mul(&r, scaled));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_axes),         cmocka_unit_test(triple_product),
        cmocka_unit_test(components_by_index),      cmocka_unit_test(known_turns),
        cmocka_unit_test(rotations_are_orthogonal), cmocka_unit_test(quaternion_product_is_composition),
        cmocka_unit_test(rotated_diagonal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
