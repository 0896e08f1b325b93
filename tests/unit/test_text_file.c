/* Text in memory and files of whole lines: numbers, footers, cuts, locks, a disk that is full. */
#include "results_fixture.h"

#include <fcntl.h>
#include <inttypes.h>

#include "io/file.h"
#include "io/text_file.h"

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_int_equal(icf_context_init(&f->context, MPI_COMM_WORLD, 1), ICF_OK);
    fixture_create_root(f);
    *state = f;
    return 0;
}

static const char *in_root(const fixture *f, const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", f->root, name);
    return path;
}

/* Whole numbers as printf writes them, over the whole range; numbers read back to the same bits. */
static void numbers_are_exact(void **state)
{
    (void)state;
    const icf_cnt counts[] = {0, 7, -7, 10, -1000000, INT64_MAX, INT64_MIN};
    const double numbers[] = {0.1, 1.0 / 3.0, -0.0, 4.9406564584124654e-324, 1.7976931348623157e308, 1e22};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        icf_text text = {0};
        char expected[32];
        icf_text_put_count(&text, counts[i]);
        icf_text_append(&text, "", 1);
        snprintf(expected, sizeof expected, "%" PRId64, counts[i]);
        assert_string_equal(text.bytes, expected);
        icf_text_clear(&text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        icf_text text = {0};
        icf_text_put_number(&text, numbers[i]);
        icf_text_append(&text, "", 1);
        const double back = strtod(text.bytes, NULL);
        assert_memory_equal(&back, &numbers[i], sizeof back);
        icf_text_clear(&text);
    }
}

/* After every flush the file ends with the footer, which the next lines replace. */
static void footer_follows_the_lines(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_text_file file;
    assert_int_equal(icf_text_file_open(&f->context, &file, in_root(f, "a", path), "end\n"), ICF_OK);
    icf_text_put(&file.text, "one\n");
    assert_int_equal(icf_text_file_flush(&f->context, &file), ICF_OK);
    char *text = fixture_read(path);
    assert_string_equal(text, "one\nend\n");
    free(text);
    icf_text_put(&file.text, "two\n");
    assert_int_equal(icf_text_file_close(&f->context, &file), ICF_OK);
    text = fixture_read(path);
    assert_string_equal(text, "one\ntwo\nend\n");
    free(text);
}

static bool until_c(void *user, char *line)
{
    ++*(int *)user;
    return line[0] != 'c';
}

/* Lines are offered whole; one that a kill left unfinished is not. */
static void scan_finds_where_to_cut(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_text_file file;
    int nline = 0;
    off_t size;
    fixture_put(in_root(f, "a", path), "a\nbb\nc\nd\n");
    assert_int_equal(icf_text_file_open(&f->context, &file, path, ""), ICF_OK);
    assert_int_equal(icf_text_file_scan(&f->context, &file, until_c, &nline, &size), ICF_OK);
    assert_int_equal(nline, 3);
    assert_int_equal(size, 5);
    assert_int_equal(icf_text_file_cut(&f->context, &file, size), ICF_OK);
    icf_text_put(&file.text, "e\nunfinished");
    assert_int_equal(icf_text_file_close(&f->context, &file), ICF_OK);
    char *text = fixture_read(path);
    assert_string_equal(text, "a\nbb\ne\nunfinished");
    free(text);
    assert_int_equal(icf_text_file_open(&f->context, &file, path, ""), ICF_OK);
    assert_int_equal(icf_text_file_scan(&f->context, &file, until_c, &nline, &size), ICF_OK);
    assert_int_equal(size, 7);
    assert_int_equal(icf_text_file_close(&f->context, &file), ICF_OK);
}

static void a_locked_file_is_refused(void **state)
{
    fixture *f = *state;
    char path[512];
    icf_text_file file, second;
    assert_int_equal(icf_text_file_open(&f->context, &file, in_root(f, "a", path), ""), ICF_OK);
    assert_int_equal(icf_text_file_open(&f->context, &second, path, ""), ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "/a: another run is writing to it"));
    icf_clear_failure(&f->context);
    assert_int_equal(icf_text_file_close(&f->context, &file), ICF_OK);
    assert_int_equal(icf_text_file_open(&f->context, &second, path, ""), ICF_OK);
    assert_int_equal(icf_text_file_close(&f->context, &second), ICF_OK);
}

/* What does not fit is dropped whole, and the file ends as after the last flush that went well. */
static void a_full_disk_leaves_the_last_good_state(void **state)
{
    fixture *f = *state;
    char path[512], disk[512];
    icf_text_file file;
    mkdir(in_root(f, "disk", disk), 0777);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=16k") != 0) skip();
    assert_int_equal(icf_text_file_open(&f->context, &file, in_root(f, "disk/a", path), "end\n"), ICF_OK);
    icf_text_put(&file.text, "good\n");
    assert_int_equal(icf_text_file_flush(&f->context, &file), ICF_OK);
    for (int i = 0; i < 10000; ++i) icf_text_put(&file.text, "too much\n");
    assert_int_equal(icf_text_file_flush(&f->context, &file), ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "disk/a: No space left on device"));
    icf_clear_failure(&f->context);
    char *text = fixture_read(path);
    assert_string_equal(text, "good\nend\n");
    free(text);
    assert_int_equal(icf_text_file_close(&f->context, &file), ICF_OK);
    assert_int_equal(umount2(disk, MNT_DETACH), 0);
}

static void commit_replaces_at_once_or_leaves_nothing(void **state)
{
    fixture *f = *state;
    char temporary[512], path[512];
    fixture_put(in_root(f, "new.tmp", temporary), "new");
    fixture_put(in_root(f, "file", path), "old");
    assert_int_equal(icf_file_commit(&f->context, temporary, path), ICF_OK);
    char *text = fixture_read(path);
    assert_string_equal(text, "new");
    free(text);
    assert_true(access(temporary, F_OK) != 0);
    fixture_put(temporary, "newer");
    mkdir(in_root(f, "directory", path), 0777);
    assert_int_equal(icf_file_commit(&f->context, temporary, path), ICF_ERROR_FILE);
    assert_non_null(strstr(f->context.message, "/directory: Is a directory"));
    icf_clear_failure(&f->context);
    assert_true(access(temporary, F_OK) != 0);
}

static void directories_are_created_with_parents(void **state)
{
    fixture *f = *state;
    char path[512];
    assert_int_equal(icf_directory_create(&f->context, in_root(f, "x/y//z/", path)), ICF_OK);
    assert_int_equal(icf_directory_create(&f->context, path), ICF_OK);
    assert_int_equal(access(path, W_OK), 0);
    assert_int_equal(icf_directory_create(&f->context, ""), ICF_ERROR_FILE);
    icf_clear_failure(&f->context);
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_exact),
        TEST(footer_follows_the_lines),
        TEST(scan_finds_where_to_cut),
        TEST(a_locked_file_is_refused),
        TEST(a_full_disk_leaves_the_last_good_state),
        TEST(commit_replaces_at_once_or_leaves_nothing),
        TEST(directories_are_created_with_parents),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
