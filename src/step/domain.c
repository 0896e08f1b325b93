/* The stages of a step for one set of bodies. */
#include "step/domain.h"

#include <string.h>

#include "step/body_cost.h"
#include "step/diagnose.h"

icf_status icf_domain_init(icf_domain *domain)
{
    *domain = (icf_domain){.failed = -1};
    icf_inertia_init(&domain->inertia);
    icf_contacts_init(&domain->contacts);
    icf_islands_init(&domain->islands);
    return icf_detector_create(&domain->detector);
}

void icf_domain_clear(icf_domain *domain)
{
    icf_detector_destroy(&domain->detector);
    icf_islands_clear(&domain->islands);
    icf_contacts_clear(&domain->contacts);
    icf_inertia_clear(&domain->inertia);
}

icf_status icf_domain_accelerate(icf_domain *domain, const icf_step_input *input, icf_vec3 **acceleration)
{
    icf_bodies_prescribe_velocities(domain->bodies, input->t + input->dt);
    ICF_TRY(icf_inertia_build(&domain->inertia, domain->bodies, 0));
    ICF_TRY(icf_free_deformables(&domain->motion, domain->cache, input->arena, input->scene, domain->bodies,
                                 &domain->split, 0, domain->bodies->nowned, input->t, input->dt));
    return icf_free_accelerations(input->arena, input->scene, domain->bodies, &domain->inertia, input->t, input->dt,
                                  acceleration);
}

icf_status icf_domain_move_freely(icf_domain *domain, const icf_step_input *input, icf_lid first)
{
    icf_bodies_prescribe_velocities(domain->bodies, input->t + input->dt);
    ICF_TRY(icf_inertia_build(&domain->inertia, domain->bodies, first));
    ICF_TRY(icf_free_deformables(&domain->motion, domain->cache, input->arena, input->scene, domain->bodies,
                                 &domain->split, first, domain->bodies->n, input->t, input->dt));
    return icf_free_motion_build(&domain->motion, input->arena, input->scene, domain->bodies, &domain->inertia,
                                 input->t, input->dt);
}

static icf_status build_islands(icf_domain *domain, icf_arena *arena)
{
    const icf_lid npair = domain->contacts.npair, nlink = domain->attachments.npair;
    icf_lid nedge = npair + nlink;
    domain->edge = ICF_ARENA_ARRAY(arena, icf_pair, nedge + domain->split.n);
    if (!domain->edge) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < domain->bodies->n && domain->split.n > 0; ++i)
        if (icf_split_motions_get(&domain->split, domain->bodies, i) &&
            domain->split.touched[domain->bodies->shape[i].index])
            domain->edge[nedge++] = (icf_pair){i, i};
    if (npair > 0) memcpy(domain->edge, domain->contacts.pair, (size_t)npair * sizeof *domain->edge);
    if (nlink > 0) memcpy(domain->edge + npair, domain->attachments.pair, (size_t)nlink * sizeof *domain->edge);
    ICF_TRY(icf_islands_build(&domain->islands, domain->bodies, nedge, domain->edge));
    domain->skip = ICF_ARENA_ARRAY(arena, bool, domain->islands.n);
    domain->as_group = NULL;
    domain->log = NULL;
    domain->drop = ICF_ARENA_ARRAY(arena, bool, nedge);
    if (!domain->skip || !domain->drop) return ICF_ERROR_MEMORY;
    memset(domain->skip, 0, (size_t)domain->islands.n * sizeof *domain->skip);
    memset(domain->drop, 0, (size_t)nedge * sizeof *domain->drop);
    return ICF_OK;
}

