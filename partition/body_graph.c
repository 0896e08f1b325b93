/* Gathering of body graphs: every rank sends its bodies and pairs by global id to the first ranks of their regions,
 * which number and sort them. */
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

/* What goes to the ranks: whose bodies and pairs are theirs. */
typedef struct sorter {
    const icf_bodies *bodies;
    icf_lid npair;
    const icf_pair *pairs;
    icf_regions regions;
    const int *region;
} sorter;

/* A pair goes to the region of its body that this rank owns, the first when it owns both. */
static int region_of_pair(const sorter *sort, icf_pair pair)
{
    return sort->region[pair.a < sort->bodies->nowned ? pair.a : pair.b];
}

/* To each region how much will come. */
static icf_status write_heads(icf_exchange *exchange, const sorter *sort)
{
    const icf_bodies *bodies = sort->bodies;
    message_head *head = icf_alloc((size_t)sort->regions.n * sizeof *head);
    if (!head) return ICF_ERROR_MEMORY;
    memset(head, 0, (size_t)sort->regions.n * sizeof *head);
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i)) ++head[sort->region[i]].nvertex;
    for (icf_lid k = 0; k < sort->npair; ++k)
        if (is_edge(bodies, sort->pairs[k])) ++head[region_of_pair(sort, sort->pairs[k])].nedge;
    icf_status status = ICF_OK;
    for (int r = 0; r < sort->regions.n && status == ICF_OK; ++r)
        status = icf_exchange_write(exchange, icf_region_first(sort->regions, r), &head[r], sizeof head[r]);
    icf_free(head);
    return status;
}

static icf_status write_graph(icf_exchange *exchange, const sorter *sort, const double *weight,
                              const double *pair_weight)
{
    const icf_bodies *bodies = sort->bodies;
    icf_exchange_begin(exchange);
    ICF_TRY(write_heads(exchange, sort));
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        const vertex v = {bodies->gid[i], weight ? weight[i] : 1.0, bodies->position[i]};
        ICF_TRY(icf_exchange_write(exchange, icf_region_first(sort->regions, sort->region[i]), &v, sizeof v));
    }
    for (icf_lid k = 0; k < sort->npair; ++k) {
        const icf_pair pair = sort->pairs[k];
        if (!is_edge(bodies, pair)) continue;
        const icf_gid a = bodies->gid[pair.a], b = bodies->gid[pair.b];
        const edge e = {ICF_MIN(a, b), ICF_MAX(a, b), pair_weight ? pair_weight[k] : 1.0};
        const int to = icf_region_first(sort->regions, region_of_pair(sort, pair));
        ICF_TRY(icf_exchange_write(exchange, to, &e, sizeof e));
    }
    return ICF_OK;
}

/* ---- first rank of a region ---- */

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

/* Vertex of a body; -1: none, the body is in another region. */
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

/* Edges within the region. */
static void list_edges(icf_body_graph *graph, const icf_exchange *exchange, int size, edge_list *list)
{
    icf_lid n = 0;
    for (int rank = 0; rank < size; ++rank) {
        const vertex *vertices;
        const edge *edges;
        const message_head *head = read_message(exchange, rank, &vertices, &edges);
        for (int64_t k = 0; k < head->nedge; ++k) {
            const int32_t a = find(graph, edges[k].a), b = find(graph, edges[k].b);
            if (a < 0 || b < 0) {
                graph->across += edges[k].weight;
                continue;
            }
            list->item[n] = (icf_keyed){(uint64_t)a << 32 | (uint64_t)b, n};
            list->weight[n++] = edges[k].weight;
            graph->inside += edges[k].weight;
        }
    }
    graph->nedge = n;
    icf_sort_keyed(n, list->item, list->work);
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
    memset(ptr, 0, ((size_t)graph->n + 1) * sizeof *ptr);
    for (icf_lid k = 0; k < graph->nedge; ++k) {
        ++ptr[lower_vertex(list->item[k]) + 1];
        ++ptr[upper_vertex(list->item[k]) + 1];
    }
    for (icf_lid v = 0; v < graph->n; ++v) ptr[v + 1] += ptr[v];
    const double scale = fmin(edge_weights / graph->inside, edge_ordinary);
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
    const icf_status status = allocate_edges(&list, graph->nedge);
    if (status == ICF_OK) {
        list_edges(graph, exchange, size, &list);
        fill_neighbours(graph, &list);
    }
    clear_edges(&list);
    return status;
}

icf_status icf_body_graph_gather(icf_body_graph *graph, icf_context *context, icf_exchange *exchange,
                                 const icf_bodies *bodies, const double *weight, icf_lid npair, const icf_pair *pairs,
                                 const double *pair_weight, icf_regions regions, const int *region)
{
    const sorter sort = {.bodies = bodies, .npair = npair, .pairs = pairs, .regions = regions, .region = region};
    ICF_TRY(icf_exchange_run(exchange, write_graph(exchange, &sort, weight, pair_weight)));
    const bool gathers = icf_region_first(regions, icf_region_of(regions, context->rank)) == context->rank;
    return icf_agree(context, gathers ? build(graph, exchange, context->size) : ICF_OK);
}
