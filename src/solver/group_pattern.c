/* Pattern of a group's whole matrix. */
#include "solver/group_pattern.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

void icf_group_pattern_init(icf_group_pattern *pattern)
{
    *pattern = (icf_group_pattern){0};
}

void icf_group_pattern_clear(icf_group_pattern *pattern)
{
    void *const memory[] = {pattern->dof,   pattern->ptr,       pattern->idx,    pattern->width,
                            pattern->pairs, pattern->all_pairs, pattern->counts, pattern->varies};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    icf_group_pattern_init(pattern);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(pattern->name, pattern->name##_capacity, n))

/* Block pairs of this rank by global number, larger first. */
static icf_status list_pairs(icf_group_pattern *pattern, const icf_group *group, const icf_block_matrix *matrix)
{
    GROW(counts, 2 * (size_t)group->size);
    GROW(pairs, 2 * (size_t)matrix->ptr[matrix->nblock] + 2);
    size_t k = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j)
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const int a = (int)group->number[matrix->idx[e]], b = (int)group->number[j];
            pattern->pairs[k++] = ICF_MAX(a, b);
            pattern->pairs[k++] = ICF_MIN(a, b);
        }
    return ICF_OK;
}

/* Starts of what the ranks give; returns the sum, -1 when it is too large for a call of MPI. */
static int64_t starts(int *counts, int size)
{
    int64_t sum = 0;
    for (int r = 0; r < size; ++r) {
        counts[size + r] = (int)sum;
        sum += counts[r];
        if (sum > INT_MAX) return -1;
    }
    return sum;
}

static icf_status gather_pairs(icf_group_pattern *pattern, const icf_group *group, const icf_block_matrix *matrix,
                               size_t *npair)
{
    ICF_TRY(icf_group_agree(group, list_pairs(pattern, group, matrix)));
    const int mine = 2 * matrix->ptr[matrix->nblock];
    int *counts = pattern->counts;
    ICF_MPI_WAIT(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, group->comm));
    const int64_t n = starts(counts, group->size);
    icf_status status = n < 0 ? ICF_ERROR_MEMORY : ICF_OK;
    if (status == ICF_OK) status = ICF_GROW(pattern->all_pairs, pattern->all_pairs_capacity, n + 1);
    ICF_TRY(icf_group_agree(group, status));
    ICF_MPI_WAIT(MPI_Allgatherv(pattern->pairs, mine, MPI_INT, pattern->all_pairs, counts, counts + group->size,
                                MPI_INT, group->comm));
    *npair = (size_t)n / 2;
    return ICF_OK;
}

/* Room for the whole pattern. */
static icf_status reserve(icf_group_pattern *pattern, const icf_group *group, size_t npair)
{
    if (group->nglobal > INT32_MAX / 64) return ICF_ERROR_MEMORY;
    const size_t nblock = (size_t)group->nglobal;
    GROW(dof, nblock + 1);
    GROW(width, nblock + 1);
    GROW(ptr, nblock + 2);
    GROW(idx, npair + 1);
    GROW(varies, nblock + 1);
    return ICF_OK;
}

/* Dofs of all blocks, from their owners. */
static void gather_dofs(icf_group_pattern *pattern, const icf_group *group, const icf_block_matrix *matrix)
{
    int *counts = pattern->counts, *at = counts + group->size;
    for (int r = 0; r < group->size; ++r) {
        counts[r] = (int)(group->rank_first[r + 1] - group->rank_first[r]);
        at[r] = (int)group->rank_first[r];
    }
    int32_t *width = pattern->width;
    for (icf_lid i = 0; i < group->nowned; ++i) width[group->first + i] = matrix->dof[i + 1] - matrix->dof[i];
    ICF_MPI_WAIT(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, width, counts, at, MPI_INT32_T, group->comm));
    pattern->dof[0] = 0;
    for (icf_cnt i = 0; i < group->nglobal; ++i) pattern->dof[i + 1] = pattern->dof[i] + width[i];
}

/* What varies on any rank; returns NULL where all does. */
static const bool *gather_varying(icf_group_pattern *pattern, const icf_group *group, const icf_block_matrix *matrix)
{
    bool *varies = pattern->varies;
    memset(varies, 0, (size_t)group->nglobal * sizeof *varies);
    for (icf_lid i = 0; i < group->nblock; ++i) varies[group->number[i]] = !matrix->varies || matrix->varies[i];
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, varies, (int)group->nglobal, MPI_C_BOOL, MPI_LOR, group->comm));
    for (icf_cnt i = 0; i < group->nglobal; ++i)
        if (!varies[i]) return varies;
    return NULL;
}

/* Lower pattern by columns. */
static void sort_pairs(icf_group_pattern *pattern, icf_lid nblock, size_t npair)
{
    icf_lid *ptr = pattern->ptr;
    const int *pairs = pattern->all_pairs;
    memset(ptr, 0, ((size_t)nblock + 2) * sizeof *ptr);
    for (size_t k = 0; k < npair; ++k) ++ptr[pairs[2 * k + 1] + 2];
    for (icf_lid j = 2; j < nblock + 2; ++j) ptr[j] += ptr[j - 1];
    for (size_t k = 0; k < npair; ++k) pattern->idx[ptr[pairs[2 * k + 1] + 1]++] = pairs[2 * k];
    icf_pattern_sort(nblock, ptr, pattern->idx);
}

icf_status icf_group_pattern_build(icf_group_pattern *pattern, const icf_group *group, const icf_block_matrix *matrix)
{
    size_t npair;
    ICF_TRY(gather_pairs(pattern, group, matrix, &npair));
    ICF_TRY(icf_group_agree(group, reserve(pattern, group, npair)));
    gather_dofs(pattern, group, matrix);
    const icf_lid nblock = (icf_lid)group->nglobal;
    sort_pairs(pattern, nblock, npair);
    pattern->matrix =
        (icf_block_matrix){.nblock = nblock, .dof = pattern->dof, .ptr = pattern->ptr, .idx = pattern->idx};
    pattern->matrix.varies = gather_varying(pattern, group, matrix);
    return ICF_OK;
}
