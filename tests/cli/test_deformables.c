/* Runs with deformable bodies: checkpoints and restart on any number of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* Bodies of every model, held, attached, in contact with each other and with rigid ones. */
#define SOFT ICF_SOURCE_DIR "/tests/ranks/soft.scene.yaml"

/* Runs the scene on some ranks; results in a folder. */
static void run_on(int ranks, const char *options, const char *directory)
{
    char command[1024];
    snprintf(command, sizeof command, "%s -n %d %s run %s --threads 1 --quiet %s --output %s", MPIRUN, ranks,
             ICF_PROGRAM, SOFT, options, directory);
    outcome run = run_words((const char *const[]){"bash", "-c", command, NULL});
    expect_success(&run);
    outcome_clear(&run);
}

/* The checksum of the last state of a run, as it is written. */
static void read_checksum(const char *directory, char checksum[64])
{
    char path[256];
    snprintf(path, sizeof path, "%s/summary.json", directory);
    char *summary = read_text(path);
    const char *found = strstr(summary, "\"checksum\": ");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "\"checksum\": \"%63[0-9a-f]\"", checksum), 1);
    free(summary);
}

static void expect_checksum(const char *directory, const char *expected)
{
    char found[64];
    read_checksum(directory, found);
    assert_string_equal(found, expected);
}

/* Step 37 is in the middle of impacts: positions, velocities, supports that move and attachments go through the file.
 */
static void restart_on_any_number_of_ranks(void **state)
{
    (void)state;
    char whole[64], options[256], directory[64];
    run_on(1, "--steps 80", "whole");
    read_checksum("whole", whole);
    for (int from = 1; from <= 3; from += 2) {
        snprintf(directory, sizeof directory, "half-%d", from);
        run_on(from, "--steps 37", directory);
        for (int to = 1; to <= 4; ++to) {
            snprintf(options, sizeof options, "--steps 80 --restart half-%d/checkpoint-37.h5", from);
            snprintf(directory, sizeof directory, "rest-%d-%d", from, to);
            run_on(to, options, directory);
            expect_checksum(directory, whole);
        }
    }
}

/* The cost model of icf plan knows rigid bodies only. */
static void plan_refuses_them(void **state)
{
    (void)state;
    outcome run = run_words((const char *const[]){ICF_PROGRAM, "plan", SOFT, "--ranks", "2", NULL});
    assert_int_equal(run.code, 2);
    assert_non_null(strstr(run.err, "soft.scene.yaml: deformables: the cost model knows rigid bodies only"));
    outcome_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_on_any_number_of_ranks),
        cmocka_unit_test(plan_refuses_them),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
