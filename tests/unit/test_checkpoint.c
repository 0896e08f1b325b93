/* Checkpoint: round trip to the last bit, refusal of other scenes, damage, failures of the disk. */
#include "results_fixture.h"

#include <fcntl.h>
#include <hdf5.h>

#include "io/checkpoint.h"

enum { nbody = 9 };

static int setup(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_init(f, nbody);
    fixture_set_state(f, 7);
    *state = f;
    return 0;
}

static char *write_checkpoint(fixture *f, icf_cnt step)
{
    char *path = NULL;
    assert_int_equal(icf_checkpoint_write(&f->context, &f->scene, &f->bodies, step, &path), ICF_OK);
    assert_non_null(path);
    return path;
}

/* Reads into a changed state and expects a failure whose text has a part. */
static void expect_refusal(fixture *f, const char *path, icf_status expected, const char *part)
{
    icf_cnt step;
    icf_clear_failure(&f->context);
    assert_int_equal(icf_checkpoint_read(&f->context, path, &f->scene, &f->bodies, &step), expected);
    if (!strstr(f->context.message, part)) fail_msg("'%s' does not say '%s'", f->context.message, part);
    icf_clear_failure(&f->context);
}

static void state_comes_back_to_the_last_bit(void **state)
{
    fixture *f = *state;
    const size_t n = (size_t)f->bodies.n;
    f->bodies.position[0].x = 4.9406564584124654e-324; /* smallest number */
    f->bodies.linear_velocity[0].y = -0.0;
    icf_vec3 position[nbody + 1], linear[nbody + 1], angular[nbody + 1];
    icf_quat orientation[nbody + 1];
    memcpy(position, f->bodies.position, n * sizeof *position);
    memcpy(orientation, f->bodies.orientation, n * sizeof *orientation);
    memcpy(linear, f->bodies.linear_velocity, n * sizeof *linear);
    memcpy(angular, f->bodies.angular_velocity, n * sizeof *angular);
    char *path = write_checkpoint(f, 7);
    char expected[512];
    assert_string_equal(path, fixture_path(f, "checkpoint-7.h5", expected));
    fixture_set_state(f, 3);
    f->bodies.position[0] = icf_vec3_make(1.0, 1.0, 1.0);
    f->bodies.linear_velocity[0].y = 5.0;
    icf_cnt step = -1;
    assert_int_equal(icf_checkpoint_read(&f->context, path, &f->scene, &f->bodies, &step), ICF_OK);
    assert_int_equal(step, 7);
    /* the floor is a ghost on other ranks: only rank 0 changed it */
    const size_t own = (size_t)f->bodies.nowned;
    assert_memory_equal(position, f->bodies.position, own * sizeof *position);
    assert_memory_equal(orientation, f->bodies.orientation, own * sizeof *orientation);
    assert_memory_equal(linear, f->bodies.linear_velocity, own * sizeof *linear);
    assert_memory_equal(angular, f->bodies.angular_velocity, own * sizeof *angular);
    icf_free(path);
}

/* A file of one distribution is read by another: here everything by one rank, ghosts included. */
static void rows_may_lie_anywhere(void **state)
{
    fixture *f = *state;
    char *path = write_checkpoint(f, 7);
    if (f->context.rank == 0) {
        icf_context alone;
        icf_bodies all;
        icf_cnt step;
        assert_int_equal(icf_context_init(&alone, MPI_COMM_SELF, 1), ICF_OK);
        icf_bodies_init(&all);
        for (icf_gid gid = 0; gid < nbody; ++gid) {
            const icf_body_def def = fixture_def(gid);
            assert_int_equal(icf_bodies_add(&all, &def, true), ICF_OK);
        }
        assert_int_equal(icf_checkpoint_read(&alone, path, &f->scene, &all, &step), ICF_OK);
        for (icf_lid i = 1; i < nbody; ++i) assert_true(all.position[i].z == 0.5 + 0.001 * 7.0 * (double)all.gid[i]);
        icf_bodies_clear(&all);
        icf_context_clear(&alone);
    }
    MPI_Barrier(f->context.comm);
    icf_free(path);
}

/* Ghosts get the state of their owners. */
static void ghosts_are_read_too(void **state)
{
    fixture *f = *state;
    if (f->context.size > 1) skip();
    char *path = write_checkpoint(f, 7);
    icf_bodies part;
    icf_bodies_init(&part);
    for (icf_gid gid = 0; gid < nbody; ++gid) {
        const icf_body_def def = fixture_def(gid);
        assert_int_equal(icf_bodies_add(&part, &def, true), ICF_OK);
    }
    part.nowned = nbody - 2; /* the last two become ghosts: digest and checksum then miss them */
    icf_cnt step;
    assert_int_equal(icf_checkpoint_read(&f->context, path, &f->scene, &part, &step), ICF_ERROR_SCENE);
    part.nowned = nbody;
    assert_int_equal(icf_checkpoint_read(&f->context, path, &f->scene, &part, &step), ICF_OK);
    assert_memory_equal(part.position, f->bodies.position, nbody * sizeof *part.position);
    icf_bodies_clear(&part);
    icf_free(path);
}

