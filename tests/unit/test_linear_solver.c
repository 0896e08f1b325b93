/* Linear solvers, every test for every kind.
 *
 * The right answer is H x = b itself: the direct kinds must be backward stable, |H x - b| <= 1e-14 |H| |x| to a
 * few bits, and conjugate gradients must reach what its tolerance promises.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <malloc.h>
#include <omp.h>
#ifdef __SSE2__
#    include <xmmintrin.h>
#endif

#include "base/memory.h"
#include "sample_lattice.h"
#include "solver/linear_solver.h"
#include "solver/ordering.h"
#include "solver/symbolic.h"

typedef struct kind_case {
    icf_linear kind;
    double tolerance;
} kind_case;

static const kind_case KINDS[] = {{ICF_LINEAR_BLOCK, 1e-14}, {ICF_LINEAR_MUMPS, 1e-14}, {ICF_LINEAR_PCG, 1e-6}};
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

static size_t ndof(const sample_matrix *s)
{
    return (size_t)s->dof[s->matrix.nblock];
}

static double *make_vector(size_t n, uint64_t seed)
{
    double *x = calloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; ++i) x[i] = sample_uniform(&seed) - 0.5;
    return x;
}

static icf_linear_solver *make_solver(icf_linear kind)
{
    icf_linear_solver *solver;
    assert_int_equal(icf_linear_solver_create(kind, &context, &solver), ICF_OK);
    return solver;
}

static void solve(icf_linear_solver *solver, const sample_matrix *s, const double *b, double *x)
{
    assert_int_equal(icf_linear_solver_analyze(solver, &s->matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_factor(solver, &s->matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_OK);
}

static icf_linear_solver *make_block_solver(int nthread, bool single)
{
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    icf_linear_solver_use_threads(solver, nthread);
    icf_linear_solver_use_single(solver, single);
    return solver;
}

static bool extend(icf_linear_solver *solver, const sample_matrix *s)
{
    bool good = false;
    assert_int_equal(icf_linear_solver_extend(solver, &s->matrix, &good), ICF_OK);
    return good;
}

static bool is_wide(icf_linear_solver *solver, const sample_matrix *s)
{
    bool wide = true;
    assert_int_equal(icf_linear_solver_analyze_cheap(solver, &s->matrix, &wide), ICF_OK);
    return wide;
}

static void factor_and_solve(icf_linear_solver *solver, const sample_matrix *s, const double *b, double *x)
{
    assert_int_equal(icf_linear_solver_factor(solver, &s->matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_OK);
}

static void assert_not_analyzed(icf_linear_solver *solver, const sample_matrix *s)
{
    assert_int_equal(icf_linear_solver_factor(solver, &s->matrix), ICF_ERROR_INTERNAL);
    assert_int_equal(icf_linear_solver_refactor(solver, &s->matrix), ICF_ERROR_INTERNAL);
    double *b = make_vector(ndof(s), 3);
    assert_int_equal(icf_linear_solver_solve(solver, b, b), ICF_ERROR_INTERNAL);
    icf_clear_failure(&context);
    free(b);
}

/* |H x - b| / (|H| |x| + |b|) in the largest norm, row sums for |H| */
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

static void check_solution(const kind_case *k, const sample_matrix *s)
{
    double *b = make_vector(ndof(s), 11), *x = make_vector(ndof(s), 0);
    icf_linear_solver *solver = make_solver(k->kind);
    solve(solver, s, b, x);
    const double r = residual(&s->matrix, b, x);
    if (!(r <= k->tolerance)) print_error("kind %d, %d blocks: residual %g\n", (int)k->kind, s->matrix.nblock, r);
    assert_true(r <= k->tolerance);
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
            sample_matrix b = sample_random(nblock, three, 1, 6.0, 4.0, 2);
            sample_matrix c = sample_random(nblock, mixed, 6, 3.0, 4.0, 3);
            check_solution(&KINDS[k], &a);
            check_solution(&KINDS[k], &b);
            check_solution(&KINDS[k], &c);
            sample_free(&a);
            sample_free(&b);
            sample_free(&c);
        }
}

#ifdef __SSE2__
/* A grid whose blocks hardly feel each other: what they feel at a distance is too small for single precision. */
static sample_matrix make_weak_grid(double coupling)
{
    const size_t square = 36;
    sample_matrix s = sample_grid(20, 20, 1, 6, 4.0, 5);
    icf_block_matrix *m = &s.matrix;
    double *diagonal = malloc(square * (size_t)m->nblock * sizeof *diagonal);
    for (icf_lid b = 0; b < m->nblock; ++b)
        memcpy(diagonal + square * (size_t)b, m->val + m->diag_at[b], square * sizeof *diagonal);
    for (int64_t i = 0; i < m->nval; ++i) m->val[i] *= coupling;
    for (icf_lid b = 0; b < m->nblock; ++b)
        memcpy(m->val + m->diag_at[b], diagonal + square * (size_t)b, square * sizeof *diagonal);
    free(diagonal);
    return s;
}

/* Factors in single precision never calculate with subnormal numbers, and leave the caller those of his own. */
static void a_factor_has_no_subnormal_numbers(void **state)
{
    (void)state;
    sample_matrix s = make_weak_grid(1e-7);
    double *b = make_vector(ndof(&s), 11), *x = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    icf_linear_solver_use_single(solver, true);
    _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK);
    solve(solver, &s, b, x);
    assert_true(residual(&s.matrix, b, x) < 1e-6);
    assert_true(_mm_getcsr() & _MM_EXCEPT_UNDERFLOW); /* there is what could have been */
    assert_false(_mm_getcsr() & _MM_EXCEPT_DENORM);
    volatile float tiny = FLT_MIN;
    assert_true(tiny / 2.0f > 0.0f);
    icf_linear_solver_destroy(&solver);
    sample_free(&s);
    free(b);
    free(x);
}
#endif

/* The factor is in single precision, and it says so by its error; double comes back. */
static void single_precision_has_its_accuracy(void **state)
{
    (void)state;
    const int32_t six[] = {6};
    sample_matrix s = sample_random(60, six, 1, 4.0, 2.0, 4);
    double *b = make_vector(ndof(&s), 11), *x = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    icf_linear_solver_use_single(solver, true);
    solve(solver, &s, b, x);
    const double single = residual(&s.matrix, b, x);
    assert_true(single > 1e-12 && single < 1e-5);
    icf_linear_solver_use_single(solver, false);
    solve(solver, &s, b, x);
    assert_true(residual(&s.matrix, b, x) < 1e-14);
    icf_linear_solver_destroy(&solver);
    sample_free(&s);
    free(b);
    free(x);
}

