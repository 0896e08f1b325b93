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

static void restart_in_the_middle_of_emission(void **state)
{
    (void)state;
    char whole[64], rest[64];
    run_on_ranks(1, EMITTERS, "--steps 180", "whole");
    read_checksum("whole", whole);
    run_on_ranks(2, EMITTERS, "--steps 130", "half");
    outcome info = RUN("info", "half/checkpoint-130.h5");
    expect_success(&info);
    assert_non_null(strstr(info.out, "\n  bodies     66\n"));
    outcome_clear(&info);
    for (int ranks = 1; ranks <= 4; ++ranks) {
        char directory[64];
        snprintf(directory, sizeof directory, "rest-%d", ranks);
        run_on_ranks(ranks, EMITTERS, "--steps 180 --restart half/checkpoint-130.h5", directory);
        read_checksum(directory, rest);
        assert_string_equal(rest, whole);
    }
    /* where the results of the first part are they are continued */
    run_on_ranks(3, EMITTERS, "--steps 180 --restart half/checkpoint-130.h5", "half");
    read_checksum("half", rest);
    assert_string_equal(rest, whole);
    info = RUN("info", "half/run.h5");
    expect_success(&info);
    assert_non_null(strstr(info.out, "\n  frames     19: steps 0 to 180"));
    outcome_clear(&info);
}

/* All bodies that have come are in the page, whatever ranks wrote them. */
static void a_report_of_bodies_that_come(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 3; ranks += 2) {
        run_on_ranks(ranks, EMITTERS, "--steps 130", "shown");
        outcome report = RUN("report", "shown");
        expect_success(&report);
        assert_memory_equal(report.out, "shown/report.html: 14 of 14 frames, ", 36);
        outcome_clear(&report);
        char *page = read_text("shown/report.html");
        assert_non_null(strstr(page, "\"bodies\":66,\"shapes\":"));
        free(page);
    }
}

/* A value of the last line of statistics, by the name of its column. */
static int last_value(const char *text, const char *name)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, ",%s,", name);
    const char *end = strchr(text, '\n'), *found = strstr(text, wanted), *last = end + 1;
    assert_true(found && found < end);
    for (const char *at = last; (at = strchr(at, '\n')) && at[1] != '\0'; ++at) last = at + 1;
    for (const char *at = text; at <= found; ++at)
        if (*at == ',') last = strchr(last, ',') + 1;
    return atoi(last);
}

/* The last line of the statistics says how many have come and how many wait. */
static void statistics_count_who_waits(void **state)
{
    (void)state;
    run_on_ranks(1, EMITTERS, "--steps 130", "count");
    char *text = read_text("count/stats.csv");
    const int emitted = last_value(text, "emitted"), waiting = last_value(text, "waiting");
    assert_int_equal(emitted, 66 - 25);
    /* due at 129 steps of 5 ms: 1 + 25 of the first and all 50 of the second */
    assert_int_equal(emitted + waiting, 26 + 50);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_in_the_middle_of_emission),
        cmocka_unit_test(a_report_of_bodies_that_come),
        cmocka_unit_test(statistics_count_who_waits),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
