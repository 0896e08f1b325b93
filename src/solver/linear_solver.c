/* Linear solvers: dispatch to a kind, and the memory of the last pattern.
 *
 * The pattern is compared entry by entry with an own copy, which costs less than a hash of it and cannot be
 * fooled.  Thread contract: as in linear_solver.h.
 */
#include "solver/linear_solver.h"

#include <string.h>

#include "base/memory.h"
#include "solver/cheapest_order.h"
#include "solver/conjugate.h"
#include "solver/front_partial.h"
#include "solver/linear_kinds.h"

static const icf_linear_ops *ops_of(icf_linear kind)
{
    switch (kind) {
    case ICF_LINEAR_BLOCK: return &icf_block_ops;
    case ICF_LINEAR_AUTO: break;
    case ICF_LINEAR_MUMPS: return &icf_mumps_ops;
    case ICF_LINEAR_PCG: return &icf_pcg_ops;
    }
    return NULL;
}

icf_linear_solver *icf_linear_solver_alloc(size_t bytes)
{
    icf_linear_solver *solver = icf_alloc(bytes);
    if (solver) memset(solver, 0, bytes);
    return solver;
}

/* Adds the text of a failure that comes without one. */
static icf_status report(const icf_linear_solver *solver, icf_status status)
{
    if (status != ICF_ERROR_MEMORY) return status;
    return icf_fail(solver->context, status, "linear solver %s: no memory for a matrix of %d blocks", solver->ops->name,
                    (int)solver->pattern.nblock);
}

icf_status icf_linear_solver_create(icf_linear kind, icf_context *context, icf_linear_solver **solver)
{
    *solver = NULL;
    const icf_linear_ops *ops = ops_of(kind);
    if (!ops) return icf_fail(context, ICF_ERROR_INTERNAL, "linear solver: there is no kind %d", (int)kind);
    const icf_status status = ops->create(solver);
    if (status == ICF_ERROR_MEMORY) return icf_fail(context, status, "linear solver %s: no memory", ops->name);
    if (status != ICF_OK) return status;
    (*solver)->ops = ops;
    (*solver)->context = context;
    (*solver)->nthread = 1;
    return ICF_OK;
}

void icf_linear_solver_use_threads(icf_linear_solver *solver, int nthread)
{
    solver->nthread = nthread;
}

void icf_linear_solver_use_single(icf_linear_solver *solver, bool single)
{
    solver->single = single;
}

void icf_linear_solver_limit_pcg(icf_linear_solver *solver, double tolerance, icf_cnt iterations)
{
    solver->pcg_tolerance = tolerance;
    solver->pcg_iterations = iterations;
}

void icf_linear_solver_destroy(icf_linear_solver **solver)
{
    if (!*solver) return;
    icf_linear_pattern *pattern = &(*solver)->pattern;
    ICF_FREE(pattern->dof);
    ICF_FREE(pattern->ptr);
    ICF_FREE(pattern->idx);
    ICF_FREE(pattern->varies);
    ICF_FREE(pattern->order);
    icf_symbolic_clear(&(*solver)->symbolic);
    icf_ordering_clear(&(*solver)->ordering);
    icf_order_repair_clear(&(*solver)->repair);
    ICF_FREE((*solver)->order);
    ICF_FREE((*solver)->vector);
    (*solver)->ops->destroy(*solver);
    *solver = NULL;
}

static bool same_pattern(const icf_linear_pattern *pattern, const icf_block_matrix *matrix, const bool *varies)
{
    const size_t n = (size_t)matrix->nblock;
    if (pattern->nblock != matrix->nblock || pattern->repaired) return false;
    if (n == 0) return true;
    if (pattern->has_varying != (varies != NULL)) return false;
    if (varies && memcmp(pattern->varies, varies, n * sizeof *varies) != 0) return false;
    return memcmp(pattern->ptr, matrix->ptr, (n + 1) * sizeof *matrix->ptr) == 0 &&
           memcmp(pattern->dof, matrix->dof, (n + 1) * sizeof *matrix->dof) == 0 &&
           (matrix->ptr[n] == 0 ||
            memcmp(pattern->idx, matrix->idx, (size_t)matrix->ptr[n] * sizeof *matrix->idx) == 0);
}

