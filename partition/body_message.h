/* Bodies as bytes: everything a rank must know of a body, its name included.
 *
 * Used by ghosts, migration and gathered islands.  Sender and receiver are ranks of one job: the layout is that of
 * memory.
 */
#ifndef ICF_PARTITION_BODY_MESSAGE_H
#define ICF_PARTITION_BODY_MESSAGE_H

#include "partition/exchange.h"
#include "scene/bodies.h"

/* Appends body i (constants, state, name) to the message for a rank. */
ICF_MUST_CHECK icf_status icf_body_message_write(icf_exchange *exchange, int rank, const icf_bodies *bodies, icf_lid i);

/* Reads the next body of a message; its name points into the message.
 *   at  [in,out] where to read; moved behind the body
 *   end [in]     end of the message
 * Returns false at the end. */
bool icf_body_message_read(const char **at, const char *end, icf_body_def *def);

#endif
