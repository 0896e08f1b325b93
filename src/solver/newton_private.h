/* What the files of Newton's method share: newton.c (the loop), newton_direction.c, newton_parts.c,
 * newton_stages.c. */
#ifndef ICF_SOLVER_NEWTON_PRIVATE_H
#define ICF_SOLVER_NEWTON_PRIVATE_H

#include "solver/crossing_parts.h"
#include "solver/group_pcg.h"
#include "solver/hessian.h"
#include "solver/line_search.h"
#include "solver/local_parts.h"
#include "solver/newton.h"

enum { ICF_NEWTON_SUMS = 9 };

struct icf_newton {
    icf_context *context;
    int nthread; /* threads of a factorisation, and of parts */
    icf_hessian hessian;
    bool meshes;             /* of the problem, on any rank of its group */
    bool single;             /* the factors of this solve may be in single precision */
    bool checked;            /* directions of the factor now used are checked */
    bool stiff;              /* H is too stiff for that */
    bool clean;              /* the last factor of this solve is that of H, but for what varies */
    bool analyzed;           /* the linear solver knows the pattern of this solve */
    bool narrow;             /* that is the blocks that have not been zero in it, for they alone are dear */
    bool more;               /* narrow: there are more of them at the last evaluation, on any rank of a group */
    double conjugate_flops;  /* that conjugate gradients may still take in this solve; 0: directions need a factor */
    double conjugate_cost;   /* operations of an iteration, of all ranks */
    icf_cnt conjugate_limit; /* iterations for one direction */
    bool conjugate;          /* this direction is found by them, of a group ... */
    double conjugate_end;    /* ... to this tolerance */
    icf_linear_solver *linear[ICF_LINEAR_PCG + 1]; /* by kind, created on first use */
    icf_group_pcg group_pcg;                       /* conjugate gradients of groups */
    icf_local_parts parts;                         /* of the problem, and ... */
    icf_crossing_parts crossing;                   /* ... those over several ranks, where ... */
    bool local;                                    /* ... this solve still makes use of them */
    bool failed;                                   /* this rank could not solve its parts */
    icf_part_work part_work;                       /* of this solve */
    bool curved;                                   /* slip enters normal laws, on any rank of the problem's group */
    int correct_from, correct_pause;               /* iteration of the next corrections; pause after those in vain */
    int evaluations;                               /* of this solve, of cost and gradient */
    double sum[ICF_NEWTON_SUMS];                   /* this rank's, of the last one (newton.c) */
    bool polished;                                 /* the current iterate has parts, and they are solved */
    int failed_leaps;                              /* of this solve */
    int in_vain, pause;                            /* searches in a row without parts; iterations until the next one */
    icf_newton **of_part;                          /* (nof_part) one a thread solves them; created on first use */
    int nof_part;
    icf_newton_result *part_result; /* (parts, and those over several ranks that this one solves) */
    size_t part_result_capacity;
    double *scale;   /* (dofs) D = diag(A)^-1/2 */
    double *grad;    /* (dofs) gradient */
    double *impulse; /* (dofs) J^T gamma */
    double *av_star; /* (dofs) A v* + r */
    double *av;      /* (dofs) A v */
    double *change;  /* (dofs) A (v - v*) - r */
    double *dv;      /* (dofs) direction */
    double *adv;     /* (dofs) A dv; scratch */
    double *best;    /* (dofs) iterate of smallest residual in the last stage */
    double *before;  /* (dofs) iterate before a leap, or direction before a correction */
    double *memory;
    double *probe; /* (3 x dofs) scratch of a condition number */
    int *sign;     /* (dofs) likewise */
    size_t capacity, probe_capacity, sign_capacity;
};

/* What the iteration knows of the current iterate. */
typedef struct icf_iterate {
    double factor; /* stage of stiffness: part of the true one; ... */
    double ratio;  /* ... that of the next stage over it, ... */
    double done;   /* ... which begins below this residual */
    bool softened; /* this solve has had stages, or must not have any */
    int steps;     /* since the last look at them ... */
    double length; /* ... and the sum of their lengths */
    double cost, contact_cost;
    double energy;        /* |v - v*|_A |v|_A, the scale of round-off in the cost */
    double gradient_norm; /* |D grad| */
    double scale;         /* max(|D A v|, |D J^T gamma|) */
    double residual;      /* gradient_norm / scale, SAP (32) */
    double part_blocks;   /* blocks in parts, summed over their iterations, of all ranks so far */
    bool failed;          /* a rank has failed in its parts */
    double slope0;        /* l'(0) of the last direction */
    double best_residual;
    double halved_from; /* residual that must be halved within stagnation_iterations */
    int since_halved;
} icf_iterate;

static inline double icf_newton_dot(const double *x, const double *y, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

/* |D x|^2 */
static inline double icf_newton_square(const double *scale, const double *x, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i) sum += scale[i] * x[i] * scale[i] * x[i];
    return sum;
}

/* ---- newton.c ---- */

/* Gives v to all families. */
void icf_newton_set_velocity(const icf_problem *problem, const double *v);

/* The gradient at v, which all families have; impulses of shadows go home, collective over the problem's group. */
void icf_newton_evaluate_here(icf_newton *newton, const icf_problem *problem, const double *v);

/* Cost and residual of the last evaluation.  Collective over the problem's group. */
void icf_newton_sum(icf_newton *newton, const icf_problem *problem, icf_iterate *at);

/* Both: cost, gradient and residual at v. */
void icf_newton_evaluate(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at);

/* v += alpha dv, in all families too, with the step length of the line search, which is returned.  Collective over the
 * problem's group. */
