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
 * as a new one where few pairs are new.  Orders that were repaired often cost operations: when they have cost as many
 * as a new one takes time, it is time for that.
 */
#ifndef ICF_SOLVER_ORDER_REPAIR_H
#define ICF_SOLVER_ORDER_REPAIR_H

#include "base/sort.h"
#include "solver/symbolic.h"

/* What an order has cost since it was found, and work memory, which only grows. */
typedef struct icf_order_repair {
    double found;  /* operations of a factor in the order that was found */
    double excess; /* of all factors since then, beyond that */
    icf_lid *memory, npair;
    icf_keyed *pair, *work; /* (npair) pairs that tie branches together, scratch */
    size_t capacity, pair_capacity, work_capacity;
} icf_order_repair;

void icf_order_repair_clear(icf_order_repair *repair);

/* Finds the order.
 *   symbolic [in]  of a pattern of the same blocks
 *   matrix   [in]  the pattern that it is to be good for; values are not read
 *   order    [out] (nblock) block at each place; that of `symbolic` where it ties no branches together.  The same
 *                  whatever the numbers of the blocks.
 * ICF_OK or ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_order_repaired(icf_order_repair *repair, const icf_symbolic *symbolic,
                                             const icf_block_matrix *matrix, icf_lid *order);

/* An order has been found, not repaired: what repairs cost counts from here. */
static inline void icf_order_repair_start(icf_order_repair *repair, const icf_symbolic *symbolic)
{
    repair->found = symbolic->flops;
    repair->excess = 0.0;
}

/* A matrix is factored. */
static inline void icf_order_repair_count(icf_order_repair *repair, const icf_symbolic *symbolic)
{
    repair->excess += symbolic->flops - repair->found;
}

/* Whether repaired orders, with one more factor, have cost less than finding one would have. */
static inline bool icf_order_repair_pays(const icf_order_repair *repair, const icf_symbolic *symbolic)
{
    const double order_flops = 2e5; /* operations of a factor that take as long as an order of a block does */
    return repair->excess + symbolic->flops - repair->found < order_flops * symbolic->nblock;
}

#endif
