/* Free motion of the corotational material.
 *
 *     x0, v0 -> A and the right-hand side b -> supported rows out -> v* = v0 + A^-1 b
 *
 * Where something touches the body only A v* matters, so that the solution stops at a residual that the island's
 * problem takes into account; a body that moves freely is polished after its contacts have been looked for.
 */
#include "step/deformable_linear.h"

#include <string.h>

#include "base/memory.h"

static const double exact_tolerance = 1e-13;
static const double loose_tolerance = 1e-4; /* of a solution whose residual is kept */
enum { single_vertices = 64 };              /* fewer gain nothing from a factor in single precision */

/* Conjugate gradients take about n = 5.4 sqrt(p) iterations to the last bits, p the largest stiffness over mass of a
 * vertex, and at most about m = 8 for each of the vertices from end to end, together (n^-2 + m^-2)^(-1/2): fitted to
 * cubes of 15 and 22 vertices an edge, Poisson's ratios of 0 to 0.49 and p of 8 to 20,000. */
static const double iterations_of_root = 5.4, iterations_of_vertex = 8.0;
enum { pcg_vertices = 3000 }; /* fewer are factored faster */

/* ---- factors ---- */

static icf_block_matrix matrix_of(const icf_deformable_kept *of, double *val)
{
    const icf_fem_pattern pattern = icf_fem_get_pattern(of->fem);
    return (icf_block_matrix){.nblock = pattern.nvertex,
                              .dof = of->dof,
                              .ptr = pattern.ptr,
                              .idx = pattern.idx,
                              .diag_at = of->diag_at,
                              .off_at = of->off_at,
                              .val = val,
                              .nval = (int64_t)icf_fem_matrix_size(of->fem)};
}

static icf_status prepare_factor(const icf_deformable_system *system, const icf_block_matrix *matrix)
{
    icf_deformable_kept *of = system->kept;
    if (!of->solver) ICF_TRY(icf_linear_solver_create(ICF_LINEAR_BLOCK, system->context, &of->solver));
    icf_linear_solver_use_threads(of->solver, system->context->nthread);
    return icf_linear_solver_analyze(of->solver, matrix);
}

static void count_factor(icf_deformable_kept *of)
{
    of->work.flops += icf_linear_solver_flops(of->solver);
    of->work.values += icf_linear_solver_values(of->solver);
}

static icf_status factor_single(icf_deformable_kept *of, const icf_block_matrix *matrix)
{
    icf_linear_solver_use_single(of->solver, true);
    const icf_status status = icf_linear_solver_factor(of->solver, matrix);
    icf_linear_solver_use_single(of->solver, false);
    return status;
}

/* Whether a solution was merely not found, which another way may do. */
static bool not_found(icf_status status)
{
    return status == ICF_NOT_CONVERGED || status == ICF_NOT_POSITIVE_DEFINITE;
}

/* Solves with a factor in single precision; *solved says whether that was exact enough. */
static icf_status try_single(icf_deformable_kept *of, const icf_block_matrix *matrix, double tolerance, icf_vec3 *x,
                             bool *solved)
{
    *solved = false;
    if (matrix->nblock < single_vertices) return ICF_OK;
    const size_t ndof = 3 * (size_t)matrix->nblock;
    ICF_TRY(ICF_GROW(of->rhs, of->rhs_capacity, ndof));
    memcpy(of->rhs, x, ndof * sizeof *of->rhs);
    icf_status status = factor_single(of, matrix);
    if (status == ICF_OK)
        status = icf_linear_solver_solve_to(of->solver, matrix, tolerance, ICF_SINGLE_ITERATIONS, of->rhs, &x[0].x);
    *solved = status == ICF_OK;
    if (!not_found(status)) return status;
    memcpy(x, of->rhs, ndof * sizeof *of->rhs);
    return ICF_OK;
}

static icf_status solve_double(icf_deformable_kept *of, const icf_block_matrix *matrix, icf_vec3 *x)
{
    ICF_TRY(icf_linear_solver_factor(of->solver, matrix));
    return icf_linear_solver_solve(of->solver, &x[0].x, &x[0].x);
}

icf_status icf_deformable_solve_linear(const icf_deformable_system *system, double *val, double tolerance, icf_vec3 *x)
{
    icf_deformable_kept *of = system->kept;
    if (of->split) return icf_split_mesh_solve(of->split, val, tolerance, x);
    const icf_block_matrix matrix = matrix_of(of, val);
    ICF_TRY(prepare_factor(system, &matrix));
    count_factor(of);
    bool solved;
    ICF_TRY(try_single(of, &matrix, tolerance, x, &solved));
    return solved ? ICF_OK : solve_double(of, &matrix, x);
}

/* ---- conjugate gradients ---- */

