/* Narrow phase, private part: the routine of each pair family and what they share.
 *
 * A routine takes its two shapes in the order of icf_shape_type (two of the same type: in the canonical
 * order of collide.c), fills an empty manifold with the points whose distance is strictly below `distance`, by
 * ascending feature, and takes no memory.  Features of every family:
 *
 *   half-space, sphere      0
 *   half-space, capsule     0 = +z end, 1 = -z end (the ends' spheres)
 *   half-space, box         vertex 4 ix + 2 iy + iz, minus side first
 *   sphere, sphere or box   0
 *   sphere, capsule         0 = +z end, 1 = -z end, 2 = between
 *   capsule, capsule        3 f + g, f and g as for sphere and capsule, first and second capsule
 *   capsule, box            0 = +z end, 1 = -z end, 2 + e: axis across box edge e, 14 + v: box vertex v
 *   box, box                v: vertex of the first, 8 + v: of the second, 16 + 12 e + f: edge e across edge f
 *   half-space, cylinder    4 e + q: end e (0 = +z), q quarter turns from its lowest point
 *   half-space, ellipsoid   0 = the lowest point, 1..4 at the height of its middle
 *   half-space, convex      vertex
 *   others with cylinder,   v: vertex of the first, n + v: of the second, n + m + s t' + t: side s of the first
 *   ellipsoid or convex     across side t of the second (n, m vertices; t' sides of the second), 2^30 and above:
 *                           nearest points that are none of these.  Of a cylinder: corners and sides of octagons in
 *                           its ends (8 of the +z end, 8 of the other), then the two ends of its side and the side
 *
 * Edge 4 k + 2 p + q of a box runs along axis k on side p (0 minus, 1 plus) of axis k + 1 and side q of axis k + 2
 * (cyclically).
 */
#ifndef ICF_GEOMETRY_NARROW_H
#define ICF_GEOMETRY_NARROW_H

#include "geometry/collide.h"

/* Lengths below this [m] have no direction (their square would underflow). */
#define ICF_NARROW_TINY 1e-150

typedef void icf_narrow_routine(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                icf_manifold *manifold);

icf_narrow_routine icf_narrow_half_space_sphere, icf_narrow_half_space_capsule, icf_narrow_half_space_box;
icf_narrow_routine icf_narrow_sphere_sphere, icf_narrow_sphere_capsule, icf_narrow_sphere_box,
    icf_narrow_sphere_cylinder;
icf_narrow_routine icf_narrow_capsule_capsule, icf_narrow_capsule_box;
icf_narrow_routine icf_narrow_box_box;
icf_narrow_routine icf_narrow_half_space_cylinder, icf_narrow_half_space_ellipsoid, icf_narrow_half_space_convex;
icf_narrow_routine icf_narrow_convex; /* all other pairs of convex shapes */

/* World point in the frame of a shape's body. */
static inline icf_vec3 icf_to_body(const icf_placed_shape *shape, icf_vec3 point)
{
    return icf_mat3_tmul(&shape->rotation, icf_sub(point, shape->position));
}

/* Point of a body's frame in the world. */
static inline icf_vec3 icf_to_world(const icf_placed_shape *shape, icf_vec3 point)
{
    return icf_add(shape->position, icf_mat3_mul(&shape->rotation, point));
}

/* x within [-bound, bound] */
static inline double icf_clamp(double x, double bound)
{
    return x < -bound ? -bound : x > bound ? bound : x;
}

/* How far x is beyond [-bound, bound], with its sign; 0 when that is less than the slack. */
static inline double icf_beyond(double x, double bound, double slack)
{
    const double beyond = x - icf_clamp(x, bound);
    return fabs(beyond) <= slack ? 0.0 : beyond;
}

/* -1 for x < 0, else 1 */
static inline double icf_sign(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

/* v / |v|, or the fallback when v has no direction; *length = |v|. */
static inline icf_vec3 icf_direction(icf_vec3 v, icf_vec3 fallback, double *length)
{
    *length = icf_norm(v);
    return *length < ICF_NARROW_TINY ? fallback : icf_scale(1.0 / *length, v);
}

/* Whether the spheres around two shapes are at least `distance` apart: no contact then. */
static inline bool icf_is_far(const icf_placed_shape *a, double radius_a, const icf_placed_shape *b, double radius_b,
                              double distance)
{
    const double reach = radius_a + radius_b + distance;
    return reach <= 0.0 || icf_norm2(icf_sub(b->position, a->position)) >= reach * reach;
}

/* Appends a point when its distance is below the limit and there is room. */
static inline void icf_manifold_add(icf_manifold *manifold, double limit, icf_contact_point point)
{
    if (point.distance < limit && manifold->n < ICF_MANIFOLD_MAX) manifold->point[manifold->n++] = point;
}

/* Sorts the points by ascending feature. */
void icf_manifold_sort(icf_manifold *manifold);

/* Surface point of a capsule that belongs to a point of its axis, towards a direction.
 * At an end, towards the outside, it lies on the end's sphere; elsewhere on the cylinder.
 *   z         [in]  the point of the axis, -half <= z <= half [m]
 *   direction [in]  unit, capsule frame
 *   support   [out] how far the surface point lies beyond the axis point along the direction [m]
 * Returns the surface point in the capsule's frame. */
icf_vec3 icf_capsule_surface(const icf_shape *capsule, double z, icf_vec3 direction, double *support);

#endif
