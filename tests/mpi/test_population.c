/* Populations on many ranks: every body once, with the bits it has on one rank, between listed and fixed ones. */
#include "mpi/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "geometry/populate.h"
#include "io/scene_open.h"

static const char beginning[] =
    "time: {step: 0.01, steps: 1}\n"
    "materials: {steel: {}}\n"
    "bodies:\n"
    "  - {name: floor, shape: {type: half_space, normal: [0, 0, 1]}, material: steel, motion: fixed}\n"
    "  - {name: ball, shape: {type: sphere, radius: 0.1}, material: steel, mass: 1, position: [0, 0, 5]}\n"
    "  - {name: post, shape: {type: box, size: [1, 1, 1]}, material: steel, position: [0, 0, 8], motion: fixed}\n";

static const char two_populations[] =
    "populations:\n"
    "  - {kind: columns, bodies: 333, height: 4, spacing: [0.25, 0.25, 0.11], jitter: 0.003, templates: [\n"
    "     {body: {shape: {type: sphere, radius: 0.05}, material: steel, mass: 1}},\n"
    "     {body: {shape: {type: box, size: [0.1, 0.1, 0.1]}, material: steel, mass: 2}}]}\n"
    "  - {kind: grid, count: [3, 4, 5], spacing: [1, 1, 1], origin: [9, 0, 1], jitter: 0.1, templates: [\n"
    "     {body: {shape: {type: sphere, radius: 0.2}, material: steel, mass: 3, linear_velocity: [0, 0, 1]}}]}\n";

/* In a sphere and a cylinder, on ranks that pack the same layers at their borders. */
static const char packings[] =
    "populations:\n"
    "  - {kind: packing, region: {type: sphere, center: [0, 0, 3], radius: 1}, fill: 0.12, orientation: random,\n"
    "     velocity: {linear_spread: 1}, templates: [\n"
    "     {scale: {distribution: log_normal, median: 0.05, deviation: 0.3},\n"
    "      body: {shape: {type: sphere, radius: 1}, material: steel, density: 1}},\n"
    "     {body: {shape: {type: box, size: [0.1, 0.1, 0.1]}, material: steel, mass: 2}}]}\n"
    "  - {kind: packing, region: {type: cylinder, center: [5, 0, 3], radius: 1, length: 3}, bodies: 777, templates: [\n"
    "     {body: {shape: {type: capsule, radius: 0.05, length: 0.1}, material: steel, mass: 3}}]}\n";

static const char full_packing[] =
    "populations:\n"
    "  - {kind: packing, region: {type: box, size: [2, 2, 2]}, bodies: 10, templates: [\n"
    "     {body: {shape: {type: sphere, radius: 0.1}, material: steel, mass: 3}}]}\n"
    "  - {kind: packing, region: {type: box, size: [2, 2, 2]}, bodies: 2000, templates: [\n"
    "     {body: {shape: {type: sphere, radius: 0.1}, material: steel, mass: 3}}]}\n";

static const char one_body[] =
    "populations:\n"
    "  - {kind: grid, count: [1, 1, 1], spacing: [1, 1, 1], origin: [1, 2, 3], templates: [\n"
    "     {body: {shape: {type: sphere, radius: 0.2}, material: steel, mass: 3}}]}\n";

static icf_status take_all(void *user, icf_cnt n, const icf_body_def *bodies)
{
    for (icf_cnt i = 0; i < n; ++i) ICF_TRY(icf_bodies_add(user, &bodies[i], true));
    return ICF_OK;
}

/* All bodies one after the other, as one rank has them. */
static void read_all(icf_context *context, const char *path, icf_bodies *bodies)
{
    icf_scene scene;
    icf_bodies_init(bodies);
    assert_int_equal(icf_scene_read(context, path, 0, NULL, &scene, take_all, bodies), ICF_OK);
    assert_int_equal(icf_populate_all(context, &scene, take_all, bodies), ICF_OK);
    assert_int_equal(bodies->nowned, scene.nbody);
    icf_scene_clear(&scene);
}

/* The bodies of this rank are those of the whole scene with their ids; only what is fixed is here without being owned.
 */
