/* Results of a run: contents of all files, restart, replacement, failures, kills, memory and cost. */
#include "results_fixture.h"

#include <hdf5.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "io/h5_file.h"

enum { nbody = 8 };

static int setup(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_init(f, nbody);
    *state = f;
    return 0;
}

static void run(fixture *f, const char *trace, icf_cnt restart, icf_cnt first, icf_cnt last)
{
    icf_results *results = NULL;
    if (icf_results_open(&f->context, &f->scene, &f->bodies, trace, restart, &results) != ICF_OK)
        fail_msg("%s", f->context.message);
    assert_int_equal(fixture_write(f, results, first, last), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "completed"), ICF_OK);
    assert_null(results);
}

/* Reads a whole table of run.h5 on rank 0. */
static hsize_t read_table(fixture *f, const char *name, hid_t type, int columns, void *data, hsize_t room)
{
    char path[512];
    const hid_t file = H5Fopen(fixture_path(f, "run.h5", path), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    const hid_t space = H5Dget_space(dataset);
    hsize_t dims[2] = {0, 1};
    H5Sget_simple_extent_dims(space, dims, NULL);
    assert_int_equal(dims[1], columns);
    assert_true(dims[0] <= room);
    if (data && dims[0] > 0) assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return dims[0];
}

/* Every row of a frame is the state of the body whose id stands beside it, to the last bit. */
static void frames_hold_the_states(void **state)
{
    fixture *f = *state;
    run(f, NULL, -1, 0, 5);
    if (f->context.rank == 0 && f->context.size == 1) {
        icf_gid id[nbody];
        icf_vec3 position[nbody], velocity[nbody];
        icf_quat orientation[nbody];
        assert_int_equal(read_table(f, "/frame_00000003/id", H5T_NATIVE_INT64, 1, id, nbody), nbody);
        read_table(f, "/frame_00000003/position", H5T_NATIVE_DOUBLE, 3, position, nbody);
        read_table(f, "/frame_00000003/orientation", H5T_NATIVE_DOUBLE, 4, orientation, nbody);
        read_table(f, "/frame_00000003/angular_velocity", H5T_NATIVE_DOUBLE, 3, velocity, nbody);
        fixture_set_state(f, 3);
        for (int row = 0; row < nbody; ++row) {
            const icf_lid i = icf_bodies_find(&f->bodies, id[row]);
            assert_memory_equal(&position[row], &f->bodies.position[i], sizeof(icf_vec3));
            assert_memory_equal(&orientation[row], &f->bodies.orientation[i], sizeof(icf_quat));
            assert_memory_equal(&velocity[row], &f->bodies.angular_velocity[i], sizeof(icf_vec3));
        }
    }
}

/* All ids are there once, and each row's position is that of its id, for any number of ranks. */
static void rows_of_all_ranks_are_there(void **state)
{
    fixture *f = *state;
    run(f, NULL, -1, 0, 2);
    MPI_Barrier(f->context.comm);
    if (f->context.rank != 0) return;
    icf_gid id[nbody];
    icf_vec3 position[nbody];
    bool seen[nbody] = {false};
    assert_int_equal(read_table(f, "/frame_00000002/id", H5T_NATIVE_INT64, 1, id, nbody), nbody);
    read_table(f, "/frame_00000002/position", H5T_NATIVE_DOUBLE, 3, position, nbody);
    for (int row = 0; row < nbody; ++row) {
        assert_false(seen[id[row]]);
        seen[id[row]] = true;
        if (id[row] > 0) assert_true(position[row].z == 0.5 + 0.001 * 2.0 * (double)id[row]);
    }
}

/* Contacts without impulse are left out; force = impulse / step on the second body. */
static void frames_hold_loaded_contacts(void **state)
{
    fixture *f = *state;
    run(f, NULL, -1, 0, 5);
    MPI_Barrier(f->context.comm);
    if (f->context.rank != 0) return;
    icf_vec3 force[nbody];
    icf_gid first[nbody], second[nbody];
    double normal_force[nbody];
    /* step 5: ids 1, 4, 7 touch the floor */
    assert_int_equal(read_table(f, "/frame_00000005/contacts/force", H5T_NATIVE_DOUBLE, 3, force, nbody), 3);
    read_table(f, "/frame_00000005/contacts/first_body", H5T_NATIVE_INT64, 1, first, nbody);
    read_table(f, "/frame_00000005/contacts/second_body", H5T_NATIVE_INT64, 1, second, nbody);
    read_table(f, "/frame_00000005/contacts/normal_force", H5T_NATIVE_DOUBLE, 1, normal_force, nbody);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(first[i], 0);
        assert_int_equal(second[i] % 3, 1);
        assert_near(force[i].x, 0.3, 1e-15);
        assert_near(force[i].y, -0.4, 1e-15);
        assert_near(force[i].z, (double)second[i], 1e-14);
        assert_near(normal_force[i], (double)second[i], 1e-14);
    }
    assert_int_equal(read_table(f, "/frame_00000004/contacts/force", H5T_NATIVE_DOUBLE, 3, force, nbody), 0);
}

