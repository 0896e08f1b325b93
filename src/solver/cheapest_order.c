/* The choice between minimum degree, nested dissection, and either with what varies last. */
#include "solver/cheapest_order.h"

#include <string.h>

#include "solver/front_partial.h"

/* Operations a block above which nested dissection is tried: it costs some 3 us a block and takes a fifth to a
 * half off the factor of a deep pile, which Newton needs about ten times; thin piles stay far below. */
static const double DEAR_FLOPS = 1e5;

/* Operations a block above which it pays to leave pairs out that are zero: as they come in, the order is repaired at
 * 0.3 us a block and time.  Half of the operations of a deep pile are those of pairs that do not touch. */
static const double WIDE_FLOPS = 4e4;

/* Factorisations that follow the first in a series, as Newton takes them where most of H stays. */
static const double REFACTORIZATIONS = 1.5;

/* Whether a factor is so dear that a better order pays for itself within a few factorisations. */
static bool is_dear(const icf_symbolic *symbolic)
{
    return symbolic->nblock >= ICF_DISSECTION_BLOCKS && symbolic->flops > DEAR_FLOPS * symbolic->nblock;
}

icf_status icf_symbolic_cheap(icf_symbolic *symbolic, icf_ordering *ordering, const icf_block_matrix *matrix,
                              icf_lid *order, bool *wide)
{
    ICF_TRY(icf_order_minimum_degree(ordering, matrix, order));
    ICF_TRY(icf_symbolic_build(symbolic, matrix, order));
    *wide = symbolic->flops > WIDE_FLOPS * symbolic->nblock;
    return ICF_OK;
}

icf_status icf_symbolic_cheapest(icf_symbolic *symbolic, icf_ordering *ordering, const icf_block_matrix *matrix,
                                 icf_lid *order)
{
    bool wide;
    ICF_TRY(icf_symbolic_cheap(symbolic, ordering, matrix, order, &wide));
    if (!is_dear(symbolic)) return ICF_OK;
    const double flops = symbolic->flops;
    ICF_TRY(icf_order_nested_dissection(ordering, matrix, order));
    ICF_TRY(icf_symbolic_build(symbolic, matrix, order));
    if (symbolic->flops <= flops) return ICF_OK;
    ICF_TRY(icf_order_minimum_degree(ordering, matrix, order));
    return icf_symbolic_build(symbolic, matrix, order);
}

icf_status icf_symbolic_try_varying_last(icf_symbolic *symbolic, const icf_block_matrix *matrix, const bool *varies,
                                         icf_lid *order, bool *last)
{
    const icf_lid n = matrix->nblock;
    const double whole = (1.0 + REFACTORIZATIONS) * symbolic->flops;
    icf_lid *apart = order + n, next = 0;
    for (int varying = 0; varying < 2; ++varying)
        for (icf_lid k = 0; k < n; ++k)
            if (varies[order[k]] == (varying == 1)) apart[next++] = order[k];
    icf_block_matrix marked = *matrix;
    marked.varies = varies;
    ICF_TRY(icf_symbolic_build(symbolic, &marked, apart));
    *last = symbolic->flops + REFACTORIZATIONS * icf_front_partial_flops(symbolic, varies) < whole;
    if (!*last) return icf_symbolic_build(symbolic, matrix, order);
    memcpy(order, apart, (size_t)n * sizeof *apart);
    return ICF_OK;
}
