/* Overlaps: depths known by hand, what does not count, and many bodies against all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "check.h"
#include "geometry/collide.h"
#include "geometry/overlap.h"

static icf_context one_rank(int nthread)
{
    return (icf_context){.comm = MPI_COMM_NULL, .size = 1, .nthread = nthread};
}

static void add(icf_bodies *bodies, icf_shape shape, icf_vec3 position, icf_motion_type motion)
{
    icf_body_def def = icf_body_def_default();
    def.gid = bodies->n;
    def.shape = shape;
    def.material = 0;
    def.mass = 1.0;
    def.position = position;
    def.motion.type = motion;
    assert_int_equal(icf_bodies_add(bodies, &def, true), ICF_OK);
}

static const icf_shape ball = {.type = ICF_SHAPE_SPHERE, .radius = 0.5};
static const icf_shape cube = {.type = ICF_SHAPE_BOX, .extent = {0.5, 0.5, 0.5}};

/* Two balls 0.2 into one another, a cube 0.1 below ground, fixed bodies that may overlap, one that only touches. */
static void depths_and_names_by_hand(void **state)
{
    (void)state;
    icf_context context = one_rank(1);
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    add(&bodies, (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}}, icf_vec3_make(0, 0, 0),
        ICF_MOTION_FIXED);
    add(&bodies, ball, icf_vec3_make(0, 0, 2), ICF_MOTION_DYNAMIC);
    add(&bodies, ball, icf_vec3_make(0.8, 0, 2), ICF_MOTION_DYNAMIC);
    add(&bodies, cube, icf_vec3_make(10, 0, 0.4), ICF_MOTION_DYNAMIC);
    add(&bodies, cube, icf_vec3_make(-9, 0, 0.3), ICF_MOTION_FIXED);
    add(&bodies, cube, icf_vec3_make(-9, 0, 0.9), ICF_MOTION_FIXED);
    add(&bodies, ball, icf_vec3_make(-9, 0, 1.9), ICF_MOTION_DYNAMIC);
    icf_overlaps overlaps;
    assert_int_equal(icf_overlaps_find(&context, &bodies, NULL, &overlaps), ICF_OK);
    assert_int_equal(overlaps.npair, 2);
    assert_int_equal(overlaps.nbody, 4);
    assert_int_equal(overlaps.nworst, 2);
    assert_int_equal(overlaps.worst[0].pair.a, 1);
    assert_int_equal(overlaps.worst[0].pair.b, 2);
    assert_true(fabs(overlaps.worst[0].depth - 0.2) < 1e-12);
    assert_int_equal(overlaps.worst[1].pair.a, 0);
    assert_int_equal(overlaps.worst[1].pair.b, 3);
    assert_true(fabs(overlaps.worst[1].depth - 0.1) < 1e-12);
    icf_bodies_clear(&bodies);
}

static void no_bodies_and_no_overlap(void **state)
{
    (void)state;
    icf_context context = one_rank(1);
    icf_bodies bodies;
    icf_overlaps overlaps;
    icf_bodies_init(&bodies);
    assert_int_equal(icf_overlaps_find(&context, &bodies, NULL, &overlaps), ICF_OK);
    assert_int_equal(overlaps.npair, 0);
    for (int i = 0; i < 5; ++i) add(&bodies, ball, icf_vec3_make(i, 0, 0), ICF_MOTION_DYNAMIC); /* they touch */
    assert_int_equal(icf_overlaps_find(&context, &bodies, NULL, &overlaps), ICF_OK);
    assert_int_equal(overlaps.npair, 0);
    assert_int_equal(overlaps.nworst, 0);
    icf_bodies_clear(&bodies);
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 2147483648.0;
}

/* Balls and cubes at random in a small box: every pair by the narrow phase alone; any number of threads. */
static void many_bodies_against_all_pairs(void **state)
{
    (void)state;
    enum { N = 400 };
    icf_bodies bodies;
    uint64_t seed = 7;
    icf_bodies_init(&bodies);
    for (int i = 0; i < N; ++i) {
        const double x = 6 * draw(&seed), y = 6 * draw(&seed), z = 6 * draw(&seed);
        add(&bodies, i % 2 ? ball : cube, icf_vec3_make(x, y, z), ICF_MOTION_DYNAMIC);
    }
    icf_cnt npair = 0;
    double deepest = 0.0;
    for (icf_lid a = 0; a < N; ++a)
        for (icf_lid b = a + 1; b < N; ++b) {
            const icf_placed_shape shape_a = {&bodies.shape[a], bodies.position[a],
                                              icf_quat_matrix(bodies.orientation[a]), NULL};
            const icf_placed_shape shape_b = {&bodies.shape[b], bodies.position[b],
                                              icf_quat_matrix(bodies.orientation[b]), NULL};
            icf_manifold manifold;
            icf_collide(&shape_a, &shape_b, -1e-9, &manifold);
            npair += manifold.n > 0;
            for (int k = 0; k < manifold.n; ++k) deepest = fmax(deepest, -manifold.point[k].distance);
        }
    assert_true(npair > ICF_OVERLAPS_KEPT);
    for (int nthread = 1; nthread <= 3; ++nthread) {
        icf_context context = one_rank(nthread);
        icf_overlaps overlaps;
        assert_int_equal(icf_overlaps_find(&context, &bodies, NULL, &overlaps), ICF_OK);
        assert_int_equal(overlaps.npair, npair);
        assert_int_equal(overlaps.nworst, ICF_OVERLAPS_KEPT);
        assert_true(overlaps.worst[0].depth == deepest);
        for (int k = 1; k < overlaps.nworst; ++k) assert_true(overlaps.worst[k].depth <= overlaps.worst[k - 1].depth);
    }
    icf_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_and_names_by_hand),
        cmocka_unit_test(no_bodies_and_no_overlap),
        cmocka_unit_test(many_bodies_against_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
