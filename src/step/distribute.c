/* Ghosts, guests and the way back. */
#include "step/distribute.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "contact/margin.h"
#include "step/lend_islands.h"
#include "step/near_graph.h"
#include "step/split_pairs.h"

/* Below this a group's messages cost what it gains (docs/parallel.md).  With deformable bodies one rank is faster: it
 * factors only what contacts change again. */
enum { auto_gather_bodies = 1200 };

/* A guest's velocities on their way home, and what it cost; of a deformable one the supports' force and the vertices'
 * velocities follow.
 */
typedef struct returned_velocity {
    icf_gid gid;
    icf_vec3 linear, angular;
    double cost;
} returned_velocity;

icf_status icf_distribution_init(icf_distribution *distribution, icf_context *context)
{
    *distribution = (icf_distribution){0};
    ICF_TRY(icf_exchange_create(context, &distribution->exchange));
    icf_halo_init(&distribution->halo, context, distribution->exchange);
    icf_components_init(&distribution->components);
    icf_placement_init(&distribution->placement);
    icf_received_init(&distribution->received);
    icf_bodies_init(&distribution->bodies);
    ICF_TRY(icf_domain_init(&distribution->guests));
    ICF_TRY(icf_group_islands_create(context, &distribution->groups));
    distribution->guests.bodies = &distribution->bodies;
    return ICF_OK;
}

void icf_distribution_clear(icf_distribution *distribution)
{
    icf_broad_phase_destroy(&distribution->near);
    icf_group_islands_destroy(&distribution->groups);
    icf_domain_clear(&distribution->guests);
    icf_bodies_clear(&distribution->bodies);
    icf_received_clear(&distribution->received);
    icf_placement_clear(&distribution->placement);
    icf_components_clear(&distribution->components);
    icf_halo_clear(&distribution->halo);
    icf_exchange_destroy(&distribution->exchange);
    ICF_FREE(distribution->margin);
}

icf_vec3 icf_distribution_reference(const icf_context *context, const icf_bodies *bodies, double end_time)
{
    icf_cnt n;
    const icf_vec3 mine = icf_sum_velocities(bodies, end_time, &n);
    double sum[4] = {mine.x, mine.y, mine.z, (double)n};
    if (context->size > 1) ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, context->comm));
    return icf_scale(1.0 / fmax(sum[3], 1.0), icf_vec3_make(sum[0], sum[1], sum[2]));
}

/* Box of this rank's vertices of a shared body, of the whole where it is owned and other bodies are attached to it:
 * they must be here. */
static void part_box(const icf_domain *domain, const icf_deformable_motion *motion, double margin, double box[6])
{
    const icf_bodies *bodies = domain->bodies;
    const icf_deformable *deformable = motion->surface.deformable;
    const icf_lid i = icf_bodies_find(bodies, deformable->gid);
    const bool whole = i >= 0 && i < bodies->nowned && deformable->nattachment > 0;
    for (int c = 0; c < 3; ++c) box[c] = INFINITY, box[c + 3] = -INFINITY;
    for (icf_lid k = 0; k < motion->split->nvertex; ++k) {
        if (!whole && !icf_split_mesh_owns(motion->split, k)) continue;
        const double x[3] = {motion->surface.position[k].x, motion->surface.position[k].y,
                             motion->surface.position[k].z};
        for (int c = 0; c < 3; ++c) {
            box[c] = fmin(box[c], x[c] - margin);
            box[c + 3] = fmax(box[c + 3], x[c] + margin);
        }
    }
}

/* The bodies whose work all ranks share, with the margins that their owners have found. */
static icf_status list_shared(const icf_domain *domain, const icf_step_input *input, const double *margin,
                              icf_halo_shared *shared)
{
    const icf_bodies *bodies = domain->bodies;
    *shared = (icf_halo_shared){0};
    if (domain->split.n == 0) return ICF_OK;
    const size_t n = (size_t)domain->split.n;
    double *largest = ICF_ARENA_ARRAY(input->arena, double, n);
    icf_gid *gid = ICF_ARENA_ARRAY(input->arena, icf_gid, n);
    double(*box)[6] = icf_arena_alloc(input->arena, n * sizeof *box);
    ICF_TRY(icf_agree(input->context, largest && gid && box ? ICF_OK : ICF_ERROR_MEMORY));
    for (size_t k = 0; k < n; ++k) {
        const icf_lid i = icf_bodies_find(bodies, input->scene->deformable[k].gid);
        largest[k] = i >= 0 && i < bodies->nowned ? margin[i] : 0.0;
    }
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, largest, domain->split.n, MPI_DOUBLE, MPI_MAX, input->context->comm));
    for (size_t k = 0; k < n; ++k) {
        if (!domain->split.motion[k]) continue;
        gid[shared->n] = input->scene->deformable[k].gid;
        part_box(domain, domain->split.motion[k], largest[k], box[shared->n++]);
    }
    shared->gid = gid;
    shared->box = (const double(*)[6])box;
    return ICF_OK;
}

