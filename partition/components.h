/* Islands over rank borders: which local islands are parts of one island of the scene.
 *
 *      rank 0:  a -- b -- (c)        (c) is a ghost: owned by rank 1
 *      rank 1:           (b) -- c -- d        both parts get the label min(a, b, c, d)
 *
 * A part is a local island, or an owned body that is in no local island but touches something on another rank.
 * Parts are linked through bodies: every ghost in a local island links that part with the part of its owner.  Labels,
 * the smallest global id known and the rank that owns this body, go over the links to and fro until none changes.  A
 * part without links is a complete island of the scene.
 */
#ifndef ICF_PARTITION_COMPONENTS_H
#define ICF_PARTITION_COMPONENTS_H

#include "partition/halo.h"
#include "partition/island.h"

/* A link as its owner sees it: a body that has contacts on another rank. */
typedef struct icf_link {
    icf_lid part;
    int rank;
} icf_link;

typedef struct icf_components {
    icf_lid nisland; /* parts 0..nisland-1 are the local islands */
    icf_lid npart;
    icf_gid *label;   /* (npart) smallest global id of the island of the scene */
    int *keeper;      /* (npart) rank that owns this body */
    bool *spanning;   /* (npart) has links: the island lies on several ranks */
    icf_lid *single;  /* (npart - nisland) body of each further part */
    icf_lid *of_body; /* (owned bodies) part, -1: none */
    icf_cnt rounds;   /* rounds until no label changed */

    icf_lid *ghost; /* (nghost) ghosts that have contacts here, by owner, then as they lie */
    icf_lid nghost;
    icf_link *link; /* (nlink) links of owned bodies, by sender, then as they came */
    icf_lid nlink;
    size_t label_capacity, keeper_capacity, spanning_capacity, single_capacity, of_body_capacity, ghost_capacity,
        link_capacity;
} icf_components;

void icf_components_init(icf_components *components);
void icf_components_clear(icf_components *components);

/* Builds parts and labels.
 *   islands [in] of the local contacts, ghosts included
 * Collective. */
ICF_MUST_CHECK icf_status icf_components_build(icf_components *components, const icf_halo *halo,
                                               const icf_bodies *bodies, const icf_islands *islands);

#endif
