/* Products with A. */
#include "solver/problem.h"

/* y = A x for one block. */
static inline void multiply(const double *restrict a, int size, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < size; ++i) y[i] = 0.0;
    for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) y[i] += a[i + j * size] * x[j];
}

void icf_problem_momentum(const icf_problem *problem, const double *x, double *y)
{
    const double *a = problem->momentum;
    for (icf_lid b = 0; b < problem->nblock; ++b) {
        const int32_t begin = problem->dof[b], size = problem->dof[b + 1] - begin;
        if (size == 6)
            multiply(a, 6, x + begin, y + begin);
        else
            multiply(a, size, x + begin, y + begin);
        a += size * size;
    }
}
