/* Gathering of the body graph: every rank sends its bodies and pairs by global id, rank 0 numbers and sorts them. */
#include "partition/body_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* A message: how much, then vertices, then edges. */
typedef struct message_head {
    int64_t nvertex, nedge;
} message_head;

typedef struct vertex {
    icf_gid gid;
    double weight;
    icf_vec3 position;
} vertex;

typedef struct edge {
    icf_gid a, b; /* a < b */
    double weight;
} edge;

/* METIS sums weights in 32 bits: sums stay near these, and an ordinary weight is far above 1. */
static const double vertex_weights = 0x1p24, vertex_ordinary = 100.0, edge_weights = 0x1p28, edge_ordinary = 16.0;

void icf_body_graph_init(icf_body_graph *graph)
{
    *graph = (icf_body_graph){0};
}

void icf_body_graph_clear(icf_body_graph *graph)
{
    icf_free(graph->vertex);
    icf_free(graph->position);
    icf_free(graph->ptr);
    icf_free(graph->idx);
    icf_free(graph->vertex_weight);
    icf_free(graph->edge_weight);
    icf_body_graph_init(graph);
}

/* ---- every rank ---- */

static bool is_edge(const icf_bodies *bodies, icf_pair pair)
{
    return icf_bodies_moves(bodies, pair.a) && icf_bodies_moves(bodies, pair.b);
}

static icf_status write_graph(icf_exchange *exchange, const icf_bodies *bodies, const double *weight, icf_lid npair,
                              const icf_pair *pairs, const double *pair_weight)
{
    message_head head = {0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) head.nvertex += icf_bodies_moves(bodies, i);
    for (icf_lid k = 0; k < npair; ++k) head.nedge += is_edge(bodies, pairs[k]);
    icf_exchange_begin(exchange);
    ICF_TRY(icf_exchange_write(exchange, 0, &head, sizeof head));
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        const vertex v = {bodies->gid[i], weight ? weight[i] : 1.0, bodies->position[i]};
        ICF_TRY(icf_exchange_write(exchange, 0, &v, sizeof v));
    }
    for (icf_lid k = 0; k < npair; ++k) {
        if (!is_edge(bodies, pairs[k])) continue;
        const icf_gid a = bodies->gid[pairs[k].a], b = bodies->gid[pairs[k].b];
        const edge e = {ICF_MIN(a, b), ICF_MAX(a, b), pair_weight ? pair_weight[k] : 1.0};
        ICF_TRY(icf_exchange_write(exchange, 0, &e, sizeof e));
    }
    return ICF_OK;
}

/* ---- rank 0 ---- */

static const message_head *read_message(const icf_exchange *exchange, int rank, const vertex **vertices,
                                        const edge **edges)
{
    size_t bytes;
    const message_head *head = icf_exchange_read(exchange, rank, &bytes);
    *vertices = (const vertex *)(head + 1);
    *edges = (const edge *)(*vertices + head->nvertex);
    return head;
}

static icf_status count(icf_body_graph *graph, const icf_exchange *exchange, int size)
{
    int64_t nvertex = 0, nedge = 0;
    for (int rank = 0; rank < size; ++rank) {
        const vertex *vertices;
        const edge *edges;
        const message_head *head = read_message(exchange, rank, &vertices, &edges);
        nvertex += head->nvertex;
        nedge += head->nedge;
    }
    if (nvertex >= INT32_MAX || nedge >= INT32_MAX / 2) return ICF_ERROR_MEMORY;
    graph->n = (icf_lid)nvertex;
    graph->nedge = (icf_lid)nedge;
    return ICF_OK;
}

