/* The cut of a plan: the graph of a rebalancing, in one process. */
#include <math.h>
#include <string.h>

#include "base/disjoint_sets.h"
#include "base/memory.h"
#include "partition/cut.h"
#include "partition/wholes.h"
#include "step/near_graph.h"
#include "step/plan_private.h"

/* Pairs of near moving bodies of a region, as vertices, with weights. */
typedef struct graph_work {
    icf_broad_phase *broad;
    icf_near_graph near;
    int *region; /* (bodies) -1: does not move */
    icf_lid nvertex, npair;
    icf_lid *vertex_of; /* (bodies) */
    icf_pair *pair;     /* (npair) vertices, a < b */
    double *vertex_weight, *pair_weight;
    icf_vec3 *position;  /* (nvertex) [m] */
    int32_t *whole_pair; /* (npair) weights as whole numbers */
    icf_whole_rule rule;
    icf_whole_size *size; /* (nvertex) */
    int32_t *whole;       /* (nvertex) whole of each */
    icf_graph graph;
    int32_t *part; /* (nvertex) */
} graph_work;

static void number_vertices(const icf_plan_work *work, graph_work *g, int region)
{
    const icf_bodies *bodies = work->domain.bodies;
    g->nvertex = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (g->region[i] != region) continue;
        g->vertex_weight[g->nvertex] = g->near.weight[i];
        g->position[g->nvertex] = bodies->position[i];
        g->size[g->nvertex] = icf_whole_size_of(bodies, i);
        g->vertex_of[i] = g->nvertex++;
    }
}

/* The near pairs within the region as pairs of vertices. */
static void list_pairs(graph_work *g, int region)
{
    g->npair = 0;
    for (icf_lid k = 0; k < g->near.npair; ++k) {
        const icf_pair pair = g->near.pair[k];
        if (g->region[pair.a] != region || g->region[pair.b] != region) continue;
        g->pair_weight[g->npair] = g->near.pair_weight[k];
        g->pair[g->npair++] = (icf_pair){g->vertex_of[pair.a], g->vertex_of[pair.b]};
    }
}

/* Pairs in canonical order give ascending neighbours: first those before a vertex, then those behind it. */
static void fill_neighbours(graph_work *g)
{
    icf_graph *graph = &g->graph;
    for (icf_lid v = 0; v <= g->nvertex; ++v) graph->ptr[v] = 0;
    for (icf_lid k = 0; k < g->npair; ++k) {
        ++graph->ptr[g->pair[k].a];
        ++graph->ptr[g->pair[k].b];
    }
    icf_lid end = 0;
    for (icf_lid v = 0; v < g->nvertex; ++v) {
        end += graph->ptr[v];
        graph->ptr[v] = end;
    }
    graph->ptr[g->nvertex] = end;
    for (icf_lid k = g->npair - 1; k >= 0; --k) { /* behind: filled from the end */
        const int32_t at = --graph->ptr[g->pair[k].a];
        graph->idx[at] = g->pair[k].b;
        graph->edge_weight[at] = g->whole_pair[k];
    }
    for (icf_lid k = g->npair - 1; k >= 0; --k) {
        const int32_t at = --graph->ptr[g->pair[k].b];
        graph->idx[at] = g->pair[k].a;
        graph->edge_weight[at] = g->whole_pair[k];
    }
}

