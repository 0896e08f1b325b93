/* One triangle of a surface against a core: the contact points along a given normal n.
 *
 * The face of the core that looks most against n (of a capsule: its axis) is projected along n onto the triangle and
 * clipped by its three sides:
 *
 *        +-----------+              vertices of the overlap:
 *        |core  /\   |                a corner of the core over the triangle
 *        |     /  \  |                a corner of the triangle under the core
 *        +----o----o-+                (o) an edge of the core across a side of the triangle
 *            /      \
 *
 * Where n is steep to the triangle, its uppermost side takes the place of the triangle and is clipped by the core's
 * face.  Where the overlap does not hold the nearest points (the direction belongs to two edges or corners), they are
 * added.
 *
 * Sides inside a surface.  A vertex that only sides make which do not stick out (flat, or the bottom of a valley) says
 * nothing: there is surface on both sides.  Below a valley the triangles leave a gap in which a corner that has sunk in
 * would be over neither; so a triangle reaches beyond a valley's side by twice the depth.
 *
 * Depth.  Along a limited normal a point below the face counts only when no other face (of a solid: none but those on
 * its far side) is nearer to it: the lower edge of a box beside a table is far below the table's top, but it is not on
 * it.
 *
 * Thread-safe; takes memory only to keep points.
 */
#include "base/memory.h"
#include "geometry/narrow.h"
#include "geometry/narrow_facet.h"

#define OUTWARDS  1e-11 /* of the size: what is beyond a side by less is within */
#define FLAT      1e-6  /* sine: a side whose neighbour sinks by less does not stick out */
#define STEEP     0.5   /* cosine: below it the triangle's side is clipped */
#define CONFIRMED 1e-10 /* of the size */
#define PARALLEL  0.995 /* cosine: a capsule lies along a side */

enum { NVERTEX_MAX = 16, CROSSING = 8, TRIANGLE_CORNER = 44 };

/* A vertex of the overlap. */
typedef struct {
    icf_vec3 on_core;
    int32_t code;  /* of its feature */
    int edge;      /* what leaves it: edge of the core 0..11, or 12 + side of the triangle */
    bool is_cut;   /* a side of the triangle made it */
    bool is_inner; /* no side that sticks out made it */
} overlap_vertex;

typedef struct {
    int n;
    overlap_vertex vertex[NVERTEX_MAX];
} overlap;

/* What the clipping of one triangle needs. */
typedef struct {
    const icf_facet *facet;
    const icf_facet_core *core;
    icf_vec3 normal;
    double limit;    /* of the core [m] */
    bool is_limited; /* points that others are nearer to do not count */
    bool is_deep;    /* the normal is the face's, and points below it may count */
    double nearest;  /* smallest distance of a point [m] */
    icf_surface_work *work;
} clipping;

/* ---- points ---- */

icf_status icf_surface_work_add(icf_surface_work *work, const icf_contact_point *point)
{
    ICF_TRY(ICF_GROW(work->point, work->point_capacity, (size_t)work->npoint + 1));
    work->point[work->npoint++] = *point;
    return ICF_OK;
}

/* What a nearer face must look like to count. */
typedef struct {
    const icf_rigid_surface *surface;
    icf_vec3 normal;
} facing;

static bool faces_alike(const void *user, const icf_surface_hit *hit)
{
    const facing *f = user;
    const double cosine = icf_dot(f->surface->normal[hit->triangle], f->normal);
    return !f->surface->is_solid || cosine > -0.5;
}

bool icf_facet_is_elsewhere(const icf_facet *facet, icf_vec3 normal, icf_vec3 point, double depth)
{
    const facing f = {facet->surface, normal};
    icf_surface_hit hit;
    return icf_triangle_tree_closest(facet->surface->tree, point, depth * (1.0 - 1e-6), faces_alike, &f, &hit);
}

