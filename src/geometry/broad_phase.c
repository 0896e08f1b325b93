/* Broad phase: packed trees of boxes along a space-filling curve.
 *
 * Every step, from nothing:
 *   1. boxes      grown bounding box of every body; frame of the curve from where the bodies are
 *   2. leaves     sorted by (moving, fixed or surface, size class, place along the Morton curve)
 *   3. trees      one a set: bodies of one size class that move, that do not, or rigid surfaces
 *   4. queries    a block of 64 leaves at a time: each set of moving bodies against itself, the sets of larger
 *                 moving bodies and all sets of bodies that do not move; pairs that only touch checked in double; a
 * rigid surface is asked whether one of its triangles is near
 *   5. planes     every half-space against every moving body: support test
 *   6. order      pairs by (rank of first, rank of second) of global ids: two counting sorts
 *
 *      class 0      [=========== plate ===========]            query: grains -> plate, grains -> grains,
 *      class 6       o o oo o ooo o o oo o o oooo o            plate -> plate; never plate -> grains
 *
 * Why sets by size: a group of eight grains and a plate has the plate's box, and one plate in every eighth
 * group would make a tree useless.  Edges within a factor of four share a set.
 * Why no grid: thin rods side by side fill one cell of a grid by the thousand.  Why no sweep: a pile has
 * hundreds of bodies above each other along any axis.
 * The trees only decide what is tested, so their shape (thread count, rounding) cannot change the result.
 *
 * Threads: boxes, leaves, queries and planes, above a few thousand bodies (waking a thread costs tens of
 * microseconds).  Local, no MPI.
 */
#include "geometry/broad_phase.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/box_tree.h"
#include "geometry/curve.h"
#include "geometry/pair_sort.h"
#include "geometry/surface_tree.h"

enum {
    nclass = 16,                /* size classes, from the largest bodies down */
    first_surface = 2 * nclass, /* sets: moving bodies, those that do not move, rigid surfaces */
    nset = 3 * nclass,
    parallel_from = 4096, /* bodies, below them one thread is faster */
    groups_a_chunk = 16,  /* leaf groups a thread takes at once, ... */
    blocks_a_chunk = 2,   /* ... and blocks of eight */
    boxes_ahead = 24,     /* how long before its use a box is fetched */
};

/* Bodies of one size class that all move, all do not, or all are rigid surfaces. */
typedef struct leaf_set {
    icf_lid begin, end; /* leaves */
    icf_box_tree tree;  /* when not empty */
} leaf_set;

/* What one thread found. */
typedef struct found_pairs {
    _Alignas(ICF_ALIGNMENT) icf_pair *pair; /* ranks of the bodies, first < second; a cache line a thread */
    size_t capacity;
    icf_lid n;
    icf_status status;
} found_pairs;

struct icf_broad_phase {
    icf_box *box;                /* (bodies) grown bounding boxes */
    icf_lid *rank;               /* (bodies) place in the order of global ids */
    icf_lid *body;               /* (bodies) its inverse */
    icf_keyed *leaf, *leaf_work; /* (leaves) Morton key and body; leaves: bodies with a bounded shape */
    icf_lid *leaf_rank;          /* (leaves) ranks of bodies in the order of leaves */
    icf_lid *half_space;         /* (half-spaces) bodies */
    icf_placed_shape *surface;   /* (surfaces) in the order of their leaves, the last ones */
    icf_box_group *group;        /* all trees */
    icf_pair *pair, *pair_work;
    icf_lid *begin;      /* (2 (bodies + 1)) work of the pair sort */
    found_pairs *found;  /* (threads) */
    icf_pair_list *list; /* (threads) */

    size_t box_capacity, rank_capacity, body_capacity, leaf_capacity, leaf_work_capacity, leaf_rank_capacity;
    size_t half_space_capacity, surface_capacity, group_capacity, pair_capacity, pair_work_capacity, begin_capacity;
    size_t found_capacity, list_capacity;

    icf_lid nleaf, nhalf_space;
    int nfound; /* threads that `found` is set up for */
    leaf_set set[nset];
};

