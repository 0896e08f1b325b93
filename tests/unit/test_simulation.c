/* Steps that cannot be done: the state is that before them, the message says what did not converge. */
#include "unit/sample_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/scene_open.h"

static void start(world *w, const char *text)
{
    char path[] = "/tmp/icf-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    assert_int_equal(icf_context_init(&w->context, MPI_COMM_WORLD, 1), ICF_OK);
    w->context.level = ICF_LOG_QUIET;
    icf_bodies_init(&w->bodies);
    assert_int_equal(icf_scene_open(&w->context, path, 0, NULL, &w->scene, &w->bodies), ICF_OK);
    unlink(path);
    assert_int_equal(icf_simulation_create(&w->context, &w->scene, &w->bodies, 0, &w->simulation), ICF_OK);
}

/* The cube is 4 mm above the ground and falls at 1 m/s: the first of the 16 substeps of 5/8 ms are done, but one
 * iteration is not enough for the contact that follows. */
static const char falling[] =
    "time: {step: 0.01, steps: 1}\n"
    "solver: {max_iterations: 1}\n"
    "materials: {soft: {stiffness: 1.0e+5, stiffness_per_area: 1.0e+8, friction: 0.8}}\n"
    "bodies:\n"
    "  - {shape: {type: half_space, normal: [0, 0, 1], offset: 0}, material: soft, motion: fixed}\n"
    "deformables:\n"
    "  - {name: cube, mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}}, youngs_modulus: 1.0e+5,\n"
    "     poissons_ratio: 0.4, density: 1000, material: soft, position: [0, 0, 0.054],\n"
    "     linear_velocity: [0.5, 0, -1], angular_velocity: [1, 2, 3]}\n";

static void vertices_are_restored(void **state)
{
    (void)state;
    world w = {0};
    start(&w, falling);
    const size_t n = icf_bodies_owned_vertices(&w.bodies), bytes = n * sizeof(icf_vec3);
    assert_true(n > 0);
    icf_vec3 *position = malloc(bytes), *velocity = malloc(bytes);
    assert_true(position && velocity);
    memcpy(position, w.bodies.vertex_position, bytes);
    memcpy(velocity, w.bodies.vertex_velocity, bytes);
    icf_step_stats stats;
    assert_int_equal(icf_simulation_step(w.simulation, &stats), ICF_ERROR_SOLVER);
    assert_int_equal(icf_simulation_step_number(w.simulation), 0);
    assert_memory_equal(w.bodies.vertex_position, position, bytes);
    assert_memory_equal(w.bodies.vertex_velocity, velocity, bytes);
    free(position);
    free(velocity);
    tear_down(&w);
}

/* A force that no number can square. */
static const char torn[] =
    "time: {step: 0.05, steps: 1}\n"
    "deformables:\n"
    "  - {name: block, mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}}, model: st_venant_kirchhoff,\n"
    "     youngs_modulus: 1.0e+6, poissons_ratio: 0.45, density: 1000}\n"
    "vertex_forces: [{deformable: block, vertices: [3], value: [0, 0, 1.0e+160]}]\n";

static void a_free_motion_that_is_not_found_names_the_deformable(void **state)
{
    (void)state;
    world w = {0};
    start(&w, torn);
    icf_step_stats stats;
    assert_int_equal(icf_simulation_step(w.simulation, &stats), ICF_ERROR_SOLVER);
    assert_non_null(strstr(w.context.message, "not even in 16 substeps: deformable \"block\""));
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_restored),
        cmocka_unit_test(a_free_motion_that_is_not_found_names_the_deformable),
    };
    MPI_Init(NULL, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
