/* Linear solver of a group of ranks: which of two, and what they share.
 *
 *   own     multifrontal Cholesky over the ranks: subtrees, and fronts shared by sets of ranks      (group_fronts.h)
 *   MUMPS   when the scene asks for it                                                              (group_mumps.h)
 *
 * Each rank gives the blocks that its own constraints touch; what several ranks give of a block is summed.  The pattern
 * is gathered on every rank (no values); the first rank finds the order, which is that of one rank alone
 * (group_order.h), and all build the symbolic factor from it.  The own solver repeats its bits for the same number of
 * ranks.
 */
#ifndef ICF_SOLVER_FACTOR_GROUP_H
#define ICF_SOLVER_FACTOR_GROUP_H

#include "scene/scene.h"
#include "solver/block_matrix.h"
#include "solver/front_map.h"
#include "solver/group.h"

typedef struct icf_group_solver icf_group_solver;

/* What one factorisation is for this rank, and for all of them. */
typedef struct icf_group_load {
    icf_front_load own, total;
} icf_group_load;

/* Collective over comm, which is borrowed and must outlive the solver. */
ICF_MUST_CHECK icf_status icf_group_solver_create(icf_context *context, MPI_Comm comm, icf_group_solver **solver);

/* Nulls *solver; accepts NULL in it.  Collective over the group. */
void icf_group_solver_destroy(icf_group_solver **solver);

/* Prepares for the pattern; nothing is done when no rank's pattern or numbering has changed.
 *   kind   [in] mumps: MUMPS; every other: the own solver
 *   matrix [in] blocks of this rank, shadows included.  Collective over the group, like the rest. */
ICF_MUST_CHECK icf_status icf_group_solver_analyze(icf_group_solver *solver, icf_linear kind, const icf_group *group,
                                                   const icf_block_matrix *matrix);

/* As icf_linear_solver_analyze_cheap and icf_linear_solver_extend, with the same orders and decisions.  Collective over
 * the group. */
ICF_MUST_CHECK icf_status icf_group_solver_analyze_cheap(icf_group_solver *solver, const icf_group *group,
                                                         const icf_block_matrix *matrix, bool *wide);
ICF_MUST_CHECK icf_status icf_group_solver_extend(icf_group_solver *solver, const icf_group *group,
                                                  const icf_block_matrix *matrix, bool *good);

/* Operations of a factorisation by the own solver, all ranks together, from order and symbolic factor alone, which the
 * next analysis of the same pattern takes over.  Collective over the group. */
ICF_MUST_CHECK icf_status icf_group_solver_flops(icf_group_solver *solver, const icf_group *group,
                                                 const icf_block_matrix *matrix, double *flops);

/* Whether the next factorisations are in single precision (at first they are not; MUMPS never); the same on all ranks.
 */
void icf_group_solver_use_single(icf_group_solver *solver, bool single);

/* Factors the sum of all ranks' values.
 *   again [in] only blocks that vary on some rank (matrix->varies at the analysis) have other values than at the last
 *              factorisation, which was good on all ranks; the same on all ranks
 * ICF_NOT_POSITIVE_DEFINITE as icf_linear_solver_factor, on the ranks that met
 * the spoilt pivot (MUMPS: on all); the others learn of it by a sum of the caller's. */
ICF_MUST_CHECK icf_status icf_group_solver_factor(icf_group_solver *solver, icf_group *group,
                                                  const icf_block_matrix *matrix, bool again);

/* Solves H x = b; x means nothing where some rank's factor is spoilt.
 *   b [in]  (owned dofs)
 *   x [out] (owned dofs); may be b */
ICF_MUST_CHECK icf_status icf_group_solver_solve(icf_group_solver *solver, icf_group *group, const double *b,
                                                 double *x);

/* Solves H x = b to a tolerance, whatever the precision of the last factor, which must be good on all ranks
 * (icf_linear_solver_solve_to).  ICF_NOT_CONVERGED on all ranks alike after that many iterations: x is of no use then.
 *   matrix    [in]  what this rank gives of H, with the values of the last factor
 *   tolerance [in]  the norm of the residual in the factor's inverse, over that of b
 *   b         [in]  (owned dofs)
 *   x         [out] (owned dofs); may be b */
ICF_MUST_CHECK icf_status icf_group_solver_solve_to(icf_group_solver *solver, icf_group *group,
                                                    const icf_block_matrix *matrix, double tolerance, int iterations,
                                                    const double *b, double *x);

/* This rank's share in factors of the last pattern by the own solver; zeros for MUMPS.  Local. */
ICF_MUST_CHECK icf_status icf_group_solver_load(const icf_group_solver *solver, icf_group_load *load);

#endif
