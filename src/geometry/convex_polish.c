/* The direction in which two convex cores are farthest apart, from the features that touch.
 *
 * Every direction separates by at most the signed distance, so trying one that turns out wrong does no harm: the
 * candidates are tried in a fixed order and the best is kept.  Near the direction that an expansion has found, the best
 * one is
 *
 *   a face normal of one of them          face against anything
 *   perpendicular to an edge of each      edge across edge; the side of a cylinder is a bundle of edges
 *   perpendicular to an edge of one       edge against corner, or against a curved surface
 *   free                                  corner or curved surface against the like
 *
 * The first two are given by the edges alone and are exact.  In the others the direction varies on a circle or a
 * sphere, where the separation is smooth, with gradient and second derivative
 *
 *   t.g,   -(t^T (H_A + H_B) t + s),      g = B(-n) - A(n),  t tangential,
 *
 * H the curvature of the surfaces (of corners and edges: none).  Newton, with n + dn normalised: between corners that
 * is the direction of g in one step.  Where the second derivative is not negative there is no maximum of this kind: a
 * corner that lies inside the other core, say.
 */
#include "geometry/convex.h"

#define BIAS      1e-12 /* of the size: a later candidate must be better by this */
#define ROUND_OFF 1e-14 /* of the size: of a separation */
#define TIGHT     1e-11 /* of the size: round-off of witness points */
#define PARALLEL  1e-10 /* sine below which two edges have no common perpendicular */

enum { NEDGE = 12, NNEWTON = 30 };

/* What a candidate direction is perpendicular to. */
typedef struct {
    icf_touch_type type;
    bool has[2];
    icf_vec3 edge[2]; /* unit */
} touch_kind;

/* ---- witness points ---- */

/* Nearest points of two lines. */
static void cross_lines(icf_vec3 on[2], const icf_vec3 edge[2])
{
    const icf_vec3 w = icf_sub(on[1], on[0]), c = icf_cross(edge[0], edge[1]);
    const double sine2 = icf_norm2(c);
    const double a = icf_dot(icf_cross(w, edge[1]), c) / sine2, b = icf_dot(icf_cross(w, edge[0]), c) / sine2;
    on[0] = icf_mul_add(on[0], a, edge[0]);
    on[1] = icf_mul_add(on[1], b, edge[1]);
}

static void set_witnesses(const icf_convex_pair *pair, const touch_kind *kind, const icf_outer outer[2],
                          icf_touch *touch)
{
    icf_vec3 *on = touch->on;
    on[0] = outer[0].x;
    on[1] = outer[1].x;
    if (kind->type == ICF_TOUCH_FACE_FIRST)
        on[0] = icf_mul_add(on[1], -touch->separation, touch->normal);
    else if (kind->type == ICF_TOUCH_FACE_SECOND)
        on[1] = icf_mul_add(on[0], touch->separation, touch->normal);
    else if (kind->has[0] && kind->has[1])
        cross_lines(on, kind->edge);
    else if (kind->has[0])
        on[0] = icf_mul_add(on[0], icf_dot(icf_sub(on[1], on[0]), kind->edge[0]), kind->edge[0]);
    else if (kind->has[1])
        on[1] = icf_mul_add(on[1], icf_dot(icf_sub(on[0], on[1]), kind->edge[1]), kind->edge[1]);
    const double slack = TIGHT * pair->scale;
    const icf_vec3 miss = icf_mul_add(icf_sub(on[1], on[0]), -touch->separation, touch->normal);
    touch->is_tight = icf_norm(miss) <= slack && icf_core_holds(&pair->core[0], on[0], slack) &&
                      icf_core_holds(&pair->core[1], on[1], slack);
}

/* Takes a direction when it is the best so far; of equal ones the first that has nearest points. */
static void offer(const icf_convex_pair *pair, const touch_kind *kind, icf_vec3 normal, icf_touch *touch)
{
    icf_outer outer[2];
    const double separation = icf_convex_separation(pair, normal, outer), bias = BIAS * pair->scale;
    const bool is_better = separation > touch->separation + bias;
    if (!is_better && (touch->is_tight || !(separation >= touch->separation - bias))) return;
    icf_touch offered = {.separation = separation, .normal = normal, .type = kind->type};
    for (int k = 0; k < 2; ++k) offered.vertex[k] = outer[k].vertex;
    set_witnesses(pair, kind, outer, &offered);
    if (is_better || offered.is_tight) *touch = offered;
}

/* ---- candidates ---- */

