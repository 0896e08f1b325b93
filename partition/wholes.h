/* Bodies of a graph that one rank shall have: islands that one rank would solve in any case.
 *
 * Cutting such an island saves nothing, since its bodies come to one rank as guests in every step; and the weight that
 * the cut takes from that rank is work which comes back.  So pairs that are heavy, those in contact, join bodies to
 * wholes; a whole that is not too large is one vertex for METIS.
 */
#ifndef ICF_PARTITION_WHOLES_H
#define ICF_PARTITION_WHOLES_H

#include "partition/cut.h"

/* What a body counts: rigid ones 1, deformable ones as many as have their degrees of freedom. */
typedef struct icf_whole_size {
    int32_t bodies;
    int32_t soft; /* 1 for a deformable body */
} icf_whole_size;

icf_whole_size icf_whole_size_of(const icf_bodies *bodies, icf_lid i);

/* Takes those apart that are too large, and numbers the others.
 *   whole [in,out] (n) in: disjoint sets (base/disjoint_sets.h); out: 0 .. count - 1, in the order of their first
 *                  vertices
 *   size  [in]     (n)
 * Returns how many there are; -1: out of memory. */
int32_t icf_wholes_number(int32_t n, int32_t *whole, const icf_whole_size *size, icf_gather_below below);

/* The graph whose vertices are the wholes: weights of vertices and of parallel edges are added up.
 *   graph  [in]  with graph->whole
 *   joined [out] to be released by icf_wholes_clear_joined in any case
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_wholes_join_graph(const icf_graph *graph, icf_graph *joined);

void icf_wholes_clear_joined(icf_graph *joined);

#endif
