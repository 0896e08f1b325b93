/* Products with A, and what A v* lacks. */
#include "solver/problem.h"

/* y = A x for one block. */
static inline void multiply(const double *restrict a, int size, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < size; ++i) y[i] = 0.0;
    for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) y[i] += a[i + j * size] * x[j];
}

/* Adds the products with the blocks of a mesh and their transposes. */
static void add_mesh(const icf_problem *problem, const icf_momentum_mesh *mesh, const double *x, double *y)
{
    const int32_t begin = problem->dof[mesh->first];
    for (icf_lid j = 0; j < mesh->n; ++j) {
        const double *xj = x + begin + 3 * j;
        double *yj = y + begin + 3 * j;
        for (icf_lid k = mesh->ptr[j]; k < mesh->ptr[j + 1]; ++k) {
            const int32_t at =
                mesh->idx[k] < mesh->n ? begin + 3 * mesh->idx[k] : problem->dof[mesh->rim[mesh->idx[k] - mesh->n]];
            const double *a = mesh->value + 9 * (size_t)k, *xi = x + at;
            double *yi = y + at;
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r) {
                    yi[r] += a[r + 3 * c] * xj[c];
                    yj[c] += a[r + 3 * c] * xi[r];
                }
        }
    }
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
    for (icf_lid m = 0; m < problem->nmesh; ++m) add_mesh(problem, &problem->mesh[m], x, y);
}

void icf_problem_add_residual(const icf_problem *problem, double s, double *y)
{
    for (icf_lid m = 0; m < problem->nmesh; ++m) {
        const icf_momentum_mesh *mesh = &problem->mesh[m];
        double *of_mesh = y + problem->dof[mesh->first];
        for (icf_lid i = 0; mesh->residual && i < 3 * mesh->n; ++i) of_mesh[i] += s * mesh->residual[i];
    }
}

double icf_problem_residual_dot(const icf_problem *problem, const double *x)
{
    double sum = 0.0;
    for (icf_lid m = 0; m < problem->nmesh; ++m) {
        const icf_momentum_mesh *mesh = &problem->mesh[m];
        const double *of_mesh = x + problem->dof[mesh->first];
        for (icf_lid i = 0; mesh->residual && i < 3 * mesh->n; ++i) sum += mesh->residual[i] * of_mesh[i];
    }
    return sum;
}
