/* Capsule against capsule: one point where their axes are nearest, two where they lie side by side.
 *
 * Works in the frame of the first capsule: its axis is z, the second's axis is the line t + s u.  The nearest
 * points of the two axes are an end and its nearest point on the other axis, or the crossing of the two lines seen
 * along their common normal (-u_y, u_x, 0)/|.|, which is exactly perpendicular to both axes in this frame.  Of
 * several pairs of points the nearest is the one whose distance equals the separation along its direction n,
 *
 *   t.n - h1 |n_z| - h2 |n.u|  <=  distance of the axes:
 *
 * that sees to first order what distances show to second, and it sees when round-off has spoiled the direction
 * between axes that meet.  Then any common normal is a best direction.
 *
 * Capsules lying side by side: the two ends of the stretch along which the axes overlap, when the axes are nearly
 * parallel and keep above one another at both ends.  Both points share the normal; one of them is the nearest pair.
 */
#include "geometry/narrow.h"

/* Smallest sine between axes that have a common normal: below it they are parallel for every purpose (an error of
 * 1e-10 of a length in the distance). */
#define PARALLEL_SINE 1e-10

/* Two capsules count as lying side by side up to this sine between the axes, when the axes are offset sideways at
 * the ends of the overlap by at most SIDEWAYS of their distance or of the radii, and when the overlap is longer than
 * SHORT_OVERLAP of the shorter axis. */
#define SIDE_BY_SIDE_SINE 0.1
#define SIDEWAYS          0.02
#define SHORT_OVERLAP     1e-3

/* A pair of points replaces an earlier one only when it is better by this part of the size. */
#define BIAS 1e-12

/* An end beyond the other's end by less than this part of the size is level with it. */
#define SLACK 1e-14

/* A direction is best when it separates by the distance but for this part of the size. */
#define ROUND_OFF 1e-11

typedef struct {
    const icf_placed_shape *a, *b;
    double half_a, half_b;
    icf_vec3 centre, axis; /* of the second capsule, in the first's frame */
    double scale;          /* what round-off refers to [m] */
} capsule_pair;

/* Nearest points of the two axes. */
typedef struct {
    double distance;
    icf_vec3 normal;  /* unit, frame of the first, from the first axis to the second */
    double z, s;      /* coordinates along the first and the second axis [m] */
    bool is_crossing; /* between the ends of both: the normal is perpendicular to both axes */
} axis_contact;

icf_vec3 icf_capsule_surface(const icf_shape *capsule, double z, icf_vec3 direction, double *support)
{
    const double radius = capsule->radius;
    const bool is_cap = (z >= capsule->half && direction.z >= 0.0) || (z <= -capsule->half && direction.z <= 0.0);
    double across;
    const icf_vec3 side = icf_direction((icf_vec3){direction.x, direction.y, 0.0}, (icf_vec3){1, 0, 0}, &across);
    *support = is_cap ? radius : radius * across;
    return icf_mul_add((icf_vec3){0.0, 0.0, z}, radius, is_cap ? direction : side);
}

/* Vector of the first's frame in the second's, and back. */
static icf_vec3 to_second(const capsule_pair *pair, icf_vec3 v)
{
    return icf_mat3_tmul(&pair->b->rotation, icf_mat3_mul(&pair->a->rotation, v));
}
static icf_vec3 to_first(const capsule_pair *pair, icf_vec3 v)
{
    return icf_mat3_tmul(&pair->a->rotation, icf_mat3_mul(&pair->b->rotation, v));
}

/* Separation of the axes along a direction: never more than their distance. */
static double separation(const capsule_pair *pair, icf_vec3 normal)
{
    return icf_dot(pair->centre, normal) - pair->half_a * fabs(normal.z) -
           pair->half_b * fabs(icf_dot(pair->axis, normal));
}

