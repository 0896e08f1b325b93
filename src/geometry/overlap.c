/* Overlaps of bodies: candidate pairs, the depth of each, and the deepest of them. */
#include "geometry/overlap.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/inside.h"
#include "geometry/narrow_surface.h"

static icf_placed_shape placed(const icf_bodies *bodies, const icf_solid *solids, icf_lid i)
{
    return (icf_placed_shape){&bodies->shape[i], bodies->position[i], icf_quat_matrix(bodies->orientation[i]), solids};
}

/* How deep a pair overlaps [m]; 0 when it does not, or not by more than round-off. */
static icf_status find_depth(const icf_bodies *bodies, const icf_solid *solids, icf_pair pair, icf_surface_work *work,
                             double *depth)
{
    *depth = 0.0;
    if (icf_bodies_is_deformable(bodies, pair.a) || icf_bodies_is_deformable(bodies, pair.b)) return ICF_OK;
    const icf_placed_shape a = placed(bodies, solids, pair.a), b = placed(bodies, solids, pair.b);
    const double round_off = ICF_OVERLAP_ROUND_OFF * fmin(bodies->radius[pair.a], bodies->radius[pair.b]);
    double distance;
    ICF_TRY(icf_collide_distance(&a, &b, -round_off, work, &distance));
    *depth = fmax(0.0, -distance);
    return ICF_OK;
}

/* The depths of all pairs. */
static icf_status find_depths(const icf_context *context, const icf_bodies *bodies, const icf_solid *solids,
                              icf_lid npair, const icf_pair *pairs, double *depth)
{
    bool failed = false;
#pragma omp parallel num_threads(context->nthread) reduction(|| : failed)
    {
        icf_surface_work work;
        icf_surface_work_init(&work);
#pragma omp for schedule(static)
        for (icf_lid k = 0; k < npair; ++k)
            failed = find_depth(bodies, solids, pairs[k], &work, &depth[k]) != ICF_OK || failed;
        icf_surface_work_clear(&work);
    }
    return failed ? ICF_ERROR_MEMORY : ICF_OK;
}

/* Keeps an overlap among the deepest ones; those of one kind come in canonical order. */
static void keep(icf_overlaps *overlaps, const icf_overlap *overlap)
{
    int at = overlaps->nworst;
    while (at > 0 && overlaps->worst[at - 1].depth < overlap->depth) --at;
    if (at == ICF_OVERLAPS_KEPT) return;
    overlaps->nworst = ICF_MIN(overlaps->nworst + 1, (int)ICF_OVERLAPS_KEPT);
    memmove(&overlaps->worst[at + 1], &overlaps->worst[at],
            (size_t)(overlaps->nworst - 1 - at) * sizeof overlaps->worst[0]);
    overlaps->worst[at] = *overlap;
}

/* All candidate pairs, in canonical order, and what is inside. */
typedef struct candidates {
    const icf_bodies *bodies;
    icf_lid npair;
    const icf_pair *pairs; /* (npair) */
    double *depth;         /* (npair) 0: they do not overlap [m] */
    icf_inside_list inside;
} candidates;

/* Order of pairs. */
static int compare_pairs(const icf_bodies *bodies, icf_pair p, icf_pair q)
{
    const icf_gid pa = bodies->gid[p.a], qa = bodies->gid[q.a], pb = bodies->gid[p.b], qb = bodies->gid[q.b];
    if (pa != qa) return pa < qa ? -1 : 1;
    return (pb > qb) - (pb < qb);
}

/* Whether a pair has been found to overlap by contact. */
static bool is_seen(const candidates *c, icf_pair pair)
{
    icf_lid lo = 0, hi = c->npair;
    while (lo < hi) {
        const icf_lid middle = lo + (hi - lo) / 2;
        if (compare_pairs(c->bodies, c->pairs[middle], pair) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < c->npair && compare_pairs(c->bodies, c->pairs[lo], pair) == 0 && c->depth[lo] > 0.0;
}

static icf_overlap hidden_overlap(const icf_bodies *bodies, const icf_inside *inside)
{
    const bool surface_first = bodies->gid[inside->surface] < bodies->gid[inside->body];
    return (icf_overlap){
        .pair = {surface_first ? inside->surface : inside->body, surface_first ? inside->body : inside->surface},
        .depth = inside->depth,
        .hidden = true};
}

/* Counts an overlap in.
 *   in_overlap [in,out] (bodies->n) whether a body is in one */
static void add(icf_overlaps *overlaps, const icf_overlap *overlap, bool *in_overlap)
{
    ++overlaps->npair;
    in_overlap[overlap->pair.a] = in_overlap[overlap->pair.b] = true;
    if (overlap->hidden && overlaps->nhidden++ == 0) overlaps->first_hidden = *overlap;
    keep(overlaps, overlap);
}

/* Counts the pairs that overlap and their bodies.
 *   in_overlap [in,out] (bodies->n) false */
static void count(const candidates *c, bool *in_overlap, icf_overlaps *overlaps)
{
    *overlaps = (icf_overlaps){0};
    for (icf_lid k = 0; k < c->npair; ++k)
        if (c->depth[k] > 0.0) add(overlaps, &(icf_overlap){.pair = c->pairs[k], .depth = c->depth[k]}, in_overlap);
    for (icf_lid k = 0; k < c->inside.n; ++k) {
        const icf_overlap overlap = hidden_overlap(c->bodies, &c->inside.item[k]);
        if (!is_seen(c, overlap.pair)) add(overlaps, &overlap, in_overlap);
    }
    for (icf_lid i = 0; i < c->bodies->n; ++i) overlaps->nbody += in_overlap[i];
}

static icf_status find(icf_context *context, const icf_bodies *bodies, const icf_solid *solids, icf_broad_phase *broad,
                       const double *margin, icf_overlaps *overlaps)
{
    candidates c = {.bodies = bodies};
    ICF_TRY(icf_broad_phase_find(broad, context, bodies, margin, &c.npair, &c.pairs));
    c.depth = icf_alloc(((size_t)c.npair + 1) * sizeof *c.depth);
    bool *in_overlap = icf_alloc((size_t)bodies->n + 1);
    icf_status status = c.depth && in_overlap ? ICF_OK : ICF_ERROR_MEMORY;
    if (status == ICF_OK) status = find_depths(context, bodies, solids, c.npair, c.pairs, c.depth);
    if (status == ICF_OK) status = icf_inside_find(context, bodies, solids, &c.inside);
    if (status == ICF_OK) {
        memset(in_overlap, 0, (size_t)bodies->n * sizeof *in_overlap);
        count(&c, in_overlap, overlaps);
    }
    icf_free(c.depth);
    icf_free(c.inside.item);
    icf_free(in_overlap);
    return status;
}

icf_status icf_overlaps_find(icf_context *context, const icf_bodies *bodies, const icf_solid *solids,
                             icf_overlaps *overlaps)
{
    icf_broad_phase *broad = NULL;
    double *margin = icf_alloc(((size_t)bodies->n + 1) * sizeof *margin);
    icf_status status = margin ? icf_broad_phase_create(&broad) : ICF_ERROR_MEMORY;
    if (status == ICF_OK) {
        for (icf_lid i = 0; i < bodies->n; ++i) margin[i] = 0.0;
        status = find(context, bodies, solids, broad, margin, overlaps);
    }
    icf_broad_phase_destroy(&broad);
    icf_free(margin);
    return status;
}
