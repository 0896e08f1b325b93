/* Curve: order of the octants, the cube it fits, a body far away, one place, NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "geometry/curve.h"

enum { nmax = 1001 };

static icf_box cube_at(double x, double y, double z, double half)
{
    return (icf_box){{x - half, y - half, z - half}, {x + half, y + half, z + half}};
}

static icf_curve fit(icf_lid n, const icf_box *boxes)
{
    icf_keyed items[nmax] = {{0}};
    for (icf_lid i = 0; i < n; ++i) items[i].value = i;
    return icf_curve_fit(n, items, boxes);
}

/* Corners of a cube of edge 2 about (5, 6, 7): octants in the order 4 x + 2 y + z, each an eighth. */
static void octants_in_order(void **state)
{
    (void)state;
    icf_box boxes[8];
    for (int i = 0; i < 8; ++i) boxes[i] = cube_at(i & 4 ? 6.0 : 4.0, i & 2 ? 7.0 : 5.0, i & 1 ? 8.0 : 6.0, 0.25);
    const icf_curve curve = fit(8, boxes);
    assert_near(curve.center.x, 5.0, 1e-15);
    assert_near(curve.center.z, 7.0, 1e-15);
    assert_near(curve.longest_edge, 0.5, 1e-15);
    for (int i = 0; i < 8; ++i)
        assert_int_equal(icf_curve_key(&curve, icf_box_center(&boxes[i])) >> (ICF_CURVE_BITS - 3), i);
}

/* Cells along one axis are interleaved with zeros: bit i of x becomes bit 3 i + 2. */
static void bits_are_interleaved(void **state)
{
    (void)state;
    const icf_curve curve = {.scale = 1.0};
    const double origin = -(double)(1 << (ICF_CURVE_AXIS_BITS - 1)) + 0.5;
    for (int bit = 0; bit < ICF_CURVE_AXIS_BITS; ++bit) {
        const double cell = origin + (double)(1 << bit);
        assert_int_equal(icf_curve_key(&curve, icf_vec3_make(cell, origin, origin)), (uint64_t)4 << 3 * bit);
        assert_int_equal(icf_curve_key(&curve, icf_vec3_make(origin, cell, origin)), (uint64_t)2 << 3 * bit);
        assert_int_equal(icf_curve_key(&curve, icf_vec3_make(origin, origin, cell)), (uint64_t)1 << 3 * bit);
    }
}

/* 1000 bodies within 1 m and one 1000 km away: mean deviation 2 km, cube 64 km, cells 0.12 m; without the
 * limit they would be 3.8 m. */
static void one_far_body_does_not_coarsen_the_rest(void **state)
{
    (void)state;
    icf_box boxes[nmax];
    for (int i = 0; i < 1000; ++i) boxes[i] = cube_at(0.001 * i, 0.0, 0.0, 0.01);
    boxes[1000] = cube_at(0.0, 0.0, -1e6, 0.01);
    const icf_curve curve = fit(nmax, boxes);
    assert_true(icf_curve_key(&curve, icf_vec3_make(0.0, 0.0, 0.0)) !=
                icf_curve_key(&curve, icf_vec3_make(0.2, 0.0, 0.0)));
    assert_true(icf_curve_key(&curve, icf_vec3_make(0.0, 0.0, -1e6)) >> ICF_CURVE_BITS == 0);
}

static void degenerate_scenes(void **state)
{
    (void)state;
    const icf_box same[2] = {cube_at(1.0, 2.0, 3.0, 1.0), cube_at(1.0, 2.0, 3.0, 0.5)};
    const icf_curve curve = fit(2, same), empty = fit(0, same);
    assert_true(icf_curve_key(&curve, icf_box_center(&same[0])) == icf_curve_key(&curve, icf_box_center(&same[1])));
    assert_true(icf_curve_key(&empty, icf_vec3_make(1.0, 1.0, 1.0)) >> ICF_CURVE_BITS == 0);
    const icf_vec3 lost = {NAN, INFINITY, -INFINITY};
    assert_true(icf_curve_key(&curve, lost) >> ICF_CURVE_BITS == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octants_in_order),
        cmocka_unit_test(bits_are_interleaved),
        cmocka_unit_test(one_far_body_does_not_coarsen_the_rest),
        cmocka_unit_test(degenerate_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
