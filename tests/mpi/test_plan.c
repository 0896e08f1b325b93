/* A plan against the step that it plans for: ghosts, guests, contacts, messages and bytes of every rank, and the rounds
 * of labels, are those that the step's own code makes of the same parts. */
#include "mpi/ranks.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/scene_open.h"
#include "step/distribute.h"
#include "step/plan.h"
#include "step/simulation.h"

enum { nside = 6, nbody = nside * nside * 3 };

/* Boxes in 36 stacks of three: 24 stacks are one island, which is more than any rank's share, the others stand apart.
 * Upper boxes from its last row on slide side by side, so fast that those in reach of each other are ghosts. */
static icf_body_def make_body(icf_gid gid)
{
    const int stack = (int)(gid - 1) / 3, level = (int)(gid - 1) % 3, x = stack % nside, y = stack / nside;
    const icf_vec3 at = {x * (y < 4 ? 0.1 : 0.15), y < 4 ? 0.1 * y : 0.15 * (y - 1), 0.05 + 0.1 * level};
    icf_body_def def = sample_box(gid, 0.1, at);
    if (y >= 3 && level == 2) def.linear_velocity = icf_vec3_make(7.0, 0.0, 0.0);
    return def;
}

static void fill(icf_bodies *bodies)
{
    const icf_body_def ground = sample_ground(0);
    icf_bodies_init(bodies);
    assert_int_equal(icf_bodies_add(bodies, &ground, true), ICF_OK);
    for (icf_gid gid = 1; gid <= nbody; ++gid) {
        const icf_body_def def = make_body(gid);
        assert_int_equal(icf_bodies_add(bodies, &def, true), ICF_OK);
    }
}

/* What a rank has at a step's start: its own bodies, and those that do not move, which rank 0 owns. */
static void take_share(icf_bodies *bodies, const icf_bodies *all, int rank, const int *owner)
{
    icf_bodies_init(bodies);
    for (int owned = 1; owned >= 0; --owned)
        for (icf_lid i = 0; i < all->n; ++i) {
            const bool mine = icf_bodies_moves(all, i) ? owner[i] == rank : rank == 0;
            if (mine != (owned == 1) || (owned == 0 && icf_bodies_moves(all, i))) continue;
            const icf_body_def def = icf_bodies_def(all, i, NULL);
            assert_int_equal(icf_bodies_add(bodies, &def, owned == 1), ICF_OK);
        }
}

/* A step's way to the solve and back, without solving. */
typedef struct distributed_step {
    icf_arena arena;
    icf_domain domain;
    icf_distribution distribution;
    icf_deformable_cache *cache;
    icf_step_stats stats;
    icf_exchange_stats sent;
} distributed_step;

static void zero_solution(icf_domain *domain, icf_arena *arena)
{
    const size_t n = (size_t)domain->islands.dof_ptr[domain->islands.body_ptr[domain->islands.n]];
    domain->v = ICF_ARENA_ARRAY(arena, double, n);
    domain->result = ICF_ARENA_ARRAY(arena, icf_newton_result, domain->islands.n);
    if (n > 0) memset(domain->v, 0, n * sizeof *domain->v);
    if (n > 0) memset(domain->result, 0, (size_t)domain->islands.n * sizeof *domain->result);
}

static void run_step(distributed_step *step, icf_context *context, const icf_scene *scene, icf_bodies *bodies)
{
    *step = (distributed_step){0};
    icf_vec3 *acceleration;
    icf_arena_init(&step->arena);
    icf_step_input input = {
        .context = context, .arena = &step->arena, .scene = scene, .dt = scene->time.step, .at_start = true};
    assert_int_equal(icf_domain_init(&step->domain), ICF_OK);
    assert_int_equal(icf_distribution_init(&step->distribution, context), ICF_OK);
    assert_int_equal(icf_deformable_cache_create(context, &step->cache), ICF_OK);
    step->domain.bodies = bodies;
    step->domain.cache = step->distribution.guests.cache = step->cache;
    assert_int_equal(icf_domain_accelerate(&step->domain, &input, &acceleration), ICF_OK);
    input.reference = icf_distribution_reference(context, bodies, input.dt);
    assert_int_equal(icf_distribution_ghosts(&step->distribution, &step->domain, &input, acceleration, false), ICF_OK);
    icf_status status = icf_domain_find_contacts(&step->domain, &input, true, &step->stats);
    status = icf_distribution_gather(&step->distribution, &step->domain, &input, status, &step->stats);
    assert_int_equal(status, ICF_OK);
    zero_solution(&step->domain, &step->arena);
    zero_solution(&step->distribution.guests, &step->arena);
    assert_int_equal(icf_distribution_return(&step->distribution, &step->domain, &input, ICF_OK), ICF_OK);
    step->sent = icf_exchange_get_stats(step->distribution.exchange);
}

