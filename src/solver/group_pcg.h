/* Conjugate gradients by a group of ranks, each with an incomplete factor of its own blocks as a preconditioner.
 *
 *     M = diag(M_0, M_1, ...),   M_r: incomplete Cholesky (incomplete.h) of what rank r holds between its owned blocks
 *
 * A rank holds what its constraints touch; what others add to its diagonal blocks comes to it, what they add between
 * two of its blocks is left out of M, not of the product with H.  An iteration is one exchange with the owners of
 * shadows each way and two sums; no rank holds more than its rows.  Bits repeat for the same number of ranks.
 */
#ifndef ICF_SOLVER_GROUP_PCG_H
#define ICF_SOLVER_GROUP_PCG_H

#include "base/types.h"
#include "solver/block_matrix.h"
#include "solver/group.h"
#include "solver/incomplete.h"

typedef struct icf_group_pcg {
    icf_incomplete incomplete; /* of the owned blocks */
    icf_lid *ptr, *idx;        /* their pattern */
    icf_lid *from;             /* (ptr[owned]) entry in the matrix of the rank */
    double *vector;            /* (ICF_CONJUGATE_VECTORS dofs) work memory, shadows included */
    size_t ptr_capacity, idx_capacity, from_capacity, vector_capacity;
} icf_group_pcg;

void icf_group_pcg_init(icf_group_pcg *self);
void icf_group_pcg_clear(icf_group_pcg *self);

/* Prepares for a pattern.
 *   matrix [in] blocks of this rank, shadows included; dof, ptr and idx are kept until the next call
 * ICF_ERROR_MEMORY.  Collective over the group, like the rest. */
ICF_MUST_CHECK icf_status icf_group_pcg_analyze(icf_group_pcg *self, const icf_group *group,
                                                const icf_block_matrix *matrix);

/* Makes the preconditioner for the sum of all ranks' values.  ICF_NOT_POSITIVE_DEFINITE on all ranks alike. */
ICF_MUST_CHECK icf_status icf_group_pcg_factor(icf_group_pcg *self, icf_group *group, const icf_block_matrix *matrix);

/* Solves H x = b.  ICF_NOT_CONVERGED, ICF_NOT_POSITIVE_DEFINITE on all ranks alike: x is of no use then.
 *   tolerance  [in]  the norm of the residual in M^-1, over that of b
 *   most       [in]  iterations
 *   b          [in]  (owned dofs)
 *   x          [out] (owned dofs); may be b
 *   iterations [out] taken */
ICF_MUST_CHECK icf_status icf_group_pcg_solve(icf_group_pcg *self, icf_group *group, const icf_block_matrix *matrix,
                                              double tolerance, icf_cnt most, const double *b, double *x,
                                              icf_cnt *iterations);

#endif
