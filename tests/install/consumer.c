/* Uses the installed library: opens and closes a context, and creates a solver that needs the libraries below it. */
#include "base/context.h"
#include "solver/linear_solver.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    icf_context context;
    icf_linear_solver *solver = NULL;
    MPI_Init(&argc, &argv);
    if (icf_context_init(&context, MPI_COMM_WORLD, 1) != ICF_OK) return 1;
    if (icf_linear_solver_create(ICF_LINEAR_BLOCK, &context, &solver) != ICF_OK) return 1;
    printf("consumer: %d rank, status text \"%s\"\n", context.size, icf_status_text(ICF_OK));
    icf_linear_solver_destroy(&solver);
    icf_context_clear(&context);
    MPI_Finalize();
    return 0;
}