icf_status icf_broad_phase_create(icf_broad_phase **broad)
{
    *broad = icf_alloc(sizeof **broad);
    if (!*broad) return ICF_ERROR_MEMORY;
    memset(*broad, 0, sizeof **broad);
    return ICF_OK;
}

void icf_broad_phase_destroy(icf_broad_phase **broad)
{
    if (!*broad) return;
    icf_broad_phase *b = *broad;
    for (int t = 0; t < b->nfound; ++t) icf_free(b->found[t].pair);
    icf_free(b->found);
    icf_free(b->list);
    icf_free(b->box);
    icf_free(b->rank);
    icf_free(b->body);
    icf_free(b->leaf);
    icf_free(b->leaf_work);
    icf_free(b->leaf_rank);
    icf_free(b->half_space);
    icf_free(b->surface);
    icf_free(b->group);
    icf_free(b->pair);
    icf_free(b->pair_work);
    icf_free(b->begin);
    icf_free(b);
    *broad = NULL;
}

static icf_status reserve(icf_broad_phase *broad, icf_lid n, int nthread)
{
    ICF_TRY(ICF_GROW(broad->box, broad->box_capacity, n));
    ICF_TRY(ICF_GROW(broad->rank, broad->rank_capacity, n));
    ICF_TRY(ICF_GROW(broad->body, broad->body_capacity, n));
    ICF_TRY(ICF_GROW(broad->leaf, broad->leaf_capacity, n));
    ICF_TRY(ICF_GROW(broad->leaf_work, broad->leaf_work_capacity, n));
    ICF_TRY(ICF_GROW(broad->leaf_rank, broad->leaf_rank_capacity, n));
    ICF_TRY(ICF_GROW(broad->half_space, broad->half_space_capacity, n));
    ICF_TRY(ICF_GROW(broad->begin, broad->begin_capacity, 2 * ((size_t)n + 1)));
    ICF_TRY(ICF_GROW(broad->found, broad->found_capacity, nthread));
    ICF_TRY(ICF_GROW(broad->list, broad->list_capacity, nthread));
    for (; broad->nfound < nthread; ++broad->nfound) broad->found[broad->nfound] = (found_pairs){0};
    for (int t = 0; t < broad->nfound; ++t) {
        broad->found[t].n = 0;
        broad->found[t].status = ICF_OK;
    }
    return ICF_OK;
}

static void rank_bodies(icf_broad_phase *broad, const icf_bodies *bodies)
{
    icf_lid owned = 0, ghost = bodies->nowned;
    for (icf_lid rank = 0; rank < bodies->n; ++rank) {
        const bool owned_next =
            ghost == bodies->n || (owned < bodies->nowned && bodies->gid[owned] < bodies->gid[ghost]);
        const icf_lid i = owned_next ? owned++ : ghost++;
        broad->rank[i] = rank;
        broad->body[rank] = i;
    }
}

static bool has_box(const icf_shape *shape)
{
    return shape->type != ICF_SHAPE_NONE && shape->type != ICF_SHAPE_HALF_SPACE;
}

static icf_vec3 body_extent(const icf_bodies *bodies, icf_lid i)
{
    const icf_shape *shape = &bodies->shape[i];
    if (shape->type == ICF_SHAPE_SPHERE) return icf_vec3_make(shape->radius, shape->radius, shape->radius);
    const icf_mat3 rotation = icf_quat_matrix(bodies->orientation[i]);
    return icf_shape_extent(shape, &rotation);
}

/* What has no box gets one that overlaps nothing. */
static void compute_box(icf_broad_phase *broad, const icf_bodies *bodies, const double *margin, icf_lid i)
{
    if (!has_box(&bodies->shape[i])) {
        const icf_vec3 nowhere = {NAN, NAN, NAN};
        broad->box[i] = (icf_box){nowhere, nowhere};
        return;
    }
    const icf_vec3 reach = icf_add(body_extent(bodies, i), icf_vec3_make(margin[i], margin[i], margin[i]));
    broad->box[i] = (icf_box){icf_sub(bodies->position[i], reach), icf_add(bodies->position[i], reach)};
}

