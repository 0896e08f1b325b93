/* Pieces, their order along a Hilbert curve, edges between neighbours on it. */
#include "partition/graph_link.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/curve.h"
#include "partition/hilbert.h"

typedef struct link_work {
    int32_t *piece;          /* (n) piece of a vertex, -1: not seen yet */
    int32_t *stack;          /* (n) */
    icf_keyed *order, *work; /* (n) vertices along the curve */
    icf_box *box;            /* (n) */
} link_work;

static icf_status allocate(link_work *w, int32_t nvertex)
{
    const size_t n = (size_t)nvertex + 1;
    w->piece = icf_alloc(n * sizeof *w->piece);
    w->stack = icf_alloc(n * sizeof *w->stack);
    w->order = icf_alloc(n * sizeof *w->order);
    w->work = icf_alloc(n * sizeof *w->work);
    w->box = icf_alloc(n * sizeof *w->box);
    return w->piece && w->stack && w->order && w->work && w->box ? ICF_OK : ICF_ERROR_MEMORY;
}

static void clear(link_work *w)
{
    icf_free(w->piece);
    icf_free(w->stack);
    icf_free(w->order);
    icf_free(w->work);
    icf_free(w->box);
}

static void mark_piece(const icf_graph *graph, link_work *w, int32_t first, int32_t piece)
{
    int32_t nstack = 0;
    w->stack[nstack++] = first;
    w->piece[first] = piece;
    while (nstack > 0) {
        const int32_t v = w->stack[--nstack];
        for (int32_t e = graph->ptr[v]; e < graph->ptr[v + 1]; ++e) {
            if (w->piece[graph->idx[e]] >= 0) continue;
            w->piece[graph->idx[e]] = piece;
            w->stack[nstack++] = graph->idx[e];
        }
    }
}

/* Numbers the pieces; returns how many there are. */
static int32_t find_pieces(const icf_graph *graph, link_work *w)
{
    int32_t npiece = 0;
    for (int32_t v = 0; v < graph->n; ++v) w->piece[v] = -1;
    for (int32_t v = 0; v < graph->n; ++v)
        if (w->piece[v] < 0) mark_piece(graph, w, v, npiece++);
    return npiece;
}

/* Cell of the curve's cube along one axis; what is outside, and NaN, is taken to the faces. */
static uint32_t cell_of(double offset, double scale)
{
    const double cells = (double)(1 << ICF_HILBERT_AXIS_BITS);
    const double cell = offset * scale * (double)(1 << (ICF_HILBERT_AXIS_BITS - ICF_CURVE_AXIS_BITS));
    if (!(cell > 0.0)) return 0;
    return (uint32_t)fmin(cell, cells - 1.0);
}

/* Lowest corner of the vertices, no farther from the centre than the cube reaches: like the curve of
 * decompose_curve.c, this one must not halve a flat scene into layers. */
static icf_vec3 lowest_corner(const icf_curve *curve, int32_t n, const icf_vec3 *position)
{
    const double half = curve->scale > 0.0 ? (double)(1 << (ICF_CURVE_AXIS_BITS - 1)) / curve->scale : 0.0;
    icf_vec3 lo = curve->center;
    for (int32_t v = 0; v < n; ++v)
        lo = icf_vec3_make(fmin(lo.x, position[v].x), fmin(lo.y, position[v].y), fmin(lo.z, position[v].z));
    const icf_vec3 reach = icf_sub(curve->center, icf_vec3_make(half, half, half));
    return icf_vec3_make(fmax(lo.x, reach.x), fmax(lo.y, reach.y), fmax(lo.z, reach.z));
}

static void order_along_curve(int32_t n, const icf_vec3 *position, link_work *w)
{
    for (int32_t v = 0; v < n; ++v) {
        w->order[v] = (icf_keyed){0, v};
        w->box[v] = (icf_box){position[v], position[v]};
    }
    const icf_curve curve = icf_curve_fit(n, w->order, w->box);
    const icf_vec3 lo = lowest_corner(&curve, n, position);
    for (int32_t v = 0; v < n; ++v) {
        const icf_vec3 offset = icf_sub(position[v], lo);
        const uint32_t cell[3] = {cell_of(offset.x, curve.scale), cell_of(offset.y, curve.scale),
                                  cell_of(offset.z, curve.scale)};
        w->order[v].key = icf_hilbert_key(cell);
    }
    icf_sort_keyed(n, w->order, w->work);
}

