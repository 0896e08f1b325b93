/* Convex hulls by qhull: faces as polygons of point numbers. */
#ifndef ICF_SCENE_HULL_H
#define ICF_SCENE_HULL_H

#include "base/context.h"
#include "base/vec.h"

typedef struct icf_hull {
    int32_t nface;
    int32_t *face_ptr;    /* (nface + 1) corners of each face */
    int32_t *face_vertex; /* numbers of points, counter-clockwise seen from outside */
    size_t ptr_capacity, vertex_capacity;
} icf_hull;

/* Hull of n points.
 *   triangles [in] all faces are triangles: else triangles in one plane are one face
 * ICF_ERROR_SCENE: it has no volume.  Local. */
ICF_MUST_CHECK icf_status icf_hull_build(icf_context *context, int32_t n, const icf_vec3 *point, bool triangles,
                                         icf_hull *hull);

void icf_hull_clear(icf_hull *hull);

#endif
