/* Coulomb's law seen from outside: sticking and sliding on ramps, stopping distances, slipping and rolling spheres.
 *
 * A ramp of angle a: downhill acceleration g (sin a - mu cos a) when mu < tan a; rest otherwise, but for the creep
 * of regularised friction.  Models Similar and SAP float while they slide (test_gliding.c); they start at that
 * height, since from the ground they would be thrown up to it.  Boxes start as deep as their weight presses them:
 * friction of model Lagged is that of the normal force at the step's start.
 */
#include <mpi.h>

#include "laws/world.h"

static const double dt = 0.002, tau = 1e-4, stiffness = 1e7, slip_tolerance = 1e-4;
static const double half_length = 0.1, half_height = 0.05, radius = 0.1;

typedef struct ramp {
    icf_vec3 normal, downhill;
    icf_quat orientation;
} ramp;

/* Turned about y, downhill towards +x. */
static ramp ramp_of(double angle)
{
    const double c = cos(angle), s = sin(angle);
    return (ramp){{s, 0, c}, {c, 0, -s}, {cos(angle / 2), 0, sin(angle / 2), 0}};
}

static double gliding_height(icf_model model, double friction, double speed)
{
    if (model == ICF_MODEL_SIMILAR) return friction * dt * speed;
    return model == ICF_MODEL_SAP ? friction * (dt + tau) * speed : 0.0;
}

/* A box of 1 kg flat on the ramp. */
static icf_lid build_box(world *w, icf_model model, ramp on, double friction, double speed)
{
    world_init(w, model, dt, (contact_values){stiffness, 10.0, tau, friction});
    world_add(w, ground_def(on.normal));
    const double depth = 1.0 * gravity * on.normal.z / (4 * stiffness);
    const double height = half_height - depth + gliding_height(model, friction, speed);
    icf_body_def box = box_def(1.0, icf_vec3_make(half_length, half_length, half_height), icf_scale(height, on.normal));
    box.orientation = on.orientation;
    box.linear_velocity = icf_scale(speed, on.downhill);
    const icf_lid i = world_add(w, box);
    world_start(w);
    return i;
}

static double speed_along(const world *w, icf_lid i, ramp on)
{
    return icf_dot(w->bodies.linear_velocity[i], on.downhill);
}

/* Creep that carries the box's weight.  Lagged and Similar: mu v/sqrt(v^2 + eps^2) = tan a.  SAP: v = R_t gamma_t,
 * R_t = sigma w, and at worst the two front corners carry all. */
static void check_creep(const world *w, icf_lid box, ramp on, double angle, double friction)
{
    const double v = speed_along(w, box, on), ratio = tan(angle) / friction;
    const icf_contacts *contacts = world_contacts(w);
    assert_int_equal(contacts->n, 4);
    if (w->scene.contact.model == ICF_MODEL_SAP) {
        const double share = dt * gravity * sin(angle) / 2;
        assert_true(v > 0.0 && v <= 1.001 * w->scene.contact.sigma * contacts->w[0] * share);
    } else {
        const double creep = slip_tolerance * ratio / sqrt(1 - ratio * ratio);
        assert_near(v, creep, 0.01 * creep);
    }
    assert_true(icf_norm(w->bodies.angular_velocity[box]) < 1e-6);
}

static void box_sticks_below_the_friction_angle(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (int degrees = 5; degrees <= 40; degrees += 5) {
            world w;
            const double angle = degrees * acos(-1.0) / 180, friction = 1.02 * tan(angle);
            const ramp on = ramp_of(angle);
            const icf_lid box = build_box(&w, all_models[m], on, friction, 0.0);
            world_run(&w, 1.0);
            check_creep(&w, box, on, angle, friction);
            world_clear(&w);
        }
}

/* Taken from 0.5 s to 1.5 s, when the speed is so far above the stiction tolerance that regularisation changes
 * friction by less than eps^2 / (2 v^2) = 1e-4 of a net force of 0.02. */
static void box_slides_above_the_friction_angle(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (int degrees = 5; degrees <= 40; degrees += 5) {
            world w;
            const double angle = degrees * acos(-1.0) / 180, friction = 0.98 * tan(angle);
            const ramp on = ramp_of(angle);
            const icf_lid box = build_box(&w, all_models[m], on, friction, 0.0);
            world_run(&w, 0.5);
            const double before = speed_along(&w, box, on);
            world_run(&w, 1.0);
            const double acceleration = gravity * (sin(angle) - friction * cos(angle));
            assert_near(speed_along(&w, box, on) - before, acceleration, 0.01 * acceleration);
            assert_near(w.bodies.linear_velocity[box].y, 0.0, 1e-8);
            world_clear(&w);
        }
}