/* Surface points of a ball lie on its sphere; triangles name points of their own body only. */
static void surfaces_follow_the_bodies(void **state)
{
    fixture *f = *state;
    run(f, NULL, -1, 0, 1);
    MPI_Barrier(f->context.comm);
    if (f->context.rank != 0) return;
    enum { room = 4000 };
    static float point[room][3];
    static int32_t triangle[room][3];
    static icf_gid body[room];
    const hsize_t npoint = read_table(f, "/frame_00000001/points", H5T_NATIVE_FLOAT, 3, point, room);
    const hsize_t n = read_table(f, "/static/triangles", H5T_NATIVE_INT32, 3, triangle, room);
    assert_int_equal(read_table(f, "/static/triangle_body", H5T_NATIVE_INT64, 1, body, room), n);
    int on_ball = 0;
    for (hsize_t t = 0; t < n; ++t)
        for (int k = 0; k < 3; ++k) {
            assert_true(triangle[t][k] >= 0 && (hsize_t)triangle[t][k] < npoint);
            if (body[t] != 4) continue;
            const float *x = point[triangle[t][k]];
            const icf_vec3 arm = {x[0] - 1.2, x[1] - 0.01, x[2] - 0.504}; /* body 4 at step 1 */
            assert_near(icf_norm(arm), 0.05, 1e-6);
            ++on_ball;
        }
    assert_true(on_ball > 600);
}

static void above_the_limit_bodies_are_points(void **state)
{
    fixture *f = *state;
    char path[512];
    f->scene.output.surfaces = nbody - 1;
    run(f, NULL, -1, 0, 1);
    if (f->context.rank != 0) return;
    char *index = fixture_read(fixture_path(f, "run.xmf", path));
    assert_non_null(strstr(index, "/frame_00000001/position"));
    assert_null(strstr(index, "points"));
    assert_true(access(fixture_path(f, "run_bodies.xmf", path), F_OK) != 0);
    free(index);
}

/* Header as documented; values read back to the same bits. */
static void stats_have_the_documented_columns(void **state)
{
    static const char header[] =
        "step,time,candidates,active,islands,largest_island_dofs,iterations_mean,iterations_max,line_search,"
        "factorizations,pcg,kinetic_energy,potential_energy,penetration_max,momentum_residual,ms_total,cpu_ms,"
        "ms_geometry,ms_islands,ms_assembly,ms_factor,ms_solve,ms_line_search,ms_exchange,ms_output,roundoff,"
        "substeps,moved,imbalance,cpu_max,cpu_mean,elastic_energy,reaction_max,"
        "contact_force_max,group_iterations,group_sums,messages,bytes,flops,emitted,waiting,searches,error_signorini_"
        "max,"
        "error_coulomb_max,error_dissipation_max,condition_max,memory_mb,lent,"
        "attachment_force_max\n";
    fixture *f = *state;
    char path[512];
    f->scene.output.every = 7; /* lines do not depend on frames */
    run(f, NULL, -1, 0, 20);
    if (f->context.rank != 0) return;
    char *text = fixture_read(fixture_path(f, "stats.csv", path));
    assert_true(strncmp(text, header, sizeof header - 1) == 0);
    const char *line = text + sizeof header - 1;
    int nline = 0;
    for (const char *c = line; *c; ++c) nline += *c == '\n';
    assert_int_equal(nline, 20);
    assert_true(strncmp(line, "1,0.01,2,1,1,0,0.33333333333333331,2,0,0,0,0.66666666666666663,", 61) == 0);
    const char *second = strchr(line, '\n') + 1;
    assert_true(strncmp(second, "2,0.02,4,2,0,", 13) == 0);
    assert_non_null(strstr(line, ",0.1250,")); /* ms_geometry */
    free(text);
}

