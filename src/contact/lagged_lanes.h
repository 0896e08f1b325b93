/* The laws of many contacts at a time: model Lagged with the linear normal law (law_lagged.c, normal_kernel.h).
 *
 * Laws are evaluated for every contact in every iteration and line search.  Their constants lie in arrays of one
 * constant each, so that a vector has those of neighbouring contacts; nothing depends on which contacts share a vector.
 * The source of the kernels (lagged_kernels_body.h) is compiled for AVX2 and for the base instruction set; the
 * processor decides which one runs.  Each is repeatable in bits; they differ in rounding.
 */
#ifndef ICF_CONTACT_LAGGED_LANES_H
#define ICF_CONTACT_LAGGED_LANES_H

#include "base/arena.h"
#include "contact/law.h"

typedef enum icf_lagged_constant {
    ICF_LAGGED_SCALE_1, /* M of the slip in tilde space (law_private.h) */
    ICF_LAGGED_SCALE_2,
    ICF_LAGGED_FRICTION,    /* c gamma_n0 [N s] */
    ICF_LAGGED_SLIP,        /* eps_s [m/s] */
    ICF_LAGGED_VHAT,        /* of the normal law (normal_law.h) from here on [m/s] */
    ICF_LAGGED_OVERLAP,     /* [m] */
    ICF_LAGGED_DAMPING,     /* e = 1 - d vhat */
    ICF_LAGGED_STIFFNESS,   /* dt k of the stage [N s/m] */
    ICF_LAGGED_DISSIPATION, /* [s/m] */
    ICF_LAGGED_STEP,        /* [s] */
    ICF_LAGGED_CONSTANTS
} icf_lagged_constant;

/* Constants of contacts. */
typedef struct icf_lagged_lanes {
    double *value[ICF_LAGGED_CONSTANTS]; /* (contacts) each */
} icf_lagged_lanes;

/* Takes the arrays for n contacts from an arena, not initialised. */
ICF_MUST_CHECK icf_status icf_lagged_lanes_alloc(icf_lagged_lanes *lanes, icf_arena *arena, icf_lid n);

/* Sets the constants of contact i; returns false, with nothing set, for other models and normal laws. */
bool icf_lagged_lanes_put(const icf_lagged_lanes *lanes, icf_lid i, const icf_law *law);

/* What law.h has for one contact, for contacts first..first+n-1 of the lanes; all other arrays have those n.
 *   vc, dvc [in]     (n) velocities and directions in the contact frame [m/s]
 *   dual    [in,out] (n) w of the primal-dual form, |w| <= 1
 *   impulse [out]    (n) [N s]
 *   hessian [out]    (n) [kg] */
typedef struct icf_lagged_kernels {
    const char *name;

    /* Impulses, Hessians with the primal-dual form of friction, and the costs, added to *cost one by one. */
    void (*evaluate)(const icf_lagged_lanes *lanes, icf_lid first, icf_lid n, const double (*vc)[3],
                     const double (*dual)[2], double (*impulse)[3], icf_sym3 *hessian, double *cost);

    /* Derivatives of the costs along dvc at vc + alpha dvc, added to *slope and *curvature one by one. */
    void (*slope)(const icf_lagged_lanes *lanes, icf_lid first, icf_lid n, const double (*vc)[3],
                  const double (*dvc)[3], double alpha, double *slope, double *curvature);

    /* Duals after a step of length alpha along dvc from vc. */
    void (*update_dual)(const icf_lagged_lanes *lanes, icf_lid first, icf_lid n, const double (*vc)[3],
                        const double (*dvc)[3], double alpha, double (*dual)[2]);
} icf_lagged_kernels;

extern const icf_lagged_kernels icf_lagged_kernels_base;
#ifdef ICF_X86_KERNELS
extern const icf_lagged_kernels icf_lagged_kernels_avx2;
#endif

/* The fastest kernels this processor runs. */
const icf_lagged_kernels *icf_lagged_kernels_select(void);

#endif
