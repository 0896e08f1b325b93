/* Block incomplete Cholesky factor of a symmetric positive definite block matrix: a preconditioner M = L L^T.
 *
 * L has the blocks of the lower triangle of the matrix, in its own order and without fill ("IC(0)"):
 *
 *     for each block column j:   L_jj L_jj^T = A_jj,   L_ij = A_ij L_jj^-T,   A_ik -= L_ij L_kj^T where A has (i, k)
 *
 * It breaks down on most contact Hessians: dropped fill makes later pivots indefinite.  Then the diagonal is
 * scaled by 1 + shift and the factorisation is redone with growing shifts; after the last one the preconditioner
 * is block Jacobi, which exists whenever the matrix is positive definite.
 *
 * Private to src/solver; no MPI, no threads inside.
 */
#ifndef ICF_SOLVER_INCOMPLETE_H
#define ICF_SOLVER_INCOMPLETE_H

#include "base/status.h"
#include "solver/block_matrix.h"

typedef struct icf_incomplete {
    icf_block_matrix matrix;   /* packed: each diagonal block and then those below it; pattern borrowed */
    int64_t *diag_at, *off_at; /* of the matrix */
    double *value;             /* (matrix.nval) of the matrix */
    double *factor;            /* (matrix.nval) L at the same places; diagonal blocks: lower triangle, 1 / L on it */
    bool jacobi;               /* only the diagonal blocks of the factor count */
    size_t diag_capacity, off_capacity, value_capacity, factor_capacity;
} icf_incomplete;

void icf_incomplete_init(icf_incomplete *self);
void icf_incomplete_clear(icf_incomplete *self);

/* Makes room for a pattern.
 *   pattern [in] nblock, dof, ptr and idx are read; kept until the next call, values are not
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_incomplete_analyze(icf_incomplete *self, const icf_block_matrix *pattern);

/* Factors self->matrix, whose values the caller has filled in.  ICF_NOT_POSITIVE_DEFINITE also where a value is not
 * finite. */
ICF_MUST_CHECK icf_status icf_incomplete_factor(icf_incomplete *self);

/* z = M^-1 r.  r, z (dofs), not the same array */
void icf_incomplete_solve(const icf_incomplete *self, const double *r, double *z);

#endif
