/* Choice of the front kernels. */
#include "solver/front_kernels.h"

const icf_front_kernels *icf_front_kernels_select(bool single)
{
#ifdef ICF_X86_KERNELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return single ? &icf_front_kernels_avx512_single : &icf_front_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return single ? &icf_front_kernels_avx2_single : &icf_front_kernels_avx2;
#endif
    return single ? &icf_front_kernels_base_single : &icf_front_kernels_base;
}
