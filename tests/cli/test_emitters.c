/* Emitters: a run that is cut in the middle of the emission goes on to the same state, on any number of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* Two emitters, whose bodies wait for room at step 130; 66 of 135 bodies are there. */
#define EMITTERS ICF_SOURCE_DIR "/tests/ranks/emitters.scene.yaml"

static void run_on(int ranks, const char *options, const char *directory)
{
    char command[1024];
    snprintf(command, sizeof command, "%s -n %d %s run %s --threads 1 --quiet %s --output %s", MPIRUN, ranks,
             ICF_PROGRAM, EMITTERS, options, directory);
    outcome run = run_words((const char *const[]){"bash", "-c", command, NULL});
    expect_success(&run);
    outcome_clear(&run);
}

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

static void restart_in_the_middle_of_emission(void **state)
{
    (void)state;
    char whole[64], rest[64];
    run_on(1, "--steps 180", "whole");
    read_checksum("whole", whole);
    run_on(2, "--steps 130", "half");
    outcome info = RUN("info", "half/checkpoint-130.h5");
    expect_success(&info);
    assert_non_null(strstr(info.out, "\n  bodies     66\n"));
    outcome_clear(&info);
    for (int ranks = 1; ranks <= 4; ++ranks) {
        char directory[64];
        snprintf(directory, sizeof directory, "rest-%d", ranks);
        run_on(ranks, "--steps 180 --restart half/checkpoint-130.h5", directory);
        read_checksum(directory, rest);
        assert_string_equal(rest, whole);
    }
    /* where the results of the first part are they are continued */
    run_on(3, "--steps 180 --restart half/checkpoint-130.h5", "half");
    read_checksum("half", rest);
    assert_string_equal(rest, whole);
    info = RUN("info", "half/run.h5");
    expect_success(&info);
    assert_non_null(strstr(info.out, "\n  frames     19: steps 0 to 180"));
    outcome_clear(&info);
}

/* The last line of the statistics says how many have come and how many wait. */
static void statistics_count_who_waits(void **state)
{
    (void)state;
    run_on(1, "--steps 130", "count");
    char *text = read_text("count/stats.csv");
    char *header_end = strchr(text, '\n');
    assert_non_null(header_end);
    *header_end = '\0';
    const size_t length = strlen(text);
    static const char ending[] = ",emitted,waiting,searches";
    assert_true(length > strlen(ending));
    assert_string_equal(text + length - strlen(ending), ending);
    char *last = header_end + 1;
    for (char *at = last; (at = strchr(at, '\n')) && at[1] != '\0'; ++at) last = at + 1;
    int emitted = 0, waiting = 0;
    const char *comma = strrchr(last, ',');
    assert_non_null(comma);
    for (int column = 0; column < 2; ++column)
        while (*--comma != ',') {
        }
    assert_int_equal(sscanf(comma, ",%d,%d", &emitted, &waiting), 2);
    assert_int_equal(emitted, 66 - 25);
    /* due at 129 steps of 5 ms: 1 + 25 of the first and all 50 of the second */
    assert_int_equal(emitted + waiting, 26 + 50);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_in_the_middle_of_emission),
        cmocka_unit_test(statistics_count_who_waits),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
