/* One triangle of a surface against a cylinder, ellipsoid or hull.
 *
 * The direction that separates best is that of the pair of body and triangle (narrow_convex.c); which directions the
 * surface allows is decided as for other bodies (narrow_facet.c).  Where the direction is allowed the manifold is that
 * of the pair.  Along the face's normal it is the overlap of what looks along it (convex_clip.c), and the body's lowest
 * point where that lies over the face.
 *
 * Thread-safe; takes memory only to keep points.
 */
#include "geometry/convex.h"
#include "geometry/narrow_facet.h"

#define OVER      1e-11 /* of the size: what is beyond a side by less is over the face */
#define CONFIRMED 1e-10 /* of the size */
#define FACE      1e-8  /* sine: a direction nearer to the normal of the body's face is taken for it */

/* A body and a triangle; the pair is in the body's frame. */
typedef struct {
    const icf_facet *facet;
    const icf_placed_shape *body;
    icf_convex_pair pair;
    double limit;
} convex_facet;

/* From the surface's frame: the direction of the pair, from the body to the triangle. */
static icf_vec3 to_pair(const convex_facet *c, icf_vec3 normal)
{
    return icf_neg(icf_mat3_tmul(&c->body->rotation, normal));
}

bool icf_facet_is_under(const icf_facet *facet, icf_vec3 x)
{
    for (int k = 0; k < 3; ++k) {
        const icf_vec3 side = icf_unit(icf_sub(facet->x[(k + 1) % 3], facet->x[k]));
        if (icf_dot(icf_cross(side, facet->normal), icf_sub(x, facet->x[k])) > OVER * facet->scale) return false;
    }
    return true;
}

/* Separation along a normal.
 *   lowest [out] point of the body, surface's frame
 *   vertex [out] outermost vertices */
static double separation(const convex_facet *c, icf_vec3 normal, icf_vec3 *lowest, int32_t vertex[2])
{
    icf_outer on[2];
    const double s = icf_convex_separation(&c->pair, to_pair(c, normal), on);
    *lowest = icf_to_world(c->body, on[0].x);
    vertex[0] = on[0].vertex;
    vertex[1] = on[1].vertex;
    return s;
}

/* The code of a feature of the pair; those of nearest points are above the others. */
static int64_t code_of(int64_t feature)
{
    const int64_t half = ICF_FACET_CODES / 2;
    return feature % half + (feature >= (int64_t)1 << 30 ? half : 0);
}

static icf_status add_point(const convex_facet *c, const icf_facet_axis *axis, icf_vec3 on_body, double distance,
                            int64_t code, double soft, icf_surface_work *work)
{
    if (!(distance < c->limit)) return ICF_OK;
    if (axis->is_limited && distance < 0.0 &&
        (!axis->is_deep || icf_facet_is_elsewhere(c->facet, axis->normal, on_body, -distance)))
        return ICF_OK;
    return icf_surface_work_add(work, &(icf_contact_point){.on_a = icf_mul_add(on_body, -distance, axis->normal),
                                                           .on_b = on_body,
                                                           .normal = axis->normal,
                                                           .distance = distance,
                                                           .feature = ICF_FACET_CODES * c->facet->triangle + code,
                                                           .soft = soft});
}

static icf_status add_points(const convex_facet *c, const icf_facet_axis *axis, const icf_convex_manifold *manifold,
                             icf_surface_work *work)
{
    for (int k = 0; k < manifold->n; ++k) {
        const icf_convex_point *point = &manifold->point[k];
        ICF_TRY(add_point(c, axis, icf_to_world(c->body, point->on[0]), point->distance, code_of(point->feature),
                          point->soft, work));
    }
    return ICF_OK;
}

/* The points along the face's normal. */
static icf_status add_points_over_face(const convex_facet *c, const icf_facet_axis *axis, icf_surface_work *work)
{
    icf_convex_manifold manifold = {.normal = to_pair(c, axis->normal)};
    icf_vec3 lowest;
    int32_t vertex[2];
    double merge, nearest = INFINITY;
    const double s = separation(c, axis->normal, &lowest, vertex);
    if (!(s < c->limit)) return ICF_OK;
    icf_convex_clip(&c->pair, vertex, c->limit, &manifold, &merge);
    for (int k = 0; k < manifold.n; ++k) nearest = fmin(nearest, manifold.point[k].distance);
    ICF_TRY(add_points(c, axis, &manifold, work));
    if (nearest <= s + CONFIRMED * c->facet->scale || !icf_facet_is_under(c->facet, lowest)) return ICF_OK;
    return add_point(c, axis, lowest, s, ICF_FACET_CODES / 2 + vertex[0], 0.0, work);
}

/* Whether the direction of a manifold is the normal of a face of the body. */
static bool is_core_face(const convex_facet *c, icf_vec3 normal)
{
    icf_vec3 face;
    const icf_core *core = &c->pair.core[0];
    return icf_core_face(core, icf_core_outer(core, normal).vertex, normal, &face) &&
           icf_norm(icf_cross(face, normal)) < FACE;
}

/* The direction of the face on whose side the body separates more. */
static icf_facet_axis face_axis(const convex_facet *c, icf_vec3 *lowest)
{
    icf_facet_axis axis = {.separation = -INFINITY, .is_face = true};
    for (int side = 0; side < 2; ++side) {
        const icf_vec3 normal = side == 0 ? c->facet->normal : icf_neg(c->facet->normal);
        int32_t vertex[2];
        icf_vec3 x;
        const double s = separation(c, normal, &x, vertex);
        if (s <= axis.separation) continue;
        axis.separation = s;
        axis.normal = normal;
        *lowest = x;
    }
    return axis;
}

icf_status icf_facet_collide_convex(const icf_facet *facet, const icf_placed_shape *body, double limit,
                                    icf_surface_work *work)
{
    const convex_facet c = {facet, body, icf_convex_make_triangle_pair(body, facet->x), limit};
    icf_vec3 lowest;
    icf_convex_manifold manifold = {.n = 0};
    icf_facet_axis axis = face_axis(&c, &lowest);
    if (!(axis.separation < limit)) return ICF_OK;
    const bool is_settled = axis.separation > 0.0 && icf_facet_is_under(facet, lowest);
    if (!is_settled) {
        work->nsearch += icf_convex_touch(&c.pair, limit, &manifold);
        if (manifold.n == 0) return ICF_OK;
        axis.separation = INFINITY;
        for (int k = 0; k < manifold.n; ++k) axis.separation = fmin(axis.separation, manifold.point[k].distance);
        axis.normal = icf_neg(icf_mat3_mul(&body->rotation, manifold.normal));
        axis.is_face = false;
        axis.is_core_face = is_core_face(&c, manifold.normal);
    }
    if (!icf_facet_limit_axis(facet, icf_to_world(body, c.pair.core[0].centre), &axis)) return ICF_OK;
    return is_settled || axis.is_limited ? add_points_over_face(&c, &axis, work)
                                         : add_points(&c, &axis, &manifold, work);
}
