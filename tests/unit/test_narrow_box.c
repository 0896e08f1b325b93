/* Box against box: manifolds that keep a resting box steady, features, special positions with values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide_poses.h"

static const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

static icf_shape box(double x, double y, double z)
{
    return (icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.5 * x, 0.5 * y, 0.5 * z}};
}

static icf_manifold collide(const icf_shape *a, const icf_shape *b, icf_vec3 position, icf_quat q, double limit)
{
    const icf_placed_shape placed[2] = {{a, {0, 0, 0}, unit, NULL},
                                        {b, position, icf_quat_matrix(icf_quat_unit(q)), NULL}};
    icf_manifold manifold;
    icf_collide(&placed[0], &placed[1], limit, &manifold);
    return manifold;
}

static double nearest(const icf_manifold *manifold)
{
    double least = INFINITY;
    for (int k = 0; k < manifold->n; ++k) least = fmin(least, manifold->point[k].distance);
    return least;
}

/* Area of the convex hull of the contact points seen from above, by fans of all triples being too coarse for hulls of
 * more than three points: the points are sorted by angle about their mean first. */
static double hull_area(const icf_manifold *manifold, icf_vec3 *mean)
{
    double angle[ICF_MANIFOLD_MAX];
    int order[ICF_MANIFOLD_MAX];
    const int n = manifold->n;
    *mean = (icf_vec3){0, 0, 0};
    for (int k = 0; k < n; ++k) *mean = icf_mul_add(*mean, 1.0 / n, manifold->point[k].on_a);
    for (int k = 0; k < n; ++k) {
        angle[k] = atan2(manifold->point[k].on_a.y - mean->y, manifold->point[k].on_a.x - mean->x);
        int j = k;
        for (; j > 0 && angle[order[j - 1]] > angle[k]; --j) order[j] = order[j - 1];
        order[j] = k;
    }
    double area = 0.0;
    for (int k = 0; k < n; ++k) {
        const icf_vec3 p = manifold->point[order[k]].on_a, q = manifold->point[order[(k + 1) % n]].on_a;
        area += 0.5 * (p.x * q.y - q.x * p.y);
    }
    return area;
}

/* Whether a point lies within the hull of the contact points, seen from above, by more than a margin. */
static bool is_supported(const icf_manifold *manifold, double x, double y, double margin)
{
    for (int k = 0; k < 360; ++k) {
        const double c = cos(k * M_PI / 180.0), s = sin(k * M_PI / 180.0);
        double reach = -INFINITY;
        for (int l = 0; l < manifold->n; ++l)
            reach = fmax(reach, c * (manifold->point[l].on_a.x - x) + s * (manifold->point[l].on_a.y - y));
        if (reach < margin) return false;
    }
    return true;
}

/* Overlap area of a square of edge 2 e and the same square turned by an angle about the centre, 0..pi/2. */
static double turned_overlap(double e, double angle)
{
    return 8.0 * e * e / (1.0 + sin(angle) + cos(angle));
}

static const double tilts[] = {0.0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4};
static const double gaps[] = {-1e-6, -1e-9, 0.0, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4};

/* A cube of 0.1 m centred on a cube, tilted about any axis, at small gaps of either sign: all the overlap's corners. */
static void resting_box_has_its_whole_face(void **state)
{
    (void)state;
    const icf_shape cube = box(0.1, 0.1, 0.1);
    oracle_random random = {3};
    for (int t = 0; t < 8; ++t)
        for (int g = 0; g < 8; ++g)
            for (int k = 0; k < 200; ++k) {
                const double yaw = k < 20 ? 0.0 : k < 40 ? 0.25 * M_PI : oracle_range(&random, 0, 0.5 * M_PI);
                const icf_quat q = icf_quat_mul(oracle_turn(oracle_direction(&random), tilts[t]),
                                                oracle_turn((icf_vec3){0, 0, 1}, yaw));
                const icf_manifold manifold = collide(&cube, &cube, (icf_vec3){0, 0, 0.1 + gaps[g]}, q, 1e-3);
                icf_vec3 mean;
                assert_true(manifold.n >= 4);
                if (k >= 20 && k < 40) assert_int_equal(manifold.n, 8);
                if (k < 20) assert_int_equal(manifold.n, 4);
                // the overlap seen from above, but for what thinning may cut off
                assert_true(fabs(hull_area(&manifold, &mean) / turned_overlap(0.05, yaw) - 1.0) < 4e-3);
                assert_true(is_supported(&manifold, 0.0, 0.0, 0.04));
                assert_true(manifold.point[0].normal.z > 1.0 - 1e-7);
                const double tilt = 0.1 * tilts[t];
                for (int l = 0; l < manifold.n; ++l)
                    assert_true(fabs(manifold.point[l].distance - gaps[g]) <= tilt + 1e-15);
            }
}

