/* Islands: what a fixed body joins (nothing), canonical numbering and lists, agreement with a search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "partition/island.h"

/* Small generator of repeatable numbers in [0, n). */
static icf_lid draw(uint64_t *seed, icf_lid n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (icf_lid)((*seed >> 33) % (uint64_t)n);
}

static void add_body(icf_bodies *bodies, icf_gid gid, bool fixed, bool owned)
{
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.motion.type = fixed ? ICF_MOTION_FIXED : ICF_MOTION_DYNAMIC;
    assert_int_equal(icf_bodies_add(bodies, &def, owned), ICF_OK);
}

static icf_pair pair_of(const icf_bodies *bodies, icf_gid a, icf_gid b)
{
    return (icf_pair){icf_bodies_find(bodies, a), icf_bodies_find(bodies, b)};
}

static void assert_list(const icf_lid *list, const icf_lid *ptr, icf_lid island, icf_lid n, const icf_lid *expected)
{
    assert_int_equal(ptr[island + 1] - ptr[island], n);
    for (icf_lid i = 0; i < n; ++i) assert_int_equal(list[ptr[island] + i], expected[i]);
}

/* The picture of island.h: ids 1 2 4 5 6 7 9 move, 100 is fixed. */
static void fixed_body_joins_nothing(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    const icf_gid moving[] = {1, 2, 4, 5, 6, 7, 9};
    for (int i = 0; i < 7; ++i) add_body(&bodies, moving[i], false, true);
    add_body(&bodies, 100, true, true);
    const icf_pair pairs[] = {pair_of(&bodies, 1, 2), pair_of(&bodies, 1, 100), pair_of(&bodies, 4, 5),
                              pair_of(&bodies, 5, 6), pair_of(&bodies, 5, 100), pair_of(&bodies, 9, 100)};
    icf_islands islands;
    icf_islands_init(&islands);
    assert_int_equal(icf_islands_build(&islands, &bodies, 6, pairs), ICF_OK);
    assert_int_equal(islands.n, 3);
    assert_list(islands.body, islands.body_ptr, 0, 2, (icf_lid[]){0, 1});
    assert_list(islands.body, islands.body_ptr, 1, 3, (icf_lid[]){2, 3, 4});
    assert_list(islands.body, islands.body_ptr, 2, 1, (icf_lid[]){6});
    assert_list(islands.pair, islands.pair_ptr, 0, 2, (icf_lid[]){0, 1});
    assert_list(islands.pair, islands.pair_ptr, 1, 3, (icf_lid[]){2, 3, 4});
    assert_list(islands.pair, islands.pair_ptr, 2, 1, (icf_lid[]){5});
    assert_int_equal(islands.of_body[5], -1);
    assert_int_equal(islands.of_body[7], -1);
    icf_islands_clear(&islands);
    icf_bodies_clear(&bodies);
}

/* Owned 30 50 90, ghosts 10 40 95: islands {10, 90} and {30, 40, 50} by their smallest global ids. */
static void ghosts_are_ordered_by_global_id(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    const icf_gid owned[] = {30, 50, 90}, ghosts[] = {10, 40, 95};
    for (int i = 0; i < 3; ++i) add_body(&bodies, owned[i], false, true);
    for (int i = 0; i < 3; ++i) add_body(&bodies, ghosts[i], false, false);
    const icf_pair pairs[] = {pair_of(&bodies, 10, 90), pair_of(&bodies, 30, 40), pair_of(&bodies, 40, 50)};
    icf_islands islands;
    icf_islands_init(&islands);
    assert_int_equal(icf_islands_build(&islands, &bodies, 3, pairs), ICF_OK);
    assert_int_equal(islands.n, 2);
    assert_list(islands.body, islands.body_ptr, 0, 2, (icf_lid[]){3, 2});
    assert_list(islands.body, islands.body_ptr, 1, 3, (icf_lid[]){0, 4, 1});
    assert_int_equal(islands.of_body[5], -1);
    icf_islands_clear(&islands);
    icf_bodies_clear(&bodies);
}

static void no_pairs_no_islands(void **state)
{
    (void)state;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    icf_islands islands;
    icf_islands_init(&islands);
    assert_int_equal(icf_islands_build(&islands, &bodies, 0, NULL), ICF_OK);
    assert_int_equal(islands.n, 0);
    add_body(&bodies, 3, false, true);
    assert_int_equal(icf_islands_build(&islands, &bodies, 0, NULL), ICF_OK);
    assert_int_equal(islands.n, 0);
    assert_int_equal(islands.body_ptr[0], 0);
    assert_int_equal(islands.of_body[0], -1);
    icf_islands_clear(&islands);
    icf_bodies_clear(&bodies);
}

/* A chain in which every second link comes first: one island of all bodies, pairs in input order. */
static void chain_is_one_island(void **state)
{
    (void)state;
    enum { n = 1000 };
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    for (icf_lid i = 0; i < n; ++i) add_body(&bodies, 7 * (icf_gid)i + 3, false, true);
    icf_pair pairs[n - 1];
    icf_lid npair = 0;
    for (icf_lid start = 0; start < 2; ++start)
        for (icf_lid i = start; i + 1 < n; i += 2) pairs[npair++] = (icf_pair){i, i + 1};
    icf_islands islands;
    icf_islands_init(&islands);
    assert_int_equal(icf_islands_build(&islands, &bodies, npair, pairs), ICF_OK);
    assert_int_equal(islands.n, 1);
    assert_int_equal(islands.body_ptr[1], n);
    assert_int_equal(islands.pair_ptr[1], n - 1);
    for (icf_lid i = 0; i < n; ++i) assert_int_equal(islands.body[i], i);
    for (icf_lid k = 0; k < npair; ++k) assert_int_equal(islands.pair[k], k);
    icf_islands_clear(&islands);
    icf_bodies_clear(&bodies);
}