/* Adds the contact of a point of the core, `height` above the surface. */
static icf_status add_point(clipping *c, icf_vec3 on_core, double height, int32_t code)
{
    if (!(height < c->limit)) return ICF_OK;
    const double distance = height - c->core->radius;
    const icf_vec3 on_body = icf_mul_add(on_core, -c->core->radius, c->normal);
    if (c->is_limited && height < 0.0 && !c->is_deep) return ICF_OK;
    if (c->is_limited && distance < 0.0 && icf_facet_is_elsewhere(c->facet, c->normal, on_body, -distance))
        return ICF_OK;
    c->nearest = fmin(c->nearest, height);
    return icf_surface_work_add(c->work, &(icf_contact_point){.on_a = icf_mul_add(on_core, -height, c->normal),
                                                              .on_b = on_body,
                                                              .normal = c->normal,
                                                              .distance = distance,
                                                              .feature = 64 * c->facet->triangle + code});
}

/* ---- the core's face ---- */

/* The edge of a box between two of its corners. */
static int edge_between(int a, int b)
{
    const int bit = a ^ b, axis = bit == 4 ? 0 : bit == 2 ? 1 : 2;
    const int next = icf_core_bit((axis + 1) % 3), after = icf_core_bit((axis + 2) % 3);
    return 4 * axis + (a & next ? 2 : 0) + (a & after ? 1 : 0);
}

/* Axis of the face of a box that looks most along a direction. */
static int face_axis(const icf_facet_core *core, icf_vec3 direction)
{
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(icf_dot(direction, core->axis[i])) > fabs(icf_dot(direction, core->axis[axis]))) axis = i;
    return axis;
}

static void add_corner(const icf_facet_core *core, int corner, int edge, overlap *polygon)
{
    polygon->vertex[polygon->n++] =
        (overlap_vertex){.on_core = icf_core_corner(core, corner), .code = corner, .edge = edge};
}

static void start(const icf_facet_core *core, icf_vec3 normal, overlap *polygon)
{
    polygon->n = 0;
    if (core->dimension < 3) {
        for (int v = 0; v <= core->dimension; ++v) add_corner(core, v, 0, polygon);
        return;
    }
    const int axis = face_axis(core, normal), u = icf_core_bit((axis + 1) % 3), v = icf_core_bit((axis + 2) % 3);
    const int outer = icf_dot(normal, core->axis[axis]) < 0.0 ? icf_core_bit(axis) : 0;
    const int corner[4] = {outer | u | v, outer | v, outer, outer | u};
    for (int k = 0; k < 4; ++k) add_corner(core, corner[k], edge_between(corner[k], corner[(k + 1) % 4]), polygon);
}

/* ---- over the triangle ---- */

/* Sine by which the neighbour at a side rises, seen from the side on which the body is. */
static double side_rise(const clipping *c, int k)
{
    const double rise = c->facet->surface->rise[c->facet->triangle][k];
    if (c->facet->surface->neighbour[c->facet->triangle][k] < 0) return rise;
    return icf_dot(c->facet->normal, c->normal) < 0.0 ? -rise : rise;
}

/* The vertex where side k of the triangle cuts the polygon between p and q. */
static overlap_vertex cut(const overlap_vertex *p, const overlap_vertex *q, double at, int k, bool is_inner,
                          bool is_leaving)
{
    overlap_vertex vertex = {.on_core = icf_mul_add(p->on_core, at, icf_sub(q->on_core, p->on_core)),
                             .edge = is_leaving ? 12 + k : p->edge,
                             .is_cut = true};
    if (p->edge < 12) {
        vertex.code = CROSSING + 12 * k + p->edge;
        vertex.is_inner = is_inner;
    } else {
        const int other = p->edge - 12; // two sides meet: the corner between them
        vertex.code = TRIANGLE_CORNER + ((k + 1) % 3 == other ? other : k);
        vertex.is_inner = is_inner && p->is_inner && q->is_inner;
    }
    return vertex;
}

