/* Normal laws: linear and Hertz with Hunt & Crossley dissipation, logarithmic and IPC barrier.
 *
 * Called by the contact laws for every contact, velocity and Newton iteration; pure functions, no MPI.
 * Hunt & Crossley laws are written in s = (vhat - v)+ (normal_kernel.h has the linear one), barriers in
 * phi = phi0 + dt v and x = dhat - phi.  Equations: ICF (7), (22), (23), (27), section IX-B.
 */
#include "contact/normal_law.h"

#include <math.h>

#include "contact/normal_kernel.h"

/* Penetration and damping factor at the breaking velocity; exactly one of them vanishes there. */
static void set_breaking_point(icf_normal_params *params)
{
    const double by_distance = -params->phi0 / params->dt, by_damping = 1.0 / params->dissipation;
    if (params->dissipation == 0.0 || by_distance <= by_damping) {
        params->vhat = by_distance;
        params->overlap = 0.0;
        params->damping = fmax(1.0 - params->dissipation * by_distance, 0.0);
    } else {
        params->vhat = by_damping;
        params->overlap = fmax(-params->phi0 - params->dt * by_damping, 0.0);
        params->damping = 0.0;
    }
}

void icf_normal_init(icf_normal_params *params, const icf_material *combined, double dt, double phi0)
{
    *params = (icf_normal_params){
        .law = combined->normal,
        .dt = dt,
        .phi0 = phi0,
        .stiffness = combined->stiffness,
        .dissipation = combined->dissipation,
        .barrier_distance = combined->barrier_distance,
    };
    if (!icf_normal_is_barrier(params)) set_breaking_point(params);
}

/* Integral of sigma (p + dt sigma)^(3/2) over 0..s, x = p + dt s > 0.  In a = sqrt(p), b = sqrt(x) it is
 * (2/35)(5 b^7 - 7 a^2 b^5 + 2 a^7)/dt^2, whose double root b = a is divided out by b - a = dt s/(a + b):
 * what is left has positive coefficients only. */
static double hertz_damped_moment(double p, double x, double s)
{
    const double a = sqrt(p), b = sqrt(x), q = s / (a + b);
    const double sum = ((((5.0 * b + 10.0 * a) * b + 8.0 * a * a) * b + 6.0 * a * p) * b + 4.0 * p * p) * b;
    return (2.0 / 35.0) * q * q * (sum + 2.0 * p * p * a);
}

static icf_normal_value hertz(const icf_normal_params *params, double v)
{
    const double dt = params->dt, d = params->dissipation, k = dt * params->stiffness;
    const double s = params->vhat - v;
    if (!(s > 0.0)) return (icf_normal_value){0};
    const double x = params->overlap + dt * s, factor = params->damping + d * s;
    const double root = sqrt(x), power = x * root;
    return (icf_normal_value){
        .cost = k * (0.4 * params->damping * s * power + d * hertz_damped_moment(params->overlap, x, s)),
        .impulse = k * power * factor,
        .derivative = -k * (1.5 * dt * root * factor + d * power),
    };
}

static icf_normal_value log_barrier(const icf_normal_params *params, double v)
{
    const double phi = params->phi0 + params->dt * v;
    if (!(phi > 0.0)) return (icf_normal_value){.cost = INFINITY};
    const double rate = params->dt / phi;
    return (icf_normal_value){
        .cost = -params->stiffness * log(phi),
        .impulse = params->stiffness * rate,
        .derivative = -params->stiffness * rate * rate,
    };
}

/* l = kappa x^2 ln(dhat/phi), with ln(dhat/phi) = log1p(x/phi) accurate at both ends of 0 < phi < dhat. */
static icf_normal_value ipc_barrier(const icf_normal_params *params, double v)
{
    const double phi = params->phi0 + params->dt * v, dt = params->dt, kappa = params->stiffness;
    if (!(phi > 0.0)) return (icf_normal_value){.cost = INFINITY};
    const double x = fmax(params->barrier_distance - phi, 0.0), ratio = x / phi, logarithm = log1p(ratio);
    return (icf_normal_value){
        .cost = kappa * x * x * logarithm,
        .impulse = dt * kappa * x * (ratio + 2.0 * logarithm),
        .derivative = -dt * dt * kappa * (ratio * (4.0 + ratio) + 2.0 * logarithm),
    };
}

icf_normal_value icf_normal_evaluate(const icf_normal_params *params, double v)
{
    switch (params->law) {
    case ICF_NORMAL_HERTZ: return hertz(params, v);
    case ICF_NORMAL_LOG_BARRIER: return log_barrier(params, v);
    case ICF_NORMAL_IPC_BARRIER: return ipc_barrier(params, v);
    case ICF_NORMAL_LINEAR:
    case ICF_NORMAL_COUNT: break;
    }
    return icf_normal_linear(params, v);
}

void icf_normal_slope(const icf_normal_params *params, double v, double *impulse, double *derivative)
{
    const icf_normal_value value = icf_normal_value_at(params, v);
    *impulse = value.impulse;
    *derivative = value.derivative;
}

bool icf_normal_feasible(const icf_normal_params *params, double v)
{
    return !icf_normal_is_barrier(params) || params->phi0 + params->dt * v > 0.0;
}

double icf_normal_lagged_impulse(const icf_normal_params *params, double vn0)
{
    /* a barrier's force depends on the distance alone: that of a velocity that keeps it */
    if (icf_normal_is_barrier(params)) return icf_normal_evaluate(params, 0.0).impulse;
    const double x = fmax(-params->phi0, 0.0), factor = fmax(1.0 - params->dissipation * vn0, 0.0);
    const double elastic = params->law == ICF_NORMAL_HERTZ ? x * sqrt(x) : x;
    return params->dt * params->stiffness * elastic * factor;
}

double icf_normal_hardness(const icf_normal_params *params, double v)
{
    if (icf_normal_is_barrier(params)) return 0.0;
    icf_normal_params hit = *params;
    hit.phi0 = fmax(params->phi0, 0.0);
    set_breaking_point(&hit);
    return -icf_normal_evaluate(&hit, v).derivative;
}
