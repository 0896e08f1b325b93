/* Source of the front kernels; included by one file per instruction set and precision, which defines
 *
 *     ICF_REAL      type of the values of a front: double or float
 *     ICF_LANES     values in a vector of the tall tile of rows
 *     ICF_SHORT     values in a vector elsewhere, at most ICF_FRONT_ROWS and a divisor of it
 *     ICF_TALL      vectors in the tall tile (ICF_TALL * ICF_LANES is a multiple of ICF_FRONT_ROWS)
 *     ICF_DOUBLES   doubles in a vector
 *     ICF_KERNELS   the icf_front_kernels object to define
 *     ICF_NAME      its name
 *
 * Everything rests on one tile product: C (rows x width) -= A (rows x depth) B (width x depth)^T with C in
 * registers, where A and B are rows of the same panel.  Rows are taken in tiles that start at multiples of
 * ICF_FRONT_ROWS, so that stores stay in the leading dimension; what a tile covers above the diagonal is
 * scratch.  Width is six, the degrees of freedom of a body, with narrower rests.
 */
#include <math.h>
#include <string.h>

#ifdef __AVX512F__
#    include <immintrin.h>
#endif

#include "solver/front_kernels.h"

typedef ICF_REAL real;

#define ICF_VECTOR(type, lanes) \
    type __attribute__((vector_size((lanes) * sizeof(type)), aligned(sizeof(type)), may_alias))

typedef ICF_VECTOR(real, ICF_LANES) tall_vec;
typedef ICF_VECTOR(real, ICF_SHORT) vec;
typedef ICF_VECTOR(real, 4) quad;
typedef ICF_VECTOR(real, 2) couple;
typedef ICF_VECTOR(double, ICF_DOUBLES) wide;

enum { width_max = 6, short_vectors = ICF_FRONT_ROWS / ICF_SHORT, tall_rows = ICF_TALL * ICF_LANES };

#define INLINE static inline __attribute__((always_inline))

#define ICF_SQRT(x) _Generic((x), float : sqrtf, double : sqrt)(x)

INLINE vec load(const real *p)
{
    return *(const vec *)p;
}

INLINE void store(real *p, vec v)
{
    *(vec *)p = v;
}

/* c (rows x width, leading dimension ldc) = start - a b^T over depth columns, which are lda and ldb values apart, rows
 * in vectors; start is c or 0. */
#define ICF_DEFINE_TILE(name, vector)                                                                            \
    INLINE void name(int vectors, int width, int depth, const real *a, int lda, const real *b, int ldb, real *c, \
                     int ldc, bool accumulate)                                                                   \
    {                                                                                                            \
        enum { lanes = sizeof(vector) / sizeof(real) };                                                          \
        vector sum[short_vectors * width_max + ICF_TALL * width_max];                                            \
        for (int j = 0; j < width; ++j)                                                                          \
            for (int r = 0; r < vectors; ++r)                                                                    \
                sum[j * vectors + r] = accumulate ? *(const vector *)(c + j * ldc + r * lanes) : (vector){0};    \
        for (int k = 0; k < depth; ++k) {                                                                        \
            vector column[short_vectors + ICF_TALL];                                                             \
            for (int r = 0; r < vectors; ++r) column[r] = *(const vector *)(a + r * lanes);                      \
            for (int j = 0; j < width; ++j)                                                                      \
                for (int r = 0; r < vectors; ++r) sum[j * vectors + r] -= column[r] * b[j];                      \
            a += lda;                                                                                            \
            b += ldb;                                                                                            \
        }                                                                                                        \
        for (int j = 0; j < width; ++j)                                                                          \
            for (int r = 0; r < vectors; ++r) *(vector *)(c + j * ldc + r * lanes) = sum[j * vectors + r];       \
    }

ICF_DEFINE_TILE(tall_tile, tall_vec)
ICF_DEFINE_TILE(short_tile, vec)

