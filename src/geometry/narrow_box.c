/* Box against box and against capsule: signed distance, normal and contact manifold.
 *
 *   separating axes -> manifold along the best axis -> its nearest point is as near as the axis says?
 *                         yes: done        no: nearest vertex, manifold along that direction
 *
 * Normal.  It is always the true one, the direction in which the signed distance grows fastest, also when the
 * faces are nearly parallel and it is that of an edge pair or of a vertex.  The manifold is not tied to a face normal:
 * it is taken along whatever the normal is, by projecting both touching faces along it (narrow_box_clip.c).  That
 * settles the conflict between an exact distance and a steady set of points:
 *  - The two features that are nearest lie on the chosen faces (a vertex that is outermost along n belongs to the
 *    face that looks most along n) and above one another, so the nearest pair is a vertex of the overlap, with
 *    the exact distance.
 *  - Faces that rest on one another with tilt a and gap g over a width w have a normal within (g + a w)/w of
 *    both face normals, whichever axis wins, because any other direction separates less.  So resting boxes have all the
 *    points of the overlap at every step; only the direction changes, continuously, by the tilt.
 * Rejected: a normal snapped to the face when it is nearly so.  It needs an angle to choose, is off by angle times
 * overhang in the distance, and jumps where the rule ends.
 *
 * Distance.  Every direction separates by at most the signed distance, every pair of points above one another
 * is at least that far apart along it.  So when the overlap along the best axis holds a point whose distance equals
 * the separation, both are the signed distance.  That is always so for overlapping boxes and for separated ones whose
 * nearest features are vertex and face or two edges, except at round-off.  Otherwise the nearest features
 * contain a vertex against an edge or a vertex; it is accepted when the direction it gives separates by its distance.
 * If not (the bodies touch, and the difference of two equal points has no direction) the best axis with its outermost
 * features is right to round-off.  All comparisons allow 1e-11 of the size.
 *
 * Thread-safe; takes no memory.
 */
#include "geometry/narrow_box.h"

#define ROUND_OFF 1e-11

/* Whether the manifold holds a point as near as the separation, a lower bound, allows. */
static bool is_confirmed(const icf_box_manifold *manifold, double separation, double tolerance)
{
    for (int k = 0; k < manifold->n; ++k)
        if (manifold->point[k].distance <= separation + tolerance) return true;
    return false;
}

/* Adds the nearest point in place of the ones that it duplicates, or of the farthest when there is no room. */
static void insert_nearest(const icf_box_pair *pair, icf_box_point nearest, icf_box_manifold *manifold)
{
    const double merge = icf_box_merge_distance(pair, manifold->normal);
    int n = 0, farthest = 0;
    for (int k = 0; k < manifold->n; ++k) {
        const icf_box_point point = manifold->point[k];
        const bool is_apart = icf_norm(icf_sub(point.on[0], nearest.on[0])) > merge;
        if (point.feature != nearest.feature && is_apart) manifold->point[n++] = point;
    }
    for (int k = 1; k < n; ++k)
        if (manifold->point[k].distance > manifold->point[farthest].distance) farthest = k;
    manifold->point[n < ICF_MANIFOLD_MAX ? n++ : farthest] = nearest;
    manifold->n = n;
}

void icf_box_touch(const icf_box_pair *pair, double limit, icf_box_manifold *manifold)
{
    manifold->n = 0;
    icf_box_axis axis;
    if (!icf_box_separate(pair, limit, &axis)) return;
    manifold->normal = axis.normal;
    icf_box_clip(pair, limit, manifold);
    const double tolerance = ROUND_OFF * pair->scale;
    if (is_confirmed(manifold, axis.separation, tolerance)) return;

    // no point of the overlap is as near as the axis separates: a vertex is nearest, or the axis at round-off
    icf_box_point nearest = icf_box_axis_point(pair, &axis);
    if (axis.separation > 0.0) {
        icf_vec3 normal;
        icf_box_point vertex;
        if (icf_box_near_vertex(pair, &normal, &vertex) <= tolerance) {
            nearest = vertex;
            manifold->normal = normal;
            icf_box_clip(pair, limit, manifold);
        }
    }
    if (nearest.distance < limit)
        insert_nearest(pair, nearest, manifold);
    else
        manifold->n = 0;
}

/* The pair of a box and a second body with the given extents. */
static icf_box_pair make_pair(const icf_placed_shape *box, const icf_placed_shape *other, icf_vec3 extent)
{
    icf_box_pair pair = {.extent = {box->shape->extent, extent},
                         .centre = {icf_to_body(box, other->position), icf_to_body(other, box->position)},
                         .scale = icf_norm(box->shape->extent) + icf_norm(extent)};
    const double *a = box->rotation.m, *b = other->rotation.m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double cosine = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
            pair.rotation[0].m[3 * i + j] = cosine;
            pair.rotation[1].m[3 * j + i] = cosine;
        }
    return pair;
}

void icf_narrow_box_box(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_manifold *manifold)
{
    if (icf_is_far(a, icf_norm(a->shape->extent), b, icf_norm(b->shape->extent), distance)) return;
    const icf_box_pair pair = make_pair(a, b, b->shape->extent);
    icf_box_manifold core;
    icf_box_touch(&pair, distance, &core);
    for (int k = 0; k < core.n; ++k) {
        const icf_box_point *point = &core.point[k];
        icf_manifold_add(manifold, distance,
                         (icf_contact_point){.on_a = icf_to_world(a, point->on[0]),
                                             .on_b = icf_to_world(b, point->on[1]),
                                             .normal = icf_mat3_mul(&a->rotation, core.normal),
                                             .distance = point->distance,
                                             .feature = point->feature});
    }
    icf_manifold_sort(manifold);
}

/* Feature of box and capsule from that of box and box (narrow.h). */
static int32_t capsule_feature(int32_t feature)
{
    if (feature < 8) return 14 + feature;
    if (feature < 16) return feature % 2 == 1 ? 0 : 1;
    return 2 + (feature - 16) / 12;
}

void icf_narrow_capsule_box(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                            icf_manifold *manifold)
{
    const icf_shape *capsule = a->shape;
    if (icf_is_far(a, capsule->half + capsule->radius, b, icf_norm(b->shape->extent), distance)) return;
    const icf_box_pair pair = make_pair(b, a, (icf_vec3){0.0, 0.0, capsule->half});
    icf_box_manifold core;
    icf_box_touch(&pair, distance + capsule->radius, &core);
    for (int k = 0; k < core.n; ++k) {
        const icf_box_point *point = &core.point[k];
        const icf_vec3 towards_box = icf_neg(icf_box_in_second(&pair, core.normal));
        double support;
        const icf_vec3 surface = icf_capsule_surface(capsule, point->on[1].z, towards_box, &support);
        icf_manifold_add(manifold, distance,
                         (icf_contact_point){.on_a = icf_to_world(a, surface),
                                             .on_b = icf_to_world(b, point->on[0]),
                                             .normal = icf_neg(icf_mat3_mul(&b->rotation, core.normal)),
                                             .distance = point->distance - support,
                                             .feature = capsule_feature(point->feature)});
    }
    icf_manifold_sort(manifold);
}
