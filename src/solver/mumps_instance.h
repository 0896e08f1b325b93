/* One instance of MUMPS: its calls, its settings, its codes.
 *
 * Private to src/solver.  MUMPS calls MPI and keeps global state: all calls are serialised with those of METIS by one
 * critical section, and under MPI_THREAD_FUNNELED they must come from the thread that initialised MPI.  BLAS runs one
 * thread inside, so that bits repeat on one rank; the caller's thread number is restored.
 */
#ifndef ICF_SOLVER_MUMPS_INSTANCE_H
#define ICF_SOLVER_MUMPS_INSTANCE_H

#include <dmumps_c.h>

#include "base/context.h"

/* JOB values of dmumps_c. */
enum { ICF_MUMPS_START = -1, ICF_MUMPS_END = -2, ICF_MUMPS_ANALYZE = 1, ICF_MUMPS_FACTOR = 2, ICF_MUMPS_SOLVE = 3 };

typedef struct icf_mumps {
    icf_context *context;
    MPI_Comm comm; /* processes of the instance, not owned */
    bool started;  /* id is alive */
    DMUMPS_STRUC_C id;
} icf_mumps;

/* Starts the instance (SYM = 1, order handed in, no output) unless it is alive.  Collective over comm. */
ICF_MUST_CHECK icf_status icf_mumps_start(icf_mumps *mumps);

/* Ends the instance.  Collective over comm. */
void icf_mumps_end(icf_mumps *mumps);

/* One job; its code translated.  Collective over comm, the same status on all ranks. */
ICF_MUST_CHECK icf_status icf_mumps_call(icf_mumps *mumps, int job);

/* Factors, with more workspace when it does not suffice; ICF_NOT_POSITIVE_DEFINITE also for negative pivots.
 * Collective over comm. */
ICF_MUST_CHECK icf_status icf_mumps_factor(icf_mumps *mumps);

#endif
