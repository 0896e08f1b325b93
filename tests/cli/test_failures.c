/* One of three ranks fails: all end within seconds, with one message and the exit code of docs/commands.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "program.h"

enum { SECONDS = 60 }; /* a test machine may be busy; a rank that waits for one that has left waits for ever */

/* Columns that touch after a few steps, spread over the ranks. */
static int make_scene(void **state)
{
    if (enter_directory(state) != 0) return -1;
    outcome made = RUN("make", "clutter", "--bodies", "90", "--height", "3", "--duration", "0.1", "--output", "a.yaml");
    const int failed = made.code;
    outcome_clear(&made);
    return failed;
}

#define FAILING     "LD_PRELOAD=" FAILING_RANK_LIBRARY " FAILING_RANK=1 "
#define RUN_OPTIONS " run a.yaml --threads 1 --every 1 --quiet --output out"

/* One message with this text, and this exit code. */
static void expect_failed(outcome *run, const char *command, int code, const char *text)
{
    if (run->code != code || count_of(run->err, "icf: error") != 1 || !strstr(run->err, text))
        print_message("%s\nexit code %d\n%s", command, run->code, run->err);
    assert_int_equal(run->code, code);
    assert_int_equal(count_of(run->err, "icf: error"), 1);
    assert_non_null(strstr(run->err, text));
    outcome_clear(run);
}

/* Runs a shell command line and checks how it ends. */
static void expect_failure(const char *command, int code, const char *text)
{
    const time_t start = time(NULL);
    outcome run = run_words((const char *const[]){"timeout", "120", "bash", "-c", command, NULL});
    expect_failed(&run, command, code, text);
    assert_true(time(NULL) - start < SECONDS);
}

/* Allocation 2, 4, 8, ... of rank 1 finds no memory, until the run needs fewer.  The first is made before MPI starts.
 */
static void no_memory_on_one_rank(void **state)
{
    (void)state;
    int failures = 0;
    for (int call = 2;; call *= 2, ++failures) {
        char command[1024];
        snprintf(command, sizeof command, FAILING "FAILING_ALLOC=%d " MPIRUN " -n 3 " ICF_PROGRAM RUN_OPTIONS, call);
        outcome run = run_words((const char *const[]){"timeout", "120", "bash", "-c", command, NULL});
        const int code = run.code;
        if (code == 0) outcome_clear(&run);
        if (code == 0) break;
        expect_failed(&run, command, 3, "memory");
    }
    assert_true(failures >= 6);
}

static void mumps_fails_on_one_rank(void **state)
{
    (void)state;
    expect_failure(FAILING "FAILING_MUMPS=5 " MPIRUN " -n 3 " ICF_PROGRAM RUN_OPTIONS " --set solver.linear=mumps", 3,
                   "memory");
}

/* HDF5 waits for ever in a file that one rank could not write: it must not be closed. */
static void a_full_disk_on_one_rank(void **state)
{
    (void)state;
    expect_failure(FAILING "FAILING_WRITE=3 " MPIRUN " -n 3 " ICF_PROGRAM RUN_OPTIONS, 4, "out/run.h5: ");
    expect_failure(FAILING "FAILING_WRITE=40 " MPIRUN " -n 3 " ICF_PROGRAM RUN_OPTIONS, 4, "out/run.h5: ");
}

static void a_trace_that_cannot_grow(void **state)
{
    (void)state;
    expect_failure(MPIRUN " -n 3 " ICF_PROGRAM
                          " run a.yaml --threads 1 --every 1 --quiet --output trace --trace /dev/full",
                   4, "/dev/full: No space left on device");
}

/* Where the result is to be there is a file. */
static void a_directory_that_cannot_be(void **state)
{
    (void)state;
    write_text("taken", "");
    expect_failure(MPIRUN " -n 3 " ICF_PROGRAM " run a.yaml --threads 1 --quiet --output taken", 4, "taken");
}

static void a_checkpoint_of_four_ranks_restarts_on_any_number(void **state)
{
    (void)state;
    static const char whole[] = ICF_PROGRAM " run a.yaml --threads 1 --quiet --output whole",
                      half[] = MPIRUN " -n 4 " ICF_PROGRAM " run a.yaml --threads 1 --steps 6 --quiet --output half";
    outcome first = run_words((const char *const[]){"bash", "-c", whole, NULL});
    expect_success(&first);
    outcome_clear(&first);
    outcome second = run_words((const char *const[]){"bash", "-c", half, NULL});
    expect_success(&second);
    outcome_clear(&second);
    char *expected = read_text("whole/summary.json");
    const char *checksum = strstr(expected, "\"checksum\"");
    assert_non_null(checksum);
    for (int ranks = 1; ranks <= 3; ++ranks) {
        char command[512], path[64];
        snprintf(command, sizeof command,
                 "%s -n %d %s run a.yaml --threads 1 --quiet --restart half/checkpoint-6.h5 --output half-%d", MPIRUN,
                 ranks, ICF_PROGRAM, ranks);
        outcome rest = run_words((const char *const[]){"bash", "-c", command, NULL});
        expect_success(&rest);
        outcome_clear(&rest);
        snprintf(path, sizeof path, "half-%d/summary.json", ranks);
        char *summary = read_text(path);
        const char *found = strstr(summary, "\"checksum\"");
        assert_non_null(found);
        assert_string_equal(found, checksum);
        free(summary);
    }
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_on_one_rank),
        cmocka_unit_test(mumps_fails_on_one_rank),
        cmocka_unit_test(a_full_disk_on_one_rank),
        cmocka_unit_test(a_trace_that_cannot_grow),
        cmocka_unit_test(a_directory_that_cannot_be),
        cmocka_unit_test(a_checkpoint_of_four_ranks_restarts_on_any_number),
    };
    return cmocka_run_group_tests(tests, make_scene, leave_directory);
}
