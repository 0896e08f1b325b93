/* Placement of islands by a distributed book of labels. */
#include "partition/placement.h"

#include <stdlib.h>

#include "base/memory.h"

/* A part's report, and what the book makes of it. */
typedef struct icf_placement_entry {
    icf_gid label;
    icf_cnt nbody; /* bodies of the reporting rank; then of the whole island */
    int rank;      /* who reports; then who solves */
    int order;     /* place in the reports of its rank */
} entry;

typedef struct report {
    icf_gid label;
    icf_cnt nbody;
} report;

typedef struct answer {
    icf_cnt size;
    int64_t solver;
} answer;

void icf_placement_init(icf_placement *placement)
{
    *placement = (icf_placement){0};
}

void icf_placement_clear(icf_placement *placement)
{
    icf_free(placement->solver);
    icf_free(placement->size);
    icf_free(placement->entry);
    icf_placement_init(placement);
}

/* Owned moving bodies of a part. */
static icf_cnt owned_bodies(const icf_bodies *bodies, const icf_islands *islands, const icf_components *components,
                            icf_lid part)
{
    if (part >= components->nisland) return 1;
    icf_cnt n = 0;
    for (icf_lid k = islands->body_ptr[part]; k < islands->body_ptr[part + 1]; ++k)
        n += islands->body[k] < bodies->nowned;
    return n;
}

static int book_of(const icf_halo *halo, icf_gid label)
{
    return (int)(label % halo->context->size);
}

static icf_status write_reports(icf_placement *placement, const icf_halo *halo, const icf_bodies *bodies,
                                const icf_islands *islands, const icf_components *components)
{
    icf_exchange_begin(halo->exchange);
    ICF_TRY(ICF_GROW(placement->solver, placement->solver_capacity, components->npart));
    ICF_TRY(ICF_GROW(placement->size, placement->size_capacity, components->npart));
    for (icf_lid part = 0; part < components->npart; ++part) {
        placement->solver[part] = halo->context->rank;
        placement->size[part] = owned_bodies(bodies, islands, components, part);
        if (!components->spanning[part]) continue;
        const report mine = {components->label[part], placement->size[part]};
        ICF_TRY(icf_exchange_write(halo->exchange, book_of(halo, mine.label), &mine, sizeof mine));
    }
    return ICF_OK;
}

static int compare_label(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_order(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sums the bodies of each rank in an island; the island goes to the rank with most of them. */
static void decide(entry *first, entry *end, int *solver, icf_cnt *size)
{
    icf_cnt most = -1;
    *size = 0;
    while (first < end) {
        const int rank = first->rank;
        icf_cnt n = 0;
        for (; first < end && first->rank == rank; ++first) n += first->nbody;
        *size += n;
        if (n <= most) continue;
        most = n;
        *solver = rank;
    }
}

static icf_status read_reports(icf_placement *placement, const icf_halo *halo, size_t *n)
{
    *n = 0;
    for (int rank = 0; rank < halo->context->size; ++rank) {
        size_t bytes;
        const report *reports = icf_exchange_read(halo->exchange, rank, &bytes);
        const size_t count = bytes / sizeof *reports;
        ICF_TRY(ICF_GROW(placement->entry, placement->entry_capacity, *n + count));
        for (size_t k = 0; k < count; ++k)
            placement->entry[(*n)++] = (entry){reports[k].label, reports[k].nbody, rank, (int)k};
    }
    return ICF_OK;
}

/* Decides island by island and writes the answers in the order of the reports. */
static icf_status write_answers(icf_placement *placement, const icf_halo *halo)
{
    size_t n;
    ICF_TRY(read_reports(placement, halo, &n));
    icf_exchange_begin(halo->exchange);
    if (n == 0) return ICF_OK;
    entry *all = placement->entry, *end = all + n;
    /* the decision takes the place of label and count */
    qsort(all, n, sizeof *all, compare_label);
    for (entry *first = all, *next; first < end; first = next) {
        for (next = first; next < end && next->label == first->label; ++next) {
        }
        int solver = 0;
        icf_cnt size = 0;
        decide(first, next, &solver, &size);
        for (; first < next; ++first) {
            first->label = solver;
            first->nbody = size;
        }
    }
    qsort(all, n, sizeof *all, compare_order);
    for (const entry *e = all; e < end; ++e) {
        const answer out = {e->nbody, e->label};
        ICF_TRY(icf_exchange_write(halo->exchange, e->rank, &out, sizeof out));
    }
    return ICF_OK;
}

static void read_answers(icf_placement *placement, const icf_halo *halo, const icf_components *components)
{
    const int size = halo->context->size;
    for (int book = 0; book < size; ++book) {
        size_t bytes;
        const answer *answers = icf_exchange_read(halo->exchange, book, &bytes);
        if (bytes == 0) continue;
        for (icf_lid part = 0; part < components->npart; ++part) {
            if (!components->spanning[part] || book_of(halo, components->label[part]) != book) continue;
            placement->solver[part] = (int)answers->solver;
            placement->size[part] = answers->size;
            ++answers;
        }
    }
}

icf_status icf_placement_build(icf_placement *placement, const icf_halo *halo, const icf_bodies *bodies,
                               const icf_islands *islands, const icf_components *components)
{
    ICF_TRY(icf_exchange_run(halo->exchange, write_reports(placement, halo, bodies, islands, components)));
    ICF_TRY(icf_exchange_run(halo->exchange, write_answers(placement, halo)));
    read_answers(placement, halo, components);
    return ICF_OK;
}
