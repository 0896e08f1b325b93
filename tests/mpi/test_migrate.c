/* Migration: wherever bodies go, none is lost or doubled, and each arrives as it left. */
#include "mpi/ranks.h"

#include <stdio.h>

#include "partition/migrate.h"

enum { nmoving = 60, ground = 7, shaken = 20, pinned = 31 };

/* Body g of the scene; some have names, some do not move. */
static icf_body_def body_of(icf_gid gid, char *name)
{
    icf_body_def def = sample_sphere(gid, 0.1, random_point(1, gid));
    def.mass = 1.0 + (double)gid;
    def.linear_velocity = random_point(2, gid);
    def.angular_velocity = random_point(3, gid);
    snprintf(name, ICF_BODY_NAME_BYTES, "ball %d", (int)gid);
    if (gid % 3 == 0) def.name = name;
    if (gid == ground) return sample_ground(gid);
    if (gid == pinned) def.locked = ICF_DOF_ALL;
    if (gid == shaken) {
        def.motion = (icf_motion){ICF_MOTION_HARMONIC, .harmonic = {{1, 0, 0}, 0.5, 2.0, 0.25}};
        def.name = "table";
    }
    return def;
}

static bool is_replicated(icf_gid gid)
{
    return gid == ground || gid == shaken || gid == pinned;
}

/* Moving body g on rank g % size, the others everywhere. */
static void distribute(const icf_context *context, icf_bodies *bodies)
{
    icf_bodies_init(bodies);
    for (int owned = 1; owned >= 0; --owned)
        for (icf_gid gid = 0; gid < nmoving + 3; ++gid) {
            char name[ICF_BODY_NAME_BYTES];
            const icf_body_def def = body_of(gid, name);
            const bool mine = is_replicated(gid) ? context->rank == 0 : gid % context->size == context->rank;
            if (mine == (owned == 1) && (mine || is_replicated(gid)))
                assert_int_equal(icf_bodies_add(bodies, &def, owned == 1), ICF_OK);
        }
}

/* Rank a body goes to in a round; the last round: all to the last rank. */
static int destination(const icf_context *context, icf_gid gid, int round)
{
    if (round == 5) return context->size - 1;
    return (int)(random_word((uint64_t)round, gid) % (uint64_t)context->size);
}

static double total_mass(const icf_context *context, const icf_bodies *bodies)
{
    double mine = 0.0, sum; /* whole numbers: exact in any order */
    for (icf_lid i = 0; i < bodies->nowned; ++i) mine += bodies->mass[i];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, context->comm);
    return sum;
}

/* Every body is where it should be, in order, with its name and constants. */
static void check_bodies(const icf_context *context, const icf_bodies *bodies, int round)
{
    icf_lid expected = 3;
    for (icf_gid gid = 0; gid < nmoving + 3; ++gid) {
        char name[ICF_BODY_NAME_BYTES], buffer[ICF_BODY_NAME_BYTES];
        const icf_body_def def = body_of(gid, name);
        const icf_lid i = icf_bodies_find(bodies, gid);
        const bool mine = is_replicated(gid) ? context->rank == 0 : destination(context, gid, round) == context->rank;
        if (!is_replicated(gid)) {
            expected += mine;
            assert_int_equal(i >= 0, mine);
        }
        if (i < 0) continue;
        assert_int_equal(i < bodies->nowned, mine);
        snprintf(buffer, sizeof buffer, "body%d", (int)gid);
        const char *wanted = def.name ? def.name : buffer;
        char made_up[ICF_BODY_NAME_BYTES];
        assert_string_equal(icf_bodies_name(bodies, i, made_up), wanted);
        assert_int_equal(bodies->shape[i].type, def.shape.type);
        assert_near(bodies->mass[i], def.mass, 0.0);
        assert_near(bodies->angular_velocity[i].z, icf_bodies_moves(bodies, i) ? def.angular_velocity.z : 0.0, 0.0);
    }
    assert_int_equal(bodies->n, expected);
    for (icf_lid i = 1; i < bodies->n; ++i)
        if (i != bodies->nowned) assert_true(bodies->gid[i - 1] < bodies->gid[i]);
}

static void migrate(icf_context *context, icf_exchange *exchange, icf_bodies *bodies, int round)
{
    int rank[nmoving + 3];
    icf_cnt leave = 0, moved;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        rank[i] = icf_bodies_moves(bodies, i) ? destination(context, bodies->gid[i], round) : -1;
        leave += icf_bodies_moves(bodies, i) && rank[i] != context->rank;
    }
    assert_int_equal(icf_migrate(context, exchange, bodies, rank, &moved), ICF_OK);
    assert_int_equal(moved, leave);
}