/* The same for all rows of a strip of `width` columns. */
INLINE void strip(int width, int nrow, int depth, const real *a, const real *b, int ld, real *c, int ldc,
                  bool accumulate)
{
    const int end = icf_front_padded(nrow);
    int i = 0;
    for (; i + tall_rows <= end; i += tall_rows)
        tall_tile(ICF_TALL, width, depth, a + i, ld, b, ld, c + i, ldc, accumulate);
    for (; ICF_LANES > ICF_FRONT_ROWS && i + ICF_LANES <= end; i += ICF_LANES)
        tall_tile(1, width, depth, a + i, ld, b, ld, c + i, ldc, accumulate);
    for (; i < end; i += ICF_FRONT_ROWS)
        short_tile(short_vectors, width, depth, a + i, ld, b, ld, c + i, ldc, accumulate);
}

/* A call with the width, up to six, known to the compiler. */
#define ICF_EACH_WIDTH(width, CALL) \
    switch (width) {                \
    case 1: CALL(1); break;         \
    case 2: CALL(2); break;         \
    case 3: CALL(3); break;         \
    case 4: CALL(4); break;         \
    case 5: CALL(5); break;         \
    case 6: CALL(6); break;         \
    }

#define ICF_CALL(w) strip(w, nrow, depth, a, b, ld, c, ldc, accumulate)
INLINE void any_strip(int width, int nrow, int depth, const real *a, const real *b, int ld, real *c, int ldc,
                      bool accumulate)
{
    ICF_EACH_WIDTH(width, ICF_CALL);
}
#undef ICF_CALL

/* Column j of the Cholesky factor of a block, taken off the columns to its right. */
INLINE bool factor_pivot(int width, int j, real *block, real *reciprocal)
{
    real *column = block + j * width_max;
    const real pivot = column[j];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    column[j] = ICF_SQRT(pivot);
    reciprocal[j] = 1 / column[j];
    for (int i = j + 1; i < width; ++i) column[i] *= reciprocal[j];
    for (int k = j + 1; k < width; ++k)
        for (int i = k; i < width; ++i) block[i + k * width_max] -= column[i] * column[k];
    return true;
}

/* Column j of a vector of rows times L^-T, taken off the columns to its right. */
INLINE void sweep_column(int width, int j, const real *block, const real *reciprocal, vec *x)
{
    x[j] *= reciprocal[j];
    for (int k = j + 1; k < width; ++k) x[k] -= x[j] * block[k + j * width_max];
}

/* Cholesky of the block; column by column, so that each is compiled with its number known. */
INLINE bool factor_block(int width, real *block, real *reciprocal)
{
    return factor_pivot(width, 0, block, reciprocal) && (width < 2 || factor_pivot(width, 1, block, reciprocal)) &&
           (width < 3 || factor_pivot(width, 2, block, reciprocal)) &&
           (width < 4 || factor_pivot(width, 3, block, reciprocal)) &&
           (width < 5 || factor_pivot(width, 4, block, reciprocal)) &&
           (width < 6 || factor_pivot(width, 5, block, reciprocal));
}

INLINE void sweep_rows(int width, const real *block, const real *reciprocal, vec *x)
{
    sweep_column(width, 0, block, reciprocal, x);
    if (width > 1) sweep_column(width, 1, block, reciprocal, x);
    if (width > 2) sweep_column(width, 2, block, reciprocal, x);
    if (width > 3) sweep_column(width, 3, block, reciprocal, x);
    if (width > 4) sweep_column(width, 4, block, reciprocal, x);
    if (width > 5) sweep_column(width, 5, block, reciprocal, x);
}

/* Factors a strip whose pivots start at row `skip`: Cholesky of the pivots, then c <- c L^-T a vector of rows at
 * a time.  The pivots lie in the first rows, which are swept with the others: they are kept aside. */
