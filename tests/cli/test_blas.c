/* BLAS kernel check: when the program starts over with another kernel, and when it must not.
 *
 * A library that is loaded before OpenBLAS (fake_kernel.c) makes it report a slow kernel, so that the test does
 * not depend on the CPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/blas.h"
#include "program.h"

static void slow_kernel_on_a_fast_cpu_is_replaced(void **state)
{
    (void)state;
    assert_string_equal(icf_blas_better_kernel("Prescott", true, NULL, false), "Haswell");
    assert_string_equal(icf_blas_better_kernel("NEHALEM", true, NULL, false), "Haswell");
    assert_string_equal(icf_blas_better_kernel("Core2", true, NULL, false), "Haswell");
}

static void everything_else_stays(void **state)
{
    (void)state;
    assert_null(icf_blas_better_kernel("Haswell", true, NULL, false));
    assert_null(icf_blas_better_kernel("SkylakeX", true, NULL, false));
    assert_null(icf_blas_better_kernel("Cooperlake", true, NULL, false));
    assert_null(icf_blas_better_kernel("Zen", true, NULL, false));
    assert_null(icf_blas_better_kernel("Prescott", false, NULL, false));      /* old CPU */
    assert_null(icf_blas_better_kernel("Prescott", true, "Prescott", false)); /* the user's choice */
    assert_null(icf_blas_better_kernel("Prescott", true, NULL, true));        /* tried before */
}

/* Environment of the next commands; NULL unsets. */
static void set_environment(const char *coretype, const char *preload)
{
    if (coretype)
        setenv("OPENBLAS_CORETYPE", coretype, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    else
        unsetenv("LD_PRELOAD");
}

static void expect_kernel(const char *const *command, const char *kernel)
{
    char line[100];
    outcome version = run_words(command);
    assert_int_equal(version.code, 0);
    snprintf(line, sizeof line, "       kernel %s\n", kernel);
    assert_non_null(strstr(version.out, line));
    outcome_clear(&version);
}

static const char *const version_command[] = {ICF_PROGRAM, "--version", NULL};

static void choice_of_the_user_is_respected(void **state)
{
    (void)state;
    set_environment("Prescott", NULL);
    expect_kernel(version_command, "Prescott");
    set_environment(NULL, NULL);
}

/* The address sanitizer does not start behind another library that is loaded first. */
static bool can_fake(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return false;
#elif defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static void program_starts_over_with_a_fast_kernel(void **state)
{
    (void)state;
    if (!can_fake()) skip();
    set_environment(NULL, FAKE_KERNEL);
    expect_kernel(version_command, "Haswell");
    set_environment(NULL, NULL);
}

/* The environment that mpirun gave survives: the second start is still a rank of the job. */
static void starts_over_under_mpirun(void **state)
{
    (void)state;
    if (!can_fake()) skip();
    set_environment(NULL, NULL);
    static const char preload[] = "LD_PRELOAD=" FAKE_KERNEL;
    static const char *const command[] = {MPIRUN, "-n", "1", "-x", preload, ICF_PROGRAM, "--version", NULL};
    expect_kernel(command, "Haswell");
}

/* A library that reports a slow kernel whatever it is told: one further start, not an endless row of them. */
static void second_try_is_the_last(void **state)
{
    (void)state;
    if (!can_fake()) skip();
    setenv("FAKE_KERNEL_ALWAYS", "1", 1);
    set_environment(NULL, FAKE_KERNEL);
    expect_kernel(version_command, "Prescott");
    set_environment(NULL, NULL);
    unsetenv("FAKE_KERNEL_ALWAYS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_kernel_on_a_fast_cpu_is_replaced),
        cmocka_unit_test(everything_else_stays),
        cmocka_unit_test(choice_of_the_user_is_respected),
        cmocka_unit_test(program_starts_over_with_a_fast_kernel),
        cmocka_unit_test(starts_over_under_mpirun),
        cmocka_unit_test(second_try_is_the_last),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
