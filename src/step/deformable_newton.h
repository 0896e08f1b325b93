/* Free motion of a deformable body of a nonlinear material: Newton with line search on the incremental potential. */
#ifndef ICF_STEP_DEFORMABLE_NEWTON_H
#define ICF_STEP_DEFORMABLE_NEWTON_H

#include "step/deformable_kept.h"

/* Elastic energy at x; of a body that is split, of the tetrahedra that this rank counts [J]. */
double icf_deformable_elastic_energy(const icf_deformable_motion *motion, const icf_vec3 *x);

/* Sets motion->v_star, and motion->a to A at the end of the free motion.  ICF_NOT_CONVERGED. */
ICF_MUST_CHECK icf_status icf_deformable_newton(const icf_deformable_system *system, icf_deformable_motion *motion,
                                                icf_arena *arena);

#endif
