/* Signed distances of convex shapes by brute force, independent of the narrow phase, and random shapes and poses.
 *
 * The signed distance of two convex bodies is the largest separation over all directions.  Of polytopes it is attained
 * at one of finitely many (face normals, cross products of edges, directions between corners and edges or corners): all
 * of them are tried, in long double.  Of curved bodies the outermost points are formulas, in long double: when bodies
 * are apart, two points on their surfaces as near as a direction separates prove both (weak duality); when they overlap
 * thousands of directions must separate less, and so must what a search by small steps finds from the best of them.
 */
#ifndef ICF_TESTS_CONVEX_ORACLE_H
#define ICF_TESTS_CONVEX_ORACLE_H

#include "collide_poses.h"
#include "scene/solid.h"

enum { VERTEX_MAX = 160, EDGE_MAX = 480, FACE_MAX = 320 };

/* A shape in the world: a polytope that is grown, or a curved one. */
typedef struct {
    const icf_placed_shape *placed;
    int nvertex, nedge, nface;
    real3 vertex[VERTEX_MAX], normal[FACE_MAX];
    int edge[EDGE_MAX][2];
    real radius;
} world_shape;

static inline bool is_curved(icf_shape_type type)
{
    return type == ICF_SHAPE_CYLINDER || type == ICF_SHAPE_ELLIPSOID;
}

static inline real3 to_world(const icf_placed_shape *placed, real3 x)
{
    real3 y = oracle_from(placed->position);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) y.x[i] += (real)placed->rotation.m[3 * i + j] * x.x[j];
    return y;
}

static inline void make_world_shape(const icf_placed_shape *placed, world_shape *shape)
{
    *shape = (world_shape){.placed = placed};
    if (is_curved(placed->shape->type)) return;
    if (placed->shape->type != ICF_SHAPE_CONVEX) {
        const oracle_core core = oracle_make(placed);
        shape->nvertex = core.nvertex;
        shape->nedge = core.nedge;
        shape->radius = core.radius;
        for (int v = 0; v < core.nvertex; ++v) shape->vertex[v] = core.vertex[v];
        for (int e = 0; e < core.nedge; ++e)
            for (int k = 0; k < 2; ++k) shape->edge[e][k] = core.edge[e][k];
        shape->nface = core.naxis == 3 ? 3 : 0;
        for (int f = 0; f < shape->nface; ++f) shape->normal[f] = core.axis[f];
        return;
    }
    const icf_polytope *p = &placed->solids[placed->shape->index].polytope;
    shape->nvertex = p->nvertex;
    shape->nedge = p->nedge;
    shape->nface = p->nface;
    for (int v = 0; v < p->nvertex; ++v) shape->vertex[v] = to_world(placed, oracle_from(icf_polytope_vertex(p, v)));
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2; ++k) shape->edge[e][k] = p->edge[2 * e + k];
    for (int f = 0; f < p->nface; ++f) {
        const int32_t *c = p->face_vertex + p->face_ptr[f];
        const int n = p->face_ptr[f + 1] - p->face_ptr[f];
        for (int k = 1; k + 1 < n; ++k) {
            const real3 x = oracle_cross(oracle_sub(shape->vertex[c[k]], shape->vertex[c[0]]),
                                         oracle_sub(shape->vertex[c[k + 1]], shape->vertex[c[0]]));
            for (int i = 0; i < 3; ++i) shape->normal[f].x[i] += x.x[i];
        }
    }
}

/* How far the shape reaches along a unit direction. */
static inline real reach(const world_shape *shape, real3 d)
{
    if (!is_curved(shape->placed->shape->type)) {
        real top = -INFINITY;
        for (int v = 0; v < shape->nvertex; ++v) top = fmaxl(top, oracle_dot(shape->vertex[v], d));
        return top + shape->radius;
    }
    const icf_shape *s = shape->placed->shape;
    real own[3] = {0, 0, 0};
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) own[j] += (real)shape->placed->rotation.m[3 * i + j] * d.x[i];
    const real centre = oracle_dot(oracle_from(shape->placed->position), d);
    if (s->type == ICF_SHAPE_CYLINDER)
        return centre + s->radius * sqrtl(own[0] * own[0] + own[1] * own[1]) + s->half * fabsl(own[2]);
    const real e[3] = {s->extent.x, s->extent.y, s->extent.z};
    return centre +
           sqrtl(e[0] * e[0] * own[0] * own[0] + e[1] * e[1] * own[1] * own[1] + e[2] * e[2] * own[2] * own[2]);
}

static inline real3 real_unit(real3 d)
{
    const real length = sqrtl(oracle_dot(d, d));
    return (real3){{d.x[0] / length, d.x[1] / length, d.x[2] / length}};
}

