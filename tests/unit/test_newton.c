/* Newton: known solutions of small problems, warm starts, stiffness over eight decades, round-off, barriers, and
 * the same answer from every linear solver. */
#include "sample_scene.h"

#include <math.h>
#include <mpi.h>
#include <string.h>

#include "contact/detect.h"
#include "solver/contact_constraints.h"
#include "solver/hessian.h"
#include "solver/newton.h"
#include "step/free_motion.h"

/* A column of boxes on the ground, each against the one below with four contacts. */
enum { nbox = 4, ncontact = 4 * nbox, ndof = 6 * nbox };

typedef struct column {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_contacts contacts;
    icf_contact_constraints family;
    icf_problem problem;
    icf_newton *newton;
    icf_lid block[nbox + 1], pair[nbox];
    int32_t dof[nbox + 1];
    double momentum[nbox * 36], v_star[ndof], v0[ndof], v[ndof];
    icf_contact_pair_view view[nbox];
    icf_vec3 arm[ncontact];
    double held[ncontact][3], velocity[ncontact][3], direction[ncontact][3], dual[ncontact][2];
    icf_sym3 hessian[ncontact];
    double lanes[ICF_LAGGED_CONSTANTS][ncontact];
} column;

static const double dt = 0.005, edge = 0.1, gravity = 9.81;

static void add_contacts(column *c, icf_lid k, double penetration, double w)
{
    c->contacts.pair[k] = (icf_pair){k, k + 1};
    c->pair[k] = k;
    for (int corner = 0; corner < 4; ++corner) {
        const icf_lid i = 4 * k + corner;
        const double x = corner & 1 ? 0.05 : -0.05, y = corner & 2 ? 0.05 : -0.05;
        c->contacts.point[i] = icf_vec3_make(x, y, edge * k);
        c->contacts.frame[i] = icf_contact_frame(icf_vec3_make(0, 0, 1), NULL);
        c->contacts.w[i] = w;
        memset(c->contacts.bias[i], 0, sizeof c->contacts.bias[i]);
        icf_law_init(&c->contacts.law[i], &c->scene.contact, &c->scene.combined[0], dt, -penetration, 0.0, w);
    }
}

static void set_family(column *c)
{
    icf_lagged_lanes lanes;
    for (int k = 0; k < ICF_LAGGED_CONSTANTS; ++k) lanes.value[k] = c->lanes[k];
    icf_contact_constraints_init(&c->family, &c->bodies, &c->contacts, nbox, c->pair, c->block, c->dof,
                                 (icf_contact_iterates){.view = c->view,
                                                        .arm = c->arm,
                                                        .held = c->held,
                                                        .velocity = c->velocity,
                                                        .direction = c->direction,
                                                        .dual = c->dual,
                                                        .hessian = c->hessian,
                                                        .lanes = lanes});
}

/* A column at rest: box k presses with the weight of all above. */
static void set_up(column *c, icf_model model, double stiffness)
{
    memset(c, 0, sizeof *c);
    assert_int_equal(icf_context_init(&c->context, MPI_COMM_SELF, 1), ICF_OK);
    sample_scene_init(&c->scene, model);
    c->scene.contact.near_rigid = 0.0;
    c->scene.combined[0].stiffness = stiffness;
    icf_bodies_init(&c->bodies);
    const icf_body_def ground = sample_ground(0);
    assert_int_equal(icf_bodies_add(&c->bodies, &ground, true), ICF_OK);
    for (int b = 0; b < nbox; ++b) {
        const icf_body_def box = sample_box(b + 1, edge, icf_vec3_make(0, 0, edge * (b + 0.5)));
        assert_int_equal(icf_bodies_add(&c->bodies, &box, true), ICF_OK);
        double *a = c->momentum + 36 * b;
        for (int i = 0; i < 3; ++i) a[7 * i] = box.mass;
        a[21] = box.inertia.x;
        a[28] = box.inertia.y;
        a[35] = box.inertia.z;
        c->v_star[6 * b + 2] = -dt * gravity;
        c->block[b + 1] = b;
    }
    for (int b = 0; b <= nbox; ++b) c->dof[b] = 6 * b;
    icf_contacts_init(&c->contacts);
    assert_int_equal(icf_contacts_resize(&c->contacts, nbox, ncontact), ICF_OK);
    for (icf_lid k = 0; k <= nbox; ++k) c->contacts.pair_begin[k] = 4 * k;
    for (icf_lid k = 0; k < nbox; ++k) add_contacts(c, k, (nbox - k) * gravity / (4 * stiffness), 1.0);
    set_family(c);
    c->problem = (icf_problem){.nblock = nbox,
                               .dof = c->dof,
                               .momentum = c->momentum,
                               .v_star = c->v_star,
                               .v0 = c->v0,
                               .nfamily = 1,
                               .family = {&c->family.base}};
    assert_int_equal(icf_newton_create(&c->context, &c->newton), ICF_OK);
}

