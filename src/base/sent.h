/* Messages counted: what a rank sends to others, collective operations on single numbers aside. */
#ifndef ICF_BASE_SENT_H
#define ICF_BASE_SENT_H

#include "base/types.h"

typedef struct icf_sent {
    icf_cnt messages, bytes;
} icf_sent;

static inline void icf_sent_add(icf_sent *sent, icf_cnt messages, icf_cnt bytes)
{
    sent->messages += messages;
    sent->bytes += bytes;
}

#endif
