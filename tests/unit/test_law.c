/* Contact laws: single contacts with values worked out apart from the program, to 11 or 12 digits, and the
 * constants that icf_law_init sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "law_call.h"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) fail_msg("%.17g instead of %.17g", value, expected);
}

/* N(vhat) - N(0) of the contact below: what a cost measured from v = 0 lacks to ours, which is 0 at separation. */
static const double gauge = 3.65625e-4;

/* k = 3e5, d = 15, tau = 0.02, mu = 0.5; dt = 0.01, elastic force 15 N, vn0 = -0.1, w = 1. */
static icf_law make(icf_model model, double near_rigid)
{
    const icf_contact_settings settings = {
        .model = model, .regularized = true, .stiction_tolerance = 1e-4, .sigma = 1e-3, .near_rigid = near_rigid};
    const icf_material material = {
        .stiffness = 3e5, .dissipation = 15.0, .relaxation_time = 0.02, .friction = {0.5, 0.5}};
    icf_law law;
    icf_law_init(&law, &settings, &material, 0.01, -5e-5, -0.1, 1.0);
    return law;
}

static void check(const icf_law *law, double v1, double v2, double vn, double cost, const double expected[3])
{
    const double vc[3] = {v1, v2, vn};
    double impulse[3];
    const double value = law_cost(law, vc, impulse);
    if (!isnan(cost)) assert_close(value, cost, 5e-12);
    for (int i = 0; i < 3; ++i) assert_close(impulse[i], expected[i], 5e-12);
}

static void check_hessian(const icf_law *law, double v1, double v2, double vn, const double expected[6])
{
    const double vc[3] = {v1, v2, vn};
    icf_sym3 hessian;
    law_hessian(law, vc, NULL, &hessian);
    for (int i = 0; i < 6; ++i)
        if (!isnan(expected[i])) assert_close(hessian.m[i], expected[i], 5e-12);
}

static void lagged_values(void **state)
{
    (void)state;
    const icf_law law = make(ICF_MODEL_LAGGED, 1.0);
    assert_close(law.lagged_impulse, 0.375, 1e-15);
    assert_close(law.slip, 1.875e-4, 1e-15); /* sigma w mu gamma_n0, above 1e-4 */
    check(&law, 0.01, -0.01, -0.1, 0.328866727224 + gauge, (double[]){-0.132570870248, 0.132570870248, 7.875});
    check_hessian(&law, 0.01, -0.01, -0.1, (double[]){6.62970848128, 6.62737854351, 6.62970848128, 0.0, 0.0, 122.25});
    check(&law, 1e-6, 0.0, -0.1, NAN, (double[]){-9.99985778081e-4, 0.0, 7.875});
    check_hessian(&law, 1e-6, 0.0, -0.1, (double[]){999.95733485, 0.0, 999.985778081, 0.0, 0.0, 122.25});
}

static void similar_values(void **state)
{
    (void)state;
    const icf_law law = make(ICF_MODEL_SIMILAR, 1.0);
    check(&law, 0.01, -0.01, -0.1, 0.384228513079 + gauge, (double[]){-3.09330768911, 3.09330768911, 8.74996431154});
    check_hessian(&law, 0.01, -0.01, -0.1,
                  (double[]){170.756011467, 138.574757444, 170.756011467, -45.438275255, 45.438275255, 128.530145339});
    /* slip closes the gap */
    check(&law, 0.01, 0.0, 0.004, NAN, (double[]){-0.0897968177684, 0.0, 0.179625201956});
}

static void sap_values(void **state)
{
    (void)state;
    icf_law law = make(ICF_MODEL_SAP, 0.0);
    assert_close(law.rn, 1.0 / 90.0, 1e-15); /* 1/(0.01 3e5 0.03) */
    law = make(ICF_MODEL_SAP, 1.0);
    assert_close(law.rt, 1e-3, 1e-15);
    assert_close(law.rn, 0.0253302959106, 5e-12); /* near rigid: 1/(4 pi^2) */
    law.vhat = 2.5e-4 / 0.03;                     /* of phi0 = -2.5e-4 m */
    check(&law, 1e-4, 0.0, -0.1, 0.231666547748, (double[]){-0.1, 0.0, 4.27682857381});
    check(&law, 0.1, 0.0, -0.1, NAN, (double[]){-3.09482997943, 0.0, 6.18965995885});
    check(&law, 0.1, -0.2, -0.1, NAN, (double[]){-1.92429633841, 3.84859267683, 8.60571484309});
    check(&law, 0.1, 0.0, 0.1, 0.0, (double[]){0.0, 0.0, 0.0});
}

/* eps_s: fe = 15 N, d = 0.01, vn0 = -0.1, dt = 0.01: gamma_n0 = 0.15015. */
static void slip_grows_with_the_impulse_when_regularized(void **state)
{
    (void)state;
    const icf_material material = {.stiffness = 1e5, .dissipation = 0.01, .anisotropic = true, .friction = {0.25, 0.5}};
    const double sigma[] = {0.0, 1e-4, 1e-2}, slip[] = {1e-4, 1e-4, 7.5075e-4};
    for (int i = 0; i < 3; ++i)
        for (int regularized = 0; regularized < 2; ++regularized) {
            const icf_contact_settings settings = {
                .model = ICF_MODEL_SIMILAR, .regularized = regularized, .stiction_tolerance = 1e-4, .sigma = sigma[i]};
            icf_law law;
            icf_law_init(&law, &settings, &material, 0.01, -1.5e-4, -0.1, 1.0);
            assert_close(law.lagged_impulse, 0.15015, 1e-14);
            assert_close(law.slip, regularized ? slip[i] : 1e-4, 1e-14);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagged_values),
        cmocka_unit_test(similar_values),
        cmocka_unit_test(sap_values),
        cmocka_unit_test(slip_grows_with_the_impulse_when_regularized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
