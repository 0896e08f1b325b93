/* What holds of every contact law at any contact: convex, cone respected, continuous across its regions,
 * derivatives along a line those of the Hessian, dual variable in the unit disc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>

#include "law_call.h"
#include "law_samples.h"

enum { SAMPLE_COUNT = 20000 }; /* of each kind of contact */

typedef void sample_check(uint64_t *state, const law_sample *sample, const icf_law *law);

/* Calls check for random feasible contacts of every kind. */
static void for_samples(sample_check *check)
{
    uint64_t state = 7;
    for (int i = 0; i < LAW_KIND_COUNT; ++i) {
        const law_kind kind = law_kind_of(i);
        for (int n = 0; n < SAMPLE_COUNT; ++n) {
            const law_sample sample = random_sample(&state, kind.model, kind.normal, kind.anisotropic);
            const icf_law law = sample_law(&sample);
            if (icf_law_feasible(&law, sample.vc)) check(&state, &sample, &law);
        }
    }
}

static double largest_entry(const icf_sym3 *g)
{
    double largest = 0.0;
    for (int i = 0; i < 6; ++i) largest = fmax(largest, fabs(g->m[i]));
    return largest;
}

/* Whether all eigenvalues are at least -1e-12 of the largest entry: Cholesky of the matrix so shifted. */
static bool is_positive_semidefinite(const icf_sym3 *g)
{
    const double *m = g->m, shift = 1e-12 * largest_entry(g);
    if (shift == 0.0) return true;
    const double a = m[0] + shift;
    if (!(a > 0.0)) return false;
    const double b = m[1] / a, c = m[3] / a, d = m[2] + shift - b * m[1];
    if (!(d > 0.0)) return false;
    const double off = m[4] - c * m[1];
    return m[5] + shift - c * m[3] - off * off / d > 0.0;
}

/* A point of the unit disc, often on its edge. */
static void random_dual(uint64_t *state, double dual[2])
{
    const double radius = one_in(state, 2) ? 1.0 : uniform(state, 0.0, 1.0), angle = uniform(state, 0.0, 2.0 * M_PI);
    dual[0] = radius * cos(angle);
    dual[1] = radius * sin(angle);
}

/* Largest tangential entry before the projection takes the direction of slip out: what may cancel. */
static double unprojected(const icf_law *law, const double vc[3], const icf_sym3 *exact)
{
    if (law->model != ICF_MODEL_LAGGED) return fmax(exact->m[0], exact->m[2]);
    const double m1 = law->anisotropic ? law->mu[0] : 1.0, m2 = law->anisotropic ? law->mu[1] : 1.0;
    const double weight = law->anisotropic ? fmax(m1 * m1, m2 * m2) : law->mu[0];
    return weight * law->lagged_impulse / hypot(hypot(m1 * vc[0], m2 * vc[1]), law->slip);
}

static void check_hessians(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    icf_sym3 exact, direction;
    law_hessian(law, sample->vc, NULL, &exact);
    assert_true(is_positive_semidefinite(&exact));
    double dual[2];
    random_dual(state, dual);
    law_hessian(law, sample->vc, dual, &direction);
    assert_true(is_positive_semidefinite(&direction));

    /* with w = t(v) the direction's Hessian is the exact one */
    icf_law_dual_start(law, sample->vc, dual);
    assert_true(dual[0] * dual[0] + dual[1] * dual[1] <= 1.0 + 4.0 * DBL_EPSILON);
    law_hessian(law, sample->vc, dual, &direction);
    const double scale = unprojected(law, sample->vc, &exact);
    for (int i = 0; i < 3; ++i) assert_true(fabs(direction.m[i] - exact.m[i]) <= 1e-14 * scale);
    for (int i = 3; i < 6; ++i) assert_true(direction.m[i] == exact.m[i]);
}

static void hessians_are_positive_semidefinite(void **unused)
{
    (void)unused;
    for_samples(check_hessians);
}

static void random_direction(uint64_t *state, double scale, double direction[3])
{
    for (int i = 0; i < 3; ++i) direction[i] = random_sign(state) * scale * log_uniform(state, 1e-3, 1.0);
}