/* Stiffness 1 to 1e10 over a unit mass: condition numbers of 1e10 and more. */
static void solves_contact_like_spreads(void **state)
{
    (void)state;
    const int32_t six[] = {6};
    for (size_t k = 0; k < NKIND; ++k)
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            sample_matrix a = sample_random(40, six, 1, 5.0, 10.0, seed), b = sample_grid(7, 7, 1, 6, 10.0, seed);
            check_solution(&KINDS[k], &a);
            check_solution(&KINDS[k], &b);
            sample_free(&a);
            sample_free(&b);
        }
}

static void solves_special_graphs(void **state)
{
    (void)state;
    const int32_t six[] = {6}, three[] = {3};
    sample_matrix samples[] = {
        sample_arrow(60, 0, 6, 4.0, 1),     sample_arrow(60, 59, 6, 4.0, 1),
        sample_arrow(60, 31, 3, 4.0, 1),    sample_grid(80, 1, 1, 6, 4.0, 1),
        sample_random(1, six, 1, 0, 0, 1),  sample_random(50, three, 1, 0, 0, 1), /* without any edge */
        sample_random(90, six, 1, 1, 4, 1),                                       /* many components */
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        for (size_t k = 0; k < NKIND; ++k) check_solution(&KINDS[k], &samples[i]);
        sample_free(&samples[i]);
    }
}

static void solves_cubes(void **state)
{
    (void)state;
    sample_matrix small = sample_grid(5, 6, 7, 3, 6.0, 1), large = sample_grid(20, 20, 20, 3, 4.0, 1);
    for (size_t k = 0; k < NKIND; ++k) {
        check_solution(&KINDS[k], &small);
        check_solution(&KINDS[k], &large);
    }
    sample_free(&small);
    sample_free(&large);
}

static void solution_may_replace_the_right_hand_side(void **state)
{
    (void)state;
    const int32_t mixed[] = {6, 3};
    sample_matrix s = sample_random(20, mixed, 2, 4.0, 4.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *both = make_vector(ndof(&s), 3);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        solve(solver, &s, b, x);
        memcpy(both, b, ndof(&s) * sizeof *b);
        assert_int_equal(icf_linear_solver_solve(solver, both, both), ICF_OK);
        assert_memory_equal(x, both, ndof(&s) * sizeof *x);
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    free(both);
    sample_free(&s);
}

/* The same bits from a fresh solver, from a used one, after other patterns, and with other thread numbers. */
static void bits_repeat(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(7, 7, 3, 6, 6.0, 1), other = sample_grid(4, 3, 3, 3, 6.0, 2);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *again = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind), *fresh = make_solver(KINDS[k].kind);
        solve(solver, &s, b, x);
        for (int i = 1; i <= 3; ++i) {
            omp_set_num_threads(i);
            solve(solver, &other, b, again);
            solve(solver, &s, b, again);
            assert_memory_equal(x, again, ndof(&s) * sizeof *x);
            solve(fresh, &s, b, again);
            assert_memory_equal(x, again, ndof(&s) * sizeof *x);
            assert_int_equal(omp_get_max_threads(), i);
        }
        icf_linear_solver_destroy(&solver);
        icf_linear_solver_destroy(&fresh);
    }
    free(b);
    free(x);
    free(again);
    sample_free(&s);
    sample_free(&other);
}

/* Status of factor, or of solve where conjugate gradients only meet the trouble then. */
static icf_status try_to_solve(icf_linear_solver *solver, const sample_matrix *s, const double *b, double *x)
{
    assert_int_equal(icf_linear_solver_analyze(solver, &s->matrix), ICF_OK);
    const icf_status status = icf_linear_solver_factor(solver, &s->matrix);
    return status == ICF_OK ? icf_linear_solver_solve(solver, b, x) : status;
}

/* A dear factor shared out to threads: the bits of one thread; a bad pivot is found and forgotten. */
static void threads_change_no_bit_of_a_dear_factor(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(11, 10, 9, 6, 6.0, 1), other = sample_grid(4, 3, 3, 3, 6.0, 2);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *y = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    solve(solver, &s, b, x);
    assert_true(icf_linear_solver_flops(solver) > 2e8);
    assert_true(residual(&s.matrix, b, x) <= 1e-14);
    for (int nthread = 5; nthread >= 1; --nthread) {
        icf_linear_solver_use_threads(solver, nthread);
        for (icf_lid block = 0; block < s.matrix.nblock; block += 97) { /* below and above the cut */
            double *entry = s.val + s.diag_at[block], good = *entry;
            *entry = -1e12;
            assert_int_equal(icf_linear_solver_factor(solver, &s.matrix), ICF_NOT_POSITIVE_DEFINITE);
            *entry = good;
        }
        for (int k = 0; k < 3; ++k) {
            solve(solver, &s, b, y);
            assert_memory_equal(x, y, ndof(&s) * sizeof *x);
        }
        solve(solver, &other, b, y);
        solve(solver, &s, b, y);
        assert_memory_equal(x, y, ndof(&s) * sizeof *x);
    }
    icf_linear_solver_destroy(&solver);
    free(b);
    free(x);
    free(y);
    sample_free(&s);
    sample_free(&other);
}

/* Each thread has its own object; MUMPS belongs to the master thread and is left out. */
static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(6, 6, 3, 6, 6.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        if (KINDS[k].kind == ICF_LINEAR_MUMPS) continue;
        icf_linear_solver *solver[8];
        for (int i = 0; i < 8; ++i) solver[i] = make_solver(KINDS[k].kind);
        solve(solver[0], &s, b, x);
        int wrong = 0;
#pragma omp parallel for num_threads(4) schedule(dynamic, 1) reduction(+ : wrong)
        for (int i = 0; i < 8; ++i) {
            double y[6 * 6 * 3 * 6];
            const bool solved = icf_linear_solver_analyze(solver[i], &s.matrix) == ICF_OK &&
                                icf_linear_solver_factor(solver[i], &s.matrix) == ICF_OK &&
                                icf_linear_solver_solve(solver[i], b, y) == ICF_OK;
            wrong += !solved || memcmp(x, y, sizeof y) != 0;
        }
        assert_int_equal(wrong, 0);
        for (int i = 0; i < 8; ++i) icf_linear_solver_destroy(&solver[i]);
    }
    free(b);
    free(x);
    sample_free(&s);
}

