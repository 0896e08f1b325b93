/* Small vectors, 3x3 matrices and quaternions.  Everything is by value and inline. */
#ifndef ICF_BASE_VEC_H
#define ICF_BASE_VEC_H

#include <math.h>

#include "base/types.h"

typedef struct icf_vec3 {
    double x, y, z;
} icf_vec3;

/* Unit quaternion, rotates body vectors into the world. */
typedef struct icf_quat {
    double w, x, y, z;
} icf_quat;

/* Row-major 3x3 matrix. */
typedef struct icf_mat3 {
    double m[9];
} icf_mat3;

static inline icf_vec3 icf_vec3_make(double x, double y, double z)
{
    return (icf_vec3){x, y, z};
}
static inline icf_vec3 icf_add(icf_vec3 a, icf_vec3 b)
{
    return (icf_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline icf_vec3 icf_sub(icf_vec3 a, icf_vec3 b)
{
    return (icf_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline icf_vec3 icf_scale(double s, icf_vec3 a)
{
    return (icf_vec3){s * a.x, s * a.y, s * a.z};
}
static inline icf_vec3 icf_neg(icf_vec3 a)
{
    return (icf_vec3){-a.x, -a.y, -a.z};
}
/* a + s b */
static inline icf_vec3 icf_mul_add(icf_vec3 a, double s, icf_vec3 b)
{
    return (icf_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double icf_dot(icf_vec3 a, icf_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline icf_vec3 icf_cross(icf_vec3 a, icf_vec3 b)
{
    return (icf_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double icf_norm2(icf_vec3 a)
{
    return icf_dot(a, a);
}
static inline double icf_norm(icf_vec3 a)
{
    return sqrt(icf_dot(a, a));
}
/* a / |a|; a must not be zero */
static inline icf_vec3 icf_unit(icf_vec3 a)
{
    return icf_scale(1.0 / icf_norm(a), a);
}

/* A unit vector perpendicular to the unit vector n, a function of n alone. */
static inline icf_vec3 icf_perpendicular(icf_vec3 n)
{
    const icf_vec3 axis = fabs(n.x) < 0.6 ? icf_vec3_make(1, 0, 0) : icf_vec3_make(0, 1, 0);
    return icf_unit(icf_cross(axis, n));
}
static inline double icf_get(icf_vec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}
static inline void icf_set(icf_vec3 *a, int i, double value)
{
    if (i == 0)
        a->x = value;
    else if (i == 1)
        a->y = value;
    else
        a->z = value;
}
static inline bool icf_is_finite(icf_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* m a */
static inline icf_vec3 icf_mat3_mul(const icf_mat3 *m, icf_vec3 a)
{
    const double *e = m->m;
    return (icf_vec3){e[0] * a.x + e[1] * a.y + e[2] * a.z, e[3] * a.x + e[4] * a.y + e[5] * a.z,
                      e[6] * a.x + e[7] * a.y + e[8] * a.z};
}
/* m^T a */
static inline icf_vec3 icf_mat3_tmul(const icf_mat3 *m, icf_vec3 a)
{
    const double *e = m->m;
    return (icf_vec3){e[0] * a.x + e[3] * a.y + e[6] * a.z, e[1] * a.x + e[4] * a.y + e[7] * a.z,
                      e[2] * a.x + e[5] * a.y + e[8] * a.z};
}
static inline icf_vec3 icf_mat3_column(const icf_mat3 *m, int j)
{
    return (icf_vec3){m->m[j], m->m[3 + j], m->m[6 + j]};
}
/* R diag(d) R^T */
static inline icf_mat3 icf_mat3_rotate_diagonal(const icf_mat3 *r, icf_vec3 d)
{
    icf_mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[3 * i + j] = r->m[3 * i] * d.x * r->m[3 * j] + r->m[3 * i + 1] * d.y * r->m[3 * j + 1] +
                               r->m[3 * i + 2] * d.z * r->m[3 * j + 2];
    return out;
}

/* Rotation matrix (body to world) of a unit quaternion. */
static inline icf_mat3 icf_quat_matrix(icf_quat q)
{
    return (icf_mat3){{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y),
                       2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x),
                       2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
}
static inline icf_quat icf_quat_mul(icf_quat a, icf_quat b)
{
    return (icf_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline double icf_quat_norm(icf_quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
static inline icf_quat icf_quat_unit(icf_quat q)
{
    const double s = 1.0 / icf_quat_norm(q);
    return (icf_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
static inline icf_vec3 icf_rotate(icf_quat q, icf_vec3 a)
{
    const icf_mat3 r = icf_quat_matrix(q);
    return icf_mat3_mul(&r, a);
}

#endif
