/* Newton on the incremental potential of a deformable body:
 *
 *     E(v) = |v - v0|_M^2 / (2 dt) + psi(x0 + dt v) / dt + 1/2 v.D v - f_ext.v,   D = alpha M + beta_R K_psd(x0)
 *
 * with x = x0 + dt v; its gradient is r = M (v - v0)/dt + f_el(x) + D v - f_ext, and the direction solves
 * (M + dt^2 K_psd(x) + dt D) dv = -dt r.  Supported vertices keep their velocity at t_{n+1}.  Where projection makes K
 * much stiffer than it is, as in bodies pressed flat, convergence would be linear, hundreds of iterations; there steps
 * are lengthened, and K is taken as it is where that is positive definite.
 */
#include "step/deformable_newton.h"

#include <float.h>
#include <string.h>

#include "step/deformable_linear.h"

static const double loosest_tolerance = 1e-8;        /* eps_r, at most */
static const double direction_tolerance = 1e-6;      /* of the linear systems */
static const double roundoff = 1e-9;                 /* stagnation below it is success */
static const double slope_kept = 0.1;                /* |l'(alpha)| over |l'(0)| that ends the search */
static const double longer = 0.7;                    /* l'(1) over l'(0) above which steps are longer */
static const double slow = 0.3;                      /* of the residual is left: the tangent is too stiff */
static const double energy_slack = 1e-14;            /* of (mu + lambda) V */
static const double force_noise = 4.0 * DBL_EPSILON; /* of A / dt^2 |x|: what rounded positions do to forces */
enum { iterations_max = 200, search_max = 40, stagnation = 4 };

/* The iterate; arrays of the arena. */
typedef struct iterate {
    const icf_deformable_system *system;
    icf_deformable_motion *motion;
    icf_lid n;
    icf_vec3 *v, *x, *r, *dv, *trial;
    icf_vec3 *force, *inertia, *damping, *scratch; /* f_el, M (v - v0)/dt, D v */
    double *scale;                                 /* (n x 3) diag(A)^-1/2 */
    double slack;                                  /* of E */
} iterate;

static icf_status allocate(iterate *at, icf_arena *arena)
{
    icf_vec3 **const arrays[] = {&at->v,     &at->x,       &at->r,       &at->dv,     &at->trial,
                                 &at->force, &at->inertia, &at->damping, &at->scratch};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        *arrays[k] = ICF_ARENA_ARRAY(arena, icf_vec3, at->n);
        if (!*arrays[k]) return ICF_ERROR_MEMORY;
    }
    at->scale = ICF_ARENA_ARRAY(arena, double, 3 * (size_t)at->n);
    return at->scale ? ICF_OK : ICF_ERROR_MEMORY;
}

static bool is_free(const iterate *at, icf_lid i)
{
    return icf_deformable_is_free(at->motion->surface.deformable, i);
}

static bool is_own(const iterate *at, icf_lid i)
{
    return icf_deformable_owns(at->motion, i);
}

/* A sum over this rank's vertices put together with those of the ranks that compute with it. */
static double sum_all(const iterate *at, double sum)
{
    if (at->motion->split) icf_split_mesh_sum(at->motion->split, &sum, 1);
    return sum;
}

static double own_dot(const iterate *at, const icf_vec3 *a, const icf_vec3 *b)
{
    double sum = 0.0;
    for (icf_lid i = 0; i < at->n; ++i)
        if (is_own(at, i)) sum += icf_dot(a[i], b[i]);
    return sum;
}

static double dot(const iterate *at, const icf_vec3 *a, const icf_vec3 *b)
{
    return sum_all(at, own_dot(at, a, b));
}

/* |D y| over the free vertices. */
static double scaled_norm(const iterate *at, const icf_vec3 *y)
{
    double sum = 0.0;
    for (icf_lid i = 0; i < at->n; ++i) {
        if (!is_free(at, i) || !is_own(at, i)) continue;
        const double *s = at->scale + 3 * (size_t)i;
        sum += icf_norm2(icf_vec3_make(s[0] * y[i].x, s[1] * y[i].y, s[2] * y[i].z));
    }
    return sqrt(sum_all(at, sum));
}

