/* Box against box: separating axes.
 *
 * The signed distance of two convex bodies is the maximum over unit directions n of the separation
 *
 *   s(n) = t.n - h1(n) - h2(-n),      h1(n) = sum_i e_i |n_i|,  h2(n) = sum_j f_j |n.b_j|,
 *
 * with t the second's centre, e, f the half edges and b_j the second's axes.  For overlapping boxes it is attained
 * at a face normal of one of them or at a cross product of their edges; for separated ones also at other
 * directions (vertex to edge, vertex to vertex), for which s(n) at the axes is a lower bound.
 *
 * Nearly parallel edges.  In the first's frame the cross product of edge i with b = b_j is (-b_i2, b_i1) in the
 * components after i: no subtraction, exactly perpendicular to both edges however small it is.  The rounding of b
 * itself turns the normalised direction by about 1e-16/sine, but within the plane that both edges span only: the
 * edges stay the outermost ones, and the separation, whose terms are taken with the normalised direction, changes by
 * the depth times the square of that angle.  Below a sine of 1e-10 the axis is skipped: turning the smaller body
 * by that sine makes the edges parallel, needs no such axis, and changes separations by 1e-10 of its size at most.
 *
 * Ties.  Axes are tried in a fixed order (faces of the first, faces of the second, edges); a later one
 * must be better by 1e-12 of the size, so that round-off does not choose between equal ones.
 */
#include "geometry/narrow_box.h"

#define PARALLEL_SINE 1e-10
#define BIAS          1e-12

double icf_box_separation(const icf_box_pair *pair, icf_vec3 normal)
{
    const icf_vec3 e = pair->extent[0], f = pair->extent[1], m = icf_box_in_second(pair, normal);
    return icf_dot(pair->centre[0], normal) - (e.x * fabs(normal.x) + e.y * fabs(normal.y) + e.z * fabs(normal.z)) -
           (f.x * fabs(m.x) + f.y * fabs(m.y) + f.z * fabs(m.z));
}

/* Offers an axis; the normal is set later. */
static void offer(double bias, double separation, icf_box_axis_kind kind, int i, int j, icf_box_axis *best)
{
    if (separation <= best->separation + bias) return;
    best->separation = separation;
    best->kind = kind;
    best->edge[0] = i;
    best->edge[1] = j;
}

/* Separations along the three face normals of body k; false when one reaches the limit. */
static bool try_faces(const icf_box_pair *pair, int k, double limit, icf_box_axis *best)
{
    const icf_vec3 other = pair->extent[1 - k];
    const double *r = pair->rotation[k].m;
    for (int i = 0; i < 3; ++i) {
        const double separation =
            fabs(icf_get(pair->centre[k], i)) - icf_get(pair->extent[k], i) -
            (other.x * fabs(r[3 * i]) + other.y * fabs(r[3 * i + 1]) + other.z * fabs(r[3 * i + 2]));
        if (separation >= limit) return false;
        offer(BIAS * pair->scale, separation, k == 0 ? ICF_AXIS_FACE_FIRST : ICF_AXIS_FACE_SECOND, i, i, best);
    }
    return true;
}

/* Common perpendicular of edge direction i of the first and j of the second; false when they are parallel. */
static bool edges_normal(const icf_box_pair *pair, int i, int j, icf_vec3 *normal)
{
    const icf_vec3 b = icf_mat3_column(&pair->rotation[0], j);
    const int next = (i + 1) % 3, after = (i + 2) % 3;
    const double x = -icf_get(b, after), y = icf_get(b, next), sine = sqrt(x * x + y * y);
    if (sine < PARALLEL_SINE) return false;
    *normal = (icf_vec3){0.0, 0.0, 0.0};
    icf_set(normal, next, x / sine);
    icf_set(normal, after, y / sine);
    if (icf_dot(*normal, pair->centre[0]) < 0.0) *normal = icf_neg(*normal);
    return true;
}

/* Separations along the cross products of edges; false when one reaches the limit. */
static bool try_edges(const icf_box_pair *pair, double limit, icf_box_axis *best)
{
    for (int j = 0; j < 3; ++j) {
        if (icf_get(pair->extent[1], j) <= 0.0) continue;
        for (int i = 0; i < 3; ++i) {
            icf_vec3 normal;
            if (!edges_normal(pair, i, j, &normal)) continue;
            const double separation = icf_box_separation(pair, normal);
            if (separation >= limit) return false;
            offer(BIAS * pair->scale, separation, ICF_AXIS_EDGES, i, j, best);
        }
    }
    return true;
}

