/* Agreement of ranks on a failure: all return the worst status and know its text, whoever failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"

#include <stdio.h>

static int open_context(void **state)
{
    static icf_context context;
    *state = &context;
    return icf_context_init(&context, MPI_COMM_WORLD, 1) == ICF_OK ? 0 : -1;
}

static int close_context(void **state)
{
    icf_context_clear(*state);
    return 0;
}

static void success_everywhere_is_success(void **state)
{
    assert_int_equal(icf_agree(*state, ICF_OK), ICF_OK);
}

static void a_failure_of_any_rank_reaches_all(void **state)
{
    icf_context *context = *state;
    for (int failing = 0; failing < context->size; ++failing) {
        icf_status status = ICF_OK;
        icf_clear_failure(context);
        if (context->rank == failing) status = icf_fail(context, ICF_ERROR_FILE, "rank %d: disk full", failing);
        assert_int_equal(icf_agree(context, status), ICF_ERROR_FILE);
        assert_int_equal(context->failure, ICF_ERROR_FILE);
        char expected[64];
        snprintf(expected, sizeof expected, "rank %d: disk full", failing);
        assert_string_equal(context->message, expected);
    }
}

/* Ranks fail in different ways: the status of the larger code wins, and the text is that of its rank. */
static void the_worst_of_several_failures_wins(void **state)
{
    icf_context *context = *state;
    icf_clear_failure(context);
    const bool last = context->rank == context->size - 1;
    const icf_status mine = last ? ICF_ERROR_INTERNAL : ICF_ERROR_FILE;
    icf_fail(context, mine, last ? "internal" : "file");
    assert_int_equal(icf_agree(context, mine), ICF_ERROR_INTERNAL);
    assert_string_equal(context->message, "internal");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(success_everywhere_is_success, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_failure_of_any_rank_reaches_all, open_context, close_context),
        cmocka_unit_test_setup_teardown(the_worst_of_several_failures_wins, open_context, close_context),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
