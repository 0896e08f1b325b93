/* Table of names: open addressing with linear probing over numbers of names. */
#include "io/name_table.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { first_slots = 64 };

void icf_name_table_init(icf_name_table *table)
{
    *table = (icf_name_table){0};
}

void icf_name_table_clear(icf_name_table *table)
{
    icf_free(table->offset);
    icf_free(table->pool);
    icf_free(table->slot);
    icf_name_table_init(table);
}

/* Slot of a name, or the free slot where it belongs; nslot > n. */
static size_t find_slot(const icf_name_table *table, const char *text, size_t length)
{
    const size_t mask = table->nslot - 1;
    size_t i = (size_t)icf_hash_bytes(0, text, length) & mask;
    for (; table->slot[i] != 0; i = (i + 1) & mask) {
        const size_t index = table->slot[i] - 1;
        if (icf_name_table_length(table, index) == length &&
            memcmp(icf_name_table_text(table, index), text, length) == 0)
            break;
    }
    return i;
}

/* Doubles the slots and enters all names again. */
static icf_status grow_slots(icf_name_table *table)
{
    const size_t nslot = table->nslot > 0 ? 2 * table->nslot : first_slots;
    uint32_t *slot = icf_alloc(nslot * sizeof *slot);
    if (!slot) return ICF_ERROR_MEMORY;
    memset(slot, 0, nslot * sizeof *slot);
    icf_free(table->slot);
    table->slot = slot;
    table->nslot = nslot;
    for (size_t i = 0; i < table->n; ++i)
        slot[find_slot(table, icf_name_table_text(table, i), icf_name_table_length(table, i))] = (uint32_t)(i + 1);
    return ICF_OK;
}

int64_t icf_name_table_find(const icf_name_table *table, const char *text, size_t length)
{
    if (table->nslot == 0) return -1;
    return (int64_t)table->slot[find_slot(table, text, length)] - 1;
}

icf_status icf_name_table_intern(icf_name_table *table, const char *text, size_t length, size_t *index, bool *added)
{
    if (table->n >= UINT32_MAX - 1) return ICF_ERROR_MEMORY;
    if (3 * (table->n + 1) > 2 * table->nslot) ICF_TRY(grow_slots(table));
    const size_t i = find_slot(table, text, length);
    *added = table->slot[i] == 0;
    if (*added) {
        ICF_TRY(ICF_GROW(table->offset, table->offset_capacity, table->n + 1));
        ICF_TRY(ICF_GROW(table->pool, table->pool_capacity, table->pool_bytes + length + 1));
        table->offset[table->n] = table->pool_bytes;
        memcpy(table->pool + table->pool_bytes, text, length);
        table->pool[table->pool_bytes + length] = '\0';
        table->pool_bytes += length + 1;
        table->slot[i] = (uint32_t)++table->n;
    }
    *index = table->slot[i] - 1;
    return ICF_OK;
}