INLINE bool factor_strip(int width, real *c, int ld, int skip, int nrow, double *inverse)
{
    real block[width_max * width_max], reciprocal[width_max];
    for (int j = 0; j < width; ++j)
        for (int i = j; i < width; ++i) block[i + j * width_max] = c[skip + i + j * ld];
    if (!factor_block(width, block, reciprocal)) return false;
    for (int i = 0; i < nrow; i += ICF_SHORT) {
        vec x[width_max];
        for (int j = 0; j < width; ++j) x[j] = load(c + i + j * ld);
        sweep_rows(width, block, reciprocal, x);
        for (int j = 0; j < width; ++j) store(c + i + j * ld, x[j]);
    }
    for (int j = 0; j < width; ++j) {
        inverse[j] = (double)reciprocal[j];
        for (int i = j; i < width; ++i) c[skip + i + j * ld] = block[i + j * width_max];
    }
    return true;
}

#define ICF_CALL(w) factored = factor_strip(w, c, ld, skip, nrow, inverse)
INLINE bool any_factor_strip(int width, real *c, int ld, int skip, int nrow, double *inverse)
{
    bool factored = false;
    ICF_EACH_WIDTH(width, ICF_CALL);
    return factored;
}
#undef ICF_CALL

static bool factor(void *values, int ld, int nrow, int ncol, double *inverse)
{
    real *panel = values;
    for (int j = 0; j < ncol; j += width_max) {
        const int width = ICF_MIN(width_max, ncol - j);
        /* tiles of rows start at a multiple of ICF_FRONT_ROWS at or above the pivots */
        const int top = j / ICF_FRONT_ROWS * ICF_FRONT_ROWS;
        real *c = panel + top + (size_t)j * (size_t)ld;
        if (j > 0) any_strip(width, nrow - top, j, panel + top, panel + j, ld, c, ld, true);
        if (!any_factor_strip(width, c, ld, j - top, nrow - top, inverse + j)) return false;
    }
    return true;
}

/* A block of C, and what is taken off it at a time, stay in the first two levels of the cache. */
enum { block_columns = 96, block_rows = 384 / (int)sizeof(real), packed_depth = 4 * ICF_FRONT_STRIP };

/* Values of C in a block of columns from which on it pays to pack what is taken off it. */
enum { worth_packing = 400 * block_columns };

/* ---- packed: what a product reads lies in the order in which it does, whatever the leading dimension ---- */

/* One tile of rows, column by column; returns where the next goes. */
#define ICF_DEFINE_PACK(name, vector)                                                                         \
    INLINE real *name(int vectors, int depth, const real *a, int ld, real *to)                                \
    {                                                                                                         \
        enum { lanes = sizeof(vector) / sizeof(real) };                                                       \
        for (int k = 0; k < depth; ++k, a += ld, to += vectors * lanes)                                       \
            for (int r = 0; r < vectors; ++r) *(vector *)(to + r * lanes) = *(const vector *)(a + r * lanes); \
        return to;                                                                                            \
    }

ICF_DEFINE_PACK(pack_tall, tall_vec)
ICF_DEFINE_PACK(pack_short, vec)

/* Tiles of n rows one after the other. */
INLINE void pack_rows(int n, int depth, const real *a, int ld, real *to)
{
    int i = 0;
    for (; i + tall_rows <= n; i += tall_rows) to = pack_tall(ICF_TALL, depth, a + i, ld, to);
    for (; ICF_LANES > ICF_FRONT_ROWS && i + ICF_LANES <= n; i += ICF_LANES) to = pack_tall(1, depth, a + i, ld, to);
    for (; i < n; i += ICF_FRONT_ROWS) to = pack_short(short_vectors, depth, a + i, ld, to);
}

INLINE real *pack_strip(int width, int depth, const real *b, int ld, real *to)
{
    for (int k = 0; k < depth; ++k, b += ld, to += width)
        for (int r = 0; r < width; ++r) to[r] = b[r];
    return to;
}

/* Strips of up to six of n rows one after the other, each column by column. */
INLINE void pack_strips(int n, int depth, const real *b, int ld, real *to)
{
    int j = 0;
    for (; j + width_max <= n; j += width_max) to = pack_strip(width_max, depth, b + j, ld, to);
    if (j < n) (void)pack_strip(n - j, depth, b + j, ld, to);
}

