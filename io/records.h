/* Pieces of text with a key, made on all ranks and merged in the order of their keys on rank 0.
 *
 * For output that lists things in canonical order whoever owns them.  Everything arrives on rank 0: for small
 * scenes only.
 */
#ifndef ICF_IO_RECORDS_H
#define ICF_IO_RECORDS_H

#include "base/context.h"
#include "io/text.h"

typedef struct icf_record {
    int64_t key[3];
    int64_t begin, end; /* bytes in the text */
} icf_record;

typedef struct icf_records {
    icf_text text; /* append a record's bytes between begin and end */
    icf_record *record;
    size_t n, capacity;
} icf_records;

/* Forgets all records, keeping the memory. */
void icf_records_reset(icf_records *records);

/* Starts and ends a record; keys must be distinct over all ranks. */
void icf_record_begin(icf_records *records, int64_t major, int64_t middle, int64_t minor);
void icf_record_end(icf_records *records);

/* Moves all records to rank 0, sorted by key; the other ranks keep none.  Collective. */
ICF_MUST_CHECK icf_status icf_records_gather(icf_context *context, icf_records *records);

/* Appends the records to a text, with a separator between them. */
void icf_records_join(const icf_records *records, const char *separator, icf_text *text);

void icf_records_clear(icf_records *records);

#endif