static icf_status copy_pattern(icf_linear_pattern *pattern, const icf_block_matrix *matrix, const bool *varies)
{
    const size_t n = (size_t)matrix->nblock;
    pattern->nblock = matrix->nblock;
    pattern->repaired = pattern->not_wide = false;
    if (n == 0) return ICF_OK;
    const size_t nnz = (size_t)matrix->ptr[n];
    ICF_TRY(ICF_GROW(pattern->dof, pattern->dof_capacity, n + 1));
    ICF_TRY(ICF_GROW(pattern->ptr, pattern->ptr_capacity, n + 1));
    ICF_TRY(ICF_GROW(pattern->idx, pattern->idx_capacity, nnz));
    pattern->has_varying = varies != NULL;
    if (varies) {
        ICF_TRY(ICF_GROW(pattern->varies, pattern->varies_capacity, n));
        memcpy(pattern->varies, varies, n * sizeof *varies);
    }
    pattern->has_order = matrix->order != NULL;
    if (matrix->order) {
        ICF_TRY(ICF_GROW(pattern->order, pattern->order_capacity, n));
        memcpy(pattern->order, matrix->order, n * sizeof *matrix->order);
    }
    memcpy(pattern->dof, matrix->dof, (n + 1) * sizeof *matrix->dof);
    memcpy(pattern->ptr, matrix->ptr, (n + 1) * sizeof *matrix->ptr);
    if (nnz > 0) memcpy(pattern->idx, matrix->idx, nnz * sizeof *matrix->idx);
    return ICF_OK;
}

/* What varies is no part of the pattern for a kind that makes no use of it. */
static const bool *varying_of(const icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    return solver->ops->refactor ? matrix->varies : NULL;
}

static bool knows(const icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    return solver->analyzed && same_pattern(&solver->pattern, matrix, varying_of(solver, matrix));
}

static icf_status take_pattern(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    solver->analyzed = solver->factored = solver->symbolic_built = false;
    return report(solver, copy_pattern(&solver->pattern, matrix, varying_of(solver, matrix)));
}

/* Analyzes the pattern that was taken. */
static icf_status finish_analysis(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    if (matrix->nblock > 0) ICF_TRY(report(solver, solver->ops->analyze(solver, matrix)));
    solver->analyzed = true;
    ++solver->stats.analyses;
    return ICF_OK;
}

icf_status icf_linear_solver_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    if (knows(solver, matrix)) return ICF_OK;
    ICF_TRY(take_pattern(solver, matrix));
    return finish_analysis(solver, matrix);
}

/* Factors all or what varies. */
static icf_status factor(icf_linear_solver *solver, const icf_block_matrix *matrix, bool all)
{
    solver->factored = false;
    if (!solver->analyzed || matrix->nblock != solver->pattern.nblock)
        return icf_fail(solver->context, ICF_ERROR_INTERNAL, "linear solver %s: factor without analysis",
                        solver->ops->name);
    ++solver->stats.factorizations;
    if (solver->pattern.repaired) icf_order_repair_count(&solver->repair, &solver->symbolic);
    if (matrix->nblock > 0) {
        const icf_status status = all ? solver->ops->factor(solver, matrix) : solver->ops->refactor(solver, matrix);
        if (status != ICF_OK) return report(solver, status);
    }
    solver->factored = true;
    return ICF_OK;
}

icf_status icf_linear_solver_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    return factor(solver, matrix, true);
}

icf_status icf_linear_solver_refactor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    return factor(solver, matrix, !solver->factored || !solver->ops->refactor);
}

icf_status icf_linear_solver_solve(icf_linear_solver *solver, const double *b, double *x)
{
    if (!solver->factored)
        return icf_fail(solver->context, ICF_ERROR_INTERNAL, "linear solver %s: solve without factor",
                        solver->ops->name);
    if (solver->pattern.nblock == 0) return ICF_OK;
    return report(solver, solver->ops->solve(solver, b, x));
}

static icf_status precondition(void *solver, const double *r, double *z)
{
    return icf_linear_solver_solve(solver, r, z);
}

icf_status icf_linear_solver_solve_to(icf_linear_solver *solver, const icf_block_matrix *matrix, double tolerance,
                                      int iterations, const double *b, double *x)
{
    if (matrix->nblock == 0) return ICF_OK;
    const size_t n = (size_t)matrix->dof[matrix->nblock];
    const icf_status status = ICF_GROW(solver->vector, solver->vector_capacity, ICF_CONJUGATE_VECTORS * n);
    if (status != ICF_OK) return report(solver, status);
    const icf_conjugate system = {.matrix = matrix,
                                  .precondition = precondition,
                                  .data = solver,
                                  .tolerance = tolerance,
                                  .limit = (size_t)iterations};
    return icf_conjugate_solve(&system, solver->vector, b, x, &solver->stats.iterations);
}

icf_status icf_linear_solver_reserve_order(icf_linear_solver *solver)
{
    return ICF_GROW(solver->order, solver->order_capacity, 2 * (size_t)solver->pattern.nblock);
}

/* The pattern as a matrix without values. */
static icf_block_matrix pattern_matrix(const icf_linear_pattern *pattern)
{
    return (icf_block_matrix){.nblock = pattern->nblock, .dof = pattern->dof, .ptr = pattern->ptr, .idx = pattern->idx};
}

