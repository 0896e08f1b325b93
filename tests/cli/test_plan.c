/* `icf plan`: sums over ranks, more ranks than bodies, JSON, wrong options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

/* 40 objects and 5 bodies that do not move; after 150 steps they lie on the ground in heaps. */
static void make_scene(void)
{
    if (file_exists("scene.yaml")) return;
    outcome made = RUN("make", "clutter", "--bodies", "40", "--output", "scene.yaml");
    expect_success(&made);
    outcome_clear(&made);
}

static json_t *plan(const char *ranks, const char *settle)
{
    json_error_t error;
    make_scene();
    outcome result = RUN("plan", "scene.yaml", "--ranks", ranks, "--settle", settle, "--json");
    expect_success(&result);
    json_t *object = json_loads(result.out, JSON_REJECT_DUPLICATES, &error);
    if (!object) fail_msg("line %d: %s", error.line, error.text);
    outcome_clear(&result);
    return object;
}

static json_int_t count_in(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* Sum of a count over the ranks; it is the one in "total" too. */
static json_int_t sum_over_ranks(const json_t *object, const char *key)
{
    const json_t *ranks = json_object_get(object, "ranks");
    json_int_t sum = 0;
    for (size_t rank = 0; rank < json_array_size(ranks); ++rank) {
        assert_int_equal(count_in(json_array_get(ranks, rank), "rank"), rank);
        sum += count_in(json_array_get(ranks, rank), key);
    }
    assert_int_equal(sum, count_in(json_object_get(object, "total"), key));
    return sum;
}

/* Whatever the number of ranks: every body, contact and island is one rank's. */
static void sums_do_not_depend_on_ranks(void **state)
{
    (void)state;
    static const char *const ranks[] = {"1", "4", "1000"};
    json_int_t contacts = 0, islands = 0;
    for (int k = 0; k < 3; ++k) {
        json_t *object = plan(ranks[k], "150");
        assert_int_equal(json_array_size(json_object_get(object, "ranks")), k == 0 ? 1 : k == 1 ? 4 : 1000);
        assert_int_equal(sum_over_ranks(object, "bodies"), 40);
        assert_int_equal(sum_over_ranks(object, "dofs"), 240);
        if (k == 0) contacts = sum_over_ranks(object, "contacts");
        if (k == 0) islands = sum_over_ranks(object, "islands");
        assert_true(contacts >= 40 && islands > 1);
        assert_int_equal(sum_over_ranks(object, "contacts"), contacts);
        assert_int_equal(sum_over_ranks(object, "islands"), islands);
        json_decref(object);
    }
}

static void one_rank_sends_nothing(void **state)
{
    (void)state;
    json_t *object = plan("1", "150");
    const json_t *total = json_object_get(object, "total");
    static const char *const keys[] = {"ghosts",       "guests",      "spanning_islands", "messages", "bytes",
                                       "label_rounds", "all_to_alls", "reductions",       "gathers"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) assert_int_equal(count_in(total, keys[k]), 0);
    const double alone = json_real_value(json_object_get(json_object_get(object, "one_rank"), "ms_step"));
    assert_true(alone > 0.0);
    assert_true(json_real_value(json_object_get(total, "ms_step")) == alone);
    json_decref(object);
}

/* 1000 ranks for 40 bodies: a body a rank at most, so all islands but single bodies span ranks. */
static void more_ranks_than_bodies(void **state)
{
    (void)state;
    json_t *object = plan("1000", "150");
    const json_t *ranks = json_object_get(object, "ranks");
    for (size_t rank = 0; rank < json_array_size(ranks); ++rank)
        assert_true(count_in(json_array_get(ranks, rank), "bodies") <= 1);
    assert_true(count_in(json_object_get(object, "total"), "spanning_islands") > 0);
    assert_true(count_in(json_object_get(object, "total"), "messages") > 0);
    json_decref(object);
}

/* At the start nothing touches: no contacts, no islands, and nothing is solved. */
static void scene_in_the_air(void **state)
{
    (void)state;
    json_t *object = plan("2", "0");
    assert_int_equal(sum_over_ranks(object, "contacts"), 0);
    assert_int_equal(json_array_size(json_object_get(object, "largest_islands")), 0);
    json_decref(object);
}

static void table_names_what_json_has(void **state)
{
    (void)state;
    make_scene();
    outcome result = RUN("plan", "scene.yaml", "--ranks", "50", "--settle", "150", "--calibrate");
    expect_success(&result);
    static const char *const words[] = {"\nbodies       40 moving (240 dofs), 5 on every rank\n",
                                        "\nhalo ",
                                        "\nmemory ",
                                        "rates measured here",
                                        "largest islands",
                                        "busiest ranks"};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) assert_non_null(strstr(result.out, words[k]));
    outcome_clear(&result);
}

/* Bodies that were apart at the cut have come near each other. */
static void a_cut_grows_old(void **state)
{
    (void)state;
    json_error_t error;
    make_scene();
    outcome result = RUN("plan", "scene.yaml", "--ranks", "4", "--settle", "150", "--age", "60", "--json");
    expect_success(&result);
    json_t *old = json_loads(result.out, JSON_REJECT_DUPLICATES, &error), *young = plan("4", "150");
    assert_non_null(old);
    assert_int_equal(count_in(old, "step"), 150);
    assert_int_equal(sum_over_ranks(old, "contacts"), sum_over_ranks(young, "contacts"));
    assert_int_equal(sum_over_ranks(old, "bodies"), 40);
    const json_t *total[2] = {json_object_get(old, "total"), json_object_get(young, "total")};
    assert_true(json_number_value(json_object_get(total[0], "cut")) >
                json_number_value(json_object_get(total[1], "cut")));
    json_decref(old);
    json_decref(young);
    outcome_clear(&result);
}

static void wrong_options(void **state)
{
    (void)state;
    make_scene();
    expect_error(RUN("plan", "scene.yaml", "--ranks", "2", "--settle", "3", "--age", "4"), 2,
                 "icf: error: --age: must be at most the steps of --settle, 3, got 4\n");
    expect_error(RUN("plan", "scene.yaml"), 2, "icf: error: plan: --ranks P is missing\n");
    expect_error(RUN("plan", "scene.yaml", "--ranks", "0"), 2,
                 "icf: error: --ranks: must be an integer >= 1, got '0'\n");
    expect_error(RUN("plan", "scene.yaml", "--ranks", "1000001"), 2,
                 "icf: error: --ranks: must be at most 1000000, got 1000001\n");
    expect_error(RUN("plan", "--ranks", "2"), 2,
                 "icf: error: SCENE is missing; usage: icf plan SCENE --ranks P [options]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_ranks),
        cmocka_unit_test(one_rank_sends_nothing),
        cmocka_unit_test(more_ranks_than_bodies),
        cmocka_unit_test(scene_in_the_air),
        cmocka_unit_test(table_names_what_json_has),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(a_cut_grows_old),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
