/* Convex cores against one another: the contact points along a given normal n.
 *
 * What looks along n is a polygon (the face of a box, a patch of a polytope, the end of a cylinder), a line (a
 * capsule's axis, the side of a cylinder) or a point.  Both are projected along n onto a plane; the overlap of two
 * polygons, or of a polygon and a line, is a polygon or a line, and every corner of it is a contact: there a line along
 * n meets both surfaces.  Two lines overlap when they lie side by side.  A point gives no contact here: it is the
 * nearest one, which narrow_convex.c adds.
 *
 * Heights.  Where a line along n meets a patch is decided by the planes of all its faces, so that witness points lie on
 * the surface.  The end of a cylinder is seen as an octagon in it, fixed to the body: a corner that followed the
 * lowest point of the rim would move with round-off when the end lies flat.  Of a tilted end narrow_convex.c adds that
 * point.
 *
 * Round-off and thinning are those of boxes (narrow_box_clip.c): what is beyond a side by 1e-11 of the size counts as
 * within, and corners within 1/1000 of the smallest width of the line between their neighbours are dropped, as are the
 * flattest ones when there are more than eight (thin.h).
 */
#include "geometry/convex.h"
#include "geometry/thin.h"

#define OUTWARDS          1e-11
#define MERGE             1e-3
#define LEVEL             1e-3 /* of the width: a corner without a point that is nearer by this carries like others */
#define FOLDS             10   /* the same, of what a face may be from flat */
#define FLATTEST          0.3  /* a face that looks along n by less than this cosine is no support */
#define SIDE_BY_SIDE_SINE 0.1
#define SIDEWAYS          0.02
#define SHORT_OVERLAP     1e-3

enum { NCORNER = 64, NPLANE = 32, NOCTAGON = 8, NOVERLAP = 2 * NCORNER + 4 };

/* What looks along the normal. */
typedef struct {
    int n;                    /* corners: 1 point, 2 line, else polygon */
    icf_vec3 corner[NCORNER]; /* counter-clockwise about the outward direction */
    int32_t vertex[NCORNER], side[NCORNER];
    int nplane;
    icf_vec3 plane[NPLANE]; /* normals of the planes through it */
    double offset[NPLANE];
    bool is_sampled;        /* has more corners than these */
    double fold;            /* how far it may be from flat [m] */
    double width;           /* smallest width, of a line its length, of a point infinite [m] */
    int32_t nvertex, nside; /* how many numbers the core uses */
} flat;

/* Two directions that span the plane across the normal. */
typedef struct {
    icf_vec3 u, v;
} cross_plane;

/* ---- what looks along the normal ---- */

static void add_plane(flat *f, icf_vec3 normal, icf_vec3 point)
{
    if (f->nplane == NPLANE) return;
    f->plane[f->nplane] = normal;
    f->offset[f->nplane++] = icf_dot(normal, point);
}

static void set_point(flat *f, icf_vec3 x)
{
    f->n = 1;
    f->corner[0] = x;
    f->nplane = 0;
    f->width = INFINITY;
}

static void set_line(const icf_core *core, icf_vec3 from, icf_vec3 to, flat *f)
{
    f->n = 2;
    f->corner[0] = icf_core_place(core, from);
    f->corner[1] = icf_core_place(core, to);
    for (int k = 0; k < 2; ++k) f->vertex[k] = k;
    f->side[0] = f->side[1] = 0;
    f->nvertex = 2;
    f->nside = 1;
    f->width = icf_norm(icf_sub(f->corner[1], f->corner[0]));
}

static void set_box(const icf_core *core, icf_vec3 d, flat *f)
{
    const icf_vec3 e = core->extent;
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(icf_get(d, i)) > fabs(icf_get(d, axis))) axis = i;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3, outer = icf_get(d, axis) > 0.0;
    // counter-clockwise seen from outside
    static const int corners[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    f->n = 4;
    for (int k = 0; k < 4; ++k) {
        const int *c = corners[outer ? k : 3 - k], *next = corners[outer ? (k + 1) % 4 : (6 - k) % 4];
        const int vertex = (outer ? 4 >> axis : 0) | (c[0] ? 4 >> u : 0) | (c[1] ? 4 >> v : 0);
        const bool is_along_u = c[1] == next[1];
        f->vertex[k] = vertex;
        f->side[k] = is_along_u ? 4 * u + 2 * c[1] + outer : 4 * v + 2 * outer + c[0];
        f->corner[k] = icf_core_vertex(core, vertex);
    }
    icf_vec3 normal = {0, 0, 0};
    icf_set(&normal, axis, outer ? 1.0 : -1.0);
    add_plane(f, icf_core_turn(core, normal), f->corner[0]);
    f->nvertex = 8;
    f->nside = 12;
    f->width = 2.0 * fmin(icf_get(e, u), icf_get(e, v));
}