icf_status icf_domain_find_contacts(icf_domain *domain, const icf_step_input *input, bool owned_only,
                                    icf_step_stats *stats)
{
    const double started = icf_clock_wall();
    const icf_detect_input detect = {.scene = input->scene,
                                     .bodies = domain->bodies,
                                     .inertia = &domain->inertia,
                                     .acceleration = domain->motion.acceleration,
                                     .surface = domain->motion.surface,
                                     .reference = input->reference,
                                     .dt = input->dt,
                                     .end_time = input->t + input->dt,
                                     .at_start = input->at_start,
                                     .owned_only = owned_only};
    icf_status status = icf_detect(domain->detector, input->context, &detect, &domain->contacts);
    if (status == ICF_OK)
        status = icf_attachments_build(&domain->attachments, input->arena, domain->bodies, &domain->inertia,
                                       domain->motion.surface, input->dt);
    if (domain->split.n > 0) status = icf_agree(input->context, status);
    ICF_TRY(status);
    icf_split_motions_touch(&domain->split, input->context, domain->bodies, &domain->contacts, &domain->attachments);
    ICF_TRY(icf_split_motions_complete(&domain->split, domain->cache, input->arena));
    const double found = icf_clock_wall();
    ICF_TRY(build_islands(domain, input->arena));
    ICF_TRY(icf_contact_iterates_alloc(&domain->iterates, input->arena, domain->contacts.npair, domain->contacts.n));
    stats->ms[ICF_PHASE_GEOMETRY] += 1e3 * (found - started);
    stats->ms[ICF_PHASE_ISLANDS] += 1e3 * (icf_clock_wall() - found);
    return ICF_OK;
}

/* Wall time of the solve, split among the phases as the islands' own clocks say. */
static void split_time(const icf_domain *domain, double wall, icf_step_stats *stats)
{
    double seconds[ICF_PHASE_COUNT] = {0}, sum = 0.0;
    for (icf_lid i = 0; i < domain->islands.n; ++i)
        for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) {
            seconds[phase] += domain->result[i].seconds[phase];
            sum += domain->result[i].seconds[phase];
        }
    if (sum == 0.0) seconds[ICF_PHASE_ASSEMBLY] = sum = 1.0;
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) stats->ms[phase] += 1e3 * wall * seconds[phase] / sum;
}

/* Free motions to the last bits, of own deformable bodies that nothing touches here; what another rank has found to
 * touch one is not known yet. */
static icf_status complete_free(icf_domain *domain, const icf_step_input *input, icf_step_stats *stats)
{
    const double started = icf_clock_wall();
    const icf_bodies *bodies = domain->bodies;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_is_deformable(bodies, i) && domain->islands.of_body[i] < 0 &&
            !icf_split_motions_get(&domain->split, bodies, i))
            ICF_TRY(icf_deformable_complete(domain->cache, input->arena, bodies->shape[i].index,
                                            domain->motion.deformable[i]));
    stats->ms[ICF_PHASE_GEOMETRY] += 1e3 * (icf_clock_wall() - started);
    return ICF_OK;
}

icf_island_inputs icf_domain_island_inputs(icf_domain *domain, const icf_scene *scene)
{
    return (icf_island_inputs){.scene = scene,
                               .bodies = domain->bodies,
                               .islands = &domain->islands,
                               .skip = domain->skip,
                               .as_group = domain->as_group,
                               .log = domain->log,
                               .motion = &domain->motion,
                               .contacts = &domain->contacts,
                               .iterates = domain->iterates,
                               .attachments = &domain->attachments};
}

icf_status icf_domain_solve(icf_domain *domain, const icf_step_input *input, icf_island_solver *solver,
                            icf_step_stats *stats)
{
    const double started = icf_clock_wall();
    const icf_lid n = domain->islands.n;
    domain->v = ICF_ARENA_ARRAY(input->arena, double, (size_t)domain->islands.dof_ptr[domain->islands.body_ptr[n]]);
    domain->result = ICF_ARENA_ARRAY(input->arena, icf_newton_result, n);
    if (!domain->v || !domain->result) return ICF_ERROR_MEMORY;
    const icf_island_inputs in = icf_domain_island_inputs(domain, input->scene);
    ICF_TRY(icf_solve_islands(solver, input->arena, &in, domain->v, domain->result, &domain->failed));
    split_time(domain, icf_clock_wall() - started, stats);
    return complete_free(domain, input, stats);
}

