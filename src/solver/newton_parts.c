/* Newton's method with the parts of an island that hold it up solved by themselves (local_parts.h).
 *
 *     polish   v with its parts solved: the cost falls, the rest of the island keeps its velocities
 *     leap     v + dv, polished: where the line search would cut the whole step short for the sake of a few contacts,
 *              these are solved at the full step instead; taken if the cost has fallen, else a shorter step towards it
 *              is, with the same parts solved
 *
 * At v0 the residual is everywhere, as gravity is, and there are no parts to polish; where the whole first step leads,
 * it is on the few contacts that keep that step short.  So the first step is a leap without parts before it: in a pile
 * of 4,000 that has come to rest 4 directions instead of 13.  Later a residual everywhere means that bodies hit each
 * other everywhere, and leaps from there take more than they give.
 *
 * Cost and solution are those of the whole problem; only the way there is another, and its length: in a pile of 4,000
 * that still moves 8 directions instead of 22.  Where leaps fail altogether, as in piles whose bodies all collide, or
 * parts take more than they give, the rest of the solve goes without; where the residual is everywhere, parts are
 * looked for after 1, 3, 7 ... further iterations.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "solver/newton_private.h"

static const double polish_above = 1e-3;   /* residual; below it Newton converges in one or two steps */
static const double part_tolerance = 1e-3; /* relative tolerance of a part */
static const double most_work = 6.0;       /* of parts: iterations times blocks, over those of the island */
enum { part_iterations = 20, most_failures = 2, most_in_vain = 5 };

bool icf_newton_wants_parts(const icf_newton *newton, const icf_iterate *at)
{
    return newton->local && at->factor == 1.0 && at->residual > polish_above;
}

bool icf_newton_may_leap(const icf_newton *newton, const icf_iterate *at, const icf_newton_result *result)
{
    return (newton->polished || result->iterations == 1) && icf_newton_wants_parts(newton, at);
}

static bool may_have_parts(const icf_solver_settings *settings, const icf_problem *problem)
{
    const icf_cnt nblock = icf_problem_blocks(problem);
    if (!settings->parts || nblock < settings->parts_from) return false;
    return icf_problem_max(problem, icf_local_parts_may(problem) ? 0.0 : 1.0) == 0.0;
}

static icf_status reserve(icf_newton *newton, const icf_problem *problem)
{
    size_t capacity = (size_t)newton->nof_part;
    ICF_TRY(icf_local_parts_reserve(&newton->parts, problem));
    if (problem->group) ICF_TRY(icf_crossing_parts_reserve(&newton->crossing, problem));
    if (newton->nof_part >= newton->nthread) return ICF_OK;
    ICF_TRY(ICF_GROW(newton->of_part, capacity, newton->nthread));
    for (; newton->nof_part < newton->nthread; ++newton->nof_part)
        ICF_TRY(icf_newton_create(newton->context, &newton->of_part[newton->nof_part]));
    return ICF_OK;
}

icf_status icf_newton_start_parts(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem)
{
    newton->polished = newton->failed = false;
    newton->failed_leaps = newton->in_vain = newton->pause = 0;
    newton->crossing.n = 0;
    newton->local = may_have_parts(settings, problem);
    return newton->local ? icf_problem_agree(problem, reserve(newton, problem)) : ICF_OK;
}

/* Solves a part of this rank alone; its velocities go back into v, where no other part reads or writes. */
static icf_status solve_local(icf_newton *newton, icf_newton *of_part, const icf_solver_settings *settings,
                              const icf_problem *problem, icf_lid k, double *v)
{
    icf_contact_constraints family;
    icf_problem part;
    icf_local_parts_restrict(&newton->parts, problem, v, k, &family, &part);
    double *own = icf_local_parts_velocity(&newton->parts, k);
    ICF_TRY(icf_newton_continue(of_part, settings, &part, own, &newton->part_result[k]));
    icf_local_parts_put_back(&newton->parts, k, problem->dof, v);
    return ICF_OK;
}

