/* Sphere against sphere, capsule, box and cylinder: one point, along the line from the centre to the nearest point.
 *
 * The nearest point is found in the frame of the partner, where the difference between the centre and its nearest
 * point has exact zeros along the directions in which the centre lies within the partner; the normal is thus exact
 * however near the two are.
 */
#include "geometry/narrow.h"

void icf_narrow_sphere_sphere(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                              icf_manifold *manifold)
{
    const double radius_a = a->shape->radius, radius_b = b->shape->radius;
    if (icf_is_far(a, radius_a, b, radius_b, distance)) return;
    double length;
    const icf_vec3 up = {0.0, 0.0, 1.0};
    const icf_vec3 normal = icf_direction(icf_sub(b->position, a->position), up, &length);
    icf_manifold_add(manifold, distance,
                     (icf_contact_point){.on_a = icf_mul_add(a->position, radius_a, normal),
                                         .on_b = icf_mul_add(b->position, -radius_b, normal),
                                         .normal = normal,
                                         .distance = length - (radius_a + radius_b),
                                         .feature = 0});
}

void icf_narrow_sphere_capsule(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                               icf_manifold *manifold)
{
    const double radius = a->shape->radius, half = b->shape->half;
    if (icf_is_far(a, radius, b, half + b->shape->radius, distance)) return;
    const icf_vec3 centre = icf_to_body(b, a->position);
    const double z = icf_clamp(centre.z, half);
    double length;
    const icf_vec3 outward = icf_direction((icf_vec3){centre.x, centre.y, centre.z - z}, (icf_vec3){1, 0, 0}, &length);
    const icf_vec3 normal = icf_neg(icf_mat3_mul(&b->rotation, outward));
    const icf_vec3 on_b = icf_mul_add((icf_vec3){0.0, 0.0, z}, b->shape->radius, outward);
    icf_manifold_add(manifold, distance,
                     (icf_contact_point){.on_a = icf_mul_add(a->position, radius, normal),
                                         .on_b = icf_to_world(b, on_b),
                                         .normal = normal,
                                         .distance = length - (radius + b->shape->radius),
                                         .feature = centre.z >= half    ? 0
                                                    : centre.z <= -half ? 1
                                                                        : 2});
}

/* Nearest face of a box to a point inside: ties in the order x, y, z, plus side first.
 * Returns the point on that face; *outward is its normal, *depth how deep the point lies below it. */
static icf_vec3 nearest_face(icf_vec3 extent, icf_vec3 point, icf_vec3 *outward, double *depth)
{
    int axis = 0;
    double sign = 1.0;
    *depth = INFINITY;
    for (int side = 0; side < 6; ++side) {
        const double s = side % 2 == 0 ? 1.0 : -1.0;
        const double below = icf_get(extent, side / 2) - s * icf_get(point, side / 2);
        if (below >= *depth) continue;
        *depth = below;
        axis = side / 2;
        sign = s;
    }
    *outward = (icf_vec3){0.0, 0.0, 0.0};
    icf_set(outward, axis, sign);
    icf_set(&point, axis, sign * icf_get(extent, axis));
    return point;
}

void icf_narrow_sphere_box(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                           icf_manifold *manifold)
{
    const double radius = a->shape->radius;
    const icf_vec3 e = b->shape->extent;
    if (icf_is_far(a, radius, b, icf_norm(e), distance)) return;
    const icf_vec3 centre = icf_to_body(b, a->position);
    icf_vec3 nearest = {icf_clamp(centre.x, e.x), icf_clamp(centre.y, e.y), icf_clamp(centre.z, e.z)};
    const icf_vec3 difference = icf_sub(centre, nearest);
    double gap;
    icf_vec3 outward = icf_direction(difference, (icf_vec3){0, 0, 0}, &gap);
    if (gap < ICF_NARROW_TINY) {
        nearest = nearest_face(e, centre, &outward, &gap);
        gap = -gap;
    }
    const icf_vec3 normal = icf_neg(icf_mat3_mul(&b->rotation, outward));
    icf_manifold_add(manifold, distance,
                     (icf_contact_point){.on_a = icf_mul_add(a->position, radius, normal),
                                         .on_b = icf_to_world(b, nearest),
                                         .normal = normal,
                                         .distance = gap - radius,
                                         .feature = 0});
}

/* Nearest point of a cylinder to a point at (radius, height) over its wall and over its end: the rim where it is over
 * both, else the one that it is farther above, or less deep below.
 *   out [out] unit normal there: away from the axis, along it.  Returns the signed distance. */
static double nearest_on_cylinder(double over_wall, double over_end, double out[2])
{
    if (over_wall > 0.0 && over_end > 0.0) {
        const double gap = hypot(over_wall, over_end);
        out[0] = over_wall / gap;
        out[1] = over_end / gap;
        return gap;
    }
    const bool is_wall = over_wall >= over_end;
    out[0] = is_wall ? 1.0 : 0.0;
    out[1] = is_wall ? 0.0 : 1.0;
    return is_wall ? over_wall : over_end;
}

void icf_narrow_sphere_cylinder(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                icf_manifold *manifold)
{
    const double radius = a->shape->radius, wall = b->shape->radius, half = b->shape->half;
    if (icf_is_far(a, radius, b, hypot(wall, half), distance)) return;
    const icf_vec3 centre = icf_to_body(b, a->position);
    double from_axis, out[2];
    const icf_vec3 away = icf_direction((icf_vec3){centre.x, centre.y, 0.0}, (icf_vec3){1, 0, 0}, &from_axis);
    const double gap = nearest_on_cylinder(from_axis - wall, fabs(centre.z) - half, out);
    const icf_vec3 outward = {out[0] * away.x, out[0] * away.y, out[1] * icf_sign(centre.z)};
    const icf_vec3 normal = icf_neg(icf_mat3_mul(&b->rotation, outward));
    icf_manifold_add(manifold, distance,
                     (icf_contact_point){.on_a = icf_mul_add(a->position, radius, normal),
                                         .on_b = icf_to_world(b, icf_mul_add(centre, -gap, outward)),
                                         .normal = normal,
                                         .distance = gap - radius,
                                         .feature = 0});
}
