/* Newton's method for the convex problem of one island.
 *
 * Data flow of an iteration:
 *
 *     v -> families: vc, cost, J^T gamma -> grad = A (v - v*) - r - J^T gamma -> stop test (SAP 26)
 *       -> H = A + sum J^T G J -> factor, dv = -H^-1 grad -> line search -> v += alpha dv
 *
 * Why it is built this way.  The number of iterations decides the cost of a step, not the linear solver.  With
 * the exact Hessian a sliding pile takes 60 iterations, since friction changes direction faster than its tangent
 * allows; with a dual w in place of the unit slip vector (families: start_dual, advance) it takes 15, and the
 * count no longer depends on the stiction tolerance.  The solution is the same: only the direction changes.
 * Stiffness is raised in stages where contacts are stiff or hit hard (newton_stages.c).
 * Rejected, since slower or not convergent on piles of rigid bodies: inexact solves, factors kept over iterations, full
 * steps without search, steps beyond 1, interior points (docs/decisions).
 *
 * In islands of some size a few contacts hold all others up; they are solved by themselves (newton_parts.c).
 *
 * Round-off is no failure: with stiff contacts the gradient cannot fall below what v's last bits allow.  The
 * iterate of smallest residual is then the answer, and the result says so.
 *
 * Workspace: vectors of the island's dofs, one Hessian, one linear solver a kind, all grow-only.
 */
#include "solver/newton.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/condition.h"
#include "solver/newton_private.h"

static const double roundoff_residual = 1e-8; /* stagnation below it is success */
static const double spent_slope = 1e-18;      /* |l'(0)| over the scale of the cost, when nothing is left to gain */
enum { stagnation_iterations = 4 };

icf_status icf_newton_create(icf_context *context, icf_newton **newton)
{
    *newton = icf_alloc(sizeof **newton);
    if (!*newton) return ICF_ERROR_MEMORY;
    **newton = (icf_newton){.context = context, .nthread = 1};
    icf_hessian_init(&(*newton)->hessian);
    icf_local_parts_init(&(*newton)->parts);
    icf_crossing_parts_init(&(*newton)->crossing);
    icf_group_pcg_init(&(*newton)->group_pcg);
    return ICF_OK;
}

void icf_newton_destroy(icf_newton **newton)
{
    if (!*newton) return;
    for (int t = 0; t < (*newton)->nof_part; ++t) icf_newton_destroy(&(*newton)->of_part[t]);
    icf_free((*newton)->of_part);
    icf_free((*newton)->part_result);
    icf_local_parts_clear(&(*newton)->parts);
    icf_crossing_parts_clear(&(*newton)->crossing);
    for (int kind = 0; kind <= ICF_LINEAR_PCG; ++kind) icf_linear_solver_destroy(&(*newton)->linear[kind]);
    icf_group_pcg_clear(&(*newton)->group_pcg);
    icf_hessian_clear(&(*newton)->hessian);
    icf_free((*newton)->memory);
    icf_free((*newton)->probe);
    icf_free((*newton)->sign);
    ICF_FREE(*newton);
}

void icf_newton_use_threads(icf_newton *newton, int nthread)
{
    newton->nthread = nthread;
}

static icf_status reserve(icf_newton *newton, int32_t ndof)
{
    const size_t stride = ((size_t)ndof / 8 + 1) * 8; /* a rank of a group may have no dofs, but has arrays */
    ICF_TRY(ICF_RENEW(newton->memory, newton->capacity, 10 * stride));
    double **const vectors[] = {&newton->scale,  &newton->grad, &newton->impulse, &newton->av_star, &newton->av,
                                &newton->change, &newton->dv,   &newton->adv,     &newton->best,    &newton->before};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) *vectors[k] = newton->memory + k * stride;
    return ICF_OK;
}

