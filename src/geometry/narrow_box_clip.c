/* Box against box: the contact points along a given normal n.
 *
 * The face of each body that looks most along n is projected along n onto the plane of the first's face; the overlap of
 * the two is a convex polygon, and every vertex of it is a contact point: a line along n meets both faces there.
 *
 *        v ^    +--------------+            vertices of the overlap:
 *          |    |first     x---+-----x        a corner of the first over the second's face,
 *          |    |          |   |     |        a corner of the second over the first's face,
 *          |    +----------+---+     |        two edges across one another
 *          |               x---------x second
 *          +-----------> u
 *
 * The second's face (a capsule's axis: a polygon with two corners) is clipped by the four sides of the first's.  Each
 * polygon vertex carries its point on the second's face and the edge that leaves it, so that the feature of a new
 * vertex follows from the edge that is cut: it does not depend on the order of clipping.
 *
 * Round-off.  A vertex beyond a side by up to 1e-11 of the size counts as within, and its witness point is moved
 * back onto the face: faces that touch in an edge or a corner only keep that contact.
 *
 * Thinning.  Two equal boxes on one another, turned against one another by a tiny angle, overlap in an octagon with
 * vertices in the middle of its sides; an even smaller change would remove them.  Contact points that come and go
 * change the stiffness of the pair.  So a vertex is dropped that lies within 1/1000 of the smallest half edge of the
 * line between its neighbours: the overlap keeps its shape to that accuracy and the number of points is steady.
 * (Should that drop the nearest point, narrow_box.c puts it back.)
 */
#include "geometry/narrow_box.h"

#define OUTWARDS 1e-11 /* of the size: what is beyond a side by less is within */
#define MERGE    1e-3  /* of the smallest half edge: vertices nearer to a straight line are dropped */

enum { NVERTEX_MAX = 20 }; /* a line adds a vertex to a convex polygon; round-off could add half as many again */

/* A vertex of the overlap. */
typedef struct {
    double uv[2];    /* in the plane of the first's face [m] */
    icf_vec3 second; /* on the second's face, in the second's frame */
    double distance; /* along the normal [m] */
    int32_t feature; /* of the contact */
    int edge;        /* what leaves this vertex: edge of the second 0..11, or 12 + side of the first's face */
} overlap_vertex;

typedef struct {
    int n;
    overlap_vertex vertex[NVERTEX_MAX];
} overlap;

/* A face of a box. */
typedef struct {
    int axis, u, v; /* axis of its normal and the two after it */
    double sign;    /* which side of the box */
    double half[2]; /* half edges along u and v [m] */
    double height;  /* half edge along the axis [m] */
} box_face;

/* The face that looks most along a direction; ties in the order x, y, z. */
static box_face choose_face(icf_vec3 extent, icf_vec3 direction)
{
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(icf_get(direction, i)) > fabs(icf_get(direction, axis))) axis = i;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (box_face){.axis = axis,
                      .u = u,
                      .v = v,
                      .sign = icf_sign(icf_get(direction, axis)),
                      .half = {icf_get(extent, u), icf_get(extent, v)},
                      .height = icf_get(extent, axis)};
}

/* Vertex of the box at the corner of a face on the given sides (0 minus, 1 plus). */
static int face_corner(const box_face *face, int side_u, int side_v)
{
    return (face->sign > 0.0 ? icf_box_bit(face->axis) : 0) | (side_u ? icf_box_bit(face->u) : 0) |
           (side_v ? icf_box_bit(face->v) : 0);
}

/* Edge of the box on a side of a face: 0 plus u, 1 minus u, 2 plus v, 3 minus v. */
static int face_edge(const box_face *face, int side)
{
    const int is_outer = face->sign > 0.0, is_plus = side % 2 == 0;
    return side < 2 ? icf_box_edge(face->v, is_outer, is_plus) : icf_box_edge(face->u, is_plus, is_outer);
}

/* Appends a vertex of the second body, projected along the normal onto the first's face. */
static void add_corner(const icf_box_pair *pair, const box_face *face, icf_vec3 normal, int vertex, int edge,
                       overlap *polygon)
{
    const icf_vec3 corner = icf_box_corner(pair->extent[1], vertex), q = icf_box_bring(pair, 0, corner);
    const double along = (icf_get(q, face->axis) - face->sign * face->height) / icf_get(normal, face->axis);
    const icf_vec3 p = icf_mul_add(q, -along, normal);
    polygon->vertex[polygon->n++] = (overlap_vertex){.uv = {icf_get(p, face->u), icf_get(p, face->v)},
                                                     .second = corner,
                                                     .feature = icf_box_vertex_feature(1, vertex),
                                                     .edge = edge};
}

