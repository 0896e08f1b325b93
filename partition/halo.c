/* Halo: boxes of the ranks, bodies to those whose boxes they overlap. */
#include "partition/halo.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

void icf_halo_init(icf_halo *halo, icf_context *context, icf_exchange *exchange)
{
    *halo = (icf_halo){.context = context, .exchange = exchange};
    icf_received_init(&halo->received);
}

void icf_halo_clear(icf_halo *halo)
{
    icf_received_clear(&halo->received);
    icf_free(halo->owner);
    icf_free(halo->boxes);
    icf_free(halo->body_box);
    icf_free(halo->order);
    icf_halo_init(halo, halo->context, halo->exchange);
}

/* ---- boxes ---- */

static void empty_box(double box[6])
{
    for (int k = 0; k < 3; ++k) {
        box[k] = INFINITY;
        box[k + 3] = -INFINITY;
    }
}

/* A coordinate that is not a number leaves the box as it is. */
static void add_box(double box[6], const double other[6])
{
    for (int k = 0; k < 3; ++k) {
        box[k] = ICF_MIN(other[k], box[k]);
        box[k + 3] = ICF_MAX(other[k + 3], box[k + 3]);
    }
}

static bool overlap(const double a[6], const double b[6])
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

void icf_halo_body_box(const icf_bodies *bodies, icf_lid i, double margin, double box[6])
{
    const icf_mat3 rotation = icf_quat_matrix(bodies->orientation[i]);
    const icf_vec3 extent = icf_shape_extent(&bodies->shape[i], &rotation), at = bodies->position[i];
    const double half[3] = {extent.x + margin, extent.y + margin, extent.z + margin};
    const double centre[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; ++k) {
        box[k] = centre[k] - half[k];
        box[k + 3] = centre[k] + half[k];
    }
}

bool icf_halo_is_shared(const icf_halo *halo, icf_gid gid)
{
    for (icf_lid k = 0; k < halo->shared.n; ++k)
        if (halo->shared.gid[k] == gid) return true;
    return false;
}

/* Grown boxes of the moving owned bodies and of the parts of shared ones, listed in order. */
static icf_status grow_bodies(icf_halo *halo, const icf_bodies *bodies, const double *margin, icf_lid *n)
{
    const icf_halo_shared *shared = &halo->shared;
    ICF_TRY(ICF_GROW(halo->body_box, halo->body_box_capacity, bodies->nowned + shared->n));
    ICF_TRY(ICF_GROW(halo->order, halo->order_capacity, bodies->nowned + shared->n));
    *n = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        icf_halo_body_box(bodies, i, margin[i], halo->body_box[i]);
        if (!icf_halo_is_shared(halo, bodies->gid[i])) halo->order[(*n)++] = i;
    }
    for (icf_lid k = 0; k < shared->n; ++k) {
        memcpy(halo->body_box[bodies->nowned + k], shared->box[k], sizeof *shared->box);
        if (shared->box[k][0] <= shared->box[k][3]) halo->order[(*n)++] = bodies->nowned + k;
    }
    return ICF_OK;
}

