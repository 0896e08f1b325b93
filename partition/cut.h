/* Cutting a weighted graph into parts by METIS k-way, in one process.
 *
 * METIS is serial and seeded: the parts are a function of the graph.  Its calls are serialised with those of MUMPS.
 * Sizes are those of METIS with 32 bits: fewer than 2^31 vertices and neighbours.
 */
#ifndef ICF_PARTITION_CUT_H
#define ICF_PARTITION_CUT_H

#include "base/context.h"
#include "base/vec.h"
#include "partition/decompose.h"

/* A graph: every edge stands in the lists of both ends. */
typedef struct icf_graph {
    int32_t n;
    int32_t *ptr;           /* (n + 1) neighbours of vertex v: idx[ptr[v]] .. idx[ptr[v + 1] - 1] */
    int32_t *idx;           /* (ptr[n]) */
    int32_t *vertex_weight; /* (n) >= 1 */
    int32_t *edge_weight;   /* (ptr[n]) >= 1 */
    int32_t nwhole;         /* wholes: 0 .. nwhole - 1 */
    const int32_t *whole;   /* (n) whole of a vertex, all of which goes to one part; NULL: every vertex is one */
} icf_graph;

/* Weights as whole numbers >= 1 in proportion, for vertices: METIS sums them in 32 bits. */
void icf_whole_vertex_weights(int32_t n, const double *weight, int32_t *whole);

/* Likewise for edges; n counts each edge once, though it may stand in two lists. */
void icf_whole_edge_weights(int32_t n, const double *weight, int32_t *whole);

/* Cuts a graph.  Pieces that hang together by no edge are taken to parts of neighbours (partition/graph_link.h).
 *   position [in] (n) of the vertices [m]
 *   npart  [in]  >= 1; may be larger than the number of wholes: some parts are then empty
 *   part   [out] (n)
 *   result [out] part of the edge weight that is cut, largest over mean vertex weight of a part
 * ICF_ERROR_MEMORY, or ICF_ERROR_INTERNAL when METIS fails.  Local. */
ICF_MUST_CHECK icf_status icf_graph_cut(icf_context *context, const icf_graph *graph, const icf_vec3 *position,
                                        int npart, int32_t *part, icf_decomposition *result);

#endif
