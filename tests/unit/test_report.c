/* What a report reads of a run: statistics, frames, surfaces that run.h5 gives, warnings. */
#include "results_fixture.h"

#include <hdf5.h>

#include "io/report.h"
#include "io/report_mesh.h"
#include "io/report_warnings.h"

static void make_run(fixture *f, icf_cnt last)
{
    icf_results *results = NULL;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(fixture_write(f, results, 0, last), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "done"), ICF_OK);
}

/* ---- statistics ---- */

static void put_stats(fixture *f, const char *text)
{
    char path[512];
    mkdir(f->scene.output.directory, 0777);
    fixture_put(fixture_path(f, "stats.csv", path), text);
}

/* Lines 1..n of a run whose columns are functions of the step. */
static void put_many_lines(fixture *f, icf_cnt n)
{
    char path[512];
    mkdir(f->scene.output.directory, 0777);
    FILE *file = fopen(fixture_path(f, "stats.csv", path), "w");
    assert_non_null(file);
    fputs("step,time,candidates,penetration_max,kinetic_energy,substeps,emitted\n", file);
    for (icf_cnt step = 1; step <= n; ++step)
        fprintf(file, "%d,%.17g,%d,%.17g,%.17g,%d,%d\n", (int)step, 0.01 * (double)step, (int)(step % 4),
                step == 30001 ? 0.5 : 1e-3, (double)step, step % 10000 == 0 ? 4 : 1, (int)(3 * step));
    fclose(file);
}

static void columns_are_read_by_name(void **state)
{
    fixture *f = *state;
    icf_report_stats stats;
    put_stats(f, "step,time,candidates,more\n1,0.5,3,nan\n2,1,4,-1e-3\n");
    assert_int_equal(icf_report_stats_read(&f->context, f->scene.output.directory, &stats), ICF_OK);
    assert_int_equal(stats.nline, 2);
    assert_int_equal(stats.merge, 1);
    const icf_report_column *candidates = icf_report_stats_column(&stats, "candidates");
    assert_true(candidates->value[0] == 3.0 && candidates->value[1] == 4.0);
    assert_true(candidates->sum == 7.0 && candidates->max == 4.0 && candidates->max_step == 2);
    const icf_report_column *more = icf_report_stats_column(&stats, "more");
    assert_true(isnan(more->value[0]) && more->sum == -1e-3 && more->max_step == 2);
    assert_null(icf_report_stats_column(&stats, "missing"));
    icf_report_stats_clear(&stats);
}

/* 45,000 lines go into pairs of lines: at 40,000 the pairs are made, the rest joins two by two. */
static void many_lines_are_merged(void **state)
{
    fixture *f = *state;
    icf_report_stats stats;
    put_many_lines(f, 45000);
    assert_int_equal(icf_report_stats_read(&f->context, f->scene.output.directory, &stats), ICF_OK);
    assert_int_equal(stats.nstep, 45000);
    assert_int_equal(stats.merge, 2);
    assert_int_equal(stats.nline, 22500);
    const icf_report_column *step = icf_report_stats_column(&stats, "step");
    const icf_report_column *candidates = icf_report_stats_column(&stats, "candidates");
    const icf_report_column *penetration = icf_report_stats_column(&stats, "penetration_max");
    const icf_report_column *energy = icf_report_stats_column(&stats, "kinetic_energy");
    const icf_report_column *emitted = icf_report_stats_column(&stats, "emitted");
    for (size_t i = 0; i < stats.nline; ++i) {
        const icf_cnt last = 2 * (icf_cnt)i + 2;
        assert_true(step->value[i] == (double)last && energy->value[i] == (double)last);
        assert_true(emitted->value[i] == 3.0 * (double)last); /* so many so far: no mean */
        assert_true(candidates->value[i] == 0.5 * (double)((last - 1) % 4 + last % 4));
        assert_true(penetration->value[i] == (last == 30002 ? 0.5 : 1e-3));
    }
    assert_true(penetration->max == 0.5 && penetration->max_step == 30001);
    assert_int_equal(stats.redone, 4);
    assert_int_equal(stats.first_redone, 10000);
    icf_report_stats_clear(&stats);
}

static void expect_stats_error(fixture *f, const char *text, const char *message)
{
    icf_report_stats stats;
    put_stats(f, text);
    assert_int_equal(icf_report_stats_read(&f->context, f->scene.output.directory, &stats), ICF_ERROR_FILE);
    if (!strstr(f->context.message, message)) fail_msg("%s", f->context.message);
    icf_clear_failure(&f->context);
}

