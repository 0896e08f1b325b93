/* `icf report` on the command line: the page, wrong options, runs that are missing, unfinished or damaged, no browser.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static const char scene[] =
    "name: two balls\n"
    "time: {step: 0.01, steps: 20}\n"
    "materials: {m: {}}\n"
    "bodies:\n"
    "  - {name: a, shape: {type: sphere, radius: 0.1}, material: m, mass: 1, position: [0, 0, 1]}\n"
    "  - {name: b, shape: {type: sphere, radius: 0.1}, material: m, mass: 1, position: [1, 0, 1]}\n"
    "output: {every: 1}\n";

/* A fresh run in `run`. */
static void make_run(void)
{
    write_text("scene.yaml", scene);
    outcome result = RUN("run", "scene.yaml", "--output", "run", "--quiet");
    expect_success(&result);
    outcome_clear(&result);
    unlink("run/report.html");
}

static void a_page_is_written(void **state)
{
    (void)state;
    make_run();
    outcome result = RUN("report", "run", "--scene", "scene.yaml");
    expect_success(&result);
    assert_memory_equal(result.out, "run/report.html: 21 of 21 frames, 0.", 35);
    assert_non_null(strstr(result.out, " MB, 0 warnings\n"));
    outcome_clear(&result);
    char *page = read_text("run/report.html");
    assert_memory_equal(page, "<!doctype html>", 15);
    assert_int_equal(count_of(page, "\"scene\":\"two balls\",\"model\":"), 1);
    assert_int_equal(count_of(page, "\"sceneText\":\"name: two balls\\ntime:"), 1);
    assert_non_null(strstr(page, "three.js, MIT licence"));
    /* all of it is in the file: nothing to fetch, and every element of script is closed */
    assert_null(strstr(page, " src="));
    assert_null(strstr(page, "@import"));
    assert_int_equal(count_of(page, "<script"), count_of(page, "</script>"));
    static const char *const marks[] = {"\n@style@\n", "\n@three@\n", "\n@data@\n", "\n@script@\n"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) assert_null(strstr(page, marks[i]));
    free(page);
    assert_false(file_exists("run/report.html.tmp"));
}

static void the_page_goes_where_it_is_told(void **state)
{
    (void)state;
    make_run();
    outcome result = RUN("report", "run", "--output", "page.html");
    expect_success(&result);
    outcome_clear(&result);
    assert_true(file_exists("page.html"));
    assert_false(file_exists("run/report.html"));
    expect_error(RUN("report", "run", "--output", "no/such/page.html"), 4,
                 "icf: error: no/such/page.html: No such file or directory\n");
}

static void a_new_run_removes_the_page_of_the_old_one(void **state)
{
    (void)state;
    make_run();
    write_text("run/report.html", "old");
    outcome result = RUN("run", "scene.yaml", "--output", "run", "--quiet");
    expect_success(&result);
    outcome_clear(&result);
    assert_false(file_exists("run/report.html"));
}

static void runs_that_are_not_there(void **state)
{
    (void)state;
    make_run();
    mkdir("empty", 0777);
    expect_error(RUN("report", "nowhere"), 4, "icf: error: nowhere: No such file or directory\n");
    expect_error(RUN("report", "empty"), 4, "icf: error: empty: there is no run here (no file run.h5)\n");
    expect_error(RUN("report", "scene.yaml"), 4,
                 "icf: error: scene.yaml: expected the directory of a run, found a file\n");
    expect_error(RUN("report"), 2, "icf: error: RUN_DIR is missing; usage: icf report RUN_DIR [options]\n");
    expect_error(RUN("report", "run", "--scene", "none.yaml"), 4, "icf: error: none.yaml: No such file or directory\n");
}

/* Only what is there is told; nothing is made of it that looks like a whole page. */
static void damaged_files_are_named(void **state)
{
    (void)state;
    make_run();
    write_text("run/summary.json", "{\"steps\": 3,\n");
    outcome result = RUN("report", "run");
    assert_int_equal(result.code, 4);
    assert_non_null(strstr(result.err, "icf: error: run/summary.json:2: "));
    outcome_clear(&result);
    write_text("run/summary.json", "[]\n");
    expect_error(RUN("report", "run"), 4, "icf: error: run/summary.json: expected an object\n");
    unlink("run/summary.json");
    char *stats = read_text("run/stats.csv");
    stats[strlen(stats) - 30] = '\0';
    write_text("run/stats.csv", stats);
    free(stats);
    result = RUN("report", "run");
    assert_int_equal(result.code, 4);
    assert_non_null(strstr(result.err, "icf: error: run/stats.csv:21: expected "));
    outcome_clear(&result);
    unlink("run/stats.csv");
    assert_int_equal(truncate("run/run.h5", 5000), 0);
    result = RUN("report", "run");
    assert_int_equal(result.code, 4);
    assert_memory_equal(result.err, "icf: error: run/run.h5: ", 24);
    outcome_clear(&result);
    write_text("run/run.h5", "no results\n");
    result = RUN("report", "run");
    assert_int_equal(result.code, 4);
    assert_memory_equal(result.err, "icf: error: run/run.h5: not an HDF5 file, or damaged", 52);
    outcome_clear(&result);
    assert_false(file_exists("run/report.html"));
}

