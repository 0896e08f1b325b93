/* Sample block matrices for the tests of the linear solvers.
 *
 * H = I + sum over edges k J^T J with random J (3 rows) over the two blocks of the edge: what contacts of
 * stiffness k add to a unit mass.  k = 10^U(0, spread).  Values depend on the seed alone.
 */
#ifndef ICF_TESTS_SAMPLE_BLOCK_MATRIX_H
#define ICF_TESTS_SAMPLE_BLOCK_MATRIX_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/block_matrix.h"

typedef struct sample_matrix {
    icf_block_matrix matrix;
    int32_t *dof;
    icf_lid *ptr, *idx;
    int64_t *diag_at, *off_at;
    double *val;
} sample_matrix;

typedef struct sample_edge {
    icf_lid i, j; /* i > j */
} sample_edge;

/* Uniform in (0, 1); the state is any number. */
static inline double sample_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t word = *state ^ (*state >> 29);
    word *= 0xbf58476d1ce4e5b9u;
    return ((double)(word >> 11) + 0.5) * 0x1p-53;
}

static inline int sample_edge_order(const void *a, const void *b)
{
    const sample_edge *p = a, *q = b;
    return p->j != q->j ? (p->j > q->j) - (p->j < q->j) : (p->i > q->i) - (p->i < q->i);
}

/* Pattern of blocks of the given sizes; sorts the edges and drops double ones.  All values 0. */
static inline sample_matrix sample_pattern(icf_lid nblock, const int32_t *sizes, size_t nedge, sample_edge *edges)
{
    sample_matrix s = {0};
    const size_t n = (size_t)nblock;
    if (nedge > 0) qsort(edges, nedge, sizeof *edges, sample_edge_order);
    s.dof = calloc(n + 1, sizeof *s.dof);
    s.ptr = calloc(n + 1, sizeof *s.ptr);
    s.idx = calloc(nedge + 1, sizeof *s.idx);
    s.diag_at = calloc(n + 1, sizeof *s.diag_at);
    s.off_at = calloc(nedge + 1, sizeof *s.off_at);
    int64_t at = 0;
    size_t e = 0, nnz = 0;
    for (size_t j = 0; j < n; ++j) {
        s.dof[j + 1] = s.dof[j] + sizes[j];
        s.diag_at[j] = at;
        at += (int64_t)sizes[j] * sizes[j];
        for (; e < nedge && edges[e].j == (icf_lid)j; ++e) {
            if (nnz > (size_t)s.ptr[j] && s.idx[nnz - 1] == edges[e].i) continue;
            s.idx[nnz] = edges[e].i;
            s.off_at[nnz++] = at;
            at += (int64_t)sizes[edges[e].i] * sizes[j];
        }
        s.ptr[j + 1] = (icf_lid)nnz;
    }
    s.val = calloc((size_t)at + 1, sizeof *s.val);
    s.matrix = (icf_block_matrix){.nblock = nblock,
                                  .dof = s.dof,
                                  .ptr = s.ptr,
                                  .idx = s.idx,
                                  .diag_at = s.diag_at,
                                  .off_at = s.off_at,
                                  .val = s.val,
                                  .nval = at};
    return s;
}

static inline void sample_free(sample_matrix *s)
{
    free(s->dof);
    free(s->ptr);
    free(s->idx);
    free(s->diag_at);
    free(s->off_at);
    free(s->val);
    *s = (sample_matrix){0};
}

/* block += k A^T B with A (3 x m), B (3 x n), row-major */
static inline void sample_add(double *block, double k, const double *a, int32_t m, const double *b, int32_t n)
{
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < m; ++i)
            for (int32_t r = 0; r < 3; ++r) block[j * m + i] += k * a[r * m + i] * b[r * n + j];
}

/* Fills the values: unit mass and one contact an edge. */
static inline void sample_fill(sample_matrix *s, double spread, uint64_t seed)
{
    const icf_block_matrix *m = &s->matrix;
    uint64_t state = seed;
    double ji[3 * 64], jj[3 * 64];
    memset(s->val, 0, (size_t)m->nval * sizeof *s->val);
    for (icf_lid j = 0; j < m->nblock; ++j) {
        const int32_t n = m->dof[j + 1] - m->dof[j];
        for (int32_t d = 0; d < n; ++d) s->val[m->diag_at[j] + (int64_t)d * n + d] += 1.0;
        for (icf_lid e = m->ptr[j]; e < m->ptr[j + 1]; ++e) {
            const icf_lid i = m->idx[e];
            const int32_t ni = m->dof[i + 1] - m->dof[i];
            for (int32_t r = 0; r < 3 * ni; ++r) ji[r] = 2.0 * sample_uniform(&state) - 1.0;
            for (int32_t r = 0; r < 3 * n; ++r) jj[r] = 2.0 * sample_uniform(&state) - 1.0;
            const double k = pow(10.0, spread * sample_uniform(&state));
            sample_add(s->val + m->diag_at[i], k, ji, ni, ji, ni);
            sample_add(s->val + m->diag_at[j], k, jj, n, jj, n);
            sample_add(s->val + m->off_at[e], k, ji, ni, jj, n);
        }
    }
}

