/* Choice of the element kernels. */
#include "fem/element_kernels.h"

const icf_element_kernels *icf_element_kernels_select(void)
{
#ifdef ICF_X86_KERNELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &icf_element_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &icf_element_kernels_avx2;
#endif
    return &icf_element_kernels_base;
}
