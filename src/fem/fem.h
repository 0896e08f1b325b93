/* Elastic forces, stiffness and mass of one deformable body of linear tetrahedra (physics: deformable bodies).
 *
 *   mesh, material -> icf_fem (constant) -> icf_fem_set_state at x0, once a step -> forces, products, matrix, energy
 *
 * With F = sum x_i g_i^T (g_i rest gradients, V rest volume) and P the first Piola-Kirchhoff stress:
 *   f_i = V P g_i,   K_ij = V g_j . dP/dF . g_i,   M_ij = rho V (1 + delta_ij)/20 (consistent).
 * The corotational model is linear within a step: its rotations R0 and the geometric stiffness Kg are those of the
 * state that icf_fem_set_state was given.  The stiffness of the other two is that at the x of the call, each element
 * projected to positive semi-definite.
 *
 * Threads and bits: each thread sums what belongs to its own vertices, over tetrahedra in ascending order; it evaluates
 * every one that touches them.  Sums are thus in the order of the tetrahedra for any number of threads.  A caller that
 * gives a part of a body, with its tetrahedra in global order, gets the same bits as the whole at each vertex (and in
 * the blocks between such) all of whose tetrahedra are there; masses, volumes and energies are those of the part. Bits
 * depend on the instruction set that the processor offers (fem/element_kernels.h).
 *
 * All calls are local; those on one icf_fem must not run at the same time.  No heap memory after create.
 */
#ifndef ICF_FEM_FEM_H
#define ICF_FEM_FEM_H

#include "base/vec.h"
#include "scene/deformable_material.h"
#include "scene/tet_mesh.h"

/* Fixed pattern of K, Kg and M: 3x3 blocks of the mesh's edges, lower triangle by columns, rows ascending, as in
 * solver/block_matrix.h. */
typedef struct icf_fem_pattern {
    icf_lid nvertex;
    const icf_lid *ptr; /* (nvertex + 1) first off-diagonal block of each column */
    const icf_lid *idx; /* (ptr[nvertex]) row of each off-diagonal block, > its column */
} icf_fem_pattern;

/* What icf_fem_matrix_add sums: mass M + stiffness K + geometric Kg + negative (K' - K), K' the tangent before it is
 * projected. */
typedef struct icf_fem_weights {
    double mass;
    double stiffness;
    double geometric; /* corotational with geometric stiffness only, else of no effect */
    double negative;  /* not corotational, else of no effect */
} icf_fem_weights;

typedef struct icf_fem icf_fem;

/* Builds what the mesh and the material fix; neither is needed afterwards.
 *   context  [in]  its thread budget is used in every later call
 *   mesh     [in]  finalized: tetrahedra of positive volume
 *   material [in]  moduli and density > 0, Poisson's ratio below 1/2
 *   fem      [out] owned by the caller
 * ICF_ERROR_MEMORY (*fem is NULL).  O(nvertex + ntet). */
ICF_MUST_CHECK icf_status icf_fem_create(const icf_context *context, const icf_tet_mesh *mesh,
                                         const icf_deformable_material *material, icf_fem **fem);

/* Nulls *fem; accepts NULL in it. */
void icf_fem_destroy(icf_fem **fem);

/* Valid as long as fem. */
icf_fem_pattern icf_fem_get_pattern(const icf_fem *fem);

/* Number of values of the matrix: 9 (nvertex + ptr[nvertex]). */
size_t icf_fem_matrix_size(const icf_fem *fem);

/* The state at the step's start: corotational rotations R0 (det +1; an inverted element gets the rotation nearest to
 * its deformation) and Kg.  Nothing to do for the other models.
 *   x [in] (nvertex) positions [m] */
void icf_fem_set_state(icf_fem *fem, const icf_vec3 *x);

/* Elastic force f_el, the gradient of the energy: what the body does to its vertices is -f_el.  Corotational: with R0.
 *   x [in]  (nvertex) positions [m]
 *   f [out] (nvertex) [N] */
void icf_fem_force(const icf_fem *fem, const icf_vec3 *x, icf_vec3 *f);

/* Adds the values of a weighted sum of M, K(x) and Kg to val, in the fixed pattern.
 *   x   [in]     (nvertex) where K is taken; corotational: not read, may be NULL
 *   val [in,out] (nvertex, 9) diagonal blocks, both triangles, then (ptr[nvertex], 9) off-diagonal blocks; column-major
 */
void icf_fem_matrix_add(const icf_fem *fem, const icf_vec3 *x, icf_fem_weights weights, double *val);

/* Products without a matrix, y = M u, K(x) u, Kg u.
 *   x [in]  (nvertex) as in icf_fem_matrix_add
 *   u [in]  (nvertex); y [out] (nvertex), another array */
void icf_fem_mass_product(const icf_fem *fem, const icf_vec3 *u, icf_vec3 *y);
void icf_fem_stiffness_product(const icf_fem *fem, const icf_vec3 *x, const icf_vec3 *u, icf_vec3 *y);
void icf_fem_geometric_product(const icf_fem *fem, const icf_vec3 *u, icf_vec3 *y);

/* Product y = H u with values in the fixed pattern.
 *   val [in] as icf_fem_matrix_add gives it; u [in], y [out] (nvertex), two arrays */
void icf_fem_matrix_product(const icf_fem *fem, const double *val, const icf_vec3 *u, icf_vec3 *y);

/* Elastic energy at x [J]; corotational with the rotations of x. */
double icf_fem_energy(icf_fem *fem, const icf_vec3 *x);

/* Energy per rest volume of each tetrahedron.
 *   density [out] (ntet) [J/m^3] */
void icf_fem_energy_density(const icf_fem *fem, const icf_vec3 *x, double *density);

/* Von Mises stress of each tetrahedron, of the Cauchy stress P F^T / J with J held at 0.01 or more.
 *   stress [out] (ntet) [Pa] */
void icf_fem_von_mises(const icf_fem *fem, const icf_vec3 *x, double *stress);

/* Mean over the tetrahedra of each vertex, weighted by rest volume.
 *   value [in] (ntet); mean [out] (nvertex) */
void icf_fem_vertex_mean(const icf_fem *fem, const double *value, double *mean);

/* Row sum of the mass matrix: the vertex's part of the mass, by which positions have the centre of mass as mean [kg].
 */
double icf_fem_vertex_mass(const icf_fem *fem, icf_lid vertex);

/* Lame's constants and the volume, for tolerances of energies. */
icf_lame icf_fem_lame(const icf_fem *fem);

#endif
