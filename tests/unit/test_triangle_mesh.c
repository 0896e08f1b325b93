/* Triangle meshes: welding, and what is found wrong with a surface. */
#include "triangle_samples.h"

static void twins_become_one_vertex(void **state)
{
    /* two triangles of a square with corners of their own; -0 is 0, and vertex 3 is in no triangle */
    const icf_vec3 vertex[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {9, 9, 9}, {-0.0, 0, -0.0}, {1, 1, 0}, {0, 1, 0}};
    icf_triangle_mesh mesh;
    fill_triangles(&mesh, 7, vertex, 2, (const int[][3]){{1, 2, 0}, {4, 5, 6}});
    assert_int_equal(icf_triangle_mesh_finalize(*state, &mesh, "square"), ICF_OK);
    assert_int_equal(mesh.nvertex, 4);
    assert_indices(3, mesh.triangle[0], (const int[]){0, 1, 2});
    assert_indices(3, mesh.triangle[1], (const int[]){2, 1, 3});
    assert_true(mesh.vertex[3].x == 0.0 && mesh.vertex[3].y == 1.0);
    icf_triangle_defects defects;
    assert_int_equal(icf_triangle_mesh_survey(&mesh, &defects), ICF_OK);
    assert_false(defects.closed);
    assert_int_equal(defects.nopen, 4);
    assert_near(defects.area, 1.0, 1e-15);
    icf_triangle_mesh_clear(&mesh);
}

/* Vertices nearer than any tolerance stay apart. */
static void only_equal_vertices_are_welded(void **state)
{
    const icf_vec3 vertex[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {nextafter(1.0, 2.0), 0, 0}, {0, 0, 1}};
    icf_triangle_mesh mesh;
    fill_triangles(&mesh, 5, vertex, 2, (const int[][3]){{0, 1, 2}, {0, 3, 4}});
    assert_int_equal(icf_triangle_mesh_finalize(*state, &mesh, "m"), ICF_OK);
    assert_int_equal(mesh.nvertex, 5);
    icf_triangle_mesh_clear(&mesh);
}

static void a_box_bounds_a_solid(void **state)
{
    icf_triangle_mesh mesh;
    icf_triangle_defects defects;
    fill_box(&mesh, icf_vec3_make(0.5, 1.0, 1.5));
    assert_int_equal(icf_triangle_mesh_finalize(*state, &mesh, "box"), ICF_OK);
    assert_int_equal(icf_triangle_mesh_survey(&mesh, &defects), ICF_OK);
    assert_true(defects.closed && !defects.inside_out);
    assert_near(defects.volume, 6.0, 1e-14);
    assert_near(defects.area, 22.0, 1e-14);
    assert_true(defects.lo.y == -1.0 && defects.hi.z == 1.5);
    assert_int_equal(icf_triangle_mesh_require_solid(*state, &mesh, &defects, "box"), ICF_OK);
    icf_triangle_mesh_clear(&mesh);
}

static void assert_no_solid(icf_context *context, icf_triangle_mesh *mesh, const char *part)
{
    icf_triangle_defects defects;
    assert_int_equal(icf_triangle_mesh_finalize(context, mesh, "bad"), ICF_OK);
    assert_int_equal(icf_triangle_mesh_survey(mesh, &defects), ICF_OK);
    assert_failed(context, icf_triangle_mesh_require_solid(context, mesh, &defects, "bad"), ICF_ERROR_SCENE, part);
    icf_triangle_mesh_clear(mesh);
}

static void swap_corners(icf_lid *triangle)
{
    const icf_lid last = triangle[2];
    triangle[2] = triangle[1];
    triangle[1] = last;
}