/* A small box on a large one, a large one on a small one, one half over the edge: n corners of the overlap. */
static void overlap_of_other_sizes(void **state)
{
    (void)state;
    const icf_shape large = box(4, 2, 1), small = box(0.5, 0.25, 1), needle = box(10, 0.01, 0.01);
    oracle_random random = {5};
    for (int k = 0; k < 500; ++k) {
        const icf_quat q = oracle_turn(oracle_direction(&random), tilts[k % 8]);
        const double gap = gaps[oracle_pick(&random, 8)];
        icf_manifold manifold = collide(&large, &small, (icf_vec3){0.7, -0.3, 1.0 + gap}, q, 0.01);
        assert_int_equal(manifold.n, 4);
        assert_true(is_supported(&manifold, 0.7, -0.3, 0.12));
        manifold = collide(&small, &large, (icf_vec3){-0.7, 0.3, 1.0 + gap}, q, 0.01);
        assert_int_equal(manifold.n, 4);
        manifold = collide(&large, &small, (icf_vec3){2.1, 0.0, 1.0 + gap}, q, 0.01);
        assert_int_equal(manifold.n, 4);
        assert_true(is_supported(&manifold, 1.925, 0.0, 0.07)); // overlap in x: 1.85..2
        manifold = collide(&large, &needle, (icf_vec3){0.1, 0.2, 0.505 + gap}, q, 0.01);
        assert_int_equal(manifold.n, 4);
        assert_true(is_supported(&manifold, 0.0, 0.2, 0.004));
    }
}

/* Equal boxes on one another that drift by round-off and by microns keep four points with the same features. */
static void drifting_box_keeps_its_features(void **state)
{
    (void)state;
    const icf_shape cube = box(0.1, 0.1, 0.1);
    oracle_random random = {7};
    for (int k = 0; k < 2000; ++k) {
        const double drift = oracle_power(&random, -17, -5);
        const icf_vec3 position = icf_mul_add((icf_vec3){0, 0, 0.1 - 1e-7}, drift, oracle_direction(&random));
        const icf_quat q = oracle_turn(oracle_direction(&random), oracle_power(&random, -17, -4.5));
        const icf_manifold manifold = collide(&cube, &cube, position, q, 1e-3);
        assert_int_equal(manifold.n, 4);
        for (int l = 0; l < 4; ++l) assert_int_equal(manifold.point[l].feature, 2 * l + 1); // top vertices of the lower
    }
}

/* A box sliding and turning on a plate keeps its features: it is always its own four vertices that touch. */
static void sliding_box_keeps_its_features(void **state)
{
    (void)state;
    const icf_shape plate = box(10, 10, 1), brick = box(0.2, 0.1, 0.05);
    for (int k = 0; k < 1000; ++k) {
        const icf_vec3 position = {-4 + 0.008 * k, 3 - 0.006 * k, 0.525 - 1e-7};
        const icf_manifold manifold =
            collide(&plate, &brick, position, oracle_turn((icf_vec3){0, 0, 1}, 0.003 * k), 1e-3);
        assert_int_equal(manifold.n, 4);
        // sizes decide the order: the brick comes first
        for (int l = 0; l < 4; ++l) assert_int_equal(manifold.point[l].feature, 2 * l);
    }
}

/* Cubes of 2 m with coinciding centres: out by the nearest face, x first, plus side first; depth 2 m. */
static void coinciding_boxes_separate_along_x(void **state)
{
    (void)state;
    const icf_shape cube = box(2, 2, 2);
    const icf_manifold manifold = collide(&cube, &cube, (icf_vec3){0, 0, 0}, (icf_quat){1, 0, 0, 0}, 0.0);
    assert_int_equal(manifold.n, 4);
    for (int k = 0; k < 4; ++k) {
        assert_true(manifold.point[k].distance == -2.0);
        assert_true(manifold.point[k].normal.x == 1.0);
        assert_true(manifold.point[k].on_a.x == 1.0 && manifold.point[k].on_b.x == -1.0);
    }
}

