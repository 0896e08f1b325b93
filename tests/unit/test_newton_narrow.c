/* Newton on an island whose factor is so dear that pairs which do not touch are left out of it: the velocities of
 * another linear solver, and the same bits whatever the threads, what was solved before, and what else is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#define PILE_WIDTH 12 /* 1.8e5 operations a block */

#include "solver/newton_private.h"
#include "unit/sample_pile.h"

static pile p;

/* A pile whose contacts are as deep as given, more or less, and whose bodies fly apart and together. */
static void set_up_flying(icf_model model, unsigned seed, double deep, double speed)
{
    pile_init(&p, model, 1e6, seed);
    p.scene.solver.relative_tolerance = 1e-10;
    for (icf_lid i = 0; i < p.contacts.n; ++i) p.depth[i] = deep + 1e-3 * pile_noise(&p);
    pile_shake(&p, speed, p.v0);
    for (int32_t i = 0; i < pile_ndof; ++i) p.v_star[i] += p.v0[i];
}

/* The half of the contacts is apart at first. */
static void set_up(icf_model model, unsigned seed)
{
    set_up_flying(model, seed, 0.0, 0.3);
}

static icf_newton *make_newton(int nthread)
{
    icf_newton *newton;
    assert_int_equal(icf_newton_create(&p.context, &newton), ICF_OK);
    icf_newton_use_threads(newton, nthread);
    return newton;
}

static icf_newton_result solve(icf_newton *newton, icf_linear kind, double *v)
{
    icf_newton_result result;
    pile_set_laws(&p);
    memcpy(v, p.v0, sizeof p.v0);
    assert_int_equal(icf_newton_solve(newton, &p.scene.solver, kind, &p.problem, v, &result), ICF_OK);
    return result;
}

/* Some pairs of the last solve were left out to its end, and some came in after its first direction. */
static void assert_was_narrow(const icf_newton *newton, icf_cnt analyses_before)
{
    const icf_hessian *hessian = &newton->hessian;
    const icf_lid met = hessian->met.ptr[pile_n], all = hessian->matrix.ptr[pile_n];
    assert_true(newton->narrow);
    assert_true(met > 0 && met < all);
    assert_true(icf_linear_solver_stats(newton->linear[ICF_LINEAR_BLOCK]).analyses >= analyses_before + 2);
}

static void velocities_are_those_of_another_solver(void **state)
{
    (void)state;
    static double v[pile_ndof], w[pile_ndof];
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model)
        for (unsigned seed = 1; seed <= 2; ++seed) {
            set_up(model, seed);
            icf_newton *newton = make_newton(1), *other = make_newton(1);
            const icf_newton_result result = solve(newton, ICF_LINEAR_BLOCK, v),
                                    expected = solve(other, ICF_LINEAR_MUMPS, w);
            assert_was_narrow(newton, 0);
            double worst = 0.0;
            for (int32_t i = 0; i < pile_ndof; ++i) worst = fmax(worst, fabs(v[i] - w[i]));
            print_message(
                "model %d: %d of %d pairs, %d and %d iterations, %.1e and %.1e operations, differ by %.1e m/s\n",
                (int)model, newton->hessian.met.ptr[pile_n], newton->hessian.matrix.ptr[pile_n], result.iterations,
                expected.iterations, result.flops, expected.flops, worst);
            assert_true(worst <= 1e-8);
            icf_newton_destroy(&newton);
            icf_newton_destroy(&other);
            pile_clear(&p);
        }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static double v[pile_ndof], w[pile_ndof];
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        set_up(model, 5);
        icf_newton *one = make_newton(1);
        solve(one, ICF_LINEAR_BLOCK, v);
        assert_was_narrow(one, 0);
        for (int nthread = 2; nthread <= 3; ++nthread) {
            icf_newton *newton = make_newton(nthread);
            solve(newton, ICF_LINEAR_BLOCK, w);
            assert_memory_equal(v, w, sizeof v);
            icf_newton_destroy(&newton);
        }
        icf_newton_destroy(&one);
        pile_clear(&p);
    }
}

/* The bits of a new solver after a problem whose contacts are so deep, of the same or another pattern. */
static void check_after(double deep, double speed)
{
    static double v[pile_ndof], w[pile_ndof];
    set_up(ICF_MODEL_LAGGED, 5);
    icf_newton *fresh = make_newton(1);
    solve(fresh, ICF_LINEAR_BLOCK, v);
    assert_was_narrow(fresh, 0);
    icf_newton_destroy(&fresh);
    pile_clear(&p);

    set_up_flying(ICF_MODEL_LAGGED, 6, deep, speed);
    icf_newton *newton = make_newton(1);
    solve(newton, ICF_LINEAR_BLOCK, w);
    const icf_cnt analyses = icf_linear_solver_stats(newton->linear[ICF_LINEAR_BLOCK]).analyses;
    pile_clear(&p);
    set_up(ICF_MODEL_LAGGED, 5);
    solve(newton, ICF_LINEAR_BLOCK, w);
    assert_memory_equal(v, w, sizeof v);
    assert_was_narrow(newton, analyses);
    icf_newton_destroy(&newton);
    pile_clear(&p);
}

static void what_was_solved_before_changes_no_bit(void **state)
{
    (void)state;
    check_after(0.0, 0.3);
    check_after(-1e-3, 1.0);
}

/* Where all pairs touch, the pattern without those that do not is that of all. */
static void a_solve_in_which_all_touch_changes_no_bit(void **state)
{
    (void)state;
    check_after(5e-3, 0.0);
}

static void the_condition_number_changes_no_bit(void **state)
{
    (void)state;
    static double v[pile_ndof], w[pile_ndof];
    set_up(ICF_MODEL_LAGGED, 5);
    icf_newton *plain = make_newton(1), *asked = make_newton(1);
    const icf_newton_result without = solve(plain, ICF_LINEAR_BLOCK, v);
    p.scene.solver.condition = true;
    const icf_newton_result with = solve(asked, ICF_LINEAR_BLOCK, w), again = solve(asked, ICF_LINEAR_BLOCK, w);
    assert_was_narrow(asked, 0);
    assert_memory_equal(v, w, sizeof v);
    assert_true(isfinite(with.condition) && with.condition > 1.0);
    assert_true(with.condition == again.condition);
    assert_true(with.flops == without.flops && with.values == without.values);
    icf_newton_destroy(&plain);
    icf_newton_destroy(&asked);
    pile_clear(&p);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_those_of_another_solver),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(what_was_solved_before_changes_no_bit),
        cmocka_unit_test(a_solve_in_which_all_touch_changes_no_bit),
        cmocka_unit_test(the_condition_number_changes_no_bit),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
