/* Waiting for a browser that does not answer: signals, and errors of the system.
 *
 * The browser is a script that says nothing and ends after a second; what the system answers to poll is made up
 * here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/browser.h"
#include "program.h"

/* What poll answers: an errno value for each of the first calls, then that the time is up. */
static struct {
    int error[3];
    int ncall, timeout[4];
} system_answers;

/* Stands in for the one of the C library (--wrap). */
int __wrap_poll(struct pollfd *watched, nfds_t n, int timeout);

int __wrap_poll(struct pollfd *watched, nfds_t n, int timeout)
{
    (void)watched;
    (void)n;
    const int k = system_answers.ncall++;
    if (k > 3) return 0;
    system_answers.timeout[k] = timeout;
    errno = k < 3 ? system_answers.error[k] : 0;
    return errno ? -1 : 0;
}

/* Calls the silent browser, which must fail with this message. */
static void expect_failure(const char *message)
{
    icf_context context;
    icf_browser *browser;
    write_text("silent", "#!/bin/sh\nexec sleep 1\n");
    assert_int_equal(chmod("silent", 0755), 0);
    setenv("ICF_BROWSER", "./silent", 1);
    assert_int_equal(icf_context_init(&context, MPI_COMM_SELF, 1), ICF_OK);
    assert_int_equal(icf_browser_start(&context, &browser), ICF_OK);
    assert_int_equal(icf_browser_call(browser, "Target.getTargets", NULL, json_object(), NULL), ICF_ERROR_FILE);
    assert_string_equal(context.message, message);
    icf_browser_end(&browser);
    icf_context_clear(&context);
}

/* The minute is that of the call: it does not begin anew after a signal. */
static void a_signal_does_not_end_the_wait(void **state)
{
    (void)state;
    system_answers.error[0] = system_answers.error[1] = EINTR;
    system_answers.error[2] = system_answers.ncall = 0;
    expect_failure("the browser that --image needs does not answer");
    assert_int_equal(system_answers.ncall, 3);
    for (int k = 0; k < 3; ++k) assert_in_range(system_answers.timeout[k], 1, 60001);
    assert_true(system_answers.timeout[1] <= system_answers.timeout[0]);
    assert_true(system_answers.timeout[2] <= system_answers.timeout[1]);
}

static void an_error_of_the_system_is_told(void **state)
{
    (void)state;
    system_answers.error[0] = ENOMEM;
    system_answers.ncall = 0;
    expect_failure("the browser that --image needs: Cannot allocate memory");
    assert_int_equal(system_answers.ncall, 1);
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_does_not_end_the_wait),
        cmocka_unit_test(an_error_of_the_system_is_told),
    };
    const int failed = cmocka_run_group_tests(tests, enter_directory, leave_directory);
    MPI_Finalize();
    return failed;
}