static void wrong_lines_are_named(void **state)
{
    fixture *f = *state;
    expect_stats_error(f, "a,b\n", "stats.csv:1: not the header of a stats.csv");
    expect_stats_error(f, "step,time,x\n1,2,3\n2,3", "stats.csv:3: expected 3 columns as in the header, found fewer");
    expect_stats_error(f, "step,time,x\n1,2,3,4\n", "stats.csv:2: expected 3 columns as in the header, found more");
    expect_stats_error(f, "step,time,x\n1,2,three\n", "stats.csv:2: expected numbers");
}

/* ---- frames ---- */

static void poses_contacts_and_planes_are_read(void **state)
{
    fixture *f = *state;
    icf_report_run run;
    icf_report_frame frame = {0};
    make_run(f, 9);
    assert_int_equal(icf_report_run_open(&f->context, f->scene.output.directory, &run), ICF_OK);
    assert_int_equal(run.frames.n, 10);
    assert_int_equal(run.nbody, 8);
    assert_int_equal(run.nplane, 1);
    assert_true(run.plane_normal[0].z == 1.0 && run.plane_offset[0] == 0.0);
    assert_string_equal(run.name[1], "ball \"one\"");
    for (icf_lid i = 0; i < 8; ++i) assert_int_equal(run.moves[i], i != 0 && i != 2);
    assert_int_equal(icf_report_run_read(&run, 7, &frame), ICF_OK);
    fixture_set_state(f, 7);
    for (icf_lid i = 0; i < 8; ++i) {
        assert_true(icf_norm(icf_sub(frame.position[i], f->bodies.position[i])) == 0.0);
        assert_true(frame.speed[i] == icf_norm(f->bodies.linear_velocity[i]));
    }
    /* step 7: the floor carries bodies 2 and 5, one loaded contact each; it does not make them an island */
    assert_int_equal(frame.ncontact, 2);
    assert_int_equal(frame.contact[1].second, 5);
    const double size = sqrt(0.003 * 0.003 + 0.004 * 0.004 + 0.05 * 0.05) / 0.01;
    assert_near(frame.force[5], size, 1e-12);
    for (icf_lid i = 0; i < 8; ++i) assert_int_equal(frame.island[i], i);
    icf_report_frame_clear(&frame);
    icf_report_run_close(&run);
}

/* Two contacts of a pair whose features differ by one above 2^32, in an order that is not theirs. */
static void features_have_64_bits(void **state)
{
    fixture *f = *state;
    icf_report_run run;
    icf_report_frame frame = {0};
    icf_results *results = NULL;
    const int64_t large = (int64_t)1 << 40;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(fixture_write(f, results, 0, 0), ICF_OK);
    fixture_set_contacts(f, 7);
    for (icf_lid i = 0; i < f->contacts.n; ++i) {
        f->contacts.feature[i] = large + 1 - i % 2;
        f->contacts.impulse[i][2] = 0.01 * (double)(1 + i % 2);
    }
    const icf_step_stats stats = fixture_stats(f, 7);
    const icf_contact_views contacts = {.n = 1, .view = {{.bodies = &f->bodies, .contacts = &f->contacts}}};
    assert_int_equal(icf_results_write(results, &f->bodies, &contacts, &stats), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "done"), ICF_OK);
    assert_int_equal(icf_report_run_open(&f->context, f->scene.output.directory, &run), ICF_OK);
    assert_int_equal(icf_report_run_read(&run, 1, &frame), ICF_OK);
    assert_int_equal(frame.ncontact, 4);
    for (icf_lid c = 0; c < 4; ++c) {
        assert_int_equal(frame.contact[c].second, c < 2 ? 2 : 5);
        assert_true(frame.contact[c].feature == large + c % 2);
        assert_near(frame.contact[c].force.z, c % 2 == 0 ? 2.0 : 1.0, 1e-12);
    }
    icf_report_frame_clear(&frame);
    icf_report_run_close(&run);
}

/* ---- bodies that come later ---- */

/* Makes the bodies of the fixture these. */
static void take_bodies(fixture *f, int n, const icf_gid *gid)
{
    icf_bodies_clear(&f->bodies);
    icf_bodies_init(&f->bodies);
    for (int i = 0; i < n; ++i) {
        const icf_body_def def = fixture_def(gid[i]);
        assert_int_equal(icf_bodies_add(&f->bodies, &def, true), ICF_OK);
    }
}

