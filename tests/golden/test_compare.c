/* The comparison with reference values itself: it accepts a record equal to them, and notices each value that is off by
 * more than its tolerance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden/compare.h"

/* A case with two bodies and four contacts; its first checkpoint, made into a record of a trace. */
typedef struct fixture {
    json_t *expected, *record;
    const json_t *checkpoint, *tolerance;
    FILE *out;
} fixture;

static int open_case(void **state)
{
    static fixture f;
    const char *path = ICF_SOURCE_DIR "/tests/golden/sphere_on_box_similar.expected.json";
    f.expected = json_load_file(path, 0, NULL);
    f.checkpoint = json_array_get(json_object_get(f.expected, "checkpoints"), 0);
    f.tolerance = json_object_get(f.expected, "tolerance");
    f.record = json_deep_copy(f.checkpoint);
    json_object_set_new(f.record, "solver",
                        json_pack("{s:O,s:O}", "cost", json_object_get(f.record, "cost"), "contact_cost",
                                  json_object_get(f.record, "contact_cost")));
    f.out = fopen("/dev/null", "w");
    *state = &f;
    return f.expected && f.out ? 0 : -1;
}

static int close_case(void **state)
{
    fixture *f = *state;
    json_decref(f->expected);
    json_decref(f->record);
    fclose(f->out);
    return 0;
}

static int differences(const fixture *f)
{
    return golden_compare(f->checkpoint, f->tolerance, f->record, f->out);
}

static json_t *first(const fixture *f, const char *list)
{
    return json_array_get(json_object_get(f->record, list), 0);
}

/* Adds delta to a number of the record. */
static void shift(json_t *number, double delta)
{
    assert_true(json_is_real(number));
    json_real_set(number, json_real_value(number) + delta);
}

/* A value moved by half of what is allowed passes, by twice that it does not. */
static void expect_limit(const fixture *f, json_t *number, double allowed)
{
    shift(number, 0.5 * allowed);
    assert_int_equal(differences(f), 0);
    shift(number, 1.5 * allowed);
    assert_int_equal(differences(f), 1);
    shift(number, -2 * allowed);
}

static void equal_values_agree(void **state)
{
    const fixture *f = *state;
    assert_non_null(f->checkpoint);
    assert_int_equal(differences(f), 0);
}

static void both_signs_of_a_quaternion_agree(void **state)
{
    const fixture *f = *state;
    json_t *q = json_object_get(first(f, "bodies"), "orientation");
    for (size_t i = 0; i < 4; ++i) json_real_set(json_array_get(q, i), -json_real_value(json_array_get(q, i)));
    assert_int_equal(differences(f), 0);
}

/* Tolerances of this case: 1e-9 m, 1e-9, 1e-8 m/s (angular: 20 times), 1e-7 of the impulse (10 times for the total,
 * 1000 times for one contact). */
static void body_values_have_their_tolerance(void **state)
{
    const fixture *f = *state;
    const json_t *body = first(f, "bodies");
    expect_limit(f, json_array_get(json_object_get(body, "position"), 1), 1e-9);
    expect_limit(f, json_array_get(json_object_get(body, "orientation"), 3), 1e-9);
    expect_limit(f, json_array_get(json_object_get(body, "linear_velocity"), 2), 1e-8);
    expect_limit(f, json_array_get(json_object_get(body, "angular_velocity"), 0), 2e-7);
}

static void contact_values_have_their_tolerance(void **state)
{
    const fixture *f = *state;
    const json_t *contact = first(f, "contacts");
    const double sum = json_real_value(json_object_get(f->checkpoint, "sum_normal_impulse"));
    expect_limit(f, json_array_get(json_object_get(contact, "point"), 2), 1e-7);
    expect_limit(f, json_array_get(json_object_get(contact, "normal"), 0), 1e-7);
    expect_limit(f, json_object_get(contact, "distance"), 1e-7);
    expect_limit(f, json_array_get(json_object_get(contact, "impulse"), 1), 1e-4 * sum);
    expect_limit(f, json_object_get(contact, "normal_impulse"), 1e-6 * sum);
}

static void costs_have_their_tolerance(void **state)
{
    const fixture *f = *state;
    const json_t *solver = json_object_get(f->record, "solver");
    json_t *cost = json_object_get(solver, "cost"), *contact_cost = json_object_get(solver, "contact_cost");
    expect_limit(f, cost, 1e-5 * json_real_value(cost));
    expect_limit(f, contact_cost, 1e-5 * json_real_value(contact_cost));
}

/* Each of the three velocities, the point, ... of a missing thing is a difference, never a crash. */
static void missing_values_are_differences(void **state)
{
    const fixture *f = *state;
    json_object_del(json_object_get(f->record, "solver"), "cost");
    assert_int_equal(differences(f), 1);
    json_array_remove(json_object_get(f->record, "contacts"), 2);
    assert_true(differences(f) > 1);
    json_array_remove(json_object_get(f->record, "bodies"), 1);
    json_object_del(f->record, "contacts");
    assert_true(differences(f) > 6);
}

/* A contact that should not be there changes the number of active ones, however small it is. */
static void an_extra_active_contact_is_a_difference(void **state)
{
    const fixture *f = *state;
    json_t *extra = json_deep_copy(first(f, "contacts"));
    json_real_set(json_object_get(extra, "normal_impulse"), 1e-15);
    json_real_set(json_array_get(json_object_get(extra, "point"), 0), 5.0);
    json_array_append_new(json_object_get(f->record, "contacts"), extra);
    assert_int_equal(differences(f), 1);
}

#define COMPARE_TEST(function) cmocka_unit_test_setup_teardown(function, open_case, close_case)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COMPARE_TEST(equal_values_agree),
        COMPARE_TEST(both_signs_of_a_quaternion_agree),
        COMPARE_TEST(body_values_have_their_tolerance),
        COMPARE_TEST(contact_values_have_their_tolerance),
        COMPARE_TEST(costs_have_their_tolerance),
        COMPARE_TEST(missing_values_are_differences),
        COMPARE_TEST(an_extra_active_contact_is_a_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
