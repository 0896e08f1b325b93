/* Two deformable bodies whose meshes do not match, pressed together: the force at a given approach against the size of
 * the cells. */
#include <mpi.h>

#include "laws/soft.h"

static const double young = 1e5, stiffness = 1e8; /* Pa, of the pair [Pa/m] */

/* The size of a block's edge [m], its cells along each. */
typedef struct block {
    double edge;
    int cells;
} block;

/* Presses a block on another one by an approach, so slowly that nothing but statics is left, without friction.
 *   turn [in]  of the upper one, a quaternion
 *   held [out] forces of the supports of both [N]
 * Returns the force of the contacts on the upper one [N]. */
static double press(block low, block high, double ratio, const char *turn, double approach, double held[2])
{
    const double dt = 10.0;
    const int nstep = 10;
    world w;
    soft_open(
        &w,
        "time: {step: %g, steps: 1}\ngravity: [0, 0, 0]\nsolver: {relative_tolerance: 1.0e-11}\n"
        "materials: {soft: {stiffness_per_area: %g, friction: 0}}\nbodies: []\ndeformables:\n"
        "  - {mesh: {box: {size: [%g, %g, %g], divisions: [%d, %d, %d]}}, youngs_modulus: %g, poissons_ratio: %g, "
        "density: 1000, position: [0, 0, %.17g], material: soft, fixed: [{group: z_minus}]}\n"
        "  - {mesh: {box: {size: [%g, %g, %g], divisions: [%d, %d, %d]}}, youngs_modulus: %g, poissons_ratio: %g, "
        "density: 1000, position: [0, 0, %.17g], orientation: %s, material: soft, fixed: [{group: z_plus, "
        "motion: {type: linear, velocity: [0, 0, %.17g]}}]}\n",
        dt, 2.0 * stiffness, low.edge, low.edge, low.edge, low.cells, low.cells, low.cells, young, ratio,
        -0.5 * low.edge, high.edge, high.edge, high.edge, high.cells, high.cells, high.cells, young, ratio,
        0.5 * high.edge, turn, -approach / (dt * nstep));
    for (int k = 0; k < nstep; ++k) world_step(&w);
    const icf_vec3 force = soft_contact_impulse(&w, 1);
    for (int d = 0; d < 2; ++d) held[d] = soft_reaction(&w, d).z;
    assert_near(icf_norm(icf_add(soft_contact_impulse(&w, 0), force)), 0.0, 1e-12 * force.z);
    world_clear(&w);
    return force.z / dt;
}

/* A block of 0.1 m, turned by 30 degrees, pressed by 1 mm on one of 0.2 m at nu = 0.3.  Pressure has a peak at the
 * block's edges, so the error falls as the first power of the cells' size: two pairs of meshes extrapolate to the same
 * force.  Both supports carry it. */
static void force_of_a_punch_converges(void **state)
{
    (void)state;
    enum { nlevel = 4 };
    static const int cells[nlevel] = {2, 4, 8, 12};
    double force[nlevel], limit[nlevel] = {0};
    for (int k = 0; k < nlevel; ++k) {
        const block low = {0.2, cells[k] * 3 / 2}, high = {0.1, cells[k]};
        double held[2];
        force[k] = press(low, high, 0.3, "[0.9659258262890683, 0, 0, 0.25881904510252074]", 1e-3, held);
        if (k > 0) limit[k] = (cells[k] * force[k] - cells[k - 1] * force[k - 1]) / (double)(cells[k] - cells[k - 1]);
        print_message("%d on %d cells: %.5g N, extrapolated %.5g N\n", high.cells, low.cells, force[k], limit[k]);
        assert_near(held[0], force[k], 1e-4 * force[k]);
        assert_near(held[1], -force[k], 1e-4 * force[k]);
    }
    assert_near(limit[2], limit[3], 0.01 * limit[3]);
    assert_near(force[3], limit[3], 0.04 * limit[3]);
}

/* Equal blocks on each other at nu = 0, where each is a spring: the contact's is in a row with them.  Meshes that do
 * not match leave an error, which falls faster than the size of the cells. */
static void blocks_press_as_springs_in_a_row(void **state)
{
    (void)state;
    const double side = 0.1, approach = 1e-3;
    const double expected = approach * side * side / (2.0 * side / young + 1.0 / stiffness);
    double error = 0.08;
    for (int n = 1; n <= 8; n *= 2) {
        double held[2];
        const double force = press((block){side, n + 1}, (block){side, n}, 0.0, "[1, 0, 0, 0]", approach, held);
        print_message("%d on %d cells: %.4f of the springs in a row\n", n, n + 1, force / expected);
        assert_true(fabs(force / expected - 1.0) < 0.5 * error);
        error = fabs(force / expected - 1.0);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_of_a_punch_converges),
        cmocka_unit_test(blocks_press_as_springs_in_a_row),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
