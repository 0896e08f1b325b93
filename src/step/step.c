/* The step pipeline.
 *
 *     free motion -> ghosts -> contacts, islands -> guests -> solve -> velocities home -> poses -> diagnosis
 *
 * On one rank the stages for ghosts and guests fall away.
 */
#include "step/step.h"

#include <string.h>

#include "base/memory.h"
#include "step/body_cost.h"
#include "step/diagnose.h"
#include "step/distribute.h"
#include "step/integrate.h"
#include "step/rebalance.h"

struct icf_stepper {
    icf_context *context;
    icf_arena arena;
    icf_domain domain;             /* this rank's bodies and ghosts */
    icf_distribution distribution; /* used on several ranks only */
    icf_deformable_cache *cache;
    icf_island_solver *solver;
};

icf_status icf_stepper_create(icf_context *context, icf_stepper **stepper)
{
    *stepper = icf_alloc(sizeof **stepper);
    if (!*stepper) return ICF_ERROR_MEMORY;
    **stepper = (icf_stepper){.context = context};
    icf_arena_init(&(*stepper)->arena);
    ICF_TRY(icf_domain_init(&(*stepper)->domain));
    ICF_TRY(icf_distribution_init(&(*stepper)->distribution, context));
    ICF_TRY(icf_deformable_cache_create(context, &(*stepper)->cache));
    (*stepper)->domain.cache = (*stepper)->distribution.guests.cache = (*stepper)->cache;
    return icf_island_solver_create(context, &(*stepper)->solver);
}

void icf_stepper_destroy(icf_stepper **stepper)
{
    if (!*stepper) return;
    icf_island_solver_destroy(&(*stepper)->solver);
    icf_deformable_cache_destroy(&(*stepper)->cache);
    icf_distribution_clear(&(*stepper)->distribution);
    icf_domain_clear(&(*stepper)->domain);
    icf_arena_clear(&(*stepper)->arena);
    ICF_FREE(*stepper);
}

static bool is_distributed(const icf_stepper *stepper)
{
    return stepper->context->size > 1;
}

/* Free motion, and on several ranks the ghosts that it may meet.
 *   near [in] with those that are only near, for the graph of a rebalancing */
static icf_status prepare(icf_stepper *stepper, icf_step_input *input, bool near, icf_step_stats *stats)
{
    const double started = icf_clock_wall();
    icf_domain *domain = &stepper->domain;
    icf_vec3 *acceleration = NULL;
    icf_bodies_prescribe_poses(domain->bodies, input->t);
    if (is_distributed(stepper))
        ICF_TRY(icf_split_motions_find(&domain->split, stepper->context, stepper->cache, input->arena, input->scene,
                                       domain->bodies, input->t, input->dt));
    icf_status status = is_distributed(stepper) ? icf_domain_accelerate(domain, input, &acceleration)
                                                : icf_domain_move_freely(domain, input, 0);
    input->reference = icf_distribution_reference(stepper->context, domain->bodies, input->t + input->dt);
    stats->ms[ICF_PHASE_GEOMETRY] += 1e3 * (icf_clock_wall() - started);
    if (!is_distributed(stepper)) return status;

    const double exchanged = icf_clock_wall();
    ICF_TRY(icf_agree(stepper->context, status));
    ICF_TRY(icf_distribution_ghosts(&stepper->distribution, domain, input, acceleration, near));
    stats->ms[ICF_PHASE_EXCHANGE] += 1e3 * (icf_clock_wall() - exchanged);
    return ICF_OK;
}

static icf_status find_contacts(icf_stepper *stepper, const icf_step_input *input, icf_status status,
                                icf_step_stats *stats)
{
    const bool distributed = is_distributed(stepper);
    if (stepper->domain.split.n > 0) status = icf_agree(input->context, status);
    if (status == ICF_OK) status = icf_domain_find_contacts(&stepper->domain, input, distributed, stats);
    if (!distributed) return status;
    return icf_distribution_gather(&stepper->distribution, &stepper->domain, input, status, stats);
}