/* Bodies 0 2 3 7 in steps 0 to 2, with 4 in steps 3 to 5, with 1 and 5 in steps 6 to 9. */
static icf_lid write_emission(fixture *f)
{
    static const icf_gid early[] = {0, 2, 3, 7}, later[] = {0, 2, 3, 4, 7}, all[] = {0, 1, 2, 3, 4, 5, 7};
    icf_results *results = NULL;
    take_bodies(f, 4, early);
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(fixture_write(f, results, 0, 2), ICF_OK);
    take_bodies(f, 5, later);
    assert_int_equal(fixture_write(f, results, 3, 5), ICF_OK);
    take_bodies(f, 7, all);
    assert_int_equal(fixture_write(f, results, 6, 9), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "done"), ICF_OK);
    return 7;
}

/* Whether body gid of write_emission is there at a step. */
static bool is_there(icf_gid gid, icf_cnt step)
{
    return gid == 1 || gid == 5 ? step >= 6 : gid == 4 ? step >= 3 : true;
}

/* Frames are read from the last to the first: a body that is absent must not keep what it had. */
static void bodies_come_while_the_run_goes_on(void **state)
{
    fixture *f = *state;
    icf_report_run run;
    icf_report_frame frame = {0};
    const icf_lid n = write_emission(f);
    if (icf_report_run_open(&f->context, f->scene.output.directory, &run) != ICF_OK) fail_msg("%s", f->context.message);
    assert_int_equal(run.nbody, n);
    for (icf_lid i = 0; i < n; ++i) {
        const icf_body_def def = fixture_def(f->bodies.gid[i]);
        assert_int_equal(run.id[i], f->bodies.gid[i]);
        assert_int_equal(run.shape[i], def.shape.type);
        assert_true(run.mass[i] == def.mass);
        assert_int_equal(run.moves[i], run.id[i] != 0 && run.id[i] != 2);
    }
    assert_string_equal(run.name[1], "ball \"one\"");
    assert_true(icf_norm(icf_sub(run.size[5], fixture_def(5).shape.extent)) == 0.0);
    for (icf_cnt step = 9; step >= 0; --step) {
        if (icf_report_run_read(&run, (size_t)step, &frame) != ICF_OK) fail_msg("%s", f->context.message);
        fixture_set_state(f, step);
        for (icf_lid i = 0; i < n; ++i) {
            const bool there = is_there(run.id[i], step);
            const icf_vec3 position = there ? f->bodies.position[i] : icf_vec3_make(0.0, 0.0, 0.0);
            assert_int_equal(run.rank[i], there ? 0 : -1);
            assert_true(icf_norm(icf_sub(frame.position[i], position)) == 0.0);
            assert_true(frame.speed[i] == (there ? icf_norm(f->bodies.linear_velocity[i]) : 0.0));
            if (!there) assert_true(frame.force[i] == 0.0 && frame.island[i] == i);
        }
    }
    icf_report_frame_clear(&frame);
    icf_report_run_close(&run);
}

/* ---- surfaces ---- */

/* Changes what a static group of run.h5 says the shape of a body is. */
static void set_shape(fixture *f, const char *name, hsize_t row, int32_t shape)
{
    char path[512];
    const hid_t file = H5Fopen(fixture_path(f, "run.h5", path), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    const hid_t one = H5Screate(H5S_SCALAR);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, &row) >= 0);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_INT32, one, space, H5P_DEFAULT, &shape) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
}

/* The run has one surface, that of box 5, in its own frame. */
static void expect_surface_of_5(fixture *f)
{
    icf_report_run run;
    assert_int_equal(icf_report_run_open(&f->context, f->scene.output.directory, &run), ICF_OK);
    assert_int_equal(run.rigid.nvertex, 8);
    assert_int_equal(run.rigid.ntriangle, 12);
    const double half[] = {0.05, 0.1, 0.15};
    double volume = 0.0;
    for (icf_lid v = 0; v < 8; ++v) {
        assert_int_equal(run.rigid.body[v], 5);
        for (int k = 0; k < 3; ++k) assert_near(fabs((double)run.rigid.local[v][k]), half[k], 1e-6);
    }
    for (icf_lid t = 0; t < 12; ++t) {
        icf_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            const float *x = run.rigid.local[run.rigid.triangle[t][k]];
            p[k] = icf_vec3_make((double)x[0], (double)x[1], (double)x[2]);
        }
        volume += icf_dot(p[0], icf_cross(p[1], p[2])) / 6.0;
    }
    assert_near(volume, 8.0 * 0.05 * 0.1 * 0.15, 1e-6);
    icf_report_run_close(&run);
}

/* A shape that the page does not know keeps the surface of run.h5. */
static void other_shapes_keep_their_surface(void **state)
{
    fixture *f = *state;
    make_run(f, 3);
    set_shape(f, "static/shape", 5, 99);
    expect_surface_of_5(f);
}

