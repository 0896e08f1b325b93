/* Broad phase against brute force over all pairs: mixed sizes, piles, line-ups, coincident bodies,
 * half-spaces, ghosts with made-up ids, several thread counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <mpi.h>

#include "base/memory.h"
#include "geometry/broad_phase.h"

/* A scene under construction: bodies, their margins, numbers to draw from. */
typedef struct setup {
    icf_bodies bodies;
    double *margin;
    size_t margin_capacity;
    uint64_t seed;
} setup;

static double draw(setup *s, double lo, double hi)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(s->seed >> 33) / 2147483648.0;
}

static icf_vec3 draw_vec3(setup *s, double lo, double hi)
{
    const double x = draw(s, lo, hi), y = draw(s, lo, hi), z = draw(s, lo, hi);
    return icf_vec3_make(x, y, z);
}

static icf_quat draw_orientation(setup *s)
{
    icf_quat q = {draw(s, 0.1, 1.0), draw(s, -1.0, 1.0), draw(s, -1.0, 1.0), draw(s, -1.0, 1.0)};
    return icf_quat_unit(q);
}

static icf_shape sphere(double radius)
{
    return (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
}

static icf_shape box(double x, double y, double z)
{
    return (icf_shape){.type = ICF_SHAPE_BOX, .extent = {x, y, z}};
}

static icf_shape capsule(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = radius, .half = half};
}

static icf_shape half_space(icf_vec3 normal, double offset)
{
    return (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = icf_unit(normal), .offset = offset};
}

/* One of every bounded shape, of a size. */
static icf_shape draw_shape(setup *s, double size)
{
    const double kind = draw(s, 0.0, 3.0);
    if (kind < 1.0) return sphere(size);
    if (kind < 2.0) return box(size, size * draw(s, 0.1, 1.0), size * draw(s, 0.1, 1.0));
    return capsule(0.3 * size, size);
}

static void start(setup *s, uint64_t seed)
{
    *s = (setup){.seed = seed};
    icf_bodies_init(&s->bodies);
}

static void finish(setup *s)
{
    icf_bodies_clear(&s->bodies);
    icf_free(s->margin);
}

static void add(setup *s, icf_gid gid, icf_shape shape, icf_vec3 position, double margin, bool fixed, bool owned)
{
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.shape = shape;
    def.position = position;
    def.orientation = draw_orientation(s);
    def.motion.type = fixed ? ICF_MOTION_FIXED : ICF_MOTION_DYNAMIC;
    assert_int_equal(icf_bodies_add(&s->bodies, &def, owned), ICF_OK);
    assert_int_equal(ICF_GROW(s->margin, s->margin_capacity, s->bodies.n), ICF_OK);
    s->margin[s->bodies.n - 1] = margin;
}

/* A body with the next id, owned. */
static void add_next(setup *s, icf_shape shape, icf_vec3 position, double margin, bool fixed)
{
    const icf_gid gid = s->bodies.n > 0 ? s->bodies.gid[s->bodies.n - 1] + 3 : 17;
    add(s, gid, shape, position, margin, fixed, true);
}

static bool has_box(const icf_shape *shape)
{
    return shape->type != ICF_SHAPE_NONE && shape->type != ICF_SHAPE_HALF_SPACE;
}

static icf_vec3 reach(const setup *s, icf_lid i)
{
    const icf_mat3 rotation = icf_quat_matrix(s->bodies.orientation[i]);
    const double m = s->margin[i];
    return icf_add(icf_shape_extent(&s->bodies.shape[i], &rotation), icf_vec3_make(m, m, m));
}

static bool boxes_overlap(const setup *s, icf_lid i, icf_lid j)
{
    const icf_vec3 ri = reach(s, i), rj = reach(s, j), pi = s->bodies.position[i], pj = s->bodies.position[j];
    for (int k = 0; k < 3; ++k) {
        if (!(icf_get(pi, k) - icf_get(ri, k) <= icf_get(pj, k) + icf_get(rj, k))) return false;
        if (!(icf_get(pj, k) - icf_get(rj, k) <= icf_get(pi, k) + icf_get(ri, k))) return false;
    }
    return true;
}

static bool plane_reached(const setup *s, icf_lid plane, icf_lid i)
{
    const icf_shape *shape = &s->bodies.shape[plane];
    const icf_vec3 n = shape->normal, r = reach(s, i);
    const double support = fabs(n.x) * r.x + fabs(n.y) * r.y + fabs(n.z) * r.z;
    return icf_dot(n, s->bodies.position[i]) - support <= shape->offset + s->margin[plane];
}

