/* Entries of a group's matrix to the ranks that assemble them. */
#include "solver/group_values.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

/* counts holds, for each rank: blocks sent, their start, blocks received, their start; the same in values. */
enum { SENT, SENT_AT, RECEIVED, RECEIVED_AT, OUT, OUT_AT, IN, IN_AT, NCOUNT };

void icf_group_values_init(icf_group_values *values)
{
    *values = (icf_group_values){0};
}

void icf_group_values_clear(icf_group_values *values)
{
    void *const memory[] = {values->diag_at, values->off_at, values->val, values->sent,  values->sent_code,
                            values->code,    values->out,    values->in,  values->counts};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    icf_group_values_init(values);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(values->name, values->name##_capacity, n))

static int *counts_of(const icf_group_values *values, const icf_group *group, int which)
{
    return values->counts + which * group->size;
}

/* Starts from counts; returns the sum. */
static int64_t starts(const int *count, int *at, int size)
{
    int64_t sum = 0;
    for (int r = 0; r < size; ++r) {
        at[r] = (int)ICF_MIN(sum, INT_MAX);
        sum += count[r];
    }
    return sum;
}

/* ---- who gets a block ---- */

/* A list that is first counted, then filled. */
typedef struct lister {
    icf_group_values *values;
    const icf_group *group;
    const icf_front_map *map;
    const icf_block_matrix *matrix;
    bool fill;
} lister;

static void list_block(const lister *list, icf_lid i, icf_lid j, icf_lid entry)
{
    const icf_lid a = (icf_lid)list->group->number[i], b = (icf_lid)list->group->number[j];
    const icf_lid row = ICF_MAX(a, b), column = ICF_MIN(a, b);
    int rank[ICF_BLOCK_RANKS];
    const int n = icf_front_block_ranks(list->map, row, column, rank);
    int *sent = counts_of(list->values, list->group, SENT), *at = counts_of(list->values, list->group, SENT_AT);
    for (int k = 0; k < n; ++k) {
        if (!list->fill) {
            ++sent[rank[k]];
            continue;
        }
        const int place = at[rank[k]]++;
        list->values->sent[place] = (icf_sent_block){i, j, entry, a < b};
        list->values->sent_code[place] = ((int64_t)row << 32) + column;
    }
}

static void list_blocks(const lister *list)
{
    const icf_block_matrix *matrix = list->matrix;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        list_block(list, j, j, -1);
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) list_block(list, matrix->idx[e], j, e);
    }
}

static icf_status list_sent(lister *list)
{
    icf_group_values *values = list->values;
    const int size = list->group->size;
    GROW(counts, NCOUNT * (size_t)size);
    memset(values->counts, 0, NCOUNT * (size_t)size * sizeof *values->counts);
    list_blocks(list);
    int *sent = counts_of(values, list->group, SENT), *at = counts_of(values, list->group, SENT_AT);
    const int64_t n = starts(sent, at, size);
    if (n > INT_MAX) return ICF_ERROR_MEMORY;
    values->nsent = (int)n;
    GROW(sent, n + 1);
    GROW(sent_code, n + 1);
    list->fill = true;
    list_blocks(list);
    starts(sent, at, size);
    return ICF_OK;
}

/* ---- what comes ---- */

/* Values of a block of the whole matrix. */
static int64_t size_of(const icf_block_matrix *whole, int64_t code)
{
    const int64_t row = code >> 32, column = code & INT32_MAX;
    return (int64_t)(whole->dof[row + 1] - whole->dof[row]) * (whole->dof[column + 1] - whole->dof[column]);
}

static icf_status exchange_codes(icf_group_values *values, const icf_group *group)
{
    int *sent = counts_of(values, group, SENT), *received = counts_of(values, group, RECEIVED);
    int *received_at = counts_of(values, group, RECEIVED_AT);
    ICF_MPI_WAIT(MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, group->comm));
    const int64_t n = starts(received, received_at, group->size);
    icf_status status = n > INT_MAX ? ICF_ERROR_MEMORY : ICF_OK;
    if (status == ICF_OK) status = ICF_GROW(values->code, values->code_capacity, n + 1);
    ICF_TRY(icf_group_agree(group, status));
    values->nreceived = (int)n;
    ICF_MPI_WAIT(MPI_Alltoallv(values->sent_code, sent, counts_of(values, group, SENT_AT), MPI_INT64_T, values->code,
                               received, received_at, MPI_INT64_T, group->comm));
    return ICF_OK;
}

/* Numbers of values to and from each rank. */
static icf_status count_values(icf_group_values *values, const icf_group *group, const icf_block_matrix *whole)
{
    int64_t nout = 0, nin = 0;
    for (int r = 0; r < group->size; ++r) {
        int64_t out = 0, in = 0;
        const int sent_at = counts_of(values, group, SENT_AT)[r],
                  received_at = counts_of(values, group, RECEIVED_AT)[r];
        for (int k = 0; k < counts_of(values, group, SENT)[r]; ++k)
            out += size_of(whole, values->sent_code[sent_at + k]);
        for (int k = 0; k < counts_of(values, group, RECEIVED)[r]; ++k)
            in += size_of(whole, values->code[received_at + k]);
        if (r == group->rank) out = in = 0; /* own ones are taken from the matrix */
        counts_of(values, group, OUT)[r] = (int)out;
        counts_of(values, group, IN)[r] = (int)in;
        nout += out;
        nin += in;
    }
    if (nout > INT_MAX || nin > INT_MAX) return ICF_ERROR_MEMORY;
    starts(counts_of(values, group, OUT), counts_of(values, group, OUT_AT), group->size);
    starts(counts_of(values, group, IN), counts_of(values, group, IN_AT), group->size);
    ICF_TRY(ICF_RENEW(values->out, values->out_capacity, nout + 1));
    ICF_TRY(ICF_RENEW(values->in, values->in_capacity, nin + 1));
    return ICF_OK;
}

