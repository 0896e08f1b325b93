/* Element formulas for the instruction set base (element_kernels_body.h). */
#define ICF_LANES   2
#define ICF_KERNELS icf_element_kernels_base
#define ICF_NAME    "base"
#include "fem/element_kernels_body.h"