/* Forces and gradient at v. */
static void evaluate(iterate *at, const icf_vec3 *v)
{
    const icf_deformable_motion *motion = at->motion;
    const icf_deformable_material *elastic = &motion->surface.deformable->elastic;
    const double dt = at->system->dt;
    const icf_vec3 *x0 = motion->surface.position;
    for (icf_lid i = 0; i < at->n; ++i) at->x[i] = icf_mul_add(x0[i], dt, v[i]);
    icf_fem_force(motion->fem, at->x, at->force);
    for (icf_lid i = 0; i < at->n; ++i) at->scratch[i] = icf_scale(1.0 / dt, icf_sub(v[i], motion->v0[i]));
    icf_fem_mass_product(motion->fem, at->scratch, at->inertia);
    icf_fem_stiffness_product(motion->fem, x0, v, at->damping);
    icf_fem_mass_product(motion->fem, v, at->scratch);
    for (icf_lid i = 0; i < at->n; ++i) {
        at->damping[i] = icf_add(icf_scale(elastic->stiffness_damping, at->damping[i]),
                                 icf_scale(elastic->mass_damping, at->scratch[i]));
        const icf_vec3 inner = icf_add(icf_add(at->inertia[i], at->force[i]), at->damping[i]);
        at->r[i] = is_free(at, i) ? icf_sub(inner, motion->load[i]) : icf_vec3_make(0, 0, 0);
    }
}

/* E at v, whose forces have been evaluated. */
static double energy(iterate *at, const icf_vec3 *v)
{
    double sum = icf_deformable_elastic_energy(at->motion, at->x) / at->system->dt + 0.5 * own_dot(at, v, at->damping);
    for (icf_lid i = 0; i < at->n; ++i)
        if (is_own(at, i))
            sum += 0.5 * icf_dot(icf_sub(v[i], at->motion->v0[i]), at->inertia[i]) - icf_dot(at->motion->load[i], v[i]);
    return sum_all(at, sum);
}

/* A at the x of the last evaluation, supported rows out.
 *   is_exact [in] with the whole tangent, which may be indefinite */
static void assemble(iterate *at, bool is_exact)
{
    const icf_deformable_motion *motion = at->motion;
    const icf_deformable_material *elastic = &motion->surface.deformable->elastic;
    const double dt = at->system->dt;
    const icf_fem_weights inner = {
        .mass = 1.0 + dt * elastic->mass_damping, .stiffness = dt * dt, .negative = is_exact ? dt * dt : 0.0};
    memset(motion->a, 0, icf_fem_matrix_size(motion->fem) * sizeof *motion->a);
    icf_fem_matrix_add(motion->fem, at->x, inner, motion->a);
    if (elastic->stiffness_damping > 0.0)
        icf_fem_matrix_add(motion->fem, motion->surface.position,
                           (icf_fem_weights){.stiffness = dt * elastic->stiffness_damping}, motion->a);
    icf_deformable_hold(motion, motion->a);
}

static void set_scale(iterate *at)
{
    for (icf_lid i = 0; i < at->n; ++i)
        for (int c = 0; c < 3; ++c) at->scale[3 * i + c] = 1.0 / sqrt(at->motion->a[9 * (size_t)i + (size_t)(4 * c)]);
}

static icf_status solve_direction(iterate *at)
{
    for (icf_lid i = 0; i < at->n; ++i) at->dv[i] = icf_scale(-at->system->dt, at->r[i]);
    return icf_deformable_solve_linear(at->system, at->motion->a, direction_tolerance, at->dv);
}

/* The direction dv.
 *   is_slow [in] tries the whole tangent first, which is positive definite at the minimum; motion->a is the projected
 *                one on entry and at the end */
static icf_status find_direction(iterate *at, bool is_slow)
{
    if (is_slow) {
        assemble(at, true);
        const icf_status status = solve_direction(at);
        assemble(at, false);
        if (status != ICF_NOT_POSITIVE_DEFINITE && status != ICF_NOT_CONVERGED) return status;
    }
    return solve_direction(at);
}