static icf_status linear_solver(icf_newton *newton, icf_linear kind, icf_linear_solver **solver)
{
    if (!newton->linear[kind]) ICF_TRY(icf_linear_solver_create(kind, newton->context, &newton->linear[kind]));
    *solver = newton->linear[kind];
    icf_linear_solver_use_threads(*solver, newton->nthread);
    return ICF_OK;
}

static void set_scale(icf_newton *newton, const icf_problem *problem)
{
    const double *a = problem->momentum;
    for (icf_lid b = 0; b < problem->nblock; ++b) {
        const int32_t begin = problem->dof[b], size = problem->dof[b + 1] - begin;
        for (int i = 0; i < size; ++i) newton->scale[begin + i] = 1.0 / sqrt(a[i * (size + 1)]);
        a += size * size;
    }
}

static void find_free_momentum(icf_newton *newton, const icf_problem *problem)
{
    icf_problem_momentum(problem, problem->v_star, newton->av_star);
    icf_problem_add_residual(problem, 1.0, newton->av_star);
}

void icf_newton_set_velocity(const icf_problem *problem, const double *v)
{
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->set_velocity(problem->family[f], v);
}

static bool feasible(const icf_problem *problem)
{
    bool all = true;
    for (int f = 0; f < problem->nfamily; ++f) all = all && problem->family[f]->ops->feasible(problem->family[f]);
    return icf_problem_max(problem, all ? 0.0 : 1.0) == 0.0;
}

/* Cost of the families at their vc, and J^T gamma, complete on the owners of a group. */
static double evaluate_families(icf_newton *newton, const icf_problem *problem)
{
    double cost = 0.0;
    memset(newton->impulse, 0, (size_t)icf_problem_dofs(problem) * sizeof *newton->impulse);
    for (int f = 0; f < problem->nfamily; ++f)
        cost += problem->family[f]->ops->evaluate(problem->family[f], newton->impulse);
    if (problem->group) icf_group_to_owners(problem->group, newton->impulse);
    return cost;
}

/* What cost and residual are put together of. */
enum { CHANGE, ENERGY, GRADIENT, MOMENTUM, IMPULSE, COST, WORK, FAILED, MORE, NSUM };

static_assert((int)NSUM == (int)ICF_NEWTON_SUMS, "all have a place");

/* Assembles H, so that the ranks of a group know with the sums whether blocks have come in that are not zero. */
static bool meet_blocks(icf_newton *newton, const icf_problem *problem)
{
    if (!newton->narrow || !icf_problem_goes_as_group(problem)) return false;
    icf_hessian_update(&newton->hessian, problem);
    return icf_hessian_meet(&newton->hessian) || newton->more;
}

void icf_newton_evaluate_here(icf_newton *newton, const icf_problem *problem, const double *v)
{
    const int32_t n = icf_problem_owned_dofs(problem);
    double *sum = newton->sum;
    ++newton->evaluations;
    sum[COST] = evaluate_families(newton, problem);
    for (int32_t i = 0; i < icf_problem_dofs(problem); ++i) newton->adv[i] = v[i] - problem->v_star[i];
    icf_problem_momentum(problem, newton->adv, newton->change);
    sum[CHANGE] = icf_newton_dot(newton->adv, newton->change, n) - 2.0 * icf_problem_residual_dot(problem, newton->adv);
    icf_problem_add_residual(problem, -1.0, newton->change);
    for (int32_t i = 0; i < n; ++i) {
        newton->av[i] = newton->av_star[i] + newton->change[i];
        newton->grad[i] = newton->change[i] - newton->impulse[i];
    }
    sum[ENERGY] = icf_newton_dot(v, newton->av, n);
    sum[GRADIENT] = icf_newton_square(newton->scale, newton->grad, n);
    sum[MOMENTUM] = icf_newton_square(newton->scale, newton->av, n);
    sum[IMPULSE] = icf_newton_square(newton->scale, newton->impulse, n);
    newton->more = meet_blocks(newton, problem);
}

