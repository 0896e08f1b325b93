/* Migration: bodies that leave become messages, those that come take their places, at the end all are put in order.
 *
 * A rank sends a bounded number of bodies at a time, so that messages never need the memory of all bodies.
 *
 *     places  a b c d      a and c leave: a' . c' .  ->  x takes the place of a  ->  order: b d x
 */
#include "partition/migrate.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "base/sort.h"
#include "partition/body_message.h"

enum { bodies_a_round = 4096 }; /* sent by a rank at a time, at most */

typedef struct migration {
    icf_context *context;
    icf_exchange *exchange;
    icf_bodies *bodies;
    const int *rank; /* (nowned) */
    icf_lid nseen;   /* owned bodies looked at */
    icf_lid stride;  /* from one to the next that is looked at; has no divisor in common with nowned */
    icf_lid nfree;   /* places that are free */
    icf_lid *free;   /* (n) */
    icf_cnt nmoved;
    icf_lid quota, nround; /* bodies this rank sends in a round; rounds, the same on all ranks */
} migration;

static bool leaves(const migration *m, icf_lid i)
{
    return icf_bodies_moves(m->bodies, i) && m->rank[i] != m->context->rank;
}

static icf_lid common_divisor(icf_lid a, icf_lid b)
{
    while (b != 0) {
        const icf_lid rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Bodies are looked at in strides through all of them, so that those of a round go to all ranks and no rank gets many
 * before it sends as many. */
static icf_lid find_stride(icf_lid n)
{
    icf_lid stride = (icf_lid)(0.6180339887498949 * n) + 1;
    while (common_divisor(stride, n) > 1) ++stride;
    return stride;
}

/* All destinations are ranks; places of moving ghosts are free. */
static icf_status begin(migration *m)
{
    const icf_bodies *bodies = m->bodies;
    m->stride = find_stride(bodies->nowned);
    m->free = icf_alloc(((size_t)bodies->n + 1) * sizeof *m->free);
    if (!m->free) return ICF_ERROR_MEMORY;
    for (icf_lid i = bodies->nowned; i < bodies->n; ++i)
        if (icf_bodies_moves(bodies, i)) m->free[m->nfree++] = i;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!leaves(m, i)) continue;
        if (m->rank[i] < 0 || m->rank[i] >= m->context->size) return ICF_ERROR_INTERNAL;
        ++m->nmoved;
    }
    return ICF_OK;
}

static icf_lid divide_up(icf_cnt a, icf_cnt b)
{
    return (icf_lid)((a + b - 1) / b);
}

/* As many rounds as the rank with most to send needs; the others send their part of them, so that all get about as many
 * as they send. */
static void plan_rounds(migration *m)
{
    m->nround = divide_up(m->nmoved, bodies_a_round);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &m->nround, 1, MPI_INT32_T, MPI_MAX, m->context->comm));
    m->quota = m->nround > 0 ? divide_up(m->nmoved, m->nround) : 0;
}

/* The next bodies that leave. */
static icf_status write_messages(migration *m)
{
    icf_exchange_begin(m->exchange);
    for (icf_lid sent = 0; m->nseen < m->bodies->nowned && sent < m->quota; ++m->nseen) {
        const icf_lid i = (icf_lid)((int64_t)m->nseen * m->stride % m->bodies->nowned);
        if (!leaves(m, i)) continue;
        ICF_TRY(icf_body_message_write(m->exchange, m->rank[i], m->bodies, i));
        m->free[m->nfree++] = i;
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

/* A rank that fails goes on to where all agree. */
static icf_status exchange_bodies(migration *m)
{
    plan_rounds(m);
    for (icf_lid round = 0; round < m->nround; ++round) {
        icf_status status = write_messages(m);
        ICF_TRY(icf_exchange_run(m->exchange, status));
        for (int from = 0; from < m->context->size && status == ICF_OK; ++from) status = take_bodies(m, from);
        ICF_TRY(icf_agree(m->context, status));
    }
    return ICF_OK;
}

/* Owned bodies by global id, then ghosts by global id, then the free places, which are no bodies any more.
 *   item, work [out] (n) scratch
 *   order      [in,out] (n) in: 0
 *   nkept, nowned [out] bodies that are there; owned ones */
static void find_order(const migration *m, icf_keyed *item, icf_keyed *work, icf_lid *order, icf_lid *nkept,
                       icf_lid *nowned)
{
    const icf_bodies *bodies = m->bodies;
    const uint64_t ghost = UINT64_C(1) << 63;
    icf_lid n = 0;
    *nowned = 0;
    for (icf_lid k = 0; k < m->nfree; ++k) order[m->free[k]] = -1;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (order[i] < 0) continue;
        const bool owned = icf_bodies_moves(bodies, i) || m->context->rank == 0;
        item[n++] = (icf_keyed){(uint64_t)bodies->gid[i] | (owned ? 0 : ghost), i};
        *nowned += owned;
    }
    icf_sort_keyed(n, item, work);
    for (icf_lid k = 0; k < n; ++k) order[k] = item[k].value;
    for (icf_lid k = 0; k < m->nfree; ++k) order[n + k] = m->free[k];
    *nkept = n;
}

static icf_status arrange(migration *m)
{
    const size_t n = (size_t)m->bodies->n + 1;
    icf_lid nkept, nowned;
    icf_keyed *item = icf_alloc(n * sizeof *item), *work = icf_alloc(n * sizeof *work);
    icf_lid *order = icf_alloc(n * sizeof *order);
    const bool complete = item && work && order;
    if (complete) {
        memset(order, 0, n * sizeof *order);
        find_order(m, item, work, order, &nkept, &nowned);
    }
    icf_free(item);
    icf_free(work);
    const icf_status status = complete ? icf_bodies_arrange(m->bodies, nkept, order, nowned) : ICF_ERROR_MEMORY;
    icf_free(order);
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
