/* The cost model: each term alone, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step/cost.h"

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected))) fail_msg("%.17g, expected %.17g", value, expected);
}

/* On one rank there is nothing to wait for; on more, 6 exchanges and 2 a round, each of which agrees. */
static void collectives_by_hand(void **state)
{
    (void)state;
    const icf_cost_collectives none = icf_cost_count_collectives(1, 0), still = icf_cost_count_collectives(2, 0),
                               three = icf_cost_count_collectives(4096, 3);
    assert_int_equal(none.exchanges + none.reductions + none.gathers, 0);
    assert_int_equal(still.exchanges, 6);
    assert_int_equal(still.reductions, 25);
    assert_int_equal(still.gathers, 1);
    assert_int_equal(three.exchanges, 12);
    assert_int_equal(three.reductions, 34);
}

static void solve_is_linear_in_the_work(void **state)
{
    (void)state;
    const icf_cost_rates rates = {
        .finish = 13.0, .assembly = 2.0, .flop = 3.0, .solve_value = 5.0, .line_search = 7.0, .analysis = 11.0};
    const icf_cost_step one = {.nrank = 1};
    const icf_rank_load load = {.bodies = 2,
                                .contacts = 3,
                                .analyzed = 10,
                                .all_contacts = 100.0,
                                .all_flops = 1000.0,
                                .all_values = 20.0,
                                .all_evaluations = 30.0};
    const icf_rank_cost cost = icf_cost_rank(&rates, &one, &load);
    assert_close(cost.assembly, 200.0);
    assert_close(cost.factor, 3110.0);
    assert_close(cost.solve, 100.0);
    assert_close(cost.line_search, 210.0);
    assert_close(icf_cost_solve(&cost), 3620.0);
    assert_close(cost.finish, 65.0);
    assert_close(icf_cost_cpu(&cost), 3685.0);
    assert_true(cost.exchange == 0.0 && cost.geometry == 0.0);
}

/* 8 ranks, no rounds: 32 collectives of 3 stages and 5 messages; 8 x 16 boxes of 48 bytes, 6 all-to-alls of 8 counts of
 * 8 bytes, half of which goes on in each stage, a sum of 8 numbers, and the messages' 1000 bytes. */
static void exchange_by_hand(void **state)
{
    (void)state;
    const icf_cost_step step = {.nrank = 8};
    const icf_rank_load load = {.bodies = 4, .messages = 5, .bytes = 1000};
    const icf_cost_rates waits = {.latency = 1.0, .bandwidth = INFINITY}, bytes = {.bandwidth = 1.0};
    const icf_cost_rates peers = {.peer = 1.0, .bandwidth = INFINITY}, tests = {.box_test = 1.0, .bandwidth = INFINITY};
    assert_close(icf_cost_rank(&waits, &step, &load).exchange, 32.0 * 3.0 + 5.0);
    assert_close(icf_cost_rank(&bytes, &step, &load).exchange,
                 1000.0 + 8.0 * 768.0 + 0.5 * 3.0 * 64.0 * 6.0 + 3.0 * 64.0);
    assert_close(icf_cost_rank(&peers, &step, &load).exchange, 48.0);
    assert_close(icf_cost_rank(&tests, &step, &load).exchange, 8.0 * 20.0);
}

/* All ranks wait for the slowest of each stage, which need not be the same. */
static void total_adds_the_slowest_of_each_stage(void **state)
{
    (void)state;
    const icf_rank_cost cost[3] = {
        {.geometry = 5.0, .factor = 1.0, .finish = 3.0, .exchange = 1.0},
        {.geometry = 1.0, .assembly = 4.0, .line_search = 5.0, .finish = 2.0, .exchange = 2.0},
        {.geometry = 2.0, .solve = 8.0, .exchange = 4.0}};
    assert_close(icf_cost_total(3, cost), 5.0 + 9.0 + 3.0 + 4.0);
    assert_close(icf_cost_total(1, cost), 5.0 + 1.0 + 3.0 + 1.0);
}

/* Memory: nothing is free, and halving bodies and contacts halves what is not the program. */
static void memory_is_proportional(void **state)
{
    (void)state;
    const icf_cost_rates rates = icf_cost_rates_default();
    const icf_cost_step one = {.nrank = 1};
    const icf_rank_load nothing = {0}, half = {.bodies = 500, .found = 2000, .contacts = 2000, .island_bodies = 500},
                        full = {.bodies = 1000, .found = 4000, .contacts = 4000, .island_bodies = 1000},
                        factor = {.largest_values = 1e6}, small_factor = {.largest_values = 1e5};
    const double base = icf_cost_rank(&rates, &one, &nothing).memory;
    assert_close(icf_cost_rank(&rates, &one, &full).memory - base,
                 2.0 * (icf_cost_rank(&rates, &one, &half).memory - base));
    assert_true(icf_cost_rank(&rates, &one, &full).memory - base > 1000.0 * 1000.0);
    assert_close(icf_cost_rank(&rates, &one, &small_factor).memory - base, 1.1 * 8e5);
    assert_close(icf_cost_rank(&rates, &one, &factor).memory - base,
                 1.1 * 8e6 + 2.0 * 2097152.0); /* four arrays, half a huge page each */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_by_hand),    cmocka_unit_test(solve_is_linear_in_the_work),
        cmocka_unit_test(exchange_by_hand),       cmocka_unit_test(total_adds_the_slowest_of_each_stage),
        cmocka_unit_test(memory_is_proportional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
