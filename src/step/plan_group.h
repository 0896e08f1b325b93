/* How a group of ranks would share an island's solve.  Private to src/step/plan*.c. */
#ifndef ICF_STEP_PLAN_GROUP_H
#define ICF_STEP_PLAN_GROUP_H

#include "base/arena.h"
#include "base/sort.h"
#include "geometry/broad_phase.h"
#include "solver/front_map.h"
#include "solver/ordering.h"
#include "solver/problem.h"
#include "step/traffic.h"

/* An island. */
typedef struct icf_plan_view {
    const icf_bodies *bodies;
    icf_lid nbody;
    const icf_lid *body;        /* (nbody) of the island */
    const int *owner;           /* (bodies) rank of each body, -1: does not move */
    const icf_problem *problem; /* of the whole island; its first family are contacts, the second attachments */
} icf_plan_view;

/* The group of the present island; arrays for the largest are in an arena. */
typedef struct icf_plan_group {
    int nrank;
    int *rank;            /* (nrank) ascending */
    icf_front_load *load; /* (nrank) of one factorisation in the present pattern */
    icf_front_load *all;  /* (nrank) of the whole solve: operations, updates, values that solutions read */
    double *room;         /* (nrank) most values that a rank has room for in any pattern: its share of the factor, kept
                             updates, strips and columns of others, and stacks */
    icf_ordering ordering;
    icf_symbolic symbolic;
    icf_front_map map;
    icf_lid *order;
    int *owner; /* (blocks) rank of the group that owns each */
    bool *seen; /* (ranks of the plan) scratch, all false between islands */
    icf_lid nshadow, nentry;
    icf_keyed *shadow; /* (nshadow) bodies that ranks have constraints of without owning them, and these ranks */
    icf_keyed *entry;  /* (nentry) blocks of the Hessian, and ranks that have entries of them */
    icf_keyed *work;
    size_t shadow_capacity, entry_capacity, work_capacity;
} icf_plan_group;

/* Room for islands of blocks, and for nrank ranks. */
ICF_MUST_CHECK icf_status icf_plan_group_init(icf_plan_group *group, icf_arena *arena, icf_lid nblock, int nrank);
void icf_plan_group_clear(icf_plan_group *group);

/* Finds the ranks of an island and maps its factor to them.
 *   pattern [in] of the island's Hessian
 *   order   [in] (blocks) of elimination; NULL: the cheapest */
ICF_MUST_CHECK icf_status icf_plan_group_share(icf_plan_group *group, const icf_block_matrix *pattern,
                                               const icf_lid *order, const icf_plan_view *view);

/* Rank that holds the contacts of a pair. */
int icf_plan_contact_holder(const icf_plan_view *view, icf_pair pair);

/* What a solve does, as far as a group sends anything for it. */
typedef struct icf_plan_solve {
    icf_cnt lines;                   /* directions that a line was laid along */
    icf_cnt evaluations;             /* of cost and gradient */
    icf_cnt products;                /* other sums of impulses on blocks */
    icf_cnt factorizations, singles; /* ... of them in single precision */
    icf_cnt solves;
    icf_cnt searches, polishes; /* for parts, and those that found any */
    double found;               /* part of the blocks that is in parts, in the mean */
} icf_plan_solve;

/* Values of a block in a piece of a part, with its share of the contacts, in the mean of the island. */
double icf_plan_piece_values(const icf_plan_view *view);

/* Counts what the group of the last share sends in a solve: velocities, impulses, blocks of the Hessian, factor,
 * right-hand side and solution, parts; and finds `all` and `room`.
 *   pattern [in]     of the last share
 *   log     [in]     patterns that were factored instead, one after the other, the last of which is then shared; may be
 *                    empty
 *   traffic [in,out] adds to the loads of the plan's ranks */
ICF_MUST_CHECK icf_status icf_plan_group_send(icf_plan_group *group, const icf_plan_view *view,
                                              const icf_block_matrix *pattern, const icf_pattern_log *log,
                                              const icf_plan_solve *solve, icf_traffic *traffic);

#endif