static bool is_pair(const setup *s, icf_lid i, icf_lid j)
{
    const icf_shape *si = &s->bodies.shape[i], *sj = &s->bodies.shape[j];
    if (!icf_bodies_moves(&s->bodies, i) && !icf_bodies_moves(&s->bodies, j)) return false;
    if (has_box(si) && has_box(sj)) return boxes_overlap(s, i, j);
    if (si->type == ICF_SHAPE_HALF_SPACE && has_box(sj)) return plane_reached(s, i, j);
    if (sj->type == ICF_SHAPE_HALF_SPACE && has_box(si)) return plane_reached(s, j, i);
    return false;
}

static bool precedes(const icf_bodies *bodies, icf_pair p, icf_pair q)
{
    if (bodies->gid[p.a] != bodies->gid[q.a]) return bodies->gid[p.a] < bodies->gid[q.a];
    return bodies->gid[p.b] < bodies->gid[q.b];
}

/* Every listed pair is one, no pair is listed twice or out of order, and their number is right: hence
 * the list is exactly the set of all pairs. */
static void check_pairs(const setup *s, icf_lid npair, const icf_pair *pairs)
{
    icf_lid expected = 0;
    for (icf_lid i = 0; i < s->bodies.n; ++i)
        for (icf_lid j = i + 1; j < s->bodies.n; ++j) expected += is_pair(s, i, j);
    for (icf_lid k = 0; k < npair; ++k) {
        assert_true(s->bodies.gid[pairs[k].a] < s->bodies.gid[pairs[k].b]);
        assert_true(is_pair(s, pairs[k].a, pairs[k].b));
        if (k > 0) assert_true(precedes(&s->bodies, pairs[k - 1], pairs[k]));
    }
    assert_int_equal(npair, expected);
}

/* Checks a scene with 1, 2 and 4 threads, by one structure that is used again. */
static void check_scene(const setup *s)
{
    icf_context context;
    icf_broad_phase *broad;
    assert_int_equal(icf_context_init(&context, MPI_COMM_SELF, 1), ICF_OK);
    assert_int_equal(icf_broad_phase_create(&broad), ICF_OK);
    for (int nthread = 1; nthread <= 4; nthread *= 2) {
        icf_lid npair;
        const icf_pair *pairs;
        context.nthread = nthread;
        assert_int_equal(icf_broad_phase_find(broad, &context, &s->bodies, s->margin, &npair, &pairs), ICF_OK);
        check_pairs(s, npair, pairs);
    }
    icf_broad_phase_destroy(&broad);
    assert_null(broad);
    icf_context_clear(&context);
}

static void few_bodies(void **state)
{
    (void)state;
    for (int n = 0; n <= 20; ++n) {
        setup s;
        start(&s, (uint64_t)n);
        for (int i = 0; i < n; ++i) add_next(&s, draw_shape(&s, 0.5), draw_vec3(&s, -1.0, 1.0), 0.01, i % 5 == 0);
        check_scene(&s);
        finish(&s);
    }
}

/* Worked by hand: spheres of radius 1 at x = 0, 2.5, 6 with margins 0.3, 0.3, 0.3 reach 1.3: only the
 * first two overlap; a third of margin 1 reaches back to 4 > 3.8; of margin 1.3 to 3.7. */
static void margins_count_on_both_sides(void **state)
{
    (void)state;
    const double third_margin[] = {0.3, 1.0, 1.3};
    const icf_lid expected[] = {1, 1, 2};
    for (int c = 0; c < 3; ++c) {
        setup s;
        start(&s, 1);
        add_next(&s, sphere(1.0), icf_vec3_make(0.0, 0.0, 0.0), 0.3, false);
        add_next(&s, sphere(1.0), icf_vec3_make(2.5, 0.0, 0.0), 0.3, false);
        add_next(&s, sphere(1.0), icf_vec3_make(6.0, 0.0, 0.0), third_margin[c], false);
        icf_context context;
        icf_broad_phase *broad;
        icf_lid npair;
        const icf_pair *pairs;
        assert_int_equal(icf_context_init(&context, MPI_COMM_SELF, 1), ICF_OK);
        assert_int_equal(icf_broad_phase_create(&broad), ICF_OK);
        assert_int_equal(icf_broad_phase_find(broad, &context, &s.bodies, s.margin, &npair, &pairs), ICF_OK);
        assert_int_equal(npair, expected[c]);
        icf_broad_phase_destroy(&broad);
        icf_context_clear(&context);
        finish(&s);
    }
}

/* Half-spaces in all directions, bodies without shape, fixed bodies; ghosts whose ids interleave. */
static void mixed_scenes_with_ghosts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        setup s;
        start(&s, seed);
        for (int part = 0; part < 2; ++part)
            for (icf_gid i = 0; i < 300; ++i) {
                const double kind = draw(&s, 0.0, 1.0);
                const icf_shape none = {.type = ICF_SHAPE_NONE};
                const icf_shape shape = kind < 0.01   ? half_space(draw_vec3(&s, -1.0, 1.0), draw(&s, -3.0, -1.0))
                                        : kind < 0.05 ? none
                                                      : draw_shape(&s, draw(&s, 0.05, 0.3));
                const bool fixed = shape.type == ICF_SHAPE_HALF_SPACE || draw(&s, 0.0, 1.0) < 0.1;
                const icf_gid gid = 1000000007 * (2 * i + part);
                add(&s, gid, shape, draw_vec3(&s, -2.0, 2.0), draw(&s, 0.0, 0.05), fixed, part == 0);
            }
        check_scene(&s);
        finish(&s);
    }
}