/* Solves and sets the velocities of the owned bodies. */
static icf_status solve(icf_stepper *stepper, const icf_step_input *input, icf_status status, icf_step_stats *stats)
{
    icf_domain *domain = &stepper->domain;
    if (status == ICF_OK) status = icf_domain_solve(domain, input, stepper->solver, stats);
    if (!is_distributed(stepper)) {
        if (status != ICF_OK) return status;
        icf_domain_set_velocities(domain);
        return icf_domain_finish(domain, input);
    }
    icf_distribution *distribution = &stepper->distribution;
    if (status == ICF_OK) status = icf_domain_solve(&distribution->guests, input, stepper->solver, stats);
    status = icf_group_islands_solve(distribution->groups, domain, &distribution->halo, &distribution->components,
                                     &distribution->placement, input, status, stats);
    const double started = icf_clock_wall();
    status = icf_distribution_return(distribution, domain, input, status);
    stats->ms[ICF_PHASE_EXCHANGE] += 1e3 * (icf_clock_wall() - started);
    return status;
}

/* Counts contacts and solves, moves the bodies, measures the new state. */
static void finish(icf_stepper *stepper, const icf_step_input *input, const icf_start_velocities *start_velocities,
                   icf_step_stats *stats)
{
    icf_bodies *bodies = stepper->domain.bodies;
    icf_domain_count(&stepper->domain, input->dt, stats);
    if (is_distributed(stepper)) icf_domain_count(&stepper->distribution.guests, input->dt, stats);
    icf_body_costs_keep(bodies, stepper->domain.cost);
    icf_integrate_poses(input->scene, bodies, start_velocities, input->t, input->dt);
    icf_bodies_prescribe_poses(bodies, input->t + input->dt);
    stats->time = input->t + input->dt;
    stats->kinetic_energy = icf_kinetic_energy(bodies);
    stats->potential_energy = icf_potential_energy(bodies, input->scene->gravity);
    icf_domain_deformable_energy(&stepper->domain, input, stats);
}

/* What this rank has sent in exchanges so far. */
static icf_exchange_stats exchanged(const icf_stepper *stepper)
{
    if (!is_distributed(stepper)) return (icf_exchange_stats){0};
    return icf_exchange_get_stats(stepper->distribution.exchange);
}

icf_status icf_step(icf_stepper *stepper, const icf_scene *scene, icf_bodies *bodies, double t, double dt,
                    bool at_start, icf_step_stats *stats)
{
    icf_step_input input = {
        .context = stepper->context, .arena = &stepper->arena, .scene = scene, .t = t, .dt = dt, .at_start = at_start};
    *stats = (icf_step_stats){.substeps = 1};
    stepper->domain.bodies = bodies;
    stepper->domain.failed = stepper->distribution.guests.failed = -1;
    icf_arena_reset(&stepper->arena);
    /* a rank that fails goes on to the next point where all agree, so that no other waits for it */
    icf_start_velocities start_velocities = {0};
    const icf_exchange_stats before = exchanged(stepper);
    icf_status status = prepare(stepper, &input, false, stats);
    if (status == ICF_OK) status = icf_keep_velocities(scene, bodies, &stepper->arena, &start_velocities);
    status = find_contacts(stepper, &input, status, stats);
    ICF_TRY(solve(stepper, &input, status, stats));
    finish(stepper, &input, &start_velocities, stats);
    stats->messages += exchanged(stepper).messages - before.messages;
    stats->bytes += exchanged(stepper).bytes - before.bytes;
    return ICF_OK;
}

