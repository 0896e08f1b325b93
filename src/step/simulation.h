/* A simulation: scene and bodies advanced step by step, with retry.
 *
 * A step that does not converge is redone from its start as 2^k equal substeps, k = 1..4; results still show
 * one step.  When that fails too, the bodies are left in the last good state and the failing island is known.
 */
#ifndef ICF_STEP_SIMULATION_H
#define ICF_STEP_SIMULATION_H

#include "step/step.h"

typedef struct icf_simulation icf_simulation;

/* Creates a simulation at step `step` (0, or that of a checkpoint); scene and bodies are borrowed.
 * Warns about settings that are known to give soft contacts.
 * Collective. */
ICF_MUST_CHECK icf_status icf_simulation_create(icf_context *context, const icf_scene *scene, icf_bodies *bodies,
                                                icf_cnt step, icf_simulation **simulation);

/* Nulls *simulation; accepts NULL in it. */
void icf_simulation_destroy(icf_simulation **simulation);

/* Advances by one step.
 *   stats [out] complete line of the step
 * ICF_ERROR_SOLVER when the step cannot be done: the bodies are in the state before it.  Collective. */
ICF_MUST_CHECK icf_status icf_simulation_step(icf_simulation *simulation, icf_step_stats *stats);

/* Energies and time of the present state, for the first line of results (no contacts, no timing).
 * Collective. */
icf_step_stats icf_simulation_initial_stats(icf_simulation *simulation);

/* Steps done since the scene's start. */
icf_cnt icf_simulation_step_number(const icf_simulation *simulation);

/* Contacts of the last step on this rank; none before the first. */
icf_contact_views icf_simulation_contacts(const icf_simulation *simulation);

/* The same with the stress of the deformable bodies as they are now, for a frame of results.  ICF_ERROR_MEMORY.
 * Collective. */
ICF_MUST_CHECK icf_status icf_simulation_frame(icf_simulation *simulation, icf_contact_views *views);

/* Moving bodies of the island that could not be solved, on the rank that tried; n = 0 elsewhere (step.h). */
const icf_lid *icf_simulation_failed_island(const icf_simulation *simulation, const icf_bodies **bodies, icf_lid *n);

#endif
