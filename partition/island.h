/* Islands of one rank: connected components of the graph of moving bodies and contact pairs.
 *
 * Each step the pairs that have contacts are edges between bodies; bodies that the solver does not move
 * carry no impulse from one neighbour to another and hence join nothing.  What is not connected is solved
 * apart.  Ghosts that move count as nodes like owned bodies.
 *
 *        1---2   4---5---6   7        islands 0: {1,2}, 1: {4,5,6}, 2: {9};
 *        |           |             9  7 has no pair and is in none; the fixed body joins nothing
 *     ===+===========+=============+===
 *
 * Union by size with path halving: O((n + npair) alpha(n)).  Serial, local.  Results are canonical: a
 * function of global ids and pairs, not of how sets were merged.
 */
#ifndef ICF_PARTITION_ISLAND_H
#define ICF_PARTITION_ISLAND_H

#include "geometry/broad_phase.h"
#include "scene/bodies.h"

typedef struct icf_islands {
    icf_lid n; /* islands, by ascending smallest global id */

    icf_lid *body_ptr; /* (n + 1) first entry of each island in body */
    icf_lid *body;     /* (body_ptr[n]) local indices of its moving bodies, by ascending global id */
    int64_t *dof_ptr;  /* (body_ptr[n] + 1) first degree of freedom of each entry of body, through all islands */
    icf_lid *pair_ptr; /* (n + 1) first entry of each island in pair */
    icf_lid *pair;     /* (pair_ptr[n]) indices into the pairs given, ascending */
    icf_lid *of_body;  /* (bodies) island of a body; -1: does not move or has no pair */

    /* work: disjoint sets as trees, and the island number of each root */
    icf_lid *parent; /* (bodies) parent in its tree; of a root: -(bodies in the tree) */
    icf_lid *number; /* (bodies) island of a root, -1 before it has one */

    size_t body_ptr_capacity, body_capacity, dof_ptr_capacity, pair_ptr_capacity, pair_capacity;
    size_t of_body_capacity, parent_capacity, number_capacity;
} icf_islands;

/* Starts empty. */
void icf_islands_init(icf_islands *islands);

/* Releases everything; empty afterwards. */
void icf_islands_clear(icf_islands *islands);

/* Builds the islands that have at least one pair.
 *   bodies [in] gives which bodies move, and their global ids
 *   pairs  [in] (npair) pairs in canonical order; those between two bodies that do not move are in no island
 * Returns ICF_ERROR_MEMORY or ICF_OK.  Local; no heap memory once sizes have settled. */
ICF_MUST_CHECK icf_status icf_islands_build(icf_islands *islands, const icf_bodies *bodies, icf_lid npair,
                                            const icf_pair *pairs);

#endif
