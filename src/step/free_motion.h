/* Free motion: velocities of the bodies without contact, and the matrix A of the convex problem.
 *
 * A free body: v* = v0 + dt M^-1 k, k = gravity, forces at t_n, -omega x I_W omega.  Springs enter
 * A = M + dt^2 theta^2 K + dt theta D and the right-hand side dt [k - K (x0 + dt theta v0 - rest) - D v0]: theta is 1
 * with implicit Euler, 1/2 with midpoint, and with symplectic Euler 1 for implicit springs, 0 for explicit ones (ICF 1,
 * SAP II-C, its (16) with theta_vq counted once).  Locked degrees of freedom keep a unit diagonal in A and no velocity.
 */
#ifndef ICF_STEP_FREE_MOTION_H
#define ICF_STEP_FREE_MOTION_H

#include "base/arena.h"
#include "scene/inertia.h"
#include "scene/scene.h"
#include "step/split_motion.h"

/* A body's dense 6x6 block of A, column-major. */
typedef struct icf_momentum_block {
    double a[36];
} icf_momentum_block;

typedef struct icf_free_motion {
    icf_vec3 *linear;                   /* (n) v* of the centre of mass [m/s] */
    icf_vec3 *angular;                  /* (n) w* [rad/s] */
    icf_vec3 *acceleration;             /* (n) a* = (v* - v0) / dt, 0 for bodies that do not move [m/s^2] */
    icf_momentum_block *momentum;       /* (n) A, only of rigid bodies that move */
    icf_deformable_motion **deformable; /* (n) of deformable bodies, else NULL; NULL: no body is deformable */
    const icf_surface_state **surface;  /* (n) their surfaces, in the same way */
} icf_free_motion;

/* Computes the free motion of every rigid local body; arrays come from the arena.  Local.
 *   t, dt [in] start and length of the step [s] */
ICF_MUST_CHECK icf_status icf_free_motion_build(icf_free_motion *motion, icf_arena *arena, const icf_scene *scene,
                                                const icf_bodies *bodies, const icf_inertia *inertia, double t,
                                                double dt);

/* Computes the free motion of the deformable ones among the bodies [first, end); those before keep that of the last
 * call, whose arrays must still be there.  Local. ICF_NOT_CONVERGED when one is not found.
 *   split [in] free motions that ranks have found together */
ICF_MUST_CHECK icf_status icf_free_deformables(icf_free_motion *motion, icf_deformable_cache *cache, icf_arena *arena,
                                               const icf_scene *scene, const icf_bodies *bodies,
                                               const icf_split_motions *split, icf_lid first, icf_lid end, double t,
                                               double dt);

/* The accelerations of the owned bodies alone, as the free motion has them.  Local.
 *   acceleration [out] (nowned) from the arena [m/s^2] */
ICF_MUST_CHECK icf_status icf_free_accelerations(icf_arena *arena, const icf_scene *scene, const icf_bodies *bodies,
                                                 const icf_inertia *inertia, double t, double dt,
                                                 icf_vec3 **acceleration);

#endif
