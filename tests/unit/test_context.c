/* Context: the first failure is kept, texts are cut to fit, one rank agrees with itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <omp.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"

static int open_context(void **state)
{
    static icf_context context;
    *state = &context;
    return icf_context_init(&context, MPI_COMM_SELF, 3) == ICF_OK ? 0 : -1;
}

static int close_context(void **state)
{
    icf_context_clear(*state);
    return 0;
}

static void starts_clean(void **state)
{
    const icf_context *context = *state;
    assert_int_equal(context->rank, 0);
    assert_int_equal(context->size, 1);
    assert_int_equal(context->nthread, 3);
    assert_int_equal(context->failure, ICF_OK);
    assert_string_equal(context->message, "");
    int same;
    MPI_Comm_compare(context->comm, MPI_COMM_SELF, &same);
    assert_int_equal(same, MPI_CONGRUENT); /* a duplicate: messages of the caller cannot meet ours */
}

static void zero_threads_are_what_openmp_offers(void **state)
{
    (void)state;
    icf_context context;
    assert_int_equal(icf_context_init(&context, MPI_COMM_SELF, 0), ICF_OK);
    assert_int_equal(context.nthread, omp_get_max_threads());
    icf_context_clear(&context);
    icf_context_clear(&context); /* a cleared context is accepted */
}

static void first_failure_is_kept(void **state)
{
    icf_context *context = *state;
    assert_int_equal(icf_fail(context, ICF_ERROR_SCENE, "body %d: mass %g", 3, -1.0), ICF_ERROR_SCENE);
    assert_int_equal(icf_fail(context, ICF_ERROR_FILE, "a consequence"), ICF_ERROR_FILE);
    assert_int_equal(context->failure, ICF_ERROR_SCENE);
    assert_string_equal(context->message, "body 3: mass -1");
    icf_clear_failure(context);
    assert_string_equal(context->message, "");
    assert_int_equal(icf_fail(context, ICF_ERROR_FILE, "disk full"), ICF_ERROR_FILE);
    assert_int_equal(context->failure, ICF_ERROR_FILE);
    assert_string_equal(context->message, "disk full");
}

static void long_texts_are_cut(void **state)
{
    icf_context *context = *state;
    char text[2 * sizeof context->message];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    icf_clear_failure(context);
    assert_int_equal(icf_fail(context, ICF_ERROR_SCENE, "%s", text), ICF_ERROR_SCENE);
    assert_int_equal(strlen(context->message), sizeof context->message - 1);
}

/* Threads that fail at once: exactly one text is kept, whole. */
static void threads_may_fail_at_once(void **state)
{
    icf_context *context = *state;
    for (int round = 0; round < 100; ++round) {
        icf_clear_failure(context);
#pragma omp parallel num_threads(4)
        icf_fail(context, ICF_ERROR_SOLVER, "thread %d failed", omp_get_thread_num());
        assert_int_equal(strncmp(context->message, "thread ", 7), 0);
        assert_string_equal(context->message + 8, " failed");
    }
}

static void one_rank_agrees_with_itself(void **state)
{
    icf_context *context = *state;
    icf_clear_failure(context);
    assert_int_equal(icf_agree(context, ICF_OK), ICF_OK);
    assert_int_equal(icf_agree(context, icf_fail(context, ICF_ERROR_FILE, "disk full")), ICF_ERROR_FILE);
    assert_string_equal(context->message, "disk full");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_clean),
        cmocka_unit_test(zero_threads_are_what_openmp_offers),
        cmocka_unit_test(first_failure_is_kept),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(threads_may_fail_at_once),
        cmocka_unit_test(one_rank_agrees_with_itself),
    };
    const int failed = cmocka_run_group_tests(tests, open_context, close_context);
    MPI_Finalize();
    return failed;
}
