/* Front kernels for the instruction set base (front_kernels_body.h). */
#define ICF_REAL    double
#define ICF_LANES   2
#define ICF_SHORT   2
#define ICF_TALL    4
#define ICF_DOUBLES 2
#define ICF_KERNELS icf_front_kernels_base
#define ICF_NAME    "base"
#include "solver/front_kernels_body.h"
