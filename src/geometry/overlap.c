/* Overlaps of bodies: candidate pairs, the depth of each, and the deepest of them. */
#include "geometry/overlap.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
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

/* Keeps an overlap among the deepest ones; pairs come in canonical order. */
static void keep(icf_overlaps *overlaps, icf_pair pair, double depth)
{
    int at = overlaps->nworst;
    while (at > 0 && overlaps->worst[at - 1].depth < depth) --at;
    if (at == ICF_OVERLAPS_KEPT) return;
    overlaps->nworst = ICF_MIN(overlaps->nworst + 1, (int)ICF_OVERLAPS_KEPT);
    memmove(&overlaps->worst[at + 1], &overlaps->worst[at],
            (size_t)(overlaps->nworst - 1 - at) * sizeof overlaps->worst[0]);
    overlaps->worst[at] = (icf_overlap){pair, depth};
}

/* Counts the pairs that overlap and their bodies.
 *   in_overlap [out] (bodies->n) whether a body is in one */
static void count(const icf_bodies *bodies, icf_lid npair, const icf_pair *pairs, const double *depth, bool *in_overlap,
                  icf_overlaps *overlaps)
{
    *overlaps = (icf_overlaps){0};
    memset(in_overlap, 0, (size_t)bodies->n * sizeof *in_overlap);
    for (icf_lid k = 0; k < npair; ++k) {
        if (depth[k] == 0.0) continue;
        ++overlaps->npair;
        in_overlap[pairs[k].a] = in_overlap[pairs[k].b] = true;
        keep(overlaps, pairs[k], depth[k]);
    }
    for (icf_lid i = 0; i < bodies->n; ++i) overlaps->nbody += in_overlap[i];
}

static icf_status find(icf_context *context, const icf_bodies *bodies, const icf_solid *solids, icf_broad_phase *broad,
                       const double *margin, icf_overlaps *overlaps)
{
    icf_lid npair;
    const icf_pair *pairs;
    ICF_TRY(icf_broad_phase_find(broad, context, bodies, margin, &npair, &pairs));
    double *depth = icf_alloc(((size_t)npair + 1) * sizeof *depth);
    bool *in_overlap = icf_alloc((size_t)bodies->n + 1);
    icf_status status = depth && in_overlap ? ICF_OK : ICF_ERROR_MEMORY;
    if (status == ICF_OK) status = find_depths(context, bodies, solids, npair, pairs, depth);
    if (status == ICF_OK) count(bodies, npair, pairs, depth, in_overlap, overlaps);
    icf_free(depth);
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
