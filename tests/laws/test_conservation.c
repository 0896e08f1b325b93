/* What contact keeps and what it takes: momentum, energy of elastic impacts, the friction cone, and fast bodies that
 * must not pass through thin ones. */
#include <mpi.h>

#include "laws/clutter.h"

static const double tau = 1e-4;

/* ---- momentum ---- */

typedef struct momenta {
    icf_vec3 linear, angular; /* about the origin */
} momenta;

/* Of spheres and cubes, whose inertia is the same about every axis. */
static momenta momenta_of(const world *w)
{
    momenta sum = {{0, 0, 0}, {0, 0, 0}};
    for (icf_lid i = 0; i < w->bodies.n; ++i) {
        const icf_vec3 p = icf_scale(w->bodies.mass[i], w->bodies.linear_velocity[i]);
        const icf_vec3 spin = icf_scale(w->bodies.inertia[i].x, w->bodies.angular_velocity[i]);
        sum.linear = icf_add(sum.linear, p);
        sum.angular = icf_add(sum.angular, icf_add(spin, icf_cross(w->bodies.position[i], p)));
    }
    return sum;
}

/* A cloud that flies into itself: every body towards the origin, each with a spin of its own. */
static void build_cloud(world *w, icf_model model)
{
    world_init(w, model, 0.002, (contact_values){1e6, 5.0, tau, 0.7});
    w->scene.gravity = icf_vec3_make(0, 0, 0);
    w->scene.solver.relative_tolerance = 1e-11;
    for (int i = 0; i < 12; ++i) {
        const double a = 2.4 * i, z = (i - 5.5) / 6.0, r = sqrt(1 - z * z);
        const icf_vec3 to = {r * cos(a), r * sin(a), z}, at = icf_scale(0.35, to), half = {0.06, 0.06, 0.06};
        icf_body_def def = i % 2 ? sphere_def(0.5 + 0.1 * i, 0.05 + 0.002 * i, at) : box_def(1.0, half, at);
        def.linear_velocity = icf_scale(-2.0 - 0.1 * i, to);
        def.angular_velocity = icf_vec3_make(3.0 - i, 0.5 * i, 2.0);
        world_add(w, def);
    }
    world_start(w);
}

/* x1 x m v1 = (x0 + dt v1) x m v1 = x0 x m v1, and both bodies of a contact get opposite impulses at one point: the
 * step keeps both momenta exactly, up to what the solver leaves. */
static void free_bodies_keep_their_momentum(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        build_cloud(&w, all_models[m]);
        const momenta before = momenta_of(&w);
        icf_cnt touched = 0;
        for (int k = 0; k < 250; ++k) {
            world_step(&w);
            touched += w.stats.active;
        }
        const momenta after = momenta_of(&w);
        assert_true(touched > 100);
        assert_true(icf_norm(icf_sub(after.linear, before.linear)) < 1e-9);
        assert_true(icf_norm(icf_sub(after.angular, before.angular)) < 1e-9);
        world_clear(&w);
    }
}

/* ---- spin ---- */

/* Twice the energy of rotation of body 0 [J]. */
static double spin_energy(const world *w)
{
    const icf_mat3 r = icf_quat_matrix(w->bodies.orientation[0]);
    const icf_vec3 spin = icf_mat3_tmul(&r, w->bodies.angular_velocity[0]), inertia = w->bodies.inertia[0];
    return inertia.x * spin.x * spin.x + inertia.y * spin.y * spin.y + inertia.z * spin.z * spin.z;
}

/* A chip of 12 x 7 x 3 mm that tumbles freely, by 0.005 to 50 rad a step: the explicit gyroscopic moment adds energy in
 * every step, at most 1/2500 of it. */
