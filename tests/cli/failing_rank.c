/* Makes calls fail on one rank of a program under mpirun, when it is loaded before the program's libraries:
 *
 *   FAILING_RANK    the rank
 *   FAILING_ALLOC   number of the allocation of icf that finds no memory, 1 the first; it and all after it fail
 *   FAILING_MUMPS   number of the call of MUMPS that reports an error
 *   FAILING_WRITE   number of the write through MPI that finds the disk full; it and all after it fail
 */
#include <dlfcn.h>
#include <dmumps_c.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Whether the count of calls has come to the number in a variable, on the rank that is to fail. */
static int is_due(const char *variable, long *calls)
{
    const char *number = getenv(variable), *failing = getenv("FAILING_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!number || !failing || !rank || strcmp(failing, rank) != 0) return 0;
    return ++*calls >= atol(number);
}

/* icf takes all its memory here (src/base/memory.c); other libraries do not. */
void *aligned_alloc(size_t alignment, size_t size)
{
    static long calls;
    static void *(*real)(size_t, size_t);
    if (is_due("FAILING_ALLOC", &calls)) return NULL;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "aligned_alloc");
    return real(alignment, size);
}

void dmumps_c(DMUMPS_STRUC_C *mumps)
{
    static long calls;
    static void (*real)(DMUMPS_STRUC_C *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "dmumps_c");
    real(mumps);
    if (!is_due("FAILING_MUMPS", &calls)) return;
    mumps->infog[0] = -13;
    mumps->infog[1] = 1000;
}

/* What Open MPI writes parallel files with. */
static int disk_is_full(void)
{
    static long calls;
    if (!is_due("FAILING_WRITE", &calls)) return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t pwritev(int file, const struct iovec *pieces, int n, off_t at)
{
    static ssize_t (*real)(int, const struct iovec *, int, off_t);
    if (disk_is_full()) return -1;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwritev");
    return real(file, pieces, n, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (disk_is_full()) return -1;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
    return real(file, data, size, at);
}
