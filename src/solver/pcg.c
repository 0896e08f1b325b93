/* Conjugate gradients with a block incomplete Cholesky preconditioner, for islands beyond a direct factor.
 *
 * The preconditioner M = L L^T has the blocks of the lower triangle of H, in H's own order and without fill
 * ("IC(0)"):
 *
 *     for each block column j:   L_jj L_jj^T = A_jj,   L_ij = A_ij L_jj^-T,   A_ik -= L_ij L_kj^T where H has (i, k)
 *
 * It breaks down on most contact Hessians: dropped fill makes later pivots indefinite.  Then the diagonal is
 * scaled by 1 + shift and the factorisation is redone with growing shifts; after the last one the preconditioner
 * is block Jacobi, which exists whenever H is positive definite.
 *
 * The iteration (conjugate.h) stops when the norm of the residual in M^-1 has fallen by TOLERANCE.  Newton's
 * active sets want the exact step: 1e-4 to 1e-10 all need the Newton iterations of a direct solver on piles of
 * 360 bodies (SAP 12.0, Lagged 8.4 a step); 1e-6 leaves room for stiffer ones and takes 0.57 of
 * the conjugate gradient iterations of 1e-10.
 *
 * No MPI, no threads inside; one object a thread.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/conjugate.h"
#include "solver/linear_kinds.h"

#define TOLERANCE 1e-6

/* Diagonal shifts in the order in which they are tried. */
static const double SHIFTS[] = {0.0, 1e-3, 1e-2, 1e-1, 1.0};
#define NSHIFT (sizeof SHIFTS / sizeof *SHIFTS)

typedef struct pcg_solver {
    icf_linear_solver head;
    icf_block_matrix matrix; /* copy of H with packed blocks; pattern of the head */
    int64_t *diag_at, *off_at;
    double *value;  /* (nval) of the copy */
    double *factor; /* (nval) L at the positions of the copy; diagonal blocks: lower triangle, 1 / L on it */
    bool jacobi;    /* only the diagonal blocks of the factor count */
    double *vector; /* (ICF_CONJUGATE_VECTORS n) work memory */
    size_t diag_capacity, off_capacity, value_capacity, factor_capacity, vector_capacity;
} pcg_solver;

static icf_status pcg_create(icf_linear_solver **solver)
{
    *solver = icf_linear_solver_alloc(sizeof(pcg_solver));
    return *solver ? ICF_OK : ICF_ERROR_MEMORY;
}

static void pcg_destroy(icf_linear_solver *solver)
{
    pcg_solver *self = (pcg_solver *)solver;
    icf_free(self->diag_at);
    icf_free(self->off_at);
    icf_free(self->value);
    icf_free(self->factor);
    icf_free(self->vector);
    icf_free(self);
}

/* Lays the blocks out column by column: diagonal block first, then the blocks below it. */
static int64_t place_blocks(pcg_solver *self, const icf_linear_pattern *pattern)
{
    const int32_t *dof = pattern->dof;
    int64_t at = 0;
    for (icf_lid j = 0; j < pattern->nblock; ++j) {
        const int64_t n = dof[j + 1] - dof[j];
        self->diag_at[j] = at;
        at += n * n;
        for (icf_lid e = pattern->ptr[j]; e < pattern->ptr[j + 1]; ++e) {
            self->off_at[e] = at;
            at += n * (dof[pattern->idx[e] + 1] - dof[pattern->idx[e]]);
        }
    }
    return at;
}

