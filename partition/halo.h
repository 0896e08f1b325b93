/* Halo: the ghosts of a step, and who owns them.
 *
 *   rank 0 owns a b c        rank 1 owns d e f
 *      [a] [b] [c]              [d] [e] [f]          boxes grown by the margins of the step
 *               |<-- overlap -->|                    c becomes a ghost on rank 1, d on rank 0
 *
 * Every rank tells all others a few boxes that cover its grown bodies; a body is sent to each rank one of whose boxes
 * it overlaps.  So both owners of a candidate pair hold both bodies.  Ghosts are rebuilt every step: what can touch
 * changes with every step's motion.  Fixed and prescribed bodies are on every rank already and stay.
 */
#ifndef ICF_PARTITION_HALO_H
#define ICF_PARTITION_HALO_H

#include "partition/body_message.h"

enum { ICF_HALO_BOXES = 16 }; /* boxes by which a rank describes its bodies */

/* Bodies that all ranks have, each to do its part of the work. */
typedef struct icf_halo_shared {
    icf_lid n;
    const icf_gid *gid;     /* (n) the same on all ranks */
    const double (*box)[6]; /* (n) grown box of this rank's part, empty where it has none */
} icf_halo_shared;

typedef struct icf_halo {
    icf_context *context;
    icf_exchange *exchange;
    icf_received received;
    int *owner; /* (ghosts) rank of each ghost, by local index less nowned; replicated bodies: this rank */
    size_t owner_capacity;
    double (*boxes)[6];    /* (size x ICF_HALO_BOXES) lower and upper corners of all ranks */
    double (*body_box)[6]; /* (nowned + shared) grown boxes of the owned bodies, then parts of the shared ones */
    icf_lid *order;        /* (nowned + shared) those sorted into boxes */
    size_t boxes_capacity, body_box_capacity, order_capacity;
    icf_halo_shared shared; /* of the last build; borrowed */
} icf_halo;

void icf_halo_init(icf_halo *halo, icf_context *context, icf_exchange *exchange);
void icf_halo_clear(icf_halo *halo);

/* Replaces the ghosts.
 *   bodies [in,out] owned bodies at the step's start; ghosts are rebuilt
 *   margin [in]     (nowned) growth of each owned body's bounding box [m]
 *   shared [in]     bodies that go to all ranks; kept until the next build
 * Collective. */
ICF_MUST_CHECK icf_status icf_halo_build(icf_halo *halo, icf_bodies *bodies, const double *margin,
                                         const icf_halo_shared *shared);

/* Rank that owns a local body; for replicated bodies this rank. */
static inline int icf_halo_owner(const icf_halo *halo, const icf_bodies *bodies, icf_lid i)
{
    return i < bodies->nowned ? halo->context->rank : halo->owner[i - bodies->nowned];
}

/* Whether all ranks have the body and share its work. */
bool icf_halo_is_shared(const icf_halo *halo, icf_gid gid);

/* A body's bounding box grown by its margin: lower and upper corner. */
void icf_halo_body_box(const icf_bodies *bodies, icf_lid i, double margin, double box[6]);

/* The boxes by which a rank describes bodies.
 *   body_box [in]     grown boxes, by body
 *   body     [in,out] (n) the rank's bodies; put in another order
 *   box      [out]    (ICF_HALO_BOXES) those not needed are empty: lower corner at +infinity */
void icf_halo_cover(const double (*body_box)[6], icf_lid n, icf_lid *body, double (*box)[6]);

#endif