enum { random_bodies = 200 };

/* Bodies with gaps in their ids, a tenth fixed, the last part ghosts whose ids interleave. */
static void random_scene(icf_bodies *bodies, uint64_t *seed)
{
    const icf_lid nowned = 1 + draw(seed, random_bodies - 1);
    for (int part = 0; part < 2; ++part) {
        icf_gid gid = part;
        for (icf_lid i = part ? nowned : 0; i < (part ? random_bodies : nowned); ++i) {
            gid += 2 * (1 + draw(seed, 4));
            add_body(bodies, gid, draw(seed, 10) == 0, part == 0);
        }
    }
}

/* Labels by repeated sweeps: every moving body takes the smallest global id it is connected to. */
static void sweep_labels(const icf_bodies *bodies, icf_lid npair, const icf_pair *pairs, icf_gid *label)
{
    for (icf_lid i = 0; i < bodies->n; ++i) label[i] = bodies->gid[i];
    for (bool changed = true; changed;) {
        changed = false;
        for (icf_lid k = 0; k < npair; ++k) {
            const icf_lid a = pairs[k].a, b = pairs[k].b;
            if (!icf_bodies_moves(bodies, a) || !icf_bodies_moves(bodies, b) || label[a] == label[b]) continue;
            label[a] = label[b] = ICF_MIN(label[a], label[b]);
            changed = true;
        }
    }
}

/* Each list is ascending, holds what has the island's label, and islands ascend by label. */
static void check_islands(const icf_islands *islands, const icf_bodies *bodies, const icf_pair *pairs,
                          const icf_gid *label)
{
    icf_gid previous_label = -1;
    for (icf_lid s = 0; s < islands->n; ++s) {
        const icf_gid island_label = bodies->gid[islands->body[islands->body_ptr[s]]];
        assert_true(island_label > previous_label);
        previous_label = island_label;
        for (icf_lid k = islands->body_ptr[s]; k < islands->body_ptr[s + 1]; ++k) {
            const icf_lid i = islands->body[k];
            assert_int_equal(label[i], island_label);
            assert_int_equal(islands->of_body[i], s);
            if (k > islands->body_ptr[s]) assert_true(bodies->gid[islands->body[k - 1]] < bodies->gid[i]);
        }
        assert_true(islands->pair_ptr[s + 1] > islands->pair_ptr[s]);
        for (icf_lid k = islands->pair_ptr[s]; k < islands->pair_ptr[s + 1]; ++k) {
            const icf_pair pair = pairs[islands->pair[k]];
            const icf_lid moving = icf_bodies_moves(bodies, pair.a) ? pair.a : pair.b;
            assert_int_equal(label[moving], island_label);
            if (k > islands->pair_ptr[s]) assert_true(islands->pair[k - 1] < islands->pair[k]);
        }
    }
}

static void random_graphs_agree_with_sweeps(void **state)
{
    (void)state;
    uint64_t seed = 11;
    icf_islands islands;
    icf_islands_init(&islands);
    for (int trial = 0; trial < 200; ++trial) {
        icf_bodies bodies;
        icf_bodies_init(&bodies);
        random_scene(&bodies, &seed);
        icf_pair pairs[2 * random_bodies];
        const icf_lid npair = draw(&seed, 2 * random_bodies);
        icf_lid nlisted_pair = 0, nlisted_body = 0;
        bool touched[random_bodies] = {false};
        for (icf_lid k = 0; k < npair; ++k) {
            pairs[k] = (icf_pair){draw(&seed, random_bodies), draw(&seed, random_bodies)};
            const bool a_moves = icf_bodies_moves(&bodies, pairs[k].a), b_moves = icf_bodies_moves(&bodies, pairs[k].b);
            nlisted_pair += a_moves || b_moves;
            if (a_moves) touched[pairs[k].a] = true;
            if (b_moves) touched[pairs[k].b] = true;
        }
        for (icf_lid i = 0; i < bodies.n; ++i) nlisted_body += touched[i];

        icf_gid label[random_bodies];
        sweep_labels(&bodies, npair, pairs, label);
        assert_int_equal(icf_islands_build(&islands, &bodies, npair, pairs), ICF_OK);
        check_islands(&islands, &bodies, pairs, label);
        assert_int_equal(islands.body_ptr[islands.n], nlisted_body);
        assert_int_equal(islands.pair_ptr[islands.n], nlisted_pair);
        icf_bodies_clear(&bodies);
    }
    icf_islands_clear(&islands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_body_joins_nothing),
        cmocka_unit_test(ghosts_are_ordered_by_global_id),
        cmocka_unit_test(no_pairs_no_islands),
        cmocka_unit_test(chain_is_one_island),
        cmocka_unit_test(random_graphs_agree_with_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
