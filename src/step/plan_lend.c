/* Islands that ranks of a plan lend to each other: the rules of step/lend_islands.c. */
#include <string.h>

#include "partition/lend.h"
#include "step/body_cost.h"
#include "step/plan_private.h"

/* Islands by the rank that may lend them: those of rank r from begin[r] on. */
typedef struct lend_lists {
    int64_t *work; /* (nrank) what each rank is to solve [ns] */
    icf_lid *begin;
    icf_lend_island *island;
} lend_lists;

static bool may_be_lent(const icf_plan_place *place)
{
    return place->nrank == 1 && !place->soft;
}

/* Adds an island's work to that of the ranks that are to solve it; what it is in all. */
static int64_t add_work(const icf_plan_work *work, const icf_plan_place *place, icf_lid island, double geometry,
                        int64_t *all)
{
    const icf_islands *islands = &work->domain.islands;
    int64_t sum = 0;
    for (icf_lid k = islands->body_ptr[island]; k < islands->body_ptr[island + 1]; ++k) {
        const icf_lid i = islands->body[k];
        const int64_t of_body = icf_body_expected_work(work->domain.bodies, i, geometry);
        all[place->grouped ? work->owner[i] : place->solver] += of_body;
        sum += of_body;
    }
    return sum;
}

static icf_status list_islands(icf_plan_work *work, const icf_plan_place *place, lend_lists *lists)
{
    const icf_islands *islands = &work->domain.islands;
    const int nrank = work->settings->nrank;
    const double geometry = icf_body_geometry_cost();
    int64_t *expected = ICF_ARENA_ARRAY(&work->arena, int64_t, islands->n);
    lists->work = ICF_ARENA_ARRAY(&work->arena, int64_t, nrank);
    lists->begin = ICF_ARENA_ARRAY(&work->arena, icf_lid, nrank + 2);
    lists->island = ICF_ARENA_ARRAY(&work->arena, icf_lend_island, islands->n);
    if (!expected || !lists->work || !lists->begin || !lists->island) return ICF_ERROR_MEMORY;
    memset(lists->work, 0, (size_t)nrank * sizeof *lists->work);
    memset(lists->begin, 0, ((size_t)nrank + 2) * sizeof *lists->begin);
    for (icf_lid k = 0; k < islands->n; ++k) {
        expected[k] = add_work(work, &place[k], k, geometry, lists->work);
        if (may_be_lent(&place[k]) && expected[k] > 0) ++lists->begin[place[k].solver + 2];
    }
    for (int rank = 0; rank < nrank; ++rank) lists->begin[rank + 2] += lists->begin[rank + 1];
    for (icf_lid k = 0; k < islands->n; ++k) {
        if (!may_be_lent(&place[k]) || expected[k] == 0) continue;
        const icf_gid label = work->domain.bodies->gid[islands->body[islands->body_ptr[k]]];
        lists->island[lists->begin[place[k].solver + 1]++] =
            (icf_lend_island){.work = expected[k], .label = label, .part = k};
    }
    return ICF_OK;
}

icf_status icf_plan_lend(icf_plan_work *work, icf_plan_place *place)
{
    lend_lists lists;
    const icf_loan *loan;
    int nloan;
    if (!work->input.scene->parallel.lend) return ICF_OK;
    ICF_TRY(list_islands(work, place, &lists));
    ICF_TRY(icf_lend_match(&work->arena, work->settings->nrank, lists.work, &loan, &nloan));
    for (int k = 0, next; k < nloan; k = next) {
        const int lender = loan[k].lender;
        for (next = k; next < nloan && loan[next].lender == lender; ++next) {
        }
        icf_lend_island *island = lists.island + lists.begin[lender];
        const icf_lid n = lists.begin[lender + 1] - lists.begin[lender];
        icf_lend_choose(lender, next - k, loan + k, n, island);
        for (icf_lid i = 0; i < n; ++i) place[island[i].part].borrower = island[i].borrower;
    }
    return ICF_OK;
}