/* Stiffness over 20 decades is more than double precision has: conjugate gradients stop at their limit, with an
 * iterate that still descends, b.x > 0. */
static void conjugate_gradients_give_up_at_a_limit(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(6, 6, 1, 6, 20.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), descent = 0.0;
    icf_linear_solver *solver = make_solver(ICF_LINEAR_PCG);
    assert_int_equal(try_to_solve(solver, &s, b, x), ICF_NOT_CONVERGED);
    for (size_t i = 0; i < ndof(&s); ++i) descent += b[i] * x[i];
    assert_true(descent > 0.0);
    assert_int_equal(icf_linear_solver_stats(solver).iterations, 200 + 5 * ndof(&s));
    assert_int_equal(context.failure, ICF_OK);
    icf_linear_solver_destroy(&solver);
    free(b);
    free(x);
    sample_free(&s);
}

static void analysis_is_kept_while_the_pattern_holds(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(4, 4, 2, 6, 4.0, 1), other = sample_grid(4, 2, 4, 6, 4.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        for (uint64_t i = 1; i <= 3; ++i) {
            sample_fill(&s, 4.0, i);
            solve(solver, &s, b, x);
            assert_true(residual(&s.matrix, b, x) <= KINDS[k].tolerance);
            assert_int_equal(icf_linear_solver_stats(solver).analyses, 1);
            assert_int_equal(icf_linear_solver_stats(solver).factorizations, i);
        }
        solve(solver, &other, b, x); /* as many blocks and edges, other rows */
        assert_true(residual(&other.matrix, b, x) <= KINDS[k].tolerance);
        assert_int_equal(icf_linear_solver_stats(solver).analyses, 2);
        assert_int_equal(icf_linear_solver_stats(solver).iterations > 0, KINDS[k].kind == ICF_LINEAR_PCG);
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    sample_free(&s);
    sample_free(&other);
}

/* Values may lie anywhere: only their positions tell. */
static void positions_of_values_may_change(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(4, 4, 2, 6, 4.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *moved = make_vector(ndof(&s), 0);
    const int64_t shift = 5 + s.matrix.nval;
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        solve(solver, &s, b, x);
        sample_matrix t = s;
        t.val = t.matrix.val = calloc((size_t)(shift + s.matrix.nval), sizeof *t.val);
        t.matrix.nval = shift + s.matrix.nval;
        memcpy(t.val + shift, s.val, (size_t)s.matrix.nval * sizeof *s.val);
        for (icf_lid j = 0; j < s.matrix.nblock; ++j) t.diag_at[j] += shift;
        for (icf_lid e = 0; e < s.ptr[s.matrix.nblock]; ++e) t.off_at[e] += shift;
        solve(solver, &t, b, moved);
        assert_int_equal(icf_linear_solver_stats(solver).analyses, 1);
        assert_memory_equal(x, moved, ndof(&s) * sizeof *x);
        for (icf_lid j = 0; j < s.matrix.nblock; ++j) t.diag_at[j] -= shift;
        for (icf_lid e = 0; e < s.ptr[s.matrix.nblock]; ++e) t.off_at[e] -= shift;
        free(t.val);
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    free(moved);
    sample_free(&s);
}

static void indefinite_matrices_are_refused_and_forgotten(void **state)
{
    (void)state;
    const int32_t mixed[] = {6, 3};
    sample_matrix s = sample_random(20, mixed, 2, 4.0, 4.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        for (icf_lid block = 0; block < 20; block += 3) {
            double *diagonal = &s.val[s.diag_at[block]];
            const double kept = *diagonal, bad[] = {-1.0, 0.0, NAN, INFINITY, -INFINITY};
            for (int i = 0; i < 5; ++i) {
                *diagonal = bad[i];
                assert_int_equal(try_to_solve(solver, &s, b, x), ICF_NOT_POSITIVE_DEFINITE);
            }
            *diagonal = kept;
            assert_int_equal(try_to_solve(solver, &s, b, x), ICF_OK);
            assert_true(residual(&s.matrix, b, x) <= KINDS[k].tolerance);
        }
        assert_int_equal(context.failure, ICF_OK);
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    sample_free(&s);
}

/* A coupling that is too strong leaves all diagonal blocks positive definite. */
static void strong_couplings_are_found_indefinite(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(4, 4, 2, 6, 1.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    s.val[s.off_at[7]] = 1e3;
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        assert_int_equal(try_to_solve(solver, &s, b, x), ICF_NOT_POSITIVE_DEFINITE);
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    sample_free(&s);
}

static void values_that_are_not_finite_are_found_anywhere(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(3, 2, 2, 3, 2.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        for (icf_lid e = 0; e < s.ptr[12]; ++e)
            for (int i = 0; i < 9; ++i) {
                double *entry = &s.val[s.off_at[e] + i];
                const double kept = *entry;
                *entry = i % 2 ? NAN : INFINITY;
                assert_int_equal(try_to_solve(solver, &s, b, x), ICF_NOT_POSITIVE_DEFINITE);
                *entry = kept;
            }
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    sample_free(&s);
}

/* Adds to the diagonal of the blocks that vary. */
static void change_varying(sample_matrix *s, const bool *varies, double amount)
{
    for (icf_lid i = 0; i < s->matrix.nblock; ++i)
        for (int k = 0; varies[i] && k < 3; ++k) s->val[s->diag_at[i] + 4 * k] += amount * (1 + i % 3);
}

/* The second factorisation of a series gives the bits of a whole one, whatever the threads, the size and the
 * precision, and also when the precision has changed. */
static void check_factored_again(bool first_single, bool single)
{
    const int sides[] = {4, 9, 14};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k) {
        const int side = sides[k];
        sample_matrix s = sample_grid(side, side, side, 3, 2.0, 1);
        const icf_lid n = s.matrix.nblock;
        bool *varies = calloc((size_t)n, sizeof *varies);
        for (icf_lid i = 0; i < side * side; ++i) varies[i] = true; /* one face */
        s.matrix.varies = varies;
        double *b = make_vector(ndof(&s), 3), *whole = make_vector(ndof(&s), 0), *again = make_vector(ndof(&s), 0);
        for (int nthread = 1; nthread <= 2; ++nthread) {
            icf_linear_solver *first = make_solver(ICF_LINEAR_BLOCK), *second = make_solver(ICF_LINEAR_BLOCK);
            icf_linear_solver_use_threads(second, nthread);
            icf_linear_solver_use_single(second, first_single);
            solve(second, &s, b, again);
            icf_linear_solver_use_single(first, single);
            icf_linear_solver_use_single(second, single);
            for (int round = 0; round < 3; ++round) {
                change_varying(&s, varies, 10.0 * (round + 1));
                assert_int_equal(icf_linear_solver_refactor(second, &s.matrix), ICF_OK);
                assert_int_equal(icf_linear_solver_solve(second, b, again), ICF_OK);
                solve(first, &s, b, whole);
                assert_memory_equal(whole, again, ndof(&s) * sizeof *whole);
                assert_true(residual(&s.matrix, b, again) < (single ? 1e-5 : 1e-14));
            }
            icf_linear_solver_destroy(&first);
            icf_linear_solver_destroy(&second);
        }
        free(b);
        free(whole);
        free(again);
        free(varies);
        sample_free(&s);
    }
}

static void what_varies_is_factored_again(void **state)
{
    (void)state;
    check_factored_again(false, false);
    check_factored_again(true, true);
    check_factored_again(true, false);
    check_factored_again(false, true);
}

/* Conjugate gradients take a solution from single to double precision, and say so when they cannot. */
static void a_factor_in_single_precision_solves_to_a_tolerance(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(7, 6, 5, 3, 3.0, 1);
    double *b = make_vector(ndof(&s), 3), *rough = make_vector(ndof(&s), 0), *x = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    icf_linear_solver_use_single(solver, true);
    solve(solver, &s, b, rough);
    assert_int_equal(icf_linear_solver_solve_to(solver, &s.matrix, 1e-13, 12, b, x), ICF_OK);
    const icf_cnt taken = icf_linear_solver_stats(solver).iterations;
    assert_true(taken >= 2 && taken < 12);
    assert_true(residual(&s.matrix, b, x) < 1e-15);
    assert_true(residual(&s.matrix, b, x) < 1e-4 * residual(&s.matrix, b, rough));
    assert_int_equal(icf_linear_solver_solve_to(solver, &s.matrix, 1e-13, 1, b, x), ICF_NOT_CONVERGED);
    assert_int_equal(icf_linear_solver_solve_to(solver, &s.matrix, 1e-13, 12, b, b), ICF_OK); /* in place */
    icf_linear_solver_destroy(&solver);
    free(b);
    free(rough);
    free(x);
    sample_free(&s);
}

/* A pivot that fails in a part leaves the solver good for a whole factorisation. */
static void a_part_that_fails_is_followed_by_the_whole(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(6, 6, 6, 3, 2.0, 1);
    bool varies[216] = {false};
    for (int i = 0; i < 36; ++i) varies[i] = true;
    s.matrix.varies = varies;
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    solve(solver, &s, b, x);
    change_varying(&s, varies, -1e6);
    assert_int_equal(icf_linear_solver_refactor(solver, &s.matrix), ICF_NOT_POSITIVE_DEFINITE);
    change_varying(&s, varies, 1e6);
    assert_int_equal(icf_linear_solver_refactor(solver, &s.matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_OK);
    assert_true(residual(&s.matrix, b, x) < 1e-14);
    icf_linear_solver_destroy(&solver);
    free(b);
    free(x);
    sample_free(&s);
}

static void calls_out_of_order_are_refused(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(3, 2, 2, 3, 2.0, 1), cube = sample_grid(6, 6, 6, 6, 2.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        assert_int_equal(icf_linear_solver_factor(solver, &s.matrix), ICF_ERROR_INTERNAL);
        assert_int_equal(icf_linear_solver_analyze(solver, &s.matrix), ICF_OK);
        assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_ERROR_INTERNAL);
        assert_int_equal(context.failure, ICF_ERROR_INTERNAL);
        icf_clear_failure(&context);
        assert_true(is_wide(solver, &cube));
        assert_not_analyzed(solver, &cube);
        icf_linear_solver_destroy(&solver);
        icf_linear_solver_destroy(&solver);
    }
    icf_linear_solver *solver;
    assert_int_equal(icf_linear_solver_create(ICF_LINEAR_AUTO, &context, &solver), ICF_ERROR_INTERNAL);
    assert_null(solver);
    icf_clear_failure(&context);
    free(b);
    free(x);
    sample_free(&s);
    sample_free(&cube);
}

static void an_empty_matrix_is_fine(void **state)
{
    (void)state;
    sample_matrix s = {0};
    double none = 0.0;
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        solve(solver, &s, &none, &none);
        assert_true(icf_linear_solver_flops(solver) == 0.0);
        icf_linear_solver_destroy(&solver);
        solver = make_solver(KINDS[k].kind);
        assert_false(is_wide(solver, &s));
        factor_and_solve(solver, &s, &none, &none);
        icf_linear_solver_destroy(&solver);
    }
}

static void a_zero_right_hand_side_gives_zero(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(3, 2, 2, 3, 2.0, 1);
    double *b = calloc(ndof(&s), sizeof *b), *x = make_vector(ndof(&s), 1);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        solve(solver, &s, b, x);
        for (size_t i = 0; i < ndof(&s); ++i) assert_true(x[i] == 0.0);
        icf_linear_solver_destroy(&solver);
    }
    free(b);
    free(x);
    sample_free(&s);
}

/* One block of n dofs: sum of squared column lengths, n (n + 1) (2 n + 1) / 6. */
static void flops_are_those_of_the_block_solver(void **state)
{
    (void)state;
    const int32_t size[] = {17};
    sample_matrix one = sample_random(1, size, 1, 0, 0, 1), cube = sample_grid(5, 5, 5, 6, 1.0, 1);
    double flops[NKIND];
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        assert_int_equal(icf_linear_solver_analyze(solver, &one.matrix), ICF_OK);
        assert_true(icf_linear_solver_flops(solver) == 17.0 * 18.0 * 35.0 / 6.0);
        assert_int_equal(icf_linear_solver_analyze(solver, &cube.matrix), ICF_OK);
        flops[k] = icf_linear_solver_flops(solver);
        icf_linear_solver_destroy(&solver);
    }
    assert_true(flops[0] > 125 * 216.0 / 3.0 && flops[0] < pow(750.0, 3) / 3.0);
    for (size_t k = 1; k < NKIND; ++k) assert_true(flops[k] == flops[0]);
    sample_free(&one);
    sample_free(&cube);
}

/* Bytes of heap memory in use. */
static size_t heap(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static double flops_of(const sample_matrix *s,
                       icf_status (*order_by)(icf_ordering *, const icf_block_matrix *, icf_lid *))
{
    icf_lid *order = calloc((size_t)s->matrix.nblock, sizeof *order);
    icf_ordering ordering;
    icf_symbolic symbolic;
    icf_ordering_init(&ordering);
    icf_symbolic_init(&symbolic);
    assert_int_equal(order_by(&ordering, &s->matrix, order), ICF_OK);
    assert_int_equal(icf_symbolic_build(&symbolic, &s->matrix, order), ICF_OK);
    const double flops = symbolic.flops;
    icf_symbolic_clear(&symbolic);
    icf_ordering_clear(&ordering);
    free(order);
    return flops;
}

/* A thin sheet keeps minimum degree, a cube gets nested dissection. */
static void dear_factors_get_the_better_order(void **state)
{
    (void)state;
    sample_matrix sheet = sample_grid(60, 60, 1, 3, 1.0, 1), cube = sample_grid(16, 16, 16, 6, 1.0, 1);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_PCG);
    assert_int_equal(icf_linear_solver_analyze(solver, &sheet.matrix), ICF_OK);
    assert_true(icf_linear_solver_flops(solver) == flops_of(&sheet, icf_order_minimum_degree));
    assert_int_equal(icf_linear_solver_analyze(solver, &cube.matrix), ICF_OK);
    assert_true(icf_linear_solver_flops(solver) == flops_of(&cube, icf_order_nested_dissection));
    assert_true(icf_linear_solver_flops(solver) < 0.8 * flops_of(&cube, icf_order_minimum_degree));
    icf_linear_solver_destroy(&solver);
    sample_free(&sheet);
    sample_free(&cube);
}

/* After the first 50 lives, 250 more must not leave a hundred bytes each. */
static void lives_leak_nothing(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(3, 3, 2, 6, 2.0, 1);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    for (size_t k = 0; k < NKIND; ++k) {
        size_t before = 0;
        for (int i = 0; i < 300; ++i) {
            if (i == 50) before = heap();
            icf_linear_solver *solver = make_solver(KINDS[k].kind);
            solve(solver, &s, b, x);
            icf_linear_solver_destroy(&solver);
        }
        assert_true(heap() < before + 250 * 100);
    }
    free(b);
    free(x);
    sample_free(&s);
}

/* ---- patterns that grow ---- */

/* Solves in a repaired order, and then as a fresh solver does, in bits: it keeps nothing of the smaller pattern. */
static void check_extended(icf_linear_solver *solver, const sample_matrix *s, int nthread, bool single)
{
    double *b = make_vector(ndof(s), 3), *x = make_vector(ndof(s), 0), *y = make_vector(ndof(s), 0);
    factor_and_solve(solver, s, b, x);
    assert_true(residual(&s->matrix, b, x) <= (single ? 1e-5 : 1e-14));
    assert_true(!single || residual(&s->matrix, b, x) > 1e-12);
    icf_linear_solver *fresh = make_block_solver(nthread, single), *other = make_block_solver(3 - nthread, single);
    solve(fresh, s, b, x);
    assert_true(residual(&s->matrix, b, x) <= (single ? 1e-5 : 1e-14));
    solve(other, s, b, y);
    assert_memory_equal(x, y, ndof(s) * sizeof *x);
    icf_linear_solver_destroy(&fresh);
    icf_linear_solver_destroy(&other);
    free(b);
    free(x);
    free(y);
}

/* Five times a few pairs more.  The larger of the lattices here is cut for threads. */
static void solve_while_it_grows(icf_lid side, int nthread, bool single)
{
    sample_lattice l = sample_lattice_make(side, side, side, 6, 7);
    sample_matrix s = sample_lattice_matrix(&l);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_block_solver(nthread, single);
    solve(solver, &s, b, x);
    for (icf_cnt round = 1; round <= 5; ++round) {
        sample_free(&s);
        sample_lattice_add_near(&l, 5);
        s = sample_lattice_matrix(&l);
        assert_true(extend(solver, &s));
        assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_ERROR_INTERNAL); /* the factor is gone */
        icf_clear_failure(&context);
        check_extended(solver, &s, nthread, single);
        assert_int_equal(icf_linear_solver_stats(solver).analyses, 1 + round);
        assert_int_equal(icf_linear_solver_stats(solver).factorizations, 1 + round);
    }
    icf_linear_solver_destroy(&solver);
    sample_free(&s);
    sample_lattice_free(&l);
    free(b);
    free(x);
}

