/* Orders of the block graph by libamd and METIS. */
#include "solver/ordering.h"

#include <amd.h>
#include <limits.h>
#include <metis.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(sizeof(idx_t) == sizeof(icf_lid) && sizeof(int) == sizeof(icf_lid), "indices of 32 bits");

void icf_ordering_init(icf_ordering *ordering)
{
    *ordering = (icf_ordering){0};
}

void icf_ordering_clear(icf_ordering *ordering)
{
    icf_free(ordering->memory);
    icf_ordering_init(ordering);
}

/* Lists the neighbours of every block, in both directions and without the block itself.
 *   first [out] (nblock + 1), next [out] (nblock) scratch, list [out] (2 * off-diagonal blocks) */
static void list_neighbours(const icf_block_matrix *matrix, int *first, int *next, int *list)
{
    const icf_lid n = matrix->nblock;
    memset(first, 0, ((size_t)n + 1) * sizeof *first);
    for (icf_lid j = 0; j < n; ++j) {
        first[j + 1] += matrix->ptr[j + 1] - matrix->ptr[j];
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) ++first[matrix->idx[e] + 1];
    }
    for (icf_lid j = 0; j < n; ++j) {
        first[j + 1] += first[j];
        next[j] = first[j];
    }
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            list[next[j]++] = matrix->idx[e];
            list[next[matrix->idx[e]]++] = j;
        }
}

icf_status icf_order_minimum_degree(icf_ordering *ordering, const icf_block_matrix *matrix, icf_lid *order)
{
    const size_t n = (size_t)matrix->nblock;
    if (n == 0) return ICF_OK;
    // amd_2 wants elbow room behind the lists: a fifth of them and one word a block
    const size_t used = 2 * (size_t)matrix->ptr[n], room = used + used / 5 + n;
    if (room > INT_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(ordering->memory, ordering->capacity, 9 * n + 1 + room));
    int *first = ordering->memory, *length = first + n + 1, *work = length + n, *list = work + 7 * n;
    list_neighbours(matrix, first, length, list);
    for (size_t i = 0; i < n; ++i) length[i] = first[i + 1] - first[i];
    amd_2((int)n, first, list, length, (int)room, (int)used, work, work + n, order, work + 2 * n, work + 3 * n,
          work + 4 * n, work + 5 * n, NULL, NULL);
    return ICF_OK;
}

static bool dissect(const icf_block_matrix *matrix, int *first, int *list, int *weight, int *place, icf_lid *order)
{
    idx_t n = matrix->nblock, options[METIS_NOPTIONS];
    for (icf_lid i = 0; i < n; ++i) weight[i] = matrix->dof[i + 1] - matrix->dof[i];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    int result;
#pragma omp critical(icf_mumps_metis)
    result = METIS_NodeND(&n, first, list, weight, options, order, place);
    return result == METIS_OK;
}

icf_status icf_order_nested_dissection(icf_ordering *ordering, const icf_block_matrix *matrix, icf_lid *order)
{
    const size_t n = (size_t)matrix->nblock;
    if (n < ICF_DISSECTION_BLOCKS) return icf_order_minimum_degree(ordering, matrix, order);
    ICF_TRY(ICF_GROW(ordering->memory, ordering->capacity, 3 * n + 1 + 2 * (size_t)matrix->ptr[n]));
    int *first = ordering->memory, *place = first + n + 1, *weight = place + n, *list = weight + n;
    list_neighbours(matrix, first, place, list);
    if (dissect(matrix, first, list, weight, place, order)) return ICF_OK;
    return icf_order_minimum_degree(ordering, matrix, order);
}