void icf_newton_sum(icf_newton *newton, const icf_problem *problem, icf_iterate *at)
{
    double sum[NSUM];
    memcpy(sum, newton->sum, sizeof sum);
    sum[WORK] = newton->part_work.blocks;
    sum[FAILED] = newton->failed;
    sum[MORE] = newton->more;
    icf_problem_sum(problem, sum, NSUM);
    newton->more = sum[MORE] > 0.0;
    at->contact_cost = sum[COST];
    at->cost = 0.5 * sum[CHANGE] + sum[COST];
    at->energy = sqrt(fmax(0.0, sum[CHANGE]) * sum[ENERGY]);
    at->gradient_norm = sqrt(sum[GRADIENT]);
    at->scale = fmax(sqrt(sum[MOMENTUM]), sqrt(sum[IMPULSE]));
    /* rest without impulses has no scale: its residual is infinite, not zero */
    at->residual = at->gradient_norm > 0.0 ? at->gradient_norm / at->scale : 0.0;
    at->part_blocks = sum[WORK];
    at->failed = sum[FAILED] > 0.0;
}

void icf_newton_evaluate(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at)
{
    icf_newton_evaluate_here(newton, problem, v);
    icf_newton_sum(newton, problem, at);
}

bool icf_newton_converged(const icf_solver_settings *settings, const icf_iterate *at)
{
    return at->gradient_norm < settings->absolute_tolerance + settings->relative_tolerance * at->scale ||
           at->gradient_norm == 0.0;
}

/* ---- step ---- */

double icf_newton_take_step(icf_newton *newton, const icf_problem *problem, const icf_line *line, double *v,
                            icf_newton_result *result)
{
    const double start = icf_clock_wall();
    const double alpha = icf_line_search(problem, line, &result->line_search);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->advance(problem->family[f], alpha);
    for (int32_t i = 0; i < icf_problem_dofs(problem); ++i) v[i] += alpha * newton->dv[i];
    result->seconds[ICF_PHASE_LINE_SEARCH] += icf_clock_wall() - start;
    return alpha;
}

/* ---- the loop ---- */

/* Puts a feasible start into v: v0, else rest. */
static bool start(const icf_problem *problem, double *v)
{
    const int32_t n = icf_problem_dofs(problem);
    memcpy(v, problem->v0, (size_t)n * sizeof *v);
    icf_newton_set_velocity(problem, v);
    if (feasible(problem)) return true;
    memset(v, 0, (size_t)n * sizeof *v);
    icf_newton_set_velocity(problem, v);
    return feasible(problem);
}

static void start_duals(const icf_problem *problem)
{
    const bool exact = icf_newton_is_small(problem);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->start_dual(problem->family[f], exact);
}

static bool rest_is_worth_trying(const icf_problem *problem)
{
    bool any = false;
    for (int f = 0; f < problem->nfamily; ++f) any = any || problem->family[f]->ops->try_rest(problem->family[f]);
    return icf_problem_max(problem, any ? 1.0 : 0.0) > 0.0;
}

/* Starts from rest instead of v0 where a family asks for it and rest has the lower cost.  The long way of such a family
 * (Similar) is none that less stiffness would shorten: 34 iterations of a settling pile become 74. */
static void choose_start(icf_newton *newton, const icf_problem *problem, double *v, icf_iterate *at)
{
    newton->curved = rest_is_worth_trying(problem);
    if (!newton->curved) return;
    at->softened = true;
    const double cost = at->cost;
    const size_t bytes = (size_t)icf_problem_dofs(problem) * sizeof *v;
    memcpy(newton->best, v, bytes);
    memset(v, 0, bytes);
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate(newton, problem, v, at);
    if (feasible(problem) && at->cost < cost) return;
    memcpy(v, newton->best, bytes);
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate(newton, problem, v, at);
}

