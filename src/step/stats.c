/* Statistics of a step over all ranks. */
#include "step/stats.h"

#include "base/mpi_wait.h"

static void reduce_counts(const icf_context *context, icf_step_stats *stats)
{
    icf_cnt *const sums[] = {&stats->candidates,
                             &stats->active,
                             &stats->islands,
                             &stats->line_search,
                             &stats->factorizations,
                             &stats->pcg,
                             &stats->roundoff,
                             &stats->group_iterations,
                             &stats->group_sums,
                             &stats->messages,
                             &stats->bytes,
                             &stats->searches,
                             &stats->lent};
    icf_cnt *const maxima[] = {&stats->largest_island_dofs, &stats->iterations_max};
    enum { nsum = sizeof sums / sizeof *sums, nmax = sizeof maxima / sizeof *maxima };
    icf_cnt sum[nsum], largest[nmax];
    for (int k = 0; k < nsum; ++k) sum[k] = *sums[k];
    for (int k = 0; k < nmax; ++k) largest[k] = *maxima[k];
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, sum, nsum, MPI_INT64_T, MPI_SUM, context->comm));
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, largest, nmax, MPI_INT64_T, MPI_MAX, context->comm));
    for (int k = 0; k < nsum; ++k) *sums[k] = sum[k];
    for (int k = 0; k < nmax; ++k) *maxima[k] = largest[k];
}

static void reduce_numbers(const icf_context *context, icf_step_stats *stats)
{
    double *const sums[] = {&stats->cost,           &stats->contact_cost,     &stats->cpu_ms,
                            &stats->kinetic_energy, &stats->potential_energy, &stats->iterations_mean,
                            &stats->cpu_mean,       &stats->elastic_energy,   &stats->flops};
    double *const maxima[] = {&stats->penetration_max,
                              &stats->momentum_residual,
                              &stats->ms_total,
                              &stats->cpu_max,
                              &stats->reaction_max,
                              &stats->contact_force_max,
                              &stats->attachment_force_max,
                              &stats->error_signorini_max,
                              &stats->error_coulomb_max,
                              &stats->error_dissipation_max,
                              &stats->condition_max};
    enum {
        nsum = sizeof sums / sizeof *sums,
        nother = sizeof maxima / sizeof *maxima,
        nmax = nother + ICF_PHASE_COUNT
    };
    double sum[nsum], largest[nmax];
    for (int k = 0; k < nsum; ++k) sum[k] = *sums[k];
    for (int k = 0; k < nother; ++k) largest[k] = *maxima[k];
    for (int k = 0; k < ICF_PHASE_COUNT; ++k) largest[nother + k] = stats->ms[k];
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, sum, nsum, MPI_DOUBLE, MPI_SUM, context->comm));
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, largest, nmax, MPI_DOUBLE, MPI_MAX, context->comm));
    for (int k = 0; k < nsum; ++k) *sums[k] = sum[k];
    for (int k = 0; k < nother; ++k) *maxima[k] = largest[k];
    for (int k = 0; k < ICF_PHASE_COUNT; ++k) stats->ms[k] = largest[nother + k];
}

void icf_stats_reduce(const icf_context *context, icf_step_stats *stats)
{
    stats->cpu_mean = stats->cpu_max;
    stats->own.cpu = stats->cpu_max;
    stats->own.candidates = stats->candidates;
    stats->own.messages = stats->messages;
    stats->own.bytes = stats->bytes;
    if (context->size > 1) {
        reduce_counts(context, stats);
        reduce_numbers(context, stats);
    }
    stats->cpu_mean /= context->size;
    if (stats->islands > 0) stats->iterations_mean /= (double)stats->islands;
}