/* v^2 / (2 mu g); steps of dt at the end velocities of each lose v dt / 2 of it.  A box that floats at the height
 * mu dt v sinks, as v falls by mu g, with mu^2 g dt; while it takes up this speed it lacks that much normal impulse,
 * hence mu times that of friction, and slides v mu^2 dt further (SAP: dt + tau in place of dt). */
static void box_slides_its_distance(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (int k = 1; k <= 3; ++k) {
            world w;
            const double v = k, friction = 0.2 * k, distance = v * v / (2 * friction * gravity);
            const icf_lid box = build_box(&w, all_models[m], ramp_of(0.0), friction, v);
            world_run(&w, 1.5 * v / (friction * gravity));
            const double expected = distance - v * dt / 2 + friction * gliding_height(all_models[m], friction, v);
            const double slid = w.bodies.position[box].x;
            print_message("%-8s v %g mu %g: slid %.6f m, expected %.6f, v^2/(2 mu g) %.6f\n", model_name(all_models[m]),
                          v, friction, slid, expected, distance);
            assert_near(slid, distance, 0.01 * distance);
            assert_near(slid, expected, 2e-4 * distance);
            assert_near(w.bodies.linear_velocity[box].x, 0.0, 1e-6);
            world_clear(&w);
        }
}

static icf_lid build_sphere(world *w, icf_model model, ramp on, double friction, double speed)
{
    world_init(w, model, dt, (contact_values){stiffness, 10.0, tau, friction});
    world_add(w, ground_def(on.normal));
    const double depth = 1.0 * gravity * on.normal.z / stiffness;
    const double height = radius - depth + gliding_height(model, friction, speed);
    icf_body_def ball = sphere_def(1.0, radius, icf_scale(height, on.normal));
    ball.linear_velocity = icf_scale(speed, on.downhill);
    const icf_lid i = world_add(w, ball);
    world_start(w);
    return i;
}

/* Friction mu g slows the centre and 5 mu g / (2 r) turns the ball: slip U - 7/2 mu g t, rolling from
 * t = 2 U / (7 mu g) on at 5/7 U.  A ball that floats at height h is turned by an arm longer by up to h.  Lagged does
 * not couple slip and normal force: the floor carries the weight all the time, without a jump where rolling begins. */
static void sphere_slips_then_rolls(void **state)
{
    (void)state;
    const double friction = 0.3, speed = 2.0;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        const icf_lid ball = build_sphere(&w, all_models[m], ramp_of(0.0), friction, speed);
        double rolling_since = 0.0, lightest = INFINITY, heaviest = 0.0;
        for (int k = 0; k < 500; ++k) {
            world_step(&w);
            const double normal = world_contacts(&w)->n ? world_contacts(&w)->impulse[0][2] : 0.0;
            lightest = fmin(lightest, normal);
            heaviest = fmax(heaviest, normal);
            const double slip = w.bodies.linear_velocity[ball].x - radius * w.bodies.angular_velocity[ball].y;
            if (slip > 1e-3 * speed) rolling_since = w.stats.time;
        }
        const double time = 2 * speed / (7 * friction * gravity), arm = gliding_height(all_models[m], friction, speed);
        print_message("%-8s rolls after %.4f s (%.4f), at %.5f m/s (%.5f), normal force %.3f to %.3f of the weight\n",
                      model_name(all_models[m]), rolling_since, time, w.bodies.linear_velocity[ball].x, 5 * speed / 7,
                      lightest / (dt * gravity), heaviest / (dt * gravity));
        assert_near(rolling_since, time, 2 * dt + time * arm / radius);
        assert_near(w.bodies.linear_velocity[ball].x, 5 * speed / 7, speed * (1e-4 + arm / radius));
        if (all_models[m] == ICF_MODEL_LAGGED) {
            assert_near(lightest, dt * gravity, 1e-4 * dt * gravity);
            assert_near(heaviest, dt * gravity, 1e-4 * dt * gravity);
        }
        world_clear(&w);
    }
}

/* (1 + 2/5) v' = g sin a while 2/7 tan a < mu. */
static void sphere_rolls_down(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        const double angle = 0.4;
        const ramp on = ramp_of(angle);
        const icf_lid ball = build_sphere(&w, all_models[m], on, 0.5, 0.0);
        world_run(&w, 0.2);
        const double before = speed_along(&w, ball, on);
        world_run(&w, 1.0);
        const double acceleration = 5.0 / 7.0 * gravity * sin(angle);
        assert_near(speed_along(&w, ball, on) - before, acceleration, 1e-3 * acceleration);
        assert_near(w.bodies.angular_velocity[ball].y * radius, speed_along(&w, ball, on), 2 * slip_tolerance);
        world_clear(&w);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_sticks_below_the_friction_angle),
        cmocka_unit_test(box_slides_above_the_friction_angle),
        cmocka_unit_test(box_slides_its_distance),
        cmocka_unit_test(sphere_slips_then_rolls),
        cmocka_unit_test(sphere_rolls_down),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