/* Full dense copy, n x n. */
static inline double *sample_dense(const icf_block_matrix *m)
{
    const int32_t *dof = m->dof;
    const size_t n = (size_t)dof[m->nblock];
    double *a = calloc(n * n + 1, sizeof *a);
    for (icf_lid j = 0; j < m->nblock; ++j) {
        const int32_t nj = dof[j + 1] - dof[j];
        for (int32_t c = 0; c < nj; ++c)
            for (int32_t r = 0; r < nj; ++r)
                a[(size_t)(dof[j] + r) * n + (size_t)(dof[j] + c)] = m->val[m->diag_at[j] + (int64_t)c * nj + r];
        for (icf_lid e = m->ptr[j]; e < m->ptr[j + 1]; ++e) {
            const int32_t i0 = dof[m->idx[e]], ni = dof[m->idx[e] + 1] - i0;
            for (int32_t c = 0; c < nj; ++c)
                for (int32_t r = 0; r < ni; ++r) {
                    const double v = m->val[m->off_at[e] + (int64_t)c * ni + r];
                    a[(size_t)(i0 + r) * n + (size_t)(dof[j] + c)] = a[(size_t)(dof[j] + c) * n + (size_t)(i0 + r)] = v;
                }
        }
    }
    return a;
}

/* Random graph: each block has an edge to about `degree` others.  sizes cycles through the given list. */
static inline sample_matrix sample_random(icf_lid nblock, const int32_t *list, int nlist, double degree, double spread,
                                          uint64_t seed)
{
    uint64_t state = seed + 17;
    const size_t nedge = nblock > 1 ? (size_t)(0.5 * degree * nblock) : 0;
    sample_edge *edges = calloc(nedge + 1, sizeof *edges);
    int32_t *sizes = calloc((size_t)nblock + 1, sizeof *sizes);
    for (icf_lid i = 0; i < nblock; ++i) sizes[i] = list[i % nlist];
    for (size_t e = 0; e < nedge; ++e) {
        icf_lid a, b;
        do {
            a = (icf_lid)(sample_uniform(&state) * nblock);
            b = (icf_lid)(sample_uniform(&state) * nblock);
        } while (a == b);
        edges[e] = (sample_edge){ICF_MAX(a, b), ICF_MIN(a, b)};
    }
    sample_matrix s = sample_pattern(nblock, sizes, nedge, edges);
    sample_fill(&s, spread, seed);
    free(edges);
    free(sizes);
    return s;
}

/* Cubic lattice of nx x ny x nz blocks with edges to the next neighbours. */
static inline sample_matrix sample_grid(icf_lid nx, icf_lid ny, icf_lid nz, int32_t size, double spread, uint64_t seed)
{
    const icf_lid nblock = nx * ny * nz;
    sample_edge *edges = calloc(3 * (size_t)nblock + 1, sizeof *edges);
    int32_t *sizes = calloc((size_t)nblock + 1, sizeof *sizes);
    size_t nedge = 0;
    for (icf_lid i = 0; i < nblock; ++i) {
        sizes[i] = size;
        if (i % nx + 1 < nx) edges[nedge++] = (sample_edge){i + 1, i};
        if (i / nx % ny + 1 < ny) edges[nedge++] = (sample_edge){i + nx, i};
        if (i / nx / ny + 1 < nz) edges[nedge++] = (sample_edge){i + nx * ny, i};
    }
    sample_matrix s = sample_pattern(nblock, sizes, nedge, edges);
    sample_fill(&s, spread, seed);
    free(edges);
    free(sizes);
    return s;
}

/* Every block has an edge to one hub. */
static inline sample_matrix sample_arrow(icf_lid nblock, icf_lid hub, int32_t size, double spread, uint64_t seed)
{
    sample_edge *edges = calloc((size_t)nblock + 1, sizeof *edges);
    int32_t *sizes = calloc((size_t)nblock + 1, sizeof *sizes);
    size_t nedge = 0;
    for (icf_lid i = 0; i < nblock; ++i) {
        sizes[i] = size;
        if (i != hub) edges[nedge++] = (sample_edge){ICF_MAX(i, hub), ICF_MIN(i, hub)};
    }
    sample_matrix s = sample_pattern(nblock, sizes, nedge, edges);
    sample_fill(&s, spread, seed);
    free(edges);
    free(sizes);
    return s;
}

#endif
