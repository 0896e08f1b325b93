/* Front kernels in single precision for the instruction set AVX-512 (front_kernels_body.h). */
#define ICF_REAL    float
#define ICF_LANES   16
#define ICF_SHORT   8
#define ICF_TALL    3
#define ICF_DOUBLES 8
#define ICF_KERNELS icf_front_kernels_avx512_single
#define ICF_NAME    "AVX-512, single precision"
#include "solver/front_kernels_body.h"