static void set_polytope(const icf_core *core, int32_t vertex, icf_vec3 d, flat *f)
{
    const icf_polytope *p = core->polytope;
    int32_t face = p->vertex_face[p->vertex_ptr[vertex]];
    for (int32_t k = p->vertex_ptr[vertex] + 1; k < p->vertex_ptr[vertex + 1]; ++k)
        if (icf_dot(p->normal[p->vertex_face[k]], d) > icf_dot(p->normal[face], d)) face = p->vertex_face[k];
    f->nvertex = p->nvertex;
    f->nside = p->nside;
    if (icf_dot(p->normal[face], d) < FLATTEST) {
        set_point(f, icf_core_vertex(core, vertex));
        return;
    }
    const int32_t patch = p->face_patch[face], first = p->patch_ptr[patch], n = p->patch_ptr[patch + 1] - first;
    // of a polygon with more corners than there is room for every second one, or third ...
    const int32_t stride = (n + NCORNER - 1) / NCORNER;
    f->n = 0;
    for (int32_t k = 0; k < n; k += stride) {
        f->vertex[f->n] = p->patch_side[first + k];
        f->side[f->n] = first + k;
        f->corner[f->n++] = icf_core_vertex(core, p->patch_side[first + k]);
    }
    add_plane(f, icf_core_turn(core, p->normal[face]),
              icf_core_place(core, icf_scale(p->offset[face], p->normal[face])));
    for (int32_t k = p->plane_ptr[patch]; k < p->plane_ptr[patch + 1]; ++k) {
        const icf_vec3 m = p->normal[p->plane[k]];
        if (p->plane[k] == face) continue;
        add_plane(f, icf_core_turn(core, m), icf_core_place(core, icf_scale(p->offset[p->plane[k]], m)));
    }
    f->width = p->width[patch];
    f->is_sampled = stride > 1;
    f->fold = f->nplane > 1 ? ICF_POLYTOPE_FLAT * p->radius : 0.0;
}

/* The end of a cylinder as an octagon.
 *   towards [in] pair frame: one corner lies on this side of the axis */
static void set_disc(const icf_core *core, icf_vec3 d, icf_vec3 towards, flat *f)
{
    const icf_vec3 t = icf_core_own(core, towards);
    double length;
    const icf_vec3 first = icf_direction((icf_vec3){t.x, t.y, 0.0}, (icf_vec3){1, 0, 0}, &length);
    const double sign = icf_sign(d.z), c = 0.70710678118654752;
    const double cosine[NOCTAGON] = {1, c, 0, -c, -1, -c, 0, c}, sine[NOCTAGON] = {0, c, 1, c, 0, -c, -1, -c};
    f->n = NOCTAGON;
    for (int k = 0; k < NOCTAGON; ++k) {
        const double x = cosine[k] * first.x - sign * sine[k] * first.y,
                     y = cosine[k] * first.y + sign * sine[k] * first.x;
        f->vertex[k] = f->side[k] = (sign > 0.0 ? 0 : NOCTAGON) + k;
        f->corner[k] = icf_core_place(core, (icf_vec3){core->radius * x, core->radius * y, sign * core->half});
    }
    add_plane(f, icf_core_turn(core, (icf_vec3){0.0, 0.0, sign}), f->corner[0]);
    f->nvertex = f->nside = 2 * NOCTAGON + 2;
    f->width = 2.0 * core->radius;
    f->is_sampled = true;
}

