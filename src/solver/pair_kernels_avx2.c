/* Pair kernels for the instruction set AVX2 (pair_kernels_body.h). */
#define ICF_KERNELS icf_pair_kernels_avx2
#define ICF_NAME    "AVX2"
#include "solver/pair_kernels_body.h"
