/* Symmetric block-sparse matrix: key of the pattern, product, check of the values. */
#include "solver/block_matrix.h"

#include "base/hash.h"

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

icf_lid icf_block_matrix_find(const icf_block_matrix *matrix, icf_lid i, icf_lid j)
{
    icf_lid low = matrix->ptr[j], high = matrix->ptr[j + 1];
    while (low < high) {
        const icf_lid middle = low + (high - low) / 2;
        if (matrix->idx[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->ptr[j + 1] && matrix->idx[low] == i ? low : -1;
}

/* y += B x for a dense column-major block of m rows and n columns. */
static void add_block(const double *block, int32_t m, int32_t n, const double *x, double *y)
{
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < m; ++i) y[i] += block[(size_t)j * (size_t)m + (size_t)i] * x[j];
}

/* y += B^T x */
static void add_block_transposed(const double *block, int32_t m, int32_t n, const double *x, double *y)
{
    for (int32_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int32_t i = 0; i < m; ++i) sum += block[(size_t)j * (size_t)m + (size_t)i] * x[i];
        y[j] += sum;
    }
}

void icf_block_matrix_multiply(const icf_block_matrix *matrix, const double *x, double *y)
{
    const int32_t *dof = matrix->dof;
    for (int32_t i = 0; matrix->nblock > 0 && i < dof[matrix->nblock]; ++i) y[i] = 0.0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int32_t n = dof[j + 1] - dof[j];
        add_block(matrix->val + matrix->diag_at[j], n, n, x + dof[j], y + dof[j]);
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid i = matrix->idx[e];
            const double *block = matrix->val + matrix->off_at[e];
            add_block(block, dof[i + 1] - dof[i], n, x + dof[j], y + dof[i]);
            add_block_transposed(block, dof[i + 1] - dof[i], n, x + dof[i], y + dof[j]);
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
