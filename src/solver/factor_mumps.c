/* MUMPS solver: multifrontal L L^T with dense BLAS fronts, for islands whose factor is dear.
 *
 * The order is nested dissection of the block graph (ordering.h), expanded to dofs and handed in: MUMPS may be
 * built without METIS, and ordering blocks costs a fraction of ordering dofs for the same fill.  The analysis
 * (JOB 1) is kept by the dispatcher while the pattern holds; new values cost JOB 2 only.
 *
 * What MUMPS does not tell and is checked here: values that are not finite pass silently, and with SYM = 1 an
 * indefinite matrix is factored as L D L^T with INFOG(12) negative pivots.
 *
 * Thread and MPI contract: MUMPS calls MPI and keeps global state.  All its calls are serialised with those of
 * METIS by one critical section, but under MPI_THREAD_FUNNELED they must also come from the thread that
 * initialised MPI: outside of parallel regions, or in a master construct.  An instance holds about three
 * communicators and 100 kB until it is destroyed, and MPI runs out of communicators at some 20 000: callers keep
 * few solvers alive.  BLAS runs one thread inside, so that bits repeat; the caller's thread number is restored.
 */
#include <string.h>

#include "base/memory.h"
#include "solver/linear_kinds.h"
#include "solver/mumps_instance.h"

typedef struct mumps_solver {
    icf_linear_solver head;
    icf_mumps mumps;
    int *row;      /* (nnz) row of each entry of the lower triangle, from 1 */
    int *column;   /* (nnz) its column, from 1 */
    double *value; /* (nnz) */
    int *position; /* (dofs) place of each dof in the pivot order, from 1 */
    size_t row_capacity, column_capacity, value_capacity, position_capacity;
} mumps_solver;

static icf_status mumps_create(icf_linear_solver **solver)
{
    mumps_solver *self = (mumps_solver *)icf_linear_solver_alloc(sizeof *self);
    if (!self) return ICF_ERROR_MEMORY;
    self->mumps.comm = MPI_COMM_SELF;
    *solver = &self->head;
    return ICF_OK;
}

static void mumps_destroy(icf_linear_solver *solver)
{
    mumps_solver *self = (mumps_solver *)solver;
    icf_mumps_end(&self->mumps);
    icf_free(self->row);
    icf_free(self->column);
    icf_free(self->position);
    icf_free(self->value);
    icf_free(self);
}

/* Entries of the lower triangle. */
static int64_t count_entries(const icf_block_matrix *matrix)
{
    const int32_t *dof = matrix->dof;
    int64_t count = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int64_t n = dof[j + 1] - dof[j];
        count += n * (n + 1) / 2;
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e)
            count += n * (dof[matrix->idx[e] + 1] - dof[matrix->idx[e]]);
    }
    return count;
}

static icf_status reserve(mumps_solver *self, int64_t nnz, int32_t n)
{
    ICF_TRY(ICF_GROW(self->row, self->row_capacity, nnz));
    ICF_TRY(ICF_GROW(self->column, self->column_capacity, nnz));
    ICF_TRY(ICF_GROW(self->value, self->value_capacity, nnz));
    ICF_TRY(ICF_GROW(self->position, self->position_capacity, n));
    return icf_linear_solver_reserve_order(&self->head);
}

/* Lists the entries column by column of each block: diagonal block first, then the blocks below it. */
static void list_entries(mumps_solver *self, const icf_block_matrix *matrix)
{
    const int32_t *dof = matrix->dof;
    int64_t k = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        for (int32_t c = dof[j]; c < dof[j + 1]; ++c)
            for (int32_t r = c; r < dof[j + 1]; ++r, ++k) {
                self->row[k] = r + 1;
                self->column[k] = c + 1;
            }
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e)
            for (int32_t c = dof[j]; c < dof[j + 1]; ++c)
                for (int32_t r = dof[matrix->idx[e]]; r < dof[matrix->idx[e] + 1]; ++r, ++k) {
                    self->row[k] = r + 1;
                    self->column[k] = c + 1;
                }
    }
}

/* Copies the values in the same order. */
static void gather_values(mumps_solver *self, const icf_block_matrix *matrix)
{
    const int32_t *dof = matrix->dof;
    double *next = self->value;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int32_t n = dof[j + 1] - dof[j];
        const double *diagonal = matrix->val + matrix->diag_at[j];
        for (int32_t c = 0; c < n; ++c)
            for (int32_t r = c; r < n; ++r) *next++ = diagonal[c * n + r];
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const size_t size = (size_t)n * (size_t)(dof[matrix->idx[e] + 1] - dof[matrix->idx[e]]);
            memcpy(next, matrix->val + matrix->off_at[e], size * sizeof *next);
            next += size;
        }
    }
}

/* Position of each dof in the pivot order, from the order of the blocks. */
static void expand_order(mumps_solver *self, const icf_block_matrix *matrix)
{
    int position = 0;
    for (icf_lid k = 0; k < matrix->nblock; ++k) {
        const icf_lid block = self->head.order[k];
        for (int32_t d = matrix->dof[block]; d < matrix->dof[block + 1]; ++d) self->position[d] = ++position;
    }
}

static icf_status mumps_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    mumps_solver *self = (mumps_solver *)solver;
    const int64_t nnz = count_entries(matrix);
    const int32_t n = matrix->dof[matrix->nblock];
    ICF_TRY(reserve(self, nnz, n));
    ICF_TRY(icf_order_nested_dissection(&solver->ordering, matrix, solver->order));
    list_entries(self, matrix);
    expand_order(self, matrix);

    self->mumps.context = solver->context;
    ICF_TRY(icf_mumps_start(&self->mumps));
    DMUMPS_STRUC_C *id = &self->mumps.id;
    id->n = n;
    id->nnz = nnz;
    id->irn = self->row;
    id->jcn = self->column;
    id->a = self->value;
    id->perm_in = self->position;
    const icf_status status = icf_mumps_call(&self->mumps, ICF_MUMPS_ANALYZE);
    if (status != ICF_OK) icf_mumps_end(&self->mumps);
    return status;
}

static icf_status mumps_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    mumps_solver *self = (mumps_solver *)solver;
    if (!icf_block_matrix_is_finite(matrix)) return ICF_NOT_POSITIVE_DEFINITE;
    gather_values(self, matrix);
    return icf_mumps_factor(&self->mumps);
}

static icf_status mumps_solve(icf_linear_solver *solver, const double *b, double *x)
{
    mumps_solver *self = (mumps_solver *)solver;
    DMUMPS_STRUC_C *id = &self->mumps.id;
    memmove(x, b, (size_t)id->n * sizeof *x);
    id->rhs = x;
    id->nrhs = 1;
    id->lrhs = id->n;
    return icf_mumps_call(&self->mumps, ICF_MUMPS_SOLVE);
}

const icf_linear_ops icf_mumps_ops = {
    .name = "mumps",
    .create = mumps_create,
    .destroy = mumps_destroy,
    .analyze = mumps_analyze,
    .factor = mumps_factor,
    .solve = mumps_solve,
};
