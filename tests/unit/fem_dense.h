/* Matrices of small elastic bodies as dense ones, and Cholesky's factor of them.  Include after cmocka.h. */
#ifndef ICF_TESTS_FEM_DENSE_H
#define ICF_TESTS_FEM_DENSE_H

#include "fem_fixture.h"

/* Dense symmetric matrix of n dofs, row-major. */
static inline double *dense_of(const icf_fem *fem, const icf_vec3 *x, icf_fem_weights weights)
{
    const icf_fem_pattern pattern = icf_fem_get_pattern(fem);
    const size_t n = 3 * (size_t)pattern.nvertex;
    double *val = fixture_room(icf_fem_matrix_size(fem), sizeof *val), *a = fixture_room(n * n, sizeof *a);
    icf_fem_matrix_add(fem, x, weights, val);
    for (icf_lid j = 0; j < pattern.nvertex; ++j) {
        for (size_t r = 0; r < 3; ++r)
            for (size_t c = 0; c < 3; ++c)
                a[n * (3 * (size_t)j + r) + 3 * (size_t)j + c] = val[9 * (size_t)j + 3 * c + r];
        for (icf_lid e = pattern.ptr[j]; e < pattern.ptr[j + 1]; ++e)
            for (size_t r = 0; r < 3; ++r)
                for (size_t c = 0; c < 3; ++c) {
                    const size_t row = 3 * (size_t)pattern.idx[e] + r, column = 3 * (size_t)j + c;
                    const double value = val[9 * ((size_t)pattern.nvertex + (size_t)e) + 3 * c + r];
                    a[n * row + column] = a[n * column + row] = value;
                }
    }
    icf_free(val);
    return a;
}

/* m <- L, lower triangle, of m = L L^T */
static inline void cholesky(size_t n, double *m)
{
    for (size_t j = 0; j < n; ++j)
        for (size_t i = j; i < n; ++i) {
            double sum = m[n * i + j];
            for (size_t k = 0; k < j; ++k) sum -= m[n * i + k] * m[n * j + k];
            m[n * i + j] = i == j ? sqrt(sum) : sum / m[n * j + j];
        }
}

/* x <- L^-1 x, entries a stride apart */
static inline void forward(size_t n, const double *l, double *x, size_t stride)
{
    for (size_t i = 0; i < n; ++i) {
        double sum = x[stride * i];
        for (size_t k = 0; k < i; ++k) sum -= l[n * i + k] * x[stride * k];
        x[stride * i] = sum / l[n * i + i];
    }
}

/* x <- L^-T x */
static inline void backward(size_t n, const double *l, double *x)
{
    for (size_t i = n; i-- > 0;) {
        double sum = x[i];
        for (size_t k = i + 1; k < n; ++k) sum -= l[n * k + i] * x[k];
        x[i] = sum / l[n * i + i];
    }
}

#endif
