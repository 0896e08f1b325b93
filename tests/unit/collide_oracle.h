/* Signed distances of placed shapes by brute force, independent of the narrow phase.
 *
 * A shape is a core (a point, a segment, a box) grown by a radius.  The signed distance of two convex bodies is the
 * maximum over unit directions d of the separation min over b of d.x - max over a of d.x, which needs nothing but the
 * vertices.  For polytopes the maximum is attained at a direction from a finite list: face normals, cross products of
 * edges, and directions between nearest features (vertex to vertex, vertex to edge).  In long double.
 */
#ifndef ICF_TESTS_COLLIDE_ORACLE_H
#define ICF_TESTS_COLLIDE_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "geometry/collide.h"

typedef long double real;
typedef struct {
    real x[3];
} real3;

/* Vertices, edge directions and face normals of a core, world. */
typedef struct {
    int nvertex, nedge, naxis;
    real3 vertex[8];
    int edge[12][2];
    real3 axis[3]; /* directions of edges; of a box also its face normals */
    real radius;
} oracle_core;

static inline real3 oracle_sub(real3 a, real3 b)
{
    return (real3){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}
static inline real oracle_dot(real3 a, real3 b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static inline real3 oracle_cross(real3 a, real3 b)
{
    return (real3){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static inline real3 oracle_from(icf_vec3 a)
{
    return (real3){{a.x, a.y, a.z}};
}

static inline oracle_core oracle_make(const icf_placed_shape *placed)
{
    const icf_shape *shape = placed->shape;
    const bool is_box = shape->type == ICF_SHAPE_BOX;
    const double half = shape->type == ICF_SHAPE_CAPSULE ? shape->half : 0.0;
    const double e[3] = {is_box ? shape->extent.x : 0.0, is_box ? shape->extent.y : 0.0,
                         is_box ? shape->extent.z : half};
    oracle_core core = {.radius = is_box ? 0.0 : shape->radius};
    const double position[3] = {placed->position.x, placed->position.y, placed->position.z};
    int number[8] = {0};
    for (int v = 0; v < 8; ++v) {
        const int sign[3] = {v & 4 ? 1 : -1, v & 2 ? 1 : -1, v & 1 ? 1 : -1};
        bool is_copy = false;
        for (int i = 0; i < 3; ++i) is_copy |= e[i] == 0.0 && sign[i] > 0;
        if (is_copy) continue;
        real3 *x = &core.vertex[core.nvertex];
        for (int i = 0; i < 3; ++i) {
            x->x[i] = position[i];
            for (int j = 0; j < 3; ++j) x->x[i] += (real)placed->rotation.m[3 * i + j] * sign[j] * e[j];
        }
        number[v] = core.nvertex++;
    }
    for (int i = 0; i < 3; ++i) {
        if (e[i] == 0.0) continue;
        core.axis[core.naxis++] = oracle_from(icf_mat3_column(&placed->rotation, i));
        for (int v = 0; v < 8; ++v) {
            const int bit = 4 >> i;
            bool is_copy = (v & bit) != 0;
            for (int j = 0; j < 3; ++j) is_copy |= e[j] == 0.0 && (v & (4 >> j)) != 0;
            if (is_copy) continue;
            core.edge[core.nedge][0] = number[v];
            core.edge[core.nedge++][1] = number[v | bit];
        }
    }
    return core;
}

/* Separation along a direction of any length > 0; minus infinity along a vanishing one. */
static inline real oracle_separation(const oracle_core *a, const oracle_core *b, real3 d)
{
    const real length = sqrtl(oracle_dot(d, d));
    if (!(length > 1e-300L)) return -INFINITY;
    real top = -INFINITY, bottom = INFINITY;
    for (int v = 0; v < a->nvertex; ++v) top = fmaxl(top, oracle_dot(a->vertex[v], d));
    for (int v = 0; v < b->nvertex; ++v) bottom = fminl(bottom, oracle_dot(b->vertex[v], d));
    return (bottom - top) / length;
}

/* Best direction so far. */
typedef struct {
    const oracle_core *a, *b;
    real best;
    real3 direction;
} oracle_search;

static inline void oracle_try(oracle_search *search, real3 d)
{
    for (int side = 0; side < 2; ++side) {
        const real s = oracle_separation(search->a, search->b, d);
        if (s > search->best) {
            search->best = s;
            search->direction = d;
        }
        for (int i = 0; i < 3; ++i) d.x[i] = -d.x[i];
    }
}

/* Part of the vector from an edge to a point that is perpendicular to the edge; taken twice, so that it is also
 * perpendicular when it is tiny. */
static inline real3 oracle_from_edge(const oracle_core *core, int edge, real3 point)
{
    const real3 p = core->vertex[core->edge[edge][0]], u = oracle_sub(core->vertex[core->edge[edge][1]], p);
    real3 w = oracle_sub(point, p);
    for (int pass = 0; pass < 2; ++pass) {
        const real s = oracle_dot(w, u) / oracle_dot(u, u);
        for (int i = 0; i < 3; ++i) w.x[i] -= s * u.x[i];
    }
    return w;
}

/* Signed distance of the cores; *direction is where it is attained, unit, from a to b. */
static inline real oracle_cores(const oracle_core *a, const oracle_core *b, real3 *direction)
{
    oracle_search search = {a, b, -INFINITY, {{0, 0, 1}}};
    const oracle_core *core[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < core[k]->naxis && core[k]->naxis == 3; ++i) oracle_try(&search, core[k]->axis[i]);
        for (int e = 0; e < core[k]->nedge; ++e)
            for (int v = 0; v < core[1 - k]->nvertex; ++v)
                oracle_try(&search, oracle_from_edge(core[k], e, core[1 - k]->vertex[v]));
    }
    for (int i = 0; i < a->naxis; ++i)
        for (int j = 0; j < b->naxis; ++j) oracle_try(&search, oracle_cross(a->axis[i], b->axis[j]));
    for (int v = 0; v < a->nvertex; ++v)
        for (int w = 0; w < b->nvertex; ++w) oracle_try(&search, oracle_sub(b->vertex[w], a->vertex[v]));
    // cores without volume that meet: every direction perpendicular to them separates by nothing
    for (int i = 0; i < 3; ++i) {
        const real3 axis = {{i == 0, i == 1, i == 2}};
        for (int k = 0; k < 2; ++k)
            if (core[k]->naxis > 0) oracle_try(&search, oracle_cross(core[k]->axis[0], axis));
        oracle_try(&search, axis);
    }
    const real length = sqrtl(oracle_dot(search.direction, search.direction));
    for (int i = 0; i < 3; ++i) direction->x[i] = search.direction.x[i] / length;
    return search.best;
}

/* Signed distance of two placed shapes, neither of them a half-space. */
static inline double oracle_distance(const icf_placed_shape *a, const icf_placed_shape *b, icf_vec3 *normal)
{
    const oracle_core core_a = oracle_make(a), core_b = oracle_make(b);
    real3 d;
    const real distance = oracle_cores(&core_a, &core_b, &d) - core_a.radius - core_b.radius;
    *normal = (icf_vec3){(double)d.x[0], (double)d.x[1], (double)d.x[2]};
    return (double)distance;
}

/* Separation of two placed shapes along a direction. */
static inline double oracle_along(const icf_placed_shape *a, const icf_placed_shape *b, icf_vec3 direction)
{
    const oracle_core core_a = oracle_make(a), core_b = oracle_make(b);
    return (double)(oracle_separation(&core_a, &core_b, oracle_from(direction)) - core_a.radius - core_b.radius);
}

/* How far a point is from the surface of a shape. */
static inline double oracle_off_surface(const icf_placed_shape *placed, icf_vec3 point)
{
    const icf_shape *shape = placed->shape;
    if (shape->type == ICF_SHAPE_HALF_SPACE) return fabs(icf_dot(shape->normal, point) - shape->offset);
    const icf_vec3 x = icf_mat3_tmul(&placed->rotation, icf_sub(point, placed->position));
    if (shape->type == ICF_SHAPE_BOX) {
        const icf_vec3 e = shape->extent;
        const icf_vec3 out = {fmax(fabs(x.x) - e.x, 0.0), fmax(fabs(x.y) - e.y, 0.0), fmax(fabs(x.z) - e.z, 0.0)};
        const double below = fmin(fabs(fabs(x.x) - e.x), fmin(fabs(fabs(x.y) - e.y), fabs(fabs(x.z) - e.z)));
        return fmax(icf_norm(out), below);
    }
    const double half = shape->type == ICF_SHAPE_CAPSULE ? shape->half : 0.0;
    const double z = x.z - fmax(-half, fmin(half, x.z));
    return fabs(sqrt(x.x * x.x + x.y * x.y + z * z) - shape->radius);
}

/* Random numbers: the same on every machine. */
typedef struct {
    uint64_t state;
} oracle_random;

static inline double oracle_uniform(oracle_random *random)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random->state >> 11) * 0x1p-53;
}
static inline double oracle_range(oracle_random *random, double low, double high)
{
    return low + (high - low) * oracle_uniform(random);
}
static inline int oracle_pick(oracle_random *random, int n)
{
    return (int)(oracle_uniform(random) * n);
}
/* 10^x with x uniform */
static inline double oracle_power(oracle_random *random, double low, double high)
{
    return pow(10.0, oracle_range(random, low, high));
}
static inline icf_vec3 oracle_direction(oracle_random *random)
{
    for (;;) {
        const icf_vec3 v = {oracle_range(random, -1, 1), oracle_range(random, -1, 1), oracle_range(random, -1, 1)};
        const double length = icf_norm(v);
        if (length > 0.01 && length < 1.0) return icf_scale(1.0 / length, v);
    }
}
static inline icf_quat oracle_turn(icf_vec3 axis, double angle)
{
    const double s = sin(0.5 * angle);
    return (icf_quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

#endif
