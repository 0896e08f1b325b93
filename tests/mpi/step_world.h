/* A simulation on one rank or on many, and one step of both compared. */
#ifndef ICF_TESTS_STEP_WORLD_H
#define ICF_TESTS_STEP_WORLD_H

#include "unit/sample_world.h"

typedef icf_body_def (*body_maker)(icf_gid gid);
typedef int (*owner_of)(icf_gid gid, int size);

static inline void add(world *w, const icf_body_def *def, bool owned)
{
    assert_int_equal(icf_bodies_add(&w->bodies, def, owned), ICF_OK);
}

/* Ground is body 0, owned by rank 0 and a ghost elsewhere; the others go where owner says. */
static inline void build(world *w, icf_gid n, body_maker make, owner_of owner)
{
    const int rank = w->context.rank, size = w->context.size;
    const icf_body_def ground = sample_ground(0);
    if (rank == 0) add(w, &ground, true);
    for (icf_gid gid = 1; gid <= n; ++gid) {
        const icf_body_def def = make(gid);
        if (owner(gid, size) == rank) add(w, &def, true);
    }
    if (rank != 0) add(w, &ground, false);
    assert_int_equal(icf_simulation_create(&w->context, &w->scene, &w->bodies, 0, &w->simulation), ICF_OK);
}

static inline int on_one(icf_gid gid, int size)
{
    (void)gid, (void)size;
    return 0;
}

static inline int by_turns(icf_gid gid, int size)
{
    return (int)(gid % size);
}

/* Every owned body has the velocity of the same body on one rank, to 1e-8 of the largest. */
static inline void assert_same_velocities(const world *part, const world *whole)
{
    double largest = 0.0;
    for (icf_lid i = 0; i < whole->bodies.nowned; ++i)
        largest = fmax(largest, icf_norm(whole->bodies.linear_velocity[i]));
    for (icf_lid i = 0; i < part->bodies.nowned; ++i) {
        const icf_lid j = icf_bodies_find(&whole->bodies, part->bodies.gid[i]);
        const icf_vec3 linear = icf_sub(part->bodies.linear_velocity[i], whole->bodies.linear_velocity[j]);
        const icf_vec3 angular = icf_sub(part->bodies.angular_velocity[i], whole->bodies.angular_velocity[j]);
        assert_near(icf_norm(linear), 0.0, 1e-8 * largest);
        assert_near(0.05 * icf_norm(angular), 0.0, 1e-8 * largest);
    }
}

/* One step at tolerance 1e-10 of n bodies that are one island, by all ranks together and by one. */
static inline void compare_group_step(icf_gid n, body_maker make, owner_of owner)
{
    world whole, part;
    icf_step_stats a, b;
    set_up(&whole, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    set_up(&part, MPI_COMM_WORLD, ICF_MODEL_LAGGED, 1);
    whole.scene.solver.relative_tolerance = part.scene.solver.relative_tolerance = 1e-10;
    part.scene.parallel.gather_below = 0;
    build(&whole, n, make, on_one);
    build(&part, n, make, owner);
    assert_int_equal(icf_simulation_step(whole.simulation, &a), ICF_OK);
    assert_int_equal(icf_simulation_step(part.simulation, &b), ICF_OK);
    assert_int_equal(a.largest_island_dofs, 6 * n);
    assert_int_equal(b.largest_island_dofs, 6 * n);
    assert_same_velocities(&part, &whole);
    if (part.context.size > 1) {
        assert_true(b.group_iterations >= 5);
        assert_true(b.group_sums <= 4 * b.group_iterations);
        assert_true(b.spread > 0.0);
    }
    tear_down(&whole);
    tear_down(&part);
}

#endif
