/* The convex problem of one island: min over v of 1/2 |v - v*|_A^2 + sum of the families' costs
 * (ICF 3, SAP 24).  The free motion of a deformable body may be known loosely: A v* + r is exact, r a residual, and the
 * cost 1/2 |v - v*|_A^2 - r.(v - v*), which differs by a constant.
 *
 * A has the diagonal blocks of rigid bodies and vertices, and blocks between the vertices of a deformable body.  A
 * locked degree of freedom keeps its row: unit diagonal, zero velocity, no column in any J.
 */
#ifndef ICF_SOLVER_PROBLEM_H
#define ICF_SOLVER_PROBLEM_H

#include "solver/constraint.h"
#include "solver/factor_group.h"
#include "solver/pattern_log.h"

enum { ICF_PROBLEM_FAMILIES = 4 }; /* families in one problem, at most */

/* Blocks of A between the vertices of one deformable body, whose diagonal blocks are among the others.
 *
 * A body that a group shares has blocks of its vertices on several ranks.  A rank has the rows of its own vertices;
 * blocks between one of them and one of another rank, which is a shadow, are on both. */
typedef struct icf_momentum_mesh {
    icf_lid first, n;       /* block of its first vertex; vertices, of a shared body those of this rank */
    const icf_lid *ptr;     /* (n + 1) first block of each column */
    const icf_lid *idx;     /* (ptr[n]) row of each block, > its column, ascending, from 0; from n on: shadows */
    const icf_lid *rim;     /* blocks of the shadows, ascending; NULL: there are none */
    const double *value;    /* (ptr[n] x 9) 3x3 blocks, column-major */
    const icf_lid *order;   /* (n) fill-reducing order of its vertices; NULL: not known */
    icf_cnt iterations;     /* that conjugate gradients have taken for v*; 0: a factor is faster */
    double factor_flops;    /* operations of that factor, of a shared body this rank's part */
    const double *residual; /* (3 n) what A v* lacks of the momentum of the free motion; NULL: nothing */
} icf_momentum_mesh;

/* The block of a row of a mesh. */
static inline icf_lid icf_momentum_mesh_block(const icf_momentum_mesh *mesh, icf_lid row)
{
    return row < mesh->n ? mesh->first + row : mesh->rim[row - mesh->n];
}

typedef struct icf_problem {
    icf_lid nblock;
    const int32_t *dof;     /* (nblock + 1) first degree of freedom of each block */
    const double *momentum; /* A: dense diagonal blocks one after the other, column-major */
    icf_lid nmesh;
    const icf_momentum_mesh *mesh; /* (nmesh) ascending */
    const double *v_star;          /* (dofs) free-motion velocity */
    const double *v0;              /* (dofs) velocity at the step's start: the warm start */
    bool conjugate;                /* directions may be found by conjugate gradients, where they promise to be faster */
    bool as_group;                 /* one rank takes the steps that a group of ranks would, for what they cost it */
    icf_pattern_log *log;          /* its patterns are wanted here; NULL: nowhere */
    int nfamily;
    icf_constraints *family[ICF_PROBLEM_FAMILIES];
    icf_group *group;               /* ranks that solve it together; NULL: this one alone */
    icf_group_solver *group_solver; /* their linear solver */
} icf_problem;

/* Degrees of freedom. */
static inline int32_t icf_problem_dofs(const icf_problem *problem)
{
    return problem->dof[problem->nblock];
}

/* Blocks of all ranks that solve it together. */
static inline icf_cnt icf_problem_blocks(const icf_problem *problem)
{
    return problem->group ? problem->group->nglobal : problem->nblock;
}

/* Whether its solve goes the way of a group: lengths of steps tried several at a time, what a rank learns from others
 * an iteration late. */
static inline bool icf_problem_goes_as_group(const icf_problem *problem)
{
    return problem->group || problem->as_group;
}

/* Degrees of freedom that this rank's sums run over: all but the shadows' of a group. */
static inline int32_t icf_problem_owned_dofs(const icf_problem *problem)
{
    return problem->group ? problem->dof[problem->group->nowned] : icf_problem_dofs(problem);
}

/* Puts sums over owned dofs and constraints of all ranks of a group together.  Nothing for one rank. */
static inline void icf_problem_sum(const icf_problem *problem, double *x, int n)
{
    if (problem->group) icf_group_sum(problem->group, x, n);
}

/* Largest of a number over a group; the number itself for one rank. */
static inline double icf_problem_max(const icf_problem *problem, double x)
{
    return problem->group ? icf_group_max(problem->group, x) : x;
}

/* The worst status of a group; the status itself for one rank. */
ICF_MUST_CHECK static inline icf_status icf_problem_agree(const icf_problem *problem, icf_status status)
{
    return problem->group ? icf_group_agree(problem->group, status) : status;
}

/* y = A x, of a group at owned blocks.  x, y (dofs), not the same array; the shadows of x are known. */
void icf_problem_momentum(const icf_problem *problem, const double *x, double *y);

/* y += s r, r the momentum that A v* lacks of the free motion's.  y (dofs) */
void icf_problem_add_residual(const icf_problem *problem, double s, double *y);

/* r.x over owned dofs.  x (dofs) */
double icf_problem_residual_dot(const icf_problem *problem, const double *x);

#endif
