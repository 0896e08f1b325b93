/* The costs of the contact laws as they are defined, in quadruple precision, with gradient and Hessian by
 * forward differentiation to second order: nothing but the potentials is written down here.
 *
 * The potentials are taken as the papers print them (differences of antiderivatives, soft norm as root minus
 * tolerance, SAP in the space of y); 113 bits pay for the cancellation, `noise` says what is lost of a cost.
 */
#ifndef ICF_TESTS_LAW_ORACLE_H
#define ICF_TESTS_LAW_ORACLE_H

#include <float.h>

#include "contact/law.h"

#if LDBL_MANT_DIG == 113
typedef long double quad;
static inline quad quad_sqrt(quad x)
{
    return sqrtl(x);
}
static inline quad quad_log(quad x)
{
    return logl(x);
}
#else
typedef __float128 quad;
quad sqrtf128(quad x); /* of the C library; not every compiler's math.h shows them */
quad logf128(quad x);
static inline quad quad_sqrt(quad x)
{
    return sqrtf128(x);
}
static inline quad quad_log(quad x)
{
    return logf128(x);
}
#endif

/* Value, gradient and Hessian (lower triangle as icf_sym3) with respect to vc. */
typedef struct jet {
    quad v, g[3], h[6];
} jet;

typedef struct oracle {
    jet cost;
    quad noise; /* round-off of cost.v */
} oracle;

static inline jet jet_constant(quad v)
{
    return (jet){.v = v};
}

static inline jet jet_variable(double v, int i)
{
    jet out = {.v = v};
    out.g[i] = 1;
    return out;
}

/* a x + b y */
static inline jet jet_sum(quad a, jet x, quad b, jet y)
{
    jet out = {.v = a * x.v + b * y.v};
    for (int i = 0; i < 3; ++i) out.g[i] = a * x.g[i] + b * y.g[i];
    for (int i = 0; i < 6; ++i) out.h[i] = a * x.h[i] + b * y.h[i];
    return out;
}

static inline jet jet_product(jet x, jet y)
{
    jet out = {.v = x.v * y.v};
    for (int i = 0, k = 0; i < 3; ++i) {
        out.g[i] = x.g[i] * y.v + x.v * y.g[i];
        for (int j = 0; j <= i; ++j, ++k) out.h[k] = x.h[k] * y.v + x.g[i] * y.g[j] + x.g[j] * y.g[i] + x.v * y.h[k];
    }
    return out;
}

/* f(x) from f, f' and f'' at x.v */
static inline jet jet_compose(jet x, quad f, quad f1, quad f2)
{
    jet out = {.v = f};
    for (int i = 0, k = 0; i < 3; ++i) {
        out.g[i] = f1 * x.g[i];
        for (int j = 0; j <= i; ++j, ++k) out.h[k] = f1 * x.h[k] + f2 * x.g[i] * x.g[j];
    }
    return out;
}

static inline jet jet_sqrt(jet x)
{
    const quad root = quad_sqrt(x.v);
    return jet_compose(x, root, 1 / (2 * root), -1 / (4 * root * x.v));
}

static inline jet jet_log(jet x)
{
    return jet_compose(x, quad_log(x.v), 1 / x.v, -1 / (x.v * x.v));
}

static inline quad quad_abs(quad x)
{
    return x < 0 ? -x : x;
}

/* Antiderivative in x = -phi of k x (1 - d v) (linear) or k x^1.5 (1 - d v) (Hertz), v = (-phi0 - x)/dt. */
static inline jet hunt_crossley_primitive(const icf_normal_params *params, jet x)
{
    const quad rate = (quad)params->dissipation / params->dt, e = 1 + rate * params->phi0, k = params->stiffness;
    const jet square = jet_product(x, x);
    if (params->law == ICF_NORMAL_LINEAR) return jet_sum(k * e / 2, square, k * rate / 3, jet_product(square, x));
    const jet power = x.v > 0 ? jet_product(square, jet_sqrt(x)) : jet_constant(0);
    return jet_sum(k * e * 2 / 5, power, k * rate * 2 / 7, jet_product(power, x));
}

