/* Normal laws: the impulse n(v) = dt f(phi0 + dt v, v) of one contact and its potential.
 *
 * The cost of the normal part is -N with N' = n, constant beyond the breaking velocity, zero at separation
 * (log barrier: -kappa ln(phi / 1 m)).  Evaluated without cancellation in s = vhat - v (docs/physics.md).
 * Pure functions, thread-safe.
 */
#ifndef ICF_CONTACT_NORMAL_LAW_H
#define ICF_CONTACT_NORMAL_LAW_H

#include "scene/material.h"

/* What a normal law needs of one contact.  The breaking point is a function of dt, phi0 and d: after
 * icf_normal_init only the stiffness may be changed by hand. */
typedef struct icf_normal_params {
    icf_normal_law law;
    double dt;               /* step [s] */
    double phi0;             /* signed distance at the step's start [m] */
    double stiffness;        /* k [N/m], kH [N/m^1.5], kappa [J] or [N/m] */
    double dissipation;      /* d [s/m], Hunt & Crossley */
    double barrier_distance; /* dhat [m], IPC barrier */
    double vhat;             /* breaking velocity min(-phi0/dt, 1/d) [m/s], Hunt & Crossley (ICF 23) */
    double overlap;          /* p = -phi(vhat) >= 0 [m]; overlap * damping = 0 */
    double damping;          /* e = 1 - d vhat >= 0 */
} icf_normal_params;

/* Value of a normal law at a normal velocity. */
typedef struct icf_normal_value {
    double cost;       /* -N, >= 0 but for the log barrier [J] */
    double impulse;    /* n >= 0 [N s] */
    double derivative; /* n' <= 0 [kg] */
} icf_normal_value;

/* Sets the constants of one contact for a step.
 *   combined [in] normal law, stiffness, dissipation and barrier distance of the pair (friction unused)
 *   dt       [in] step [s]
 *   phi0     [in] signed distance at the step's start [m] */
void icf_normal_init(icf_normal_params *params, const icf_material *combined, double dt, double phi0);

/* n, n' and -N at normal velocity v.  A barrier at phi0 + dt v <= 0 gives an infinite cost, n = n' = 0. */
icf_normal_value icf_normal_evaluate(const icf_normal_params *params, double v);

/* n and n' only (line search, Hessian). */
void icf_normal_slope(const icf_normal_params *params, double v, double *impulse, double *derivative);

/* Whether v is in the law's domain: always, but for barriers phi0 + dt v > 0. */
bool icf_normal_feasible(const icf_normal_params *params, double v);

/* dt f(phi0, vn0): the lagged normal impulse [N s], of the present stiffness; 0 for a barrier at phi0 <= 0,
 * which is no valid contact. */
double icf_normal_lagged_impulse(const icf_normal_params *params, double vn0);

/* -n' at v of what bodies run into each other during the step, any overlap at its start left out [kg]: with dissipation
 * it grows with the speed of a hit.  0 for barriers. */
double icf_normal_hardness(const icf_normal_params *params, double v);

#endif