static void offer_faces(const icf_convex_pair *pair, icf_vec3 near, const int32_t vertex[2], icf_touch *touch)
{
    icf_vec3 normal;
    if (icf_core_face(&pair->core[0], vertex[0], near, &normal))
        offer(pair, &(touch_kind){.type = ICF_TOUCH_FACE_FIRST}, normal, touch);
    if (icf_core_face(&pair->core[1], vertex[1], icf_neg(near), &normal))
        offer(pair, &(touch_kind){.type = ICF_TOUCH_FACE_SECOND}, icf_neg(normal), touch);
}

static void offer_edges(const icf_convex_pair *pair, icf_vec3 near, icf_vec3 first, icf_vec3 second, icf_touch *touch)
{
    const touch_kind kind = {ICF_TOUCH_EDGES, {true, true}, {first, second}};
    double sine;
    icf_vec3 normal = icf_direction(icf_cross(first, second), near, &sine);
    if (sine < PARALLEL) return;
    // perpendicular to both also after rounding
    normal = icf_unit(icf_mul_add(normal, -icf_dot(normal, first), first));
    offer(pair, &kind, icf_dot(normal, near) < 0.0 ? icf_neg(normal) : normal, touch);
}

static double curvature(const icf_convex_pair *pair, icf_vec3 normal, icf_vec3 t, icf_vec3 u)
{
    return icf_core_curvature(&pair->core[0], normal, t, u) + icf_core_curvature(&pair->core[1], icf_neg(normal), t, u);
}

/* What a second derivative is raised to when it nearly vanishes, as in the centre of a ball; 0: it is of the wrong sign
 * and the search is not to go on.
 *   slope [in] first derivative: steps are at most half a radian then */
static double raised(const icf_convex_pair *pair, double least, double slope, bool persistent)
{
    const double flat = 1e-6 * pair->scale;
    if (least > flat) return least;
    return least > -flat || persistent ? fmax(fabs(least), 2.0 * slope) : 0.0;
}

/* Newton step on the circle perpendicular to an edge; false: no maximum there. */
static bool step_on_circle(const icf_convex_pair *pair, icf_vec3 edge, icf_vec3 normal, icf_vec3 g, bool persistent,
                           icf_vec3 *step)
{
    const icf_vec3 t = icf_cross(edge, normal);
    const double slope = icf_dot(t, g);
    const double against = raised(pair, curvature(pair, normal, t, t) + icf_dot(normal, g), fabs(slope), persistent);
    if (!(against > 0.0)) return false;
    *step = icf_scale(slope / against, t);
    return true;
}

/* Newton step on the sphere. */
static bool step_on_sphere(const icf_convex_pair *pair, icf_vec3 normal, icf_vec3 g, bool persistent, icf_vec3 *step)
{
    const icf_vec3 t = icf_neg(icf_perpendicular(normal)), u = icf_cross(normal, t);
    const double s = icf_dot(normal, g);
    double tt = curvature(pair, normal, t, t) + s, uu = curvature(pair, normal, u, u) + s;
    const double tu = curvature(pair, normal, t, u);
    const double a = icf_dot(t, g), b = icf_dot(u, g);
    const double least = 0.5 * (tt + uu) - hypot(0.5 * (tt - uu), tu),
                 lift = raised(pair, least, hypot(a, b), persistent) - least;
    tt += lift;
    uu += lift;
    const double determinant = tt * uu - tu * tu;
    if (!(least + lift > 0.0 && determinant < INFINITY)) return false;
    *step = icf_add(icf_scale((a * uu - b * tu) / determinant, t), icf_scale((b * tt - a * tu) / determinant, u));
    return true;
}

/* Newton from a direction; gives up when the separation falls by more than round-off. */
static void offer_best_near(const icf_convex_pair *pair, const touch_kind *kind, icf_vec3 near, bool persistent,
                            icf_touch *touch)
{
    const icf_vec3 *edge = kind->has[0] ? &kind->edge[0] : kind->has[1] ? &kind->edge[1] : NULL;
    double length;
    icf_vec3 normal = near, best = near;
    if (edge) normal = icf_direction(icf_mul_add(near, -icf_dot(near, *edge), *edge), (icf_vec3){0, 0, 0}, &length);
    if (edge && length < PARALLEL) return;
    double separation = -INFINITY, shrink = 1.0;
    icf_vec3 step = {0, 0, 0};
    for (int k = 0; k < NNEWTON; ++k) {
        icf_outer outer[2];
        const double s = icf_convex_separation(pair, normal, outer);
        if (s < separation - ROUND_OFF * pair->scale) {
            // beyond the maximum: back half the way
            shrink *= 0.5;
            if (shrink < 1e-3) break;
            normal = icf_unit(icf_mul_add(best, shrink, step));
            continue;
        }
        separation = s;
        best = normal;
        shrink = 1.0;
        const icf_vec3 g = icf_sub(outer[1].x, outer[0].x);
        if (!(edge ? step_on_circle(pair, *edge, normal, g, persistent, &step)
                   : step_on_sphere(pair, normal, g, persistent, &step)))
            break;
        if (icf_norm2(step) < 1e-32) break;
        normal = icf_add(normal, step);
        if (edge) normal = icf_mul_add(normal, -icf_dot(normal, *edge), *edge);
        normal = icf_unit(normal);
    }
    offer(pair, kind, best, touch);
}

