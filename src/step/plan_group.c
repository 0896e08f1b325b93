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
    group->seen = ICF_ARENA_ARRAY(arena, bool, nrank);
    group->block = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    group->order = ICF_ARENA_ARRAY(arena, icf_lid, bodies);
    group->shadow = ICF_ARENA_ARRAY(arena, icf_keyed, pairs);
    group->work = ICF_ARENA_ARRAY(arena, icf_keyed, pairs);
    const bool complete =
        group->rank && group->load && group->seen && group->block && group->order && group->shadow && group->work;
    if (!complete) return ICF_ERROR_MEMORY;
    memset(group->seen, 0, (size_t)nrank * sizeof *group->seen);
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

/* ---- the factor ---- */

icf_status icf_plan_group_share(icf_plan_group *group, const icf_block_matrix *pattern, const icf_lid *body,
                                const int *owner)
{
    list_ranks(group, body, pattern->nblock, owner);
    for (icf_lid k = 0; k < pattern->nblock; ++k) group->block[body[k]] = k;
    ICF_TRY(icf_symbolic_cheapest(&group->symbolic, &group->ordering, pattern, group->order));
    ICF_TRY(icf_front_map_build(&group->map, &group->symbolic, group->nrank));
    return icf_front_map_loads(&group->map, group->load);
}

/* ---- messages ---- */

/* Owners of the bodies of a pair, the one that holds it first; whether both bodies move. */
static bool owners_of(const icf_plan_pairs *pairs, icf_lid k, const int *owner, icf_pair *pair, int rank[2])
{
    *pair = pairs->contacts->pair[pairs->index[k]];
    rank[0] = owner[pair->a];
    rank[1] = owner[pair->b];
    return rank[0] >= 0 && rank[1] >= 0;
}

/* Bodies that ranks hold contacts of without owning them. */
static void list_shadows(icf_plan_group *group, const icf_plan_pairs *pairs, const int *owner, int nrank)
{
    icf_lid n = 0, kept = 0;
    for (icf_lid k = 0; k < pairs->n; ++k) {
        icf_pair pair;
        int rank[2];
        if (!owners_of(pairs, k, owner, &pair, rank) || rank[0] == rank[1]) continue;
        group->shadow[n++] = (icf_keyed){(uint64_t)pair.b * (uint64_t)nrank + (uint64_t)rank[0], 0};
    }
    icf_sort_keyed(n, group->shadow, group->work);
    for (icf_lid k = 0; k < n; ++k)
        if (k == 0 || group->shadow[k].key != group->shadow[k - 1].key) group->shadow[kept++] = group->shadow[k];
    group->nshadow = kept;
}

/* Six numbers of each shadow to or from its owner. */
static icf_status send_shadows(const icf_plan_group *group, const int *owner, bool home, icf_cnt times,
                               icf_traffic *traffic)
{
    for (icf_lid k = 0; k < group->nshadow; ++k) {
        const uint64_t nrank = (uint64_t)traffic->nrank, key = group->shadow[k].key;
        const int holder = (int)(key % nrank), at_home = owner[key / nrank];
        ICF_TRY(icf_traffic_add(traffic, home ? holder : at_home, home ? at_home : holder, 6 * sizeof(double)));
    }
    return icf_traffic_end(traffic, times);
}

/* A block of the Hessian from a rank that has entries of it to those that have its columns. */
static icf_status send_block(const icf_plan_group *group, int from, icf_lid a, icf_lid b, icf_traffic *traffic)
{
    const icf_lid row = ICF_MAX(group->block[a], group->block[b]), column = ICF_MIN(group->block[a], group->block[b]);
    int rank[ICF_BLOCK_RANKS];
    const int n = icf_front_block_ranks(&group->map, row, column, rank);
    for (int k = 0; k < n; ++k) ICF_TRY(icf_traffic_add(traffic, from, group->rank[rank[k]], 36 * sizeof(double)));
    return ICF_OK;
}

/* A rank gives one block a pair of bodies, however often it meets the pair: contacts list a pair once. */
static icf_status send_values(const icf_plan_group *group, const icf_lid *body, icf_lid nbody,
                              const icf_plan_pairs *pairs, const int *owner, icf_cnt times, icf_traffic *traffic)
{
    for (icf_lid k = 0; k < nbody; ++k) ICF_TRY(send_block(group, owner[body[k]], body[k], body[k], traffic));
    for (icf_lid k = 0; k < group->nshadow; ++k) {
        const uint64_t nrank = (uint64_t)traffic->nrank, key = group->shadow[k].key;
        const icf_lid shadow = (icf_lid)(key / nrank);
        ICF_TRY(send_block(group, (int)(key % nrank), shadow, shadow, traffic));
    }
    for (icf_lid k = 0; k < pairs->n; ++k) {
        icf_pair pair;
        int rank[2];
        if (owners_of(pairs, k, owner, &pair, rank)) ICF_TRY(send_block(group, rank[0], pair.a, pair.b, traffic));
    }
    return icf_traffic_end(traffic, times);
}

/* Right-hand side to the ranks that have the columns, or the solution back. */
static icf_status send_vectors(const icf_plan_group *group, const icf_lid *body, icf_lid nbody, const int *owner,
                               bool home, icf_cnt times, icf_traffic *traffic)
{
    const icf_symbolic *symbolic = &group->symbolic;
    for (icf_lid k = 0; k < nbody; ++k) {
        const icf_lid place = symbolic->iperm[group->block[body[k]]], s = symbolic->super_of[place];
        const int32_t front = symbolic->place_dof[symbolic->super_ptr[s]];
        for (int32_t dof = symbolic->place_dof[place]; dof < symbolic->place_dof[place + 1]; ++dof) {
            const int holder = group->rank[icf_front_column_owner(&group->map, s, dof - front)];
            const int at_home = owner[body[k]];
            ICF_TRY(icf_traffic_add(traffic, home ? holder : at_home, home ? at_home : holder, sizeof(double)));
        }
    }
    return icf_traffic_end(traffic, times);
}

icf_status icf_plan_group_send(icf_plan_group *group, const icf_lid *body, icf_lid nbody, const icf_plan_pairs *pairs,
                               const int *owner, icf_cnt iterations, icf_traffic *traffic)
{
    icf_rank_load *loads = traffic->load;
    for (int r = 0; r < group->nrank; ++r) loads[group->rank[r]].group_bytes -= loads[group->rank[r]].bytes;
    list_shadows(group, pairs, owner, traffic->nrank);
    ICF_TRY(send_shadows(group, owner, false, iterations, traffic));
    ICF_TRY(send_shadows(group, owner, true, iterations + 1, traffic)); /* at the start too */
    ICF_TRY(send_values(group, body, nbody, pairs, owner, iterations, traffic));
    ICF_TRY(send_vectors(group, body, nbody, owner, false, iterations, traffic));
    ICF_TRY(send_vectors(group, body, nbody, owner, true, iterations, traffic));
    for (int r = 0; r < group->nrank; ++r) {
        icf_rank_load *load = &loads[group->rank[r]];
        const icf_sent factor = group->load[r].factor, solve = group->load[r].solve;
        load->messages += iterations * (factor.messages + solve.messages);
        load->bytes += iterations * (factor.bytes + solve.bytes);
        load->group_bytes += load->bytes;
    }
    return ICF_OK;
}
