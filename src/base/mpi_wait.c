/* CPU time spent inside blocking MPI calls. */
#include "base/mpi_wait.h"

static double waited; /* [s] */

void icf_mpi_wait_add(double seconds)
{
    waited += seconds;
}

double icf_mpi_wait_cpu(void)
{
    return waited;
}

double icf_mpi_work_cpu(void)
{
    return icf_clock_cpu() - icf_mpi_wait_cpu();
}
