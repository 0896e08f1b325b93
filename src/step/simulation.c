/* A simulation: steps with retry. */
#include "step/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "step/balance.h"
#include "step/diagnose.h"
#include "step/emit.h"

enum { halvings_max = 4 };

/* Mass ratio above which SAP's near-rigid clamp lets a light body be crushed (docs/physics.md). */
static const double soft_mass_ratio = 1000.0;

typedef struct saved_state {
    icf_vec3 position;
    icf_quat orientation;
    icf_vec3 linear, angular;
} saved_state;

struct icf_simulation {
    icf_context *context;
    const icf_scene *scene;
    icf_bodies *bodies;
    icf_stepper *stepper;
    icf_balance balance;
    icf_emission emission;
    icf_cnt step;
    saved_state *saved; /* (owned bodies) state at the start of a step, for the retry */
    size_t saved_capacity;
    icf_vec3 *saved_vertex; /* (2 x vertices of the owned bodies) their positions, then their velocities */
    size_t saved_vertex_capacity;
};

/* SAP's clamp bounds stiffness by the light body's mass, whatever rests on it.  Masses are those of all ranks. */
static void warn_soft_clamp(const icf_simulation *simulation)
{
    const icf_scene *scene = simulation->scene;
    const icf_bodies *bodies = simulation->bodies;
    if (scene->contact.model != ICF_MODEL_SAP || scene->contact.near_rigid == 0.0) return;
    double largest[2] = {0.0, 0.0}; /* of the masses and of their inverses */
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        largest[0] = fmax(largest[0], bodies->mass[i]);
        largest[1] = fmax(largest[1], 1.0 / bodies->mass[i]);
    }
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, simulation->context->comm));
    const double ratio = largest[0] * largest[1];
    if (ratio <= soft_mass_ratio) return;
    icf_warn(
        simulation->context,
        "masses differ by a factor of %.3g: the near-rigid clamp of model sap (contact.near_rigid = %g) is too soft "
        "for a heavy body on a light one; contact.near_rigid: 0 turns it off",
        ratio, scene->contact.near_rigid);
}

icf_status icf_simulation_create(icf_context *context, const icf_scene *scene, icf_bodies *bodies, icf_cnt step,
                                 icf_simulation **simulation)
{
    *simulation = icf_alloc(sizeof **simulation);
    ICF_TRY(icf_agree(context, *simulation ? ICF_OK : ICF_ERROR_MEMORY));
    **simulation = (icf_simulation){.context = context, .scene = scene, .bodies = bodies, .step = step};
    icf_bodies_prescribe_poses(bodies, (double)step * scene->time.step);
    icf_bodies_prescribe_velocities(bodies, (double)step * scene->time.step);
    icf_balance_init(&(*simulation)->balance, scene, step);
    warn_soft_clamp(*simulation);
    ICF_TRY(icf_emission_init(&(*simulation)->emission, context, scene, bodies));
    return icf_agree(context, icf_stepper_create(context, &(*simulation)->stepper));
}

void icf_simulation_destroy(icf_simulation **simulation)
{
    if (!*simulation) return;
    icf_stepper_destroy(&(*simulation)->stepper);
    icf_emission_clear(&(*simulation)->emission);
    icf_free((*simulation)->saved);
    icf_free((*simulation)->saved_vertex);
    ICF_FREE(*simulation);
}

/* Keeps the state of the owned bodies; ghosts are made anew in every step. */
static icf_status save_state(icf_simulation *simulation)
{
    const icf_bodies *bodies = simulation->bodies;
    const size_t n = (size_t)bodies->nowned, nvertex = icf_bodies_owned_vertices(bodies);
    ICF_TRY(ICF_GROW(simulation->saved, simulation->saved_capacity, n));
    ICF_TRY(ICF_GROW(simulation->saved_vertex, simulation->saved_vertex_capacity, 2 * nvertex));
    for (size_t i = 0; i < n; ++i)
        simulation->saved[i] = (saved_state){bodies->position[i], bodies->orientation[i], bodies->linear_velocity[i],
                                             bodies->angular_velocity[i]};
    if (nvertex == 0) return ICF_OK;
    memcpy(simulation->saved_vertex, bodies->vertex_position, nvertex * sizeof(icf_vec3));
    memcpy(simulation->saved_vertex + nvertex, bodies->vertex_velocity, nvertex * sizeof(icf_vec3));
    return ICF_OK;
}

