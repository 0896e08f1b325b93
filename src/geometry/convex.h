/* Convex shapes against one another: the parts of the routine, private to convex*.c and narrow_convex.c.
 *
 * A shape is a core (point, segment, box, polytope, triangle, cylinder, ellipsoid) grown by a radius.  The signed
 * distance of two cores is the largest separation over all directions,
 *
 *   sd = max over unit n of s(n),     s(n) = n.(B(-n) - A(n)),
 *
 * with A(n) the outermost point of the first along n and B(-n) that of the second against it: the distance when they
 * are apart, minus the shortest translation that parts them when they overlap.
 *
 *   icf_convex_expand    brackets sd: a polytope inside the difference of the cores, grown until it is good enough
 *   icf_convex_polish    the direction itself, from the features that touch: exact for polytopes, Newton for others
 *   icf_convex_search    all directions that can be best: what is left when the bracket does not close
 *   icf_convex_clip      manifold along a direction: the overlap of what looks along it
 *   icf_convex_add_low   vertices of polytopes that reach the other surface beside that overlap
 *   icf_convex_touch     all of it together (narrow_convex.c, with the argument)
 *
 * All vectors are in the frame of the pair, that of the first body, unless it is said otherwise.
 */
#ifndef ICF_GEOMETRY_CONVEX_H
#define ICF_GEOMETRY_CONVEX_H

#include "geometry/narrow.h"
#include "scene/polytope.h"

typedef enum icf_core_type {
    ICF_CORE_POINT,
    ICF_CORE_SEGMENT,  /* along z */
    ICF_CORE_TRIANGLE, /* of a surface */
    ICF_CORE_BOX,
    ICF_CORE_POLYTOPE,
    ICF_CORE_CYLINDER, /* along z */
    ICF_CORE_ELLIPSOID
} icf_core_type;

typedef struct icf_core {
    icf_core_type type;
    icf_vec3 extent;              /* box, ellipsoid: half edges, radii [m] */
    double radius, half;          /* cylinder; segment: half [m] */
    double rounding;              /* what the core is grown by [m] */
    const icf_polytope *polytope; /* borrowed */
    icf_vec3 corner[3];           /* triangle [m] */
    icf_vec3 centre;              /* a point inside, own frame [m] */
    double size;                  /* largest distance of the core from its centre [m] */
    bool is_turned;               /* the own frame is not that of the pair */
    icf_mat3 rotation;            /* own frame to pair */
    icf_vec3 position;            /* of the own frame in the pair's [m] */
} icf_core;

typedef struct icf_convex_pair {
    icf_core core[2];
    double scale;   /* what round-off refers to [m] */
    bool is_smooth; /* one of the cores is curved */
} icf_convex_pair;

/* An outermost point. */
typedef struct icf_outer {
    icf_vec3 x;
    int32_t vertex; /* of box, polytope, triangle, segment; 0 for the others */
} icf_outer;

/* Vector of the pair's frame in the core's own, and back. */
static inline icf_vec3 icf_core_own(const icf_core *core, icf_vec3 direction)
{
    return core->is_turned ? icf_mat3_tmul(&core->rotation, direction) : direction;
}
static inline icf_vec3 icf_core_turn(const icf_core *core, icf_vec3 direction)
{
    return core->is_turned ? icf_mat3_mul(&core->rotation, direction) : direction;
}
/* Point of the core's own frame in the pair's, and back. */
static inline icf_vec3 icf_core_place(const icf_core *core, icf_vec3 point)
{
    return core->is_turned ? icf_add(core->position, icf_mat3_mul(&core->rotation, point)) : point;
}
static inline icf_vec3 icf_core_back(const icf_core *core, icf_vec3 point)
{
    return core->is_turned ? icf_mat3_tmul(&core->rotation, icf_sub(point, core->position)) : point;
}

/* Whether the core is bounded by finitely many planes or less. */
static inline bool icf_core_is_flat(const icf_core *core)
{
    return core->type != ICF_CORE_CYLINDER && core->type != ICF_CORE_ELLIPSOID;
}

