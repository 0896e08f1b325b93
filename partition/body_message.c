/* Bodies as bytes: the definition, then the name, padded to eight bytes. */
#include "partition/body_message.h"

#include <string.h>

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* The name pointer of the definition is replaced by the length of the name, its zero included; 0: no name. */
typedef struct header {
    icf_body_def def;
    uint64_t name_bytes;
} header;

icf_status icf_body_message_write(icf_exchange *exchange, int rank, const icf_bodies *bodies, icf_lid i)
{
    char buffer[ICF_BODY_NAME_BYTES];
    header head;
    memset(&head, 0, sizeof head); /* no undefined padding in a message */
    head.def = icf_bodies_def(bodies, i, buffer);
    const char *name = bodies->name[i] >= 0 ? head.def.name : NULL;
    head.def.name = NULL;
    head.name_bytes = name ? strlen(name) + 1 : 0;
    ICF_TRY(icf_exchange_write(exchange, rank, &head, sizeof head));
    if (!name) return ICF_OK;
    static const char zeros[8] = {0};
    ICF_TRY(icf_exchange_write(exchange, rank, name, head.name_bytes));
    return icf_exchange_write(exchange, rank, zeros, padded(head.name_bytes) - head.name_bytes);
}

bool icf_body_message_read(const char **at, const char *end, icf_body_def *def)
{
    if (*at == end) return false;
    header head;
    memcpy(&head, *at, sizeof head);
    *def = head.def;
    if (head.name_bytes > 0) def->name = *at + sizeof head;
    *at += sizeof head + padded(head.name_bytes);
    return true;
}
