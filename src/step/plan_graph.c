/* The cut of a plan: the graph of a rebalancing, in one process. */
#include "base/memory.h"
#include "partition/cut.h"
#include "step/near_graph.h"
#include "step/plan_private.h"

/* Pairs of near moving bodies, as vertices, with weights. */
typedef struct graph_work {
    icf_broad_phase *broad;
    icf_lid nvertex, npair;
    icf_lid *vertex_of; /* (bodies) */
    icf_pair *pair;     /* (npair) vertices, a < b */
    icf_near_graph near;
    double *vertex_weight;
    icf_vec3 *position; /* (nvertex) [m] */
    int32_t *whole;     /* (npair) */
    icf_graph graph;
    int32_t *part; /* (nvertex) */
} graph_work;

static void number_vertices(const icf_plan_work *work, graph_work *g)
{
    const icf_bodies *bodies = work->domain.bodies;
    g->nvertex = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        g->vertex_weight[g->nvertex] = g->near.weight[i];
        g->position[g->nvertex] = bodies->position[i];
        g->vertex_of[i] = g->nvertex++;
    }
}

/* The near pairs as pairs of vertices. */
static icf_status list_pairs(icf_plan_work *work, graph_work *g)
{
    g->npair = g->near.npair;
    g->pair = ICF_ARENA_ARRAY(&work->arena, icf_pair, g->npair);
    g->whole = ICF_ARENA_ARRAY(&work->arena, int32_t, g->npair);
    if (!g->pair || !g->whole) return ICF_ERROR_MEMORY;
    for (icf_lid k = 0; k < g->npair; ++k)
        g->pair[k] = (icf_pair){g->vertex_of[g->near.pair[k].a], g->vertex_of[g->near.pair[k].b]};
    return ICF_OK;
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
        graph->edge_weight[at] = g->whole[k];
    }
    for (icf_lid k = g->npair - 1; k >= 0; --k) {
        const int32_t at = --graph->ptr[g->pair[k].b];
        graph->idx[at] = g->pair[k].a;
        graph->edge_weight[at] = g->whole[k];
    }
}

static icf_status build_graph(icf_plan_work *work, graph_work *g)
{
    icf_arena *arena = &work->arena;
    const size_t n = (size_t)g->nvertex + 1, n2 = 2 * (size_t)g->npair + 1;
    if (n2 > INT32_MAX) return ICF_ERROR_MEMORY;
    g->graph = (icf_graph){.n = g->nvertex,
                           .ptr = ICF_ARENA_ARRAY(arena, int32_t, n),
                           .idx = ICF_ARENA_ARRAY(arena, int32_t, n2),
                           .vertex_weight = ICF_ARENA_ARRAY(arena, int32_t, n),
                           .edge_weight = ICF_ARENA_ARRAY(arena, int32_t, n2)};
    g->part = ICF_ARENA_ARRAY(arena, int32_t, n);
    if (!g->graph.ptr || !g->graph.idx || !g->graph.vertex_weight || !g->graph.edge_weight || !g->part)
        return ICF_ERROR_MEMORY;
    icf_whole_vertex_weights(g->nvertex, g->vertex_weight, g->graph.vertex_weight);
    icf_whole_edge_weights(g->npair, g->near.pair_weight, g->whole);
    fill_neighbours(g);
    return ICF_OK;
}

/* As a run decides: METIS when there is a graph worth cutting that is not too large. */
static bool wants_metis(const icf_plan_work *work, const graph_work *g)
{
    if (work->settings->cut != ICF_PLAN_AUTO) return work->settings->cut == ICF_PLAN_METIS;
    return g->npair > 0 && g->nvertex <= ICF_METIS_BODIES &&
           g->nvertex >= ICF_METIS_BODIES_A_RANK * (icf_cnt)work->settings->nrank;
}

static icf_status cut_graph(icf_plan_work *work, graph_work *g, icf_plan *plan)
{
    const icf_bodies *bodies = work->domain.bodies;
    ICF_TRY(build_graph(work, g));
    ICF_TRY(icf_graph_cut(work->context, &g->graph, g->position, work->settings->nrank, g->part, &plan->decomposition));
    for (icf_lid i = 0; i < bodies->n; ++i)
        work->owner[i] = icf_bodies_moves(bodies, i) ? g->part[g->vertex_of[i]] : -1;
    return ICF_OK;
}

/* The curve's code cuts for as many ranks as the context says; sums over ranks are those of this process. */
static icf_status cut_curve(icf_plan_work *work, const graph_work *g, icf_plan *plan)
{
    const icf_bodies *bodies = work->domain.bodies;
    icf_context *planned = icf_arena_alloc(&work->arena, sizeof *planned);
    if (!planned) return ICF_ERROR_MEMORY;
    *planned = *work->context;
    planned->size = work->settings->nrank;
    ICF_TRY(icf_decompose_curve(planned, bodies, g->near.weight, work->owner, &plan->decomposition));
    double cut = 0.0, sum = 0.0;
    icf_lid *body_of = g->vertex_of; /* turned round: vertices ascend with bodies */
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (icf_bodies_moves(bodies, i))
            body_of[g->vertex_of[i]] = i;
        else
            work->owner[i] = -1;
    }
    for (icf_lid k = 0; k < g->npair; ++k) {
        sum += g->near.pair_weight[k];
        if (work->owner[body_of[g->pair[k].a]] != work->owner[body_of[g->pair[k].b]]) cut += g->near.pair_weight[k];
    }
    plan->decomposition.cut = sum > 0.0 ? cut / sum : 0.0;
    return ICF_OK;
}

icf_status icf_plan_cut_bodies(icf_plan_work *work, icf_plan *plan)
{
    const icf_lid n = work->domain.bodies->n;
    graph_work g = {.vertex_of = ICF_ARENA_ARRAY(&work->arena, icf_lid, n),
                    .vertex_weight = ICF_ARENA_ARRAY(&work->arena, double, n),
                    .position = ICF_ARENA_ARRAY(&work->arena, icf_vec3, n)};
    if (!g.vertex_of || !g.vertex_weight || !g.position) return ICF_ERROR_MEMORY;
    ICF_TRY(icf_broad_phase_create(&g.broad));
    icf_status status = icf_near_graph_build(&g.near, &work->arena, work->context, g.broad, work->domain.bodies,
                                             &work->domain.contacts, work->margin);
    if (status == ICF_OK) number_vertices(work, &g);
    if (status == ICF_OK) status = list_pairs(work, &g);
    plan->metis = wants_metis(work, &g);
    if (status == ICF_OK) status = plan->metis ? cut_graph(work, &g, plan) : cut_curve(work, &g, plan);
    icf_broad_phase_destroy(&g.broad);
    return status;
}