static icf_status pcg_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    pcg_solver *self = (pcg_solver *)solver;
    const icf_linear_pattern *pattern = &solver->pattern;
    ICF_TRY(ICF_GROW(self->diag_at, self->diag_capacity, matrix->nblock));
    ICF_TRY(ICF_GROW(self->off_at, self->off_capacity, matrix->ptr[matrix->nblock]));
    const int64_t nval = place_blocks(self, pattern);
    ICF_TRY(ICF_GROW(self->value, self->value_capacity, nval));
    ICF_TRY(ICF_GROW(self->factor, self->factor_capacity, nval));
    ICF_TRY(ICF_GROW(self->vector, self->vector_capacity, ICF_CONJUGATE_VECTORS * (size_t)matrix->dof[matrix->nblock]));
    self->matrix = (icf_block_matrix){.nblock = pattern->nblock,
                                      .dof = pattern->dof,
                                      .ptr = pattern->ptr,
                                      .idx = pattern->idx,
                                      .diag_at = self->diag_at,
                                      .off_at = self->off_at,
                                      .val = self->value,
                                      .nval = nval};
    return ICF_OK;
}

static int32_t width(const pcg_solver *self, icf_lid block)
{
    return self->matrix.dof[block + 1] - self->matrix.dof[block];
}

static void copy_values(pcg_solver *self, const icf_block_matrix *matrix)
{
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const size_t n = (size_t)width(self, j);
        memcpy(self->value + self->diag_at[j], matrix->val + matrix->diag_at[j], n * n * sizeof(double));
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e)
            memcpy(self->value + self->off_at[e], matrix->val + matrix->off_at[e],
                   n * (size_t)width(self, matrix->idx[e]) * sizeof(double));
    }
}

/* Cholesky of the lower triangle of an n x n block in place, reciprocals on the diagonal; false when a pivot is
 * not positive. */
static bool factor_diagonal(double *a, int32_t n)
{
    for (int32_t j = 0; j < n; ++j) {
        double *column = a + (ptrdiff_t)j * n;
        for (int32_t k = 0; k < j; ++k) {
            const double *before = a + (ptrdiff_t)k * n;
            for (int32_t i = j; i < n; ++i) column[i] -= before[i] * before[j];
        }
        if (!(column[j] > 0.0) || !isfinite(column[j])) return false;
        const double reciprocal = 1.0 / sqrt(column[j]);
        for (int32_t i = j + 1; i < n; ++i) column[i] *= reciprocal;
        column[j] = reciprocal;
    }
    return true;
}

/* X = B L^-T for an m x n block B, in place. */
static void divide_by_diagonal(double *b, int32_t m, const double *diagonal, int32_t n)
{
    for (int32_t j = 0; j < n; ++j) {
        double *column = b + (ptrdiff_t)j * m;
        for (int32_t k = 0; k < j; ++k) {
            const double factor = diagonal[(ptrdiff_t)k * n + j];
            for (int32_t i = 0; i < m; ++i) column[i] -= b[(ptrdiff_t)k * m + i] * factor;
        }
        const double reciprocal = diagonal[(ptrdiff_t)j * n + j];
        for (int32_t i = 0; i < m; ++i) column[i] *= reciprocal;
    }
}

/* C -= A B^T with A (m x r), B (n x r), C (m x n). */
static void subtract_product(double *c, const double *a, int32_t m, const double *b, int32_t n, int32_t r)
{
    for (int32_t k = 0; k < r; ++k)
        for (int32_t j = 0; j < n; ++j) {
            const double factor = b[(ptrdiff_t)k * n + j];
            for (int32_t i = 0; i < m; ++i) c[(ptrdiff_t)j * m + i] -= a[(ptrdiff_t)k * m + i] * factor;
        }
}

/* Takes column j out of the blocks of column k = row of entry e that H has: both row lists ascend. */
static void update_column(pcg_solver *self, icf_lid j, icf_lid e)
{
    const icf_block_matrix *h = &self->matrix;
    const icf_lid k = h->idx[e];
    const double *block = self->factor + self->off_at[e];
    subtract_product(self->factor + self->diag_at[k], block, width(self, k), block, width(self, k), width(self, j));
    icf_lid target = h->ptr[k];
    for (icf_lid f = e + 1; f < h->ptr[j + 1]; ++f) {
        const icf_lid i = h->idx[f];
        while (target < h->ptr[k + 1] && h->idx[target] < i) ++target;
        if (target == h->ptr[k + 1]) return;
        if (h->idx[target] != i) continue;
        subtract_product(self->factor + self->off_at[target], self->factor + self->off_at[f], width(self, i), block,
                         width(self, k), width(self, j));
    }
}