static void restore_vertices(icf_simulation *simulation)
{
    icf_bodies *bodies = simulation->bodies;
    const size_t nvertex = icf_bodies_owned_vertices(bodies);
    if (nvertex == 0) return;
    memcpy(bodies->vertex_position, simulation->saved_vertex, nvertex * sizeof(icf_vec3));
    memcpy(bodies->vertex_velocity, simulation->saved_vertex + nvertex, nvertex * sizeof(icf_vec3));
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_is_deformable(bodies, i)) icf_bodies_enclose(bodies, i);
}

static void restore_state(icf_simulation *simulation)
{
    icf_bodies *bodies = simulation->bodies;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const saved_state *saved = &simulation->saved[i];
        bodies->position[i] = saved->position;
        bodies->orientation[i] = saved->orientation;
        bodies->linear_velocity[i] = saved->linear;
        bodies->angular_velocity[i] = saved->angular;
    }
    restore_vertices(simulation);
}

/* Adds a substep's work to the step's; states and contacts are those of the last substep. */
static void add_work(icf_step_stats *sum, const icf_step_stats *part)
{
    const icf_step_stats before = *sum;
    *sum = *part;
    sum->searches += before.searches;
    sum->iterations_mean += before.iterations_mean;
    sum->iterations_max += before.iterations_max;
    sum->line_search += before.line_search;
    sum->factorizations += before.factorizations;
    sum->flops += before.flops;
    sum->pcg += before.pcg;
    sum->group_iterations += before.group_iterations;
    sum->group_sums += before.group_sums;
    sum->messages += before.messages;
    sum->spread += before.spread;
    sum->bytes += before.bytes;
    sum->roundoff += before.roundoff;
    sum->penetration_max = fmax(part->penetration_max, before.penetration_max);
    sum->error_signorini_max = fmax(part->error_signorini_max, before.error_signorini_max);
    sum->error_coulomb_max = fmax(part->error_coulomb_max, before.error_coulomb_max);
    sum->error_dissipation_max = fmax(part->error_dissipation_max, before.error_dissipation_max);
    sum->condition_max = fmax(part->condition_max, before.condition_max);
    sum->momentum_residual = fmax(part->momentum_residual, before.momentum_residual);
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) sum->ms[phase] += before.ms[phase];
}

/* The step as n equal substeps, from the present state. */
static icf_status substeps(icf_simulation *simulation, int n, icf_step_stats *stats)
{
    const double dt = simulation->scene->time.step, t = (double)simulation->step * dt;
    *stats = (icf_step_stats){0};
    for (int k = 0; k < n; ++k) {
        icf_step_stats part;
        const bool at_start = simulation->step == 0 && k == 0;
        ICF_TRY(icf_step(simulation->stepper, simulation->scene, simulation->bodies, t + k * (dt / n), dt / n, at_start,
                         &part));
        add_work(stats, &part);
    }
    stats->substeps = n;
    if (!isfinite(stats->kinetic_energy + stats->potential_energy))
        return icf_fail(simulation->context, ICF_ERROR_SOLVER, "step %lld (t = %g s): the energy is no longer finite",
                        (long long)simulation->step + 1, t);
    return ICF_OK;
}

/* What the failure said of itself, as the end of a sentence; nothing when it was an island's. */
static const char *reason_of(const icf_context *context, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%.200s", context->message[0] != '\0' ? ": " : "", context->message);
    return buffer;
}

static void warn_attempt(const icf_simulation *simulation, int nsubstep)
{
    char reason[256];
    icf_warn(simulation->context, "step %lld did not converge in %d substep%s%s", (long long)simulation->step + 1,
             nsubstep, nsubstep > 1 ? "s" : "", reason_of(simulation->context, reason, sizeof reason));
}

/* The last attempt failed. */
static icf_status fail_step(icf_simulation *simulation)
{
    char reason[256];
    reason_of(simulation->context, reason, sizeof reason);
    icf_clear_failure(simulation->context);
    return icf_fail(simulation->context, ICF_ERROR_SOLVER,
                    "step %lld (t = %g s) did not converge, not even in %d substeps%s", (long long)simulation->step + 1,
                    (double)simulation->step * simulation->scene->time.step, 1 << halvings_max, reason);
}

