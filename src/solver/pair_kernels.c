/* Choice of the pair kernels. */
#include "solver/pair_kernels.h"

const icf_pair_kernels *icf_pair_kernels_select(void)
{
#ifdef ICF_X86_KERNELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &icf_pair_kernels_avx2;
#endif
    return &icf_pair_kernels_base;
}
