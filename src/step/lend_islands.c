/* What the ranks are to solve, and which islands change ranks for it. */
#include "step/lend_islands.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "partition/lend.h"
#include "step/body_cost.h"

/* What solving the owned bodies of a part is expected to take [ns]. */
static int64_t work_of_part(const icf_components *components, const icf_domain *domain, icf_lid part, double geometry)
{
    const icf_islands *islands = &domain->islands;
    const icf_bodies *bodies = domain->bodies;
    int64_t work = 0;
    if (part >= components->nisland)
        return icf_body_expected_work(bodies, components->single[part - components->nisland], geometry);
    for (icf_lid k = islands->body_ptr[part]; k < islands->body_ptr[part + 1]; ++k)
        if (islands->body[k] < bodies->nowned) work += icf_body_expected_work(bodies, islands->body[k], geometry);
    return work;
}

static bool has_deformable(const icf_domain *domain, icf_lid island)
{
    const icf_islands *islands = &domain->islands;
    if (domain->bodies->nvertices == 0) return false;
    for (icf_lid k = islands->body_ptr[island]; k < islands->body_ptr[island + 1]; ++k)
        if (icf_bodies_is_deformable(domain->bodies, islands->body[k])) return true;
    return false;
}

/* What all ranks are to solve as islands are placed; what a group solves stays with the owners of its bodies.
 *   own [out] (parts) this rank's [ns]
 *   all [in, out] (ranks) zeros before [ns] */
static void sum_work(const icf_placement *placement, const icf_components *components, const icf_domain *domain,
                     int rank, int64_t *own, int64_t *all)
{
    const double geometry = icf_body_geometry_cost();
    for (icf_lid part = 0; part < components->npart; ++part) {
        const bool grouped = placement->group_ptr[part + 1] > placement->group_ptr[part];
        own[part] = work_of_part(components, domain, part, geometry);
        all[grouped ? rank : placement->solver[part]] += own[part];
    }
}

/* The complete islands here that may be lent. */
static icf_lid list_islands(const icf_components *components, const icf_domain *domain, const int64_t *work,
                            icf_lend_island *island)
{
    icf_lid n = 0;
    for (icf_lid part = 0; part < components->nisland; ++part)
        if (!components->spanning[part] && work[part] > 0 && !has_deformable(domain, part))
            island[n++] = (icf_lend_island){.work = work[part], .label = components->label[part], .part = part};
    return n;
}

/* Gives islands of this rank new solvers, if it has a surplus.
 *   own   [in]  (parts), all [in] (ranks): of sum_work
 *   nlent [out] bodies of the islands lent */
static icf_status lend(icf_placement *placement, const icf_components *components, const icf_domain *domain,
                       const icf_step_input *input, const int64_t *own, const int64_t *all, icf_cnt *nlent)
{
    const int rank = input->context->rank, nrank = input->context->size;
    const icf_loan *loan;
    int nloan;
    if (!icf_lend_has_surplus(nrank, all, rank)) return ICF_OK;
    ICF_TRY(icf_lend_match(input->arena, nrank, all, &loan, &nloan));
    icf_lend_island *island = ICF_ARENA_ARRAY(input->arena, icf_lend_island, components->nisland);
    if (!island) return ICF_ERROR_MEMORY;
    const icf_lid n = list_islands(components, domain, own, island);
    icf_lend_choose(rank, nloan, loan, n, island);
    for (icf_lid k = 0; k < n; ++k) {
        if (island[k].borrower < 0) continue;
        placement->solver[island[k].part] = island[k].borrower;
        *nlent += placement->size[island[k].part];
    }
    return ICF_OK;
}

icf_status icf_lend_islands(icf_placement *placement, const icf_components *components, const icf_domain *domain,
                            const icf_step_input *input, icf_cnt *nlent)
{
    const icf_context *context = input->context;
    *nlent = 0;
    if (!input->scene->parallel.lend) return ICF_OK;
    int64_t *own = ICF_ARENA_ARRAY(input->arena, int64_t, components->npart);
    int64_t *all = ICF_ARENA_ARRAY(input->arena, int64_t, context->size);
    ICF_TRY(icf_agree(input->context, own && all ? ICF_OK : ICF_ERROR_MEMORY));
    memset(all, 0, (size_t)context->size * sizeof *all);
    sum_work(placement, components, domain, context->rank, own, all);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, all, context->size, MPI_INT64_T, MPI_SUM, context->comm));
    return lend(placement, components, domain, input, own, all, nlent);
}
