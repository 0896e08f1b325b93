/* Overlaps: which bodies of a scene are inside one another where the scene puts them.
 *
 * The search is that of a step without motion: broad phase with no margin, then the narrow phase of each pair.  Bodies
 * wholly inside a closed mesh or below a height field, where a step finds no contact, are added (geometry/inside.h).
 * Near-linear in the number of bodies.  Pairs of which the solver moves neither body may overlap (walls, supports), and
 * deformable bodies are not looked at.  Local; uses context->nthread threads, with the same result for any number.
 */
#ifndef ICF_GEOMETRY_OVERLAP_H
#define ICF_GEOMETRY_OVERLAP_H

#include "geometry/broad_phase.h"
#include "scene/solid.h"

/* Overlaps that are kept one by one, and how deep one must be, relative to the smaller body, to be more than round-off.
 */
enum { ICF_OVERLAPS_KEPT = 10 };
#define ICF_OVERLAP_ROUND_OFF 1e-9

typedef struct icf_overlap {
    icf_pair pair; /* local indices, lower global id first */
    double depth;  /* m */
    bool hidden;   /* a body wholly inside a mesh or below a height field, which contact does not see */
} icf_overlap;

typedef struct icf_overlaps {
    icf_cnt npair;            /* pairs that overlap */
    icf_cnt nbody;            /* bodies in them */
    icf_cnt nhidden;          /* pairs that contact does not see */
    icf_overlap first_hidden; /* one of them, the first by surface and body */
    int nworst;
    icf_overlap worst[ICF_OVERLAPS_KEPT]; /* (nworst) the deepest, deepest first; equal depths in canonical order,
                                             hidden ones last */
} icf_overlaps;

/* Finds the overlaps of a rank's bodies.
 *   bodies [in] rigid surfaces have their trees (icf_surface_trees_attach)
 *   solids [in] of the scene, which shapes of the bodies refer to; else not needed
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_overlaps_find(icf_context *context, const icf_bodies *bodies, const icf_solid *solids,
                                            icf_overlaps *overlaps);

#endif