static void a_pattern_that_grows_is_solved_as_any_other(void **state)
{
    (void)state;
    for (int nthread = 1; nthread <= 2; ++nthread)
        for (int single = 0; single < 2; ++single) {
            solve_while_it_grows(5, nthread, single);
            solve_while_it_grows(9, nthread, single);
        }
}

/* A repaired order is the same from the same history, whatever the threads and what came before that. */
static void repaired_orders_repeat_in_bits(void **state)
{
    (void)state;
    sample_lattice l = sample_lattice_make(9, 9, 9, 6, 7);
    sample_matrix old = sample_lattice_matrix(&l), other = sample_grid(5, 5, 5, 6, 4.0, 1);
    sample_lattice_add_near(&l, 60);
    sample_matrix s = sample_lattice_matrix(&l);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *y = make_vector(ndof(&s), 0);
    for (int nthread = 1; nthread <= 3; ++nthread) {
        icf_linear_solver *solver = make_block_solver(nthread, false);
        for (int i = 0; i < 2; ++i) {
            solve(solver, &old, b, y);
            assert_true(extend(solver, &s));
            factor_and_solve(solver, &s, b, y);
            if (nthread == 1 && i == 0) memcpy(x, y, ndof(&s) * sizeof *x);
            assert_memory_equal(x, y, ndof(&s) * sizeof *x);
            solve(solver, &other, b, y);
        }
        icf_linear_solver_destroy(&solver);
    }
    sample_free(&old);
    sample_free(&other);
    sample_free(&s);
    sample_lattice_free(&l);
    free(b);
    free(x);
    free(y);
}

