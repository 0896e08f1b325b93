/* Newton's method with the parts of an island that hold it up solved by themselves (local_parts.h).
 *
 *     polish   v with its parts solved: the cost falls, the rest of the island keeps its velocities
 *     leap     v + dv, polished: where the line search would cut the whole step short for the sake of a few contacts,
 *              these are solved at the full step instead; taken if the cost has fallen
 *
 * Cost and solution are those of the whole problem; only the way there is another, and its length: in a pile of 4,000
 * that still moves 8 to 11 directions instead of 24.  Where leaps fail, as in piles whose bodies all collide, or parts
 * take more than they give, the rest of the solve goes without.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "solver/newton_private.h"

static const double polish_above = 1e-3;   /* residual; below it Newton converges in one or two steps */
static const double part_tolerance = 1e-3; /* relative tolerance of a part */
static const double most_work = 3.0;       /* of parts: iterations times blocks, over those of the island */
enum { part_iterations = 20, most_failures = 2 };

bool icf_newton_wants_parts(const icf_newton *newton, const icf_iterate *at)
{
    return newton->local && at->factor == 1.0 && at->residual > polish_above;
}

static icf_status reserve(icf_newton *newton)
{
    size_t capacity = (size_t)newton->nof_part;
    ICF_TRY(ICF_GROW(newton->part_result, newton->part_result_capacity, newton->parts.n + 1));
    if (newton->nof_part >= newton->nthread) return ICF_OK;
    ICF_TRY(ICF_GROW(newton->of_part, capacity, newton->nthread));
    for (; newton->nof_part < newton->nthread; ++newton->nof_part)
        ICF_TRY(icf_newton_create(newton->context, &newton->of_part[newton->nof_part]));
    return ICF_OK;
}

/* Solves a part; its velocities go back into v, where no other part reads or writes. */
static icf_status solve_one(icf_newton *newton, icf_newton *of_part, const icf_solver_settings *settings,
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

/* Adds the cost of a part's solution to that of the island; wall time counts by its part of that of all threads. */
static void add_result(const icf_newton *newton, icf_lid k, int nthread, icf_newton_result *result)
{
    const icf_newton_result *of = &newton->part_result[k];
    const icf_lid nblock = newton->parts.first[k + 1] - newton->parts.first[k];
    result->part_iterations += of->iterations;
    result->part_work += (double)of->iterations * nblock;
    result->line_search += of->line_search;
    result->flops += of->flops;
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) result->seconds[phase] += of->seconds[phase] / nthread;
}

/* Solves all parts, shared out over the threads. */
static icf_status solve_all(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                            double *v, icf_newton_result *result)
{
    const icf_lid n = newton->parts.n;
    const int nthread = ICF_MAX(1, ICF_MIN(newton->nthread, n));
    int worst = ICF_OK;
    ICF_TRY(reserve(newton));
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

icf_status icf_newton_polish(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                             double *v, icf_iterate *at, icf_newton_result *result)
{
    const double began = icf_clock_wall(), before = result->part_work;
    icf_solver_settings of_part = *settings;
    of_part.relative_tolerance = part_tolerance;
    of_part.max_iterations = part_iterations;
    ICF_TRY(icf_local_parts_find(&newton->parts, problem, newton->scale, newton->grad));
    const double found = icf_clock_wall();
    ICF_TRY(solve_all(newton, &of_part, problem, v, result));
    newton->polished = newton->parts.n > 0;
    newton->local = result->part_work <= most_work * (result->iterations + 2.0) * problem->nblock;
    if (result->part_work > before) {
        const double solved = icf_clock_wall();
        icf_newton_set_velocity(problem, v);
        icf_newton_evaluate(newton, problem, v, at);
        result->seconds[ICF_PHASE_ASSEMBLY] += icf_clock_wall() - solved;
    }
    result->seconds[ICF_PHASE_ASSEMBLY] += found - began;
    return ICF_OK;
}

/* Whether the line search would take the full step. */
static bool full_step_will_do(const icf_line *line)
{
    const double slope = line->first[line->ntrial - 1].slope;
    return slope <= 0.1 * fabs(line->slope0);
}

/* v + dv. */
static void jump(icf_newton *newton, const icf_problem *problem, double *v, icf_iterate *at)
{
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->advance(problem->family[f], 1.0);
    for (int32_t i = 0; i < icf_problem_dofs(problem); ++i) v[i] += newton->dv[i];
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate(newton, problem, v, at);
}

/* Back to the iterate before a leap, with the direction that it has. */
static void go_back(icf_newton *newton, const icf_problem *problem, double *v, icf_iterate *at)
{
    memcpy(v, newton->before, (size_t)icf_problem_dofs(problem) * sizeof *v);
    icf_local_parts_restore_duals(&newton->parts, problem);
    icf_newton_set_velocity(problem, v);
    icf_newton_evaluate(newton, problem, v, at);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->set_direction(problem->family[f], newton->dv);
    newton->polished = false;
    if (++newton->failed_leaps == most_failures) newton->local = false;
}

icf_status icf_newton_leap(icf_newton *newton, const icf_solver_settings *settings, const icf_problem *problem,
                           const icf_line *line, double *v, icf_iterate *at, icf_newton_result *result, bool *took)
{
    const double cost = at->cost;
    *took = false;
    if (full_step_will_do(line)) return ICF_OK;
    memcpy(newton->before, v, (size_t)icf_problem_dofs(problem) * sizeof *v);
    ICF_TRY(icf_local_parts_keep_duals(&newton->parts, problem));
    jump(newton, problem, v, at);
    if (isfinite(at->cost)) ICF_TRY(icf_newton_polish(newton, settings, problem, v, at, result));
    *took = at->cost < cost;
    if (!*took) go_back(newton, problem, v, at);
    return ICF_OK;
}
