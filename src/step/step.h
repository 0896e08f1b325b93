/* One time step of the bodies of all ranks: the pipeline from state to state.
 *
 * A step is a function of (scene, state, t, dt) without hidden memory: what a stepper keeps between steps is
 * memory, and analyses that change no bit.  After a step it holds the contacts and impulses for output.
 */
#ifndef ICF_STEP_STEP_H
#define ICF_STEP_STEP_H

#include "contact/contacts.h"
#include "scene/bodies.h"
#include "scene/scene.h"
#include "step/rebalance.h"
#include "step/stats.h"

typedef struct icf_stepper icf_stepper;

ICF_MUST_CHECK icf_status icf_stepper_create(icf_context *context, icf_stepper **stepper);

/* Nulls *stepper; accepts NULL in it. */
void icf_stepper_destroy(icf_stepper **stepper);

/* Advances the bodies from t to t + dt.
 *   at_start [in]     first step of the scene (a barrier overlap is then the scene's error)
 *   bodies   [in,out] poses and velocities
 *   stats    [out]    all but step, substeps, ms_total, cpu_ms
 * ICF_NOT_CONVERGED (an island did not converge: icf_stepper_failed_island) and other failures leave poses and
 * velocities of moving bodies unchanged.  Statistics are those of this rank.  Collective. */
ICF_MUST_CHECK icf_status icf_step(icf_stepper *stepper, const icf_scene *scene, icf_bodies *bodies, double t,
                                   double dt, bool at_start, icf_step_stats *stats);

/* Gives the bodies to the ranks anew, as they are at t before a step of dt.  Nothing on one rank.
 * Collective. */
ICF_MUST_CHECK icf_status icf_stepper_rebalance(icf_stepper *stepper, const icf_scene *scene, icf_bodies *bodies,
                                                double t, double dt, icf_rebalance_report *report);

/* Contacts of the last step with their impulses; owned by the stepper. */
icf_contact_views icf_stepper_contacts(const icf_stepper *stepper);

/* Von Mises stress at the vertices of the owned deformable bodies as they are now, for output.
 *   stress [out] (icf_bodies_owned_vertices) in the order of bodies->vertex_position [Pa]; valid until the next step;
 *                NULL when the scene has no deformable body
 * ICF_ERROR_MEMORY.  Collective. */
ICF_MUST_CHECK icf_status icf_stepper_stress(icf_stepper *stepper, const icf_scene *scene, const icf_bodies *bodies,
                                             const double **stress);

/* Moving bodies of the island that did not converge in the last step, on the rank that solved it.
 *   bodies [out] what the local indices refer to
 *   n      [out] how many; 0 when all converged here */
const icf_lid *icf_stepper_failed_island(const icf_stepper *stepper, const icf_bodies **bodies, icf_lid *n);

#endif
