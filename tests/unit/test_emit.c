/* Emission: when bodies are due, where they enter, who waits for whom, and what a continued run finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <mpi.h>
#include <string.h>

#include "check.h"
#include "geometry/overlap.h"
#include "step/emit.h"

typedef struct setup {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_emission emission;
} setup;

static icf_template ball(double radius)
{
    icf_template item = {.weight = 1.0, .body = icf_body_def_default()};
    item.body.shape = (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
    item.body.material = 0;
    item.body.mass = 1.0;
    item.body.inertia = icf_vec3_make(1, 1, 1);
    return item;
}

static void add_emitter(setup *s, icf_cnt n, icf_vec3 half, double rate, double radius)
{
    const icf_region region = {ICF_REGION_BOX, {0, 0, 1}, half};
    const icf_population population = icf_population_emitter(n, &region, rate);
    const icf_template item = ball(radius);
    assert_int_equal(icf_scene_add_population(&s->scene, &population, 1, &item), ICF_OK);
}

/* A step of 1/64 s, so that times are exact; no body listed. */
static void set_up(setup *s)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(icf_context_init(&s->context, MPI_COMM_SELF, 1), ICF_OK);
    assert_int_equal(icf_scene_init(&s->scene), ICF_OK);
    s->scene.time.step = 1.0 / 64.0;
    icf_bodies_init(&s->bodies);
}

static void start(setup *s)
{
    assert_int_equal(icf_emission_init(&s->emission, &s->context, &s->scene, &s->bodies), ICF_OK);
}

static void step(setup *s, icf_cnt n)
{
    assert_int_equal(icf_emission_step(&s->emission, &s->context, &s->scene, &s->bodies, n), ICF_OK);
}

static void tear_down(setup *s)
{
    icf_emission_clear(&s->emission);
    icf_bodies_clear(&s->bodies);
    icf_scene_clear(&s->scene);
    icf_context_clear(&s->context);
}

/* Body j is due at start + j/rate: 16 a second from 1/2 s on, one every fourth step of 1/64 s from step 32. */
static void bodies_come_when_they_are_due(void **state)
{
    (void)state;
    setup s;
    set_up(&s);
    add_emitter(&s, 5, icf_vec3_make(10, 10, 10), 16.0, 0.01);
    s.scene.population[0].start = 0.5;
    start(&s);
    for (icf_cnt n = 0; n < 80; ++n) {
        step(&s, n);
        const icf_cnt due = n < 32 ? 0 : ICF_MIN(5, 1 + (n - 32) / 4);
        assert_int_equal(s.bodies.n, due);
        assert_int_equal(s.emission.total, due);
        assert_int_equal(s.emission.waiting, 0);
    }
    for (icf_lid i = 0; i < 5; ++i) {
        assert_int_equal(s.bodies.gid[i], i);
        const icf_vec3 from = icf_sub(s.bodies.position[i], icf_vec3_make(0, 0, 1));
        assert_true(fabs(from.x) <= 10 && fabs(from.y) <= 10 && fabs(from.z) <= 10);
        assert_true(i == 0 || icf_norm(icf_sub(s.bodies.position[i], s.bodies.position[i - 1])) > 0.0);
    }
    tear_down(&s);
}

/* All 200 are due at once and come in one step while there is room; then they wait, in order, without overlap, and none
 * enters until the way is free. */
static void bodies_wait_for_room_in_order(void **state)
{
    (void)state;
    setup s;
    icf_overlaps overlaps;
    set_up(&s);
    add_emitter(&s, 200, icf_vec3_make(1, 1, 0), 1e6, 0.1);
    s.scene.population[0].gap = 0.01;
    start(&s);
    step(&s, 0);
    assert_int_equal(s.bodies.n, 1); /* only the first is due at t = 0 */
    step(&s, 1);
    const icf_lid n = s.bodies.n;
    assert_true(n > 10 && n < 120);
    assert_int_equal(s.emission.waiting, 200 - n);
    for (icf_cnt k = 2; k < 500; ++k) step(&s, k);
    const icf_lid full = s.bodies.n;
    assert_true(full >= n && full < 120); /* discs of radius 0.105 fill 0.55 of the area at most */
    for (icf_lid i = 0; i < full; ++i) assert_int_equal(s.bodies.gid[i], i);
    assert_int_equal(icf_overlaps_find(&s.context, &s.bodies, NULL, &overlaps), ICF_OK);
    assert_int_equal(overlaps.npair, 0);
    for (icf_lid a = 0; a < full; ++a)
        for (icf_lid b = 0; b < a; ++b)
            assert_true(icf_norm(icf_sub(s.bodies.position[a], s.bodies.position[b])) >= 0.21);
    for (icf_lid i = 0; i < full; ++i) s.bodies.position[i].z -= 1.0;
    step(&s, 500);
    assert_true(s.bodies.n > full + 10);
    assert_int_equal(s.bodies.gid[full], full);
    assert_int_equal(s.bodies.n + s.emission.waiting, 200);
    tear_down(&s);
}

