/* The comparison with reference values itself: it accepts a record equal to them, and notices each value that is off by
 * more than its tolerance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden/bounds.h"
#include "golden/compare.h"

/* A case and one of its checkpoints, made into a record of a trace. */
typedef struct fixture {
    json_t *expected, *record;
    const json_t *checkpoint, *tolerance;
    FILE *out;
} fixture;

static json_t *pair_of(const json_t *from, const char *key, const char *source, const char *other,
                       const char *other_source)
{
    return json_pack("{s:O,s:O}", key, json_object_get(from, source), other, json_object_get(from, other_source));
}

static int open_checkpoint(void **state, const char *name, size_t checkpoint)
{
    static fixture f;
    char path[400];
    snprintf(path, sizeof path, ICF_SOURCE_DIR "/tests/golden/%s.expected.json", name);
    f.expected = json_load_file(path, 0, NULL);
    f.checkpoint = json_array_get(json_object_get(f.expected, "checkpoints"), checkpoint);
    f.tolerance = json_object_get(f.expected, "tolerance");
    f.record = json_deep_copy(f.checkpoint);
    json_object_set_new(f.record, "solver", pair_of(f.record, "cost", "cost", "contact_cost", "contact_cost"));
    if (json_object_get(f.checkpoint, "deformables"))
        json_object_set_new(f.record, "energy",
                            pair_of(f.record, "kinetic", "kinetic_energy", "elastic", "elastic_energy"));
    f.out = fopen("/dev/null", "w");
    *state = &f;
    return f.record && f.out ? 0 : -1;
}

/* Two bodies and four contacts. */
static int open_case(void **state)
{
    return open_checkpoint(state, "sphere_on_box_similar", 0);
}