static void set_cylinder(const icf_core *core, icf_vec3 d, icf_vec3 towards, flat *f)
{
    const double across = hypot(d.x, d.y);
    if (fabs(d.z) > across) {
        set_disc(core, d, towards, f);
        return;
    }
    const double x = core->radius * d.x / across, y = core->radius * d.y / across;
    set_line(core, (icf_vec3){x, y, -core->half}, (icf_vec3){x, y, core->half}, f);
    for (int k = 0; k < 2; ++k) f->vertex[k] = 2 * NOCTAGON + k;
    f->side[0] = f->side[1] = 2 * NOCTAGON;
    f->nvertex = f->nside = 2 * NOCTAGON + 2;
}

static void set_triangle(const icf_core *core, icf_vec3 d, flat *f)
{
    const icf_vec3 *c = core->corner;
    const icf_vec3 area = icf_cross(icf_sub(c[1], c[0]), icf_sub(c[2], c[0]));
    const bool is_up = icf_dot(area, d) >= 0.0;
    const icf_vec3 normal = icf_unit(is_up ? area : icf_neg(area));
    f->nvertex = f->nside = 3;
    if (icf_dot(normal, d) < FLATTEST) {
        set_point(f, icf_core_outer(core, d).x);
        return;
    }
    f->n = 3;
    f->width = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const int i = is_up ? k : 2 - k;
        f->corner[k] = c[i];
        f->vertex[k] = i;
        f->side[k] = is_up ? i : (i + 2) % 3;
        f->width = fmin(f->width, icf_norm(area) / icf_norm(icf_sub(c[(i + 1) % 3], c[i])));
    }
    add_plane(f, normal, c[0]);
}

static void set_flat(const icf_core *core, int32_t vertex, icf_vec3 direction, icf_vec3 towards, flat *f)
{
    const icf_vec3 d = icf_core_own(core, direction);
    f->nplane = 0;
    f->is_sampled = false;
    f->fold = 0.0;
    f->nvertex = f->nside = 1;
    switch (core->type) {
    case ICF_CORE_SEGMENT: set_line(core, (icf_vec3){0, 0, -core->half}, (icf_vec3){0, 0, core->half}, f); break;
    case ICF_CORE_BOX: set_box(core, d, f); break;
    case ICF_CORE_POLYTOPE: set_polytope(core, vertex, d, f); break;
    case ICF_CORE_CYLINDER: set_cylinder(core, d, towards, f); break;
    case ICF_CORE_TRIANGLE: set_triangle(core, direction, f); break;
    case ICF_CORE_POINT:
    case ICF_CORE_ELLIPSOID: set_point(f, icf_core_outer(core, direction).x); break;
    }
}

/* ---- overlap ---- */

/* A corner of the overlap. */
typedef struct {
    double uv[2];
    int64_t feature;
    int32_t vertex[2]; /* of each body that it is a vertex of, else -1 */
    int32_t side;      /* what leaves this corner: side of the second, or -1 - side of the first */
    icf_vec3 on[2];
    double distance;
} overlap_corner;

typedef struct {
    int n;
    overlap_corner corner[NOVERLAP];
} overlap;

/* Features: vertices of the first, of the second, sides across one another, lines side by side. */
static int64_t vertex_feature(const flat *first, int body, int32_t vertex)
{
    return body == 0 ? vertex : (int64_t)first->nvertex + vertex;
}
static int64_t sides_feature(const flat *first, const flat *second, int32_t side_first, int32_t side_second)
{
    return (int64_t)first->nvertex + second->nvertex + (int64_t)side_first * second->nside + side_second;
}

static void project(const cross_plane *plane, icf_vec3 x, double uv[2])
{
    uv[0] = icf_dot(plane->u, x);
    uv[1] = icf_dot(plane->v, x);
}

