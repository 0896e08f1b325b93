/* What the parts of a plan share.  Private to src/step/plan*.c. */
#ifndef ICF_STEP_PLAN_PRIVATE_H
#define ICF_STEP_PLAN_PRIVATE_H

#include "partition/body_message.h"
#include "step/domain.h"
#include "step/plan.h"
#include "step/traffic.h"

/* Where an island is solved. */
typedef struct icf_plan_place {
    int nrank;    /* ranks that own bodies of it */
    int solver;   /* the one that owns most */
    int borrower; /* rank that it is lent to, -1: none */
    bool soft;    /* it has a deformable body */
    bool grouped; /* all ranks that own bodies of it solve it together */
} icf_plan_place;

typedef struct icf_plan_work {
    icf_context *context;
    icf_arena arena;
    icf_deformable_cache *cache;
    icf_step_input input;
    icf_domain domain;
    const icf_plan_settings *settings;
    double *margin; /* (bodies) growth of a body's box in the step [m] */
    int *owner;     /* (bodies) the plan's: rank of each body; -1: does not move */
    icf_traffic traffic;
    icf_plan_place *place; /* (islands) */
    int *group;            /* (islands) ranks that solve each together; 0: one rank does */
    icf_island_solver *solver;
    bool solved; /* the domain has results of all islands */
} icf_plan_work;

/* The one rank that solves an island, unless a group does. */
static inline int icf_plan_solver(const icf_plan_place *place)
{
    return place->borrower >= 0 ? place->borrower : place->solver;
}

/* Adds the vertices and the free motion of a body that a rank holds, if it is deformable. */
void icf_plan_add_deformable(const icf_plan_work *work, icf_rank_load *load, icf_lid body);

/* Ranks of all moving bodies. */
ICF_MUST_CHECK icf_status icf_plan_cut_bodies(icf_plan_work *work, icf_plan *plan);

/* Ghosts, and the messages that bring them. */
ICF_MUST_CHECK icf_status icf_plan_count_ghosts(icf_plan_work *work, icf_plan *plan);

/* Contacts that each rank finds, rounds until islands over borders are known, and their messages. */
ICF_MUST_CHECK icf_status icf_plan_count_labels(icf_plan_work *work, icf_plan *plan);

/* Which ranks solve each island, before any is lent. */
ICF_MUST_CHECK icf_status icf_plan_choose_solvers(icf_plan_work *work);

/* Islands that ranks lend to each other (step/lend_islands.h).
 *   place [in, out] (islands) */
ICF_MUST_CHECK icf_status icf_plan_lend(icf_plan_work *work, icf_plan_place *place);

/* Where each island is solved, what its factor costs, and the messages of guests. */
ICF_MUST_CHECK icf_status icf_plan_place_islands(icf_plan_work *work, icf_plan *plan);

#endif