/* Bodies with a box become leaves, half-spaces are listed. */
static void list_leaves(icf_broad_phase *broad, const icf_bodies *bodies)
{
    broad->nleaf = broad->nhalf_space = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (has_box(&bodies->shape[i]))
            broad->leaf[broad->nleaf++].value = i;
        else if (bodies->shape[i].type == ICF_SHAPE_HALF_SPACE)
            broad->half_space[broad->nhalf_space++] = i;
    }
}

/* 0 for the largest, one more for every factor of four. */
static int size_class(int largest_exponent, const icf_box *box)
{
    int exponent;
    const double edge = icf_box_longest_edge(box);
    frexp(edge, &exponent);
    const int below = (largest_exponent - exponent) / 2;
    return edge > 0.0 ? ICF_MAX(0, ICF_MIN(below, nclass - 1)) : nclass - 1;
}

/* First set of a body's kind. */
static int kind_of(const icf_bodies *bodies, icf_lid i)
{
    if (icf_bodies_moves(bodies, i)) return 0;
    return icf_shape_is_surface(&bodies->shape[i]) ? first_surface : nclass;
}

static int set_of(const icf_keyed *leaf)
{
    return (int)(leaf->key >> ICF_CURVE_BITS);
}

/* Sorts the leaves by set and along the curve. */
static void sort_leaves(icf_broad_phase *broad, const icf_bodies *bodies, const icf_curve *curve, int nthread)
{
    int largest_exponent;
    frexp(curve->longest_edge, &largest_exponent);
#pragma omp parallel for schedule(static) num_threads(nthread) if (broad->nleaf >= parallel_from)
    for (icf_lid k = 0; k < broad->nleaf; ++k) {
        icf_keyed *leaf = &broad->leaf[k];
        const icf_box *box = &broad->box[leaf->value];
        const uint64_t set = (uint64_t)(kind_of(bodies, leaf->value) + size_class(largest_exponent, box));
        leaf->key = set << ICF_CURVE_BITS | icf_curve_key(curve, icf_box_center(box));
    }
    icf_sort_keyed(broad->nleaf, broad->leaf, broad->leaf_work);
}

/* Ranges of sorted leaves with the same set, and room for their trees. */
static icf_status plan_trees(icf_broad_phase *broad)
{
    icf_lid next_group = 0, leaf = 0;
    for (int s = 0; s < nset; ++s) {
        leaf_set *set = &broad->set[s];
        set->begin = leaf;
        while (leaf < broad->nleaf && set_of(&broad->leaf[leaf]) == s) ++leaf;
        set->end = leaf;
        if (set->end > set->begin) icf_box_tree_plan(&set->tree, set->end - set->begin, &next_group);
    }
    return ICF_GROW(broad->group, broad->group_capacity, next_group);
}

/* The surfaces where they are, once for all queries. */
static icf_status place_surfaces(icf_broad_phase *broad, const icf_bodies *bodies)
{
    const icf_lid begin = broad->set[first_surface].begin;
    ICF_TRY(ICF_GROW(broad->surface, broad->surface_capacity, broad->nleaf - begin));
    for (icf_lid k = begin; k < broad->nleaf; ++k) {
        const icf_lid i = broad->leaf[k].value;
        broad->surface[k - begin] =
            (icf_placed_shape){&bodies->shape[i], bodies->position[i], icf_quat_matrix(bodies->orientation[i]), NULL};
    }
    return ICF_OK;
}

static const icf_box *box_of_leaf(const icf_broad_phase *broad, icf_lid k)
{
    return &broad->box[broad->leaf[k].value];
}

/* Boxes lie anywhere in memory: these are asked for before they are needed. */
static void fetch_box(const icf_box *box)
{
    __builtin_prefetch(&box->lo.x);
    __builtin_prefetch(&box->hi.z); /* may be on the next cache line */
}

