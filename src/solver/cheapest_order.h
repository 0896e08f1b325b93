/* Symbolic factor in the cheapest of the orders. */
#ifndef ICF_SOLVER_CHEAPEST_ORDER_H
#define ICF_SOLVER_CHEAPEST_ORDER_H

#include "solver/ordering.h"
#include "solver/symbolic.h"

/* Minimum degree; for dear factors nested dissection when it needs fewer operations.
 *   order [out] (nblock) block at each place of that order
 * ICF_OK or ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_symbolic_cheapest(icf_symbolic *symbolic, icf_ordering *ordering,
                                                const icf_block_matrix *matrix, icf_lid *order);

#endif
