/* Messages of an exchange, counted without sending any.
 *
 * What a rank sends to another in one exchange is one message.  Entries are collected, sorted by sender and receiver,
 * and added to the loads of the senders.
 */
#ifndef ICF_STEP_TRAFFIC_H
#define ICF_STEP_TRAFFIC_H

#include "base/sort.h"
#include "base/status.h"
#include "step/cost.h"

typedef struct icf_traffic {
    int nrank;
    icf_rank_load *load; /* (nrank) borrowed */
    icf_lid n;
    icf_keyed *item, *work; /* (n) sender * nrank + receiver, bytes */
    size_t item_capacity, work_capacity;
} icf_traffic;

void icf_traffic_init(icf_traffic *traffic, int nrank, icf_rank_load *load);
void icf_traffic_clear(icf_traffic *traffic);

/* Adds bytes to the message from one rank to another; what stays on a rank is no message. */
ICF_MUST_CHECK icf_status icf_traffic_add(icf_traffic *traffic, int from, int to, size_t bytes);

/* Ends an exchange that is made a number of times in a step, and starts with an empty one. */
ICF_MUST_CHECK icf_status icf_traffic_end(icf_traffic *traffic, icf_cnt times);

#endif
