/* Decomposition: balanced, the same for any distribution at the start, and METIS' cut small. */
#include "mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "partition/decompose.h"
#include "partition/hilbert.h"

enum { edge = 12, nlattice = edge * edge * edge };

static void add_ball(icf_bodies *bodies, icf_gid gid, bool owned)
{
    const double x = (double)(gid % edge), y = (double)(gid / edge % edge), z = (double)(gid / (edge * edge));
    const icf_body_def def = sample_sphere(gid, 0.5, icf_vec3_make(x, y, z));
    assert_int_equal(icf_bodies_add(bodies, &def, owned), ICF_OK);
}

/* A lattice of balls, of which body g starts on the rank that a hash of g and `shuffle` says. */
static bool starts_here(const icf_context *context, icf_gid gid, uint64_t shuffle)
{
    return random_word(shuffle, gid) % (uint64_t)context->size == (uint64_t)context->rank;
}

static icf_bodies make_lattice(const icf_context *context, int n, uint64_t shuffle)
{
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    for (icf_gid gid = 0; gid < n; ++gid)
        if (starts_here(context, gid, shuffle)) add_ball(&bodies, gid, true);
    return bodies;
}

/* Owners of all bodies as all ranks together say them. */
static void collect(const icf_context *context, const icf_bodies *bodies, const int *rank, int n, int *owner)
{
    for (int g = 0; g < n; ++g) owner[g] = -1;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        assert_in_range(rank[i], 0, context->size - 1);
        owner[bodies->gid[i]] = rank[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, owner, n, MPI_INT, MPI_MAX, context->comm);
}

/* Weight of body g in [0.5, 1.5): not on the lattice of anything. */
static double weight_of(icf_gid gid)
{
    return 0.5 + random_number(9, gid);
}

static void set_weights(const icf_bodies *bodies, double *weight)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) weight[i] = weight_of(bodies->gid[i]);
}

/* Largest over mean weight of a rank. */
static double measured_imbalance(const icf_context *context, int n, const int *owner)
{
    double load[64] = {0}, sum = 0.0, largest = 0.0;
    for (int g = 0; g < n; ++g) {
        load[owner[g]] += weight_of(g);
        sum += weight_of(g);
    }
    for (int r = 0; r < context->size; ++r) largest = fmax(largest, load[r]);
    return largest * context->size / sum;
}

/* ---- Hilbert curve ---- */

/* The curve is continuous: of the cells of a small cube at the curve's begin, in the order of their keys, each shares a
 * face with the next, and their keys are 0, 1, 2, ... */
static void neighbours_on_the_curve_share_a_face(void **state)
{
    (void)state;
    enum { n = 8 };
    uint32_t cell_of_key[n * n * n][3];
    bool seen[n * n * n] = {false};
    for (uint32_t c = 0; c < n * n * n; ++c) {
        const uint32_t cell[3] = {c % n, c / n % n, c / (n * n)};
        const uint64_t key = icf_hilbert_key(cell);
        assert_true(key < n * n * n && !seen[key]);
        seen[key] = true;
        for (int k = 0; k < 3; ++k) cell_of_key[key][k] = cell[k];
    }
    for (int key = 1; key < n * n * n; ++key) {
        int distance = 0;
        for (int k = 0; k < 3; ++k) distance += abs((int)cell_of_key[key][k] - (int)cell_of_key[key - 1][k]);
        assert_int_equal(distance, 1);
    }
}

/* The last cell of the curve through a cube is at a corner next to the first along one axis. */
static void the_curve_ends_beside_its_begin(void **state)
{
    (void)state;
    const uint32_t last = (1u << ICF_HILBERT_AXIS_BITS) - 1;
    int ends = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t corner[3] = {0};
        corner[k] = last;
        ends += icf_hilbert_key(corner) == (UINT64_C(1) << ICF_HILBERT_BITS) - 1;
    }
    assert_int_equal(ends, 1);
}

