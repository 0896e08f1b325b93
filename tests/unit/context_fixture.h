/* Set-up and tear-down of a group of tests: MPI and one context over all ranks. */
#ifndef ICF_TESTS_CONTEXT_FIXTURE_H
#define ICF_TESTS_CONTEXT_FIXTURE_H

#include <mpi.h>

#include "base/context.h"

static icf_context shared_context;

static inline int open_context(void **state)
{
    (void)state;
    MPI_Init(NULL, NULL);
    return icf_context_init(&shared_context, MPI_COMM_WORLD, 1) == ICF_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
    (void)state;
    icf_context_clear(&shared_context);
    MPI_Finalize();
    return 0;
}

#endif
