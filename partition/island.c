/* Islands: disjoint sets over the pairs, then numbering and lists in canonical order. */
#include "partition/island.h"

#include "base/memory.h"

enum { no_island = -1, unnumbered = -2 }; /* marks in of_body: without a pair, with one */

/* Goes through the bodies by ascending global id: two ascending parts, merged. */
typedef struct gid_cursor {
    icf_lid owned, ghost;
} gid_cursor;

static gid_cursor first_body(const icf_bodies *bodies)
{
    return (gid_cursor){0, bodies->nowned};
}

/* Next body, or -1 behind the last. */
static icf_lid next_body(gid_cursor *cursor, const icf_bodies *bodies)
{
    const bool owned_left = cursor->owned < bodies->nowned, ghost_left = cursor->ghost < bodies->n;
    if (!owned_left && !ghost_left) return -1;
    if (!ghost_left || (owned_left && bodies->gid[cursor->owned] < bodies->gid[cursor->ghost])) return cursor->owned++;
    return cursor->ghost++;
}

void icf_islands_init(icf_islands *islands)
{
    *islands = (icf_islands){0};
}

void icf_islands_clear(icf_islands *islands)
{
    icf_free(islands->body_ptr);
    icf_free(islands->body);
    icf_free(islands->dof_ptr);
    icf_free(islands->pair_ptr);
    icf_free(islands->pair);
    icf_free(islands->of_body);
    icf_free(islands->parent);
    icf_free(islands->number);
    icf_islands_init(islands);
}

static icf_status reserve(icf_islands *islands, icf_lid nbody, icf_lid npair)
{
    ICF_TRY(ICF_GROW(islands->body, islands->body_capacity, nbody));
    ICF_TRY(ICF_GROW(islands->dof_ptr, islands->dof_ptr_capacity, nbody + 1));
    ICF_TRY(ICF_GROW(islands->of_body, islands->of_body_capacity, nbody));
    ICF_TRY(ICF_GROW(islands->parent, islands->parent_capacity, nbody));
    ICF_TRY(ICF_GROW(islands->number, islands->number_capacity, nbody));
    return ICF_GROW(islands->pair, islands->pair_capacity, npair);
}

static icf_lid find_root(icf_lid *parent, icf_lid i)
{
    while (parent[i] >= 0) {
        const icf_lid up = parent[i];
        if (parent[up] >= 0) parent[i] = parent[up];
        i = up;
    }
    return i;
}

static void join(icf_lid *parent, icf_lid a, icf_lid b)
{
    const icf_lid ra = find_root(parent, a), rb = find_root(parent, b);
    if (ra == rb) return;
    const icf_lid large = parent[ra] <= parent[rb] ? ra : rb, small = large == ra ? rb : ra;
    parent[large] += parent[small];
    parent[small] = large;
}

/* Trees of connected moving bodies; marks those that have a pair. */
static void join_pairs(icf_islands *islands, const icf_bodies *bodies, icf_lid npair, const icf_pair *pairs)
{
    for (icf_lid i = 0; i < bodies->n; ++i) {
        islands->parent[i] = islands->number[i] = -1;
        islands->of_body[i] = no_island;
    }
    for (icf_lid k = 0; k < npair; ++k) {
        const icf_lid a = pairs[k].a, b = pairs[k].b;
        const bool a_moves = icf_bodies_moves(bodies, a), b_moves = icf_bodies_moves(bodies, b);
        if (a_moves) islands->of_body[a] = unnumbered;
        if (b_moves) islands->of_body[b] = unnumbered;
        if (a_moves && b_moves) join(islands->parent, a, b);
    }
}

/* The first body met of each tree is the one of smallest global id: islands come out by it. */
static void number_islands(icf_islands *islands, const icf_bodies *bodies)
{
    islands->n = 0;
    gid_cursor cursor = first_body(bodies);
    for (icf_lid i = next_body(&cursor, bodies); i >= 0; i = next_body(&cursor, bodies)) {
        if (islands->of_body[i] == no_island) continue;
        icf_lid *number = &islands->number[find_root(islands->parent, i)];
        if (*number < 0) *number = islands->n++;
        islands->of_body[i] = *number;
    }
}

/* Island of a pair, -1 when neither body is in one. */
static icf_lid pair_island(const icf_islands *islands, icf_pair pair)
{
    const icf_lid of_a = islands->of_body[pair.a];
    return of_a >= 0 ? of_a : islands->of_body[pair.b];
}

/* Counts in ptr[island + 1], for one entry of an island. */
static void count(icf_lid *ptr, icf_lid island)
{
    if (island >= 0) ++ptr[island + 1];
}

/* Counts to first positions, one place to the right: filling a list then moves ptr[island + 1] from an
 * island's beginning to its end. */
static void counts_to_begins(icf_lid *ptr, icf_lid n)
{
    icf_lid begin = 0;
    for (icf_lid i = 1; i <= n; ++i) {
        const icf_lid next = begin + ptr[i];
        ptr[i] = begin;
        begin = next;
    }
}

static void fill(icf_lid *ptr, icf_lid *list, icf_lid island, icf_lid entry)
{
    if (island >= 0) list[ptr[island + 1]++] = entry;
}

static void list_bodies(icf_islands *islands, const icf_bodies *bodies)
{
    icf_lid *ptr = islands->body_ptr;
    for (icf_lid i = 0; i <= islands->n; ++i) ptr[i] = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) count(ptr, islands->of_body[i]);
    counts_to_begins(ptr, islands->n);
    gid_cursor cursor = first_body(bodies);
    for (icf_lid i = next_body(&cursor, bodies); i >= 0; i = next_body(&cursor, bodies))
        fill(ptr, islands->body, islands->of_body[i], i);
}

static void count_dofs(icf_islands *islands, const icf_bodies *bodies)
{
    islands->dof_ptr[0] = 0;
    for (icf_lid k = 0; k < islands->body_ptr[islands->n]; ++k)
        islands->dof_ptr[k + 1] = islands->dof_ptr[k] + icf_bodies_dofs(bodies, islands->body[k]);
}

static void list_pairs(icf_islands *islands, icf_lid npair, const icf_pair *pairs)
{
    icf_lid *ptr = islands->pair_ptr;
    for (icf_lid i = 0; i <= islands->n; ++i) ptr[i] = 0;
    for (icf_lid k = 0; k < npair; ++k) count(ptr, pair_island(islands, pairs[k]));
    counts_to_begins(ptr, islands->n);
    for (icf_lid k = 0; k < npair; ++k) fill(ptr, islands->pair, pair_island(islands, pairs[k]), k);
}

icf_status icf_islands_build(icf_islands *islands, const icf_bodies *bodies, icf_lid npair, const icf_pair *pairs)
{
    ICF_TRY(reserve(islands, bodies->n, npair));
    join_pairs(islands, bodies, npair, pairs);
    number_islands(islands, bodies);
    ICF_TRY(ICF_GROW(islands->body_ptr, islands->body_ptr_capacity, islands->n + 1));
    ICF_TRY(ICF_GROW(islands->pair_ptr, islands->pair_ptr_capacity, islands->n + 1));
    list_bodies(islands, bodies);
    count_dofs(islands, bodies);
    list_pairs(islands, npair, pairs);
    return ICF_OK;
}
