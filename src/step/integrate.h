/* Integration of poses (symplectic Euler): x += dt v, q += dt/2 (0, omega) q, normalised (ICF 1, SAP II); of vertices:
 * x += dt v. */
#ifndef ICF_STEP_INTEGRATE_H
#define ICF_STEP_INTEGRATE_H

#include "scene/scene.h"

/* Moves the owned bodies that the solver moves by dt with their current velocities; supported vertices are put where
 * they are at t + dt. */
void icf_integrate_poses(const icf_scene *scene, icf_bodies *bodies, double t, double dt);

#endif
