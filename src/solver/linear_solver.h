/* Linear solvers of Newton's H dv = -grad.
 *
 * One interface for all of them, in three calls: analyze (pattern only), factor (values), solve.  The
 * analysis is kept while the pattern is the same, which changes no bit.  The kinds:
 *
 *   block   own multifrontal block Cholesky: thread-safe, repeatable in bits        (factor_block.c)
 *   mumps   MUMPS, METIS order of the block graph, one BLAS thread                  (factor_mumps.c)
 *   pcg     conjugate gradients, block incomplete Cholesky preconditioner           (pcg.c)
 *
 * A solver object belongs to one thread at a time.  MUMPS and METIS are not thread-safe: their calls are
 * serialised here by a named critical section.
 *
 * ICF_NOT_POSITIVE_DEFINITE and ICF_NOT_CONVERGED are returned without a message in the context: the caller can
 * go on from them.  After any failure a new factor makes the solver usable again.
 */
#ifndef ICF_SOLVER_LINEAR_SOLVER_H
#define ICF_SOLVER_LINEAR_SOLVER_H

#include "base/context.h"
#include "scene/scene.h"
#include "solver/block_matrix.h"

typedef struct icf_linear_solver icf_linear_solver;

/* Work of a solver since its creation. */
typedef struct icf_linear_stats {
    icf_cnt analyses;       /* symbolic analyses */
    icf_cnt factorizations; /* numeric factorisations (pcg: preconditioners) */
    double flops;           /* operations of these, of the kind block */
    icf_cnt iterations;     /* conjugate gradient iterations */
} icf_linear_stats;

/* Creates a solver of a kind (not auto); takes no memory for any size yet. */
ICF_MUST_CHECK icf_status icf_linear_solver_create(icf_linear kind, icf_context *context, icf_linear_solver **solver);

/* Nulls *solver; accepts NULL in it. */
void icf_linear_solver_destroy(icf_linear_solver **solver);

/* Threads that the next factorisations may use (1 at first); a kind may use fewer, and none changes a bit by it. */
void icf_linear_solver_use_threads(icf_linear_solver *solver, int nthread);

/* Whether the next factorisations may be in single precision (at first they may not); a kind may use double all the
 * same. */
void icf_linear_solver_use_single(icf_linear_solver *solver, bool single);

/* Prepares for a pattern; nothing is done when it is the one of the last call. */
ICF_MUST_CHECK icf_status icf_linear_solver_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix);

/* The same, but nothing is analyzed where a factor is so dear that it pays to leave pairs out that are zero, as the
 * caller is then to do.
 *   wide [out] whether that is so: a function of the pattern alone */
ICF_MUST_CHECK icf_status icf_linear_solver_analyze_cheap(icf_linear_solver *solver, const icf_block_matrix *matrix,
                                                          bool *wide);

/* Prepares for a pattern that has a few pairs more than that of the last call, whose order is repaired
 * (order_repair.h).  The analysis is then that of a history of patterns, and no later call takes it for its own.
 *   good [out] whether there is an order to repair, of as many blocks none of which vary, and repaired ones have cost
 *              less so far than a new one would have; else the solver knows no pattern, and is due one */
ICF_MUST_CHECK icf_status icf_linear_solver_extend(icf_linear_solver *solver, const icf_block_matrix *matrix,
                                                   bool *good);

/* Factors the values.  ICF_NOT_POSITIVE_DEFINITE when a pivot is not positive or an entry not finite. */
ICF_MUST_CHECK icf_status icf_linear_solver_factor(icf_linear_solver *solver, const icf_block_matrix *matrix);

/* The same when only the rows and columns of blocks that vary (matrix->varies) have other values than at the last
 * call of this kind for the pattern; else, and after a failure, it must be factored anew. */
ICF_MUST_CHECK icf_status icf_linear_solver_refactor(icf_linear_solver *solver, const icf_block_matrix *matrix);

/* Tolerance and most iterations of a solve by conjugate gradients (kind pcg), in place of its own. */
void icf_linear_solver_limit_pcg(icf_linear_solver *solver, double tolerance, icf_cnt iterations);

/* Operations of a factorisation in single precision that take as long as an iteration of conjugate gradients (kind
 * pcg): 146 for each value of the matrix, measured on a cube of 31,944 degrees of freedom. */
static inline double icf_linear_solver_pcg_flops(int64_t nval)
{
    return 146.0 * (double)nval;
}

/* Solves H x = b with the last factor.
 *   b [in]  (dofs) right-hand side
 *   x [out] (dofs) solution; may be b */
ICF_MUST_CHECK icf_status icf_linear_solver_solve(icf_linear_solver *solver, const double *b, double *x);

/* Conjugate gradient iterations after which a factor in single precision is taken as not exact enough. */
enum { ICF_SINGLE_ITERATIONS = 12 };

/* Solves H x = b to a tolerance, whatever the precision of the last factor, which is the preconditioner of conjugate
 * gradients.  ICF_NOT_CONVERGED after that many iterations: x is of no use then.
 *   matrix    [in]  H with the values of the last factor
 *   tolerance [in]  the norm of the residual in the factor's inverse, over that of b */
ICF_MUST_CHECK icf_status icf_linear_solver_solve_to(icf_linear_solver *solver, const icf_block_matrix *matrix,
                                                     double tolerance, int iterations, const double *b, double *x);

icf_linear_stats icf_linear_solver_stats(const icf_linear_solver *solver);

/* Floating-point operations of one factorisation by the block solver for a pattern, from the elimination
 * order and symbolic factor alone (the choice between block and mumps); < 0 when out of memory. */
double icf_linear_solver_flops(icf_linear_solver *solver);

/* Fill-reducing order of the blocks of the last pattern, valid until the next; NULL when out of memory. */
const icf_lid *icf_linear_solver_order(icf_linear_solver *solver);

/* Operations likewise of icf_linear_solver_refactor. */
double icf_linear_solver_refactor_flops(icf_linear_solver *solver);

/* Values that the block solver keeps for a pattern: its factor and the updates alive at once; < 0 when out of
 * memory. */
double icf_linear_solver_values(icf_linear_solver *solver);

/* Values that it has room for: the factor, and two stacks, each of which may have to hold all updates alive at once; <
 * 0 when out of memory. */
double icf_linear_solver_room(icf_linear_solver *solver);

#endif