static void tear_down(column *c)
{
    icf_newton_destroy(&c->newton);
    icf_contacts_clear(&c->contacts);
    icf_bodies_clear(&c->bodies);
    icf_scene_clear(&c->scene);
    icf_context_clear(&c->context);
}

static double normal_sum(const column *c, icf_lid k)
{
    double sum = 0.0;
    for (icf_lid i = 4 * k; i < 4 * k + 4; ++i) sum += c->contacts.impulse[i][2];
    return sum;
}

/* The weight of what is above goes through each interface (momentum balance). */
static void assert_carries_weight(const column *c, double tolerance)
{
    for (icf_lid k = 0; k < nbox; ++k) assert_near(normal_sum(c, k), (nbox - k) * gravity * dt, tolerance);
}

static void rest_needs_no_factorisation(void **state)
{
    (void)state;
    column c;
    set_up(&c, ICF_MODEL_LAGGED, 1e5);
    icf_newton_result result;
    assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result), ICF_OK);
    assert_int_equal(result.iterations, 0);
    assert_int_equal(result.factorizations, 0);
    assert_carries_weight(&c, 1e-6);
    tear_down(&c);
}

/* Dropped with 0.1 m/s: momentum must balance to the tolerance for every model and stiffness. */
static void stiffness_over_eight_decades(void **state)
{
    (void)state;
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model)
        for (double stiffness = 1e4; stiffness < 2e12; stiffness *= 10.0) {
            column c;
            set_up(&c, model, stiffness);
            c.scene.solver.relative_tolerance = 1e-6;
            for (int b = 0; b < nbox; ++b) {
                c.v0[6 * b + 2] -= 0.1;
                c.v0[6 * b] += 0.05;
                c.v_star[6 * b + 2] -= 0.1;
                c.v_star[6 * b] += 0.05;
            }
            icf_newton_result result;
            assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result),
                             ICF_OK);
            assert_true(result.residual < 1e-6);
            assert_true(result.iterations <= 30);
            double change = 0.0;
            for (int b = 0; b < nbox; ++b) change += c.v[6 * b + 2] - c.v_star[6 * b + 2];
            assert_near(change, normal_sum(&c, 0), 1e-5 * change);
            tear_down(&c);
        }
}

static void tight_tolerance_ends_at_roundoff(void **state)
{
    (void)state;
    column c;
    set_up(&c, ICF_MODEL_LAGGED, 1e9);
    c.scene.solver.relative_tolerance = 0.0;
    c.scene.solver.absolute_tolerance = 0.0;
    for (int b = 0; b < nbox; ++b) c.v0[6 * b + 2] = c.v_star[6 * b + 2] = -0.1;
    icf_newton_result result;
    assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result), ICF_OK);
    assert_true(result.roundoff || result.residual == 0.0);
    assert_true(result.residual < 1e-8);
    tear_down(&c);
}

