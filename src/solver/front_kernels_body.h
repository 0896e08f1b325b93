/* Source of the front kernels; included by one file per instruction set, which defines
 *
 *     ICF_LANES     doubles in a vector: 2, 4 or 8
 *     ICF_TALL      vectors in the tall tile of rows (ICF_TALL * ICF_LANES is a multiple of ICF_FRONT_ROWS)
 *     ICF_KERNELS   the icf_front_kernels object to define
 *     ICF_NAME      its name
 *
 * Everything rests on one tile product: C (rows x width) -= A (rows x depth) B (width x depth)^T with C in
 * registers, where A and B are rows of the same panel.  Rows are taken in tiles that start at multiples of
 * ICF_FRONT_ROWS, so that stores stay in the leading dimension; what a tile covers above the diagonal is
 * scratch.  Width is six, the degrees of freedom of a body, with narrower rests.
 */
#include <math.h>

#include "solver/front_kernels.h"

typedef double vec __attribute__((vector_size(ICF_LANES * 8), aligned(8), may_alias));

enum { width_max = 6, short_vectors = ICF_FRONT_ROWS / ICF_LANES, tall_rows = ICF_TALL * ICF_LANES };

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const double *p)
{
    return *(const vec *)p;
}

INLINE void store(double *p, vec v)
{
    *(vec *)p = v;
}

/* c (rows x width, leading dimension ldc) = start - a b^T over depth columns; start is c or 0. */
INLINE void tile(int vectors, int width, int depth, const double *a, const double *b, int ld, double *c, int ldc,
                 bool accumulate)
{
    vec sum[ICF_TALL * width_max];
    for (int j = 0; j < width; ++j)
        for (int r = 0; r < vectors; ++r)
            sum[j * vectors + r] = accumulate ? load(c + j * ldc + r * ICF_LANES) : (vec){0};
    for (int k = 0; k < depth; ++k) {
        vec column[ICF_TALL];
        for (int r = 0; r < vectors; ++r) column[r] = load(a + r * ICF_LANES);
        for (int j = 0; j < width; ++j)
            for (int r = 0; r < vectors; ++r) sum[j * vectors + r] -= column[r] * b[j];
        a += ld;
        b += ld;
    }
    for (int j = 0; j < width; ++j)
        for (int r = 0; r < vectors; ++r) store(c + j * ldc + r * ICF_LANES, sum[j * vectors + r]);
}

/* The same for all rows of a strip of `width` columns. */
INLINE void strip(int width, int nrow, int depth, const double *a, const double *b, int ld, double *c, int ldc,
                  bool accumulate)
{
    int i = 0;
    for (; i + tall_rows <= nrow; i += tall_rows) tile(ICF_TALL, width, depth, a + i, b, ld, c + i, ldc, accumulate);
    for (; i < nrow; i += ICF_FRONT_ROWS) tile(short_vectors, width, depth, a + i, b, ld, c + i, ldc, accumulate);
}

/* A strip of any width up to six, each compiled with its width known. */
INLINE void any_strip(int width, int nrow, int depth, const double *a, const double *b, int ld, double *c, int ldc,
                      bool accumulate)
{
    switch (width) {
    case 6: strip(6, nrow, depth, a, b, ld, c, ldc, accumulate); break;
    case 5: strip(5, nrow, depth, a, b, ld, c, ldc, accumulate); break;
    case 4: strip(4, nrow, depth, a, b, ld, c, ldc, accumulate); break;
    case 3: strip(3, nrow, depth, a, b, ld, c, ldc, accumulate); break;
    case 2: strip(2, nrow, depth, a, b, ld, c, ldc, accumulate); break;
    default: strip(1, nrow, depth, a, b, ld, c, ldc, accumulate); break;
    }
}

/* Cholesky of the width x width block at the top of a strip. */
INLINE bool factor_pivots(double *c, int ld, int width, double *inverse)
{
    for (int j = 0; j < width; ++j) {
        double pivot = c[j + j * ld];
        for (int k = 0; k < j; ++k) pivot -= c[j + k * ld] * c[j + k * ld];
        if (!(pivot > 0.0) || !isfinite(pivot)) return false;
        const double root = sqrt(pivot);
        c[j + j * ld] = root;
        inverse[j] = 1.0 / root;
        for (int i = j + 1; i < width; ++i) {
            double value = c[i + j * ld];
            for (int k = 0; k < j; ++k) value -= c[i + k * ld] * c[j + k * ld];
            c[i + j * ld] = value * inverse[j];
        }
    }
    return true;
}

/* Factors a strip whose pivots start at row `skip`: Cholesky of the pivots, then c <- c L^-T a vector of rows at
 * a time.  The pivots lie in the first rows, which are swept with the others: they are kept aside. */
INLINE bool factor_strip(int width, double *c, int ld, int skip, int nrow, double *inverse)
{
    if (!factor_pivots(c + skip, ld, width, inverse)) return false;
    double pivots[width_max * width_max];
    for (int j = 0; j < width; ++j)
        for (int i = j; i < width; ++i) pivots[i + j * width_max] = c[skip + i + j * ld];
    for (int i = 0; i < nrow; i += ICF_LANES) {
        vec x[width_max];
        for (int j = 0; j < width; ++j) {
            x[j] = load(c + i + j * ld);
            for (int k = 0; k < j; ++k) x[j] -= x[k] * pivots[j + k * width_max];
            x[j] *= inverse[j];
            store(c + i + j * ld, x[j]);
        }
    }
    for (int j = 0; j < width; ++j)
        for (int i = j; i < width; ++i) c[skip + i + j * ld] = pivots[i + j * width_max];
    return true;
}

