/* One triangle of a rigid surface against a convex body: private to narrow_surface.c and narrow_facet*.c.
 *
 * A sphere, capsule or box is a core (a point, the axis of a capsule, a box) grown by a radius, in the surface's frame,
 * so that a flat surface along the axes is exact.  Features of a contact are 64 t + code, t the triangle and
 *
 *   0..7           corner of the core: 4 ix + 2 iy + iz of a box, minus side first; 0 = +z, 1 = -z end of a capsule
 *   8 + 12 k + e   side k of the triangle across edge e of the core (numbers of edges: narrow.h)
 *   44 + c         corner c of the triangle
 *
 * Other convex bodies are those of convex.h; their features are ICF_FACET_CODES t + code, code those of two convex
 * shapes.  A body over one plane has the features of a half-space.
 */
#ifndef ICF_GEOMETRY_NARROW_FACET_H
#define ICF_GEOMETRY_NARROW_FACET_H

#include "geometry/narrow_surface.h"
#include "scene/rigid_surface.h"

/* A body's core in the surface's frame. */
typedef struct icf_facet_core {
    int dimension;    /* 0 point, 1 segment along axis[2], 3 box */
    icf_vec3 centre;  /* [m] */
    icf_vec3 axis[3]; /* unit */
    double extent[3]; /* half edges [m]; 0 where it has none */
    double radius;    /* what the core is grown by [m] */
    double size;      /* largest distance from the centre, radius included [m] */
} icf_facet_core;

/* A triangle and what lies round it. */
typedef struct icf_facet {
    const icf_rigid_surface *surface;
    icf_lid triangle;
    icf_vec3 x[3];   /* corners [m] */
    icf_vec3 normal; /* unit */
    double scale;    /* what round-off refers to: longest side and size of the core [m] */
} icf_facet;

/* How the core lies to a triangle. */
typedef struct icf_facet_axis {
    double separation; /* signed, of the core [m] */
    icf_vec3 normal;   /* unit, from the triangle to the body */
    bool is_limited;   /* the direction of the separation is another triangle's business; normal is the face's */
    bool is_deep;      /* normal is the face's, and points of the core may lie below it */
    bool is_face;      /* normal is the face's, on either side */
    bool is_core_face; /* normal is that of a face of the core */
} icf_facet_axis;

/* Bit of an axis in the number of a box's corner. */
static inline int icf_core_bit(int axis)
{
    return 4 >> axis;
}

/* A corner of the core: 0 of a point; 0 = +z, 1 = -z end of a segment; of a box as features number them. */
icf_vec3 icf_core_corner(const icf_facet_core *core, int corner);

/* Codes of a triangle, and features of a part of a compound. */
#define ICF_FACET_CODES    ((int64_t)1 << 19)
#define ICF_FACET_FEATURES ((int64_t)1 << 44)
_Static_assert(ICF_SURFACE_TRIANGLES *ICF_FACET_CODES <= ICF_FACET_FEATURES, "parts do not share features");

/* size [in] of the body [m] */
icf_facet icf_facet_make(const icf_rigid_surface *surface, icf_lid triangle, double size);

/* Finds the normal of the contacts with a triangle.
 *   limit [in] candidate distance of the core [m]
 * Returns false when there are none: too far, or behind a solid's surface. */
bool icf_facet_find_axis(const icf_facet *facet, const icf_facet_core *core, double limit, icf_facet_axis *axis);

/* Takes the direction that separates best for the normal where the surface allows it, the face's normal elsewhere:
 * is_limited, and the separation has to be found again.
 *   centre [in]     of the body [m]
 *   axis   [in,out] separation, normal, is_face and is_core_face are read
 * Returns false when the body is behind a solid's surface. */
bool icf_facet_limit_axis(const icf_facet *facet, icf_vec3 centre, icf_facet_axis *axis);

/* Whether a point at a depth below the triangle is nearer to another face that looks the same way. */
bool icf_facet_is_elsewhere(const icf_facet *facet, icf_vec3 normal, icf_vec3 point, double depth);

/* Whether a point lies over the triangle, seen along its normal. */
bool icf_facet_is_under(const icf_facet *facet, icf_vec3 x);

/* Appends the contacts of a triangle with a cylinder, ellipsoid or hull (narrow_facet_convex.c); ICF_ERROR_MEMORY.
 *   body  [in] in the surface's frame
 *   limit [in] candidate distance [m] */
ICF_MUST_CHECK icf_status icf_facet_collide_convex(const icf_facet *facet, const icf_placed_shape *body, double limit,
                                                   icf_surface_work *work);

/* Appends the contacts along an axis with distance below the limit: on_a on the surface, on_b on the body, in the
 * surface's frame; ICF_ERROR_MEMORY.
 *   limit [in] candidate distance of the body [m] */
ICF_MUST_CHECK icf_status icf_facet_add_points(const icf_facet *facet, const icf_facet_core *core,
                                               const icf_facet_axis *axis, double limit, icf_surface_work *work);

/* Appends the contacts of a half-space (narrow_flat.c) where the surface is one as far as the body can tell.
 *   body    [in]     in the surface's frame
 *   merge   [in]     places nearer than this are one [m]
 *   work    [in,out] its triangles, whose order may change
 *   is_flat [out]    false: it is not, and nothing is added
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_surface_touch_flat(const icf_rigid_surface *surface, const icf_placed_shape *body,
                                                 double distance, double merge, icf_surface_work *work, bool *is_flat);

/* Appends a contact. */
ICF_MUST_CHECK icf_status icf_surface_work_add(icf_surface_work *work, const icf_contact_point *point);

/* Leaves the points that matter: no two at one place with one normal, of those in a plane the corners of what they
 * cover, ICF_SURFACE_POINTS at most; by ascending feature.
 *   merge [in] points nearer than this are one [m]
 *   size  [in] of the body [m] */
void icf_surface_reduce(double merge, double size, icf_surface_work *work);

#endif
