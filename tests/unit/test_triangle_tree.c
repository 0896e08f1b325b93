/* Closest points of a closed surface: against all triangles one by one, inside and outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check.h"
#include "geometry/triangle_tree.h"
#include "scene/tet_generate.h"
#include "scene/tet_surface.h"

typedef struct fixture {
    icf_context context;
    icf_tet_mesh mesh;
    icf_tet_surface surface;
    icf_arena arena;
    icf_triangle_tree tree;
} fixture;

static void set_up(fixture *f, icf_lid resolution)
{
    *f = (fixture){0};
    icf_tet_mesh_init(&f->mesh);
    icf_tet_surface_init(&f->surface);
    icf_arena_init(&f->arena);
    assert_int_equal(icf_tet_mesh_sphere(&f->context, &f->mesh, 1.0, resolution), ICF_OK);
    assert_int_equal(icf_tet_surface_build(&f->surface, &f->mesh), ICF_OK);
    assert_int_equal(icf_triangle_tree_build(&f->tree, &f->arena, f->surface.ntriangle,
                                             (const icf_lid(*)[3])f->surface.triangle, f->mesh.vertex),
                     ICF_OK);
}

static void tear_down(fixture *f)
{
    icf_arena_clear(&f->arena);
    icf_tet_surface_clear(&f->surface);
    icf_tet_mesh_clear(&f->mesh);
}

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1.0;
}

static double brute_force(const fixture *f, const icf_vec3 *x, icf_vec3 p)
{
    double best = INFINITY;
    for (icf_lid t = 0; t < f->surface.ntriangle; ++t) {
        const icf_lid *v = f->surface.triangle[t];
        const icf_vec3 a = x[v[0]], b = x[v[1]], c = x[v[2]];
        double w[3];
        icf_closest_on_triangle(p, a, b, c, w);
        const icf_vec3 y = icf_add(icf_add(icf_scale(w[0], a), icf_scale(w[1], b)), icf_scale(w[2], c));
        best = fmin(best, icf_norm(icf_sub(p, y)));
    }
    return best;
}

/* The distance is the smallest, its sign tells the side, and the normal is its gradient. */
static void distances_of_a_ball(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 5);
    unsigned seed = 3;
    for (int k = 0; k < 2000; ++k) {
        const icf_vec3 p = {1.5 * noise(&seed), 1.5 * noise(&seed), 1.5 * noise(&seed)};
        icf_surface_hit hit;
        assert_true(icf_triangle_tree_closest(&f.tree, p, INFINITY, NULL, NULL, &hit));
        assert_near(fabs(hit.distance), brute_force(&f, f.mesh.vertex, p), 1e-12);
        /* a polyhedron in the unit ball, within 4 % of it */
        const double r = icf_norm(p);
        if (r > 1.0) assert_true(hit.distance > 0.0);
        if (r < 0.96) assert_true(hit.distance < 0.0);
        assert_near(icf_norm(hit.normal), 1.0, 1e-12);
        const icf_vec3 back = icf_mul_add(hit.point, hit.distance, hit.normal);
        assert_near(icf_norm(icf_sub(back, p)), 0.0, 1e-9);
    }
    tear_down(&f);
}

/* A state far from that for which the tree was built: turned, pressed flat, wound up, moved away. */
static icf_vec3 bend(icf_vec3 p)
{
    const double angle = 2.0 * p.z;
    return icf_vec3_make(5.0 + 0.1 * p.z, p.x * cos(angle) - p.y * sin(angle), p.x * sin(angle) + p.y * cos(angle));
}

/* A tree that is fitted to another state finds what one finds that is built for it. */
static void a_fitted_tree_finds_the_same(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 5);
    icf_triangle_tree fitted, built;
    icf_vec3 *x = ICF_ARENA_ARRAY(&f.arena, icf_vec3, f.mesh.nvertex);
    assert_non_null(x);
    for (icf_lid v = 0; v < f.mesh.nvertex; ++v) x[v] = bend(f.mesh.vertex[v]);
    assert_int_equal(icf_triangle_tree_refit(&fitted, &f.arena, &f.tree, x), ICF_OK);
    assert_int_equal(
        icf_triangle_tree_build(&built, &f.arena, f.surface.ntriangle, (const icf_lid(*)[3])f.surface.triangle, x),
        ICF_OK);
    const icf_box whole = icf_triangle_tree_box(&fitted), other = icf_triangle_tree_box(&built);
    assert_memory_equal(&whole, &other, sizeof whole);
    unsigned seed = 7;
    for (int k = 0; k < 2000; ++k) {
        const icf_vec3 p = {5.0 + 0.3 * noise(&seed), 1.5 * noise(&seed), 1.5 * noise(&seed)};
        icf_surface_hit hit, same;
        assert_true(icf_triangle_tree_closest(&fitted, p, INFINITY, NULL, NULL, &hit));
        assert_true(icf_triangle_tree_closest(&built, p, INFINITY, NULL, NULL, &same));
        assert_near(hit.distance, same.distance, 1e-12);
        assert_near(fabs(hit.distance), brute_force(&f, x, p), 1e-12);
    }
    tear_down(&f);
}

