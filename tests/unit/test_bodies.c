/* Bodies: order of owned and ghost bodies, names, locks, prescribed motion, checksum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"
#include "check.h"
#include "scene/bodies.h"

static icf_body_def ball(icf_gid gid)
{
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.shape = (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.5};
    def.material = 0;
    def.mass = 2.0;
    def.position = icf_vec3_make((double)gid, 0.0, 1.0);
    def.linear_velocity = icf_vec3_make(1.0, 2.0, 3.0);
    def.angular_velocity = icf_vec3_make(4.0, 5.0, 6.0);
    return def;
}

static icf_status add_ball(icf_bodies *bodies, icf_gid gid, bool owned)
{
    const icf_body_def def = ball(gid);
    return icf_bodies_add(bodies, &def, owned);
}

static void order_is_enforced(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    assert_int_equal(add_ball(&bodies, 10, true), ICF_OK);
    assert_int_equal(add_ball(&bodies, 10, true), ICF_ERROR_INTERNAL);
    assert_int_equal(add_ball(&bodies, 9, true), ICF_ERROR_INTERNAL);
    assert_int_equal(add_ball(&bodies, 1000000000000, true), ICF_OK);
    assert_int_equal(add_ball(&bodies, 3, false), ICF_OK); /* ghosts start anew */
    assert_int_equal(add_ball(&bodies, 2, false), ICF_ERROR_INTERNAL);
    assert_int_equal(add_ball(&bodies, 2000000000000, true), ICF_ERROR_INTERNAL); /* owned after a ghost */
    assert_int_equal(add_ball(&bodies, 11, false), ICF_OK);
    assert_int_equal(bodies.n, 4);
    assert_int_equal(bodies.nowned, 2);
    assert_int_equal(icf_bodies_find(&bodies, 10), 0);
    assert_int_equal(icf_bodies_find(&bodies, 1000000000000), 1);
    assert_int_equal(icf_bodies_find(&bodies, 3), 2);
    assert_int_equal(icf_bodies_find(&bodies, 11), 3);
    assert_int_equal(icf_bodies_find(&bodies, 4), -1);
    assert_int_equal(icf_bodies_find(&bodies, 2000000000000), -1);
    icf_bodies_clear(&bodies);
}

/* Six bodies, of which 30 is shaken, become 5 (new, in the place of 10), 20, 40 as owned and 30 as a ghost; 50 and 60
 * are dropped. */
static void bodies_are_put_in_a_new_order(void **state)
{
    (void)state;
    static const char *const names[] = {"ten", NULL, "table", "a much longer name than the others", "fifty", NULL};
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    for (int k = 0; k < 6; ++k) {
        icf_body_def def = ball(10 * (k + 1));
        def.name = names[k];
        if (k == 2) def.motion = (icf_motion){ICF_MOTION_HARMONIC, .harmonic = {{1, 0, 0}, 2.0, 0.25, 0.0}};
        assert_int_equal(icf_bodies_add(&bodies, &def, k < 5), ICF_OK);
    }
    icf_bodies_prescribe_poses(&bodies, 1.0); /* 2 sin(pi/2) from its centre */
    icf_body_def def = ball(5);
    def.name = "five";
    assert_int_equal(icf_bodies_put(&bodies, 0, &def), ICF_OK);
    static const icf_lid order[] = {0, 1, 3, 2, 5, 4};
    assert_int_equal(icf_bodies_arrange(&bodies, 4, order, 3), ICF_OK);
    static const icf_gid expected[] = {5, 20, 40, 30};
    static const char *const expected_names[] = {"five", "body20", "a much longer name than the others", "table"};
    assert_int_equal(bodies.n, 4);
    assert_int_equal(bodies.nowned, 3);
    for (icf_lid i = 0; i < 4; ++i) {
        char buffer[ICF_BODY_NAME_BYTES];
        assert_int_equal(bodies.gid[i], expected[i]);
        assert_string_equal(icf_bodies_name(&bodies, i, buffer), expected_names[i]);
        assert_near(bodies.position[i].x, (double)expected[i] + (i == 3 ? 2.0 : 0.0), 1e-15);
    }
    assert_int_equal(bodies.nprescribed, 1);
    assert_int_equal(bodies.prescribed[0], 3);
    /* names of bodies that are appended later do not disturb these */
    icf_bodies_truncate(&bodies, 3);
    assert_int_equal(bodies.nprescribed, 0);
    assert_int_equal(add_ball(&bodies, 7, false), ICF_OK);
    char buffer[ICF_BODY_NAME_BYTES];
    assert_string_equal(icf_bodies_name(&bodies, 2, buffer), expected_names[2]);
    icf_bodies_clear(&bodies);
}