static inline oracle hunt_crossley_cost(const icf_normal_params *params, jet v)
{
    const quad d = params->dissipation, dt = params->dt;
    const jet x = jet_sum(-dt, v, -1, jet_constant(params->phi0));
    if (x.v <= 0 || 1 - d * v.v <= 0) return (oracle){{0}, 0};
    /* penetration at which the damping factor vanishes, when it does before the contact opens */
    const quad last = d > 0 ? -params->phi0 - dt / d : 0;
    const jet from = hunt_crossley_primitive(params, x);
    const jet to = hunt_crossley_primitive(params, jet_constant(last > 0 ? last : 0));
    return (oracle){jet_sum(1, from, -1, to), 1e-32 * (quad_abs(from.v) + quad_abs(to.v))};
}

static inline oracle normal_cost(const icf_normal_params *params, jet v)
{
    const quad dhat = params->barrier_distance, kappa = params->stiffness;
    if (params->law <= ICF_NORMAL_HERTZ) return hunt_crossley_cost(params, v);
    const jet phi = jet_sum(params->dt, v, 1, jet_constant(params->phi0));
    if (params->law == ICF_NORMAL_LOG_BARRIER) return (oracle){jet_sum(-kappa, jet_log(phi), 0, phi), 0};
    if (phi.v >= dhat) return (oracle){{0}, 0};
    const jet x = jet_sum(1, jet_constant(dhat), -1, phi);
    return (oracle){jet_sum(-kappa, jet_product(jet_product(x, x), jet_log(jet_sum(1 / dhat, phi, 0, phi))), 0, x), 0};
}

/* mu |vt|_s, or |diag(mu) vt|_s when anisotropic */
static inline jet friction_speed(const icf_law *law, const jet v[3])
{
    const bool tilde = law->anisotropic;
    const jet a = jet_sum(tilde ? law->mu[0] : 1, v[0], 0, v[0]), b = jet_sum(tilde ? law->mu[1] : 1, v[1], 0, v[1]);
    const jet square = jet_sum(1, jet_product(a, a), 1, jet_product(b, b));
    const jet root = jet_sqrt(jet_sum(1, square, 1, jet_constant((quad)law->slip * law->slip)));
    const jet norm = jet_sum(1, root, -1, jet_constant(law->slip));
    return jet_sum(tilde ? 1 : law->mu[0], norm, 0, norm);
}

static inline oracle sap_sliding_cost(const icf_law *law, jet yn, jet yr2)
{
    const quad mu = law->mu[0], rt = law->rt, rn = law->rn, warp = mu * rt / rn, cone = 1 + mu * warp;
    const jet yr = mu > 0 ? jet_sqrt(yr2) : jet_constant(0);
    if (yn.v < -warp * yr.v) return (oracle){{0}, 0};
    const jet sum = jet_sum(1, yn, warp, yr);
    return (oracle){jet_sum(rn / (2 * cone), jet_product(sum, sum), 0, sum), 0};
}

/* SAP (35) in y = R^-1 (vhat - vc) */
static inline oracle sap_cost(const icf_law *law, const jet v[3])
{
    const quad rt = law->rt, rn = law->rn, mu = law->mu[0];
    const jet yn = jet_sum(-1 / rn, v[2], 1 / rn, jet_constant(law->vhat));
    const jet yr2 = jet_sum(1 / (rt * rt), jet_product(v[0], v[0]), 1 / (rt * rt), jet_product(v[1], v[1]));
    if (mu > 0 && quad_sqrt(yr2.v) <= mu * yn.v) return (oracle){jet_sum(rt / 2, yr2, rn / 2, jet_product(yn, yn)), 0};
    return sap_sliding_cost(law, yn, yr2);
}

/* Cost of a contact at vc, with vn moved by shift. */
static inline oracle oracle_cost(const icf_law *law, const double vc[3], double shift)
{
    jet v[3] = {jet_variable(vc[0], 0), jet_variable(vc[1], 1), jet_variable(vc[2], 2)};
    v[2].v += shift;
    if (law->model == ICF_MODEL_SAP) return sap_cost(law, v);
    const jet friction = friction_speed(law, v);
    if (law->model == ICF_MODEL_SIMILAR) return normal_cost(&law->normal, jet_sum(1, v[2], -1, friction));
    oracle out = normal_cost(&law->normal, v[2]);
    out.cost = jet_sum(1, out.cost, law->lagged_impulse, friction);
    out.noise += 1e-32 * (quad)law->lagged_impulse * law->slip * (law->anisotropic ? 1 : law->mu[0]);
    return out;
}

#endif
