/* Newton directions of one island: H, its factor, dv, and the line along it.
 *
 * Directions come from a factor in single precision while that is exact enough: it moves half the memory, and gradient,
 * line search and stop test are in double.  A spoilt pivot, a direction that does not descend or, with meshes, whose A
 * itself may be stiff, one that does not solve the system turns the rest of the solve to double; a residual near the
 * end of what single precision resolves, or a stiff diagonal, that factor alone.
 *
 * In islands of large meshes the first directions come from conjugate gradients, where these promise to be done before
 * a factor is (docs/decisions/006-deformables.md).
 */
#include <math.h>
#include <string.h>

#include "base/mpi_wait.h"
#include "solver/newton_private.h"

static const double single_ratio = 1e6;     /* H_ii / A_ii above it asks for a factor in double */
static const double single_residual = 1e-6; /* so does a residual below it */
static const double single_error = 1e-3;    /* |H dv + grad| over |grad| that is too much */
static const double conjugate_blocks = 0.9; /* of an island, in meshes that suit conjugate gradients */
static const double conjugate_gain = 0.5;   /* of a factor's operations that their free motion took, at most */
static const double conjugate_part = 0.75;  /* of a factor's operations that they may take before one is made, ... */
static const double conjugate_group = 1.25; /* ... of a group, whose ranks wait for one another in a factor */
static const double conjugate_ahead = 0.1;  /* of the residual that ends Newton: what a direction may leave, ... */
static const double conjugate_least = 1e-3; /* ... no less than this part of its own, ... */
static const double conjugate_most = 0.1;   /* ... and no more than that */
enum { single_blocks = 16 };                /* fewer blocks gain nothing from single precision */
enum { shifts_max = 4 };
enum { slow_iterations = 4, corrections_max = 4, longest_pause = 4 };

static bool may_use_single(icf_linear kind, const icf_problem *problem)
{
    const icf_cnt nblock = icf_problem_blocks(problem);
    if (nblock < single_blocks) return false;
    return icf_newton_has_fronts(kind, problem);
}

/* Whether a few directions, each of fewer iterations than the free motion took, cost less than a factor. */
static bool suits_conjugate(const icf_momentum_mesh *mesh)
{
    const int64_t nval = 9 * ((int64_t)mesh->n + mesh->ptr[mesh->n]);
    const double flops = icf_linear_solver_pcg_flops(nval) * (double)mesh->iterations;
    return mesh->iterations > 0 && flops <= conjugate_gain * mesh->factor_flops;
}

/* Values of H in columns of this rank; a block between its rows and a shadow's is on two ranks. */
static double own_values(const icf_block_matrix *matrix, icf_lid nowned)
{
    double n = 0.0;
    for (icf_lid j = 0; j < nowned; ++j) {
        const double width = matrix->dof[j + 1] - matrix->dof[j];
        n += width * width;
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid i = matrix->idx[e];
            n += (i < nowned ? 1.0 : 0.5) * width * (matrix->dof[i + 1] - matrix->dof[i]);
        }
    }
    return n;
}

/* Meshes that suit conjugate gradients have most blocks of the problem.  A rank of a group judges its own vertices. */
void icf_newton_allow_conjugate(icf_newton *newton, icf_linear kind, const icf_problem *problem)
{
    enum { BLOCKS, FLOPS, VALUES, NSUM };
    const icf_block_matrix *matrix = &newton->hessian.matrix;
    double sum[NSUM] = {0.0}, iterations = 0.0;
    newton->conjugate_flops = 0.0;
    if (!newton->meshes || !problem->conjugate || !icf_newton_has_fronts(kind, problem)) return;
    sum[VALUES] = own_values(matrix, problem->group ? problem->group->nowned : matrix->nblock);
    for (icf_lid m = 0; m < problem->nmesh; ++m) {
        const icf_momentum_mesh *mesh = &problem->mesh[m];
        if (!suits_conjugate(mesh)) continue;
        sum[BLOCKS] += mesh->n;
        sum[FLOPS] += mesh->factor_flops;
        iterations = fmax(iterations, (double)mesh->iterations);
    }
    icf_problem_sum(problem, sum, NSUM);
    iterations = icf_problem_max(problem, iterations);
    if (iterations == 0.0 || sum[BLOCKS] < conjugate_blocks * (double)icf_problem_blocks(problem)) return;
    newton->conjugate_flops = (problem->group ? conjugate_group : conjugate_part) * sum[FLOPS];
    newton->conjugate_cost = icf_linear_solver_pcg_flops((int64_t)sum[VALUES]);
    newton->conjugate_limit = 4 * (icf_cnt)iterations;
}

