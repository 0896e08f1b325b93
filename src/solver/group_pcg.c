/* Conjugate gradients by a group of ranks. */
#include "solver/group_pcg.h"

#include <string.h>

#include "base/memory.h"
#include "solver/conjugate.h"

void icf_group_pcg_init(icf_group_pcg *self)
{
    *self = (icf_group_pcg){0};
    icf_incomplete_init(&self->incomplete);
}

void icf_group_pcg_clear(icf_group_pcg *self)
{
    icf_incomplete_clear(&self->incomplete);
    icf_free(self->ptr);
    icf_free(self->idx);
    icf_free(self->from);
    icf_free(self->vector);
    icf_group_pcg_init(self);
}

/* ---- owned blocks ---- */

static icf_status reserve(icf_group_pcg *self, icf_lid nowned, const icf_block_matrix *matrix)
{
    const size_t noff = (size_t)matrix->ptr[nowned];
    ICF_TRY(ICF_GROW(self->ptr, self->ptr_capacity, (size_t)nowned + 1));
    ICF_TRY(ICF_GROW(self->idx, self->idx_capacity, noff + 1));
    ICF_TRY(ICF_GROW(self->from, self->from_capacity, noff + 1));
    return ICF_GROW(self->vector, self->vector_capacity,
                    ICF_CONJUGATE_VECTORS * ((size_t)matrix->dof[matrix->nblock] + 1));
}

static void take_pattern(icf_group_pcg *self, icf_lid nowned, const icf_block_matrix *matrix)
{
    icf_lid n = 0;
    for (icf_lid j = 0; j < nowned; ++j) {
        self->ptr[j] = n;
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            if (matrix->idx[e] >= nowned) continue;
            self->idx[n] = matrix->idx[e];
            self->from[n++] = e;
        }
    }
    self->ptr[nowned] = n;
}

static icf_status analyze_here(icf_group_pcg *self, icf_lid nowned, const icf_block_matrix *matrix)
{
    ICF_TRY(reserve(self, nowned, matrix));
    take_pattern(self, nowned, matrix);
    const icf_block_matrix owned = {.nblock = nowned, .dof = matrix->dof, .ptr = self->ptr, .idx = self->idx};
    return icf_incomplete_analyze(&self->incomplete, &owned);
}

icf_status icf_group_pcg_analyze(icf_group_pcg *self, const icf_group *group, const icf_block_matrix *matrix)
{
    return icf_group_agree(group, analyze_here(self, group->nowned, matrix));
}

static int32_t width(const icf_block_matrix *matrix, icf_lid block)
{
    return matrix->dof[block + 1] - matrix->dof[block];
}

static void take_off_diagonal(icf_group_pcg *self, const icf_block_matrix *matrix)
{
    icf_block_matrix *owned = &self->incomplete.matrix;
    for (icf_lid j = 0; j < owned->nblock; ++j)
        for (icf_lid e = owned->ptr[j]; e < owned->ptr[j + 1]; ++e)
            memcpy(owned->val + owned->off_at[e], matrix->val + matrix->off_at[self->from[e]],
                   (size_t)width(owned, j) * (size_t)width(owned, owned->idx[e]) * sizeof(double));
}

/* Diagonal blocks with what all ranks give of them, a column of each at a time.
 *   column [work] (dofs) */
static void sum_diagonal(icf_group_pcg *self, icf_group *group, const icf_block_matrix *matrix, double *column)
{
    icf_block_matrix *owned = &self->incomplete.matrix;
    int32_t widest = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) widest = ICF_MAX(widest, width(matrix, j));
    widest = (int32_t)icf_group_max(group, widest);
    for (int32_t c = 0; c < widest; ++c) {
        memset(column, 0, (size_t)matrix->dof[matrix->nblock] * sizeof *column);
        for (icf_lid j = 0; j < matrix->nblock; ++j) {
            const size_t n = (size_t)width(matrix, j);
            if (c < width(matrix, j))
                memcpy(column + matrix->dof[j], matrix->val + matrix->diag_at[j] + (size_t)c * n, n * sizeof *column);
        }
        icf_group_to_owners(group, column);
        for (icf_lid j = 0; j < owned->nblock; ++j) {
            const size_t n = (size_t)width(owned, j);
            if (c < width(owned, j))
                memcpy(owned->val + owned->diag_at[j] + (size_t)c * n, column + owned->dof[j], n * sizeof *column);
        }
    }
}

icf_status icf_group_pcg_factor(icf_group_pcg *self, icf_group *group, const icf_block_matrix *matrix)
{
    sum_diagonal(self, group, matrix, self->vector);
    take_off_diagonal(self, matrix);
    return icf_group_agree(group, icf_incomplete_factor(&self->incomplete));
}

/* ---- solution ---- */

static icf_status precondition(void *data, const double *r, double *z)
{
    const icf_group_pcg *self = data;
    icf_incomplete_solve(&self->incomplete, r, z);
    return ICF_OK;
}

icf_status icf_group_pcg_solve(icf_group_pcg *self, icf_group *group, const icf_block_matrix *matrix, double tolerance,
                               icf_cnt most, const double *b, double *x, icf_cnt *iterations)
{
    const icf_conjugate system = {.matrix = matrix,
                                  .group = group,
                                  .precondition = precondition,
                                  .data = self,
                                  .tolerance = tolerance,
                                  .limit = (size_t)most};
    *iterations = 0;
    return icf_conjugate_solve(&system, self->vector, b, x, iterations);
}
