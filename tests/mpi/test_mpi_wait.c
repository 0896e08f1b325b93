/* CPU time outside MPI waits: a rank that only waits has none, and a step's busiest rank has at least the mean. */
#include "mpi/ranks.h"

#include <mpi.h>
#include <string.h>

#include "base/mpi_wait.h"
#include "step/simulation.h"

/* CPU seconds outside MPI waits so far. */
static double work(void)
{
    return icf_clock_cpu() - icf_mpi_wait_cpu();
}

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
    const double busy = 0.2, before = work(), wall = icf_clock_wall();
    if (context->rank == 0) burn(busy);
    assert_int_equal(icf_agree(context, ICF_OK), ICF_OK);
    const double mine = work() - before;
    assert_true(icf_clock_wall() - wall >= 0.9 * busy);
    if (context->rank == 0)
        assert_true(mine >= busy);
    else
        assert_true(mine < 0.05 * busy);
}

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
        mpi_test(the_busiest_rank_of_a_step_has_at_least_the_mean),
    };
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