/* l' = -gamma.dvc and l'' = dvc.G dvc, up to the round-off of these sums; what is there is added to. */
static void check_slope(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    double d[3], impulse[3], slope = 0.0, curvature = 0.0;
    icf_sym3 g;
    random_direction(state, log_uniform(state, 1e-9, 10.0), d);
    assert_true(icf_law_slope(law, sample->vc, d, &slope, &curvature));
    icf_law_evaluate_all(law, sample->vc, NULL, impulse, &g);
    double first = 0.0, first_size = 0.0, second = 0.0, second_size = 0.0;
    for (int i = 0, k = 0; i < 3; ++i) {
        first -= impulse[i] * d[i];
        first_size += fabs(impulse[i] * d[i]);
        for (int j = 0; j <= i; ++j, ++k) {
            second += (i == j ? 1.0 : 2.0) * g.m[k] * d[i] * d[j];
            second_size += 2.0 * fabs(g.m[k] * d[i] * d[j]);
        }
    }
    assert_true(fabs(slope - first) <= 1e-14 * first_size);
    assert_true(fabs(curvature - second) <= 1e-14 * second_size);
    assert_true(curvature >= 0.0);
    double sum = 1.0, other = 2.0;
    icf_law_slope(law, sample->vc, d, &sum, &other);
    assert_true(sum == 1.0 + slope && other == 2.0 + curvature);
}

static void slope_is_that_of_impulse_and_hessian(void **unused)
{
    (void)unused;
    for_samples(check_slope);
}

/* z at the end of a step less what its tangent gives, as a force along dz/dvc; other models have none. */
static void check_correction(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    double d[3], impulse[3];
    random_direction(state, log_uniform(state, 1e-6, 10.0), d);
    icf_law_correction(law, sample->vc, d, impulse);
    if (law->model != ICF_MODEL_SIMILAR) {
        for (int i = 0; i < 3; ++i) assert_true(impulse[i] == 0.0);
        return;
    }
    icf_sym3 g;
    law_hessian(law, sample->vc, NULL, &g); /* its last row is -n' dz/dvc */
    const double m1 = law->anisotropic ? law->mu[0] : 1.0, m2 = law->anisotropic ? law->mu[1] : 1.0;
    const double c = law->anisotropic ? 1.0 : law->mu[0], v1 = m1 * sample->vc[0], v2 = m2 * sample->vc[1];
    const double root = hypot(hypot(v1, v2), law->slip), rate = (v1 * m1 * d[0] + v2 * m2 * d[1]) / root;
    const double end = hypot(hypot(v1 + m1 * d[0], v2 + m2 * d[1]), law->slip);
    const double bend = c * (root + rate - end), size = c * (root + fabs(rate) + end);
    for (int i = 0; i < 3; ++i) assert_true(fabs(impulse[i] + g.m[3 + i] * bend) <= 1e-14 * fabs(g.m[3 + i]) * size);
}

static void correction_is_the_bend_of_the_slip(void **unused)
{
    (void)unused;
    for_samples(check_correction);
}

/* Between two velocities: the slope does not fall, the cost lies above the tangent of either end. */
static void check_convexity(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    double d[3], end[3], impulse[2][3];
    random_direction(state, log_uniform(state, 1e-12, 1e2), d);
    for (int i = 0; i < 3; ++i) {
        end[i] = sample->vc[i] + d[i];
        d[i] = end[i] - sample->vc[i];
    }
    if (!icf_law_feasible(law, end)) return;
    const double start_cost = law_cost(law, sample->vc, impulse[0]), end_cost = law_cost(law, end, impulse[1]);
    double slope[2] = {0.0, 0.0}, size = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int e = 0; e < 2; ++e) {
            slope[e] -= impulse[e][i] * d[i];
            size += fabs(impulse[e][i] * d[i]);
        }
    /* the last bits of vn and phi0/dt move the slope too */
    const double last = 4.0 * DBL_EPSILON * (fabs(end[2]) + fabs(sample->vc[2]) + fabs(sample->phi0) / sample->dt);
    const double bits = last * (impulse[0][2] + impulse[1][2]);
    assert_true(slope[1] - slope[0] >= -1e-13 * size);
    const double round_off = 1e-13 * (fabs(start_cost) + fabs(end_cost) + size) + bits;
    assert_true(end_cost - start_cost - slope[0] >= -round_off);
    assert_true(start_cost - end_cost + slope[1] >= -round_off);
}

