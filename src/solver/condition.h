/* The condition number of an island's Hessian, as a diagnosis of what its linear systems can resolve. */
#ifndef ICF_SOLVER_CONDITION_H
#define ICF_SOLVER_CONDITION_H

#include "solver/block_matrix.h"
#include "solver/linear_solver.h"

/* Estimate of |H|_1 |H^-1|_1, from below and mostly within a factor of 3 (Higham 1988, LAPACK's dlacn2).
 *   solver    [in]  holds a factor of H
 *   work      [out] (3 x dofs) scratch
 *   sign      [out] (dofs) scratch
 *   condition [out]
 * The status of the solver's solutions.  Local. */
ICF_MUST_CHECK icf_status icf_condition_estimate(const icf_block_matrix *matrix, icf_linear_solver *solver,
                                                 double *work, int *sign, double *condition);

#endif
