/* Normal laws: values worked out by hand; every digit right next to separation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law_oracle.h"
#include "law_samples.h"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) fail_msg("%.17g instead of %.17g", value, expected);
}

static icf_normal_params make(icf_normal_law law, double k, double d, double dhat, double dt, double phi0)
{
    const icf_material material = {.normal = law, .stiffness = k, .dissipation = d, .barrier_distance = dhat};
    icf_normal_params params;
    icf_normal_init(&params, &material, dt, phi0);
    return params;
}

/* k = 3e5, d = 15, dt = 0.01, elastic force 15 N at the start: n = dt (15 - 3000 v)(1 - 15 v), vhat = 0.005,
 * -N(v) = N(0.005) - N(v) with N(v) = dt (15 v - 3225 v^2/2 + 45000 v^3/3). */
static void linear_law_by_hand(void **state)
{
    (void)state;
    const icf_normal_params params = make(ICF_NORMAL_LINEAR, 3e5, 15.0, 0.0, 0.01, -5e-5);
    const double rows[][4] = {/* v, n, n', N */
                              {-0.1, 7.875, -122.25, -0.32625},
                              {-0.15, 15.1125, -167.25, -0.8915625},
                              {-0.05, 2.8875, -77.25, -0.0665625},
                              {0.0, 0.15, -32.25, 0.0},
                              {0.004, 0.0282, -28.65, 3.516e-4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const icf_normal_value value = icf_normal_evaluate(&params, rows[i][0]);
        assert_close(value.impulse, rows[i][1], 2e-15);
        assert_close(value.derivative, rows[i][2], 2e-15);
        assert_close(value.cost, 3.65625e-4 - rows[i][3], 1e-12);
    }
    assert_close(params.vhat, 0.005, 1e-15);
    assert_close(icf_normal_lagged_impulse(&params, -0.1), 0.375, 1e-15); /* 0.01 x 15 x 2.5 */
}

/* Beyond the breaking velocity nothing acts; a contact that starts apart acts once it has closed. */
static void nothing_acts_beyond_breaking(void **state)
{
    (void)state;
    const icf_normal_params apart = make(ICF_NORMAL_LINEAR, 1e6, 50.0, 0.0, 1e-3, 1e-3);
    const icf_normal_value open = icf_normal_evaluate(&apart, -0.5), closed = icf_normal_evaluate(&apart, -2.0);
    assert_true(open.cost == 0.0 && open.impulse == 0.0 && open.derivative == 0.0);
    assert_close(closed.impulse, 101.0, 1e-14);                      /* dt (1e6 1e-3)(1 + 100) */
    assert_close(closed.cost, 33.0 + 1.0 / 3.0 + 53.0 / 6.0, 1e-14); /* 8.8333 + 33.3333 J */
    assert_true(icf_normal_lagged_impulse(&apart, -2.0) == 0.0);
    const icf_normal_params damped = make(ICF_NORMAL_LINEAR, 1e6, 50.0, 0.0, 1e-3, -1.0);
    assert_true(damped.vhat == 0.02); /* 1/d */
    assert_true(icf_normal_evaluate(&damped, 0.02).impulse == 0.0);
    assert_true(icf_normal_lagged_impulse(&damped, 0.03) == 0.0);
}

/* Hertz without damping is a power law: n = dt kH x^1.5, -N = (2/5) kH x^2.5. */
static void hertz_without_damping_is_a_power_law(void **state)
{
    (void)state;
    const icf_normal_params params = make(ICF_NORMAL_HERTZ, 1e9, 0.0, 0.0, 1e-3, -1e-4);
    const icf_normal_value value = icf_normal_evaluate(&params, -0.3); /* x = 4e-4 */
    assert_close(value.impulse, 8.0, 1e-14);
    assert_close(value.derivative, -30.0, 1e-14); /* -dt^2 kH 1.5 sqrt(x) */
    assert_close(value.cost, 1.28, 1e-14);
    assert_close(icf_normal_lagged_impulse(&params, 5.0), 1.0, 1e-14);
}

/* n = dt kappa/phi, cost -kappa ln(phi). */
static void log_barrier_by_hand(void **state)
{
    (void)state;
    const icf_normal_params params = make(ICF_NORMAL_LOG_BARRIER, 2e-3, 0.0, 0.0, 0.5, 0.75);
    const icf_normal_value value = icf_normal_evaluate(&params, -1.0); /* phi = 0.25 */
    assert_close(value.impulse, 4e-3, 1e-15);
    assert_close(value.derivative, -8e-3, 1e-15);
    assert_close(value.cost, 2e-3 * log(4.0), 1e-15);
    assert_true(icf_normal_feasible(&params, -1.49) && !icf_normal_feasible(&params, -1.5));
    const icf_normal_value infeasible = icf_normal_evaluate(&params, -1.5);
    assert_true(isinf(infeasible.cost) && infeasible.impulse == 0.0 && infeasible.derivative == 0.0);
    assert_close(icf_normal_lagged_impulse(&params, -100.0), 2e-3 * 0.5 / 0.75, 1e-15);
}

/* x = dhat/2: f = kappa dhat/2 (1 + 2 ln 2). */
static void ipc_barrier_by_hand(void **state)
{
    (void)state;
    const icf_normal_params params = make(ICF_NORMAL_IPC_BARRIER, 1e4, 0.0, 1e-3, 1e-2, 1e-3);
    const icf_normal_value value = icf_normal_evaluate(&params, -0.05); /* phi = 5e-4 */
    assert_close(value.cost, 1e4 * 2.5e-7 * log(2.0), 1e-14);
    assert_close(value.impulse, 1e-2 * 1e4 * 5e-4 * (1.0 + 2.0 * log(2.0)), 1e-14);
    assert_close(value.derivative, -1e-4 * 1e4 * (5.0 + 2.0 * log(2.0)), 1e-14);
    const icf_normal_value beyond = icf_normal_evaluate(&params, 1.0);
    assert_true(beyond.cost == 0.0 && beyond.impulse == 0.0 && beyond.derivative == 0.0);
    assert_true(icf_normal_feasible(&params, -0.0999) && !icf_normal_feasible(&params, -0.2));
    assert_true(isinf(icf_normal_evaluate(&params, -0.2).cost));
    const icf_normal_params overlapping = make(ICF_NORMAL_IPC_BARRIER, 1e4, 0.0, 1e-3, 1e-2, -1e-6);
    assert_true(icf_normal_lagged_impulse(&overlapping, 0.0) == 0.0);
}

/* dt k x (e + d s) or dt k x^1.5 (e + d s) with x = p + dt s, its derivative in v = vhat - s and its integral over
 * s, from the rounded breaking point in quadruple precision; the integral as a difference of antiderivatives. */
static void exact_next_to_separation(const icf_normal_params *params, double v, quad exact[3])
{
    const quad s = (quad)params->vhat - v, dt = params->dt, d = params->dissipation, p = params->overlap;
    const bool hertz = params->law == ICF_NORMAL_HERTZ;
    const quad x = p + dt * s, factor = params->damping + d * s, c = dt * params->stiffness;
    const quad x1 = hertz ? x * quad_sqrt(x) : x, p1 = hertz ? p * quad_sqrt(p) : p;
    const quad slope = hertz ? quad_sqrt(x) * 3 / 2 : 1, order = hertz ? (quad)5 / 2 : 2;
    exact[0] = c * x1 * factor;
    exact[1] = -c * (dt * slope * factor + d * x1);
    /* e + d s = (e - d p/dt) + (d/dt) x */
    const quad constant = params->damping - d * p / dt;
    exact[2] = c / dt * (constant * (x * x1 - p * p1) / order + d / dt * (x * x * x1 - p * p * p1) / (order + 1));
}

/* v = vhat (1 - 10^-u) and vhat - 10^-u, u up to 12: n, n' and -N relative to themselves. */
static void every_digit_is_right_next_to_separation(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (int n = 0; n < 100000; ++n) {
        const law_sample sample = random_sample(&state, ICF_MODEL_LAGGED, (icf_normal_law)(n % 2), false);
        icf_normal_params params;
        icf_normal_init(&params, &sample.material, sample.dt, sample.phi0);
        const double scale = one_in(&state, 2) ? fabs(params.vhat) : 1.0;
        const double v = params.vhat - scale * log_uniform(&state, 1e-12, 1.0);
        if (!(v < params.vhat)) continue;
        const icf_normal_value value = icf_normal_evaluate(&params, v);
        quad exact[3];
        exact_next_to_separation(&params, v, exact);
        assert_close(value.impulse, (double)exact[0], 2e-15);
        assert_close(value.derivative, (double)exact[1], 2e-15);
        const quad x = params.overlap + params.dt * ((quad)params.vhat - v), ratio = x / (x - params.overlap);
        if (ratio < 1e8) assert_close(value.cost, (double)exact[2], 4e-15); /* 113 bits allow it */
    }
}

/* The breaking point is that of phi0 and d: p and e to the round-off of their inputs, one of them zero. */
static void breaking_point_is_exact(void **unused)
{
    (void)unused;
    uint64_t state = 13;
    for (int n = 0; n < 100000; ++n) {
        const law_sample sample = random_sample(&state, ICF_MODEL_LAGGED, ICF_NORMAL_LINEAR, false);
        icf_normal_params params;
        icf_normal_init(&params, &sample.material, sample.dt, sample.phi0);
        const quad d = sample.material.dissipation, opening = -(quad)sample.phi0 / sample.dt;
        const quad vhat = d > 0 && 1 / d < opening ? 1 / d : opening;
        const quad overlap = -sample.phi0 - sample.dt * vhat, damping = 1 - d * vhat;
        assert_close(params.vhat, (double)vhat, 3e-16);
        assert_true(params.overlap * params.damping == 0.0);
        assert_true(params.overlap >= 0.0 && params.damping >= 0.0);
        assert_true(quad_abs(params.overlap - overlap) <= 3e-16 * fabs(sample.phi0));
        assert_true(quad_abs(params.damping - damping) <= 3e-16 * (1 + quad_abs(d * vhat)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_law_by_hand),
        cmocka_unit_test(nothing_acts_beyond_breaking),
        cmocka_unit_test(hertz_without_damping_is_a_power_law),
        cmocka_unit_test(log_barrier_by_hand),
        cmocka_unit_test(ipc_barrier_by_hand),
        cmocka_unit_test(every_digit_is_right_next_to_separation),
        cmocka_unit_test(breaking_point_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