static void costs_are_convex(void **unused)
{
    (void)unused;
    for_samples(check_convexity);
}

/* Friction lies in the cone of the model's own normal impulse: gamma_n0 for Lagged; elliptic when anisotropic. */
static void check_cone(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    (void)state;
    double impulse[3];
    const double cost = law_cost(law, sample->vc, impulse);
    assert_true(cost >= 0.0 || law->normal.law == ICF_NORMAL_LOG_BARRIER);
    assert_true(impulse[2] >= 0.0);
    assert_true(impulse[0] * sample->vc[0] <= 0.0 && impulse[1] * sample->vc[1] <= 0.0);
    const double normal = law->model == ICF_MODEL_LAGGED ? law->lagged_impulse : impulse[2];
    double ratio[2] = {0.0, 0.0};
    for (int i = 0; i < 2; ++i) {
        if (law->mu[i] == 0.0) assert_true(impulse[i] == 0.0);
        if (law->mu[i] > 0.0) ratio[i] = impulse[i] / law->mu[i];
    }
    assert_true(hypot(ratio[0], ratio[1]) <= normal * (1.0 + 4.0 * DBL_EPSILON));
}

static void friction_stays_in_the_cone(void **unused)
{
    (void)unused;
    for_samples(check_cone);
}

/* Largest difference of the impulses at two velocities. */
static double impulse_jump(const icf_law *law, const double a[3], const double b[3])
{
    double impulse[2][3], jump = 0.0;
    law_cost(law, a, impulse[0]);
    law_cost(law, b, impulse[1]);
    for (int i = 0; i < 3; ++i) jump = fmax(jump, fabs(impulse[0][i] - impulse[1][i]));
    return jump;
}

/* SAP at its two borders, approached from either side in vn: u = r Rn/(mu Rt) (stick, slide) and u = -mu r. */
static void sap_is_continuous_across_its_regions(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    int sticking = 0, sliding = 0;
    for (int n = 0; n < 100000; ++n) {
        const law_sample sample = random_sample(&state, ICF_MODEL_SAP, ICF_NORMAL_LINEAR, false);
        icf_law law = sample_law(&sample);
        if (law.mu[0] == 0.0) continue;
        law.vhat = 0.0; /* so that u is exact */
        const double r = hypot(sample.vc[0], sample.vc[1]), mu = law.mu[0];
        const double borders[2] = {-r * law.rn / (mu * law.rt), mu * r}; /* vn = -u */
        for (int i = 0; i < 2; ++i) {
            const double inside[3] = {sample.vc[0], sample.vc[1], borders[i] - 1e-12 * fabs(borders[i])};
            const double outside[3] = {sample.vc[0], sample.vc[1], borders[i] + 1e-12 * fabs(borders[i])};
            const double gap = outside[2] - inside[2];
            icf_sym3 g;
            law_hessian(&law, inside, NULL, &g);
            assert_true(impulse_jump(&law, inside, outside) <= 2.0 * largest_entry(&g) * gap);
            sticking += i == 0 && g.m[3] == 0.0 && g.m[4] == 0.0 && r > 0.0;
            sliding += i == 1 && g.m[5] > 0.0 && r > 0.0;
        }
    }
    assert_true(sticking > 50000 && sliding > 50000); /* the borders are where they should be */
}

/* Normal laws open without a jump. */
static void check_opening(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    (void)state;
    (void)sample;
    if (law->normal.law >= ICF_NORMAL_LOG_BARRIER || law->model == ICF_MODEL_SAP) return;
    const double tiny = 1e-9 * fabs(law->normal.vhat);
    const double before[3] = {0.0, 0.0, law->normal.vhat - tiny}, after[3] = {0.0, 0.0, law->normal.vhat};
    icf_sym3 g;
    double impulse[3];
    law_hessian(law, before, NULL, &g);
    assert_true(impulse_jump(law, before, after) <= 1.001 * g.m[5] * tiny);
    assert_true(law_cost(law, after, impulse) == 0.0 && impulse[2] == 0.0);
}