/* Beyond the radius nothing is found. */
static void a_radius_limits_the_search(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 3);
    icf_surface_hit hit;
    const icf_vec3 far = {3.0, 0.0, 0.0};
    assert_false(icf_triangle_tree_closest(&f.tree, far, 1.9, NULL, NULL, &hit));
    assert_true(icf_triangle_tree_closest(&f.tree, far, 2.1, NULL, NULL, &hit));
    tear_down(&f);
}

static bool not_this(const void *user, const icf_surface_hit *hit)
{
    return hit->triangle != *(const icf_lid *)user;
}

/* A triangle that the filter refuses leaves room for the next best. */
static void a_filter_refuses_triangles(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 3);
    icf_surface_hit first, second;
    const icf_vec3 p = {0.9, 0.7, 0.1};
    assert_true(icf_triangle_tree_closest(&f.tree, p, INFINITY, NULL, NULL, &first));
    assert_true(icf_triangle_tree_closest(&f.tree, p, INFINITY, not_this, &first.triangle, &second));
    assert_true(second.triangle != first.triangle);
    assert_true(fabs(second.distance) >= fabs(first.distance));
    tear_down(&f);
}

/* A place and a cone. */
typedef struct sight {
    icf_vec3 point;
    icf_cone cone;
} sight;

static bool is_in_cone(const void *user, const icf_surface_hit *hit)
{
    const sight *s = user;
    const icf_vec3 way = icf_sub(hit->point, s->point);
    return icf_dot(way, s->cone.axis) > s->cone.cosine * icf_norm(way);
}

/* Boxes out of sight hide nothing: the same hits as without leaving them out. */
static void a_cone_leaves_out_what_is_not_in_it(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 5);
    unsigned seed = 5;
    int nfound = 0;
    for (int k = 0; k < 2000; ++k) {
        const icf_vec3 p = {1.5 * noise(&seed), 1.5 * noise(&seed), 1.5 * noise(&seed)};
        const icf_vec3 axis = {noise(&seed), noise(&seed), noise(&seed)};
        const sight s = {p, {icf_scale(1.0 / icf_norm(axis), axis), 0.25}};
        icf_surface_hit all, ahead;
        const bool found = icf_triangle_tree_closest(&f.tree, p, 2.0, is_in_cone, &s, &all);
        assert_int_equal(icf_triangle_tree_closest_in(&f.tree, p, &s.cone, 2.0, is_in_cone, &s, &ahead), found);
        if (found) assert_memory_equal(&ahead, &all, sizeof all);
        nfound += found;
    }
    assert_in_range(nfound, 500, 1900);
    tear_down(&f);
}

/* Corners and edges of one triangle. */
static void closest_points_of_a_triangle(void **state)
{
    (void)state;
    const icf_vec3 a = {0, 0, 0}, b = {2, 0, 0}, c = {0, 1, 0};
    const struct {
        icf_vec3 p;
        double w[3];
    } cases[] = {
        {{-1, -1, 3}, {1, 0, 0}},    {{5, -1, 0}, {0, 1, 0}},          {{-1, 4, 1}, {0, 0, 1}},
        {{1, -2, 1}, {0.5, 0.5, 0}}, {{-2, 0.25, 0}, {0.75, 0, 0.25}}, {{0.5, 0.25, 7}, {0.5, 0.25, 0.25}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double w[3];
        icf_closest_on_triangle(cases[k].p, a, b, c, w);
        for (int i = 0; i < 3; ++i) assert_near(w[i], cases[k].w[i], 1e-15);
    }
    double w[3]; /* without area: the closest point of the line */
    icf_closest_on_triangle((icf_vec3){1, 1, 0}, a, b, (icf_vec3){4, 0, 0}, w);
    assert_near(w[0] * a.x + w[1] * b.x + w[2] * 4.0, 1.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distances_of_a_ball),
                                       cmocka_unit_test(a_fitted_tree_finds_the_same),
                                       cmocka_unit_test(a_radius_limits_the_search),
                                       cmocka_unit_test(a_filter_refuses_triangles),
                                       cmocka_unit_test(a_cone_leaves_out_what_is_not_in_it),
                                       cmocka_unit_test(closest_points_of_a_triangle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