double icf_newton_take_step(icf_newton *newton, const icf_problem *problem, const icf_line *line, double *v,
                            icf_newton_result *result);

/* The stop test, SAP (26). */
bool icf_newton_converged(const icf_solver_settings *settings, const icf_iterate *at);

/* Solves from v on, without a choice of start and without stages or parts: the problem of a part.  Success whenever v
 * means something, also when it has not converged. */
ICF_MUST_CHECK icf_status icf_newton_continue(icf_newton *newton, const icf_solver_settings *settings,
                                              const icf_problem *problem, double *v, icf_newton_result *result);

/* ---- newton_stages.c ---- */

/* Islands of a few blocks converge in a few iterations by the plain method. */
bool icf_newton_is_small(const icf_problem *problem);

/* What the iteration keeps of a stage starts anew. */
void icf_newton_start_stage(icf_iterate *at, double factor);

/* The same, and all families have their stiffness times factor. */
void icf_newton_set_stage(const icf_problem *problem, icf_iterate *at, double factor);

/* Softens a solve whose contacts are very stiff at any velocity, or that starts where many bodies hit each other hard.
 * Collective over the problem's group. */
void icf_newton_first_stage(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at);

/* Goes on to the next stage, or several, where the residual tells that this one is done.  Collective over the
 * problem's group. */
void icf_newton_next_stage(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at);

/* Softens a solve that hardly moves.  Collective over the problem's group.
 *   alpha [in] length of the last step; 0 at the start */
void icf_newton_soften(icf_newton *newton, const icf_problem *problem, const double *v, double alpha, icf_iterate *at);

/* ---- newton_direction.c ---- */

/* Decides whether directions may be found by conjugate gradients, and how much they may cost before a factor is made
 * after all.  Collective over the problem's group. */
void icf_newton_allow_conjugate(icf_newton *newton, icf_linear kind, const icf_problem *problem);

/* Prepares for the directions of a solve whose pattern has been analysed.  Collective over the problem's group. */
void icf_newton_start_directions(icf_newton *newton, icf_linear kind, const icf_problem *problem);

/* Second-order correction of a direction whose full step the line search would cut.  With Similar the iterates lie in a
 * valley that bends with the slip, and straight steps leave it: hundreds of short ones may follow one another.
 * Corrections, each a solution with the factor of the direction, bring the end of the full step back to the valley.
 * They are tried when the residual has not halved for some iterations, less and less often while they are in vain, and
 * kept where the full step is then taken.
 * Collective over the problem's group. */
ICF_MUST_CHECK icf_status icf_newton_correct(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                                             const icf_iterate *at, icf_line *line, icf_newton_result *result);

/* Whether the own Cholesky factors H: a group has nothing else but MUMPS. */
static inline bool icf_newton_has_fronts(icf_linear kind, const icf_problem *problem)
{
    return problem->group ? kind != ICF_LINEAR_MUMPS : kind == ICF_LINEAR_BLOCK;
}

/* H as it is factored. */
const icf_block_matrix *icf_newton_factored(const icf_newton *newton);

/* Lets the linear solver know the pattern of H, whose values are there.
 *   result [in] so far
 * Collective over the problem's group. */
ICF_MUST_CHECK icf_status icf_newton_follow(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                                            const icf_newton_result *result);

/* Direction dv of the current iterate and the line along it.  Collective over the problem's group. */
ICF_MUST_CHECK icf_status icf_newton_direction(icf_newton *newton, const icf_solver_settings *settings,
                                               icf_linear_solver *solver, const icf_problem *problem,
                                               const icf_iterate *at, icf_line *line, icf_newton_result *result);

/* The line along dv, whose shadows are found.  Collective over the problem's group. */
void icf_newton_lay_line(icf_newton *newton, const icf_problem *problem, icf_line *line, icf_newton_result *result);

/* Replaces a direction that does not descend by the scaled gradient.  Collective over the problem's group. */
void icf_newton_descend(icf_newton *newton, const icf_problem *problem, icf_line *line, icf_newton_result *result);

/* ---- newton_parts.c ---- */

/* Prepares for the parts of a solve.  Collective over the problem's group. */
ICF_MUST_CHECK icf_status icf_newton_start_parts(icf_newton *newton, const icf_solver_settings *settings,
                                                 const icf_problem *problem);

/* Whether solving parts may shorten the way from here. */
bool icf_newton_wants_parts(const icf_newton *newton, const icf_iterate *at);

/* Whether the next step may be a leap: from an iterate whose parts are solved, or as the first step of a solve.
 *   result [in] its iterations, this one included */
bool icf_newton_may_leap(const icf_newton *newton, const icf_iterate *at, const icf_newton_result *result);

/* Solves the parts of the current iterate, if it is time to look for them, and evaluates what has become of it.
 * Collective over the problem's group. */
ICF_MUST_CHECK icf_status icf_newton_polish(icf_newton *newton, const icf_solver_settings *settings,
                                            const icf_problem *problem, double *v, icf_iterate *at,
                                            icf_newton_result *result);

/* Where a full step along the line is too long, tries it with its parts solved; if the cost does not fall, a shorter
 * step towards where that ends, with the same parts solved.
 *   line  [in,out] of another direction dv where a shorter step was taken
 *   alpha [out]    length of the step; 0: v and all families are what they were
 * Collective over the problem's group. */
ICF_MUST_CHECK icf_status icf_newton_leap(icf_newton *newton, const icf_solver_settings *settings,
                                          const icf_problem *problem, icf_line *line, double *v, icf_iterate *at,
                                          double *alpha, icf_newton_result *result);

#endif
