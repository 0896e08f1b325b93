/* What tests on several ranks share: a context a test, sums over ranks, repeatable random numbers, bodies. */
#ifndef ICF_TESTS_MPI_RANKS_H
#define ICF_TESTS_MPI_RANKS_H

#include "base/hash.h"
#include "unit/sample_scene.h"

/* cmocka set-up and tear-down: *state is a context over all ranks. */
static inline int open_context(void **state)
{
    static icf_context context;
    *state = &context;
    return icf_context_init(&context, MPI_COMM_WORLD, 0) == ICF_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
    icf_context_clear(*state);
    return 0;
}

#define mpi_test(function) cmocka_unit_test_setup_teardown(function, open_context, close_context)

/* Runs a group of tests between start and end of MPI. */
#define run_mpi_tests(argc, argv, tests, failed)            \
    do {                                                    \
        MPI_Init(&(argc), &(argv));                         \
        failed = cmocka_run_group_tests(tests, NULL, NULL); \
        MPI_Finalize();                                     \
    } while (0)

static inline int64_t sum_counts(const icf_context *context, int64_t mine)
{
    int64_t sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, context->comm);
    return sum;
}

static inline uint64_t sum_checksums(const icf_context *context, const icf_bodies *bodies)
{
    return (uint64_t)sum_counts(context, (int64_t)icf_bodies_checksum(bodies));
}

/* The k-th number of a stream, the same on all ranks; uniform in [0, 2^64) and in [0, 1). */
static inline uint64_t random_word(uint64_t stream, int64_t k)
{
    return icf_hash_word(icf_hash_word(0x9e3779b97f4a7c15u, stream), (uint64_t)k + 1);
}

static inline double random_number(uint64_t stream, int64_t k)
{
    return (double)(random_word(stream, k) >> 11) * 0x1p-53;
}

static inline icf_vec3 random_point(uint64_t stream, int64_t k)
{
    return icf_vec3_make(random_number(stream, 3 * k), random_number(stream, 3 * k + 1),
                         random_number(stream, 3 * k + 2));
}

#endif
