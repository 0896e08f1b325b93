/* Command line: help, version, wrong usage.  Expected texts are those of docs/commands.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void help_goes_to_standard_output(void **state)
{
    (void)state;
    static const char *const commands[] = {"run", "check", "plan", "make", "info", "report"};
    outcome top = RUN("--help");
    expect_success(&top);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        assert_non_null(strstr(top.out, commands[i]));
        outcome help = RUN(commands[i], "--help");
        expect_success(&help);
        assert_memory_equal(help.out, "Usage: icf ", 11);
        outcome_clear(&help);
    }
    outcome_clear(&top);
}

static void help_of_run_names_every_option(void **state)
{
    (void)state;
    static const char *const options[] = {"--duration", "--steps", "--step ",   "--model", "--output",
                                          "--trace",    "--every", "--threads", "--set",   "--restart",
                                          "--progress", "--quiet", "--verbose", "--help"};
    outcome help = RUN("run", "-h");
    expect_success(&help);
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
        assert_int_equal(count_of(help.out, options[i]) > 0, 1);
    outcome_clear(&help);
}

/* Every option that a help text lists stands in docs/commands.md, with its argument. */
static void expect_documented(const char *manual, const char *const *words)
{
    outcome help = run_words(words);
    expect_success(&help);
    for (const char *line = strstr(help.out, "\n  --"); line; line = strstr(line + 1, "\n  --")) {
        char option[50];
        size_t length = strcspn(line + 3, "\n");
        const char *gap = strstr(line + 3, "  ");
        if (gap && (size_t)(gap - line - 3) < length) length = (size_t)(gap - line - 3);
        snprintf(option, sizeof option, "`%.*s", (int)length, line + 3);
        if (!strstr(manual, option)) fail_msg("%s` is not documented", option);
    }
    outcome_clear(&help);
}

static void every_option_is_documented(void **state)
{
    (void)state;
    char *manual = read_text(ICF_SOURCE_DIR "/docs/commands.md");
    static const char *const commands[] = {"run", "check", "plan", "info", "report"};
    static const char *const kinds[] = {"clutter", "pile", "wall", "cradle", "drum", "hopper", "terrain", "household"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
        expect_documented(manual, (const char *const[]){ICF_PROGRAM, commands[i], "--help", NULL});
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        expect_documented(manual, (const char *const[]){ICF_PROGRAM, "make", kinds[i], "--help", NULL});
    free(manual);
}

static void help_wins_over_errors(void **state)
{
    (void)state;
    outcome help = RUN("run", "--nonsense", "--help");
    expect_success(&help);
    outcome_clear(&help);
}

static void version_names_what_it_runs_on(void **state)
{
    (void)state;
    static const char *const names[] = {"icf", "MPI", "MUMPS", "METIS", "BLAS", "kernel", "HDF5"};
    outcome version = RUN("--version");
    expect_success(&version);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) assert_non_null(strstr(version.out, names[i]));
    outcome_clear(&version);
}

static void commands_of_later_versions_say_so(void **state)
{
    (void)state;
    static const char *const commands[] = {"export"};
    outcome help = RUN("--help");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char expected[100];
        snprintf(expected, sizeof expected, "icf: error: %s: not supported yet by this version\n", commands[i]);
        expect_error(RUN(commands[i], "x"), 2, expected);
        assert_null(strstr(help.out, commands[i]));
    }
    outcome_clear(&help);
}

static void wrong_commands(void **state)
{
    (void)state;
    expect_error(run_words((const char *const[]){ICF_PROGRAM, NULL}), 2,
                 "icf: error: a command is missing; icf --help lists the commands\n");
    expect_error(RUN("rnu"), 2, "icf: error: unknown command 'rnu'; did you mean 'run'?\n");
    expect_error(RUN("simulate"), 2, "icf: error: unknown command 'simulate'; icf --help lists the commands\n");
    expect_error(RUN("make"), 2, "icf: error: make: KIND is missing; icf make --help lists the kinds\n");
    expect_error(RUN("make", "cluter"), 2, "icf: error: make: unknown kind 'cluter'; did you mean 'clutter'?\n");
    expect_error(RUN("make", "beam"), 2, "icf: error: make beam: not supported yet by this version\n");
}

static void wrong_options(void **state)
{
    (void)state;
    expect_error(RUN("run", "a.yaml", "--outptu", "x"), 2,
                 "icf: error: unknown option --outptu; did you mean --output?\n");
    expect_error(RUN("run", "a.yaml", "--xyz=3"), 2, "icf: error: unknown option --xyz; --help lists the options\n");
    expect_error(RUN("run", "a.yaml", "--step"), 2, "icf: error: --step: needs a value, DT\n");
    expect_error(RUN("run", "a.yaml", "--quiet=1"), 2, "icf: error: --quiet takes no value, got '1'\n");
    expect_error(RUN("run"), 2, "icf: error: SCENE is missing; usage: icf run SCENE [options]\n");
    expect_error(RUN("run", "a", "b"), 2, "icf: error: unexpected argument 'b'; usage: icf run SCENE [options]\n");
}

static void wrong_values(void **state)
{
    (void)state;
    expect_error(RUN("run", "a", "--step", "0"), 2, "icf: error: --step: must be a number > 0, got '0'\n");
    expect_error(RUN("run", "a", "--duration=1s"), 2, "icf: error: --duration: must be a number > 0, got '1s'\n");
    expect_error(RUN("run", "a", "--step", "nan"), 2, "icf: error: --step: must be a number > 0, got 'nan'\n");
    expect_error(RUN("run", "a", "--steps", "1.5"), 2, "icf: error: --steps: must be an integer >= 1, got '1.5'\n");
    expect_error(RUN("run", "a", "--steps", "-1"), 2, "icf: error: --steps: must be an integer >= 1, got '-1'\n");
    expect_error(RUN("run", "a", "--every", "99999999999999999999"), 2,
                 "icf: error: --every: must be an integer >= 1, got '99999999999999999999'\n");
    expect_error(RUN("run", "a", "--model", "foo"), 2,
                 "icf: error: --model: must be one of sap|lagged|similar, got 'foo'\n");
    expect_error(RUN("run", "a", "--set", "time.step"), 2,
                 "icf: error: --set: must be path.to.key=value, got 'time.step'\n");
    expect_error(RUN("run", "a", "--steps", "3", "--set", "time.duration=1"), 2,
                 "icf: error: --duration and --steps exclude each other\n");
    expect_error(RUN("run", "a", "--quiet", "--verbose"), 2, "icf: error: --quiet and --verbose exclude each other\n");
}

static void full_disk_behind_standard_output(void **state)
{
    (void)state;
    outcome version = RUN_TO("/dev/full", "--version");
    expect_error(version, 4, "icf: error: cannot write to standard output: No space left on device\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_goes_to_standard_output),
        cmocka_unit_test(help_of_run_names_every_option),
        cmocka_unit_test(every_option_is_documented),
        cmocka_unit_test(help_wins_over_errors),
        cmocka_unit_test(version_names_what_it_runs_on),
        cmocka_unit_test(commands_of_later_versions_say_so),
        cmocka_unit_test(wrong_commands),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(full_disk_behind_standard_output),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