/* Pair of two placed shapes, neither a half-space, none, deformable nor made of parts. */
icf_convex_pair icf_convex_make_pair(const icf_placed_shape *a, const icf_placed_shape *b);

/* Pair of a placed shape and a triangle.
 *   corner [in] corners in the world [m] */
icf_convex_pair icf_convex_make_triangle_pair(const icf_placed_shape *a, const icf_vec3 corner[3]);

/* Outermost point along a direction of any length > 0; ties: the lowest vertex. */
icf_outer icf_core_outer(const icf_core *core, icf_vec3 direction);

/* A number for what is outermost along a direction: of an edge across it the lower vertex, whichever of the two
 * round-off has farther out. */
int32_t icf_core_outer_name(const icf_core *core, int32_t vertex, icf_vec3 direction);

#define ICF_CONVEX_FLAT   1e-10 /* of the size: bracket of polytopes that settles the distance */
#define ICF_CONVEX_SMOOTH 1e-9  /* of curved cores */

/* t^T H u, H the second derivative of the support function along a unit direction, for tangents t, u: the radii of
 * curvature of the surface.  0 for flat cores. */
double icf_core_curvature(const icf_core *core, icf_vec3 direction, icf_vec3 t, icf_vec3 u);

/* Normal of the flat face at a vertex that looks most along a direction.
 * Returns false when the core has no face. */
bool icf_core_face(const icf_core *core, int32_t vertex, icf_vec3 direction, icf_vec3 *normal);

/* Directions of the straight edges at a vertex; of a cylinder: its axis.
 *   edge [out] (room) unit
 * Returns their number, at most room. */
int icf_core_edges(const icf_core *core, int32_t vertex, int room, icf_vec3 *edge);

/* Position of a vertex of a flat core. */
icf_vec3 icf_core_vertex(const icf_core *core, int32_t vertex);

/* Whether a point lies within the core, but for a slack. */
bool icf_core_holds(const icf_core *core, icf_vec3 point, double slack);

/* s(n) and the two outermost points. */
static inline double icf_convex_separation(const icf_convex_pair *pair, icf_vec3 normal, icf_outer on[2])
{
    on[0] = icf_core_outer(&pair->core[0], normal);
    on[1] = icf_core_outer(&pair->core[1], icf_neg(normal));
    return icf_dot(normal, icf_sub(on[1].x, on[0].x));
}

/* ---- bracket (convex_expand.c) ---- */

enum { ICF_EXPAND_VERTICES = 160, ICF_EXPAND_FACES = 2 * ICF_EXPAND_VERTICES };

/* A point of the difference of the cores and where it comes from. */
typedef struct icf_expand_vertex {
    icf_vec3 x;
    icf_outer on[2];
} icf_expand_vertex;

typedef struct icf_expand_face {
    int vertex[3];    /* counter-clockwise seen from outside */
    icf_vec3 normal;  /* unit outward; zero: too thin to have one */
    double offset;    /* normal.x of its plane */
    double distance;  /* of the origin, when it lies outside the plane */
    icf_vec3 nearest; /* point of the face nearest to the origin then */
    int corners;      /* bits of the vertices of the edge or corner that it lies on; 7: inside the face */
} icf_expand_face;

/* A polytope inside the difference of the cores, and what is known of the distance. */
typedef struct icf_expansion {
    int nvertex, nface;
    icf_expand_vertex vertex[ICF_EXPAND_VERTICES];
    icf_expand_face face[ICF_EXPAND_FACES];
    bool is_stuck;   /* it cannot grow any more */
    double above;    /* sd is at most this: signed distance of the polytope */
    double below;    /* sd is at least this: the best separation seen */
    icf_vec3 normal; /* the direction tried last, unit */
    int ncorner;     /* points of the polytope that are nearest to the origin */
    int corner[3];   /* their numbers */
} icf_expansion;

/* Begins with a tetrahedron.  Returns false when the difference of the cores is flat. */
bool icf_convex_expand_begin(const icf_convex_pair *pair, icf_expansion *expansion);

/* Grows the polytope until above - max(below, known) <= tolerance, or below reaches the limit, or it is stuck.
 *   known [in] a separation known from elsewhere */
void icf_convex_expand(const icf_convex_pair *pair, double limit, double known, double tolerance,
                       icf_expansion *expansion);

