/* The step over ranks: the same bits as on one rank, wherever the bodies are: heaps that span ranks, bodies that fly
 * from one rank's region into another's, ranks without bodies. */
#include "mpi/step_world.h"

static int in_blocks(icf_gid gid, int size)
{
    return (int)ICF_MIN(gid / 20, size - 1);
}

static int on_the_last(icf_gid gid, int size)
{
    return gid == 1 ? 0 : size - 1;
}

/* Every owned body has the bits of the same body on one rank. */
static void assert_same(const world *part, const world *whole)
{
    for (icf_lid i = 0; i < part->bodies.nowned; ++i) {
        const icf_lid j = icf_bodies_find(&whole->bodies, part->bodies.gid[i]);
        assert_memory_equal(&part->bodies.position[i], &whole->bodies.position[j], sizeof(icf_vec3));
        assert_memory_equal(&part->bodies.orientation[i], &whole->bodies.orientation[j], sizeof(icf_quat));
        assert_memory_equal(&part->bodies.linear_velocity[i], &whole->bodies.linear_velocity[j], sizeof(icf_vec3));
        assert_memory_equal(&part->bodies.angular_velocity[i], &whole->bodies.angular_velocity[j], sizeof(icf_vec3));
        assert_memory_equal(&part->bodies.cost[i], &whole->bodies.cost[j], sizeof(double));
    }
}

/* A step of both, with the same contacts, islands and states. */
static void step_both(world *whole, world *part, icf_step_stats *a, icf_step_stats *b)
{
    assert_int_equal(icf_simulation_step(whole->simulation, a), ICF_OK);
    assert_int_equal(icf_simulation_step(part->simulation, b), ICF_OK);
    assert_int_equal(a->candidates, b->candidates);
    assert_int_equal(a->active, b->active);
    assert_int_equal(a->islands, b->islands);
    assert_same(part, whole);
}

