/* Cylinders, ellipsoids and convex polytopes against one another and against half-spaces, spheres, capsules and boxes:
 * distance, normal and witness points against brute force (convex_oracle.h) in 2,000 random poses a pair - separated,
 * touching, nested, faces level, edge on edge, needles and plates, from millimetres to kilometres - and the mirrored
 * result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check.h"
#include "context_fixture.h"
#include "convex_oracle.h"
#include "geometry/convex.h"

enum { NPOSE = 2000, NTYPE = 6, NDIRECTION = 500 };

static const icf_shape_type types[NTYPE] = {ICF_SHAPE_SPHERE,   ICF_SHAPE_CAPSULE,   ICF_SHAPE_BOX,
                                            ICF_SHAPE_CYLINDER, ICF_SHAPE_ELLIPSOID, ICF_SHAPE_CONVEX};

/* How far a point is from the surface of a shape. */
static double off_shape(const icf_placed_shape *placed, icf_vec3 point)
{
    const icf_shape *s = placed->shape;
    const icf_vec3 x = icf_mat3_tmul(&placed->rotation, icf_sub(point, placed->position));
    if (s->type == ICF_SHAPE_CYLINDER) return fabs(fmax(hypot(x.x, x.y) - s->radius, fabs(x.z) - s->half));
    if (s->type == ICF_SHAPE_ELLIPSOID) {
        const icf_vec3 e = s->extent, u = {x.x / e.x, x.y / e.y, x.z / e.z}, g = {u.x / e.x, u.y / e.y, u.z / e.z};
        return fabs(icf_norm2(u) - 1.0) / (2.0 * icf_norm(g));
    }
    if (s->type == ICF_SHAPE_CONVEX) {
        const icf_polytope *p = &placed->solids[s->index].polytope;
        double above = -INFINITY;
        for (int f = 0; f < p->nface; ++f) above = fmax(above, icf_dot(p->normal[f], x) - p->offset[f]);
        return fabs(above);
    }
    return oracle_off_surface(placed, point);
}

static const icf_contact_point *nearest_point(const icf_manifold *manifold)
{
    const icf_contact_point *best = &manifold->point[0];
    for (int k = 1; k < manifold->n; ++k)
        if (manifold->point[k].distance < best->distance) best = &manifold->point[k];
    return best;
}

/* Every point on both surfaces, at its distance along the normal; features ascend. */
static void check_points(const convex_pair *pair, const icf_manifold *manifold, double tolerance)
{
    for (int k = 0; k < manifold->n; ++k) {
        const icf_contact_point *c = &manifold->point[k];
        assert_true(off_shape(&pair->placed[0], c->on_a) <= tolerance);
        assert_true(off_shape(&pair->placed[1], c->on_b) <= tolerance);
        assert_true(fabs(icf_dot(icf_sub(c->on_b, c->on_a), c->normal) - c->distance) <= tolerance);
        assert_memory_equal(&c->normal, &manifold->point[0].normal, sizeof c->normal);
        assert_true(k == 0 || c->feature > manifold->point[k - 1].feature);
    }
}

/* Signed distance and normal: the normal separates by the distance, and nothing separates by more. */
static void check_distance(const convex_pair *pair, const icf_manifold *manifold, oracle_random *random,
                           double tolerance)
{
    static world_shape shape[2];
    for (int k = 0; k < 2; ++k) make_world_shape(&pair->placed[k], &shape[k]);
    const bool is_smooth = is_curved(pair->shape[0].type) || is_curved(pair->shape[1].type);
    const icf_contact_point *best = nearest_point(manifold);
    assert_true(fabs(icf_norm(best->normal) - 1.0) < 1e-13);
    const double along = (double)separation_along(&shape[0], &shape[1], oracle_from(best->normal));
    assert_true(fabs(along - best->distance) <= tolerance);
    // two points on the surfaces that are as near as a direction separates prove both
    if (best->distance > 0.0 && fabs(icf_norm(icf_sub(best->on_b, best->on_a)) - along) <= tolerance) return;
    best_direction search = {&shape[0], &shape[1], -INFINITY, {{0, 0, 1}}};
    if (is_smooth)
        try_sphere(&search, NDIRECTION, random);
    else
        try_features(&search);
    assert_true((double)search.best <= best->distance + tolerance);
    if (!is_smooth) assert_true((double)search.best >= best->distance - tolerance);
}