/* Position of a received block in val. */
static int64_t *position(icf_group_values *values, int64_t code)
{
    const icf_lid row = (icf_lid)(code >> 32), column = (icf_lid)(code & INT32_MAX);
    if (row == column) return &values->diag_at[row];
    return &values->off_at[icf_block_matrix_find(&values->matrix, row, column)];
}

/* Gives each received block its place. */
static icf_status place_blocks(icf_group_values *values, const icf_block_matrix *whole)
{
    const icf_lid nblock = whole->nblock, noff = whole->ptr[nblock];
    GROW(diag_at, (size_t)nblock + 1);
    GROW(off_at, (size_t)noff + 1);
    for (icf_lid i = 0; i < nblock; ++i) values->diag_at[i] = -1;
    for (icf_lid e = 0; e < noff; ++e) values->off_at[e] = -1;
    values->matrix = *whole;
    int64_t at = 0;
    for (int k = 0; k < values->nreceived; ++k) {
        int64_t *place = position(values, values->code[k]);
        if (*place >= 0) continue;
        *place = at;
        at += size_of(whole, values->code[k]);
    }
    ICF_TRY(ICF_RENEW(values->val, values->val_capacity, at + 1));
    values->matrix.diag_at = values->diag_at;
    values->matrix.off_at = values->off_at;
    values->matrix.val = values->val;
    values->matrix.nval = at;
    return ICF_OK;
}

icf_status icf_group_values_analyze(icf_group_values *values, const icf_group *group, const icf_group_pattern *pattern,
                                    const icf_front_map *map, const icf_block_matrix *matrix)
{
    lister list = {.values = values, .group = group, .map = map, .matrix = matrix};
    ICF_TRY(icf_group_agree(group, list_sent(&list)));
    ICF_TRY(exchange_codes(values, group));
    icf_status status = count_values(values, group, &pattern->matrix);
    if (status == ICF_OK) status = place_blocks(values, &pattern->matrix);
    return icf_group_agree(group, status);
}

/* ---- values ---- */

/* A block of this rank's matrix. */
typedef struct own_block {
    const double *val;
    int m, n; /* rows and columns, as it lies there */
    bool flip;
} own_block;

static own_block find_block(const icf_block_matrix *matrix, const icf_sent_block *sent)
{
    return (own_block){.val =
                           matrix->val + (sent->entry < 0 ? matrix->diag_at[sent->row] : matrix->off_at[sent->entry]),
                       .m = matrix->dof[sent->row + 1] - matrix->dof[sent->row],
                       .n = matrix->dof[sent->column + 1] - matrix->dof[sent->column],
                       .flip = sent->flip};
}

static double *pack(const icf_block_matrix *matrix, const icf_sent_block *sent, double *out)
{
    const own_block block = find_block(matrix, sent);
    const int m = block.m, n = block.n;
    if (!block.flip) memcpy(out, block.val, (size_t)(m * n) * sizeof *out);
    for (int i = 0; block.flip && i < m; ++i)
        for (int j = 0; j < n; ++j) out[j + i * n] = block.val[i + j * m];
    return out + m * n;
}

/* Packs what other ranks get, by rank. */
static void pack_all(icf_group_values *values, const icf_group *group, const icf_block_matrix *matrix)
{
    double *next = values->out;
    for (int r = 0; r < group->size; ++r) {
        if (r == group->rank) continue;
        const icf_sent_block *sent = values->sent + counts_of(values, group, SENT_AT)[r];
        for (int k = 0; k < counts_of(values, group, SENT)[r]; ++k) next = pack(matrix, &sent[k], next);
    }
}

/* Adds a block of this rank. */
static void add_own(const icf_block_matrix *matrix, const icf_sent_block *sent, double *to)
{
    const own_block block = find_block(matrix, sent);
    const int m = block.m, n = block.n;
    for (int i = 0; !block.flip && i < m * n; ++i) to[i] += block.val[i];
    for (int i = 0; block.flip && i < m; ++i)
        for (int j = 0; j < n; ++j) to[j + i * n] += block.val[i + j * m];
}

/* Adds a block that has come; returns the next one. */
static const double *add_received(const icf_group_values *values, int64_t code, const double *in, double *to)
{
    const int64_t n = size_of(&values->matrix, code);
    for (int64_t i = 0; i < n; ++i) to[i] += in[i];
    return in + n;
}

void icf_group_values_update(icf_group_values *values, icf_group *group, const icf_block_matrix *matrix)
{
    pack_all(values, group, matrix);
    icf_group_exchange(group, values->out, counts_of(values, group, OUT), counts_of(values, group, OUT_AT), values->in,
                       counts_of(values, group, IN), counts_of(values, group, IN_AT));
    memset(values->val, 0, (size_t)values->matrix.nval * sizeof *values->val);
    const double *in = values->in;
    const icf_sent_block *own = values->sent + counts_of(values, group, SENT_AT)[group->rank];
    for (int r = 0; r < group->size; ++r)
        for (int k = 0; k < counts_of(values, group, RECEIVED)[r]; ++k) {
            const int64_t code = values->code[counts_of(values, group, RECEIVED_AT)[r] + k];
            double *to = values->val + *position(values, code);
            if (r == group->rank)
                add_own(matrix, own++, to);
            else
                in = add_received(values, code, in, to);
        }
}
