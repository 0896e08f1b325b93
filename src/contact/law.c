/* Contact laws: constants of a step, dispatch to the three models, and the primal-dual friction variable.
 *
 * The constants are set once a step for every contact; evaluation happens in every Newton iteration and
 * line search.  Pure functions, no MPI.  Equations: ICF (18)-(26), SAP (27), section V.
 */
#include "contact/law.h"

#include <string.h>

#include <math.h>

#include "contact/law_private.h"

static bool is_frictionless(const icf_law *law)
{
    return law->mu[0] == 0.0 && law->mu[1] == 0.0;
}

/* R_n = max(beta^2/(4 pi^2) w, 1/(dt k (dt + tau))) (SAP V). */
static double sap_normal_regularization(const icf_law *law)
{
    const double dt = law->normal.dt, k = law->normal.stiffness;
    const double compliant = 1.0 / (dt * k * (dt + law->relaxation_time));
    return fmax(law->near_rigid_rn, compliant);
}

static void set_sap(icf_law *law, const icf_contact_settings *settings, double tau, double w)
{
    /* a contact that no body can give way to (w = 0) has no say in the solution: any value will do */
    const double inverse_mass = w > 0.0 ? w : 1.0, period = settings->near_rigid / (2.0 * M_PI);
    law->relaxation_time = tau;
    law->near_rigid_rn = period * period * inverse_mass;
    law->rn = sap_normal_regularization(law);
    law->rt = settings->sigma * inverse_mass;
    law->vhat = -law->normal.phi0 / (law->normal.dt + tau);
}

/* gamma_n0 and eps_s, softened with the impulse when regularized (ICF 26). */
static void set_regularized_friction(icf_law *law, const icf_contact_settings *settings, double vn0, double w)
{
    const double mu = fmax(law->mu[0], law->mu[1]);
    law->lagged_impulse = icf_normal_lagged_impulse(&law->normal, vn0);
    law->slip = settings->stiction_tolerance;
    if (settings->regularized) law->slip = fmax(law->slip, settings->sigma * w * mu * law->lagged_impulse);
}

void icf_law_init(icf_law *law, const icf_contact_settings *settings, const icf_material *combined, double dt,
                  double phi0, double vn0, double w)
{
    *law = (icf_law){
        .model = settings->model,
        .anisotropic = combined->anisotropic,
        .stiffness = combined->stiffness,
        .mu = {combined->friction[0], combined->friction[1]},
    };
    icf_normal_init(&law->normal, combined, dt, phi0);
    if (law->model == ICF_MODEL_SAP)
        set_sap(law, settings, combined->relaxation_time, w);
    else
        set_regularized_friction(law, settings, vn0, w);
}

void icf_law_set_stage(icf_law *law, double factor)
{
    if (icf_normal_is_barrier(&law->normal)) return;
    law->normal.stiffness = factor * law->stiffness;
    if (law->model == ICF_MODEL_SAP) law->rn = sap_normal_regularization(law);
}

double icf_law_stiffness(const icf_law *law)
{
    const icf_normal_params *normal = &law->normal;
    if (icf_normal_is_barrier(normal)) return 0.0;
    const double hertz = normal->law == ICF_NORMAL_HERTZ ? 1.5 * sqrt(fmax(0.0, -normal->phi0)) : 1.0;
    return normal->dt * normal->dt * law->stiffness * hertz;
}

double icf_law_hardness(const icf_law *law, const double vc[3])
{
    return law->model == ICF_MODEL_LAGGED ? icf_normal_hardness(&law->normal, vc[2]) : 0.0;
}

double icf_law_evaluate_all(const icf_law *law, const double vc[3], const double *dual, double impulse[3],
                            icf_sym3 *hessian)
{
    switch (law->model) {
    case ICF_MODEL_SAP: return icf_sap_evaluate_all(law, vc, dual, impulse, hessian);
    case ICF_MODEL_SIMILAR: return icf_similar_evaluate_all(law, vc, impulse, hessian);
    case ICF_MODEL_LAGGED: break;
    }
    return icf_lagged_evaluate_all(law, vc, dual, impulse, hessian);
}