/* Only bodies that the solver moves, at a place that is there or behind the last. */
static void wrong_places_are_refused(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    icf_body_def def = ball(1);
    assert_int_equal(icf_bodies_put(&bodies, 1, &def), ICF_ERROR_INTERNAL);
    assert_int_equal(icf_bodies_put(&bodies, 0, &def), ICF_OK);
    def.locked = ICF_DOF_ALL;
    assert_int_equal(icf_bodies_put(&bodies, 1, &def), ICF_ERROR_INTERNAL);
    static const icf_lid order[] = {0};
    assert_int_equal(icf_bodies_arrange(&bodies, 0, order, 0), ICF_OK);
    assert_int_equal(bodies.n, 0);
    icf_bodies_clear(&bodies);
}

static void a_new_container_finds_nothing(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    assert_int_equal(icf_bodies_find(&bodies, 0), -1);
    assert_int_equal(icf_bodies_checksum(&bodies), 0);
    icf_bodies_clear(&bodies);
}

/* Capacity at least doubles, so that n additions copy O(n) bodies; every array starts on a cache line. */
static void many_bodies_and_names(void **state)
{
    (void)state;
    enum { n = 3000 };
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    int growths = 0;
    for (icf_gid i = 0; i < n; ++i) {
        char name[24];
        snprintf(name, sizeof name, "ball number %d", (int)i);
        icf_body_def def = ball(2 * i);
        def.name = i % 3 ? name : NULL;
        const size_t capacity = bodies.capacity;
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
        growths += bodies.capacity != capacity;
    }
    assert_true(growths <= 9); /* 16, 32, ... 4096 */
    assert_int_equal((uintptr_t)bodies.position % ICF_ALIGNMENT, 0);
    char buffer[ICF_BODY_NAME_BYTES];
    for (icf_lid i = 0; i < n; ++i) {
        char expected[24];
        snprintf(expected, sizeof expected, i % 3 ? "ball number %d" : "body%d", i % 3 ? (int)i : 2 * (int)i);
        assert_string_equal(icf_bodies_name(&bodies, i, buffer), expected);
        assert_true(bodies.position[i].x == 2.0 * i);
        assert_true(bodies.radius[i] == 0.5);
    }
    icf_bodies_clear(&bodies);
    assert_null(bodies.gid);
}

static void longest_made_up_name_fits(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    assert_int_equal(add_ball(&bodies, INT64_MIN, true), ICF_OK);
    char buffer[ICF_BODY_NAME_BYTES];
    assert_string_equal(icf_bodies_name(&bodies, 0, buffer), "body-9223372036854775808");
    icf_bodies_clear(&bodies);
}

static void locked_directions_have_no_velocity(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    icf_body_def def = ball(0);
    def.locked = ICF_DOF_VY | ICF_DOF_WX | ICF_DOF_WZ;
    assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    def = ball(1);
    def.motion.type = ICF_MOTION_FIXED;
    assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    const icf_vec3 v = bodies.linear_velocity[0], w = bodies.angular_velocity[0];
    assert_true(v.x == 1.0 && v.y == 0.0 && v.z == 3.0);
    assert_true(w.x == 0.0 && w.y == 5.0 && w.z == 0.0);
    assert_true(icf_norm(bodies.linear_velocity[1]) == 0.0 && icf_norm(bodies.angular_velocity[1]) == 0.0);
    assert_true(icf_bodies_moves(&bodies, 0));
    assert_false(icf_bodies_moves(&bodies, 1));
    icf_bodies_clear(&bodies);
}

