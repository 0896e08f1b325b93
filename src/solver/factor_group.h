/* Linear solver of a group: MUMPS with distributed entries, right-hand side and solution.
 *
 * Each rank gives the blocks that its own constraints touch; what several ranks give of a block is summed inside.  The
 * order is nested dissection of the block graph, computed on the group's first rank, which alone holds the graph (block
 * pairs, no values) while it analyses.  On two ranks and more MUMPS does not repeat its bits.
 */
#ifndef ICF_SOLVER_FACTOR_GROUP_H
#define ICF_SOLVER_FACTOR_GROUP_H

#include "solver/block_matrix.h"
#include "solver/group.h"

typedef struct icf_group_solver icf_group_solver;

/* Collective over comm, which is borrowed and must outlive the solver. */
ICF_MUST_CHECK icf_status icf_group_solver_create(icf_context *context, MPI_Comm comm, icf_group_solver **solver);

/* Nulls *solver; accepts NULL in it.  Collective over the group. */
void icf_group_solver_destroy(icf_group_solver **solver);

/* Prepares for the pattern; nothing is done when no rank's pattern or numbering has changed.
 *   matrix [in] blocks of this rank, shadows included.  Collective over the group, like the rest. */
ICF_MUST_CHECK icf_status icf_group_solver_analyze(icf_group_solver *solver, const icf_group *group,
                                                   const icf_block_matrix *matrix);

/* Factors the sum of all ranks' values.  ICF_NOT_POSITIVE_DEFINITE as icf_linear_solver_factor. */
ICF_MUST_CHECK icf_status icf_group_solver_factor(icf_group_solver *solver, const icf_group *group,
                                                  const icf_block_matrix *matrix);

/* Solves H x = b.
 *   b [in]  (owned dofs)
 *   x [out] (owned dofs); may be b */
ICF_MUST_CHECK icf_status icf_group_solver_solve(icf_group_solver *solver, const icf_group *group, const double *b,
                                                 double *x);

#endif
