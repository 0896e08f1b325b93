/* Conjugate gradients. */
#include "solver/conjugate.h"

#include <string.h>

/* Eight partial sums, in an order that does not depend on the machine. */
static double dot_here(const double *a, const double *b, size_t n)
{
    double sum[8] = {0.0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) sum[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sum[i % 8] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* The same over all ranks. */
static double dot(const icf_conjugate *system, const double *a, const double *b, size_t n)
{
    double sum = dot_here(a, b, n);
    if (system->group) icf_group_sum(system->group, &sum, 1);
    return sum;
}

/* y = H x at owned dofs; the shadows of x are found first. */
static void multiply(const icf_conjugate *system, double *x, double *y)
{
    if (system->group) icf_group_to_shadows(system->group, x);
    icf_block_matrix_multiply(system->matrix, x, y);
    if (system->group) icf_group_to_owners(system->group, y);
}

/* y += s x */
static void add_scaled(double *y, double s, const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) y[i] += s * x[i];
}

/* Where an iteration takes off a thousandth and more, as with a factor of H in another precision, the next one takes
 * off no less: whether it will be enough is known without its residual. */
static bool next_is_last(double rz, double before, double stop)
{
    const double fall = rz / before;
    return fall < 1e-6 && rz * fall <= stop;
}

icf_status icf_conjugate_solve(const icf_conjugate *system, double *vector, const double *b, double *x,
                               icf_cnt *iterations)
{
    const icf_block_matrix *matrix = system->matrix;
    const size_t stride = (size_t)matrix->dof[matrix->nblock];
    const size_t n = (size_t)matrix->dof[system->group ? system->group->nowned : matrix->nblock];
    double *r = vector, *z = r + stride, *p = z + stride, *hp = p + stride;
    memcpy(r, b, n * sizeof *r);
    memset(x, 0, n * sizeof *x);
    ICF_TRY(system->precondition(system->data, r, z));
    memcpy(p, z, n * sizeof *p);
    double rz = dot(system, r, z, n);
    const double stop = rz * system->tolerance * system->tolerance;
    bool last = false;
    for (size_t i = 0; !(rz <= stop); ++i) {
        if (i == system->limit) return ICF_NOT_CONVERGED;
        multiply(system, p, hp);
        const double curvature = dot(system, p, hp, n);
        if (!(curvature > 0.0)) return ICF_NOT_POSITIVE_DEFINITE;
        add_scaled(x, rz / curvature, p, n);
        ++*iterations;
        if (last) return ICF_OK;
        add_scaled(r, -rz / curvature, hp, n);
        ICF_TRY(system->precondition(system->data, r, z));
        const double before = rz;
        rz = dot(system, r, z, n);
        for (size_t k = 0; k < n; ++k) p[k] = z[k] + rz / before * p[k];
        last = next_is_last(rz, before, stop);
    }
    return ICF_OK;
}