/* x = 7 + 0.2 sin(2 pi 0.5 t + 0.1): only the prescribed body follows, exactly. */
static void prescribed_bodies_follow_their_motion(void **state)
{
    (void)state;
    const double two_pi = 6.28318530717958647692;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    assert_int_equal(add_ball(&bodies, 1, true), ICF_OK);
    icf_body_def def = ball(7);
    def.motion = (icf_motion){ICF_MOTION_HARMONIC, .harmonic = {{1.0, 0.0, 0.0}, 0.2, 0.5, 0.1}};
    assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    assert_near(bodies.position[1].x, 7.0 + 0.2 * sin(0.1), 1e-15);
    assert_near(bodies.linear_velocity[1].x, 0.1 * two_pi * cos(0.1), 1e-15);
    assert_true(icf_norm(bodies.angular_velocity[1]) == 0.0);
    icf_bodies_prescribe_poses(&bodies, 1.5);
    icf_bodies_prescribe_velocities(&bodies, 2.5);
    assert_near(bodies.position[1].x, 7.0 + 0.2 * sin(0.75 * two_pi + 0.1), 1e-15);
    assert_near(bodies.linear_velocity[1].x, 0.1 * two_pi * cos(1.25 * two_pi + 0.1), 1e-14);
    assert_true(bodies.position[0].x == 1.0 && bodies.linear_velocity[0].x == 1.0);
    char buffer[ICF_BODY_NAME_BYTES];
    assert_true(icf_bodies_def(&bodies, 1, buffer).position.x == 7.0); /* the centre */
    icf_bodies_clear(&bodies);
}

/* A wall of a drum: after a quarter turn about the axis x = z = 0 it stands where the next one began; its definition is
 * that of t = 0 at any time. */
static void steady_bodies_turn_about_their_point(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    assert_int_equal(add_ball(&bodies, 1, true), ICF_OK);
    icf_body_def def = ball(7);
    def.position = icf_vec3_make(2, 5, 0);
    def.orientation = icf_quat_unit((icf_quat){1, 0, 1, 0});
    def.motion = (icf_motion){.type = ICF_MOTION_VELOCITY};
    def.motion.steady.angular = icf_vec3_make(0, 0.5 * pi, 0);
    def.motion.steady.center = icf_vec3_make(0, 5, 0);
    assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    assert_int_equal(bodies.nprescribed, 1);
    assert_false(icf_bodies_moves(&bodies, 1));
    assert_near(bodies.linear_velocity[1].z, -pi, 1e-14);
    icf_bodies_prescribe_poses(&bodies, 1.0);
    icf_bodies_prescribe_velocities(&bodies, 2.0);
    assert_true(icf_norm(icf_sub(bodies.position[1], icf_vec3_make(0, 5, -2))) < 1e-15);
    assert_near(bodies.orientation[1].y, 1.0, 1e-15); /* half a turn in all */
    assert_true(icf_norm(icf_sub(bodies.linear_velocity[1], icf_vec3_make(0, 0, pi))) < 1e-14);
    assert_true(bodies.angular_velocity[1].y == 0.5 * pi);
    const icf_body_def kept = icf_bodies_def(&bodies, 1, NULL);
    assert_true(kept.position.x == 2.0 && kept.position.y == 5.0 && kept.orientation.y == def.orientation.y);
    const icf_lid order[] = {0, 1};
    assert_int_equal(icf_bodies_arrange(&bodies, 2, order, 2), ICF_OK);
    assert_int_equal(bodies.nprescribed, 1);
    icf_bodies_prescribe_poses(&bodies, 0.0);
    assert_true(bodies.position[1].x == 2.0 && fabs(bodies.orientation[1].y - def.orientation.y) < 1e-15);
    icf_bodies_clear(&bodies);
}