/* ---- curve ---- */

static void cut_curve(icf_context *context, const icf_bodies *bodies, const double *weight, int n, int *owner,
                      icf_decomposition *result)
{
    int *rank = malloc(((size_t)bodies->nowned + 1) * sizeof *rank);
    assert_int_equal(icf_decompose_curve(context, bodies, weight, rank, result), ICF_OK);
    collect(context, bodies, rank, n, owner);
    free(rank);
}

/* Columns of five on a square lattice, a flat scene as heaps are: few are cut, and none into an upper and a lower
 * layer. */
static void the_curve_leaves_columns_whole(void **state)
{
    icf_context *context = *state;
    enum { side = 24, high = 5, n = side * side * high };
    static int owner[n];
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    for (int g = 0; g < n; ++g) {
        if (g % context->size != context->rank) continue;
        const int column = g / high;
        const icf_vec3 at = {0.25 * (column % side), 0.25 * (column / side), 0.05 + 0.1 * (g % high)};
        const icf_body_def def = sample_sphere(g, 0.05, at);
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    }
    icf_decomposition result;
    cut_curve(context, &bodies, NULL, n, owner, &result);
    int ncut = 0;
    for (int column = 0; column < side * side; ++column)
        ncut += owner[high * column] != owner[high * column + high - 1];
    assert_true(ncut <= 12 * (context->size - 1)); /* those of a block as wide as it is high, at each end of a piece */
    icf_bodies_clear(&bodies);
}

static void the_curve_is_the_same_for_any_distribution(void **state)
{
    icf_context *context = *state;
    static int owner[nlattice], first[nlattice];
    static double weight[nlattice];
    for (uint64_t shuffle = 0; shuffle < 3; ++shuffle) {
        icf_bodies bodies = make_lattice(context, nlattice, shuffle);
        icf_decomposition result;
        set_weights(&bodies, weight);
        cut_curve(context, &bodies, weight, nlattice, owner, &result);
        if (shuffle == 0) memcpy(first, owner, sizeof first);
        assert_memory_equal(owner, first, sizeof first);
        /* one body is at most 1.5 of a mean weight of 1 */
        assert_true(result.imbalance <= 1.0 + 1.5 * context->size / nlattice);
        assert_near(result.imbalance, measured_imbalance(context, nlattice, owner), 1e-5);
        icf_bodies_clear(&bodies);
    }
}

/* Without weights every piece has the same number of bodies; here all are on one rank at the start. */
static void pieces_of_equal_bodies_are_equal(void **state)
{
    icf_context *context = *state;
    icf_bodies bodies;
    icf_decomposition result;
    int owner[240], count[64] = {0};
    icf_bodies_init(&bodies);
    for (icf_gid gid = 0; gid < 240 && context->rank == context->size - 1; ++gid) {
        const icf_body_def def = sample_sphere(gid, 0.5, random_point(4, gid));
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    }
    cut_curve(context, &bodies, NULL, 240, owner, &result);
    for (int g = 0; g < 240; ++g) ++count[owner[g]];
    for (int r = 0; r < context->size; ++r) assert_int_equal(count[r], 240 / context->size);
    assert_near(result.imbalance, 1.0, 0.0);
    icf_bodies_clear(&bodies);
}

/* Bodies at one point are cut by their ids. */
static void bodies_at_one_point_are_cut_too(void **state)
{
    icf_context *context = *state;
    icf_bodies bodies;
    icf_decomposition result;
    int owner[24];
    icf_bodies_init(&bodies);
    for (icf_gid gid = context->rank; gid < 24; gid += context->size) {
        const icf_body_def def = sample_sphere(gid, 0.5, icf_vec3_make(1, 2, 3));
        assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    }
    cut_curve(context, &bodies, NULL, 24, owner, &result);
    for (int g = 0; g < 24; ++g) assert_int_equal(owner[g], g * context->size / 24);
    icf_bodies_clear(&bodies);
}