/* All columns of stats.csv but those that hold times. */
static void compare_lines(const char *left, const char *right)
{
    for (int column = 0; column < 27; ++column) {
        const size_t n = strcspn(left, ",\n"), m = strcspn(right, ",\n");
        if (column < 15 || column > 24) {
            assert_int_equal(n, m);
            assert_memory_equal(left, right, n);
        }
        left += n + 1;
        right += m + 1;
    }
}

static void compare_files(fixture *f, const char *left_name, const char *right_name, bool times)
{
    char left_path[512], right_path[512];
    snprintf(left_path, sizeof left_path, "%s/%s", f->root, left_name);
    snprintf(right_path, sizeof right_path, "%s/%s", f->root, right_name);
    char *left = fixture_read(left_path), *right = fixture_read(right_path);
    assert_non_null(left);
    assert_non_null(right);
    if (!times) assert_string_equal(left, right);
    const char *l = left, *r = right;
    for (; times && *l && *r; l = strchr(l, '\n') + 1, r = strchr(r, '\n') + 1) compare_lines(l, r);
    if (times) assert_true(*l == '\0' && *r == '\0');
    free(left);
    free(right);
}

/* 20 steps at once, and 10 (with 3 more that a kill cut off) then 10 after a restart. */
static void restart_gives_the_same_files(void **state)
{
    fixture *f = *state;
    char trace[512];
    f->scene.output.every = 3;
    f->scene.output.ranks = true;
    fixture_set_directory(f, "once");
    snprintf(trace, sizeof trace, "%s/once.jsonl", f->root);
    run(f, trace, -1, 0, 20);
    fixture_set_directory(f, "twice");
    snprintf(trace, sizeof trace, "%s/twice.jsonl", f->root);
    f->scene.time.steps = 13;
    run(f, trace, -1, 0, 13); /* step 13 is a frame because it is the last */
    f->scene.time.steps = 20;
    run(f, trace, 10, 11, 20);
    if (f->context.rank != 0) return;
    compare_files(f, "once.jsonl", "twice.jsonl", false);
    compare_files(f, "once/run.xmf", "twice/run.xmf", false);
    compare_files(f, "once/run_bodies.xmf", "twice/run_bodies.xmf", false);
    compare_files(f, "once/run_contacts.xmf", "twice/run_contacts.xmf", false);
    compare_files(f, "once/stats.csv", "twice/stats.csv", true);
    compare_files(f, "once/ranks.csv", "twice/ranks.csv", false);
    icf_vec3 position[nbody];
    assert_int_equal(read_table(f, "/frame_00000009/position", H5T_NATIVE_DOUBLE, 3, position, nbody), nbody);
    assert_int_equal(read_table(f, "/frame_00000018/position", H5T_NATIVE_DOUBLE, 3, position, nbody), nbody);
    char path[512];
    const hid_t file = H5Fopen(fixture_path(f, "run.h5", path), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "frame_00000013", H5P_DEFAULT) == 0);
    H5Fclose(file);
}

