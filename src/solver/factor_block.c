/* Block solver: multifrontal Cholesky H = L L^T of the block matrix in a fill-reducing order (fronts.h).
 *
 * In single precision where the caller says that a direction of that accuracy will do: half the memory to go through.
 *
 * Rejected: dense factors for small islands and left-looking blocks (slower on piles), BLAS for the fronts
 * (slower below some thousand bodies).
 */
#include "base/memory.h"
#include "solver/front_partial.h"
#include "solver/front_tasks.h"
#include "solver/linear_kinds.h"

/* Operations of a factor from which on the tree is cut for threads, whether there are any or not. */
static const double CUT_FLOPS = 1e8;

typedef struct block_solver {
    icf_linear_solver head;
    icf_fronts fronts;
    icf_front_stack stack; /* of a cheap factor */
    icf_front_tasks tasks; /* of a dear one */
    icf_front_partial partial;
    bool single;      /* the last whole factorisation was in single precision */
    double *permuted; /* (dofs) right-hand side in elimination order */
    size_t permuted_capacity;
} block_solver;

static icf_status block_create(icf_linear_solver **solver)
{
    *solver = icf_linear_solver_alloc(sizeof(block_solver));
    if (!*solver) return ICF_ERROR_MEMORY;
    icf_fronts_init(&((block_solver *)*solver)->fronts);
    icf_front_tasks_init(&((block_solver *)*solver)->tasks);
    return ICF_OK;
}

static void block_destroy(icf_linear_solver *solver)
{
    block_solver *self = (block_solver *)solver;
    icf_fronts_clear(&self->fronts);
    icf_front_stack_clear(&self->stack);
    icf_front_tasks_clear(&self->tasks);
    icf_front_partial_clear(&self->partial);
    icf_free(self->permuted);
    icf_free(self);
}

static bool is_cut(const icf_linear_solver *solver)
{
    return solver->symbolic.flops > CUT_FLOPS;
}

static icf_status block_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    ICF_TRY(icf_linear_solver_symbolic(solver));
    const icf_lid last = solver->symbolic.nsuper - 1;
    ICF_TRY(ICF_GROW(self->permuted, self->permuted_capacity, matrix->dof[matrix->nblock]));
    ICF_TRY(icf_fronts_analyze(&self->fronts, &solver->symbolic));
    int64_t nvalue = 0;
    icf_fronts_place(&self->fronts, 0, last, &nvalue);
    ICF_TRY(icf_fronts_reserve(&self->fronts, nvalue));
    ICF_TRY(icf_front_partial_analyze(&self->partial, &self->fronts, icf_linear_solver_varying(solver)));
    if (is_cut(solver)) return icf_front_tasks_analyze(&self->tasks, &self->fronts);
    icf_front_partial_keep(&self->partial);
    return icf_front_stack_reserve(&self->stack, &self->fronts, 0, last);
}

static icf_status block_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    bool good;
    icf_fronts_use_single(&self->fronts, solver->single);
    self->single = solver->single;
    if (is_cut(solver)) {
        ICF_TRY(icf_front_tasks_reserve(&self->tasks, solver->nthread));
        icf_front_partial_keep(&self->partial);
        good = icf_front_tasks_factor(&self->tasks, matrix);
    } else {
        icf_front_partial_keep(&self->partial);
        good = icf_fronts_factor(&self->fronts, &self->stack, matrix, 0, solver->symbolic.nsuper - 1);
    }
    solver->stats.flops += solver->symbolic.flops;
    return good ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE;
}

static icf_status block_refactor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    if (self->partial.nvarying == 0 || self->single != solver->single ||
        (is_cut(solver) && self->tasks.nthread != solver->nthread))
        return block_factor(solver, matrix);
    icf_front_stack *stack = is_cut(solver) ? self->tasks.stack : &self->stack;
    solver->stats.flops += icf_front_partial_flops(&solver->symbolic, solver->pattern.varies);
    const bool good = icf_front_partial_refactor(&self->partial, stack, is_cut(solver) ? solver->nthread : 1, matrix);
    return good ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE;
}

/* Permutes between the order of the matrix and that of elimination. */
static void permute(block_solver *self, const double *b, double *x)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    const int32_t *dof = self->head.pattern.dof;
    for (icf_lid place = 0; place < symbolic->nblock; ++place) {
        const icf_lid block = symbolic->perm[place], n = dof[block + 1] - dof[block];
        double *inside = self->permuted + symbolic->place_dof[place];
        for (icf_lid i = 0; i < n; ++i) {
            if (b)
                inside[i] = b[dof[block] + i];
            else
                x[dof[block] + i] = inside[i];
        }
    }
}

static icf_status block_solve(icf_linear_solver *solver, const double *b, double *x)
{
    block_solver *self = (block_solver *)solver;
    const icf_lid last = solver->symbolic.nsuper - 1;
    permute(self, b, NULL);
    if (is_cut(solver)) {
        icf_front_tasks_solve(&self->tasks, self->permuted);
    } else {
        icf_fronts_forward(&self->fronts, &self->stack, 0, last, self->permuted);
        icf_fronts_backward(&self->fronts, &self->stack, 0, last, self->permuted);
    }
    permute(self, NULL, x);
    return ICF_OK;
}

const icf_linear_ops icf_block_ops = {.name = "block",
                                      .create = block_create,
                                      .destroy = block_destroy,
                                      .analyze = block_analyze,
                                      .factor = block_factor,
                                      .refactor = block_refactor,
                                      .solve = block_solve};
