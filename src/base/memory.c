/* Heap memory of the library: aligned allocation and grow-only arrays. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t bytes)
{
    return (bytes + ICF_ALIGNMENT - 1) / ICF_ALIGNMENT * ICF_ALIGNMENT;
}

void *icf_alloc(size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX - ICF_ALIGNMENT) return NULL;
    return aligned_alloc(ICF_ALIGNMENT, round_up(bytes));
}

void icf_free(void *memory)
{
    free(memory);
}

icf_status icf_grow(void **array, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity) return ICF_OK;
    const size_t doubled = *capacity < 16 ? 16 : 2 * *capacity;
    const size_t wanted = n > doubled ? n : doubled;
    if (wanted > SIZE_MAX / size) return ICF_ERROR_MEMORY;
    void *grown = icf_alloc(wanted * size);
    if (!grown) return ICF_ERROR_MEMORY;
    if (*capacity > 0) memcpy(grown, *array, *capacity * size);
    icf_free(*array);
    *array = grown;
    *capacity = wanted;
    return ICF_OK;
}
