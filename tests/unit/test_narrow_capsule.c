/* Capsule against capsule and box: two points where it lies along the other, one elsewhere; special positions with
 * values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide_oracle.h"

static const icf_quat upright = {1, 0, 0, 0};

static icf_shape capsule(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = radius, .half = half};
}

/* The first at the origin, axis along z. */
static icf_manifold collide(const icf_shape *a, const icf_shape *b, icf_vec3 position, icf_quat q, double limit)
{
    const icf_placed_shape placed[2] = {{a, {0, 0, 0}, icf_quat_matrix(upright), NULL},
                                        {b, position, icf_quat_matrix(q), NULL}};
    icf_manifold manifold;
    icf_collide(&placed[0], &placed[1], limit, &manifold);
    return manifold;
}

static void assert_vector(icf_vec3 a, double x, double y, double z)
{
    assert_true(icf_norm(icf_sub(a, (icf_vec3){x, y, z})) <= 1e-14);
}

static double spread(const icf_manifold *manifold)
{
    return manifold->n < 2 ? 0.0 : icf_norm(icf_sub(manifold->point[0].on_a, manifold->point[1].on_a));
}

/* Half lengths 1 and 2 m, shifted by 1.5 m: the axes overlap from -0.5 to 1 m; with any tiny turn and at any depth. */
static void parallel_capsules_touch_at_the_ends_of_the_overlap(void **state)
{
    (void)state;
    const icf_shape a = capsule(0.3, 1.0), b = capsule(0.2, 2.0);
    const double angles[] = {0.0, 1e-16, 1e-13, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3};
    oracle_random random = {3};
    for (int k = 0; k < 400; ++k) {
        const double angle = angles[k % 8];
        icf_quat q = oracle_turn(oracle_direction(&random), angle);
        if (k % 3 == 0) q = icf_quat_mul(q, oracle_turn((icf_vec3){1, 0, 0}, M_PI));
        const icf_manifold manifold = collide(&a, &b, (icf_vec3){0.5 - 1e-3, 0, 1.5}, icf_quat_unit(q), 0.02);
        assert_int_equal(manifold.n, 2);
        assert_true(fabs(spread(&manifold) - 1.5) <= 2.0 * angle + 1e-13);
        for (int l = 0; l < 2; ++l) assert_true(fabs(manifold.point[l].distance + 1e-3) <= 2.0 * angle + 1e-15);
    }
}

/* At right angles, axes 0.4 m apart: one point between both, depth 0.1 m. */
static void crossing_capsules_touch_in_one_point(void **state)
{
    (void)state;
    const icf_shape a = capsule(0.3, 1.0), b = capsule(0.2, 2.0);
    const icf_quat along_x = oracle_turn((icf_vec3){0, 1, 0}, 0.5 * M_PI);
    icf_manifold manifold = collide(&a, &b, (icf_vec3){0.5, 0.4, 0.25}, along_x, 0.0);
    assert_int_equal(manifold.n, 1);
    assert_true(fabs(manifold.point[0].distance + 0.1) < 1e-15);
    assert_int_equal(manifold.point[0].feature, 8);
    assert_vector(manifold.point[0].normal, 0, 1, 0);
    assert_vector(manifold.point[0].on_a, 0, 0.3, 0.25);
    assert_vector(manifold.point[0].on_b, 0, 0.2, 0.25);

    // axes that meet: out along their common normal by the sum of the radii
    manifold = collide(&a, &b, (icf_vec3){0.5, 0, 0.25}, along_x, 0.0);
    assert_int_equal(manifold.n, 1);
    assert_true(fabs(manifold.point[0].distance + 0.5) < 1e-15);
    assert_true(fabs(fabs(manifold.point[0].normal.y) - 1.0) < 1e-15);
}