void icf_law_evaluate_range(icf_lid n, const icf_law *law, const double (*vc)[3], const double (*dual)[2],
                            double (*impulse)[3], icf_sym3 *hessian, double *cost)
{
    for (icf_lid i = 0; i < n; ++i) *cost += icf_law_evaluate_all(&law[i], vc[i], dual[i], impulse[i], &hessian[i]);
}

bool icf_law_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature)
{
    switch (law->model) {
    case ICF_MODEL_SAP: icf_sap_slope(law, vc, dvc, slope, curvature); return true;
    case ICF_MODEL_SIMILAR: return icf_similar_slope(law, vc, dvc, slope, curvature);
    case ICF_MODEL_LAGGED: break;
    }
    return icf_lagged_slope(law, vc, dvc, slope, curvature);
}

bool icf_law_slope_range(icf_lid n, const icf_law *law, const double (*vc)[3], const double (*dvc)[3], double alpha,
                         double *slope, double *curvature)
{
    for (icf_lid i = 0; i < n; ++i) {
        const double at[3] = {vc[i][0] + alpha * dvc[i][0], vc[i][1] + alpha * dvc[i][1], vc[i][2] + alpha * dvc[i][2]};
        if (!icf_law_slope(&law[i], at, dvc[i], slope, curvature)) return false;
    }
    return true;
}

void icf_law_correction(const icf_law *law, const double vc[3], const double dvc[3], double impulse[3])
{
    memset(impulse, 0, 3 * sizeof *impulse);
    if (law->model == ICF_MODEL_SIMILAR) icf_similar_correction(law, vc, dvc, impulse);
}

bool icf_law_feasible(const icf_law *law, const double vc[3])
{
    if (!icf_normal_is_barrier(&law->normal)) return true;
    const icf_slip slip = icf_slip_of(law, vc);
    const double z = law->model == ICF_MODEL_SIMILAR ? vc[2] - slip.weight * slip.norm : vc[2];
    return icf_normal_feasible(&law->normal, z);
}

/* Slip in tilde space as the primal-dual form sees it: SAP's has no tolerance. */
static icf_slip dual_slip(const icf_law *law, const double vc[3])
{
    if (law->model == ICF_MODEL_LAGGED) return icf_slip_of(law, vc);
    icf_slip slip = {.scale = {1.0, 1.0}, .v = {vc[0], vc[1]}};
    const double r = sqrt(vc[0] * vc[0] + vc[1] * vc[1]);
    slip.inverse = r > 0.0 ? 1.0 / r : 0.0;
    return slip;
}

/* Scales w back into the unit disc. */
static void limit_dual(double dual[2])
{
    const double square = dual[0] * dual[0] + dual[1] * dual[1];
    if (!(square > 1.0)) return;
    const double scale = 1.0 / sqrt(square);
    dual[0] *= scale;
    dual[1] *= scale;
}

void icf_law_dual_start(const icf_law *law, const double vc[3], double dual[2])
{
    dual[0] = dual[1] = 0.0;
    if (law->model == ICF_MODEL_SIMILAR || is_frictionless(law)) return;
    const icf_slip slip = dual_slip(law, vc);
    dual[0] = slip.inverse * slip.v[0];
    dual[1] = slip.inverse * slip.v[1];
    limit_dual(dual);
}

void icf_law_dual_update(const icf_law *law, const double vc[3], const double dvc[3], double alpha, double dual[2])
{
    if (law->model == ICF_MODEL_SIMILAR || is_frictionless(law)) return;
    if (law->model == ICF_MODEL_SAP && icf_sap_region_of(law, vc) != ICF_SAP_SLIDING) return;
    const icf_slip slip = dual_slip(law, vc);
    const double d[2] = {slip.scale[0] * dvc[0], slip.scale[1] * dvc[1]}, s = slip.inverse;
    const double along = s * (slip.v[0] * d[0] + slip.v[1] * d[1]);
    for (int i = 0; i < 2; ++i) dual[i] += alpha * ((slip.v[i] + d[i] - dual[i] * along) * s - dual[i]);
    limit_dual(dual);
}

void icf_law_dual_update_range(icf_lid n, const icf_law *law, const double (*vc)[3], const double (*dvc)[3],
                               double alpha, double (*dual)[2])
{
    for (icf_lid i = 0; i < n; ++i) icf_law_dual_update(&law[i], vc[i], dvc[i], alpha, dual[i]);
}
