/* Symbolic factor in the cheapest of the orders, for one factorisation or a series. */
#ifndef ICF_SOLVER_CHEAPEST_ORDER_H
#define ICF_SOLVER_CHEAPEST_ORDER_H

#include "solver/ordering.h"
#include "solver/symbolic.h"

/* Minimum degree; for dear factors nested dissection when it needs fewer operations.
 *   order [out] (nblock) block at each place of that order
 * ICF_OK or ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_symbolic_cheapest(icf_symbolic *symbolic, icf_ordering *ordering,
                                                const icf_block_matrix *matrix, icf_lid *order);

/* The first half of it: minimum degree.
 *   wide [out] whether a factor is so dear that it pays to leave pairs out that are zero
 * Arguments and result as above. */
ICF_MUST_CHECK icf_status icf_symbolic_cheap(icf_symbolic *symbolic, icf_ordering *ordering,
                                             const icf_block_matrix *matrix, icf_lid *order, bool *wide);

/* Tries the blocks that vary in a series of factorisations at the end of an order: the fronts of the others are then
 * factored once.  An order made for the others alone was no better.
 *   symbolic [in,out] of the order; of the new one where that is chosen
 *   varies   [in]     (nblock)
 *   order    [in,out] (2 nblock) the order in the first half; in the second scratch
 *   last     [out]    whether the new one takes fewer operations over a series, and is there
 * ICF_OK or ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_symbolic_try_varying_last(icf_symbolic *symbolic, const icf_block_matrix *matrix,
                                                        const bool *varies, icf_lid *order, bool *last);

#endif
