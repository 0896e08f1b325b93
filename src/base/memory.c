/* Heap memory of the library: aligned allocation and grow-only arrays. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif

/* Pages of large arrays, where the system has them: one entry of its address tables in place of 512. */
static const size_t huge_page = (size_t)1 << 21;

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Large arrays begin at a huge page and are in huge pages as far as they fill them; a system that has none is none the
 * worse. */
static void *alloc_large(size_t bytes)
{
    void *memory = aligned_alloc(huge_page, round_up(bytes, huge_page));
#ifdef MADV_HUGEPAGE
    if (memory) (void)madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return memory;
}

void *icf_alloc(size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX - huge_page) return NULL;
    return bytes < huge_page ? aligned_alloc(ICF_ALIGNMENT, round_up(bytes, ICF_ALIGNMENT)) : alloc_large(bytes);
}

void icf_free(void *memory)
{
    free(memory);
}

void icf_memory_give_back(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, (int)huge_page);
#endif
}

/* Elements to make room for when n are wanted. */
static size_t next_capacity(size_t capacity, size_t n)
{
    const size_t doubled = capacity < 16 ? 16 : 2 * capacity;
    return n > doubled ? n : doubled;
}

/* Memory for so many elements, or NULL. */
static void *alloc_elements(size_t n, size_t size)
{
    return n > SIZE_MAX / size ? NULL : icf_alloc(n * size);
}

icf_status icf_grow(void **array, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity) return ICF_OK;
    const size_t wanted = next_capacity(*capacity, n);
    void *grown = alloc_elements(wanted, size);
    if (!grown) return ICF_ERROR_MEMORY;
    if (*capacity > 0) memcpy(grown, *array, *capacity * size);
    icf_free(*array);
    *array = grown;
    *capacity = wanted;
    return ICF_OK;
}

icf_status icf_renew(void **array, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity) return ICF_OK;
    const size_t wanted = next_capacity(*capacity, n);
    icf_free(*array);
    *array = alloc_elements(wanted, size);
    *capacity = *array ? wanted : 0;
    return *array ? ICF_OK : ICF_ERROR_MEMORY;
}
