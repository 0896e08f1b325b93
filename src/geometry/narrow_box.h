/* Box against box and against capsule: the parts of the routine, private to narrow_box*.c.
 *
 * The first body is a box; the second is a box or the axis of a capsule, seen as a box of half edge lengths
 * (0, 0, half).  Extents of zero have no edges and no faces of their own; all parts skip them.  Everything is computed
 * in the frames of the two bodies, so that what is axis-aligned is exact.
 *
 *   icf_box_separate      separating axes: the best of the finitely many face and edge directions
 *   icf_box_clip          manifold along a direction: the overlap of the two touching faces
 *   icf_box_near_vertex   nearest points where one of them is a vertex
 *   icf_box_touch         all of it together (narrow_box.c, with the argument)
 */
#ifndef ICF_GEOMETRY_NARROW_BOX_H
#define ICF_GEOMETRY_NARROW_BOX_H

#include "geometry/narrow.h"

typedef struct icf_box_pair {
    icf_vec3 extent[2];   /* half edge lengths [m] */
    icf_mat3 rotation[2]; /* [k]: vectors of the other body into the frame of body k */
    icf_vec3 centre[2];   /* [k]: centre of the other body in the frame of body k [m] */
    double scale;         /* sum of the circumscribed radii, what round-off refers to [m] */
} icf_box_pair;

typedef enum icf_box_axis_kind { ICF_AXIS_FACE_FIRST, ICF_AXIS_FACE_SECOND, ICF_AXIS_EDGES } icf_box_axis_kind;

/* A direction and how far it separates the bodies. */
typedef struct icf_box_axis {
    double separation; /* signed, < 0: overlap [m] */
    icf_vec3 normal;   /* unit, frame of the first, from the first to the second */
    icf_box_axis_kind kind;
    int edge[2]; /* edges: directions of the two edges */
} icf_box_axis;

typedef struct icf_box_point {
    icf_vec3 on[2]; /* witness points, each in its body's frame */
    double distance;
    int32_t feature; /* as for box and box, narrow.h */
} icf_box_point;

typedef struct icf_box_manifold {
    icf_vec3 normal; /* unit, frame of the first, from the first to the second */
    int n;
    icf_box_point point[ICF_MANIFOLD_MAX];
} icf_box_manifold;

/* Feature ids of a pair (narrow.h). */
static inline int32_t icf_box_vertex_feature(int body, int vertex)
{
    return 8 * body + vertex;
}
static inline int32_t icf_box_edges_feature(int edge_first, int edge_second)
{
    return 16 + 12 * edge_first + edge_second;
}

/* The edge along an axis on the given sides (0 minus, 1 plus) of the next axis and the one after. */
static inline int icf_box_edge(int axis, int side_next, int side_after)
{
    return 4 * axis + 2 * side_next + side_after;
}

/* Bit of an axis in a vertex number. */
static inline int icf_box_bit(int axis)
{
    return 4 >> axis;
}

/* Vertex of a body in its own frame. */
static inline icf_vec3 icf_box_corner(icf_vec3 extent, int vertex)
{
    return (icf_vec3){vertex & 4 ? extent.x : -extent.x, vertex & 2 ? extent.y : -extent.y,
                      vertex & 1 ? extent.z : -extent.z};
}

/* Outermost vertex in a direction; where the direction is level, the plus side; minus side along extents of zero. */
static inline int icf_box_support(icf_vec3 extent, icf_vec3 direction)
{
    return (extent.x > 0.0 && direction.x >= 0.0 ? 4 : 0) | (extent.y > 0.0 && direction.y >= 0.0 ? 2 : 0) |
           (extent.z > 0.0 && direction.z >= 0.0 ? 1 : 0);
}

/* Point of body 1 - k in the frame of body k. */
static inline icf_vec3 icf_box_bring(const icf_box_pair *pair, int k, icf_vec3 point)
{
    return icf_add(pair->centre[k], icf_mat3_mul(&pair->rotation[k], point));
}

/* A direction of the first's frame in the second's. */
static inline icf_vec3 icf_box_in_second(const icf_box_pair *pair, icf_vec3 direction)
{
    return icf_mat3_tmul(&pair->rotation[0], direction);
}

/* Separation along any unit direction: never above the signed distance of the bodies. */
double icf_box_separation(const icf_box_pair *pair, icf_vec3 normal);

/* Distance of two witness points along a direction of the first's frame. */
static inline double icf_box_distance(const icf_box_pair *pair, icf_vec3 on_first, icf_vec3 on_second, icf_vec3 normal)
{
    return icf_dot(icf_sub(icf_box_bring(pair, 0, on_second), on_first), normal);
}

/* Finds the axis of largest separation.
 *   limit [in]  stops when an axis separates by at least this [m]
 *   axis  [out] the axis; valid when true is returned
 * Returns false when the bodies are at least `limit` apart. */
bool icf_box_separate(const icf_box_pair *pair, double limit, icf_box_axis *axis);

/* Witness points on the outermost features along a separating axis; their distance is its separation. */
icf_box_point icf_box_axis_point(const icf_box_pair *pair, const icf_box_axis *axis);

/* Nearest pair of a vertex of one body and the surface of the other, of bodies that do not overlap.
 *   normal [out] unit, frame of the first, from the first to the second
 *   point  [out] witness points, their distance and feature
 * Returns by how much the distance exceeds the separation along the normal: 0 (up to round-off) if no pair is nearer.
 */
double icf_box_near_vertex(const icf_box_pair *pair, icf_vec3 *normal, icf_box_point *point);

/* Points along manifold->normal where the faces that look along it lie above one another.
 *   limit    [in]     points at this distance or more are left out [m]
 *   manifold [in,out] normal is read, points are written in no particular order */
void icf_box_clip(const icf_box_pair *pair, double limit, icf_box_manifold *manifold);

/* Distance of points within a face's plane below which they are one: 1/1000 of the faces' smallest half edge.
 *   normal [in] unit, frame of the first: chooses the faces */
double icf_box_merge_distance(const icf_box_pair *pair, icf_vec3 normal);

/* Contact manifold of the pair.
 *   limit    [in]  candidate distance of the cores [m] (a capsule's: without its radius)
 *   manifold [out] points in no particular order */
void icf_box_touch(const icf_box_pair *pair, double limit, icf_box_manifold *manifold);

#endif