void icf_newton_start_directions(icf_newton *newton, icf_linear kind, const icf_problem *problem)
{
    newton->single = may_use_single(kind, problem);
    newton->checked = newton->stiff = false;
    newton->correct_from = 0;
    newton->correct_pause = 1;
}

const icf_block_matrix *icf_newton_factored(const icf_newton *newton)
{
    return newton->narrow ? &newton->hessian.met : &newton->hessian.matrix;
}

static icf_status extend(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem, bool *good)
{
    const icf_block_matrix *met = &newton->hessian.met;
    return problem->group ? icf_group_solver_extend(problem->group_solver, problem->group, met, good)
                          : icf_linear_solver_extend(solver, met, good);
}

/* A new order of what is factored. */
static icf_status analyze_anew(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem)
{
    const icf_block_matrix *matrix = icf_newton_factored(newton);
    return problem->group ? icf_group_solver_analyze(problem->group_solver, ICF_LINEAR_BLOCK, problem->group, matrix)
                          : icf_linear_solver_analyze(solver, matrix);
}

/* Meets what is not zero now, and repairs the order; where that is not good enough, what is not zero now gets one of
 * its own. */
static icf_status follow_narrow(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                                bool *changed, bool *repaired)
{
    icf_hessian *hessian = &newton->hessian;
    const bool more = icf_problem_goes_as_group(problem) ? newton->more : icf_hessian_meet(hessian);
    bool good = newton->analyzed;
    newton->more = false;
    *changed = !good || more;
    if (!*changed) return ICF_OK;
    if (good) ICF_TRY(extend(newton, solver, problem, &good));
    *repaired = good;
    if (good) return ICF_OK;
    ICF_TRY(icf_problem_agree(problem, icf_hessian_forget(hessian)));
    (void)icf_hessian_meet(hessian);
    return analyze_anew(newton, solver, problem);
}

static icf_status log_pattern(const icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                              bool repaired, const icf_newton_result *result)
{
    const icf_pattern_work work = {result->factorizations, result->singles, result->solves};
    return icf_pattern_log_add(problem->log, &newton->hessian.met, icf_linear_solver_order(solver), repaired, work);
}

icf_status icf_newton_follow(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                             const icf_newton_result *result)
{
    bool changed = false, repaired = false;
    if (newton->narrow)
        ICF_TRY(follow_narrow(newton, solver, problem, &changed, &repaired));
    else if (!newton->analyzed)
        ICF_TRY(analyze_anew(newton, solver, problem));
    newton->analyzed = true;
    if (changed && problem->log) return log_pattern(newton, solver, problem, repaired, result);
    return ICF_OK;
}

static icf_status factor_once(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                              icf_newton_result *result)
{
    const icf_block_matrix *matrix = icf_newton_factored(newton);
    if (problem->group && newton->conjugate) return icf_group_pcg_factor(&newton->group_pcg, problem->group, matrix);
    if (problem->group) return icf_group_solver_factor(problem->group_solver, problem->group, matrix, newton->clean);
    const double before = icf_linear_solver_stats(solver).flops;
    const icf_status status =
        newton->clean ? icf_linear_solver_refactor(solver, matrix) : icf_linear_solver_factor(solver, matrix);
    result->flops += icf_linear_solver_stats(solver).flops - before;
    return status;
}

/* x = H^-1 b on one rank; counts iterations of conjugate gradients. */
static icf_status solve_here(icf_linear_solver *solver, const double *b, double *x, icf_newton_result *result)
{
    const icf_cnt before = icf_linear_solver_stats(solver).iterations;
    const icf_status status = icf_linear_solver_solve(solver, b, x);
    result->pcg += (int)(icf_linear_solver_stats(solver).iterations - before);
    return status;
}

