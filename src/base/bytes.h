/* Bytes: a buffer that is written piece by piece and read in the same order.
 *
 * Writer and reader are ranks of one job: the layout is that of memory.
 */
#ifndef ICF_BASE_BYTES_H
#define ICF_BASE_BYTES_H

#include "base/context.h"

typedef struct icf_bytes {
    char *data;
    size_t n, capacity; /* bytes written; room */
    size_t at;          /* where reading goes on */
} icf_bytes;

void icf_bytes_init(icf_bytes *bytes);
void icf_bytes_clear(icf_bytes *bytes);

/* Appends n bytes.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_bytes_write(icf_bytes *bytes, const void *data, size_t n);

/* The next n bytes, valid until the next write; NULL when so many are not left.  Local. */
const void *icf_bytes_read(icf_bytes *bytes, size_t n);

/* Appends a text, which may be NULL.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_bytes_write_text(icf_bytes *bytes, const char *text);

/* Copies the next n bytes to memory.  ICF_ERROR_INTERNAL: so many are not left.  Local. */
ICF_MUST_CHECK icf_status icf_bytes_take(icf_bytes *bytes, size_t n, void *memory);

/* Copies the next n bytes to heap memory of their own; none for n = 0.
 *   pointer [out] place of the pointer to it
 * ICF_ERROR_INTERNAL: so many are not left; ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_bytes_take_new(icf_bytes *bytes, size_t n, void *pointer);

/* The text that was written, on the heap; NULL when that was.  Errors as above.  Local. */
ICF_MUST_CHECK icf_status icf_bytes_take_text(icf_bytes *bytes, char **text);

/* Gives all ranks the bytes of the root, to be read from their begin.  Collective; ICF_ERROR_MEMORY on all ranks. */
ICF_MUST_CHECK icf_status icf_bytes_broadcast(icf_bytes *bytes, icf_context *context, int root);

#endif