/* Corner to corner, edge to edge and corner to edge, apart by 0.1 m along the diagonal: true distances. */
static void separated_features_have_the_true_distance(void **state)
{
    (void)state;
    const icf_shape cube = box(2, 2, 2);
    const icf_quat none = {1, 0, 0, 0};
    const double d = 0.1 / sqrt(3.0), e = 0.1 / sqrt(2.0);
    icf_manifold manifold = collide(&cube, &cube, (icf_vec3){2 + d, 2 + d, 2 + d}, none, 1.0);
    assert_int_equal(manifold.n, 1);
    assert_true(fabs(manifold.point[0].distance - 0.1) < 1e-15);
    assert_true(icf_norm(icf_sub(manifold.point[0].normal, icf_scale(1 / sqrt(3.0), (icf_vec3){1, 1, 1}))) < 1e-14);

    manifold = collide(&cube, &cube, (icf_vec3){2 + e, 2 + e, 0.5}, none, 0.2);
    assert_true(fabs(nearest(&manifold) - 0.1) < 1e-15);
    assert_true(manifold.n >= 2); // both ends of the overlap of the edges, z = -0.5 and 1
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < manifold.n; ++k) {
        if (manifold.point[k].distance > 0.1 + 1e-14) continue;
        low = fmin(low, manifold.point[k].on_a.z);
        high = fmax(high, manifold.point[k].on_a.z);
    }
    assert_true(fabs(low + 0.5) < 1e-14 && fabs(high - 1.0) < 1e-14);
}

/* Features that touch without overlap have distance 0 and a unit normal that separates, whatever their kind. */
static void touching_features_have_a_normal(void **state)
{
    (void)state;
    const icf_shape cube = box(2, 2, 2);
    const icf_quat turns[2] = {{1, 0, 0, 0}, oracle_turn((icf_vec3){0, 0, 1}, 0.25 * M_PI)};
    const double r = sqrt(2.0);
    const icf_vec3 offsets[2][4] = {{{2, 2, 2}, {2, 2, 0}, {2, 2, 0.5}, {2, 0.25, 0.5}},
                                    {{1 + r, 1, 2}, {1 + r, 0, 0.5}, {1 + r, 1, 0}, {1 + r, -1, -2}}};
    for (int t = 0; t < 2; ++t)
        for (int k = 0; k < 4; ++k) {
            const icf_manifold manifold = collide(&cube, &cube, offsets[t][k], turns[t], 0.5);
            assert_true(manifold.n >= 1);
            assert_true(fabs(nearest(&manifold)) < 1e-14);
            const icf_vec3 n = manifold.point[0].normal;
            assert_true(fabs(icf_norm(n) - 1.0) < 1e-15);
            assert_true(n.x > -1e-15 && n.y * offsets[t][k].y > -1e-15 && n.z * offsets[t][k].z > -1e-15);
        }
}

/* Planks side by side, turned about their length, whose long edges are parallel, end at the same place but for
 * round-off and are a small gap apart: the direction is across the edges and both their ends touch. */