/* Height of a point of the core above the triangle's plane, along the normal. */
static double height_of(const clipping *c, icf_vec3 x)
{
    return icf_dot(c->facet->normal, icf_sub(x, c->facet->x[0])) / icf_dot(c->facet->normal, c->normal);
}

/* How far a point is beyond side k, seen along the normal. */
static double beyond_side(const clipping *c, int k, icf_vec3 x)
{
    const icf_facet *facet = c->facet;
    const icf_vec3 side = icf_sub(facet->x[(k + 1) % 3], facet->x[k]);
    const double sign = icf_dot(facet->normal, c->normal) < 0.0 ? -1.0 : 1.0;
    return icf_dot(icf_unit(icf_scale(sign, icf_cross(side, c->normal))), icf_sub(x, facet->x[k]));
}

static void clip_side(const clipping *c, int k, double rise, overlap *polygon)
{
    const overlap in = *polygon;
    const double slack = OUTWARDS * c->facet->scale;
    polygon->n = 0;
    for (int i = 0; i < in.n; ++i) {
        const overlap_vertex *p = &in.vertex[i], *q = &in.vertex[(i + 1) % in.n];
        const double beyond_p = beyond_side(c, k, p->on_core), beyond_q = beyond_side(c, k, q->on_core);
        const bool has_p = beyond_p <= slack, has_q = beyond_q <= slack;
        if (polygon->n > NVERTEX_MAX - 2) return;
        if (has_p) polygon->vertex[polygon->n++] = *p;
        if (has_p == has_q) continue;
        const double at = fmin(fmax(beyond_p / (beyond_p - beyond_q), 0.0), 1.0);
        polygon->vertex[polygon->n++] = cut(p, q, at, k, rise > -FLAT, has_p);
    }
}

/* Whether a corner of the core is in the gap below a valley beside the triangle. */
static bool is_in_gap(const clipping *c, const double rise[3], icf_vec3 corner)
{
    const double height = height_of(c, corner);
    bool is_beside = false;
    for (int k = 0; k < 3 && height < 0.0; ++k) {
        const double beyond = beyond_side(c, k, corner) - OUTWARDS * c->facet->scale;
        if (beyond <= 0.0) continue;
        if (rise[k] <= FLAT || beyond > -2.0 * height) return false;
        is_beside = true;
    }
    return is_beside;
}

static icf_status add_overlap(clipping *c)
{
    overlap whole, polygon;
    double rise[3];
    start(c->core, c->normal, &whole);
    polygon = whole;
    for (int k = 0; k < 3; ++k) {
        rise[k] = side_rise(c, k);
        clip_side(c, k, rise[k], &polygon);
    }
    for (int i = 0; i < polygon.n; ++i) {
        const overlap_vertex *vertex = &polygon.vertex[i];
        if (vertex->is_cut && vertex->is_inner) continue;
        ICF_TRY(add_point(c, vertex->on_core, height_of(c, vertex->on_core), vertex->code));
    }
    c->is_limited = true; // what is in a gap may be nearer to another face
    for (int i = 0; i < whole.n && c->is_deep; ++i) {
        const overlap_vertex *vertex = &whole.vertex[i];
        if (is_in_gap(c, rise, vertex->on_core))
            ICF_TRY(add_point(c, vertex->on_core, height_of(c, vertex->on_core), vertex->code));
    }
    return ICF_OK;
}

/* ---- a side of the triangle under the core ---- */

/* The side whose corners are uppermost along the normal. */
static int upper_side(const clipping *c)
{
    int lowest = 0;
    double height[3];
    for (int k = 0; k < 3; ++k) height[k] = icf_dot(c->normal, c->facet->x[k]);
    for (int k = 1; k < 3; ++k)
        if (height[k] < height[lowest]) lowest = k;
    return (lowest + 1) % 3;
}

/* A stretch of a side, from share at[0] to share at[1], and the edge of the core that ends it (-1: the corner). */
typedef struct {
    double at[2];
    int edge[2];
} stretch;

