/* BLAS kernel check.
 *
 * OPENBLAS_CORETYPE is read by the library's constructor, before main: setting it here is too late for this
 * process image.  So the program sets it and executes itself again.  The process keeps its id, its open files
 * and its environment, so a launcher such as mpirun does not notice.  A guard variable stops a second try, in
 * case the library does not know the kernel it is asked for.
 */
#include "cli/blas.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char core_variable[] = "OPENBLAS_CORETYPE";
static const char guard_variable[] = "ICF_BLAS_KERNEL_TRIED";

/* Kernels without AVX2 and fused multiply-add, as OpenBLAS names them. */
static bool is_slow(const char *kernel)
{
    static const char *const names[] = {"Unknown", "Generic",     "Katmai", "Coppermine", "Northwood",    "Prescott",
                                        "Banias",  "Dothan",      "Core2",  "Penryn",     "Dunnington",   "Nehalem",
                                        "Atom",    "Sandybridge", "Athlon", "Opteron",    "Opteron_SSE3", "Barcelona",
                                        "Bobcat",  "Bulldozer",   "Nano"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcasecmp(kernel, names[i]) == 0) return true;
    return false;
}

const char *icf_blas_better_kernel(const char *kernel, bool has_avx2, const char *user, bool tried)
{
    return has_avx2 && !user && !tried && is_slow(kernel) ? "Haswell" : NULL;
}

static bool cpu_has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static bool command_computes(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "--version") == 0);
}

void icf_blas_require_fast_kernel(int argc, char **argv)
{
    if (!command_computes(argc, argv)) return;
    const char *better = icf_blas_better_kernel(icf_blas_kernel(), cpu_has_avx2(), getenv(core_variable),
                                                getenv(guard_variable) != NULL);
    if (!better) return;
    setenv(core_variable, better, 1);
    setenv(guard_variable, "1", 1);
    execv("/proc/self/exe", argv);
    unsetenv(core_variable); /* not replaced: children choose for themselves */
}

const char *icf_blas_kernel(void)
{
    return openblas_get_corename();
}