/* A point under ground, and one in a fixed box, let nothing in; one in a body of shape none does. */
static void everything_that_is_there_is_in_the_way(void **state)
{
    (void)state;
    static const icf_shape shapes[] = {{.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}, .offset = 1.05},
                                       {.type = ICF_SHAPE_BOX, .extent = {0.1, 0.1, 0.05}},
                                       {.type = ICF_SHAPE_NONE}};
    for (int k = 0; k < 3; ++k) {
        setup s;
        set_up(&s);
        icf_body_def fixed = icf_body_def_default();
        fixed.shape = shapes[k];
        fixed.material = 0;
        fixed.motion.type = ICF_MOTION_FIXED;
        fixed.position = icf_vec3_make(0, 0, 0.9);
        s.scene.nbody = 1;
        assert_int_equal(icf_bodies_add(&s.bodies, &fixed, true), ICF_OK);
        add_emitter(&s, 1, icf_vec3_make(0, 0, 0), 1.0, 0.06);
        start(&s);
        step(&s, 0);
        assert_int_equal(s.emission.waiting, k < 2);
        assert_int_equal(s.bodies.n, k < 2 ? 1 : 2);
        tear_down(&s);
    }
}

/* The ids of a second emitter follow those of the first, whatever has come of it; its bodies see the others. */
static void emitters_have_their_ids(void **state)
{
    (void)state;
    setup s;
    set_up(&s);
    add_emitter(&s, 100, icf_vec3_make(1, 1, 1), 64.0, 0.02);
    add_emitter(&s, 3, icf_vec3_make(0, 0, 0), 64.0, 0.02);
    start(&s);
    step(&s, 0);
    step(&s, 1);
    static const icf_gid expected[] = {0, 1, 100};
    assert_int_equal(s.bodies.n, 3);
    for (icf_lid i = 0; i < 3; ++i) assert_int_equal(s.bodies.gid[i], expected[i]);
    assert_int_equal(s.emission.waiting, 1); /* 101 is where 100 is */
    tear_down(&s);
}

/* A run that begins with what another one has emitted goes on like it, to the last bit. */
static void a_continued_run_emits_the_same(void **state)
{
    (void)state;
    setup whole, rest;
    set_up(&whole);
    set_up(&rest);
    add_emitter(&whole, 50, icf_vec3_make(0.3, 0.3, 0), 64.0, 0.05);
    add_emitter(&rest, 50, icf_vec3_make(0.3, 0.3, 0), 64.0, 0.05);
    start(&whole);
    for (icf_cnt n = 0; n < 30; ++n) step(&whole, n);
    const icf_cnt emitted = whole.bodies.n;
    assert_true(emitted > 3 && emitted < 40);
    assert_int_equal(icf_emission_add(&rest.context, &rest.scene, &rest.bodies, &emitted), ICF_OK);
    assert_int_equal(rest.bodies.n, emitted);
    memcpy(rest.bodies.position, whole.bodies.position, (size_t)emitted * sizeof(icf_vec3));
    start(&rest);
    assert_int_equal(rest.emission.total, emitted);
    for (setup *s = &whole; s; s = s == &whole ? &rest : NULL) {
        for (icf_lid i = 0; i < emitted; ++i) s->bodies.position[i].z = 0.0;
        for (icf_cnt n = 30; n < 60; ++n) step(s, n);
    }
    assert_true(whole.bodies.n > emitted + 3);
    assert_int_equal(whole.bodies.n, rest.bodies.n);
    assert_true(icf_bodies_checksum(&whole.bodies) == icf_bodies_checksum(&rest.bodies));
    tear_down(&whole);
    tear_down(&rest);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_come_when_they_are_due),          cmocka_unit_test(bodies_wait_for_room_in_order),
        cmocka_unit_test(everything_that_is_there_is_in_the_way), cmocka_unit_test(emitters_have_their_ids),
        cmocka_unit_test(a_continued_run_emits_the_same),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