/* The analysis of an extension counts for no later call: the same pattern gets its own order, and its bits. */
static void an_extension_leaves_no_history(void **state)
{
    (void)state;
    sample_lattice l = sample_lattice_make(9, 9, 9, 6, 7);
    sample_matrix old = sample_lattice_matrix(&l);
    sample_lattice_add_near(&l, 60);
    sample_matrix s = sample_lattice_matrix(&l);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *y = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK), *fresh = make_solver(ICF_LINEAR_BLOCK);
    solve(fresh, &s, b, x);
    solve(solver, &old, b, y);
    assert_true(extend(solver, &s));
    const double flops = icf_linear_solver_flops(solver);
    assert_true(flops != icf_linear_solver_flops(fresh));
    factor_and_solve(solver, &s, b, y);
    assert_true(memcmp(x, y, ndof(&s) * sizeof *x) != 0);
    solve(solver, &s, b, y);
    assert_memory_equal(x, y, ndof(&s) * sizeof *x);
    assert_true(icf_linear_solver_flops(solver) == icf_linear_solver_flops(fresh));
    assert_int_equal(icf_linear_solver_stats(solver).analyses, 3);
    solve(solver, &s, b, y); /* that one is kept */
    assert_int_equal(icf_linear_solver_stats(solver).analyses, 3);
    icf_linear_solver_destroy(&solver);
    icf_linear_solver_destroy(&fresh);
    sample_free(&old);
    sample_free(&s);
    sample_lattice_free(&l);
    free(b);
    free(x);
    free(y);
}