/* The second's face, or the axis of a capsule, as a polygon over the first's face. */
static void start(const icf_box_pair *pair, const box_face *face, icf_vec3 normal, overlap *polygon)
{
    polygon->n = 0;
    if (pair->extent[1].x <= 0.0) {
        const int axis_edge = icf_box_edge(2, 0, 0);
        add_corner(pair, face, normal, 1, axis_edge, polygon);
        if (pair->extent[1].z > 0.0) add_corner(pair, face, normal, 0, axis_edge, polygon);
        return;
    }
    // counter-clockwise: sides plus v, minus u, minus v, plus u leave the corners ++, -+, --, +-
    const box_face other = choose_face(pair->extent[1], icf_neg(icf_box_in_second(pair, normal)));
    add_corner(pair, face, normal, face_corner(&other, 1, 1), face_edge(&other, 2), polygon);
    add_corner(pair, face, normal, face_corner(&other, 0, 1), face_edge(&other, 1), polygon);
    add_corner(pair, face, normal, face_corner(&other, 0, 0), face_edge(&other, 3), polygon);
    add_corner(pair, face, normal, face_corner(&other, 1, 0), face_edge(&other, 0), polygon);
}

/* The vertex where a side of the first's face cuts the polygon between p and q. */
static overlap_vertex cut(const box_face *face, int side, const overlap_vertex *p, const overlap_vertex *q, double at,
                          bool is_leaving)
{
    overlap_vertex vertex = {.edge = is_leaving ? 12 + side : p->edge};
    for (int i = 0; i < 2; ++i) vertex.uv[i] = p->uv[i] + at * (q->uv[i] - p->uv[i]);
    vertex.second = icf_mul_add(p->second, at, icf_sub(q->second, p->second));
    if (p->edge < 12) {
        vertex.feature = icf_box_edges_feature(face_edge(face, side), p->edge);
    } else {
        // two sides of the first meet: its corner
        const int u = side < 2 ? side : p->edge - 12, v = side < 2 ? p->edge - 12 : side;
        vertex.feature = icf_box_vertex_feature(0, face_corner(face, u % 2 == 0, v % 2 == 0));
    }
    return vertex;
}

/* Keeps what lies within one side of the first's face, or hardly beyond it. */
static void clip_side(const box_face *face, int side, double outwards, overlap *polygon)
{
    const overlap in = *polygon;
    const int i = side / 2;
    const double sign = side % 2 == 0 ? 1.0 : -1.0, bound = face->half[i];
    polygon->n = 0;
    for (int k = 0; k < in.n; ++k) {
        const overlap_vertex *p = &in.vertex[k], *q = &in.vertex[(k + 1) % in.n];
        const double beyond_p = sign * p->uv[i] - bound, beyond_q = sign * q->uv[i] - bound;
        const bool has_p = beyond_p <= outwards, has_q = beyond_q <= outwards;
        if (polygon->n > NVERTEX_MAX - 2) return;
        if (has_p) polygon->vertex[polygon->n++] = *p;
        if (has_p == has_q) continue;
        const double at = fmin(fmax(beyond_p / (beyond_p - beyond_q), 0.0), 1.0);
        polygon->vertex[polygon->n++] = cut(face, side, p, q, at, has_p);
    }
}

/* Point on the first's face below a vertex. */
static icf_vec3 on_first(const box_face *face, const overlap_vertex *vertex)
{
    icf_vec3 point = {0.0, 0.0, 0.0};
    icf_set(&point, face->axis, face->sign * face->height);
    icf_set(&point, face->u, icf_clamp(vertex->uv[0], face->half[0]));
    icf_set(&point, face->v, icf_clamp(vertex->uv[1], face->half[1]));
    return point;
}

