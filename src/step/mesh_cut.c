/* Graph of a mesh, cut by METIS. */
#include "step/mesh_cut.h"

#include "base/memory.h"
#include "partition/cut.h"
#include "solver/block_matrix.h"

/* Columns of all neighbours, each as often as tetrahedra have the edge; then each once.
 *   ptr (nvertex + 1), idx (12 ntet) */
static void list_neighbours(const icf_tet_mesh *mesh, icf_lid *ptr, icf_lid *idx)
{
    for (icf_lid v = 0; v <= mesh->nvertex; ++v) ptr[v] = 0;
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        for (int a = 0; a < 4; ++a) ptr[mesh->tet[t][a]] += 3;
    for (icf_lid v = 0, begin = 0; v <= mesh->nvertex; ++v) {
        const icf_lid n = ptr[v];
        ptr[v] = begin;
        begin += n;
    }
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                if (a != b) idx[ptr[mesh->tet[t][a]]++] = mesh->tet[t][b];
    for (icf_lid v = mesh->nvertex; v > 0; --v) ptr[v] = ptr[v - 1];
    ptr[0] = 0;
    icf_pattern_sort(mesh->nvertex, ptr, idx);
}

static icf_status cut(icf_context *context, const icf_tet_mesh *mesh, int npart, icf_graph *graph, int *part)
{
    const size_t n = (size_t)mesh->nvertex, most = 12 * (size_t)mesh->ntet;
    graph->n = mesh->nvertex;
    graph->ptr = icf_alloc((n + 1) * sizeof *graph->ptr);
    graph->idx = icf_alloc((most + 1) * sizeof *graph->idx);
    graph->vertex_weight = icf_alloc((n + 1) * sizeof *graph->vertex_weight);
    graph->edge_weight = icf_alloc((most + 1) * sizeof *graph->edge_weight);
    if (!graph->ptr || !graph->idx || !graph->vertex_weight || !graph->edge_weight) return ICF_ERROR_MEMORY;
    list_neighbours(mesh, graph->ptr, graph->idx);
    for (size_t v = 0; v < n; ++v) graph->vertex_weight[v] = 1 + graph->ptr[v + 1] - graph->ptr[v];
    for (icf_lid e = 0; e < graph->ptr[n]; ++e) graph->edge_weight[e] = 1;
    icf_decomposition unused;
    return icf_graph_cut(context, graph, mesh->vertex, npart, part, &unused);
}

icf_status icf_mesh_cut(icf_context *context, const icf_tet_mesh *mesh, int npart, int *part)
{
    icf_graph graph = {0};
    const icf_status status = cut(context, mesh, npart, &graph, part);
    icf_free(graph.ptr);
    icf_free(graph.idx);
    icf_free(graph.vertex_weight);
    icf_free(graph.edge_weight);
    return status;
}