/* The normal of the best axis, from the first body to the second. */
static icf_vec3 axis_normal(const icf_box_pair *pair, const icf_box_axis *axis)
{
    const int i = axis->edge[0];
    icf_vec3 normal = {0.0, 0.0, 0.0};
    if (axis->kind == ICF_AXIS_EDGES) {
        (void)edges_normal(pair, i, axis->edge[1], &normal);
    } else if (axis->kind == ICF_AXIS_FACE_FIRST) {
        icf_set(&normal, i, icf_sign(icf_get(pair->centre[0], i)));
    } else {
        // the first's centre lies on the outer side of the second's face
        normal = icf_scale(-icf_sign(icf_get(pair->centre[1], i)), icf_mat3_column(&pair->rotation[0], i));
    }
    return normal;
}

bool icf_box_separate(const icf_box_pair *pair, double limit, icf_box_axis *axis)
{
    axis->separation = -INFINITY;
    const bool is_box = pair->extent[1].x > 0.0;
    if (!try_faces(pair, 0, limit, axis) || (is_box && !try_faces(pair, 1, limit, axis)) ||
        !try_edges(pair, limit, axis))
        return false;
    axis->normal = axis_normal(pair, axis);
    return true;
}

/* The outermost vertex of body 1 - k against a face of body k. */
static icf_box_point face_point(const icf_box_pair *pair, int k, const icf_box_axis *axis, const icf_vec3 outward[2])
{
    const int vertex = icf_box_support(pair->extent[1 - k], outward[1 - k]), i = axis->edge[k];
    const icf_vec3 corner = icf_box_corner(pair->extent[1 - k], vertex), e = pair->extent[k];
    const icf_vec3 above = icf_box_bring(pair, k, corner);
    icf_vec3 below = {icf_clamp(above.x, e.x), icf_clamp(above.y, e.y), icf_clamp(above.z, e.z)};
    icf_set(&below, i, icf_sign(icf_get(outward[k], i)) * icf_get(e, i));
    icf_box_point point = {.distance = axis->separation, .feature = icf_box_vertex_feature(1 - k, vertex)};
    point.on[k] = below;
    point.on[1 - k] = corner;
    return point;
}

/* Midpoint and number of the outermost edge along an axis. */
static icf_vec3 outer_edge(icf_vec3 extent, int axis, icf_vec3 direction, int *edge)
{
    const int vertex = icf_box_support(extent, direction), next = (axis + 1) % 3, after = (axis + 2) % 3;
    *edge = icf_box_edge(axis, (vertex & icf_box_bit(next)) != 0, (vertex & icf_box_bit(after)) != 0);
    icf_vec3 middle = icf_box_corner(extent, vertex);
    icf_set(&middle, axis, 0.0);
    return middle;
}

/* The outermost edges against one another: nearest points of their lines, kept within the edges. */
static icf_box_point edges_point(const icf_box_pair *pair, const icf_box_axis *axis, const icf_vec3 outward[2])
{
    const int i = axis->edge[0], j = axis->edge[1], next = (i + 1) % 3, after = (i + 2) % 3;
    int edge[2];
    icf_box_point point = {.distance = axis->separation};
    for (int k = 0; k < 2; ++k) point.on[k] = outer_edge(pair->extent[k], axis->edge[k], outward[k], &edge[k]);
    point.feature = icf_box_edges_feature(edge[0], edge[1]);

    const icf_vec3 b = icf_mat3_column(&pair->rotation[0], j);
    const icf_vec3 w = icf_sub(icf_box_bring(pair, 0, point.on[1]), point.on[0]);
    const double x = icf_get(b, next), y = icf_get(b, after), sine = sqrt(x * x + y * y);
    const double along = -(icf_get(w, next) * (x / sine) + icf_get(w, after) * (y / sine)) / sine;
    const double s = icf_clamp(along, icf_get(pair->extent[1], j));
    icf_set(&point.on[1], j, s);
    icf_set(&point.on[0], i, icf_clamp(icf_get(w, i) + s * icf_get(b, i), icf_get(pair->extent[0], i)));
    return point;
}

icf_box_point icf_box_axis_point(const icf_box_pair *pair, const icf_box_axis *axis)
{
    const icf_vec3 outward[2] = {axis->normal, icf_neg(icf_box_in_second(pair, axis->normal))};
    if (axis->kind == ICF_AXIS_EDGES) return edges_point(pair, axis, outward);
    return face_point(pair, axis->kind == ICF_AXIS_FACE_FIRST ? 0 : 1, axis, outward);
}
