/* When to rebalance: the measured load of the ranks, what it costs, and whether the last rebalancing helped.
 *
 * Loads are CPU times outside MPI waits, which mean the same when ranks share cores.  They decide where bodies are,
 * never what is computed.  A rebalancing pays when the time that the busiest rank was behind the mean since the last
 * one has grown above what that one took.
 */
#ifndef ICF_STEP_BALANCE_H
#define ICF_STEP_BALANCE_H

#include "base/context.h"
#include "scene/scene.h"

typedef struct icf_balance {
    icf_cnt setting;  /* parallel.rebalance */
    icf_cnt last;     /* step of the last rebalancing */
    icf_cnt wait;     /* steps to wait after it (auto) */
    double load;      /* CPU time of this rank since the last look [s] */
    double cost;      /* CPU time of the last rebalancing, of this rank [s] */
    double lost;      /* busiest rank less mean since the last rebalancing [s] */
    double before;    /* imbalance that led to the last rebalancing; 0: none yet */
    double imbalance; /* largest over mean load at the last look */
} icf_balance;

void icf_balance_init(icf_balance *balance, const icf_scene *scene, icf_cnt step);

/* Adds the CPU time of a step on this rank [s]. */
void icf_balance_add(icf_balance *balance, double seconds);

/* Notes the CPU time of a rebalancing on this rank [s]. */
void icf_balance_done(icf_balance *balance, double seconds);

/* Whether to rebalance after this step; the same answer on all ranks.  Collective. */
bool icf_balance_wants(icf_balance *balance, const icf_context *context, icf_cnt step);

#endif
