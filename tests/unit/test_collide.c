/* Narrow phase, every pair of shapes, 10,000 random poses each (collide_poses.h: separated, touching, nested, parallel
 * faces, edge on edge, needles and plates): distance and normal against brute force over directions, witness points on
 * both surfaces, mirrored result, rigid motion, distance filter, features. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collide_poses.h"

enum { NPOSE = 10000 };

/* of the pair's size */
#define DISTANCE_TOLERANCE 1e-9
#define WITNESS_TOLERANCE  1e-12

static const icf_shape_type types[3] = {ICF_SHAPE_SPHERE, ICF_SHAPE_CAPSULE, ICF_SHAPE_BOX};

typedef void pair_check(const oracle_pair *pair, const icf_manifold *manifold, double distance);

/* Runs a check on random poses of every pair of finite shapes, in every order of types.  The manifold holds all
 * points up to a tenth of the size beyond the nearest. */
static void for_random_pairs(uint64_t seed, int n, pair_check *check)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            oracle_random random = {seed + 1000 * (uint64_t)(3 * i + j)};
            for (int k = 0; k < n; ++k) {
                oracle_pair pair;
                oracle_make_pair(&random, types[i], types[j], &pair);
                icf_vec3 normal;
                const double distance = oracle_distance(&pair.placed[0], &pair.placed[1], &normal);
                icf_manifold manifold;
                icf_collide(&pair.placed[0], &pair.placed[1], distance + 0.1 * pair.scale, &manifold);
                check(&pair, &manifold, distance);
            }
        }
}

static double nearest(const icf_manifold *manifold)
{
    double least = INFINITY;
    for (int k = 0; k < manifold->n; ++k) least = fmin(least, manifold->point[k].distance);
    return least;
}

static void check_distance(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    const double tolerance = DISTANCE_TOLERANCE * pair->scale;
    assert_true(manifold->n >= 1);
    assert_true(fabs(nearest(manifold) - distance) <= tolerance);
    // the normal is a direction of largest separation
    const icf_vec3 normal = manifold->point[0].normal;
    assert_true(fabs(icf_norm(normal) - 1.0) < 1e-14);
    assert_true(fabs(oracle_along(&pair->placed[0], &pair->placed[1], normal) - distance) <= tolerance);
}

static void distance_and_normal_agree_with_brute_force(void **state)
{
    (void)state;
    for_random_pairs(1, NPOSE, check_distance);
}

static void check_directions(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    (void)distance;
    oracle_random random = {(uint64_t)manifold->point[0].feature + 77};
    const icf_vec3 normal = manifold->point[0].normal;
    for (int k = 0; k < 40; ++k) {
        const icf_vec3 turned = icf_unit(icf_mul_add(normal, oracle_power(&random, -8, 1), oracle_direction(&random)));
        assert_true(oracle_along(&pair->placed[0], &pair->placed[1], turned) <=
                    nearest(manifold) + DISTANCE_TOLERANCE * pair->scale);
    }
}

static void no_direction_separates_more(void **state)
{
    (void)state;
    for_random_pairs(2, NPOSE / 10, check_directions);
}

/* The normal is the one brute force finds, or another that separates as much (a tie, as in a box's centre). */
static void check_normal(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    icf_vec3 expected;
    (void)oracle_distance(&pair->placed[0], &pair->placed[1], &expected);
    const icf_vec3 normal = manifold->point[0].normal;
    const double off = icf_norm(icf_sub(normal, expected));
    if (off < 1e-6) return;
    assert_true(fabs(oracle_along(&pair->placed[0], &pair->placed[1], normal) - distance) <= 1e-10 * pair->scale);
}

static void normal_is_the_gradient(void **state)
{
    (void)state;
    for_random_pairs(3, NPOSE, check_normal);
}

static void check_witnesses(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    (void)distance;
    const double tolerance = WITNESS_TOLERANCE * pair->scale;
    for (int k = 0; k < manifold->n; ++k) {
        const icf_contact_point *point = &manifold->point[k];
        assert_true(oracle_off_surface(&pair->placed[0], point->on_a) <= tolerance);
        assert_true(oracle_off_surface(&pair->placed[1], point->on_b) <= tolerance);
        assert_true(fabs(icf_dot(icf_sub(point->on_b, point->on_a), point->normal) - point->distance) <= tolerance);
        assert_memory_equal(&point->normal, &manifold->point[0].normal, sizeof point->normal);
        assert_true(k == 0 || point->feature > manifold->point[k - 1].feature);
        assert_true(point->feature >= 0);
    }
}

static void witness_points_lie_on_both_surfaces(void **state)
{
    (void)state;
    for_random_pairs(4, NPOSE, check_witnesses);
}