/* The same bits with the shapes exchanged. */
static void check_mirror(const convex_pair *pair, const icf_manifold *manifold, double distance)
{
    icf_manifold swapped;
    icf_collide(&pair->placed[1], &pair->placed[0], distance, &swapped);
    assert_int_equal(swapped.n, manifold->n);
    for (int k = 0; k < manifold->n; ++k) {
        const icf_contact_point *a = &manifold->point[k], *b = &swapped.point[k];
        assert_memory_equal(&a->on_a, &b->on_b, sizeof a->on_a);
        assert_memory_equal(&a->on_b, &b->on_a, sizeof a->on_a);
        assert_true(a->normal.x == -b->normal.x && a->normal.y == -b->normal.y && a->normal.z == -b->normal.z);
        assert_true(a->distance == b->distance && a->feature == b->feature);
    }
}

/* Whether the two agree in every bit: their normal cannot be its own negative. */
static bool has_no_order(const convex_pair *pair)
{
    const icf_placed_shape *a = &pair->placed[0], *b = &pair->placed[1];
    return a->shape->type == b->shape->type && a->shape->type != ICF_SHAPE_CONVEX &&
           memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
           memcmp(&a->rotation, &b->rotation, sizeof a->rotation) == 0 && a->shape->radius == b->shape->radius &&
           a->shape->half == b->shape->half &&
           memcmp(&a->shape->extent, &b->shape->extent, sizeof a->shape->extent) == 0;
}

/* Points are strictly below the distance asked for, and there are some if the shapes are nearer. */
static void check_filter(const convex_pair *pair, double distance)
{
    icf_manifold some;
    icf_collide(&pair->placed[0], &pair->placed[1], distance - 1e-7 * pair->scale, &some);
    assert_int_equal(some.n, 0);
    icf_collide(&pair->placed[0], &pair->placed[1], distance + 0.01 * pair->scale, &some);
    assert_true(some.n >= 1 && some.n <= ICF_MANIFOLD_MAX);
    for (int k = 0; k < some.n; ++k) assert_true(some.point[k].distance < distance + 0.01 * pair->scale);
}

/* Of polytopes the whole bracket closes, so that hardly a pose needs the slow search. */
static void check_searches(int first, int second, int nsearch)
{
    const bool is_smooth = is_curved(types[first]) || is_curved(types[second]);
    if (nsearch > (is_smooth ? NPOSE / 20 : NPOSE / 500))
        fail_msg("%s and %s: %d searches in %d poses", icf_shape_name(types[first]), icf_shape_name(types[second]),
                 nsearch, NPOSE);
}

static void every_pair_agrees_with_brute_force(void **state)
{
    (void)state;
    for (int i = 0; i < NTYPE; ++i)
        for (int j = ICF_MAX(i, 3); j < NTYPE; ++j) {
            oracle_random random = {1000 * (uint64_t)(NTYPE * i + j)};
            int nsearch = 0;
            for (int k = 0; k < NPOSE; ++k) {
                convex_pair pair;
                const bool turned = oracle_pick(&random, 2) == 0;
                make_convex_pair(&shared_context, &random, types[turned ? j : i], types[turned ? i : j], &pair);
                const double far = 4.0 * pair.scale;
                icf_manifold manifold;
                icf_collide(&pair.placed[0], &pair.placed[1], far, &manifold);
                assert_true(manifold.n >= 1 && manifold.n <= ICF_MANIFOLD_MAX);
                nsearch += manifold.nsearch;
                check_points(&pair, &manifold, 1e-8 * pair.scale);
                const bool smooth = is_curved(types[i]) || is_curved(types[j]);
                check_distance(&pair, &manifold, &random, (smooth ? 1e-7 : 1e-9) * pair.scale);
                if (!has_no_order(&pair)) check_mirror(&pair, &manifold, far);
                if (k % 4 == 0) check_filter(&pair, nearest_point(&manifold)->distance);
                clear_convex_pair(&pair);
            }
            check_searches(i, j, nsearch);
        }
}

