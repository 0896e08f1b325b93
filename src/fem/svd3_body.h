/* Singular values of a 3x3 matrix with rotations on both sides, for any number of lanes (base/lanes_body.h).
 *
 * F = U diag(sigma) V^T, det U = det V = +1, sigma[0] >= sigma[1] >= |sigma[2]| to
 * round-off; sigma[2] has the sign of det F.
 *
 * One-sided Jacobi: the columns of B = F V are turned against each other until they are orthogonal to round-off,
 * relative to their own lengths; then U is their frame.  This keeps small singular values accurate, and the backward
 * error is a few units of round-off of |F| for every F.  Eigenvalues of F^T F would lose half the digits.
 * U, V are any such pair where values repeat or vanish; U V^T is unique unless sigma[1] + sigma[2] = 0.
 *
 * Matrices are row-major.
 */
#ifndef ICF_FEM_SVD3_BODY_H
#define ICF_FEM_SVD3_BODY_H

#include "base/lanes_body.h"

/* Columns are orthogonal when |p.q| <= tolerance |p| |q|. */
#define SVD_TOLERANCE 4e-16
/* Shorter than this times the longest entry, a column has no direction. */
#define SVD_TINY 1e-70

enum { svd_max_sweeps = 12 };

INLINE real dot3(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

INLINE void cross3(const real a[3], const real b[3], real c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* (p, q) <- (c p - s q, s p + c q) */
INLINE void turn(real c, real s, real p[3], real q[3])
{
    for (int k = 0; k < 3; ++k) {
        const real old = p[k];
        p[k] = c * old - s * q[k];
        q[k] = s * old + c * q[k];
    }
}

/* Cosine and sine of the smaller angle that makes [[a, g], [g, b]] diagonal; the identity where the mask is not set. */
INLINE void jacobi_angle(mask where, real a, real b, real g, real *c, real *s)
{
    const real d = b - a, g2 = 2.0 * g;
    const real below = magnitude(d) + root(d * d + g2 * g2);
    where &= below > 0.0;
    const real above = select(d < 0.0, -g2, g2);
    const real t = select(where, above, all_lanes(0.0)) / select(where, below, all_lanes(1.0));
    *c = 1.0 / root(1.0 + t * t);
    *s = *c * t;
}

/* Makes columns p, q of B orthogonal where they are not yet. */
INLINE mask jacobi_columns(real b_p[3], real b_q[3], real v_p[3], real v_q[3])
{
    const real a = dot3(b_p, b_p), b = dot3(b_q, b_q), g = dot3(b_p, b_q);
    const mask where = g * g > SVD_TOLERANCE * SVD_TOLERANCE * a * b;
    real c, s;
    jacobi_angle(where, a, b, g, &c, &s);
    turn(c, s, b_p, b_q);
    turn(c, s, v_p, v_q);
    return where;
}

/* (p, q) <- (q, -p) where q is longer. */
INLINE void longer_first(real b_p[3], real b_q[3], real v_p[3], real v_q[3])
{
    const mask where = dot3(b_q, b_q) > dot3(b_p, b_p);
    for (int k = 0; k < 3; ++k) {
        const real b = b_p[k], v = v_p[k];
        b_p[k] = select(where, b_q[k], b);
        b_q[k] = select(where, -b, b_q[k]);
        v_p[k] = select(where, v_q[k], v);
        v_q[k] = select(where, -v, v_q[k]);
    }
}

/* a / |a|; where |a| is tiny, `instead` (a unit vector).  Returns |a|. */
INLINE real unit_or(const real a[3], const real instead[3], real unit[3])
{
    const real length = root(dot3(a, a));
    const mask good = length > SVD_TINY;
    const real scale = 1.0 / select(good, length, all_lanes(1.0));
    for (int k = 0; k < 3; ++k) unit[k] = select(good, scale * a[k], instead[k]);
    return length;
}

/* A unit vector perpendicular to the unit vector u: from the axis that u has least of. */
INLINE void perpendicular(const real u[3], real p[3])
{
    const real x = magnitude(u[0]), y = magnitude(u[1]), z = magnitude(u[2]);
    const real one = all_lanes(1.0), zero = all_lanes(0.0);
    const mask on_x = (x <= y) & (x <= z), on_y = (y <= z);
    const real axis[3] = {select(on_x, one, zero), select(on_x, zero, select(on_y, one, zero)),
                          select(on_x, zero, select(on_y, zero, one))};
    const real along = dot3(u, axis);
    real rest[3];
    for (int k = 0; k < 3; ++k) rest[k] = axis[k] - along * u[k];
    unit_or(rest, axis, p);
}

/* Right-handed frame of columns that are orthogonal, longest first, and their lengths along it. */
INLINE void frame_of_columns(real b[3][3], real u[3][3], real sigma[3])
{
    const real x[3] = {all_lanes(1.0), all_lanes(0.0), all_lanes(0.0)};
    sigma[0] = unit_or(b[0], x, u[0]);
    const real along = dot3(u[0], b[1]);
    real rest[3], p[3];
    for (int k = 0; k < 3; ++k) rest[k] = b[1][k] - along * u[0][k];
    perpendicular(u[0], p);
    unit_or(rest, p, u[1]);
    cross3(u[0], u[1], u[2]);
    sigma[1] = dot3(u[1], b[1]);
    sigma[2] = dot3(u[2], b[2]);
}

/* Largest magnitude of the entries; 1 where all are 0 */
INLINE real scale_of(const real f[9])
{
    real scale = magnitude(f[0]);
    for (int k = 1; k < 9; ++k) scale = larger(magnitude(f[k]), scale);
    return select(scale > 0.0, scale, all_lanes(1.0));
}

/*   f [in] (3, 3); u, v [out] (3, 3); sigma [out] (3) */
INLINE void svd3(const real f[9], real u[9], real sigma[3], real v[9])
{
    const real scale = scale_of(f), inverse = 1.0 / scale;
    real b[3][3], w[3][3], frame[3][3]; /* columns of B, V, U */
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            b[j][i] = inverse * f[3 * i + j];
            w[j][i] = all_lanes(i == j ? 1.0 : 0.0);
        }
    for (int sweep = 0; sweep < svd_max_sweeps; ++sweep) {
        const mask turned_01 = jacobi_columns(b[0], b[1], w[0], w[1]);
        const mask turned_02 = jacobi_columns(b[0], b[2], w[0], w[2]);
        const mask turned_12 = jacobi_columns(b[1], b[2], w[1], w[2]);
        if (!any(turned_01 | turned_02 | turned_12)) break;
    }
    longer_first(b[0], b[1], w[0], w[1]);
    longer_first(b[0], b[2], w[0], w[2]);
    longer_first(b[1], b[2], w[1], w[2]);
    frame_of_columns(b, frame, sigma);
    for (int j = 0; j < 3; ++j) {
        sigma[j] *= scale;
        for (int i = 0; i < 3; ++i) {
            u[3 * i + j] = frame[j][i];
            v[3 * i + j] = w[j][i];
        }
    }
}

/* r = u v^T */
INLINE void rotation_of(const real u[9], const real v[9], real r[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r[3 * i + j] = dot3(u + 3 * i, v + 3 * j);
}

/* Sum over k of lambda_k w_k w_k^T, columns w_k of a row-major matrix; (00, 01, 02, 11, 12, 22) */
INLINE void from_eigen(const real lambda[3], const real w[9], real a[6])
{
    int n = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j, ++n) {
            a[n] = lambda[0] * w[3 * i] * w[3 * j] + lambda[1] * w[3 * i + 1] * w[3 * j + 1] +
                   lambda[2] * w[3 * i + 2] * w[3 * j + 2];
        }
}

#endif
