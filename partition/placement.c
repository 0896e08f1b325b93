/* Placement of islands by a distributed book of labels. */
#include "partition/placement.h"

#include <stdlib.h>

#include "base/memory.h"

/* What a part has: rigid bodies only, a deformable one, one whose work all ranks share. */
typedef enum part_kind { RIGID, SOFT, SHARED, nkind } part_kind;

/* A part's report in the book. */
typedef struct icf_placement_entry {
    icf_gid label, first; /* smallest id of the island; of the part's own bodies */
    icf_cnt nbody;        /* bodies of the reporting part */
    part_kind kind;
    int rank;  /* who reports */
    int order; /* place in the reports of its rank */
} entry;

typedef struct report {
    icf_gid label, first;
    icf_cnt bodies_and_kind; /* nkind x bodies of the part + its kind */
} report;

/* The answer to a report; a group's ranks follow it, eight bytes each. */
typedef struct answer {
    icf_cnt size;
    int64_t solver, ngroup;
} answer;

void icf_placement_init(icf_placement *placement)
{
    *placement = (icf_placement){0};
}

void icf_placement_clear(icf_placement *placement)
{
    icf_free(placement->solver);
    icf_free(placement->size);
    icf_free(placement->group_ptr);
    icf_free(placement->group);
    icf_free(placement->entry);
    icf_free(placement->answer_at);
    icf_free(placement->report_part);
    icf_placement_init(placement);
}

/* Owned moving bodies of a part; a deformable one counts as many as have its degrees of freedom. */
static icf_cnt owned_bodies(const icf_bodies *bodies, const icf_islands *islands, const icf_components *components,
                            icf_lid part)
{
    if (part >= components->nisland)
        return (icf_bodies_dofs(bodies, components->single[part - components->nisland]) + 5) / 6;
    icf_cnt n = 0;
    for (icf_lid k = islands->body_ptr[part]; k < islands->body_ptr[part + 1]; ++k)
        if (islands->body[k] < bodies->nowned) n += (icf_bodies_dofs(bodies, islands->body[k]) + 5) / 6;
    return n;
}

static part_kind kind_of_body(const icf_halo *halo, const icf_bodies *bodies, icf_lid i)
{
    if (!icf_bodies_is_deformable(bodies, i)) return RIGID;
    return icf_halo_is_shared(halo, bodies->gid[i]) ? SHARED : SOFT;
}

static part_kind kind_of(const icf_halo *halo, const icf_bodies *bodies, const icf_islands *islands,
                         const icf_components *components, icf_lid part)
{
    if (bodies->nvertices == 0) return RIGID;
    if (part >= components->nisland) return kind_of_body(halo, bodies, components->single[part - components->nisland]);
    part_kind kind = RIGID;
    for (icf_lid k = islands->body_ptr[part]; k < islands->body_ptr[part + 1]; ++k)
        kind = ICF_MAX(kind, kind_of_body(halo, bodies, islands->body[k]));
    return kind;
}

/* Smallest id of the owned bodies of a part; bodies of an island ascend by id. */
static icf_gid first_owned(const icf_bodies *bodies, const icf_islands *islands, const icf_components *components,
                           icf_lid part)
{
    if (part >= components->nisland) return bodies->gid[components->single[part - components->nisland]];
    for (icf_lid k = islands->body_ptr[part]; k < islands->body_ptr[part + 1]; ++k)
        if (islands->body[k] < bodies->nowned) return bodies->gid[islands->body[k]];
    return components->label[part]; /* of a shared body alone, which another rank owns */
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
        const part_kind kind = kind_of(halo, bodies, islands, components, part);
        const report mine = {components->label[part], first_owned(bodies, islands, components, part),
                             nkind * placement->size[part] + kind};
        ICF_TRY(icf_exchange_write(halo->exchange, components->keeper[part], &mine, sizeof mine));
    }
    return ICF_OK;
}

