/* Half-space against sphere, capsule and box: every extreme point of the shape is a contact of its own.
 *
 * The normal is the half-space's outward normal n; a point x has the signed distance n.x - offset.  A capsule is
 * seen as the spheres at its two ends (one for a capsule without length), so that the higher end of a tilted one
 * has its witness point on its end's sphere.  A box gives its eight vertices.
 */
#include "geometry/narrow.h"

/* Contact of the half-space with the ball of a radius around a point. */
static void add_ball(const icf_shape *half_space, icf_vec3 centre, double radius, int32_t feature, double limit,
                     icf_manifold *manifold)
{
    const icf_vec3 normal = half_space->normal;
    const double height = icf_dot(normal, centre) - half_space->offset;
    icf_manifold_add(manifold, limit,
                     (icf_contact_point){.on_a = icf_mul_add(centre, -height, normal),
                                         .on_b = icf_mul_add(centre, -radius, normal),
                                         .normal = normal,
                                         .distance = height - radius,
                                         .feature = feature});
}

void icf_narrow_half_space_sphere(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                  icf_manifold *manifold)
{
    add_ball(a->shape, b->position, b->shape->radius, 0, distance, manifold);
}

void icf_narrow_half_space_capsule(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                   icf_manifold *manifold)
{
    const double half = b->shape->half, radius = b->shape->radius;
    const icf_vec3 axis = icf_mat3_column(&b->rotation, 2);
    add_ball(a->shape, icf_mul_add(b->position, half, axis), radius, 0, distance, manifold);
    if (half > 0.0) add_ball(a->shape, icf_mul_add(b->position, -half, axis), radius, 1, distance, manifold);
}

void icf_narrow_half_space_box(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                               icf_manifold *manifold)
{
    const icf_vec3 e = b->shape->extent;
    for (int v = 0; v < 8; ++v) {
        const icf_vec3 corner = {v & 4 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 1 ? e.z : -e.z};
        add_ball(a->shape, icf_to_world(b, corner), 0.0, v, distance, manifold);
    }
}
