/* Distance of a sphere, capsule or box from a triangle mesh by brute force, independent of the narrow phase: of all
 * triangles, all corners against all faces and all edges against all edges, in long double. */
#ifndef ICF_TESTS_SURFACE_ORACLE_H
#define ICF_TESTS_SURFACE_ORACLE_H

#include "collide_oracle.h"
#include "surface_samples.h"

static inline real3 oracle_blend(real3 p, real s, real3 u)
{
    return (real3){{p.x[0] + s * u.x[0], p.x[1] + s * u.x[1], p.x[2] + s * u.x[2]}};
}

static inline real oracle_clamp(real x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static inline real oracle_length(real3 a)
{
    return sqrtl(oracle_dot(a, a));
}

/* Distance of two segments: of each end from the other one, and where the lines are nearest. */
static inline real segment_distance(const real3 p[2], const real3 q[2])
{
    const real3 u = oracle_sub(p[1], p[0]), w = oracle_sub(q[1], q[0]), r = oracle_sub(p[0], q[0]);
    const real uu = oracle_dot(u, u), ww = oracle_dot(w, w), uw = oracle_dot(u, w);
    real best = INFINITY;
    for (int e = 0; e < 2; ++e) {
        const real s = uu > 0 ? oracle_clamp(oracle_dot(oracle_sub(q[e], p[0]), u) / uu) : 0;
        best = fminl(best, oracle_length(oracle_sub(oracle_blend(p[0], s, u), q[e])));
        const real t = ww > 0 ? oracle_clamp(oracle_dot(oracle_sub(p[e], q[0]), w) / ww) : 0;
        best = fminl(best, oracle_length(oracle_sub(oracle_blend(q[0], t, w), p[e])));
    }
    const real determinant = uu * ww - uw * uw;
    if (determinant <= 0) return best;
    const real s = (uw * oracle_dot(w, r) - ww * oracle_dot(u, r)) / determinant;
    const real t = (uu * oracle_dot(w, r) - uw * oracle_dot(u, r)) / determinant;
    if (s < 0 || s > 1 || t < 0 || t > 1) return best;
    return fminl(best, oracle_length(oracle_sub(oracle_blend(p[0], s, u), oracle_blend(q[0], t, w))));
}

/* Distance of a point from the inside of a triangle; INFINITY beside it. */
static inline real face_distance(real3 p, const real3 x[3])
{
    const real3 normal = oracle_cross(oracle_sub(x[1], x[0]), oracle_sub(x[2], x[0]));
    for (int k = 0; k < 3; ++k) {
        const real3 outward = oracle_cross(oracle_sub(x[(k + 1) % 3], x[k]), normal);
        if (oracle_dot(outward, oracle_sub(p, x[k])) > 0) return INFINITY;
    }
    return fabsl(oracle_dot(normal, oracle_sub(p, x[0]))) / oracle_length(normal);
}

/* Whether a segment goes through a triangle. */
static inline bool pierces(const real3 p[2], const real3 x[3])
{
    const real3 normal = oracle_cross(oracle_sub(x[1], x[0]), oracle_sub(x[2], x[0]));
    const real a = oracle_dot(normal, oracle_sub(p[0], x[0])), b = oracle_dot(normal, oracle_sub(p[1], x[0]));
    if (a * b > 0 || a == b) return false;
    return face_distance(oracle_blend(p[0], a / (a - b), oracle_sub(p[1], p[0])), x) < INFINITY;
}

/* Distance of a core from a triangle; 0 when they meet. */
static inline real core_distance(const oracle_core *core, const real3 x[3])
{
    static const int square[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                     {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    real best = INFINITY;
    for (int e = 0; e < core->nedge; ++e) {
        const real3 edge[2] = {core->vertex[core->edge[e][0]], core->vertex[core->edge[e][1]]};
        if (pierces(edge, x)) return 0;
        for (int k = 0; k < 3; ++k) best = fminl(best, segment_distance(edge, (const real3[]){x[k], x[(k + 1) % 3]}));
    }
    for (int v = 0; v < core->nvertex; ++v) {
        best = fminl(best, face_distance(core->vertex[v], x));
        for (int k = 0; k < 3; ++k)
            best = fminl(best, segment_distance((const real3[]){core->vertex[v], core->vertex[v]},
                                                (const real3[]){x[k], x[(k + 1) % 3]}));
    }
    if (core->nvertex < 8) return best;
    for (int f = 0; f < 6; ++f)
        for (int half = 0; half < 2; ++half) {
            const real3 face[3] = {core->vertex[square[f][0]], core->vertex[square[f][1 + half]],
                                   core->vertex[square[f][2 + half]]};
            for (int k = 0; k < 3; ++k) {
                if (pierces((const real3[]){x[k], x[(k + 1) % 3]}, face)) return 0;
                best = fminl(best, face_distance(x[k], face));
            }
        }
    return best;
}

/* Distance of a body's core from a placed surface. */
static inline real surface_distance(const icf_placed_shape *surface, const icf_placed_shape *body)
{
    const oracle_core core = oracle_make(body);
    const icf_triangle_mesh *mesh = &surface->shape->surface->mesh;
    real best = INFINITY;
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) {
        real3 x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = oracle_from(
                icf_add(surface->position, icf_mat3_mul(&surface->rotation, mesh->vertex[mesh->triangle[t][k]])));
        best = fminl(best, core_distance(&core, x));
    }
    return best;
}

static icf_surface_work work; /* points of the last collide_surface */

static inline double smallest_distance(void)
{
    double smallest = INFINITY;
    for (icf_lid i = 0; i < work.npoint; ++i) smallest = fmin(smallest, work.point[i].distance);
    return smallest;
}

/* Contact points below a distance, in work, with what holds for all of them; returns their smallest distance. */
static inline double collide_surface(const icf_placed_shape *surface, const icf_placed_shape *body, double distance)
{
    assert_int_equal(icf_collide_surface(surface, body, distance, &work), ICF_OK);
    for (icf_lid i = 0; i < work.npoint; ++i) {
        const icf_contact_point *p = &work.point[i];
        assert_true(p->distance < distance);
        assert_near(icf_norm(p->normal), 1.0, 1e-12);
        assert_near(icf_dot(p->normal, icf_sub(p->on_b, p->on_a)), p->distance, 1e-9 * (1.0 + fabs(p->distance)));
        if (i > 0) assert_true(p->feature > work.point[i - 1].feature);
    }
    return smallest_distance();
}

#endif
