/* Ghosts of a plan: the boxes of all ranks in a tree, and every body's box against them.
 *
 * The boxes are those by which a rank describes its bodies (partition/halo.h), so ghosts are those of a run of the same
 * parts.  Trees keep this near-linear in bodies and ranks, where a run's rank tests its bodies against all ranks.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/curve.h"
#include "partition/halo.h"
#include "step/plan_private.h"

/* Boxes along a space-filling curve, and their tree. */
typedef struct box_set {
    icf_lid n;
    icf_box *box; /* (n) as they were listed */
    icf_lid *tag; /* (n) body or rank of a box */
    icf_keyed *item;
    icf_box *sorted; /* (n) in the order of the leaves */
    icf_lid *leaf;   /* (n) tag of a leaf */
    icf_box_tree tree;
} box_set;

typedef struct halo_work {
    icf_plan_work *work;
    icf_plan *plan;
    double (*body_box)[6]; /* (bodies) */
    icf_lid *order;        /* (bodies) bodies by rank */
    icf_lid *begin;        /* (nrank + 1) */
    box_set bodies, ranks;
    icf_box_group *group;
    icf_keyed *hit, *hit_work; /* (body's place in its group, rank) found in one query */
    size_t hit_capacity, hit_work_capacity;
    icf_lid nhit;
    icf_status status;
} halo_work;

static icf_status allocate_set(box_set *set, icf_arena *arena, size_t n)
{
    *set = (box_set){.box = ICF_ARENA_ARRAY(arena, icf_box, n),
                     .tag = ICF_ARENA_ARRAY(arena, icf_lid, n),
                     .item = ICF_ARENA_ARRAY(arena, icf_keyed, 2 * n),
                     .sorted = ICF_ARENA_ARRAY(arena, icf_box, n),
                     .leaf = ICF_ARENA_ARRAY(arena, icf_lid, n)};
    return set->box && set->tag && set->item && set->sorted && set->leaf ? ICF_OK : ICF_ERROR_MEMORY;
}

static void add_box(box_set *set, const double box[6], icf_lid tag)
{
    set->box[set->n] = (icf_box){icf_vec3_make(box[0], box[1], box[2]), icf_vec3_make(box[3], box[4], box[5])};
    set->item[set->n].value = set->n;
    set->tag[set->n++] = tag;
}

/* Bodies by rank, and their boxes. */
static icf_status list_bodies(halo_work *halo)
{
    icf_plan_work *work = halo->work;
    const icf_bodies *bodies = work->domain.bodies;
    const int nrank = work->settings->nrank;
    halo->body_box = icf_arena_alloc(&work->arena, (size_t)bodies->n * sizeof *halo->body_box);
    halo->order = ICF_ARENA_ARRAY(&work->arena, icf_lid, bodies->n);
    halo->begin = ICF_ARENA_ARRAY(&work->arena, icf_lid, nrank + 2);
    if (!halo->body_box || !halo->order || !halo->begin) return ICF_ERROR_MEMORY;
    ICF_TRY(allocate_set(&halo->bodies, &work->arena, (size_t)bodies->n + 1));
    /* begin[r + 2] counts rank r; summed up, begin[r + 1] is where it goes on */
    memset(halo->begin, 0, ((size_t)nrank + 2) * sizeof *halo->begin);
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (work->owner[i] >= 0) ++halo->begin[work->owner[i] + 2];
    for (int r = 2; r < nrank + 2; ++r) halo->begin[r] += halo->begin[r - 1];
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (work->owner[i] < 0) continue;
        icf_halo_body_box(bodies, i, work->margin[i], halo->body_box[i]);
        add_box(&halo->bodies, halo->body_box[i], i);
        halo->order[halo->begin[work->owner[i] + 1]++] = i;
    }
    return ICF_OK;
}

/* Boxes of all ranks that are not empty. */
static icf_status list_ranks(halo_work *halo)
{
    const int nrank = halo->work->settings->nrank;
    const size_t most = ICF_MIN((size_t)nrank * ICF_HALO_BOXES, (size_t)halo->bodies.n);
    ICF_TRY(allocate_set(&halo->ranks, &halo->work->arena, most + 1));
    for (int rank = 0; rank < nrank; ++rank) {
        double box[ICF_HALO_BOXES][6];
        const icf_lid first = halo->begin[rank];
        icf_halo_cover((const double(*)[6])halo->body_box, halo->begin[rank + 1] - first, halo->order + first, box);
        for (int b = 0; b < ICF_HALO_BOXES; ++b)
            if (isfinite(box[b][0])) add_box(&halo->ranks, box[b], rank);
    }
    return ICF_OK;
}

