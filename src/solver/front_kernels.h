/* Dense kernels of the multifrontal factor, for one front at a time.
 *
 * A front's panel holds the columns of its pivots, column-major: nrow rows (pivots first), leading dimension
 * ld, a multiple of ICF_FRONT_ROWS.  Only the lower trapezoid counts; what lies above the diagonal and in the
 * rows nrow..ld-1 is scratch.  Arrays start on 64-byte boundaries and may be read (not written) up to
 * ICF_FRONT_ROWS values beyond their end.
 *
 * The same source (front_kernels_body.h) is compiled for AVX-512, AVX2 and the base instruction set, in double and in
 * single precision; the processor decides which instruction set runs.  Each is repeatable in bits; they differ in
 * rounding.
 */
#ifndef ICF_SOLVER_FRONT_KERNELS_H
#define ICF_SOLVER_FRONT_KERNELS_H

#include <stddef.h>

#include "base/types.h"

enum {
    ICF_FRONT_ROWS = 8,  /* leading dimensions are multiples of it */
    ICF_FRONT_STRIP = 48 /* columns that are factored together: a multiple of ICF_FRONT_ROWS and of six */
};

/* Rows rounded up to a leading dimension. */
static inline int icf_front_padded(int n)
{
    return (n + ICF_FRONT_ROWS - 1) / ICF_FRONT_ROWS * ICF_FRONT_ROWS;
}

/* Rows of a child's update that lie together in the parent's front too. */
typedef struct icf_front_run {
    int from, to, length; /* first row in the update, first row in the front, rows */
} icf_front_run;

/* How a block of the matrix comes into a front.  LOWER: from the diagonal down; what is above it means nothing. */
typedef enum icf_front_copy { ICF_FRONT_COPY_ALL, ICF_FRONT_COPY_LOWER, ICF_FRONT_COPY_TRANSPOSED } icf_front_copy;

typedef struct icf_front_kernels {
    const char *name;
    size_t bytes; /* of a value of a front; vectors are double always */

    /* Cholesky of the panel: A11 = L11 L11^T, A21 <- A21 L11^-T.
     *   inverse [out] (ncol) 1 / diagonal of L11
     * Returns false when a pivot is not positive and finite. */
    bool (*factor)(void *panel, int ld, int nrow, int ncol, double *inverse);

    /* C = start - A B^T, lower trapezoid of ncol columns, where B is the first ncol rows of A (nrow x depth).
     *   start [in] C itself (accumulate) or zero
     * Every entry subtracts its products one by one in the order of the columns of A, so that a product cut along
     * its depth, its rows or its columns gives the same bits. */
    void (*product)(const void *a, int ld, int nrow, int depth, int ncol, void *c, int ldc, bool accumulate);

    /* Forward solve on a front vector x (nrow): x1 <- L11^-1 x1, x2 -= L21 x1. */
    void (*forward)(const void *panel, int ld, int nrow, int ncol, const double *inverse, double *x);

    /* Backward solve: x1 <- L11^-T (x1 - L21^T x2). */
    void (*backward)(const void *panel, int ld, int nrow, int ncol, const double *inverse, double *x);

    /* y -= A x;  A (nrow x ncol), x (ncol), y (nrow). */
    void (*multiply)(const void *a, int ld, int nrow, int ncol, const double *x, double *y);

    /* y -= A^T x;  A (nrow x ncol), x (nrow), y (ncol). */
    void (*multiply_transposed)(const void *a, int ld, int nrow, int ncol, const double *x, double *y);

    /* Copies columns from..to-1 of a column-major block of m x n values, of its lower triangle (from the diagonal down)
     * or of its transpose, into a panel that is zero there.
     *   panel [in,out] where row 0 of column 0 of the block goes */
    void (*copy)(const double *block, int m, int n, int from, int to, icf_front_copy how, void *panel, int ld);

    /* Adds columns begin..end-1 of a run of a child's update to the front, each from row `begin` of the run down; what
     * that is above the diagonal is scratch in both.
     *   first [in] the run
     *   update [in] the child's, leading dimension ldu
     *   columns [in,out] the column of the front that takes the first of them, by the front's rows; the others follow
     *                    at distances of step */
    void (*add_columns)(const icf_front_run *run, int nrun, int first, int begin, int end, const void *update, int ldu,
                        void *columns, ptrdiff_t step);
} icf_front_kernels;

extern const icf_front_kernels icf_front_kernels_base, icf_front_kernels_base_single;
#ifdef ICF_X86_KERNELS
extern const icf_front_kernels icf_front_kernels_avx2, icf_front_kernels_avx2_single;
extern const icf_front_kernels icf_front_kernels_avx512, icf_front_kernels_avx512_single;
#endif

/* The fastest kernels this processor runs, for values of that precision. */
const icf_front_kernels *icf_front_kernels_select(bool single);

#endif