static void clear_step(distributed_step *step)
{
    icf_deformable_cache_destroy(&step->cache);
    icf_distribution_clear(&step->distribution);
    icf_domain_clear(&step->domain);
    icf_arena_clear(&step->arena);
}

/* Moving bodies that are not this rank's own. */
static icf_cnt count_ghosts(const icf_bodies *bodies)
{
    icf_cnt n = 0;
    for (icf_lid i = bodies->nowned; i < bodies->n; ++i) n += icf_bodies_moves(bodies, i);
    return n;
}

static void assert_planned(const icf_plan *plan, icf_context *context, const icf_scene *scene, const icf_bodies *all)
{
    icf_bodies bodies;
    distributed_step step;
    const icf_rank_load *load = &plan->load[context->rank];
    take_share(&bodies, all, context->rank, plan->rank);
    run_step(&step, context, scene, &bodies);
    assert_int_equal(load->ghosts, count_ghosts(&bodies));
    assert_int_equal(load->guests, step.distribution.bodies.nowned);
    assert_int_equal(load->guest_contacts, step.distribution.guests.contacts.n);
    if (scene->parallel.gather_below != 0) { /* no group */
        assert_int_equal(load->contacts, step.domain.contacts.n + step.distribution.guests.contacts.n);
        assert_int_equal(load->messages, step.sent.messages);
        assert_int_equal(load->bytes, step.sent.bytes);
    }
    if (context->size > 1) {
        assert_int_equal(plan->step.rounds, step.distribution.components.rounds);
        assert_int_equal(icf_cost_count_collectives(context->size, plan->step.rounds).exchanges, step.sent.runs);
    }
    clear_step(&step);
    icf_bodies_clear(&bodies);
}

/* The same parts with other numbers send as much. */
static void assert_numbers_do_not_matter(const icf_plan *plan, icf_context *context, const icf_scene *scene,
                                         const icf_bodies *all)
{
    icf_bodies bodies;
    distributed_step step;
    int owner[nbody + 1];
    for (int i = 0; i <= nbody; ++i) owner[i] = context->size - 1 - ICF_MAX(plan->rank[i], 0);
    take_share(&bodies, all, context->rank, owner);
    run_step(&step, context, scene, &bodies);
    int64_t sum[2] = {step.sent.messages, step.sent.bytes};
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, context->comm);
    assert_int_equal(sum[0], plan->total.messages);
    assert_int_equal(sum[1], plan->total.bytes);
    clear_step(&step);
    icf_bodies_clear(&bodies);
}

/* A group shares the factor of its island: operations add up to one factor's, and no rank has much more than another.
 */
static void groups_share_factors(const icf_plan *plan, int size)
{
    double flops = 0.0, most = 0.0;
    for (int rank = 0; rank < size; ++rank) {
        flops += plan->load[rank].flops;
        most = fmax(most, plan->load[rank].largest_flops);
    }
    assert_near(flops, plan->total.flops, 1e-9 * flops);
    assert_true(flops >= 0.9 * plan->largest[0].flops);
    assert_true(size == 1 || most < plan->largest[0].flops);
    assert_int_equal(size > 1, plan->total.updates > 0.0);
}