/* Room for the largest graph, that of all bodies. */
static icf_status allocate(icf_plan_work *work, graph_work *g)
{
    icf_arena *arena = &work->arena;
    const size_t n = (size_t)work->domain.bodies->n + 1, n2 = 2 * (size_t)g->near.npair + 1;
    if (n2 > INT32_MAX) return ICF_ERROR_MEMORY;
    g->vertex_of = ICF_ARENA_ARRAY(arena, icf_lid, n);
    g->vertex_weight = ICF_ARENA_ARRAY(arena, double, n);
    g->position = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    g->part = ICF_ARENA_ARRAY(arena, int32_t, n);
    g->pair = ICF_ARENA_ARRAY(arena, icf_pair, n2);
    g->pair_weight = ICF_ARENA_ARRAY(arena, double, n2);
    g->whole_pair = ICF_ARENA_ARRAY(arena, int32_t, n2);
    g->size = ICF_ARENA_ARRAY(arena, icf_whole_size, n);
    g->whole = ICF_ARENA_ARRAY(arena, int32_t, n);
    g->graph = (icf_graph){.ptr = ICF_ARENA_ARRAY(arena, int32_t, n),
                           .idx = ICF_ARENA_ARRAY(arena, int32_t, n2),
                           .vertex_weight = ICF_ARENA_ARRAY(arena, int32_t, n),
                           .edge_weight = ICF_ARENA_ARRAY(arena, int32_t, n2)};
    const bool complete = g->vertex_of && g->vertex_weight && g->position && g->part && g->pair && g->pair_weight &&
                          g->whole_pair && g->size && g->whole && g->graph.ptr && g->graph.idx &&
                          g->graph.vertex_weight && g->graph.edge_weight;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

static icf_status find_wholes(graph_work *g)
{
    icf_sets_start(g->nvertex, g->whole);
    for (icf_lid k = 0; k < g->npair; ++k)
        if (g->pair_weight[k] >= g->rule.pair_weight) icf_sets_join(g->whole, g->pair[k].a, g->pair[k].b);
    const int32_t nwhole = icf_wholes_number(g->nvertex, g->whole, g->size, g->rule.below);
    g->graph.nwhole = nwhole;
    g->graph.whole = nwhole < g->nvertex ? g->whole : NULL;
    return nwhole >= 0 ? ICF_OK : ICF_ERROR_MEMORY;
}

/* METIS on the graph of a region. */
static icf_status cut_region(icf_plan_work *work, graph_work *g, icf_regions regions, int region, icf_plan *plan)
{
    const int first = icf_region_first(regions, region), count = icf_region_first(regions, region + 1) - first;
    icf_decomposition unused;
    number_vertices(work, g, region);
    list_pairs(g, region);
    g->graph.n = g->nvertex;
    plan->load[first].graph_bodies = g->nvertex;
    plan->load[first].graph_pairs = g->npair;
    icf_whole_vertex_weights(g->nvertex, g->vertex_weight, g->graph.vertex_weight);
    icf_whole_edge_weights(g->npair, g->pair_weight, g->whole_pair);
    fill_neighbours(g);
    ICF_TRY(find_wholes(g));
    ICF_TRY(icf_graph_cut(work->context, &g->graph, g->position, count, g->part, &unused));
    for (icf_lid i = 0; i < work->domain.bodies->n; ++i)
        if (g->region[i] == region) work->owner[i] = first + g->part[g->vertex_of[i]];
    return ICF_OK;
}

/* The curve's code cuts for as many ranks as the context says; sums over ranks are those of this process. */
static icf_status cut_curve(icf_plan_work *work, const graph_work *g)
{
    icf_decomposition unused;
    icf_context *planned = icf_arena_alloc(&work->arena, sizeof *planned);
    if (!planned) return ICF_ERROR_MEMORY;
    *planned = *work->context;
    planned->size = work->settings->nrank;
    return icf_decompose_curve(planned, work->domain.bodies, g->near.weight, work->owner, &unused);
}

/* Regions that METIS cuts, as a run decides or as the settings say. */
static int metis_regions(const icf_plan_work *work, const graph_work *g, icf_cnt nmoving)
{
    if (work->settings->cut == ICF_PLAN_METIS) return 1;
    if (work->settings->cut == ICF_PLAN_CURVE) return 0;
    return icf_regions_of(nmoving, g->near.npair, ICF_METIS_BODIES, work->settings->nrank).n;
}

/* Of the owners, in the weights of the graph. */
static icf_status measure(icf_plan_work *work, const graph_work *g, icf_decomposition *result)
{
    const int nrank = work->settings->nrank;
    double *load = ICF_ARENA_ARRAY(&work->arena, double, nrank), cut = 0.0, edges = 0.0, largest = 0.0, sum = 0.0;
    if (!load) return ICF_ERROR_MEMORY;
    memset(load, 0, (size_t)nrank * sizeof *load);
    for (icf_lid i = 0; i < work->domain.bodies->n; ++i) {
        if (work->owner[i] < 0) continue;
        load[work->owner[i]] += g->near.weight[i];
        sum += g->near.weight[i];
    }
    for (int rank = 0; rank < nrank; ++rank) largest = fmax(largest, load[rank]);
    for (icf_lid k = 0; k < g->near.npair; ++k) {
        const icf_pair pair = g->near.pair[k];
        edges += g->near.pair_weight[k];
        if (work->owner[pair.a] != work->owner[pair.b]) cut += g->near.pair_weight[k];
    }
    *result = (icf_decomposition){edges > 0.0 ? cut / edges : 0.0, sum > 0.0 ? largest * nrank / sum : 1.0};
    return ICF_OK;
}

/* The parts of a plan before, and the graph that they were cut from. */
static void take_parts(icf_plan_work *work, const icf_plan *before, icf_plan *plan)
{
    memcpy(work->owner, before->rank, (size_t)work->domain.bodies->n * sizeof *work->owner);
    plan->regions = before->regions;
    for (int rank = 0; rank < plan->step.nrank; ++rank) {
        plan->load[rank].graph_bodies = before->load[rank].graph_bodies;
        plan->load[rank].graph_pairs = before->load[rank].graph_pairs;
    }
}

static icf_status cut(icf_plan_work *work, graph_work *g, icf_plan *plan)
{
    if (work->settings->before) {
        take_parts(work, work->settings->before, plan);
        return measure(work, g, &plan->decomposition);
    }
    const icf_bodies *bodies = work->domain.bodies;
    icf_cnt nmoving = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) nmoving += icf_bodies_moves(bodies, i);
    plan->regions = metis_regions(work, g, nmoving);
    const icf_regions regions = {ICF_MAX(plan->regions, 1), work->settings->nrank};
    if (plan->regions != 1) ICF_TRY(cut_curve(work, g));
    for (icf_lid i = 0; i < bodies->n; ++i) {
        const bool moves = icf_bodies_moves(bodies, i);
        if (!moves) work->owner[i] = -1;
        g->region[i] = !moves ? -1 : plan->regions > 1 ? icf_region_of(regions, work->owner[i]) : 0;
    }
    for (int region = 0; region < plan->regions; ++region) ICF_TRY(cut_region(work, g, regions, region, plan));
    return measure(work, g, &plan->decomposition);
}

icf_status icf_plan_cut_bodies(icf_plan_work *work, icf_plan *plan)
{
    graph_work g = {.region = ICF_ARENA_ARRAY(&work->arena, int, work->domain.bodies->n)};
    if (!g.region) return ICF_ERROR_MEMORY;
    ICF_TRY(icf_broad_phase_create(&g.broad));
    icf_status status = icf_near_graph_build(&g.near, &work->arena, work->context, g.broad, work->domain.bodies,
                                             &work->domain.split, &work->domain.contacts, work->margin);
    if (status == ICF_OK) status = allocate(work, &g);
    g.rule = icf_near_graph_pairs(&g.near, work->input.scene).whole;
    if (status == ICF_OK) status = cut(work, &g, plan);
    icf_broad_phase_destroy(&g.broad);
    return status;
}
