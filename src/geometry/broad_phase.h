/* Broad phase: pairs of bodies whose swept bounding boxes come near each other.
 *
 * Purpose: near-linear in the number of bodies, for mixed sizes (grains beside a 10 m plate), conservative
 * (no pair that a candidate distance could admit is missed), and canonical: the pairs come out by
 * (lower global id, higher global id), whatever order they were found in, for any thread count.
 * Half-spaces are paired with every moving body near them.  The structure is kept between calls only as
 * memory; results depend on the arguments alone.
 */
#ifndef ICF_GEOMETRY_BROAD_PHASE_H
#define ICF_GEOMETRY_BROAD_PHASE_H

#include "base/context.h"
#include "scene/bodies.h"

/* One candidate pair: local indices, gid[a] < gid[b], or a body that touches itself: a == b. */
typedef struct icf_pair {
    icf_lid a, b;
} icf_pair;

typedef struct icf_broad_phase icf_broad_phase;

ICF_MUST_CHECK icf_status icf_broad_phase_create(icf_broad_phase **broad);

/* Nulls *broad; accepts NULL in it. */
void icf_broad_phase_destroy(icf_broad_phase **broad);

/* Finds all pairs (i, j) of which at least one is moved by the solver and whose bounding boxes, each
 * grown by its margin, overlap or touch; bodies of shape none have no pair, nor do two half-spaces, nor a
 * body whose pose holds NaN.
 * A body whose shape touches itself is a pair with itself.
 *   bodies   [in]  poses as they are; rigid surfaces have their trees (icf_surface_trees_attach)
 *   margin   [in]  (n) growth of each body's tight bounding box on every side [m], >= 0; half of a pair's
 *                  candidate distance may be in each
 *   npair    [out] number of pairs
 *   pairs    [out] the pairs in canonical order; owned by broad, valid until the next call
 * Local; uses context->nthread threads.  No heap memory once sizes have settled. */
ICF_MUST_CHECK icf_status icf_broad_phase_find(icf_broad_phase *broad, icf_context *context, const icf_bodies *bodies,
                                               const double *margin, icf_lid *npair, const icf_pair **pairs);

#endif
