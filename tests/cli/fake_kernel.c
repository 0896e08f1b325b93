/* Stands in for a BLAS library that does not know the CPU: it reports the kernel it is told to use, and a slow
 * one when it is told nothing or FAKE_KERNEL_ALWAYS is set. */
#include <stdlib.h>

char *openblas_get_corename(void);

char *openblas_get_corename(void)
{
    static char slow[] = "Prescott";
    char *told = getenv("OPENBLAS_CORETYPE");
    return told && !getenv("FAKE_KERNEL_ALWAYS") ? told : slow;
}
