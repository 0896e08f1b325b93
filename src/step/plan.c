/* Plan of a step on P ranks: geometry once, then the counts of each stage. */
#include "step/plan.h"

#include <string.h>

#include "base/memory.h"
#include "contact/attachments.h"
#include "contact/margin.h"
#include "step/distribute.h"
#include "step/plan_private.h"

void icf_plan_init(icf_plan *plan)
{
    *plan = (icf_plan){0};
}

void icf_plan_clear(icf_plan *plan)
{
    icf_free(plan->rank);
    icf_free(plan->load);
    icf_plan_init(plan);
}

/* The step's geometry, as one rank has it. */
static icf_status find_contacts(icf_plan_work *work, icf_bodies *bodies)
{
    icf_step_stats unused = {0};
    icf_cnt n;
    icf_step_input *input = &work->input;
    const double end_time = input->t + input->dt;
    work->domain.bodies = bodies;
    work->domain.cache = work->cache;
    ICF_TRY(icf_domain_move_freely(&work->domain, input, 0));
    const icf_vec3 sum = icf_sum_velocities(bodies, end_time, &n);
    input->reference = icf_scale(1.0 / (double)ICF_MAX(n, 1), sum);
    work->margin = ICF_ARENA_ARRAY(&work->arena, double, bodies->n);
    if (!work->margin) return ICF_ERROR_MEMORY;
    icf_contact_margins(input->scene, bodies, bodies->n, work->domain.motion.acceleration, work->domain.motion.surface,
                        input->reference, input->dt, end_time, work->margin);
    icf_attachment_margins(input->scene, bodies, bodies->n, work->margin);
    return icf_domain_find_contacts(&work->domain, input, false, &unused);
}

/* Solves the islands for what it takes; velocities stay as they are. */
static icf_status solve(icf_plan_work *work, icf_step_stats *stats)
{
    if (!work->solver) ICF_TRY(icf_island_solver_create(work->context, &work->solver));
    const icf_status status = icf_domain_solve(&work->domain, &work->input, work->solver, stats);
    work->solved = status == ICF_OK || status == ICF_NOT_CONVERGED;
    return work->solved ? ICF_OK : status;
}

void icf_plan_add_deformable(const icf_plan_work *work, icf_rank_load *load, icf_lid body)
{
    const icf_bodies *bodies = work->domain.bodies;
    if (!icf_bodies_is_deformable(bodies, body)) return;
    const icf_deformable_work soft = icf_deformable_last_work(work->cache, bodies->shape[body].index);
    load->vertices += bodies->nvertex[body];
    load->tets += soft.tets;
    load->free_flops += soft.flops;
    load->free_values += soft.values;
}

static icf_cnt free_vertices(const icf_scene *scene, const icf_bodies *bodies, icf_lid i)
{
    const icf_deformable *deformable = &scene->deformable[bodies->shape[i].index];
    icf_cnt n = 0;
    for (icf_lid k = 0; k < bodies->nvertex[i]; ++k) n += icf_deformable_is_free(deformable, k);
    return n;
}

static void count_bodies(const icf_plan_work *work, icf_plan *plan)
{
    const icf_bodies *bodies = work->domain.bodies;
    const bool drawn = work->input.scene->nbody <= work->input.scene->output.surfaces;
    icf_cnt replicated = 0, described = 0;
    for (int32_t k = 0; k < work->input.scene->ndeformable; ++k)
        described += work->input.scene->deformable[k].mesh.nvertex;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (!icf_bodies_moves(bodies, i)) {
            ++replicated;
            continue;
        }
        icf_rank_load *load = &plan->load[work->owner[i]];
        ++load->bodies;
        load->drawn += drawn;
        load->dofs += icf_bodies_is_deformable(bodies, i) ? 3 * free_vertices(work->input.scene, bodies, i)
                                                          : 6 - __builtin_popcount(bodies->locked[i]);
        icf_plan_add_deformable(work, load, i);
    }
    for (int rank = 0; rank < plan->step.nrank; ++rank) {
        plan->load[rank].replicated = replicated;
        plan->load[rank].described = described;
    }
}

/* Sums of the counts, maxima of the maxima. */
static void add_load(icf_rank_load *total, const icf_rank_load *load)
{
    total->bodies += load->bodies;
    total->dofs += load->dofs;
    total->ghosts += load->ghosts;
    total->replicated = load->replicated;
    total->drawn += load->drawn;
    total->graph_bodies += load->graph_bodies;
    total->graph_pairs += load->graph_pairs;
    total->vertices += load->vertices;
    total->described = load->described;
    total->tets += load->tets;
    total->free_flops += load->free_flops;
    total->free_values += load->free_values;
    total->found += load->found;
    total->contacts += load->contacts;
    total->guests += load->guests;
    total->guest_contacts += load->guest_contacts;
    total->islands += load->islands;
    total->spanning += load->spanning;
    total->borrowed += load->borrowed;
    total->island_bodies += load->island_bodies;
    total->analyzed += load->analyzed;
    total->pairs += load->pairs;
    total->flops += load->flops;
    total->values += load->values;
    total->all_contacts += load->all_contacts;
    total->all_bodies += load->all_bodies;
    total->all_flops += load->all_flops;
    total->all_values += load->all_values;
    total->all_evaluations += load->all_evaluations;
    total->waits += load->waits;
    total->updates += load->updates;
    total->messages += load->messages;
    total->bytes += load->bytes;
    total->group_bytes += load->group_bytes;
    total->largest_bodies = ICF_MAX(total->largest_bodies, load->largest_bodies);
    total->largest_pairs = ICF_MAX(total->largest_pairs, load->largest_pairs);
    total->largest_analyzed = ICF_MAX(total->largest_analyzed, load->largest_analyzed);
    total->largest_flops = fmax(total->largest_flops, load->largest_flops);
    total->largest_values = fmax(total->largest_values, load->largest_values);
}

