/* Net impulses of the pairs of a shared body, whose contacts lie on several ranks. */
#ifndef ICF_STEP_SPLIT_PAIRS_H
#define ICF_STEP_SPLIT_PAIRS_H

#include "partition/halo.h"
#include "step/domain.h"

/* Sums the impulses of these pairs where the body that is not shared is owned, or on one of the ranks that have both.
 *   domain [in,out] contacts are this rank's; its shared pairs are set
 * Collective; nothing where no body is split.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_split_pairs_sum(icf_domain *domain, const icf_halo *halo, icf_arena *arena);

#endif
