/* Decomposition by METIS, of all bodies or region by region.
 *
 *     curve -> region of each body -> graph of each region on its first rank -> METIS k-way -> parts -> ranks of the
 *     region such that few bodies move -> answers
 *
 * METIS is seeded and serial, and a graph is the same however it is distributed: so are the parts.  Which rank gets
 * which part depends on who owns what.
 */
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "base/sort.h"
#include "partition/body_graph.h"
#include "partition/cut.h"
#include "partition/decompose.h"

/* ---- first rank of a region ---- */

/* Ranks first .. first + size - 1. */
typedef struct rank_run {
    int first, size;
} rank_run;

static icf_status partition(icf_context *context, const icf_body_graph *graph, int npart, int32_t *part,
                            icf_decomposition *result)
{
    const icf_graph all = {graph->n,
                           graph->ptr,
                           graph->idx,
                           graph->vertex_weight,
                           graph->edge_weight,
                           graph->nwhole,
                           graph->nwhole < graph->n ? graph->whole : NULL};
    return icf_graph_cut(context, &all, graph->position, npart, part, result);
}

/* What is needed to give parts to ranks. */
typedef struct labelling {
    icf_keyed *item, *work; /* (n) */
    int *rank_of_part;      /* (size) */
    bool *taken;            /* (size) */
} labelling;

static icf_status allocate(labelling *labels, icf_lid n, int size)
{
    labels->item = icf_alloc(((size_t)n + 1) * sizeof *labels->item);
    labels->work = icf_alloc(((size_t)n + 1) * sizeof *labels->work);
    labels->rank_of_part = icf_alloc((size_t)size * sizeof *labels->rank_of_part);
    labels->taken = icf_alloc((size_t)size * sizeof *labels->taken);
    return labels->item && labels->work && labels->rank_of_part && labels->taken ? ICF_OK : ICF_ERROR_MEMORY;
}

static void clear(labelling *labels)
{
    icf_free(labels->item);
    icf_free(labels->work);
    icf_free(labels->rank_of_part);
    icf_free(labels->taken);
}

/* Lists (part, rank of the run that owns bodies of it now) by keys part * size + rank, those with most bodies first.
 * Equal ones ascend by key.  Returns how many there are. */
static icf_lid list_overlaps(labelling *labels, const icf_body_graph *graph, const int32_t *part, rank_run run)
{
    icf_keyed *item = labels->item;
    const uint64_t nrank = (uint64_t)run.size;
    icf_lid here = 0, n = 0;
    for (icf_lid v = 0; v < graph->n; ++v) {
        const int rank = graph->vertex[v].home - run.first;
        if (rank >= 0 && rank < run.size) item[here++] = (icf_keyed){(uint64_t)part[v] * nrank + (uint64_t)rank, v};
    }
    icf_sort_keyed(here, item, labels->work);
    for (icf_lid begin = 0, end; begin < here; begin = end, ++n) {
        const uint64_t key = item[begin].key;
        for (end = begin; end < here && item[end].key == key; ++end) {
        }
        item[n].key = (uint64_t)(here - (end - begin)) * nrank * nrank + key;
    }
    icf_sort_keyed(n, item, labels->work);
    for (icf_lid k = 0; k < n; ++k) item[k].key %= nrank * nrank;
    return n;
}

/* Gives a rank to every part: the largest overlap first, then what is left in order. */
static void label_parts(labelling *labels, icf_lid noverlap, int size)
{
    for (int r = 0; r < size; ++r) {
        labels->rank_of_part[r] = -1;
        labels->taken[r] = false;
    }
    for (icf_lid k = 0; k < noverlap; ++k) {
        const uint64_t key = labels->item[k].key;
        const int part = (int)(key / (uint64_t)size), rank = (int)(key % (uint64_t)size);
        if (labels->rank_of_part[part] >= 0 || labels->taken[rank]) continue;
        labels->rank_of_part[part] = rank;
        labels->taken[rank] = true;
    }
    int rank = 0;
    for (int part = 0; part < size; ++part) {
        if (labels->rank_of_part[part] >= 0) continue;
        while (labels->taken[rank]) ++rank;
        labels->rank_of_part[part] = rank++;
    }
}

static icf_status relabel(const icf_body_graph *graph, rank_run run, int32_t *part)
{
    labelling labels = {0};
    const icf_status status = allocate(&labels, graph->n, run.size);
    if (status == ICF_OK) {
        label_parts(&labels, list_overlaps(&labels, graph, part, run), run.size);
        for (icf_lid v = 0; v < graph->n; ++v) part[v] = run.first + labels.rank_of_part[part[v]];
    }
    clear(&labels);
    return status;
}

/* What a region says of its cut, in the weights as they were given, not as whole numbers. */
typedef struct cut_report {
    double cut, edges;      /* weight of edges that are cut, of all */
    double largest, bodies; /* weight of the heaviest rank, of all bodies */
} cut_report;

static icf_status measure(const icf_body_graph *graph, rank_run run, const int32_t *part, double cut,
                          cut_report *report)
{
    double *load = icf_alloc((size_t)run.size * sizeof *load);
    if (!load) return ICF_ERROR_MEMORY;
    *report = (cut_report){.cut = cut * graph->inside + graph->across, .edges = graph->inside + graph->across};
    for (int rank = 0; rank < run.size; ++rank) load[rank] = 0.0;
    for (icf_lid v = 0; v < graph->n; ++v) load[part[v] - run.first] += graph->vertex[v].weight;
    for (int rank = 0; rank < run.size; ++rank) {
        report->bodies += load[rank];
        report->largest = fmax(report->largest, load[rank]);
    }
    icf_free(load);
    return ICF_OK;
}

