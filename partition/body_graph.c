/* Gathering of body graphs: every rank sends its bodies and pairs by global id to the first ranks of their regions,
 * which number and sort them. */
#include "partition/body_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/disjoint_sets.h"
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
    icf_whole_size size;
} vertex;

typedef struct edge {
    icf_gid a, b; /* a < b */
    double weight;
} edge;

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
    icf_free(graph->whole);
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
    const icf_weighted_pairs *pairs;
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
    for (icf_lid k = 0; k < sort->pairs->npair; ++k)
        if (is_edge(bodies, sort->pairs->pair[k])) ++head[region_of_pair(sort, sort->pairs->pair[k])].nedge;
    icf_status status = ICF_OK;
    for (int r = 0; r < sort->regions.n && status == ICF_OK; ++r)
        status = icf_exchange_write(exchange, icf_region_first(sort->regions, r), &head[r], sizeof head[r]);
    icf_free(head);
    return status;
}

static icf_status write_graph(icf_exchange *exchange, const sorter *sort)
{
    const icf_bodies *bodies = sort->bodies;
    const icf_weighted_pairs *pairs = sort->pairs;
    icf_exchange_begin(exchange);
    ICF_TRY(write_heads(exchange, sort));
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        const vertex v = {bodies->gid[i], pairs->weight ? pairs->weight[i] : 1.0, bodies->position[i],
                          icf_whole_size_of(bodies, i)};
        ICF_TRY(icf_exchange_write(exchange, icf_region_first(sort->regions, sort->region[i]), &v, sizeof v));
    }
    for (icf_lid k = 0; k < pairs->npair; ++k) {
        const icf_pair pair = pairs->pair[k];
        if (!is_edge(bodies, pair)) continue;
        const icf_gid a = bodies->gid[pair.a], b = bodies->gid[pair.b];
        const edge e = {ICF_MIN(a, b), ICF_MAX(a, b), pairs->pair_weight ? pairs->pair_weight[k] : 1.0};
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
    graph->whole = icf_alloc(n * sizeof *graph->whole);
    const bool complete = graph->vertex && graph->position && graph->ptr && graph->idx && graph->vertex_weight &&
                          graph->edge_weight && graph->whole;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

static int compare_vertices(const void *a, const void *b)
{
    const icf_gid x = ((const icf_graph_vertex *)a)->gid, y = ((const icf_graph_vertex *)b)->gid;
    return (x > y) - (x < y);
}

static void take_vertices(icf_body_graph *graph, const icf_exchange *exchange, int size)
{
    icf_lid n = 0;
    for (int rank = 0; rank < size; ++rank) {
        const vertex *vertices;
        const edge *edges;
        const message_head *head = read_message(exchange, rank, &vertices, &edges);
        for (int64_t k = 0; k < head->nvertex; ++k)
            graph->vertex[n++] = (icf_graph_vertex){vertices[k].gid, vertices[k].weight, vertices[k].size, rank};
    }
    if (n > 0) qsort(graph->vertex, (size_t)n, sizeof *graph->vertex, compare_vertices);
}

static icf_status weigh_vertices(icf_body_graph *graph)
{
    double *weight = icf_alloc(((size_t)graph->n + 1) * sizeof *weight);
    if (!weight) return ICF_ERROR_MEMORY;
    for (icf_lid v = 0; v < graph->n; ++v) weight[v] = graph->vertex[v].weight;
    icf_whole_vertex_weights(graph->n, weight, graph->vertex_weight);
    icf_free(weight);
    return ICF_OK;
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
    int32_t *whole;         /* (nedge) weights as whole numbers */
} edge_list;

static icf_status allocate_edges(edge_list *list, icf_lid nedge)
{
    const size_t n = (size_t)nedge + 1;
    list->item = icf_alloc(n * sizeof *list->item);
    list->work = icf_alloc(n * sizeof *list->work);
    list->weight = icf_alloc(n * sizeof *list->weight);
    list->whole = icf_alloc(n * sizeof *list->whole);
    return list->item && list->work && list->weight && list->whole ? ICF_OK : ICF_ERROR_MEMORY;
}

static void clear_edges(edge_list *list)
{
    icf_free(list->item);
    icf_free(list->work);
    icf_free(list->weight);
    icf_free(list->whole);
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
    icf_whole_edge_weights(n, list->weight, list->whole);
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
    for (icf_lid k = 0; k < graph->nedge; ++k) {
        const int32_t a = lower_vertex(list->item[k]), b = upper_vertex(list->item[k]);
        const int32_t weight = list->whole[list->item[k].value];
        graph->edge_weight[ptr[a]] = graph->edge_weight[ptr[b]] = weight;
        graph->idx[ptr[a]++] = b;
        graph->idx[ptr[b]++] = a;
    }
    /* every begin has moved to the begin of the next */
    memmove(ptr + 1, ptr, (size_t)graph->n * sizeof *ptr);
    ptr[0] = 0;
}

/* Bodies that heavy pairs join. */
static icf_status find_wholes(icf_body_graph *graph, const edge_list *list, icf_whole_rule rule)
{
    icf_whole_size *size = icf_alloc(((size_t)graph->n + 1) * sizeof *size);
    if (!size) return ICF_ERROR_MEMORY;
    icf_sets_start(graph->n, graph->whole);
    for (icf_lid v = 0; v < graph->n; ++v) size[v] = graph->vertex[v].size;
    for (icf_lid k = 0; k < graph->nedge; ++k)
        if (list->weight[list->item[k].value] >= rule.pair_weight)
            icf_sets_join(graph->whole, lower_vertex(list->item[k]), upper_vertex(list->item[k]));
    graph->nwhole = icf_wholes_number(graph->n, graph->whole, size, rule.below);
    icf_free(size);
    return graph->nwhole >= 0 ? ICF_OK : ICF_ERROR_MEMORY;
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

static icf_status build(icf_body_graph *graph, const icf_exchange *exchange, int size, icf_whole_rule rule)
{
    edge_list list = {0};
    ICF_TRY(count(graph, exchange, size));
    ICF_TRY(allocate(graph));
    take_vertices(graph, exchange, size);
    ICF_TRY(weigh_vertices(graph));
    take_positions(graph, exchange, size);
    icf_status status = allocate_edges(&list, graph->nedge);
    if (status == ICF_OK) {
        list_edges(graph, exchange, size, &list);
        fill_neighbours(graph, &list);
        status = find_wholes(graph, &list, rule);
    }
    clear_edges(&list);
    return status;
}

icf_status icf_body_graph_gather(icf_body_graph *graph, icf_context *context, icf_exchange *exchange,
                                 const icf_bodies *bodies, const icf_weighted_pairs *pairs, icf_regions regions,
                                 const int *region)
{
    const sorter sort = {.bodies = bodies, .pairs = pairs, .regions = regions, .region = region};
    ICF_TRY(icf_exchange_run(exchange, write_graph(exchange, &sort)));
    const bool gathers = icf_region_first(regions, icf_region_of(regions, context->rank)) == context->rank;
    return icf_agree(context, gathers ? build(graph, exchange, context->size, pairs->whole) : ICF_OK);
}
