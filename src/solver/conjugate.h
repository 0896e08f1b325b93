/* Conjugate gradients for H x = b with any preconditioner, by one rank or a group of them.
 *
 * All sums have one fixed order, so that bits repeat for the same number of ranks.  An indefinite H is only noticed
 * when a direction of negative curvature is met.  Private to src/solver; no threads inside.
 */
#ifndef ICF_SOLVER_CONJUGATE_H
#define ICF_SOLVER_CONJUGATE_H

#include "base/status.h"
#include "solver/block_matrix.h"
#include "solver/group.h"

enum { ICF_CONJUGATE_VECTORS = 4 };

typedef struct icf_conjugate {
    const icf_block_matrix *matrix; /* H; of a group: what this rank gives of it, shadows included */
    icf_group *group;               /* ranks that solve together, with the same matrix->dof; NULL: this one alone */
    icf_status (*precondition)(void *data, const double *r, double *z); /* z = M^-1 r at owned dofs, not the same */
    void *data;
    double tolerance; /* the norm of the residual in M^-1, over that of b, at which it stops */
    size_t limit;     /* most iterations */
} icf_conjugate;

/* Solves from x = 0 on.  ICF_NOT_CONVERGED at the limit of iterations; ICF_NOT_POSITIVE_DEFINITE; both on all ranks of
 * a group alike.
 *   vector     [work]   (ICF_CONJUGATE_VECTORS * dofs)
 *   b          [in]     (owned dofs) right-hand side
 *   x          [out]    (owned dofs) the solution, or the last iterate; may be b
 *   iterations [in,out] adds those taken
 * Collective over the group. */
ICF_MUST_CHECK icf_status icf_conjugate_solve(const icf_conjugate *system, double *vector, const double *b, double *x,
                                              icf_cnt *iterations);

#endif
