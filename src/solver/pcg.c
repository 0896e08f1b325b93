/* Conjugate gradients with a block incomplete Cholesky preconditioner, for islands beyond a direct factor.
 *
 * The preconditioner is incomplete.h's.  The iteration (conjugate.h) stops when the norm of the residual in M^-1 has
 * fallen by TOLERANCE.  Newton's active sets want the exact step: 1e-4 to 1e-10 all need the Newton iterations of a
 * direct solver on piles of 360 bodies (SAP 12.0, Lagged 8.4 a step); 1e-6 leaves room for stiffer ones and takes 0.57
 * of the conjugate gradient iterations of 1e-10.
 *
 * No MPI, no threads inside; one object a thread.
 */
#include <string.h>

#include "base/memory.h"
#include "solver/conjugate.h"
#include "solver/incomplete.h"
#include "solver/linear_kinds.h"

#define TOLERANCE 1e-6

typedef struct pcg_solver {
    icf_linear_solver head;
    icf_incomplete incomplete; /* with a copy of H; pattern of the head */
    double *vector;            /* (ICF_CONJUGATE_VECTORS n) work memory */
    size_t vector_capacity;
} pcg_solver;

static icf_status pcg_create(icf_linear_solver **solver)
{
    *solver = icf_linear_solver_alloc(sizeof(pcg_solver));
    if (!*solver) return ICF_ERROR_MEMORY;
    icf_incomplete_init(&((pcg_solver *)*solver)->incomplete);
    return ICF_OK;
}

static void pcg_destroy(icf_linear_solver *solver)
{
    pcg_solver *self = (pcg_solver *)solver;
    icf_incomplete_clear(&self->incomplete);
    icf_free(self->vector);
    icf_free(self);
}

static icf_status pcg_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    pcg_solver *self = (pcg_solver *)solver;
    const icf_linear_pattern *kept = &solver->pattern;
    const icf_block_matrix pattern = {.nblock = kept->nblock, .dof = kept->dof, .ptr = kept->ptr, .idx = kept->idx};
    ICF_TRY(ICF_GROW(self->vector, self->vector_capacity, ICF_CONJUGATE_VECTORS * (size_t)matrix->dof[matrix->nblock]));
    return icf_incomplete_analyze(&self->incomplete, &pattern);
}

static void copy_values(icf_block_matrix *to, const icf_block_matrix *from)
{
    for (icf_lid j = 0; j < from->nblock; ++j) {
        const size_t n = (size_t)(from->dof[j + 1] - from->dof[j]);
        memcpy(to->val + to->diag_at[j], from->val + from->diag_at[j], n * n * sizeof(double));
        for (icf_lid e = from->ptr[j]; e < from->ptr[j + 1]; ++e) {
            const size_t m = (size_t)(from->dof[from->idx[e] + 1] - from->dof[from->idx[e]]);
            memcpy(to->val + to->off_at[e], from->val + from->off_at[e], m * n * sizeof(double));
        }
    }
}

static icf_status pcg_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    pcg_solver *self = (pcg_solver *)solver;
    copy_values(&self->incomplete.matrix, matrix);
    return icf_incomplete_factor(&self->incomplete);
}

static icf_status precondition(void *solver, const double *r, double *z)
{
    const pcg_solver *self = solver;
    icf_incomplete_solve(&self->incomplete, r, z);
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
    const size_t n = (size_t)self->incomplete.matrix.dof[self->incomplete.matrix.nblock];
    const size_t limit = solver->pcg_iterations > 0 ? (size_t)solver->pcg_iterations : iteration_limit(n);
    const double tolerance = solver->pcg_tolerance > 0.0 ? solver->pcg_tolerance : TOLERANCE;
    const icf_conjugate system = {.matrix = &self->incomplete.matrix,
                                  .precondition = precondition,
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
