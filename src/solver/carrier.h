/* Carriers: what moves with a point that a constraint acts on, where more than two rigid bodies take part.
 *
 * A vertex of a deformable body has J = weight 1, a rigid body J = weight [1, -[r]x] with r from its centre of mass to
 * the point; the point's relative velocity is the sum of J v.  The blocks of H get J_e^T G J_f for every two carriers.
 * Private to the families.
 */
#ifndef ICF_SOLVER_CARRIER_H
#define ICF_SOLVER_CARRIER_H

#include "base/vec.h"
#include "solver/constraint.h"

enum { ICF_CARRIERS_MAX = 6 }; /* of one point */

typedef struct icf_carrier {
    icf_lid block;
    double weight;   /* signed: a point of the first body of a pair has negative ones */
    bool rigid;      /* six degrees of freedom, else a vertex */
    icf_vec3 arm;    /* rigid: from the centre of mass to the point [m] */
    unsigned locked; /* rigid: bits of locked degrees of freedom */
} icf_carrier;

/* Block of a body's vertex: beside the first one's, or from a list.
 *   first        [in] (bodies) blocks of the first vertices
 *   vertex_block [in] (bodies) lists by vertex, or NULL; NULL: no lists */
static inline icf_lid icf_vertex_block(const icf_lid *first, const icf_lid *const *vertex_block, icf_lid body,
                                       icf_lid vertex)
{
    return vertex_block && vertex_block[body] ? vertex_block[body][vertex] : first[body] + vertex;
}

/* Gives every pair of the carriers' blocks, for the pattern of H. */
ICF_MUST_CHECK icf_status icf_carriers_couple(const icf_carrier *list, int n, icf_couple couple, void *user);

/* Sum of J x, world.
 *   dof [in] first degree of freedom of each block; x [in] (dofs) */
icf_vec3 icf_carriers_velocity(const icf_carrier *list, int n, const int32_t *dof, const double *x);

/* Adds J^T gamma to out (dofs).
 *   gamma [in] impulse on the point, world [N s] */
void icf_carriers_add_impulse(const icf_carrier *list, int n, const int32_t *dof, icf_vec3 gamma, double *out);

/* Adds J^T G J to H.
 *   g [in] symmetric, world */
void icf_carriers_add_hessian(const icf_carrier *list, int n, const icf_mat3 *g, icf_block_matrix *hessian);

#endif
