/* Integration of poses: x += dt u, q += dt/2 (0, omega) q, normalised, u the velocity at the step's end or, with
 * midpoint, the mean of it and that at the start (ICF 1, SAP II-C); of vertices: x += dt v. */
#ifndef ICF_STEP_INTEGRATE_H
#define ICF_STEP_INTEGRATE_H

#include "base/arena.h"
#include "scene/scene.h"

/* Velocities of the owned bodies at a step's start; NULL where the scheme does not need them. */
typedef struct icf_start_velocities {
    icf_vec3 *linear, *angular; /* (nowned) */
} icf_start_velocities;

/* Keeps the present velocities, in the arena. */
ICF_MUST_CHECK icf_status icf_keep_velocities(const icf_scene *scene, const icf_bodies *bodies, icf_arena *arena,
                                              icf_start_velocities *start);

/* Moves the owned bodies that the solver moves by dt; supported vertices are put where they are at t + dt. */
void icf_integrate_poses(const icf_scene *scene, icf_bodies *bodies, const icf_start_velocities *start, double t,
                         double dt);

#endif
