/* The theta method: springs and falls against closed forms of the schemes and of mechanics, rest on the ground. */
#include <mpi.h>
#include <stdio.h>

#include "laws/soft.h"

static const double mass = 2.0, stiffness = 800.0, start = 0.1; /* frequency 20 rad/s */
static const char *const schemes[] = {"symplectic_euler", "midpoint", "implicit_euler"};

enum { SYMPLECTIC, MIDPOINT, IMPLICIT, NSCHEME };

/* A ball on a spring along a slanted axis, pulled out by `start`, without gravity. */
static void open_spring(world *w, const char *scheme, double step, double damping)
{
    soft_open(
        w,
        "time: {step: %.17g, steps: 1, integrator: %s}\ngravity: [0, 0, 0]\nmaterials: {m: {}}\nbodies:\n"
        "  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: %g, material: m, position: [%.17g, 0, %.17g]}\n"
        "springs:\n  - {body: ball, axis: [0.6, 0, 0.8], stiffness: %g, damping: %g}\n",
        step, scheme, mass, 0.6 * start, 0.8 * start, stiffness, damping);
}

static double stretch(const world *w)
{
    return icf_dot(icf_vec3_make(0.6, 0, 0.8), w->bodies.position[0]);
}

static double energy(const world *w)
{
    const double x = stretch(w), v = icf_norm(w->bodies.linear_velocity[0]);
    return 0.5 * mass * v * v + 0.5 * stiffness * x * x;
}

/* Midpoint keeps the energy, implicit Euler divides it by 1 + (w dt)^2 in every step. */
static void energy_of_a_spring(void **state)
{
    (void)state;
    const double step = 0.01, ratio = 1 + stiffness / mass * step * step;
    for (int scheme = MIDPOINT; scheme <= IMPLICIT; ++scheme) {
        world w;
        open_spring(&w, schemes[scheme], step, 0);
        double expected = energy(&w);
        for (int k = 0; k < 500; ++k) {
            world_step(&w);
            if (scheme == IMPLICIT) expected /= ratio;
            assert_near(energy(&w), expected, 1e-12 * expected);
        }
        world_clear(&w);
    }
}

static double error_at_end(const char *scheme, double step, double damping)
{
    const double end = 0.4, decay = damping / (2 * mass), w0 = sqrt(stiffness / mass - decay * decay);
    const double exact = start * exp(-decay * end) * (cos(w0 * end) + decay / w0 * sin(w0 * end));
    world w;
    open_spring(&w, scheme, step, damping);
    world_run(&w, end);
    const double error = fabs(stretch(&w) - exact);
    world_clear(&w);
    return error;
}

/* Midpoint is of second order, the others of first, damped or not. */
static void order_of_accuracy(void **state)
{
    (void)state;
    static const double order[NSCHEME] = {1, 2, 1};
    for (int scheme = 0; scheme < NSCHEME; ++scheme)
        for (int damped = 0; damped < 2; ++damped) {
            const double damping = damped ? 8 : 0;
            const double ratio =
                error_at_end(schemes[scheme], 5e-4, damping) / error_at_end(schemes[scheme], 2.5e-4, damping);
            assert_near(log2(ratio), order[scheme], 0.1);
        }
}

/* After t = n dt a falling body is at -g t^2/2 with midpoint, g dt t/2 lower with the Euler schemes. */
static void free_fall(void **state)
{
    (void)state;
    const double step = 0.02;
    const int n = 50;
    for (int scheme = 0; scheme < NSCHEME; ++scheme) {
        world w;
        soft_open(&w,
                  "time: {step: %g, steps: 1, integrator: %s}\nmaterials: {m: {}}\nbodies:\n"
                  "  - {shape: {type: sphere, radius: 0.1}, mass: 1, material: m, linear_velocity: [1, 0, 0]}\n",
                  step, schemes[scheme]);
        for (int k = 0; k < n; ++k) world_step(&w);
        const double t = n * step, lower = scheme == MIDPOINT ? 0 : gravity * step * t / 2;
        assert_near(w.bodies.position[0].z, -gravity * t * t / 2 - lower, 1e-12);
        assert_near(w.bodies.position[0].x, t, 1e-13);
        world_clear(&w);
    }
}

/* A box that has come to rest presses the ground in by m g/k with every scheme and model, and stays. */
static void rest_on_the_ground(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < NSCHEME; ++scheme)
        for (int m = 0; m < nmodel; ++m) {
            world w;
            soft_open(
                &w,
                "time: {step: 0.005, steps: 1, integrator: %s}\ncontact: {model: %s, near_rigid: 0}\n"
                "materials: {m: {stiffness: 1.0e4, dissipation: 20, relaxation_time: 0.01, friction: 0.5}}\nbodies:\n"
                "  - {shape: {type: half_space, normal: [0, 0, 1]}, motion: fixed, material: m}\n"
                "  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: 1, material: m, position: [0, 0, 0.1]}\n",
                schemes[scheme], model_name(all_models[m]));
            const icf_lid ball = soft_find(&w, "ball");
            world_run(&w, 4.0);
            const double depth = 0.1 - w.bodies.position[ball].z, k = 5e3;
            assert_near(depth, gravity / k, 1e-3 * gravity / k);
            assert_true(icf_norm(w.bodies.linear_velocity[ball]) < 1e-6);
            world_clear(&w);
        }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_of_a_spring), cmocka_unit_test(order_of_accuracy),
                                       cmocka_unit_test(free_fall), cmocka_unit_test(rest_on_the_ground)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
