/* What a body is in the convex problem - blocks, dofs, A, v* and the start - and the families of constraints. */
#ifndef ICF_STEP_PROBLEM_BODY_H
#define ICF_STEP_PROBLEM_BODY_H

#include "solver/attachment_constraints.h"
#include "solver/contact_constraints.h"
#include "solver/problem.h"
#include "step/free_motion.h"

/* The constraint families of a problem. */
typedef struct icf_problem_families {
    icf_contact_constraints contact;
    icf_attachment_constraints attachment;
} icf_problem_families;

/* Values of a body's diagonal blocks of A. */
size_t icf_body_momentum_size(const icf_bodies *bodies, icf_lid i);

/* First degrees of freedom of a body's blocks.
 *   first [in]  of its first block
 *   dof   [out] (blocks + 1)
 * Returns the first one behind them. */
int32_t icf_body_number_dofs(const icf_bodies *bodies, icf_lid i, int32_t first, int32_t *dof);

/* v* and the velocity at the step's start.  A supported vertex has none here: what it brings to contacts is in their
 * bias.
 *   v_star, v0 [out] (dofs of the body) */
void icf_body_put_velocities(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i, double *v_star,
                             double *v0);

/* Diagonal blocks of A. */
void icf_body_put_momentum(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i, double *momentum);

/* The same of one vertex: v* and start (3). */
void icf_body_put_vertex(const icf_deformable_motion *motion, icf_lid vertex, double *v_star, double *v0);

/* A of this rank's vertices of a body that all ranks share: diagonal blocks, and those between vertices.
 *   first        [in]  block of the first own vertex
 *   vertex_block [in]  (vertices) blocks
 *   momentum     [out] (own vertices x 9)
 *   rim          [out] (rim of the mesh) kept by the result */
icf_momentum_mesh icf_body_put_shared(const icf_deformable_motion *motion, icf_lid first, const icf_lid *vertex_block,
                                      double *momentum, icf_lid *rim);

/* Blocks of A between the vertices of a deformable body whose first block in the problem is `first`. */
icf_momentum_mesh icf_body_momentum_mesh(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i,
                                         icf_lid first);

#endif