static void a_chip_that_tumbles_does_not_spin_up(void **state)
{
    (void)state;
    const double dt = 0.005, rate[] = {1.0, 10.0, 100.0, 1000.0, 1e4};
    for (int k = 0; k < 5; ++k) {
        world w;
        world_init(&w, ICF_MODEL_LAGGED, dt, (contact_values){1e7, 10.0, tau, 0.5});
        icf_body_def chip = box_def(1e-5, icf_vec3_make(0.006, 0.0015, 0.0035), icf_vec3_make(0, 0, 0));
        chip.angular_velocity = icf_scale(rate[k], icf_unit(icf_vec3_make(0.5, 0.3, 0.8)));
        world_add(&w, chip);
        world_start(&w);
        double before = spin_energy(&w);
        for (int step = 0; step < 1000; ++step) {
            world_step(&w);
            const double after = spin_energy(&w);
            if (!(after > 0.999999 * before && after < 1.000401 * before))
                fail_msg("%g rad/s, step %d: energy times %g", rate[k], step, after / before);
            before = after;
        }
        world_clear(&w);
    }
}

/* ---- friction cone ---- */

/* |gamma_t| <= mu gamma_n; Lagged takes gamma_n of the step's start, dt k (-phi0)+ (1 - d vn0)+, by its definition. */
static void check_cone(const world *w)
{
    const icf_contacts *contacts = world_contacts(w);
    const double friction = w->scene.combined[0].friction[0];
    for (icf_lid i = 0; i < contacts->n; ++i) {
        const double *gamma = contacts->impulse[i];
        const bool lagged = w->scene.contact.model == ICF_MODEL_LAGGED;
        const double normal = lagged ? contacts->law[i].lagged_impulse : gamma[2];
        assert_true(gamma[2] >= 0.0);
        assert_true(hypot(gamma[0], gamma[1]) <= friction * normal * (1 + 1e-12));
    }
}

static void the_friction_cone_is_kept(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        world_init(&w, all_models[m], 0.005, (contact_values){1e6, 10.0, tau, 0.4});
        clutter_fill(&w);
        world_start(&w);
        for (int k = 0; k < 200; ++k) {
            world_step(&w);
            check_cone(&w);
        }
        world_clear(&w);
    }
}

/* ---- elastic and plastic impact ---- */

static const double ball_mass = 1.0, ball_radius = 0.05, impact_stiffness = 1e7;

static void build_row(world *w, icf_model model, double dt, int n, double gap, contact_values values)
{
    world_init(w, model, dt, values);
    w->scene.gravity = icf_vec3_make(0, 0, 0);
    for (int i = 0; i < n; ++i) {
        icf_body_def ball = sphere_def(ball_mass, ball_radius, icf_vec3_make((2 * ball_radius + gap) * i, 0, 0));
        ball.linear_velocity.x = i == 0 ? 1.0 : 0.0;
        world_add(w, ball);
    }
    world_start(w);
}

/* A spring between two equal balls has omega^2 = 2 k / m; the step is implicit in it, which damps the speed by
 * omega^2 dt / 2, so that half a period leaves e = exp(-pi omega dt / 2).  Over gaps wide enough for one impact at a
 * time each ball hands on (1 + e)/2 of its speed and keeps (1 - e)/2; what it keeps is too slow to matter.  With
 * e -> 1 the last ball leaves with all of it. */
static void newtons_cradle(void **state)
{
    (void)state;
    enum { n = 5 };
    const double dt = 2e-6, omega = sqrt(2 * impact_stiffness / ball_mass), e = exp(-acos(-1.0) * omega * dt / 2);
    for (int m = 0; m < 2; ++m) {
        world w;
        build_row(&w, all_models[m], dt, n, 1e-3, (contact_values){impact_stiffness, 0.0, 0.0, 0.0});
        world_run(&w, 6e-3);
        double momentum = 0.0;
        for (icf_lid i = 0; i < n; ++i) momentum += ball_mass * w.bodies.linear_velocity[i].x;
        assert_near(momentum, ball_mass * 1.0, 1e-5);
        assert_near(w.bodies.linear_velocity[n - 1].x, pow((1 + e) / 2, n - 1), 1e-3);
        assert_near(w.bodies.linear_velocity[0].x, (1 - e) / 2, 1e-3);
        assert_true(w.stats.kinetic_energy > 0.5 * ball_mass * pow((1 + e) / 2, 2 * (n - 1)) * 0.998);
        assert_true(w.stats.kinetic_energy <= 0.5 * ball_mass);
        world_clear(&w);
    }
}

