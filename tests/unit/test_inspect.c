/* What a file holds: results, a checkpoint, and files that are neither. */
#include "results_fixture.h"

#include <hdf5.h>

#include "io/checkpoint.h"
#include "io/inspect.h"

static char *printed(const icf_file_info *info)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    icf_file_info_print(info, "some/file.h5", out);
    fclose(out);
    return text;
}

/* The fixture: floor, three balls (1, 4, 7), plate and box (2, 5), capsules (3, 6). */
static void results_are_described(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_results *results = NULL;
    icf_file_info info;
    f->scene.output.every = 4;
    f->scene.time.steps = 13;
    assert_int_equal(icf_results_open(&f->context, &f->scene, &f->bodies, NULL, -1, &results), ICF_OK);
    assert_int_equal(fixture_write(f, results, 0, 13), ICF_OK);
    assert_int_equal(icf_results_close(&results, &f->bodies, "completed"), ICF_OK);
    assert_int_equal(icf_inspect(&f->context, fixture_path(f, "run.h5", path), &info), ICF_OK);
    assert_int_equal(info.kind, ICF_FILE_RUN);
    assert_int_equal(info.nframe, 5); /* 0, 4, 8, 12, 13 */
    assert_int_equal(info.last_step, 13);
    assert_true(info.last_time == 0.13);
    assert_int_equal(info.nshape[ICF_SHAPE_SPHERE], 3);
    assert_int_equal(info.nshape[ICF_SHAPE_BOX], 2);
    assert_int_equal(info.nshape[ICF_SHAPE_CAPSULE], 2);
    assert_int_equal(info.nshape[ICF_SHAPE_HALF_SPACE], 1);
    assert_int_equal(info.ncontact, 2); /* ids 2 and 5 at step 13 */
    char *text = printed(&info);
    assert_non_null(strstr(text, "some/file.h5: results of a run, format 1\n"));
    assert_non_null(strstr(text, "  bodies     8: 1 half_space, 3 sphere, 2 capsule, 2 box\n"));
    assert_non_null(strstr(text, "  frames     5: steps 0 to 13, t = 0 to 0.13 s\n"));
    assert_non_null(strstr(text, "linear_velocity"));
    free(text);
}

static void a_checkpoint_is_described(void **state)
{
    fixture *f = *state;
    char *path;
    icf_file_info info;
    assert_int_equal(icf_checkpoint_write(&f->context, &f->scene, &f->bodies, 42, &path), ICF_OK);
    assert_int_equal(icf_inspect(&f->context, path, &info), ICF_OK);
    assert_int_equal(info.kind, ICF_FILE_CHECKPOINT);
    assert_int_equal(info.last_step, 42);
    assert_int_equal(info.nbody, 8);
    assert_string_equal(info.scene, "fixture");
    char *text = printed(&info);
    assert_non_null(strstr(text, "  state      step 42, t = 0.42 s\n"));
    free(text);
    icf_free(path);
}

static void other_files_are_refused(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_file_info info;
    snprintf(path, sizeof path, "%s/plain", f->root);
    fixture_put(path, "scene: 1\n");
    assert_int_equal(icf_inspect(&f->context, path, &info), ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "plain: not an HDF5 file, or damaged"));
    icf_clear_failure(&f->context);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_int_equal(icf_inspect(&f->context, path, &info), ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "plain: neither results of a run nor a checkpoint"));
    icf_clear_failure(&f->context);
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup_eight, teardown)
    const struct CMUnitTest tests[] = {
        TEST(results_are_described),
        TEST(a_checkpoint_is_described),
        TEST(other_files_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
