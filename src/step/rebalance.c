/* Rebalancing: graph, cut, migration. */
#include "step/rebalance.h"

#include "contact/margin.h"
#include "partition/migrate.h"

/* The graph as this rank sees it. */
typedef struct graph {
    double *weight; /* (owned bodies) */
    icf_pair *pair; /* (npair) each found by one rank only */
    double *pair_weight;
    icf_lid npair;
    int *rank; /* (owned bodies) */
} graph;

/* Two bodies are near when a quarter of their sizes lies between them. */
static const double near_part = 0.25;
/* Weight of a contact in an edge, against 1 for being near. */
static const double contact_weight = 8.0;

static icf_status near_pairs(icf_distribution *distribution, const icf_domain *domain, const icf_step_input *input,
                             icf_lid *npair, const icf_pair **pairs)
{
    const icf_bodies *bodies = domain->bodies;
    double *margin = ICF_ARENA_ARRAY(input->arena, double, bodies->n);
    if (!margin) return ICF_ERROR_MEMORY;
    icf_contact_margins(input->scene, bodies, bodies->n, domain->motion.acceleration, input->reference, input->dt,
                        input->t + input->dt, margin);
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (icf_bodies_moves(bodies, i)) margin[i] += near_part * bodies->radius[i];
    if (!distribution->near) ICF_TRY(icf_broad_phase_create(&distribution->near));
    return icf_broad_phase_find(distribution->near, input->context, bodies, margin, npair, pairs);
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

static icf_status build_graph(graph *g, icf_distribution *distribution, const icf_domain *domain,
                              const icf_step_input *input)
{
    const icf_bodies *bodies = domain->bodies;
    icf_lid nnear;
    const icf_pair *near;
    ICF_TRY(near_pairs(distribution, domain, input, &nnear, &near));
    g->weight = ICF_ARENA_ARRAY(input->arena, double, bodies->nowned);
    g->rank = ICF_ARENA_ARRAY(input->arena, int, bodies->nowned);
    g->pair = ICF_ARENA_ARRAY(input->arena, icf_pair, nnear);
    g->pair_weight = ICF_ARENA_ARRAY(input->arena, double, nnear);
    if (!g->weight || !g->rank || !g->pair || !g->pair_weight) return ICF_ERROR_MEMORY;

    const icf_contacts *contacts = &domain->contacts;
    for (icf_lid i = 0; i < bodies->nowned; ++i) g->weight[i] = 1.0;
    for (icf_lid k = 0; k < contacts->npair; ++k) {
        const double half = 0.5 * (contacts->pair_begin[k + 1] - contacts->pair_begin[k]);
        if (contacts->pair[k].a < bodies->nowned) g->weight[contacts->pair[k].a] += half;
        if (contacts->pair[k].b < bodies->nowned) g->weight[contacts->pair[k].b] += half;
    }
    icf_lid at = 0;
    g->npair = 0;
    for (icf_lid k = 0; k < nnear; ++k) {
        if (!is_mine(bodies, near[k])) continue;
        g->pair[g->npair] = near[k];
        g->pair_weight[g->npair++] = 1.0 + contact_weight * contacts_of(bodies, contacts, near[k], &at);
    }
    return ICF_OK;
}

icf_status icf_rebalance(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input,
                         icf_rebalance_report *report)
{
    graph g = {0};
    icf_context *context = input->context;
    ICF_TRY(icf_agree(context, build_graph(&g, distribution, domain, input)));
    ICF_TRY(icf_decompose_graph(context, distribution->exchange, domain->bodies, g.weight, g.npair, g.pair,
                                g.pair_weight, g.rank, &report->decomposition));
    ICF_TRY(icf_migrate(context, distribution->exchange, domain->bodies, g.rank, &report->nmoved));
    icf_bodies_prescribe_poses(domain->bodies, input->t);
    MPI_Allreduce(MPI_IN_PLACE, &report->nmoved, 1, MPI_INT64_T, MPI_SUM, context->comm);
    return ICF_OK;
}