typedef struct {
    int n[2];
    icf_vec3 edge[2][NEDGE];
} edge_lists;

/* Tries the candidates near a direction.
 *   e [in] tells when the best one has been found; NULL: all are tried, and climbs go on where Newton would stop */
static void polish(const icf_convex_pair *pair, const icf_expansion *e, icf_vec3 near, const int32_t vertex[2],
                   const edge_lists *edges, icf_touch *touch)
{
    offer_faces(pair, near, vertex, touch);
    for (int i = 0; i < edges->n[0]; ++i)
        for (int j = 0; j < edges->n[1]; ++j) offer_edges(pair, near, edges->edge[0][i], edges->edge[1][j], touch);
    if (e && icf_convex_is_settled(pair, e, touch)) return;
    // between polytopes that overlap no direction is free
    if (!pair->is_smooth && touch->separation < -1e-9 * pair->scale) return;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < edges->n[k]; ++i) {
            touch_kind kind = {.type = ICF_TOUCH_POINTS};
            kind.has[k] = true;
            kind.edge[k] = edges->edge[k][i];
            offer_best_near(pair, &kind, near, !e, touch);
        }
    offer_best_near(pair, &(touch_kind){.type = ICF_TOUCH_POINTS}, near, !e, touch);
}

/* Edges between the vertices of a core that carry the nearest point of an expansion. */
static int carrying_edges(const icf_core *core, const icf_expansion *e, int k, icf_vec3 *edge)
{
    if (core->type == ICF_CORE_CYLINDER || core->type == ICF_CORE_SEGMENT) return icf_core_edges(core, 0, 1, edge);
    int n = 0;
    if (!icf_core_is_flat(core) || core->type == ICF_CORE_POINT) return 0;
    for (int i = 0; i < e->ncorner; ++i)
        for (int j = 0; j < i; ++j) {
            const icf_outer *p = &e->vertex[e->corner[i]].on[k], *q = &e->vertex[e->corner[j]].on[k];
            if (p->vertex == q->vertex) continue;
            edge[n++] = icf_unit(icf_sub(icf_core_vertex(core, p->vertex), icf_core_vertex(core, q->vertex)));
        }
    return n;
}

void icf_convex_polish(const icf_convex_pair *pair, const icf_expansion *e, bool thorough, icf_touch *touch)
{
    icf_outer outer[2];
    (void)icf_convex_separation(pair, e->normal, outer);
    const int32_t vertex[2] = {outer[0].vertex, outer[1].vertex};
    edge_lists edges;
    for (int k = 0; k < 2; ++k)
        edges.n[k] = thorough ? icf_core_edges(&pair->core[k], vertex[k], NEDGE, edges.edge[k])
                              : carrying_edges(&pair->core[k], e, k, edges.edge[k]);
    polish(pair, e, e->normal, vertex, &edges, touch);
}

/* ---- every direction ---- */

static int32_t vertex_count(const icf_core *core)
{
    switch (core->type) {
    case ICF_CORE_SEGMENT: return 2;
    case ICF_CORE_TRIANGLE: return 3;
    case ICF_CORE_BOX: return 8;
    case ICF_CORE_POLYTOPE: return core->polytope->nvertex;
    default: return 1;
    }
}

static int32_t edge_count(const icf_core *core)
{
    switch (core->type) {
    case ICF_CORE_SEGMENT: return 1;
    case ICF_CORE_TRIANGLE: return 3;
    case ICF_CORE_BOX: return 12;
    case ICF_CORE_POLYTOPE: return core->polytope->nedge;
    default: return 0;
    }
}

/* Unit direction of an edge; *at: one of its points. */
static icf_vec3 edge_at(const icf_core *core, int32_t e, icf_vec3 *at)
{
    int32_t a = 0, b = 1;
    if (core->type == ICF_CORE_TRIANGLE) {
        a = e;
        b = (e + 1) % 3;
    } else if (core->type == ICF_CORE_BOX) {
        const int axis = e / 4, bit = 4 >> axis, next = 4 >> (axis + 1) % 3, after = 4 >> (axis + 2) % 3;
        a = (e & 2 ? next : 0) | (e & 1 ? after : 0);
        b = a | bit;
    } else if (core->type == ICF_CORE_POLYTOPE) {
        a = core->polytope->edge[2 * e];
        b = core->polytope->edge[2 * e + 1];
    }
    *at = icf_core_vertex(core, a);
    return icf_unit(icf_sub(icf_core_vertex(core, b), *at));
}

