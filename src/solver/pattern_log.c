/* The patterns that a solve has factored H in. */
#include "solver/pattern_log.h"

#include <string.h>

#include "base/memory.h"

void icf_pattern_log_clear(icf_pattern_log *log)
{
    for (int k = 0; k < log->n; ++k) icf_free(log->entry[k].ptr);
    icf_free(log->entry);
    *log = (icf_pattern_log){0};
}

icf_status icf_pattern_log_add(icf_pattern_log *log, const icf_block_matrix *pattern, const icf_lid *order,
                               bool repaired, icf_pattern_work before)
{
    const size_t n = (size_t)pattern->nblock, noff = (size_t)pattern->ptr[n];
    if (!order) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(log->entry, log->capacity, log->n + 1));
    icf_lid *memory = icf_alloc((2 * n + 1 + noff) * sizeof *memory);
    if (!memory) return ICF_ERROR_MEMORY;
    const icf_pattern_entry entry = {memory, memory + n + 1, memory + n + 1 + noff, before, repaired};
    memcpy(entry.ptr, pattern->ptr, (n + 1) * sizeof *memory);
    memcpy(entry.idx, pattern->idx, noff * sizeof *memory);
    memcpy(entry.order, order, n * sizeof *memory);
    log->entry[log->n++] = entry;
    return ICF_OK;
}
