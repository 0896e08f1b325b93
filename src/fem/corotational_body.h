/* Corotational elasticity: psi = mu |F - R|^2 + lambda/2 (tr S - 3)^2, F = R S; with R = R0 frozen the stress is
 * linear: P = 2 mu R0 eps + lambda tr(eps) R0,  eps = sym(R0^T F) - 1 Its geometric stiffness is what the rotation's
 * change adds to the tangent: dP = R [Q w]x, [w]x = skew(R^T dF); here in the world: dP = [Q' w']x R with Q' = R Q R^T,
 * [w']x = skew(dF R^T).
 */
#ifndef ICF_FEM_COROTATIONAL_BODY_H
#define ICF_FEM_COROTATIONAL_BODY_H

#include "fem/tangent_body.h"

INLINE real corotational_energy(icf_lame lame, const real s[3])
{
    const real e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    return lame.mu * dot3(e, e) + 0.5 * lame.lambda * square(e[0] + e[1] + e[2]);
}

/* dp = mu (df + R df^T R) + lambda tr(R^T df) R */
INLINE void corotational_linear(icf_lame lame, const real r[9], const real df[9], real dp[9])
{
    real c[9]; /* df^T R */
    multiply_transposed(df, r, c);
    const real trace = lame.lambda * (c[0] + c[4] + c[8]);
    multiply(r, c, dp);
    for (int k = 0; k < 9; ++k) dp[k] = lame.mu * (df[k] + dp[k]) + trace * r[k];
}

INLINE void corotational_stress(icf_lame lame, const real r[9], const real f[9], real p[9])
{
    real strain[9]; /* F - R: the stress vanishes at F = R, and keeps its digits near it */
    for (int k = 0; k < 9; ++k) strain[k] = f[k] - r[k];
    corotational_linear(lame, r, strain, p);
}

INLINE void corotational_tangent(icf_lame lame, tangent *t)
{
    for (int k = 0; k < 6; ++k) t->diagonal[k] = all_lanes(lame.lambda);
    for (int k = 0; k < 3; ++k) t->same[k] = t->exchanged[k] = all_lanes(lame.mu);
    t->diagonal[0] += 2.0 * lame.mu;
    t->diagonal[3] += 2.0 * lame.mu;
    t->diagonal[5] += 2.0 * lame.mu;
}

/* Eigenvalues of Q along the axes of S = R^T F, held at 0 or more and away from the pole at inversion. */
INLINE void geometric_eigenvalues(icf_lame lame, const real s[3], real q[3])
{
    const real trace = s[0] + s[1] + s[2];
    const real force = 2.0 * (lame.lambda * (trace - 3.0) - 2.0 * lame.mu);
    for (int k = 0; k < 3; ++k)
        q[k] = larger(2.0 * lame.mu + force / larger(trace - s[k], all_lanes(0.1)), all_lanes(0.0));
}

/* R of F, and Q' (00, 01, 02, 11, 12, 22): the axes of S seen in the world are the columns of U. */
INLINE void rotation_and_geometric(icf_lame lame, const real f[9], real r[9], real q[6])
{
    real u[9], s[3], v[9], eigenvalue[3];
    svd3(f, u, s, v);
    rotation_of(u, v, r);
    geometric_eigenvalues(lame, s, eigenvalue);
    from_eigen(eigenvalue, u, q);
}

INLINE void symmetric_times(const real a[6], const real x[3], real y[3])
{
    y[0] = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    y[1] = a[1] * x[0] + a[3] * x[1] + a[4] * x[2];
    y[2] = a[2] * x[0] + a[4] * x[1] + a[5] * x[2];
}

/* dp = [Q' w']x R */
INLINE void geometric_linear(const real q[6], const real r[9], const real df[9], real dp[9])
{
    real turned[9], moment[3];
    rotation_of(df, r, turned); /* dF R^T */
    const real w[3] = {0.5 * (turned[7] - turned[5]), 0.5 * (turned[2] - turned[6]), 0.5 * (turned[3] - turned[1])};
    symmetric_times(q, w, moment);
    for (int j = 0; j < 3; ++j) {
        const real column[3] = {r[j], r[3 + j], r[6 + j]};
        real crossed[3];
        cross3(moment, column, crossed);
        for (int i = 0; i < 3; ++i) dp[3 * i + j] = crossed[i];
    }
}

#endif
