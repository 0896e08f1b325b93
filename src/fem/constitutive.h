/* The elastic models for one deformation gradient: what the element kernels compute, to test it, and for results.
 *
 * Matrices are row-major; a tangent's row 3 i + j is component (i, j) of P, its column 3 k + l that of F.
 */
#ifndef ICF_FEM_CONSTITUTIVE_H
#define ICF_FEM_CONSTITUTIVE_H

#include "base/vec.h"
#include "scene/deformable_material.h"

/* f = u diag(sigma) v^T with rotations u, v; sigma[0] >= sigma[1] >= |sigma[2]|, the last with the sign of det f.
 * Backward stable for every finite f; where f = 0, u = v = 1. */
void icf_svd3(const icf_mat3 *f, icf_mat3 *u, double sigma[3], icf_mat3 *v);

/* The rotation R (det +1) that maximises tr(R^T f). */
icf_mat3 icf_polar_rotation(const icf_mat3 *f);

/* Energy density psi [J/m^3]; corotational with R = rotation of f. */
double icf_constitutive_energy(icf_elastic_model model, icf_lame lame, const icf_mat3 *f);

/* First Piola-Kirchhoff stress [Pa].
 *   r [in] rotation R0, read by the corotational model only */
icf_mat3 icf_constitutive_stress(icf_elastic_model model, icf_lame lame, const icf_mat3 *r, const icf_mat3 *f);

/* dP/dF at f [Pa]; corotational at frozen R = rotation of f.
 *   project [in] to positive semi-definite: negative eigenvalues become 0
 *   dpdf   [out] (9, 9) */
void icf_constitutive_tangent(icf_elastic_model model, icf_lame lame, const icf_mat3 *f, bool project, double dpdf[81]);

/* Geometric part of the corotational tangent at f, positive semi-definite.
 *   dpdf [out] (9, 9) */
void icf_constitutive_geometric(icf_lame lame, const icf_mat3 *f, double dpdf[81]);

#endif
