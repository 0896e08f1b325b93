/* Exchange: every byte arrives where and as it was sent, sender by sender; a failure of one rank reaches all. */
#include "mpi/ranks.h"

#include <stdlib.h>

#include "partition/exchange.h"

/* Bytes from one rank to another in a round; many messages are empty, some are large. */
static size_t length_of(int round, int from, int to)
{
    const uint64_t random = random_word((uint64_t)round, 64 * from + to);
    if (random % 3 == 0) return 0;
    return random % 16 == 1 ? 200000 + random / 16 % 100000 : random / 16 % 100;
}

static char byte_of(int round, int from, int to, size_t k)
{
    return (char)random_word((uint64_t)round, (int64_t)(k / 8) * 4096 + 64 * from + to);
}

/* Writes a message in pieces of growing size. */
static void write_message(icf_exchange *exchange, int round, int from, int to)
{
    const size_t n = length_of(round, from, to);
    char *data = malloc(n + 1);
    for (size_t k = 0; k < n; ++k) data[k] = byte_of(round, from, to, k);
    for (size_t at = 0, piece = 1; at < n; at += piece, piece *= 3)
        assert_int_equal(icf_exchange_write(exchange, to, data + at, ICF_MIN(piece, n - at)), ICF_OK);
    free(data);
}

static void check_message(const icf_exchange *exchange, int round, int from, int to)
{
    size_t bytes;
    const char *data = icf_exchange_read(exchange, from, &bytes);
    assert_int_equal(bytes, length_of(round, from, to));
    for (size_t k = 0; k < bytes; ++k)
        if (data[k] != byte_of(round, from, to, k)) fail_msg("byte %zu from rank %d is wrong", k, from);
}

static void random_messages_arrive(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    icf_cnt messages = 0, bytes = 0;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    for (int round = 0; round < 20; ++round) {
        icf_exchange_begin(exchange);
        for (int to = 0; to < context->size; ++to) {
            write_message(exchange, round, context->rank, to);
            if (to == context->rank) continue;
            messages += length_of(round, context->rank, to) > 0;
            bytes += (icf_cnt)length_of(round, context->rank, to);
        }
        assert_int_equal(icf_exchange_run(exchange, ICF_OK), ICF_OK);
        for (int from = 0; from < context->size; ++from) check_message(exchange, round, from, context->rank);
    }
    /* only what goes to other ranks counts */
    const icf_exchange_stats stats = icf_exchange_get_stats(exchange);
    assert_int_equal(stats.runs, 20);
    assert_int_equal(stats.messages, messages);
    assert_int_equal(stats.bytes, bytes);
    icf_exchange_destroy(&exchange);
    assert_null(exchange);
}

/* Nothing is left of what was written before `begin`. */
static void begin_forgets(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    size_t bytes;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    icf_exchange_begin(exchange);
    for (int to = 0; to < context->size; ++to) assert_int_equal(icf_exchange_write(exchange, to, "x", 1), ICF_OK);
    icf_exchange_begin(exchange);
    assert_int_equal(icf_exchange_run(exchange, ICF_OK), ICF_OK);
    for (int from = 0; from < context->size; ++from) {
        icf_exchange_read(exchange, from, &bytes);
        assert_int_equal(bytes, 0);
    }
    icf_exchange_destroy(&exchange);
}

/* Whichever rank fails, all get its status and text, none waits, and the next exchange works. */
static void a_failure_of_one_rank_reaches_all(void **state)
{
    icf_context *context = *state;
    icf_exchange *exchange;
    assert_int_equal(icf_exchange_create(context, &exchange), ICF_OK);
    for (int failing = 0; failing < context->size; ++failing) {
        icf_exchange_begin(exchange);
        for (int to = 0; to < context->size; ++to) write_message(exchange, failing, context->rank, to);
        icf_status status = ICF_OK;
        icf_clear_failure(context);
        if (context->rank == failing) status = icf_fail(context, ICF_ERROR_MEMORY, "no room for messages");
        assert_int_equal(icf_exchange_run(exchange, status), ICF_ERROR_MEMORY);
        assert_string_equal(context->message, "no room for messages");

        icf_exchange_begin(exchange);
        for (int to = 0; to < context->size; ++to) write_message(exchange, failing, context->rank, to);
        assert_int_equal(icf_exchange_run(exchange, ICF_OK), ICF_OK);
        for (int from = 0; from < context->size; ++from) check_message(exchange, failing, from, context->rank);
    }
    icf_exchange_destroy(&exchange);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        mpi_test(random_messages_arrive),
        mpi_test(begin_forgets),
        mpi_test(a_failure_of_one_rank_reaches_all),
    };
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
