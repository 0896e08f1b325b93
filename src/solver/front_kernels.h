/* Dense kernels of the multifrontal factor, for one front at a time.
 *
 * A front's panel holds the columns of its pivots, column-major: nrow rows (pivots first), leading dimension
 * ld, a multiple of ICF_FRONT_ROWS.  Only the lower trapezoid counts; what lies above the diagonal and in the
 * rows nrow..ld-1 is scratch.  Arrays start on 64-byte boundaries and may be read (not written) up to
 * ICF_FRONT_ROWS values beyond their end.
 *
 * The same source (front_kernels_body.h) is compiled for AVX-512, AVX2 and the base instruction set; which one
 * runs is decided once per solver by the processor.  Each is repeatable in bits; they differ in rounding.
 */
#ifndef ICF_SOLVER_FRONT_KERNELS_H
#define ICF_SOLVER_FRONT_KERNELS_H

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

typedef struct icf_front_kernels {
    const char *name;

    /* Cholesky of the panel: A11 = L11 L11^T, A21 <- A21 L11^-T.
     *   inverse [out] (ncol) 1 / diagonal of L11
     * Returns false when a pivot is not positive and finite. */
    bool (*factor)(double *panel, int ld, int nrow, int ncol, double *inverse);

    /* C = start - A B^T, lower trapezoid of ncol columns, where B is the first ncol rows of A (nrow x depth).
     *   start [in] C itself (accumulate) or zero
     * Every entry subtracts its products one by one in the order of the columns of A, so that a product cut along
     * its depth, its rows or its columns gives the same bits. */
    void (*product)(const double *a, int ld, int nrow, int depth, int ncol, double *c, int ldc, bool accumulate);

    /* Forward solve on a front vector x (nrow): x1 <- L11^-1 x1, x2 -= L21 x1. */
    void (*forward)(const double *panel, int ld, int nrow, int ncol, const double *inverse, double *x);

    /* Backward solve: x1 <- L11^-T (x1 - L21^T x2). */
    void (*backward)(const double *panel, int ld, int nrow, int ncol, const double *inverse, double *x);

    /* y -= A x;  A (nrow x ncol), x (ncol), y (nrow). */
    void (*multiply)(const double *a, int ld, int nrow, int ncol, const double *x, double *y);

    /* y -= A^T x;  A (nrow x ncol), x (nrow), y (ncol). */
    void (*multiply_transposed)(const double *a, int ld, int nrow, int ncol, const double *x, double *y);
} icf_front_kernels;

extern const icf_front_kernels icf_front_kernels_base;
#ifdef ICF_X86_KERNELS
extern const icf_front_kernels icf_front_kernels_avx2;
extern const icf_front_kernels icf_front_kernels_avx512;
#endif

/* The fastest kernels this processor runs. */
const icf_front_kernels *icf_front_kernels_select(void);

#endif