static void counts_are_those_of_the_step(icf_context *context, icf_plan_cut cut, bool grouped)
{
    icf_context alone;
    icf_scene scene;
    icf_bodies all;
    icf_plan plan;
    const icf_plan_settings settings = {.nrank = context->size, .cut = cut, .iterations = 5.0, .evaluations = 2.0};
    assert_int_equal(icf_context_init(&alone, MPI_COMM_SELF, 1), ICF_OK);
    sample_scene_init(&scene, ICF_MODEL_LAGGED);
    if (grouped) scene.parallel.gather_below = 0;
    fill(&all);
    icf_plan_init(&plan);
    assert_int_equal(icf_plan_build(&plan, &alone, &scene, &all, &settings), ICF_OK);
    assert_int_equal(plan.total.bodies, nbody);
    /* METIS leaves islands whole that one rank solves, the curve knows nothing of them */
    if (context->size > 1) assert_true(plan.total.ghosts > 0);
    if (context->size > 1) assert_int_equal(plan.total.spanning > 0, grouped || cut == ICF_PLAN_CURVE);
    assert_planned(&plan, context, &scene, &all);
    if (grouped)
        groups_share_factors(&plan, context->size);
    else
        assert_numbers_do_not_matter(&plan, context, &scene, &all);
    icf_plan_clear(&plan);
    icf_bodies_clear(&all);
    icf_scene_clear(&scene);
    icf_context_clear(&alone);
}

static void cut_by_metis(void **state)
{
    counts_are_those_of_the_step(*state, ICF_PLAN_METIS, false);
}

static void cut_along_the_curve(void **state)
{
    counts_are_those_of_the_step(*state, ICF_PLAN_CURVE, false);
}

static void islands_of_groups(void **state)
{
    counts_are_those_of_the_step(*state, ICF_PLAN_METIS, true);
}

/* A step that groups solve sends what its plan says: ghosts, velocities and impulses, the Hessian, factors and
 * solutions. */
static void assert_messages_of_groups(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *all)
{
    icf_bodies share;
    icf_plan plan;
    icf_simulation *simulation;
    icf_step_stats stats;
    const icf_plan_settings settings = {.nrank = context->size, .cut = ICF_PLAN_METIS};
    scene->parallel.gather_below = 0;
    icf_plan_init(&plan);
    assert_int_equal(icf_plan_build(&plan, alone, scene, all, &settings), ICF_OK);
    take_share(&share, all, context->rank, plan.rank);
    assert_int_equal(icf_simulation_create(context, scene, &share, 0, &simulation), ICF_OK);
    assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
    assert_int_equal(stats.iterations_max, plan.largest[0].iterations);
    assert_int_equal(stats.group_iterations > 0, context->size > 1);
    assert_int_equal(stats.messages, plan.total.messages);
    assert_int_equal(stats.bytes, plan.total.bytes);
    icf_simulation_destroy(&simulation);
    icf_bodies_clear(&share);
    icf_plan_clear(&plan);
}

/* Bodies that have cost the last steps so much that one rank has more to solve than others: islands are lent, and
 * guests, messages and bytes are those of the plan.  The graph is cut by equal costs; then the stacks that stand apart
 * on one rank become dear. */
static void assert_lent(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *all, icf_plan_cut cut)
{
    icf_plan before, plan;
    icf_plan_settings settings = {.nrank = context->size, .cut = cut, .iterations = 5.0, .evaluations = 2.0};
    icf_plan_init(&before);
    icf_plan_init(&plan);
    for (icf_gid gid = 1; gid <= nbody; ++gid) all->cost[icf_bodies_find(all, gid)] = 1e-5;
    assert_int_equal(icf_plan_build(&before, alone, scene, all, &settings), ICF_OK);
    const int dear = before.rank[icf_bodies_find(all, nbody)];
    for (icf_gid gid = 3 * 4 * nside + 1; gid <= nbody; ++gid) {
        const icf_lid i = icf_bodies_find(all, gid);
        if (before.rank[i] == dear) all->cost[i] = 2e-4;
    }
    settings.before = &before;
    assert_int_equal(icf_plan_build(&plan, alone, scene, all, &settings), ICF_OK);
    if (!scene->parallel.lend || context->size == 1) assert_int_equal(plan.total.borrowed, 0);
    if (scene->parallel.lend && context->size > 1 && cut == ICF_PLAN_METIS) assert_true(plan.total.borrowed > 0);
    assert_planned(&plan, context, scene, all);
    icf_plan_clear(&plan);
    icf_plan_clear(&before);
}

typedef void sample_check(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *all);

