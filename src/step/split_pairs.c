/* Net impulses of the pairs of shared bodies. */
#include "step/split_pairs.h"

/* A rank's part of a pair's impulse. */
typedef struct part_impulse {
    icf_gid a, b;
    icf_vec3 impulse;
} part_impulse;

static bool is_shared(const icf_domain *domain, icf_lid i)
{
    return icf_split_motions_get(&domain->split, domain->bodies, i) != NULL;
}

/* A rank that has both bodies, the same whoever asks. */
static int rank_of(const icf_domain *domain, const icf_halo *halo, icf_pair pair)
{
    const icf_bodies *bodies = domain->bodies;
    if (icf_bodies_moves(bodies, pair.a) && !is_shared(domain, pair.a)) return icf_halo_owner(halo, bodies, pair.a);
    if (icf_bodies_moves(bodies, pair.b) && !is_shared(domain, pair.b)) return icf_halo_owner(halo, bodies, pair.b);
    return (int)(bodies->gid[pair.a] % halo->context->size);
}

static icf_status write_parts(const icf_domain *domain, const icf_halo *halo)
{
    const icf_contacts *contacts = &domain->contacts;
    icf_exchange_begin(halo->exchange);
    for (icf_lid k = 0; k < contacts->npair; ++k) {
        const icf_pair pair = contacts->pair[k];
        if (!is_shared(domain, pair.a) && !is_shared(domain, pair.b)) continue;
        const part_impulse part = {domain->bodies->gid[pair.a], domain->bodies->gid[pair.b],
                                   icf_contacts_pair_impulse(contacts, k)};
        ICF_TRY(icf_exchange_write(halo->exchange, rank_of(domain, halo, pair), &part, sizeof part));
    }
    return ICF_OK;
}

static icf_lid count_parts(const icf_halo *halo)
{
    size_t n = 0;
    for (int rank = 0; rank < halo->context->size; ++rank) {
        size_t bytes;
        (void)icf_exchange_read(halo->exchange, rank, &bytes);
        n += bytes / sizeof(part_impulse);
    }
    return (icf_lid)n;
}

static int compare(const icf_bodies *bodies, icf_pair pair, const part_impulse *part)
{
    const icf_gid a = bodies->gid[pair.a], b = bodies->gid[pair.b];
    return a != part->a ? (a > part->a) - (a < part->a) : (b > part->b) - (b < part->b);
}

/* Merges the parts of a rank, which ascend, into the list, which ascends.
 *   from [in] (n) the list so far; to [out] (n + nparts) */
static icf_lid merge(const icf_bodies *bodies, const icf_pair_impulse *from, icf_lid n, const part_impulse *part,
                     icf_lid npart, icf_pair_impulse *to)
{
    icf_lid merged = 0;
    for (icf_lid i = 0, k = 0; i < n || k < npart; ++merged) {
        const int order = k == npart ? -1 : i == n ? 1 : compare(bodies, from[i].pair, &part[k]);
        if (order <= 0)
            to[merged] = from[i++];
        else
            to[merged] =
                (icf_pair_impulse){.pair = {icf_bodies_find(bodies, part[k].a), icf_bodies_find(bodies, part[k].b)}};
        if (order >= 0) to[merged].impulse = icf_add(to[merged].impulse, part[k++].impulse);
    }
    return merged;
}

static icf_status read_parts(icf_domain *domain, const icf_halo *halo, icf_arena *arena)
{
    const icf_lid most = count_parts(halo);
    icf_pair_impulse *list = ICF_ARENA_ARRAY(arena, icf_pair_impulse, most);
    icf_pair_impulse *next = ICF_ARENA_ARRAY(arena, icf_pair_impulse, most);
    if (!list || !next) return ICF_ERROR_MEMORY;
    domain->nshared = 0;
    for (int rank = 0; rank < halo->context->size; ++rank) {
        size_t bytes;
        const part_impulse *part = icf_exchange_read(halo->exchange, rank, &bytes);
        domain->nshared = merge(domain->bodies, list, domain->nshared, part, (icf_lid)(bytes / sizeof *part), next);
        icf_pair_impulse *kept = list;
        list = next;
        next = kept;
    }
    domain->shared = list;
    return ICF_OK;
}

/* Marks the shared bodies, whose pairs on this rank alone say nothing. */
static icf_status mark_bodies(icf_domain *domain, icf_arena *arena)
{
    domain->is_shared = ICF_ARENA_ARRAY(arena, bool, domain->bodies->n);
    if (!domain->is_shared) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < domain->bodies->n; ++i) domain->is_shared[i] = is_shared(domain, i);
    return ICF_OK;
}

icf_status icf_split_pairs_sum(icf_domain *domain, const icf_halo *halo, icf_arena *arena)
{
    domain->nshared = 0;
    domain->is_shared = NULL;
    if (domain->split.n == 0) return ICF_OK;
    icf_status status = mark_bodies(domain, arena);
    if (status == ICF_OK) status = write_parts(domain, halo);
    ICF_TRY(icf_exchange_run(halo->exchange, status));
    return icf_agree(halo->context, read_parts(domain, halo, arena));
}
