/* Block solver, simple form: dense Cholesky H = L L^T of the whole island in its own order.
 *
 * Thread-safe, repeatable in bits; cost grows with the cube of the dofs.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/linear_kinds.h"

typedef struct block_solver {
    icf_linear_solver head;
    size_t n;       /* dofs */
    double *factor; /* (n x n) row-major lower triangle: H, then L */
    size_t capacity;
} block_solver;

static icf_status block_create(icf_linear_solver **solver)
{
    *solver = icf_linear_solver_alloc(sizeof(block_solver));
    return *solver ? ICF_OK : ICF_ERROR_MEMORY;
}

static void block_destroy(icf_linear_solver *solver)
{
    block_solver *self = (block_solver *)solver;
    icf_free(self->factor);
    icf_free(self);
}

static icf_status block_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    self->n = (size_t)matrix->dof[matrix->nblock];
    return ICF_GROW(self->factor, self->capacity, self->n * self->n);
}

/* Copies a column-major block to rows from `row` and columns from `column`. */
static void scatter(block_solver *self, const double *block, int32_t row, int32_t column, int32_t m, int32_t n)
{
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < m; ++i)
            self->factor[(size_t)(row + i) * self->n + (size_t)(column + j)] = block[j * m + i];
}

static void assemble(block_solver *self, const icf_block_matrix *matrix)
{
    const int32_t *dof = matrix->dof;
    memset(self->factor, 0, self->n * self->n * sizeof *self->factor);
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int32_t n = dof[j + 1] - dof[j];
        scatter(self, matrix->val + matrix->diag_at[j], dof[j], dof[j], n, n);
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid i = matrix->idx[e];
            scatter(self, matrix->val + matrix->off_at[e], dof[i], dof[j], dof[i + 1] - dof[i], n);
        }
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

static icf_status block_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    assemble(self, matrix);
    for (size_t i = 0; i < self->n; ++i) {
        double *row = self->factor + i * self->n;
        for (size_t j = 0; j < i; ++j) {
            const double *other = self->factor + j * self->n;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
        }
        const double pivot = row[i] - dot(row, row, i);
        if (!(pivot > 0.0) || !isfinite(pivot)) return ICF_NOT_POSITIVE_DEFINITE;
        row[i] = sqrt(pivot);
    }
    return ICF_OK;
}

static icf_status block_solve(icf_linear_solver *solver, const double *b, double *x)
{
    const block_solver *self = (const block_solver *)solver;
    for (size_t i = 0; i < self->n; ++i) {
        const double *row = self->factor + i * self->n;
        x[i] = (b[i] - dot(row, x, i)) / row[i];
    }
    for (size_t i = self->n; i-- > 0;) {
        const double *row = self->factor + i * self->n;
        x[i] /= row[i];
        for (size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
    }
    return ICF_OK;
}

const icf_linear_ops icf_block_ops = {
    .name = "block",
    .create = block_create,
    .destroy = block_destroy,
    .analyze = block_analyze,
    .factor = block_factor,
    .solve = block_solve,
};
