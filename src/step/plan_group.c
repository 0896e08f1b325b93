/* Factors of groups of ranks, for a plan. */
#include "step/plan_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/broad_phase.h"
#include "solver/cheapest_order.h"

icf_status icf_plan_group_init(icf_plan_group *group, icf_arena *arena, icf_lid nbody, icf_lid bodies, icf_lid pairs,
                               int nrank)
{
    *group = (icf_plan_group){0};
    icf_ordering_init(&group->ordering);
    icf_symbolic_init(&group->symbolic);
    icf_front_map_init(&group->map);
    group->rank = ICF_ARENA_ARRAY(arena, int, nrank);
    group->load = ICF_ARENA_ARRAY(arena, icf_front_load, nrank);
    group->first = ICF_ARENA_ARRAY(arena, icf_lid, nrank);
    group->block = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    group->order = ICF_ARENA_ARRAY(arena, icf_lid, bodies);
    group->ptr = ICF_ARENA_ARRAY(arena, icf_lid, bodies + 2);
    group->idx = ICF_ARENA_ARRAY(arena, icf_lid, pairs);
    const bool complete =
        group->rank && group->load && group->first && group->block && group->order && group->ptr && group->idx;
    if (!complete) return ICF_ERROR_MEMORY;
    memset(group->first, 0, (size_t)nrank * sizeof *group->first);
    return ICF_OK;
}

void icf_plan_group_clear(icf_plan_group *group)
{
    icf_front_map_clear(&group->map);
    icf_symbolic_clear(&group->symbolic);
    icf_ordering_clear(&group->ordering);
}

static int compare_ranks(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Ranks of the group, and numbers of its n bodies. */
static void number_bodies(icf_plan_group *group, const icf_lid *body, icf_lid n, const int *owner)
{
    icf_lid *first = group->first, at = 0;
    group->nrank = 0;
    for (icf_lid k = 0; k < n; ++k)
        if (first[owner[body[k]]]++ == 0) group->rank[group->nrank++] = owner[body[k]];
    qsort(group->rank, (size_t)group->nrank, sizeof *group->rank, compare_ranks);
    for (int r = 0; r < group->nrank; ++r) {
        const icf_lid count = first[group->rank[r]];
        first[group->rank[r]] = at;
        at += count;
    }
    for (icf_lid k = 0; k < n; ++k) group->block[body[k]] = first[owner[body[k]]]++;
    for (int r = 0; r < group->nrank; ++r) first[group->rank[r]] = 0;
}

/* An entry of column j of the pattern by the group's numbers: column a, row b. */
static icf_pair entry(const icf_plan_group *group, const icf_block_matrix *pattern, const icf_lid *body, icf_lid j,
                      icf_lid e)
{
    const icf_lid column = group->block[body[j]], row = group->block[body[pattern->idx[e]]];
    return (icf_pair){ICF_MIN(column, row), ICF_MAX(column, row)};
}

/* The pattern, whose blocks are the bodies of the island in their order, by the group's numbers. */
static void renumber(icf_plan_group *group, const icf_block_matrix *pattern, const icf_lid *body)
{
    const icf_lid n = pattern->nblock;
    icf_lid *ptr = group->ptr;
    memset(ptr, 0, ((size_t)n + 2) * sizeof *ptr);
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = pattern->ptr[j]; e < pattern->ptr[j + 1]; ++e) ++ptr[entry(group, pattern, body, j, e).a + 2];
    for (icf_lid j = 2; j < n + 2; ++j) ptr[j] += ptr[j - 1];
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = pattern->ptr[j]; e < pattern->ptr[j + 1]; ++e) {
            const icf_pair pair = entry(group, pattern, body, j, e);
            group->idx[ptr[pair.a + 1]++] = pair.b;
        }
    icf_pattern_sort(n, ptr, group->idx);
}

icf_status icf_plan_group_share(icf_plan_group *group, const icf_block_matrix *pattern, const icf_lid *body,
                                const int *owner)
{
    number_bodies(group, body, pattern->nblock, owner);
    renumber(group, pattern, body);
    const icf_block_matrix matrix = {
        .nblock = pattern->nblock, .dof = pattern->dof, .ptr = group->ptr, .idx = group->idx};
    ICF_TRY(icf_symbolic_cheapest(&group->symbolic, &group->ordering, &matrix, group->order));
    ICF_TRY(icf_front_map_build(&group->map, &group->symbolic, group->nrank));
    icf_front_map_loads(&group->map, group->load);
    return ICF_OK;
}
