/* Pieces of text merged on rank 0. */
#include "io/records.h"

#include <stdlib.h>

#include "base/memory.h"

void icf_records_reset(icf_records *records)
{
    records->n = records->text.used = 0;
}

void icf_record_begin(icf_records *records, int64_t major, int64_t middle, int64_t minor)
{
    if (ICF_GROW(records->record, records->capacity, records->n + 1) != ICF_OK) {
        records->text.out_of_memory = true;
        return;
    }
    const int64_t begin = (int64_t)records->text.used;
    records->record[records->n++] = (icf_record){.key = {major, middle, minor}, .begin = begin, .end = begin};
}

void icf_record_end(icf_records *records)
{
    if (records->n > 0) records->record[records->n - 1].end = (int64_t)records->text.used;
}

static int compare(const void *a, const void *b)
{
    const icf_record *left = a, *right = b;
    for (int i = 0; i < 3; ++i)
        if (left->key[i] != right->key[i]) return left->key[i] < right->key[i] ? -1 : 1;
    return 0;
}

/* Bytes that every rank sends, and where they go on rank 0. */
typedef struct parts {
    int *count, *begin; /* (ranks) on rank 0 */
    size_t total;
} parts;

static void free_parts(parts *p)
{
    icf_free(p->count);
    icf_free(p->begin);
}

/* Learns how much each rank has; messages are limited to what MPI counts in an int. */
static icf_status count_parts(icf_context *context, size_t bytes, parts *p)
{
    const size_t n = (size_t)context->size * sizeof(int);
    *p = (parts){.count = icf_alloc(n), .begin = icf_alloc(n)};
    icf_status status = p->count && p->begin && bytes <= INT32_MAX ? ICF_OK : ICF_ERROR_MEMORY;
    ICF_TRY(icf_agree(context, status));
    const int mine = (int)bytes;
    MPI_Gather(&mine, 1, MPI_INT, p->count, 1, MPI_INT, 0, context->comm);
    for (int rank = 0; context->rank == 0 && rank < context->size; ++rank) {
        p->begin[rank] = (int)ICF_MIN(p->total, INT32_MAX);
        p->total += (size_t)p->count[rank];
    }
    status = p->total <= INT32_MAX ? ICF_OK : ICF_ERROR_MEMORY;
    return icf_agree(context, status);
}

/* Gathers bytes of all ranks behind each other on rank 0; *all is NULL elsewhere. */
static icf_status gather_bytes(icf_context *context, const void *mine, const parts *p, size_t bytes, void **all)
{
    *all = context->rank == 0 ? icf_alloc(p->total + 1) : NULL;
    ICF_TRY(icf_agree(context, context->rank == 0 && !*all ? ICF_ERROR_MEMORY : ICF_OK));
    MPI_Gatherv(mine, (int)bytes, MPI_BYTE, *all, p->count, p->begin, MPI_BYTE, 0, context->comm);
    return ICF_OK;
}

/* The text of each rank moved behind that of those before it; so do its records' offsets. */
static void shift_offsets(const icf_context *context, icf_record *all, const parts *records, const parts *text)
{
    for (int rank = 0; rank < context->size; ++rank) {
        const size_t first = (size_t)records->begin[rank] / sizeof *all;
        const size_t n = (size_t)records->count[rank] / sizeof *all;
        for (size_t i = first; i < first + n; ++i) {
            all[i].begin += text->begin[rank];
            all[i].end += text->begin[rank];
        }
    }
}

/* Replaces this rank's records by those of all ranks (none, but on rank 0). */
static icf_status gather(icf_context *context, icf_records *records, parts *heads, parts *texts)
{
    const size_t head_bytes = records->n * sizeof *records->record, text_bytes = records->text.used;
    void *all_heads = NULL, *all_text = NULL;
    ICF_TRY(count_parts(context, head_bytes, heads));
    ICF_TRY(count_parts(context, text_bytes, texts));
    ICF_TRY(gather_bytes(context, records->record, heads, head_bytes, &all_heads));
    const icf_status status = gather_bytes(context, records->text.bytes, texts, text_bytes, &all_text);
    if (status != ICF_OK || context->rank != 0) {
        icf_free(all_heads);
        icf_records_reset(records);
        return status;
    }
    shift_offsets(context, all_heads, heads, texts);
    icf_records_clear(records);
    records->n = records->capacity = heads->total / sizeof *records->record;
    records->record = all_heads;
    records->text = (icf_text){.bytes = all_text, .used = texts->total, .capacity = texts->total + 1};
    return ICF_OK;
}

icf_status icf_records_gather(icf_context *context, icf_records *records)
{
    icf_status status = records->text.out_of_memory ? ICF_ERROR_MEMORY : ICF_OK;
    parts heads = {0}, texts = {0};
    status = icf_agree(context, status);
    if (status == ICF_OK && context->size > 1) status = gather(context, records, &heads, &texts);
    free_parts(&heads);
    free_parts(&texts);
    if (status == ICF_OK && records->n > 0) qsort(records->record, records->n, sizeof *records->record, compare);
    return status;
}

void icf_records_join(const icf_records *records, const char *separator, icf_text *text)
{
    for (size_t i = 0; i < records->n; ++i) {
        const icf_record *record = &records->record[i];
        if (i > 0) icf_text_put(text, separator);
        icf_text_append(text, records->text.bytes + record->begin, (size_t)(record->end - record->begin));
    }
}

void icf_records_clear(icf_records *records)
{
    icf_text_clear(&records->text);
    icf_free(records->record);
    *records = (icf_records){0};
}
