/* Materials, and what a pair of them does in contact (physics: contact, combination rules). */
#ifndef ICF_SCENE_MATERIAL_H
#define ICF_SCENE_MATERIAL_H

#include "base/context.h"
#include "base/vec.h"

typedef enum icf_normal_law {
    ICF_NORMAL_LINEAR,      /* linear elastic, Hunt & Crossley dissipation (ICF 22, 23) */
    ICF_NORMAL_HERTZ,       /* Hertz, Hunt & Crossley dissipation */
    ICF_NORMAL_LOG_BARRIER, /* logarithmic barrier (ICF 27) */
    ICF_NORMAL_IPC_BARRIER, /* barrier of finite range (ICF IX-B) */
    ICF_NORMAL_COUNT
} icf_normal_law;

/* Keys of a material that a scene gave; the others have their default (material) or come from the
 * combination rule (pair). */
enum {
    ICF_MATERIAL_NORMAL = 1 << 0,
    ICF_MATERIAL_STIFFNESS = 1 << 1,
    ICF_MATERIAL_BARRIER_DISTANCE = 1 << 2,
    ICF_MATERIAL_DISSIPATION = 1 << 3,
    ICF_MATERIAL_RELAXATION_TIME = 1 << 4,
    ICF_MATERIAL_FRICTION = 1 << 5,
    ICF_MATERIAL_STIFFNESS_PER_AREA = 1 << 6
};

/* A material as the scene describes it, and also the combined values of a pair. */
typedef struct icf_material {
    unsigned given; /* bits of the keys that were given */
    icf_normal_law normal;
    double stiffness;          /* N/m; Hertz N/m^1.5; log barrier J; IPC barrier N/m; may be infinite */
    double stiffness_per_area; /* surfaces of deformables [Pa/m]; infinite when not given */
    double barrier_distance;   /* m, IPC barrier only, else 0 */
    double dissipation;        /* Hunt & Crossley d [s/m] */
    double relaxation_time;    /* tau_d of SAP [s] */
    double friction[2];        /* mu; two principal values when anisotropic, else equal */
    bool anisotropic;
    icf_vec3 axis; /* unit axis of friction[0] in the world, when anisotropic */
} icf_material;

/* The defaults of the scene file. */
icf_material icf_material_default(void);

/* Combined values of two materials a and b, with `pair` (may be NULL) giving some of them directly.
 *   combined [out] normal law, stiffness, barrier distance, d, tau, friction of the pair
 * What `pair` leaves out comes from the rule: k = kA kB/(kA+kB) (one may be infinite), Hertz
 * k = (kA^-2/3 + kB^-2/3)^-3/2, d = (kB dA + kA dB)/(kA+kB), tau = tauA + tauB,
 * mu = 2 muA muB/(muA+muB).  Symmetric in a and b to the last bit.  d is weighted with the materials' own
 * stiffness even when `pair` gives another; the rule for k needs both materials to have the pair's law.
 * A material with itself is the case a == b (one address): barriers are no springs in series, so their
 * stiffness and distance, and anisotropic friction, are then taken as they are.
 * ICF_ERROR_SCENE when the rule does not say: both infinite, different normal laws, barriers or
 * anisotropic friction between different materials; the reason is a static text in *why (else NULL). */
ICF_MUST_CHECK icf_status icf_material_combine(const icf_material *a, const icf_material *b, const icf_material *pair,
                                               icf_material *combined, const char **why);

/* The same where at least one of the bodies is deformable: K = KA KB/(KA+KB) of the stiffnesses per area, which also
 * weight d, is the combined stiffness [Pa/m]; the law must be linear (physics: deformable bodies). */
ICF_MUST_CHECK icf_status icf_material_combine_surface(const icf_material *a, const icf_material *b,
                                                       const icf_material *pair, icf_material *combined,
                                                       const char **why);

/* Weight of b's witness point in the contact point p = (1 - weight) pA + weight pB, from the materials'
 * own stiffness: kB/(kA+kB); half-way for equal materials and for two infinite ones. */
double icf_material_witness_weight(const icf_material *a, const icf_material *b);

#endif