/* Axes on one line: end to end, and overlapping (any direction across the axes is then a best one). */
static void capsules_on_one_line(void **state)
{
    (void)state;
    const icf_shape a = capsule(0.3, 1.0), b = capsule(0.2, 2.0);
    icf_manifold manifold = collide(&a, &b, (icf_vec3){0, 0, 3.4}, upright, 0.0);
    assert_int_equal(manifold.n, 1);
    assert_true(fabs(manifold.point[0].distance + 0.1) < 1e-15);
    assert_int_equal(manifold.point[0].feature, 3); // -z end of the thinner, which comes first, +z end of the other
    manifold = collide(&a, &b, (icf_vec3){0, 0, 2.5}, upright, 0.0);
    assert_int_equal(manifold.n, 2);
    assert_true(fabs(spread(&manifold) - 0.5) < 1e-14);
    for (int k = 0; k < 2; ++k) {
        assert_true(manifold.point[k].distance == -0.5);
        assert_true(manifold.point[k].normal.z == 0.0);
    }
}

/* Needles (radius 0) and a capsule without length. */
static void degenerate_capsules(void **state)
{
    (void)state;
    const icf_shape needle = capsule(0.0, 1.0), ball = capsule(0.5, 0.0);
    const icf_quat along_x = oracle_turn((icf_vec3){0, 1, 0}, 0.5 * M_PI);
    icf_manifold manifold = collide(&needle, &needle, (icf_vec3){0, 0.25, 0}, along_x, 1.0);
    assert_int_equal(manifold.n, 1);
    assert_true(manifold.point[0].distance == 0.25);
    manifold = collide(&ball, &ball, (icf_vec3){0, 0.6, 0.8}, along_x, 0.1);
    assert_int_equal(manifold.n, 1);
    assert_true(fabs(manifold.point[0].distance) < 1e-15);
    assert_vector(manifold.point[0].normal, 0, 0.6, 0.8);
    manifold = collide(&needle, &ball, (icf_vec3){0.25, 0, 0.5}, along_x, 0.0);
    assert_int_equal(manifold.n, 1);
    assert_true(manifold.point[0].distance == -0.25);
}

/* Needles side by side that end at the same place but for round-off, a small gap apart and leaning together by nothing
 * or by an invisible angle: the direction is across, and one end is nearer by the angle times the half length. */