/* The four ends against the other axis, each in the frame of the axis. */
static void ends(const capsule_pair *pair, axis_contact contact[4])
{
    for (int k = 0; k < 4; ++k) {
        const bool is_second = k < 2;
        const double half = is_second ? pair->half_b : pair->half_a,
                     other_half = is_second ? pair->half_a : pair->half_b;
        const double at = k % 2 == 0 ? half : -half;
        const icf_vec3 end = is_second ? icf_mul_add(pair->centre, at, pair->axis)
                                       : to_second(pair, icf_sub((icf_vec3){0.0, 0.0, at}, pair->centre));
        const double z = icf_clamp(end.z, other_half);
        axis_contact *c = &contact[k];
        const icf_vec3 outward =
            icf_direction((icf_vec3){end.x, end.y, icf_beyond(end.z, other_half, SLACK * pair->scale)},
                          (icf_vec3){1, 0, 0}, &c->distance);
        c->normal = is_second ? outward : icf_neg(to_first(pair, outward));
        c->z = is_second ? z : at;
        c->s = is_second ? at : z;
        c->is_crossing = false;
    }
}

/* The common normal of the axes, pointing from the first to the second; of parallel axes, the direction between them.
 */
static icf_vec3 common_normal(const capsule_pair *pair, double *sine)
{
    const icf_vec3 u = pair->axis, t = pair->centre;
    double length;
    const icf_vec3 normal = icf_direction((icf_vec3){-u.y, u.x, 0.0}, (icf_vec3){1, 0, 0}, sine);
    if (*sine < PARALLEL_SINE) return icf_direction((icf_vec3){t.x, t.y, 0.0}, (icf_vec3){1, 0, 0}, &length);
    return icf_dot(t, normal) < 0.0 ? icf_neg(normal) : normal;
}

/* Where the axes cross seen along their common normal; false when that is beyond an end of one of them. */
static bool crossing(const capsule_pair *pair, double sine, double *z, double *s)
{
    if (sine < PARALLEL_SINE) return false;
    const icf_vec3 u = pair->axis, t = pair->centre;
    *s = -((t.x * u.x + t.y * u.y) / sine) / sine;
    *z = t.z + *s * u.z;
    return fabs(*s) <= pair->half_b && fabs(*z) <= pair->half_a;
}

static axis_contact nearest_points(const capsule_pair *pair)
{
    double sine;
    axis_contact crossed = {.normal = common_normal(pair, &sine)};
    crossed.distance = fabs(icf_dot(pair->centre, crossed.normal));
    crossed.is_crossing = crossing(pair, sine, &crossed.z, &crossed.s);
    if (crossed.is_crossing) return crossed;

    axis_contact contact[4];
    ends(pair, contact);
    int best = 0, shortest = 0;
    double gap[4];
    for (int k = 0; k < 4; ++k) {
        gap[k] = contact[k].distance - separation(pair, contact[k].normal);
        if (gap[k] < gap[best] - BIAS * pair->scale) best = k;
        if (contact[k].distance < contact[shortest].distance) shortest = k;
    }
    if (gap[best] <= ROUND_OFF * pair->scale) return contact[best];

    // axes that meet have no direction between them: the common normal separates as well as any
    contact[shortest].normal = crossed.normal;
    contact[shortest].distance = separation(pair, crossed.normal);
    return contact[shortest];
}

/* 0: the +z end, 1: the -z end, 2: between. */
static int32_t axis_feature(double z, double half)
{
    return z >= half ? 0 : z <= -half ? 1 : 2;
}

