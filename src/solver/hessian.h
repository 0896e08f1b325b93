/* The Hessian of an island: pattern from the constraint families, values from A.
 *
 * Holds the arrays that an icf_block_matrix points to; they only grow.
 */
#ifndef ICF_SOLVER_HESSIAN_H
#define ICF_SOLVER_HESSIAN_H

#include "base/status.h"
#include "solver/block_matrix.h"
#include "solver/problem.h"

typedef struct icf_hessian {
    icf_block_matrix matrix; /* views into the arrays below */
    icf_block_matrix met;    /* the same values without the blocks that have been zero: icf_hessian_meet */
    icf_lid npair;           /* coupled pairs in row and col, those that come twice included */
    icf_lid *ptr, *idx, *row, *col;
    int64_t *diag_at, *off_at;
    double *val;
    bool *varies;   /* blocks that families mark, of problems with meshes */
    icf_lid *order; /* blocks, of problems with meshes */
    bool *is_met;   /* off-diagonal blocks of `met` */
    icf_lid *met_ptr, *met_idx;
    int64_t *met_at;
    size_t ptr_capacity, idx_capacity, row_capacity, col_capacity, diag_capacity, off_capacity, val_capacity,
        varies_capacity, order_capacity, is_met_capacity, met_ptr_capacity, met_idx_capacity, met_at_capacity;
} icf_hessian;

void icf_hessian_init(icf_hessian *hessian);
void icf_hessian_clear(icf_hessian *hessian);

/* Builds the pattern: the diagonal and every pair of blocks that a family couples, once; and which blocks vary,
 * where part of A is dear and stays. */
ICF_MUST_CHECK icf_status icf_hessian_build(icf_hessian *hessian, const icf_problem *problem);

/* Sets the values to A plus the direction Hessians of all families at their current velocities. */
void icf_hessian_update(icf_hessian *hessian, const icf_problem *problem);

/* Starts `met` anew: without any off-diagonal block. */
ICF_MUST_CHECK icf_status icf_hessian_forget(icf_hessian *hessian);

/* Adds the off-diagonal blocks to `met` that are not zero now.  In piles half of the pairs that could touch do not.
 * Returns whether there were any. */
bool icf_hessian_meet(icf_hessian *hessian);

/* Adds relative * H_ii to every diagonal entry (a remedy for round-off in the factor). */
void icf_hessian_shift(icf_hessian *hessian, double relative);

#endif