static void level_needles_have_the_direction_across(void **state)
{
    (void)state;
    const icf_shape needle = capsule(0.0, 10.0);
    const double gap = 4e-7;
    oracle_random random = {21};
    for (int k = 0; k < 2000; ++k) {
        const icf_quat q = icf_quat_unit(oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
        const double lean = k % 2 == 0 ? 0.0 : 1e-9;
        const icf_quat turn = icf_quat_mul(oracle_turn((icf_vec3){1, 0, 0}, lean),
                                           oracle_turn((icf_vec3){0, 0, 1}, oracle_range(&random, -3, 3)));
        const icf_placed_shape placed[2] = {{&needle, {0, 0, 0}, icf_quat_matrix(q), NULL},
                                            {&needle, icf_rotate(q, (icf_vec3){0, gap, 0}),
                                             icf_quat_matrix(icf_quat_unit(icf_quat_mul(q, turn))), NULL}};
        icf_manifold manifold;
        icf_collide(&placed[0], &placed[1], 1e-3, &manifold);
        assert_int_equal(manifold.n, 2);
        const double low = fmin(manifold.point[0].distance, manifold.point[1].distance);
        const double high = fmax(manifold.point[0].distance, manifold.point[1].distance);
        assert_true(fabs(low - (gap - 10.0 * lean)) < 1e-13 && fabs(high - (gap + 10.0 * lean)) < 1e-13);
        const icf_vec3 normal = icf_mat3_tmul(&placed[0].rotation, manifold.point[0].normal);
        assert_true(fabs(normal.z) <= lean + 1e-13 && fabs(fabs(normal.y) - 1.0) < 1e-7);
    }
}

/* Lying on a plate, tilted by a tiny angle: both ends, or where the axis leaves the plate; feature 0 is the +z end. */
static void capsule_on_a_plate_has_two_points(void **state)
{
    (void)state;
    const icf_shape plate = {.type = ICF_SHAPE_BOX, .extent = {2, 2, 0.5}}, rod = capsule(0.1, 1.0);
    const double angles[] = {0.0, 1e-16, 1e-13, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3};
    oracle_random random = {5};
    for (int k = 0; k < 400; ++k) {
        const double gap = oracle_range(&random, -1e-3, 1e-3), angle = angles[k % 8];
        const icf_quat lying = icf_quat_mul(oracle_turn((icf_vec3){0, 0, 1}, oracle_range(&random, -3, 3)),
                                            oracle_turn((icf_vec3){0, 1, 0}, 0.5 * M_PI));
        const icf_quat q = icf_quat_mul(oracle_turn(oracle_direction(&random), angle), lying);
        const icf_manifold inside = collide(&plate, &rod, (icf_vec3){0.3, -0.2, 0.6 + gap}, q, 0.01);
        assert_int_equal(inside.n, 2);
        assert_int_equal(inside.point[0].feature, 0);
        assert_int_equal(inside.point[1].feature, 1);
        assert_true(fabs(spread(&inside) - 2.0) <= 1e-5);
        for (int l = 0; l < 2; ++l) {
            assert_true(fabs(inside.point[l].distance - gap) <= angle + 1e-14);
            assert_true(fabs(inside.point[l].on_a.z - 0.5) <= 1e-14);
        }
        const icf_manifold over = collide(&plate, &rod, (icf_vec3){2.0, 0, 0.6 + gap},
                                          oracle_turn((icf_vec3){0, 1, 0}, 0.5 * M_PI + 0.5 * angle), 0.01);
        assert_int_equal(over.n, 2);
        assert_true(fabs(spread(&over) - 1.0) <= 0.1 * angle + 1e-14); // the normal leans by the tilt
    }
}

/* An axis through a cube of 2 m: out by the shortest way, over a face, or across an edge when it passes near one. */
static void axis_through_a_box(void **state)
{
    (void)state;
    const icf_shape cube = {.type = ICF_SHAPE_BOX, .extent = {1, 1, 1}}, rod = capsule(0.25, 5.0);
    icf_manifold manifold = collide(&cube, &rod, (icf_vec3){0.25, 0, 0}, upright, 0.0);
    assert_int_equal(manifold.n, 2);
    for (int k = 0; k < 2; ++k) assert_true(fabs(manifold.point[k].distance + 1.0) < 1e-15);
    assert_vector(manifold.point[0].normal, 1, 0, 0);
    assert_true(fabs(spread(&manifold) - 2.0) < 1e-14);

    // in the plane z = 0 across the corner x + y = 2: 0.2 m inside the edge
    const icf_vec3 side = {1, 1, 0};
    const icf_quat q =
        icf_quat_mul(oracle_turn((icf_vec3){0, 0, 1}, 0.75 * M_PI), oracle_turn((icf_vec3){0, 1, 0}, 0.5 * M_PI));
    manifold = collide(&cube, &rod, icf_scale(1.0 - 0.2 / sqrt(2.0), side), q, 0.0);
    assert_int_equal(manifold.n, 1);
    assert_true(fabs(manifold.point[0].distance + 0.45) < 1e-14);
    assert_vector(manifold.point[0].normal, sqrt(0.5), sqrt(0.5), 0);
    assert_vector(manifold.point[0].on_a, 1, 1, 0);
    assert_true(manifold.point[0].feature >= 2 && manifold.point[0].feature < 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_capsules_touch_at_the_ends_of_the_overlap),
        cmocka_unit_test(crossing_capsules_touch_in_one_point),
        cmocka_unit_test(capsules_on_one_line),
        cmocka_unit_test(degenerate_capsules),
        cmocka_unit_test(level_needles_have_the_direction_across),
        cmocka_unit_test(capsule_on_a_plate_has_two_points),
        cmocka_unit_test(axis_through_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
