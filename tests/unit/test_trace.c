/* The trace: exact text, order over ranks, names that need escapes, numbers that JSON does not know. */
#include "results_fixture.h"

#include <jansson.h>

#include "io/trace.h"

/* Path of the trace in the temporary directory. */
static const char *trace_path(const fixture *f, char path[512])
{
    snprintf(path, 512, "%s/trace.jsonl", f->root);
    return path;
}

/* Writes the object of a step and gives back the file's text on rank 0. */
static char *trace_step(fixture *f, const icf_step_stats *stats)
{
    char path[512];
    icf_trace trace;
    assert_int_equal(icf_trace_open(&f->context, &trace, trace_path(f, path), &f->scene, -1), ICF_OK);
    const icf_contact_views contacts = {.n = 1, .view = {{.bodies = &f->bodies, .contacts = &f->contacts}}};
    assert_int_equal(icf_trace_put(&f->context, &trace, &f->bodies, &contacts, stats), ICF_OK);
    assert_int_equal(icf_trace_close(&f->context, &trace), ICF_OK);
    return f->context.rank == 0 ? fixture_read(path) : NULL;
}

/* One body and one contact, compared letter by letter with the documented form. */
static void text_is_as_documented(void **state)
{
    fixture *f = *state;
    if (f->context.size > 1) skip();
    f->bodies.n = f->bodies.nowned = 2;
    f->bodies.position[1] = icf_vec3_make(0.0, 0.0, 0.12);
    f->bodies.orientation[1] = (icf_quat){1.0, 0.0, 0.0, 0.0};
    f->bodies.linear_velocity[1] = icf_vec3_make(0.0, -0.0, -0.7);
    f->bodies.angular_velocity[1] = icf_vec3_make(1.0 / 3.0, 0.0, 0.0);
    fixture_set_contacts(f, 5);
    f->contacts.point[0] = icf_vec3_make(0.0, 0.0, 0.0);
    f->contacts.distance[0] = -1e-6;
    f->contacts.impulse[0][0] = f->contacts.impulse[0][1] = 0.0;
    icf_step_stats stats = fixture_stats(f, 5);
    stats.time = 0.075;
    stats.step = 75;
    stats.contact_cost = 1e-5;
    stats.momentum_residual = 1e-9;
    char *text = trace_step(f, &stats);
    assert_string_equal(
        text,
        "{\"step\": 75, \"time\": 0.074999999999999997, \"bodies\": [{\"name\": \"ball \\\"one\\\"\", \"position\": "
        "[0,0,0.12], \"orientation\": [1,0,0,0], \"linear_velocity\": [0,-0,-0.69999999999999996], "
        "\"angular_velocity\": [0.33333333333333331,0,0]}], \"contacts\": [{\"bodies\": [\"ground\", \"ball "
        "\\\"one\\\"\"], \"feature\": 0, \"point\": [0,0,0], \"normal\": [0,0,1], \"distance\": "
        "-9.9999999999999995e-07, \"impulse\": [0,0,0.01], \"normal_impulse\": 0.01, \"tangential_impulse\": "
        "0}], \"solver\": {\"iterations\": 6, \"cost\": 0.10000000000000001, \"contact_cost\": "
        "1.0000000000000001e-05, \"residual\": 1.0000000000000001e-09, \"islands\": 1, \"candidates\": 10, "
        "\"active\": 5}}\n");
    free(text);
}

/* All moving and prescribed bodies by id, loaded contacts by pair, for any number of ranks. */
static void lists_are_in_canonical_order(void **state)
{
    static const char *const names[] = {"ball \"one\"", "plate", "body3", "body4", "body5", "body6", "body7"};
    fixture *f = *state;
    fixture_set_state(f, 5);
    fixture_set_contacts(f, 5);
    const icf_step_stats stats = fixture_stats(f, 5);
    char *text = trace_step(f, &stats);
    if (f->context.rank != 0) return;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    const json_t *bodies = json_object_get(object, "bodies"), *contacts = json_object_get(object, "contacts");
    assert_int_equal(json_array_size(bodies), 7);
    for (size_t i = 0; i < 7; ++i) {
        const json_t *body = json_array_get(bodies, i);
        assert_string_equal(json_string_value(json_object_get(body, "name")), names[i]);
        const json_t *position = json_object_get(body, "position");
        const double x = json_number_value(json_array_get(position, 0));
        assert_true(x == 0.3 * (double)(i + 1)); /* 17 digits give the same bits */
    }
    assert_int_equal(json_array_size(contacts), 3);
    for (size_t i = 0; i < 3; ++i) {
        const json_t *contact = json_array_get(contacts, i), *pair = json_object_get(contact, "bodies");
        assert_string_equal(json_string_value(json_array_get(pair, 0)), "ground");
        assert_string_equal(json_string_value(json_array_get(pair, 1)), names[3 * i]);
        assert_near(json_number_value(json_object_get(contact, "tangential_impulse")), 0.005, 1e-17);
    }
    json_decref(object);
    free(text);
}

