/* The choice between minimum degree and nested dissection. */
#include "solver/cheapest_order.h"

/* Operations a block above which nested dissection is tried: it costs some 3 us a block and takes a fifth to a
 * half off the factor of a deep pile, which Newton needs about ten times; thin piles stay far below. */
static const double DEAR_FLOPS = 1e5;

/* Whether a factor is so dear that a better order pays for itself within a few factorisations. */
static bool is_dear(const icf_symbolic *symbolic)
{
    return symbolic->nblock >= ICF_DISSECTION_BLOCKS && symbolic->flops > DEAR_FLOPS * symbolic->nblock;
}

icf_status icf_symbolic_cheapest(icf_symbolic *symbolic, icf_ordering *ordering, const icf_block_matrix *matrix,
                                 icf_lid *order)
{
    ICF_TRY(icf_order_minimum_degree(ordering, matrix, order));
    ICF_TRY(icf_symbolic_build(symbolic, matrix, order));
    if (!is_dear(symbolic)) return ICF_OK;
    const double flops = symbolic->flops;
    ICF_TRY(icf_order_nested_dissection(ordering, matrix, order));
    ICF_TRY(icf_symbolic_build(symbolic, matrix, order));
    if (symbolic->flops <= flops) return ICF_OK;
    ICF_TRY(icf_order_minimum_degree(ordering, matrix, order));
    return icf_symbolic_build(symbolic, matrix, order);
}