/* Sizes over five orders of magnitude: grains on a plate between walls, and all sizes in one place. */
static void sizes_differ_widely(void **state)
{
    (void)state;
    setup s;
    start(&s, 3);
    add_next(&s, box(5.0, 5.0, 0.1), icf_vec3_make(0.0, 0.0, -0.1), 0.0, true);
    for (int i = 0; i < 4; ++i)
        add_next(&s, box(5.0, 0.1, 2.0), icf_vec3_make(i < 2 ? 5.0 : -5.0, i % 2 ? 5.0 : -5.0, 1.0), 0.0, true);
    for (int i = 0; i < 1500; ++i) {
        const icf_vec3 p = draw_vec3(&s, -0.02, 0.02);
        add_next(&s, draw_shape(&s, 0.0005), icf_vec3_make(p.x, p.y, fabs(p.z)), 1e-5, false);
    }
    for (int i = 0; i < 500; ++i)
        add_next(&s, draw_shape(&s, pow(10.0, draw(&s, -4.0, 1.0))), draw_vec3(&s, -2.0, 2.0), 1e-5, false);
    check_scene(&s);
    finish(&s);
}

static void line_ups(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        setup s;
        start(&s, 5);
        for (int i = 0; i < 1000; ++i) {
            icf_vec3 p = {0};
            icf_set(&p, axis, 0.1 * i);
            add_next(&s, sphere(0.0505), p, 0.0, false);
        }
        check_scene(&s);
        finish(&s);
    }
}

static void all_in_one_place(void **state)
{
    (void)state;
    setup s;
    start(&s, 6);
    for (int i = 0; i < 400; ++i) add_next(&s, sphere(0.1), icf_vec3_make(1.0, 2.0, 3.0), 0.0, i % 3 == 0);
    check_scene(&s);
    finish(&s);
}

/* Bodies of no size, a pile far from the origin, and one that has fallen for ever. */
static void extremes(void **state)
{
    (void)state;
    setup s;
    start(&s, 7);
    for (int i = 0; i < 600; ++i) {
        const icf_vec3 p = icf_add(draw_vec3(&s, -0.3, 0.3), icf_vec3_make(1e6, -2e6, 0.0));
        add_next(&s, sphere(i % 10 == 0 ? 0.0 : 0.02), p, 0.0, false);
    }
    add_next(&s, sphere(0.02), icf_vec3_make(0.0, 0.0, -1e12), 0.0, false);
    check_scene(&s);
    finish(&s);
}

/* Poses that a broken state could hold cost the other bodies none of their pairs. */
static void bodies_without_finite_pose(void **state)
{
    (void)state;
    setup s;
    start(&s, 9);
    add_next(&s, half_space(icf_vec3_make(0.0, 0.0, 1.0), 0.0), (icf_vec3){0}, 0.0, true);
    for (int i = 0; i < 300; ++i) add_next(&s, draw_shape(&s, 0.1), draw_vec3(&s, -0.5, 0.5), 0.0, false);
    s.bodies.position[10].x = NAN;
    s.bodies.position[20].y = INFINITY;
    s.bodies.position[30] = icf_vec3_make(-INFINITY, NAN, INFINITY);
    s.bodies.orientation[40].w = NAN;
    s.bodies.orientation[50].z = INFINITY;
    check_scene(&s);
    finish(&s);
}

/* Large enough for threads: a pile of columns as high as wide. */
static void pile_with_threads(void **state)
{
    (void)state;
    setup s;
    start(&s, 8);
    add_next(&s, half_space(icf_vec3_make(0.1, 0.0, 1.0), 0.0), (icf_vec3){0}, 0.001, true);
    for (int i = 0; i < 6000; ++i) {
        const icf_vec3 p = draw_vec3(&s, 0.0, 1.8);
        add_next(&s, draw_shape(&s, 0.05), p, 0.001, false);
    }
    check_scene(&s);
    finish(&s);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bodies),
        cmocka_unit_test(margins_count_on_both_sides),
        cmocka_unit_test(sizes_differ_widely),
        cmocka_unit_test(mixed_scenes_with_ghosts),
        cmocka_unit_test(line_ups),
        cmocka_unit_test(all_in_one_place),
        cmocka_unit_test(extremes),
        cmocka_unit_test(pile_with_threads),
        cmocka_unit_test(bodies_without_finite_pose),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