/* Ending at a step that is a frame only because it is the last, then going on from it. */
static void restart_at_the_last_step_drops_its_extra_frame(void **state)
{
    fixture *f = *state;
    char trace[512];
    f->scene.output.every = 3;
    fixture_set_directory(f, "once");
    snprintf(trace, sizeof trace, "%s/once.jsonl", f->root);
    run(f, trace, -1, 0, 20);
    fixture_set_directory(f, "twice");
    snprintf(trace, sizeof trace, "%s/twice.jsonl", f->root);
    f->scene.time.steps = 10;
    run(f, trace, -1, 0, 10);
    f->scene.time.steps = 20;
    run(f, trace, 10, 10, 20); /* step 10 is there already: skipped */
    if (f->context.rank != 0) return;
    compare_files(f, "once.jsonl", "twice.jsonl", false);
    compare_files(f, "once/run.xmf", "twice/run.xmf", false);
    compare_files(f, "once/stats.csv", "twice/stats.csv", true);
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* Means over all steps; with a restart the steps before it count as well. */
static void summary_covers_all_steps(void **state)
{
    fixture *f = *state;
    char path[512];
    f->scene.time.steps = 10;
    run(f, NULL, -1, 0, 10);
    f->scene.time.steps = 20;
    run(f, NULL, 10, 11, 20);
    if (f->context.rank != 0) return;
    json_t *object = json_load_file(fixture_path(f, "summary.json", path), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "scene")), "fixture");
    assert_string_equal(json_string_value(json_object_get(object, "status")), "completed");
    assert_string_equal(json_string_value(json_object_get(object, "model")), "lagged");
    assert_true(number(object, "steps") == 20.0);
    assert_true(number(object, "time") == 0.2);
    assert_near(number(object, "contacts_mean"), 21.0, 1e-12);         /* mean of 2, 4, ..., 40 */
    assert_near(number(object, "iterations_mean"), 10.0 / 3.0, 1e-12); /* odd steps: mean of n / 3 */
    assert_true(number(object, "iterations_max") == 21.0);
    assert_near(number(object, "penetration_max"), 2e-4, 1e-18);
    assert_near(number(object, "ms_geometry"), 0.125, 1e-9);
    assert_true(number(object, "peak_memory_mb") > 1.0);
    char checksum[20];
    if (f->context.size == 1) {
        snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)icf_bodies_checksum(&f->bodies));
        assert_string_equal(json_string_value(json_object_get(object, "checksum")), checksum);
    }
    json_decref(object);
}

/* A line a rank and step; those of a run before are gone, and without the key there is no file. */
static void every_rank_has_its_lines(void **state)
{
    fixture *f = *state;
    char path[512], line[256];
    f->scene.output.ranks = true;
    run(f, NULL, -1, 0, 7);
    run(f, NULL, -1, 0, 3);
    if (f->context.rank == 0) {
        FILE *file = fopen(fixture_path(f, "ranks.csv", path), "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, "step,rank,cpu,bodies,candidates,messages,bytes\n");
        for (int step = 1; step <= 3; ++step)
            for (int rank = 0; rank < f->context.size; ++rank) {
                char expected[256];
                snprintf(expected, sizeof expected, "%d,%d,%d.5000,%d,%d,%d,%d\n", step, rank, rank, 1 + rank, 2 * step,
                         step, 1000 * rank);
                assert_non_null(fgets(line, sizeof line, file));
                assert_string_equal(line, expected);
            }
        assert_null(fgets(line, sizeof line, file));
        fclose(file);
    }
    MPI_Barrier(f->context.comm);
    f->scene.output.ranks = false;
    run(f, NULL, -1, 0, 1);
    if (f->context.rank == 0) assert_true(access(fixture_path(f, "ranks.csv", path), F_OK) != 0);
}

static void a_new_run_replaces_its_files_and_nothing_else(void **state)
{
    fixture *f = *state;
    static const char *const old[] = {"run.xmf",   "summary.json", "checkpoint-12.h5", "checkpoint-7.h5.tmp",
                                      "stats.csv", "ranks.csv"};
    static const char *const others[] = {"notes.txt", "checkpoint-best.h5", "checkpoint-.h5", "my-run.h5",
                                         "checkpoint-1.h5.bak"};
    char path[512];
    if (f->context.rank == 0) {
        mkdir(f->scene.output.directory, 0777);
        for (size_t i = 0; i < sizeof old / sizeof old[0]; ++i) fixture_put(fixture_path(f, old[i], path), "old");
        for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
            fixture_put(fixture_path(f, others[i], path), "mine");
    }
    MPI_Barrier(f->context.comm);
    run(f, NULL, -1, 0, 1);
    if (f->context.rank != 0) return;
    for (size_t i = 0; i < sizeof old / sizeof old[0]; ++i) {
        char *text = fixture_read(fixture_path(f, old[i], path));
        if (text) assert_string_not_equal(text, "old");
        free(text);
    }
    assert_true(access(fixture_path(f, "checkpoint-12.h5", path), F_OK) != 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        char *text = fixture_read(fixture_path(f, others[i], path));
        assert_non_null(text);
        assert_string_equal(text, "mine");
        free(text);
    }
}

static void expect_failure(fixture *f, const char *trace, const char *part)
{
    icf_results *results = NULL;
    icf_clear_failure(&f->context);
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, trace, -1, &results), ICF_ERROR_FILE);
    assert_null(results);
    if (!strstr(f->context.message, part)) fail_msg("'%s' does not say '%s'", f->context.message, part);
    icf_clear_failure(&f->context);
}

