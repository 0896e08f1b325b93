/* Convex cores against one another: vertices that reach the other surface beside what looks along the normal.
 *
 * A hull with many small faces lies on vertices of several of them.  The overlap of two faces (convex_clip.c) has those
 * of one face a body, and which face that is changes with the least tilt; a body at rest would rock between the one and
 * the other.  Here every vertex of a polytope whose line along the normal meets the other core below the limit is a
 * contact, at its height over that core, whichever faces look along the normal, unless it is clearly higher than the
 * lowest point: it will be one before it is needed.  Of more than there is room for the
 * lowest count; where more overlap than that none, as the choice would change from step to step.
 *
 * Corners of a flat face with many that looks along the normal are left to the overlap, whose choice stays the same.
 *
 * Thread-safe; takes no memory.
 */
#include "geometry/convex.h"

#define OUTWARDS 1e-11 /* of the size: beyond a side by less counts as within */
#define SAME     10    /* times that: points at one place */
#define NEAR     1e-3  /* of the smaller size: a vertex that is higher than the lowest by more comes too late */
#define SIDE     1e-9  /* a face whose normal has a smaller cosine is a side */

enum { NLOW = 64, NCORNER = 8 };

/* The vertices of a core that may reach the other. */
typedef struct low_points {
    int n;
    icf_convex_point point[NLOW];
} low_points;

/* A line cut by planes: the stretch that is inside. */
typedef struct stretch {
    double in, out;
} stretch;

static void cut_line(icf_vec3 normal, double offset, icf_vec3 x, icf_vec3 d, double slack, stretch *s)
{
    const double slope = icf_dot(normal, d), room = offset - icf_dot(normal, x);
    if (fabs(slope) < SIDE) {
        if (room < -slack) s->out = -INFINITY;
    } else if (slope < 0.0) {
        s->in = fmax(s->in, room / slope);
    } else {
        s->out = fmin(s->out, room / slope);
    }
}

/* How far along d from x the core begins; infinite when the line misses it. */
static double way_to(const icf_core *core, icf_vec3 x, icf_vec3 direction, double slack)
{
    const icf_vec3 own = icf_core_back(core, x), d = icf_core_own(core, direction);
    stretch s = {-INFINITY, INFINITY};
    if (core->type == ICF_CORE_BOX) {
        for (int i = 0; i < 6; ++i) {
            icf_vec3 normal = {0, 0, 0};
            icf_set(&normal, i / 2, i % 2 ? 1.0 : -1.0);
            cut_line(normal, icf_get(core->extent, i / 2), own, d, slack, &s);
        }
    } else {
        const icf_polytope *p = core->polytope;
        for (int32_t f = 0; f < p->nface && s.in <= s.out; ++f) cut_line(p->normal[f], p->offset[f], own, d, slack, &s);
    }
    return s.in <= s.out ? s.in : INFINITY;
}

/* The patch that looks along a direction, if it is one flat face with more corners than the overlap has, else -1. */
static int32_t flat_patch(const icf_polytope *p, int32_t vertex, icf_vec3 d)
{
    int32_t face = p->vertex_face[p->vertex_ptr[vertex]];
    for (int32_t k = p->vertex_ptr[vertex] + 1; k < p->vertex_ptr[vertex + 1]; ++k)
        if (icf_dot(p->normal[p->vertex_face[k]], d) > icf_dot(p->normal[face], d)) face = p->vertex_face[k];
    const int32_t patch = p->face_patch[face];
    const bool is_one_face = p->plane_ptr[patch + 1] - p->plane_ptr[patch] == 1;
    return is_one_face && p->patch_ptr[patch + 1] - p->patch_ptr[patch] > NCORNER ? patch : -1;
}

static bool is_in_patch(const icf_polytope *p, int32_t vertex, int32_t patch)
{
    for (int32_t k = p->vertex_ptr[vertex]; k < p->vertex_ptr[vertex + 1]; ++k)
        if (p->face_patch[p->vertex_face[k]] == patch) return true;
    return false;
}