static void contacts_open_without_a_jump(void **unused)
{
    (void)unused;
    for_samples(check_opening);
}

/* Whether the law has a dual that follows the slip at vc. */
static bool has_dual(const icf_law *law, const double vc[3])
{
    if (law->model == ICF_MODEL_SIMILAR || (law->mu[0] == 0.0 && law->mu[1] == 0.0)) return false;
    icf_sym3 g;
    law_hessian(law, vc, NULL, &g);
    return law->model == ICF_MODEL_LAGGED || g.m[3] != 0.0 || g.m[4] != 0.0; /* SAP: only sliding couples */
}

static void check_dual(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    double dual[2], expected[2], dvc[3];
    random_dual(state, dual);
    memcpy(expected, dual, sizeof dual);
    for (int n = 0; n < 3; ++n) {
        random_direction(state, log_uniform(state, 1e-12, 1e2), dvc);
        icf_law_dual_update(law, sample->vc, dvc, uniform(state, 0.0, 1.0), dual);
        assert_true(dual[0] * dual[0] + dual[1] * dual[1] <= 1.0 + 4.0 * DBL_EPSILON);
    }
    /* a full step that changes nothing ends at t(v); without slip of its own the law leaves the dual alone */
    if (has_dual(law, sample->vc)) icf_law_dual_start(law, sample->vc, expected);
    icf_law_dual_update(law, sample->vc, (double[]){0.0, 0.0, 0.0}, 1.0, dual);
    for (int i = 0; i < 2; ++i) assert_true(fabs(dual[i] - expected[i]) <= 1e-15);
}

/* The update by hand: vt = (3, 0), eps_s = 4, so s = 1/5 and t = (0.6, 0); w = (0, 0.5), dvt = (1, 2), alpha = 1/2:
 * w + 1/2 ((vt + dvt - w (t.dvt)) s - w) = (0.4, 0.42).  SAP: s = 1/3, t = (1, 0): (2/3, 0.5). */
static void dual_update_by_hand(void **unused)
{
    (void)unused;
    const double vc[3] = {3.0, 0.0, -1.0}, dvc[3] = {1.0, 2.0, 9.0};
    icf_law law = {.model = ICF_MODEL_LAGGED, .mu = {0.5, 0.5}, .slip = 4.0};
    double dual[2] = {0.0, 0.5};
    icf_law_dual_update(&law, vc, dvc, 0.5, dual);
    assert_true(fabs(dual[0] - 0.4) < 1e-15 && fabs(dual[1] - 0.42) < 1e-15);
    law = (icf_law){.model = ICF_MODEL_SAP, .mu = {0.5, 0.5}, .rn = 1.0, .rt = 1e-3};
    dual[0] = 0.0;
    dual[1] = 0.5;
    icf_law_dual_update(&law, vc, dvc, 0.5, dual);
    assert_true(fabs(dual[0] - 2.0 / 3.0) < 1e-15 && fabs(dual[1] - 0.5) < 1e-15);
    law.rt = 1e3; /* sticks: left alone */
    icf_law_dual_update(&law, vc, dvc, 0.5, dual);
    assert_true(fabs(dual[1] - 0.5) < 1e-15);
    law = (icf_law){.model = ICF_MODEL_LAGGED, .anisotropic = true, .mu = {0.5, 2.0}, .slip = 4.0};
    dual[0] = dual[1] = 0.0; /* tilde space: vt = (3, 0) from v1 = 6, dvt = (1, 2) from (2, 1) */
    icf_law_dual_update(&law, (double[]){6.0, 0.0, 0.0}, (double[]){2.0, 1.0, 0.0}, 1.0, dual);
    assert_true(fabs(dual[0] - 0.8) < 1e-15 && fabs(dual[1] - 0.4) < 1e-15);
}