icf_status icf_stepper_rebalance(icf_stepper *stepper, const icf_scene *scene, icf_bodies *bodies, double t, double dt,
                                 icf_rebalance_report *report)
{
    *report = (icf_rebalance_report){.decomposition = {.imbalance = 1.0}};
    if (!is_distributed(stepper)) return ICF_OK;
    icf_step_input input = {.context = stepper->context, .arena = &stepper->arena, .scene = scene, .t = t, .dt = dt};
    icf_step_stats unused = {0};
    stepper->domain.bodies = bodies;
    icf_arena_reset(&stepper->arena);
    icf_status status = prepare(stepper, &input, true, &unused);
    if (stepper->domain.split.n > 0) status = icf_agree(stepper->context, status);
    if (status == ICF_OK) status = icf_domain_find_contacts(&stepper->domain, &input, true, &unused);
    ICF_TRY(icf_agree(stepper->context, status));
    return icf_rebalance(&stepper->distribution, &stepper->domain, &input, report);
}

static icf_contact_view view_of(const icf_domain *domain)
{
    return (icf_contact_view){domain->bodies, &domain->contacts, domain->nattached, domain->attached};
}

icf_contact_views icf_stepper_contacts(const icf_stepper *stepper)
{
    return (icf_contact_views){.n = is_distributed(stepper) ? 2 : 1,
                               .reaction = stepper->domain.reaction,
                               .is_shared = stepper->domain.is_shared,
                               .nshared = stepper->domain.nshared,
                               .shared = stepper->domain.shared,
                               .view = {view_of(&stepper->domain), view_of(&stepper->distribution.guests)}};
}

/* Stress of the bodies whose work all ranks share, to where they are owned. */
static icf_status stress_together(icf_stepper *stepper, const icf_scene *scene, const icf_bodies *bodies,
                                  double *stress)
{
    for (int32_t k = 0; k < scene->ndeformable; ++k) {
        if (!icf_deformable_get_split(stepper->cache, k)) continue;
        const size_t n = (size_t)scene->deformable[k].mesh.nvertex;
        icf_vec3 *x = ICF_ARENA_ARRAY(&stepper->arena, icf_vec3, n);
        double *of_body = ICF_ARENA_ARRAY(&stepper->arena, double, n);
        ICF_TRY(icf_agree(stepper->context, x && of_body ? ICF_OK : ICF_ERROR_MEMORY));
        icf_split_bring(stepper->context, scene, bodies, k, x, NULL);
        ICF_TRY(icf_deformable_stress_together(stepper->cache, &stepper->arena, k, x, of_body));
        const icf_lid i = icf_bodies_find(bodies, scene->deformable[k].gid);
        if (i >= 0 && i < bodies->nowned) memcpy(stress + bodies->vertex[i], of_body, n * sizeof *stress);
    }
    return ICF_OK;
}

icf_status icf_stepper_stress(icf_stepper *stepper, const icf_scene *scene, const icf_bodies *bodies,
                              const double **stress)
{
    *stress = NULL;
    if (scene->ndeformable == 0) return ICF_OK;
    double *found = ICF_ARENA_ARRAY(&stepper->arena, double, icf_bodies_owned_vertices(bodies));
    icf_status status = found ? ICF_OK : ICF_ERROR_MEMORY;
    ICF_TRY(icf_deformable_split(stepper->cache, scene));
    for (icf_lid i = 0; i < bodies->nowned && status == ICF_OK; ++i)
        if (icf_bodies_is_deformable(bodies, i) && !icf_deformable_get_split(stepper->cache, bodies->shape[i].index))
            status =
                icf_deformable_stress(stepper->cache, &stepper->arena, scene, bodies, i, found + bodies->vertex[i]);
    ICF_TRY(icf_agree(stepper->context, status));
    *stress = found;
    return stress_together(stepper, scene, bodies, found);
}

const icf_lid *icf_stepper_failed_island(const icf_stepper *stepper, const icf_bodies **bodies, icf_lid *n)
{
    const icf_domain *domain = &stepper->domain;
    if (domain->failed < 0) domain = &stepper->distribution.guests;
    *n = 0;
    if (domain->failed < 0) return NULL;
    const icf_lid begin = domain->islands.body_ptr[domain->failed];
    *n = domain->islands.body_ptr[domain->failed + 1] - begin;
    *bodies = domain->bodies;
    return domain->islands.body + begin;
}