/* A ball that fell off the table long ago: the others still lie along the curve, in pieces as without it. */
static void a_lost_body_does_not_coarsen_the_curve(void **state)
{
    icf_context *context = *state;
    static int owner[nlattice + 1];
    icf_decomposition result;
    icf_bodies bodies = make_lattice(context, nlattice, 1);
    if (context->rank == 0) {
        const icf_body_def lost = sample_sphere(nlattice, 0.5, icf_vec3_make(5, 5, -1e12));
        assert_int_equal(icf_bodies_add(&bodies, &lost, true), ICF_OK);
    }
    cut_curve(context, &bodies, NULL, nlattice + 1, owner, &result);
    /* pieces are compact: bodies side by side are seldom on different ranks */
    int cut = 0;
    for (int g = 0; g + 1 < nlattice; ++g) cut += g % edge + 1 < edge && owner[g] != owner[g + 1];
    assert_true(cut <= nlattice / 8);
    icf_bodies_clear(&bodies);
}

/* Fewer bodies than ranks, and none at all. */
static void few_bodies(void **state)
{
    icf_context *context = *state;
    for (int n = 0; n < 3; ++n) {
        icf_bodies bodies = make_lattice(context, n, 0);
        icf_decomposition result;
        int owner[3];
        cut_curve(context, &bodies, NULL, n, owner, &result);
        for (int g = 0; g < n; ++g) assert_in_range(owner[g], 0, context->size - 1);
        if (n == 2 && context->size > 1) assert_true(owner[0] != owner[1]);
        assert_near(result.imbalance, n == 0 ? 1.0 : ICF_MAX(1.0, (double)context->size / n), 1e-15);
        icf_bodies_clear(&bodies);
    }
}

/* ---- graph ---- */

/* Neighbours along the axes, each pair by the rank that owns its first body; a pair with the ground besides. */
typedef struct pair_list {
    icf_lid n;
    icf_pair pair[3 * nlattice + 1];
    double weight[3 * nlattice + 1];
} pair_list;

static void list_pairs(const icf_bodies *bodies, pair_list *list)
{
    static const int step[3] = {1, edge, edge * edge};
    list->n = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        for (int k = 0; k < 3; ++k) {
            const icf_gid gid = bodies->gid[i];
            if (gid >= nlattice || gid / step[k] % edge == edge - 1) continue;
            list->weight[list->n] = 1.0 + 3.0 * random_number(5, 3 * gid + k);
            list->pair[list->n++] = (icf_pair){i, icf_bodies_find(bodies, gid + step[k])};
        }
    list->weight[list->n] = 100.0;
    list->pair[list->n++] = (icf_pair){0, icf_bodies_find(bodies, nlattice)};
}

/* The lattice with every other body as a ghost and the ground, which is replicated. */
static icf_bodies make_lattice_with_ghosts(const icf_context *context, uint64_t shuffle)
{
    icf_bodies bodies = make_lattice(context, nlattice, shuffle);
    const icf_body_def ground = sample_ground(nlattice);
    if (context->rank == 0) assert_int_equal(icf_bodies_add(&bodies, &ground, true), ICF_OK);
    for (icf_gid gid = 0; gid < nlattice; ++gid)
        if (!starts_here(context, gid, shuffle)) add_ball(&bodies, gid, false);
    if (context->rank != 0) assert_int_equal(icf_bodies_add(&bodies, &ground, false), ICF_OK);
    return bodies;
}

static void cut_graph(icf_context *context, icf_exchange *exchange, const icf_bodies *bodies, int64_t most, int *owner,
                      icf_decomposition *result)
{
    static pair_list list;
    static double weight[nlattice + 1];
    static int rank[nlattice + 1];
    list_pairs(bodies, &list);
    set_weights(bodies, weight);
    const icf_weighted_pairs pairs = {.weight = weight, .npair = list.n, .pair = list.pair, .pair_weight = list.weight};
    assert_int_equal(icf_decompose_graph(context, exchange, bodies, &pairs, most, rank, result), ICF_OK);
    static int all[nlattice + 1];
    collect(context, bodies, rank, nlattice + 1, all);
    assert_int_equal(all[nlattice], 0); /* the ground stays */
    memcpy(owner, all, nlattice * sizeof *owner);
}

