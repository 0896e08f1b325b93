/* Constants of contacts of the model Lagged, and the choice of their kernels. */
#include "contact/lagged_lanes.h"

icf_status icf_lagged_lanes_alloc(icf_lagged_lanes *lanes, icf_arena *arena, icf_lid n)
{
    for (int k = 0; k < ICF_LAGGED_CONSTANTS; ++k) {
        lanes->value[k] = ICF_ARENA_ARRAY(arena, double, n);
        if (!lanes->value[k]) return ICF_ERROR_MEMORY;
    }
    return ICF_OK;
}

bool icf_lagged_lanes_put(const icf_lagged_lanes *lanes, icf_lid i, const icf_law *law)
{
    const icf_normal_params *normal = &law->normal;
    if (law->model != ICF_MODEL_LAGGED || normal->law != ICF_NORMAL_LINEAR) return false;
    double *const *value = lanes->value;
    value[ICF_LAGGED_SCALE_1][i] = law->anisotropic ? law->mu[0] : 1.0;
    value[ICF_LAGGED_SCALE_2][i] = law->anisotropic ? law->mu[1] : 1.0;
    value[ICF_LAGGED_FRICTION][i] = (law->anisotropic ? 1.0 : law->mu[0]) * law->lagged_impulse;
    value[ICF_LAGGED_SLIP][i] = law->slip;
    value[ICF_LAGGED_VHAT][i] = normal->vhat;
    value[ICF_LAGGED_OVERLAP][i] = normal->overlap;
    value[ICF_LAGGED_DAMPING][i] = normal->damping;
    value[ICF_LAGGED_STIFFNESS][i] = normal->dt * normal->stiffness;
    value[ICF_LAGGED_DISSIPATION][i] = normal->dissipation;
    value[ICF_LAGGED_STEP][i] = normal->dt;
    return true;
}

const icf_lagged_kernels *icf_lagged_kernels_select(void)
{
#ifdef ICF_X86_KERNELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &icf_lagged_kernels_avx2;
#endif
    return &icf_lagged_kernels_base;
}