/* Incomplete factor of H with its diagonal scaled by 1 + shift; false on breakdown. */
static bool factor_incomplete(pcg_solver *self, double shift)
{
    const icf_block_matrix *h = &self->matrix;
    memcpy(self->factor, self->value, (size_t)h->nval * sizeof *self->factor);
    for (icf_lid j = 0; j < h->nblock; ++j)
        for (int32_t d = 0; d < width(self, j); ++d)
            self->factor[self->diag_at[j] + (int64_t)d * (width(self, j) + 1)] *= 1.0 + shift;
    for (icf_lid j = 0; j < h->nblock; ++j) {
        const double *diagonal = self->factor + self->diag_at[j];
        if (!factor_diagonal(self->factor + self->diag_at[j], width(self, j))) return false;
        for (icf_lid e = h->ptr[j]; e < h->ptr[j + 1]; ++e)
            divide_by_diagonal(self->factor + self->off_at[e], width(self, h->idx[e]), diagonal, width(self, j));
        for (icf_lid e = h->ptr[j]; e < h->ptr[j + 1]; ++e) update_column(self, j, e);
    }
    return true;
}

static bool factor_jacobi(pcg_solver *self)
{
    for (icf_lid j = 0; j < self->matrix.nblock; ++j) {
        const size_t n = (size_t)width(self, j);
        double *diagonal = self->factor + self->diag_at[j];
        memcpy(diagonal, self->value + self->diag_at[j], n * n * sizeof *diagonal);
        if (!factor_diagonal(diagonal, width(self, j))) return false;
    }
    return true;
}

static icf_status pcg_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    pcg_solver *self = (pcg_solver *)solver;
    if (!icf_block_matrix_is_finite(matrix)) return ICF_NOT_POSITIVE_DEFINITE;
    copy_values(self, matrix);
    self->jacobi = false;
    for (size_t i = 0; i < NSHIFT; ++i)
        if (factor_incomplete(self, SHIFTS[i])) return ICF_OK;
    self->jacobi = true;
    return factor_jacobi(self) ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE;
}

/* x = L_jj^-1 x */
static inline void solve_any_diagonal(const double *restrict diagonal, int32_t n, double *restrict x)
{
    for (int32_t j = 0; j < n; ++j) {
        const double *column = diagonal + (ptrdiff_t)j * n;
        x[j] *= column[j];
        for (int32_t i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
    }
}

/* x = L_jj^-T x */
static inline void solve_any_diagonal_transposed(const double *restrict diagonal, int32_t n, double *restrict x)
{
    for (int32_t j = n - 1; j >= 0; --j) {
        const double *column = diagonal + (ptrdiff_t)j * n;
        double sum = x[j];
        for (int32_t i = n - 1; i > j; --i) sum -= column[i] * x[i];
        x[j] = sum * column[j];
    }
}

/* y -= B x with B (m x n) */
static inline void subtract_any_block(const double *b, int32_t m, int32_t n, const double *restrict x,
                                      double *restrict y)
{
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < m; ++i) y[i] -= b[(ptrdiff_t)j * m + i] * x[j];
}

/* y -= B^T x with B (m x n) */
static inline void subtract_any_block_transposed(const double *b, int32_t m, int32_t n, const double *restrict x,
                                                 double *restrict y)
{
    for (int32_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int32_t i = 0; i < m; ++i) sum += b[(ptrdiff_t)j * m + i] * x[i];
        y[j] -= sum;
    }
}

