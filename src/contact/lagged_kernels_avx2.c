/* Kernels of the model Lagged for the instruction set AVX2 (lagged_kernels_body.h). */
#define ICF_KERNELS icf_lagged_kernels_avx2
#define ICF_NAME    "AVX2"
#include "contact/lagged_kernels_body.h"
