/* Front kernels in single precision for the instruction set AVX2 (front_kernels_body.h). */
#define ICF_REAL    float
#define ICF_LANES   8
#define ICF_SHORT   8
#define ICF_TALL    2
#define ICF_DOUBLES 4
#define ICF_KERNELS icf_front_kernels_avx2_single
#define ICF_NAME    "AVX2, single precision"
#include "solver/front_kernels_body.h"
