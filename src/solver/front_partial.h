/* Partial refactorisation: fronts whose entries change while those below them stay as they are.
 *
 *     . . .   .  . .      fronts of blocks that do not vary: factored once
 *      \|/     \ |/
 *       o       o         the last of them: their updates are kept
 *        \     /
 *         #---#            fronts with blocks that vary: factored again from the kept updates, the same bits
 *
 * The order puts blocks that vary last (cheapest_order.h), so that what is above such a front varies too.  Private to
 * src/solver.
 */
#ifndef ICF_SOLVER_FRONT_PARTIAL_H
#define ICF_SOLVER_FRONT_PARTIAL_H

#include "solver/fronts.h"

typedef struct icf_front_partial {
    icf_fronts *fronts; /* borrowed */
    icf_lid nvarying;
    icf_lid *varying; /* (nvarying) supernodes, ascending */
    icf_lid nkept;
    icf_lid *kept;    /* (nkept) supernodes whose updates are kept: those above and their children */
    int64_t *kept_at; /* (nkept) where they begin */
    double *update;
    size_t varying_capacity, kept_capacity, kept_at_capacity, update_capacity;
} icf_front_partial;

void icf_front_partial_init(icf_front_partial *partial);
void icf_front_partial_clear(icf_front_partial *partial);

/* Finds the fronts that vary.
 *   varies [in] (blocks of the matrix) NULL: none */
ICF_MUST_CHECK icf_status icf_front_partial_analyze(icf_front_partial *partial, icf_fronts *fronts, const bool *varies);

/* Says where the kept updates go, in the present precision: to be called before a factorisation, and before room is
 * made for stacks. */
void icf_front_partial_keep(const icf_front_partial *partial);

/* Factors the fronts that vary again, after a factorisation of all of them with the same matrix but for the blocks that
 * vary.  False when a pivot is not positive and finite.
 *   stack [in,out] (nthread) */
bool icf_front_partial_refactor(const icf_front_partial *partial, icf_front_stack *stack, int nthread,
                                const icf_block_matrix *matrix);

/* Whether a front has blocks that vary. */
bool icf_front_varies(const icf_symbolic *symbolic, const bool *varies, icf_lid s);

/* Operations of the fronts with blocks that vary. */
double icf_front_partial_flops(const icf_symbolic *symbolic, const bool *varies);

#endif
