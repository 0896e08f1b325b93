/* Symmetric block-sparse matrix of one island: the Newton Hessian H.
 *
 * Blocks are groups of degrees of freedom: 6 for a free body (a locked one keeps its row with a unit
 * diagonal), 3 for a deformable vertex, up to 64 for an articulated tree.  Only the lower triangle is kept: the
 * diagonal blocks, and for each block column j the blocks of rows i > j, ascending.  All blocks are dense,
 * column-major, of size (dofs of i) x (dofs of j); diagonal blocks hold both triangles.
 */
#ifndef ICF_SOLVER_BLOCK_MATRIX_H
#define ICF_SOLVER_BLOCK_MATRIX_H

#include "base/types.h"

typedef struct icf_block_matrix {
    icf_lid nblock;         /* blocks */
    const int32_t *dof;     /* (nblock + 1) first dof of each block; dof[nblock] = number of dofs */
    const icf_lid *ptr;     /* (nblock + 1) first off-diagonal block of each column */
    const icf_lid *idx;     /* (ptr[nblock]) row of each off-diagonal block, > its column, ascending */
    const int64_t *diag_at; /* (nblock) position of each diagonal block in val */
    const int64_t *off_at;  /* (ptr[nblock]) position of each off-diagonal block in val */
    double *val;            /* all entries, 64-byte aligned */
    int64_t nval;
    const bool *varies;   /* (nblock) blocks whose values change within a series of factorisations; NULL: any may */
    const icf_lid *order; /* (nblock) an order of little fill to start from; NULL: not known.  The same for the same
                             pattern */
} icf_block_matrix;

/* 64-bit key of the pattern (nblock, dof, ptr, idx). */
uint64_t icf_block_matrix_pattern(const icf_block_matrix *matrix);

/* Sorts the rows of every column of a pattern and drops those that stand twice.
 *   ptr [in,out] (nblock + 1); idx [in,out] (ptr[nblock]) */
void icf_pattern_sort(icf_lid nblock, icf_lid *ptr, icf_lid *idx);

/* Index e of the off-diagonal block in row i and column j < i, with idx[e] == i; -1 when the pattern has none. */
icf_lid icf_block_matrix_find(const icf_block_matrix *matrix, icf_lid i, icf_lid j);

/* y = H x, summed in the order of the columns.  x, y (dofs), not the same array. */
void icf_block_matrix_multiply(const icf_block_matrix *matrix, const double *x, double *y);

/* Whether all nval values are finite. */
bool icf_block_matrix_is_finite(const icf_block_matrix *matrix);

#endif
