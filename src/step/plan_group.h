/* How a group of ranks would share an island's factor.  Private to src/step/plan*.c. */
#ifndef ICF_STEP_PLAN_GROUP_H
#define ICF_STEP_PLAN_GROUP_H

#include "base/arena.h"
#include "base/sort.h"
#include "contact/contacts.h"
#include "solver/front_map.h"
#include "solver/ordering.h"
#include "step/traffic.h"

/* The group of the present island; arrays for the largest are in an arena. */
typedef struct icf_plan_group {
    int nrank;
    int *rank;            /* (nrank) ascending */
    icf_front_load *load; /* (nrank) of one factorisation */
    icf_ordering ordering;
    icf_symbolic symbolic;
    icf_front_map map;
    icf_lid *block; /* (bodies) block of a body of the island */
    icf_lid *order;
    bool *seen; /* (ranks of the plan) scratch, all false between islands */
    icf_lid nshadow;
    icf_keyed *shadow, *work; /* (pairs) body * ranks of the plan + rank that has it as a shadow, ascending; scratch */
} icf_plan_group;

/* Room for islands of bodies and pairs of moving ones, out of nbody bodies, and for nrank ranks. */
ICF_MUST_CHECK icf_status icf_plan_group_init(icf_plan_group *group, icf_arena *arena, icf_lid nbody, icf_lid bodies,
                                              icf_lid pairs, int nrank);
void icf_plan_group_clear(icf_plan_group *group);

/* Finds the ranks of an island and maps its factor to them.
 *   pattern [in] of the island's Hessian, a block a body
 *   body    [in] (blocks) the bodies
 *   owner   [in] (bodies) rank of each body */
ICF_MUST_CHECK icf_status icf_plan_group_share(icf_plan_group *group, const icf_block_matrix *pattern,
                                               const icf_lid *body, const int *owner);

/* Pairs of bodies in contact of an island; each is held by the owner of its first moving body. */
typedef struct icf_plan_pairs {
    icf_lid n;
    const icf_lid *index; /* (n) in contacts */
    const icf_contacts *contacts;
} icf_plan_pairs;

/* Counts what the group of the last share sends in a solve: velocities, impulses, blocks of the Hessian, factor,
 * right-hand side and solution.
 *   traffic [in,out] adds to the loads of the plan's ranks */
ICF_MUST_CHECK icf_status icf_plan_group_send(icf_plan_group *group, const icf_lid *body, icf_lid nbody,
                                              const icf_plan_pairs *pairs, const int *owner, icf_cnt iterations,
                                              icf_traffic *traffic);

#endif