static inline real separation_along(const world_shape *a, const world_shape *b, real3 d)
{
    const real3 back = {{-d.x[0], -d.x[1], -d.x[2]}};
    return -reach(a, d) - reach(b, back);
}

typedef struct {
    const world_shape *a, *b;
    real best;
    real3 direction;
} best_direction;

static inline void try_direction(best_direction *search, real3 d, bool both)
{
    if (!(oracle_dot(d, d) > 1e-60L)) return;
    d = real_unit(d);
    for (int side = 0; side < (both ? 2 : 1); ++side) {
        const real s = separation_along(search->a, search->b, d);
        if (s > search->best) {
            search->best = s;
            search->direction = d;
        }
        for (int i = 0; i < 3; ++i) d.x[i] = -d.x[i];
    }
}

/* Part of the vector from an edge to a point that is perpendicular to the edge. */
static inline real3 from_edge(const world_shape *shape, int e, real3 point)
{
    const real3 p = shape->vertex[shape->edge[e][0]], u = real_unit(oracle_sub(shape->vertex[shape->edge[e][1]], p));
    real3 w = oracle_sub(point, p);
    for (int pass = 0; pass < 2; ++pass) {
        const real s = oracle_dot(w, u);
        for (int i = 0; i < 3; ++i) w.x[i] -= s * u.x[i];
    }
    return w;
}

/* All directions that polytopes have. */
static inline void try_features(best_direction *search)
{
    const world_shape *shape[2] = {search->a, search->b};
    for (int k = 0; k < 2; ++k) {
        for (int f = 0; f < shape[k]->nface; ++f) try_direction(search, shape[k]->normal[f], true);
        for (int e = 0; e < shape[k]->nedge; ++e)
            for (int v = 0; v < shape[1 - k]->nvertex; ++v)
                try_direction(search, from_edge(shape[k], e, shape[1 - k]->vertex[v]), true);
    }
    for (int i = 0; i < shape[0]->nedge; ++i)
        for (int j = 0; j < shape[1]->nedge; ++j) {
            const int *e = shape[0]->edge[i], *f = shape[1]->edge[j];
            try_direction(search,
                          oracle_cross(oracle_sub(shape[0]->vertex[e[1]], shape[0]->vertex[e[0]]),
                                       oracle_sub(shape[1]->vertex[f[1]], shape[1]->vertex[f[0]])),
                          true);
        }
    for (int v = 0; v < shape[0]->nvertex; ++v)
        for (int w = 0; w < shape[1]->nvertex; ++w)
            try_direction(search, oracle_sub(shape[1]->vertex[w], shape[0]->vertex[v]), true);
}

/* Directions all over the sphere and what shapes have of their own, then smaller and smaller steps from the best. */
static inline void try_sphere(best_direction *search, int n, oracle_random *random)
{
    const world_shape *shape[2] = {search->a, search->b};
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 3; ++j)
            try_direction(search, oracle_from(icf_mat3_column(&shape[k]->placed->rotation, j)), true);
        for (int f = 0; f < shape[k]->nface; ++f) try_direction(search, shape[k]->normal[f], true);
    }
    for (int i = 0; i < n; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / n, r = sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
        try_direction(search, (real3){{r * cos(turn), r * sin(turn), z}}, false);
    }
    for (double step = 0.1; step > 1e-9;) {
        const real before = search->best;
        for (int k = 0; k < 12; ++k) {
            const icf_vec3 d = oracle_direction(random);
            real3 x = search->direction;
            x.x[0] += step * d.x;
            x.x[1] += step * d.y;
            x.x[2] += step * d.z;
            try_direction(search, x, false);
        }
        if (search->best <= before) step *= 0.6;
    }
}

/* ---- random shapes and poses ---- */

typedef struct {
    icf_shape shape[2];
    icf_solid solid[2];
    icf_placed_shape placed[2];
    double scale;
} convex_pair;

static inline icf_solid make_hull(icf_context *context, int n, const icf_vec3 *point)
{
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_convex(context, n, point, ICF_SOLID_GIVEN, &solid), ICF_OK);
    return solid;
}