/* The points of the two cores that the polytope's nearest point to the origin comes from.
 *   on [out] of the first and the second */
void icf_convex_expand_points(const icf_expansion *expansion, icf_vec3 on[2]);

/* ---- direction (convex_polish.c) ---- */

typedef enum icf_touch_type {
    ICF_TOUCH_FACE_FIRST,
    ICF_TOUCH_FACE_SECOND,
    ICF_TOUCH_EDGES,
    ICF_TOUCH_POINTS
} icf_touch_type;

typedef struct icf_touch {
    double separation; /* s(normal) */
    icf_vec3 normal;   /* unit, from the first to the second */
    icf_vec3 on[2];    /* points of the cores that are as near as that */
    int32_t vertex[2]; /* outermost vertices */
    icf_touch_type type;
    bool is_tight; /* the points are as near as the direction separates, so the distance is exact (for sd > 0) */
} icf_touch;

/* Whether a direction is the best there is, by the bracket, or of bodies that are apart or hardly overlap by the points
 * that are as near as it separates. */
static inline bool icf_convex_is_settled(const icf_convex_pair *pair, const icf_expansion *expansion,
                                         const icf_touch *touch)
{
    const double closed = (pair->is_smooth ? ICF_CONVEX_SMOOTH : ICF_CONVEX_FLAT) * pair->scale;
    return expansion->above - touch->separation <= closed || (touch->is_tight && touch->separation > -closed);
}

/* Adds the outermost points along a direction and round it, which close the bracket when that is the best direction of
 * an overlap and one of the cores is smooth and round all over. */
void icf_convex_expand_round(const icf_convex_pair *pair, const icf_touch *touch, icf_expansion *expansion);

/* The best direction near one that an expansion has found, of those that its features allow.
 *   thorough [in]     all edges at the outermost vertices, not only those of the expansion
 *   touch    [in,out] the best so far; separation -INFINITY: none */
void icf_convex_polish(const icf_convex_pair *pair, const icf_expansion *expansion, bool thorough, icf_touch *touch);

/* The best direction of all, tried one by one; slow.
 *   touch [in,out] the best so far */
void icf_convex_search(const icf_convex_pair *pair, icf_touch *touch);

/* ---- manifold (convex_clip.c) ---- */

typedef struct icf_convex_point {
    icf_vec3 on[2]; /* witness points on the cores */
    double distance;
    int64_t feature;
    double soft; /* as of a contact point (collide.h) */
} icf_convex_point;

typedef struct icf_convex_manifold {
    icf_vec3 normal;
    double fold;  /* by how much its faces may be from flat [m] */
    double slack; /* how much nearer a point that is not always there must be to carry like the others [m] */
    int n;
    icf_convex_point point[ICF_MANIFOLD_MAX];
} icf_convex_manifold;

/* Points along manifold->normal where the faces or lines that look along it lie above one another.
 *   vertex   [in]     outermost vertices of the two cores
 *   limit    [in]     points at this distance or more are left out [m]
 *   manifold [in,out] normal is read; the points, in no particular order
 *   merge    [out]    points nearer to one another than this are one [m] */
void icf_convex_clip(const icf_convex_pair *pair, const int32_t vertex[2], double limit, icf_convex_manifold *manifold,
                     double *merge);

/* Adds the vertices of polytopes that reach the other core, polytope or box, beside the points of the faces.
 *   vertex     [in]     outermost vertices of the two cores
 *   separation [in]     along manifold->normal [m]
 *   limit      [in]     points at this distance or more are left out [m]
 *   manifold   [in,out] the lowest are added, where all that overlap find room */
void icf_convex_add_low(const icf_convex_pair *pair, const int32_t vertex[2], double separation, double limit,
                        icf_convex_manifold *manifold);

/* Contact manifold of the cores.
 *   limit    [in]  candidate distance of the cores [m]
 *   manifold [out] points in no particular order; the nearest has the exact distance
 * Returns how often the slow search was needed: 0 or 1. */
int icf_convex_touch(const icf_convex_pair *pair, double limit, icf_convex_manifold *manifold);

#endif
