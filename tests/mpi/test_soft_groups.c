/* Islands with deformable bodies on several ranks, gathered to one of them or solved by all, with whole meshes and with
 * meshes that all ranks share: the motion and the forces of supports and attachments of one rank. */
#include "mpi/step_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/scene_open.h"

/* A row of soft cubes that press on each other by vertices that are held, carry a rigid box each, and drag another one
 * that is attached to the last: pairs and attachments join bodies of all ranks. */
static void write_scene(FILE *file)
{
    enum { n = 6 };
    fputs("time: {step: 0.01, steps: 8}\nsolver: {relative_tolerance: 1.0e-10}\n"
          "materials: {m: {stiffness_per_area: 1.0e7, friction: 0.5}}\nbodies:\n"
          "  - {name: ground, shape: {type: half_space, normal: [0, 0, 1]}, motion: fixed, material: m}\n",
          file);
    for (int k = 0; k < n; ++k)
        fprintf(file,
                "  - {name: b%d, shape: {type: box, size: [0.08, 0.08, 0.08]}, mass: 1, position: [%g, 0, 0.14], "
                "material: m}\n",
                k, 0.0995 * k);
    fputs("  - {name: dragged, shape: {type: sphere, radius: 0.04}, mass: 2, position: [0.6, 0, 0.2], material: m}\n"
          "deformables:\n",
          file);
    for (int k = 0; k < n; ++k)
        fprintf(file,
                "  - {name: s%d, mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [3, 3, 3]}}, youngs_modulus: 1.0e5, "
                "poissons_ratio: 0.3, density: 1000, position: [%g, 0, 0.05], linear_velocity: [0, 0, -0.2], material: "
                "m%s%s}\n",
                k, 0.0995 * k, k % 2 == 1 ? ", fixed: [{group: x_minus}]" : "",
                k == n - 1 ? ", attachments: [{body: dragged, group: z_plus}]" : "");
}

/* What the ranks of a world share. */
typedef enum sharing { GATHERED_ISLANDS, WHOLE_MESHES, SPLIT_MESHES } sharing;

static void open_world(world *w, MPI_Comm comm, const char *path, sharing how)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(icf_context_init(&w->context, comm, 1), ICF_OK);
    icf_bodies_init(&w->bodies);
    assert_int_equal(icf_scene_open(&w->context, path, 0, NULL, &w->scene, &w->bodies), ICF_OK);
    if (how != GATHERED_ISLANDS) w->scene.parallel.gather_below = 0;
    if (how == SPLIT_MESHES) w->scene.parallel.split_above = 0;
    assert_int_equal(icf_simulation_create(&w->context, &w->scene, &w->bodies, 0, &w->simulation), ICF_OK);
}

