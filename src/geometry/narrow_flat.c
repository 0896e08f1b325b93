/* A body over a surface that is flat there.
 *
 * One plane.  Where all that is near the body lies in one plane, and every point in which the body would touch a
 * half-space lies over a triangle of it, the surface is that half-space for this body: it has its contacts, features
 * included, however the plane is cut into triangles.  The lower sides of a thin plate do not count: the body's middle
 * is on the other side of them.
 *
 *            ( body )
 *        x1 o        o x2            contacts of the half-space, both over triangles
 *      ----+----+-----+---+----
 *      =============+=========       below: another side of the solid, which looks away
 *
 * Elsewhere what is above a triangle, but not nearest to it, is added when the body can move by more than its own
 * thickness in a step: contacts of the nearest feature alone would let it turn through the surface.
 *
 * Thread-safe; takes memory only to keep points.
 */
#include "geometry/narrow.h"
#include "geometry/narrow_facet.h"

#define COPLANAR 1e-9 /* of the size: corners nearer to a plane are in it */
#define AWAY     -0.5 /* cosine: triangles that look to another side than the plane */

/* The plane of a triangle, on the side of the body's middle. */
typedef struct {
    icf_shape half_space;
    double size; /* what round-off refers to [m] */
} flat_plane;

static double height_of(const flat_plane *plane, icf_vec3 x)
{
    return icf_dot(plane->half_space.normal, x) - plane->half_space.offset;
}

static icf_vec3 centre_of(const icf_placed_shape *body)
{
    if (body->shape->type != ICF_SHAPE_CONVEX) return body->position;
    return icf_to_world(body, body->solids[body->shape->index].polytope.centre);
}

/* Returns false when the middle is behind a solid's triangle. */
static bool make_plane(const icf_facet *facet, icf_vec3 centre, flat_plane *plane)
{
    const double side = icf_dot(facet->normal, icf_sub(centre, facet->x[0]));
    if (facet->surface->is_solid && !(side > 0.0)) return false;
    const icf_vec3 normal = side < 0.0 ? icf_neg(facet->normal) : facet->normal;
    *plane = (flat_plane){
        .half_space = {.type = ICF_SHAPE_HALF_SPACE, .normal = normal, .offset = icf_dot(normal, facet->x[0])},
        .size = facet->scale};
    return true;
}

static void touch_plane(const flat_plane *plane, const icf_placed_shape *body, double distance, icf_manifold *manifold)
{
    const icf_placed_shape placed = {&plane->half_space, {0, 0, 0}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}, NULL};
    icf_collide(&placed, body, distance, manifold);
}

/* ---- one plane ---- */

/* The plane of the first triangle by number that the body's middle is in front of. */
static bool find_plane(const icf_rigid_surface *surface, const icf_surface_work *work, icf_vec3 centre, double size,
                       flat_plane *plane)
{
    icf_lid first = -1;
    for (icf_lid i = 0; i < work->ntriangle; ++i) {
        const icf_lid t = work->triangle[i];
        const icf_vec3 corner = surface->mesh.vertex[surface->mesh.triangle[t][0]];
        if (surface->is_solid && !(icf_dot(surface->normal[t], icf_sub(centre, corner)) > 0.0)) continue;
        if (first < 0 || t < first) first = t;
    }
    if (first < 0) return false;
    const icf_facet facet = icf_facet_make(surface, first, size);
    return make_plane(&facet, centre, plane);
}

typedef enum { IN_PLANE, LOOKS_AWAY, BESIDE } relation;

static relation relate(const icf_rigid_surface *surface, icf_lid triangle, const flat_plane *plane)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double height = height_of(plane, surface->mesh.vertex[surface->mesh.triangle[triangle][k]]);
        lowest = fmin(lowest, height);
        highest = fmax(highest, height);
    }
    const double slack = COPLANAR * plane->size;
    const double cosine = icf_dot(surface->normal[triangle], plane->half_space.normal);
    if (surface->is_solid && cosine < AWAY && highest < -slack) return LOOKS_AWAY;
    return lowest >= -slack && highest <= slack && (cosine > 0.0 || !surface->is_solid) ? IN_PLANE : BESIDE;
}

/* Leaves the triangles that lie in the plane, in *n; false when there are others that count. */
static bool is_one_plane(const icf_rigid_surface *surface, const flat_plane *plane, icf_surface_work *work, icf_lid *n)
{
    for (icf_lid i = 0; i < work->ntriangle; ++i)
        if (relate(surface, work->triangle[i], plane) == BESIDE) return false;
    *n = 0;
    for (icf_lid i = 0; i < work->ntriangle; ++i) {
        const icf_lid t = work->triangle[i];
        if (relate(surface, t, plane) != IN_PLANE) continue;
        work->triangle[i] = work->triangle[*n];
        work->triangle[(*n)++] = t;
    }
    return true;
}

static bool is_over_one(const icf_rigid_surface *surface, const icf_surface_work *work, icf_lid n, double size,
                        icf_vec3 x)
{
    for (icf_lid i = 0; i < n; ++i) {
        const icf_facet facet = icf_facet_make(surface, work->triangle[i], size);
        if (icf_facet_is_under(&facet, x)) return true;
    }
    return false;
}

/* Whether the body cuts the plane only where there are triangles: between its points below the plane and those above.
 * Where it cuts the plane beyond a border, it may be below the surface without touching it.
 *   near [in] how far from a point below the plane it makes no difference [m] */
static bool cuts_inside(const icf_rigid_surface *surface, const icf_surface_work *work, icf_lid n,
                        const icf_placed_shape *body, const flat_plane *plane, double near)
{
    icf_manifold all;
    touch_plane(plane, body, INFINITY, &all);
    for (int i = 0; i < all.n; ++i)
        for (int j = 0; j < all.n; ++j) {
            const double below = all.point[i].distance, above = all.point[j].distance;
            if (!(below < 0.0 && above > 0.0)) continue;
            const icf_vec3 arm = icf_scale(below / (below - above), icf_sub(all.point[j].on_b, all.point[i].on_b));
            if (icf_norm(arm) <= near) continue;
            if (!is_over_one(surface, work, n, plane->size, icf_add(all.point[i].on_b, arm))) return false;
        }
    return true;
}

icf_status icf_surface_touch_flat(const icf_rigid_surface *surface, const icf_placed_shape *body, double distance,
                                  double merge, icf_surface_work *work, bool *is_flat)
{
    const double size = icf_shape_radius(body->shape);
    flat_plane plane;
    icf_manifold manifold;
    icf_lid n;
    bool is_deep = false;
    *is_flat = find_plane(surface, work, centre_of(body), size, &plane) && is_one_plane(surface, &plane, work, &n);
    if (!*is_flat) return ICF_OK;
    touch_plane(&plane, body, distance, &manifold);
    for (int k = 0; k < manifold.n && *is_flat; ++k) {
        *is_flat = is_over_one(surface, work, n, size, manifold.point[k].on_b);
        is_deep = is_deep || manifold.point[k].distance < 0.0;
    }
    if (*is_flat && is_deep) *is_flat = cuts_inside(surface, work, n, body, &plane, merge);
    for (int k = 0; k < manifold.n && *is_flat; ++k) ICF_TRY(icf_surface_work_add(work, &manifold.point[k]));
    return ICF_OK;
}
