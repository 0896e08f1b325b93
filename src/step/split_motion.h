/* The deformable bodies whose work all ranks share, in one step.
 *
 *     state from the owner to all -> free motion together -> contacts of own sample points -> island of all ranks
 *     -> own velocities to all
 *
 * Every rank has the body: its owner as its own, the others as a ghost.  Velocities come home as those of everyone.
 */
#ifndef ICF_STEP_SPLIT_MOTION_H
#define ICF_STEP_SPLIT_MOTION_H

#include "contact/attachments.h"
#include "step/deformable_motion.h"

typedef struct icf_split_motions {
    int32_t n;                      /* deformables of the scene; 0: none is split */
    icf_deformable_motion **motion; /* (n) of those that are split, else NULL; from the arena */
    int *touched;                   /* (n) whether something touches it or is attached to it on any rank */
} icf_split_motions;

/* Takes the state from the owners and finds the free motions.  Collective. */
ICF_MUST_CHECK icf_status icf_split_motions_find(icf_split_motions *split, icf_context *context,
                                                 icf_deformable_cache *cache, icf_arena *arena, const icf_scene *scene,
                                                 const icf_bodies *bodies, double t, double dt);

/* The motion of local body i, NULL when the body is not split. */
static inline icf_deformable_motion *icf_split_motions_get(const icf_split_motions *split, const icf_bodies *bodies,
                                                           icf_lid i)
{
    if (split->n == 0 || !icf_bodies_is_deformable(bodies, i)) return NULL;
    return split->motion[bodies->shape[i].index];
}

/* Finds `touched`.  Collective. */
void icf_split_motions_touch(icf_split_motions *split, const icf_context *context, const icf_bodies *bodies,
                             const icf_contacts *contacts, const icf_attachments *attachments);

/* Free motions of bodies that nothing touches, to the last bits.
 * ICF_NOT_CONVERGED when one is not found.  Collective. */
ICF_MUST_CHECK icf_status icf_split_motions_complete(icf_split_motions *split, icf_deformable_cache *cache,
                                                     icf_arena *arena);

/* Gives all ranks the velocities v1 of the vertices that others own.  Collective. */
void icf_split_motions_share(const icf_split_motions *split);

/* Positions at the step's end from v1.
 *   x [out] (vertices) [m] */
void icf_split_motion_end(const icf_deformable_motion *motion, double t, double dt, icf_vec3 *x);

/* Puts the state of a deformable on all ranks.
 *   x, v [out] (vertices); v may be NULL.  Collective. */
void icf_split_bring(const icf_context *context, const icf_scene *scene, const icf_bodies *bodies, int32_t index,
                     icf_vec3 *x, icf_vec3 *v);

#endif