static icf_status solve_conjugate_group(icf_newton *newton, const icf_problem *problem, const double *b, double *x,
                                        icf_newton_result *result)
{
    icf_cnt taken;
    const icf_status status = icf_group_pcg_solve(&newton->group_pcg, problem->group, &newton->hessian.matrix,
                                                  newton->conjugate_end, newton->conjugate_limit, b, x, &taken);
    result->pcg += (int)taken;
    return status;
}

/* x = H^-1 b of the owned dofs. */
static icf_status solve_linear(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                               const double *b, double *x, icf_newton_result *result)
{
    const double started = icf_clock_wall();
    ++result->solves;
    if (!problem->group)
        ICF_TRY(solve_here(solver, b, x, result));
    else if (newton->conjugate)
        ICF_TRY(solve_conjugate_group(newton, problem, b, x, result));
    else
        ICF_TRY(icf_group_solver_solve(problem->group_solver, problem->group, b, x));
    result->seconds[ICF_PHASE_SOLVE] += icf_clock_wall() - started;
    return ICF_OK;
}

/* This rank's part of |D (H dv + grad)|^2; the shadows of dv are known. */
static double direction_error(icf_newton *newton, const icf_problem *problem)
{
    const int32_t n = icf_problem_owned_dofs(problem);
    icf_block_matrix_multiply(&newton->hessian.matrix, newton->dv, newton->adv);
    if (problem->group) icf_group_to_owners(problem->group, newton->adv);
    for (int32_t i = 0; i < n; ++i) newton->adv[i] += newton->grad[i];
    return icf_newton_square(newton->scale, newton->adv, n);
}

/* The line along dv of the owned dofs, which it completes by the shadows.
 *   failed [in] whether this rank's part of the factor has a spoilt pivot */
static void lay_line(icf_newton *newton, const icf_problem *problem, bool failed, icf_line *line,
                     icf_newton_result *result)
{
    const double started = icf_clock_wall();
    const int32_t n = icf_problem_owned_dofs(problem);
    if (problem->group) icf_group_to_shadows(problem->group, newton->dv);
    const double error = newton->checked ? direction_error(newton, problem) : 0.0;
    result->products += newton->checked;
    icf_problem_momentum(problem, newton->dv, newton->adv);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->set_direction(problem->family[f], newton->dv);
    *line = (icf_line){.slope0 = icf_newton_dot(newton->grad, newton->dv, n),
                       .constant = icf_newton_dot(newton->dv, newton->change, n),
                       .linear = icf_newton_dot(newton->dv, newton->adv, n),
                       .error = error,
                       .failed = failed,
                       .stiff = newton->stiff};
    icf_line_lay(problem, line, &result->line_search);
    ++result->lines;
    if (problem->group) newton->stiff = line->stiff > 0.0;
    result->seconds[ICF_PHASE_LINE_SEARCH] += icf_clock_wall() - started;
}

void icf_newton_lay_line(icf_newton *newton, const icf_problem *problem, icf_line *line, icf_newton_result *result)
{
    lay_line(newton, problem, false, line, result);
}

/* Factors H, or makes a preconditioner for it, solves and lays the line.  A group learns only by the line's sum that a
 * pivot of some rank is spoilt, so all of its ranks go through; a preconditioner it has on all ranks or on none. */
static icf_status direction_of(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                               icf_line *line, icf_newton_result *result)
{
    const double t0 = icf_clock_wall(), work = problem->group ? icf_mpi_work_cpu() : 0.0;
    const icf_status status = factor_once(newton, solver, problem, result);
    const double t1 = icf_clock_wall();
    ++result->factorizations;
    result->seconds[ICF_PHASE_FACTOR] += t1 - t0;
    const bool failed = status == ICF_NOT_POSITIVE_DEFINITE;
    if (status != ICF_OK && !(failed && problem->group && !newton->conjugate)) return status;
    ICF_TRY(solve_linear(newton, solver, problem, newton->grad, newton->dv, result));
    for (int32_t i = 0; i < icf_problem_owned_dofs(problem); ++i) newton->dv[i] = -newton->dv[i];
    if (problem->group) result->spread += icf_mpi_work_cpu() - work;
    lay_line(newton, problem, failed, line, result);
    return line->failed > 0.0 ? ICF_NOT_POSITIVE_DEFINITE : ICF_OK;
}

