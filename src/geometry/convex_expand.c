/* Bracket of the signed distance of two convex cores.
 *
 * The difference C = B - A holds the origin when the cores overlap; its signed distance from the origin is theirs.
 * A polytope Q inside C, with vertices on the boundary of C, grows towards the origin:
 *
 *      outermost point of C      origin outside Q: the point of Q nearest to it
 *           x  . - - .           origin inside Q: the face of Q nearest to it
 *         . ' / \       ` .
 *        /  /  Q  \        \     gives a direction n, and C's outermost point against n the separation s(n);
 *       | / ________\  C    |
 *        \                 /     s(n)  <=  sd(C)  <=  sd(Q)
 *          `  -  .  -   '
 *
 * so every step narrows a bracket, whatever the cores are.  It ends when the bracket is narrow enough.  The two usual
 * methods (GJK outside, EPA inside) fail where one hands over to the other: of bodies that just touch, the point
 * nearest to the origin is the origin and has no direction.  Here nothing special happens there: Q has faces of the
 * size of the bodies, and the face through the origin has a normal as good as any.
 *
 * For polytopes the bracket closes to round-off after finitely many steps (usually 5 to 15).  For curved cores it
 * closes as the square of the size of the faces near the origin; Newton (convex_polish.c) takes over before.  Of cores
 * that overlap it remains to be shown that its direction is the best one.  With the outermost point x along it and four
 * round x, about as far from it as x is from the origin o,
 *
 *       p . x . p        faces at x pass o at depth cos(tilt), all others at more: the bracket is closed to
 *      /    |    \       depth tilt^2, unless another side of Q is as near
 *     /     o     \
 *
 * a second ring inside the first closes it for deeper ones.
 *
 * Q has at most ICF_EXPAND_VERTICES vertices; what is left of the bracket then is for the caller to judge.
 */
#include "geometry/convex.h"

#define ROUND_OFF  1e-14 /* of the size: a point sees a face when it is above it by more */
#define SMALL_TILT 1e-6  /* radian */
#define LARGE_TILT 0.1

static icf_expand_vertex outermost(const icf_convex_pair *pair, icf_vec3 normal)
{
    icf_expand_vertex vertex;
    (void)icf_convex_separation(pair, normal, vertex.on);
    vertex.x = icf_sub(vertex.on[1].x, vertex.on[0].x);
    return vertex;
}

/* Point of the segment a b nearest to the origin; bits 1, 2: which ends take part. */
static icf_vec3 nearest_on_edge(icf_vec3 a, icf_vec3 b, int *corners)
{
    const icf_vec3 u = icf_sub(b, a);
    const double length2 = icf_norm2(u), at = -icf_dot(a, u);
    *corners = at <= 0.0 ? 1 : at >= length2 ? 2 : 3;
    return at <= 0.0 ? a : at >= length2 ? b : icf_mul_add(a, at / length2, u);
}

/* The point of a face nearest to the origin, which lies outside its plane. */
static void measure(const icf_expansion *e, icf_expand_face *face)
{
    const icf_vec3 foot = icf_scale(face->offset, face->normal);
    face->corners = 7;
    face->nearest = foot;
    face->distance = -face->offset;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const icf_vec3 a = e->vertex[face->vertex[k]].x, b = e->vertex[face->vertex[(k + 1) % 3]].x;
        if (icf_dot(icf_cross(icf_sub(b, a), icf_sub(foot, a)), face->normal) >= 0.0) continue;
        int corners;
        const icf_vec3 x = nearest_on_edge(a, b, &corners);
        const double distance = icf_norm(x);
        if (distance >= least) continue;
        least = face->distance = distance;
        face->nearest = x;
        face->corners = (corners & 1 ? 1 << k : 0) | (corners & 2 ? 1 << (k + 1) % 3 : 0);
    }
}