/* Part of the edge weight between bodies of different owners, over all ranks. */
static double measured_cut(const icf_context *context, const icf_bodies *bodies, const int *owner)
{
    static pair_list list;
    double mine[2] = {0}, sum[2];
    list_pairs(bodies, &list);
    for (icf_lid k = 0; k < list.n - 1; ++k) {
        mine[0] += list.weight[k];
        if (owner[bodies->gid[list.pair[k].a]] != owner[bodies->gid[list.pair[k].b]]) mine[1] += list.weight[k];
    }
    MPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, context->comm);
    return sum[1] / sum[0];
}

/* An experiment with all bodies in one graph, and in two where that is not a rank each: regions of half the bodies. */
static void for_graph_sizes(icf_context *context, void (*experiment)(icf_context *context, int64_t most))
{
    experiment(context, ICF_METIS_BODIES);
    if (context->size > 2) experiment(context, nlattice / 2);
}

/* Owners at random cut (size - 1) / size of the edges; METIS must do far better: a plane through the lattice cuts
 * 1 of 11 layers of a third of the edges, 3 %. */
static void the_cut_of_the_graph_is_small_and_balanced_of(icf_context *context, int64_t most)
{
    icf_exchange *exchange;
    icf_decomposition result;
    static int owner[nlattice];
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    icf_bodies bodies = make_lattice_with_ghosts(context, 1);
    cut_graph(context, exchange, &bodies, most, owner, &result);
    assert_true(result.imbalance <= 1.05);
    assert_near(result.imbalance, measured_imbalance(context, nlattice, owner), 1e-12);
    assert_near(result.cut, context->size == 1 ? 0.0 : measured_cut(context, &bodies, owner), 2e-2 * result.cut);
    assert_true(result.cut <= 0.05 * (context->size - 1));
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

static void the_cut_of_the_graph_is_small_and_balanced(void **state)
{
    for_graph_sizes(*state, the_cut_of_the_graph_is_small_and_balanced_of);
}

/* The parts are the same however the bodies lie at the start; only their ranks may be exchanged. */
static void parts_are_the_same_for_any_distribution_of(icf_context *context, int64_t most)
{
    icf_exchange *exchange;
    icf_decomposition result;
    static int owner[2][nlattice];
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    for (uint64_t shuffle = 0; shuffle < 2; ++shuffle) {
        icf_bodies bodies = make_lattice_with_ghosts(context, shuffle);
        cut_graph(context, exchange, &bodies, most, owner[shuffle], &result);
        icf_bodies_clear(&bodies);
    }
    int other[64];
    for (int r = 0; r < context->size; ++r) other[r] = -1;
    for (int g = 0; g < nlattice; ++g) {
        int *name = &other[owner[0][g]];
        if (*name < 0) *name = owner[1][g];
        assert_int_equal(owner[1][g], *name);
    }
    icf_exchange_destroy(&exchange);
}

static void parts_are_the_same_for_any_distribution(void **state)
{
    for_graph_sizes(*state, parts_are_the_same_for_any_distribution_of);
}

/* Where the bodies lie as METIS cuts them, all stay. */
static void a_second_cut_moves_nothing_of(icf_context *context, int64_t most)
{
    icf_exchange *exchange;
    icf_decomposition result;
    static int owner[nlattice], again[nlattice];
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    icf_bodies bodies = make_lattice_with_ghosts(context, 3);
    cut_graph(context, exchange, &bodies, most, owner, &result);
    icf_bodies_clear(&bodies);
    icf_bodies_init(&bodies);
    const icf_body_def ground = sample_ground(nlattice);
    for (int owned = 1; owned >= 0; --owned) {
        for (icf_gid gid = 0; gid < nlattice; ++gid)
            if ((owner[gid] == context->rank) == owned) add_ball(&bodies, gid, owned == 1);
        if ((context->rank == 0) == owned) assert_int_equal(icf_bodies_add(&bodies, &ground, owned == 1), ICF_OK);
    }
    cut_graph(context, exchange, &bodies, most, again, &result);
    assert_memory_equal(again, owner, sizeof owner);
    icf_bodies_clear(&bodies);
    icf_exchange_destroy(&exchange);
}

static void a_second_cut_moves_nothing(void **state)
{
    for_graph_sizes(*state, a_second_cut_moves_nothing_of);
}

static void regions_are_runs_of_ranks(void **state)
{
    (void)state;
    for (int size = 1; size < 40; ++size)
        for (int64_t nbody = 0; nbody < 50; nbody += 7) {
            const icf_regions regions = icf_regions_of(nbody, 1, 5, size);
            const bool few = nbody<ICF_METIS_BODIES_A_RANK * size, many = nbody> 5 && nbody > 5 * (size - 1);
            assert_int_equal(regions.n == 0, few || many);
            assert_int_equal(icf_regions_of(nbody, 0, 5, size).n, 0);
            if (regions.n == 0) continue;
            assert_in_range(regions.n, 1, size);
            assert_in_range(nbody, 5 * (regions.n - 1) + 1, 5 * regions.n);
            assert_int_equal(icf_region_first(regions, 0), 0);
            assert_int_equal(icf_region_first(regions, regions.n), size);
            for (int rank = 0; rank < size; ++rank) {
                const int r = icf_region_of(regions, rank);
                assert_in_range(rank, icf_region_first(regions, r), icf_region_first(regions, r + 1) - 1);
            }
        }
}

/* A chain of few bodies, all on one rank, the others empty; and no body at all. */
static void few_bodies_in_a_graph(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    for (int n = 0; n <= 40; n += n < 20 ? 1 : 20) {
        icf_bodies bodies;
        icf_decomposition result;
        icf_pair pair[40];
        int rank[40], owner[40], count[64] = {0};
        icf_bodies_init(&bodies);
        for (icf_gid gid = 0; gid < n && context->rank == context->size - 1; ++gid) add_ball(&bodies, gid, true);
        for (icf_lid i = 0; i + 1 < bodies.nowned; ++i) pair[i] = (icf_pair){i, i + 1};
        const icf_weighted_pairs pairs = {.npair = ICF_MAX(bodies.nowned - 1, 0), .pair = pair};
        assert_int_equal(icf_decompose_graph(context, exchange, &bodies, &pairs, ICF_METIS_BODIES, rank, &result),
                         ICF_OK);
        collect(context, &bodies, rank, n, owner);
        for (int g = 0; g < n; ++g) ++count[owner[g]];
        for (int r = 0; r < context->size; ++r) assert_true(count[r] <= 1.5 * n / context->size + 1.0);
        icf_bodies_clear(&bodies);
    }
    icf_exchange_destroy(&exchange);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_on_the_curve_share_a_face),
        cmocka_unit_test(the_curve_ends_beside_its_begin),
        mpi_test(the_curve_leaves_columns_whole),
        mpi_test(the_curve_is_the_same_for_any_distribution),
        mpi_test(pieces_of_equal_bodies_are_equal),
        mpi_test(bodies_at_one_point_are_cut_too),
        mpi_test(a_lost_body_does_not_coarsen_the_curve),
        mpi_test(few_bodies),
        cmocka_unit_test(regions_are_runs_of_ranks),
        mpi_test(the_cut_of_the_graph_is_small_and_balanced),
        mpi_test(parts_are_the_same_for_any_distribution),
        mpi_test(a_second_cut_moves_nothing),
        mpi_test(few_bodies_in_a_graph),
    };
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
