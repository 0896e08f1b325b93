/* Front kernels in single precision for the instruction set base (front_kernels_body.h). */
#define ICF_REAL    float
#define ICF_LANES   4
#define ICF_SHORT   4
#define ICF_TALL    4
#define ICF_DOUBLES 2
#define ICF_KERNELS icf_front_kernels_base_single
#define ICF_NAME    "base, single precision"
#include "solver/front_kernels_body.h"