/* One corner of each box is a long lever away: a last bit of the spin moves it by more than the tolerance allows, and
 * the residual stays above 1e-8.  What is left to gain tells the end. */
static void long_levers_end_at_roundoff(void **state)
{
    (void)state;
    column c;
    set_up(&c, ICF_MODEL_LAGGED, 1e8);
    c.scene.solver.relative_tolerance = 1e-14;
    for (icf_lid i = 0; i < ncontact; i += 4) c.contacts.point[i].x = -3e7;
    set_family(&c);
    for (int b = 0; b < nbox; ++b) c.v0[6 * b + 2] = c.v_star[6 * b + 2] = -0.1;
    icf_newton_result result;
    assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result), ICF_OK);
    assert_true(result.roundoff);
    assert_true(result.residual < 1e-3);
    tear_down(&c);
}

static void iteration_limit_is_reported(void **state)
{
    (void)state;
    column c;
    set_up(&c, ICF_MODEL_LAGGED, 1e7);
    c.scene.solver.max_iterations = 1;
    c.scene.solver.relative_tolerance = 1e-12;
    for (int b = 0; b < nbox; ++b) c.v0[6 * b + 2] = c.v_star[6 * b + 2] = -0.1 * (b + 1);
    icf_newton_result result;
    assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result),
                     ICF_NOT_CONVERGED);
    assert_int_equal(result.iterations, 1);
    tear_down(&c);
}

static void linear_solvers_agree(void **state)
{
    (void)state;
    double reference[ndof];
    const icf_linear kinds[] = {ICF_LINEAR_BLOCK, ICF_LINEAR_MUMPS, ICF_LINEAR_PCG};
    for (int k = 0; k < 3; ++k) {
        column c;
        set_up(&c, ICF_MODEL_SIMILAR, 1e7);
        c.scene.solver.relative_tolerance = 1e-11;
        for (int b = 0; b < nbox; ++b) c.v0[6 * b + 2] = c.v_star[6 * b + 2] = -0.1 * (b + 1);
        icf_newton_result result;
        assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, kinds[k], &c.problem, c.v, &result), ICF_OK);
        if (k == 0) memcpy(reference, c.v, sizeof reference);
        for (int i = 0; i < ndof; ++i) assert_near(c.v[i], reference[i], 1e-9);
        tear_down(&c);
    }
}

/* At rest above the ground A v and the impulses are zero: the residual has no scale, which is not convergence.
 * Nothing touches within the step, so the answer is v*. */
static void rest_without_impulses_has_not_converged(void **state)
{
    (void)state;
    column c;
    set_up(&c, ICF_MODEL_SIMILAR, 1e5);
    for (icf_lid k = 0; k < nbox; ++k) add_contacts(&c, k, -1.0, 1.0);
    set_family(&c);
    c.scene.solver.relative_tolerance = 1e-12;
    icf_newton_result result;
    assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result), ICF_OK);
    for (int i = 0; i < ndof; ++i) assert_near(c.v[i], c.v_star[i], 1e-15);
    tear_down(&c);
}

/* A barrier: v0 would pass through, rest is feasible, and the answer keeps the distance positive. */
static void barrier_starts_from_rest_when_v0_is_infeasible(void **state)
{
    (void)state;
    column c;
    set_up(&c, ICF_MODEL_LAGGED, 1e5);
    c.scene.combined[0].normal = ICF_NORMAL_IPC_BARRIER;
    c.scene.combined[0].barrier_distance = 1e-3;
    for (icf_lid k = 0; k < nbox; ++k) add_contacts(&c, k, -5e-4, 1.0);
    set_family(&c);
    for (int b = 0; b < nbox; ++b) c.v0[6 * b + 2] = c.v_star[6 * b + 2] = -1.0;
    icf_newton_result result;
    assert_int_equal(icf_newton_solve(c.newton, &c.scene.solver, ICF_LINEAR_BLOCK, &c.problem, c.v, &result), ICF_OK);
    assert_true(5e-4 + dt * c.v[2] > 0.0);
    tear_down(&c);
}