static bool is_same_bits(icf_vec3 a, icf_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Coincident sphere centres have normal +z in both orders; what agrees in every bit cannot have a mirrored normal. */
static bool has_no_order(const oracle_pair *pair)
{
    const icf_placed_shape *a = &pair->placed[0], *b = &pair->placed[1];
    if (a->shape->type != b->shape->type || !is_same_bits(a->position, b->position)) return false;
    if (a->shape->type == ICF_SHAPE_SPHERE) return true;
    return memcmp(&a->rotation, &b->rotation, sizeof a->rotation) == 0 && a->shape->radius == b->shape->radius &&
           a->shape->half == b->shape->half && is_same_bits(a->shape->extent, b->shape->extent);
}

static void check_mirror(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    icf_manifold swapped;
    icf_collide(&pair->placed[1], &pair->placed[0], distance + 0.1 * pair->scale, &swapped);
    assert_int_equal(swapped.n, manifold->n);
    if (has_no_order(pair)) return;
    for (int k = 0; k < manifold->n; ++k) {
        const icf_contact_point *a = &manifold->point[k], *b = &swapped.point[k];
        assert_true(is_same_bits(a->on_a, b->on_b) && is_same_bits(a->on_b, b->on_a));
        assert_true(a->normal.x == -b->normal.x && a->normal.y == -b->normal.y && a->normal.z == -b->normal.z);
        assert_true(a->distance == b->distance);
        assert_int_equal(a->feature, b->feature);
    }
}

static void swapped_shapes_give_the_mirrored_result(void **state)
{
    (void)state;
    for_random_pairs(5, NPOSE, check_mirror);
}

static void check_rigid_motion(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    oracle_random random = {(uint64_t)manifold->n * 13 + (uint64_t)manifold->point[0].feature};
    const icf_quat q = icf_quat_unit(oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
    const icf_mat3 r = icf_quat_matrix(q);
    const icf_vec3 shift = icf_scale(pair->scale, oracle_direction(&random));
    icf_placed_shape moved[2];
    for (int k = 0; k < 2; ++k) {
        moved[k] = pair->placed[k];
        moved[k].position = icf_add(shift, icf_mat3_mul(&r, pair->placed[k].position));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                moved[k].rotation.m[3 * i + j] =
                    icf_get(icf_mat3_mul(&r, icf_mat3_column(&pair->placed[k].rotation, j)), i);
    }
    icf_manifold after;
    icf_collide(&moved[0], &moved[1], distance + 0.1 * pair->scale, &after);
    assert_true(after.n >= 1);
    assert_true(fabs(nearest(&after) - nearest(manifold)) <= DISTANCE_TOLERANCE * pair->scale);
}

static void rigid_motion_changes_no_distance(void **state)
{
    (void)state;
    for_random_pairs(6, NPOSE / 2, check_rigid_motion);
}

static void check_filter(const oracle_pair *pair, const icf_manifold *manifold, double distance)
{
    (void)distance;
    const double least = nearest(manifold);
    icf_manifold none, some;
    icf_collide(&pair->placed[0], &pair->placed[1], least, &none);
    for (int k = 0; k < none.n; ++k) assert_true(none.point[k].distance < least);
    icf_collide(&pair->placed[0], &pair->placed[1], least - DISTANCE_TOLERANCE * pair->scale, &none);
    assert_int_equal(none.n, 0);
    const double limit = least + 0.01 * pair->scale;
    icf_collide(&pair->placed[0], &pair->placed[1], limit, &some);
    assert_true(some.n >= 1 && some.n <= ICF_MANIFOLD_MAX);
    for (int k = 0; k < some.n; ++k) assert_true(some.point[k].distance < limit);
}

static void points_are_strictly_below_the_distance(void **state)
{
    (void)state;
    for_random_pairs(7, NPOSE / 2, check_filter);
}

static void none_and_two_half_spaces_touch_nothing(void **state)
{
    (void)state;
    const icf_shape none = {.type = ICF_SHAPE_NONE}, ball = {.type = ICF_SHAPE_SPHERE, .radius = 1.0};
    const icf_shape floor = {.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}};
    const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const icf_placed_shape placed[3] = {
        {&none, {0, 0, 0}, unit, NULL}, {&ball, {0, 0, 0}, unit, NULL}, {&floor, {0, 0, 0}, unit, NULL}};
    icf_manifold manifold;
    for (int k = 0; k < 3; ++k) {
        icf_collide(&placed[0], &placed[k], INFINITY, &manifold);
        assert_int_equal(manifold.n, 0);
        icf_collide(&placed[k], &placed[0], INFINITY, &manifold);
        assert_int_equal(manifold.n, 0);
    }
    icf_collide(&placed[2], &placed[2], INFINITY, &manifold);
    assert_int_equal(manifold.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_and_normal_agree_with_brute_force),
        cmocka_unit_test(no_direction_separates_more),
        cmocka_unit_test(normal_is_the_gradient),
        cmocka_unit_test(witness_points_lie_on_both_surfaces),
        cmocka_unit_test(swapped_shapes_give_the_mirrored_result),
        cmocka_unit_test(rigid_motion_changes_no_distance),
        cmocka_unit_test(points_are_strictly_below_the_distance),
        cmocka_unit_test(none_and_two_half_spaces_touch_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
