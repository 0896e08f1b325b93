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

/* How far contacts are from the laws of rigid contact with dry friction, the largest of each.
 *
 * With the force f = gamma/dt and the contact velocity c, whose normal part is the gap at the step's end over dt, the
 * contact complementarity |f.(c + (0, 0, mu |ct|))| (Le Lidec et al. 2024, after (15)) is the sum of the first and the
 * last. */
typedef struct icf_contact_errors {
    double signorini;   /* fn |phi0 + dt vn|/dt: a force across a gap, or an overlap [W] */
    double coulomb;     /* friction beyond its limit in its direction, |ft| - mu fn [N] */
    double dissipation; /* |mu fn |ct| + ft.ct|: what friction does not take of what it could [W] */
} icf_contact_errors;

/* Errors of the contacts of a step; arguments like icf_end_penetration.  Local. */
icf_contact_errors icf_find_contact_errors(const icf_contacts *contacts, const icf_bodies *bodies, double dt);

#endif