/* A box and the hull of its corners are the same body. */
static void a_hull_of_box_corners_is_a_box(void **state)
{
    (void)state;
    oracle_random random = {5};
    for (int k = 0; k < NPOSE; ++k) {
        oracle_pair boxes;
        oracle_make_pair(&random, ICF_SHAPE_BOX, ICF_SHAPE_BOX, &boxes);
        icf_vec3 corner[8];
        const icf_vec3 e = boxes.shape[1].extent;
        for (int v = 0; v < 8; ++v) corner[v] = (icf_vec3){v & 4 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 1 ? e.z : -e.z};
        icf_solid solid = make_hull(&shared_context, 8, corner);
        assert_int_equal(solid.polytope.nface, 6);
        const icf_shape shape = icf_solid_shape(&solid, 0);
        icf_placed_shape hull = boxes.placed[1];
        hull.shape = &shape;
        hull.solids = &solid;
        icf_manifold of_boxes, of_hull;
        icf_collide(&boxes.placed[0], &boxes.placed[1], boxes.scale, &of_boxes);
        icf_collide(&boxes.placed[0], &hull, boxes.scale, &of_hull);
        assert_int_equal(of_hull.n > 0, of_boxes.n > 0);
        if (of_boxes.n > 0) {
            const double a = nearest_point(&of_boxes)->distance, b = nearest_point(&of_hull)->distance;
            assert_true(fabs(a - b) <= 1e-9 * boxes.scale);
        }
        icf_solid_clear(&solid);
    }
}

/* Edges that cross have one contact point; its feature does not depend on which of their ends round-off has farther
 * out.  (Poses in which it is in doubt what touches are left out: then a corner of an overlap may be the point.) */
static void features_of_edges_outlast_round_off(void **state)
{
    (void)state;
    oracle_random random = {77};
    int nedge = 0, nchanged = 0;
    for (int k = 0; k < 3 * NPOSE; ++k) {
        convex_pair pair;
        icf_manifold before, after;
        make_convex_pair(&shared_context, &random, ICF_SHAPE_CONVEX, ICF_SHAPE_CONVEX, &pair);
        icf_collide(&pair.placed[0], &pair.placed[1], 4.0 * pair.scale, &before);
        for (int i = 0; i < 9; ++i) pair.placed[1].rotation.m[i] += oracle_range(&random, -1e-15, 1e-15);
        icf_collide(&pair.placed[0], &pair.placed[1], 4.0 * pair.scale, &after);
        const int64_t first = before.point[0].feature, second = after.point[0].feature;
        if (before.n == 1 && after.n == 1 && ICF_MIN(first, second) >= (int64_t)1 << 30) {
            ++nedge;
            nchanged += first != second;
        }
        clear_convex_pair(&pair);
    }
    print_message("%d of %d features changed\n", nchanged, nedge);
    assert_true(nedge > NPOSE / 10);
    assert_true(nchanged <= nedge / 50);
}

/* Nearest points to half-spaces: as far as the shape reaches against the normal, on plane and surface, in both orders.
 */