/* The tiles of n packed rows that reach below row `top`, times a packed strip. */
INLINE void packed_strip(int width, int n, int top, int depth, const real *a, const real *b, real *c, int ldc,
                         bool accumulate)
{
    int i = 0;
    for (; i + tall_rows <= n; i += tall_rows, a += tall_rows * depth)
        if (i + tall_rows > top) tall_tile(ICF_TALL, width, depth, a, tall_rows, b, width, c + i, ldc, accumulate);
    for (; ICF_LANES > ICF_FRONT_ROWS && i + ICF_LANES <= n; i += ICF_LANES, a += ICF_LANES * depth)
        if (i + ICF_LANES > top) tall_tile(1, width, depth, a, ICF_LANES, b, width, c + i, ldc, accumulate);
    for (; i < n; i += ICF_FRONT_ROWS, a += ICF_FRONT_ROWS * depth)
        if (i + ICF_FRONT_ROWS > top)
            short_tile(short_vectors, width, depth, a, ICF_FRONT_ROWS, b, width, c + i, ldc, accumulate);
}

#define ICF_CALL(w) packed_strip(w, n, top, depth, a, b, c, ldc, accumulate)
INLINE void any_packed_strip(int width, int n, int top, int depth, const real *a, const real *b, real *c, int ldc,
                             bool accumulate)
{
    ICF_EACH_WIDTH(width, ICF_CALL);
}
#undef ICF_CALL

/* Columns left..right-1 of C, at most block_columns of them, over at most packed_depth columns of A. */
static void packed_columns(const real *a, int ld, int nrow, int depth, int left, int right, real *c, int ldc,
                           bool accumulate)
{
    _Alignas(64) real strips[block_columns * packed_depth], rows[block_rows * ICF_FRONT_STRIP];
    const int ncol = right - left;
    for (int k = 0; k < depth; k += ICF_FRONT_STRIP)
        pack_strips(ncol, ICF_MIN(ICF_FRONT_STRIP, depth - k), a + left + (ptrdiff_t)k * ld, ld, strips + ncol * k);
    for (int begin = left / ICF_FRONT_ROWS * ICF_FRONT_ROWS; begin < nrow; begin += block_rows) {
        const int n = icf_front_padded(ICF_MIN(block_rows, nrow - begin));
        for (int k = 0; k < depth; k += ICF_FRONT_STRIP) {
            const int deep = ICF_MIN(ICF_FRONT_STRIP, depth - k);
            pack_rows(n, deep, a + begin + (ptrdiff_t)k * ld, ld, rows);
            for (int j = left; j < ICF_MIN(right, begin + n); j += width_max)
                any_packed_strip(ICF_MIN(width_max, right - j), n, j - begin, deep, rows,
                                 strips + ncol * k + (j - left) * deep, c + begin + (ptrdiff_t)j * ldc, ldc,
                                 accumulate || k > 0);
        }
    }
}

/* C = start - A B^T for one strip of depth: rows begin..end-1 of columns left..right-1, as far as they are in the lower
 * trapezoid. */
INLINE void block_product(int left, int right, int begin, int end, int depth, const real *a, int ld, real *c, int ldc,
                          bool accumulate)
{
    for (int j = left; j < right; j += width_max) {
        const int top = ICF_MAX(j / ICF_FRONT_ROWS * ICF_FRONT_ROWS, begin);
        any_strip(ICF_MIN(width_max, right - j), end - top, depth, a + top, a + j, ld,
                  c + top + (size_t)j * (size_t)ldc, ldc, accumulate);
    }
}

