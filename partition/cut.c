/* METIS k-way. */
#include "partition/cut.h"

#include <math.h>
#include <metis.h>

#include "base/memory.h"
#include "base/sort.h"
#include "partition/graph_link.h"
#include "partition/wholes.h"

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "indices of 32 bits");

/* METIS sums weights in 32 bits: sums stay near these, and an ordinary weight is far above 1. */
static const double vertex_weights = 0x1p24, vertex_ordinary = 100.0, edge_weights = 0x1p28, edge_ordinary = 16.0;

static double sum_of(int32_t n, const double *weight)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i) sum += weight[i];
    return sum;
}

static void make_whole(int32_t n, const double *weight, double scale, int32_t *whole)
{
    for (int32_t i = 0; i < n; ++i) whole[i] = (int32_t)ICF_MAX(llround(weight[i] * scale), 1);
}

void icf_whole_vertex_weights(int32_t n, const double *weight, int32_t *whole)
{
    make_whole(n, weight, fmax(vertex_weights, vertex_ordinary * n) / sum_of(n, weight), whole);
}

void icf_whole_edge_weights(int32_t n, const double *weight, int32_t *whole)
{
    make_whole(n, weight, fmin(edge_weights / sum_of(n, weight), edge_ordinary), whole);
}

static icf_status run_metis(icf_context *context, const icf_graph *graph, int npart, int32_t *part)
{
    idx_t n = graph->n, ncon = 1, nparts = npart, cut, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_UFACTOR] = 5; /* thousandths above the mean; all ranks wait for the heaviest */
    int result;
#pragma omp critical(icf_mumps_metis)
    result = METIS_PartGraphKway(&n, &ncon, graph->ptr, graph->idx, graph->vertex_weight, NULL, graph->edge_weight,
                                 &nparts, NULL, NULL, options, &cut, part);
    if (result == METIS_OK) return ICF_OK;
    if (result == METIS_ERROR_MEMORY) return icf_fail(context, ICF_ERROR_MEMORY, "METIS: out of memory");
    return icf_fail(context, ICF_ERROR_INTERNAL, "METIS: failed with code %d", result);
}

/* ---- vertices as heavy as a part ---- */

