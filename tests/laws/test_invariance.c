/* What must not change a result: the order of the bodies, the number of threads, the linear solver, a restart. */
#include <mpi.h>
#include <string.h>

#include "laws/clutter.h"

static const contact_values values = {1e6, 10.0, 1e-4, 0.6};
static const double dt = 0.002;

static double state_error(const world *a, icf_lid i, const world *b, icf_lid j)
{
    const double position = icf_norm(icf_sub(a->bodies.position[i], b->bodies.position[j]));
    const double linear = icf_norm(icf_sub(a->bodies.linear_velocity[i], b->bodies.linear_velocity[j]));
    const double angular = icf_norm(icf_sub(a->bodies.angular_velocity[i], b->bodies.angular_velocity[j]));
    return position + linear + 0.1 * angular; /* not fmax, which drops NaN */
}

/* ---- order of the bodies ---- */

enum { npile = 10, npermutation = 3 };

/* Body k of a pile on the ground: boxes and balls, each partly on the one below. */
static icf_body_def pile_body(int k)
{
    if (k == 0) return ground_def(icf_vec3_make(0, 0, 1));
    const icf_vec3 at = {0.02 * (k % 3) + 0.013 * (k / 4), 0.015 * (k % 2), 0.05 + 0.099 * ((k - 1) % 4)};
    const icf_vec3 half = {0.05, 0.06, 0.05}, beside = {k < 5 ? 0.0 : k < 9 ? 0.25 : 0.12, 0, 0};
    icf_body_def def =
        k % 3 ? box_def(1.0 + 0.1 * k, half, icf_add(at, beside)) : sphere_def(0.7, 0.05, icf_add(at, beside));
    def.linear_velocity = icf_vec3_make(0.1, -0.05 * k, -0.5);
    def.angular_velocity = icf_vec3_make(0.2, 0.1 * k, -0.3);
    return def;
}

static void build_pile(world *w, icf_model model, const int *order)
{
    world_init(w, model, dt, values);
    w->scene.solver.relative_tolerance = 1e-12;
    for (int k = 0; k < npile; ++k) world_add(w, pile_body(order[k]));
    world_start(w);
}

/* Other ids exchange first and second body of many contacts, hence normals, frames and the sums' order: only
 * round-off may differ. */
static void the_order_of_bodies_does_not_matter(void **state)
{
    (void)state;
    const int order[npermutation][npile] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},  /* as made */
                                            {9, 8, 7, 6, 5, 4, 3, 2, 1, 0},  /* every contact exchanged */
                                            {4, 0, 7, 1, 9, 2, 5, 8, 3, 6}}; /* mixed */
    for (int m = 0; m < nmodel; ++m) {
        world first;
        build_pile(&first, all_models[m], order[0]);
        for (int s = 0; s < 50; ++s) world_step(&first);
        assert_true(first.stats.active > 8);
        for (int p = 1; p < npermutation; ++p) {
            world other;
            build_pile(&other, all_models[m], order[p]);
            for (int s = 0; s < 50; ++s) world_step(&other);
            for (int k = 0; k < npile; ++k) assert_true(state_error(&first, order[p][k], &other, k) < 1e-9);
            world_clear(&other);
        }
        world_clear(&first);
    }
}

/* ---- threads ---- */

/* Several heaps beside each other, so that there are enough pairs and islands for two threads. */
static uint64_t heaps_checksum(icf_model model, int nthread)
{
    world w;
    world_init(&w, model, dt, values);
    w.context.nthread = nthread;
    world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
    for (int heap = 0; heap < 16; ++heap) clutter_columns(&w, icf_vec3_make(1.5 * (heap % 4), 1.5 * (heap / 4), 0));
    world_start(&w);
    icf_cnt candidates = 0;
    for (int s = 0; s < 120; ++s) {
        world_step(&w);
        candidates = ICF_MAX(candidates, w.stats.candidates);
    }
    assert_true(candidates > 1000);
    const uint64_t checksum = icf_bodies_checksum(&w.bodies);
    world_clear(&w);
    return checksum;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        const uint64_t one = heaps_checksum(all_models[m], 1);
        assert_true(heaps_checksum(all_models[m], 2) == one);
        assert_true(heaps_checksum(all_models[m], 1) == one);
    }
}

/* ---- linear solvers ---- */

static void linear_solvers_agree(void **state)
{
    (void)state;
    const icf_linear kinds[] = {ICF_LINEAR_BLOCK, ICF_LINEAR_MUMPS, ICF_LINEAR_PCG};
    for (int m = 0; m < nmodel; ++m) {
        world w[3];
        for (int k = 0; k < 3; ++k) {
            world_init(&w[k], all_models[m], dt, values);
            w[k].scene.solver.linear = kinds[k];
            w[k].scene.solver.relative_tolerance = 1e-10;
            clutter_fill(&w[k]);
            world_start(&w[k]);
            for (int s = 0; s < 40; ++s) world_step(&w[k]);
            assert_true(w[k].stats.active > 20);
            assert_true(k != 2 || w[k].stats.pcg > 0);
        }
        for (int k = 1; k < 3; ++k)
            for (icf_lid i = clutter_first; i < w[0].bodies.n; ++i) assert_true(state_error(&w[0], i, &w[k], i) < 1e-6);
        for (int k = 0; k < 3; ++k) world_clear(&w[k]);
    }
}

/* ---- restart ---- */

static void copy_state(const icf_bodies *from, icf_bodies *to)
{
    const size_t n = (size_t)from->n;
    memcpy(to->position, from->position, n * sizeof *to->position);
    memcpy(to->orientation, from->orientation, n * sizeof *to->orientation);
    memcpy(to->linear_velocity, from->linear_velocity, n * sizeof *to->linear_velocity);
    memcpy(to->angular_velocity, from->angular_velocity, n * sizeof *to->angular_velocity);
}

static void build_clutter(world *w, icf_model model)
{
    world_init(w, model, dt, values);
    clutter_fill(w);
}

/* A step has no memory but the state: a new simulation from the middle goes on with the same bits. */
static void a_restart_changes_no_bit(void **state)
{
    (void)state;
    enum { before = 150, after = 100 };
    for (int m = 0; m < nmodel; ++m) {
        world whole, rest;
        build_clutter(&whole, all_models[m]);
        build_clutter(&rest, all_models[m]);
        world_start(&whole);
        for (int s = 0; s < before; ++s) world_step(&whole);
        copy_state(&whole.bodies, &rest.bodies);
        assert_int_equal(icf_simulation_create(&rest.context, &rest.scene, &rest.bodies, before, &rest.simulation),
                         ICF_OK);
        for (int s = 0; s < after; ++s) {
            world_step(&whole);
            world_step(&rest);
        }
        assert_int_equal(rest.stats.step, before + after);
        assert_true(icf_bodies_checksum(&whole.bodies) == icf_bodies_checksum(&rest.bodies));
        world_clear(&whole);
        world_clear(&rest);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_bodies_does_not_matter),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(linear_solvers_agree),
        cmocka_unit_test(a_restart_changes_no_bit),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