static void keep_best(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at)
{
    if (at->residual < at->best_residual) {
        at->best_residual = at->residual;
        memcpy(newton->best, v, (size_t)icf_problem_dofs(problem) * sizeof *v);
    }
    ++at->since_halved;
    if (at->residual <= 0.5 * at->halved_from) {
        at->halved_from = at->residual;
        at->since_halved = 0;
    }
}

/* Rules (a) and (b) of round-off: no progress in the residual, or none in the cost. */
static bool stagnated(const icf_iterate *at, const icf_iterate *before, double alpha)
{
    /* where v's last bits move the residual by more than that, the decrease still to come tells the end */
    const bool spent = fabs(at->slope0) <= spent_slope * (fabs(at->cost) + at->energy);
    if (at->since_halved >= stagnation_iterations && (spent || at->best_residual < roundoff_residual)) return true;
    if (at->best_residual >= roundoff_residual) return false;
    const double change = fabs(at->cost - before->cost);
    return alpha > 0.5 && at->residual >= before->residual && change <= 1e-15 * (fabs(at->cost) + at->energy);
}

/* Goes back to the best iterate, whose residual only round-off keeps from the tolerance. */
static void accept_roundoff(icf_newton *newton, const icf_problem *problem, double *v, icf_iterate *at,
                            icf_newton_result *result)
{
    memcpy(v, newton->best, (size_t)icf_problem_dofs(problem) * sizeof *v);
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate(newton, problem, v, at);
    result->roundoff = true;
}

/* To the next iterate: by a leap where that gains, else as far as the line search goes. */
static icf_status move(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                       icf_line *line, double *v, icf_iterate *at, double *alpha, icf_newton_result *result)
{
    *alpha = 0.0;
    if (icf_newton_may_leap(newton, at, result))
        ICF_TRY(icf_newton_leap(newton, settings, problem, line, v, at, alpha, result));
    if (*alpha > 0.0) return ICF_OK;
    *alpha = icf_newton_take_step(newton, problem, line, v, result);
    const double started = icf_clock_wall();
    newton->polished = false;
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate(newton, problem, v, at);
    result->seconds[ICF_PHASE_ASSEMBLY] += icf_clock_wall() - started;
    return ICF_OK;
}

static icf_status iterate_to_end(icf_newton *newton, const icf_solver_settings *settings, icf_linear_solver *solver,
                                 const icf_problem *problem, double *v, icf_iterate *at, icf_newton_result *result)
{
    icf_iterate before = *at;
    double alpha = 0.0;
    for (;;) {
        icf_newton_next_stage(newton, problem, v, at);
        if (!newton->polished && icf_newton_wants_parts(newton, at))
            ICF_TRY(icf_newton_polish(newton, settings, problem, v, at, result));
        icf_newton_soften(newton, problem, v, alpha, at);
        const bool last_stage = at->factor == 1.0;
        if (last_stage && icf_newton_converged(settings, at)) return ICF_OK;
        keep_best(newton, problem, v, at);
        if (last_stage && stagnated(at, &before, alpha)) break;
        if (result->iterations == settings->max_iterations) return ICF_NOT_CONVERGED;

        ++result->iterations;
        icf_line line;
        ICF_TRY(icf_newton_direction(newton, settings, solver, problem, at, &line, result));
        ICF_TRY(icf_newton_correct(newton, solver, problem, at, &line, result));
        icf_newton_descend(newton, problem, &line, result);
        if (!(line.slope0 < 0.0)) {
            if (last_stage && at->best_residual < roundoff_residual) break; /* rule (c) */
            return ICF_NOT_CONVERGED;
        }
        at->slope0 = line.slope0;
        before = *at;
        ICF_TRY(move(newton, settings, problem, &line, v, at, &alpha, result));
    }
    accept_roundoff(newton, problem, v, at, result);
    return ICF_OK;
}

/* Analyzes the pattern, or leaves a dear one to the first direction, which knows what of it is zero.  A mesh keeps all
 * of its blocks. */
