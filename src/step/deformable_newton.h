/* Free motion of a deformable body of a nonlinear material: Newton with line search on the incremental potential. */
#ifndef ICF_STEP_DEFORMABLE_NEWTON_H
#define ICF_STEP_DEFORMABLE_NEWTON_H

#include "step/deformable_motion.h"

typedef struct icf_deformable_kept icf_deformable_kept; /* deformable_motion.c */

/* What a free motion is computed with. */
typedef struct icf_deformable_system {
    icf_context *context;
    icf_deformable_kept *kept;
    double dt; /* s */
    double relative_tolerance;
} icf_deformable_system;

/* The worst status of the ranks that compute a motion together. */
ICF_MUST_CHECK static inline icf_status icf_deformable_agree(const icf_deformable_system *system,
                                                             const icf_deformable_motion *motion, icf_status status)
{
    return motion->split ? icf_agree(system->context, status) : status;
}

/* Solves val y = x for a matrix in the pattern of the body.
 *   tolerance [in] the residual in the inverse of the matrix, over that of y = 0, which a body that is split undercuts
 *   x [in,out] (vertices) right-hand side, then solution; of a body that is split at this rank's vertices, and the
 *              solution at the rim too.  Collective then. */
ICF_MUST_CHECK icf_status icf_deformable_solve_linear(const icf_deformable_system *system, double *val,
                                                      double tolerance, icf_vec3 *x);

/* Elastic energy at x; of a body that is split, of the tetrahedra that this rank counts [J]. */
double icf_deformable_elastic_energy(const icf_deformable_motion *motion, const icf_vec3 *x);

/* Rows and columns of supported vertices in val: unit diagonal and nothing else. */
void icf_deformable_hold(const icf_deformable_motion *motion, double *val);

/* Sets motion->v_star, and motion->a to A at the end of the free motion.  ICF_NOT_CONVERGED. */
ICF_MUST_CHECK icf_status icf_deformable_newton(const icf_deformable_system *system, icf_deformable_motion *motion,
                                                icf_arena *arena);

#endif
