/* Estimate of a condition number: column sums of H, and a few solutions for the inverse. */
#include "solver/condition.h"

#include <math.h>
#include <string.h>

/* Asks for products with a matrix until it knows its 1-norm: kase 1 (or 2: transposed) for x <- A x, 0 at the end. */
void dlacn2_(const int *n, double *v, double *x, int *isgn, double *est, int *kase, int isave[3]);

/* Adds the absolute values of a block to the sums of its columns, or of its rows when `transposed`. */
static void add_sums(const double *block, int rows, int columns, bool transposed, double *sum)
{
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) sum[transposed ? i : j] += fabs(block[i + j * rows]);
}

/* Largest sum of a column's absolute values.
 *   sum [out] (dofs) scratch */
static double one_norm(const icf_block_matrix *matrix, double *sum)
{
    const int32_t *dof = matrix->dof, n = dof[matrix->nblock];
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int size = dof[j + 1] - dof[j];
        add_sums(matrix->val + matrix->diag_at[j], size, size, false, sum + dof[j]);
        for (icf_lid k = matrix->ptr[j]; k < matrix->ptr[j + 1]; ++k) {
            const icf_lid i = matrix->idx[k];
            const double *block = matrix->val + matrix->off_at[k];
            add_sums(block, dof[i + 1] - dof[i], size, false, sum + dof[j]);
            add_sums(block, dof[i + 1] - dof[i], size, true, sum + dof[i]);
        }
    }
    double largest = 0.0;
    for (int32_t i = 0; i < n; ++i) largest = fmax(largest, sum[i]);
    return largest;
}

icf_status icf_condition_estimate(const icf_block_matrix *matrix, icf_linear_solver *solver, double *work, int *sign,
                                  double *condition)
{
    const int n = matrix->dof[matrix->nblock];
    double *v = work, *x = work + n, *sum = work + 2 * (size_t)n;
    double of_inverse = 0.0;
    int kase = 0, save[3];
    for (;;) {
        dlacn2_(&n, v, x, sign, &of_inverse, &kase, save);
        if (kase == 0) break;
        ICF_TRY(icf_linear_solver_solve(solver, x, x));
    }
    *condition = one_norm(matrix, sum) * of_inverse;
    return ICF_OK;
}
