/* Bytes: growing buffer, reading position, broadcast in pieces that a count of MPI can say. */
#include "base/bytes.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

enum { piece_max = 1 << 30 }; /* bytes of one MPI message */

void icf_bytes_init(icf_bytes *bytes)
{
    *bytes = (icf_bytes){0};
}

void icf_bytes_clear(icf_bytes *bytes)
{
    icf_free(bytes->data);
    icf_bytes_init(bytes);
}

icf_status icf_bytes_write(icf_bytes *bytes, const void *data, size_t n)
{
    ICF_TRY(ICF_GROW(bytes->data, bytes->capacity, bytes->n + n));
    if (n > 0) memcpy(bytes->data + bytes->n, data, n);
    bytes->n += n;
    return ICF_OK;
}

const void *icf_bytes_read(icf_bytes *bytes, size_t n)
{
    if (n > bytes->n - bytes->at) return NULL;
    const void *data = bytes->data + bytes->at;
    bytes->at += n;
    return data;
}

icf_status icf_bytes_write_text(icf_bytes *bytes, const char *text)
{
    const uint64_t n = text ? strlen(text) + 1 : 0;
    ICF_TRY(icf_bytes_write(bytes, &n, sizeof n));
    return icf_bytes_write(bytes, text, n);
}

icf_status icf_bytes_take(icf_bytes *bytes, size_t n, void *memory)
{
    const void *data = icf_bytes_read(bytes, n);
    if (!data) return ICF_ERROR_INTERNAL;
    if (n > 0) memcpy(memory, data, n);
    return ICF_OK;
}

icf_status icf_bytes_take_new(icf_bytes *bytes, size_t n, void *pointer)
{
    void *memory = NULL;
    if (n > 0) {
        const void *data = icf_bytes_read(bytes, n); // a damaged length takes no memory
        if (!data) return ICF_ERROR_INTERNAL;
        memory = icf_alloc(n);
        if (!memory) return ICF_ERROR_MEMORY;
        memcpy(memory, data, n);
    }
    memcpy(pointer, &memory, sizeof memory);
    return ICF_OK;
}

icf_status icf_bytes_take_text(icf_bytes *bytes, char **text)
{
    uint64_t n;
    ICF_TRY(icf_bytes_take(bytes, sizeof n, &n));
    return icf_bytes_take_new(bytes, n, text);
}

icf_status icf_bytes_broadcast(icf_bytes *bytes, icf_context *context, int root)
{
    uint64_t n = bytes->n;
    ICF_MPI_WAIT(MPI_Bcast(&n, 1, MPI_UINT64_T, root, context->comm));
    ICF_TRY(icf_agree(context, ICF_GROW(bytes->data, bytes->capacity, n)));
    bytes->n = n;
    bytes->at = 0;
    for (size_t at = 0; at < n; at += piece_max)
        ICF_MPI_WAIT(
            MPI_Bcast(bytes->data + at, (int)ICF_MIN(n - at, (size_t)piece_max), MPI_BYTE, root, context->comm));
    return ICF_OK;
}
