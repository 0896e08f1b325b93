/* A settled step without output takes no heap memory of ours: icf_alloc and icf_grow are wrapped by the linker
 * (--wrap) and count. */
#include "unit/sample_scene.h"

#include <mpi.h>
#include <string.h>

#include "allocation/count_allocations.h"
#include "step/simulation.h"

static void settled_steps_take_no_memory(void **state)
{
    (void)state;
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_simulation *simulation;
    assert_int_equal(icf_context_init(&context, MPI_COMM_SELF, 1), ICF_OK);
    sample_scene_init(&scene, ICF_MODEL_LAGGED);
    scene.solver.linear = ICF_LINEAR_BLOCK;
    icf_bodies_init(&bodies);
    const icf_body_def ground = sample_ground(0);
    assert_int_equal(icf_bodies_add(&bodies, &ground, true), ICF_OK);
    for (int i = 0; i < 48; ++i) {
        const icf_vec3 at = {0.15 * (i % 4), 0.15 * (i / 4 % 4), 0.051 + 0.101 * (i / 16)};
        const icf_body_def def = sample_box(i + 1, 0.1, at);
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    }
    assert_int_equal(icf_simulation_create(&context, &scene, &bodies, 0, &simulation), ICF_OK);
    icf_step_stats stats;
    for (int k = 0; k < 200; ++k) assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
    assert_true(stats.candidates > 100);
    assert_true(nalloc > 0); /* the counter works */
    nalloc = 0;
    icf_cnt factorizations = 0;
    for (int k = 0; k < 200; ++k) {
        bodies.linear_velocity[1 + k % 48].x += 1e-3; /* so that there is something to solve */
        assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
        factorizations += stats.factorizations;
    }
    assert_true(factorizations > 100);
    assert_int_equal(nalloc, 0);
    icf_simulation_destroy(&simulation);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
    icf_context_clear(&context);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(settled_steps_take_no_memory)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
