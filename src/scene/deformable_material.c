/* Materials of deformable bodies: defaults, ranges, Lame's constants, names. */
#include "scene/deformable_material.h"

#include <math.h>
#include <string.h>

static const char *const model_name[ICF_ELASTIC_COUNT] = {
    [ICF_ELASTIC_COROTATIONAL] = "corotational",
    [ICF_ELASTIC_NEO_HOOKEAN] = "neo_hookean",
    [ICF_ELASTIC_ST_VENANT_KIRCHHOFF] = "st_venant_kirchhoff",
};

icf_deformable_material icf_deformable_material_default(void)
{
    return (icf_deformable_material){.model = ICF_ELASTIC_COROTATIONAL, .geometric_stiffness = true};
}

static bool is_positive(double value)
{
    return isfinite(value) && value > 0.0;
}

static bool is_not_negative(double value)
{
    return isfinite(value) && value >= 0.0;
}

icf_status icf_deformable_material_check(const icf_deformable_material *material, const char **why)
{
    *why = NULL;
    if (!is_positive(material->youngs_modulus))
        *why = "youngs_modulus must be positive";
    else if (!(material->poissons_ratio >= 0.0 && material->poissons_ratio < 0.5))
        *why = "poissons_ratio must be at least 0 and below 0.5";
    else if (!is_positive(material->density))
        *why = "density must be positive";
    else if (!is_not_negative(material->mass_damping) || !is_not_negative(material->stiffness_damping))
        *why = "damping must not be negative";
    return *why ? ICF_ERROR_SCENE : ICF_OK;
}

icf_lame icf_deformable_material_lame(const icf_deformable_material *material)
{
    const double e = material->youngs_modulus, nu = material->poissons_ratio;
    return (icf_lame){.mu = e / (2.0 * (1.0 + nu)), .lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))};
}

const char *icf_elastic_model_name(icf_elastic_model model)
{
    return model_name[model];
}

bool icf_elastic_model_find(const char *name, icf_elastic_model *model)
{
    for (int m = 0; m < ICF_ELASTIC_COUNT; ++m)
        if (strcmp(name, model_name[m]) == 0) {
            *model = (icf_elastic_model)m;
            return true;
        }
    return false;
}
