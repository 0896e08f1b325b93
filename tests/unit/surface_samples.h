/* Rigid surfaces and placed shapes that tests share. */
#ifndef ICF_TESTS_SURFACE_SAMPLES_H
#define ICF_TESTS_SURFACE_SAMPLES_H

#include "triangle_samples.h"

#include "base/random.h"
#include "geometry/narrow_surface.h"
#include "geometry/surface_tree.h"

/* A shape with a place of its own. */
typedef struct sample_body {
    icf_shape shape;
    icf_placed_shape placed;
} sample_body;

static inline void place_body(sample_body *body, icf_shape shape, icf_vec3 position, icf_quat orientation)
{
    body->shape = shape;
    body->placed = (icf_placed_shape){&body->shape, position, icf_quat_matrix(icf_quat_unit(orientation)), NULL};
}

static const icf_quat upright = {1, 0, 0, 0};

static inline icf_shape make_sphere(double radius)
{
    return (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
}
static inline icf_shape make_capsule(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = radius, .half = half};
}
static inline icf_shape make_box(double x, double y, double z)
{
    return (icf_shape){.type = ICF_SHAPE_BOX, .extent = {x, y, z}};
}

static inline icf_shape shape_of(const icf_rigid_surface *surface)
{
    return (icf_shape){
        .type = ICF_SHAPE_MESH, .radius = surface->radius, .extent = surface->extent, .surface = surface};
}

/* What a surface whose mesh has been filled lacks. */
static inline void finish_surface(icf_context *context, icf_rigid_surface *surface)
{
    assert_int_equal(icf_triangle_mesh_finalize(context, &surface->mesh, "sample"), ICF_OK);
    assert_int_equal(icf_rigid_surface_finish(context, surface), ICF_OK);
    assert_int_equal(icf_surface_tree_build(surface), ICF_OK);
}

/* Triangles between n x n vertices, row by row; the diagonals of their cells go either way. */
static inline void fill_grid(icf_triangle_mesh *mesh, int n)
{
    for (int j = 0; j + 1 < n; ++j)
        for (int i = 0; i + 1 < n; ++i) {
            const int a = j * n + i, b = a + 1, c = b + n, d = a + n, odd = (i + j) % 2;
            assert_int_equal(icf_triangle_mesh_add(mesh, a, b, odd ? d : c), ICF_OK);
            assert_int_equal(icf_triangle_mesh_add(mesh, odd ? b : a, c, d), ICF_OK);
        }
}

/* Heights of a grid of n x n points over the square of half edge `half`. */
static inline void make_sheet(icf_context *context, icf_rigid_surface *surface, int n, double half,
                              double (*height)(double x, double y))
{
    icf_rigid_surface_init(surface);
    icf_triangle_mesh *mesh = &surface->mesh;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const double x = half * (2.0 * i / (n - 1) - 1.0), y = half * (2.0 * j / (n - 1) - 1.0);
            assert_int_equal(icf_triangle_mesh_add_vertex(mesh, icf_vec3_make(x, y, height(x, y))), ICF_OK);
        }
    fill_grid(mesh, n);
    finish_surface(context, surface);
}

static inline double flat(double x, double y)
{
    (void)x;
    (void)y;
    return 0.0;
}

static inline void make_solid_box(icf_context *context, icf_rigid_surface *surface, icf_vec3 e)
{
    icf_rigid_surface_init(surface);
    fill_box(&surface->mesh, e);
    finish_surface(context, surface);
}

#endif