/* Extends a pattern by nothing, again and again, with so many factorizations each: how often that is good. */
static int extend_until_due(icf_linear_solver *solver, const sample_matrix *s, int nfactor, int most)
{
    for (int round = 0; round < most; ++round) {
        if (!extend(solver, s)) return round;
        for (int k = 0; k < nfactor; ++k) assert_int_equal(icf_linear_solver_factor(solver, &s->matrix), ICF_OK);
    }
    return most;
}

/* Orders that cost more than new ones for long come to an end, after which the pattern is analyzed anew. */
static void orders_that_get_worse_are_given_up(void **state)
{
    (void)state;
    sample_lattice l = sample_lattice_make(8, 8, 8, 6, 7);
    sample_matrix old = sample_lattice_matrix(&l);
    sample_lattice_add_near(&l, (icf_lid)l.nedge * 3 / 100);
    sample_matrix s = sample_lattice_matrix(&l);
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0), *y = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK), *fresh = make_solver(ICF_LINEAR_BLOCK);
    solve(fresh, &s, b, x);
    solve(solver, &old, b, y);
    const int rounds = extend_until_due(solver, &s, 3, 100);
    assert_true(rounds >= 1 && rounds < 100);
    assert_not_analyzed(solver, &s);
    solve(solver, &s, b, y);
    assert_memory_equal(x, y, ndof(&s) * sizeof *x);
    assert_true(extend(solver, &s)); /* it has a new start */
    icf_linear_solver_destroy(&solver);
    icf_linear_solver_destroy(&fresh);
    sample_free(&old);
    sample_free(&s);
    sample_lattice_free(&l);
    free(b);
    free(x);
    free(y);
}

/* Orders that cost nothing more are good for ever. */
static void good_orders_stay(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(6, 6, 6, 6, 4.0, 1);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    assert_int_equal(icf_linear_solver_analyze(solver, &s.matrix), ICF_OK);
    assert_int_equal(extend_until_due(solver, &s, 2, 50), 50);
    icf_linear_solver_destroy(&solver);
    sample_free(&s);
}

/* A lattice of which a part is known, and then all: an order that is repaired costs no more than a new one and what
 * finding that would have taken, 2e5 operations a block, else it is refused at once.  Returns whether it was. */
static bool join_all(sample_lattice *known, sample_lattice *all)
{
    sample_matrix old = sample_lattice_matrix(known), s = sample_lattice_matrix(all);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK), *fresh = make_solver(ICF_LINEAR_BLOCK);
    assert_int_equal(icf_linear_solver_analyze(fresh, &s.matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_analyze(solver, &old.matrix), ICF_OK);
    const bool good = extend(solver, &s);
    if (good)
        assert_true(icf_linear_solver_flops(solver) < icf_linear_solver_flops(fresh) + 2e5 * s.matrix.nblock);
    else
        assert_not_analyzed(solver, &s);
    icf_linear_solver_destroy(&solver);
    icf_linear_solver_destroy(&fresh);
    sample_free(&old);
    sample_free(&s);
    sample_lattice_free(known);
    sample_lattice_free(all);
    return !good;
}

static void trees_joined_at_once_are_due_a_new_order(void **state)
{
    (void)state;
    const icf_lid sides[][3] = {{12, 12, 4}, {10, 10, 10}, {16, 16, 16}, {40, 40, 1}, {5, 5, 160}};
    const int32_t six = 6;
    for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k) {
        const icf_lid nx = sides[k][0], ny = sides[k][1], nz = sides[k][2];
        const bool is_thin = k >= 3; /* whose factors are so cheap that a bad order may be good enough */
        for (int tenths = 0; tenths <= 8; tenths += 2) {
            sample_lattice known = sample_lattice_make(nx, ny, nz, 6, 5), all = sample_lattice_make(nx, ny, nz, 6, 5);
            sample_lattice_thin(&known, 0.1 * tenths);
            assert_true(join_all(&known, &all) || is_thin);
        }
        for (icf_lid box = 1; box <= 4; ++box) {
            sample_lattice known = sample_lattice_apart(nx, ny, nz, &six, 1, 5),
                           all = sample_lattice_make(nx, ny, nz, 6, 5);
            sample_lattice_fill(&known, box, box, nz);
            assert_true(join_all(&known, &all) || is_thin);
        }
    }
}

