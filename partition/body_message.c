/* Bodies as bytes: the definition, then the name, padded to eight bytes, then positions and velocities of vertices. */
#include "partition/body_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* The name pointer of the definition is replaced by the length of the name, its zero included; 0: no name. */
typedef struct header {
    icf_body_def def;
    uint64_t name_bytes;
} header;

static const char zeros[8] = {0};

/* Definition and length of the name. */
static header header_of(const icf_body_def *def)
{
    header head;
    memset(&head, 0, sizeof head); /* no undefined padding in a message */
    head.def = *def;
    head.def.name = NULL;
    head.def.vertex_position = head.def.vertex_velocity = NULL;
    head.name_bytes = def->name ? strlen(def->name) + 1 : 0;
    return head;
}

static size_t vertex_bytes(const icf_body_def *def)
{
    return (size_t)def->nvertex * sizeof *def->vertex_position;
}

size_t icf_body_message_bytes(const icf_bodies *bodies, icf_lid i)
{
    const size_t name = bodies->name[i] < 0 ? 0 : padded(strlen(bodies->name_pool + bodies->name[i]) + 1);
    return sizeof(header) + name + 2 * (size_t)bodies->nvertex[i] * sizeof *bodies->vertex_position;
}

/* Writes a body piece by piece. */
typedef icf_status (*write_piece)(void *to, const void *data, size_t bytes);

static icf_status write_body(write_piece write, void *to, const icf_body_def *def)
{
    const header head = header_of(def);
    ICF_TRY(write(to, &head, sizeof head));
    if (def->name) {
        ICF_TRY(write(to, def->name, head.name_bytes));
        ICF_TRY(write(to, zeros, padded(head.name_bytes) - head.name_bytes));
    }
    if (def->nvertex == 0) return ICF_OK;
    ICF_TRY(write(to, def->vertex_position, vertex_bytes(def)));
    return write(to, def->vertex_velocity, vertex_bytes(def));
}

/* Where a message to a rank goes. */
typedef struct destination {
    icf_exchange *exchange;
    int rank;
} destination;

static icf_status write_to_rank(void *to, const void *data, size_t bytes)
{
    const destination *d = to;
    return icf_exchange_write(d->exchange, d->rank, data, bytes);
}

static icf_status write_to_bytes(void *to, const void *data, size_t bytes)
{
    return icf_bytes_write(to, data, bytes);
}

icf_status icf_body_message_write(icf_exchange *exchange, int rank, const icf_bodies *bodies, icf_lid i)
{
    const icf_body_def def = icf_bodies_def(bodies, i, NULL);
    destination to = {exchange, rank};
    return write_body(write_to_rank, &to, &def);
}

icf_status icf_body_message_append(icf_bytes *bytes, const icf_body_def *def)
{
    return write_body(write_to_bytes, bytes, def);
}

bool icf_body_message_read(const char **at, const char *end, icf_body_def *def)
{
    if (*at == end) return false;
    header head;
    memcpy(&head, *at, sizeof head);
    *at += sizeof head;
    *def = head.def;
    if (head.name_bytes > 0) def->name = *at;
    *at += padded(head.name_bytes);
    if (def->nvertex == 0) return true;
    def->vertex_position = (const icf_vec3 *)(const void *)*at;
    def->vertex_velocity = def->vertex_position + def->nvertex;
    *at += 2 * vertex_bytes(def);
    return true;
}

void icf_received_init(icf_received *received)
{
    *received = (icf_received){0};
}

void icf_received_clear(icf_received *received)
{
    icf_free(received->body);
    icf_received_init(received);
}

static int compare_gid(const void *a, const void *b)
{
    const icf_gid x = ((const icf_received_body *)a)->gid, y = ((const icf_received_body *)b)->gid;
    return (x > y) - (x < y);
}

icf_status icf_received_list(icf_received *received, const icf_context *context, const icf_exchange *exchange)
{
    received->n = 0;
    for (int rank = 0; rank < context->size; ++rank) {
        size_t bytes;
        const char *at = icf_exchange_read(exchange, rank, &bytes);
        const char *end = bytes > 0 ? at + bytes : at, *begin = at;
        icf_body_def def;
        while (icf_body_message_read(&at, end, &def)) {
            ICF_TRY(ICF_GROW(received->body, received->capacity, received->n + 1));
            received->body[received->n++] = (icf_received_body){def.gid, begin, rank};
            begin = at;
        }
    }
    if (received->n > 0) qsort(received->body, (size_t)received->n, sizeof *received->body, compare_gid);
    return ICF_OK;
}

icf_body_def icf_received_get(const icf_received *received, icf_lid k)
{
    icf_body_def def;
    const char *at = received->body[k].at;
    (void)icf_body_message_read(&at, NULL, &def);
    return def;
}