/* Checks the forces in a list of pairs. */
static void expect_forces(const json_t *object, const char *key, size_t n, const double expected[][3])
{
    const json_t *pairs = json_object_get(object, key);
    assert_int_equal(json_array_size(pairs), n);
    for (size_t k = 0; k < n; ++k) {
        const json_t *force = json_object_get(json_array_get(pairs, k), "force");
        for (size_t c = 0; c < 3; ++c) assert_near(json_number_value(json_array_get(force, c)), expected[k][c], 1e-14);
    }
}

/* The net force of each pair in a scene with deformable bodies: the one loaded contact of the fixture over the step,
 * here one of two substeps; and an attachment of the first of them on each rank that has one. */
static void pairs_have_their_net_force(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_trace trace;
    fixture_set_state(f, 5);
    fixture_set_contacts(f, 5);
    icf_step_stats stats = fixture_stats(f, 5);
    stats.substeps = 2;
    assert_int_equal(icf_trace_open(&f->context, &trace, trace_path(f, path), &f->scene, -1), ICF_OK);
    trace.has_deformables = true;
    const icf_pair_impulse attachment = {f->contacts.pair[0], {0.01, 0.02, 0.03}};
    const icf_contact_views contacts = {
        .n = 1, .view = {{&f->bodies, &f->contacts, f->contacts.npair > 0 ? 1 : 0, &attachment}}};
    const int mine = contacts.view[0].nattachment;
    int nattachment = 0;
    MPI_Allreduce(&mine, &nattachment, 1, MPI_INT, MPI_SUM, f->context.comm);
    assert_int_equal(icf_trace_put(&f->context, &trace, &f->bodies, &contacts, &stats), ICF_OK);
    assert_int_equal(icf_trace_close(&f->context, &trace), ICF_OK);
    if (f->context.rank != 0) return;
    static const double of_contacts[][3] = {{0.6, -0.8, 2}, {0.6, -0.8, 8}, {0.6, -0.8, 14}}; /* bodies 1, 4 and 7 */
    static const double of_attachments[][3] = {{2, 4, 6}, {2, 4, 6}, {2, 4, 6}};
    json_t *object = json_load_file(path, 0, NULL);
    expect_forces(object, "pairs", 3, of_contacts);
    expect_forces(object, "attachments", (size_t)nattachment, of_attachments);
    json_decref(object);
}

/* NaN and infinity are no JSON: null stands for them. */
static void what_is_not_finite_becomes_null(void **state)
{
    fixture *f = *state;
    fixture_set_state(f, 5);
    fixture_set_contacts(f, 4);
    f->bodies.position[f->bodies.nowned - 1].x = (double)NAN;
    icf_step_stats stats = fixture_stats(f, 5);
    stats.cost = (double)INFINITY;
    char *text = trace_step(f, &stats);
    if (f->context.rank != 0) return;
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_non_null(strstr(text, "\"cost\": null"));
    assert_non_null(strstr(text, "[null,"));
    assert_non_null(strstr(text, "\"contacts\": []"));
    free(text);
}

static void a_device_can_be_traced_to(void **state)
{
    fixture *f = *state;
    icf_trace trace;
    const icf_step_stats stats = fixture_stats(f, 1);
    assert_int_equal(icf_trace_open(&f->context, &trace, "/dev/null", &f->scene, -1), ICF_OK);
    assert_int_equal(icf_trace_put(&f->context, &trace, &f->bodies, NULL, &stats), ICF_OK);
    assert_int_equal(icf_trace_close(&f->context, &trace), ICF_OK);
    assert_int_equal(icf_trace_open(&f->context, &trace, "/dev/full", &f->scene, -1), ICF_OK);
    assert_int_equal(icf_trace_put(&f->context, &trace, &f->bodies, NULL, &stats), ICF_OK);
    assert_int_equal(icf_trace_close(&f->context, &trace), ICF_ERROR_FILE);
    assert_string_equal(f->context.message, "/dev/full: No space left on device");
    icf_clear_failure(&f->context);
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup_eight, teardown)
    const struct CMUnitTest tests[] = {
        TEST(text_is_as_documented),           TEST(lists_are_in_canonical_order), TEST(pairs_have_their_net_force),
        TEST(what_is_not_finite_becomes_null), TEST(a_device_can_be_traced_to),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
