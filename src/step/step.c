/* The step pipeline.
 *
 *     kinematics, free motion -> contacts -> islands -> solve -> velocities -> poses -> diagnosis
 */
#include "step/step.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "contact/detect.h"
#include "partition/island.h"
#include "step/diagnose.h"
#include "step/free_motion.h"
#include "step/integrate.h"
#include "step/solve_islands.h"

struct icf_stepper {
    icf_context *context;
    icf_arena arena;
    icf_inertia inertia;
    icf_detector *detector;
    icf_contacts contacts;
    icf_islands islands;
    icf_island_solver *solver;
    icf_lid failed; /* island that did not converge in the last step, -1: none */
};

/* What the stages of one step hand on; arrays live in the arena. */
typedef struct step_data {
    const icf_scene *scene;
    icf_bodies *bodies;
    double t, dt;
    bool at_start;
    icf_free_motion motion;
    double *v;                 /* solved twists, in the order of the islands' bodies */
    icf_newton_result *result; /* (islands) */
    icf_step_stats *stats;
} step_data;

icf_status icf_stepper_create(icf_context *context, icf_stepper **stepper)
{
    *stepper = icf_alloc(sizeof **stepper);
    if (!*stepper) return ICF_ERROR_MEMORY;
    **stepper = (icf_stepper){.context = context, .failed = -1};
    icf_arena_init(&(*stepper)->arena);
    icf_inertia_init(&(*stepper)->inertia);
    icf_contacts_init(&(*stepper)->contacts);
    icf_islands_init(&(*stepper)->islands);
    ICF_TRY(icf_detector_create(&(*stepper)->detector));
    return icf_island_solver_create(context, &(*stepper)->solver);
}

void icf_stepper_destroy(icf_stepper **stepper)
{
    if (!*stepper) return;
    icf_island_solver_destroy(&(*stepper)->solver);
    icf_detector_destroy(&(*stepper)->detector);
    icf_islands_clear(&(*stepper)->islands);
    icf_contacts_clear(&(*stepper)->contacts);
    icf_inertia_clear(&(*stepper)->inertia);
    icf_arena_clear(&(*stepper)->arena);
    ICF_FREE(*stepper);
}

/* Kinematics at t_n, velocities of prescribed bodies at t_{n+1}, free motion, contacts. */
static icf_status find_contacts(icf_stepper *stepper, step_data *step)
{
    const double started = icf_clock_wall();
    icf_bodies_prescribe_velocities(step->bodies, step->t + step->dt);
    ICF_TRY(icf_inertia_build(&stepper->inertia, step->bodies));
    ICF_TRY(icf_free_motion_build(&step->motion, &stepper->arena, step->scene, step->bodies, &stepper->inertia, step->t,
                                  step->dt));
    const icf_detect_input input = {.scene = step->scene,
                                    .bodies = step->bodies,
                                    .inertia = &stepper->inertia,
                                    .acceleration = step->motion.acceleration,
                                    .dt = step->dt,
                                    .end_time = step->t + step->dt,
                                    .at_start = step->at_start};
    ICF_TRY(icf_detect(stepper->detector, stepper->context, &input, &stepper->contacts));
    step->stats->ms[ICF_PHASE_GEOMETRY] = 1e3 * (icf_clock_wall() - started);
    return ICF_OK;
}

static icf_status find_islands(icf_stepper *stepper, step_data *step)
{
    const double started = icf_clock_wall();
    ICF_TRY(icf_islands_build(&stepper->islands, step->bodies, stepper->contacts.npair, stepper->contacts.pair));
    step->stats->ms[ICF_PHASE_ISLANDS] = 1e3 * (icf_clock_wall() - started);
    return ICF_OK;
}

/* Wall time of the solve, split among the phases as the islands' own clocks say. */
static void split_time(const icf_newton_result *result, icf_lid n, double wall, icf_step_stats *stats)
{
    double seconds[ICF_PHASE_COUNT] = {0}, sum = 0.0;
    for (icf_lid i = 0; i < n; ++i)
        for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) {
            seconds[phase] += result[i].seconds[phase];
            sum += result[i].seconds[phase];
        }
    if (sum == 0.0) seconds[ICF_PHASE_ASSEMBLY] = sum = 1.0;
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) stats->ms[phase] += 1e3 * wall * seconds[phase] / sum;
}