static void assert_near_vec(icf_vec3 a, icf_vec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static void compare(const world *part, const world *whole)
{
    for (icf_lid i = 0; i < part->bodies.nowned; ++i) {
        const icf_lid j = icf_bodies_find(&whole->bodies, part->bodies.gid[i]);
        assert_near_vec(part->bodies.position[i], whole->bodies.position[j], 1e-9);
        const icf_vec3 *x = part->bodies.vertex_position + part->bodies.vertex[i];
        const icf_vec3 *y = whole->bodies.vertex_position + whole->bodies.vertex[j];
        for (icf_lid k = 0; k < part->bodies.nvertex[i]; ++k) assert_near_vec(x[k], y[k], 1e-9);
    }
    const icf_vec3 *mine = icf_simulation_contacts(part->simulation).reaction;
    const icf_vec3 *all = icf_simulation_contacts(whole->simulation).reaction;
    for (icf_lid i = 0; i < part->bodies.nowned; ++i)
        if (icf_bodies_is_deformable(&part->bodies, i))
            assert_near_vec(mine[i], all[icf_bodies_find(&whole->bodies, part->bodies.gid[i])], 1e-5);
}

/* Each attachment is on one rank, with the force of one rank. */
static void compare_attachments(const world *part, const world *whole)
{
    const icf_contact_views mine = icf_simulation_contacts(part->simulation);
    const icf_contact_view all = icf_simulation_contacts(whole->simulation).view[0];
    int n = 0;
    assert_int_equal(all.nattachment, 1);
    for (int k = 0; k < mine.n; ++k) {
        n += mine.view[k].nattachment;
        for (icf_lid p = 0; p < mine.view[k].nattachment; ++p) {
            const icf_pair_impulse *attachment = &mine.view[k].attachment[p];
            assert_int_equal(mine.view[k].bodies->gid[attachment->pair.a], all.bodies->gid[all.attachment->pair.a]);
            assert_int_equal(mine.view[k].bodies->gid[attachment->pair.b], all.bodies->gid[all.attachment->pair.b]);
            assert_near_vec(attachment->impulse, all.attachment->impulse, 1e-7);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, part->context.comm);
    assert_int_equal(n, 1);
}

/* The same scene on each rank alone, and on all together. */
static void open_both(world *whole, world *part, void (*write)(FILE *file), sharing how)
{
    int rank;
    char path[] = "/tmp/icf-soft-XXXXXX";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *file = fdopen(mkstemp(path), "w");
        assert_non_null(file);
        write(file);
        fclose(file);
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    open_world(whole, MPI_COMM_SELF, path, how);
    open_world(part, MPI_COMM_WORLD, path, how);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(path);
}

static void move_as_on_one_rank(sharing how)
{
    world whole, part;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_both(&whole, &part, write_scene, how);
    for (int k = 0; k < 8; ++k) {
        icf_step_stats a, b;
        assert_int_equal(icf_simulation_step(whole.simulation, &a), ICF_OK);
        assert_int_equal(icf_simulation_step(part.simulation, &b), ICF_OK);
        assert_int_equal(a.candidates, b.candidates);
        assert_int_equal(a.largest_island_dofs, b.largest_island_dofs);
        assert_int_equal(b.group_iterations > 0, size > 1 && how != GATHERED_ISLANDS);
        assert_near(a.cost, b.cost, 1e-8 * a.cost);
        assert_near(a.elastic_energy, b.elastic_energy, 1e-8 * (1e-3 + a.elastic_energy));
        assert_true(a.reaction_max > 1.0);
        assert_near(a.reaction_max, b.reaction_max, 1e-6 * a.reaction_max);
        assert_near(a.contact_force_max, b.contact_force_max, 1e-6 * a.contact_force_max);
        assert_true(a.attachment_force_max > 1.0);
        assert_near(a.attachment_force_max, b.attachment_force_max, 1e-6 * a.attachment_force_max);
        assert_near(a.penetration_max, b.penetration_max, 1e-9);
        compare(&part, &whole);
        compare_attachments(&part, &whole);
    }
    tear_down(&whole);
    tear_down(&part);
}

static void gathered_bodies_move_as_on_one_rank(void **state)
{
    (void)state;
    move_as_on_one_rank(GATHERED_ISLANDS);
}

static void soft_bodies_move_as_on_one_rank(void **state)
{
    (void)state;
    move_as_on_one_rank(WHOLE_MESHES);
}

static void shared_meshes_move_as_on_one_rank(void **state)
{
    (void)state;
    move_as_on_one_rank(SPLIT_MESHES);
}

/* A soft cube of 3,375 vertices that turns and lands on an edge. */
static void write_large(FILE *file)
{
    fputs("time: {step: 0.01, steps: 3}\nsolver: {relative_tolerance: 1.0e-9}\n"
          "materials: {m: {stiffness_per_area: 1.0e7, friction: 0.5}}\nbodies:\n"
          "  - {name: ground, shape: {type: half_space, normal: [0, 0, 1]}, motion: fixed, material: m}\n"
          "deformables:\n"
          "  - {mesh: {box: {size: [0.2, 0.2, 0.2], divisions: [14, 14, 14]}}, youngs_modulus: 1.0e4, "
          "poissons_ratio: 0.4, density: 1000, position: [0, 0, 0.128], orientation: [0.99995, 0.0099998, 0, 0], "
          "linear_velocity: [0.2, 0, -1.2], angular_velocity: [0, 1, 0], material: m}\n",
          file);
}

/* Vertices move at the same velocities, to a part of the fastest. */
static void compare_velocities(const world *part, const world *whole, double tolerance)
{
    for (icf_lid i = 0; i < part->bodies.nowned; ++i) {
        const icf_lid j = icf_bodies_find(&whole->bodies, part->bodies.gid[i]);
        const icf_vec3 *x = part->bodies.vertex_velocity + part->bodies.vertex[i];
        const icf_vec3 *y = whole->bodies.vertex_velocity + whole->bodies.vertex[j];
        for (icf_lid k = 0; k < part->bodies.nvertex[i]; ++k) assert_near_vec(x[k], y[k], tolerance);
    }
}

/* Conjugate gradients of all ranks find its free motion, to the last bits while nothing touches it, and the directions
 * of its first contacts: as on one rank, with at most twice the iterations, as preconditioners are cut and a group goes
 * on for longer before it factors. */
static void large_meshes_need_no_factor(void **state)
{
    (void)state;
    world whole, part;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_both(&whole, &part, write_large, SPLIT_MESHES);
    icf_cnt alone = 0, together = 0;
    for (int k = 0; k < 3; ++k) {
        icf_step_stats a, b;
        assert_int_equal(icf_simulation_step(whole.simulation, &a), ICF_OK);
        assert_int_equal(icf_simulation_step(part.simulation, &b), ICF_OK);
        assert_int_equal(a.candidates, b.candidates);
        assert_int_equal(b.group_iterations > 0, size > 1 && a.candidates > 0);
        assert_near(a.elastic_energy, b.elastic_energy, 1e-7 * (1e-3 + a.elastic_energy));
        compare_velocities(&part, &whole, a.candidates == 0 ? 1e-11 : 1e-7);
        assert_int_equal(a.candidates > 0, k > 0);
        alone += a.pcg;
        together += b.pcg;
    }
    assert_true(alone > 0);
    assert_in_range(together, 1, 2 * alone);
    tear_down(&whole);
    tear_down(&part);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathered_bodies_move_as_on_one_rank), cmocka_unit_test(soft_bodies_move_as_on_one_rank),
        cmocka_unit_test(shared_meshes_move_as_on_one_rank), cmocka_unit_test(large_meshes_need_no_factor)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