/* |H|_1 |H^-1|_1 of the exact Hessian where the solver left it, by elimination. */
static double dense_condition(column *c)
{
    icf_hessian hessian;
    icf_hessian_init(&hessian);
    assert_int_equal(icf_hessian_build(&hessian, &c->problem), ICF_OK);
    icf_hessian_update(&hessian, &c->problem);
    double h[ndof][ndof], inverse[ndof][ndof], norm = 0.0, of_inverse = 0.0;
    for (int j = 0; j < ndof; ++j) {
        double unit[ndof] = {0}, column_of_h[ndof], sum = 0.0;
        unit[j] = 1.0;
        icf_block_matrix_multiply(&hessian.matrix, unit, column_of_h);
        for (int i = 0; i < ndof; ++i) {
            h[i][j] = column_of_h[i];
            inverse[i][j] = i == j;
            sum += fabs(h[i][j]);
        }
        norm = fmax(norm, sum);
    }
    for (int p = 0; p < ndof; ++p)
        for (int i = 0; i < ndof; ++i) {
            const double factor = h[i][p] / h[p][p];
            for (int j = 0; j < ndof && i != p; ++j) {
                h[i][j] -= factor * h[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    for (int j = 0; j < ndof; ++j) {
        double sum = 0.0;
        for (int i = 0; i < ndof; ++i) sum += fabs(inverse[i][j] / h[i][i]);
        of_inverse = fmax(of_inverse, sum);
    }
    icf_hessian_clear(&hessian);
    return norm * of_inverse;
}

/* The estimate is below the condition number and near it, and asking for it changes nothing. */
static void condition_number_is_that_of_the_hessian(void **state)
{
    (void)state;
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model)
        for (int at_rest = 0; at_rest < 2; ++at_rest) {
            column plain, asked;
            icf_newton_result without, with;
            set_up(&plain, model, 1e6);
            set_up(&asked, model, 1e6);
            asked.scene.solver.condition = true;
            for (int b = 0; b < nbox && !at_rest; ++b)
                plain.v0[6 * b] = plain.v_star[6 * b] = asked.v0[6 * b] = asked.v_star[6 * b] = 0.1 * (b + 1);
            assert_int_equal(icf_newton_solve(plain.newton, &plain.scene.solver, ICF_LINEAR_BLOCK, &plain.problem,
                                              plain.v, &without),
                             ICF_OK);
            assert_int_equal(
                icf_newton_solve(asked.newton, &asked.scene.solver, ICF_LINEAR_BLOCK, &asked.problem, asked.v, &with),
                ICF_OK);
            const double exact = dense_condition(&asked);
            assert_true(exact > 10.0);
            assert_true(with.condition >= exact / 3 && with.condition <= exact * (1 + 1e-6));
            assert_true(without.condition == 0.0);
            assert_int_equal(with.factorizations, without.factorizations);
            assert_true(with.cost == without.cost && with.residual == without.residual);
            assert_memory_equal(plain.v, asked.v, sizeof plain.v);
            assert_memory_equal(plain.contacts.impulse, asked.contacts.impulse,
                                ncontact * sizeof *plain.contacts.impulse);
            tear_down(&plain);
            tear_down(&asked);
        }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_needs_no_factorisation),
        cmocka_unit_test(stiffness_over_eight_decades),
        cmocka_unit_test(tight_tolerance_ends_at_roundoff),
        cmocka_unit_test(long_levers_end_at_roundoff),
        cmocka_unit_test(iteration_limit_is_reported),
        cmocka_unit_test(linear_solvers_agree),
        cmocka_unit_test(rest_without_impulses_has_not_converged),
        cmocka_unit_test(condition_number_is_that_of_the_hessian),
        cmocka_unit_test(barrier_starts_from_rest_when_v0_is_infeasible),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
