/* Contact detection: from the bodies' poses to the contacts of a step.
 *
 * One geometric query a step: margins of the bodies, broad phase, candidate distance of each pair, narrow
 * phase, inner balls of fast bodies (inner_ball.h), contact data.  The pairs come in canonical order from the broad
 * phase and each thread works on a contiguous range of them, so that the contacts are in canonical order too, for any
 * thread count.
 *
 * Candidate distance `auto`: dt s + glide + barrier distance, with s the speed at which two surface points can
 * approach each other in this step and glide the height at which sliding bodies of the models SAP and Similar
 * float (docs/physics.md).
 */
#ifndef ICF_CONTACT_DETECT_H
#define ICF_CONTACT_DETECT_H

#include "base/context.h"
#include "contact/contacts.h"
#include "contact/surface_contact.h"
#include "scene/inertia.h"

typedef struct icf_detector icf_detector;

ICF_MUST_CHECK icf_status icf_detector_create(icf_detector **detector);

/* Nulls *detector; accepts NULL in it. */
void icf_detector_destroy(icf_detector **detector);

/* What a step knows when contacts are detected. */
typedef struct icf_detect_input {
    const icf_scene *scene;
    const icf_bodies *bodies;                /* poses and velocities v0 at t_n; prescribed velocities at t_{n+1} */
    const icf_inertia *inertia;              /* at the same poses */
    const icf_vec3 *acceleration;            /* (n) free-motion acceleration of the centre of mass a* [m/s^2] */
    const icf_surface_state *const *surface; /* (n) of deformable bodies, else NULL; NULL: no body is deformable */
    icf_vec3 reference;                      /* reference velocity of the margins (margin.h) [m/s] */
    double dt;                               /* step [s] */
    double end_time;                         /* t_{n+1} [s]: belts */
    bool owned_only;                         /* leave out pairs without an owned moving body */
    bool at_start;                           /* first step of the scene: an overlap under a barrier is its error */
} icf_detect_input;

/* Finds the contacts.  ICF_ERROR_SOLVER (ICF_ERROR_SCENE at the start) when a pair with a barrier
 * law overlaps; the message names the pair.
 * Local; uses context->nthread threads. */
ICF_MUST_CHECK icf_status icf_detect(icf_detector *detector, icf_context *context, const icf_detect_input *input,
                                     icf_contacts *contacts);

#endif
