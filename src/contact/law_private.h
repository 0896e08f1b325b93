/* What the three friction models share, and their entry points behind law.h.  Private to src/contact.
 *
 * Isotropic and anisotropic friction are one code path: the slip is scaled to vt~ = M vt and friction is
 * -c gamma_n M t~ with (M, c) = (1, mu) or (diag(mu1, mu2), 1) (ICF appendix B, the stiction tolerance taken
 * literally in both).
 */
#ifndef ICF_CONTACT_LAW_PRIVATE_H
#define ICF_CONTACT_LAW_PRIVATE_H

#include <math.h>

#include "contact/law.h"
#include "contact/normal_kernel.h"

/* Slip of a contact with regularised friction, in tilde space. */
typedef struct icf_slip {
    double scale[2];  /* M */
    double weight;    /* c */
    double v[2];      /* vt~ [m/s] */
    double tolerance; /* eps_s [m/s] */
    double inverse;   /* s = 1/sqrt(|vt~|^2 + eps_s^2) [s/m] */
    double norm;      /* |vt~|_s = sqrt(|vt~|^2 + eps_s^2) - eps_s [m/s] */
} icf_slip;

static inline icf_slip icf_slip_of(const icf_law *law, const double vc[3])
{
    icf_slip slip = {.scale = {1.0, 1.0}, .weight = law->mu[0], .tolerance = law->slip};
    if (law->anisotropic) slip = (icf_slip){.scale = {law->mu[0], law->mu[1]}, .weight = 1.0, .tolerance = law->slip};
    slip.v[0] = slip.scale[0] * vc[0];
    slip.v[1] = slip.scale[1] * vc[1];
    const double square = slip.v[0] * slip.v[0] + slip.v[1] * slip.v[1];
    const double root = sqrt(square + slip.tolerance * slip.tolerance);
    slip.inverse = 1.0 / root;
    slip.norm = square / (root + slip.tolerance);
    return slip;
}

/* Friction impulse of a normal impulse: -c gamma_n M t~. */
static inline void icf_slip_friction(const icf_slip *slip, double normal_impulse, double impulse[3])
{
    const double factor = -slip->weight * normal_impulse * slip->inverse;
    impulse[0] = factor * slip->scale[0] * slip->v[0];
    impulse[1] = factor * slip->scale[1] * slip->v[1];
}

/* Tangential block c gamma_n s M (I - t t^T) M, with I - t t^T = s^2 (eps_s^2 I + p p^T), p = (-vt2~, vt1~):
 * no difference of nearly equal numbers when |t| is near 1. */
static inline void icf_slip_exact_block(const icf_slip *slip, double normal_impulse, double block[3])
{
    const double s = slip->inverse, c = slip->weight * normal_impulse * s * s * s;
    const double square = slip->tolerance * slip->tolerance;
    block[0] = c * slip->scale[0] * slip->scale[0] * (square + slip->v[1] * slip->v[1]);
    block[1] = -c * slip->scale[0] * slip->scale[1] * slip->v[0] * slip->v[1];
    block[2] = c * slip->scale[1] * slip->scale[1] * (square + slip->v[0] * slip->v[0]);
}

/* I - sym(w t^T): (0,0) (1,0) (1,1); positive semi-definite for |w|, |t| <= 1. */
static inline void icf_dual_block(const double dual[2], double t1, double t2, double block[3])
{
    block[0] = 1.0 - dual[0] * t1;
    block[1] = -0.5 * (dual[0] * t2 + dual[1] * t1);
    block[2] = 1.0 - dual[1] * t2;
}

/* Second derivative of c gamma_n |vt~|_s along dvt; the first one is c gamma_n *rate. */
static inline double icf_slip_curvature(const icf_slip *slip, double normal_impulse, const double dvc[3], double *rate)
{
    const double d1 = slip->scale[0] * dvc[0], d2 = slip->scale[1] * dvc[1], s = slip->inverse;
    const double across = slip->v[0] * d2 - slip->v[1] * d1;
    *rate = s * (slip->v[0] * d1 + slip->v[1] * d2);
    const double square = slip->tolerance * slip->tolerance * (d1 * d1 + d2 * d2) + across * across;
    return slip->weight * normal_impulse * s * s * s * square;
}

/* Where a contact of the SAP model is. */
typedef enum icf_sap_region { ICF_SAP_OPEN, ICF_SAP_STICKING, ICF_SAP_SLIDING } icf_sap_region;

icf_sap_region icf_sap_region_of(const icf_law *law, const double vc[3]);

/* Per model: cost, impulse and Hessian (dual NULL: exact); derivatives along dvc.  As in law.h. */
double icf_lagged_evaluate_all(const icf_law *law, const double vc[3], const double *dual, double impulse[3],
                               icf_sym3 *hessian);
bool icf_lagged_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature);

double icf_similar_evaluate_all(const icf_law *law, const double vc[3], double impulse[3], icf_sym3 *hessian);
bool icf_similar_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature);
void icf_similar_correction(const icf_law *law, const double vc[3], const double dvc[3], double impulse[3]);

double icf_sap_evaluate_all(const icf_law *law, const double vc[3], const double *dual, double impulse[3],
                            icf_sym3 *hessian);
void icf_sap_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature);

#endif