/* Random destinations, then all bodies on one rank: count, mass and state over all ranks stay the same. */
static void nothing_is_lost_or_doubled(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    icf_bodies bodies;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    distribute(context, &bodies);
    const double mass = total_mass(context, &bodies);
    const uint64_t checksum = sum_checksums(context, &bodies);
    for (int round = 0; round < 6; ++round) {
        migrate(context, exchange, &bodies, round);
        check_bodies(context, &bodies, round);
        assert_int_equal(sum_counts(context, bodies.nowned), nmoving + 3);
        assert_near(total_mass(context, &bodies), mass, 0.0);
        assert_true(sum_checksums(context, &bodies) == checksum);
    }
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

/* More bodies than a rank sends at a time, all from the last rank and then all back. */
static void many_bodies_go_in_rounds(void **state)
{
    enum { n = 10000 };
    icf_context *context = *state;
    icf_exchange *exchange;
    icf_bodies bodies;
    int rank[n];
    const int last = context->size - 1;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    icf_bodies_init(&bodies);
    for (icf_gid gid = 0; gid < n && context->rank == last; ++gid) {
        const icf_body_def def = sample_sphere(gid, 0.1, random_point(7, gid));
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    }
    const uint64_t checksum = sum_checksums(context, &bodies);
    for (icf_lid i = 0; i < bodies.n; ++i) rank[i] = (int)(bodies.gid[i] % context->size);
    assert_int_equal(icf_migrate(context, exchange, &bodies, rank, NULL), ICF_OK);
    assert_true(sum_checksums(context, &bodies) == checksum);
    for (icf_lid i = 0; i < bodies.n; ++i) assert_int_equal(bodies.gid[i], context->rank + (icf_gid)i * context->size);
    assert_int_equal(sum_counts(context, bodies.nowned), n);
    for (icf_lid i = 0; i < bodies.n; ++i) rank[i] = last;
    assert_int_equal(icf_migrate(context, exchange, &bodies, rank, NULL), ICF_OK);
    assert_int_equal(bodies.n, context->rank == last ? n : 0);
    assert_true(sum_checksums(context, &bodies) == checksum);
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

/* A shaken body is at its place of the present time, not of t = 0: direction x, 0.5 sin(4 pi t + 0.25) from its centre,
 * and goes on shaking. */
static void prescribed_bodies_stay_in_their_motion(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    icf_bodies bodies;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    distribute(context, &bodies);
    icf_bodies_prescribe_poses(&bodies, 0.3);
    icf_bodies_prescribe_velocities(&bodies, 0.3);
    migrate(context, exchange, &bodies, 0);
    const icf_lid i = icf_bodies_find(&bodies, shaken);
    const double centre = random_point(1, shaken).x, angle = 4.0 * 3.14159265358979323846;
    assert_int_equal(bodies.nprescribed, 1);
    assert_int_equal(bodies.prescribed[0], i);
    assert_near(bodies.position[i].x, centre + 0.5 * sin(angle * 0.3 + 0.25), 1e-15);
    assert_near(bodies.linear_velocity[i].x, 0.5 * angle * cos(angle * 0.3 + 0.25), 1e-14);
    icf_bodies_prescribe_poses(&bodies, 0.4);
    assert_near(bodies.position[i].x, centre + 0.5 * sin(angle * 0.4 + 0.25), 1e-15);
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

/* Moving ghosts are dropped, the others stay. */
static void ghosts_of_moving_bodies_are_dropped(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    icf_bodies bodies;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    distribute(context, &bodies);
    icf_body_def ghost = sample_sphere(1000, 1.0, icf_vec3_make(0, 0, 0));
    assert_int_equal(icf_bodies_add(&bodies, &ghost, false), ICF_OK);
    migrate(context, exchange, &bodies, 1);
    check_bodies(context, &bodies, 1);
    assert_int_equal(icf_bodies_find(&bodies, 1000), -1);
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

/* One rank asks for a rank that does not exist: all ranks hear of it. */
static void a_wrong_destination_fails_everywhere(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    icf_bodies bodies;
    int rank[nmoving + 3] = {0};
    icf_cnt moved;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    distribute(context, &bodies);
    if (context->rank == context->size - 1) rank[0] = context->size;
    assert_int_equal(icf_migrate(context, exchange, &bodies, rank, &moved), ICF_ERROR_INTERNAL);
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        mpi_test(nothing_is_lost_or_doubled),
        mpi_test(many_bodies_go_in_rounds),
        mpi_test(prescribed_bodies_stay_in_their_motion),
        mpi_test(ghosts_of_moving_bodies_are_dropped),
        mpi_test(a_wrong_destination_fails_everywhere),
    };
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