static void half_spaces_see_how_far_shapes_reach(void **state)
{
    (void)state;
    const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    oracle_random random = {31};
    for (int k = 0; k < NTYPE * NPOSE; ++k) {
        convex_pair pair;
        make_convex_pair(&shared_context, &random, ICF_SHAPE_SPHERE, types[k % NTYPE], &pair);
        const bool is_level = oracle_pick(&random, 3) == 0; /* a face or a side may lie on the plane */
        const icf_vec3 normal =
            is_level ? icf_unit(icf_mat3_mul(&pair.placed[1].rotation, (icf_vec3){0, oracle_pick(&random, 2), 1}))
                     : oracle_direction(&random);
        static world_shape shape;
        make_world_shape(&pair.placed[1], &shape);
        const double lowest = (double)-reach(&shape, oracle_from(icf_neg(normal)));
        const double gap = oracle_small(&random, -15, -1) * pair.scale;
        const icf_shape plane = {.type = ICF_SHAPE_HALF_SPACE, .normal = normal, .offset = lowest - gap};
        const icf_placed_shape floor = {&plane, {0, 0, 0}, unit, NULL};
        icf_manifold manifold, swapped;
        icf_collide(&floor, &pair.placed[1], pair.scale, &manifold);
        icf_collide(&pair.placed[1], &floor, pair.scale, &swapped);
        const double size = pair.scale + icf_norm(pair.placed[1].position);
        assert_true(manifold.n >= 1);
        assert_int_equal(manifold.n, swapped.n);
        assert_near(nearest_point(&manifold)->distance, gap, 1e-13 * size);
        for (int i = 0; i < manifold.n; ++i) {
            const icf_contact_point *c = &manifold.point[i];
            /* the upper end of a capsule counts too, whose lowest point may be inside */
            assert_true((types[k % NTYPE] == ICF_SHAPE_CAPSULE && c != nearest_point(&manifold)) ||
                        off_shape(&pair.placed[1], c->on_b) <= 1e-9 * pair.scale);
            assert_near(icf_dot(c->on_a, normal) - plane.offset, 0.0, 1e-13 * size);
            assert_near(icf_dot(icf_sub(c->on_b, c->on_a), normal), c->distance, 1e-13 * size);
            assert_near(icf_norm(icf_cross(icf_sub(c->on_b, c->on_a), normal)), 0.0, 1e-13 * size);
            assert_near(icf_norm(icf_sub(c->normal, normal)), 0.0, 1e-15);
            assert_true(swapped.point[i].distance == c->distance && swapped.point[i].feature == c->feature);
        }
        clear_convex_pair(&pair);
    }
}

/* A small body on a slab of some half width, as a box or as the hull of its corners. */
static void touch_slab(const icf_shape *shape, const icf_solid *solids, icf_quat turn, double height, double half,
                       bool is_hull, icf_manifold *manifold)
{
    const icf_vec3 e = {half, half, 0.5};
    icf_vec3 corner[8];
    for (int v = 0; v < 8; ++v) corner[v] = (icf_vec3){v & 4 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 1 ? e.z : -e.z};
    icf_solid solid = make_hull(&shared_context, 8, corner);
    const icf_shape box = {.type = ICF_SHAPE_BOX, .extent = e}, hull = icf_solid_shape(&solid, 0);
    const icf_placed_shape slab = {
        is_hull ? &hull : &box, {0, 0, -0.5}, icf_quat_matrix((icf_quat){1, 0, 0, 0}), &solid};
    const icf_placed_shape body = {shape, {0.03, 0.01, height}, icf_quat_matrix(turn), solids};
    icf_collide(&slab, &body, 1e-3, manifold);
    icf_solid_clear(&solid);
}

/* What lies on a slab has the same contact points however wide the slab is: both ends of a rod, all corners of a face.
 */
