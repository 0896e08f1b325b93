/* Bodies inside rigid surfaces: depths by hand in boxes, shells and height fields; points at random against the
 * inequality that says what is inside; what contact has seen is counted once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "check.h"
#include "geometry/inside.h"
#include "geometry/overlap.h"
#include "surface_samples.h"

static void add(icf_bodies *bodies, icf_shape shape, icf_vec3 position, icf_quat orientation, icf_motion_type motion)
{
    icf_body_def def = icf_body_def_default();
    def.gid = bodies->n;
    def.shape = shape;
    def.material = 0;
    def.mass = 1.0;
    def.position = position;
    def.orientation = icf_quat_unit(orientation);
    def.motion.type = motion;
    if (motion == ICF_MOTION_FIXED) def.locked = ICF_DOF_ALL;
    assert_int_equal(icf_bodies_add(bodies, &def, true), ICF_OK);
}

static void add_moving(icf_bodies *bodies, icf_shape shape, double x, double y, double z)
{
    add(bodies, shape, icf_vec3_make(x, y, z), upright, ICF_MOTION_DYNAMIC);
}

static void assert_inside(const icf_inside *item, icf_lid body, icf_lid surface, double depth)
{
    assert_int_equal(item->body, body);
    assert_int_equal(item->surface, surface);
    assert_near(item->depth, depth, 1e-12);
}

/* A block of 8 m x 8 m x 4 m about (10, 0, 0), turned by 90 degrees about x so that y is short. */
static void depths_in_a_block(void **state)
{
    icf_context *context = *state;
    icf_rigid_surface block;
    make_solid_box(context, &block, icf_vec3_make(4, 4, 2));
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    add(&bodies, shape_of(&block), icf_vec3_make(10, 0, 0), (icf_quat){1, 1, 0, 0}, ICF_MOTION_FIXED);
    add_moving(&bodies, make_sphere(0.1), 10, 0.5, 0);         // 1.5 to y = 2
    add_moving(&bodies, make_sphere(0.1), 10, 2.5, 0);         // beside it, as the turned block has it
    add_moving(&bodies, make_sphere(0.1), 10, 0, 3.5);         // 0.5 to z = 4
    add_moving(&bodies, make_capsule(0.1, 0.4), 12.5, 0.1, 0); // upright: 1.5 to x = 14
    add_moving(&bodies, make_box(0.2, 0.3, 0.4), 10, -1.2, 0); // 0.8 to y = -2
    add(&bodies, make_sphere(0.1), icf_vec3_make(10, 0, 0), upright, ICF_MOTION_FIXED);
    add_moving(&bodies, make_sphere(0.5), 14.4, 0, 0); // its middle is outside
    icf_inside_list list = {0};
    assert_int_equal(icf_inside_find(context, &bodies, NULL, &list), ICF_OK);
    assert_int_equal(list.n, 4);
    assert_inside(&list.item[0], 1, 0, 1.6);
    assert_inside(&list.item[1], 3, 0, 0.6);
    assert_inside(&list.item[2], 4, 0, 1.6);
    assert_inside(&list.item[3], 5, 0, 1.1);
    free(list.item);
    icf_bodies_clear(&bodies);
    icf_rigid_surface_clear(&block);
}