/* To every rank: the report, then the new owners of its bodies in the region, in their order. */
static icf_status write_answers(icf_exchange *exchange, const icf_body_graph *graph, int size, const int32_t *part,
                                const cut_report *report)
{
    icf_exchange_begin(exchange);
    for (int rank = 0; rank < size; ++rank) ICF_TRY(icf_exchange_write(exchange, rank, report, sizeof *report));
    /* a rank's bodies ascend by global id, as the vertices do */
    for (icf_lid v = 0; v < graph->n; ++v)
        ICF_TRY(icf_exchange_write(exchange, graph->vertex[v].home, &part[v], sizeof part[v]));
    return ICF_OK;
}

static icf_status decide(icf_context *context, icf_exchange *exchange, const icf_body_graph *graph, rank_run run)
{
    icf_decomposition result = {0};
    cut_report report;
    int32_t *part = icf_alloc(((size_t)graph->n + 1) * sizeof *part);
    icf_status status = part ? partition(context, graph, run.size, part, &result) : ICF_ERROR_MEMORY;
    if (status == ICF_OK) status = relabel(graph, run, part);
    if (status == ICF_OK) status = measure(graph, run, part, result.cut, &report);
    if (status == ICF_OK) status = write_answers(exchange, graph, context->size, part, &report);
    icf_free(part);
    return status;
}

/* ---- all ranks ---- */

/* Owners of a region's bodies; returns the region's report. */
static cut_report read_answer(const icf_exchange *exchange, const icf_bodies *bodies, icf_regions regions, int asked,
                              const int *region, int *rank)
{
    size_t bytes;
    cut_report report;
    const char *answer = icf_exchange_read(exchange, icf_region_first(regions, asked), &bytes);
    memcpy(&report, answer, sizeof report);
    const int32_t *owner = (const int32_t *)(const void *)(answer + sizeof report);
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i) && region[i] == asked) rank[i] = *owner++;
    return report;
}

static void read_answers(const icf_context *context, const icf_exchange *exchange, const icf_bodies *bodies,
                         icf_regions regions, const int *region, int *rank, icf_decomposition *result)
{
    cut_report sum = {0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) rank[i] = context->rank;
    for (int r = 0; r < regions.n; ++r) {
        const cut_report report = read_answer(exchange, bodies, regions, r, region, rank);
        sum.cut += report.cut;
        sum.edges += report.edges;
        sum.bodies += report.bodies;
        sum.largest = fmax(sum.largest, report.largest);
    }
    result->cut = sum.edges > 0.0 ? sum.cut / sum.edges : 0.0;
    result->imbalance = sum.largest * context->size / sum.bodies;
}

/* Moving bodies and pairs between them, of all ranks. */
static void count_graph(const icf_context *context, const icf_bodies *bodies, const icf_weighted_pairs *pairs,
                        int64_t sum[2])
{
    int64_t mine[2] = {0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) mine[0] += icf_bodies_moves(bodies, i);
    for (icf_lid k = 0; k < pairs->npair; ++k)
        mine[1] += icf_bodies_moves(bodies, pairs->pair[k].a) && icf_bodies_moves(bodies, pairs->pair[k].b);
    ICF_MPI_WAIT(MPI_Allreduce(mine, sum, 2, MPI_INT64_T, MPI_SUM, context->comm));
}

/* Region of each moving body. */
static icf_status find_regions(icf_context *context, const icf_bodies *bodies, const double *weight,
                               icf_regions regions, int *region)
{
    icf_decomposition unused;
    if (regions.n > 1) ICF_TRY(icf_decompose_curve(context, bodies, weight, region, &unused));
    for (icf_lid i = 0; i < bodies->nowned; ++i) region[i] = regions.n > 1 ? icf_region_of(regions, region[i]) : 0;
    return ICF_OK;
}

static icf_status cut_regions(icf_context *context, icf_exchange *exchange, const icf_body_graph *graph,
                              icf_regions regions)
{
    const int mine = icf_region_of(regions, context->rank), first = icf_region_first(regions, mine);
    const rank_run run = {first, icf_region_first(regions, mine + 1) - first};
    icf_exchange_begin(exchange);
    return icf_exchange_run(exchange, context->rank == first ? decide(context, exchange, graph, run) : ICF_OK);
}

icf_status icf_decompose_graph(icf_context *context, icf_exchange *exchange, const icf_bodies *bodies,
                               const icf_weighted_pairs *pairs, int64_t most, int *rank, icf_decomposition *result)
{
    int64_t n[2];
    count_graph(context, bodies, pairs, n);
    const icf_regions regions = icf_regions_of(n[0], n[1], most, context->size);
    if (regions.n == 0) return icf_decompose_curve(context, bodies, pairs->weight, rank, result);

    icf_body_graph graph;
    icf_body_graph_init(&graph);
    int *region = icf_alloc(((size_t)bodies->nowned + 1) * sizeof *region);
    icf_status status = icf_agree(context, region ? ICF_OK : ICF_ERROR_MEMORY);
    if (status == ICF_OK) status = find_regions(context, bodies, pairs->weight, regions, region);
    if (status == ICF_OK) status = icf_body_graph_gather(&graph, context, exchange, bodies, pairs, regions, region);
    if (status == ICF_OK) status = cut_regions(context, exchange, &graph, regions);
    if (status == ICF_OK) read_answers(context, exchange, bodies, regions, region, rank, result);
    icf_body_graph_clear(&graph);
    icf_free(region);
    return status;
}