/* A container filled from the definitions of another one has the same state. */
static void definitions_round_trip(void **state)
{
    (void)state;
    icf_bodies bodies, copy;
    icf_bodies_init(&bodies);
    icf_bodies_init(&copy);
    for (icf_gid i = 0; i < 5; ++i) {
        icf_body_def def = ball(3 * i);
        def.orientation = icf_quat_unit((icf_quat){1.0, 0.1 * (double)i, 0.2, 0.3});
        def.locked = i == 2 ? ICF_DOF_VZ : 0;
        def.name = i == 4 ? "last" : NULL;
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    }
    for (icf_lid i = 0; i < 5; ++i) {
        char buffer[ICF_BODY_NAME_BYTES];
        const icf_body_def def = icf_bodies_def(&bodies, i, buffer);
        assert_int_equal(icf_bodies_add(&copy, &def, true), ICF_OK);
    }
    char buffer[ICF_BODY_NAME_BYTES];
    assert_int_equal(icf_bodies_checksum(&copy), icf_bodies_checksum(&bodies));
    assert_int_equal(copy.locked[2], ICF_DOF_VZ);
    assert_true(copy.mass[3] == 2.0);
    assert_string_equal(icf_bodies_name(&copy, 4, buffer), "last");
    icf_bodies_clear(&copy);
    icf_bodies_clear(&bodies);
}

/* Split over two containers, the sums add up to that of all in one; ghosts do not count. */
static void checksum_is_independent_of_the_split(void **state)
{
    (void)state;
    icf_bodies all, even, odd;
    icf_bodies_init(&all);
    icf_bodies_init(&even);
    icf_bodies_init(&odd);
    for (icf_gid i = 0; i < 20; ++i) {
        assert_int_equal(add_ball(&all, i, true), ICF_OK);
        assert_int_equal(add_ball(i % 2 ? &odd : &even, i, true), ICF_OK);
    }
    assert_int_equal(add_ball(&even, 1, false), ICF_OK);
    const uint64_t sum = icf_bodies_checksum(&all);
    assert_true(sum == icf_bodies_checksum(&even) + icf_bodies_checksum(&odd));

    all.position[3].y = -0.0;
    assert_true(icf_bodies_checksum(&all) == sum);
    all.position[3].y = 5e-324;
    assert_true(icf_bodies_checksum(&all) != sum);
    icf_bodies_clear(&all);
    icf_bodies_clear(&even);
    icf_bodies_clear(&odd);
}

/* Any number of the state that changes by its last bit changes the checksum. */
static void checksum_sees_every_number(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    assert_int_equal(add_ball(&bodies, 8, true), ICF_OK);
    const uint64_t sum = icf_bodies_checksum(&bodies);
    double *numbers[] = {&bodies.position[0].x, &bodies.orientation[0].w, &bodies.linear_velocity[0].x,
                         &bodies.angular_velocity[0].x};
    const int count[] = {3, 4, 3, 3};
    for (int array = 0; array < 4; ++array)
        for (int k = 0; k < count[array]; ++k) {
            const double kept = numbers[array][k];
            numbers[array][k] = nextafter(kept, INFINITY);
            assert_true(icf_bodies_checksum(&bodies) != sum);
            numbers[array][k] = kept;
        }
    assert_true(icf_bodies_checksum(&bodies) == sum);
    icf_bodies_clear(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_enforced),
        cmocka_unit_test(bodies_are_put_in_a_new_order),
        cmocka_unit_test(wrong_places_are_refused),
        cmocka_unit_test(a_new_container_finds_nothing),
        cmocka_unit_test(many_bodies_and_names),
        cmocka_unit_test(longest_made_up_name_fits),
        cmocka_unit_test(locked_directions_have_no_velocity),
        cmocka_unit_test(prescribed_bodies_follow_their_motion),
        cmocka_unit_test(steady_bodies_turn_about_their_point),
        cmocka_unit_test(definitions_round_trip),
        cmocka_unit_test(checksum_is_independent_of_the_split),
        cmocka_unit_test(checksum_sees_every_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