static double stiffness_over_mass(const icf_deformable_motion *motion, icf_vec3 *ones, icf_vec3 *mass)
{
    double largest = 0.0;
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) ones[i] = icf_vec3_make(1, 1, 1);
    icf_fem_mass_product(motion->fem, ones, mass);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) {
        const double *a = motion->a + 9 * (size_t)i;
        if (icf_deformable_owns(motion, i) && icf_deformable_is_free(motion->surface.deformable, i))
            largest = fmax(largest, (a[0] + a[4] + a[8]) / (3.0 * mass[i].x));
    }
    return motion->split ? icf_group_max(&motion->split->group, largest) : largest;
}

static double expected_iterations(const icf_deformable_motion *motion, icf_vec3 *ones, icf_vec3 *mass)
{
    const double by_stiffness = iterations_of_root * sqrt(stiffness_over_mass(motion, ones, mass));
    const double by_size = iterations_of_vertex * cbrt(motion->pattern.nvertex);
    return by_stiffness * by_size / hypot(by_stiffness, by_size);
}

/* What a factor of A takes, by its order alone, and the number of values of A. */
static icf_status look_at(const icf_deformable_system *system, const icf_deformable_motion *motion,
                          double *factor_flops, int64_t *nval)
{
    if (motion->split) {
        *nval = motion->split->nval;
        return icf_split_mesh_factor_flops(motion->split, factor_flops);
    }
    const icf_block_matrix matrix = matrix_of(system->kept, motion->a);
    ICF_TRY(prepare_factor(system, &matrix));
    *nval = matrix.nval;
    *factor_flops = icf_linear_solver_flops(system->kept->solver);
    return ICF_OK;
}

static icf_status precondition(const icf_deformable_system *system, const icf_deformable_motion *motion)
{
    icf_deformable_kept *of = system->kept;
    if (motion->split) return icf_split_mesh_precondition(motion->split, motion->a);
    const icf_block_matrix matrix = matrix_of(of, motion->a);
    if (!of->pcg) ICF_TRY(icf_linear_solver_create(ICF_LINEAR_PCG, system->context, &of->pcg));
    ICF_TRY(icf_linear_solver_analyze(of->pcg, &matrix));
    return icf_linear_solver_factor(of->pcg, &matrix);
}

/* Conjugate gradients for A x = b, whose preconditioner is made; counts the iterations. */
static icf_status solve_pcg(icf_deformable_kept *of, const icf_deformable_motion *motion, double tolerance, double most,
                            const icf_vec3 *b, icf_vec3 *x, icf_cnt *taken)
{
    const icf_cnt limit = (icf_cnt)most + 1;
    if (motion->split) return icf_split_mesh_conjugate(motion->split, tolerance, limit, b, x, taken);
    icf_linear_solver_limit_pcg(of->pcg, tolerance, limit);
    const icf_cnt before = icf_linear_solver_stats(of->pcg).iterations;
    const icf_status status = icf_linear_solver_solve(of->pcg, &b[0].x, &x[0].x);
    *taken = icf_linear_solver_stats(of->pcg).iterations - before;
    of->work.flops += icf_linear_solver_pcg_flops((int64_t)icf_fem_matrix_size(of->fem)) * (double)*taken;
    return status;
}

/* A x = b loosely, where conjugate gradients promise to be cheaper than a factor also for the last bits; *solved says
 * whether they have been, within twice the iterations that were expected.  ones, scratch: (vertices) */
static icf_status try_pcg(const icf_deformable_system *system, icf_deformable_motion *motion, icf_vec3 *ones,
                          icf_vec3 *scratch, const icf_vec3 *b, icf_vec3 *x, bool *solved)
{
    double factor_flops;
    int64_t nval;
    *solved = false;
    if (motion->pattern.nvertex < pcg_vertices) return ICF_OK;
    ICF_TRY(look_at(system, motion, &factor_flops, &nval));
    const double expected = expected_iterations(motion, ones, scratch);
    if (!(expected * icf_linear_solver_pcg_flops(nval) < factor_flops)) return ICF_OK;
    icf_status status = precondition(system, motion);
    icf_cnt taken = 0;
    if (status == ICF_OK) status = solve_pcg(system->kept, motion, loose_tolerance, 2.0 * expected, b, x, &taken);
    if (not_found(status)) return ICF_OK;
    ICF_TRY(status);
    motion->iterations = taken;
    motion->factor_flops = factor_flops;
    *solved = true;
    return ICF_OK;
}

/* ---- a solution and its residual ---- */

/* A x = b loosely, by conjugate gradients or by one solve with a factor in single precision, which for a body that is
 * split would save nothing.
 *   solved [out] false: only icf_deformable_solve_linear can do it */
