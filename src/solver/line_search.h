/* Line search on l'(alpha), alpha in (0, 1].
 *
 * l'(alpha) = dv.A(v - v*) + alpha dv.A dv + sum of the families' slopes: O(n) an evaluation, since J dv and
 * A dv are known.  alpha = 1 is taken when l'(1) <= 0.1 |l'(0)|; otherwise a safeguarded search for the root of l'
 * in a bracket stops at |l'(alpha)| <= 0.1 |l'(0)|.  Steps beyond 1 are never taken: they open hundreds of
 * contacts by nanometres, whose stiffness the next Hessian then lacks.
 *
 * A round of the search costs a group one sum over its ranks, whatever the number of step lengths in it, so a group
 * tries several a round, a rank alone one.  The first round shares the sum of the line itself.
 */
#ifndef ICF_SOLVER_LINE_SEARCH_H
#define ICF_SOLVER_LINE_SEARCH_H

#include "solver/problem.h"

enum { ICF_LINE_TRIALS = 4 }; /* of a round, at most */

/* A step length and l', l'' there; l' is infinite where a law has no value. */
typedef struct icf_trial {
    double alpha, slope, curvature;
} icf_trial;

/* l along a direction; the quadratic part of l' is constant + alpha linear. */
typedef struct icf_line {
    double slope0;                    /* l'(0) */
    double constant;                  /* dv.A(v - v*) */
    double linear;                    /* dv.A dv */
    double error;                     /* |D (H dv + grad)|^2, where the direction is checked */
    double failed;                    /* ranks without a direction */
    double stiff;                     /* ranks on which H is too stiff for single precision */
    int ntrial;                       /* of a round */
    icf_trial first[ICF_LINE_TRIALS]; /* the first round; the last of it at alpha = 1 */
} icf_line;

/* Puts the ranks' shares of a line together with the first round of trials, in one sum.  The families hold the
 * direction.
 *   line        [in,out] slope0, constant, linear, error, failed and stiff of this rank; all of it
 *   evaluations [in,out] counts evaluations of l'
 * Collective over the problem's group. */
void icf_line_lay(const icf_problem *problem, icf_line *line, int *evaluations);

/* Whether the step 1 is taken without a search. */
bool icf_line_takes_all(const icf_line *line);

/* Step length along a line with l'(0) < 0.
 *   evaluations [in,out] counts evaluations of l' beyond the first round
 * Collective over the problem's group. */
double icf_line_search(const icf_problem *problem, const icf_line *line, int *evaluations);

#endif