/* A bar that hangs from its fixed end and swings. */
static int open_hanging_bar(void **state)
{
    return open_checkpoint(state, "bar_3x1x1_hanging", 1);
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

static json_t *vertex_value(const fixture *f, const char *list, size_t vertex, size_t k)
{
    return json_array_get(json_array_get(json_object_get(first(f, "deformables"), list), vertex), k);
}

/* Tolerances of this case: 1e-9 m, 1e-7 m/s; 1e-6 of the reaction, 1e-5 of the energy. */
static void deformable_values_have_their_tolerance(void **state)
{
    const fixture *f = *state;
    assert_int_equal(differences(f), 0);
    const json_t *reaction = json_object_get(first(f, "deformables"), "reaction"), *energy;
    double size = 0;
    for (size_t k = 0; k < 3; ++k) size = hypot(size, json_real_value(json_array_get(reaction, k)));
    assert_true(size > 1);
    expect_limit(f, vertex_value(f, "vertices", 15, 0), 1e-9);
    expect_limit(f, vertex_value(f, "velocities", 4, 2), 1e-7);
    expect_limit(f, json_array_get(reaction, 1), 1e-6 * size);
    energy = json_object_get(f->record, "energy");
    json_t *kinetic = json_object_get(energy, "kinetic"), *elastic = json_object_get(energy, "elastic");
    const double sum = json_real_value(kinetic) + json_real_value(elastic);
    expect_limit(f, kinetic, 1e-5 * sum);
    expect_limit(f, elastic, 1e-5 * sum);
}

static void missing_deformable_values_are_differences(void **state)
{
    const fixture *f = *state;
    json_object_del(f->record, "energy");
    assert_int_equal(differences(f), 2);
    json_array_remove(json_object_get(first(f, "deformables"), "vertices"), 15);
    assert_int_equal(differences(f), 3);
    json_array_remove(json_array_get(json_object_get(first(f, "deformables"), "velocities"), 3), 2);
    assert_int_equal(differences(f), 4);
    json_array_clear(json_object_get(f->record, "deformables"));
    assert_int_equal(differences(f), 5);
}

/* ---- bounds ---- */

/* A tetrahedron whose bounds are those of inverted_tet_recovers: 1e-3 of strain, 50 m/s, 300 steps. */
static int bounds_broken(json_int_t step, double height, double speed)
{
    json_t *scene = json_load_file(ICF_SOURCE_DIR "/tests/golden/inverted_tet_recovers.scene.json", 0, NULL);
    json_t *expected = json_load_file(ICF_SOURCE_DIR "/tests/golden/inverted_tet_recovers.expected.json", 0, NULL);
    json_t *fast =
        json_pack("{s:I,s:[{s:[[f,f,f]]}]}", "step", (json_int_t)1, "deformables", "velocities", speed, 0.0, 0.0);
    json_t *last = json_pack("{s:I,s:[{s:[[f,f,f]],s:[[f,f,f],[f,f,f],[f,f,f],[f,f,f]]}]}", "step", step, "deformables",
                             "velocities", 0.0, 0.0, 0.0, "vertices", 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0,
                             0.0, height);
    golden_bounds bounds = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_true(scene && expected && fast && last && out);
    golden_bounds_add(&bounds, fast);
    golden_bounds_add(&bounds, last);
    const int nbroken = golden_bounds_check(&bounds, scene, json_object_get(expected, "bounds"), out);
    fclose(out);
    json_decref(scene);
    json_decref(expected);
    json_decref(fast);
    json_decref(last);
    return nbroken;
}

/* |F^T F - 1| of a height h is |(h / 0.1)^2 - 1|: 8e-4 and 1.2e-3 on both sides of the bound. */
static void each_bound_is_held(void **state)
{
    (void)state;
    assert_int_equal(bounds_broken(300, 0.1, 49), 0);
    assert_int_equal(bounds_broken(299, 0.1, 49), 1);
    assert_int_equal(bounds_broken(300, 0.1, 51), 1);
    assert_int_equal(bounds_broken(300, 0.10004, 49), 0);
    assert_int_equal(bounds_broken(300, 0.10006, 49), 1);
    assert_int_equal(bounds_broken(300, -0.1, 49), 1); /* the mirror image has no strain, but det F = -1 */
}

/* The mesh of a box at rest has no strain; one node moved shows, and so does one that is missing. */
static void box_is_meshed_as_documented(void **state)
{
    (void)state;
    json_t *scene = json_load_file(ICF_SOURCE_DIR "/tests/golden/bar_3x1x1_hanging.scene.json", 0, NULL);
    json_t *expected = json_load_file(ICF_SOURCE_DIR "/tests/golden/bar_3x1x1_hanging.expected.json", 0, NULL);
    json_t *limits = json_pack("{s:f,s:f}", "max_shape_error_rel", 0.05, "max_speed_ever", 10.0);
    json_t *record = json_array_get(json_object_get(expected, "checkpoints"),
                                    json_array_size(json_object_get(expected, "checkpoints")) - 1);
    json_t *vertices = json_object_get(json_array_get(json_object_get(record, "deformables"), 0), "vertices");
    golden_bounds bounds = {0};
    FILE *out = fopen("/dev/null", "w");
    golden_bounds_add(&bounds, record);
    assert_int_equal(golden_bounds_check(&bounds, scene, limits, out), 0);
    shift(json_array_get(json_array_get(vertices, 9), 1), 0.03);
    golden_bounds_add(&bounds, record);
    assert_int_equal(golden_bounds_check(&bounds, scene, limits, out), 1);
    json_array_remove(vertices, 15);
    golden_bounds_add(&bounds, record);
    assert_int_equal(golden_bounds_check(&bounds, scene, limits, out), 2);
    fclose(out);
    json_decref(scene);
    json_decref(expected);
    json_decref(limits);
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
        cmocka_unit_test_setup_teardown(deformable_values_have_their_tolerance, open_hanging_bar, close_case),
        cmocka_unit_test_setup_teardown(missing_deformable_values_are_differences, open_hanging_bar, close_case),
        cmocka_unit_test(each_bound_is_held),
        cmocka_unit_test(box_is_meshed_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