static void level_edges_have_the_direction_across(void **state)
{
    (void)state;
    const icf_shape plank = box(20, 1, 0.1);
    const double gap = 4e-7, s = sqrt(0.5);
    oracle_random random = {21};
    for (int k = 0; k < 2000; ++k) {
        const icf_quat q = icf_quat_unit(oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
        const icf_quat turn = oracle_turn((icf_vec3){1, 0, 0}, oracle_range(&random, -0.7, 0.7));
        // the second's edge at its minus sides, brought next to the first's edge at its plus sides
        const icf_vec3 edge = icf_rotate(turn, (icf_vec3){0, -0.5, -0.05});
        const icf_vec3 offset = icf_sub((icf_vec3){0, 0.5 + s * gap, 0.05 + s * gap}, edge);
        const icf_placed_shape placed[2] = {
            {&plank, {0, 0, 0}, icf_quat_matrix(q), NULL},
            {&plank, icf_rotate(q, offset), icf_quat_matrix(icf_quat_unit(icf_quat_mul(q, turn))), NULL}};
        icf_manifold manifold;
        icf_collide(&placed[0], &placed[1], 1e-3, &manifold);
        assert_true(manifold.n >= 2);
        assert_true(fabs(nearest(&manifold) - gap) < 1e-13);
        const icf_vec3 normal = icf_mat3_tmul(&placed[0].rotation, manifold.point[0].normal);
        assert_true(fabs(normal.x) < 1e-13 && icf_norm(icf_sub(normal, (icf_vec3){0, s, s})) < 1e-7);
        double reach = 0.0;
        for (int l = 1; l < manifold.n; ++l)
            reach = fmax(reach, icf_norm(icf_sub(manifold.point[l].on_a, manifold.point[0].on_a)));
        assert_true(reach > 19.99);
    }
}

/* Edges at right angles, 45 degrees up: one point, depth 0.05 m (roof ridge of one across the keel of the other). */
static void crossing_edges_touch_in_one_point(void **state)
{
    (void)state;
    const icf_shape cube = box(2, 2, 2);
    const double ridge = sqrt(2.0);
    const icf_quat roof = oracle_turn((icf_vec3){1, 0, 0}, 0.25 * M_PI);
    const icf_quat keel = oracle_turn((icf_vec3){0, 1, 0}, 0.25 * M_PI);
    const icf_placed_shape placed[2] = {{&cube, {0, 0, 0}, icf_quat_matrix(roof), NULL},
                                        {&cube, {0.3, 0.2, 2 * ridge - 0.05}, icf_quat_matrix(keel), NULL}};
    icf_manifold manifold;
    icf_collide(&placed[0], &placed[1], 0.0, &manifold);
    assert_int_equal(manifold.n, 1);
    const icf_contact_point point = manifold.point[0];
    assert_true(fabs(point.distance + 0.05) < 1e-14);
    assert_true(icf_norm(icf_sub(point.normal, (icf_vec3){0, 0, 1})) < 1e-14);
    assert_true(icf_norm(icf_sub(point.on_a, (icf_vec3){0.3, 0, ridge})) < 1e-14);
    assert_true(icf_norm(icf_sub(point.on_b, (icf_vec3){0.3, 0, ridge - 0.05})) < 1e-14);
    assert_true(point.feature >= 16);
}

/* A cube standing on its edge on a plate: both ends of the edge at any limit that admits them. */
static void box_on_its_edge_has_two_points(void **state)
{
    (void)state;
    const icf_shape plate = box(10, 10, 1), cube = box(2, 2, 2);
    oracle_random random = {9};
    for (int k = 0; k < 300; ++k) {
        const icf_quat q = icf_quat_mul(oracle_turn(oracle_direction(&random), tilts[k % 8]),
                                        oracle_turn((icf_vec3){1, 0, 0}, 0.25 * M_PI));
        const icf_manifold manifold = collide(&plate, &cube, (icf_vec3){0, 0, 0.5 + sqrt(2.0) - 1e-6}, q, 1e-3);
        assert_int_equal(manifold.n, 2);
        assert_true(fabs(manifold.point[0].on_a.x - manifold.point[1].on_a.x) > 1.99);
    }
}

/* Round-off does not make the number of points or the normal of an exactly symmetric position flicker. */
static void equal_choices_do_not_flicker(void **state)
{
    (void)state;
    const icf_shape cube = box(2, 2, 2);
    oracle_random random = {15};
    for (int k = 0; k < 1000; ++k) {
        const icf_vec3 corner = icf_mul_add((icf_vec3){1.5, 1.5, 0.2}, 1e-15, oracle_direction(&random));
        const icf_manifold manifold = collide(&cube, &cube, corner, oracle_turn(oracle_direction(&random), 1e-15), 0.0);
        assert_int_equal(manifold.n, 4);
        assert_true(fabs(manifold.point[0].normal.x) > 0.999); // as deep along x as along y: x first
        assert_true(fabs(nearest(&manifold) + 0.5) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_box_has_its_whole_face),
        cmocka_unit_test(overlap_of_other_sizes),
        cmocka_unit_test(drifting_box_keeps_its_features),
        cmocka_unit_test(sliding_box_keeps_its_features),
        cmocka_unit_test(coinciding_boxes_separate_along_x),
        cmocka_unit_test(separated_features_have_the_true_distance),
        cmocka_unit_test(touching_features_have_a_normal),
        cmocka_unit_test(level_edges_have_the_direction_across),
        cmocka_unit_test(crossing_edges_touch_in_one_point),
        cmocka_unit_test(box_on_its_edge_has_two_points),
        cmocka_unit_test(equal_choices_do_not_flicker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