static icf_status analyze_whole(icf_newton *newton, icf_linear kind, const icf_problem *problem,
                                icf_linear_solver *solver)
{
    const icf_block_matrix *matrix = &newton->hessian.matrix;
    const bool may_be_narrow = icf_newton_has_fronts(kind, problem) && !newton->meshes;
    if (problem->group && !may_be_narrow)
        return icf_group_solver_analyze(problem->group_solver, kind, problem->group, matrix);
    if (!may_be_narrow) return icf_linear_solver_analyze(solver, matrix);
    if (problem->group)
        ICF_TRY(icf_group_solver_analyze_cheap(problem->group_solver, problem->group, matrix, &newton->narrow));
    else
        ICF_TRY(icf_linear_solver_analyze_cheap(solver, matrix, &newton->narrow));
    newton->analyzed = !newton->narrow;
    return newton->narrow ? icf_problem_agree(problem, icf_hessian_forget(&newton->hessian)) : ICF_OK;
}

static icf_status analyze_conjugate(icf_newton *newton, const icf_problem *problem)
{
    const icf_block_matrix *matrix = &newton->hessian.matrix;
    if (problem->group) return icf_group_pcg_analyze(&newton->group_pcg, problem->group, matrix);
    icf_linear_solver *conjugate;
    ICF_TRY(linear_solver(newton, ICF_LINEAR_PCG, &conjugate));
    return icf_linear_solver_analyze(conjugate, matrix);
}

/* Pattern and analysis; where directions are found without a factor, its analysis waits until it is wanted. */
static icf_status analyze(icf_newton *newton, icf_linear kind, const icf_problem *problem, icf_linear_solver **solver)
{
    *solver = NULL;
    newton->clean = newton->conjugate = false;
    ICF_TRY(icf_problem_agree(problem, icf_hessian_build(&newton->hessian, problem)));
    newton->meshes = icf_problem_max(problem, problem->nmesh) > 0.0;
    if (!problem->group) ICF_TRY(linear_solver(newton, kind, solver));
    icf_newton_allow_conjugate(newton, kind, problem);
    newton->analyzed = newton->conjugate_flops == 0.0;
    return newton->analyzed ? analyze_whole(newton, kind, problem, *solver) : analyze_conjugate(newton, problem);
}

/* What solutions read, and the room for the factor, by its pattern. */
static void count_values(icf_linear_solver *solver, icf_linear kind, icf_newton_result *result)
{
    const int solved = result->iterations - result->conjugates;
    if (!solver || kind != ICF_LINEAR_BLOCK || result->factorizations == 0 || solved == 0) return;
    result->values = solved * icf_linear_solver_values(solver);
    result->room = icf_linear_solver_room(solver);
}

static icf_status solve_from(icf_newton *newton, const icf_solver_settings *settings, icf_linear kind,
                             const icf_problem *problem, double *v, icf_iterate *at, icf_newton_result *result)
{
    const double started = icf_clock_wall();
    icf_linear_solver *solver;
    ICF_TRY(analyze(newton, kind, problem, &solver));
    icf_newton_start_directions(newton, kind, problem);
    ICF_TRY(icf_newton_start_parts(newton, settings, problem));
    choose_start(newton, problem, v, at);
    icf_newton_first_stage(newton, problem, v, at);
    result->seconds[ICF_PHASE_FACTOR] += icf_clock_wall() - started;
    const icf_status status = iterate_to_end(newton, settings, solver, problem, v, at, result);
    count_values(solver, kind, result);
    return status;
}

