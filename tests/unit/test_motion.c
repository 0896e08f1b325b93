/* Motion: harmonic displacement and velocity at known times, steady turning, belts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "scene/motion.h"

static const double pi = 3.14159265358979323846;
static const icf_harmonic shake = {{0.0, 0.6, 0.8}, 0.5, 2.0, 0.25};

/* A sin(2 pi f t + phase): at t = 0 A sin(phase); a quarter period (1/8 s) later A cos(phase). */
static void displacement_at_known_times(void **state)
{
    (void)state;
    const icf_vec3 start = icf_harmonic_displacement(&shake, 0.0), quarter = icf_harmonic_displacement(&shake, 0.125);
    assert_true(start.x == 0.0);
    assert_near(start.y, 0.6 * 0.5 * sin(0.25), 1e-16);
    assert_near(start.z, 0.8 * 0.5 * sin(0.25), 1e-16);
    assert_near(quarter.y, 0.6 * 0.5 * cos(0.25), 1e-15);
}

/* Largest speed A 2 pi f = 2 pi m/s when the argument is a multiple of 2 pi. */
static void velocity_is_the_derivative(void **state)
{
    (void)state;
    const double zero_phase = -0.25 / (4.0 * pi), h = 1e-5;
    assert_near(icf_norm(icf_harmonic_velocity(&shake, zero_phase)), 2.0 * pi, 1e-14);
    for (int i = 0; i < 20; ++i) {
        const double t = 0.037 * i;
        const icf_vec3 difference =
            icf_sub(icf_harmonic_displacement(&shake, t + h), icf_harmonic_displacement(&shake, t - h));
        const icf_vec3 error = icf_sub(icf_scale(0.5 / h, difference), icf_harmonic_velocity(&shake, t));
        assert_true(icf_norm(error) < 1e-7); /* third derivative 1000 m/s^3 times h^2/6, and rounding */
    }
}

/* A quarter turn about z round (1, 0, 0), which moves with 2 m/s along z: from (3, 0, 0) to (1, 2, 2) in a second. */
static void steady_motion_at_known_times(void **state)
{
    (void)state;
    const icf_steady steady = {{0, 0, 2}, {0, 0, 0.5 * pi}, {1, 0, 0}, {1, 0, 0, 0}};
    const icf_vec3 origin = {3, 0, 0}, x = icf_steady_position(&steady, origin, 1.0);
    assert_true(icf_norm(icf_sub(x, icf_vec3_make(1, 2, 2))) < 1e-15);
    const icf_vec3 axis = icf_rotate(icf_steady_orientation(&steady, 1.0), icf_vec3_make(1, 0, 0));
    assert_true(icf_norm(icf_sub(axis, icf_vec3_make(0, 1, 0))) < 1e-15);
    const icf_vec3 v = icf_steady_velocity(&steady, origin, 1.0);
    assert_true(icf_norm(icf_sub(v, icf_vec3_make(-pi, 0, 2))) < 1e-14);
    const icf_steady still = {{1, 2, 3}, {0, 0, 0}, {7, 8, 9}, {1, 0, 0, 0}};
    assert_true(icf_norm(icf_sub(icf_steady_position(&still, origin, 0.5), icf_vec3_make(3.5, 1, 1.5))) == 0.0);
}

/* Velocities are the derivatives of position and orientation, about an oblique axis, from an oblique start. */
static void steady_velocity_is_the_derivative(void **state)
{
    (void)state;
    const icf_quat start = icf_quat_unit((icf_quat){0.3, -0.5, 0.7, 0.2});
    const icf_steady steady = {{0.1, -0.2, 0.3}, {1.0, -2.0, 0.5}, {-1, 0.5, 2}, start};
    const icf_vec3 origin = {0.5, 1, -1}, point = {0.3, 0.1, -0.4};
    const double h = 1e-5;
    assert_true(fabs(icf_steady_orientation(&steady, 0.0).w - start.w) < 1e-15);
    assert_true(icf_norm(icf_sub(icf_steady_position(&steady, origin, 0.0), origin)) < 1e-15);
    for (int i = 0; i < 20; ++i) {
        const double t = 0.37 * i;
        const icf_vec3 moved =
            icf_sub(icf_steady_position(&steady, origin, t + h), icf_steady_position(&steady, origin, t - h));
        const icf_vec3 velocity = icf_steady_velocity(&steady, origin, t);
        assert_true(icf_norm(icf_sub(icf_scale(0.5 / h, moved), velocity)) < 1e-8);
        const icf_vec3 turned = icf_sub(icf_rotate(icf_steady_orientation(&steady, t + h), point),
                                        icf_rotate(icf_steady_orientation(&steady, t - h), point));
        const icf_vec3 now = icf_rotate(icf_steady_orientation(&steady, t), point);
        assert_true(icf_norm(icf_sub(icf_scale(0.5 / h, turned), icf_cross(steady.angular, now))) < 1e-8);
    }
}

static void belts(void **state)
{
    (void)state;
    icf_surface_velocity belt = {.moving = true, .constant = {1.0, -2.0, 0.5}};
    assert_true(icf_surface_velocity_at(&belt, 3.0).y == -2.0);
    belt.harmonic = shake;
    const icf_vec3 velocity = icf_surface_velocity_at(&belt, 0.3), part = icf_harmonic_velocity(&shake, 0.3);
    assert_near(velocity.x, 1.0, 1e-16);
    assert_near(velocity.y, -2.0 + part.y, 1e-15);
    assert_near(velocity.z, 0.5 + part.z, 1e-15);
    belt.moving = false;
    assert_true(icf_norm(icf_surface_velocity_at(&belt, 0.3)) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(displacement_at_known_times),
        cmocka_unit_test(velocity_is_the_derivative),
        cmocka_unit_test(steady_motion_at_known_times),
        cmocka_unit_test(steady_velocity_is_the_derivative),
        cmocka_unit_test(belts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
