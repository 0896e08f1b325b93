/* Wholes: disjoint sets, and the graph with a vertex for each. */
#include "partition/wholes.h"

#include <string.h>

#include "base/disjoint_sets.h"
#include "base/memory.h"

icf_whole_size icf_whole_size_of(const icf_bodies *bodies, icf_lid i)
{
    return (icf_whole_size){(icf_bodies_dofs(bodies, i) + 5) / 6, icf_bodies_is_deformable(bodies, i)};
}

/* ---- which ---- */

int32_t icf_wholes_number(int32_t n, int32_t *whole, const icf_whole_size *size, icf_gather_below below)
{
    icf_cnt *bodies = icf_alloc(((size_t)n + 1) * sizeof *bodies);
    bool *soft = icf_alloc((size_t)n + 1);
    int32_t nwhole = bodies && soft ? 0 : -1;
    for (int32_t v = 0; v < n && nwhole >= 0; ++v) {
        const int32_t first = whole[v] = icf_sets_find(whole, v); /* the lowest of the set */
        if (first == v) {
            bodies[v] = 0;
            soft[v] = false;
        }
        bodies[first] += size[v].bodies;
        soft[first] = soft[first] || size[v].soft;
    }
    /* a first vertex comes before the others of its set, which find its number there */
    int32_t *number = nwhole >= 0 ? icf_alloc(((size_t)n + 1) * sizeof *number) : NULL;
    if (!number) nwhole = -1;
    for (int32_t v = 0; v < n && nwhole >= 0; ++v) {
        const int32_t first = whole[v];
        const bool together = bodies[first] < (soft[first] ? below.soft : below.rigid);
        number[v] = together && first < v ? number[first] : nwhole++;
    }
    if (nwhole > 0) memcpy(whole, number, (size_t)n * sizeof *whole);
    icf_free(number);
    icf_free(bodies);
    icf_free(soft);
    return nwhole;
}

/* ---- the graph of the wholes ---- */

/* Scratch of the joining. */
typedef struct join_work {
    int32_t *begin;  /* (nwhole + 1) ... */
    int32_t *vertex; /* (n) ... vertices by whole */
    int32_t *place;  /* (nwhole) where a neighbour of the present whole stands, when `of` says so */
    int32_t *of;     /* (nwhole) last whole that it is a neighbour of */
} join_work;

static icf_status allocate(join_work *work, icf_graph *joined, const icf_graph *graph)
{
    const size_t n = (size_t)graph->nwhole + 1, nneighbour = (size_t)graph->ptr[graph->n] + 1;
    *joined = (icf_graph){.n = graph->nwhole,
                          .ptr = icf_alloc(n * sizeof *joined->ptr),
                          .idx = icf_alloc(nneighbour * sizeof *joined->idx),
                          .vertex_weight = icf_alloc(n * sizeof *joined->vertex_weight),
                          .edge_weight = icf_alloc(nneighbour * sizeof *joined->edge_weight)};
    work->begin = icf_alloc(n * sizeof *work->begin);
    work->vertex = icf_alloc(((size_t)graph->n + 1) * sizeof *work->vertex);
    work->place = icf_alloc(n * sizeof *work->place);
    work->of = icf_alloc(n * sizeof *work->of);
    const bool complete = joined->ptr && joined->idx && joined->vertex_weight && joined->edge_weight && work->begin &&
                          work->vertex && work->place && work->of;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

static void clear(join_work *work)
{
    icf_free(work->begin);
    icf_free(work->vertex);
    icf_free(work->place);
    icf_free(work->of);
}

void icf_wholes_clear_joined(icf_graph *joined)
{
    icf_free(joined->ptr);
    icf_free(joined->idx);
    icf_free(joined->vertex_weight);
    icf_free(joined->edge_weight);
    *joined = (icf_graph){0};
}

/* Vertices by whole, ascending. */
static void sort_vertices(join_work *work, const icf_graph *graph)
{
    memset(work->begin, 0, ((size_t)graph->nwhole + 1) * sizeof *work->begin);
    for (int32_t v = 0; v < graph->n; ++v) ++work->begin[graph->whole[v]];
    for (int32_t w = 0, sum = 0; w <= graph->nwhole; ++w) {
        sum += work->begin[w];
        work->begin[w] = sum;
    }
    for (int32_t v = graph->n - 1; v >= 0; --v) work->vertex[--work->begin[graph->whole[v]]] = v;
}

/* Neighbours of a whole, in the order in which they are met; returns where those of the next begin. */
static int32_t join_neighbours(join_work *work, const icf_graph *graph, int32_t w, int32_t at, icf_graph *joined)
{
    for (int32_t k = work->begin[w]; k < work->begin[w + 1]; ++k) {
        const int32_t v = work->vertex[k];
        for (int32_t e = graph->ptr[v]; e < graph->ptr[v + 1]; ++e) {
            const int32_t other = graph->whole[graph->idx[e]];
            if (other == w) continue;
            if (work->of[other] != w) {
                work->of[other] = w;
                work->place[other] = at;
                joined->idx[at] = other;
                joined->edge_weight[at++] = 0;
            }
            joined->edge_weight[work->place[other]] += graph->edge_weight[e];
        }
    }
    return at;
}

static void join(join_work *work, const icf_graph *graph, icf_graph *joined)
{
    int32_t at = 0;
    sort_vertices(work, graph);
    for (int32_t w = 0; w < joined->n; ++w) work->of[w] = -1;
    for (int32_t w = 0; w < joined->n; ++w) {
        joined->vertex_weight[w] = 0;
        for (int32_t k = work->begin[w]; k < work->begin[w + 1]; ++k)
            joined->vertex_weight[w] += graph->vertex_weight[work->vertex[k]];
        joined->ptr[w] = at;
        at = join_neighbours(work, graph, w, at, joined);
    }
    joined->ptr[joined->n] = at;
}

icf_status icf_wholes_join_graph(const icf_graph *graph, icf_graph *joined)
{
    join_work work = {0};
    const icf_status status = allocate(&work, joined, graph);
    if (status == ICF_OK) join(&work, graph, joined);
    clear(&work);
    return status;
}