static void dual_stays_in_the_disc_and_follows_the_slip(void **unused)
{
    (void)unused;
    for_samples(check_dual);
}

/* A stage multiplies the stiffness in n, n' (R_n), leaves gamma_n0 and eps_s, and is undone by factor 1; barriers have
 * none. */
static void check_stage(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    (void)state;
    icf_law staged = *law;
    icf_law_set_stage(&staged, 0.01);
    assert_true(icf_law_stiffness(&staged) == icf_law_stiffness(law));
    if (law->normal.law >= ICF_NORMAL_LOG_BARRIER) {
        assert_memory_equal(&staged, law, sizeof staged);
        assert_true(icf_law_stiffness(law) == 0.0);
        return;
    }
    assert_true(staged.lagged_impulse == law->lagged_impulse && staged.slip == law->slip);
    const double before = icf_normal_evaluate(&law->normal, sample->vc[2]).impulse;
    const double after = icf_normal_evaluate(&staged.normal, sample->vc[2]).impulse;
    assert_true(fabs(after - 0.01 * before) <= 1e-15 * before);
    if (law->model == ICF_MODEL_SAP) {
        const double soft = 1.0 / (law->normal.dt * 0.01 * law->stiffness * (law->normal.dt + law->relaxation_time));
        assert_true(fabs(staged.rn - fmax(law->near_rigid_rn, soft)) <= 1e-14 * staged.rn);
    }
    icf_law_set_stage(&staged, 1.0);
    assert_memory_equal(&staged, law, sizeof staged);
}

static void stage_changes_the_stiffness_only(void **unused)
{
    (void)unused;
    for_samples(check_stage);
}

/* Hardness is -n' of the contact that touches at the step's start, if it overlaps there. */
static void check_hardness(uint64_t *state, const law_sample *sample, const icf_law *law)
{
    (void)state;
    const double hardness = icf_law_hardness(law, sample->vc);
    if (law->model != ICF_MODEL_LAGGED || law->normal.law >= ICF_NORMAL_LOG_BARRIER) {
        assert_true(hardness == 0.0);
        return;
    }
    icf_normal_params touching;
    icf_normal_init(&touching, &sample->material, sample->dt, fmax(sample->phi0, 0.0));
    assert_true(hardness == -icf_normal_evaluate(&touching, sample->vc[2]).derivative);
    if (law->normal.law == ICF_NORMAL_LINEAR && sample->phi0 <= 0.0 && sample->vc[2] < 0.0) {
        const double expected = icf_law_stiffness(law) * (1.0 - 2.0 * sample->material.dissipation * sample->vc[2]);
        assert_true(fabs(hardness - expected) <= 1e-14 * expected);
    }
}

static void hardness_is_that_of_hits(void **unused)
{
    (void)unused;
    for_samples(check_hardness);
}

/* diag(mu, mu) with eps_s taken literally is mu with the tolerance eps_s/mu. */
static void anisotropic_with_equal_values_is_isotropic(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    for (int n = 0; n < 100000; ++n) {
        const icf_model model = n % 2 ? ICF_MODEL_SIMILAR : ICF_MODEL_LAGGED;
        const law_sample sample = random_sample(&state, model, ICF_NORMAL_LINEAR, false);
        icf_law isotropic = sample_law(&sample), tilde = isotropic;
        if (isotropic.mu[0] == 0.0) continue;
        tilde.anisotropic = true;
        tilde.slip = isotropic.mu[0] * isotropic.slip;
        double vc[3] = {sample.vc[0], sample.vc[1], -fabs(sample.vc[2])}, impulse[2][3];
        icf_sym3 g[2];
        const double a = icf_law_evaluate_all(&isotropic, vc, NULL, impulse[0], &g[0]);
        const double b = icf_law_evaluate_all(&tilde, vc, NULL, impulse[1], &g[1]);
        const double vhat = fabs(isotropic.normal.vhat), s = isotropic.normal.vhat - vc[2];
        if (!(s > 1e-2 * (vhat + fabs(vc[2]) + 5.0 * hypot(vc[0], vc[1])))) continue; /* z is known to round-off only */
        assert_true(fabs(a - b) <= 1e-12 * fabs(a));
        for (int i = 0; i < 3; ++i)
            assert_true(fabs(impulse[0][i] - impulse[1][i]) <= 1e-12 * impulse[0][2] + 1e-13 * fabs(impulse[0][i]));
        for (int i = 0; i < 6; ++i) assert_true(fabs(g[0].m[i] - g[1].m[i]) <= 1e-12 * largest_entry(&g[0]));
    }
}

