/* Integration of poses (symplectic Euler): x += dt v, q += dt/2 (0, omega) q, normalised (ICF 1, SAP II). */
#ifndef ICF_STEP_INTEGRATE_H
#define ICF_STEP_INTEGRATE_H

#include "scene/bodies.h"

/* Moves the owned bodies that the solver moves by dt with their current velocities. */
void icf_integrate_poses(icf_bodies *bodies, double dt);

#endif
