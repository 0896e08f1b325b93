/* Box against box: nearest points where one of them is a vertex.
 *
 * Each vertex of one body against the other body, in the other's frame: the nearest point of an axis-aligned box
 * is found by clamping, and the difference has exact zeros along the axes in which the vertex lies within
 * the box.  So the direction is exactly that of a face, exactly perpendicular to an edge, or free at a vertex.
 *
 * The nearest pair is the one whose direction separates the bodies by its distance; every other pair is
 * farther apart than its direction separates.  That gap decides, not the distance: near a nearest pair (edges that
 * are almost parallel and end at almost the same place) other pairs differ in distance by the square of a small
 * angle, invisible in the last digits, but in separation by the angle itself; and a direction that round-off has
 * spoiled, between bodies that touch, separates less than a good one.
 */
#include "geometry/narrow_box.h"

/* A vertex replaces an earlier one only when it separates by this part of the size more: equal ones keep their order.
 */
#define BIAS 1e-12

/* A vertex farther than the nearest one by this part of the size is not tried. */
#define NEAR 1e-9

/* A vertex beyond the other body by less than this part of the size along an axis is level with it: else, of edges
 * that are parallel and end at the same place, round-off would tilt the direction of every pair. */
#define SLACK 1e-14

typedef struct {
    double gap;      /* distance less separation along the direction */
    double shortest; /* distance of the nearest vertex so far */
    icf_vec3 normal;
    icf_box_point point;
} best_vertex;

/* Whether a vertex number is the first of those that coincide (extents of zero). */
static bool is_distinct(icf_vec3 extent, int vertex)
{
    return (extent.x > 0.0 || (vertex & 4) == 0) && (extent.y > 0.0 || (vertex & 2) == 0) &&
           (extent.z > 0.0 || (vertex & 1) == 0);
}

/* Vertices of body 1 - k against body k. */
static void try_vertices(const icf_box_pair *pair, int k, best_vertex *best)
{
    const icf_vec3 e = pair->extent[k], other = pair->extent[1 - k];
    const double slack = SLACK * pair->scale;
    for (int vertex = 0; vertex < 8; ++vertex) {
        if (!is_distinct(other, vertex)) continue;
        const icf_vec3 corner = icf_box_corner(other, vertex), point = icf_box_bring(pair, k, corner);
        const icf_vec3 nearest = {icf_clamp(point.x, e.x), icf_clamp(point.y, e.y), icf_clamp(point.z, e.z)};
        const icf_vec3 beyond = {icf_beyond(point.x, e.x, slack), icf_beyond(point.y, e.y, slack),
                                 icf_beyond(point.z, e.z, slack)};
        double distance;
        const icf_vec3 outward = icf_direction(beyond, (icf_vec3){0, 0, 0}, &distance);
        // a vertex on the other's surface has no direction: the best axis is right then
        if (distance < ICF_NARROW_TINY || distance > best->shortest + NEAR * pair->scale) continue;
        best->shortest = fmin(best->shortest, distance);

        const icf_vec3 normal = k == 0 ? outward : icf_neg(icf_mat3_mul(&pair->rotation[0], outward));
        const double gap = distance - icf_box_separation(pair, normal);
        if (gap >= best->gap - BIAS * pair->scale) continue;
        best->gap = gap;
        best->normal = normal;
        best->point.distance = distance;
        best->point.feature = icf_box_vertex_feature(1 - k, vertex);
        best->point.on[k] = nearest;
        best->point.on[1 - k] = corner;
    }
}

double icf_box_near_vertex(const icf_box_pair *pair, icf_vec3 *normal, icf_box_point *point)
{
    best_vertex best = {.gap = INFINITY, .shortest = INFINITY};
    try_vertices(pair, 0, &best);
    try_vertices(pair, 1, &best);
    *normal = best.normal;
    *point = best.point;
    return best.gap;
}