static void sort_set(box_set *set, icf_lid *next_group)
{
    const icf_curve curve = icf_curve_fit(set->n, set->item, set->box);
    for (icf_lid k = 0; k < set->n; ++k) set->item[k].key = icf_curve_key(&curve, icf_box_center(&set->box[k]));
    icf_sort_keyed(set->n, set->item, set->item + set->n);
    for (icf_lid k = 0; k < set->n; ++k) {
        set->sorted[k] = set->box[set->item[k].value];
        set->leaf[k] = set->tag[set->item[k].value];
    }
    icf_box_tree_plan(&set->tree, set->n, next_group);
}

static void build_tree(const box_set *set, icf_box_group *group)
{
    const icf_vec3 origin = {0.0, 0.0, 0.0};
    for (icf_lid g = 0; g < set->tree.ngroup[0]; ++g) {
        const icf_lid first = g * ICF_BOX_LANES, last = ICF_MIN(first + ICF_BOX_LANES, set->n);
        icf_box_tree_set_leaves(&set->tree, group, g, (int)(last - first), set->sorted + first, origin);
    }
    icf_box_tree_build(&set->tree, group);
}

/* Notes the ranks other than its own whose boxes a body overlaps. */
static void visit(void *user, icf_lid a, int lane, icf_lid b, unsigned mask, unsigned sure)
{
    halo_work *halo = user;
    const icf_lid i = a * ICF_BOX_LANES + lane;
    const int owner = halo->work->owner[halo->bodies.leaf[i]];
    for (; mask != 0; mask &= mask - 1) {
        const icf_lid j = b * ICF_BOX_LANES + __builtin_ctz(mask), rank = halo->ranks.leaf[j];
        const bool certain = (sure & mask & -mask) != 0;
        if (rank == owner) continue;
        if (!certain && !icf_box_overlap(&halo->bodies.sorted[i], &halo->ranks.sorted[j])) continue;
        if (halo->status == ICF_OK) halo->status = ICF_GROW(halo->hit, halo->hit_capacity, (size_t)halo->nhit + 1);
        if (halo->status != ICF_OK) return;
        const uint64_t nrank = (uint64_t)halo->work->settings->nrank;
        halo->hit[halo->nhit++] = (icf_keyed){(uint64_t)i * nrank + (uint64_t)rank, i};
    }
}

/* Ghosts that the bodies of a block become; a body goes to a rank once, however many boxes it overlaps. */
static icf_status count_block(halo_work *halo, icf_lid block)
{
    icf_plan_work *work = halo->work;
    halo->nhit = 0;
    icf_box_tree_query(halo->group, &halo->bodies.tree, block, &halo->ranks.tree, visit, halo);
    ICF_TRY(halo->status);
    ICF_TRY(ICF_GROW(halo->hit_work, halo->hit_work_capacity, halo->nhit));
    icf_sort_keyed(halo->nhit, halo->hit, halo->hit_work);
    for (icf_lid k = 0; k < halo->nhit; ++k) {
        if (k > 0 && halo->hit[k].key == halo->hit[k - 1].key) continue;
        const int rank = (int)(halo->hit[k].key % (uint64_t)work->settings->nrank);
        const icf_lid body = halo->bodies.leaf[halo->hit[k].value];
        ++halo->plan->load[rank].ghosts;
        icf_plan_add_deformable(work, &halo->plan->load[rank], body);
        ICF_TRY(icf_traffic_add(&work->traffic, work->owner[body], rank,
                                icf_body_message_bytes(work->domain.bodies, body)));
    }
    return ICF_OK;
}

static icf_status count_ghosts(halo_work *halo)
{
    icf_lid ngroup = 0;
    ICF_TRY(list_bodies(halo));
    ICF_TRY(list_ranks(halo));
    if (halo->ranks.n == 0) return ICF_OK;
    sort_set(&halo->bodies, &ngroup);
    sort_set(&halo->ranks, &ngroup);
    halo->group = ICF_ARENA_ARRAY(&halo->work->arena, icf_box_group, ngroup);
    if (!halo->group) return ICF_ERROR_MEMORY;
    build_tree(&halo->bodies, halo->group);
    build_tree(&halo->ranks, halo->group);
    for (icf_lid block = 0; block < halo->bodies.tree.ngroup[1]; ++block) ICF_TRY(count_block(halo, block));
    return icf_traffic_end(&halo->work->traffic, 1);
}

icf_status icf_plan_count_ghosts(icf_plan_work *work, icf_plan *plan)
{
    if (work->settings->nrank == 1) return ICF_OK;
    halo_work halo = {.work = work, .plan = plan};
    const icf_status status = count_ghosts(&halo);
    icf_free(halo.hit);
    icf_free(halo.hit_work);
    return status;
}
