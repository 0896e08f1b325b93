/* Half-space against every shape: distances from the definition n.x - offset, features, filter, mirrored result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide_poses.h"

enum { NPOSE = 10000 };

/* Extreme points of a shape that are contacts of their own, in the order of their features, and their radius. */
static int extreme_points(const icf_placed_shape *placed, icf_vec3 points[8], double *radius)
{
    const icf_shape *shape = placed->shape;
    const icf_vec3 e = shape->extent;
    *radius = shape->type == ICF_SHAPE_BOX ? 0.0 : shape->radius;
    if (shape->type == ICF_SHAPE_SPHERE) {
        points[0] = placed->position;
        return 1;
    }
    const int n = shape->type == ICF_SHAPE_BOX ? 8 : shape->half > 0.0 ? 2 : 1;
    for (int k = 0; k < n; ++k) {
        const icf_vec3 corner = {k & 4 ? e.x : -e.x, k & 2 ? e.y : -e.y, k & 1 ? e.z : -e.z};
        const icf_vec3 end = {0.0, 0.0, k == 0 ? shape->half : -shape->half};
        const icf_vec3 local = shape->type == ICF_SHAPE_BOX ? corner : end;
        points[k] = icf_add(placed->position, icf_mat3_mul(&placed->rotation, local));
    }
    return n;
}

static void check(const icf_placed_shape *floor, const icf_placed_shape *body, double limit)
{
    icf_manifold manifold, swapped;
    icf_collide(floor, body, limit, &manifold);
    icf_collide(body, floor, limit, &swapped);
    icf_vec3 points[8];
    double radius;
    const int n = extreme_points(body, points, &radius);
    const double tolerance = 1e-14 * (1.0 + icf_norm(body->position) + oracle_radius(body->shape));
    int found = 0;
    for (int k = 0; k < n; ++k) {
        const double distance = icf_dot(floor->shape->normal, points[k]) - floor->shape->offset - radius;
        if (fabs(distance - limit) < tolerance) continue;
        const icf_contact_point *point = &manifold.point[found], *mirror = &swapped.point[found];
        if (found < manifold.n && point->feature == k) {
            ++found;
            assert_true(distance < limit);
            assert_true(fabs(point->distance - distance) <= tolerance);
            assert_true(oracle_off_surface(floor, point->on_a) <= tolerance);
            assert_true(fabs(icf_norm(icf_sub(point->on_b, points[k])) - radius) <= tolerance);
            assert_true(icf_norm(icf_sub(icf_sub(point->on_b, point->on_a), icf_scale(distance, point->normal))) <=
                        2.0 * tolerance);
            assert_memory_equal(&point->normal, &floor->shape->normal, sizeof point->normal);
            assert_int_equal(mirror->feature, k);
            assert_memory_equal(&mirror->on_a, &point->on_b, sizeof mirror->on_a);
            assert_memory_equal(&mirror->on_b, &point->on_a, sizeof mirror->on_b);
            assert_true(mirror->normal.z == -point->normal.z && mirror->distance == point->distance);
        } else {
            assert_true(distance >= limit);
        }
    }
    assert_int_equal(manifold.n, swapped.n);
}

static void every_extreme_point_below_the_distance_is_a_contact(void **state)
{
    (void)state;
    const icf_shape_type types[3] = {ICF_SHAPE_SPHERE, ICF_SHAPE_CAPSULE, ICF_SHAPE_BOX};
    const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    oracle_random random = {11};
    for (int k = 0; k < 3 * NPOSE; ++k) {
        const icf_shape half_space = {
            .type = ICF_SHAPE_HALF_SPACE, .normal = oracle_direction(&random), .offset = oracle_range(&random, -3, 3)};
        const icf_shape shape = oracle_shape(&random, types[k % 3]);
        const icf_placed_shape floor = {&half_space, {0, 0, 0}, unit, NULL};
        const icf_quat q = icf_quat_unit(oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
        const icf_vec3 position = icf_mul_add(icf_scale(half_space.offset, half_space.normal), oracle_radius(&shape),
                                              oracle_direction(&random));
        const icf_placed_shape body = {&shape, position, icf_quat_matrix(q), NULL};
        check(&floor, &body, oracle_small(&random, -3, 1));
    }
}

/* A box of 2 x 4 x 6 m whose bottom face is 0.25 m below the floor: features and depths by hand. */
static void box_features_count_vertices(void **state)
{
    (void)state;
    const icf_shape half_space = {.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}, .offset = 1.0};
    const icf_shape box = {.type = ICF_SHAPE_BOX, .extent = {1, 2, 3}};
    const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const icf_placed_shape floor = {&half_space, {5, 5, 5}, {{0}}, NULL}, body = {&box, {0, 0, 3.75}, unit, NULL};
    icf_manifold manifold;
    icf_collide(&floor, &body, 0.0, &manifold);
    assert_int_equal(manifold.n, 4);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(manifold.point[k].feature, 2 * k);
        assert_true(manifold.point[k].distance == -0.25);
        assert_true(manifold.point[k].on_a.z == 1.0 && manifold.point[k].on_b.z == 0.75);
        assert_true(manifold.point[k].on_b.x == (k & 2 ? 1.0 : -1.0) &&
                    manifold.point[k].on_b.y == (k & 1 ? 2.0 : -2.0));
    }
    icf_collide(&floor, &body, -0.25, &manifold);
    assert_int_equal(manifold.n, 0); // strictly below
    icf_collide(&floor, &body, 10.0, &manifold);
    assert_int_equal(manifold.n, 8);
}

static void capsule_ends_are_plus_then_minus(void **state)
{
    (void)state;
    const icf_shape half_space = {.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}};
    const icf_shape capsule = {.type = ICF_SHAPE_CAPSULE, .radius = 0.5, .half = 1.0};
    const icf_placed_shape floor = {.shape = &half_space};
    const icf_placed_shape body = {&capsule, {0, 0, 0.25}, {{0, 0, 1, 0, 1, 0, -1, 0, 0}}, NULL}; // axis along world x
    icf_manifold manifold;
    icf_collide(&floor, &body, 0.1, &manifold);
    assert_int_equal(manifold.n, 2);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(manifold.point[k].feature, k);
        assert_true(manifold.point[k].distance == -0.25);
        assert_true(manifold.point[k].on_b.x == (k == 0 ? 1.0 : -1.0) && manifold.point[k].on_b.z == -0.25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_extreme_point_below_the_distance_is_a_contact),
        cmocka_unit_test(box_features_count_vertices),
        cmocka_unit_test(capsule_ends_are_plus_then_minus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