static void what_is_no_solid_names_its_triangle(void **state)
{
    icf_context *context = *state;
    const icf_vec3 e = {0.5, 0.5, 0.5};
    icf_triangle_mesh mesh;

    fill_box(&mesh, e);
    --mesh.ntriangle; // without 1 7 3
    assert_no_solid(context, &mesh,
                    "bad: the surface leaks: no other triangle has the edge of triangle 0 (counting from "
                    "0) from (-0.5, -0.5, 0.5) to (-0.5, 0.5, 0.5) (3 such edges)");
    fill_box(&mesh, e);
    swap_corners(mesh.triangle[5]);
    assert_no_solid(context, &mesh, "share an edge but look to different sides (3 such edges)");

    fill_box(&mesh, e);
    for (icf_lid t = 0; t < mesh.ntriangle; ++t) swap_corners(mesh.triangle[t]);
    assert_no_solid(context, &mesh, "inside out: triangle 2 (counting from 0) looks inwards, the volume is -1 m^3");

    fill_box(&mesh, e);
    assert_int_equal(icf_triangle_mesh_add(&mesh, 7, 3, 1), ICF_OK); // 1 7 3 once more
    assert_no_solid(context, &mesh, "triangle 12 (counting from 0) has the vertices of triangle 11 (1 such triangles)");

    fill_box(&mesh, e);
    assert_int_equal(icf_triangle_mesh_add_vertex(&mesh, icf_vec3_make(2, 2, 2)), ICF_OK);
    assert_int_equal(icf_triangle_mesh_add(&mesh, 0, 1, 8), ICF_OK); // a fin
    assert_no_solid(context, &mesh, "the surface leaks: no other triangle has the edge of triangle 12");

    // a flat envelope: two triangles back to back
    fill_triangles(&mesh, 3, (const icf_vec3[]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 1, (const int[][3]){{0, 1, 2}});
    assert_int_equal(icf_triangle_mesh_add_vertex(&mesh, icf_vec3_make(1, 1, 0)), ICF_OK);
    assert_int_equal(icf_triangle_mesh_add(&mesh, 0, 2, 3), ICF_OK);
    assert_int_equal(icf_triangle_mesh_add(&mesh, 0, 3, 1), ICF_OK);
    assert_int_equal(icf_triangle_mesh_add(&mesh, 1, 3, 2), ICF_OK);
    assert_no_solid(context, &mesh, "encloses no volume");
}

static void triangles_without_area_are_counted(void **state)
{
    /* two corners one; all on a line; on a line but for the last bit; a needle that has area */
    const icf_vec3 vertex[] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {1, 1, 1 + 1e-9}};
    icf_triangle_mesh mesh;
    icf_triangle_defects defects;
    fill_triangles(&mesh, 6, vertex, 4, (const int[][3]){{0, 1, 5}, {0, 1, 1}, {0, 1, 2}, {0, 3, 4}});
    assert_int_equal(icf_triangle_mesh_finalize(*state, &mesh, "m"), ICF_OK);
    assert_int_equal(icf_triangle_mesh_survey(&mesh, &defects), ICF_OK);
    assert_int_equal(defects.ndegenerate, 3);
    assert_int_equal(defects.degenerate, 1);
    icf_triangle_mesh_clear(&mesh);
}

static void meshes_that_are_none_are_refused(void **state)
{
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    assert_failed(*state, icf_triangle_mesh_finalize(*state, &mesh, "m"), ICF_ERROR_SCENE,
                  "m: the mesh has no triangles");
    fill_triangles(&mesh, 3, (const icf_vec3[]){{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}}, 1, (const int[][3]){{0, 1, 2}});
    assert_failed(*state, icf_triangle_mesh_finalize(*state, &mesh, "m"), ICF_ERROR_SCENE,
                  "m: a corner of triangle 0 (counting from 0) is at (1, nan, 0)");
    mesh.triangle[0][1] = 3;
    assert_failed(*state, icf_triangle_mesh_finalize(*state, &mesh, "m"), ICF_ERROR_SCENE,
                  "triangle 0 (counting from 0) names vertex 3; there are 3, counting from 0");
    icf_triangle_mesh_clear(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(twins_become_one_vertex),
        tet_test(only_equal_vertices_are_welded),
        tet_test(a_box_bounds_a_solid),
        tet_test(what_is_no_solid_names_its_triangle),
        tet_test(triangles_without_area_are_counted),
        tet_test(meshes_that_are_none_are_refused),
    };
    return run_tet_tests("triangle_mesh", tests, sizeof tests / sizeof *tests);
}
