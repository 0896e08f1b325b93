/* Margins: how far a body can reach in this step, for the search of candidate pairs.
 *
 * Half of the candidate distance of any pair fits into each of its margins.  Speeds are taken relative to one
 * reference velocity, by the triangle inequality, so that a falling pile has small margins; it must be the same
 * for all bodies of the scene, but any value will do.
 */
#ifndef ICF_CONTACT_MARGIN_H
#define ICF_CONTACT_MARGIN_H

#include "contact/surface_contact.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* How far a unit of approach speed reaches: dt, plus the gliding height per slip speed of the models SAP and
 * Similar [s]. */
double icf_contact_reach(const icf_contact_settings *settings, const icf_material *combined, double dt);

/* Acceleration with which two points can approach each other in a step: their free motions', or that of one alone when
 * the other is held by what it rests on [m/s^2]. */
double icf_approach_acceleration(icf_vec3 a, icf_vec3 b);

/* Speed of a body's surface from its rotation [m/s]. */
double icf_surface_spin(const icf_bodies *bodies, icf_lid i);

/* Sum of the velocities (belts included) of the owned bodies that the solver moves, and their number: the mean over
 * all ranks is a good reference velocity.
 *   end_time [in] t_{n+1} [s]: belts */
icf_vec3 icf_sum_velocities(const icf_bodies *bodies, double end_time, icf_cnt *n);

/* Margins of the bodies [0, n).
 *   acceleration [in]  (n) free-motion acceleration of the centre of mass [m/s^2]
 *   surface      [in]  (n) of deformable bodies, else NULL; NULL: no body is deformable
 *   reference    [in]  reference velocity [m/s]
 *   margin       [out] (n) [m] */
void icf_contact_margins(const icf_scene *scene, const icf_bodies *bodies, icf_lid n, const icf_vec3 *acceleration,
                         const icf_surface_state *const *surface, icf_vec3 reference, double dt, double end_time,
                         double *margin);

#endif