/* Halves a set of bodies at the middle of its longest side, until it has as many boxes as allowed. */
static void cover(const double (*body_box)[6], icf_lid *body, icf_lid n, int nbox, double (*box)[6])
{
    double all[6];
    empty_box(all);
    for (icf_lid i = 0; i < n; ++i) add_box(all, body_box[body[i]]);
    if (nbox == 1 || n <= 1) {
        memcpy(box[0], all, sizeof all);
        for (int b = 1; b < nbox; ++b) empty_box(box[b]);
        return;
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (all[k + 3] - all[k] > all[axis + 3] - all[axis]) axis = k;
    const double middle = all[axis] + all[axis + 3]; /* twice the middle */
    icf_lid below = 0;
    for (icf_lid i = 0; i < n; ++i) {
        const double *of_body = body_box[body[i]];
        if (of_body[axis] + of_body[axis + 3] >= middle) continue;
        const icf_lid kept = body[i];
        body[i] = body[below];
        body[below++] = kept;
    }
    cover(body_box, body, below, nbox / 2, box);
    cover(body_box, body + below, n - below, nbox - nbox / 2, box + nbox / 2);
}

void icf_halo_cover(const double (*body_box)[6], icf_lid n, icf_lid *body, double (*box)[6])
{
    cover(body_box, body, n, ICF_HALO_BOXES, box);
}

static void share_boxes(icf_halo *halo, icf_lid n)
{
    double mine[ICF_HALO_BOXES][6];
    icf_halo_cover((const double(*)[6])halo->body_box, n, halo->order, mine);
    ICF_MPI_WAIT(MPI_Allgather(mine, 6 * ICF_HALO_BOXES, MPI_DOUBLE, halo->boxes, 6 * ICF_HALO_BOXES, MPI_DOUBLE,
                               halo->context->comm));
}

/* ---- messages ---- */

/* The box round all boxes of a rank. */
static void box_of_rank(const icf_halo *halo, int rank, double box[6])
{
    const double(*boxes)[6] = (const double(*)[6])halo->boxes + (size_t)rank * ICF_HALO_BOXES;
    empty_box(box);
    for (int b = 0; b < ICF_HALO_BOXES; ++b) add_box(box, boxes[b]);
}

static icf_status send_shared(icf_halo *halo, const icf_bodies *bodies, int rank)
{
    for (icf_lid k = 0; k < halo->shared.n; ++k) {
        const icf_lid i = icf_bodies_find(bodies, halo->shared.gid[k]);
        if (i >= 0 && i < bodies->nowned) ICF_TRY(icf_body_message_write(halo->exchange, rank, bodies, i));
    }
    return ICF_OK;
}

/* Bodies to a rank; most ranks are far away, and no body is looked at for them.
 *   mine [in] box round the bodies of this rank */
static icf_status send_to(icf_halo *halo, const icf_bodies *bodies, const double mine[6], int rank)
{
    const double(*boxes)[6] = (const double(*)[6])halo->boxes + (size_t)rank * ICF_HALO_BOXES;
    double all[6];
    box_of_rank(halo, rank, all);
    if (!overlap(mine, all)) return ICF_OK;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i) || !overlap(halo->body_box[i], all)) continue;
        bool wanted = false;
        for (int b = 0; b < ICF_HALO_BOXES && !wanted; ++b) wanted = overlap(halo->body_box[i], boxes[b]);
        if (wanted && !icf_halo_is_shared(halo, bodies->gid[i]))
            ICF_TRY(icf_body_message_write(halo->exchange, rank, bodies, i));
    }
    return ICF_OK;
}

/* Ghosts go to other ranks; the replicated bodies go to this rank itself, to be put in order with what comes. */
static icf_status write_messages(icf_halo *halo, const icf_bodies *bodies)
{
    double mine[6];
    box_of_rank(halo, halo->context->rank, mine);
    icf_exchange_begin(halo->exchange);
    for (int rank = 0; rank < halo->context->size; ++rank)
        if (rank != halo->context->rank) {
            ICF_TRY(send_shared(halo, bodies, rank));
            ICF_TRY(send_to(halo, bodies, mine, rank));
        }
    for (icf_lid i = bodies->nowned; i < bodies->n; ++i)
        if (!icf_bodies_moves(bodies, i))
            ICF_TRY(icf_body_message_write(halo->exchange, halo->context->rank, bodies, i));
    return ICF_OK;
}

static icf_status take_ghosts(icf_halo *halo, icf_bodies *bodies)
{
    ICF_TRY(icf_received_list(&halo->received, halo->context, halo->exchange));
    ICF_TRY(ICF_GROW(halo->owner, halo->owner_capacity, halo->received.n));
    icf_bodies_truncate(bodies, bodies->nowned);
    for (icf_lid k = 0; k < halo->received.n; ++k) {
        const icf_body_def def = icf_received_get(&halo->received, k);
        ICF_TRY(icf_bodies_add(bodies, &def, false));
        halo->owner[k] = halo->received.body[k].rank;
    }
    return ICF_OK;
}

icf_status icf_halo_build(icf_halo *halo, icf_bodies *bodies, const double *margin, const icf_halo_shared *shared)
{
    icf_lid n = 0;
    halo->shared = *shared;
    icf_status status = ICF_GROW(halo->boxes, halo->boxes_capacity, halo->context->size * ICF_HALO_BOXES);
    if (status == ICF_OK) status = grow_bodies(halo, bodies, margin, &n);
    ICF_TRY(icf_agree(halo->context, status));
    share_boxes(halo, n);
    ICF_TRY(icf_exchange_run(halo->exchange, write_messages(halo, bodies)));
    return icf_agree(halo->context, take_ghosts(halo, bodies));
}
