/* Bodies of the populations of a scene, any range of them on any rank.
 *
 * Local, thread-safe.  A rank generates a share of the bodies; which ones found no room is for all ranks to say
 * together (icf_shortfall_report).
 */
#ifndef ICF_GEOMETRY_POPULATE_H
#define ICF_GEOMETRY_POPULATE_H

#include "scene/scene.h"

/* Bodies of packings that found no room. */
typedef struct icf_shortfall {
    int32_t population; /* the first with such bodies; -1: none */
    icf_cnt missing;    /* how many of it */
} icf_shortfall;

/* Generates bodies begin to end - 1 of all populations of a scene, numbered one population after the other, by
 * ascending global id, in chunks.  Global ids follow those of the listed bodies.  Bodies of emitters are numbered, but
 * not generated: they are not there yet.
 *   begin, end [in]  0 <= begin <= end <= scene->ngenerated
 *   sink, user [in]  receives the bodies; those that found no room are left out
 *   shortfall  [out] those of this range
 * ICF_ERROR_MEMORY, or what the sink returns when it is not ICF_OK.  Local. */
ICF_MUST_CHECK icf_status icf_populate(const icf_scene *scene, icf_cnt begin, icf_cnt end, icf_body_sink sink,
                                       void *user, icf_shortfall *shortfall);

/* All bodies of the populations on one rank; ICF_ERROR_SCENE also when some found no room.  Local. */
ICF_MUST_CHECK icf_status icf_populate_all(icf_context *context, const icf_scene *scene, icf_body_sink sink,
                                           void *user);

/* ICF_ERROR_SCENE with a message that says what was reached, when there is a shortfall; ICF_OK otherwise.  Local. */
ICF_MUST_CHECK icf_status icf_shortfall_report(icf_context *context, const icf_scene *scene,
                                               const icf_shortfall *shortfall);

#endif
