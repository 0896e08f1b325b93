/* Bodies as bytes: everything a rank must know of a body, its name included.
 *
 * Used by ghosts, migration and gathered islands.  Sender and receiver are ranks of one job: the layout is that of
 * memory.
 */
#ifndef ICF_PARTITION_BODY_MESSAGE_H
#define ICF_PARTITION_BODY_MESSAGE_H

#include "base/bytes.h"
#include "partition/exchange.h"
#include "scene/bodies.h"

/* Length of body i in a message. */
size_t icf_body_message_bytes(const icf_bodies *bodies, icf_lid i);

/* Appends body i (constants, state, name) to the message for a rank. */
ICF_MUST_CHECK icf_status icf_body_message_write(icf_exchange *exchange, int rank, const icf_bodies *bodies, icf_lid i);

/* Appends a body to a buffer, in the same form. */
ICF_MUST_CHECK icf_status icf_body_message_append(icf_bytes *bytes, const icf_body_def *def);

/* Reads the next body of a message; its name points into the message.
 *   at  [in,out] where to read; moved behind the body
 *   end [in]     end of the message
 * Returns false at the end. */
bool icf_body_message_read(const char **at, const char *end, icf_body_def *def);

/* A body that lies in a received message. */
typedef struct icf_received_body {
    icf_gid gid;
    const char *at; /* its record */
    int rank;       /* who sent it */
} icf_received_body;

/* All bodies received in an exchange, by ascending global id. */
typedef struct icf_received {
    icf_lid n;
    icf_received_body *body; /* (n) */
    size_t capacity;
} icf_received;

void icf_received_init(icf_received *received);
void icf_received_clear(icf_received *received);

/* Lists what the exchange brought.  Local. */
ICF_MUST_CHECK icf_status icf_received_list(icf_received *received, const icf_context *context,
                                            const icf_exchange *exchange);

/* The k-th of them; its name points into the message. */
icf_body_def icf_received_get(const icf_received *received, icf_lid k);

#endif
