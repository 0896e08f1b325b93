/* Narrow phase: contact points of two shapes.
 *
 * icf_collide finds the routine of a pair family; the families live in narrow_*.c (their feature ids: narrow.h).
 *
 * Distance and normal.  The signed distance is that of the shapes: Euclidean when they are apart, minus the shortest
 * translation that separates them when they overlap.  The normal is the direction in which it grows.  The point of
 * smallest distance of a manifold has them exactly (to about 1e-11 of the pair's size); the others share the normal and
 * have the distance of their witness points along it.  Half-spaces differ: each vertex or end has its own distance.
 *
 * Steadiness.  Faces on one another have all the corners of their overlap as contacts, however they are tilted by a
 * little and on either side of touching; corners within 1/1000 of the smallest half edge of one another or of a
 * straight side count once, so that round-off does not change their number.
 *
 * Results are canonical: they depend on the two shapes, poses and the distance alone; swapping the two bodies gives
 * the mirrored result (points exchanged, normal negated, same features), except where no normal can be its own
 * negative: coincident sphere centres, and two bodies that agree in every bit.  Thread-safe; icf_collide takes no
 * memory, icf_collide_parts grows its list.
 */
#ifndef ICF_GEOMETRY_COLLIDE_H
#define ICF_GEOMETRY_COLLIDE_H

#include "base/vec.h"
#include "scene/solid.h"

enum { ICF_MANIFOLD_MAX = 16 }; /* contact points of a pair, at most */

/* A shape in the world. */
typedef struct icf_placed_shape {
    const icf_shape *shape;
    icf_vec3 position;       /* of the body's centre of mass [m] */
    icf_mat3 rotation;       /* body to world */
    const icf_solid *solids; /* the scene's, which convex shapes and compounds refer to; else not needed */
} icf_placed_shape;

typedef struct icf_contact_point {
    icf_vec3 on_a;   /* witness point on the first shape's surface, world [m] */
    icf_vec3 on_b;   /* witness point on the second shape's surface, world [m] */
    icf_vec3 normal; /* unit, from the first to the second */
    double distance; /* signed distance, < 0 when they overlap [m]; (on_b - on_a).normal */
    int64_t feature; /* stable id of the touching features; unique in a manifold */
    double soft;     /* part of the pair's stiffness that this contact goes without, 0 for most (narrow_convex.c) */
} icf_contact_point;

typedef struct icf_manifold {
    int n;       /* contact points, by ascending feature */
    int nsearch; /* 1 when all directions had to be tried (convex.h), else 0 */
    icf_contact_point point[ICF_MANIFOLD_MAX];
} icf_manifold;

/* The contact with the two bodies exchanged. */
void icf_contact_point_mirror(icf_contact_point *point);

/* Contact points with signed distance strictly below `distance`.
 *   a, b     [in]  first (lower global id) and second shape; half-spaces ignore their pose
 *   distance [in]  candidate distance [m], may be negative
 *   manifold [out] the points, by ascending feature
 * Conventions: box against half-space: one contact a vertex, feature 4 ix + 2 iy + iz (minus side first);
 * capsule ends: 0 = +z, 1 = -z; a sphere's centre inside a box: nearest face, ties x, y, z, plus side
 * first; coincident sphere centres: normal +z from a to b.  Pairs with `none` and two half-spaces have
 * no contact; those with a mesh or height field are icf_collide_surface's (narrow_surface.h). */
void icf_collide(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_manifold *manifold);

/* Contact points of a pair of which there may be many. */
typedef struct icf_contact_list {
    icf_contact_point *point; /* (n) by ascending feature; heap, the caller's */
    size_t n, capacity;
    int nsearch; /* pairs of parts for which all directions had to be tried (convex.h); only ever counted up */
} icf_contact_list;

/* Contacts of a pair with a compound: those of all its parts.  Feature: that of the two parts + 2^32 (part of the
 * first * parts of the second + part of the second), first and second in canonical order.
 *   list [in,out] replaced; memory only grows.  ICF_ERROR_MEMORY */
ICF_MUST_CHECK icf_status icf_collide_parts(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                            icf_contact_list *list);

/* Whether a pair is for icf_collide_parts. */
static inline bool icf_has_parts(const icf_placed_shape *a, const icf_placed_shape *b)
{
    return a->shape->type == ICF_SHAPE_COMPOUND || b->shape->type == ICF_SHAPE_COMPOUND;
}

/* The nearest contact point of two shapes, of which none is a mesh or height field; false when there is none below the
 * distance. */
bool icf_collide_nearest(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                         icf_contact_point *point);

#endif