static void check_bodies(const icf_context *context, const icf_bodies *bodies, const icf_bodies *all)
{
    for (icf_lid i = 0; i < bodies->n; ++i) {
        const icf_lid g = icf_bodies_find(all, bodies->gid[i]);
        assert_true(g >= 0);
        assert_memory_equal(&bodies->position[i], &all->position[g], sizeof bodies->position[i]);
        assert_memory_equal(&bodies->linear_velocity[i], &all->linear_velocity[g], sizeof bodies->linear_velocity[i]);
        assert_int_equal(bodies->shape[i].type, all->shape[g].type);
        assert_true(bodies->mass[i] == all->mass[g]);
        if (i >= bodies->nowned) assert_false(icf_bodies_moves(bodies, i));
    }
    assert_true(icf_bodies_find(bodies, 0) >= 0 && icf_bodies_find(bodies, 2) >= 0);
    assert_int_equal(sum_counts(context, bodies->nowned), all->nowned);
    assert_true(sum_checksums(context, bodies) == icf_bodies_checksum(all));
    const icf_lid moving = bodies->nowned - (context->rank == 0 ? 2 : 0);
    assert_true(llabs((int64_t)moving * context->size - (all->nowned - 2)) <= context->size);
}

static void write_scene(icf_context *context, const char *populations, char path[64])
{
    snprintf(path, 64, "population_%d.yaml", (int)getpid());
    MPI_Bcast(path, 64, MPI_CHAR, 0, context->comm);
    if (context->rank == 0) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s%s", beginning, populations);
        assert_int_equal(fclose(file), 0);
    }
    MPI_Barrier(context->comm);
}

static void open_and_check(icf_context *context, const char *populations)
{
    char path[64];
    icf_scene scene;
    icf_bodies bodies, all;
    write_scene(context, populations, path);
    assert_int_equal(icf_scene_open(context, path, 0, NULL, &scene, &bodies), ICF_OK);
    read_all(context, path, &all);
    MPI_Barrier(context->comm);
    if (context->rank == 0) remove(path);
    assert_int_equal(scene.nbody, all.nowned);
    check_bodies(context, &bodies, &all);
    icf_bodies_clear(&bodies);
    icf_bodies_clear(&all);
    icf_scene_clear(&scene);
}

static void every_generated_body_is_on_one_rank(void **state)
{
    open_and_check(*state, two_populations);
}

static void packings_are_the_same_on_any_number_of_ranks(void **state)
{
    open_and_check(*state, packings);
}

/* All ranks say the same, with the number of one rank, and leave nothing behind. */
static void bodies_without_room_are_counted_over_all_ranks(void **state)
{
    icf_context *context = *state;
    char path[64], *message;
    icf_scene scene;
    icf_bodies bodies;
    icf_shortfall shortfall;
    write_scene(context, full_packing, path);
    assert_int_equal(icf_scene_open(context, path, 0, NULL, &scene, &bodies), ICF_ERROR_SCENE);
    assert_int_equal(bodies.n, 0);
    assert_non_null(message = strdup(context->message));
    icf_clear_failure(context);
    icf_bodies_init(&bodies);
    assert_int_equal(icf_scene_read(context, path, 0, NULL, &scene, take_all, &bodies), ICF_OK);
    assert_int_equal(icf_populate(&scene, 0, scene.ngenerated, take_all, &bodies, &shortfall), ICF_OK);
    assert_int_equal(shortfall.population, 1);
    assert_int_equal(icf_shortfall_report(context, &scene, &shortfall), ICF_ERROR_SCENE);
    assert_string_equal(message, context->message);
    free(message);
    icf_clear_failure(context);
    MPI_Barrier(context->comm);
    if (context->rank == 0) remove(path);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

/* Ranks without a body to generate, and without any. */
static void fewer_bodies_than_ranks(void **state)
{
    open_and_check(*state, one_body);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        mpi_test(every_generated_body_is_on_one_rank),
        mpi_test(packings_are_the_same_on_any_number_of_ranks),
        mpi_test(bodies_without_room_are_counted_over_all_ranks),
        mpi_test(fewer_bodies_than_ranks),
    };
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