icf_status icf_distribution_ghosts(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input,
                                   const icf_vec3 *acceleration, bool near)
{
    icf_bodies *bodies = domain->bodies;
    ICF_TRY(icf_agree(input->context, ICF_GROW(distribution->margin, distribution->margin_capacity, bodies->nowned)));
    icf_contact_margins(input->scene, bodies, bodies->nowned, acceleration, domain->motion.surface, input->reference,
                        input->dt, input->t + input->dt, distribution->margin);
    icf_attachment_margins(input->scene, bodies, bodies->nowned, distribution->margin);
    for (icf_lid i = 0; near && i < bodies->nowned; ++i) distribution->margin[i] += icf_near_margin(bodies, i);
    icf_halo_shared shared;
    ICF_TRY(list_shared(domain, input, distribution->margin, &shared));
    ICF_TRY(icf_halo_build(&distribution->halo, bodies, distribution->margin, &shared));
    icf_bodies_prescribe_poses(bodies, input->t);
    /* margins came from the accelerations, which have served; free motions of deformables are kept */
    if (!domain->motion.deformable && domain->split.n == 0) icf_arena_reset(input->arena);
    return icf_domain_move_freely(domain, input, bodies->nowned);
}

/* ---- guests ---- */

icf_gather_below icf_find_gather_below(const icf_scene *scene)
{
    const icf_cnt dofs = scene->parallel.gather_below;
    if (dofs == ICF_GATHER_AUTO) return (icf_gather_below){auto_gather_bodies, INT64_MAX};
    return (icf_gather_below){(dofs + 5) / 6, (dofs + 5) / 6};
}

/* Owned bodies of a part to the rank that solves its island. */
static icf_status send_part(icf_distribution *distribution, const icf_domain *domain, icf_lid part)
{
    const icf_bodies *bodies = domain->bodies;
    const icf_islands *islands = &domain->islands;
    const int solver = distribution->placement.solver[part];
    if (part >= distribution->components.nisland)
        return icf_body_message_write(distribution->exchange, solver, bodies,
                                      distribution->components.single[part - distribution->components.nisland]);
    for (icf_lid k = islands->body_ptr[part]; k < islands->body_ptr[part + 1]; ++k)
        if (islands->body[k] < bodies->nowned)
            ICF_TRY(icf_body_message_write(distribution->exchange, solver, bodies, islands->body[k]));
    return ICF_OK;
}

static icf_status send_guests(icf_distribution *distribution, icf_domain *domain)
{
    const int rank = distribution->halo.context->rank;
    icf_exchange_begin(distribution->exchange);
    for (icf_lid part = 0; part < distribution->components.npart; ++part) {
        if (!distribution->components.spanning[part] && distribution->placement.solver[part] == rank) continue;
        if (part < domain->islands.n) icf_domain_skip(domain, part);
        const bool grouped = distribution->placement.group_ptr[part + 1] > distribution->placement.group_ptr[part];
        if (!grouped) ICF_TRY(send_part(distribution, domain, part));
    }
    return ICF_OK;
}

/* The guests by ascending id, then all bodies that do not move. */
static icf_status take_guests(icf_distribution *distribution, const icf_bodies *bodies)
{
    icf_bodies *guests = &distribution->bodies;
    ICF_TRY(icf_received_list(&distribution->received, distribution->halo.context, distribution->exchange));
    icf_bodies_truncate(guests, 0);
    for (icf_lid k = 0; k < distribution->received.n; ++k) {
        const icf_body_def def = icf_received_get(&distribution->received, k);
        ICF_TRY(icf_bodies_add(guests, &def, true));
    }
    if (guests->n == 0) return ICF_OK;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (icf_bodies_moves(bodies, i)) continue;
        const icf_body_def def = icf_bodies_def(bodies, i, NULL);
        ICF_TRY(icf_bodies_add(guests, &def, false));
    }
    return ICF_OK;
}