icf_status icf_newton_continue(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                               double *v, icf_newton_result *result)
{
    const double started = icf_clock_wall();
    icf_iterate at = {0};
    icf_linear_solver *solver;
    *result = (icf_newton_result){0};
    newton->narrow = newton->more = false;
    ICF_TRY(reserve(newton, icf_problem_dofs(problem)));
    set_scale(newton, problem);
    find_free_momentum(newton, problem);
    icf_newton_set_velocity(problem, v);
    icf_newton_start_stage(&at, 1.0);
    at.softened = true;
    icf_newton_evaluate(newton, problem, v, &at);
    result->seconds[ICF_PHASE_ASSEMBLY] = icf_clock_wall() - started;
    if (icf_newton_converged(settings, &at)) return ICF_OK;
    const double evaluated = icf_clock_wall();
    ICF_TRY(analyze(newton, ICF_LINEAR_BLOCK, problem, &solver));
    icf_newton_start_directions(newton, ICF_LINEAR_BLOCK, problem);
    newton->local = newton->curved = false;
    result->seconds[ICF_PHASE_FACTOR] = icf_clock_wall() - evaluated;
    const icf_status status = iterate_to_end(newton, settings, solver, problem, v, &at, result);
    return status == ICF_NOT_CONVERGED || status == ICF_NOT_POSITIVE_DEFINITE ? ICF_OK : status;
}

/* Condition number of the exact Hessian at the solution; infinite when round-off spoils its factor.  Impulses and cost
 * stay what they are. */
static icf_status find_condition(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at,
                                 icf_newton_result *result)
{
    const int32_t n = icf_problem_dofs(problem);
    icf_linear_solver *solver;
    ICF_TRY(ICF_GROW(newton->probe, newton->probe_capacity, 3 * (size_t)n));
    ICF_TRY(ICF_GROW(newton->sign, newton->sign_capacity, n));
    newton->narrow = newton->more = false;
    ICF_TRY(analyze(newton, ICF_LINEAR_BLOCK, problem, &solver));
    icf_newton_set_velocity(problem, v);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->start_dual(problem->family[f], true);
    icf_newton_evaluate(newton, problem, v, at);
    icf_hessian_update(&newton->hessian, problem);
    result->condition = INFINITY;
    ICF_TRY(icf_newton_follow(newton, solver, problem, result));
    const icf_status status = icf_linear_solver_factor(solver, icf_newton_factored(newton));
    if (status == ICF_NOT_POSITIVE_DEFINITE) return ICF_OK;
    ICF_TRY(status);
    return icf_condition_estimate(&newton->hessian.matrix, solver, newton->probe, newton->sign, &result->condition);
}

static void start_counting(icf_group *group)
{
    if (!group) return;
    group->nsum = 0;
    group->sent = (icf_sent){0};
}

icf_status icf_newton_solve(icf_newton *newton, const icf_solver_settings *settings, icf_linear kind,
                            const icf_problem *problem, double *v, icf_newton_result *result)
{
    *result = (icf_newton_result){0};
    newton->evaluations = 0;
    newton->narrow = newton->more = false;
    newton->part_work = (icf_part_work){0};
    start_counting(problem->group);
    if (problem->log) icf_pattern_log_clear(problem->log);
    ICF_TRY(icf_problem_agree(problem, reserve(newton, icf_problem_dofs(problem))));
    set_scale(newton, problem);
    find_free_momentum(newton, problem);
    if (!start(problem, v)) return ICF_NOT_CONVERGED;
    start_duals(problem);
    icf_iterate at = {0};
    icf_newton_set_stage(problem, &at, 1.0);
    icf_newton_evaluate(newton, problem, v, &at);
    icf_status status = ICF_OK;
    if (!icf_newton_converged(settings, &at)) {
        status = solve_from(newton, settings, kind, problem, v, &at, result);
        if (at.factor < 1.0) icf_newton_set_stage(problem, &at, 1.0);
    }
    if (problem->group) {
        result->sums = (int)problem->group->nsum;
        result->sent = problem->group->sent;
    }
    result->evaluations = newton->evaluations;
    result->parts = newton->part_work;
    result->residual = at.residual;
    result->cost = at.cost;
    result->contact_cost = at.contact_cost;
    if (settings->condition && !problem->group && status == ICF_OK)
        status = find_condition(newton, problem, v, &at, result);
    return status;
}