/* The sizes that occur most are known to the compiler: bodies and vertices. */
static void solve_diagonal(const double *diagonal, int32_t n, double *x)
{
    if (n == 6)
        solve_any_diagonal(diagonal, 6, x);
    else if (n == 3)
        solve_any_diagonal(diagonal, 3, x);
    else
        solve_any_diagonal(diagonal, n, x);
}

static void solve_diagonal_transposed(const double *diagonal, int32_t n, double *x)
{
    if (n == 6)
        solve_any_diagonal_transposed(diagonal, 6, x);
    else if (n == 3)
        solve_any_diagonal_transposed(diagonal, 3, x);
    else
        solve_any_diagonal_transposed(diagonal, n, x);
}

static void subtract_block(const double *b, int32_t m, int32_t n, const double *restrict x, double *restrict y)
{
    if (m == 6 && n == 6)
        subtract_any_block(b, 6, 6, x, y);
    else if (m == 3 && n == 3)
        subtract_any_block(b, 3, 3, x, y);
    else
        subtract_any_block(b, m, n, x, y);
}

static void subtract_block_transposed(const double *b, int32_t m, int32_t n, const double *restrict x,
                                      double *restrict y)
{
    if (m == 6 && n == 6)
        subtract_any_block_transposed(b, 6, 6, x, y);
    else if (m == 3 && n == 3)
        subtract_any_block_transposed(b, 3, 3, x, y);
    else
        subtract_any_block_transposed(b, m, n, x, y);
}

/* z = M^-1 r */
static icf_status apply_preconditioner(void *solver, const double *r, double *z)
{
    const pcg_solver *self = solver;
    const icf_block_matrix *h = &self->matrix;
    memcpy(z, r, (size_t)h->dof[h->nblock] * sizeof *z);
    for (icf_lid j = 0; j < h->nblock; ++j) {
        double *zj = z + h->dof[j];
        solve_diagonal(self->factor + self->diag_at[j], width(self, j), zj);
        for (icf_lid e = h->ptr[j]; !self->jacobi && e < h->ptr[j + 1]; ++e)
            subtract_block(self->factor + self->off_at[e], width(self, h->idx[e]), width(self, j), zj,
                           z + h->dof[h->idx[e]]);
    }
    for (icf_lid j = h->nblock - 1; j >= 0; --j) {
        double *zj = z + h->dof[j];
        for (icf_lid e = h->ptr[j]; !self->jacobi && e < h->ptr[j + 1]; ++e)
            subtract_block_transposed(self->factor + self->off_at[e], width(self, h->idx[e]), width(self, j),
                                      z + h->dof[h->idx[e]], zj);
        solve_diagonal_transposed(self->factor + self->diag_at[j], width(self, j), zj);
    }
    return ICF_OK;
}

/* Iterations after which the solver gives up: round-off can cost more than the n of exact arithmetic. */
static size_t iteration_limit(size_t n)
{
    return 200 + ICF_MIN(5 * n, 20000);
}

static icf_status pcg_solve(icf_linear_solver *solver, const double *b, double *x)
{
    pcg_solver *self = (pcg_solver *)solver;
    const size_t n = (size_t)self->matrix.dof[self->matrix.nblock];
    const size_t limit = solver->pcg_iterations > 0 ? (size_t)solver->pcg_iterations : iteration_limit(n);
    const double tolerance = solver->pcg_tolerance > 0.0 ? solver->pcg_tolerance : TOLERANCE;
    const icf_conjugate system = {.matrix = &self->matrix,
                                  .precondition = apply_preconditioner,
                                  .data = self,
                                  .tolerance = tolerance,
                                  .limit = limit};
    return icf_conjugate_solve(&system, self->vector, b, x, &solver->stats.iterations);
}

const icf_linear_ops icf_pcg_ops = {
    .name = "pcg",
    .create = pcg_create,
    .destroy = pcg_destroy,
    .analyze = pcg_analyze,
    .factor = pcg_factor,
    .solve = pcg_solve,
};