/* Solves a part of this rank alone or, from parts.n on, one over several ranks. */
static icf_status solve_one(icf_newton *newton, icf_newton *of_part, const icf_solver_settings *settings,
                            const icf_problem *problem, icf_lid k, double *v)
{
    if (k < newton->parts.n) return solve_local(newton, of_part, settings, problem, k, v);
    icf_crossing_part *part = &newton->crossing.part[k - newton->parts.n];
    return icf_newton_continue(of_part, settings, &part->problem, part->v, &newton->part_result[k]);
}

static icf_lid count_blocks(const icf_newton *newton, icf_lid k)
{
    const icf_local_parts *parts = &newton->parts;
    return k < parts->n ? parts->first[k + 1] - parts->first[k] : newton->crossing.part[k - parts->n].problem.nblock;
}

/* Adds the cost of a part's solution to that of the island; wall time counts by its part of that of all threads. */
static void add_result(icf_newton *newton, icf_lid k, int nthread, icf_newton_result *result)
{
    const icf_newton_result *of = &newton->part_result[k];
    icf_part_work *work = &newton->part_work;
    const double nblock = count_blocks(newton, k);
    work->iterations += of->iterations;
    work->largest = ICF_MAX(work->largest, count_blocks(newton, k));
    work->blocks += of->iterations * nblock;
    work->evaluations += of->line_search * nblock;
    work->flops += of->flops;
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) result->seconds[phase] += of->seconds[phase] / nthread;
}

/* Solves all parts of this rank, shared out over the threads. */
static icf_status solve_all(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                            double *v, icf_newton_result *result)
{
    const icf_lid n = newton->parts.n + newton->crossing.n;
    const int nthread = ICF_MAX(1, ICF_MIN(newton->nthread, n));
    int worst = ICF_OK;
    ICF_TRY(ICF_GROW(newton->part_result, newton->part_result_capacity, n + 1));
#pragma omp parallel for num_threads(nthread) if (nthread > 1) schedule(dynamic, 1) reduction(max : worst)
    for (icf_lid k = 0; k < n; ++k) {
        icf_newton *of_part = newton->of_part[nthread > 1 ? omp_get_thread_num() : 0];
        const int status = (int)solve_one(newton, of_part, settings, problem, k, v);
        worst = ICF_MAX(worst, status);
    }
    ICF_TRY((icf_status)worst);
    for (icf_lid k = 0; k < n; ++k) add_result(newton, k, nthread, result);
    return ICF_OK;
}

/* The same, and those over several ranks of a group, whose ranks all go through. */
static icf_status solve_shared(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                               double *v, icf_newton_result *result)
{
    icf_status status = ICF_OK;
    if (problem->group) status = icf_crossing_parts_gather(&newton->crossing, &newton->parts, problem, v);
    if (status == ICF_OK) status = solve_all(newton, settings, problem, v, result);
    if (!problem->group) return status;
    icf_crossing_parts_return(&newton->crossing, problem, v);
    icf_group_to_shadows(problem->group, v);
    return status;
}

/* Solves the parts that were found last. */
static icf_status solve_found(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                              double *v, icf_newton_result *result)
{
    icf_solver_settings of_part = *settings;
    of_part.relative_tolerance = part_tolerance;
    of_part.max_iterations = part_iterations;
    newton->polished = true;
    ++newton->part_work.polishes;
    newton->part_work.found += (double)newton->parts.found;
    return solve_shared(newton, &of_part, problem, v, result);
}

/* Finds and solves the parts of an iterate whose gradient is known; its cost and residual are not (assess).
 *   at [in] known here or near; not changed */
static icf_status solve_parts(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                              double *v, const icf_iterate *at, icf_newton_result *result)
{
    const double began = icf_clock_wall();
    icf_local_parts_find(&newton->parts, problem, newton->scale, newton->grad, at->gradient_norm * at->gradient_norm);
    result->seconds[ICF_PHASE_ASSEMBLY] += icf_clock_wall() - began;
    ++newton->part_work.searches;
    newton->polished = newton->parts.found > 0;
    return newton->polished ? solve_found(newton, settings, problem, v, result) : ICF_OK;
}

/* Finds what has become of an iterate, which is evaluated unless it has parts.
 *   status [in] of this rank's parts */