static bool factor(double *panel, int ld, int nrow, int ncol, double *inverse)
{
    for (int j = 0; j < ncol; j += width_max) {
        const int width = ICF_MIN(width_max, ncol - j);
        /* tiles of rows start at a multiple of ICF_FRONT_ROWS at or above the pivots */
        const int top = j / ICF_FRONT_ROWS * ICF_FRONT_ROWS;
        double *c = panel + top + (size_t)j * (size_t)ld;
        if (j > 0) any_strip(width, nrow - top, j, panel + top, panel + j, ld, c, ld, true);
        if (!factor_strip(width, c, ld, j - top, nrow - top, inverse + j)) return false;
    }
    return true;
}

static void product(const double *a, int ld, int nrow, int depth, int ncol, double *c, int ldc, bool accumulate)
{
    for (int j = 0; j < ncol; j += width_max) {
        const int width = ICF_MIN(width_max, ncol - j), top = j / ICF_FRONT_ROWS * ICF_FRONT_ROWS;
        any_strip(width, nrow - top, depth, a + top, a + j, ld, c + top + (size_t)j * (size_t)ldc, ldc, accumulate);
    }
}

/* Solves with the lower triangle of a strip: x <- L^-1 x, or L^-T x. */
INLINE void solve_pivots(int width, const double *panel, int ld, const double *inverse, bool transposed, double *x)
{
    if (transposed)
        for (int j = width - 1; j >= 0; --j) {
            for (int k = j + 1; k < width; ++k) x[j] -= panel[k + j * ld] * x[k];
            x[j] *= inverse[j];
        }
    else
        for (int j = 0; j < width; ++j) {
            for (int k = 0; k < j; ++k) x[j] -= panel[j + k * ld] * x[k];
            x[j] *= inverse[j];
        }
}

/* y -= A x for a strip of columns of n rows. */
INLINE void multiply_strip(int width, const double *a, int ld, int n, const double *x, double *y)
{
    int i = 0;
    for (; i + ICF_LANES <= n; i += ICF_LANES) {
        vec rows = load(y + i);
        for (int j = 0; j < width; ++j) rows -= load(a + i + j * ld) * x[j];
        store(y + i, rows);
    }
    for (; i < n; ++i)
        for (int j = 0; j < width; ++j) y[i] -= a[i + j * ld] * x[j];
}

INLINE double sum_lanes(vec v)
{
    double sum = 0.0;
    for (int k = 0; k < ICF_LANES; ++k) sum += v[k];
    return sum;
}

/* y -= A^T x for a strip of columns of n rows. */
INLINE void multiply_strip_transposed(int width, const double *a, int ld, int n, const double *x, double *y)
{
    vec lanes[width_max];
    int i = 0;
    for (int j = 0; j < width; ++j) lanes[j] = (vec){0};
    for (; i + ICF_LANES <= n; i += ICF_LANES) {
        const vec rows = load(x + i);
        for (int j = 0; j < width; ++j) lanes[j] += load(a + i + j * ld) * rows;
    }
    for (int j = 0; j < width; ++j) {
        double sum = sum_lanes(lanes[j]);
        for (int k = i; k < n; ++k) sum += a[k + j * ld] * x[k];
        y[j] -= sum;
    }
}

/* Both products of a strip of any width, each width compiled by itself. */
INLINE void any_multiply(int width, const double *a, int ld, int n, bool transposed, const double *x, double *y)
{
#define ICF_WIDTH(w)                                      \
    case w:                                               \
        if (transposed)                                   \
            multiply_strip_transposed(w, a, ld, n, x, y); \
        else                                              \
            multiply_strip(w, a, ld, n, x, y);            \
        break
    switch (width) {
        ICF_WIDTH(1);
        ICF_WIDTH(2);
        ICF_WIDTH(3);
        ICF_WIDTH(4);
        ICF_WIDTH(5);
        ICF_WIDTH(6);
    }
#undef ICF_WIDTH
}

static void forward(const double *panel, int ld, int nrow, int ncol, const double *inverse, double *x)
{
    for (int j = 0; j < ncol; j += width_max) {
        const int width = ICF_MIN(width_max, ncol - j);
        const double *strip_at = panel + j + (size_t)j * (size_t)ld;
        solve_pivots(width, strip_at, ld, inverse + j, false, x + j);
        any_multiply(width, strip_at + width, ld, nrow - j - width, false, x + j, x + j + width);
    }
}

static void backward(const double *panel, int ld, int nrow, int ncol, const double *inverse, double *x)
{
    for (int j = (ncol - 1) / width_max * width_max; j >= 0; j -= width_max) {
        const int width = ICF_MIN(width_max, ncol - j);
        const double *strip_at = panel + j + (size_t)j * (size_t)ld;
        any_multiply(width, strip_at + width, ld, nrow - j - width, true, x + j + width, x + j);
        solve_pivots(width, strip_at, ld, inverse + j, true, x + j);
    }
}

static void multiply(const double *a, int ld, int nrow, int ncol, const double *x, double *y)
{
    for (int j = 0; j < ncol; j += width_max)
        any_multiply(ICF_MIN(width_max, ncol - j), a + (size_t)j * (size_t)ld, ld, nrow, false, x + j, y);
}

static void multiply_transposed(const double *a, int ld, int nrow, int ncol, const double *x, double *y)
{
    for (int j = 0; j < ncol; j += width_max)
        any_multiply(ICF_MIN(width_max, ncol - j), a + (size_t)j * (size_t)ld, ld, nrow, true, x, y + j);
}

const icf_front_kernels ICF_KERNELS = {ICF_NAME, factor, product, forward, backward, multiply, multiply_transposed};