static int compare_label(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sums the bodies of each rank in an island; the island goes to the rank with most of them, of equals to the one with
 * the lowest first body. */
static void decide(const entry *first, const entry *end, int *solver, icf_cnt *size)
{
    icf_cnt most = -1;
    icf_gid lowest = 0;
    *size = 0;
    while (first < end) {
        const int rank = first->rank;
        icf_cnt n = 0;
        icf_gid gid = first->first;
        for (; first < end && first->rank == rank; ++first) {
            n += first->nbody;
            gid = ICF_MIN(gid, first->first);
        }
        *size += n;
        if (n < most || (n == most && gid > lowest)) continue;
        most = n;
        lowest = gid;
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
        for (size_t k = 0; k < count; ++k) {
            const icf_cnt code = reports[k].bodies_and_kind;
            placement->entry[(*n)++] =
                (entry){reports[k].label, reports[k].first, code / nkind, (part_kind)(code % nkind), rank, (int)k};
        }
    }
    return ICF_OK;
}

/* Ranks that report the island of entries first..end, which are sorted by rank. */
static icf_cnt count_ranks(const entry *first, const entry *end)
{
    icf_cnt n = 0;
    for (const entry *e = first; e < end; ++e) n += e == first || e->rank != (e - 1)->rank;
    return n;
}

static icf_status write_group(const icf_halo *halo, int to, const entry *first, const entry *end)
{
    for (const entry *e = first; e < end; ++e) {
        const int64_t rank = e->rank;
        if (e == first || e->rank != (e - 1)->rank) ICF_TRY(icf_exchange_write(halo->exchange, to, &rank, sizeof rank));
    }
    return ICF_OK;
}

/* The answers for one island, each with the place of its report, since a rank may have reported several parts. */
static icf_status answer_island(const icf_halo *halo, const entry *first, const entry *end, icf_gather_below below)
{
    answer out = {0};
    int solver = 0;
    decide(first, end, &solver, &out.size);
    out.solver = solver;
    part_kind kind = RIGID;
    for (const entry *e = first; e < end; ++e) kind = ICF_MAX(kind, e->kind);
    const bool gathered = kind != SHARED && out.size < (kind == SOFT ? below.soft : below.rigid);
    out.ngroup = gathered ? 0 : count_ranks(first, end);
    for (const entry *e = first; e < end; ++e) {
        const int64_t order = e->order;
        ICF_TRY(icf_exchange_write(halo->exchange, e->rank, &order, sizeof order));
        ICF_TRY(icf_exchange_write(halo->exchange, e->rank, &out, sizeof out));
        if (out.ngroup > 0) ICF_TRY(write_group(halo, e->rank, first, end));
    }
    return ICF_OK;
}

static icf_status write_answers(icf_placement *placement, const icf_halo *halo, icf_gather_below below)
{
    size_t n;
    ICF_TRY(read_reports(placement, halo, &n));
    icf_exchange_begin(halo->exchange);
    if (n == 0) return ICF_OK;
    const entry *all = placement->entry, *end = all + n;
    qsort(placement->entry, n, sizeof *all, compare_label);
    for (const entry *first = all, *next; first < end; first = next) {
        for (next = first; next < end && next->label == first->label; ++next) {
        }
        ICF_TRY(answer_island(halo, first, next, below));
    }
    return ICF_OK;
}

/* Where the answer to each of this rank's reports begins; reports are numbered by book. */
static icf_status index_answers(icf_placement *placement, const icf_halo *halo, const icf_components *components,
                                const int64_t **at)
{
    for (int book = 0; book < halo->context->size; ++book) {
        size_t bytes;
        const int64_t *word = icf_exchange_read(halo->exchange, book, &bytes);
        const int64_t *end = word + bytes / sizeof *word;
        icf_lid *part = placement->report_part;
        icf_lid n = 0;
        for (icf_lid p = 0; p < components->npart; ++p)
            if (components->spanning[p] && components->keeper[p] == book) part[n++] = p;
        while (bytes > 0 && word < end) {
            const answer *head = (const answer *)(word + 1);
            at[part[*word]] = (const int64_t *)head;
            word += 1 + (int64_t)(sizeof *head / sizeof *word) + head->ngroup;
        }
    }
    return ICF_OK;
}

static icf_status read_answers(icf_placement *placement, const icf_halo *halo, const icf_components *components)
{
    ICF_TRY(ICF_GROW(placement->answer_at, placement->answer_at_capacity, components->npart));
    ICF_TRY(ICF_GROW(placement->report_part, placement->report_part_capacity, components->npart));
    ICF_TRY(ICF_GROW(placement->group_ptr, placement->group_ptr_capacity, components->npart + 1));
    ICF_TRY(index_answers(placement, halo, components, placement->answer_at));
    icf_lid n = 0;
    for (icf_lid part = 0; part < components->npart; ++part) {
        placement->group_ptr[part] = n;
        if (!components->spanning[part]) continue;
        const answer *head = (const answer *)placement->answer_at[part];
        const int64_t *ranks = (const int64_t *)(head + 1);
        placement->solver[part] = (int)head->solver;
        placement->size[part] = head->size;
        ICF_TRY(ICF_GROW(placement->group, placement->group_capacity, n + head->ngroup));
        for (int64_t k = 0; k < head->ngroup; ++k) placement->group[n++] = (int)ranks[k];
    }
    placement->group_ptr[components->npart] = n;
    return ICF_OK;
}

icf_status icf_placement_build(icf_placement *placement, const icf_halo *halo, const icf_bodies *bodies,
                               const icf_islands *islands, const icf_components *components, icf_gather_below below)
{
    ICF_TRY(icf_exchange_run(halo->exchange, write_reports(placement, halo, bodies, islands, components)));
    ICF_TRY(icf_exchange_run(halo->exchange, write_answers(placement, halo, below)));
    return icf_agree(halo->context, read_answers(placement, halo, components));
}
