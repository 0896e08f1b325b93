/* Sparse exchange of messages between the ranks of a context.
 *
 * Each rank writes bytes for some ranks (itself included), then all ranks run the exchange together and read
 * what they got, sender by sender in ascending rank.  Counts go by one all-to-all, the bytes by non-blocking
 * point-to-point messages to those ranks only that get any.  Buffers only grow.  MPI calls by the master thread.
 */
#ifndef ICF_PARTITION_EXCHANGE_H
#define ICF_PARTITION_EXCHANGE_H

#include "base/context.h"

typedef struct icf_exchange icf_exchange;

/* Work of an exchange object since its creation. */
typedef struct icf_exchange_stats {
    icf_cnt runs;     /* exchanges */
    icf_cnt messages; /* sent to other ranks */
    icf_cnt bytes;    /* sent to other ranks */
} icf_exchange_stats;

/* Local; keeps the context. */
ICF_MUST_CHECK icf_status icf_exchange_create(icf_context *context, icf_exchange **exchange);

/* Nulls *exchange; accepts NULL in it.  Local. */
void icf_exchange_destroy(icf_exchange **exchange);

/* Forgets what was written and received.  Local. */
void icf_exchange_begin(icf_exchange *exchange);

/* Appends bytes to the message for a rank.  Local; ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_exchange_write(icf_exchange *exchange, int rank, const void *data, size_t bytes);

/* Sends everything.  Collective; a failure on one rank (also `status`, what this rank has to report from its
 * writes) reaches all ranks before any message is sent, so that no rank hangs. */
ICF_MUST_CHECK icf_status icf_exchange_run(icf_exchange *exchange, icf_status status);

/* What a rank sent here, valid until the next begin.
 *   bytes [out] length of the message, 0 when there was none */
const void *icf_exchange_read(const icf_exchange *exchange, int rank, size_t *bytes);

icf_exchange_stats icf_exchange_get_stats(const icf_exchange *exchange);

#endif