static icf_status find_cheap_order(icf_linear_solver *solver, bool *wide)
{
    const icf_block_matrix pattern = pattern_matrix(&solver->pattern);
    solver->varying_last = false;
    ICF_TRY(icf_linear_solver_reserve_order(solver));
    return icf_symbolic_cheap(&solver->symbolic, &solver->ordering, &pattern, solver->order, wide);
}

icf_status icf_linear_solver_analyze_cheap(icf_linear_solver *solver, const icf_block_matrix *matrix, bool *wide)
{
    *wide = false;
    if (knows(solver, matrix) && solver->pattern.not_wide) return ICF_OK;
    ICF_TRY(take_pattern(solver, matrix));
    ICF_TRY(report(solver, find_cheap_order(solver, wide)));
    solver->symbolic_built = solver->pattern.not_wide = !*wide;
    icf_order_repair_start(&solver->repair, &solver->symbolic);
    return *wide ? ICF_OK : finish_analysis(solver, matrix);
}

static icf_status repair_order(icf_linear_solver *solver)
{
    const icf_block_matrix pattern = pattern_matrix(&solver->pattern);
    ICF_TRY(icf_linear_solver_reserve_order(solver));
    ICF_TRY(icf_order_repaired(&solver->repair, &solver->symbolic, &pattern, solver->order));
    return icf_symbolic_build(&solver->symbolic, &pattern, solver->order);
}

/* Whether there is an order to repair, in which no blocks have to be last. */
static bool can_repair(const icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    return solver->analyzed && solver->symbolic_built && solver->pattern.nblock == matrix->nblock &&
           !solver->pattern.has_varying && !varying_of(solver, matrix);
}

icf_status icf_linear_solver_extend(icf_linear_solver *solver, const icf_block_matrix *matrix, bool *good)
{
    *good = can_repair(solver, matrix);
    ICF_TRY(take_pattern(solver, matrix));
    if (!*good) return ICF_OK;
    ICF_TRY(report(solver, repair_order(solver)));
    *good = icf_order_repair_pays(&solver->repair, &solver->symbolic);
    if (!*good) return ICF_OK;
    solver->symbolic_built = solver->pattern.repaired = true;
    return finish_analysis(solver, matrix);
}

const bool *icf_linear_solver_varying(const icf_linear_solver *solver)
{
    return solver->varying_last ? solver->pattern.varies : NULL;
}

/* The order that came with the matrix, else the cheapest. */
static icf_status start_order(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    if (!solver->pattern.has_order)
        return icf_symbolic_cheapest(&solver->symbolic, &solver->ordering, matrix, solver->order);
    memcpy(solver->order, solver->pattern.order, (size_t)matrix->nblock * sizeof *solver->order);
    return icf_symbolic_build(&solver->symbolic, matrix, solver->order);
}

icf_status icf_linear_solver_symbolic(icf_linear_solver *solver)
{
    if (solver->symbolic_built) return ICF_OK;
    const icf_block_matrix matrix = pattern_matrix(&solver->pattern);
    solver->varying_last = false;
    ICF_TRY(icf_linear_solver_reserve_order(solver));
    ICF_TRY(start_order(solver, &matrix));
    if (solver->pattern.has_varying)
        ICF_TRY(icf_symbolic_try_varying_last(&solver->symbolic, &matrix, solver->pattern.varies, solver->order,
                                              &solver->varying_last));
    solver->symbolic_built = true;
    icf_order_repair_start(&solver->repair, &solver->symbolic);
    return ICF_OK;
}

const icf_lid *icf_linear_solver_order(icf_linear_solver *solver)
{
    return icf_linear_solver_symbolic(solver) == ICF_OK ? solver->order : NULL;
}

double icf_linear_solver_flops(icf_linear_solver *solver)
{
    return icf_linear_solver_symbolic(solver) == ICF_OK ? solver->symbolic.flops : -1.0;
}

double icf_linear_solver_refactor_flops(icf_linear_solver *solver)
{
    if (icf_linear_solver_symbolic(solver) != ICF_OK) return -1.0;
    return solver->varying_last ? icf_front_partial_flops(&solver->symbolic, solver->pattern.varies)
                                : solver->symbolic.flops;
}

double icf_linear_solver_values(icf_linear_solver *solver)
{
    if (icf_linear_solver_symbolic(solver) != ICF_OK) return -1.0;
    return (double)(solver->symbolic.nvalue + solver->symbolic.nstack);
}

double icf_linear_solver_room(icf_linear_solver *solver)
{
    if (icf_linear_solver_symbolic(solver) != ICF_OK) return -1.0;
    return (double)(solver->symbolic.nvalue + 2 * solver->symbolic.nstack);
}

icf_linear_stats icf_linear_solver_stats(const icf_linear_solver *solver)
{
    return solver->stats;
}