/* Tries 1, 2, 4, ... substeps; every rank tries the same number. */
static icf_status step_with_retry(icf_simulation *simulation, icf_step_stats *stats)
{
    icf_status status = ICF_OK;
    for (int halvings = 0; halvings <= halvings_max; ++halvings) {
        icf_clear_failure(simulation->context);
        status = icf_agree(simulation->context, substeps(simulation, 1 << halvings, stats));
        if (status == ICF_OK) return ICF_OK;
        restore_state(simulation);
        if (status != ICF_NOT_CONVERGED) return status;
        warn_attempt(simulation, 1 << halvings);
    }
    return status;
}

/* Before a step, while no contacts of the last one are needed any more.
 *   nmoved [out] bodies that changed ranks */
static icf_status rebalance_if_wanted(icf_simulation *simulation, icf_cnt *nmoved)
{
    *nmoved = 0;
    if (!icf_balance_wants(&simulation->balance, simulation->context, simulation->step)) return ICF_OK;
    const double dt = simulation->scene->time.step, before = icf_mpi_work_cpu();
    icf_rebalance_report report;
    ICF_TRY(icf_stepper_rebalance(simulation->stepper, simulation->scene, simulation->bodies,
                                  (double)simulation->step * dt, dt, &report));
    icf_balance_done(&simulation->balance, icf_mpi_work_cpu() - before);
    *nmoved = report.nmoved;
    icf_log(simulation->context, ICF_LOG_VERBOSE,
            "step %lld: load %.2f of the mean; %lld bodies moved, cut %.3f, weight %.2f of the mean",
            (long long)simulation->step, simulation->balance.imbalance, (long long)report.nmoved,
            report.decomposition.cut, report.decomposition.imbalance);
    return ICF_OK;
}

icf_status icf_simulation_step(icf_simulation *simulation, icf_step_stats *stats)
{
    const double wall = icf_clock_wall(), cpu = icf_clock_cpu(), work = icf_mpi_work_cpu();
    icf_cnt nmoved;
    ICF_TRY(rebalance_if_wanted(simulation, &nmoved));
    ICF_TRY(icf_emission_step(&simulation->emission, simulation->context, simulation->scene, simulation->bodies,
                              simulation->step));
    const double exchange = icf_clock_wall() - wall, rebalanced = icf_mpi_work_cpu();
    ICF_TRY(icf_agree(simulation->context, save_state(simulation)));
    const icf_status status = step_with_retry(simulation, stats);
    if (status == ICF_NOT_CONVERGED) return fail_step(simulation);
    ICF_TRY(status);
    stats->step = ++simulation->step;
    stats->time = (double)simulation->step * simulation->scene->time.step;
    stats->moved = nmoved;
    stats->emitted = simulation->emission.total;
    stats->waiting = simulation->emission.waiting;
    stats->imbalance = simulation->balance.imbalance;
    stats->ms[ICF_PHASE_EXCHANGE] += 1e3 * exchange;
    stats->ms_total = 1e3 * (icf_clock_wall() - wall);
    stats->cpu_max = 1e3 * (icf_mpi_work_cpu() - work);
    icf_balance_add(&simulation->balance, icf_mpi_work_cpu() - rebalanced - stats->spread);
    stats->cpu_ms = 1e3 * (icf_clock_cpu() - cpu);
    stats->own.bodies = simulation->bodies->nowned;
    icf_stats_reduce(simulation->context, stats);
    return ICF_OK;
}

icf_step_stats icf_simulation_initial_stats(icf_simulation *simulation)
{
    icf_step_stats stats = {.step = simulation->step, .substeps = 1};
    stats.time = (double)simulation->step * simulation->scene->time.step;
    stats.emitted = simulation->emission.total;
    stats.kinetic_energy = icf_kinetic_energy(simulation->bodies);
    stats.potential_energy = icf_potential_energy(simulation->bodies, simulation->scene->gravity);
    icf_stats_reduce(simulation->context, &stats);
    return stats;
}

icf_cnt icf_simulation_step_number(const icf_simulation *simulation)
{
    return simulation->step;
}

icf_contact_views icf_simulation_contacts(const icf_simulation *simulation)
{
    return icf_stepper_contacts(simulation->stepper);
}

icf_status icf_simulation_frame(icf_simulation *simulation, icf_contact_views *views)
{
    *views = icf_simulation_contacts(simulation);
    return icf_agree(simulation->context,
                     icf_stepper_stress(simulation->stepper, simulation->scene, simulation->bodies, &views->stress));
}

const icf_lid *icf_simulation_failed_island(const icf_simulation *simulation, const icf_bodies **bodies, icf_lid *n)
{
    return icf_stepper_failed_island(simulation->stepper, bodies, n);
}