/* A box of half edge 3 with a hollow of half edge 2: inside is what lies between. */
static void a_hollow_is_outside(void **state)
{
    icf_context *context = *state;
    icf_rigid_surface shell;
    icf_rigid_surface_init(&shell);
    fill_box(&shell.mesh, icf_vec3_make(3, 3, 3));
    for (int v = 0; v < 8; ++v)
        assert_int_equal(icf_triangle_mesh_add_vertex(&shell.mesh, icf_scale(2.0 / 3.0, shell.mesh.vertex[v])), ICF_OK);
    for (int t = 0; t < 12; ++t) {
        const int *v = box_triangle[t];
        assert_int_equal(icf_triangle_mesh_add(&shell.mesh, v[0] + 8, v[2] + 8, v[1] + 8), ICF_OK);
    }
    finish_surface(context, &shell);
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    add_moving(&bodies, make_sphere(0.1), 0, 0, 0);
    add_moving(&bodies, make_sphere(0.1), 2.5, 0.3, 0.2);
    add_moving(&bodies, make_sphere(0.1), 1.9, 1.9, 1.9);
    add_moving(&bodies, make_sphere(0.1), 2.4, 2.3, -2.2); // nearest to the hollow's corner at (2, 2, -2)
    add(&bodies, shape_of(&shell), icf_vec3_make(0, 0, 0), upright, ICF_MOTION_FIXED);
    icf_inside_list list = {0};
    assert_int_equal(icf_inside_find(context, &bodies, NULL, &list), ICF_OK);
    assert_int_equal(list.n, 2);
    assert_inside(&list.item[0], 1, 4, 0.6);
    assert_inside(&list.item[1], 3, 4, sqrt(0.16 + 0.09 + 0.04) + 0.1);
    free(list.item);
    icf_bodies_clear(&bodies);
    icf_rigid_surface_clear(&shell);
}

static double hill(double x, double y)
{
    return 2.0 - 0.5 * fabs(x) - 0.25 * fabs(y);
}

/* The hill over the square of half edge 4, whose cells are flat. */
static icf_shape make_field(icf_context *context, icf_rigid_surface *surface)
{
    double height[9 * 9];
    icf_rigid_surface_init(surface);
    surface->source = ICF_SURFACE_HEIGHTS;
    surface->grid = (icf_height_grid){.n = {9, 9}, .spacing = {1, 1}, .origin = {-4, -4}};
    for (int k = 0; k < 9 * 9; ++k) height[k] = hill(k % 9 - 4, k / 9 - 4);
    assert_int_equal(icf_rigid_surface_fill_heights(surface, height), ICF_OK);
    finish_surface(context, surface);
    icf_shape shape = shape_of(surface);
    shape.type = ICF_SHAPE_HEIGHT_FIELD;
    return shape;
}

/* Below a field is inside, however deep; beside it is not. */
static void below_a_height_field(void **state)
{
    icf_context *context = *state;
    icf_rigid_surface field;
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    add(&bodies, make_field(context, &field), icf_vec3_make(0, 0, 0), upright, ICF_MOTION_FIXED);
    add_moving(&bodies, make_sphere(0.1), 1, 1, -50);
    add_moving(&bodies, make_sphere(0.1), 1, 1, 1.4);
    add_moving(&bodies, make_sphere(0.1), 5, 1, -3);
    add_moving(&bodies, make_sphere(0.1), 1, 1, 1.0);
    icf_inside_list list = {0};
    assert_int_equal(icf_inside_find(context, &bodies, NULL, &list), ICF_OK);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.item[0].body, 1);
    assert_true(list.item[0].depth > 48.0);
    // hill(1, 1) = 1.25: 0.25 above the middle, along a normal of slopes 1/2 and 1/4
    assert_inside(&list.item[1], 4, 0, 0.25 / sqrt(1.0 + 0.25 + 0.0625) + 0.1);
    // a sheet has no inside
    field.is_solid = false;
    assert_int_equal(icf_inside_find(context, &bodies, NULL, &list), ICF_OK);
    assert_int_equal(list.n, 0);
    free(list.item);
    icf_bodies_clear(&bodies);
    icf_rigid_surface_clear(&field);
}

