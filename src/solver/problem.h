/* The convex problem of one island: min over v of 1/2 |v - v*|_A^2 + sum of the families' costs
 * (ICF 3, SAP 24).
 *
 * A has the diagonal blocks of the bodies.  A locked degree of freedom keeps its row: unit diagonal, zero
 * velocity, no column in any J.
 */
#ifndef ICF_SOLVER_PROBLEM_H
#define ICF_SOLVER_PROBLEM_H

#include "solver/constraint.h"

enum { ICF_PROBLEM_FAMILIES = 4 }; /* families in one problem, at most */

typedef struct icf_problem {
    icf_lid nblock;
    const int32_t *dof;     /* (nblock + 1) first degree of freedom of each block */
    const double *momentum; /* A: dense diagonal blocks one after the other, column-major */
    const double *v_star;   /* (dofs) free-motion velocity */
    const double *v0;       /* (dofs) velocity at the step's start: the warm start */
    int nfamily;
    icf_constraints *family[ICF_PROBLEM_FAMILIES];
} icf_problem;

/* Degrees of freedom. */
static inline int32_t icf_problem_dofs(const icf_problem *problem)
{
    return problem->dof[problem->nblock];
}

/* y = A x for the diagonal blocks.  x, y (dofs). */
void icf_problem_momentum(const icf_problem *problem, const double *x, double *y);

#endif
