/* Islands that ranks lend to each other for a step (partition/lend.h). */
#ifndef ICF_STEP_LEND_ISLANDS_H
#define ICF_STEP_LEND_ISLANDS_H

#include "partition/components.h"
#include "partition/placement.h"
#include "step/domain.h"

/* Moves complete islands of rigid bodies from ranks that expect more to solve to ranks that expect less.  What is
 * expected follows from what bodies cost in the last steps (step/body_cost.h); nothing is lent before that is known.
 *   placement [in, out] the solver of a lent island's part becomes the borrower
 *   nlent     [out] bodies of the islands that this rank lends
 * Collective. */
ICF_MUST_CHECK icf_status icf_lend_islands(icf_placement *placement, const icf_components *components,
                                           const icf_domain *domain, const icf_step_input *input, icf_cnt *nlent);

#endif
