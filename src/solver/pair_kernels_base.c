/* Pair kernels for the instruction set base (pair_kernels_body.h). */
#define ICF_KERNELS icf_pair_kernels_base
#define ICF_NAME    "base"
#include "solver/pair_kernels_body.h"
