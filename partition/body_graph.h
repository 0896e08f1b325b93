/* The graph of a region's moving bodies, gathered on its first rank for METIS: bodies are vertices, pairs are edges.
 *
 * Vertices ascend by global id, neighbours by vertex: the graph is the same however bodies and pairs are distributed.
 */
#ifndef ICF_PARTITION_BODY_GRAPH_H
#define ICF_PARTITION_BODY_GRAPH_H

#include "geometry/broad_phase.h"
#include "partition/decompose.h"
#include "partition/exchange.h"
#include "partition/wholes.h"
#include "scene/bodies.h"

/* A body of the graph. */
typedef struct icf_graph_vertex {
    icf_gid gid;
    double weight;
    icf_whole_size size;
    int home; /* rank that owns it */
} icf_graph_vertex;

typedef struct icf_body_graph {
    icf_lid n, nedge;         /* bodies, and pairs within the region; 0 on ranks that are not the first of one */
    double inside, across;    /* weight of these pairs; of pairs with bodies of other regions */
    icf_graph_vertex *vertex; /* (n) */
    icf_vec3 *position;       /* (n) of the bodies [m] */
    int32_t *ptr;             /* (n + 1) neighbours of vertex v: idx[ptr[v]] .. idx[ptr[v + 1] - 1] */
    int32_t *idx;             /* (2 nedge) */
    int32_t *vertex_weight;   /* (n) weights as whole numbers >= 1 whose sum fits 32 bits */
    int32_t *edge_weight;     /* (2 nedge) likewise */
    int32_t nwhole, *whole;   /* (n) vertices of the same whole go to the same rank */
} icf_body_graph;

void icf_body_graph_init(icf_body_graph *graph);
void icf_body_graph_clear(icf_body_graph *graph);

/* Gathers the graphs; arguments like icf_decompose_graph.
 *   region [in] (nowned) of each moving body
 * Collective. */
ICF_MUST_CHECK icf_status icf_body_graph_gather(icf_body_graph *graph, icf_context *context, icf_exchange *exchange,
                                                const icf_bodies *bodies, const icf_weighted_pairs *pairs,
                                                icf_regions regions, const int *region);

#endif