/* Two chains tied rung by rung: a repaired order is as bad as it gets. */
static void a_ladder_is_due_a_new_order(void **state)
{
    (void)state;
    const int32_t six = 6;
    sample_lattice known = sample_lattice_apart(1000, 2, 1, &six, 1, 1), all = sample_lattice_make(1000, 2, 1, 6, 1);
    sample_lattice_fill(&known, 1000, 1, 1);
    assert_true(join_all(&known, &all));
}

/* ---- patterns of which a part is zero ---- */

static void dear_factors_are_wide(void **state)
{
    (void)state;
    sample_matrix cube = sample_grid(10, 10, 10, 6, 1.0, 1), chain = sample_grid(1000, 1, 1, 6, 1.0, 1);
    for (size_t k = 0; k < NKIND; ++k) {
        icf_linear_solver *solver = make_solver(KINDS[k].kind);
        assert_true(is_wide(solver, &cube));
        assert_true(is_wide(solver, &cube)); /* as long as it is not analyzed */
        assert_int_equal(icf_linear_solver_stats(solver).analyses, 0);
        assert_false(is_wide(solver, &chain));
        assert_int_equal(icf_linear_solver_stats(solver).analyses, 1);
        assert_false(is_wide(solver, &chain));
        assert_int_equal(icf_linear_solver_stats(solver).analyses, 1);
        icf_linear_solver_destroy(&solver);
    }
    sample_free(&cube);
    sample_free(&chain);
}

/* Where a factor is cheap, the cheap analysis is the analysis, in bits. */
static void a_cheap_analysis_of_a_cheap_factor_is_the_analysis(void **state)
{
    (void)state;
    const int32_t mixed[] = {6, 3, 1, 17};
    sample_matrix samples[] = {sample_grid(1000, 1, 1, 6, 4.0, 1), sample_grid(6, 6, 1, 6, 4.0, 1),
                               sample_random(90, mixed, 4, 1, 4.0, 1), sample_random(1, mixed, 1, 0, 4.0, 1)};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        const sample_matrix *s = &samples[i];
        double *b = make_vector(ndof(s), 3), *x = make_vector(ndof(s), 0), *y = make_vector(ndof(s), 0);
        for (size_t k = 0; k < NKIND; ++k) {
            icf_linear_solver *solver = make_solver(KINDS[k].kind), *fresh = make_solver(KINDS[k].kind);
            solve(fresh, s, b, x);
            assert_false(is_wide(solver, s));
            factor_and_solve(solver, s, b, y);
            assert_memory_equal(x, y, ndof(s) * sizeof *x);
            solve(solver, s, b, y);
            assert_int_equal(icf_linear_solver_stats(solver).analyses, 1);
            assert_memory_equal(x, y, ndof(s) * sizeof *x);
            icf_linear_solver_destroy(&solver);
            icf_linear_solver_destroy(&fresh);
        }
        free(b);
        free(x);
        free(y);
        sample_free(&samples[i]);
    }
}

/* What is not zero of a wide pattern is analyzed as if that had never been there, and grows to all of it. */
static void a_wide_pattern_is_followed_by_a_narrow_one(void **state)
{
    (void)state;
    sample_lattice l = sample_lattice_make(9, 9, 9, 6, 7);
    sample_matrix narrow = sample_lattice_matrix(&l);
    sample_lattice_add_near(&l, 60);
    sample_matrix wide = sample_lattice_matrix(&l);
    double *b = make_vector(ndof(&wide), 3), *x = make_vector(ndof(&wide), 0), *y = make_vector(ndof(&wide), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK), *fresh = make_solver(ICF_LINEAR_BLOCK);
    solve(fresh, &narrow, b, x);
    for (int step = 0; step < 3; ++step) {
        assert_true(is_wide(solver, &wide));
        assert_not_analyzed(solver, &wide);
        solve(solver, &narrow, b, y);
        assert_memory_equal(x, y, ndof(&narrow) * sizeof *x);
        assert_true(extend(solver, &wide));
        factor_and_solve(solver, &wide, b, y);
        assert_true(residual(&wide.matrix, b, y) <= 1e-14);
    }
    icf_linear_solver_destroy(&solver);
    icf_linear_solver_destroy(&fresh);
    sample_free(&narrow);
    sample_free(&wide);
    sample_lattice_free(&l);
    free(b);
    free(x);
    free(y);
}

/* Numbers and orders can be had of a wide pattern too. */
static void a_wide_pattern_has_its_numbers(void **state)
{
    (void)state;
    sample_matrix cube = sample_grid(10, 10, 10, 6, 1.0, 1);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK), *fresh = make_solver(ICF_LINEAR_BLOCK);
    assert_int_equal(icf_linear_solver_analyze(fresh, &cube.matrix), ICF_OK);
    assert_true(is_wide(solver, &cube));
    assert_true(icf_linear_solver_flops(solver) == icf_linear_solver_flops(fresh));
    assert_memory_equal(icf_linear_solver_order(solver), icf_linear_solver_order(fresh), 1000 * sizeof(icf_lid));
    assert_true(icf_linear_solver_values(solver) == icf_linear_solver_values(fresh));
    assert_not_analyzed(solver, &cube);
    icf_linear_solver_destroy(&solver);
    icf_linear_solver_destroy(&fresh);
    sample_free(&cube);
}