static double turn(const double *o, const double *a, const double *b)
{
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/* The corner where side k of the first, from a to b, cuts the overlap between p and q. */
static overlap_corner cut(const flat *first, const flat *second, int k, const overlap_corner *p,
                          const overlap_corner *q, double at, bool is_leaving)
{
    overlap_corner c = {.vertex = {-1, -1}, .side = is_leaving ? -1 - k : p->side};
    for (int i = 0; i < 2; ++i) c.uv[i] = p->uv[i] + at * (q->uv[i] - p->uv[i]);
    if (p->side >= 0) {
        c.feature = sides_feature(first, second, first->side[k], p->side);
    } else {
        // two sides of the first: the corner between them, if they are neighbours and it is no work of round-off
        const int other = -1 - p->side;
        const bool is_next = (other + 1) % first->n == k, is_neighbour = is_next || (k + 1) % first->n == other;
        c.feature = sides_feature(first, second, first->side[k], 0);
        if (is_neighbour) {
            c.vertex[0] = first->vertex[is_next ? k : other];
            c.feature = vertex_feature(first, 0, c.vertex[0]);
        }
    }
    return c;
}

/* Keeps what lies within side k of the first, or hardly beyond it. */
static void clip_side(const flat *first, const flat *second, const double (*outline)[2], int k, double slack,
                      bool is_line, overlap *o)
{
    const double *a = outline[k], *b = outline[(k + 1) % first->n];
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    if (!(length > 0.0)) return;
    overlap in;
    in.n = o->n;
    for (int i = 0; i < o->n; ++i) in.corner[i] = o->corner[i];
    o->n = 0;
    for (int i = 0; i < in.n; ++i) {
        const overlap_corner *p = &in.corner[i], *q = &in.corner[(i + 1) % in.n];
        const double beyond_p = -turn(a, b, p->uv) / length, beyond_q = -turn(a, b, q->uv) / length;
        const bool has_p = beyond_p <= slack, has_q = beyond_q <= slack;
        if (o->n > NOVERLAP - 2) return;
        if (has_p) o->corner[o->n++] = *p;
        if (has_p == has_q || (is_line && i > 0)) continue;
        const double at = fmin(fmax(beyond_p / (beyond_p - beyond_q), 0.0), 1.0);
        o->corner[o->n++] = cut(first, second, k, p, q, at, has_p && !is_line);
    }
}

/* The second's polygon or line, clipped by the first's polygon. */
static void clip(const flat *first, const flat *second, const cross_plane *plane, double slack, overlap *o)
{
    double outline[NCORNER][2];
    for (int k = 0; k < first->n; ++k) project(plane, first->corner[k], outline[k]);
    o->n = second->n;
    // the second looks the other way: backwards it is counter-clockwise about the normal too
    for (int k = 0; k < second->n; ++k) {
        const int i = second->n - 1 - k;
        overlap_corner *c = &o->corner[k];
        *c = (overlap_corner){.vertex = {-1, second->vertex[i]},
                              .feature = vertex_feature(first, 1, second->vertex[i]),
                              .side = second->side[i > 0 ? i - 1 : second->n - 1]};
        project(plane, second->corner[i], c->uv);
    }
    for (int k = 0; k < first->n && o->n > 0; ++k) clip_side(first, second, outline, k, slack, second->n == 2, o);
}

/* Ends of the stretch along which two lines lie side by side. */
static void side_by_side(const icf_convex_pair *pair, const flat *first, const flat *second, const cross_plane *plane,
                         overlap *o)
{
    double p[2][2], q[2][2];
    for (int k = 0; k < 2; ++k) {
        project(plane, first->corner[k], p[k]);
        project(plane, second->corner[k], q[k]);
    }
    const double u[2] = {p[1][0] - p[0][0], p[1][1] - p[0][1]}, w[2] = {q[1][0] - q[0][0], q[1][1] - q[0][1]};
    const double lu = hypot(u[0], u[1]), lw = hypot(w[0], w[1]);
    o->n = 0;
    if (fabs(u[0] * w[1] - u[1] * w[0]) > SIDE_BY_SIDE_SINE * lu * lw || !(lu > 0.0) || !(lw > 0.0)) return;
    // coordinates of the second's ends along the first
    double at[2];
    for (int k = 0; k < 2; ++k) at[k] = ((q[k][0] - p[0][0]) * u[0] + (q[k][1] - p[0][1]) * u[1]) / (lu * lu);
    const bool same = at[0] < at[1];
    double reach = 0.0;
    for (int k = 0; k < 2; ++k) {
        const icf_core *core = &pair->core[k];
        reach += core->rounding + (core->type == ICF_CORE_CYLINDER ? core->radius : 0.0);
    }
    for (int end = 0; end < 2; ++end) {
        const int of_second = same ? end : 1 - end;
        const bool by_second = end == 0 ? at[of_second] >= 0.0 : at[of_second] <= 1.0;
        const double t = by_second ? at[of_second] : end;
        const double s = (t - at[0]) / (at[1] - at[0]);
        overlap_corner *c = &o->corner[end];
        *c = (overlap_corner){
            .vertex = {by_second ? -1 : first->vertex[end], by_second ? second->vertex[of_second] : -1},
            .feature = by_second ? vertex_feature(first, 1, second->vertex[of_second])
                                 : vertex_feature(first, 0, first->vertex[end])};
        double gap[2];
        for (int i = 0; i < 2; ++i) {
            const double a = p[0][i] + t * u[i], b = q[0][i] + s * w[i];
            c->uv[i] = a;
            gap[i] = b - a;
        }
        if (hypot(gap[0], gap[1]) > SIDEWAYS * reach) return;
        c->on[0] = icf_mul_add(first->corner[0], t, icf_sub(first->corner[1], first->corner[0]));
        c->on[1] = icf_mul_add(second->corner[0], s, icf_sub(second->corner[1], second->corner[0]));
    }
    const double overlap_length =
        hypot(o->corner[1].uv[0] - o->corner[0].uv[0], o->corner[1].uv[1] - o->corner[0].uv[1]);
    const bool forwards =
        (o->corner[1].uv[0] - o->corner[0].uv[0]) * u[0] + (o->corner[1].uv[1] - o->corner[0].uv[1]) * u[1] > 0.0;
    if (forwards && overlap_length > SHORT_OVERLAP * fmin(lu, lw)) o->n = 2;
}

/* ---- distances ---- */

/* Where the line along d through x, a point across from the flat, meets it. */
static icf_vec3 surface_point(const flat *f, icf_vec3 d, icf_vec3 x)
{
    if (f->n == 2) {
        const icf_vec3 u = icf_sub(f->corner[1], f->corner[0]);
        const icf_vec3 across = icf_mul_add(u, -icf_dot(u, d), d);
        const double length2 = icf_norm2(across), at = icf_dot(icf_sub(x, f->corner[0]), across) / length2;
        return icf_mul_add(f->corner[0], fmin(fmax(at, 0.0), 1.0), u);
    }
    double lowest = INFINITY;
    for (int k = 0; k < f->nplane; ++k) {
        const double slope = icf_dot(f->plane[k], d);
        if (slope < 0.5 * FLATTEST) continue;
        lowest = fmin(lowest, (f->offset[k] - icf_dot(f->plane[k], x)) / slope);
    }
    return icf_mul_add(x, lowest, d);
}

static icf_vec3 vertex_point(const flat *f, int32_t vertex)
{
    int k = 0;
    while (k + 1 < f->n && f->vertex[k] != vertex) ++k;
    return f->corner[k];
}

/* Witness points and distances; drops what is not below the limit. */
static void measure(const flat of[2], const cross_plane *plane, icf_vec3 normal, double limit, bool has_points,
                    overlap *o)
{
    int n = 0;
    for (int k = 0; k < o->n; ++k) {
        overlap_corner c = o->corner[k];
        const icf_vec3 x = icf_add(icf_scale(c.uv[0], plane->u), icf_scale(c.uv[1], plane->v));
        for (int i = 0; i < 2 && !has_points; ++i)
            c.on[i] = c.vertex[i] >= 0 ? vertex_point(&of[i], c.vertex[i])
                                       : surface_point(&of[i], i == 0 ? normal : icf_neg(normal), x);
        c.distance = icf_dot(icf_sub(c.on[1], c.on[0]), normal);
        bool is_new = c.distance < limit;
        for (int l = 0; l < n && is_new; ++l) is_new = o->corner[l].feature != c.feature;
        if (is_new) o->corner[n++] = c;
    }
    o->n = n;
}

/* Square of the distance of a corner from the straight line between its neighbours. */
static double bulge(const overlap *o, int k)
{
    const double *p = o->corner[(k + o->n - 1) % o->n].uv, *x = o->corner[k].uv, *q = o->corner[(k + 1) % o->n].uv;
    const double du = q[0] - p[0], dv = q[1] - p[1], length2 = du * du + dv * dv;
    const double along = length2 > 0.0 ? ((x[0] - p[0]) * du + (x[1] - p[1]) * dv) / length2 : 0.0;
    const double at = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
    const double u = x[0] - p[0] - at * du, v = x[1] - p[1] - at * dv;
    return u * u + v * v;
}

static void drop(overlap *o, int k)
{
    --o->n;
    for (; k < o->n; ++k) o->corner[k] = o->corner[k + 1];
}

/* Drops corners that hardly change the overlap, the flattest first. */
static void merge_corners(double merge, overlap *o)
{
    while (o->n > 1) {
        int flattest = 0;
        double least = bulge(o, 0);
        for (int k = 1; k < o->n; ++k) {
            const double sticks_out = bulge(o, k);
            if (sticks_out >= least) continue;
            least = sticks_out;
            flattest = k;
        }
        if (least > merge * merge) return;
        drop(o, flattest);
    }
}

/* Drops the flattest corners until there are no more than eight. */
static void thin(overlap *o)
{
    const int nplace = o->n;
    double sticks_out[NOVERLAP];
    int place[NOVERLAP], dropped[NOVERLAP], ndropped = 0;
    for (int k = 0; k < nplace; ++k) place[k] = k;
    while (o->n > NOCTAGON) {
        for (int k = 0; k < o->n; ++k) sticks_out[k] = bulge(o, k);
        drop(o, icf_flattest_corner(o->n, sticks_out, place, nplace, dropped, &ndropped));
    }
}

/* By how much nearer than the points a corner that has none carries like them: where faces, or an edge and a folded
 * face, lie on one another. */
static double slack_of(const flat of[2], const overlap *o, double width)
{
    if (o->n < 2) return 0.0;
    const bool is_sampled = o->n >= 3 && (o->n > NOCTAGON || of[0].is_sampled || of[1].is_sampled);
    return fmax(is_sampled ? LEVEL * width : 0.0, FOLDS * fmax(of[0].fold, of[1].fold));
}

static cross_plane make_plane(icf_vec3 normal)
{
    const icf_vec3 u = icf_perpendicular(normal);
    return (cross_plane){u, icf_cross(normal, u)};
}

void icf_convex_clip(const icf_convex_pair *pair, const int32_t vertex[2], double limit, icf_convex_manifold *manifold,
                     double *merge)
{
    const icf_vec3 n = manifold->normal, back = icf_neg(n);
    // both ends of two cylinders have their corners at the same places
    const icf_core *marked = &pair->core[pair->core[0].type == ICF_CORE_CYLINDER ? 0 : 1];
    const icf_vec3 towards = icf_core_turn(marked, (icf_vec3){1, 0, 0});
    flat of[2];
    set_flat(&pair->core[0], vertex[0], n, towards, &of[0]);
    set_flat(&pair->core[1], vertex[1], back, towards, &of[1]);
    const double width = fmin(of[0].width, of[1].width);
    *merge = 0.0;
    manifold->n = 0;
    manifold->slack = manifold->fold = 0.0;
    if (of[0].n == 1 || of[1].n == 1) return;
    const cross_plane plane = make_plane(n);
    overlap o;
    const bool has_points = of[0].n == 2 && of[1].n == 2;
    if (!has_points) *merge = 0.5 * MERGE * width;
    if (has_points) {
        side_by_side(pair, &of[0], &of[1], &plane, &o);
    } else if (of[0].n == 2) {
        // the line is clipped by the polygon, seen from the other side
        const cross_plane mirrored = {plane.v, plane.u};
        clip(&of[1], &of[0], &mirrored, OUTWARDS * pair->scale, &o);
        for (int k = 0; k < o.n; ++k) {
            overlap_corner *c = &o.corner[k];
            const double u = c->uv[0];
            c->uv[0] = c->uv[1];
            c->uv[1] = u;
            const int32_t kept = c->vertex[0];
            c->vertex[0] = c->vertex[1];
            c->vertex[1] = kept;
        }
    } else {
        clip(&of[0], &of[1], &plane, OUTWARDS * pair->scale, &o);
    }
    measure(of, &plane, n, limit, has_points, &o);
    merge_corners(*merge, &o);
    manifold->slack = slack_of(of, &o, width);
    manifold->fold = o.n >= 2 ? fmax(of[0].fold, of[1].fold) : 0.0;
    thin(&o);
    manifold->n = o.n;
    for (int k = 0; k < o.n; ++k)
        manifold->point[k] = (icf_convex_point){.on = {o.corner[k].on[0], o.corner[k].on[1]},
                                                .distance = o.corner[k].distance,
                                                .feature = o.corner[k].feature};
}
