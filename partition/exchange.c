/* Sparse exchange: counts all-to-all, bytes point to point.
 *
 * The counts carry the status too: a rank that failed sends -1 to everyone, so that all ranks leave together
 * before any message is posted, at no further collective when all is well.
 */
#include "partition/exchange.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

enum { tag = 1, piece_max = 1 << 30 }; /* bytes of one MPI message */

/* A message for or from one rank. */
typedef struct message {
    char *data;
    size_t bytes, capacity;
} message;

struct icf_exchange {
    icf_context *context;
    message *out, *in;         /* (size) */
    int64_t *sends, *receives; /* (size) bytes, or -1: failed */
    MPI_Request *request;
    size_t request_capacity;
    int nrequest;
    icf_exchange_stats stats;
};

icf_status icf_exchange_create(icf_context *context, icf_exchange **exchange)
{
    const size_t size = (size_t)context->size;
    *exchange = icf_alloc(sizeof **exchange);
    if (!*exchange) return ICF_ERROR_MEMORY;
    **exchange = (icf_exchange){.context = context};
    (*exchange)->out = icf_alloc(size * sizeof(message));
    if ((*exchange)->out) memset((*exchange)->out, 0, size * sizeof(message));
    (*exchange)->in = icf_alloc(size * sizeof(message));
    if ((*exchange)->in) memset((*exchange)->in, 0, size * sizeof(message));
    (*exchange)->sends = icf_alloc(size * sizeof(int64_t));
    (*exchange)->receives = icf_alloc(size * sizeof(int64_t));
    if (!(*exchange)->out || !(*exchange)->in || !(*exchange)->sends || !(*exchange)->receives) return ICF_ERROR_MEMORY;
    return ICF_OK;
}

void icf_exchange_destroy(icf_exchange **exchange)
{
    if (!*exchange) return;
    for (int rank = 0; rank < (*exchange)->context->size; ++rank) {
        if ((*exchange)->out) icf_free((*exchange)->out[rank].data);
        if ((*exchange)->in) icf_free((*exchange)->in[rank].data);
    }
    icf_free((*exchange)->out);
    icf_free((*exchange)->in);
    icf_free((*exchange)->sends);
    icf_free((*exchange)->receives);
    icf_free((*exchange)->request);
    ICF_FREE(*exchange);
}

void icf_exchange_begin(icf_exchange *exchange)
{
    for (int rank = 0; rank < exchange->context->size; ++rank) exchange->out[rank].bytes = exchange->in[rank].bytes = 0;
}

icf_status icf_exchange_write(icf_exchange *exchange, int rank, const void *data, size_t bytes)
{
    message *out = &exchange->out[rank];
    ICF_TRY(ICF_GROW(out->data, out->capacity, out->bytes + bytes));
    if (bytes > 0) memcpy(out->data + out->bytes, data, bytes);
    out->bytes += bytes;
    return ICF_OK;
}

/* Number of MPI messages for so many bytes. */
static int pieces(size_t bytes)
{
    return (int)((bytes + piece_max - 1) / piece_max);
}

/* Room for what comes in and for the requests. */
static icf_status prepare(icf_exchange *exchange)
{
    int nrequest = 0;
    for (int rank = 0; rank < exchange->context->size; ++rank) {
        message *in = &exchange->in[rank];
        in->bytes = (size_t)exchange->receives[rank];
        ICF_TRY(ICF_GROW(in->data, in->capacity, in->bytes));
        nrequest += pieces(in->bytes) + pieces(exchange->out[rank].bytes);
    }
    return ICF_GROW(exchange->request, exchange->request_capacity, nrequest + 1);
}

/* Counts to everyone; the worst status of all ranks. */
static icf_status exchange_counts(icf_exchange *exchange, icf_status status)
{
    icf_context *context = exchange->context;
    for (int rank = 0; rank < context->size; ++rank)
        exchange->sends[rank] = status == ICF_OK ? (int64_t)exchange->out[rank].bytes : -1;
    ICF_MPI_WAIT(MPI_Alltoall(exchange->sends, 1, MPI_INT64_T, exchange->receives, 1, MPI_INT64_T, context->comm));
    bool failed = status != ICF_OK;
    for (int rank = 0; rank < context->size; ++rank) failed = failed || exchange->receives[rank] < 0;
    return failed ? icf_agree(context, status) : ICF_OK;
}

static void post(icf_exchange *exchange, int rank, bool sending)
{
    message *m = sending ? &exchange->out[rank] : &exchange->in[rank];
    for (size_t at = 0; at < m->bytes; at += piece_max) {
        const int n = (int)ICF_MIN(m->bytes - at, (size_t)piece_max);
        MPI_Request *request = &exchange->request[exchange->nrequest++];
        if (sending)
            MPI_Isend(m->data + at, n, MPI_BYTE, rank, tag, exchange->context->comm, request);
        else
            MPI_Irecv(m->data + at, n, MPI_BYTE, rank, tag, exchange->context->comm, request);
    }
}

static void count_sent(icf_exchange *exchange, int rank)
{
    exchange->stats.messages += pieces(exchange->out[rank].bytes);
    exchange->stats.bytes += (icf_cnt)exchange->out[rank].bytes;
}

icf_status icf_exchange_run(icf_exchange *exchange, icf_status status)
{
    icf_context *context = exchange->context;
    const int self = context->rank;
    ++exchange->stats.runs;
    if (context->size > 1)
        ICF_TRY(exchange_counts(exchange, status));
    else if (status != ICF_OK)
        return status;
    exchange->receives[self] = (int64_t)exchange->out[self].bytes;
    /* a rank without memory for what comes cannot be waited for: all leave */
    status = prepare(exchange);
    if (context->size > 1) status = icf_agree(context, status);
    ICF_TRY(status);
    exchange->nrequest = 0;
    for (int rank = 0; rank < context->size; ++rank)
        if (rank != self) post(exchange, rank, false);
    for (int rank = 0; rank < context->size; ++rank)
        if (rank != self) {
            post(exchange, rank, true);
            count_sent(exchange, rank);
        }
    if (exchange->out[self].bytes > 0)
        memcpy(exchange->in[self].data, exchange->out[self].data, exchange->out[self].bytes);
    if (exchange->nrequest > 0) ICF_MPI_WAIT(MPI_Waitall(exchange->nrequest, exchange->request, MPI_STATUSES_IGNORE));
    return ICF_OK;
}

const void *icf_exchange_read(const icf_exchange *exchange, int rank, size_t *bytes)
{
    *bytes = exchange->in[rank].bytes;
    return exchange->in[rank].data;
}

icf_exchange_stats icf_exchange_get_stats(const icf_exchange *exchange)
{
    return exchange->stats;
}