static void add_face(icf_expansion *e, int a, int b, int c)
{
    icf_expand_face *face = &e->face[e->nface++];
    face->vertex[0] = a;
    face->vertex[1] = b;
    face->vertex[2] = c;
    const icf_vec3 p = e->vertex[a].x, u = icf_sub(e->vertex[b].x, p), v = icf_sub(e->vertex[c].x, p);
    const icf_vec3 w = icf_sub(e->vertex[c].x, e->vertex[b].x);
    // from the corner between the two shorter edges: a sliver's normal is best there
    const double uu = icf_norm2(u), vv = icf_norm2(v), ww = icf_norm2(w);
    const icf_vec3 area = uu >= vv && uu >= ww ? icf_cross(v, w) : vv >= ww ? icf_cross(u, w) : icf_cross(u, v);
    double length;
    face->normal = icf_direction(area, (icf_vec3){0, 0, 0}, &length);
    face->offset = icf_dot(face->normal, p);
    if (length < ICF_NARROW_TINY) face->offset = INFINITY;
    if (face->offset < 0.0) measure(e, face);
}

/* A direction far from the given one. */
static icf_vec3 across(icf_vec3 u)
{
    const double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    const icf_vec3 axis = x <= y && x <= z ? (icf_vec3){1, 0, 0} : y <= z ? (icf_vec3){0, 1, 0} : (icf_vec3){0, 0, 1};
    return icf_unit(icf_cross(u, axis));
}

/* The outermost point along a direction or against it, whichever is farther from the plane through `from`. */
static icf_expand_vertex farther(const icf_convex_pair *pair, icf_vec3 direction, icf_vec3 from, double *distance)
{
    const icf_expand_vertex low = outermost(pair, direction), high = outermost(pair, icf_neg(direction));
    const double below = icf_dot(direction, icf_sub(from, low.x)), above = icf_dot(direction, icf_sub(high.x, from));
    *distance = fmax(below, above);
    return below >= above ? low : high;
}

bool icf_convex_expand_begin(const icf_convex_pair *pair, icf_expansion *e)
{
    e->nvertex = e->nface = 0;
    e->is_stuck = false;
    e->above = INFINITY;
    e->below = -INFINITY;
    const icf_core *a = &pair->core[0], *b = &pair->core[1];
    const icf_vec3 between = icf_sub(icf_core_place(b, b->centre), icf_core_place(a, a->centre));
    const double tiny = 1e-13 * pair->scale;
    double length;
    e->normal = icf_direction(between, (icf_vec3){0, 0, 1}, &length);
    e->vertex[0] = outermost(pair, e->normal);
    e->below = icf_dot(e->normal, e->vertex[0].x);
    e->vertex[1] = farther(pair, e->normal, e->vertex[0].x, &length);
    if (length <= tiny) return false;
    const icf_vec3 line = icf_unit(icf_sub(e->vertex[1].x, e->vertex[0].x)), side = across(line);
    e->vertex[2] = farther(pair, side, e->vertex[0].x, &length);
    if (length <= tiny) e->vertex[2] = farther(pair, icf_cross(line, side), e->vertex[0].x, &length);
    if (length <= tiny) return false;
    const icf_vec3 area = icf_cross(line, icf_sub(e->vertex[2].x, e->vertex[0].x));
    const icf_vec3 normal = icf_direction(area, side, &length);
    e->vertex[3] = farther(pair, normal, e->vertex[0].x, &length);
    if (length <= tiny) return false;
    e->nvertex = 4;
    const bool is_above = icf_dot(normal, icf_sub(e->vertex[3].x, e->vertex[0].x)) > 0.0;
    const int one = is_above ? 2 : 1, two = is_above ? 1 : 2;
    add_face(e, 0, one, two);
    add_face(e, 0, two, 3);
    add_face(e, two, one, 3);
    add_face(e, one, 0, 3);
    return true;
}