static void small_bodies_lie_on_wide_slabs(void **state)
{
    (void)state;
    oracle_random random = {9};
    icf_vec3 prism[12];
    for (int k = 0; k < 12; ++k)
        prism[k] = (icf_vec3){0.01 * cos(k / 2 * 1.047), 0.01 * sin(k / 2 * 1.047), k % 2 ? 0.02 : -0.02};
    icf_solid solid = make_hull(&shared_context, 12, prism);
    const icf_shape shape[] = {{.type = ICF_SHAPE_CYLINDER, .radius = 0.005, .half = 0.02},
                               {.type = ICF_SHAPE_CAPSULE, .radius = 0.005, .half = 0.02},
                               {.type = ICF_SHAPE_BOX, .extent = {0.005, 0.005, 0.02}},
                               icf_solid_shape(&solid, 0)};
    const icf_quat lying = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0}, upright = {1, 0, 0, 0};
    for (int k = 0; k < 4 * 2 * 2 * 4; ++k) {
        const icf_shape *of = &shape[k % 4];
        const bool is_hull = k / 4 % 2, lies = k / 8 % 2;
        const double tilt = k / 16 == 0 ? 0.0 : oracle_range(&random, -2e-3, 2e-3);
        const icf_quat turn = icf_quat_mul(icf_quat_unit((icf_quat){cos(tilt), 0.3 * sin(tilt), 0.95 * sin(tilt), 0.0}),
                                           lies ? lying : upright);
        const double height = lies ? (of->type == ICF_SHAPE_CONVEX ? 0.01 * sin(1.047) : 0.005)
                                   : 0.02 + (of->type == ICF_SHAPE_CAPSULE ? 0.005 : 0.0);
        icf_manifold near, wide;
        touch_slab(of, &solid, turn, height, 0.1, is_hull, &near);
        assert_true(near.n >= (of->type == ICF_SHAPE_CAPSULE && !lies ? 1 : 2));
        for (double half = 1.0; half < 2e4; half *= 10.0) {
            touch_slab(of, &solid, turn, height, half, is_hull, &wide);
            assert_int_equal(wide.n, near.n);
            for (int i = 0; i < wide.n; ++i) {
                double off = INFINITY;
                for (int j = 0; j < near.n; ++j)
                    off = fmin(off, icf_norm(icf_sub(wide.point[i].on_b, near.point[j].on_b)));
                assert_near(off, 0.0, 1e-9 * half + 1e-9);
            }
        }
    }
    icf_solid_clear(&solid);
}

/* Two ellipsoids that overlap by a share of their size: the direction that Newton finds is shown to be the best one
 * with a dozen points or two, where growing towards it takes 40. */
static void rings_close_the_bracket(void **state)
{
    (void)state;
    oracle_random random = {2024};
    int nclosed = 0;
    for (int k = 0; k < 500; ++k) {
        icf_shape shape[2];
        icf_placed_shape placed[2];
        for (int i = 0; i < 2; ++i) {
            shape[i] = (icf_shape){.type = ICF_SHAPE_ELLIPSOID,
                                   .extent = {oracle_range(&random, 0.5, 1.5), oracle_range(&random, 0.5, 1.5),
                                              oracle_range(&random, 0.5, 1.5)}};
            const icf_quat turn = oracle_turn(oracle_direction(&random), oracle_range(&random, -3.0, 3.0));
            placed[i] = (icf_placed_shape){&shape[i], icf_scale(4.0 * i, oracle_direction(&random)),
                                           icf_quat_matrix(icf_quat_unit(turn)), NULL};
        }
        icf_contact_point nearest;
        assert_true(icf_collide_nearest(&placed[0], &placed[1], 10.0, &nearest));
        const double depth = oracle_power(&random, -6.0, -2.5);
        placed[1].position = icf_mul_add(placed[1].position, -nearest.distance - depth, nearest.normal);
        const icf_convex_pair pair = icf_convex_make_pair(&placed[0], &placed[1]);
        icf_expansion e;
        icf_touch touch = {.separation = -INFINITY};
        assert_true(icf_convex_expand_begin(&pair, &e));
        icf_convex_expand(&pair, 1.0, -INFINITY, 1e-2 * pair.scale, &e);
        icf_convex_polish(&pair, &e, false, &touch);
        assert_near(touch.separation, -depth, 1e-12);
        icf_convex_expand_round(&pair, &touch, &e);
        icf_convex_expand(&pair, 1.0, touch.separation, 1e-4 * pair.scale, &e);
        assert_true(e.above >= touch.separation - 1e-14);
        nclosed += e.nvertex <= 24 && icf_convex_is_settled(&pair, &e, &touch);
    }
    assert_true(nclosed >= 490);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_agrees_with_brute_force),  cmocka_unit_test(a_hull_of_box_corners_is_a_box),
        cmocka_unit_test(features_of_edges_outlast_round_off), cmocka_unit_test(half_spaces_see_how_far_shapes_reach),
        cmocka_unit_test(small_bodies_lie_on_wide_slabs),      cmocka_unit_test(rings_close_the_bracket),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
