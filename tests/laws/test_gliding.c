/* Gliding heights of the convex models, belts, anisotropic friction, shaken tables, and laws that do not depend on
 * where the scene is and how it is turned.
 *
 * Gliding (ICF V, SAP V): in steady sliding vn = 0, so that Similar's z = -mu |vt| makes the spring see
 * phi0 - dt mu |vt|, and SAP's sliding condition vhat + mu |vt| = R gamma makes it see phi0 - (dt + tau) mu |vt|: the
 * body floats by as much above its resting depth.  Lagged does not.
 */
#include <mpi.h>

#include "laws/world.h"

static const double stiffness = 1e7, dissipation = 10.0;

/* ---- gliding height ---- */

/* A ball that may only move up and down, on a belt. */
static double height_on_belt(icf_model model, double dt, double tau, double friction, double speed)
{
    world w;
    const double radius = 0.1;
    world_init(&w, model, dt, (contact_values){stiffness, dissipation, tau, friction});
    icf_body_def belt = ground_def(icf_vec3_make(0, 0, 1));
    belt.surface = (icf_surface_velocity){.moving = true, .constant = {speed, 0, 0}};
    world_add(&w, belt);
    icf_body_def ball = sphere_def(1.0, radius, icf_vec3_make(0, 0, radius + 1e-3));
    ball.locked = ICF_DOF_ALL & ~(unsigned)ICF_DOF_VZ;
    const icf_lid i = world_add(&w, ball);
    world_start(&w);
    world_run(&w, 2.0);
    assert_near(w.bodies.linear_velocity[i].z, 0.0, 1e-6);
    const double height = w.bodies.position[i].z - radius;
    world_clear(&w);
    return height;
}

static void bodies_glide_at_the_height_of_their_model(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; ++k) {
        const double dt = 0.0025 * k, tau = 0.002, friction = 0.2 * k, speed = 0.5 + 0.5 * k;
        const double slip = dt * friction * speed, depth = gravity / stiffness;
        const double similar = height_on_belt(ICF_MODEL_SIMILAR, dt, tau, friction, speed);
        const double sap = height_on_belt(ICF_MODEL_SAP, dt, tau, friction, speed);
        assert_near(height_on_belt(ICF_MODEL_LAGGED, dt, tau, friction, speed), -depth, 0.01 * depth);
        assert_near(similar, slip, 0.01 * slip);
        assert_near(sap, slip * (dt + tau) / dt, 0.01 * slip);
    }
}

/* ---- belt and shaken table ---- */

/* mu g until the box has the belt's speed, then the belt's speed. */
static void a_belt_carries_a_box(void **state)
{
    (void)state;
    const double dt = 0.002, tau = 1e-4, friction = 0.4, speed = 1.5, time = speed / (friction * gravity);
    for (int m = 0; m < nmodel; ++m) {
        world w;
        world_init(&w, all_models[m], dt, (contact_values){stiffness, dissipation, tau, friction});
        icf_body_def belt = fixed_box_def(icf_vec3_make(5, 1, 0.1), icf_vec3_make(0, 0, -0.1));
        belt.surface = (icf_surface_velocity){.moving = true, .constant = {speed, 0, 0}};
        world_add(&w, belt);
        const double glide = all_models[m] == ICF_MODEL_LAGGED ? 0.0 : friction * (dt + tau) * speed;
        const icf_vec3 half = {0.1, 0.1, 0.05};
        const icf_lid box = world_add(&w, box_def(2.0, half, icf_vec3_make(-3, 0, half.z - 5e-7 + glide)));
        world_start(&w);
        world_run(&w, 0.5 * time);
        assert_near(w.bodies.linear_velocity[box].x, friction * gravity * w.stats.time, 0.01 * speed);
        world_run(&w, time);
        assert_near(w.bodies.linear_velocity[box].x, speed, 1e-4);
        assert_near(w.bodies.linear_velocity[box].y, 0.0, 1e-6);
        world_clear(&w);
    }
}