static icf_status assess(icf_newton *newton, const icf_problem *problem, icf_status status, const double *v,
                         icf_iterate *at, icf_newton_result *result)
{
    const double solved = icf_clock_wall();
    const double nblock = (double)icf_problem_blocks(problem);
    newton->failed = status != ICF_OK;
    if (newton->polished) {
        icf_newton_set_velocity(problem, v);
        icf_newton_evaluate_here(newton, problem, v);
    }
    icf_newton_sum(newton, problem, at);
    result->seconds[ICF_PHASE_ASSEMBLY] += icf_clock_wall() - solved;
    newton->local = at->part_blocks <= most_work * (result->iterations + 2.0) * nblock;
    return at->failed ? icf_problem_agree(problem, status) : ICF_OK;
}

icf_status icf_newton_polish(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                             double *v, icf_iterate *at, icf_newton_result *result)
{
    if (newton->pause-- > 0) return ICF_OK;
    const icf_status status = solve_parts(newton, settings, problem, v, at, result);
    newton->in_vain = newton->polished ? 0 : ICF_MIN(newton->in_vain + 1, most_in_vain);
    newton->pause = (1 << newton->in_vain) - 1;
    return newton->polished ? assess(newton, problem, status, v, at, result) : ICF_OK;
}

/* Whether the line search would take the full step. */
static bool full_step_will_do(const icf_line *line)
{
    const double slope = line->first[line->ntrial - 1].slope;
    return slope <= 0.1 * fabs(line->slope0);
}

/* v + dv, and the gradient there. */
static void jump(icf_newton *newton, const icf_problem *problem, double *v)
{
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->advance(problem->family[f], 1.0);
    for (int32_t i = 0; i < icf_problem_dofs(problem); ++i) v[i] += newton->dv[i];
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate_here(newton, problem, v);
}

/* Back to the iterate before a leap: v, and the direction from there to where the leap has ended. */
static void turn_back(icf_newton *newton, const icf_problem *problem, double *v)
{
    for (int32_t i = 0; i < icf_problem_dofs(problem); ++i) {
        const double leapt = v[i] - newton->before[i];
        v[i] = newton->before[i];
        newton->before[i] = newton->dv[i];
        newton->dv[i] = leapt;
    }
    icf_local_parts_restore_duals(&newton->parts, problem);
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate_here(newton, problem, v);
    newton->polished = false;
}

/* The direction that there was before turn_back. */
static void give_up(icf_newton *newton, const icf_problem *problem)
{
    memcpy(newton->dv, newton->before, (size_t)icf_problem_dofs(problem) * sizeof *newton->dv);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->set_direction(problem->family[f], newton->dv);
    if (++newton->failed_leaps == most_failures) newton->local = false;
}

/* A leap that did not lower the cost: as far towards its end as does, with the same parts solved there.  Where they
 * alone have spoilt it, that is a good part of the way; the plain step would be a hundredth. */
static icf_status shorten(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                          icf_line *line, double *v, icf_iterate *at, double *alpha, icf_newton_result *result)
{
    const icf_line straight = *line;
    const bool polished = newton->polished;
    turn_back(newton, problem, v);
    if (polished) icf_newton_lay_line(newton, problem, line, result);
    if (!polished || !(line->slope0 < 0.0)) {
        *line = straight;
        give_up(newton, problem);
        return ICF_OK;
    }
    *alpha = icf_newton_take_step(newton, problem, line, v, result);
    icf_newton_set_velocity(problem, v);
    const icf_status status = solve_found(newton, settings, problem, v, result);
    return assess(newton, problem, status, v, at, result);
}

icf_status icf_newton_leap(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                           icf_line *line, double *v, icf_iterate *at, double *alpha, icf_newton_result *result)
{
    const icf_iterate before = *at;
    *alpha = 0.0;
    if (full_step_will_do(line)) return ICF_OK;
    memcpy(newton->before, v, (size_t)icf_problem_dofs(problem) * sizeof *v);
    icf_local_parts_keep_duals(&newton->parts, problem);
    jump(newton, problem, v);
    const icf_status status = solve_parts(newton, settings, problem, v, at, result);
    ICF_TRY(assess(newton, problem, status, v, at, result));
    if (at->cost < before.cost) {
        *alpha = 1.0;
        return ICF_OK;
    }
    *at = before;
    return shorten(newton, settings, problem, line, v, at, alpha, result);
}
