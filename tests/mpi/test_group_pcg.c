/* Conjugate gradients of a group, against the block solver of one rank. */
#include "sample_part.h"
#include "solver/group_pcg.h"

enum { most = 2000 };

/* Solves with the current preconditioner; returns the largest difference to x over the largest of x. */
static double difference(icf_group_pcg *pcg, part *p, const icf_block_matrix *whole, double tolerance, const double *x)
{
    double *y = own_right_hand_side(p, whole);
    icf_cnt taken;
    assert_int_equal(icf_group_pcg_solve(pcg, &p->group, &p->matrix.matrix, tolerance, most, y, y, &taken), ICF_OK);
    const double largest = largest_difference(p, whole, y, x);
    free(y);
    return largest;
}

static void check(icf_context *context, sample_matrix a, owner_of owner)
{
    part p = make_part(&a.matrix, owner, context);
    double *x = solve_alone(context, &a.matrix);
    icf_group_pcg pcg;
    icf_group_pcg_init(&pcg);
    assert_int_equal(icf_group_pcg_analyze(&pcg, &p.group, &p.matrix.matrix), ICF_OK);
    assert_int_equal(icf_group_pcg_factor(&pcg, &p.group, &p.matrix.matrix), ICF_OK);
    assert_true(difference(&pcg, &p, &a.matrix, 1e-13, x) < 1e-9);
    icf_group_pcg_clear(&pcg);
    free(x);
    free_part(&p);
    sample_free(&a);
}

static void solutions_are_those_of_a_factor(void **state)
{
    const int32_t mixed[] = {6, 3, 1, 17, 2}, six[] = {6};
    const owner_of owners[] = {by_turns, in_blocks, on_the_last};
    for (int k = 0; k < 3; ++k) {
        check(*state, sample_grid(7, 6, 5, 6, 1.0, 1), owners[k]);
        check(*state, sample_grid(12, 11, 1, 3, 1.0, 2), owners[k]);
        check(*state, sample_random(60, mixed, 5, 5.0, 1.0, 3), owners[k]);
        check(*state, sample_random(1, six, 1, 0.0, 0.0, 1), owners[k]); /* ranks without a block */
    }
}

/* One rank has the iterations and bits of the linear solver of that kind. */
static void one_rank_does_what_it_does_alone(void **state)
{
    icf_context *context = *state;
    sample_matrix a = sample_grid(7, 6, 5, 6, 1.0, 1);
    part p = make_part(&a.matrix, in_blocks, context);
    const size_t n = (size_t)a.matrix.dof[a.matrix.nblock];
    double *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    for (size_t i = 0; i < n; ++i) b[i] = right_hand_side((int32_t)i);
    icf_linear_solver *alone;
    assert_int_equal(icf_linear_solver_create(ICF_LINEAR_PCG, context, &alone), ICF_OK);
    assert_int_equal(icf_linear_solver_analyze(alone, &a.matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_factor(alone, &a.matrix), ICF_OK);
    icf_linear_solver_limit_pcg(alone, 1e-8, most);
    assert_int_equal(icf_linear_solver_solve(alone, b, x), ICF_OK);
    icf_group_pcg pcg;
    icf_cnt taken = 0;
    icf_group_pcg_init(&pcg);
    if (context->size == 1) {
        assert_int_equal(icf_group_pcg_analyze(&pcg, &p.group, &p.matrix.matrix), ICF_OK);
        assert_int_equal(icf_group_pcg_factor(&pcg, &p.group, &p.matrix.matrix), ICF_OK);
        assert_int_equal(icf_group_pcg_solve(&pcg, &p.group, &p.matrix.matrix, 1e-8, most, b, y, &taken), ICF_OK);
        assert_int_equal(taken, icf_linear_solver_stats(alone).iterations);
        assert_memory_equal(x, y, n * sizeof *x);
    }
    icf_group_pcg_clear(&pcg);
    icf_linear_solver_destroy(&alone);
    free(b), free(x), free(y);
    free_part(&p);
    sample_free(&a);
}

/* All ranks say so, and afterwards the solver works again. */
static void bad_matrices_are_refused_by_all(void **state)
{
    icf_context *context = *state;
    sample_matrix a = sample_grid(7, 6, 5, 6, 1.0, 1);
    part p = make_part(&a.matrix, by_turns, context);
    double *x = solve_alone(context, &a.matrix), *y = calloc(6 * (size_t)p.group.nblock + 1, sizeof *y);
    icf_group_pcg pcg;
    icf_cnt taken;
    icf_group_pcg_init(&pcg);
    assert_int_equal(icf_group_pcg_analyze(&pcg, &p.group, &p.matrix.matrix), ICF_OK);
    const double bad[] = {-1e6, NAN, INFINITY};
    for (icf_lid block = 0; block < a.matrix.nblock; block += 37)
        for (int k = 0; k < 3; ++k) {
            const icf_lid local = p.local[block];
            double *entry = local < 0 ? NULL : p.matrix.val + p.matrix.diag_at[local];
            const double good = entry ? *entry : 0.0;
            if (entry && p.owner[local] == context->rank) *entry = bad[k];
            assert_int_equal(icf_group_pcg_factor(&pcg, &p.group, &p.matrix.matrix), ICF_NOT_POSITIVE_DEFINITE);
            if (entry) *entry = good;
        }
    assert_int_equal(icf_group_pcg_factor(&pcg, &p.group, &p.matrix.matrix), ICF_OK);
    for (icf_lid i = 0; i < 6 * p.nowned; ++i) y[i] = 1.0;
    assert_int_equal(icf_group_pcg_solve(&pcg, &p.group, &p.matrix.matrix, 1e-13, 2, y, y, &taken), ICF_NOT_CONVERGED);
    assert_int_equal(taken, 2);
    assert_true(difference(&pcg, &p, &a.matrix, 1e-13, x) < 1e-9);
    icf_group_pcg_clear(&pcg);
    free(x), free(y);
    free_part(&p);
    sample_free(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {mpi_test(solutions_are_those_of_a_factor),
                                       mpi_test(one_rank_does_what_it_does_alone),
                                       mpi_test(bad_matrices_are_refused_by_all)};
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