/* A table x = A sin(2 pi f t): the box follows while A (2 pi f)^2 < mu g, else it slides and never gets more than
 * mu g (plus, for a floating box, what lifts it). */
static void shake(icf_model model, double ratio)
{
    world w;
    const double dt = 0.002, friction = 0.5, frequency = 2.0, omega = 2 * acos(-1.0) * frequency;
    const double amplitude = ratio * friction * gravity / (omega * omega);
    world_init(&w, model, dt, (contact_values){stiffness, dissipation, 1e-4, friction});
    icf_body_def table = fixed_box_def(icf_vec3_make(1, 1, 0.1), icf_vec3_make(0, 0, -0.1));
    table.motion = (icf_motion){ICF_MOTION_HARMONIC, .harmonic = {{1, 0, 0}, amplitude, frequency, acos(-1.0) / 2}};
    const icf_lid below = world_add(&w, table);
    icf_body_def def = box_def(1.0, icf_vec3_make(0.1, 0.1, 0.05), icf_vec3_make(amplitude, 0, 0.05 - 2.5e-7));
    const icf_lid box = world_add(&w, def);
    world_start(&w);
    double strongest = 0.0, slip = 0.0;
    for (int k = 0; k < 1000; ++k) {
        const double before = w.bodies.linear_velocity[box].x;
        world_step(&w);
        const double now = w.bodies.linear_velocity[box].x;
        if (k > 10) strongest = fmax(strongest, fabs(now - before) / dt);
        slip = fmax(slip, fabs(now - w.bodies.linear_velocity[below].x));
        assert_near(w.bodies.position[below].x, amplitude * cos(omega * w.stats.time), 1e-12);
    }
    /* the creep at which regularised friction carries this share of its limit; SAP creeps less */
    if (ratio < 1.0)
        assert_true(slip <= 1.01 * 1e-4 * ratio / sqrt(1 - ratio * ratio));
    else
        assert_true(slip > 0.1);
    const double lift = model == ICF_MODEL_LAGGED ? 1e-3 : 0.02;
    assert_true(strongest <= friction * gravity * (1 + lift));
    assert_true(strongest >= fmin(ratio, 1.0) * friction * gravity * 0.98);
    world_clear(&w);
}

static void a_shaken_table_carries_or_slips(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        shake(all_models[m], 0.9);
        shake(all_models[m], 1.5);
    }
}

/* ---- anisotropic friction ---- */

/* Friction -N M M v / |M v|, M = diag(mu1, mu2): dvx/dvy = mu1^2 vx / (mu2^2 vy), so that
 * ln(vx/vx0) / mu1^2 = ln(vy/vy0) / mu2^2 all along the path. */
static void anisotropic_friction_bends_the_path(void **state)
{
    (void)state;
    const double mu[2] = {0.6, 0.3}, dt = 0.001;
    for (int m = 0; m < 2; ++m) {
        world w;
        world_init(&w, all_models[m], dt, (contact_values){stiffness, dissipation, 0.0, mu[0]});
        icf_material *pair = &w.scene.pair[0].values;
        pair->friction[1] = mu[1];
        pair->anisotropic = true;
        pair->axis = icf_vec3_make(1, 0, 0);
        assert_int_equal(icf_scene_combine(&w.scene), ICF_OK);
        world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
        const double glide = all_models[m] == ICF_MODEL_LAGGED ? 0.0 : dt * hypot(mu[0] * 2.0, mu[1] * 2.0);
        icf_body_def ball = sphere_def(1.0, 0.1, icf_vec3_make(0, 0, 0.1 - gravity / stiffness + glide));
        ball.locked = ICF_DOF_WX | ICF_DOF_WY | ICF_DOF_WZ;
        ball.linear_velocity = icf_vec3_make(2, 2, 0);
        const icf_lid i = world_add(&w, ball);
        world_start(&w);
        world_run(&w, 0.3);
        const double x = log(w.bodies.linear_velocity[i].x / 2.0), y = log(w.bodies.linear_velocity[i].y / 2.0);
        assert_true(x < -0.3);
        assert_near(x / (mu[0] * mu[0]), y / (mu[1] * mu[1]), 0.01 * fabs(x) / (mu[0] * mu[0]));
        world_clear(&w);
    }
}

