/* Which ranks factor which fronts.
 *
 * The tree of supernodes is cut by bisection of the ranks: a forest is shared out between two halves of its ranks by
 * cost; as long as this does not balance, the root of the dearest subtree is opened, that is, its front is given to all
 * these ranks and its children take its place.  So subtrees go whole to one rank, several to each, and the fronts
 * above them belong to sets of ranks, which are nested and consecutive:
 *
 *     ranks 0..3          front of the last separator: 0..3
 *     /        \
 *   0..1      2..3        separators of the halves
 *   /  \      /  \
 *  0    1    2    3       subtrees, many a rank
 *
 * The columns of a set's front are cut into strips, which the ranks of the set take to and fro (0 1 2 2 1 0 0 1 ...):
 * the pivots' columns first, then those of the update.  A strip is kept from its first diagonal entry down.
 *
 * Which ranks make up the left half is chosen so that as many entries as possible of the matrix lie where their blocks
 * are owned.
 *
 * A function of the symbolic factor, the number of ranks and the owners of blocks alone: every rank computes the same
 * map.  Local.
 */
#ifndef ICF_SOLVER_FRONT_MAP_H
#define ICF_SOLVER_FRONT_MAP_H

#include "base/sent.h"
#include "solver/front_kernels.h"
#include "solver/symbolic.h"

typedef struct icf_front_map {
    const icf_symbolic *symbolic; /* borrowed */
    int nrank;
    int *first, *count; /* (nsuper) places of the ranks of each front */
    int *rank, *place;  /* (nrank) the rank at each place, and the other way round */
    icf_lid *size;      /* (nsuper) supernodes of the subtree, which ends with its root */
    double *cost;       /* (nsuper) of the subtree */
    icf_lid *forest;    /* (nsuper) scratch: roots */
    double *gain;       /* (nrank) scratch, by place: what is local if the rank is on the left, not on the right */
    size_t first_capacity, count_capacity, rank_capacity, place_capacity, size_capacity, cost_capacity, forest_capacity,
        gain_capacity;
} icf_front_map;

/* Columns begin..end-1 of a front, rows begin..; ld: leading dimension. */
typedef struct icf_front_strip {
    int begin, end, ld;
} icf_front_strip;

void icf_front_map_init(icf_front_map *map);
void icf_front_map_clear(icf_front_map *map);

/* Maps the fronts.
 *   owner [in] (blocks) rank that owns each block of the matrix; NULL: any */
ICF_MUST_CHECK icf_status icf_front_map_build(icf_front_map *map, const icf_symbolic *symbolic, const int *owner,
                                              int nrank);

/* What one factorisation, and one solution, is for a rank. */
typedef struct icf_front_load {
    double flops;    /* operations */
    double values;   /* entries of L (lower triangle) that it keeps */
    double kept;     /* numbers of updates that it keeps for shared fronts: those of subtrees, and own strips */
    double strip;    /* numbers of the largest strip that it gets from others */
    double updates;  /* numbers of updates that it gives to or gets from other ranks */
    icf_sent factor; /* to other ranks: strips and updates */
    icf_sent solve;  /* to other ranks in one solution: partial sums and solutions of strips */
} icf_front_load;

/* Loads of all ranks.
 *   load [out] (nrank) */
ICF_MUST_CHECK icf_status icf_front_map_loads(const icf_front_map *map, icf_front_load *load);

void icf_front_load_add(icf_front_load *sum, const icf_front_load *load);

enum { ICF_BLOCK_RANKS = 64 }; /* a block of at most 64 dofs lies in fewer strips */

/* Ranks that have the columns of a block, in the order of the columns.
 *   rank [out] (ICF_BLOCK_RANKS)
 * Returns their number. */
int icf_front_block_ranks(const icf_front_map *map, icf_lid row, icf_lid column, int *rank);

/* Whether several ranks share the front. */
static inline bool icf_front_is_shared(const icf_front_map *map, icf_lid s)
{
    return map->count[s] > 1;
}

/* The k-th of the count[s] ranks of a front. */
static inline int icf_front_rank(const icf_front_map *map, icf_lid s, int k)
{
    return map->rank[map->first[s] + k];
}

/* Whether the rank takes part in the front. */
static inline bool icf_front_has_rank(const icf_front_map *map, icf_lid s, int rank)
{
    return map->place[rank] >= map->first[s] && map->place[rank] < map->first[s] + map->count[s];
}

/* Strips of the pivots' columns, and all strips. */
int icf_front_panel_strips(const icf_front_map *map, icf_lid s);
int icf_front_strips(const icf_front_map *map, icf_lid s);

icf_front_strip icf_front_strip_at(const icf_front_map *map, icf_lid s, int strip);

/* The strip that a column of the front lies in. */
int icf_front_strip_of(const icf_front_map *map, icf_lid s, int column);

/* The rank that has a strip. */
int icf_front_strip_owner(const icf_front_map *map, icf_lid s, int strip);

/* The rank that has a column of the front, shared or not. */
int icf_front_column_owner(const icf_front_map *map, icf_lid s, int column);

#endif