/* Takes the distances and drops what is not below the limit, and what round-off has doubled. */
static void measure(const icf_box_pair *pair, const box_face *face, icf_vec3 normal, double limit, overlap *polygon)
{
    int n = 0;
    for (int k = 0; k < polygon->n; ++k) {
        overlap_vertex vertex = polygon->vertex[k];
        vertex.distance = icf_box_distance(pair, on_first(face, &vertex), vertex.second, normal);
        bool is_new = vertex.distance < limit;
        for (int l = 0; l < n && is_new; ++l) is_new = polygon->vertex[l].feature != vertex.feature;
        if (is_new) polygon->vertex[n++] = vertex;
    }
    polygon->n = n;
}

/* Square of the distance of a vertex from the straight line between its neighbours. */
static double bulge(const overlap *polygon, int k)
{
    const double *p = polygon->vertex[(k + polygon->n - 1) % polygon->n].uv, *x = polygon->vertex[k].uv;
    const double *q = polygon->vertex[(k + 1) % polygon->n].uv;
    const double du = q[0] - p[0], dv = q[1] - p[1], length2 = du * du + dv * dv;
    const double along = length2 > 0.0 ? ((x[0] - p[0]) * du + (x[1] - p[1]) * dv) / length2 : 0.0;
    const double at = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
    const double u = x[0] - p[0] - at * du, v = x[1] - p[1] - at * dv;
    return u * u + v * v;
}

/* Drops vertices that hardly change the overlap, the flattest first, and more if there are too many. */
static void thin(double merge, overlap *polygon)
{
    while (polygon->n > 1) {
        int flattest = 0;
        double smallest = bulge(polygon, 0);
        for (int k = 1; k < polygon->n; ++k) {
            const double b = bulge(polygon, k);
            if (b >= smallest) continue;
            smallest = b;
            flattest = k;
        }
        if (smallest > merge * merge && polygon->n <= ICF_MANIFOLD_MAX) return;
        --polygon->n;
        for (int k = flattest; k < polygon->n; ++k) polygon->vertex[k] = polygon->vertex[k + 1];
    }
}

/* The vertex of a box that a point of its surface is within the merge distance of, or -1. */
static int vertex_at(icf_vec3 extent, icf_vec3 point, double merge)
{
    const bool is_near = fabs(fabs(point.x) - extent.x) <= merge && fabs(fabs(point.y) - extent.y) <= merge &&
                         fabs(fabs(point.z) - extent.z) <= merge;
    return is_near ? icf_box_support(extent, point) : -1;
}

/* Names a point after the vertex it is at, of the first body rather than of the second, unless the name is taken. */
static void name_after_vertex(const icf_box_pair *pair, double merge, int k, icf_box_manifold *manifold)
{
    icf_box_point *point = &manifold->point[k];
    for (int body = 0; body < 2; ++body) {
        const int vertex = vertex_at(pair->extent[body], point->on[body], merge);
        if (vertex < 0) continue;
        const int32_t feature = icf_box_vertex_feature(body, vertex);
        for (int l = 0; l < manifold->n; ++l)
            if (l != k && manifold->point[l].feature == feature) return;
        point->feature = feature;
        return;
    }
}

double icf_box_merge_distance(const icf_box_pair *pair, icf_vec3 normal)
{
    const box_face face = choose_face(pair->extent[0], normal);
    const box_face other = choose_face(pair->extent[1], icf_box_in_second(pair, normal));
    double smallest = fmin(face.half[0], face.half[1]);
    for (int i = 0; i < 2; ++i)
        if (other.half[i] > 0.0) smallest = fmin(smallest, other.half[i]);
    return MERGE * smallest;
}

void icf_box_clip(const icf_box_pair *pair, double limit, icf_box_manifold *manifold)
{
    const icf_vec3 normal = manifold->normal;
    const box_face face = choose_face(pair->extent[0], normal);
    overlap polygon;
    start(pair, &face, normal, &polygon);
    for (int side = 0; side < 4; ++side) clip_side(&face, side, OUTWARDS * pair->scale, &polygon);
    measure(pair, &face, normal, limit, &polygon);
    const double merge = icf_box_merge_distance(pair, normal);
    thin(merge, &polygon);
    manifold->n = polygon.n;
    for (int k = 0; k < polygon.n; ++k)
        manifold->point[k] = (icf_box_point){.on = {on_first(&face, &polygon.vertex[k]), polygon.vertex[k].second},
                                             .distance = polygon.vertex[k].distance,
                                             .feature = polygon.vertex[k].feature};
    for (int k = 0; k < polygon.n; ++k) name_after_vertex(pair, merge, k, manifold);
}
