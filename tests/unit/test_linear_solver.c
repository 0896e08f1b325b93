/* Linear solvers, every test for every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample_block_matrix.h"
#include "solver/linear_solver.h"

static const icf_linear KINDS[] = {ICF_LINEAR_BLOCK};
#define NKIND (sizeof KINDS / sizeof *KINDS)

static icf_context context;

static int start(void **state)
{
    (void)state;
    MPI_Init(NULL, NULL);
    return icf_context_init(&context, MPI_COMM_SELF, 1) == ICF_OK ? 0 : 1;
}

static int stop(void **state)
{
    (void)state;
    icf_context_clear(&context);
    MPI_Finalize();
    return 0;
}

/* |H x - b| / (|H| |x| + |b|) in the largest norm */
static double residual(const icf_block_matrix *m, const double *b, const double *x)
{
    const size_t n = (size_t)m->dof[m->nblock];
    double *y = calloc(n, sizeof *y), norm_h = 0.0, norm_x = 0.0, norm_b = 0.0, worst = 0.0;
    icf_block_matrix_multiply(m, x, y);
    for (int64_t i = 0; i < m->nval; ++i) norm_h = ICF_MAX(norm_h, fabs(m->val[i]));
    for (size_t i = 0; i < n; ++i) {
        norm_x = ICF_MAX(norm_x, fabs(x[i]));
        norm_b = ICF_MAX(norm_b, fabs(b[i]));
        worst = fabs(y[i] - b[i]) <= worst ? worst : fabs(y[i] - b[i]);
    }
    free(y);
    return worst / (norm_h * norm_x + norm_b);
}

static void check_solution(icf_linear kind, const sample_matrix *s, double tolerance)
{
    const size_t n = (size_t)s->dof[s->matrix.nblock];
    double *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x);
    uint64_t seed = 11;
    for (size_t i = 0; i < n; ++i) b[i] = sample_uniform(&seed) - 0.5;
    icf_linear_solver *solver;
    assert_int_equal(icf_linear_solver_create(kind, &context, &solver), ICF_OK);
    assert_int_equal(icf_linear_solver_analyze(solver, &s->matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_factor(solver, &s->matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_OK);
    assert_true(residual(&s->matrix, b, x) <= tolerance);
    icf_linear_solver_destroy(&solver);
    assert_null(solver);
    free(b);
    free(x);
}

static void solves_random_systems_of_all_block_sizes(void **state)
{
    (void)state;
    const int32_t six[] = {6}, three[] = {3}, mixed[] = {6, 3, 1, 17, 64, 2};
    for (size_t k = 0; k < NKIND; ++k)
        for (icf_lid nblock = 1; nblock <= 30; nblock += 7) {
            sample_matrix a = sample_random(nblock, six, 1, 4.0, 4.0, 1);
            sample_matrix b = sample_random(nblock, three, 1, 6.0, 10.0, 2);
            sample_matrix c = sample_random(nblock, mixed, 6, 3.0, 4.0, 3);
            check_solution(KINDS[k], &a, 1e-14);
            check_solution(KINDS[k], &b, 1e-14);
            check_solution(KINDS[k], &c, 1e-14);
            sample_free(&a);
            sample_free(&b);
            sample_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_random_systems_of_all_block_sizes),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
