/* The linear normal law with Hunt & Crossley dissipation, inline: it is evaluated for every contact in
 * every Newton iteration and line search (of model Lagged by lagged_kernels_body.h).  Private to src/contact; the other
 * laws are calls.
 *
 * With s = (vhat - v)+, p = -phi(vhat) and e = 1 - d vhat the penetration is p + dt s and the damping
 * factor e + d s.  One of p and e is zero (vhat is where the first factor vanishes), so that
 *     n  = dt k (p + dt s)(e + d s),    n' = -dt k [dt (e + d s) + d (p + dt s)],
 *     -N = dt k s^2 [(p d + dt e)/2 + dt d s/3]
 * are sums of non-negative terms: every digit of s survives, next to separation too (ICF 22, 23).
 */
#ifndef ICF_CONTACT_NORMAL_KERNEL_H
#define ICF_CONTACT_NORMAL_KERNEL_H

#include "contact/normal_law.h"

static inline icf_normal_value icf_normal_linear(const icf_normal_params *params, double v)
{
    const double dt = params->dt, d = params->dissipation, k = dt * params->stiffness;
    const double s = ICF_MAX(params->vhat - v, 0.0);
    const double penetration = params->overlap + dt * s, factor = params->damping + d * s;
    const double half = 0.5 * (params->overlap * d + dt * params->damping);
    return (icf_normal_value){
        .cost = k * s * s * (half + dt * d * s * (1.0 / 3.0)),
        .impulse = k * penetration * factor,
        .derivative = s > 0.0 ? -k * (dt * factor + d * penetration) : 0.0,
    };
}

/* n, n' and -N; the compiler drops what the caller does not use of the linear law. */
static inline icf_normal_value icf_normal_value_at(const icf_normal_params *params, double v)
{
    return params->law == ICF_NORMAL_LINEAR ? icf_normal_linear(params, v) : icf_normal_evaluate(params, v);
}

/* Whether the law has an infeasible side. */
static inline bool icf_normal_is_barrier(const icf_normal_params *params)
{
    return params->law >= ICF_NORMAL_LOG_BARRIER;
}

#endif
