/* Mass matrices of bodies in the world frame, at the poses of a step's start.
 *
 * A free body's mass matrix is diag(m 1, I_W), I_W = R I R^T.  Locked degrees of freedom are removed: the
 * inverse is that of the free block, zero in the locked rows and columns; bodies that the solver does not
 * move have a zero inverse.
 */
#ifndef ICF_SCENE_INERTIA_H
#define ICF_SCENE_INERTIA_H

#include "scene/bodies.h"

typedef struct icf_inertia {
    size_t capacity;
    icf_mat3 *rotation;    /* (n) body to world */
    icf_mat3 *world;       /* (n) I_W [kg m^2]; zero for bodies that do not move */
    icf_vec3 *inv_mass;    /* (n) inverse mass along each world axis, 0 where locked [1/kg] */
    icf_mat3 *inv_inertia; /* (n) inverse of the free block of I_W [1/(kg m^2)] */
} icf_inertia;

void icf_inertia_init(icf_inertia *inertia);
void icf_inertia_clear(icf_inertia *inertia);

/* Computes everything from the poses.  Local.
 *   first [in] bodies before this one keep what they have */
ICF_MUST_CHECK icf_status icf_inertia_build(icf_inertia *inertia, const icf_bodies *bodies, icf_lid first);

/* Inverse of the free block of a symmetric positive definite 3x3 matrix, zero in locked rows and columns.
 *   locked [in] bit i set: row and column i are removed */
icf_mat3 icf_mat3_inverse_free(const icf_mat3 *m, unsigned locked);

/* Effective inverse mass of a point, w = |W|_F / 3 (SAP) [1/kg]. */
static inline double icf_effective_inverse_mass(const icf_mat3 *w)
{
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) sum += w->m[i] * w->m[i];
    return sqrt(sum) / 3.0;
}

/* W = J M^-1 J^T of a point at lever arm r from the centre of mass, J = [1, -[r]x], added to w (3x3) [1/kg]. */
void icf_inertia_add_effective(const icf_inertia *inertia, icf_lid body, icf_vec3 r, icf_mat3 *w);

#endif