/* Ends of the link behind place k of the curve; false: there is none, both are of one piece. */
static bool link_at(const link_work *w, int32_t k, int32_t *a, int32_t *b)
{
    *a = w->order[k].value;
    *b = w->order[k + 1].value;
    return w->piece[*a] != w->piece[*b];
}

static icf_status allocate_linked(icf_graph *linked, const icf_graph *graph, int32_t nlink)
{
    const size_t nedge = (size_t)graph->ptr[graph->n] + 2 * (size_t)nlink;
    if (nedge > INT32_MAX) return ICF_ERROR_MEMORY;
    linked->n = graph->n;
    linked->vertex_weight = graph->vertex_weight;
    linked->ptr = icf_alloc(((size_t)graph->n + 1) * sizeof *linked->ptr);
    linked->idx = icf_alloc((nedge + 1) * sizeof *linked->idx);
    linked->edge_weight = icf_alloc((nedge + 1) * sizeof *linked->edge_weight);
    return linked->ptr && linked->idx && linked->edge_weight ? ICF_OK : ICF_ERROR_MEMORY;
}

/* Each vertex has at most one link before and one behind it on the curve: they follow its own neighbours. */
static void copy_neighbours(const icf_graph *graph, const link_work *w, icf_graph *linked)
{
    int32_t *extra = w->stack, a, b, at = 0;
    memset(extra, 0, (size_t)graph->n * sizeof *extra);
    for (int32_t k = 0; k + 1 < graph->n; ++k) {
        const int32_t one = link_at(w, k, &a, &b);
        extra[a] += one;
        extra[b] += one;
    }
    for (int32_t v = 0; v < graph->n; ++v) {
        const int32_t begin = graph->ptr[v], n = graph->ptr[v + 1] - begin;
        linked->ptr[v] = at;
        memcpy(linked->idx + at, graph->idx + begin, (size_t)n * sizeof *linked->idx);
        memcpy(linked->edge_weight + at, graph->edge_weight + begin, (size_t)n * sizeof *linked->edge_weight);
        at += n + extra[v];
    }
    linked->ptr[graph->n] = at;
}

static void add_link(icf_graph *linked, int32_t *extra, int32_t from, int32_t to)
{
    const int32_t at = linked->ptr[from + 1] - extra[from]--;
    linked->idx[at] = to;
    linked->edge_weight[at] = 1;
}

static void add_links(const link_work *w, icf_graph *linked)
{
    for (int32_t k = 0, a, b; k + 1 < linked->n; ++k) {
        if (!link_at(w, k, &a, &b)) continue;
        add_link(linked, w->stack, a, b);
        add_link(linked, w->stack, b, a);
    }
}

static icf_status link_pieces(const icf_graph *graph, const icf_vec3 *position, link_work *w, icf_graph *linked)
{
    int32_t nlink = 0, a, b;
    ICF_TRY(allocate(w, graph->n));
    if (find_pieces(graph, w) < 2) return ICF_OK;
    order_along_curve(graph->n, position, w);
    for (int32_t k = 0; k + 1 < graph->n; ++k) nlink += link_at(w, k, &a, &b);
    ICF_TRY(allocate_linked(linked, graph, nlink));
    copy_neighbours(graph, w, linked);
    add_links(w, linked);
    return ICF_OK;
}

icf_status icf_graph_link(const icf_graph *graph, const icf_vec3 *position, icf_graph *linked)
{
    link_work work = {0};
    *linked = (icf_graph){0};
    const icf_status status = link_pieces(graph, position, &work, linked);
    clear(&work);
    return status;
}

void icf_graph_link_clear(icf_graph *linked)
{
    icf_free(linked->ptr);
    icf_free(linked->idx);
    icf_free(linked->edge_weight);
    *linked = (icf_graph){0};
}
