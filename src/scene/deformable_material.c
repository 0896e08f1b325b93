/* Materials of deformable bodies: defaults, Lame's constants, names. */
#include "scene/deformable_material.h"

const char *const icf_elastic_model_names[ICF_ELASTIC_COUNT + 1] = {
    [ICF_ELASTIC_COROTATIONAL] = "corotational",
    [ICF_ELASTIC_NEO_HOOKEAN] = "neo_hookean",
    [ICF_ELASTIC_ST_VENANT_KIRCHHOFF] = "st_venant_kirchhoff",
};

icf_deformable_material icf_deformable_material_default(void)
{
    return (icf_deformable_material){.model = ICF_ELASTIC_COROTATIONAL, .geometric_stiffness = true};
}

icf_lame icf_deformable_material_lame(const icf_deformable_material *material)
{
    const double e = material->youngs_modulus, nu = material->poissons_ratio;
    return (icf_lame){.mu = e / (2.0 * (1.0 + nu)), .lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))};
}