/* The face that decides the signed distance of the polytope; *above is that distance. */
static int deciding_face(const icf_expansion *e, double *above)
{
    int outside = -1, inside = -1;
    for (int k = 0; k < e->nface; ++k) {
        const icf_expand_face *face = &e->face[k];
        if (face->offset < 0.0 && (outside < 0 || face->distance < e->face[outside].distance)) outside = k;
        if (inside < 0 || face->offset < e->face[inside].offset) inside = k;
    }
    *above = outside >= 0 ? e->face[outside].distance : -e->face[inside].offset;
    return outside >= 0 ? outside : inside;
}

/* Direction to the point of the polytope nearest to the origin, and the points that carry it. */
static void aim(icf_expansion *e, int k, double tiny)
{
    const icf_expand_face *face = &e->face[k];
    const int corners = face->offset < 0.0 ? face->corners : 7;
    e->normal = icf_neg(face->normal);
    // across an edge or a corner, unless it is so near that the face's own normal is as good
    if (corners != 7 && face->distance > tiny) e->normal = icf_scale(1.0 / face->distance, face->nearest);
    e->ncorner = 0;
    for (int i = 0; i < 3; ++i)
        if (corners & 1 << i) e->corner[e->ncorner++] = face->vertex[i];
}

typedef struct {
    int from, to;
} horizon_edge;

/* Puts a vertex outside the polytope on top of it: the faces it sees make room for a cone.  Returns false when it sees
 * none, or there is no room. */
static bool cover(const icf_convex_pair *pair, const icf_expand_vertex *vertex, icf_expansion *e)
{
    horizon_edge edge[ICF_EXPAND_FACES];
    int nedge = 0, nface = 0;
    bool sees[ICF_EXPAND_FACES];
    int nseen = 0;
    for (int k = 0; k < e->nface; ++k) {
        const icf_expand_face *face = &e->face[k];
        sees[k] = icf_dot(face->normal, vertex->x) - face->offset > ROUND_OFF * pair->scale;
        nseen += sees[k];
    }
    if (nseen == 0 || e->nvertex == ICF_EXPAND_VERTICES) return false;
    for (int k = 0; k < e->nface; ++k) {
        if (!sees[k]) {
            e->face[nface++] = e->face[k];
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            const int from = e->face[k].vertex[i], to = e->face[k].vertex[(i + 1) % 3];
            int twin = 0;
            while (twin < nedge && (edge[twin].from != to || edge[twin].to != from)) ++twin;
            if (twin < nedge)
                edge[twin] = edge[--nedge];
            else if (nedge < ICF_EXPAND_FACES)
                edge[nedge++] = (horizon_edge){from, to};
        }
    }
    e->nface = nface;
    if (nface + nedge > ICF_EXPAND_FACES) return false;
    e->vertex[e->nvertex] = *vertex;
    for (int k = 0; k < nedge; ++k) add_face(e, edge[k].from, edge[k].to, e->nvertex);
    ++e->nvertex;
    return e->nface > 0;
}

void icf_convex_expand(const icf_convex_pair *pair, double limit, double known, double tolerance, icf_expansion *e)
{
    while (!e->is_stuck) {
        double above;
        const int k = deciding_face(e, &above);
        e->above = fmin(e->above, above);
        aim(e, k, 1e-9 * pair->scale);
        const icf_expand_vertex vertex = outermost(pair, e->normal);
        e->below = fmax(e->below, icf_dot(e->normal, vertex.x));
        if (e->above - fmax(e->below, known) <= tolerance || e->below >= limit) return;
        e->is_stuck = !cover(pair, &vertex, e);
    }
}

/* Whether a point lies outside the polytope. */
static bool is_outside(const icf_convex_pair *pair, const icf_expansion *e, icf_vec3 x)
{
    for (int k = 0; k < e->nface; ++k)
        if (icf_dot(e->face[k].normal, x) - e->face[k].offset > ROUND_OFF * pair->scale) return true;
    return false;
}

