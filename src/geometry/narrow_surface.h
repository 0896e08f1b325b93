/* Contacts of a rigid surface (triangle mesh, height field) with a body.
 *
 * A body over a flat mesh has the contacts that it has on a half-space, however the mesh is cut into triangles
 * (narrow_flat.c).  Elsewhere every triangle near the body is a contact of its own, limited so that the edges inside a
 * surface do not catch what slides over it (narrow_facet.c); then points that say the same are merged
 * (surface_reduce.c).
 *
 *   solid (closed, height field)   touched from outside; a body whose middle is inside is pushed out the nearest way
 *   sheet (with a border)          touched from the side on which the body's middle is
 *
 * Results depend on surface, shape and poses alone.  Thread-safe with a work a thread.
 */
#ifndef ICF_GEOMETRY_NARROW_SURFACE_H
#define ICF_GEOMETRY_NARROW_SURFACE_H

#include "geometry/collide.h"
#include "geometry/triangle_tree.h"

enum { ICF_SURFACE_POINTS = 16 }; /* contact points of a body with a surface that is not flat, at most */

/* Memory of the search, and its result. */
typedef struct icf_surface_work {
    icf_lid ntriangle;
    icf_lid *triangle; /* (ntriangle) near the body */
    size_t triangle_capacity;
    icf_lid npoint;
    icf_contact_point *point; /* (npoint) */
    size_t point_capacity;
    int nsearch;       /* triangles for which all directions had to be tried (convex.h); only ever counted up */
    icf_status status; /* of the visits */
} icf_surface_work;

void icf_surface_work_init(icf_surface_work *work);
void icf_surface_work_clear(icf_surface_work *work);

/* Contact points with signed distance strictly below `distance`.
 *   surface  [in]  of type mesh or height field
 *   body     [in]  bounded: half-spaces and other surfaces have no contact
 *   distance [in]  candidate distance [m]
 *   work     [out] the points: on_a on the surface, normal from the surface to the body, by ascending feature
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_collide_surface(const icf_placed_shape *surface, const icf_placed_shape *body,
                                              double distance, icf_surface_work *work);

/* Smallest signed distance of the contact points of any two shapes; infinite when none is below the limit.
 *   limit    [in]  candidate distance [m]
 *   work     [in,out] memory; used when one of them is a mesh or height field
 *   distance [out] m
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_collide_distance(const icf_placed_shape *a, const icf_placed_shape *b, double limit,
                                               icf_surface_work *work, double *distance);

/* Point of a surface that is closest to a world point, on the side on which it is touched.
 *   hit [out] in the world; of a sheet the distance is >= 0 */
void icf_surface_closest(const icf_placed_shape *surface, icf_vec3 point, icf_surface_hit *hit);

#endif