/* Checks with a context of one rank beside that of all, and with all bodies of a sample. */
static void with_sample_of(icf_context *context, icf_model model, sample_check *check)
{
    icf_context alone;
    icf_scene scene;
    icf_bodies all;
    assert_int_equal(icf_context_init(&alone, MPI_COMM_SELF, 1), ICF_OK);
    sample_scene_init(&scene, model);
    fill(&all);
    check(context, &alone, &scene, &all);
    icf_bodies_clear(&all);
    icf_scene_clear(&scene);
    icf_context_clear(&alone);
}

static void with_sample(icf_context *context, sample_check *check)
{
    with_sample_of(context, ICF_MODEL_LAGGED, check);
}

static void assert_lent_or_not(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *all)
{
    for (int lend = 0; lend < 2; ++lend) {
        scene->parallel.lend = lend;
        assert_lent(context, alone, scene, all, ICF_PLAN_METIS);
        assert_lent(context, alone, scene, all, ICF_PLAN_CURVE);
    }
}

static void islands_are_lent(void **state)
{
    with_sample(*state, assert_lent_or_not);
}

static void messages_of_groups(void **state)
{
    with_sample(*state, assert_messages_of_groups);
}

/* Boxes that fall on one another, askew: line searches take rounds, Similar corrects its directions. */
static void assert_messages_of_hits(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *all)
{
    for (icf_gid gid = 1; gid <= nbody; ++gid) {
        const double turn = 2.4 * (double)gid;
        all->linear_velocity[icf_bodies_find(all, gid)] = icf_vec3_make(3.0 * cos(turn), 3.0 * sin(turn), -1.0);
    }
    assert_messages_of_groups(context, alone, scene, all);
}

static void messages_of_groups_with_hits(void **state)
{
    for (int model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model)
        with_sample_of(*state, (icf_model)model, assert_messages_of_hits);
}

static void run_alone(icf_context *alone, icf_scene *scene, icf_bodies *all, icf_cnt from, int n)
{
    icf_simulation *simulation;
    icf_step_stats stats;
    assert_int_equal(icf_simulation_create(alone, scene, all, from, &simulation), ICF_OK);
    for (int k = 0; k < n; ++k) assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
    icf_simulation_destroy(&simulation);
}

/* Steps of a run that begins with everything on one rank and cuts its graph anew before the step `before`, against the
 * plan of the step `age` steps later, which has seen the steps before. */
static void assert_cut_like_a_run(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *start,
                                  int before, int age)
{
    icf_bodies all, share;
    icf_plan cut, plan;
    icf_simulation *simulation;
    icf_step_stats stats;
    static int on_last[nbody + 1];
    icf_plan_settings settings = {.nrank = context->size, .cut = ICF_PLAN_METIS, .step = before};
    for (int i = 0; i <= nbody; ++i) on_last[i] = context->size - 1;
    take_share(&all, start, 0, (int[nbody + 1]){0});
    scene->parallel.rebalance = ICF_REBALANCE_NEVER;
    run_alone(alone, scene, &all, 0, before);
    icf_plan_init(&cut);
    icf_plan_init(&plan);
    assert_int_equal(icf_plan_build(&cut, alone, scene, &all, &settings), ICF_OK);
    run_alone(alone, scene, &all, before, age);
    settings.step = before + age;
    settings.before = &cut;
    assert_int_equal(icf_plan_build(&plan, alone, scene, &all, &settings), ICF_OK);
    if (age == 0) assert_int_equal(plan.total.bytes, cut.total.bytes);

    take_share(&share, start, context->rank, on_last);
    scene->parallel.rebalance = before;
    assert_int_equal(icf_simulation_create(context, scene, &share, 0, &simulation), ICF_OK);
    for (int k = 0; k <= before + age; ++k) assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
    assert_int_equal(stats.messages > 0, context->size > 1);
    assert_int_equal(stats.messages, plan.total.messages);
    assert_int_equal(stats.bytes, plan.total.bytes);
    icf_simulation_destroy(&simulation);
    icf_bodies_clear(&share);
    icf_plan_clear(&plan);
    icf_plan_clear(&cut);
    icf_bodies_clear(&all);
}

static void assert_cut_just_now(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *start)
{
    assert_cut_like_a_run(context, alone, scene, start, 2, 0);
}

