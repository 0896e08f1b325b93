/* Contact laws: cost, impulse and Hessian of one contact from its velocity, for the models SAP, Lagged
 * and Similar, isotropic or anisotropic.
 *
 * A contact velocity is (vt1, vt2, vn) in the contact frame, vn > 0 separating [m/s].  The law's constants
 * for a step are set once by icf_law_init; then everything is a pure, thread-safe function of velocity.
 * Equations: ICF (18)-(26), appendix B; SAP (27), (29), (30), appendices C, D.
 */
#ifndef ICF_CONTACT_LAW_H
#define ICF_CONTACT_LAW_H

#include "contact/normal_law.h"
#include "scene/scene.h"

/* Constants of one contact during one step. */
typedef struct icf_law {
    icf_model model;
    bool anisotropic;
    icf_normal_params normal; /* its stiffness may be a continuation stage's, see icf_law_set_stage */
    double stiffness;         /* the true stiffness, as normal.stiffness */
    double mu[2];             /* friction along the two tangential axes; equal when isotropic */
    double lagged_impulse;    /* gamma_n0 [N s], of the true stiffness; lagged and similar */
    double slip;              /* eps_s [m/s], of the true stiffness; lagged and similar */
    double rn, rt;            /* SAP regularisation R_n, R_t [1/kg] */
    double vhat;              /* SAP stabilisation velocity [m/s] */
    double near_rigid_rn;     /* SAP: beta^2/(4 pi^2) w, the clamp of R_n */
    double relaxation_time;   /* SAP: tau of the pair [s] */
} icf_law;

/* Symmetric 3x3 matrix by its lower triangle: (0,0) (1,0) (1,1) (2,0) (2,1) (2,2). */
typedef struct icf_sym3 {
    double m[6];
} icf_sym3;

/* Sets the constants of one contact for a step.
 *   settings [in] model, regularized, stiction_tolerance (> 0), sigma (> 0 for SAP), near_rigid
 *   combined [in] combined material values of the pair
 *   dt       [in] step [s]
 *   phi0     [in] signed distance at the step's start [m]
 *   vn0      [in] normal velocity of v0 (with bias) on this step's geometry [m/s]
 *   w        [in] effective inverse mass |W|_F / 3 [1/kg] */
void icf_law_init(icf_law *law, const icf_contact_settings *settings, const icf_material *combined, double dt,
                  double phi0, double vn0, double w);

/* Multiplies the true stiffness by factor in n and n' (and SAP's R_n), for a stage of stiffness continuation;
 * gamma_n0 and eps_s stay those of the true stiffness.  Factor 1 restores the law to the last bit.  Barriers have no
 * stages. */
void icf_law_set_stage(icf_law *law, double factor);

/* dt^2 k of the true stiffness at the step's start, whether or not the contact is closed [kg]; 0 without stages. */
double icf_law_stiffness(const icf_law *law);

/* The normal law's hardness at vc (normal_law.h) of model Lagged; 0 of the others, which gain nothing from stages
 * there. */
double icf_law_hardness(const icf_law *law, const double vc[3]);

/* Cost [J], impulse [N s] (impulse = -gradient of the cost) and Hessian at velocity vc.  An infeasible velocity of a
 * barrier gives an infinite cost, a zero impulse and a Hessian without normal part.
 *   dual    [in]  w of this contact (2), |w| <= 1 (in tilde space when anisotropic): Hessian for the Newton direction,
 *                 friction by the primal-dual form (solver notes, change A; Similar: the exact one); NULL: exact
 *   hessian [out] symmetric positive semi-definite.  Where the cost has a kink in its slope it is that of one side: the
 *                 closed side of SAP's regions, the open side at the breaking velocity of a normal law. */
double icf_law_evaluate_all(const icf_law *law, const double vc[3], const double *dual, double impulse[3],
                            icf_sym3 *hessian);

/* The same for n contacts of one model, costs added to *cost one by one. */
void icf_law_evaluate_range(icf_lid n, const icf_law *law, const double (*vc)[3], const double (*dual)[2],
                            double (*impulse)[3], icf_sym3 *hessian, double *cost);

/* t(v) = s vt, the dual that makes the direction Hessian exact (zero for Similar and frictionless). */
void icf_law_dual_start(const icf_law *law, const double vc[3], double dual[2]);

/* Update of the dual after a step of length alpha along dvc from vc: w += alpha((vt + dvt - w(t.dvt)) s - w)
 * scaled back to |w| <= 1, with vt, s, t of the old vc.  SAP: only when vc is in the sliding region. */
void icf_law_dual_update(const icf_law *law, const double vc[3], const double dvc[3], double alpha, double dual[2]);

/* The same for n contacts of one model. */
void icf_law_dual_update_range(icf_lid n, const icf_law *law, const double (*vc)[3], const double (*dvc)[3],
                               double alpha, double (*dual)[2]);

/* First and second derivative of the cost along dvc at vc, for the line search; adds to *slope and
 * *curvature.  Returns false when vc is infeasible (barriers). */
bool icf_law_slope(const icf_law *law, const double vc[3], const double dvc[3], double *slope, double *curvature);

/* The same at vc + alpha dvc for n contacts of one model, one after the other; stops at an infeasible one. */
bool icf_law_slope_range(icf_lid n, const icf_law *law, const double (*vc)[3], const double (*dvc)[3], double alpha,
                         double *slope, double *curvature);

/* Impulse for a second-order correction of a step dvc from vc [N s].  The step counts on z + dz/dvc dvc in the normal
 * law; z at its end is smaller by the curvature of the slip, and this is the impulse that makes up for it, n'(z) times
 * the difference along dz/dvc.  Zero but for Similar, where slip enters z. */
void icf_law_correction(const icf_law *law, const double vc[3], const double dvc[3], double impulse[3]);

/* Whether vc is in the law's domain (barriers: phi0 + dt z > 0). */
bool icf_law_feasible(const icf_law *law, const double vc[3]);

#endif