static void set_leaf_group(icf_broad_phase *broad, const leaf_set *set, icf_lid g, icf_vec3 origin)
{
    const icf_lid begin = set->begin + g * ICF_BOX_LANES, end = ICF_MIN(begin + ICF_BOX_LANES, set->end);
    icf_box box[ICF_BOX_LANES];
    for (icf_lid k = begin; k < end; ++k) {
        if (k + boxes_ahead < set->end) fetch_box(box_of_leaf(broad, k + boxes_ahead));
        box[k - begin] = *box_of_leaf(broad, k);
        broad->leaf_rank[k] = broad->rank[broad->leaf[k].value];
    }
    icf_box_tree_set_leaves(&set->tree, broad->group, g, (int)(end - begin), box, origin);
}

static void build_trees(icf_broad_phase *broad, icf_vec3 origin, int nthread)
{
    for (int s = 0; s < nset; ++s) {
        const leaf_set *set = &broad->set[s];
        if (set->begin == set->end) continue;
        const bool threaded = set->end - set->begin >= parallel_from;
#pragma omp parallel for schedule(static, groups_a_chunk) num_threads(nthread) if (threaded)
        for (icf_lid g = 0; g < set->tree.ngroup[0]; ++g) set_leaf_group(broad, set, g, origin);
        icf_box_tree_build(&set->tree, broad->group);
    }
}

/* Bodies by their ranks. */
static void push_pair(found_pairs *found, icf_lid a, icf_lid b)
{
    if (found->status != ICF_OK) return;
    if (found->n == INT32_MAX) found->status = ICF_ERROR_MEMORY;
    if (found->status == ICF_OK) found->status = ICF_GROW(found->pair, found->capacity, (size_t)found->n + 1);
    if (found->status != ICF_OK) return;
    found->pair[found->n++] = a < b ? (icf_pair){a, b} : (icf_pair){b, a};
}

/* What the visits of one query need. */
typedef struct visitor {
    const icf_broad_phase *broad;
    const double *margin;
    icf_lid begin_a, begin_b; /* first leaves of the two sets */
    bool is_surface;          /* the second set is one of surfaces */
    found_pairs *found;
} visitor;

/* Whether leaf i comes near a triangle of the rigid surface that leaf j is. */
static bool is_near_surface(const visitor *v, icf_lid i, icf_lid j)
{
    const icf_broad_phase *broad = v->broad;
    return icf_surface_is_near(&broad->surface[j - broad->set[first_surface].begin], box_of_leaf(broad, i),
                               v->margin[broad->leaf[j].value]);
}

static void visit_leaves(void *user, icf_lid a, int lane, icf_lid b, unsigned mask, unsigned sure)
{
    const visitor *v = user;
    const icf_broad_phase *broad = v->broad;
    const icf_lid i = v->begin_a + a * ICF_BOX_LANES + lane, first_j = v->begin_b + b * ICF_BOX_LANES;
    for (; mask != 0; mask &= mask - 1) {
        const icf_lid j = first_j + __builtin_ctz(mask);
        const bool certain = (sure & mask & -mask) != 0;
        if (!certain && !icf_box_overlap(box_of_leaf(broad, i), box_of_leaf(broad, j))) continue;
        if (!v->is_surface || is_near_surface(v, i, j)) push_pair(v->found, broad->leaf_rank[i], broad->leaf_rank[j]);
    }
}

/* A block of leaf groups of moving set s against all sets that it has to look at. */
static void query_block(const icf_broad_phase *broad, const double *margin, int s, icf_lid block, found_pairs *found)
{
    const leaf_set *set = &broad->set[s];
    for (int other = 0; other < nset; ++other) {
        const leaf_set *target = &broad->set[other];
        const bool smaller = other > s && other < nclass;
        if (smaller || target->begin == target->end) continue;
        visitor v = {broad, margin, set->begin, target->begin, other >= first_surface, found};
        icf_box_tree_query(broad->group, &set->tree, block, &target->tree, visit_leaves, &v);
    }
}

static void query_sets(icf_broad_phase *broad, const double *margin, int nthread)
{
    for (int s = 0; s < nclass; ++s) {
        const leaf_set *set = &broad->set[s];
        if (set->begin == set->end) continue;
        const bool threaded = set->end - set->begin >= parallel_from;
#pragma omp parallel for schedule(static, blocks_a_chunk) num_threads(nthread) if (threaded)
        for (icf_lid block = 0; block < set->tree.ngroup[1]; ++block)
            query_block(broad, margin, s, block, &broad->found[omp_get_thread_num()]);
    }
}

