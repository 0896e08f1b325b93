/* Numbers about a finished step: energies, penetration, activity. */
#ifndef ICF_STEP_DIAGNOSE_H
#define ICF_STEP_DIAGNOSE_H

#include "contact/contacts.h"
#include "scene/bodies.h"
#include "step/stats.h"

/* Kinetic energy of the owned bodies at their present state [J]. */
double icf_kinetic_energy(const icf_bodies *bodies);

/* Potential energy of the owned bodies in a uniform gravity, -m g.x [J]. */
double icf_potential_energy(const icf_bodies *bodies, icf_vec3 gravity);

/* Contacts with a positive normal impulse. */
icf_cnt icf_count_active(const icf_contacts *contacts);

/* Largest penetration at the step's end, max(0, -(phi0 + dt vn)), vn of the bodies alone: belts move no surface [m].
 *   bodies [in] poses of the step's start, velocities of its end */
double icf_end_penetration(const icf_contacts *contacts, const icf_bodies *bodies, double dt);

#endif