static void a_wrong_directory_is_a_clear_error(void **state)
{
    fixture *f = *state;
    char path[512], expected[600];
    snprintf(path, sizeof path, "%s/file", f->root);
    if (f->context.rank == 0) fixture_put(path, "mine");
    MPI_Barrier(f->context.comm);
    fixture_set_directory(f, "file");
    snprintf(expected, sizeof expected, "%s: Not a directory", path);
    expect_failure(f, NULL, expected);
    fixture_set_directory(f, "file/below");
    expect_failure(f, NULL, "Not a directory");
    fixture_set_directory(f, "a/b/c"); /* parents are created */
    expect_failure(f, "/proc/none/trace.jsonl", "/proc/none/trace.jsonl: No such file or directory");
    assert_int_equal(icf_scene_set_text(&f->scene.output.directory, "/proc/icf"), ICF_OK);
    expect_failure(f, NULL, "/proc/icf: ");
    if (f->context.rank != 0) return;
    char *text = fixture_read(path);
    assert_string_equal(text, "mine");
    free(text);
}

static void a_second_run_is_kept_out(void **state)
{
    fixture *f = *state;
    if (f->context.size > 1) skip();
    icf_results *results = NULL;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(fixture_write(f, results, 0, 3), ICF_OK);
    expect_failure(f, NULL, "another run is writing to it");
    assert_int_equal(fixture_write(f, results, 4, 5), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "completed"), ICF_OK);
    assert_int_equal(read_table(f, "/frame_00000005/id", H5T_NATIVE_INT64, 1, NULL, nbody), nbody);
}

static void a_damaged_file_is_refused_at_restart(void **state)
{
    fixture *f = *state;
    char path[512];
    run(f, NULL, -1, 0, 3);
    if (f->context.rank == 0) assert_int_equal(truncate(fixture_path(f, "run.h5", path), 3000), 0);
    MPI_Barrier(f->context.comm);
    icf_results *results = NULL;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, 3, &results), ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "run.h5: not an HDF5 file, or damaged: truncated file"));
    icf_clear_failure(&f->context);
}

/* Lines of stats.csv are whole, the last frame that the index names can be read. */
static void check_after_accident(fixture *f)
{
    char path[512], name[64];
    char *csv = fixture_read(fixture_path(f, "stats.csv", path));
    assert_non_null(csv);
    if (csv[0]) assert_int_equal(csv[strlen(csv) - 1], '\n');
    free(csv);
    char *index = fixture_read(fixture_path(f, "run.xmf", path));
    assert_non_null(index);
    const char *last = NULL;
    for (const char *c = index; (c = strstr(c, "<Grid Name=\"frame_")); ++c) last = c;
    assert_non_null(last);
    static const char footer[] = "</Grid></Domain></Xdmf>\n";
    assert_string_equal(index + strlen(index) - (sizeof footer - 1), footer);
    snprintf(name, sizeof name, "/%.14s/position", last + 12);
    assert_int_equal(read_table(f, name, H5T_NATIVE_DOUBLE, 3, NULL, nbody), nbody);
    free(index);
}

/* A disk of 200 kB: the run fails with the system's words, and what is there is whole. */
static void a_full_disk_leaves_whole_files(void **state)
{
    fixture *f = *state;
    char path[512];
    if (f->context.size > 1) skip();
    snprintf(path, sizeof path, "%s/disk", f->root);
    mkdir(path, 0777);
    if (mount("tmpfs", path, "tmpfs", 0, "size=300k") != 0) skip();
    fixture_set_directory(f, "disk/out");
    icf_results *results = NULL;
    icf_status status = icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results);
    assert_int_equal(status, ICF_OK);
    f->scene.time.steps = 1000;
    status = fixture_write(f, results, 0, 1000);
    assert_int_equal(status, ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "disk/out/"));
    assert_non_null(strstr(f->context.message, "No space left on device"));
    icf_clear_failure(&f->context);
    /* depending on what is left there may be room for the summary or not */
    status = icf_results_close(&results, &f->bodies, "failed");
    assert_true(status == ICF_OK || status == ICF_ERROR_FILE);
    assert_null(results);
    icf_clear_failure(&f->context);
    check_after_accident(f);
    assert_true(access(fixture_path(f, "summary.json.tmp", path), F_OK) != 0);
    snprintf(path, sizeof path, "%s/disk", f->root);
    assert_int_equal(umount2(path, MNT_DETACH), 0);
}

