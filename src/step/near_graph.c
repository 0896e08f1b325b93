/* The graph of near bodies. */
#include "step/near_graph.h"

#include "step/body_cost.h"
#include "step/distribute.h"

/* Two bodies are near when a quarter of their sizes lies between them. */
static const double near_part = 0.25;

double icf_near_margin(const icf_bodies *bodies, icf_lid i)
{
    return icf_bodies_moves(bodies, i) ? near_part * bodies->radius[i] : 0.0;
}

static icf_status near_pairs(icf_arena *arena, icf_context *context, icf_broad_phase *broad, const icf_bodies *bodies,
                             const double *margin, icf_lid *npair, const icf_pair **pairs)
{
    double *wide = ICF_ARENA_ARRAY(arena, double, bodies->n);
    if (!wide) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < bodies->n; ++i) wide[i] = margin[i] + icf_near_margin(bodies, i);
    return icf_broad_phase_find(broad, context, bodies, wide, npair, pairs);
}

/* Bodies that have been through a step carry what it cost; contacts say it of others. */
static icf_status weigh_bodies(icf_arena *arena, const icf_bodies *bodies, const icf_split_motions *split,
                               const icf_contacts *contacts, double *weight)
{
    double *guess = ICF_ARENA_ARRAY(arena, double, bodies->n);
    if (!guess) return ICF_ERROR_MEMORY;
    icf_body_costs_guess(bodies, split, contacts, guess);
    for (icf_lid i = 0; i < bodies->nowned; ++i) weight[i] = bodies->cost[i] > 0.0 ? bodies->cost[i] : guess[i];
    return ICF_OK;
}

/* A pair of moving bodies belongs to the rank that owns the first. */
static bool is_mine(const icf_bodies *bodies, icf_pair pair)
{
    return pair.a < bodies->nowned && icf_bodies_moves(bodies, pair.a) && icf_bodies_moves(bodies, pair.b);
}

/* Both lists are in canonical order: contacts of the near pairs are found by going through them together. */
static icf_lid contacts_of(const icf_bodies *bodies, const icf_contacts *contacts, icf_pair pair, icf_lid *at)
{
    for (; *at < contacts->npair; ++*at) {
        const icf_gid a = bodies->gid[contacts->pair[*at].a], b = bodies->gid[contacts->pair[*at].b];
        if (a > bodies->gid[pair.a] || (a == bodies->gid[pair.a] && b >= bodies->gid[pair.b])) break;
    }
    if (*at == contacts->npair || contacts->pair[*at].a != pair.a || contacts->pair[*at].b != pair.b) return 0;
    return contacts->pair_begin[*at + 1] - contacts->pair_begin[*at];
}

icf_status icf_near_graph_build(icf_near_graph *graph, icf_arena *arena, icf_context *context, icf_broad_phase *broad,
                                const icf_bodies *bodies, const icf_split_motions *split, const icf_contacts *contacts,
                                const double *margin)
{
    icf_lid nnear, at = 0;
    const icf_pair *near;
    ICF_TRY(near_pairs(arena, context, broad, bodies, margin, &nnear, &near));
    graph->weight = ICF_ARENA_ARRAY(arena, double, bodies->nowned);
    graph->pair = ICF_ARENA_ARRAY(arena, icf_pair, nnear);
    graph->pair_weight = ICF_ARENA_ARRAY(arena, double, nnear);
    graph->npair = 0;
    if (!graph->weight || !graph->pair || !graph->pair_weight) return ICF_ERROR_MEMORY;
    ICF_TRY(weigh_bodies(arena, bodies, split, contacts, graph->weight));
    for (icf_lid k = 0; k < nnear; ++k) {
        if (near[k].a == near[k].b || !is_mine(bodies, near[k])) continue;
        graph->pair[graph->npair] = near[k];
        /* a shared body draws nothing to its owner: it is on all ranks, as its contacts are */
        const bool shared =
            icf_split_motions_get(split, bodies, near[k].a) || icf_split_motions_get(split, bodies, near[k].b);
        const icf_lid ncontact = shared ? 0 : contacts_of(bodies, contacts, near[k], &at);
        graph->pair_weight[graph->npair++] = 1.0 + ICF_CONTACT_WEIGHT * ncontact;
    }
    return ICF_OK;
}

icf_weighted_pairs icf_near_graph_pairs(const icf_near_graph *graph, const icf_scene *scene)
{
    return (icf_weighted_pairs){.weight = graph->weight,
                                .npair = graph->npair,
                                .pair = graph->pair,
                                .pair_weight = graph->pair_weight,
                                .whole = {1.0 + ICF_CONTACT_WEIGHT, icf_find_gather_below(scene)}};
}
