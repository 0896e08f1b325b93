/* The tangent dP/dF of an isotropic energy and its projection, for any number of lanes (base/lanes_body.h).
 *
 * All energies are isotropic: functions of the singular values s of F = U diag(s) V^T (fem/svd3_body.h).  In the frames
 * U, V the tangent dP/dF takes apart into a 3x3 block A_kl = d2 psi / ds_k ds_l of the diagonal entries, and for each
 * pair of axes a 2x2 block [[a, b], [b, a]] of the entries (i, j) and (j, i), with eigenvalues flip  a + b = (p_i -
 * p_j)/(s_i - s_j)    twist  a - b = (p_i + p_j)/(s_i + s_j)      p = d psi / d s (Smith, de Goes, Kim: Analytic
 * eigensystems for isotropic distortion energies, 2019).  Both quotients are written out per model without a division.
 * Clamping these six numbers and the eigenvalues of A at 0 is clamping the 9x9 matrix. A pair of axes is named by the
 * third one.
 */
#ifndef ICF_FEM_TANGENT_BODY_H
#define ICF_FEM_TANGENT_BODY_H

#include "fem/svd3_body.h"
#include "scene/deformable_material.h"

/* dP/dF in the frames U, V. */
typedef struct tangent {
    real diagonal[6];  /* A: 00, 01, 02, 11, 12, 22 */
    real same[3];      /* a of the pair of axes other than k */
    real exchanged[3]; /* b */
} tangent;

INLINE real square(real a)
{
    return a * a;
}

/* c = a b */
INLINE void multiply(const real a[9], const real b[9], real c[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* c = a^T b */
INLINE void multiply_transposed(const real a[9], const real b[9], real c[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

/* Cofactors: c = det(f) f^-T */
INLINE void cofactors(const real f[9], real c[9])
{
    cross3(f + 3, f + 6, c);
    cross3(f + 6, f, c + 3);
    cross3(f, f + 3, c + 6);
}

/* Eigenvalues (on the diagonal of a) and eigenvectors (columns of w) of a symmetric matrix, by Jacobi rotations.
 * Off-diagonal entries stop counting at round-off of the matrix's scale. */
INLINE void eigen3(real a[3][3], real w[3][3], real scale)
{
    const int pair[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    for (int sweep = 0; sweep < svd_max_sweeps; ++sweep) {
        mask turned = scale < 0.0;
        for (int k = 0; k < 3; ++k) {
            const int p = pair[k][0], q = pair[k][1], r = pair[k][2];
            const mask where = magnitude(a[p][q]) > 1e-17 * scale;
            real c, s;
            jacobi_angle(where, a[p][p], a[q][q], a[p][q], &c, &s);
            const real t = s / c, shift = t * select(where, a[p][q], all_lanes(0.0));
            a[p][p] -= shift;
            a[q][q] += shift;
            a[p][q] = a[q][p] = select(where, all_lanes(0.0), a[p][q]);
            const real rp = a[r][p], rq = a[r][q];
            a[r][p] = a[p][r] = c * rp - s * rq;
            a[r][q] = a[q][r] = s * rp + c * rq;
            turn(c, s, w[p], w[q]);
            turned |= where;
        }
        if (!any(turned)) break;
    }
}

/* Whether a symmetric matrix (00, 01, 02, 11, 12, 22) is positive definite: its pivots. */
INLINE mask is_definite(const real a[6])
{
    const real minor = a[0] * a[3] - a[1] * a[1];
    const real det =
        a[0] * (a[3] * a[5] - a[4] * a[4]) - a[1] * (a[1] * a[5] - a[4] * a[2]) + a[2] * (a[1] * a[4] - a[3] * a[2]);
    return (a[0] > 0.0) & (minor > 0.0) & (det > 0.0);
}

/* Sets negative eigenvalues of a symmetric matrix (00, 01, 02, 11, 12, 22) to 0. */
INLINE void clamp_eigenvalues(real a[6])
{
    const mask definite = is_definite(a);
    const real zero = all_lanes(0.0), one = all_lanes(1.0);
    if (!any(select(definite, zero, one) > 0.0)) return;
    real m[3][3] = {{a[0], a[1], a[2]}, {a[1], a[3], a[4]}, {a[2], a[4], a[5]}};
    real w[3][3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}; /* rows are eigenvectors */
    const real scale =
        larger(larger(magnitude(a[0]), magnitude(a[3])),
               larger(larger(magnitude(a[5]), magnitude(a[1])), larger(magnitude(a[2]), magnitude(a[4]))));
    eigen3(m, w, scale);
    const real lambda[3] = {larger(m[0][0], zero), larger(m[1][1], zero), larger(m[2][2], zero)};
    real columns[9], clamped[6];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) columns[3 * i + j] = w[j][i];
    from_eigen(lambda, columns, clamped);
    for (int k = 0; k < 6; ++k) a[k] = select(definite, a[k], clamped[k]);
}

/* The nearest positive semi-definite tangent. */
INLINE void project_tangent(tangent *t)
{
    const real zero = all_lanes(0.0);
    clamp_eigenvalues(t->diagonal);
    for (int k = 0; k < 3; ++k) {
        const real flip = larger(t->same[k] + t->exchanged[k], zero);
        const real twist = larger(t->same[k] - t->exchanged[k], zero);
        t->same[k] = 0.5 * (flip + twist);
        t->exchanged[k] = 0.5 * (flip - twist);
    }
}

/* positive times the projected tangent, and negative times what projection takes from it. */
INLINE void weigh_tangent(double positive, double negative, tangent *t)
{
    const tangent whole = *t;
    project_tangent(t);
    for (int k = 0; k < 6; ++k)
        t->diagonal[k] = positive * t->diagonal[k] + negative * (whole.diagonal[k] - t->diagonal[k]);
    for (int k = 0; k < 3; ++k) {
        t->same[k] = positive * t->same[k] + negative * (whole.same[k] - t->same[k]);
        t->exchanged[k] = positive * t->exchanged[k] + negative * (whole.exchanged[k] - t->exchanged[k]);
    }
}

/* dp = dP/dF : df with the tangent in the frames u, v. */
INLINE void apply_tangent(const tangent *t, const real u[9], const real v[9], const real df[9], real dp[9])
{
    real left[9], d[9], e[9];
    multiply_transposed(u, df, left);
    multiply(left, v, d); /* U^T dF V */
    e[0] = t->diagonal[0] * d[0] + t->diagonal[1] * d[4] + t->diagonal[2] * d[8];
    e[4] = t->diagonal[1] * d[0] + t->diagonal[3] * d[4] + t->diagonal[4] * d[8];
    e[8] = t->diagonal[2] * d[0] + t->diagonal[4] * d[4] + t->diagonal[5] * d[8];
    const int upper[3] = {5, 2, 1}, lower[3] = {7, 6, 3}; /* entries of the pair of axes other than k */
    for (int k = 0; k < 3; ++k) {
        e[upper[k]] = t->same[k] * d[upper[k]] + t->exchanged[k] * d[lower[k]];
        e[lower[k]] = t->same[k] * d[lower[k]] + t->exchanged[k] * d[upper[k]];
    }
    multiply(u, e, left);
    rotation_of(left, v, dp); /* U e V^T */
}

#endif
