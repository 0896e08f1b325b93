/* Free motion of a deformable body of the corotational material: one linear solve. */
#ifndef ICF_STEP_DEFORMABLE_LINEAR_H
#define ICF_STEP_DEFORMABLE_LINEAR_H

#include "step/deformable_kept.h"

/* Solves val y = x for a matrix in the pattern of the body.
 *   tolerance [in] the residual in the inverse of the matrix, over that of y = 0, which a body that is split undercuts
 *   x [in,out] (vertices) right-hand side, then solution; of a body that is split at this rank's vertices, and the
 *              solution at the rim too.  Collective then. */
ICF_MUST_CHECK icf_status icf_deformable_solve_linear(const icf_deformable_system *system, double *val,
                                                      double tolerance, icf_vec3 *x);

/* Sets motion->a, and motion->v_star to the last bits or with the residual that it has.  ICF_NOT_POSITIVE_DEFINITE. */
ICF_MUST_CHECK icf_status icf_deformable_move_linearly(const icf_deformable_system *system,
                                                       icf_deformable_motion *motion, icf_arena *arena);

/* Takes the residual out of motion->v_star.  ICF_NOT_POSITIVE_DEFINITE. */
ICF_MUST_CHECK icf_status icf_deformable_complete_linearly(const icf_deformable_system *system,
                                                           icf_deformable_motion *motion, icf_arena *arena);

#endif