void icf_domain_skip(icf_domain *domain, icf_lid island)
{
    domain->skip[island] = true;
    for (icf_lid k = domain->islands.pair_ptr[island]; k < domain->islands.pair_ptr[island + 1]; ++k)
        domain->drop[domain->islands.pair[k]] = true;
}

/* Keeps the contacts that are this rank's; runs of pairs that stay move together. */
static void drop_contacts(icf_domain *domain)
{
    icf_contacts *contacts = &domain->contacts;
    icf_lid npair = 0, n = 0;
    for (icf_lid k = 0, end; k < contacts->npair; k = end) {
        const icf_lid first = contacts->pair_begin[k];
        for (end = k; end < contacts->npair && !domain->drop[end]; ++end) {
            contacts->pair[npair] = contacts->pair[end];
            contacts->pair_begin[npair++] = n + contacts->pair_begin[end] - first;
        }
        const icf_lid count = contacts->pair_begin[end] - first;
        icf_contacts_move(contacts, first, n, count);
        n += count;
        while (end < contacts->npair && domain->drop[end]) ++end;
    }
    contacts->pair_begin[npair] = n;
    contacts->npair = npair;
    contacts->n = n;
}

/* Solved velocities (vertices x 3) of a deformable body, v* when NULL; supported vertices have their own. */
static void set_vertex_velocities(icf_domain *domain, icf_lid i, const double *v)
{
    icf_bodies *bodies = domain->bodies;
    const icf_deformable_motion *motion = domain->motion.deformable[i];
    icf_vec3 *velocity = bodies->vertex_velocity + bodies->vertex[i];
    for (icf_lid k = 0; k < bodies->nvertex[i]; ++k) {
        if (v && icf_deformable_is_free(motion->surface.deformable, k))
            velocity[k] = icf_vec3_make(v[3 * k], v[3 * k + 1], v[3 * k + 2]);
        else
            velocity[k] = motion->split ? motion->v1[k] : motion->v_star[k];
    }
}

icf_vec3 icf_domain_supported_force(const icf_domain *domain, icf_lid pair, int side, double dt)
{
    const icf_contacts *contacts = &domain->contacts;
    icf_vec3 force = {0, 0, 0};
    for (icf_lid i = contacts->pair_begin[pair]; i < contacts->pair_begin[pair + 1]; ++i) {
        const icf_support *support = &contacts->support[i][side];
        double share = 1.0;
        for (int k = 0; k < support->n; ++k) share -= support->weight[k];
        force = icf_mul_add(force, (side == 0 ? -share : share) / dt, icf_contacts_world_impulse(contacts, i));
    }
    return force;
}

/* Forces of this rank's contacts and attachments on supported vertices, by deformable body [N]. */
static void sum_supported(const icf_domain *domain, double dt, icf_vec3 *force)
{
    const icf_contacts *contacts = &domain->contacts;
    const icf_attachments *attachments = &domain->attachments;
    for (icf_lid p = 0; p < contacts->npair; ++p) {
        if (domain->drop[p]) continue;
        const icf_lid bodies[2] = {contacts->pair[p].a, contacts->pair[p].b};
        for (int side = 0; side < 2; ++side)
            if (icf_bodies_is_deformable(domain->bodies, bodies[side]))
                force[bodies[side]] = icf_add(force[bodies[side]], icf_domain_supported_force(domain, p, side, dt));
    }
    for (icf_lid p = 0; p < attachments->npair; ++p)
        for (icf_lid k = attachments->begin[p]; k < attachments->begin[p + 1]; ++k) {
            if (attachments->held[k].is_free || domain->drop[contacts->npair + p]) continue;
            icf_vec3 *of_body = &force[attachments->pair[p].b];
            *of_body = icf_mul_add(*of_body, 1.0 / dt, attachments->held[k].impulse);
        }
}

