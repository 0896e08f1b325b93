/* Block incomplete Cholesky factor. */
#include "solver/incomplete.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Diagonal shifts in the order in which they are tried. */
static const double SHIFTS[] = {0.0, 1e-3, 1e-2, 1e-1, 1.0};
#define NSHIFT (sizeof SHIFTS / sizeof *SHIFTS)

void icf_incomplete_init(icf_incomplete *self)
{
    *self = (icf_incomplete){0};
}

void icf_incomplete_clear(icf_incomplete *self)
{
    icf_free(self->diag_at);
    icf_free(self->off_at);
    icf_free(self->value);
    icf_free(self->factor);
    icf_incomplete_init(self);
}

/* ---- factor ---- */

/* Lays the blocks out column by column: diagonal block first, then the blocks below it. */
static int64_t place_blocks(icf_incomplete *self, const icf_block_matrix *pattern)
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

icf_status icf_incomplete_analyze(icf_incomplete *self, const icf_block_matrix *pattern)
{
    /* a rank of a group may have no blocks, but has arrays */
    ICF_TRY(ICF_GROW(self->diag_at, self->diag_capacity, (size_t)pattern->nblock + 1));
    ICF_TRY(ICF_GROW(self->off_at, self->off_capacity, (size_t)pattern->ptr[pattern->nblock] + 1));
    const int64_t nval = place_blocks(self, pattern);
    ICF_TRY(ICF_GROW(self->value, self->value_capacity, (size_t)nval + 1));
    ICF_TRY(ICF_GROW(self->factor, self->factor_capacity, (size_t)nval + 1));
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

static int32_t width(const icf_incomplete *self, icf_lid block)
{
    return self->matrix.dof[block + 1] - self->matrix.dof[block];
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
static void update_column(icf_incomplete *self, icf_lid j, icf_lid e)
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
static bool factor_incomplete(icf_incomplete *self, double shift)
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

static bool factor_jacobi(icf_incomplete *self)
{
    for (icf_lid j = 0; j < self->matrix.nblock; ++j) {
        const size_t n = (size_t)width(self, j);
        double *diagonal = self->factor + self->diag_at[j];
        memcpy(diagonal, self->value + self->diag_at[j], n * n * sizeof *diagonal);
        if (!factor_diagonal(diagonal, width(self, j))) return false;
    }
    return true;
}

icf_status icf_incomplete_factor(icf_incomplete *self)
{
    if (!icf_block_matrix_is_finite(&self->matrix)) return ICF_NOT_POSITIVE_DEFINITE;
    self->jacobi = false;
    for (size_t i = 0; i < NSHIFT; ++i)
        if (factor_incomplete(self, SHIFTS[i])) return ICF_OK;
    self->jacobi = true;
    return factor_jacobi(self) ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE;
}

/* ---- solution ---- */

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

void icf_incomplete_solve(const icf_incomplete *self, const double *r, double *z)
{
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
}
