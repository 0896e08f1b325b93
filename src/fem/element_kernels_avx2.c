/* Element formulas for the instruction set AVX2 (element_kernels_body.h). */
#define ICF_LANES   4
#define ICF_KERNELS icf_element_kernels_avx2
#define ICF_NAME    "AVX2"
#include "fem/element_kernels_body.h"