/* A disk on which a run cannot even start: nothing is left in the directory. */
static void a_run_that_cannot_start_leaves_nothing(void **state)
{
    fixture *f = *state;
    char path[512];
    if (f->context.size > 1) skip();
    snprintf(path, sizeof path, "%s/disk", f->root);
    mkdir(path, 0777);
    if (mount("tmpfs", path, "tmpfs", 0, "size=64k") != 0) skip();
    fixture_set_directory(f, "disk/out");
    expect_failure(f, NULL, "run.h5: No space left on device");
    assert_int_equal(rmdir(f->scene.output.directory), 0); /* empty */
    assert_int_equal(umount2(path, MNT_DETACH), 0);
}

/* Child of the kill test: writes without end and reports on a pipe when frames have been flushed. */
static int write_until_killed(const char *directory)
{
    fixture f;
    fixture_init(&f, nbody);
    rmdir(f.root);
    f.scene.time.steps = 1000000;
    if (icf_scene_set_text(&f.scene.output.directory, directory) != ICF_OK) return 1;
    icf_results *results = NULL;
    if (icf_results_open(&f.context, &f.scene, &f.bodies, NULL, -1, &results) != ICF_OK) return 1;
    for (icf_cnt step = 0; step < 1000000; ++step) {
        if (fixture_write(&f, results, step, step) != ICF_OK) return 1;
        if (step == 20 && (icf_results_flush(results) != ICF_OK || write(STDOUT_FILENO, "x", 1) != 1)) return 1;
    }
    return 0;
}

static void what_was_flushed_survives_a_kill(void **state)
{
    fixture *f = *state;
    if (f->context.size > 1) skip();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = {"test_results", "--write", f->scene.output.directory, NULL};
        dup2(ends[1], STDOUT_FILENO);
        execv("/proc/self/exe", arguments);
        _exit(1);
    }
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    check_after_accident(f);
    icf_vec3 position[nbody];
    assert_int_equal(read_table(f, "/frame_00000020/position", H5T_NATIVE_DOUBLE, 3, position, nbody), nbody);
    assert_true(position[5].z == 0.5 + 0.001 * 20.0 * 5.0);
    /* and the run can be continued */
    f->scene.time.steps = 30;
    run(f, NULL, 20, 21, 30);
    assert_int_equal(read_table(f, "/frame_00000030/id", H5T_NATIVE_INT64, 1, NULL, nbody), nbody);
}