/* The largest H_ii / A_ii of owned blocks. */
static double stiffest(const icf_newton *newton, const icf_problem *problem)
{
    const icf_block_matrix *matrix = &newton->hessian.matrix;
    const icf_lid n = problem->group ? problem->group->nowned : matrix->nblock;
    double largest = 0.0;
    for (icf_lid b = 0; b < n; ++b) {
        const int32_t begin = matrix->dof[b], size = matrix->dof[b + 1] - begin;
        const double *block = matrix->val + matrix->diag_at[b], *scale = newton->scale + begin;
        for (int i = 0; i < size; ++i) largest = fmax(largest, scale[i] * scale[i] * block[i * (size + 1)]);
    }
    return largest;
}

/* Whether H is too stiff for single precision.  What a rank of a group sees of H goes along with the next sum over the
 * ranks, so that a group acts on what was true of the last iteration. */
static bool is_stiff(icf_newton *newton, const icf_problem *problem)
{
    const bool before = newton->stiff;
    newton->stiff = stiffest(newton, problem) >= single_ratio;
    return icf_problem_goes_as_group(problem) ? before : newton->stiff;
}

static void use_single(icf_linear_solver *solver, const icf_problem *problem, bool single)
{
    if (problem->group)
        icf_group_solver_use_single(problem->group_solver, single);
    else
        icf_linear_solver_use_single(solver, single);
}

/* Direction and line from a factor in single precision; if that fails, the rest of the solve is in double.
 *   found [out] whether it descends and, with meshes, solves H dv = -grad well enough for Newton to converge as with
 * the exact one */
static icf_status single_direction(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                                   const icf_iterate *at, icf_line *line, icf_newton_result *result, bool *found)
{
    const double most = single_error * at->gradient_norm;
    use_single(solver, problem, true);
    newton->checked = newton->meshes;
    const icf_status status = direction_of(newton, solver, problem, line, result);
    newton->checked = false;
    use_single(solver, problem, false);
    *found = status == ICF_OK && line->slope0 < 0.0 && line->error < most * most;
    newton->single = newton->clean = *found;
    result->singles += *found;
    return status == ICF_NOT_POSITIVE_DEFINITE ? ICF_OK : status;
}

/* The same in double.  The diagonal of H is shifted by a growing number while round-off spoils a pivot. */
static icf_status double_direction(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                                   icf_line *line, icf_newton_result *result)
{
    double shift = 1e-14;
    for (int k = 0;; ++k) {
        const icf_status status = direction_of(newton, solver, problem, line, result);
        newton->clean = status == ICF_OK && k == 0;
        if (status != ICF_NOT_POSITIVE_DEFINITE || k == shifts_max) return status;
        icf_hessian_shift(&newton->hessian, shift);
        shift *= 100.0;
    }
}

/* The residual of a direction, over that of none.  The last one has to end below Newton's tolerance; those before are
 * as good as exact ones long before that. */
static double conjugate_tolerance(const icf_solver_settings *settings, const icf_iterate *at)
{
    const double end = settings->absolute_tolerance + settings->relative_tolerance * at->scale;
    return fmin(fmax(conjugate_ahead * end / at->gradient_norm, conjugate_least), conjugate_most);
}

/* Direction and line by conjugate gradients, as long as what a factor would cost is not spent.
 *   found [out] whether they converged */
static icf_status conjugate_direction(icf_newton *newton, double tolerance, const icf_problem *problem, icf_line *line,
                                      icf_newton_result *result, bool *found)
{
    icf_linear_solver *solver = newton->linear[ICF_LINEAR_PCG];
    const int before = result->pcg;
    newton->conjugate = true;
    newton->conjugate_end = tolerance;
    if (!problem->group) icf_linear_solver_limit_pcg(solver, tolerance, newton->conjugate_limit);
    const icf_status status = direction_of(newton, solver, problem, line, result);
    newton->conjugate = false;
    const double spent = newton->conjugate_cost * (result->pcg - before);
    *found = status == ICF_OK && line->slope0 < 0.0;
    result->flops += spent;
    result->conjugates += *found;
    newton->conjugate_flops -= *found ? spent : newton->conjugate_flops;
    return status == ICF_NOT_CONVERGED || status == ICF_NOT_POSITIVE_DEFINITE ? ICF_OK : status;
}