/* ---- the same anywhere, turned any way ---- */

enum { nheap = 8, nstep = 60 };

/* Bodies that fall on a floor and on each other, placed by x -> R x + t. */
static void build_heap(world *w, icf_model model, icf_quat turn, icf_vec3 shift)
{
    world_init(w, model, 0.005, (contact_values){1e5, 5.0, 1e-3, 0.5});
    w->scene.solver.relative_tolerance = 1e-12;
    w->scene.gravity = icf_rotate(turn, w->scene.gravity);
    icf_body_def ground = ground_def(icf_rotate(turn, icf_vec3_make(0, 0, 1)));
    ground.shape.offset = icf_dot(ground.shape.normal, shift);
    world_add(w, ground);
    for (int i = 0; i < nheap; ++i) {
        const icf_vec3 at = {0.03 * (i % 3), 0.02 * (i % 2), 0.09 + 0.13 * i}, half = {0.06, 0.05, 0.04};
        icf_body_def def = i % 2 ? sphere_def(0.8, 0.05, at) : box_def(1.2, half, at);
        def.position = icf_add(icf_rotate(turn, at), shift);
        def.orientation = icf_quat_mul(turn, icf_quat_unit((icf_quat){1, 0.11 * i, 0.23, -0.07 * i}));
        def.linear_velocity = icf_rotate(turn, icf_vec3_make(0.2 * (i % 2), 0.1, -1.0));
        def.angular_velocity = icf_rotate(turn, icf_vec3_make(0.5, -0.3 * i, 0.7));
        world_add(w, def);
    }
    world_start(w);
}

static void check_moved(const world *a, const world *b, icf_quat turn, icf_vec3 shift)
{
    for (icf_lid i = 1; i <= nheap; ++i) {
        const icf_vec3 x = icf_add(icf_rotate(turn, a->bodies.position[i]), shift);
        const icf_vec3 v = icf_rotate(turn, a->bodies.linear_velocity[i]);
        const icf_vec3 spin = icf_rotate(turn, a->bodies.angular_velocity[i]);
        assert_true(icf_norm(icf_sub(b->bodies.position[i], x)) < 1e-8);
        assert_true(icf_norm(icf_sub(b->bodies.linear_velocity[i], v)) < 1e-8);
        assert_true(icf_norm(icf_sub(b->bodies.angular_velocity[i], spin)) < 1e-8);
    }
}

static void nothing_depends_on_place_and_direction(void **state)
{
    (void)state;
    const icf_quat turns[] = {{1, 0, 0, 0}, {0.6, 0.8, 0, 0}, icf_quat_unit((icf_quat){0.3, -0.5, 0.7, 0.2})};
    const icf_vec3 shifts[] = {{0, 0, 0}, {0, 0, 0}, {3.0, -7.0, 2.0}};
    for (int m = 0; m < nmodel; ++m) {
        world at_home;
        build_heap(&at_home, all_models[m], turns[0], shifts[0]);
        icf_cnt touched = 0;
        for (int k = 0; k < nstep; ++k) {
            world_step(&at_home);
            touched += at_home.stats.active;
        }
        assert_true(touched > 100);
        for (int k = 1; k < 3; ++k) {
            world moved;
            build_heap(&moved, all_models[m], turns[k], shifts[k]);
            for (int s = 0; s < nstep; ++s) world_step(&moved);
            check_moved(&at_home, &moved, turns[k], shifts[k]);
            world_clear(&moved);
        }
        world_clear(&at_home);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_glide_at_the_height_of_their_model),
        cmocka_unit_test(a_belt_carries_a_box),
        cmocka_unit_test(a_shaken_table_carries_or_slips),
        cmocka_unit_test(anisotropic_friction_bends_the_path),
        cmocka_unit_test(nothing_depends_on_place_and_direction),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
