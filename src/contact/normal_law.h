/* Normal laws: the impulse n(v) = dt f(phi0 + dt v, v) of one contact and its potential.
 *
 * The cost of the normal part is -N with N' = n, constant beyond the breaking velocity, zero at separation
 * (log barrier: -kappa ln(phi / 1 m)).  Evaluated without cancellation in s = vhat - v (docs/physics.md).
 * Pure functions, thread-safe.
 */
#ifndef ICF_CONTACT_NORMAL_LAW_H
#define ICF_CONTACT_NORMAL_LAW_H

#include "scene/material.h"

/* What a normal law needs of one contact. */
typedef struct icf_normal_params {
    icf_normal_law law;
    double dt;               /* step [s] */
    double phi0;             /* signed distance at the step's start [m] */
    double stiffness;        /* k [N/m], kH [N/m^1.5], kappa [J] or [N/m] */
    double dissipation;      /* d [s/m], Hunt & Crossley */
    double barrier_distance; /* dhat [m], IPC barrier */
} icf_normal_params;

/* Value of a normal law at a normal velocity. */
typedef struct icf_normal_value {
    double cost;       /* -N, >= 0 but for the log barrier [J] */
    double impulse;    /* n >= 0 [N s] */
    double derivative; /* n' <= 0 [N s^2/m] */
} icf_normal_value;

/* n, n' and -N at normal velocity v.  A barrier at phi0 + dt v <= 0 gives an infinite cost. */
icf_normal_value icf_normal_evaluate(const icf_normal_params *params, double v);

/* n and n' only (line search, Hessian). */
void icf_normal_slope(const icf_normal_params *params, double v, double *impulse, double *derivative);

/* Whether v is in the law's domain: always, but for barriers phi0 + dt v > 0. */
bool icf_normal_feasible(const icf_normal_params *params, double v);

/* dt f(phi0, vn0): the lagged normal impulse of physics, section 3 [N s]. */
double icf_normal_lagged_impulse(const icf_normal_params *params, double vn0);

#endif
