/* Bodies whose middle is inside the solid of a rigid surface: in a closed mesh, or below a height field.
 *
 * Contact sees the triangles near a body; one that is wholly inside and far from all of them touches nothing.  Here a
 * ray from its middle says whether it is inside, and the closest point of the surface how deep.  Bodies are sorted
 * along x, so that each surface looks at those over its box alone.
 */
#ifndef ICF_GEOMETRY_INSIDE_H
#define ICF_GEOMETRY_INSIDE_H

#include "base/context.h"
#include "scene/bodies.h"
#include "scene/solid.h"

typedef struct icf_inside {
    icf_lid body, surface; /* local indices: a body that moves, and the one that has the surface */
    double depth;          /* how far it is from being outside, along the way that is its middle's shortest [m] */
} icf_inside;

typedef struct icf_inside_list {
    icf_lid n;
    icf_inside *item; /* (n) by surface, then body; heap, the caller's */
    size_t capacity;
} icf_inside_list;

/* Finds all rigid bodies that the solver moves and whose middle is inside.
 *   bodies [in]     rigid surfaces have their trees (icf_surface_trees_attach)
 *   solids [in]     of the scene, which shapes of the bodies refer to; else not needed
 *   list   [in,out] replaced
 * ICF_ERROR_MEMORY.  Local; uses context->nthread threads, with the same result for any number. */
ICF_MUST_CHECK icf_status icf_inside_find(const icf_context *context, const icf_bodies *bodies, const icf_solid *solids,
                                          icf_inside_list *list);

#endif
