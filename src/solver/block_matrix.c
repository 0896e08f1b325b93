/* Symmetric block-sparse matrix: key of the pattern, product, check of the values. */
#include "solver/block_matrix.h"

#include "base/hash.h"
#include "base/search.h"

/* Mixes n 32-bit words, two at a time. */
static uint64_t hash_words(uint64_t h, const int32_t *words, size_t n)
{
    size_t i = 0;
    for (; i + 1 < n; i += 2) h = icf_hash_word(h, (uint64_t)(uint32_t)words[i] << 32 | (uint32_t)words[i + 1]);
    return icf_hash_word(h, i < n ? (uint64_t)(uint32_t)words[i] : UINT64_MAX);
}

uint64_t icf_block_matrix_pattern(const icf_block_matrix *matrix)
{
    const size_t n = (size_t)matrix->nblock;
    uint64_t h = icf_hash_word(0, n);
    if (n == 0) return h;
    h = hash_words(h, matrix->dof, n + 1);
    h = hash_words(h, matrix->ptr, n + 1);
    return hash_words(h, matrix->idx, (size_t)matrix->ptr[n]);
}

static void sort_column(icf_lid *row, icf_lid n)
{
    for (icf_lid i = 1; i < n; ++i) {
        const icf_lid key = row[i];
        icf_lid k = i;
        for (; k > 0 && row[k - 1] > key; --k) row[k] = row[k - 1];
        row[k] = key;
    }
}

void icf_pattern_sort(icf_lid nblock, icf_lid *ptr, icf_lid *idx)
{
    icf_lid begin = 0, n = 0;
    for (icf_lid j = 0; j < nblock; ++j) {
        const icf_lid end = ptr[j + 1];
        sort_column(idx + begin, end - begin);
        /* kept rows move to the front of what has been read */
        icf_lid last = -1;
        for (icf_lid k = begin; k < end; ++k) {
            if (idx[k] == last) continue;
            last = idx[k];
            idx[n++] = last;
        }
        begin = end;
        ptr[j + 1] = n;
    }
}

icf_lid icf_block_matrix_find(const icf_block_matrix *matrix, icf_lid i, icf_lid j)
{
    const icf_lid low = icf_search_lid(matrix->idx, matrix->ptr[j], matrix->ptr[j + 1], i);
    return low < matrix->ptr[j + 1] && matrix->idx[low] == i ? low : -1;
}

/* yi += B xj, yj += B^T xi for a dense column-major block of m rows and n columns: one pass over the block. */
static inline void add_any_block(const double *restrict block, int32_t m, int32_t n, const double *restrict xi,
                                 const double *restrict xj, double *restrict yi, double *restrict yj)
{
    for (int32_t c = 0; c < n; ++c) {
        const double *column = block + (ptrdiff_t)c * m;
        double sum = 0.0;
        for (int32_t r = 0; r < m; ++r) sum += column[r] * xi[r];
        for (int32_t r = 0; r < m; ++r) yi[r] += column[r] * xj[c];
        yj[c] += sum;
    }
}

/* The sizes that occur most are known to the compiler: bodies and vertices. */
static void add_block(const double *block, int32_t m, int32_t n, const double *xi, const double *xj, double *yi,
                      double *yj)
{
    if (m == 6 && n == 6)
        add_any_block(block, 6, 6, xi, xj, yi, yj);
    else if (m == 3 && n == 3)
        add_any_block(block, 3, 3, xi, xj, yi, yj);
    else
        add_any_block(block, m, n, xi, xj, yi, yj);
}

/* y += B x for a diagonal block. */
static void add_diagonal(const double *restrict block, int32_t n, const double *restrict x, double *restrict y)
{
    for (int32_t c = 0; c < n; ++c)
        for (int32_t r = 0; r < n; ++r) y[r] += block[(ptrdiff_t)c * n + r] * x[c];
}

void icf_block_matrix_multiply(const icf_block_matrix *matrix, const double *x, double *y)
{
    const int32_t *dof = matrix->dof;
    for (int32_t i = 0; matrix->nblock > 0 && i < dof[matrix->nblock]; ++i) y[i] = 0.0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int32_t n = dof[j + 1] - dof[j];
        add_diagonal(matrix->val + matrix->diag_at[j], n, x + dof[j], y + dof[j]);
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid i = matrix->idx[e];
            add_block(matrix->val + matrix->off_at[e], dof[i + 1] - dof[i], n, x + dof[i], x + dof[j], y + dof[i],
                      y + dof[j]);
        }
    }
}

bool icf_block_matrix_is_finite(const icf_block_matrix *matrix)
{
    /* x * 0 is NaN for NaN and infinity, and NaN stays in the sum */
    double sum = 0.0;
    for (int64_t i = 0; i < matrix->nval; ++i) sum += 0.0 * matrix->val[i];
    return sum == 0.0;
}
