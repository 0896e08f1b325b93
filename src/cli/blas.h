/* BLAS kernel check: OpenBLAS picks its kernels when it is loaded, by a list of known CPUs, and falls back to
 * SSE ones on a CPU that is newer than the list.  They are 3 to 5 times slower.
 */
#ifndef ICF_CLI_BLAS_H
#define ICF_CLI_BLAS_H

#include <stdbool.h>

/* The value that OPENBLAS_CORETYPE should have, or NULL when things are as they should be: the kernel in use
 * is none for AVX2, the CPU has AVX2, the user set no kernel, and this has not been tried before.
 *   kernel   [in] name of the kernel in use
 *   has_avx2 [in] whether the CPU has AVX2 and FMA
 *   user     [in] value of OPENBLAS_CORETYPE, NULL when unset
 *   tried    [in] whether this process is the second try */
const char *icf_blas_better_kernel(const char *kernel, bool has_avx2, const char *user, bool tried);

/* Starts the program over with a better kernel when that is needed and the command computes something (`run`,
 * `--version`).  Returns when nothing is to be done or it failed.  Call before MPI starts and before any
 * output. */
void icf_blas_require_fast_kernel(int argc, char **argv);

/* Name of the kernel that BLAS uses. */
const char *icf_blas_kernel(void);

#endif
