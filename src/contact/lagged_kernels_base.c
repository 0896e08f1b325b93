/* Kernels of the model Lagged for the base instruction set (lagged_kernels_body.h). */
#define ICF_KERNELS icf_lagged_kernels_base
#define ICF_NAME    "base"
#include "contact/lagged_kernels_body.h"