/* Points about a turned box and over a turned field, by inequalities in their frames; any number of threads. */
static void many_points_by_inequalities(void **state)
{
    icf_context context = **(icf_context **)state;
    enum { N = 3000 };
    icf_rigid_surface block, field;
    icf_bodies bodies;
    const icf_quat turn = icf_quat_unit((icf_quat){0.9, 0.3, -0.2, 0.4});
    const icf_mat3 rotation = icf_quat_matrix(turn);
    const icf_vec3 e = {3, 2, 1}, at = {1, -1, 0.5};
    make_solid_box(&context, &block, e);
    icf_bodies_init(&bodies);
    add(&bodies, shape_of(&block), at, turn, ICF_MOTION_FIXED);
    add(&bodies, make_field(&context, &field), at, turn, ICF_MOTION_FIXED);
    icf_lid nblock = 0, nfield = 0;
    uint64_t seed = 5;
    for (int i = 0; i < N; ++i) {
        double u[3];
        for (int k = 0; k < 3; ++k) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            u[k] = 12.0 * ((double)(seed >> 33) / 2147483648.0 - 0.5);
        }
        const icf_vec3 x = {u[0], u[1], u[2]}, own = icf_mat3_tmul(&rotation, icf_sub(x, at));
        add_moving(&bodies, make_sphere(1e-3), x.x, x.y, x.z);
        nblock += fabs(own.x) < e.x && fabs(own.y) < e.y && fabs(own.z) < e.z;
        nfield += fabs(own.x) < 4.0 && fabs(own.y) < 4.0 && own.z < hill(own.x, own.y);
    }
    assert_true(nblock > 50 && nfield > 50);
    for (context.nthread = 1; context.nthread <= 3; ++context.nthread) {
        icf_inside_list list = {0};
        icf_lid n[2] = {0, 0};
        assert_int_equal(icf_inside_find(&context, &bodies, NULL, &list), ICF_OK);
        for (icf_lid k = 0; k < list.n; ++k) ++n[list.item[k].surface];
        assert_int_equal(n[0], nblock);
        assert_int_equal(n[1], nfield);
        free(list.item);
    }
    icf_bodies_clear(&bodies);
    icf_rigid_surface_clear(&block);
    icf_rigid_surface_clear(&field);
}

/* Rays from a lattice go through edges and corners of the block's triangles, and along its sides. */
static void rays_through_edges_see_the_same(void **state)
{
    icf_context *context = *state;
    icf_rigid_surface block;
    make_solid_box(context, &block, icf_vec3_make(4, 4, 4));
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    for (int x = -6; x <= 6; x += 2)
        for (int y = -6; y <= 6; y += 2)
            for (int z = -6; z <= 6; z += 4) add_moving(&bodies, make_sphere(0.1), x, y, z);
    add(&bodies, shape_of(&block), icf_vec3_make(0, 0, 0), upright, ICF_MOTION_FIXED);
    icf_inside_list list = {0};
    assert_int_equal(icf_inside_find(context, &bodies, NULL, &list), ICF_OK);
    assert_int_equal(list.n, 3 * 3 * 2); // of -2, 0, 2 and z of -2, 2
    free(list.item);
    icf_bodies_clear(&bodies);
    icf_rigid_surface_clear(&block);
}

/* What contact sees counts once, as it sees it; the others are hidden. */
static void overlaps_count_them_once(void **state)
{
    icf_context *context = *state;
    icf_rigid_surface block;
    make_solid_box(context, &block, icf_vec3_make(4, 4, 4));
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    add_moving(&bodies, make_sphere(0.5), 0, 0, 3.9);
    add_moving(&bodies, make_sphere(0.5), 0, 0, 2);
    add(&bodies, shape_of(&block), icf_vec3_make(0, 0, 0), upright, ICF_MOTION_FIXED);
    icf_overlaps overlaps;
    assert_int_equal(icf_overlaps_find(context, &bodies, NULL, &overlaps), ICF_OK);
    assert_int_equal(overlaps.npair, 2);
    assert_int_equal(overlaps.nbody, 3);
    assert_int_equal(overlaps.nhidden, 1);
    assert_int_equal(overlaps.first_hidden.pair.a, 1);
    assert_int_equal(overlaps.first_hidden.pair.b, 2);
    assert_near(overlaps.worst[0].depth, 2.5, 1e-12);
    assert_true(overlaps.worst[0].hidden);
    assert_near(overlaps.worst[1].depth, 0.6, 1e-12);
    assert_false(overlaps.worst[1].hidden);
    icf_bodies_clear(&bodies);
    icf_rigid_surface_clear(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(depths_in_a_block),        tet_test(a_hollow_is_outside),
        tet_test(below_a_height_field),     tet_test(many_points_by_inequalities),
        tet_test(overlaps_count_them_once), tet_test(rays_through_edges_see_the_same),
    };
    return run_tet_tests("inside", tests, sizeof tests / sizeof *tests);
}
