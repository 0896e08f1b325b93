/* Counts the calls that take heap memory: icf_alloc, icf_grow and icf_renew are wrapped by the linker (--wrap).
 * Included by one file of a test. */
#ifndef ICF_TESTS_COUNT_ALLOCATIONS_H
#define ICF_TESTS_COUNT_ALLOCATIONS_H

#include "base/memory.h"

static long nalloc; /* calls that took memory */

void *__real_icf_alloc(size_t bytes);
void *__wrap_icf_alloc(size_t bytes);
icf_status __real_icf_grow(void **array, size_t *capacity, size_t n, size_t size);
icf_status __wrap_icf_grow(void **array, size_t *capacity, size_t n, size_t size);
icf_status __real_icf_renew(void **array, size_t *capacity, size_t n, size_t size);
icf_status __wrap_icf_renew(void **array, size_t *capacity, size_t n, size_t size);

void *__wrap_icf_alloc(size_t bytes)
{
    ++nalloc;
    return __real_icf_alloc(bytes);
}

icf_status __wrap_icf_grow(void **array, size_t *capacity, size_t n, size_t size)
{
    if (n > *capacity) ++nalloc;
    return __real_icf_grow(array, capacity, n, size);
}

icf_status __wrap_icf_renew(void **array, size_t *capacity, size_t n, size_t size)
{
    if (n > *capacity) ++nalloc;
    return __real_icf_renew(array, capacity, n, size);
}

#endif