/* Whether a half-space grown by its margin and a body's grown box have a point in common. */
static bool reaches_plane(const icf_shape *half_space, double margin, const icf_box *box)
{
    const icf_vec3 n = half_space->normal;
    const icf_vec3 lowest = {n.x > 0.0 ? box->lo.x : box->hi.x, n.y > 0.0 ? box->lo.y : box->hi.y,
                             n.z > 0.0 ? box->lo.z : box->hi.z};
    return icf_dot(n, lowest) <= half_space->offset + margin;
}

/* Half-space h against all bodies that may touch it. */
static void query_half_space(icf_broad_phase *broad, const icf_bodies *bodies, double margin, icf_lid h, int nthread)
{
    const bool plane_moves = icf_bodies_moves(bodies, h);
#pragma omp parallel for schedule(static) num_threads(nthread) if (broad->nleaf >= parallel_from)
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (!plane_moves && !icf_bodies_moves(bodies, i)) continue;
        if (reaches_plane(&bodies->shape[h], margin, &broad->box[i]))
            push_pair(&broad->found[omp_get_thread_num()], broad->rank[h], broad->rank[i]);
    }
}

/* A body that touches itself, which is a deformable one, is a pair with itself. */
static void list_self_pairs(icf_broad_phase *broad, const icf_bodies *bodies)
{
    if (bodies->nvertices == 0) return;
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (bodies->shape[i].touches_itself) push_pair(&broad->found[0], broad->rank[i], broad->rank[i]);
}

/* Puts the threads' pairs together in canonical order, as local indices. */
static icf_status order_pairs(icf_broad_phase *broad, icf_lid nbody, icf_lid *npair)
{
    int64_t total = 0;
    for (int t = 0; t < broad->nfound; ++t) {
        ICF_TRY(broad->found[t].status);
        broad->list[t] = (icf_pair_list){broad->found[t].n, broad->found[t].pair};
        total += broad->found[t].n;
    }
    if (total > INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(broad->pair, broad->pair_capacity, total));
    ICF_TRY(ICF_GROW(broad->pair_work, broad->pair_work_capacity, total));
    icf_sort_pairs(nbody, broad->body, broad->nfound, broad->list, broad->pair, broad->pair_work, broad->begin);
    *npair = (icf_lid)total;
    return ICF_OK;
}

static icf_status find_pairs(icf_broad_phase *broad, int nthread, const icf_bodies *bodies, const double *margin,
                             icf_lid *npair)
{
    ICF_TRY(reserve(broad, bodies->n, nthread));
    rank_bodies(broad, bodies);
#pragma omp parallel for schedule(static) num_threads(nthread) if (bodies->n >= parallel_from)
    for (icf_lid i = 0; i < bodies->n; ++i) compute_box(broad, bodies, margin, i);
    list_leaves(broad, bodies);

    const icf_curve curve = icf_curve_fit(broad->nleaf, broad->leaf, broad->box);
    sort_leaves(broad, bodies, &curve, nthread);
    ICF_TRY(plan_trees(broad));
    ICF_TRY(place_surfaces(broad, bodies));
    build_trees(broad, curve.center, nthread);
    query_sets(broad, margin, nthread);
    for (icf_lid k = 0; k < broad->nhalf_space; ++k) {
        const icf_lid h = broad->half_space[k];
        query_half_space(broad, bodies, margin[h], h, nthread);
    }
    list_self_pairs(broad, bodies);
    return order_pairs(broad, bodies->n, npair);
}

icf_status icf_broad_phase_find(icf_broad_phase *broad, icf_context *context, const icf_bodies *bodies,
                                const double *margin, icf_lid *npair, const icf_pair **pairs)
{
    const icf_status status = find_pairs(broad, context->nthread, bodies, margin, npair);
    if (status != ICF_OK) return icf_fail(context, status, "no memory for the pairs of %d bodies", (int)bodies->n);
    *pairs = broad->pair;
    return ICF_OK;
}
