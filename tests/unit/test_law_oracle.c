/* Every contact law at random contacts over many scales against its potential in quadruple precision, whose
 * gradient and Hessian come from forward differentiation (law_oracle.h): cost, impulse and Hessian, component
 * by component.  A difference is allowed for round-off and for what the last bits of the velocities mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law_oracle.h"
#include "law_samples.h"

enum { SAMPLE_COUNT = 12000 }; /* of each kind */

static const double tolerance = 1e-13;

/* Velocity that the last bits of vhat, vn and the friction speed are worth [m/s]. */
static double velocity_round_off(const icf_law *law, const double vc[3])
{
    const double mu = fmax(law->mu[0], law->mu[1]), slip = mu * hypot(vc[0], vc[1]);
    const double phi_speed = fabs(law->normal.phi0) / law->normal.dt;
    const double vhat = law->model == ICF_MODEL_SAP ? fabs(law->vhat) : phi_speed;
    return 4.0 * DBL_EPSILON * (fabs(vc[2]) + vhat + (law->model == ICF_MODEL_LAGGED ? 0.0 : slip));
}

/* Whether `value` agrees with component `exact`, whose range over the round-off is low .. high. */
static bool agrees(double value, quad exact, quad low, quad high, quad scale)
{
    const quad spread = quad_abs(exact - low) + quad_abs(exact - high);
    return quad_abs(value - exact) <= tolerance * scale + spread;
}

/* Cost and impulse and Hessian as ten numbers, scaled to compare: relative, the Hessian to sqrt(Gii Gjj). */
static void check_sample(const law_sample *sample)
{
    const icf_law law = sample_law(sample);
    const double *vc = sample->vc, shift = velocity_round_off(&law, vc);
    if (!icf_law_feasible(&law, vc)) return;
    double impulse[3];
    icf_sym3 hessian;
    const double cost = icf_law_evaluate_all(&law, vc, NULL, impulse, &hessian);
    const oracle at = oracle_cost(&law, vc, 0.0), low = oracle_cost(&law, vc, -shift),
                 high = oracle_cost(&law, vc, shift);
    if (!agrees(cost, at.cost.v, low.cost.v, high.cost.v, quad_abs(at.cost.v) + at.noise / tolerance))
        fail_msg("cost %.17g instead of %.17g", cost, (double)at.cost.v);
    for (int i = 0; i < 3; ++i)
        if (!agrees(-impulse[i], at.cost.g[i], low.cost.g[i], high.cost.g[i], quad_abs(at.cost.g[i])))
            fail_msg("impulse[%d] %.17g instead of %.17g", i, impulse[i], -(double)at.cost.g[i]);
    const quad *h = at.cost.h, diagonal[3] = {h[0], h[2], h[5]}, largest = h[0] + h[2] + h[5];
    for (int i = 0, k = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j, ++k) {
            const quad scale = quad_sqrt(quad_abs(diagonal[i] * diagonal[j])) + 1e-18 * largest;
            if (!agrees(hessian.m[k], h[k], low.cost.h[k], high.cost.h[k], scale))
                fail_msg("hessian[%d][%d] %.17g instead of %.17g", i, j, hessian.m[k], (double)h[k]);
        }
}

static void law_is_its_potential(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int i = 0; i < LAW_KIND_COUNT; ++i) {
        const law_kind kind = law_kind_of(i);
        for (int n = 0; n < SAMPLE_COUNT; ++n) {
            const law_sample sample = random_sample(&state, kind.model, kind.normal, kind.anisotropic);
            check_sample(&sample);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_is_its_potential)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