/* Hunt & Crossley's force vanishes when bodies part faster than 1/d, SAP's when faster than depth/(dt + tau). */
static void strong_dissipation_stops_the_rebound(void **state)
{
    (void)state;
    const double dissipation = 1000.0, dt = 1e-4, long_tau = 0.1;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        build_row(&w, all_models[m], dt, 2, 1e-3, (contact_values){impact_stiffness, dissipation, long_tau, 0.0});
        double deepest = 0.0;
        for (int k = 0; k < 500; ++k) {
            world_step(&w);
            deepest = fmax(deepest, w.stats.penetration_max);
        }
        const double bound = all_models[m] == ICF_MODEL_SAP ? deepest / (dt + long_tau) : 1 / dissipation;
        const double parting = w.bodies.linear_velocity[1].x - w.bodies.linear_velocity[0].x;
        assert_true(parting >= -1e-6 && parting <= bound + 1e-6);
        assert_near(w.bodies.linear_velocity[0].x + w.bodies.linear_velocity[1].x, 1.0, 1e-5);
        world_clear(&w);
    }
}

/* ---- bullets ---- */

static const double wall_half = 0.0025, bullet_radius = 0.005;

/* Shoots at a plate 5 mm thick at x = 0 from a distance of `travel` steps; the bullet must have touched the plate and
 * still be on its side of it when it could have gone three times as far.  SAP without its near-rigid clamp, which
 * yields by R_n gamma_n dt = w m v dt / (4 pi^2), several per cent of a step's way and more than the plate is thick. */
static void shoot(icf_model model, double speed, double travel, double slope, bool fixed)
{
    world w;
    const double dt = 0.01;
    world_init(&w, model, dt, (contact_values){1e7, 10.0, tau, 0.3});
    w.scene.gravity = icf_vec3_make(0, 0, 0);
    w.scene.contact.near_rigid = 0.0;
    const icf_vec3 half = {wall_half, 40.0, 40.0}, centre = {0, 0, 0};
    const icf_lid plate = world_add(&w, fixed ? fixed_box_def(half, centre) : box_def(5.0, half, centre));
    const double x = -wall_half - bullet_radius - travel * speed * dt;
    icf_body_def bullet = sphere_def(0.004, bullet_radius, icf_vec3_make(x, -slope * travel * speed * dt, 0));
    bullet.linear_velocity = icf_vec3_make(speed, slope * speed, 0);
    const icf_lid i = world_add(&w, bullet);
    world_start(&w);
    icf_cnt touched = 0;
    for (int k = 0; k < 3 * (int)ceil(travel); ++k) {
        world_step(&w);
        touched += w.stats.active;
        const icf_mat3 turn = icf_quat_matrix(w.bodies.orientation[plate]);
        const icf_vec3 from = icf_mat3_tmul(&turn, icf_sub(w.bodies.position[i], w.bodies.position[plate]));
        assert_true(from.x < 0.0);
    }
    assert_true(touched > 0);
    world_clear(&w);
}

static void bullets_do_not_pass_through_plates(void **state)
{
    (void)state;
    const double speeds[] = {50.0, 120.0, 300.0}, travels[] = {0.02, 0.3, 0.5, 0.97, 1.5, 2.01};
    for (int m = 0; m < nmodel; ++m)
        for (int s = 0; s < 3; ++s)
            for (int t = 0; t < 6; ++t)
                for (int k = 0; k < 4; ++k) shoot(all_models[m], speeds[s], travels[t], k / 2 ? 0.7 : 0.0, k % 2);
}

