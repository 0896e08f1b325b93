/* Factors of groups of ranks, for a plan. */
#include "step/plan_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solver/cheapest_order.h"
#include "solver/contact_constraints.h"

icf_status icf_plan_group_init(icf_plan_group *group, icf_arena *arena, icf_lid nblock, int nrank)
{
    *group = (icf_plan_group){0};
    icf_ordering_init(&group->ordering);
    icf_symbolic_init(&group->symbolic);
    icf_front_map_init(&group->map);
    group->rank = ICF_ARENA_ARRAY(arena, int, nrank);
    group->load = ICF_ARENA_ARRAY(arena, icf_front_load, nrank);
    group->all = ICF_ARENA_ARRAY(arena, icf_front_load, nrank);
    group->room = ICF_ARENA_ARRAY(arena, double, nrank);
    group->seen = ICF_ARENA_ARRAY(arena, bool, nrank);
    group->order = ICF_ARENA_ARRAY(arena, icf_lid, nblock);
    group->owner = ICF_ARENA_ARRAY(arena, int, nblock);
    const bool complete =
        group->owner && group->rank && group->load && group->all && group->room && group->seen && group->order;
    if (!complete) return ICF_ERROR_MEMORY;
    memset(group->seen, 0, (size_t)nrank * sizeof *group->seen);
    return ICF_OK;
}

void icf_plan_group_clear(icf_plan_group *group)
{
    icf_front_map_clear(&group->map);
    icf_symbolic_clear(&group->symbolic);
    icf_ordering_clear(&group->ordering);
    icf_free(group->shadow);
    icf_free(group->entry);
    icf_free(group->work);
}

static int compare_ranks(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Ranks of the group of n bodies. */
static void list_ranks(icf_plan_group *group, const icf_lid *body, icf_lid n, const int *owner)
{
    group->nrank = 0;
    for (icf_lid k = 0; k < n; ++k) {
        bool *seen = &group->seen[owner[body[k]]];
        if (!*seen) group->rank[group->nrank++] = owner[body[k]];
        *seen = true;
    }
    qsort(group->rank, (size_t)group->nrank, sizeof *group->rank, compare_ranks);
    for (int r = 0; r < group->nrank; ++r) group->seen[group->rank[r]] = false;
}

static void list_owners(icf_plan_group *group, const icf_plan_view *view)
{
    const icf_lid *first = ((const icf_contact_constraints *)view->problem->family[0])->block;
    for (icf_lid k = 0; k < view->nbody; ++k) {
        const icf_lid body = view->body[k];
        const int *at = bsearch(&view->owner[body], group->rank, (size_t)group->nrank, sizeof *at, compare_ranks);
        for (icf_lid b = 0; b < icf_bodies_blocks(view->bodies, body); ++b)
            group->owner[first[body] + b] = (int)(at - group->rank);
    }
}

icf_status icf_plan_group_share(icf_plan_group *group, const icf_block_matrix *pattern, const icf_lid *order,
                                const icf_plan_view *view)
{
    list_ranks(group, view->body, view->nbody, view->owner);
    if (order)
        ICF_TRY(icf_symbolic_build(&group->symbolic, pattern, order));
    else
        ICF_TRY(icf_symbolic_cheapest(&group->symbolic, &group->ordering, pattern, group->order));
    list_owners(group, view);
    ICF_TRY(icf_front_map_build(&group->map, &group->symbolic, group->owner, group->nrank));
    return icf_front_map_loads(&group->map, group->load);
}