static icf_status allocate(icf_body_graph *graph)
{
    const size_t n = (size_t)graph->n + 1, n2 = 2 * (size_t)graph->nedge + 1;
    graph->vertex = icf_alloc(n * sizeof *graph->vertex);
    graph->position = icf_alloc(n * sizeof *graph->position);
    graph->ptr = icf_alloc(n * sizeof *graph->ptr);
    graph->idx = icf_alloc(n2 * sizeof *graph->idx);
    graph->vertex_weight = icf_alloc(n * sizeof *graph->vertex_weight);
    graph->edge_weight = icf_alloc(n2 * sizeof *graph->edge_weight);
    const bool complete =
        graph->vertex && graph->position && graph->ptr && graph->idx && graph->vertex_weight && graph->edge_weight;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

static int compare_vertices(const void *a, const void *b)
{
    const icf_gid x = ((const icf_graph_vertex *)a)->gid, y = ((const icf_graph_vertex *)b)->gid;
    return (x > y) - (x < y);
}

/* A weight as a whole number. */
static int32_t whole(double weight, double scale)
{
    return (int32_t)ICF_MAX(llround(weight * scale), 1);
}

static void take_vertices(icf_body_graph *graph, const icf_exchange *exchange, int size)
{
    icf_lid n = 0;
    for (int rank = 0; rank < size; ++rank) {
        const vertex *vertices;
        const edge *edges;
        const message_head *head = read_message(exchange, rank, &vertices, &edges);
        for (int64_t k = 0; k < head->nvertex; ++k)
            graph->vertex[n++] = (icf_graph_vertex){vertices[k].gid, vertices[k].weight, rank};
    }
    if (n > 0) qsort(graph->vertex, (size_t)n, sizeof *graph->vertex, compare_vertices);
    double sum = 0.0;
    for (icf_lid v = 0; v < n; ++v) sum += graph->vertex[v].weight;
    const double scale = fmax(vertex_weights, vertex_ordinary * n) / sum;
    for (icf_lid v = 0; v < n; ++v) graph->vertex_weight[v] = whole(graph->vertex[v].weight, scale);
}

/* Vertex of a body; -1: none, a pair's body that nobody owns. */
static int32_t find(const icf_body_graph *graph, icf_gid gid)
{
    const icf_graph_vertex key = {.gid = gid};
    if (graph->n == 0) return -1;
    const icf_graph_vertex *found =
        bsearch(&key, graph->vertex, (size_t)graph->n, sizeof *graph->vertex, compare_vertices);
    return found ? (int32_t)(found - graph->vertex) : -1;
}

/* Edges between vertices, a < b: keys a * 2^32 + b, weights by the keys' values. */
typedef struct edge_list {
    icf_keyed *item, *work; /* (nedge) */
    double *weight;         /* (nedge) */
} edge_list;

static icf_status allocate_edges(edge_list *list, icf_lid nedge)
{
    const size_t n = (size_t)nedge + 1;
    list->item = icf_alloc(n * sizeof *list->item);
    list->work = icf_alloc(n * sizeof *list->work);
    list->weight = icf_alloc(n * sizeof *list->weight);
    return list->item && list->work && list->weight ? ICF_OK : ICF_ERROR_MEMORY;
}

static void clear_edges(edge_list *list)
{
    icf_free(list->item);
    icf_free(list->work);
    icf_free(list->weight);
}

static icf_status list_edges(const icf_body_graph *graph, const icf_exchange *exchange, int size, edge_list *list)
{
    icf_lid n = 0;
    for (int rank = 0; rank < size; ++rank) {
        const vertex *vertices;
        const edge *edges;
        const message_head *head = read_message(exchange, rank, &vertices, &edges);
        for (int64_t k = 0; k < head->nedge; ++k, ++n) {
            const int32_t a = find(graph, edges[k].a), b = find(graph, edges[k].b);
            if (a < 0 || b < 0) return ICF_ERROR_INTERNAL;
            list->item[n] = (icf_keyed){(uint64_t)a << 32 | (uint64_t)b, n};
            list->weight[n] = edges[k].weight;
        }
    }
    icf_sort_keyed(n, list->item, list->work);
    return ICF_OK;
}

static int32_t lower_vertex(icf_keyed item)
{
    return (int32_t)(item.key >> 32);
}

static int32_t upper_vertex(icf_keyed item)
{
    return (int32_t)(item.key & UINT32_MAX);
}

/* Neighbours of every vertex, ascending because the edges are sorted: those below it come before those above. */
static void fill_neighbours(icf_body_graph *graph, const edge_list *list)
{
    int32_t *ptr = graph->ptr;
    double sum = 0.0;
    memset(ptr, 0, ((size_t)graph->n + 1) * sizeof *ptr);
    for (icf_lid k = 0; k < graph->nedge; ++k) {
        ++ptr[lower_vertex(list->item[k]) + 1];
        ++ptr[upper_vertex(list->item[k]) + 1];
        sum += list->weight[list->item[k].value];
    }
    for (icf_lid v = 0; v < graph->n; ++v) ptr[v + 1] += ptr[v];
    const double scale = fmin(edge_weights / sum, edge_ordinary);
    for (icf_lid k = 0; k < graph->nedge; ++k) {
        const int32_t a = lower_vertex(list->item[k]), b = upper_vertex(list->item[k]);
        const int32_t weight = whole(list->weight[list->item[k].value], scale);
        graph->edge_weight[ptr[a]] = graph->edge_weight[ptr[b]] = weight;
        graph->idx[ptr[a]++] = b;
        graph->idx[ptr[b]++] = a;
    }
    /* every begin has moved to the begin of the next */
    memmove(ptr + 1, ptr, (size_t)graph->n * sizeof *ptr);
    ptr[0] = 0;
}

static void take_positions(icf_body_graph *graph, const icf_exchange *exchange, int size)
{
    for (int rank = 0; rank < size; ++rank) {
        const vertex *vertices;
        const edge *edges;
        const message_head *head = read_message(exchange, rank, &vertices, &edges);
        for (int64_t k = 0; k < head->nvertex; ++k)
            graph->position[find(graph, vertices[k].gid)] = vertices[k].position;
    }
}

static icf_status build(icf_body_graph *graph, const icf_exchange *exchange, int size)
{
    edge_list list = {0};
    ICF_TRY(count(graph, exchange, size));
    ICF_TRY(allocate(graph));
    take_vertices(graph, exchange, size);
    take_positions(graph, exchange, size);
    icf_status status = allocate_edges(&list, graph->nedge);
    if (status == ICF_OK) status = list_edges(graph, exchange, size, &list);
    if (status == ICF_OK) fill_neighbours(graph, &list);
    clear_edges(&list);
    return status;
}

icf_status icf_body_graph_gather(icf_body_graph *graph, icf_context *context, icf_exchange *exchange,
                                 const icf_bodies *bodies, const double *weight, icf_lid npair, const icf_pair *pairs,
                                 const double *pair_weight)
{
    ICF_TRY(icf_exchange_run(exchange, write_graph(exchange, bodies, weight, npair, pairs, pair_weight)));
    return icf_agree(context, context->rank == 0 ? build(graph, exchange, context->size) : ICF_OK);
}