/* The same without packing, which a small product does not repay. */
static void plain_columns(const real *a, int ld, int nrow, int depth, int left, int ncol, real *c, int ldc,
                          bool accumulate)
{
    for (int begin = left / ICF_FRONT_ROWS * ICF_FRONT_ROWS; begin < nrow; begin += block_rows) {
        const int end = ICF_MIN(begin + block_rows, nrow);
        const int right = ICF_MIN(ICF_MIN(left + block_columns, ncol), end);
        for (int k = 0; k < depth; k += ICF_FRONT_STRIP)
            block_product(left, right, begin, end, ICF_MIN(ICF_FRONT_STRIP, depth - k), a + (size_t)k * (size_t)ld, ld,
                          c, ldc, accumulate || k > 0);
    }
}

static void product(const void *from, int ld, int nrow, int depth, int ncol, void *to, int ldc, bool accumulate)
{
    const real *a = from;
    for (int left = 0; left < ncol; left += block_columns) {
        const int right = ICF_MIN(left + block_columns, ncol);
        if ((right - left) * (nrow - left) < worth_packing) {
            plain_columns(a, ld, nrow, depth, left, ncol, to, ldc, accumulate);
            continue;
        }
        for (int k = 0; k < depth; k += packed_depth)
            packed_columns(a + (ptrdiff_t)k * ld, ld, nrow, ICF_MIN(packed_depth, depth - k), left, right, to, ldc,
                           accumulate || k > 0);
    }
}

/* Solves with the lower triangle of a strip: x <- L^-1 x, or L^-T x. */
INLINE void solve_pivots(int width, const real *panel, int ld, const double *inverse, bool transposed, double *x)
{
    if (transposed)
        for (int j = width - 1; j >= 0; --j) {
            for (int k = j + 1; k < width; ++k) x[j] -= (double)panel[k + j * ld] * x[k];
            x[j] *= inverse[j];
        }
    else
        for (int j = 0; j < width; ++j) {
            for (int k = 0; k < j; ++k) x[j] -= (double)panel[j + k * ld] * x[k];
            x[j] *= inverse[j];
        }
}

/* The same, compiled by itself with the width that most strips have. */
INLINE void any_solve_pivots(int width, const real *panel, int ld, const double *inverse, bool transposed, double *x)
{
    if (width == width_max)
        solve_pivots(width_max, panel, ld, inverse, transposed, x);
    else
        solve_pivots(width, panel, ld, inverse, transposed, x);
}

