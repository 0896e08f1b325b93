/* Rebalancing: graph, cut, migration. */
#include "step/rebalance.h"

#include "base/mpi_wait.h"
#include "contact/margin.h"
#include "partition/migrate.h"
#include "step/near_graph.h"

static icf_status build_graph(icf_near_graph *graph, icf_distribution *distribution, const icf_domain *domain,
                              const icf_step_input *input)
{
    const icf_bodies *bodies = domain->bodies;
    double *margin = ICF_ARENA_ARRAY(input->arena, double, bodies->n);
    if (!margin) return ICF_ERROR_MEMORY;
    icf_contact_margins(input->scene, bodies, bodies->n, domain->motion.acceleration, domain->motion.surface,
                        input->reference, input->dt, input->t + input->dt, margin);
    icf_attachment_margins(input->scene, bodies, bodies->n, margin);
    if (!distribution->near) ICF_TRY(icf_broad_phase_create(&distribution->near));
    return icf_near_graph_build(graph, input->arena, input->context, distribution->near, bodies, &domain->split,
                                &domain->contacts, margin);
}

icf_status icf_rebalance(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input,
                         icf_rebalance_report *report)
{
    icf_near_graph graph = {0};
    icf_context *context = input->context;
    icf_status status = build_graph(&graph, distribution, domain, input);
    int *rank = ICF_ARENA_ARRAY(input->arena, int, domain->bodies->nowned);
    if (!rank) status = ICF_ERROR_MEMORY;
    ICF_TRY(icf_agree(context, status));
    const icf_weighted_pairs pairs = icf_near_graph_pairs(&graph, input->scene);
    ICF_TRY(icf_decompose_graph(context, distribution->exchange, domain->bodies, &pairs, ICF_METIS_BODIES, rank,
                                &report->decomposition));
    ICF_TRY(icf_migrate(context, distribution->exchange, domain->bodies, rank, &report->nmoved));
    icf_bodies_prescribe_poses(domain->bodies, input->t);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &report->nmoved, 1, MPI_INT64_T, MPI_SUM, context->comm));
    return ICF_OK;
}
