/* When to rebalance: the measured load of the ranks, and whether the last rebalancing helped.
 *
 * Loads are wall times of the local work of a step (no waiting).  They decide where bodies are, never what is computed.
 */
#ifndef ICF_STEP_BALANCE_H
#define ICF_STEP_BALANCE_H

#include "base/context.h"
#include "scene/scene.h"
#include "step/stats.h"

typedef struct icf_balance {
    icf_cnt setting;  /* parallel.rebalance */
    icf_cnt last;     /* step of the last rebalancing */
    icf_cnt wait;     /* steps to wait after it (auto) */
    double load;      /* ms of local work since the last look */
    double before;    /* imbalance that led to the last rebalancing; 0: none yet */
    double imbalance; /* largest over mean load at the last look */
} icf_balance;

void icf_balance_init(icf_balance *balance, const icf_scene *scene, icf_cnt step);

/* Adds a step's local work; statistics are those of this rank alone. */
void icf_balance_add(icf_balance *balance, const icf_step_stats *stats);

/* Whether to rebalance after this step; the same answer on all ranks.  Collective. */
bool icf_balance_wants(icf_balance *balance, const icf_context *context, icf_cnt step);

#endif