static icf_status solve_loosely(const icf_deformable_system *system, icf_deformable_motion *motion, icf_vec3 *ones,
                                icf_vec3 *scratch, const icf_vec3 *b, icf_vec3 *x, bool *solved)
{
    icf_deformable_kept *of = system->kept;
    ICF_TRY(try_pcg(system, motion, ones, scratch, b, x, solved));
    if (*solved || motion->split) return ICF_OK;
    const icf_block_matrix matrix = matrix_of(of, motion->a);
    ICF_TRY(prepare_factor(system, &matrix));
    count_factor(of);
    const icf_status status = factor_single(of, &matrix);
    if (not_found(status)) return ICF_OK;
    ICF_TRY(status);
    *solved = true;
    return icf_linear_solver_solve(of->solver, &b[0].x, &x[0].x);
}

/* |D y|^2, D = diag(A)^-1/2. */
static double scaled_square(const icf_deformable_motion *motion, const icf_vec3 *y)
{
    double sum = 0.0;
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) {
        const double *a = motion->a + 9 * (size_t)i;
        if (!icf_deformable_owns(motion, i)) continue;
        sum += y[i].x * y[i].x / a[0] + y[i].y * y[i].y / a[4] + y[i].z * y[i].z / a[8];
    }
    if (motion->split) icf_split_mesh_sum(motion->split, &sum, 1);
    return sum;
}

/* r = b - A x, and its norm over that of b. */
static double find_residual(const icf_deformable_motion *motion, const icf_vec3 *b, const icf_vec3 *x, icf_vec3 *r)
{
    icf_fem_matrix_product(motion->fem, motion->a, x, r);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) r[i] = icf_sub(b[i], r[i]);
    const double left = scaled_square(motion, r);
    return left > 0.0 ? sqrt(left / scaled_square(motion, b)) : left;
}

/* A x = residual to what the whole solution wants, with what the loose one was found by. */
static icf_status solve_rest(const icf_deformable_system *system, const icf_deformable_motion *motion, icf_vec3 *x)
{
    icf_deformable_kept *of = system->kept;
    const double tolerance = exact_tolerance / motion->relative_residual;
    icf_cnt taken;
    if (motion->iterations > 0)
        return solve_pcg(of, motion, tolerance, 4.0 * (double)motion->iterations, motion->residual, x, &taken);
    const icf_block_matrix matrix = matrix_of(of, motion->a);
    of->work.values += icf_linear_solver_values(of->solver);
    return icf_linear_solver_solve_to(of->solver, &matrix, tolerance, ICF_SINGLE_ITERATIONS, &motion->residual[0].x,
                                      &x[0].x);
}

/* A x = b by a factor to the last bits, where all else was in vain.  x: (vertices) b, then x */
static icf_status solve_by_factor(const icf_deformable_system *system, const icf_deformable_motion *motion, icf_vec3 *x)
{
    if (motion->split) return icf_split_mesh_solve(motion->split, motion->a, exact_tolerance, x);
    const icf_block_matrix matrix = matrix_of(system->kept, motion->a);
    return solve_double(system->kept, &matrix, x);
}

icf_status icf_deformable_complete_linearly(const icf_deformable_system *system, icf_deformable_motion *motion,
                                            icf_arena *arena)
{
    const icf_lid n = motion->pattern.nvertex;
    if (!motion->residual) return ICF_OK;
    icf_vec3 *x = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    ICF_TRY(icf_deformable_agree(system, motion, x ? ICF_OK : ICF_ERROR_MEMORY));
    const icf_status status = solve_rest(system, motion, x);
    if (not_found(status)) {
        memcpy(x, motion->residual, (size_t)n * sizeof *x);
        ICF_TRY(solve_by_factor(system, motion, x));
    } else {
        ICF_TRY(status);
    }
    for (icf_lid i = 0; i < n; ++i)
        if (icf_deformable_owns(motion, i)) motion->v_star[i] = icf_add(motion->v_star[i], x[i]);
    motion->residual = NULL;
    return ICF_OK;
}

/* ---- the motion ---- */

/* dt [f_ext - f_el(x0) - alpha M v0 - (beta + dt) K v0].  scratch: (vertices) */
static void find_right_hand_side(const icf_deformable_motion *motion, double dt, icf_vec3 *scratch, icf_vec3 *rhs)
{
    const icf_deformable_material *elastic = &motion->surface.deformable->elastic;
    const icf_lid n = motion->pattern.nvertex;
    icf_fem_force(motion->fem, motion->surface.position, scratch);
    for (icf_lid i = 0; i < n; ++i) rhs[i] = icf_scale(dt, icf_sub(motion->load[i], scratch[i]));
    icf_fem_stiffness_product(motion->fem, motion->surface.position, motion->v0, scratch);
    for (icf_lid i = 0; i < n; ++i) rhs[i] = icf_mul_add(rhs[i], -dt * (elastic->stiffness_damping + dt), scratch[i]);
    icf_fem_mass_product(motion->fem, motion->v0, scratch);
    for (icf_lid i = 0; i < n; ++i) rhs[i] = icf_mul_add(rhs[i], -dt * elastic->mass_damping, scratch[i]);
}

