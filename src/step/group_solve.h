/* Large islands that span ranks, solved by all ranks that own bodies of them.
 *
 * Each rank takes part with its own bodies of the island, its contacts (of a pair found on two ranks, the owner of the
 * first moving body keeps it; of an attachment that of the deformable one) and shadows of the bodies of other ranks
 * that they touch, of a deformable one all vertices.  Groups are taken in ascending order of their islands' labels on
 * every rank, so that none waits for another in a circle; communicators and linear solvers are kept by the set of
 * ranks.
 */
#ifndef ICF_STEP_GROUP_SOLVE_H
#define ICF_STEP_GROUP_SOLVE_H

#include "partition/placement.h"
#include "solver/newton.h"
#include "step/domain.h"

typedef struct icf_group_islands icf_group_islands;

ICF_MUST_CHECK icf_status icf_group_islands_create(icf_context *context, icf_group_islands **groups);

/* Nulls *groups; accepts NULL in it.  Collective over the context, since communicators are freed. */
void icf_group_islands_destroy(icf_group_islands **groups);

/* Solves the islands that placement gives to groups; keeps their velocities for icf_group_islands_set.
 *   domain [in,out] local islands (marked as skipped) and contacts, whose impulses are set
 *   status [in]     of what this rank did before; agreed on here
 * Collective over each group; every rank of the context calls it. */
ICF_MUST_CHECK icf_status icf_group_islands_solve(icf_group_islands *groups, icf_domain *domain, const icf_halo *halo,
                                                  const icf_components *components, const icf_placement *placement,
                                                  const icf_step_input *input, icf_status status,
                                                  icf_step_stats *stats);

/* Velocities v1 of this rank's vertices of shared bodies in these islands; the others keep theirs. */
void icf_group_islands_set_split(const icf_group_islands *groups, icf_domain *domain);

/* Velocities of this rank's bodies and ghosts in these islands. */
void icf_group_islands_set(const icf_group_islands *groups, icf_domain *domain);

/* Takes what contacts of other ranks do to the supported vertices of this rank's bodies off the supports' forces. */
void icf_group_islands_react(const icf_group_islands *groups, icf_domain *domain);

#endif