/* Beyond a barrier: infinite cost, no impulse, no slope. */
static void infeasible_velocities_say_so(void **unused)
{
    (void)unused;
    uint64_t state = 9;
    for (int n = 0; n < 10000; ++n) {
        const law_kind kind = law_kind_of(5 + n % 4); /* both barriers, Lagged and Similar */
        law_sample sample = random_sample(&state, kind.model, kind.normal, kind.anisotropic);
        sample.vc[2] = -sample.phi0 / sample.dt * uniform(&state, 1.001, 10.0);
        const icf_law law = sample_law(&sample);
        double impulse[3] = {1.0, 1.0, 1.0}, slope = 3.0, curvature = 4.0;
        assert_false(icf_law_feasible(&law, sample.vc));
        assert_true(isinf(law_cost(&law, sample.vc, impulse)));
        assert_true(impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0);
        assert_false(icf_law_slope(&law, sample.vc, (double[]){1.0, 1.0, 1.0}, &slope, &curvature));
        assert_true(slope == 3.0 && curvature == 4.0);
    }
}

/* Rest, touching, frictionless, no effective mass: nothing divides by zero. */
static void corner_cases_are_finite(void **unused)
{
    (void)unused;
    const double values[] = {0.0, 1e-3, -1e-3};
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 81; ++n) {
            const icf_contact_settings settings = {.model = (icf_model)m,
                                                   .regularized = true,
                                                   .stiction_tolerance = 1e-4,
                                                   .sigma = 1e-3,
                                                   .near_rigid = n % 2};
            const double mu = n / 27 ? 0.5 : 0.0, vn = values[n % 3], vt = values[n / 3 % 3], phi0 = values[n / 9 % 3];
            const icf_material material = {.stiffness = 1e7, .friction = {mu, mu}};
            icf_law law;
            icf_law_init(&law, &settings, &material, 1e-3, phi0, vn, n % 5 ? 1.0 : 0.0);
            double impulse[3], dual[2];
            const double vc[3] = {vt, 0.0, vn};
            icf_sym3 g;
            assert_true(isfinite(icf_law_evaluate_all(&law, vc, NULL, impulse, &g)));
            icf_law_dual_start(&law, vc, dual);
            icf_law_dual_update(&law, vc, vc, 1.0, dual);
            assert_true(isfinite(impulse[0] + impulse[1] + impulse[2] + dual[0] + dual[1]));
            for (int i = 0; i < 6; ++i) assert_true(isfinite(g.m[i]));
            if (mu == 0.0) assert_true(impulse[0] == 0.0 && g.m[0] == 0.0 && g.m[3] == 0.0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hessians_are_positive_semidefinite),

        cmocka_unit_test(slope_is_that_of_impulse_and_hessian),
        cmocka_unit_test(correction_is_the_bend_of_the_slip),
        cmocka_unit_test(costs_are_convex),
        cmocka_unit_test(friction_stays_in_the_cone),
        cmocka_unit_test(sap_is_continuous_across_its_regions),
        cmocka_unit_test(contacts_open_without_a_jump),
        cmocka_unit_test(dual_stays_in_the_disc_and_follows_the_slip),
        cmocka_unit_test(dual_update_by_hand),
        cmocka_unit_test(stage_changes_the_stiffness_only),
        cmocka_unit_test(hardness_is_that_of_hits),
        cmocka_unit_test(anisotropic_with_equal_values_is_isotropic),
        cmocka_unit_test(infeasible_velocities_say_so),
        cmocka_unit_test(corner_cases_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