/* Takes the known changes of supported velocities to the right-hand side; their rows give these changes. */
static void move_known(const icf_deformable_motion *motion, icf_vec3 *known, icf_vec3 *scratch, icf_vec3 *rhs)
{
    const icf_deformable *deformable = motion->surface.deformable;
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) known[i] = icf_sub(motion->start[i], motion->v0[i]);
    icf_fem_matrix_product(motion->fem, motion->a, known, scratch);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i)
        rhs[i] = icf_deformable_is_free(deformable, i) ? icf_sub(rhs[i], scratch[i]) : known[i];
}

/* A x = b loosely or, where that is in vain, by a factor in double precision.
 *   r [out] (vertices) the residual, with its norm in the motion; ones (vertices) work memory */
static icf_status solve_free(const icf_deformable_system *system, icf_deformable_motion *motion, icf_vec3 *ones,
                             icf_vec3 *b, icf_vec3 *x, icf_vec3 *r)
{
    bool solved;
    ICF_TRY(solve_loosely(system, motion, ones, r, b, x, &solved));
    motion->relative_residual = solved ? find_residual(motion, b, x, r) : INFINITY;
    if (motion->relative_residual < 1.0) return ICF_OK;
    memcpy(x, b, (size_t)motion->pattern.nvertex * sizeof *x);
    motion->iterations = 0;
    motion->relative_residual = 0.0;
    return solve_by_factor(system, motion, x);
}

/* Solves A x = b for what v* adds to v0; supported vertices, whose change is known, have no part in it.
 *   x     [in,out] (vertices) b, then x
 *   ones, scratch  (vertices) work memory; the latter may become the residual */
static icf_status solve(const icf_deformable_system *system, icf_deformable_motion *motion, icf_vec3 *ones,
                        icf_vec3 *scratch, icf_vec3 *x, icf_arena *arena)
{
    const icf_deformable *deformable = motion->surface.deformable;
    const icf_lid n = motion->pattern.nvertex;
    if (n < (motion->split ? (icf_lid)pcg_vertices : (icf_lid)single_vertices))
        return icf_deformable_solve_linear(system, motion->a, exact_tolerance, x);
    icf_vec3 *b = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    ICF_TRY(icf_deformable_agree(system, motion, b ? ICF_OK : ICF_ERROR_MEMORY));
    for (icf_lid i = 0; i < n; ++i) b[i] = icf_deformable_is_free(deformable, i) ? x[i] : icf_vec3_make(0, 0, 0);
    ICF_TRY(solve_free(system, motion, ones, b, x, scratch));
    if (motion->relative_residual > exact_tolerance) motion->residual = scratch;
    /* conjugate gradients measure what is left in another norm */
    if (motion->iterations == 0 && motion->relative_residual > loose_tolerance)
        ICF_TRY(icf_deformable_complete_linearly(system, motion, arena));
    for (icf_lid i = 0; i < n; ++i)
        if (!icf_deformable_is_free(deformable, i)) x[i] = icf_sub(motion->start[i], motion->v0[i]);
    return ICF_OK;
}

icf_status icf_deformable_move_linearly(const icf_deformable_system *system, icf_deformable_motion *motion,
                                        icf_arena *arena)
{
    const icf_deformable_material *elastic = &motion->surface.deformable->elastic;
    const icf_lid n = motion->pattern.nvertex;
    const double dt = system->dt;
    icf_vec3 *scratch = ICF_ARENA_ARRAY(arena, icf_vec3, n), *known = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    ICF_TRY(icf_deformable_agree(system, motion, scratch && known ? ICF_OK : ICF_ERROR_MEMORY));
    const icf_fem_weights weights = {.mass = 1.0 + dt * elastic->mass_damping,
                                     .stiffness = dt * (dt + elastic->stiffness_damping),
                                     .geometric = dt * dt};
    icf_fem_matrix_add(motion->fem, motion->surface.position, weights, motion->a);
    find_right_hand_side(motion, dt, scratch, motion->v_star);
    move_known(motion, known, scratch, motion->v_star);
    icf_deformable_hold(motion, motion->a);
    ICF_TRY(solve(system, motion, known, scratch, motion->v_star, arena));
    for (icf_lid i = 0; i < n; ++i) motion->v_star[i] = icf_add(motion->v0[i], motion->v_star[i]);
    return ICF_OK;
}
