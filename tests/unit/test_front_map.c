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
    for (int rank = 0; rank < nrank; ++rank) {
        sum.flops += load[rank].flops;
        sum.values += load[rank].values;
        sum.strips += load[rank].strips;
        sum.messages += load[rank].messages;
        sum.updates += load[rank].updates;
    }
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

static double count_strips(const icf_front_map *map, int64_t *messages)
{
    double sent = 0.0;
    *messages = 0;
    for (icf_lid s = 0; s < map->symbolic->nsuper; ++s)
        for (int k = 0; k < icf_front_panel_strips(map, s); ++k) {
            const icf_front_strip strip = icf_front_strip_at(map, s, k);
            *messages += map->count[s] - 1;
            sent += (double)(strip.end - strip.begin) * strip.ld * (map->count[s] - 1);
        }
    return sent;
}

static void loads_are_those_of_one_rank_shared_out(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, 1), ICF_OK);
    icf_front_map_loads(&f.map, f.load);
    const icf_front_load alone = f.load[0];
    double lower = 0.0;
    for (icf_lid s = 0; s < f.symbolic.nsuper; ++s) {
        const double m = f.symbolic.front_dof[s], n = f.symbolic.pivot_dof[s];
        lower += n * m - n * (n - 1.0) / 2.0;
    }
    assert_near(alone.values, lower, 0.0);
    assert_near(alone.flops, f.symbolic.flops, 0.05 * f.symbolic.flops);
    assert_true(alone.strips == 0.0 && alone.updates == 0.0 && alone.messages == 0);
    for (int nrank = 2; nrank <= most_ranks; ++nrank) {
        int64_t messages;
        assert_int_equal(icf_front_map_build(&f.map, &f.symbolic, nrank), ICF_OK);
        icf_front_map_loads(&f.map, f.load);
        const icf_front_load sum = sum_of(f.load, nrank);
        assert_near(sum.values, alone.values, 0.0);
        assert_near(sum.flops, alone.flops, 1e-12 * alone.flops);
        assert_near(sum.strips, count_strips(&f.map, &messages), 0.0);
        assert_int_equal(sum.messages, messages);
        assert_near(sum.updates, 2.0 * count_moved(&f.map), 0.0);
        assert_true(sum.strips > 0.0 && sum.updates > 0.0);
    }
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_are_those_of_one_rank_shared_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
