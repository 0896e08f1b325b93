/* Heap memory of the library.
 *
 * All heap memory that our code takes goes through icf_alloc, icf_grow and icf_renew, so that a test can count
 * it (link option --wrap) and so that every array starts on a cache line.  Arrays that live from step to step only grow
 * (icf_grow, icf_renew): a settled step takes no memory.
 */
#ifndef ICF_BASE_MEMORY_H
#define ICF_BASE_MEMORY_H

#include "base/status.h"
#include "base/types.h"

/* Bytes of a cache line; every array is aligned to it. */
#define ICF_ALIGNMENT 64

/* Uninitialised memory, aligned to ICF_ALIGNMENT, from 2 MB on in huge pages where the system has them; NULL when out
 * of memory or bytes is 0. */
void *icf_alloc(size_t bytes);

/* Releases memory of icf_alloc, icf_grow or icf_renew; accepts NULL. */
void icf_free(void *memory);

/* Releases *memory and sets it to NULL. */
#define ICF_FREE(memory)  \
    do {                  \
        icf_free(memory); \
        (memory) = NULL;  \
    } while (0)

/* Has large arrays that are released go back to the system at once, from 2 MB on, where the C library would rather keep
 * what has been large once; for the whole process, which takes that choice once, before it takes memory. */
void icf_memory_give_back(void);

/* Makes room for at least n elements, keeping the contents; at least doubles when it must grow.
 *   array     [in,out] address of the array pointer (NULL at first)
 *   capacity  [in,out] elements there is room for (0 at first)
 *   n         [in]     elements wanted
 *   size      [in]     bytes of one element
 * Returns ICF_ERROR_MEMORY (array unchanged) or ICF_OK.  Local. */
ICF_MUST_CHECK icf_status icf_grow(void **array, size_t *capacity, size_t n, size_t size);

/* Typed form: array is an lvalue of type T *, capacity an lvalue of type size_t. */
#define ICF_GROW(array, capacity, n) icf_grow((void **)&(array), &(capacity), (size_t)(n), sizeof *(array))

/* As icf_grow, but the contents are lost when it must grow: the old memory is released first, so that a large array
 * does not stand beside its successor.  After ICF_ERROR_MEMORY there is no array. */
ICF_MUST_CHECK icf_status icf_renew(void **array, size_t *capacity, size_t n, size_t size);

#define ICF_RENEW(array, capacity, n) icf_renew((void **)&(array), &(capacity), (size_t)(n), sizeof *(array))

#endif
