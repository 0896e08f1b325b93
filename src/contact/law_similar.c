/* Similar friction (ICF section V-C): l = -N(z) with z = vn - c |vt~|_s.
 *
 * The slip enters the normal law: gamma_n = n(z), gamma_t = -c n(z) M t~, and with g = dz/dvc the Hessian is
 * -n'(z) g g^T + c n(z) d2|vt~|_s.  Pure functions, called through law.c; equations ICF (19)-(21),
 * appendices A and B (the printed Hessian of the isotropic case lacks a factor mu).
 */
#include "contact/law_private.h"

typedef struct similar_terms {
    icf_slip slip;
    icf_normal_value normal; /* at z */
} similar_terms;

static inline similar_terms similar_terms_at(const icf_law *law, const double vc[3])
{
    const icf_slip slip = icf_slip_of(law, vc);
    return (similar_terms){slip, icf_normal_value_at(&law->normal, vc[2] - slip.weight * slip.norm)};
}

static inline double similar_impulse(const similar_terms *terms, double impulse[3])
{
    icf_slip_friction(&terms->slip, terms->normal.impulse, impulse);
    impulse[2] = terms->normal.impulse;
    return terms->normal.cost;
}

static inline void similar_matrix(const similar_terms *terms, icf_sym3 *hessian)
{
    const icf_slip *slip = &terms->slip;
    const double factor = -slip->weight * slip->inverse, stiffness = -terms->normal.derivative;
    const double g1 = factor * slip->scale[0] * slip->v[0], g2 = factor * slip->scale[1] * slip->v[1];
    double block[3];
    icf_slip_exact_block(slip, terms->normal.impulse, block);
    *hessian = (icf_sym3){{block[0] + stiffness * g1 * g1, block[1] + stiffness * g1 * g2,
                           block[2] + stiffness * g2 * g2, stiffness * g1, stiffness * g2, stiffness}};
}

double icf_similar_evaluate_all(const icf_law *law, const double vc[3], double impulse[3], icf_sym3 *hessian)
{
    const similar_terms terms = similar_terms_at(law, vc);
    similar_matrix(&terms, hessian);
    return similar_impulse(&terms, impulse);
}

bool icf_similar_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature)
{
    const similar_terms terms = similar_terms_at(law, vc);
    const icf_slip *slip = &terms.slip;
    if (!icf_normal_feasible(&law->normal, vc[2] - slip->weight * slip->norm)) return false;
    double rate;
    const double friction_curvature = icf_slip_curvature(slip, terms.normal.impulse, dvc, &rate);
    const double dz = dvc[2] - slip->weight * rate;
    *slope -= terms.normal.impulse * dz;
    *curvature += friction_curvature - terms.normal.derivative * dz * dz;
    return true;
}

void icf_similar_correction(const icf_law *law, const double vc[3], const double dvc[3], double impulse[3])
{
    const double end[3] = {vc[0] + dvc[0], vc[1] + dvc[1], vc[2] + dvc[2]};
    const icf_slip slip = icf_slip_of(law, vc), at_end = icf_slip_of(law, end);
    const icf_normal_value normal = icf_normal_value_at(&law->normal, vc[2] - slip.weight * slip.norm);
    double rate;
    icf_slip_curvature(&slip, 0.0, dvc, &rate);
    const double bend = slip.weight * (slip.norm + rate - at_end.norm); /* of z, never positive */
    icf_slip_friction(&slip, normal.derivative * bend, impulse);
    impulse[2] = normal.derivative * bend;
}
