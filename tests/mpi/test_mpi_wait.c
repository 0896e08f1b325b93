/* CPU time outside MPI waits: a rank that only waits has none, also in the calls of a group that solves an island, and
 * a step's busiest rank has at least the mean. */
#include "mpi/ranks.h"

#include <mpi.h>
#include <string.h>

#include "base/mpi_wait.h"
#include "solver/cheapest_order.h"
#include "solver/group_fronts.h"
#include "step/simulation.h"
#include "unit/sample_block_matrix.h"

static void burn(double seconds)
{
    const double start = icf_clock_thread_cpu();
    while (icf_clock_thread_cpu() - start < seconds) {
    }
}

static void a_rank_that_waits_does_no_work(void **state)
{
    icf_context *context = *state;
    assert_int_equal(icf_agree(context, ICF_OK), ICF_OK); /* all begin together */
    const double busy = 0.2, before = icf_mpi_work_cpu(), wall = icf_clock_wall();
    if (context->rank == 0) burn(busy);
    assert_int_equal(icf_agree(context, ICF_OK), ICF_OK);
    const double mine = icf_mpi_work_cpu() - before;
    assert_true(icf_clock_wall() - wall >= 0.9 * busy);
    if (context->rank == 0)
        assert_true(mine >= busy);
    else
        assert_true(mine < 0.05 * busy);
}

/* ---- calls of a group ---- */

/* A group in which each rank owns one block and has a shadow of the next rank's, and the factor of a lattice over it.
 */
typedef struct team {
    icf_group group;
    double x[12];
    sample_matrix sample;
    icf_ordering ordering;
    icf_symbolic symbolic;
    icf_front_map map;
    icf_group_fronts fronts;
} team;

static void build_factor(team *t, const icf_context *context)
{
    t->sample = sample_grid(8, 8, 6, 6, 2.0, 1);
    icf_lid *order = calloc((size_t)t->sample.matrix.nblock, sizeof *order);
    icf_ordering_init(&t->ordering);
    icf_symbolic_init(&t->symbolic);
    icf_front_map_init(&t->map);
    icf_group_fronts_init(&t->fronts);
    assert_int_equal(icf_symbolic_cheapest(&t->symbolic, &t->ordering, &t->sample.matrix, order), ICF_OK);
    assert_int_equal(icf_front_map_build(&t->map, &t->symbolic, NULL, context->size), ICF_OK);
    assert_int_equal(icf_group_fronts_analyze(&t->fronts, context->comm, &t->map, NULL), ICF_OK);
    free(order);
}

static void build_team(team *t, const icf_context *context)
{
    const int next = (context->rank + 1) % context->size;
    const icf_gid gid[] = {context->rank, next};
    const int owner[] = {context->rank, next};
    static const int32_t dof[] = {0, 6, 12};
    memset(t, 0, sizeof *t);
    icf_group_init(&t->group);
    assert_int_equal(icf_group_build(&t->group, context->comm, context->size > 1 ? 2 : 1, 1, gid, dof, owner), ICF_OK);
    build_factor(t, context);
}

static void clear_team(team *t)
{
    icf_group_fronts_clear(&t->fronts);
    icf_front_map_clear(&t->map);
    icf_symbolic_clear(&t->symbolic);
    icf_ordering_clear(&t->ordering);
    sample_free(&t->sample);
    icf_group_clear(&t->group);
}

static void agree(team *t)
{
    assert_int_equal(icf_group_agree(&t->group, ICF_OK), ICF_OK);
}

static void sum(team *t)
{
    icf_group_sum(&t->group, t->x, 1);
}

static void shadows(team *t)
{
    icf_group_to_shadows(&t->group, t->x);
}

static void owners(team *t)
{
    icf_group_to_owners(&t->group, t->x);
}

static void factor(team *t)
{
    assert_true(icf_group_fronts_factor(&t->fronts, &t->sample.matrix, false));
}

/* Work of this rank in a call to which rank 0 comes late, busy so long. */
static double work_of_call(const icf_context *context, team *t, void (*call)(team *), double busy)
{
    agree(t);
    const double before = icf_mpi_work_cpu();
    if (context->rank == 0) burn(busy);
    call(t);
    const double mine = icf_mpi_work_cpu() - before;
    agree(t);
    return mine;
}

static void a_group_that_waits_for_a_rank_does_no_work(void **state)
{
    void (*const calls[])(team *) = {agree, sum, shadows, owners, factor};
    const icf_context *context = *state;
    const double busy = 0.2;
    team t;
    build_team(&t, context);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        const double prompt = work_of_call(context, &t, calls[k], 0.0);
        const double late = work_of_call(context, &t, calls[k], busy);
        if (context->rank == 0)
            assert_true(late >= busy);
        else
            assert_true(late - prompt < 0.1 * busy);
    }
    clear_team(&t);
}

/* ---- steps ---- */

/* A row of balls that overlap, on the ground, all owned by the last rank. */
static void fill(icf_bodies *bodies, const icf_context *context)
{
    const icf_body_def ground = sample_ground(0);
    const bool owner = context->rank == context->size - 1;
    if (context->rank == 0) assert_int_equal(icf_bodies_add(bodies, &ground, true), ICF_OK);
    for (icf_gid gid = 1; owner && gid <= 300; ++gid) {
        const icf_body_def ball = sample_sphere(gid, 0.05, icf_vec3_make(0.09 * (double)gid, 0, 0.05));
        assert_int_equal(icf_bodies_add(bodies, &ball, true), ICF_OK);
    }
    if (context->rank != 0) assert_int_equal(icf_bodies_add(bodies, &ground, false), ICF_OK);
}

static void the_busiest_rank_of_a_step_has_at_least_the_mean(void **state)
{
    icf_context *context = *state;
    icf_scene scene;
    icf_bodies bodies;
    icf_simulation *simulation;
    sample_scene_init(&scene, ICF_MODEL_LAGGED);
    scene.parallel.rebalance = ICF_REBALANCE_NEVER;
    icf_bodies_init(&bodies);
    fill(&bodies, context);
    assert_int_equal(icf_simulation_create(context, &scene, &bodies, 0, &simulation), ICF_OK);
    for (int k = 0; k < 5; ++k) {
        icf_step_stats stats;
        assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
        assert_true(stats.cpu_mean > 0.0 && stats.cpu_max >= stats.cpu_mean);
        /* one rank has all bodies */
        assert_true(context->size == 1 || stats.cpu_max > 1.5 * stats.cpu_mean);
        assert_true(stats.cpu_mean * context->size <= stats.cpu_ms * (1 + 1e-12));
    }
    icf_simulation_destroy(&simulation);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

int main(int argc, char **argv)
{
    int failed;
    const struct CMUnitTest tests[] = {
        mpi_test(a_rank_that_waits_does_no_work),
        mpi_test(a_group_that_waits_for_a_rank_does_no_work),
        mpi_test(the_busiest_rank_of_a_step_has_at_least_the_mean),
    };
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
