/* The SAP model: l = 1/2 |gamma|_R^2 with gamma the projection of y = R^-1 (vhat - vc) on the friction cone
 * in the metric R = diag(Rt, Rt, Rn) (SAP 27, appendices C, D).
 *
 * Written in velocities, with u = vhat - vn, r = |vt| and the closing speed c = u + mu r:
 *     sticking  r Rn <= mu u Rt      gamma = (-vt/Rt, u/Rn)               l = (r^2/Rt + u^2/Rn)/2
 *     sliding   otherwise, c >= 0    gamma_n = c/(Rn + mu^2 Rt)           l = c gamma_n/2
 *                                    gamma_t = -mu gamma_n vt/r
 *     open      otherwise            gamma = 0                            l = 0
 * A partition of all velocities.  mu = 0 never sticks: it is the frictionless law, whose sliding region has
 * no tangential part.  Pure functions, called through law.c.
 */
#include "contact/law_private.h"

typedef struct sap_terms {
    icf_sap_region region;
    double u;              /* vhat - vn [m/s] */
    double r2;             /* |vt|^2 */
    double t[2];           /* vt/r, 0 when r = 0 */
    double inverse_r;      /* 1/r, 0 when r = 0 [s/m] */
    double inverse_r_cone; /* 1/(Rn + mu^2 Rt), sliding [kg] */
    double closing;        /* c = u + mu r [m/s] */
} sap_terms;

static inline sap_terms sap_terms_at(const icf_law *law, const double vc[3])
{
    const double mu = law->mu[0], u = law->vhat - vc[2], r2 = vc[0] * vc[0] + vc[1] * vc[1], r = sqrt(r2);
    const double inverse = r > 0.0 ? 1.0 / r : 0.0, closing = u + mu * r;
    const bool sticks = mu > 0.0 && r * law->rn <= mu * u * law->rt;
    return (sap_terms){
        .region = sticks           ? ICF_SAP_STICKING
                  : closing >= 0.0 ? ICF_SAP_SLIDING
                                   : ICF_SAP_OPEN,
        .u = u,
        .r2 = r2,
        .t = {vc[0] * inverse, vc[1] * inverse},
        .inverse_r = inverse,
        .inverse_r_cone = 1.0 / (law->rn + mu * mu * law->rt),
        .closing = closing,
    };
}

static inline double sap_impulse(const icf_law *law, const double vc[3], const sap_terms *terms, double impulse[3])
{
    if (terms->region == ICF_SAP_STICKING) {
        const double inverse_rt = 1.0 / law->rt;
        impulse[0] = -vc[0] * inverse_rt;
        impulse[1] = -vc[1] * inverse_rt;
        impulse[2] = terms->u / law->rn;
        return 0.5 * (terms->r2 * inverse_rt + terms->u * impulse[2]);
    }
    const double normal = terms->region == ICF_SAP_SLIDING ? terms->closing * terms->inverse_r_cone : 0.0;
    impulse[0] = -law->mu[0] * normal * terms->t[0];
    impulse[1] = -law->mu[0] * normal * terms->t[1];
    impulse[2] = normal;
    return 0.5 * terms->closing * normal;
}

/* (1/(Rn + mu^2 Rt)) g g^T + (mu gamma_n/r)(I - t t^T), g = (-mu t, 1); t t^T becomes sym(w t^T) with a dual. */
static inline void sap_sliding_matrix(const icf_law *law, const sap_terms *terms, const double *dual, icf_sym3 *hessian)
{
    const double t1 = terms->t[0], t2 = terms->t[1], stiffness = terms->inverse_r_cone, mu = law->mu[0];
    const double c = mu * terms->closing * stiffness * terms->inverse_r, g1 = -mu * t1, g2 = -mu * t2;
    double block[3] = {t2 * t2, -t1 * t2, t1 * t1};
    if (dual) icf_dual_block(dual, t1, t2, block);
    *hessian = (icf_sym3){{stiffness * g1 * g1 + c * block[0], stiffness * g1 * g2 + c * block[1],
                           stiffness * g2 * g2 + c * block[2], stiffness * g1, stiffness * g2, stiffness}};
}

static inline void sap_matrix(const icf_law *law, const sap_terms *terms, const double *dual, icf_sym3 *hessian)
{
    if (terms->region == ICF_SAP_SLIDING)
        sap_sliding_matrix(law, terms, dual, hessian);
    else if (terms->region == ICF_SAP_STICKING)
        *hessian = (icf_sym3){{1.0 / law->rt, 0.0, 1.0 / law->rt, 0.0, 0.0, 1.0 / law->rn}};
    else
        *hessian = (icf_sym3){{0}};
}

icf_sap_region icf_sap_region_of(const icf_law *law, const double vc[3])
{
    return sap_terms_at(law, vc).region;
}

double icf_sap_evaluate_all(const icf_law *law, const double vc[3], const double *dual, double impulse[3],
                            icf_sym3 *hessian)
{
    const sap_terms terms = sap_terms_at(law, vc);
    sap_matrix(law, &terms, dual, hessian);
    return sap_impulse(law, vc, &terms, impulse);
}

void icf_sap_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature)
{
    const sap_terms terms = sap_terms_at(law, vc);
    if (terms.region == ICF_SAP_STICKING) {
        *slope += (vc[0] * dvc[0] + vc[1] * dvc[1]) / law->rt - terms.u * dvc[2] / law->rn;
        *curvature += (dvc[0] * dvc[0] + dvc[1] * dvc[1]) / law->rt + dvc[2] * dvc[2] / law->rn;
    } else if (terms.region == ICF_SAP_SLIDING) {
        const double mu = law->mu[0], normal = terms.closing * terms.inverse_r_cone;
        const double dz = dvc[2] - mu * (terms.t[0] * dvc[0] + terms.t[1] * dvc[1]);
        const double across = terms.t[0] * dvc[1] - terms.t[1] * dvc[0];
        *slope -= normal * dz;
        *curvature += terms.inverse_r_cone * dz * dz + mu * normal * terms.inverse_r * across * across;
    }
}
