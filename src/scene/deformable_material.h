/* Materials of deformable bodies: the elastic model, its moduli, density and Rayleigh damping (physics: deformable
 * bodies, materials).  What the surface does in contact is an icf_material. */
#ifndef ICF_SCENE_DEFORMABLE_MATERIAL_H
#define ICF_SCENE_DEFORMABLE_MATERIAL_H

#include "base/context.h"

typedef enum icf_elastic_model {
    ICF_ELASTIC_COROTATIONAL,        /* linear in the frame of the element's rotation at the step's start */
    ICF_ELASTIC_NEO_HOOKEAN,         /* stable neo-Hookean: finite energy at any deformation, inversion included */
    ICF_ELASTIC_ST_VENANT_KIRCHHOFF, /* quadratic in the Green strain; soft in compression */
    ICF_ELASTIC_COUNT
} icf_elastic_model;

typedef struct icf_deformable_material {
    icf_elastic_model model;
    bool geometric_stiffness; /* corotational only: Kg in A; without it bodies under tension shake at large steps */
    double youngs_modulus;    /* E [Pa], > 0 */
    double poissons_ratio;    /* nu, 0 <= nu < 0.5 */
    double density;           /* rho [kg/m^3], > 0 */
    double mass_damping;      /* alpha of D = alpha M + beta_R K [1/s], >= 0 */
    double stiffness_damping; /* beta_R [s], >= 0 */
} icf_deformable_material;

/* Lame's constants of a material. */
typedef struct icf_lame {
    double mu;     /* E / (2 (1 + nu)) [Pa] */
    double lambda; /* E nu / ((1 + nu)(1 - 2 nu)) [Pa] */
} icf_lame;

/* Corotational with geometric stiffness, no damping; moduli and density, which have no default, are 0. */
icf_deformable_material icf_deformable_material_default(void);

icf_lame icf_deformable_material_lame(const icf_deformable_material *material);

/* Names of the models in the scene file, NULL behind the last. */
extern const char *const icf_elastic_model_names[ICF_ELASTIC_COUNT + 1];

#endif