/* Cuts the stretch to where a quantity that goes linearly from p to q is at most 0.  Returns whether something is left.
 */
static bool cut_stretch(double p, double q, int edge, stretch *part)
{
    const double begin = p + part->at[0] * (q - p), end = p + part->at[1] * (q - p);
    if (begin > 0.0 && end > 0.0) return false;
    if (begin <= 0.0 && end <= 0.0) return true;
    const int side = begin > 0.0 ? 0 : 1;
    part->at[side] = fmin(fmax(p / (p - q), part->at[0]), part->at[1]);
    part->edge[side] = edge;
    return true;
}

/* Points of a side under the face of a box. */
static icf_status add_side_under_box(clipping *c, int k)
{
    const icf_facet *facet = c->facet;
    const icf_facet_core *core = c->core;
    const int axis = face_axis(core, c->normal), u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double sign = icf_dot(c->normal, core->axis[axis]) < 0.0 ? 1.0 : -1.0;
    const double slope = icf_dot(c->normal, core->axis[axis]);
    icf_vec3 on_core[2];
    double height[2];
    for (int e = 0; e < 2; ++e) {
        const icf_vec3 arm = icf_sub(facet->x[(k + e) % 3], core->centre);
        height[e] = (sign * core->extent[axis] - icf_dot(arm, core->axis[axis])) / slope;
        on_core[e] = icf_mul_add(facet->x[(k + e) % 3], height[e], c->normal);
    }
    stretch part = {.at = {0.0, 1.0}, .edge = {-1, -1}};
    const int outer = sign > 0.0 ? icf_core_bit(axis) : 0;
    for (int side = 0; side < 4; ++side) {
        const int along = side < 2 ? u : v, other = side < 2 ? v : u, plus = side % 2 == 0;
        const int corner = outer | (plus ? icf_core_bit(along) : 0);
        double beyond[2];
        for (int e = 0; e < 2; ++e) {
            const double x = icf_dot(icf_sub(on_core[e], core->centre), core->axis[along]);
            beyond[e] = (plus ? x : -x) - core->extent[along] - OUTWARDS * facet->scale;
        }
        if (!cut_stretch(beyond[0], beyond[1], edge_between(corner, corner | icf_core_bit(other)), &part))
            return ICF_OK;
    }
    for (int e = 0; e < 2; ++e) {
        const double at = part.at[e];
        const int32_t code = part.edge[e] < 0 ? TRIANGLE_CORNER + (k + e) % 3 : CROSSING + 12 * k + part.edge[e];
        ICF_TRY(add_point(c, icf_mul_add(on_core[0], at, icf_sub(on_core[1], on_core[0])),
                          height[0] + at * (height[1] - height[0]), code));
    }
    return ICF_OK;
}

/* Points of a side along which the axis of a capsule lies: the ends of the stretch that they share. */
static icf_status add_side_along_segment(clipping *c, int k)
{
    const icf_facet_core *core = c->core;
    const icf_vec3 from = c->facet->x[k], side = icf_sub(c->facet->x[(k + 1) % 3], from);
    const double along = icf_dot(side, core->axis[2]);
    if (fabs(along) < PARALLEL * icf_norm(side)) return ICF_OK;
    stretch part = {.at = {0.0, 1.0}, .edge = {-1, -1}};
    const double z = icf_dot(icf_sub(from, core->centre), core->axis[2]), half = core->extent[2];
    if (!cut_stretch(z - half, z + along - half, 0, &part)) return ICF_OK;
    if (!cut_stretch(-z - half, -z - along - half, 1, &part)) return ICF_OK;
    for (int e = 0; e < 2; ++e) {
        const double at = part.at[e];
        const icf_vec3 on_core = icf_mul_add(core->centre, z + at * along, core->axis[2]);
        const int32_t code = part.edge[e] >= 0 ? part.edge[e] : TRIANGLE_CORNER + (k + e) % 3;
        ICF_TRY(add_point(c, on_core, icf_dot(c->normal, icf_sub(on_core, icf_mul_add(from, at, side))), code));
    }
    return ICF_OK;
}