static void assert_cut_some_steps_ago(icf_context *context, icf_context *alone, icf_scene *scene, icf_bodies *start)
{
    assert_cut_like_a_run(context, alone, scene, start, 4, 3);
}

/* Parts are those of a plan, with other numbers: messages and bytes do not depend on these. */
static void a_run_cuts_like_its_plan(void **state)
{
    with_sample(*state, assert_cut_just_now);
    with_sample(*state, assert_cut_some_steps_ago);
}

/* Soft cubes in a row, some held and one attached to a rigid box, with rigid boxes on top. */
static void write_soft_scene(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("time: {step: 0.01, steps: 1}\nmaterials: {m: {stiffness_per_area: 1.0e7}}\nbodies:\n"
          "  - {name: ground, shape: {type: half_space, normal: [0, 0, 1]}, motion: fixed, material: m}\n",
          file);
    for (int k = 0; k < 6; ++k)
        fprintf(file,
                "  - {name: b%d, shape: {type: box, size: [0.1, 0.1, 0.1]}, mass: 1, position: [%g, 0, 0.149], "
                "material: m}\n",
                k, 0.12 * k);
    fputs("deformables:\n", file);
    for (int k = 0; k < 7; ++k)
        fprintf(file,
                "  - {mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [%d, 2, 2]}}, youngs_modulus: 1.0e5, "
                "poissons_ratio: 0.3, density: 1000, position: [%g, 0, 0.05], material: m%s}\n",
                1 + k % 3, k < 5 ? 0.12 * k : 0.101 * k,
                k == 5   ? ", attachments: [{body: b3, group: z_plus}]"
                : k == 1 ? ", fixed: [{group: x_minus}]"
                         : "");
    fclose(file);
}

static void open_soft_scene(icf_context *alone, icf_scene *scene, icf_bodies *all)
{
    char path[] = "/tmp/icf-plan-XXXXXX";
    close(mkstemp(path));
    write_soft_scene(path);
    assert_int_equal(icf_context_init(alone, MPI_COMM_SELF, 1), ICF_OK);
    icf_bodies_init(all);
    assert_int_equal(icf_scene_open(alone, path, 0, NULL, scene, all), ICF_OK);
    unlink(path);
}

/* The same with deformable bodies. */
static void deformable_bodies(void **state)
{
    icf_context *context = *state, alone;
    for (int way = 0; way < 3; ++way) {
        icf_scene scene;
        icf_bodies all;
        icf_plan plan;
        const icf_plan_settings settings = {.nrank = context->size,
                                            .cut = way == 1 ? ICF_PLAN_CURVE : ICF_PLAN_METIS,
                                            .iterations = 5.0,
                                            .evaluations = 2.0};
        open_soft_scene(&alone, &scene, &all);
        scene.parallel.gather_below = way == 2 ? 0 : ICF_GATHER_AUTO;
        icf_plan_init(&plan);
        assert_int_equal(icf_plan_build(&plan, &alone, &scene, &all, &settings), ICF_OK);
        assert_true(plan.total.tets > 0 && plan.total.free_flops > 0.0 && plan.total.flops > 0.0);
        assert_planned(&plan, context, &scene, &all);
        icf_plan_clear(&plan);
        icf_bodies_clear(&all);
        icf_scene_clear(&scene);
        icf_context_clear(&alone);
    }
}

static void messages_of_soft_groups(void **state)
{
    icf_context alone;
    icf_scene scene;
    icf_bodies all;
    open_soft_scene(&alone, &scene, &all);
    assert_messages_of_groups(*state, &alone, &scene, &all);
    icf_bodies_clear(&all);
    icf_scene_clear(&scene);
    icf_context_clear(&alone);
}

int main(int argc, char **argv)
{
    int failed;
    const struct CMUnitTest tests[] = {mpi_test(cut_by_metis),
                                       mpi_test(cut_along_the_curve),
                                       mpi_test(islands_of_groups),
                                       mpi_test(islands_are_lent),
                                       mpi_test(messages_of_groups),
                                       mpi_test(messages_of_groups_with_hits),
                                       mpi_test(a_run_cuts_like_its_plan),
                                       mpi_test(deformable_bodies),
                                       mpi_test(messages_of_soft_groups)};
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