static icf_status solve(icf_stepper *stepper, step_data *step)
{
    const double started = icf_clock_wall();
    const icf_lid nislands = stepper->islands.n;
    step->v = ICF_ARENA_ARRAY(&stepper->arena, double, 6 * (size_t)stepper->islands.body_ptr[nislands]);
    step->result = ICF_ARENA_ARRAY(&stepper->arena, icf_newton_result, nislands);
    if (!step->v || !step->result) return ICF_ERROR_MEMORY;
    const icf_status status =
        icf_solve_islands(stepper->solver, &stepper->arena, step->scene, step->bodies, &stepper->islands, &step->motion,
                          &stepper->contacts, step->v, step->result, &stepper->failed);
    if (status == ICF_OK) split_time(step->result, nislands, icf_clock_wall() - started, step->stats);
    return status;
}

/* v* where there is no contact, the solution elsewhere. */
static void set_velocities(const icf_stepper *stepper, step_data *step)
{
    icf_bodies *bodies = step->bodies;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        bodies->linear_velocity[i] = step->motion.linear[i];
        bodies->angular_velocity[i] = step->motion.angular[i];
    }
    for (icf_lid k = 0; k < stepper->islands.body_ptr[stepper->islands.n]; ++k) {
        const icf_lid i = stepper->islands.body[k];
        const double *v = step->v + 6 * (size_t)k;
        bodies->linear_velocity[i] = icf_vec3_make(v[0], v[1], v[2]);
        bodies->angular_velocity[i] = icf_vec3_make(v[3], v[4], v[5]);
    }
}

static void sum_results(const icf_stepper *stepper, const step_data *step, icf_step_stats *stats)
{
    icf_cnt iterations = 0;
    for (icf_lid i = 0; i < stepper->islands.n; ++i) {
        const icf_newton_result *result = &step->result[i];
        const icf_cnt dofs = 6 * (icf_cnt)(stepper->islands.body_ptr[i + 1] - stepper->islands.body_ptr[i]);
        iterations += result->iterations;
        stats->iterations_max = ICF_MAX(stats->iterations_max, result->iterations);
        stats->largest_island_dofs = ICF_MAX(stats->largest_island_dofs, dofs);
        stats->line_search += result->line_search;
        stats->factorizations += result->factorizations;
        stats->pcg += result->pcg;
        stats->roundoff += result->roundoff;
        stats->cost += result->cost;
        stats->contact_cost += result->contact_cost;
        stats->momentum_residual = fmax(stats->momentum_residual, result->residual);
    }
    stats->islands = stepper->islands.n;
    stats->iterations_mean = stats->islands > 0 ? (double)iterations / (double)stats->islands : 0.0;
}

static void diagnose(const icf_stepper *stepper, const step_data *step)
{
    icf_step_stats *stats = step->stats;
    stats->time = step->t + step->dt;
    stats->candidates = stepper->contacts.n;
    stats->active = icf_count_active(&stepper->contacts);
    stats->kinetic_energy = icf_kinetic_energy(step->bodies);
    stats->potential_energy = icf_potential_energy(step->bodies, step->scene->gravity);
    sum_results(stepper, step, stats);
}

icf_status icf_step(icf_stepper *stepper, const icf_scene *scene, icf_bodies *bodies, double t, double dt,
                    bool at_start, icf_step_stats *stats)
{
    step_data step = {.scene = scene, .bodies = bodies, .t = t, .dt = dt, .at_start = at_start, .stats = stats};
    *stats = (icf_step_stats){.substeps = 1};
    stepper->failed = -1;
    icf_arena_reset(&stepper->arena);
    ICF_TRY(find_contacts(stepper, &step));
    ICF_TRY(find_islands(stepper, &step));
    ICF_TRY(solve(stepper, &step));
    set_velocities(stepper, &step);
    stats->penetration_max = icf_end_penetration(&stepper->contacts, bodies, dt);
    icf_integrate_poses(bodies, dt);
    icf_bodies_prescribe_poses(bodies, t + dt);
    diagnose(stepper, &step);
    return ICF_OK;
}

const icf_contacts *icf_stepper_contacts(const icf_stepper *stepper)
{
    return &stepper->contacts;
}

const icf_lid *icf_stepper_failed_island(const icf_stepper *stepper, icf_lid *n)
{
    if (stepper->failed < 0) {
        *n = 0;
        return NULL;
    }
    const icf_lid begin = stepper->islands.body_ptr[stepper->failed];
    *n = stepper->islands.body_ptr[stepper->failed + 1] - begin;
    return stepper->islands.body + begin;
}
