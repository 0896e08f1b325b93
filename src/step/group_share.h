/* What a rank brings to an island that a group of ranks solves: bodies, shadows of others, contacts, attachments.
 * Private to src/step.
 *
 *     blocks:  own bodies and own vertices of shared bodies | other ranks' bodies | other ranks' vertices of shared
 * ones
 */
#ifndef ICF_STEP_GROUP_SHARE_H
#define ICF_STEP_GROUP_SHARE_H

#include "partition/components.h"
#include "solver/problem.h"
#include "step/domain.h"

/* The island as this rank takes part in it; arrays from the arena. */
typedef struct icf_group_share {
    icf_lid nbody, nowned;  /* bodies, of which the first are owned or shared by all ranks */
    icf_lid *body;          /* (nbody) owned and shared ones by ascending id, then those that shadows belong to */
    icf_lid *first;         /* (local bodies) first block of a body, -1: none; of a shared one, of its own vertices */
    icf_lid **vertex_block; /* (local bodies) of a shared body the block of each vertex, -1: none; else NULL */
    icf_lid npair, nlink;
    icf_lid *pair, *link; /* indices into the domain's pairs and attachments */
    icf_lid nblock, nowned_block, nmesh;
    icf_gid *gid;     /* (nblock) 2^24 times the body's, and the vertex: meshes are smaller */
    int *owner;       /* (nblock) in the group's communicator */
    int32_t *dof;     /* (nblock + 1) */
    double *momentum; /* diagonal blocks of A; zero for shadows */
    icf_momentum_mesh *mesh;
    double *v_star, *v0, *v; /* (dofs) */
} icf_group_share;

/* Takes this rank's share of the island with that label; marks its contacts and attachments as not dropped.
 *   rank [in] the group's ranks, ascending, in the context's communicator
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_group_share_take(icf_group_share *s, icf_domain *domain, const icf_halo *halo,
                                               const icf_components *components, const int *rank, icf_gid label,
                                               icf_arena *arena);

#endif