/* Points of a ball, a prism, a box cut off, or a few corners, stretched along the axes. */
static inline icf_solid random_hull(icf_context *context, oracle_random *random, double factor)
{
    icf_vec3 point[40];
    int n = 0;
    const int kind = oracle_pick(random, 5);
    if (kind == 0)
        for (n = 0; n < 4 + oracle_pick(random, 28); ++n) point[n] = oracle_direction(random);
    else if (kind == 1) {
        const int sides = 3 + oracle_pick(random, 10);
        for (int k = 0; k < 2 * sides; ++k) {
            const double angle = 2.0 * M_PI * (k / 2) / sides;
            point[n++] = (icf_vec3){cos(angle), sin(angle), k % 2 == 0 ? -1 : 1};
        }
    } else if (kind == 2) {
        for (int v = 0; v < 8; ++v) point[n++] = (icf_vec3){v & 4 ? 1 : -1, v & 2 ? 1 : -1, v & 1 ? 1 : -1};
    } else {
        for (n = 0; n < 4 + oracle_pick(random, 5);)
            point[n++] =
                (icf_vec3){oracle_range(random, -1, 1), oracle_range(random, -1, 1), oracle_range(random, -1, 1)};
    }
    const icf_vec3 stretch = {factor * oracle_size(random), factor * oracle_size(random), factor * oracle_size(random)};
    for (int k = 0; k < n; ++k)
        point[k] = (icf_vec3){stretch.x * point[k].x, stretch.y * point[k].y, stretch.z * point[k].z};
    return make_hull(context, n, point);
}

/* All lengths times a factor. */
static inline void scale_shape(convex_pair *pair, int k, double factor)
{
    icf_shape *shape = &pair->shape[k];
    shape->radius *= factor;
    shape->half *= factor;
    shape->extent = icf_scale(factor, shape->extent);
}

static inline void random_shape(icf_context *context, oracle_random *random, icf_shape_type type, double factor,
                                convex_pair *pair, int k)
{
    icf_solid_init(&pair->solid[k]);
    if (type == ICF_SHAPE_CONVEX) {
        pair->solid[k] = random_hull(context, random, factor);
        pair->shape[k] = icf_solid_shape(&pair->solid[k], k);
        return;
    }
    pair->shape[k] = oracle_shape(random, type);
    if (type == ICF_SHAPE_CYLINDER && pair->shape[k].half == 0.0) pair->shape[k].half = 1.0;
    scale_shape(pair, k, factor);
}

/* Half sizes along the axes, for level positions. */
static inline icf_vec3 half_sizes(const icf_shape *shape)
{
    if (shape->type == ICF_SHAPE_SPHERE) return (icf_vec3){shape->radius, shape->radius, shape->radius};
    if (shape->type == ICF_SHAPE_CAPSULE) return (icf_vec3){shape->radius, shape->radius, shape->radius + shape->half};
    if (shape->type == ICF_SHAPE_CYLINDER) return (icf_vec3){shape->radius, shape->radius, shape->half};
    return shape->extent;
}

static inline void make_convex_pair(icf_context *context, oracle_random *random, icf_shape_type a, icf_shape_type b,
                                    convex_pair *pair)
{
    // millimetres, metres, kilometres
    const double factor = pow(1000.0, oracle_pick(random, 3) - 1);
    random_shape(context, random, a, factor, pair, 0);
    random_shape(context, random, b, factor, pair, 1);
    pair->scale = icf_shape_radius(&pair->shape[0]) + icf_shape_radius(&pair->shape[1]);
    const icf_vec3 e = half_sizes(&pair->shape[0]), f = half_sizes(&pair->shape[1]);
    icf_vec3 offset;
    const double far = oracle_pick(random, 4) == 0 ? 0.1 : 1.2;
    for (int i = 0; i < 3; ++i) {
        const double p = icf_get(e, i), q = icf_get(f, i), level[6] = {0, p + q, p - q, -p - q, q - p, p};
        double x = far * oracle_range(random, -pair->scale, pair->scale);
        if (oracle_pick(random, 2) == 0)
            x = level[oracle_pick(random, 6)] + oracle_small(random, -15, -2) * pair->scale;
        icf_set(&offset, i, x);
    }
    const bool is_plain = oracle_pick(random, 4) == 0;
    const icf_quat q = is_plain ? (icf_quat){1, 0, 0, 0}
                                : icf_quat_unit(oracle_turn(oracle_direction(random), oracle_range(random, -3, 3)));
    const icf_vec3 position = is_plain ? (icf_vec3){0, 0, 0} : icf_scale(pair->scale, oracle_direction(random));
    const icf_quat r = icf_quat_unit(icf_quat_mul(q, oracle_relative(random)));
    pair->placed[0] = (icf_placed_shape){&pair->shape[0], position, icf_quat_matrix(q), pair->solid};
    pair->placed[1] =
        (icf_placed_shape){&pair->shape[1], icf_add(position, icf_rotate(q, offset)), icf_quat_matrix(r), pair->solid};
}

static inline void clear_convex_pair(convex_pair *pair)
{
    for (int k = 0; k < 2; ++k) icf_solid_clear(&pair->solid[k]);
}

#endif