/* Where the header of an object of run.h5 lies in the file. */
static off_t header_of(fixture *f, const char *name)
{
    char path[512];
    H5O_info_t info;
    const hid_t file = H5Fopen(fixture_path(f, "run.h5", path), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    assert_true(object >= 0);
    assert_true(H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0);
    assert_int_equal(info.rc, 1);
    H5Oclose(object);
    H5Fclose(file);
    return (off_t)info.addr;
}

/* A kill between the two writes that link a frame: the link is there, and the frame does not count it. */
static void a_link_that_is_not_counted_can_be_cut(void **state)
{
    fixture *f = *state;
    char path[512];
    if (f->context.size > 1) skip();
    f->scene.output.every = 5;
    run(f, NULL, -1, 0, 15);
    const off_t header = header_of(f, "/frame_00000015");
    const int file = open(fixture_path(f, "run.h5", path), O_RDWR);
    unsigned char version = 0;
    assert_int_equal(pread(file, &version, 1, header), 1);
    assert_int_equal(version, 1); /* byte 4 on is the count */
    assert_int_equal(pwrite(file, (const uint32_t[1]){0}, sizeof(uint32_t), header + 4), sizeof(uint32_t));
    close(file);
    f->scene.time.steps = 20;
    run(f, NULL, 10, 11, 20);
    assert_int_equal(read_table(f, "/frame_00000015/id", H5T_NATIVE_INT64, 1, NULL, nbody), nbody);
    assert_int_equal(read_table(f, "/frame_00000020/id", H5T_NATIVE_INT64, 1, NULL, nbody), nbody);
    header_of(f, "/frame_00000015");
}

/* Sanitizers keep what is freed, so resident memory says nothing with them. */
#ifndef __has_feature
#    define __has_feature(name) 0 /* gcc defines __SANITIZE_... instead */
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
enum { sanitized = true };
#else
enum { sanitized = false };
#endif

static long resident_kb(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* 2000 frames (fewer on several ranks): no open object but the file, memory for their names at most. */
static void many_frames_take_no_memory(void **state)
{
    fixture *f = *state;
    icf_results *results = NULL;
    const icf_cnt half = f->context.size > 1 ? 100 : 1000, last = 3 * half;
    f->scene.time.steps = last;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(fixture_write(f, results, 0, half), ICF_OK);
    assert_int_equal(icf_results_flush(results), ICF_OK); /* frames stay open until they are flushed */
    const long before = resident_kb();
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 1);
    assert_int_equal(fixture_write(f, results, half + 1, last), ICF_OK);
    assert_int_equal(icf_results_flush(results), ICF_OK);
    const long after = resident_kb();
    print_message("resident memory over %d frames: %ld kB -> %ld kB\n", (int)(last - half), before, after);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 1);
    /* with several ranks the buffers of MPI fill slowly, whatever is sent */
    if (f->context.size == 1 && !sanitized) assert_true(after - before < 8192);
    assert_int_equal(icf_results_close(&results, &f->bodies, "completed"), ICF_OK);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* Printed for the record; the bounds only catch blunders. */
static void frames_and_lines_are_cheap(void **state)
{
    enum { nframe = 201, nline = 20000 };
    if (((fixture *)*state)->context.size > 1) skip();
    fixture large;
    fixture_init(&large, 1000);
    large.scene.output.surfaces = 0;
    large.scene.time.steps = 300;
    icf_results *results = NULL;
    assert_int_equal(icf_results_open(&large.context, &large.scene, &large.bodies, NULL, -1, &results), ICF_OK);
    const double start = icf_clock_cpu();
    assert_int_equal(fixture_write(&large, results, 0, nframe - 1), ICF_OK);
    const double frame = (icf_clock_cpu() - start) / nframe;
    large.scene.output.every = 1000000;
    large.scene.time.steps = 1000000;
    const double begin = icf_clock_cpu();
    for (icf_cnt step = nframe; step < nframe + nline; ++step) {
        const icf_step_stats stats = fixture_stats(&large, step);
        assert_int_equal(icf_results_write(results, &large.bodies, NULL, &stats), ICF_OK);
    }
    const double line = (icf_clock_cpu() - begin) / nline;
    print_message("frame of 1000 bodies: %.3f ms CPU; line of stats.csv: %.2f us CPU\n", 1e3 * frame, 1e6 * line);
    assert_true(frame < 0.02);
    assert_true(line < 2e-4);
    assert_int_equal(icf_results_close(&results, &large.bodies, "completed"), ICF_OK);
    fixture_clear(&large);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_until_killed(argv[2]);
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(frames_hold_the_states),
        TEST(rows_of_all_ranks_are_there),
        TEST(frames_hold_loaded_contacts),
        TEST(surfaces_follow_the_bodies),
        TEST(above_the_limit_bodies_are_points),
        TEST(stats_have_the_documented_columns),
        TEST(restart_gives_the_same_files),
        TEST(every_rank_has_its_lines),
        TEST(restart_at_the_last_step_drops_its_extra_frame),
        TEST(summary_covers_all_steps),
        TEST(a_new_run_replaces_its_files_and_nothing_else),
        TEST(a_wrong_directory_is_a_clear_error),
        TEST(a_second_run_is_kept_out),
        TEST(a_damaged_file_is_refused_at_restart),
        TEST(a_full_disk_leaves_whole_files),
        TEST(a_run_that_cannot_start_leaves_nothing),
        TEST(what_was_flushed_survives_a_kill),
        TEST(a_link_that_is_not_counted_can_be_cut),
        TEST(many_frames_take_no_memory),
        TEST(frames_and_lines_are_cheap),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