/* What supports do is what moves their vertices and is no other force. */
static icf_status find_reactions(icf_domain *domain, const icf_step_input *input)
{
    const icf_bodies *bodies = domain->bodies;
    domain->reaction = NULL;
    if (!domain->motion.deformable) return ICF_OK;
    domain->reaction = ICF_ARENA_ARRAY(input->arena, icf_vec3, bodies->n);
    if (!domain->reaction) return ICF_ERROR_MEMORY;
    memset(domain->reaction, 0, (size_t)bodies->n * sizeof *domain->reaction);
    sum_supported(domain, input->dt, domain->reaction);
    for (icf_lid i = 0; i < bodies->n; ++i) {
        const bool split = icf_split_motions_get(&domain->split, bodies, i) != NULL;
        if (!icf_bodies_is_deformable(bodies, i) || (i >= bodies->nowned && !split)) continue;
        icf_vec3 needed;
        ICF_TRY(icf_deformable_support_force(domain->motion.deformable[i], input->arena,
                                             bodies->vertex_velocity + bodies->vertex[i], input->dt, &needed));
        domain->reaction[i] = icf_sub(needed, domain->reaction[i]);
    }
    return ICF_OK;
}

/* Net impulses of the attachments of each pair of bodies; of a pair one domain has them. */
static icf_status sum_attachments(icf_domain *domain, icf_arena *arena)
{
    const icf_attachments *attachments = &domain->attachments;
    domain->nattached = 0;
    domain->attached = ICF_ARENA_ARRAY(arena, icf_pair_impulse, attachments->npair);
    if (!domain->attached) return ICF_ERROR_MEMORY;
    for (icf_lid p = 0; p < attachments->npair; ++p) {
        if (domain->drop[domain->contacts.npair + p]) continue;
        icf_vec3 impulse = {0, 0, 0};
        for (icf_lid k = attachments->begin[p]; k < attachments->begin[p + 1]; ++k)
            impulse = icf_add(impulse, attachments->held[k].impulse);
        domain->attached[domain->nattached++] = (icf_pair_impulse){attachments->pair[p], impulse};
    }
    return ICF_OK;
}

/* What the ranks have found of the forces of a shared body's supports. */
static icf_status sum_reactions(icf_domain *domain, const icf_step_input *input, icf_status status)
{
    if (domain->split.n == 0) return status;
    ICF_TRY(icf_agree(input->context, status));
    for (int32_t k = 0; k < domain->split.n; ++k) {
        const icf_deformable_motion *motion = domain->split.motion[k];
        if (!motion) continue;
        const icf_lid i = icf_bodies_find(domain->bodies, motion->surface.deformable->gid);
        icf_split_mesh_sum(motion->split, &domain->reaction[i].x, 3);
    }
    return ICF_OK;
}

void icf_domain_deformable_energy(const icf_domain *domain, const icf_step_input *input, icf_step_stats *stats)
{
    const icf_bodies *bodies = domain->bodies;
    if (!domain->motion.deformable) return;
    for (int32_t k = 0; k < domain->split.n; ++k) {
        icf_deformable_motion *motion = domain->split.motion[k];
        if (!motion) continue;
        icf_vec3 *x = motion->v0; /* has served */
        icf_split_motion_end(motion, input->t, input->dt, x);
        icf_deformable_add_energy(motion, x, motion->v1, input->scene->gravity, stats);
    }
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_is_deformable(bodies, i) && !icf_split_motions_get(&domain->split, bodies, i))
            icf_deformable_add_energy(domain->motion.deformable[i], bodies->vertex_position + bodies->vertex[i],
                                      bodies->vertex_velocity + bodies->vertex[i], input->scene->gravity, stats);
}

void icf_domain_set_body(icf_domain *domain, icf_lid i, const double *v)
{
    icf_bodies *bodies = domain->bodies;
    if (icf_bodies_is_deformable(bodies, i)) {
        set_vertex_velocities(domain, i, v);
        return;
    }
    bodies->linear_velocity[i] = icf_vec3_make(v[0], v[1], v[2]);
    bodies->angular_velocity[i] = icf_vec3_make(v[3], v[4], v[5]);
}

