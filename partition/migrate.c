/* Migration: every body becomes a message, the container is emptied and filled anew in the order of global ids.
 *
 * A rank writes the bodies that stay, and the replicated ones, to itself, so that one sorted list holds all that it
 * shall have.
 */
#include "partition/migrate.h"

#include "base/memory.h"
#include "partition/body_message.h"

/* Poses and velocities of the prescribed bodies, which a definition has at t = 0 only. */
typedef struct prescribed_state {
    icf_lid n;
    icf_vec3 *position, *velocity; /* (n) */
} prescribed_state;

static icf_status keep_prescribed(prescribed_state *kept, const icf_bodies *bodies)
{
    kept->n = bodies->nprescribed;
    if (kept->n == 0) return ICF_OK;
    kept->position = icf_alloc((size_t)kept->n * 2 * sizeof *kept->position);
    if (!kept->position) return ICF_ERROR_MEMORY;
    kept->velocity = kept->position + kept->n;
    for (icf_lid k = 0; k < kept->n; ++k) {
        kept->position[k] = bodies->position[bodies->prescribed[k]];
        kept->velocity[k] = bodies->linear_velocity[bodies->prescribed[k]];
    }
    return ICF_OK;
}

/* Both lists ascend by global id: prescribed bodies are all owned or all ghosts. */
static void restore_prescribed(const prescribed_state *kept, icf_bodies *bodies)
{
    for (icf_lid k = 0; k < kept->n; ++k) {
        bodies->position[bodies->prescribed[k]] = kept->position[k];
        bodies->linear_velocity[bodies->prescribed[k]] = kept->velocity[k];
    }
}

static icf_status write_messages(const icf_context *context, icf_exchange *exchange, const icf_bodies *bodies,
                                 const int *rank, icf_cnt *nmoved)
{
    *nmoved = 0;
    icf_exchange_begin(exchange);
    for (icf_lid i = 0; i < bodies->n; ++i) {
        const bool moves = icf_bodies_moves(bodies, i);
        if (moves && i >= bodies->nowned) continue;
        const int to = moves ? rank[i] : context->rank;
        if (to < 0 || to >= context->size) return ICF_ERROR_INTERNAL;
        if (to != context->rank) ++*nmoved;
        ICF_TRY(icf_body_message_write(exchange, to, bodies, i));
    }
    return ICF_OK;
}

/* Appends the received bodies that this rank shall own, or the others. */
static icf_status append(icf_bodies *bodies, const icf_received *received, const icf_context *context, bool owned)
{
    for (icf_lid k = 0; k < received->n; ++k) {
        const icf_body_def def = icf_received_get(received, k);
        const bool moves = def.motion.type == ICF_MOTION_DYNAMIC && def.locked != ICF_DOF_ALL;
        if ((moves || context->rank == 0) == owned) ICF_TRY(icf_bodies_add(bodies, &def, owned));
    }
    return ICF_OK;
}

static icf_status rebuild(const icf_context *context, const icf_exchange *exchange, icf_bodies *bodies)
{
    icf_received received;
    icf_received_init(&received);
    icf_bodies_truncate(bodies, 0);
    icf_status status = icf_received_list(&received, context, exchange);
    if (status == ICF_OK) status = append(bodies, &received, context, true);
    if (status == ICF_OK) status = append(bodies, &received, context, false);
    icf_received_clear(&received);
    return status;
}

icf_status icf_migrate(icf_context *context, icf_exchange *exchange, icf_bodies *bodies, const int *rank,
                       icf_cnt *nmoved)
{
    prescribed_state kept = {0};
    icf_cnt moved = 0;
    icf_status status = keep_prescribed(&kept, bodies);
    if (status == ICF_OK) status = write_messages(context, exchange, bodies, rank, &moved);
    status = icf_exchange_run(exchange, status);
    if (status == ICF_OK) status = icf_agree(context, rebuild(context, exchange, bodies));
    if (status == ICF_OK) restore_prescribed(&kept, bodies);
    if (nmoved) *nmoved = moved;
    icf_free(kept.position);
    return status;
}
