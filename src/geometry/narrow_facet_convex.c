/* One triangle of a surface against a cylinder, ellipsoid or polytope.
 *
 * The pair of shape and triangle gives distance, normal and points (narrow_convex.c); the surface then decides about
 * the normal as for boxes (narrow_facet.c), and where it is not allowed, the points are taken along the face's normal.
 * Points on sides inside a flat part are not left out here: they lie within the convex hull of the others and go when
 * points are merged (surface_reduce.c).
 *
 * Thread-safe; takes memory only to keep points.
 */
#include "geometry/convex.h"
#include "geometry/narrow_facet.h"

#define FLAT_COSINE (1.0 - 1e-12) /* the direction is the normal of a face of the body */

/* A pair and the frames it goes between. */
typedef struct {
    const icf_placed_shape *surface, *body;
    icf_convex_pair pair; /* body and triangle, in the body's frame */
} facet_pair;

static facet_pair make_pair(const icf_facet *facet, const icf_placed_shape *surface, const icf_placed_shape *body)
{
    icf_vec3 corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = icf_to_world(surface, facet->x[k]);
    return (facet_pair){surface, body, icf_convex_make_triangle_pair(body, corner)};
}

/* A direction of the pair's frame in the surface's, and back. */
static icf_vec3 turn_to_surface(const facet_pair *p, icf_vec3 direction)
{
    return icf_mat3_tmul(&p->surface->rotation, icf_mat3_mul(&p->body->rotation, direction));
}
static icf_vec3 turn_to_body(const facet_pair *p, icf_vec3 direction)
{
    return icf_mat3_tmul(&p->body->rotation, icf_mat3_mul(&p->surface->rotation, direction));
}

static icf_vec3 point_to_surface(const facet_pair *p, icf_vec3 point)
{
    return icf_to_body(p->surface, icf_to_world(p->body, point));
}

static bool is_core_face(const icf_core *core, icf_vec3 outward)
{
    icf_vec3 normal;
    const icf_outer outer = icf_core_outer(core, outward);
    return icf_core_face(core, outer.vertex, outward, &normal) && icf_dot(normal, outward) > FLAT_COSINE;
}

/* Puts the points along the axis in place of those along the best direction. */
static void clip_along(const facet_pair *p, const icf_facet_axis *axis, double limit, icf_convex_manifold *manifold)
{
    double merge;
    manifold->normal = icf_neg(turn_to_body(p, axis->normal));
    const int32_t vertex[2] = {icf_core_outer(&p->pair.core[0], manifold->normal).vertex,
                               icf_core_outer(&p->pair.core[1], icf_neg(manifold->normal)).vertex};
    icf_convex_clip(&p->pair, vertex, limit, manifold, &merge);
}

static icf_status add_points(const icf_facet *facet, const facet_pair *p, const icf_facet_axis *axis,
                             const icf_convex_manifold *manifold, icf_surface_work *work)
{
    for (int k = 0; k < manifold->n; ++k) {
        const icf_convex_point *from = &manifold->point[k];
        const icf_vec3 on_body = point_to_surface(p, from->on[0]);
        if (axis->is_limited && from->distance < 0.0 &&
            (!axis->is_deep || icf_facet_is_elsewhere(facet, axis->normal, on_body, -from->distance)))
            continue;
        ICF_TRY(icf_surface_work_add(
            work, &(icf_contact_point){.on_a = icf_mul_add(on_body, -from->distance, axis->normal),
                                       .on_b = on_body,
                                       .normal = axis->normal,
                                       .distance = from->distance,
                                       .feature = ((int64_t)facet->triangle << 32) + from->feature}));
    }
    return ICF_OK;
}

icf_status icf_facet_add_convex(const icf_facet *facet, const icf_placed_shape *placed, const icf_placed_shape *body,
                                double limit, icf_surface_work *work)
{
    const facet_pair p = make_pair(facet, placed, body);
    icf_convex_manifold manifold;
    icf_convex_touch(&p.pair, limit, &manifold);
    if (manifold.n == 0) return ICF_OK;
    icf_facet_axis axis = {.separation = INFINITY, .normal = icf_neg(turn_to_surface(&p, manifold.normal))};
    for (int k = 0; k < manifold.n; ++k) axis.separation = fmin(axis.separation, manifold.point[k].distance);
    axis.is_core_face = is_core_face(&p.pair.core[0], manifold.normal);
    const icf_vec3 middle = point_to_surface(&p, p.pair.core[0].centre);
    if (!icf_facet_limit(facet, middle, &axis)) return ICF_OK;
    if (axis.is_limited) clip_along(&p, &axis, limit, &manifold);
    return add_points(facet, &p, &axis, &manifold, work);
}
