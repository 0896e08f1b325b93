/* Materials: defaults, and the combination rules of a pair.
 *
 * All rules are written in ratios soft/stiff of the two stiffnesses, so that infinite stiffness needs no
 * case of its own and exchanging the two materials changes no bit.
 */
#include "scene/material.h"

enum { given_all = ICF_MATERIAL_STIFFNESS_PER_AREA * 2 - 1 };

icf_material icf_material_default(void)
{
    return (icf_material){.normal = ICF_NORMAL_LINEAR,
                          .stiffness = 1e6,
                          .stiffness_per_area = INFINITY,
                          .dissipation = 10.0,
                          .relaxation_time = 0.01,
                          .friction = {0.5, 0.5}};
}

/* smaller/larger of two numbers >= 0; 1 for equal ones, two infinite ones included */
static double ratio(double a, double b)
{
    return a == b ? 1.0 : ICF_MIN(a, b) / ICF_MAX(a, b);
}

/* a b/(a + b), 0 when both are */
static double in_series(double a, double b)
{
    return ICF_MIN(a, b) / (1.0 + ratio(a, b));
}

static double hertz_in_series(double a, double b)
{
    return ICF_MIN(a, b) * pow(1.0 + pow(ratio(a, b), 2.0 / 3.0), -1.5);
}

/* (kB dA + kA dB)/(kA + kB): the softer material, which deforms more, counts more */
static double combined_dissipation(const icf_material *a, const icf_material *b)
{
    if (a->dissipation == b->dissipation) return a->dissipation;
    const bool a_is_soft = a->stiffness <= b->stiffness;
    const double soft = a_is_soft ? a->dissipation : b->dissipation;
    const double stiff = a_is_soft ? b->dissipation : a->dissipation;
    const double r = ratio(a->stiffness, b->stiffness);
    return (soft + r * stiff) / (1.0 + r);
}

static bool is_barrier(icf_normal_law law)
{
    return law == ICF_NORMAL_LOG_BARRIER || law == ICF_NORMAL_IPC_BARRIER;
}

/* Stiffness by the rule; NULL or the reason why there is none. */
static const char *stiffness_by_rule(const icf_material *a, const icf_material *b, icf_normal_law law,
                                     double *stiffness)
{
    if (a->normal != law || b->normal != law)
        return "no rule gives the stiffness: the materials have another normal law than the pair";
    if (is_barrier(law)) {
        *stiffness = a->stiffness;
        return a == b ? NULL : "no rule combines the barriers of two different materials";
    }
    *stiffness =
        law == ICF_NORMAL_HERTZ ? hertz_in_series(a->stiffness, b->stiffness) : in_series(a->stiffness, b->stiffness);
    return isinf(*stiffness) ? "both materials have infinite stiffness" : NULL;
}

static const char *combine_normal(const icf_material *a, const icf_material *b, const icf_material *pair,
                                  unsigned given, icf_material *combined)
{
    if (given & ICF_MATERIAL_NORMAL)
        combined->normal = pair->normal;
    else if (a->normal == b->normal)
        combined->normal = a->normal;
    else
        return "the materials have different normal laws";

    if (given & ICF_MATERIAL_STIFFNESS) {
        combined->stiffness = pair->stiffness;
        return isinf(pair->stiffness) ? "the stiffness of a pair must be finite" : NULL;
    }
    return stiffness_by_rule(a, b, combined->normal, &combined->stiffness);
}

static const char *combine_barrier_distance(const icf_material *a, const icf_material *b, const icf_material *pair,
                                            unsigned given, icf_material *combined)
{
    if (combined->normal != ICF_NORMAL_IPC_BARRIER) return NULL;
    if (given & ICF_MATERIAL_BARRIER_DISTANCE)
        combined->barrier_distance = pair->barrier_distance;
    else if (a == b && a->normal == ICF_NORMAL_IPC_BARRIER)
        combined->barrier_distance = a->barrier_distance;
    else
        return "no rule gives the barrier distance of two different materials";
    return NULL;
}

static void copy_friction(const icf_material *from, icf_material *to)
{
    to->friction[0] = from->friction[0];
    to->friction[1] = from->friction[1];
    to->anisotropic = from->anisotropic;
    to->axis = from->axis;
}

static const char *combine_friction(const icf_material *a, const icf_material *b, const icf_material *pair,
                                    unsigned given, icf_material *combined)
{
    if (given & ICF_MATERIAL_FRICTION)
        copy_friction(pair, combined);
    else if (a == b)
        copy_friction(a, combined);
    else if (a->anisotropic || b->anisotropic)
        return "no rule combines anisotropic friction of two different materials";
    else
        combined->friction[0] = combined->friction[1] = 2.0 * in_series(a->friction[0], b->friction[0]);
    return NULL;
}

icf_status icf_material_combine(const icf_material *a, const icf_material *b, const icf_material *pair,
                                icf_material *combined, const char **why)
{
    const unsigned given = pair ? pair->given : 0u;
    *combined = (icf_material){.given = given_all};
    combined->dissipation = given & ICF_MATERIAL_DISSIPATION ? pair->dissipation : combined_dissipation(a, b);
    combined->relaxation_time =
        given & ICF_MATERIAL_RELAXATION_TIME ? pair->relaxation_time : a->relaxation_time + b->relaxation_time;

    *why = combine_normal(a, b, pair, given, combined);
    if (!*why) *why = combine_barrier_distance(a, b, pair, given, combined);
    if (!*why) *why = combine_friction(a, b, pair, given, combined);
    return *why ? ICF_ERROR_SCENE : ICF_OK;
}

/* A material with its stiffness per area in the place of its stiffness. */
static icf_material as_surface(const icf_material *material)
{
    icf_material surface = *material;
    surface.stiffness = material->stiffness_per_area;
    surface.given &= ~(unsigned)ICF_MATERIAL_STIFFNESS;
    if (material->given & ICF_MATERIAL_STIFFNESS_PER_AREA) surface.given |= ICF_MATERIAL_STIFFNESS;
    return surface;
}

icf_status icf_material_combine_surface(const icf_material *a, const icf_material *b, const icf_material *pair,
                                        icf_material *combined, const char **why)
{
    const icf_material first = as_surface(a), second = as_surface(b);
    icf_material both = {0};
    if (pair) both = as_surface(pair);
    ICF_TRY(icf_material_combine(&first, a == b ? &first : &second, pair ? &both : NULL, combined, why));
    if (combined->normal == ICF_NORMAL_LINEAR) return ICF_OK;
    *why = "contact with a deformable body needs the normal law linear";
    return ICF_ERROR_SCENE;
}

double icf_material_witness_weight(const icf_material *a, const icf_material *b)
{
    const double stiffer = 1.0 / (1.0 + ratio(a->stiffness, b->stiffness));
    return b->stiffness >= a->stiffness ? stiffer : 1.0 - stiffer;
}