static icf_status build(icf_plan_work *work, icf_plan *plan, icf_bodies *bodies)
{
    icf_step_stats unused = {0};
    ICF_TRY(icf_domain_init(&work->domain));
    ICF_TRY(icf_deformable_cache_create(work->context, &work->cache));
    ICF_TRY(find_contacts(work, bodies));
    ICF_TRY(icf_plan_cut_bodies(work, plan));
    ICF_TRY(icf_plan_choose_solvers(work));
    if (work->settings->iterations == 0.0) ICF_TRY(solve(work, &unused));
    count_bodies(work, plan);
    ICF_TRY(icf_plan_count_ghosts(work, plan));
    ICF_TRY(icf_plan_place_islands(work, plan));
    ICF_TRY(icf_plan_count_labels(work, plan));
    for (int rank = 0; rank < plan->step.nrank; ++rank) add_load(&plan->total, &plan->load[rank]);
    return ICF_OK;
}

static icf_plan_work start_work(icf_context *context, const icf_scene *scene, icf_cnt step)
{
    icf_plan_work work = {.context = context};
    const double dt = scene->time.step;
    icf_arena_init(&work.arena);
    work.input =
        (icf_step_input){.context = context, .scene = scene, .t = (double)step * dt, .dt = dt, .at_start = step == 0};
    return work;
}

static void clear_work(icf_plan_work *work)
{
    icf_island_solver_destroy(&work->solver);
    icf_deformable_cache_destroy(&work->cache);
    for (icf_lid island = 0; work->domain.log && island < work->domain.islands.n; ++island)
        icf_pattern_log_clear(&work->domain.log[island]);
    icf_domain_clear(&work->domain);
    icf_arena_clear(&work->arena);
}

icf_status icf_plan_build(icf_plan *plan, icf_context *context, const icf_scene *scene, icf_bodies *bodies,
                          const icf_plan_settings *settings)
{
    const size_t nrank = (size_t)settings->nrank;
    if (settings->before && settings->before->nbody != bodies->n)
        return icf_fail(context, ICF_ERROR_USAGE, "bodies have come since the scene was cut");
    plan->nbody = bodies->n;
    plan->step = (icf_cost_step){.nrank = settings->nrank, .shared_bytes = (double)icf_scene_shared_bytes(scene)};
    plan->rank = icf_alloc(((size_t)bodies->n + 1) * sizeof *plan->rank);
    plan->load = icf_alloc(nrank * sizeof *plan->load);
    if (!plan->load || !plan->rank)
        return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for %d ranks", settings->nrank);
    memset(plan->load, 0, nrank * sizeof *plan->load);
    icf_plan_work work = start_work(context, scene, settings->step);
    work.input.arena = &work.arena;
    work.settings = settings;
    work.owner = plan->rank;
    icf_traffic_init(&work.traffic, settings->nrank, plan->load);
    const icf_status status = build(&work, plan, bodies);
    icf_traffic_clear(&work.traffic);
    clear_work(&work);
    return status;
}

/* One repetition: geometry is all that is not in the solve.  What counts is CPU time, since others may use the machine;
 * the stages of the solve, whose clocks show wall time, have the parts of it that they have of the wall time. */
static icf_status measure_step(icf_plan_work *work, icf_bodies *bodies, icf_rank_cost *cost)
{
    icf_step_stats stats = {0};
    icf_arena_reset(&work->arena);
    const double started = icf_clock_cpu();
    ICF_TRY(find_contacts(work, bodies));
    const double found = icf_clock_cpu();
    ICF_TRY(solve(work, &stats));
    const double solved = icf_clock_cpu() - found;
    cost->geometry = fmin(cost->geometry, found - started);
    if (solved >= icf_cost_solve(cost)) return ICF_OK;
    const double wall = stats.ms[ICF_PHASE_ASSEMBLY] + stats.ms[ICF_PHASE_FACTOR] + stats.ms[ICF_PHASE_SOLVE] +
                        stats.ms[ICF_PHASE_LINE_SEARCH];
    const double part = wall > 0.0 ? solved / wall : 0.0;
    cost->assembly = part * stats.ms[ICF_PHASE_ASSEMBLY];
    cost->factor = part * stats.ms[ICF_PHASE_FACTOR];
    cost->solve = part * stats.ms[ICF_PHASE_SOLVE];
    cost->line_search = part * stats.ms[ICF_PHASE_LINE_SEARCH];
    return ICF_OK;
}

/* At least so many repetitions; more, until they have taken as long, as far as the most. */
enum { least_repetitions = 5, most_repetitions = 40 };
static const double repeated_seconds = 2.0;

icf_status icf_plan_measure(icf_context *context, const icf_scene *scene, icf_bodies *bodies, icf_cnt step,
                            icf_rank_cost *cost)
{
    icf_plan_work work = start_work(context, scene, step);
    work.input.arena = &work.arena;
    *cost = (icf_rank_cost){
        .geometry = INFINITY, .assembly = INFINITY, .factor = INFINITY, .solve = INFINITY, .line_search = INFINITY};
    icf_status status = icf_domain_init(&work.domain);
    if (status == ICF_OK) status = icf_deformable_cache_create(context, &work.cache);
    const double started = icf_clock_wall();
    for (int k = 0; k < most_repetitions && status == ICF_OK; ++k) {
        if (k >= least_repetitions && icf_clock_wall() - started > repeated_seconds) break;
        status = measure_step(&work, bodies, cost);
    }
    clear_work(&work);
    return status;
}
