/* Decomposition by METIS on rank 0.
 *
 *     bodies, pairs of all ranks -> graph -> METIS k-way -> parts -> ranks such that few bodies move -> answers
 *
 * METIS is seeded and serial, and the graph is the same however it is distributed: so are the parts.  Which rank gets
 * which part depends on who owns what.
 */
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "base/sort.h"
#include "partition/body_graph.h"
#include "partition/cut.h"
#include "partition/decompose.h"

/* ---- rank 0 ---- */

static icf_status partition(icf_context *context, const icf_body_graph *graph, int size, int32_t *part,
                            icf_decomposition *result)
{
    const icf_graph all = {graph->n, graph->ptr, graph->idx, graph->vertex_weight, graph->edge_weight};
    return icf_graph_cut(context, &all, graph->position, size, part, result);
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

/* Lists (part, rank that owns bodies of it now) by keys part * size + rank, those with most bodies first.
 * Equal ones ascend by key.  Returns how many there are. */
static icf_lid list_overlaps(labelling *labels, const icf_body_graph *graph, const int32_t *part, int size)
{
    icf_keyed *item = labels->item;
    const uint64_t nrank = (uint64_t)size;
    for (icf_lid v = 0; v < graph->n; ++v)
        item[v] = (icf_keyed){(uint64_t)part[v] * nrank + (uint64_t)graph->vertex[v].home, v};
    icf_sort_keyed(graph->n, item, labels->work);
    icf_lid n = 0;
    for (icf_lid begin = 0, end; begin < graph->n; begin = end, ++n) {
        const uint64_t key = item[begin].key;
        for (end = begin; end < graph->n && item[end].key == key; ++end) {
        }
        item[n].key = (uint64_t)(graph->n - (end - begin)) * nrank * nrank + key;
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

static icf_status relabel(const icf_body_graph *graph, int size, int32_t *part)
{
    labelling labels = {0};
    const icf_status status = allocate(&labels, graph->n, size);
    if (status == ICF_OK) {
        label_parts(&labels, list_overlaps(&labels, graph, part, size), size);
        for (icf_lid v = 0; v < graph->n; ++v) part[v] = labels.rank_of_part[part[v]];
    }
    clear(&labels);
    return status;
}

/* Of the weights as they were given, not as whole numbers. */
static icf_status measure_imbalance(const icf_body_graph *graph, int size, const int32_t *part, double *imbalance)
{
    double *load = icf_alloc((size_t)size * sizeof *load), sum = 0.0, largest = 0.0;
    if (!load) return ICF_ERROR_MEMORY;
    for (int rank = 0; rank < size; ++rank) load[rank] = 0.0;
    for (icf_lid v = 0; v < graph->n; ++v) load[part[v]] += graph->vertex[v].weight;
    for (int rank = 0; rank < size; ++rank) {
        sum += load[rank];
        largest = fmax(largest, load[rank]);
    }
    *imbalance = largest * size / sum;
    icf_free(load);
    return ICF_OK;
}

/* To every rank: the result, then the new owners of its moving bodies in their order. */
static icf_status write_answers(icf_exchange *exchange, const icf_body_graph *graph, int size, const int32_t *part,
                                const icf_decomposition *result)
{
    icf_exchange_begin(exchange);
    for (int rank = 0; rank < size; ++rank) ICF_TRY(icf_exchange_write(exchange, rank, result, sizeof *result));
    /* a rank's bodies ascend by global id, as the vertices do */
    for (icf_lid v = 0; v < graph->n; ++v)
        ICF_TRY(icf_exchange_write(exchange, graph->vertex[v].home, &part[v], sizeof part[v]));
    return ICF_OK;
}

static icf_status decide(icf_context *context, icf_exchange *exchange, icf_body_graph *graph)
{
    const int size = context->size;
    icf_decomposition result = {0};
    int32_t *part = icf_alloc((size_t)graph->n * sizeof *part);
    icf_status status = part ? partition(context, graph, size, part, &result) : ICF_ERROR_MEMORY;
    if (status == ICF_OK) status = relabel(graph, size, part);
    if (status == ICF_OK) status = measure_imbalance(graph, size, part, &result.imbalance);
    if (status == ICF_OK) status = write_answers(exchange, graph, size, part, &result);
    icf_free(part);
    return status;
}

/* ---- all ranks ---- */

static void read_answer(const icf_context *context, const icf_exchange *exchange, const icf_bodies *bodies, int *rank,
                        icf_decomposition *result)
{
    size_t bytes;
    const char *answer = icf_exchange_read(exchange, 0, &bytes);
    memcpy(result, answer, sizeof *result);
    const int32_t *owner = (const int32_t *)(const void *)(answer + sizeof *result);
    for (icf_lid i = 0; i < bodies->nowned; ++i) rank[i] = icf_bodies_moves(bodies, i) ? *owner++ : context->rank;
}

/* Moving bodies and pairs between them, of all ranks. */
static void count_graph(const icf_context *context, const icf_bodies *bodies, icf_lid npair, const icf_pair *pairs,
                        int64_t sum[2])
{
    int64_t mine[2] = {0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) mine[0] += icf_bodies_moves(bodies, i);
    for (icf_lid k = 0; k < npair; ++k)
        mine[1] += icf_bodies_moves(bodies, pairs[k].a) && icf_bodies_moves(bodies, pairs[k].b);
    ICF_MPI_WAIT(MPI_Allreduce(mine, sum, 2, MPI_INT64_T, MPI_SUM, context->comm));
}

icf_status icf_decompose_graph(icf_context *context, icf_exchange *exchange, const icf_bodies *bodies,
                               const double *weight, icf_lid npair, const icf_pair *pairs, const double *pair_weight,
                               int *rank, icf_decomposition *result)
{
    int64_t n[2];
    count_graph(context, bodies, npair, pairs, n);
    const bool worth = n[1] > 0 && n[0] >= ICF_METIS_BODIES_A_RANK * (int64_t)context->size;
    if (context->size == 1 || !worth || n[0] > ICF_METIS_BODIES)
        return icf_decompose_curve(context, bodies, weight, rank, result);

    icf_body_graph graph;
    icf_body_graph_init(&graph);
    icf_status status = icf_body_graph_gather(&graph, context, exchange, bodies, weight, npair, pairs, pair_weight);
    if (status == ICF_OK) {
        icf_exchange_begin(exchange);
        status = icf_exchange_run(exchange, context->rank == 0 ? decide(context, exchange, &graph) : ICF_OK);
    }
    if (status == ICF_OK) read_answer(context, exchange, bodies, rank, result);
    icf_body_graph_clear(&graph);
    return status;
}
