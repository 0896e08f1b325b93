/* Front kernels for the instruction set AVX-512 (front_kernels_body.h). */
#define ICF_REAL    double
#define ICF_LANES   8
#define ICF_SHORT   8
#define ICF_TALL    3
#define ICF_DOUBLES 8
#define ICF_KERNELS icf_front_kernels_avx512
#define ICF_NAME    "AVX-512"
#include "solver/front_kernels_body.h"