void icf_domain_set_velocities(icf_domain *domain)
{
    icf_bodies *bodies = domain->bodies;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (icf_bodies_is_deformable(bodies, i)) {
            set_vertex_velocities(domain, i, NULL);
        } else if (icf_bodies_moves(bodies, i)) {
            bodies->linear_velocity[i] = domain->motion.linear[i];
            bodies->angular_velocity[i] = domain->motion.angular[i];
        }
    }
    for (icf_lid island = 0; island < domain->islands.n; ++island) {
        if (domain->skip[island]) continue;
        for (icf_lid k = domain->islands.body_ptr[island]; k < domain->islands.body_ptr[island + 1]; ++k)
            icf_domain_set_body(domain, domain->islands.body[k], domain->v + domain->islands.dof_ptr[k]);
    }
}

icf_status icf_domain_finish(icf_domain *domain, const icf_step_input *input)
{
    ICF_TRY(sum_reactions(domain, input, find_reactions(domain, input)));
    ICF_TRY(sum_attachments(domain, input->arena));
    domain->cost = ICF_ARENA_ARRAY(input->arena, double, domain->bodies->n);
    if (!domain->cost) return ICF_ERROR_MEMORY;
    icf_body_costs(domain, domain->cost);
    drop_contacts(domain);
    return ICF_OK;
}

void icf_domain_count(const icf_domain *domain, double dt, icf_step_stats *stats)
{
    const icf_islands *islands = &domain->islands;
    for (icf_lid i = 0; i < islands->n; ++i) {
        if (domain->skip[i]) continue;
        const icf_newton_result *result = &domain->result[i];
        const icf_cnt dofs = islands->dof_ptr[islands->body_ptr[i + 1]] - islands->dof_ptr[islands->body_ptr[i]];
        ++stats->islands;
        stats->iterations_mean += result->iterations; /* the sum; divided when all ranks have added */
        stats->iterations_max = ICF_MAX(stats->iterations_max, result->iterations);
        stats->largest_island_dofs = ICF_MAX(stats->largest_island_dofs, dofs);
        stats->line_search += result->line_search;
        stats->factorizations += result->factorizations;
        stats->flops += result->flops + result->parts.flops;
        stats->pcg += result->pcg;
        stats->roundoff += result->roundoff;
        stats->cost += result->cost;
        stats->contact_cost += result->contact_cost;
        stats->momentum_residual = fmax(stats->momentum_residual, result->residual);
        stats->condition_max = fmax(stats->condition_max, result->condition);
    }
    for (icf_lid k = 0; k < domain->contacts.npair; ++k) {
        const icf_pair pair = domain->contacts.pair[k];
        if (domain->is_shared && (domain->is_shared[pair.a] || domain->is_shared[pair.b])) continue;
        const double force = icf_norm(icf_contacts_pair_impulse(&domain->contacts, k)) / dt;
        stats->contact_force_max = fmax(stats->contact_force_max, force);
    }
    for (icf_lid k = 0; k < domain->nshared; ++k)
        stats->contact_force_max = fmax(stats->contact_force_max, icf_norm(domain->shared[k].impulse) / dt);
    for (icf_lid k = 0; k < domain->nattached; ++k)
        stats->attachment_force_max = fmax(stats->attachment_force_max, icf_norm(domain->attached[k].impulse) / dt);
    for (icf_lid i = 0; domain->reaction && i < domain->bodies->nowned; ++i)
        stats->reaction_max = fmax(stats->reaction_max, icf_norm(domain->reaction[i]));
    stats->candidates += domain->contacts.n;
    stats->searches += domain->contacts.nsearch;
    stats->active += icf_count_active(&domain->contacts);
    stats->penetration_max = fmax(stats->penetration_max, icf_end_penetration(&domain->contacts, domain->bodies, dt));
    const icf_contact_errors errors = icf_find_contact_errors(&domain->contacts, domain->bodies, dt);
    stats->error_signorini_max = fmax(stats->error_signorini_max, errors.signorini);
    stats->error_coulomb_max = fmax(stats->error_coulomb_max, errors.coulomb);
    stats->error_dissipation_max = fmax(stats->error_dissipation_max, errors.dissipation);
}
