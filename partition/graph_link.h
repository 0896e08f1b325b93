/* Light edges between the pieces of a graph that lie near each other in space.
 *
 * METIS does not see space.  Where islands stand apart the graph falls into pieces, and a part would be made of pieces
 * from all over the scene, whose boxes overlap those of every other part.  So pieces that follow each other along a
 * Hilbert curve through the vertices are linked by edges of the least weight: parts are made of neighbours, and edges
 * of the graph are still what a cut avoids.
 */
#ifndef ICF_PARTITION_GRAPH_LINK_H
#define ICF_PARTITION_GRAPH_LINK_H

#include "base/vec.h"
#include "partition/cut.h"

/* Adds the links.
 *   position [in]  (graph->n) of the vertices [m]
 *   linked   [out] the graph with its links, all arrays but vertex_weight of its own; of a graph in one piece nothing
 * is copied, linked->ptr is then NULL.  To be released by icf_graph_link_clear in any case ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_graph_link(const icf_graph *graph, const icf_vec3 *position, icf_graph *linked);

void icf_graph_link_clear(icf_graph *linked);

#endif