/* ---- nearest points ---- */

/* The outermost edge of the core against the normal: a corner and the next one. */
static int outer_edge(const clipping *c, icf_vec3 end[2])
{
    const icf_facet_core *core = c->core;
    if (core->dimension < 3) {
        end[0] = icf_core_corner(core, 0);
        end[1] = icf_core_corner(core, core->dimension);
        return 0;
    }
    int corner = 0, flattest = 0;
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double along = icf_dot(c->normal, core->axis[i]);
        if (along < 0.0) corner |= icf_core_bit(i);
        if (core->extent[i] * fabs(along) >= least) continue;
        least = core->extent[i] * fabs(along);
        flattest = i;
    }
    const int other = corner ^ icf_core_bit(flattest);
    end[0] = icf_core_corner(core, corner);
    end[1] = icf_core_corner(core, other);
    return edge_between(corner, other);
}

static icf_vec3 across(icf_vec3 v, icf_vec3 normal)
{
    return icf_mul_add(v, -icf_dot(v, normal), normal);
}

static double clamp_share(double x)
{
    return fmin(1.0, fmax(0.0, x));
}

/* Shares of two segments, p + s u and q + t w, at their nearest points seen along the normal. */
static void nearest_shares(icf_vec3 between, icf_vec3 u, icf_vec3 w, double *s, double *t)
{
    // between = p - q, all vectors across the normal
    const double uu = icf_norm2(u), ww = icf_norm2(w), uw = icf_dot(u, w);
    const double ub = icf_dot(u, between), wb = icf_dot(w, between), determinant = uu * ww - uw * uw;
    *s = determinant > 1e-20 * uu * ww ? clamp_share((uw * wb - ww * ub) / determinant) : 0.0;
    *t = ww > 0.0 ? clamp_share((*s * uw + wb) / ww) : 0.0;
    if (uu > 0.0) *s = clamp_share((*t * uw - ub) / uu);
}

static icf_status add_nearest(clipping *c, int k)
{
    const icf_vec3 from = c->facet->x[k], side = icf_sub(c->facet->x[(k + 1) % 3], from);
    icf_vec3 end[2];
    const int edge = outer_edge(c, end);
    const icf_vec3 along = icf_sub(end[1], end[0]);
    double s, t;
    nearest_shares(across(icf_sub(end[0], from), c->normal), across(along, c->normal), across(side, c->normal), &s, &t);
    const icf_vec3 on_core = icf_mul_add(end[0], s, along), on_side = icf_mul_add(from, t, side);
    return add_point(c, on_core, icf_dot(c->normal, icf_sub(on_core, on_side)), CROSSING + 12 * k + edge);
}

icf_status icf_facet_add_points(const icf_facet *facet, const icf_facet_core *core, const icf_facet_axis *axis,
                                double limit, icf_surface_work *work)
{
    clipping c = {.facet = facet,
                  .core = core,
                  .normal = axis->normal,
                  .limit = limit + core->radius,
                  .is_limited = axis->is_limited,
                  .is_deep = axis->is_deep,
                  .nearest = INFINITY,
                  .work = work};
    if (axis->is_face || fabs(icf_dot(axis->normal, facet->normal)) >= STEEP)
        ICF_TRY(add_overlap(&c));
    else if (core->dimension == 3)
        ICF_TRY(add_side_under_box(&c, upper_side(&c)));
    else if (core->dimension == 1)
        ICF_TRY(add_side_along_segment(&c, upper_side(&c)));
    if (axis->is_face || c.nearest <= axis->separation + CONFIRMED * facet->scale) return ICF_OK;
    return add_nearest(&c, upper_side(&c));
}
