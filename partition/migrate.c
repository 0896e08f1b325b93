/* Migration: bodies that leave become messages, those that come take their places, at the end all are put in order.
 *
 * A rank sends a bounded number of bodies at a time, so that messages never need the memory of all bodies.
 *
 *     places  a b c d      a and c leave: a' . c' .  ->  x takes the place of a  ->  order: b d x
 */
#include "partition/migrate.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "partition/body_message.h"

enum { bodies_a_round = 4096 }; /* sent by a rank at a time */

typedef struct migration {
    icf_context *context;
    icf_exchange *exchange;
    icf_bodies *bodies;
    const int *rank; /* (nowned) */
    icf_lid next;    /* first owned body not looked at */
    icf_lid nfree;   /* places that are free */
    icf_lid *free;   /* (n) */
    icf_cnt nmoved;
} migration;

static bool leaves(const migration *m, icf_lid i)
{
    return icf_bodies_moves(m->bodies, i) && m->rank[i] != m->context->rank;
}

/* All destinations are ranks; places of moving ghosts are free. */
static icf_status begin(migration *m)
{
    const icf_bodies *bodies = m->bodies;
    m->free = icf_alloc(((size_t)bodies->n + 1) * sizeof *m->free);
    if (!m->free) return ICF_ERROR_MEMORY;
    for (icf_lid i = bodies->nowned; i < bodies->n; ++i)
        if (icf_bodies_moves(bodies, i)) m->free[m->nfree++] = i;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (leaves(m, i) && (m->rank[i] < 0 || m->rank[i] >= m->context->size)) return ICF_ERROR_INTERNAL;
    return ICF_OK;
}

/* The next bodies that leave. */
static icf_status write_messages(migration *m)
{
    icf_exchange_begin(m->exchange);
    for (icf_lid sent = 0; m->next < m->bodies->nowned && sent < bodies_a_round; ++m->next) {
        if (!leaves(m, m->next)) continue;
        ICF_TRY(icf_body_message_write(m->exchange, m->rank[m->next], m->bodies, m->next));
        m->free[m->nfree++] = m->next;
        ++sent;
    }
    return ICF_OK;
}

static icf_status take_bodies(migration *m, int from)
{
    size_t bytes;
    const char *at = icf_exchange_read(m->exchange, from, &bytes), *end = bytes > 0 ? at + bytes : at;
    icf_body_def def;
    while (icf_body_message_read(&at, end, &def))
        ICF_TRY(icf_bodies_put(m->bodies, m->nfree > 0 ? m->free[--m->nfree] : m->bodies->n, &def));
    return ICF_OK;
}

/* Rounds until no rank has more to send.  A rank that fails goes on to where all agree. */
static icf_status exchange_bodies(migration *m)
{
    int again = 1;
    while (again) {
        const icf_cnt before = m->nfree;
        icf_status status = write_messages(m);
        m->nmoved += m->nfree - before;
        ICF_TRY(icf_exchange_run(m->exchange, status));
        for (int from = 0; from < m->context->size && status == ICF_OK; ++from) status = take_bodies(m, from);
        ICF_TRY(icf_agree(m->context, status));
        again = m->next < m->bodies->nowned;
        MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, m->context->comm);
    }
    return ICF_OK;
}

/* What the final order is found with. */
typedef struct ordering {
    icf_keyed *item, *work; /* (n) */
    icf_lid *order;         /* (n) */
    bool *gone;             /* (n) */
} ordering;

static icf_status allocate_ordering(ordering *o, icf_lid nbody)
{
    const size_t n = (size_t)nbody + 1;
    o->item = icf_alloc(n * sizeof *o->item);
    o->work = icf_alloc(n * sizeof *o->work);
    o->order = icf_alloc(n * sizeof *o->order);
    o->gone = icf_alloc(n * sizeof *o->gone);
    if (!o->item || !o->work || !o->order || !o->gone) return ICF_ERROR_MEMORY;
    memset(o->gone, 0, n * sizeof *o->gone);
    return ICF_OK;
}

static void clear_ordering(ordering *o)
{
    icf_free(o->item);
    icf_free(o->work);
    icf_free(o->order);
    icf_free(o->gone);
}

/* Owned bodies by global id, then ghosts by global id.
 *   nowned [out] how many are owned.  Returns how many there are. */
static icf_lid find_order(const migration *m, ordering *o, icf_lid *nowned)
{
    const icf_bodies *bodies = m->bodies;
    const uint64_t ghost = UINT64_C(1) << 63;
    icf_lid n = 0;
    *nowned = 0;
    for (icf_lid k = 0; k < m->nfree; ++k) o->gone[m->free[k]] = true;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (o->gone[i]) continue;
        const bool owned = icf_bodies_moves(bodies, i) || m->context->rank == 0;
        o->item[n++] = (icf_keyed){(uint64_t)bodies->gid[i] | (owned ? 0 : ghost), i};
        *nowned += owned;
    }
    icf_sort_keyed(n, o->item, o->work);
    for (icf_lid k = 0; k < n; ++k) o->order[k] = o->item[k].value;
    return n;
}

static icf_status arrange(migration *m)
{
    ordering o = {0};
    icf_lid nowned;
    icf_status status = allocate_ordering(&o, m->bodies->n);
    if (status == ICF_OK) {
        const icf_lid n = find_order(m, &o, &nowned);
        status = icf_bodies_arrange(m->bodies, n, o.order, nowned);
    }
    clear_ordering(&o);
    return status;
}

icf_status icf_migrate(icf_context *context, icf_exchange *exchange, icf_bodies *bodies, const int *rank,
                       icf_cnt *nmoved)
{
    migration m = {.context = context, .exchange = exchange, .bodies = bodies, .rank = rank};
    icf_status status = icf_agree(context, begin(&m));
    if (status == ICF_OK) status = exchange_bodies(&m);
    if (status == ICF_OK) status = icf_agree(context, arrange(&m));
    if (nmoved) *nmoved = m.nmoved;
    icf_free(m.free);
    return status;
}