/* Direction and line by a factor, in single precision if that does. */
static icf_status factored_direction(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                                     const icf_iterate *at, bool single, icf_line *line, icf_newton_result *result)
{
    bool found = false;
    ICF_TRY(icf_newton_follow(newton, solver, problem, result));
    if (single) ICF_TRY(single_direction(newton, solver, problem, at, line, result, &found));
    return found ? ICF_OK : double_direction(newton, solver, problem, line, result);
}

/* Direction dv and the line along it. */
icf_status icf_newton_direction(icf_newton *newton, const icf_solver_settings *settings, icf_linear_solver *solver,
                                const icf_problem *problem, const icf_iterate *at, icf_line *line,
                                icf_newton_result *result)
{
    const double started = icf_clock_wall();
    const bool assembled = newton->narrow && newton->analyzed && icf_problem_goes_as_group(problem);
    if (!assembled) icf_hessian_update(&newton->hessian, problem);
    const bool single = newton->single && at->residual > single_residual && !is_stiff(newton, problem);
    result->seconds[ICF_PHASE_ASSEMBLY] += icf_clock_wall() - started;
    bool found = false;
    if (newton->conjugate_flops > 0.0)
        ICF_TRY(conjugate_direction(newton, conjugate_tolerance(settings, at), problem, line, result, &found));
    return found ? ICF_OK : factored_direction(newton, solver, problem, at, single, line, result);
}

/* dv = before + what a correction of dv adds, and the line along it. */
static icf_status correct_once(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                               icf_line *line, icf_newton_result *result)
{
    const double started = icf_clock_wall();
    double *impulse = newton->impulse; /* as in an evaluation, and until the next one */
    memset(impulse, 0, (size_t)icf_problem_dofs(problem) * sizeof *impulse);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->correct(problem->family[f], impulse);
    if (problem->group) icf_group_to_owners(problem->group, impulse);
    ++result->products;
    result->seconds[ICF_PHASE_LINE_SEARCH] += icf_clock_wall() - started;
    ICF_TRY(solve_linear(newton, solver, problem, impulse, newton->dv, result));
    for (int32_t i = 0; i < icf_problem_owned_dofs(problem); ++i) newton->dv[i] += newton->before[i];
    icf_newton_lay_line(newton, problem, line, result);
    return ICF_OK;
}

icf_status icf_newton_correct(icf_newton *newton, icf_linear_solver *solver, const icf_problem *problem,
                              const icf_iterate *at, icf_line *line, icf_newton_result *result)
{
    const size_t bytes = (size_t)icf_problem_dofs(problem) * sizeof *newton->dv;
    const icf_trial *full = &line->first[line->ntrial - 1];
    if (!newton->analyzed) return ICF_OK; /* the direction came from conjugate gradients: there is no factor */
    if (!newton->curved || at->since_halved < slow_iterations || result->iterations < newton->correct_from)
        return ICF_OK;
    if (!(line->slope0 < 0.0) || icf_line_takes_all(line)) return ICF_OK;
    memcpy(newton->before, newton->dv, bytes);
    double last = INFINITY;
    for (int k = 0; k < corrections_max && full->slope < last; ++k) {
        last = full->slope;
        ICF_TRY(correct_once(newton, solver, problem, line, result));
        if (line->slope0 < 0.0 && icf_line_takes_all(line)) {
            newton->correct_pause = 1;
            return ICF_OK;
        }
    }
    newton->correct_from = result->iterations + newton->correct_pause;
    newton->correct_pause = ICF_MIN(2 * newton->correct_pause, longest_pause);
    memcpy(newton->dv, newton->before, bytes);
    icf_newton_lay_line(newton, problem, line, result);
    return ICF_OK;
}

/* Replaces a direction that does not descend by the scaled gradient. */
void icf_newton_descend(icf_newton *newton, const icf_problem *problem, icf_line *line, icf_newton_result *result)
{
    if (line->slope0 < 0.0) return;
    for (int32_t i = 0; i < icf_problem_owned_dofs(problem); ++i)
        newton->dv[i] = -newton->scale[i] * newton->scale[i] * newton->grad[i];
    icf_newton_lay_line(newton, problem, line, result);
}