/* Number by number, of which GCC 12 makes one instruction; a whole vector it converts in halves. */
INLINE wide widen(const real *p)
{
#if ICF_DOUBLES == 8
    return (wide){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#elif ICF_DOUBLES == 4
    return (wide){p[0], p[1], p[2], p[3]};
#else
    return (wide){p[0], p[1]};
#endif
}

/* Asks for row i of the strip that is `ahead` columns away, once a cache line; beyond the panel that does no harm.  The
 * columns of a front are too short for the machine to foresee what comes next by itself. */
INLINE void fetch_strip(int width, const real *a, int ld, int i, int ahead)
{
    if (i % (64 / (int)sizeof(real)) != 0) return;
    const uintptr_t row = (uintptr_t)(a + i);
    for (int j = 0; j < width; ++j)
        __builtin_prefetch((const void *)(row + (uintptr_t)((intptr_t)sizeof(real) * (j + ahead) * ld)));
}

/* y -= A x for a strip of columns of n rows. */
INLINE void multiply_strip(int width, const real *a, int ld, int n, const double *x, double *y)
{
    int i = 0;
    for (; i + ICF_DOUBLES <= n; i += ICF_DOUBLES) {
        fetch_strip(width, a, ld, i, width);
        wide rows = *(const wide *)(y + i);
        for (int j = 0; j < width; ++j) rows -= widen(a + i + j * ld) * x[j];
        *(wide *)(y + i) = rows;
    }
    for (; i < n; ++i)
        for (int j = 0; j < width; ++j) y[i] -= (double)a[i + j * ld] * x[j];
}

INLINE double sum_lanes(wide v)
{
    double sum = 0.0;
    for (int k = 0; k < ICF_DOUBLES; ++k) sum += v[k];
    return sum;
}

/* y -= A^T x for a strip of columns of n rows.
 *   ahead [in] columns from here to the next strip */
INLINE void multiply_strip_transposed(int width, const real *a, int ld, int n, int ahead, const double *x, double *y)
{
    wide lanes[width_max];
    int i = 0;
    for (int j = 0; j < width; ++j) lanes[j] = (wide){0};
    for (; i + ICF_DOUBLES <= n; i += ICF_DOUBLES) {
        fetch_strip(width, a, ld, i, ahead);
        const wide rows = *(const wide *)(x + i);
        for (int j = 0; j < width; ++j) lanes[j] += widen(a + i + j * ld) * rows;
    }
    for (int j = 0; j < width; ++j) {
        double sum = sum_lanes(lanes[j]);
        for (int k = i; k < n; ++k) sum += (double)a[k + j * ld] * x[k];
        y[j] -= sum;
    }
}

#define ICF_CALL(w) multiply_strip(w, a, ld, n, x, y)
INLINE void any_multiply(int width, const real *a, int ld, int n, const double *x, double *y)
{
    ICF_EACH_WIDTH(width, ICF_CALL);
}
#undef ICF_CALL

#define ICF_CALL(w) multiply_strip_transposed(w, a, ld, n, ahead, x, y)
INLINE void any_multiply_transposed(int width, const real *a, int ld, int n, int ahead, const double *x, double *y)
{
    ICF_EACH_WIDTH(width, ICF_CALL);
}
#undef ICF_CALL

static void forward(const void *values, int ld, int nrow, int ncol, const double *inverse, double *x)
{
    const real *panel = values;
    for (int j = 0; j < ncol; j += width_max) {
        const int width = ICF_MIN(width_max, ncol - j);
        const real *strip_at = panel + j + (size_t)j * (size_t)ld;
        any_solve_pivots(width, strip_at, ld, inverse + j, false, x + j);
        any_multiply(width, strip_at + width, ld, nrow - j - width, x + j, x + j + width);
    }
}

static void backward(const void *values, int ld, int nrow, int ncol, const double *inverse, double *x)
{
    const real *panel = values;
    for (int j = (ncol - 1) / width_max * width_max; j >= 0; j -= width_max) {
        const int width = ICF_MIN(width_max, ncol - j);
        const real *strip_at = panel + j + (size_t)j * (size_t)ld;
        any_multiply_transposed(width, strip_at + width, ld, nrow - j - width, -width_max, x + j + width, x + j);
        any_solve_pivots(width, strip_at, ld, inverse + j, true, x + j);
    }
}

static void multiply(const void *values, int ld, int nrow, int ncol, const double *x, double *y)
{
    const real *a = values;
    for (int j = 0; j < ncol; j += width_max)
        any_multiply(ICF_MIN(width_max, ncol - j), a + (size_t)j * (size_t)ld, ld, nrow, x + j, y);
}

static void multiply_transposed(const void *values, int ld, int nrow, int ncol, const double *x, double *y)
{
    const real *a = values;
    for (int j = 0; j < ncol; j += width_max)
        any_multiply_transposed(ICF_MIN(width_max, ncol - j), a + (size_t)j * (size_t)ld, ld, nrow, width_max, x,
                                y + j);
}

/* Columns from..to-1 of a block of m rows into a panel, from row 0 or from the diagonal down. */
INLINE void copy_columns(const double *block, int m, int from, int to, bool lower, real *panel, int ld)
{
    for (int j = from; j < to; ++j)
        for (int i = lower ? j : 0; i < m; ++i) panel[i + j * ld] = (real)block[i + j * m];
}

INLINE void copy_transposed(const double *block, int m, int n, int from, int to, real *panel, int ld)
{
    for (int j = from; j < to; ++j)
        for (int i = 0; i < n; ++i) panel[i + j * ld] = (real)block[j + i * m];
}

static void copy(const double *block, int m, int n, int from, int to, icf_front_copy how, void *columns, int ld)
{
    real *panel = columns;
    const bool whole = m == 6 && n == 6 && from == 0 && to == 6; /* a pair of rigid bodies: sizes known here */
    if (how == ICF_FRONT_COPY_TRANSPOSED && whole)
        copy_transposed(block, 6, 6, 0, 6, panel, ld);
    else if (how == ICF_FRONT_COPY_TRANSPOSED)
        copy_transposed(block, m, n, from, to, panel, ld);
    else if (whole)
        copy_columns(block, 6, 0, 6, false, panel, ld);
    else
        copy_columns(block, m, from, to, how == ICF_FRONT_COPY_LOWER, panel, ld);
}

/* to += from for n < ICF_LANES values; nothing behind them is touched. */
INLINE void add_rest(int n, const real *from, real *to)
{
#ifdef __AVX512F__
    const unsigned lanes = (1u << n) - 1;
    if (sizeof(real) == sizeof(float))
        _mm512_mask_storeu_ps(
            to, (__mmask16)lanes,
            _mm512_add_ps(_mm512_maskz_loadu_ps((__mmask16)lanes, to), _mm512_maskz_loadu_ps((__mmask16)lanes, from)));
    else
        _mm512_mask_storeu_pd(
            to, (__mmask8)lanes,
            _mm512_add_pd(_mm512_maskz_loadu_pd((__mmask8)lanes, to), _mm512_maskz_loadu_pd((__mmask8)lanes, from)));
#else
    _Static_assert(ICF_LANES <= 8, "rests of more values");
    int i = 0;
    if (ICF_LANES > 4 && n & 4) {
        *(quad *)to = *(const quad *)to + *(const quad *)from;
        i = 4;
    }
    if (ICF_LANES > 2 && n & 2) {
        *(couple *)(to + i) = *(const couple *)(to + i) + *(const couple *)(from + i);
        i += 2;
    }
    if (n & 1) to[i] += from[i];
#endif
}

/* to += from for ncol columns of `whole` whole vectors and a rest of values. */
INLINE void add_block(int ncol, int whole, int rest, const real *from, int ld, real *to, ptrdiff_t step)
{
    for (int j = 0; j < ncol; ++j, from += ld, to += step) {
        for (int i = 0; i < whole; ++i)
            *(tall_vec *)(to + i * ICF_LANES) =
                *(const tall_vec *)(to + i * ICF_LANES) + *(const tall_vec *)(from + i * ICF_LANES);
        if (rest > 0) add_rest(rest, from + whole * ICF_LANES, to + whole * ICF_LANES);
    }
}

/* The same for n values a column; short columns, which are most, go without a loop over their vectors. */
INLINE void add_rows(int ncol, int n, const real *from, int ld, real *to, ptrdiff_t step)
{
    const int whole = n / ICF_LANES, rest = n % ICF_LANES;
    switch (whole) {
    case 0: add_block(ncol, 0, rest, from, ld, to, step); break;
    case 1: add_block(ncol, 1, rest, from, ld, to, step); break;
    default: add_block(ncol, whole, rest, from, ld, to, step); break;
    }
}

/* Run by run, so that all columns of a run have the same length.  What lies above the diagonal is added, too. */
static void add_columns(const icf_front_run *run, int nrun, int first, int begin, int end, const void *update, int ldu,
                        void *columns, ptrdiff_t step)
{
    const real *from = (const real *)update + (ptrdiff_t)(run[first].from + begin) * ldu;
    real *to = columns;
    add_rows(end - begin, run[first].length - begin, from + run[first].from + begin, ldu, to + run[first].to + begin,
             step);
    for (int r = first + 1; r < nrun; ++r)
        add_rows(end - begin, run[r].length, from + run[r].from, ldu, to + run[r].to, step);
}

const icf_front_kernels ICF_KERNELS = {.name = ICF_NAME,
                                       .bytes = sizeof(real),
                                       .factor = factor,
                                       .product = product,
                                       .forward = forward,
                                       .backward = backward,
                                       .multiply = multiply,
                                       .multiply_transposed = multiply_transposed,
                                       .copy = copy,
                                       .add_columns = add_columns};
