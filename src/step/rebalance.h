/* Rebalancing: bodies to the ranks anew, by the graph of what is near what.
 *
 * Nodes are the moving bodies, weighted by what they cost a step; edges join bodies that are near each other, and weigh
 * more the more contacts they have.  An island that one rank will solve goes to one rank as a whole.
 */
#ifndef ICF_STEP_REBALANCE_H
#define ICF_STEP_REBALANCE_H

#include "partition/decompose.h"
#include "step/distribute.h"

/* What a rebalancing did, over all ranks. */
typedef struct icf_rebalance_report {
    icf_decomposition decomposition;
    icf_cnt nmoved; /* bodies that changed ranks */
} icf_rebalance_report;

/* Cuts the graph and migrates.
 *   domain [in,out] with this step's ghosts and contacts; its bodies are rebuilt, contacts and islands are void after
 * Collective. */
ICF_MUST_CHECK icf_status icf_rebalance(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input,
                                        icf_rebalance_report *report);

#endif