/* rebalance: steps between repartitions, as parallel.rebalance */
static void compare_rebalanced(icf_model model, icf_gid n, body_maker make, owner_of owner, int steps,
                               icf_cnt rebalance)
{
    world whole, part;
    set_up(&whole, MPI_COMM_SELF, model, 1);
    set_up(&part, MPI_COMM_WORLD, model, 1);
    part.scene.parallel.rebalance = rebalance;
    whole.scene.solver.condition = part.scene.solver.condition = true;
    build(&whole, n, make, on_one);
    build(&part, n, make, owner);
    icf_cnt contacts = 0, moved = 0;
    double largest_condition = 0.0;
    for (int k = 0; k < steps; ++k) {
        icf_step_stats a, b;
        step_both(&whole, &part, &a, &b);
        assert_int_equal(a.largest_island_dofs, b.largest_island_dofs);
        assert_true(a.error_signorini_max == b.error_signorini_max && a.error_coulomb_max == b.error_coulomb_max);
        assert_true(a.error_dissipation_max == b.error_dissipation_max && a.condition_max == b.condition_max);
        assert_near(a.iterations_mean, b.iterations_mean, 1e-12 * (1 + a.iterations_mean));
        assert_near(a.kinetic_energy, b.kinetic_energy, 1e-9 * (1 + a.kinetic_energy));
        largest_condition = fmax(largest_condition, a.condition_max);
        contacts += a.active;
        moved += b.moved;
    }
    assert_true(contacts > 0 && largest_condition > 1.0);
    if (rebalance != ICF_REBALANCE_NEVER && part.context.size > 1) assert_true(moved > 0);
    icf_cnt owned = 0;
    for (icf_lid i = 0; i < part.bodies.nowned; ++i) owned += icf_bodies_moves(&part.bodies, i);
    MPI_Allreduce(MPI_IN_PLACE, &owned, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(owned, n);
    tear_down(&whole);
    tear_down(&part);
}

static void compare(icf_model model, icf_gid n, body_maker make, owner_of owner, int steps)
{
    compare_rebalanced(model, n, make, owner, steps, ICF_REBALANCE_NEVER);
}

/* Heaps of four by four by three bodies, a metre apart: several islands that split and merge. */
static icf_body_def heap(icf_gid gid)
{
    const int i = (int)gid - 1, in_heap = i % 48, which = i / 48;
    const icf_vec3 at = {1.0 * which + 0.101 * (in_heap % 4) + 0.003 * (in_heap % 5), 0.102 * (in_heap / 4 % 4),
                         0.06 + 0.104 * (in_heap / 16)};
    icf_body_def def = i % 3 ? sample_box(gid, 0.1, at) : sample_sphere(gid, 0.05, at);
    def.linear_velocity = icf_vec3_make(0.2 * (i % 2), 0.1 * (i % 3), -0.5);
    return def;
}

/* A ball shot through everything, far from its rank's other bodies, at 60 m/s. */
static icf_body_def shot(icf_gid gid)
{
    icf_body_def def = heap(gid);
    if (gid != 1) return def;
    def = sample_sphere(gid, 0.05, icf_vec3_make(-3.0, 0.15, 0.1));
    def.linear_velocity.x = 60.0;
    return def;
}

/* A chain of touching balls, each on the next rank. */
static icf_body_def chain(icf_gid gid)
{
    icf_body_def def = sample_sphere(gid, 0.05, icf_vec3_make(0.0999 * (double)gid, 0, 0.0499));
    def.linear_velocity.x = gid == 1 ? 1.0 : 0.0;
    return def;
}

static void heaps_by_turns(void **state)
{
    (void)state;
    compare(ICF_MODEL_LAGGED, 96, heap, by_turns, 12);
    compare(ICF_MODEL_SAP, 96, heap, by_turns, 6);
}

static void heaps_in_blocks(void **state)
{
    (void)state;
    compare(ICF_MODEL_LAGGED, 96, heap, in_blocks, 12);
    compare(ICF_MODEL_SIMILAR, 96, heap, in_blocks, 6);
}

static void a_shot_across_all_ranks(void **state)
{
    (void)state;
    compare(ICF_MODEL_LAGGED, 96, shot, in_blocks, 20);
}

static void a_chain_over_all_ranks(void **state)
{
    (void)state;
    compare(ICF_MODEL_LAGGED, 12, chain, by_turns, 30);
}

static void almost_all_on_the_last_rank(void **state)
{
    (void)state;
    compare(ICF_MODEL_LAGGED, 48, heap, on_the_last, 8);
    compare(ICF_MODEL_LAGGED, 2, chain, by_turns, 8); /* more ranks than bodies */
}

/* Towers of three, far enough apart that each is an island, all on one rank: the others borrow them, and bits stay. */
static icf_body_def tower(icf_gid gid)
{
    const int i = (int)gid - 1, which = i / 3;
    const icf_vec3 at = {0.3 * (which % 12), 0.3 * (which / 12), 0.05 + 0.0999 * (i % 3)};
    icf_body_def def = i % 3 == 2 ? sample_sphere(gid, 0.05, at) : sample_box(gid, 0.1, at);
    def.linear_velocity.x = 0.1 * (which % 5);
    return def;
}

static icf_cnt bodies_lent(bool lend)
{
    enum { n = 360, steps = 8 };
    world whole, part;
    icf_cnt lent = 0;
    set_up(&whole, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    set_up(&part, MPI_COMM_WORLD, ICF_MODEL_LAGGED, 1);
    part.scene.parallel.rebalance = ICF_REBALANCE_NEVER;
    part.scene.parallel.lend = lend;
    build(&whole, n, tower, on_one);
    build(&part, n, tower, on_the_last);
    for (int k = 0; k < steps; ++k) {
        icf_step_stats a, b;
        step_both(&whole, &part, &a, &b);
        assert_int_equal(a.lent, 0);
        if (k == 0) assert_int_equal(b.lent, 0); /* nothing is known yet */
        lent += b.lent;
    }
    const int size = part.context.size;
    /* all but the last rank's share of each step but the first */
    if (lend && size > 1) assert_true(10 * lent * size > 8 * (steps - 1) * n * (size - 1));
    tear_down(&whole);
    tear_down(&part);
    return lent;
}

static void islands_are_lent(void **state)
{
    (void)state;
    bodies_lent(true);
    assert_int_equal(bodies_lent(false), 0);
}

/* Islands solved by all ranks that own bodies of them: the same to the solver's tolerance. */
static void compare_grouped(icf_model model, icf_gid n, body_maker make, owner_of owner)
{
    world whole, part;
    set_up(&whole, MPI_COMM_SELF, model, 1);
    set_up(&part, MPI_COMM_WORLD, model, 1);
    whole.scene.solver.relative_tolerance = part.scene.solver.relative_tolerance = 1e-10;
    part.scene.parallel.gather_below = 0;
    part.scene.parallel.rebalance = 3;
    build(&whole, n, make, on_one);
    build(&part, n, make, owner);
    for (int k = 0; k < 8; ++k) {
        icf_step_stats a, b;
        assert_int_equal(icf_simulation_step(whole.simulation, &a), ICF_OK);
        assert_int_equal(icf_simulation_step(part.simulation, &b), ICF_OK);
        assert_int_equal(a.candidates, b.candidates);
        assert_int_equal(a.islands, b.islands);
        assert_int_equal(a.largest_island_dofs, b.largest_island_dofs);
        assert_true(b.momentum_residual < 1e-8);
        assert_near(a.cost, b.cost, 1e-7 * fabs(a.cost) + 1e-14);
        for (icf_lid i = 0; i < part.bodies.nowned; ++i) {
            const icf_lid j = icf_bodies_find(&whole.bodies, part.bodies.gid[i]);
            assert_near(icf_norm(icf_sub(part.bodies.linear_velocity[i], whole.bodies.linear_velocity[j])), 0, 1e-7);
            assert_near(icf_norm(icf_sub(part.bodies.position[i], whole.bodies.position[j])), 0, 1e-9);
        }
    }
    tear_down(&whole);
    tear_down(&part);
}

static void large_islands_solved_by_groups(void **state)
{
    (void)state;
    compare_grouped(ICF_MODEL_LAGGED, 96, heap, by_turns);
    compare_grouped(ICF_MODEL_SAP, 96, heap, in_blocks);
    compare_grouped(ICF_MODEL_SIMILAR, 48, heap, in_blocks);
    compare_grouped(ICF_MODEL_LAGGED, 12, chain, by_turns);
}

/* A deep pile: 8 x 8 x 9 balls, each of which touches its neighbours and falls on them. */
enum { PILE = 8 * 8 * 9 };

static icf_body_def pile(icf_gid gid)
{
    const int i = (int)gid - 1;
    icf_body_def def =
        sample_sphere(gid, 0.05, icf_vec3_make(0.0999 * (i % 8), 0.0999 * (i / 8 % 8), 0.0499 + 0.0999 * (i / 64)));
    def.linear_velocity = icf_vec3_make(0.02 * (i % 5 - 2), 0.03 * (i % 3 - 1), -0.1 * (i % 2));
    return def;
}

static int in_slabs(icf_gid gid, int size)
{
    return (int)((gid - 1) * size / PILE);
}

static void a_deep_pile_solved_by_a_group(void **state)
{
    (void)state;
    compare_group_step(PILE, pile, by_turns);
    compare_group_step(PILE, pile, in_slabs);
}

/* Bodies change ranks every third step, and once from a start with everything on one rank. */
static void rebalancing_changes_no_bit(void **state)
{
    (void)state;
    compare_rebalanced(ICF_MODEL_LAGGED, 96, heap, by_turns, 12, 3);
    compare_rebalanced(ICF_MODEL_LAGGED, 96, shot, on_the_last, 12, 5);
}

/* A failure on one rank ends the step on all of them, with the state of the last good step everywhere. */
static void a_failure_reaches_all_ranks(void **state)
{
    (void)state;
    world part;
    set_up(&part, MPI_COMM_WORLD, ICF_MODEL_LAGGED, 1);
    part.context.level = ICF_LOG_QUIET;
    build(&part, 96, heap, in_blocks);
    part.scene.solver.max_iterations = part.context.rank == part.context.size - 1 ? 0 : 100;
    const uint64_t before = icf_bodies_checksum(&part.bodies);
    icf_step_stats stats;
    icf_status status = ICF_OK;
    for (int k = 0; k < 5 && status == ICF_OK; ++k) status = icf_simulation_step(part.simulation, &stats);
    assert_int_equal(status, ICF_ERROR_SOLVER);
    if (icf_simulation_step_number(part.simulation) == 0) assert_true(icf_bodies_checksum(&part.bodies) == before);
    tear_down(&part);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_by_turns),
        cmocka_unit_test(heaps_in_blocks),
        cmocka_unit_test(a_shot_across_all_ranks),
        cmocka_unit_test(a_chain_over_all_ranks),
        cmocka_unit_test(almost_all_on_the_last_rank),
        cmocka_unit_test(islands_are_lent),
        cmocka_unit_test(large_islands_solved_by_groups),
        cmocka_unit_test(a_deep_pile_solved_by_a_group),
        cmocka_unit_test(rebalancing_changes_no_bit),
        cmocka_unit_test(a_failure_reaches_all_ranks),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