static double slope_at(iterate *at, double alpha)
{
    for (icf_lid i = 0; i < at->n; ++i) at->trial[i] = icf_mul_add(at->v[i], alpha, at->dv[i]);
    evaluate(at, at->trial);
    return dot(at, at->r, at->dv);
}

/* Step length: 1 where the slope there still points down, twice as long where it hardly falls, and so on, else a point
 * where it is small; E may not rise.  The iterate at that length has been evaluated on return. */
static double search(iterate *at, double slope0, double energy0)
{
    double low = 0.0, high = INFINITY, alpha = 1.0;
    for (int k = 0; k < search_max; ++k) {
        const double slope = slope_at(at, alpha);
        const bool risen = energy(at, at->trial) > energy0 + at->slack;
        const double most = slope > 0.0 ? slope_kept : alpha >= 1.0 ? longer : slope_kept;
        if (fabs(slope) <= -most * slope0 && !risen) return alpha;
        if (risen || slope > 0.0)
            high = alpha;
        else
            low = alpha;
        alpha = high < INFINITY ? 0.5 * (low + high) : 2.0 * alpha;
    }
    (void)slope_at(at, alpha);
    return alpha;
}

/* |D y| of the forces that rounding the positions makes: below it no residual means anything.  A body at rest that
 * bears no load has no other force to measure its residual by. */
static double noise(const iterate *at)
{
    double sum = 0.0, size = 0.0;
    for (icf_lid i = 0; i < at->n; ++i) {
        if (!is_free(at, i) || !is_own(at, i)) continue;
        size = fmax(size, icf_norm(at->x[i]));
        for (int c = 0; c < 3; ++c) sum += 1.0 / (at->scale[3 * i + c] * at->scale[3 * i + c]);
    }
    if (at->motion->split) size = icf_group_max(&at->motion->split->group, size);
    return force_noise * size * sqrt(sum_all(at, sum)) / (at->system->dt * at->system->dt);
}

static icf_status iterate_to_end(iterate *at)
{
    const double tolerance = fmin(loosest_tolerance, at->system->relative_tolerance);
    double best = INFINITY;
    int since_best = 0;
    double before = INFINITY;
    evaluate(at, at->v);
    for (int k = 0; k < iterations_max; ++k) {
        assemble(at, false);
        set_scale(at);
        const double scale =
            fmax(scaled_norm(at, at->inertia), fmax(scaled_norm(at, at->force), scaled_norm(at, at->motion->load)));
        const double residual = scaled_norm(at, at->r), least = noise(at);
        if (!isfinite(residual) || !isfinite(scale) || !isfinite(least)) return ICF_NOT_CONVERGED;
        if (residual <= fmax(tolerance * scale, least)) return ICF_OK;
        since_best = residual < 0.5 * best ? 0 : since_best + 1;
        best = fmin(best, residual);
        if (since_best >= stagnation && residual <= roundoff * scale) return ICF_OK;
        ICF_TRY(find_direction(at, residual > slow * before));
        before = residual;
        const double slope0 = dot(at, at->r, at->dv);
        if (!(slope0 < 0.0)) return residual <= roundoff * scale ? ICF_OK : ICF_NOT_CONVERGED;
        const double alpha = search(at, slope0, energy(at, at->v));
        for (icf_lid i = 0; i < at->n; ++i) at->v[i] = icf_mul_add(at->v[i], alpha, at->dv[i]);
    }
    return ICF_NOT_CONVERGED;
}

icf_status icf_deformable_newton(const icf_deformable_system *system, icf_deformable_motion *motion, icf_arena *arena)
{
    iterate at = {.system = system, .motion = motion, .n = motion->pattern.nvertex};
    ICF_TRY(icf_deformable_agree(system, motion, allocate(&at, arena)));
    const icf_lame lame = icf_fem_lame(motion->fem);
    const icf_deformable *deformable = motion->surface.deformable;
    const double volume = deformable->mass / deformable->elastic.density;
    at.slack = energy_slack * (lame.mu + lame.lambda) * volume / system->dt;
    memcpy(at.v, motion->start, (size_t)at.n * sizeof *at.v);
    ICF_TRY(iterate_to_end(&at));
    memcpy(motion->v_star, at.v, (size_t)at.n * sizeof *at.v);
    return ICF_OK;
}