/* What varied in another pattern is forgotten by a cheap analysis. */
static void a_cheap_analysis_forgets_what_varied(void **state)
{
    (void)state;
    sample_matrix mesh = sample_grid(9, 9, 9, 3, 2.0, 1), chain = sample_grid(1500, 1, 1, 6, 2.0, 1);
    bool varies[729] = {false};
    for (int i = 0; i < 81; ++i) varies[i] = true; /* one face */
    mesh.matrix.varies = varies;
    double *b = make_vector(ndof(&chain), 3), *x = make_vector(ndof(&chain), 0), *y = make_vector(ndof(&chain), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK), *fresh = make_solver(ICF_LINEAR_BLOCK);
    solve(solver, &mesh, b, x);
    assert_false(is_wide(solver, &chain));
    factor_and_solve(solver, &chain, b, x);
    sample_fill(&chain, 2.0, 2); /* other values everywhere */
    assert_int_equal(icf_linear_solver_refactor(solver, &chain.matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_OK);
    solve(fresh, &chain, b, y);
    assert_true(residual(&chain.matrix, b, x) <= 1e-14);
    assert_memory_equal(x, y, ndof(&chain) * sizeof *x);
    icf_linear_solver_destroy(&solver);
    icf_linear_solver_destroy(&fresh);
    sample_free(&mesh);
    sample_free(&chain);
    free(b);
    free(x);
    free(y);
}

/* A block that a new pair makes vary too is below others that do not. */
static void what_varies_is_factored_again_after_an_extension(void **state)
{
    (void)state;
    sample_lattice l = sample_lattice_make(9, 9, 9, 3, 7);
    sample_matrix old = sample_lattice_matrix(&l);
    sample_lattice_join(&l, 364, 383);
    sample_matrix s = sample_lattice_matrix(&l);
    bool face[729] = {false}, varies[729] = {false};
    for (int i = 0; i < 81; ++i) face[i] = varies[i] = true;
    varies[364] = varies[383] = true;
    old.matrix.varies = face;
    s.matrix.varies = varies;
    double *b = make_vector(ndof(&s), 3), *x = make_vector(ndof(&s), 0);
    icf_linear_solver *solver = make_solver(ICF_LINEAR_BLOCK);
    solve(solver, &old, b, x);
    if (!extend(solver, &s)) assert_int_equal(icf_linear_solver_analyze(solver, &s.matrix), ICF_OK);
    factor_and_solve(solver, &s, b, x);
    assert_true(residual(&s.matrix, b, x) <= 1e-14);
    change_varying(&s, varies, 1e4);
    assert_int_equal(icf_linear_solver_refactor(solver, &s.matrix), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, b, x), ICF_OK);
    assert_true(residual(&s.matrix, b, x) <= 1e-14);
    icf_linear_solver_destroy(&solver);
    sample_free(&old);
    sample_free(&s);
    sample_lattice_free(&l);
    free(b);
    free(x);
}

/* Extends a pattern, or analyzes it where that is refused or no good; a solver is usable after it all the same. */
static void extend_or_analyze(icf_linear_solver *solver, const sample_matrix *s)
{
    bool good = false;
    const icf_status status = icf_linear_solver_extend(solver, &s->matrix, &good);
    assert_true(status == ICF_OK || status == ICF_ERROR_INTERNAL);
    icf_clear_failure(&context);
    if (status != ICF_OK || !good) assert_int_equal(icf_linear_solver_analyze(solver, &s->matrix), ICF_OK);
}

static void check_extension(const kind_case *k, const sample_matrix *old, const sample_matrix *s)
{
    double *b = make_vector(ndof(s), 3), *x = make_vector(ndof(s), 0);
    icf_linear_solver *solver = make_solver(k->kind);
    if (old) assert_int_equal(icf_linear_solver_analyze(solver, &old->matrix), ICF_OK);
    extend_or_analyze(solver, s);
    factor_and_solve(solver, s, b, x);
    assert_true(residual(&s->matrix, b, x) <= k->tolerance);
    icf_linear_solver_destroy(&solver);
    free(b);
    free(x);
}

/* Where there is nothing to repair: in a fresh solver, after a pattern of other blocks, and in kinds without an order
 * of their own. */
static void extensions_without_an_order_to_repair(void **state)
{
    (void)state;
    sample_matrix s = sample_grid(5, 5, 5, 6, 2.0, 1), fewer = sample_grid(5, 2, 2, 6, 2.0, 1),
                  more = sample_grid(9, 5, 5, 6, 2.0, 1);
    for (size_t k = 0; k < NKIND; ++k) {
        check_extension(&KINDS[k], NULL, &s);
        check_extension(&KINDS[k], &fewer, &s);
        check_extension(&KINDS[k], &more, &s);
        check_extension(&KINDS[k], &s, &s);
    }
    sample_free(&s);
    sample_free(&fewer);
    sample_free(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_random_systems_of_all_block_sizes),
#ifdef __SSE2__
        cmocka_unit_test(a_factor_has_no_subnormal_numbers),
#endif
        cmocka_unit_test(single_precision_has_its_accuracy),
        cmocka_unit_test(solves_contact_like_spreads),
        cmocka_unit_test(solves_special_graphs),
        cmocka_unit_test(solves_cubes),
        cmocka_unit_test(solution_may_replace_the_right_hand_side),
        cmocka_unit_test(bits_repeat),
        cmocka_unit_test(threads_change_no_bit_of_a_dear_factor),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(conjugate_gradients_give_up_at_a_limit),
        cmocka_unit_test(analysis_is_kept_while_the_pattern_holds),
        cmocka_unit_test(positions_of_values_may_change),
        cmocka_unit_test(indefinite_matrices_are_refused_and_forgotten),
        cmocka_unit_test(strong_couplings_are_found_indefinite),
        cmocka_unit_test(values_that_are_not_finite_are_found_anywhere),
        cmocka_unit_test(what_varies_is_factored_again),
        cmocka_unit_test(a_factor_in_single_precision_solves_to_a_tolerance),
        cmocka_unit_test(a_part_that_fails_is_followed_by_the_whole),
        cmocka_unit_test(calls_out_of_order_are_refused),
        cmocka_unit_test(an_empty_matrix_is_fine),
        cmocka_unit_test(a_zero_right_hand_side_gives_zero),
        cmocka_unit_test(flops_are_those_of_the_block_solver),
        cmocka_unit_test(dear_factors_get_the_better_order),
        cmocka_unit_test(lives_leak_nothing),
        cmocka_unit_test(a_pattern_that_grows_is_solved_as_any_other),
        cmocka_unit_test(repaired_orders_repeat_in_bits),
        cmocka_unit_test(an_extension_leaves_no_history),
        cmocka_unit_test(orders_that_get_worse_are_given_up),
        cmocka_unit_test(good_orders_stay),
        cmocka_unit_test(trees_joined_at_once_are_due_a_new_order),
        cmocka_unit_test(a_ladder_is_due_a_new_order),
        cmocka_unit_test(dear_factors_are_wide),
        cmocka_unit_test(a_cheap_analysis_of_a_cheap_factor_is_the_analysis),
        cmocka_unit_test(a_wide_pattern_is_followed_by_a_narrow_one),
        cmocka_unit_test(a_wide_pattern_has_its_numbers),
        cmocka_unit_test(a_cheap_analysis_forgets_what_varied),
        cmocka_unit_test(what_varies_is_factored_again_after_an_extension),
        cmocka_unit_test(extensions_without_an_order_to_repair),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