/* Box 5 comes with step 6, in the row of the file that is its row in the report. */
static void who_comes_later_keeps_the_surface_too(void **state)
{
    fixture *f = *state;
    write_emission(f);
    set_shape(f, "static_00000006/shape", 5, 99);
    expect_surface_of_5(f);
}

/* ---- warnings ---- */

/* Warnings of a run with a summary and one line of statistics; of the caller. */
static json_t *warnings_of(fixture *f, const char *summary, const char *lines)
{
    icf_report_run run;
    icf_report_movie movie;
    icf_report_stats stats;
    json_t *object = summary ? json_loads(summary, 0, NULL) : NULL;
    put_stats(f, lines);
    assert_int_equal(icf_report_run_open(&f->context, f->scene.output.directory, &run), ICF_OK);
    assert_int_equal(icf_report_movie_build(&run, 1000000, &movie), ICF_OK);
    assert_int_equal(icf_report_stats_read(&f->context, f->scene.output.directory, &stats), ICF_OK);
    const icf_report_facts facts = {&run, &movie, &stats, object};
    json_t *list = icf_report_warnings(&facts);
    icf_report_run_close(&run);
    icf_report_movie_clear(&movie);
    icf_report_stats_clear(&stats);
    json_decref(object);
    return list;
}

/* The only warning of a run says this; NULL: there is none.  step < 0: it names none. */
static void expect_warning(fixture *f, const char *summary, const char *lines, const char *part, int step)
{
    json_t *list = warnings_of(f, summary, lines);
    assert_int_equal(icf_report_count_warnings(list), part ? 1 : 0);
    if (part) {
        const json_t *first = json_array_get(list, 0), *at = json_object_get(first, "step");
        const char *text = json_string_value(json_object_get(first, "text"));
        if (!strstr(text, part)) fail_msg("%s", text);
        assert_int_equal(at ? json_integer_value(at) : -1, step);
    }
    json_decref(list);
}

#define DONE   "{\"status\": \"done\", \"steps\": 2, \"ranks\": 2}"
#define HEADER "step,time,substeps,penetration_max,momentum_residual,cpu_max,cpu_mean\n"

/* The smallest half extent of a moving body is 0.05 m: a tenth of it is deep. */
static void what_deserves_a_look_is_found(void **state)
{
    fixture *f = *state;
    make_run(f, 3);
    expect_warning(f, DONE, HEADER "1,0.01,1,0.0049,1e-5,2.3,2\n2,0.02,1,0,1e-5,2.3,2\n", NULL, -1);
    expect_warning(f, DONE, HEADER "1,0.01,1,0.001,1e-5,2,2\n2,0.02,1,0.0051,1e-5,2,2\n",
                   "Deep penetration: 0.0051 m at step 2, 10 % of the half extent of the smallest moving body (0.05 m)",
                   2);
    expect_warning(f, DONE, HEADER "1,0.01,2,0,0,2,2\n2,0.02,8,0,0,2,2\n",
                   "2 of 2 steps did not converge and were done again in substeps, at most 8; the first was step 1.",
                   1);
    expect_warning(f, DONE, HEADER "1,0.01,1,0,2e-3,2,2\n", "The momentum error reached 0.002 (relative) at step 1", 1);
    expect_warning(f, DONE, HEADER "1,0.01,1,0,0,6,4\n", "the busiest rank has 1.50 times the mean load", -1);
    expect_warning(f, DONE, HEADER "1,0.01,1,0,0,0.6,0.4\n", NULL, -1); /* too little to matter: a note */
    expect_warning(f, NULL, HEADER "1,0.01,1,0,0,2,2\n", "There is no summary.json", -1);
    expect_warning(f, "{\"status\": \"failed\", \"steps\": 7}", HEADER "1,0.01,1,0,0,2,2\n",
                   "The solver could not go on after step 7", 7);
    expect_warning(f, "{\"status\": \"stopped\", \"steps\": 7}", HEADER "1,0.01,1,0,0,2,2\n", NULL, -1);
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup_eight, teardown)
    const struct CMUnitTest tests[] = {
        TEST(columns_are_read_by_name),        TEST(many_lines_are_merged),
        TEST(wrong_lines_are_named),           TEST(poses_contacts_and_planes_are_read),
        TEST(features_have_64_bits),           TEST(bodies_come_while_the_run_goes_on),
        TEST(other_shapes_keep_their_surface), TEST(who_comes_later_keeps_the_surface_too),
        TEST(what_deserves_a_look_is_found),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
