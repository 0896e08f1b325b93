/* Line search on l'(alpha), alpha in (0, 1].
 *
 * l'(alpha) = dv.A(v - v*) + alpha dv.A dv + sum of the families' slopes: O(n) an evaluation, since J dv and
 * A dv are known.  alpha = 1 is taken when l'(1) <= 0.1 |l'(0)|; otherwise a safeguarded Newton iteration
 * on l' in a bracket stops at |l'(alpha)| <= 0.1 |l'(0)|.  Steps beyond 1 are never taken: they open hundreds of
 * contacts by nanometres, whose stiffness the next Hessian then lacks.
 */
#ifndef ICF_SOLVER_LINE_SEARCH_H
#define ICF_SOLVER_LINE_SEARCH_H

#include "solver/problem.h"

/* l'(alpha) of the quadratic part: constant + alpha linear. */
typedef struct icf_line {
    double constant; /* dv.A(v - v*) */
    double linear;   /* dv.A dv */
} icf_line;

/* Step length along the direction that the families hold.
 *   slope0      [in]     l'(0) < 0
 *   evaluations [in,out] counts evaluations of l' */
double icf_line_search(const icf_problem *problem, icf_line line, double slope0, int *evaluations);

#endif
