/* Errors of contact laws as they are reported, where they follow from the law: a ball that may only move up and down,
 * on a belt. */
#include <mpi.h>

#include "laws/world.h"

static const double dt = 0.005, stiffness = 1e4, dissipation = 1.0, tau = 0.002, friction = 0.4, mass = 2.0;
static const double radius = 0.1, stiction_tolerance = 1e-4;

/* height [in] of the ball's lowest point [m] */
static void put_on_belt(world *w, icf_model model, double speed, double height)
{
    world_init(w, model, dt, (contact_values){stiffness, dissipation, tau, friction});
    icf_body_def belt = ground_def(icf_vec3_make(0, 0, 1));
    belt.surface = (icf_surface_velocity){.moving = true, .constant = {speed, 0, 0}};
    world_add(w, belt);
    icf_body_def ball = sphere_def(mass, radius, icf_vec3_make(0, 0, radius + height));
    ball.locked = ICF_DOF_ALL & ~(unsigned)ICF_DOF_VZ;
    world_add(w, ball);
    w->scene.solver.relative_tolerance = 1e-10;
    world_start(w);
}

/* A force across a gap or an overlap: fn |gap| / dt. */
static void gliding_is_an_error_of_signorini(void **state)
{
    (void)state;
    const double speed = 0.8;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        put_on_belt(&w, all_models[m], speed, 0.002);
        w.scene.contact.regularized = false;
        world_run(&w, 5.0);
        const double gap = w.bodies.position[1].z - radius, weight = mass * gravity;
        assert_near(w.stats.error_signorini_max, weight * fabs(gap) / dt, 1e-6 * weight * fabs(gap) / dt);
        assert_near(w.stats.error_coulomb_max, 0.0, 1e-6);
        if (all_models[m] == ICF_MODEL_LAGGED) assert_near(gap, -weight / stiffness, 1e-8);
        if (all_models[m] == ICF_MODEL_SIMILAR) assert_true(gap > 0.8 * friction * dt * speed - weight / stiffness);
        if (all_models[m] == ICF_MODEL_SAP) assert_true(gap > 0.8 * friction * (dt + tau) * speed - weight / stiffness);
        world_clear(&w);
    }
}

/* Lagged friction is that of the normal impulse at the step's start. */
static void lagged_friction_leaves_the_cone_when_the_force_falls(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        put_on_belt(&w, all_models[m], 1.0, -3.0 * mass * gravity / stiffness);
        world_step(&w);
        const icf_contacts *contacts = world_contacts(&w);
        assert_int_equal(contacts->n, 1);
        const double *impulse = contacts->impulse[0];
        const double beyond = (hypot(impulse[0], impulse[1]) - friction * impulse[2]) / dt;
        if (all_models[m] == ICF_MODEL_LAGGED) {
            assert_true(beyond > 1.0);
            assert_near(w.stats.error_coulomb_max, beyond, 1e-9);
        } else {
            assert_near(w.stats.error_coulomb_max, 0.0, 1e-9);
        }
        world_clear(&w);
    }
}

/* At a slip of the stiction tolerance regularised friction is 1/sqrt(2) of its limit. */
static void creep_is_an_error_of_dissipation(void **state)
{
    (void)state;
    world w;
    put_on_belt(&w, ICF_MODEL_LAGGED, stiction_tolerance, -mass * gravity / stiffness);
    w.scene.contact.regularized = false;
    world_run(&w, 1.0);
    const double most = friction * mass * gravity * stiction_tolerance;
    assert_near(w.stats.error_dissipation_max, most * (1.0 - sqrt(0.5)), 1e-9 * most);
    world_clear(&w);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gliding_is_an_error_of_signorini),
        cmocka_unit_test(lagged_friction_leaves_the_cone_when_the_force_falls),
        cmocka_unit_test(creep_is_an_error_of_dissipation),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
