/* Opening of scenes: every body on one rank, settings and replicated bodies on all, errors on all. */
#include "mpi/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/scene_open.h"

enum { nball = 700, nbody = nball + 3 }; /* chunks have 256 bodies */

static const char settings[] =
    "name: crowd\n"
    "gravity: [0, 0, -3]\n"
    "time: {step: 0.002, steps: 40}\n"
    "contact: {model: sap, near_rigid: 0.5, pairs: [{materials: [rubber, steel], friction: 0.9}]}\n"
    "materials:\n"
    "  steel: {stiffness: 1.0e+7, friction: 0.3}\n"
    "  rubber: {stiffness: 1.0e+4, dissipation: 2, friction: 1}\n"
    "forces: [{body: ball5, direction: [1, 0, 0], value: 7, rate: 2}]\n"
    "springs: [{body: ball600, axis: [0, 0, 1], stiffness: 50, rest: 2}]\n"
    "output: {directory: results, every: 3}\n"
    "bodies:\n"
    "  - {name: floor, shape: {type: half_space, normal: [0, 0, 1]}, material: steel, motion: {type: fixed}}\n"
    "  - {name: table, shape: {type: box, size: [1, 1, 0.1]}, position: [0, 0, 5], material: steel,\n"
    "     motion: {type: harmonic, direction: [1, 0, 0], amplitude: 0.1, frequency: 2, phase: 0.5}}\n"
    "  - {shape: {type: sphere, radius: 1}, material: steel, mass: 1, position: [0, 9, 9], free: []}\n";

/* Writes the scene to a file of its own a job; every fifth ball has a name. */
static void write_scene(const icf_context *context, char *path, size_t size, const char *more)
{
    if (context->rank == 0) {
        snprintf(path, size, "scene_open_%d.yaml", (int)getpid());
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(settings, file);
        for (int i = 0; i < nball; ++i) {
            const icf_vec3 at = random_point(6, i);
            if (i % 5 == 0)
                fprintf(file, "  - {name: ball%d, ", i);
            else
                fprintf(file, "  - {");
            fprintf(
                file,
                "shape: {type: sphere, radius: 0.01}, material: rubber, mass: %d, position: [%.17g, %.17g, %.17g]}\n",
                i + 1, at.x, at.y, at.z);
        }
        fputs(more, file);
        assert_int_equal(fclose(file), 0);
    }
    MPI_Bcast(path, (int)size, MPI_CHAR, 0, context->comm);
}

static void remove_scene(const icf_context *context, const char *path)
{
    MPI_Barrier(context->comm);
    if (context->rank == 0) remove(path);
}

/* The reader's bodies, for comparison. */
static icf_status take_all(void *user, icf_cnt n, const icf_body_def *bodies)
{
    for (icf_cnt i = 0; i < n; ++i) ICF_TRY(icf_bodies_add(user, &bodies[i], true));
    return ICF_OK;
}

static void check_settings(const icf_scene *scene, const icf_scene *read)
{
    assert_string_equal(scene->name, "crowd");
    assert_string_equal(scene->output.directory, "results");
    assert_int_equal(scene->output.every, 3);
    assert_near(scene->gravity.z, -3.0, 0.0);
    assert_int_equal(scene->time.steps, 40);
    assert_int_equal(scene->contact.model, ICF_MODEL_SAP);
    assert_int_equal(scene->nbody, nbody);
    assert_int_equal(scene->nmaterial, 2);
    for (int i = 0; i < 2; ++i) assert_string_equal(scene->material_name[i], read->material_name[i]);
    assert_memory_equal(scene->witness_weight, read->witness_weight, 4 * sizeof(double));
    for (int i = 0; i < 4; ++i) {
        assert_near(scene->combined[i].stiffness, read->combined[i].stiffness, 0.0);
        assert_near(scene->combined[i].friction[1], read->combined[i].friction[1], 0.0);
    }
    assert_int_equal(scene->npair, 1);
    assert_near(scene->pair[0].values.friction[0], 0.9, 0.0);
    assert_int_equal(scene->nforce, 1);
    assert_int_equal(scene->force[0].body, 3 + 5);
    assert_near(scene->force[0].rate, 2.0, 0.0);
    assert_int_equal(scene->nspring, 1);
    assert_int_equal(scene->spring[0].body, 3 + 600);
}

