/* Rebalancing: graph, cut, migration. */
#include "step/rebalance.h"

#include "base/mpi_wait.h"
#include "contact/margin.h"
#include "partition/migrate.h"
#include "step/near_graph.h"

/* By how much measured loads may change the weights of bodies. */
static const double scale_limit = 2.0;

static icf_status build_graph(icf_near_graph *graph, icf_distribution *distribution, const icf_domain *domain,
                              const icf_step_input *input)
{
    const icf_bodies *bodies = domain->bodies;
    double *margin = ICF_ARENA_ARRAY(input->arena, double, bodies->n);
    if (!margin) return ICF_ERROR_MEMORY;
    icf_contact_margins(input->scene, bodies, bodies->n, domain->motion.acceleration, domain->motion.surface,
                        input->reference, input->dt, input->t + input->dt, margin);
    if (!distribution->near) ICF_TRY(icf_broad_phase_create(&distribution->near));
    return icf_near_graph_build(graph, input->arena, input->context, distribution->near, bodies, &domain->contacts,
                                margin);
}

/* Weights of a rank's bodies are scaled such that their sum is to all as its measured load is to all loads: contacts
 * say how work is spread over a rank, not how many iterations they take.  Collective. */
static void scale_weights(const icf_context *context, const icf_bodies *bodies, double share, double *weight)
{
    double mine = 0.0, sum;
    for (icf_lid i = 0; i < bodies->nowned; ++i) mine += icf_bodies_moves(bodies, i) ? weight[i] : 0.0;
    ICF_MPI_WAIT(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, context->comm));
    if (share <= 0.0 || mine <= 0.0) return;
    const double factor = fmin(fmax(share * sum / (mine * context->size), 1.0 / scale_limit), scale_limit);
    for (icf_lid i = 0; i < bodies->nowned; ++i) weight[i] *= factor;
}

icf_status icf_rebalance(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input, double share,
                         icf_rebalance_report *report)
{
    icf_near_graph graph = {0};
    icf_context *context = input->context;
    icf_status status = build_graph(&graph, distribution, domain, input);
    int *rank = ICF_ARENA_ARRAY(input->arena, int, domain->bodies->nowned);
    if (!rank) status = ICF_ERROR_MEMORY;
    ICF_TRY(icf_agree(context, status));
    scale_weights(context, domain->bodies, share, graph.weight);
    ICF_TRY(icf_decompose_graph(context, distribution->exchange, domain->bodies, graph.weight, graph.npair, graph.pair,
                                graph.pair_weight, ICF_METIS_BODIES, rank, &report->decomposition));
    ICF_TRY(icf_migrate(context, distribution->exchange, domain->bodies, rank, &report->nmoved));
    icf_bodies_prescribe_poses(domain->bodies, input->t);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &report->nmoved, 1, MPI_INT64_T, MPI_SUM, context->comm));
    return ICF_OK;
}