static void another_scene_is_refused(void **state)
{
    fixture *f = *state;
    char *path = write_checkpoint(f, 7);
    const icf_lid last = f->bodies.nowned - 1;
    f->bodies.mass[last] += 1e-12;
    expect_refusal(f, path, ICF_ERROR_SCENE, "other masses, shapes or motions");
    f->bodies.mass[last] -= 1e-12;
    f->bodies.mass[last] = fixture_def(f->bodies.gid[last]).mass;
    f->bodies.shape[last].radius += 1e-9;
    expect_refusal(f, path, ICF_ERROR_SCENE, "other masses, shapes or motions");
    f->bodies.shape[last] = fixture_def(f->bodies.gid[last]).shape;
    f->scene.nbody = nbody + 1;
    expect_refusal(f, path, ICF_ERROR_SCENE, "holds 9 bodies, the scene 10");
    f->scene.nbody = nbody;
    f->scene.time.step = 0.02;
    expect_refusal(f, path, ICF_ERROR_SCENE, "written with time.step 0.01");
    f->scene.time.step = 0.01;
    icf_cnt step;
    assert_int_equal(icf_checkpoint_read(&f->context, path, &f->scene, &f->bodies, &step), ICF_OK);
    icf_free(path);
}

/* Changes one byte of a file where a bit pattern stands. */
static void damage(const char *path, const void *pattern, size_t n)
{
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    char bytes[1 << 16];
    const ssize_t size = read(fd, bytes, sizeof bytes);
    const char *at = memmem(bytes, (size_t)size, pattern, n);
    assert_non_null(at);
    const char changed = (char)(*at ^ 1);
    assert_int_equal(pwrite(fd, &changed, 1, at - bytes), 1);
    close(fd);
}

static void damaged_files_are_refused(void **state)
{
    fixture *f = *state;
    char other[512];
    char *path = write_checkpoint(f, 7);
    if (f->context.rank == 0) damage(path, &f->bodies.position[2], sizeof(double));
    MPI_Barrier(f->context.comm);
    expect_refusal(f, path, ICF_ERROR_FILE, "damaged: the state does not have the checksum");
    if (f->context.rank == 0) assert_int_equal(truncate(path, 2000), 0);
    MPI_Barrier(f->context.comm);
    expect_refusal(f, path, ICF_ERROR_FILE, "checkpoint-7.h5: not an HDF5 file, or damaged: truncated file");
    if (f->context.rank == 0) assert_int_equal(truncate(path, 0), 0);
    MPI_Barrier(f->context.comm);
    expect_refusal(f, path, ICF_ERROR_FILE, "file signature not found");
    if (f->context.rank == 0) fixture_put(path, "not HDF5 at all, but long enough to look at");
    MPI_Barrier(f->context.comm);
    expect_refusal(f, path, ICF_ERROR_FILE, "file signature not found");
    expect_refusal(f, fixture_path(f, "none.h5", other), ICF_ERROR_FILE, "none.h5: No such file or directory");
    expect_refusal(f, f->scene.output.directory, ICF_ERROR_FILE, "out: Is a directory");
    icf_free(path);
}

static void results_are_not_a_checkpoint(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_results *results = NULL;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "completed"), ICF_OK);
    expect_refusal(f, fixture_path(f, "run.h5", path), ICF_ERROR_FILE, "run.h5: not an icf checkpoint file");
}

/* A full disk leaves the earlier checkpoint of that name and no temporary file. */
static void a_full_disk_leaves_nothing(void **state)
{
    fixture *f = *state;
    char path[512];
    if (f->context.size > 1) skip();
    snprintf(path, sizeof path, "%s/disk", f->root);
    mkdir(path, 0777);
    if (mount("tmpfs", path, "tmpfs", 0, "size=64k") != 0) skip();
    fixture_set_directory(f, "disk");
    char *written = NULL;
    assert_int_equal(icf_checkpoint_write(&f->context, &f->scene, &f->bodies, 7, &written), ICF_ERROR_FILE);
    assert_null(written);
    assert_non_null(strstr(f->context.message, "No space left on device"));
    icf_clear_failure(&f->context);
    assert_true(access(fixture_path(f, "checkpoint-7.h5", path), F_OK) != 0);
    assert_true(access(fixture_path(f, "checkpoint-7.h5.tmp", path), F_OK) != 0);
    assert_int_equal(umount2(f->scene.output.directory, MNT_DETACH), 0);
}

static void a_checkpoint_replaces_one_of_its_step(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_free(write_checkpoint(f, 7));
    fixture_set_state(f, 8);
    char *again = write_checkpoint(f, 7);
    fixture_set_state(f, 9);
    icf_cnt step;
    assert_int_equal(icf_checkpoint_read(&f->context, again, &f->scene, &f->bodies, &step), ICF_OK);
    const icf_lid last = f->bodies.nowned - 1;
    assert_true(f->bodies.position[last].y == 0.08);
    assert_true(access(fixture_path(f, "checkpoint-7.h5.tmp", path), F_OK) != 0);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    icf_free(again);
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(state_comes_back_to_the_last_bit),
        TEST(rows_may_lie_anywhere),
        TEST(ghosts_are_read_too),
        TEST(another_scene_is_refused),
        TEST(damaged_files_are_refused),
        TEST(results_are_not_a_checkpoint),
        TEST(a_full_disk_leaves_nothing),
        TEST(a_checkpoint_replaces_one_of_its_step),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