static void expand_along(const icf_convex_pair *pair, icf_vec3 normal, icf_expansion *e)
{
    const icf_expand_vertex vertex = outermost(pair, normal);
    if (!e->is_stuck && is_outside(pair, e, vertex.x)) e->is_stuck = !cover(pair, &vertex, e);
}

/* Angle by which a direction turns while its outermost point moves as far as that is deep; where the difference of the
 * cores is flat, just enough for its other corners. */
static double tilt_angle(const icf_convex_pair *pair, const icf_touch *touch, icf_vec3 tilt)
{
    if (touch->type != ICF_TOUCH_POINTS) return SMALL_TILT;
    const double radius = icf_core_curvature(&pair->core[0], touch->normal, tilt, tilt) +
                          icf_core_curvature(&pair->core[1], icf_neg(touch->normal), tilt, tilt);
    return fmin(fmax(-touch->separation / radius, SMALL_TILT), LARGE_TILT);
}

static void expand_ring(const icf_convex_pair *pair, icf_vec3 normal, const icf_vec3 axis[2], const double angle[2],
                        icf_expansion *e)
{
    for (int k = 0; k < 2; ++k) {
        expand_along(pair, icf_unit(icf_mul_add(normal, angle[k], axis[k])), e);
        expand_along(pair, icf_unit(icf_mul_add(normal, -angle[k], axis[k])), e);
    }
}

void icf_convex_expand_round(const icf_convex_pair *pair, const icf_touch *touch, icf_expansion *e)
{
    const icf_vec3 side = icf_perpendicular(touch->normal), axis[2] = {side, icf_cross(touch->normal, side)};
    double angle[2];
    for (int k = 0; k < 2; ++k) angle[k] = tilt_angle(pair, touch, axis[k]);
    const double widest = fmax(angle[0], angle[1]);
    expand_along(pair, touch->normal, e);
    expand_ring(pair, touch->normal, axis, angle, e);
    if (-touch->separation * widest * widest < ICF_CONVEX_SMOOTH * pair->scale) return;
    for (int k = 0; k < 2; ++k) angle[k] = fmax(angle[k] * angle[k], SMALL_TILT);
    expand_ring(pair, touch->normal, axis, angle, e);
}

/* Weights of three points whose plane's foot of the origin is asked for, none below 0. */
static void foot_weights(const icf_expansion *e, double weight[3])
{
    const icf_vec3 a = e->vertex[e->corner[0]].x, b = e->vertex[e->corner[1]].x, c = e->vertex[e->corner[2]].x;
    const icf_vec3 u = icf_sub(b, a), v = icf_sub(c, a), n = icf_cross(u, v);
    const double area = icf_norm2(n);
    weight[1] = area > 0.0 ? fmax(0.0, icf_dot(icf_cross(icf_neg(a), v), n) / area) : 0.0;
    weight[2] = area > 0.0 ? fmax(0.0, icf_dot(icf_cross(u, icf_neg(a)), n) / area) : 0.0;
    weight[0] = fmax(0.0, 1.0 - weight[1] - weight[2]);
}

void icf_convex_expand_points(const icf_expansion *e, icf_vec3 on[2])
{
    double weight[3] = {1.0, 0.0, 0.0};
    if (e->ncorner == 2) {
        const icf_vec3 a = e->vertex[e->corner[0]].x, u = icf_sub(e->vertex[e->corner[1]].x, a);
        weight[1] = fmin(fmax(-icf_dot(a, u) / icf_norm2(u), 0.0), 1.0);
        weight[0] = 1.0 - weight[1];
    } else if (e->ncorner == 3) {
        foot_weights(e, weight);
    }
    const double sum = weight[0] + weight[1] + weight[2];
    for (int k = 0; k < 2; ++k) {
        on[k] = (icf_vec3){0, 0, 0};
        for (int i = 0; i < e->ncorner; ++i)
            on[k] = icf_mul_add(on[k], weight[i] / sum, e->vertex[e->corner[i]].on[k].x);
    }
}