static bool has_feature(const icf_convex_manifold *manifold, int64_t feature)
{
    for (int k = 0; k < manifold->n; ++k)
        if (manifold->point[k].feature == feature) return true;
    return false;
}

/* Whether a point of the manifold is at the same place. */
static bool is_duplicate(const icf_convex_manifold *manifold, int body, icf_vec3 x, double slack)
{
    for (int k = 0; k < manifold->n; ++k)
        if (icf_norm(icf_sub(manifold->point[k].on[body], x)) <= slack) return true;
    return false;
}

/* Puts a point where it belongs by height; of more than there is room for the highest goes. */
static void insert(const icf_convex_point *point, low_points *low)
{
    if (low->n == NLOW && !(point->distance < low->point[NLOW - 1].distance)) return;
    int k = low->n < NLOW ? low->n++ : NLOW - 1;
    for (; k > 0 && low->point[k - 1].distance > point->distance; --k) low->point[k] = low->point[k - 1];
    low->point[k] = *point;
}

/* Vertices of one core over the other, the lowest first.
 *   outermost  [in] vertex of the core along the normal
 *   separation [in] of the two cores along the normal [m]
 *   base       [in] feature of vertex 0 */
static void find_low(const icf_convex_pair *pair, int body, int32_t outermost, double separation, double limit,
                     int64_t base, const icf_convex_manifold *manifold, low_points *low)
{
    const icf_core *core = &pair->core[body];
    const icf_polytope *p = core->polytope;
    const icf_vec3 towards = body == 0 ? manifold->normal : icf_neg(manifold->normal);
    const icf_vec3 d = icf_core_own(core, towards);
    const int32_t patch = flat_patch(p, outermost, d);
    const double least = icf_dot(d, icf_polytope_vertex(p, outermost)) + separation - limit;
    const double slack = OUTWARDS * pair->scale;
    for (int32_t v = 0; v < p->nvertex; ++v) {
        if (!(icf_dot(d, icf_polytope_vertex(p, v)) > least) || (patch >= 0 && is_in_patch(p, v, patch))) continue;
        const icf_vec3 x = icf_core_vertex(core, v);
        const double way = way_to(&pair->core[1 - body], x, towards, slack);
        if (!(way < limit) || has_feature(manifold, base + v) || is_duplicate(manifold, body, x, SAME * slack))
            continue;
        icf_convex_point point = {.distance = way, .feature = base + v};
        point.on[body] = x;
        point.on[1 - body] = icf_mul_add(x, way, towards);
        insert(&point, low);
    }
}

static bool has_planes(const icf_core *core)
{
    return core->type == ICF_CORE_POLYTOPE || core->type == ICF_CORE_BOX;
}

void icf_convex_add_low(const icf_convex_pair *pair, const int32_t vertex[2], double separation, double limit,
                        icf_convex_manifold *manifold)
{
    const icf_core *first = &pair->core[0], *second = &pair->core[1];
    if (!has_planes(first) || !has_planes(second)) return;
    low_points low = {.n = 0};
    const double reach = fmin(limit, fmax(separation, 0.0) + NEAR * fmin(first->size, second->size));
    if (first->type == ICF_CORE_POLYTOPE) find_low(pair, 0, vertex[0], separation, reach, 0, manifold, &low);
    if (second->type == ICF_CORE_POLYTOPE)
        find_low(pair, 1, vertex[1], separation, reach, first->type == ICF_CORE_BOX ? 8 : first->polytope->nvertex,
                 manifold, &low);
    const int room = ICF_MANIFOLD_MAX - manifold->n;
    if (low.n > room && low.point[room].distance < 0.0) return;
    for (int k = 0; k < ICF_MIN(low.n, room); ++k) manifold->point[manifold->n++] = low.point[k];
}
