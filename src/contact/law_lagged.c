/* Lagged friction (ICF section V-B): l = c gamma_n0 |vt~|_s - N(vn).
 *
 * The normal impulse in Coulomb's law is that of the step's start, so that normal and tangential parts do
 * not couple.  Pure functions, called through law.c; with the linear normal law, four contacts at a time, in
 * lagged_kernels_body.h; equations ICF (18), appendices A and B.
 */
#include "contact/law_private.h"

typedef struct lagged_terms {
    icf_slip slip;
    icf_normal_value normal;
} lagged_terms;

static inline lagged_terms lagged_terms_at(const icf_law *law, const double vc[3])
{
    return (lagged_terms){.slip = icf_slip_of(law, vc), .normal = icf_normal_value_at(&law->normal, vc[2])};
}

static inline double lagged_impulse(const icf_law *law, const lagged_terms *terms, double impulse[3])
{
    /* an infeasible velocity of a barrier acts on nothing */
    const double gamma = isinf(terms->normal.cost) ? 0.0 : law->lagged_impulse;
    icf_slip_friction(&terms->slip, gamma, impulse);
    impulse[2] = terms->normal.impulse;
    return terms->slip.weight * law->lagged_impulse * terms->slip.norm + terms->normal.cost;
}

/* The primal-dual block c gamma_n0 s M (I - sym(w t^T)) M for the Newton direction. */
static inline void lagged_dual_block(const icf_law *law, const icf_slip *slip, const double dual[2], double block[3])
{
    const double c = slip->weight * law->lagged_impulse * slip->inverse;
    icf_dual_block(dual, slip->inverse * slip->v[0], slip->inverse * slip->v[1], block);
    block[0] *= c * slip->scale[0] * slip->scale[0];
    block[1] *= c * slip->scale[0] * slip->scale[1];
    block[2] *= c * slip->scale[1] * slip->scale[1];
}

static inline void lagged_matrix(const icf_law *law, const lagged_terms *terms, const double *dual, icf_sym3 *hessian)
{
    double block[3];
    if (dual)
        lagged_dual_block(law, &terms->slip, dual, block);
    else
        icf_slip_exact_block(&terms->slip, law->lagged_impulse, block);
    *hessian = (icf_sym3){{block[0], block[1], block[2], 0.0, 0.0, -terms->normal.derivative}};
}

double icf_lagged_evaluate_all(const icf_law *law, const double vc[3], const double *dual, double impulse[3],
                               icf_sym3 *hessian)
{
    const lagged_terms terms = lagged_terms_at(law, vc);
    lagged_matrix(law, &terms, dual, hessian);
    return lagged_impulse(law, &terms, impulse);
}

bool icf_lagged_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature)
{
    if (icf_normal_is_barrier(&law->normal) && !icf_normal_feasible(&law->normal, vc[2])) return false;
    const lagged_terms terms = lagged_terms_at(law, vc);
    double rate;
    const double friction_curvature = icf_slip_curvature(&terms.slip, law->lagged_impulse, dvc, &rate);
    *slope += terms.slip.weight * law->lagged_impulse * rate - terms.normal.impulse * dvc[2];
    *curvature += friction_curvature - terms.normal.derivative * dvc[2] * dvc[2];
    return true;
}
