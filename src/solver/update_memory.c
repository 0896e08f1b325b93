/* Places of updates by first fit. */
#include "solver/update_memory.h"

#include <string.h>

#include "base/memory.h"

void icf_update_memory_init(icf_update_memory *memory)
{
    *memory = (icf_update_memory){0};
}

void icf_update_memory_clear(icf_update_memory *memory)
{
    icf_free(memory->live);
    icf_update_memory_init(memory);
}

void icf_update_memory_reset(icf_update_memory *memory)
{
    memory->nlive = 0;
    memory->most = 0;
}

icf_status icf_update_memory_insert(icf_update_memory *memory, int64_t length, icf_lid parent, int64_t *begin)
{
    ICF_TRY(ICF_GROW(memory->live, memory->live_capacity, memory->nlive + 1));
    icf_live_update *live = memory->live;
    icf_lid k = 0;
    *begin = 0;
    while (k < memory->nlive && live[k].begin < *begin + length) *begin = live[k++].end;
    memmove(&live[k + 1], &live[k], (size_t)(memory->nlive - k) * sizeof *live);
    live[k] = (icf_live_update){*begin, *begin + length, parent};
    ++memory->nlive;
    memory->most = ICF_MAX(memory->most, *begin + length);
    return ICF_OK;
}

void icf_update_memory_remove(icf_update_memory *memory, icf_lid parent)
{
    icf_lid n = 0;
    for (icf_lid k = 0; k < memory->nlive; ++k)
        if (memory->live[k].parent != parent) memory->live[n++] = memory->live[k];
    memory->nlive = n;
}
