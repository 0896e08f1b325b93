/* Table of names: each text once, found by hashing, numbered in the order of their first use.
 *
 * Costs the text, 8 bytes and 6 to 12 bytes of hash slots a name.  Local, not thread-safe.
 */
#ifndef ICF_IO_NAME_TABLE_H
#define ICF_IO_NAME_TABLE_H

#include "base/status.h"
#include "base/types.h"

typedef struct icf_name_table {
    size_t n;       /* names */
    size_t *offset; /* (n) where a name starts in pool */
    size_t offset_capacity;
    char *pool; /* zero-terminated names, one after the other */
    size_t pool_bytes, pool_capacity;
    uint32_t *slot; /* (nslot) number of a name + 1, 0: free; linear probing */
    size_t nslot;   /* a power of two, 0 at first */
} icf_name_table;

/* Starts empty. */
void icf_name_table_init(icf_name_table *table);

/* Releases the memory; the table is empty afterwards. */
void icf_name_table_clear(icf_name_table *table);

/* Finds or adds a name.
 *   text, length [in]  bytes of the name, need not be zero-terminated
 *   index        [out] its number
 *   added        [out] whether it is new
 * ICF_ERROR_MEMORY (table unchanged). */
ICF_MUST_CHECK icf_status icf_name_table_intern(icf_name_table *table, const char *text, size_t length, size_t *index,
                                                bool *added);

/* Number of a name, -1 when it is not in the table. */
int64_t icf_name_table_find(const icf_name_table *table, const char *text, size_t length);

/* The zero-terminated name; valid until the next one is added. */
static inline const char *icf_name_table_text(const icf_name_table *table, size_t index)
{
    return table->pool + table->offset[index];
}

/* Length of a name in bytes. */
static inline size_t icf_name_table_length(const icf_name_table *table, size_t index)
{
    const size_t end = index + 1 < table->n ? table->offset[index + 1] : table->pool_bytes;
    return end - table->offset[index] - 1;
}

#endif