/* What is here is as the reader gives it; the first three bodies are everywhere, owned by rank 0. */
static void check_bodies(const icf_context *context, const icf_bodies *bodies, const icf_bodies *read)
{
    for (icf_lid i = 0; i < bodies->n; ++i) {
        char a[ICF_BODY_NAME_BYTES], b[ICF_BODY_NAME_BYTES];
        const icf_lid g = (icf_lid)bodies->gid[i];
        assert_string_equal(icf_bodies_name(bodies, i, a), icf_bodies_name(read, g, b));
        assert_memory_equal(&bodies->position[i], &read->position[g], sizeof(icf_vec3));
        assert_memory_equal(&bodies->linear_velocity[i], &read->linear_velocity[g], sizeof(icf_vec3));
        assert_int_equal(bodies->material[i], read->material[g]);
        assert_near(bodies->mass[i], read->mass[g], 0.0);
        if (i >= bodies->nowned) assert_false(icf_bodies_moves(bodies, i));
    }
    for (icf_gid gid = 0; gid < 3; ++gid) {
        const icf_lid i = icf_bodies_find(bodies, gid);
        assert_true(i >= 0);
        assert_int_equal(i < bodies->nowned, context->rank == 0);
    }
    assert_int_equal(bodies->nprescribed, 1);
    assert_int_equal(sum_counts(context, bodies->nowned), nbody);
    /* pieces of the curve are equal to one body */
    const icf_lid moving = bodies->nowned - (context->rank == 0 ? 3 : 0);
    assert_true(abs(moving * context->size - nball) <= context->size);
}

static void every_rank_gets_its_share(void **state)
{
    icf_context *context = *state;
    char path[64];
    icf_scene scene, read;
    icf_bodies bodies, all;
    write_scene(context, path, sizeof path, "");
    icf_bodies_init(&all);
    assert_int_equal(icf_scene_read(context, path, 0, NULL, &read, take_all, &all), ICF_OK);
    assert_int_equal(icf_scene_open(context, path, 0, NULL, &scene, &bodies), ICF_OK);
    remove_scene(context, path);
    check_settings(&scene, &read);
    check_bodies(context, &bodies, &all);
    assert_true(sum_checksums(context, &bodies) == icf_bodies_checksum(&all));
    icf_bodies_clear(&bodies);
    icf_bodies_clear(&all);
    icf_scene_clear(&scene);
    icf_scene_clear(&read);
}

static void overrides_hold_on_all_ranks(void **state)
{
    icf_context *context = *state;
    const icf_override overrides[] = {{"time.steps", "7"}, {"bodies.ball600.mass", "5000"}};
    char path[64];
    icf_scene scene;
    icf_bodies bodies;
    write_scene(context, path, sizeof path, "");
    assert_int_equal(icf_scene_open(context, path, 2, overrides, &scene, &bodies), ICF_OK);
    remove_scene(context, path);
    assert_int_equal(scene.time.steps, 7);
    const icf_lid i = icf_bodies_find(&bodies, 3 + 600);
    if (i >= 0) assert_near(bodies.mass[i], 5000.0, 0.0);
    assert_int_equal(sum_counts(context, i >= 0), 1);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

static void expect_failure(icf_context *context, const char *path, icf_status status, const char *text)
{
    icf_scene scene;
    icf_bodies bodies;
    icf_clear_failure(context);
    assert_int_equal(icf_scene_open(context, path, 0, NULL, &scene, &bodies), status);
    assert_non_null(strstr(context->message, text));
    assert_int_equal(bodies.n, 0);
    assert_null(scene.name);
}

static void errors_reach_all_ranks(void **state)
{
    icf_context *context = *state;
    char path[64];
    expect_failure(context, "no such scene.yaml", ICF_ERROR_FILE, "no such scene.yaml: cannot be read");
    /* found behind all bodies, when most of them have been sent */
    write_scene(context, path, sizeof path, "  - {shape: {type: sphere, radius: -1}, material: rubber, mass: 1}\n");
    expect_failure(context, path, ICF_ERROR_SCENE, "bodies[703].shape.radius");
    remove_scene(context, path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        mpi_test(every_rank_gets_its_share),
        mpi_test(overrides_hold_on_all_ranks),
        mpi_test(errors_reach_all_ranks),
    };
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
