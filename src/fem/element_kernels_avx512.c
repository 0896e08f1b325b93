/* Element formulas for the instruction set AVX-512 (element_kernels_body.h). */
#define ICF_LANES   8
#define ICF_KERNELS icf_element_kernels_avx512
#define ICF_NAME    "AVX-512"
#include "fem/element_kernels_body.h"