/* Adds the contact of two points of the axes. */
static void add_point(const capsule_pair *pair, icf_vec3 normal, double z, double s, double limit,
                      icf_manifold *manifold)
{
    double support_a, support_b;
    const icf_vec3 on_a = icf_capsule_surface(pair->a->shape, z, normal, &support_a);
    const icf_vec3 on_b = icf_capsule_surface(pair->b->shape, s, icf_neg(to_second(pair, normal)), &support_b);
    const icf_vec3 between = icf_sub(icf_mul_add(pair->centre, s, pair->axis), (icf_vec3){0.0, 0.0, z});
    icf_manifold_add(manifold, limit,
                     (icf_contact_point){.on_a = icf_to_world(pair->a, on_a),
                                         .on_b = icf_to_world(pair->b, on_b),
                                         .normal = icf_mat3_mul(&pair->a->rotation, normal),
                                         .distance = icf_dot(between, normal) - (support_a + support_b),
                                         .feature = 3 * axis_feature(z, pair->half_a) + axis_feature(s, pair->half_b)});
}

/* End of the stretch along which the axes overlap, on the first's +z side (sign 1) or -z side (-1): coordinates
 * on both axes.  Returns how far the axes are apart there, sideways to the normal. */
static double overlap_end(const capsule_pair *pair, icf_vec3 normal, double sign, double *z, double *s)
{
    const icf_vec3 u = pair->axis, t = pair->centre;
    const double end_s = sign * icf_sign(u.z) * pair->half_b, z_of_b = t.z + end_s * u.z;
    const bool is_end_of_b = sign * z_of_b <= pair->half_a;
    *z = is_end_of_b ? z_of_b : sign * pair->half_a;
    *s = is_end_of_b ? end_s : icf_clamp((*z - t.z) / u.z, pair->half_b);
    const icf_vec3 between = icf_sub(icf_mul_add(t, *s, u), (icf_vec3){0.0, 0.0, *z});
    return icf_norm(icf_mul_add(between, -icf_dot(between, normal), normal));
}

/* The two contacts of axes that lie side by side: the ends of the overlap; the nearest points take the place of the end
 * that they are near, unless they are a crossing, along whose normal both ends are as near.  Returns false when the
 * axes do not lie side by side. */
static bool side_by_side(const capsule_pair *pair, const axis_contact *nearest, double z[2], double s[2])
{
    if (hypot(pair->axis.x, pair->axis.y) > SIDE_BY_SIDE_SINE) return false;
    const double reach = fmax(nearest->distance, pair->a->shape->radius + pair->b->shape->radius);
    const double shortest = SHORT_OVERLAP * ICF_MIN(pair->half_a, pair->half_b);
    for (int end = 0; end < 2; ++end)
        if (overlap_end(pair, nearest->normal, end == 0 ? 1.0 : -1.0, &z[end], &s[end]) > SIDEWAYS * reach)
            return false;
    if (z[0] - z[1] <= shortest) return false;
    if (nearest->is_crossing) return true;
    const int end = fabs(z[0] - nearest->z) < fabs(z[1] - nearest->z) ? 0 : 1;
    z[end] = nearest->z;
    s[end] = nearest->s;
    return z[0] - z[1] > shortest;
}

void icf_narrow_capsule_capsule(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                icf_manifold *manifold)
{
    const double half_a = a->shape->half, half_b = b->shape->half;
    const double radius_a = a->shape->radius, radius_b = b->shape->radius;
    if (icf_is_far(a, half_a + radius_a, b, half_b + radius_b, distance)) return;
    const capsule_pair pair = {.a = a,
                               .b = b,
                               .half_a = half_a,
                               .half_b = half_b,
                               .centre = icf_to_body(a, b->position),
                               .axis = icf_mat3_tmul(&a->rotation, icf_mat3_column(&b->rotation, 2)),
                               .scale = half_a + half_b + radius_a + radius_b};
    const axis_contact nearest = nearest_points(&pair);
    if (nearest.distance - (radius_a + radius_b) >= distance) return;
    double z[2], s[2];
    if (side_by_side(&pair, &nearest, z, s)) {
        for (int end = 0; end < 2; ++end) add_point(&pair, nearest.normal, z[end], s[end], distance, manifold);
        icf_manifold_sort(manifold);
    } else {
        add_point(&pair, nearest.normal, nearest.z, nearest.s, distance, manifold);
    }
}