static void search_faces(const icf_convex_pair *pair, icf_touch *touch)
{
    for (int k = 0; k < 2; ++k) {
        const icf_core *core = &pair->core[k];
        const touch_kind kind = {.type = k == 0 ? ICF_TOUCH_FACE_FIRST : ICF_TOUCH_FACE_SECOND};
        const int32_t n = core->type == ICF_CORE_POLYTOPE ? core->polytope->nface : core->type == ICF_CORE_BOX ? 6 : 2;
        for (int32_t f = 0; f < n; ++f) {
            icf_vec3 normal;
            if (core->type == ICF_CORE_POLYTOPE) {
                normal = icf_core_turn(core, core->polytope->normal[f]);
            } else {
                icf_vec3 axis = {0, 0, 0};
                icf_set(&axis, core->type == ICF_CORE_BOX ? f / 2 : 2, f % 2 == 0 ? 1.0 : -1.0);
                axis = icf_core_turn(core, axis);
                if (!icf_core_face(core, icf_core_outer(core, axis).vertex, axis, &normal)) continue;
            }
            offer(pair, &kind, k == 0 ? normal : icf_neg(normal), touch);
        }
    }
}

/* Every pair of edges, both ways round; corners against edges and corners. */
static void search_edges(const icf_convex_pair *pair, icf_touch *touch)
{
    const icf_core *a = &pair->core[0], *b = &pair->core[1];
    for (int32_t i = 0; i < edge_count(a); ++i)
        for (int32_t j = 0; j < edge_count(b); ++j) {
            icf_vec3 at;
            const icf_vec3 u = edge_at(a, i, &at), v = edge_at(b, j, &at), c = icf_cross(u, v);
            offer_edges(pair, c, u, v, touch);
            offer_edges(pair, icf_neg(c), u, v, touch);
        }
}

static void search_points(const icf_convex_pair *pair, icf_touch *touch)
{
    for (int k = 0; k < 2; ++k) {
        const icf_core *core = &pair->core[k], *other = &pair->core[1 - k];
        for (int32_t v = 0; v < vertex_count(other); ++v) {
            const icf_vec3 point = icf_core_vertex(other, v);
            for (int32_t e = 0; e < edge_count(core); ++e) {
                touch_kind kind = {.type = ICF_TOUCH_POINTS};
                icf_vec3 at;
                kind.has[k] = true;
                kind.edge[k] = edge_at(core, e, &at);
                double length;
                icf_vec3 g = icf_sub(point, at);
                for (int pass = 0; pass < 2; ++pass) g = icf_mul_add(g, -icf_dot(g, kind.edge[k]), kind.edge[k]);
                g = icf_direction(g, (icf_vec3){0, 0, 0}, &length);
                if (length >= ICF_NARROW_TINY) offer(pair, &kind, k == 0 ? g : icf_neg(g), touch);
            }
            for (int32_t w = 0; w < vertex_count(core) && k == 0; ++w) {
                double length;
                const icf_vec3 g =
                    icf_direction(icf_sub(point, icf_core_vertex(core, w)), (icf_vec3){0, 0, 0}, &length);
                if (length >= ICF_NARROW_TINY) offer(pair, &(touch_kind){.type = ICF_TOUCH_POINTS}, g, touch);
            }
        }
    }
}

/* Newton from directions all over the sphere. */
static void search_sphere(const icf_convex_pair *pair, icf_touch *touch)
{
    enum { NSTART = 400 };
    for (int i = 0; i < NSTART; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / NSTART, r = sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
        const icf_vec3 near = {r * cos(turn), r * sin(turn), z};
        icf_outer outer[2];
        (void)icf_convex_separation(pair, near, outer);
        const int32_t vertex[2] = {outer[0].vertex, outer[1].vertex};
        edge_lists edges;
        for (int k = 0; k < 2; ++k) edges.n[k] = icf_core_edges(&pair->core[k], vertex[k], NEDGE, edges.edge[k]);
        polish(pair, NULL, near, vertex, &edges, touch);
    }
}

void icf_convex_search(const icf_convex_pair *pair, icf_touch *touch)
{
    search_faces(pair, touch);
    if (pair->is_smooth) {
        search_sphere(pair, touch);
        return;
    }
    search_edges(pair, touch);
    if (touch->separation > -1e-9 * pair->scale) search_points(pair, touch);
}