static icf_status prepare_guests(icf_distribution *distribution, const icf_bodies *bodies, const icf_step_input *input,
                                 icf_step_stats *stats)
{
    ICF_TRY(take_guests(distribution, bodies));
    icf_bodies_prescribe_poses(&distribution->bodies, input->t);
    ICF_TRY(icf_domain_move_freely(&distribution->guests, input, 0));
    return icf_domain_find_contacts(&distribution->guests, input, false, stats);
}

icf_status icf_distribution_gather(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input,
                                   icf_status status, icf_step_stats *stats)
{
    const double started = icf_clock_wall();
    ICF_TRY(icf_agree(input->context, status));
    ICF_TRY(icf_components_build(&distribution->components, &distribution->halo, domain->bodies, &domain->islands));
    ICF_TRY(icf_placement_build(&distribution->placement, &distribution->halo, domain->bodies, &domain->islands,
                                &distribution->components, icf_find_gather_below(input->scene)));
    status = icf_lend_islands(&distribution->placement, &distribution->components, domain, input, &stats->lent);
    if (status == ICF_OK) status = send_guests(distribution, domain);
    ICF_TRY(icf_exchange_run(distribution->exchange, status));
    stats->ms[ICF_PHASE_EXCHANGE] += 1e3 * (icf_clock_wall() - started);
    return prepare_guests(distribution, domain->bodies, input, stats);
}

/* ---- the way back ---- */

static icf_status write_velocities(icf_distribution *distribution)
{
    const icf_bodies *guests = &distribution->bodies;
    icf_exchange_begin(distribution->exchange);
    for (icf_lid i = 0; i < guests->nowned; ++i) {
        const int rank = distribution->received.body[i].rank;
        const returned_velocity velocity = {guests->gid[i], guests->linear_velocity[i], guests->angular_velocity[i],
                                            distribution->guests.cost[i]};
        ICF_TRY(icf_exchange_write(distribution->exchange, rank, &velocity, sizeof velocity));
        if (guests->nvertex[i] == 0) continue;
        ICF_TRY(icf_exchange_write(distribution->exchange, rank, &distribution->guests.reaction[i],
                                   sizeof distribution->guests.reaction[i]));
        ICF_TRY(icf_exchange_write(distribution->exchange, rank, guests->vertex_velocity + guests->vertex[i],
                                   (size_t)guests->nvertex[i] * sizeof *guests->vertex_velocity));
    }
    return ICF_OK;
}

/* Sets the velocities of the next body of a message; returns what follows it. */
static const char *read_velocity(icf_domain *domain, const char *at)
{
    icf_bodies *bodies = domain->bodies;
    returned_velocity velocity;
    memcpy(&velocity, at, sizeof velocity);
    at += sizeof velocity;
    const icf_lid i = icf_bodies_find(bodies, velocity.gid);
    bodies->linear_velocity[i] = velocity.linear;
    bodies->angular_velocity[i] = velocity.angular;
    domain->cost[i] = velocity.cost;
    const size_t bytes = (size_t)bodies->nvertex[i] * sizeof *bodies->vertex_velocity;
    if (bytes == 0) return at;
    memcpy(&domain->reaction[i], at, sizeof domain->reaction[i]);
    at += sizeof domain->reaction[i];
    memcpy(bodies->vertex_velocity + bodies->vertex[i], at, bytes);
    return at + bytes;
}

static void read_velocities(const icf_distribution *distribution, icf_domain *domain, int size)
{
    for (int rank = 0; rank < size; ++rank) {
        size_t bytes;
        const char *at = icf_exchange_read(distribution->exchange, rank, &bytes), *end = bytes > 0 ? at + bytes : at;
        while (at < end) at = read_velocity(domain, at);
    }
}

icf_status icf_distribution_return(icf_distribution *distribution, icf_domain *domain, const icf_step_input *input,
                                   icf_status status)
{
    if (status == ICF_OK) {
        icf_domain_set_velocities(&distribution->guests);
        status = icf_domain_finish(&distribution->guests, input);
        if (status == ICF_OK) status = write_velocities(distribution);
    }
    ICF_TRY(icf_exchange_run(distribution->exchange, status));
    icf_group_islands_set_split(distribution->groups, domain);
    icf_split_motions_share(&domain->split);
    icf_domain_set_velocities(domain);
    icf_group_islands_set(distribution->groups, domain);
    ICF_TRY(icf_agree(input->context, icf_domain_finish(domain, input)));
    icf_group_islands_react(distribution->groups, domain);
    read_velocities(distribution, domain, input->context->size);
    return icf_split_pairs_sum(domain, &distribution->halo, input->arena);
}
