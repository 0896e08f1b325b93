/* CPU time spent inside blocking MPI calls.
 *
 * A rank that waits in MPI asks again and again whether a message has come, also when it gives way to others: its CPU
 * time says nothing about its work.  So calls that may wait are made through ICF_MPI_WAIT, and the work of a rank is
 *
 *     icf_mpi_work_cpu() = icf_clock_cpu() - icf_mpi_wait_cpu()
 *
 * between two moments.  Waits inside MUMPS cannot be told from its work and count as work.  Like the CPU clock, the sum
 * belongs to the process; only its master thread, which makes all MPI calls, adds to it.
 */
#ifndef ICF_BASE_MPI_WAIT_H
#define ICF_BASE_MPI_WAIT_H

#include "base/clock.h"

/* Makes an MPI call that may wait for other ranks, and counts the CPU time of this thread in it.  Master thread only.
 */
#define ICF_MPI_WAIT(...)                                          \
    do {                                                           \
        const double icf_wait_began = icf_clock_thread_cpu();      \
        __VA_ARGS__;                                               \
        icf_mpi_wait_add(icf_clock_thread_cpu() - icf_wait_began); \
    } while (0)

/* Adds seconds to the sum. */
void icf_mpi_wait_add(double seconds);

/* Seconds of CPU time that this process has spent in blocking MPI calls. */
double icf_mpi_wait_cpu(void);

/* Seconds of CPU time that this process has spent outside them. */
double icf_mpi_work_cpu(void);

#endif
