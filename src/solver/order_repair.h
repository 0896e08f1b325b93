/* An order of elimination for a pattern that has gained pairs.
 *
 *          w                  w            A pair u, v of blocks in two branches of the elimination tree would tie them
 *         / \                 |            together: whatever follows u in its branch would have v below it.  One of
 *       ...  ...     ->       v            the two goes up to the place before the first node that is above both, and
 *       /     \              / \           the branches stay apart.
 *      u       v           ...  ...
 *                          u
 *
 * A new order of a large pattern takes as long as its factor; this takes less than the symbolic factor.  It is as good
 * as a new one where few pairs are new.
 */
#ifndef ICF_SOLVER_ORDER_REPAIR_H
#define ICF_SOLVER_ORDER_REPAIR_H

#include "solver/symbolic.h"

/* Work memory; it only grows. */
typedef struct icf_order_repair {
    icf_lid *memory;
    size_t capacity;
} icf_order_repair;

void icf_order_repair_clear(icf_order_repair *repair);

/* Finds the order.
 *   symbolic [in]  of a pattern of the same blocks
 *   matrix   [in]  the pattern that it is to be good for; values are not read
 *   order    [out] (nblock) block at each place; that of `symbolic` where it ties no branches together
 * ICF_OK or ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_order_repaired(icf_order_repair *repair, const icf_symbolic *symbolic,
                                             const icf_block_matrix *matrix, icf_lid *order);

#endif
