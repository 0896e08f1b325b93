/* MUMPS over the ranks of a group, with distributed entries, right-hand side and solution.
 *
 * Each rank gives the blocks that its own constraints touch; what several ranks give of a block is summed inside.  On
 * two ranks and more MUMPS does not repeat its bits.  Private to src/solver; all calls are collective over the group.
 */
#ifndef ICF_SOLVER_GROUP_MUMPS_H
#define ICF_SOLVER_GROUP_MUMPS_H

#include "solver/group_pattern.h"

typedef struct icf_group_mumps icf_group_mumps;

/* comm is borrowed. */
ICF_MUST_CHECK icf_status icf_group_mumps_create(icf_context *context, MPI_Comm comm, icf_group_mumps **mumps);

/* Nulls *mumps; accepts NULL in it. */
void icf_group_mumps_destroy(icf_group_mumps **mumps);

/* Prepares for a pattern.
 *   order  [in] (blocks of the whole matrix) pivot order; read on the first rank
 *   matrix [in] blocks of this rank */
ICF_MUST_CHECK icf_status icf_group_mumps_analyze(icf_group_mumps *mumps, const icf_group *group,
                                                  const icf_group_pattern *pattern, const icf_lid *order,
                                                  const icf_block_matrix *matrix);

ICF_MUST_CHECK icf_status icf_group_mumps_factor(icf_group_mumps *mumps, const icf_group *group,
                                                 const icf_block_matrix *matrix);

/* b [in], x [out] (owned dofs); may be the same. */
ICF_MUST_CHECK icf_status icf_group_mumps_solve(icf_group_mumps *mumps, const icf_group *group,
                                                const icf_group_pattern *pattern, const double *b, double *x);

#endif
