/* Front kernels for the instruction set AVX2 (front_kernels_body.h). */
#define ICF_REAL    double
#define ICF_LANES   4
#define ICF_SHORT   4
#define ICF_TALL    2
#define ICF_DOUBLES 4
#define ICF_KERNELS icf_front_kernels_avx2
#define ICF_NAME    "AVX2"
#include "solver/front_kernels_body.h"