/* A chip of one of three shapes, 3 to 12 mm wide, anyhow in the air. */
static icf_body_def chip_def(int k, double height, double spin)
{
    const icf_shape shapes[3] = {{.type = ICF_SHAPE_BOX, .extent = {0.006, 0.0015, 0.0035}},
                                 {.type = ICF_SHAPE_CYLINDER, .radius = 0.005, .half = 0.0015},
                                 {.type = ICF_SHAPE_ELLIPSOID, .extent = {0.006, 0.0015, 0.0035}}};
    icf_body_def chip = sphere_def(1e-4, 0.005, icf_vec3_make(0.04 * (k % 10), 0.04 * (double)(k / 10), height));
    chip.shape = shapes[k % 3];
    chip.inertia = icf_shape_inertia(&chip.shape, chip.mass);
    chip.orientation = icf_quat_unit((icf_quat){1.0 + k % 7, k % 5 - 2.0, k % 11 - 5.0, k % 3 - 1.0});
    chip.linear_velocity = icf_vec3_make(0.5 * (k % 3), 0.3 * (k % 4), -10.0);
    chip.angular_velocity = icf_scale(spin, icf_unit(icf_vec3_make(k % 4 - 1.5, k % 6 - 2.5, k % 8 - 3.5)));
    return chip;
}

/* Chips fall on a sheet of 1 mm at 10 m/s, 50 mm a step of 5 ms.  Whichever corner they land on, they turn by radians
 * in that step; none gets through, and all come to rest on it. */
static void chips_stay_on_a_thin_sheet(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (int spinning = 0; spinning < 2; ++spinning) {
            enum { nchip = 60 };
            world w;
            world_init(&w, all_models[m], 0.005, (contact_values){1e6, 10.0, tau, 0.5});
            w.scene.contact.near_rigid = 0.0;
            world_add(&w, fixed_box_def(icf_vec3_make(3.0, 3.0, 0.0005), icf_vec3_make(0, 0, -0.0005)));
            for (int k = 0; k < nchip; ++k) world_add(&w, chip_def(k, 0.1 + 0.0013 * k, spinning ? 100.0 : 0.0));
            world_start(&w);
            for (int step = 0; step < 400; ++step) {
                world_step(&w);
                for (icf_lid i = 1; i <= nchip; ++i)
                    if (!(w.bodies.position[i].z > 0.0))
                        fail_msg("%s, spinning %d: chip %d is at z = %g m in step %d", model_name(all_models[m]),
                                 spinning, (int)i, w.bodies.position[i].z, step);
            }
            for (icf_lid i = 1; i <= nchip; ++i) assert_true(w.bodies.position[i].z < 0.0121);
            world_clear(&w);
        }
}

/* A box on a box of so soft a material that its weight presses it in by half of its half height: four corners carry it,
 * nothing else, and it stays. */
static void a_soft_box_sinks_by_its_weight_alone(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        const double mass = 1.0, stiffness = 500.0, depth = 0.25 * mass * gravity / stiffness;
        world w;
        world_init(&w, all_models[m], 0.005, (contact_values){stiffness, 10.0, tau, 0.5});
        w.scene.contact.near_rigid = 0.0;
        world_add(&w, fixed_box_def(icf_vec3_make(0.5, 0.5, 0.1), icf_vec3_make(0, 0, -0.1)));
        world_add(&w, box_def(mass, icf_vec3_make(0.02, 0.02, 0.01), icf_vec3_make(0, 0, 0.01)));
        world_start(&w);
        world_run(&w, 4.0);
        for (int step = 0; step < 100; ++step) {
            world_step(&w);
            assert_near(w.bodies.position[1].z, 0.01 - depth, 1e-6);
            assert_true(icf_norm(w.bodies.linear_velocity[1]) < 1e-6);
            assert_int_equal(w.stats.candidates, 4);
        }
        world_clear(&w);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_bodies_keep_their_momentum),
        cmocka_unit_test(a_chip_that_tumbles_does_not_spin_up),
        cmocka_unit_test(the_friction_cone_is_kept),
        cmocka_unit_test(newtons_cradle),
        cmocka_unit_test(strong_dissipation_stops_the_rebound),
        cmocka_unit_test(bullets_do_not_pass_through_plates),
        cmocka_unit_test(chips_stay_on_a_thin_sheet),
        cmocka_unit_test(a_soft_box_sinks_by_its_weight_alone),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
