/* Triangulated surfaces of shapes, for pictures: a template a shape type, placed by a body's pose.
 *
 * A template holds unit points and a side: a point of a body is
 *     x = position + R (scale * unit + (0, 0, side * half)),
 * with scale the radius (sphere, capsule, cylinder), the radii (ellipsoid), the half edges (box) or 1 (what has a
 * solid: a template each; a mesh or height field is its own template).  A half-space is a square in its plane, as large
 * as the scene.  The templates are constant; placing is thread-safe.
 */
#ifndef ICF_IO_SURFACE_H
#define ICF_IO_SURFACE_H

#include "base/status.h"
#include "scene/bodies.h"
#include "scene/solid.h"

typedef struct icf_surface {
    int32_t npoint, ntriangle;
    icf_vec3 *unit;         /* (npoint) unit points */
    double *side;           /* (npoint) -1, 0 or 1: cap of a capsule; NULL: 0 */
    int32_t (*triangle)[3]; /* (ntriangle) counter-clockwise seen from outside */
} icf_surface;

/* Templates of all shape types, and the square that stands for a half-space. */
typedef struct icf_surfaces {
    icf_surface shape[ICF_SHAPE_COUNT];
    int32_t nsolid;
    icf_surface *solid; /* (nsolid) of convex shapes and compounds: points as they are, in the body's frame [m] */
    icf_vec3 centre;    /* of the scene [m] */
    double reach;       /* half edge of the square [m] */
} icf_surfaces;

/* Builds the templates.
 *   around [in] triangles round a sphere's equator, even; half as many from pole to pole
 *   centre, reach [in] the square of half-spaces */
ICF_MUST_CHECK icf_status icf_surfaces_build(icf_surfaces *surfaces, int32_t around, icf_vec3 centre, double reach);

/* Adds the surfaces of solids, before which icf_surfaces_build has been called. */
ICF_MUST_CHECK icf_status icf_surfaces_add_solids(icf_surfaces *surfaces, int32_t n, const icf_solid *solids);

/* Template of a shape; borrowed. */
icf_surface icf_surfaces_of(const icf_surfaces *surfaces, const icf_shape *shape);

/* Releases the templates. */
void icf_surfaces_clear(icf_surfaces *surfaces);

/* Surface points of body i in the world and their speed.
 *   point [out] (npoint) [m]
 *   speed [out] (npoint) |v + w x r| [m/s] */
void icf_surfaces_place(const icf_surfaces *surfaces, const icf_bodies *bodies, icf_lid i, float (*point)[3],
                        float *speed);

#endif
