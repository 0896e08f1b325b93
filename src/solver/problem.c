/* Products with A. */
#include "solver/problem.h"

void icf_problem_momentum(const icf_problem *problem, const double *x, double *y)
{
    const double *a = problem->momentum;
    for (icf_lid b = 0; b < problem->nblock; ++b) {
        const int32_t begin = problem->dof[b], size = problem->dof[b + 1] - begin;
        for (int i = 0; i < size; ++i) y[begin + i] = 0.0;
        for (int j = 0; j < size; ++j, a += size)
            for (int i = 0; i < size; ++i) y[begin + i] += a[i] * x[begin + j];
    }
}
