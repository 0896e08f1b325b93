/* Emission: bodies of emitters that enter the scene while it runs.
 *
 * Body j of an emitter is due at start + j/rate.  At the beginning of a step the due bodies that are not there yet come
 * in order: each is tried at ICF_EMIT_TRIES points of the region, drawn for it and this step, and enters at the first
 * where it keeps the gap to everything that is there, the bodies that entered before it in this step included
 * (deformable bodies count as the boxes round them).  When all are taken it waits for the next step, and those behind
 * it wait with it. So the bodies of an emitter that are there are its first ones: their number is all the state there
 * is, and the checkpoint's bodies tell it.
 *
 *   every rank   the candidates, the same everywhere
 *   each rank    which of the points its own bodies take  ->  or over all ranks
 *   every rank   who enters, and where; the rank that owns the nearest body gets it
 *
 * Two reductions a step with due bodies, none otherwise.  Collective; the same bits on any number of ranks.
 */
#ifndef ICF_STEP_EMIT_H
#define ICF_STEP_EMIT_H

#include "base/context.h"
#include "geometry/narrow_surface.h"
#include "scene/bodies.h"
#include "scene/scene.h"

enum { ICF_EMIT_TRIES = 16 };

typedef struct icf_emission {
    icf_cnt *emitted; /* (scene->npopulation) bodies that have entered, of emitters */
    icf_cnt total;    /* of all emitters */
    icf_cnt waiting;  /* due bodies that found no room at the last step */
    icf_lid *near;    /* owned bodies that may touch those of an emitter */
    size_t near_capacity;
    icf_body_def *fresh; /* bodies that entered in this step, on any rank */
    size_t nfresh, fresh_capacity;
    icf_surface_work work; /* of tests against rigid surfaces */
} icf_emission;

/* Counts the emitted bodies that are there.  ICF_ERROR_MEMORY.  Collective. */
ICF_MUST_CHECK icf_status icf_emission_init(icf_emission *emission, icf_context *context, const icf_scene *scene,
                                            const icf_bodies *bodies);

/* Releases what it owns; accepts a cleared one. */
void icf_emission_clear(icf_emission *emission);

/* Lets due bodies enter; no contacts of the step before are needed any more.
 *   bodies [in,out] poses at the beginning of the step
 *   step   [in]     steps done so far
 * ICF_ERROR_MEMORY.  Collective. */
ICF_MUST_CHECK icf_status icf_emission_step(icf_emission *emission, icf_context *context, const icf_scene *scene,
                                            icf_bodies *bodies, icf_cnt step);

/* Adds this rank's share of the first bodies of the emitters, with positions that have no meaning yet, for a checkpoint
 * to be read into them.
 *   emitted [in] (scene->npopulation) bodies of each emitter; of other populations not read
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_emission_add(const icf_context *context, const icf_scene *scene, icf_bodies *bodies,
                                           const icf_cnt *emitted);

#endif