static void a_checkpoint_is_no_run(void **state)
{
    (void)state;
    make_run();
    assert_int_equal(rename("run/checkpoint-20.h5", "run/run.h5"), 0);
    expect_error(RUN("report", "run"), 4, "icf: error: run/run.h5: not an icf run file\n");
}

/* A run that goes on, or was killed, has no summary and perhaps no lines. */
static void an_unfinished_run_is_shown_with_a_warning(void **state)
{
    (void)state;
    make_run();
    unlink("run/summary.json");
    unlink("run/stats.csv");
    outcome result = RUN("report", "run");
    expect_success(&result);
    assert_non_null(strstr(result.out, " MB, 1 warning\n"));
    outcome_clear(&result);
    char *page = read_text("run/report.html");
    assert_non_null(strstr(page, "There is no summary.json"));
    assert_non_null(strstr(page, "There is no stats.csv"));
    free(page);
}

static void wrong_options(void **state)
{
    (void)state;
    make_run();
    outcome small = RUN("report", "run", "--max-size", "0.1");
    assert_int_equal(small.code, 2);
    assert_memory_equal(small.err, "icf: error: --max-size: the page takes 0.6", 42);
    assert_non_null(strstr(small.err, " MB without its frames\n"));
    outcome_clear(&small);
    expect_error(RUN("report", "run", "--time", "1"), 2, "icf: error: --time needs --image\n");
    expect_error(RUN("report", "run", "--arrows"), 2, "icf: error: --arrows needs --image\n");
    expect_error(RUN("report", "run", "--image", "a.png", "--time", "soon"), 2,
                 "icf: error: --time: expected a number [s], got 'soon'\n");
    expect_error(
        RUN("report", "run", "--image", "a.png", "--camera", "10"), 2,
        "icf: error: --camera: expected AZIMUTH,ELEVATION[,ZOOM] with an elevation of -90 to 90 degrees and a zoom > "
        "0, got '10'\n");
    expect_error(RUN("report", "run", "--image", "a.png", "--size", "10x2000"), 2,
                 "icf: error: --size: expected WIDTHxHEIGHT of 64 to 8192 pixels, got '10x2000'\n");
    expect_error(RUN("report", "run", "--image", "a.png", "--colour", "red"), 2,
                 "icf: error: --colour: must be one of body|rank|island|speed|force|stress, got 'red'\n");
}

/* The page is there all the same. */
static void without_a_browser_the_picture_says_what_is_missing(void **state)
{
    (void)state;
    make_run();
    static const char *const words[] = {"/usr/bin/env", "PATH=/nowhere", ICF_PROGRAM, "report",
                                        "run",          "--image",       "a.png",     NULL};
    outcome result = run_words(words);
    assert_int_equal(result.code, 4);
    assert_string_equal(result.err,
                        "icf: error: --image needs Chromium, which is not installed (Debian, Ubuntu: apt-get "
                        "install chromium); ICF_BROWSER names it when it is not in PATH\n");
    outcome_clear(&result);
    static const char *const ended[] = {
        "/usr/bin/env", "ICF_BROWSER=/bin/false", ICF_PROGRAM, "report", "run", "--image", "a.png", NULL};
    result = run_words(ended);
    assert_int_equal(result.code, 4);
    assert_string_equal(result.err, "icf: error: the browser that --image needs ended\n");
    outcome_clear(&result);
    assert_true(file_exists("run/report.html"));
    assert_false(file_exists("a.png"));
}

static void a_time_outside_the_run(void **state)
{
    (void)state;
    make_run();
    outcome result = RUN("report", "run", "--image", "a.png", "--time", "3");
    assert_int_equal(result.code, 2);
    assert_string_equal(result.err, "icf: error: --time: must be 0 to 0.2 s, as the frames of the run are, got 3\n");
    outcome_clear(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_written),
        cmocka_unit_test(the_page_goes_where_it_is_told),
        cmocka_unit_test(a_new_run_removes_the_page_of_the_old_one),
        cmocka_unit_test(runs_that_are_not_there),
        cmocka_unit_test(damaged_files_are_named),
        cmocka_unit_test(a_checkpoint_is_no_run),
        cmocka_unit_test(an_unfinished_run_is_shown_with_a_warning),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(without_a_browser_the_picture_says_what_is_missing),
        cmocka_unit_test(a_time_outside_the_run),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