/* Vertices by descending weight, equal ones by number. */
static icf_status sort_by_weight(const icf_graph *graph, icf_keyed **vertex)
{
    const size_t n = (size_t)graph->n + 1;
    icf_keyed *work = icf_alloc(n * sizeof *work);
    *vertex = icf_alloc(n * sizeof **vertex);
    const bool complete = *vertex && work;
    for (int32_t v = 0; complete && v < graph->n; ++v)
        (*vertex)[v] = (icf_keyed){UINT64_MAX - (uint64_t)graph->vertex_weight[v], v};
    if (complete) icf_sort_keyed(graph->n, *vertex, work);
    icf_free(work);
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

/* Gives each vertex that is heavier than its share of the rest a part of its own, heaviest first, from the last part
 * on. part [out] (n) -1: still to be cut left [out] parts that are left for these */
static icf_status split_heavy(const icf_graph *graph, int npart, int32_t *part, int *left)
{
    icf_keyed *vertex;
    const icf_status status = sort_by_weight(graph, &vertex);
    int64_t rest = 0;
    for (int32_t v = 0; v < graph->n; ++v) {
        rest += graph->vertex_weight[v];
        part[v] = -1;
    }
    for (int32_t k = 0; status == ICF_OK && npart > 1; ++k) {
        const int32_t heaviest = vertex[k].value;
        if ((int64_t)graph->vertex_weight[heaviest] * npart <= rest) break;
        part[heaviest] = --npart;
        rest -= graph->vertex_weight[heaviest];
    }
    *left = npart;
    icf_free(vertex);
    return status;
}

/* The graph of the vertices that are still to be cut; number: (n) of each in it, -1: none. */
typedef struct light_graph {
    icf_graph graph;
    int32_t *number;
    int32_t *part; /* (graph.n) */
} light_graph;

static void clear_light(light_graph *light)
{
    icf_free(light->graph.ptr);
    icf_free(light->graph.idx);
    icf_free(light->graph.vertex_weight);
    icf_free(light->graph.edge_weight);
    icf_free(light->number);
    icf_free(light->part);
}

static icf_status make_light(const icf_graph *graph, const int32_t *part, light_graph *light)
{
    const size_t n = (size_t)graph->n + 1, nedge = (size_t)graph->ptr[graph->n] + 1;
    icf_graph *to = &light->graph;
    *light = (light_graph){.number = icf_alloc(n * sizeof(int32_t)), .part = icf_alloc(n * sizeof(int32_t))};
    to->ptr = icf_alloc(n * sizeof(int32_t));
    to->vertex_weight = icf_alloc(n * sizeof(int32_t));
    to->idx = icf_alloc(nedge * sizeof(int32_t));
    to->edge_weight = icf_alloc(nedge * sizeof(int32_t));
    if (!light->number || !light->part || !to->ptr || !to->vertex_weight || !to->idx || !to->edge_weight)
        return ICF_ERROR_MEMORY;
    for (int32_t v = 0; v < graph->n; ++v) light->number[v] = part[v] < 0 ? to->n++ : -1;
    to->ptr[0] = 0;
    for (int32_t v = 0, at = 0; v < graph->n; ++v) {
        if (part[v] >= 0) continue;
        for (int32_t e = graph->ptr[v]; e < graph->ptr[v + 1]; ++e) {
            if (part[graph->idx[e]] >= 0) continue;
            to->idx[at] = light->number[graph->idx[e]];
            to->edge_weight[at++] = graph->edge_weight[e];
        }
        to->vertex_weight[light->number[v]] = graph->vertex_weight[v];
        to->ptr[light->number[v] + 1] = at;
    }
    return ICF_OK;
}

static icf_status cut_light(icf_context *context, const icf_graph *graph, int npart, int32_t *part)
{
    light_graph light;
    icf_status status = make_light(graph, part, &light);
    const bool trivial = npart == 1 || light.graph.n <= npart;
    if (status == ICF_OK && !trivial) status = run_metis(context, &light.graph, npart, light.part);
    for (int32_t v = 0; status == ICF_OK && v < graph->n; ++v)
        if (part[v] < 0) part[v] = npart == 1 ? 0 : trivial ? light.number[v] : light.part[light.number[v]];
    clear_light(&light);
    return status;
}

/* METIS makes empty parts where one vertex outweighs several. */
static icf_status cut_vertices(icf_context *context, const icf_graph *graph, int npart, int32_t *part)
{
    int left;
    ICF_TRY(split_heavy(graph, npart, part, &left));
    return left == npart ? run_metis(context, graph, npart, part) : cut_light(context, graph, left, part);
}

/* ---- cut ---- */

static double cut_part(const icf_graph *graph, const int32_t *part)
{
    double cut = 0.0, sum = 0.0;
    for (int32_t v = 0; v < graph->n; ++v)
        for (int32_t e = graph->ptr[v]; e < graph->ptr[v + 1]; ++e) {
            sum += graph->edge_weight[e];
            if (part[v] != part[graph->idx[e]]) cut += graph->edge_weight[e];
        }
    return sum > 0.0 ? cut / sum : 0.0;
}

static icf_status measure(const icf_graph *graph, int npart, const int32_t *part, icf_decomposition *result)
{
    double *load = icf_alloc((size_t)npart * sizeof *load), sum = 0.0, largest = 0.0;
    if (!load) return ICF_ERROR_MEMORY;
    for (int p = 0; p < npart; ++p) load[p] = 0.0;
    for (int32_t v = 0; v < graph->n; ++v) load[part[v]] += graph->vertex_weight[v];
    for (int p = 0; p < npart; ++p) {
        sum += load[p];
        largest = fmax(largest, load[p]);
    }
    icf_free(load);
    *result = (icf_decomposition){cut_part(graph, part), sum > 0.0 ? largest * npart / sum : 1.0};
    return ICF_OK;
}

/* Each whole as one vertex. */
static icf_status cut_wholes(icf_context *context, const icf_graph *graph, int npart, int32_t *part)
{
    icf_graph joined;
    int32_t *part_of = icf_alloc(((size_t)graph->nwhole + 1) * sizeof *part_of);
    icf_status status = icf_wholes_join_graph(graph, &joined);
    if (!part_of) status = ICF_ERROR_MEMORY;
    if (status == ICF_OK) status = cut_vertices(context, &joined, npart, part_of);
    for (int32_t v = 0; status == ICF_OK && v < graph->n; ++v) part[v] = part_of[graph->whole[v]];
    icf_wholes_clear_joined(&joined);
    icf_free(part_of);
    return status;
}

static icf_status cut_linked(icf_context *context, const icf_graph *graph, const icf_vec3 *position, int npart,
                             int32_t *part)
{
    icf_graph linked;
    icf_status status = icf_graph_link(graph, position, &linked);
    const icf_graph *all = linked.ptr ? &linked : graph;
    linked.nwhole = graph->nwhole;
    linked.whole = graph->whole;
    if (status == ICF_OK)
        status = graph->whole ? cut_wholes(context, all, npart, part) : cut_vertices(context, all, npart, part);
    icf_graph_link_clear(&linked);
    return status;
}

icf_status icf_graph_cut(icf_context *context, const icf_graph *graph, const icf_vec3 *position, int npart,
                         int32_t *part, icf_decomposition *result)
{
    /* METIS wants more than one part, and no more parts than vertices */
    const bool trivial = npart == 1 || (graph->whole ? graph->nwhole : graph->n) <= npart;
    if (!trivial) ICF_TRY(cut_linked(context, graph, position, npart, part));
    for (int32_t v = 0; trivial && v < graph->n; ++v) part[v] = npart == 1 ? 0 : graph->whole ? graph->whole[v] : v;
    return measure(graph, npart, part, result);
}
