/* How ranks share a factor: nothing is lost or counted twice, and what is sent is what the owners of columns say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check.h"
#include "sample_block_matrix.h"
#include "solver/cheapest_order.h"
#include "solver/front_map.h"

enum { most_ranks = 7 };

typedef struct fixture {
    sample_matrix sample;
    icf_ordering ordering;
    icf_symbolic symbolic;
    icf_front_map map;
    icf_front_load load[most_ranks];
} fixture;

static void set_up(fixture *f)
{
    f->sample = sample_grid(9, 8, 7, 6, 2.0, 1);
    icf_lid *order = calloc((size_t)f->sample.matrix.nblock, sizeof *order);
    assert_non_null(order);
    icf_ordering_init(&f->ordering);
    icf_symbolic_init(&f->symbolic);
    icf_front_map_init(&f->map);
    assert_int_equal(icf_symbolic_cheapest(&f->symbolic, &f->ordering, &f->sample.matrix, order), ICF_OK);
    free(order);
}

static void clear(fixture *f)
{
    icf_front_map_clear(&f->map);
    icf_symbolic_clear(&f->symbolic);
    icf_ordering_clear(&f->ordering);
    sample_free(&f->sample);
}

static icf_front_load sum_of(const icf_front_load *load, int nrank)
{
    icf_front_load sum = {0};
    for (int rank = 0; rank < nrank; ++rank) icf_front_load_add(&sum, &load[rank]);
    return sum;
}

/* Column by column over all fronts: who needs it against who has it. */
static double count_moved(const icf_front_map *map)
{
    const icf_symbolic *symbolic = map->symbolic;
    double moved = 0.0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const icf_lid parent = symbolic->super_parent[s];
        if (parent < 0) continue;
        for (icf_lid column = symbolic->pivot_dof[s]; column < symbolic->front_dof[s]; ++column) {
            int64_t e = symbolic->struct_ptr[s];
            while (e + 1 < symbolic->struct_ptr[s + 1] && symbolic->struct_row[e + 1] <= column) ++e;
            const int there = symbolic->struct_relative[e] + column - symbolic->struct_row[e];
            if (icf_front_column_owner(map, s, column) != icf_front_column_owner(map, parent, there))
                moved += symbolic->front_dof[s] - column;
        }
    }
    return moved;
}

/* Strips sent in a factor, and what a solution sends of them: partial sums of all others to the owner, and back. */
static void count_strips(const icf_front_map *map, icf_sent *factor, icf_sent *solve)
{
    *factor = *solve = (icf_sent){0};
    for (icf_lid s = 0; s < map->symbolic->nsuper; ++s)
        for (int k = 0; k < icf_front_panel_strips(map, s); ++k) {
            const icf_front_strip strip = icf_front_strip_at(map, s, k);
            const int others = map->count[s] - 1, width = strip.end - strip.begin;
            icf_sent_add(factor, others, (icf_cnt)sizeof(double) * others * width * strip.ld);
            icf_sent_add(solve, 2 * others, (icf_cnt)sizeof(double) * 2 * others * width);
        }
}

static void loads_are_those_of_one_rank_shared_out(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, NULL, 1), ICF_OK);
    assert_int_equal(icf_front_map_loads(&f.map, f.load), ICF_OK);
    const icf_front_load alone = f.load[0];
    double lower = 0.0;
    for (icf_lid s = 0; s < f.symbolic.nsuper; ++s) {
        const double m = f.symbolic.front_dof[s], n = f.symbolic.pivot_dof[s];
        lower += n * m - n * (n - 1.0) / 2.0;
    }
    assert_near(alone.values, lower, 0.0);
    assert_near(alone.flops, f.symbolic.flops, 0.05 * f.symbolic.flops);
    assert_true(alone.updates == 0.0 && alone.factor.messages == 0 && alone.solve.messages == 0);
    for (int nrank = 2; nrank <= most_ranks; ++nrank) {
        icf_sent strips, solve;
        assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, NULL, nrank), ICF_OK);
        assert_int_equal(icf_front_map_loads(&f.map, f.load), ICF_OK);
        const icf_front_load sum = sum_of(f.load, nrank);
        const double moved = count_moved(&f.map);
        assert_near(sum.values, alone.values, 0.0);
        assert_near(sum.flops, alone.flops, 1e-12 * alone.flops);
        assert_near(sum.updates, 2.0 * moved, 0.0);
        count_strips(&f.map, &strips, &solve);
        assert_int_equal(sum.factor.bytes, strips.bytes + (icf_cnt)(sizeof(double) * moved));
        assert_true(sum.factor.messages > strips.messages && moved > 0.0);
        assert_int_equal(sum.solve.messages, solve.messages);
        assert_int_equal(sum.solve.bytes, solve.bytes);
    }
    clear(&f);
}

/* Entries of the matrix that lie with the owners of their blocks' columns. */
static double count_at_home(const fixture *f, const int *owner)
{
    double home = 0.0;
    for (icf_lid column = 0; column < f->sample.matrix.nblock; ++column)
        for (icf_lid e = f->sample.matrix.ptr[column]; e < f->sample.matrix.ptr[column + 1]; ++e) {
            int rank[ICF_BLOCK_RANKS];
            const int n = icf_front_block_ranks(&f->map, f->sample.matrix.idx[e], column, rank);
            for (int r = 0; r < n; ++r) home += (rank[r] == owner[column]) / (double)n;
        }
    return home / f->sample.matrix.ptr[f->sample.matrix.nblock];
}

/* Slices of the grid, numbered in any way: the same share of entries is at home, and more than for ranks that do not
 * follow; loads stay those of the other map but for who has them. */
static void ranks_are_where_their_blocks_are(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    for (int nrank = 2; nrank <= most_ranks; ++nrank) {
        int owner[9 * 8 * 7], turned[9 * 8 * 7];
        const icf_lid n = f.sample.matrix.nblock;
        for (icf_lid i = 0; i < n; ++i) {
            owner[i] = (int)(i * nrank / n);
            turned[i] = nrank - 1 - owner[i];
        }
        assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, NULL, nrank), ICF_OK);
        const double any = fmin(count_at_home(&f, owner), count_at_home(&f, turned));
        assert_int_equal(icf_front_map_loads(&f.map, f.load), ICF_OK);
        const icf_front_load before = sum_of(f.load, nrank);
        assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, owner, nrank), ICF_OK);
        const double at_home = count_at_home(&f, owner);
        assert_int_equal(icf_front_map_loads(&f.map, f.load), ICF_OK);
        const icf_front_load after = sum_of(f.load, nrank);
        assert_near(after.flops, before.flops, 0.0);
        assert_near((double)after.factor.bytes, (double)before.factor.bytes, 0.0);
        assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, turned, nrank), ICF_OK);
        assert_near(count_at_home(&f, turned), at_home, 1e-12);
        assert_true(at_home > 1.2 * any);
        for (int rank = 0; rank < nrank; ++rank) assert_int_equal(f.map.place[f.map.rank[rank]], rank);
    }
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_are_those_of_one_rank_shared_out),
                                       cmocka_unit_test(ranks_are_where_their_blocks_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
