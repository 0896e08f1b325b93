/* A mesh whose work is shared out over all ranks.
 *
 *     rank 0:  [ own vertices | rim ]         rim: vertices of other ranks beside own ones
 *     rank 1:        [ rim | own vertices ]
 *
 * Vertices are cut by METIS.  A rank holds the tetrahedra that touch its own vertices, in the order of the mesh, so
 * that what is summed at own vertices, and in the rows of A that belong to them, is complete and has the bits of the
 * whole mesh.  Vectors are numbered like the whole mesh; a rank's entries mean something at its own vertices, and at
 * the rim or everywhere when they have been shared.  The body's state has one owner, as that of any other body.
 *
 * A is solved with by the ranks together, by a factor (solver/factor_group.h) or by conjugate gradients
 * (solver/group_pcg.h): blocks are own vertices, then the rim as shadows.
 */
#ifndef ICF_STEP_SPLIT_MESH_H
#define ICF_STEP_SPLIT_MESH_H

#include "fem/fem.h"
#include "scene/deformable.h"
#include "solver/factor_group.h"
#include "solver/group_pcg.h"

typedef struct icf_split_mesh {
    icf_context *context;
    icf_lid nvertex;    /* of the whole mesh */
    int *owner;         /* (nvertex) rank of each vertex */
    icf_lid nown, nrim; /* own vertices, rim */
    icf_lid *vertex;    /* (nown + nrim) own ones ascending, then the rim ascending */
    icf_tet_mesh mesh;  /* all vertices, the tetrahedra at own ones */
    bool *counted;      /* (mesh.ntet) whether the tetrahedron's energy is this rank's */

    icf_lid *ptr, *idx; /* (nown + nrim + 1), (ptr[nown]) blocks of A below the diagonal, by places in `vertex` */
    int64_t *from;      /* (ptr[nown]) where the block is in the values of the elements; ~: its transpose */
    int64_t *diag_at, *off_at;
    int32_t *dof;    /* (nown + nrim + 1) */
    icf_gid *number; /* (nown + nrim) global ids of the blocks: vertices */
    int *block_owner;
    double *val, *b; /* matrix and vector of the group's solver */
    MPI_Comm comm;
    icf_group group;
    icf_group_solver *solver;
    icf_group_pcg pcg;
    int64_t nval; /* values of A, on all ranks together */

    icf_lid *sequence; /* (nvertex) vertices rank by rank, ascending */
    int *count,
        *at; /* (2 x ranks) vertices of each rank, its first one in `sequence`; then both for a call's numbers */
    double *out, *all; /* (nown x ICF_SPLIT_SHARED), (nvertex x ICF_SPLIT_SHARED) */
} icf_split_mesh;

enum { ICF_SPLIT_SHARED = 12 }; /* numbers of a vertex that can be shared at once */

/* Cuts a mesh: owners of vertices, and the tetrahedra of this rank, whose elements are to be made of split->mesh.
 *   deformable [in] the same on every rank
 * Collective.  ICF_ERROR_MEMORY, ICF_ERROR_INTERNAL (METIS). */
ICF_MUST_CHECK icf_status icf_split_mesh_create(icf_context *context, const icf_deformable *deformable,
                                                icf_split_mesh **split);

/* Builds the rest: the pattern of A on this rank, the group.
 *   pattern [in] of the elements; read when status is ICF_OK
 *   status  [in] of what this rank did before; agreed on here
 * Collective. */
ICF_MUST_CHECK icf_status icf_split_mesh_join(icf_split_mesh *split, const icf_fem_pattern *pattern, icf_status status);

/* Nulls *split; accepts NULL in it.  Collective. */
void icf_split_mesh_destroy(icf_split_mesh **split);

static inline bool icf_split_mesh_owns(const icf_split_mesh *split, icf_lid vertex)
{
    return split->owner[vertex] == split->context->rank;
}

/* Takes the values of A that belong to own vertices out of those of the elements.
 *   val  [in]  in the pattern of the elements (fem.h)
 *   diag [out] (nown x 9) diagonal blocks
 *   off  [out] (ptr[nown] x 9) in the pattern ptr, idx */
void icf_split_mesh_extract(const icf_split_mesh *split, const double *val, double *diag, double *off);

/* Solves A y = x, by a factor of its own: in single precision with conjugate gradients where those reach the tolerance,
 * else in double.
 *   val       [in]     in the pattern of the elements
 *   tolerance [in]     of conjugate gradients (icf_linear_solver_solve_to)
 *   x         [in,out] (nvertex) right-hand side at own vertices; the solution there and at the rim
 * Collective.  ICF_NOT_POSITIVE_DEFINITE on all ranks alike. */
ICF_MUST_CHECK icf_status icf_split_mesh_solve(icf_split_mesh *split, const double *val, double tolerance, icf_vec3 *x);

/* Operations of a factor of A, of all ranks together.  Collective. */
ICF_MUST_CHECK icf_status icf_split_mesh_factor_flops(icf_split_mesh *split, double *flops);

/* Makes a preconditioner of conjugate gradients.
 *   val [in] in the pattern of the elements
 * Collective.  ICF_NOT_POSITIVE_DEFINITE on all ranks alike. */
ICF_MUST_CHECK icf_status icf_split_mesh_precondition(icf_split_mesh *split, const double *val);

/* Solves A y = b by conjugate gradients, A and the preconditioner being those of the last call that made one.
 *   tolerance, most, taken    as icf_group_pcg_solve
 *   b [in]  (nvertex) at own vertices
 *   y [out] (nvertex) at own vertices and the rim
 * Collective.  ICF_NOT_CONVERGED, ICF_NOT_POSITIVE_DEFINITE on all ranks alike: y is of no use then. */
ICF_MUST_CHECK icf_status icf_split_mesh_conjugate(icf_split_mesh *split, double tolerance, icf_cnt most,
                                                   const icf_vec3 *b, icf_vec3 *y, icf_cnt *taken);

/* Gives all ranks the owners' entries of a vector of n numbers a vertex, n at most ICF_SPLIT_SHARED.
 *   x [in,out] (nvertex x n).  Collective. */
void icf_split_mesh_share(icf_split_mesh *split, double *x, int n);

/* Sums numbers over the ranks, in the order of the ranks.  Collective. */
void icf_split_mesh_sum(icf_split_mesh *split, double *x, int n);

#endif
