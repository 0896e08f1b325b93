/* Newton's method for the convex problem of one island.
 *
 * H dv = -grad with H = A + sum J^T G J, line search with alpha <= 1, primal-dual friction Hessian, stages of
 * stiffness; stops by SAP (26).  docs/physics.md gives the rules; what they rest on is argued in newton.c.
 */
#ifndef ICF_SOLVER_NEWTON_H
#define ICF_SOLVER_NEWTON_H

#include "base/clock.h"
#include "base/context.h"
#include "scene/scene.h"
#include "solver/linear_solver.h"
#include "solver/problem.h"

/* What was done for the parts of an island (local_parts.h); iterations, evaluations and operations by this rank. */
typedef struct icf_part_work {
    int searches;       /* for parts, and ... */
    int polishes;       /* ... those that found any */
    double found;       /* blocks of all ranks, summed over these */
    icf_lid largest;    /* blocks of the largest part that this rank solved */
    int iterations;     /* Newton iterations */
    double blocks;      /* in parts, summed over their iterations */
    double evaluations; /* of l'(alpha), times the blocks in the part */
    double flops;       /* of factors */
} icf_part_work;

/* How a solve ended and what it cost. */
typedef struct icf_newton_result {
    int iterations; /* Newton iterations: directions computed */
    int factorizations;
    int singles;                     /* of them in single precision, and good enough */
    int conjugates;                  /* directions by conjugate gradients instead */
    int evaluations;                 /* of cost and gradient */
    int line_search;                 /* evaluations of l'(alpha) */
    int lines;                       /* directions that a line was laid along */
    int solves;                      /* systems solved with a factor, or by conjugate gradients */
    int products;                    /* sums of impulses on blocks besides those of evaluations */
    int pcg;                         /* conjugate gradient iterations */
    int sums;                        /* sums over the ranks of a group */
    icf_sent sent;                   /* to other ranks of it */
    bool roundoff;                   /* stopped at round-off, a success */
    double residual;                 /* relative momentum residual, SAP (32) */
    double cost;                     /* 1/2 |v - v*|_A^2 + contact cost [J] */
    double contact_cost;             /* [J] */
    double condition;                /* of the Hessian at the solution, where settings ask for it and no group solves */
    double room;                     /* values of the last block factor of one rank and of its two stacks */
    double flops, values;            /* of block factors of one rank, over all: operations, those of conjugate gradients
                                        in their place included; values solved with */
    icf_part_work parts;             /* not counted above */
    double spread;                   /* CPU time outside MPI waits of a group's factors and solutions [s] */
    double seconds[ICF_PHASE_COUNT]; /* wall time by phase */
} icf_newton_result;

/* Memory of a solver thread: vectors, Hessian and linear solvers; everything only grows. */
typedef struct icf_newton icf_newton;

ICF_MUST_CHECK icf_status icf_newton_create(icf_context *context, icf_newton **newton);

/* Nulls *newton; accepts NULL in it. */
void icf_newton_destroy(icf_newton **newton);

/* Threads that the next solves may use for a dear factor and for parts (1 at first); they change no bit. */
void icf_newton_use_threads(icf_newton *newton, int nthread);

/* Solves the problem with the linear solver `kind` (not auto, but for a group: factor_group.h).
 *   v [out] (dofs) the solution; on ICF_NOT_CONVERGED the best iterate
 * ICF_NOT_CONVERGED: max_iterations reached, no descent, or no feasible start.  One thread at a time; collective over
 * the problem's group if it has one. */
ICF_MUST_CHECK icf_status icf_newton_solve(icf_newton *newton, const icf_solver_settings *settings, icf_linear kind,
                                           const icf_problem *problem, double *v, icf_newton_result *result);

#endif
