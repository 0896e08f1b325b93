/* Tetrahedral meshes: orientation, refusals, groups, surface, sample points, quality. */
#include "tet_checks.h"

static const double corner[4][3] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
static const double far_corner[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

/* The reference table: tetrahedron 0 2 1 3 becomes 0 2 3 1. */
static void negative_volume_swaps_the_last_two(void **state)
{
    icf_tet_mesh mesh;
    fill_mesh(&mesh, 4, corner, 1, (const int[][4]){{0, 2, 1, 3}});
    assert_true(icf_tet_mesh_volume(&mesh, 0) < 0.0);
    assert_int_equal(icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_OK);
    assert_int_equal(mesh.nreoriented, 1);
    assert_indices(4, mesh.tet[0], (const int[]){0, 2, 3, 1});
    assert_near(icf_tet_mesh_volume(&mesh, 0), 0.001 / 6.0, 1e-19);
    icf_tet_mesh_clear(&mesh);
}

static void assert_refused(icf_context *context, int nvertex, const double (*vertex)[3], int ntet, const int (*tet)[4],
                           const char *part)
{
    icf_tet_mesh mesh;
    fill_mesh(&mesh, nvertex, vertex, ntet, tet);
    assert_failed(context, icf_tet_mesh_finalize(context, &mesh, "bad mesh"), ICF_ERROR_SCENE, part);
    icf_tet_mesh_clear(&mesh);
}

static void wrong_meshes_are_refused(void **state)
{
    const int good[1][4] = {{0, 1, 2, 3}};
    const double flat[4][3] = {{0.1, 0.1, 0.1}, {0.4, 0.1, 0.1}, {0.1, 0.7, 0.1}, {0.3, 0.3, 0.1}};
    const double line[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}};
    const double broken[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
    const double endless[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -INFINITY}};
    assert_refused(*state, 4, corner, 0, NULL, "bad mesh: the mesh has no tetrahedra (a mesh of triangles only");
    assert_refused(*state, 4, flat, 1, good, "tetrahedron 0 (counting from 0; vertices 0 1 2 3) has zero volume");
    assert_refused(*state, 4, line, 1, good, "tetrahedron 0 ");
    assert_refused(*state, 4, broken, 1, good, "vertex 2 (counting from 0) is at (0, nan, 0)");
    assert_refused(*state, 4, endless, 1, good, "vertex 3 ");
    assert_refused(*state, 5, far_corner, 1, good, "vertex 4 (counting from 0) is in no tetrahedron");
    assert_refused(*state, 4, corner, 2, (const int[][4]){{0, 1, 2, 3}, {0, 1, 2, 4}}, "tetrahedron 1 ");
    assert_refused(*state, 4, corner, 2, (const int[][4]){{0, 1, 2, 3}, {0, -1, 2, 3}}, "names vertex -1");
    assert_refused(*state, 4, corner, 1, (const int[][4]){{0, 1, 1, 3}}, "has zero volume");
    assert_refused(*state, 5, far_corner, 3, (const int[][4]){{0, 1, 2, 3}, {4, 1, 2, 3}, {3, 0, 2, 1}},
                   "tetrahedra 0 and 2 (counting from 0) have the same vertices");
}

/* Three tetrahedra on the face 1 2 3. */
static void a_face_of_three_is_refused(void **state)
{
    const double vertex[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 2, 2}};
    assert_refused(*state, 6, vertex, 3, (const int[][4]){{0, 1, 2, 3}, {4, 1, 2, 3}, {5, 1, 2, 3}},
                   "a face of tetrahedron 0 (counting from 0) is shared by three");
}

/* A mesh whose volumes are many orders below its size is kept: flat is flat to round-off only. */
static void thin_is_not_flat(void **state)
{
    const double thin[4][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1.25, 1.25, 1 + 1e-12}};
    icf_tet_mesh mesh;
    fill_mesh(&mesh, 4, thin, 1, (const int[][4]){{0, 1, 2, 3}});
    assert_int_equal(icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_OK);
    icf_tet_mesh_clear(&mesh);
}

/* Two tetrahedra on the face 1 2 3: the surface is the other three faces of each, outward by the rule. */
static void surface_of_two_tetrahedra(void **state)
{
    icf_tet_mesh mesh;
    icf_tet_surface surface;
    icf_tet_surface_init(&surface);
    fill_mesh(&mesh, 5, far_corner, 2, (const int[][4]){{0, 1, 2, 3}, {4, 1, 2, 3}});
    assert_int_equal(icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_OK);
    assert_indices(4, mesh.tet[1], (const int[]){4, 1, 3, 2});
    assert_int_equal(icf_tet_surface_build(&surface, &mesh), ICF_OK);
    const int expected[6][3] = {{0, 3, 2}, {0, 1, 3}, {0, 2, 1}, {4, 2, 3}, {4, 1, 2}, {4, 3, 1}};
    assert_int_equal(surface.ntriangle, 6);
    for (int t = 0; t < 6; ++t) {
        assert_indices(3, surface.triangle[t], expected[t]);
        assert_int_equal(surface.tet[t], t / 3);
    }
    assert_int_equal(surface.nvertex, 5);
    assert_indices(5, surface.vertex, (const int[]){0, 1, 2, 3, 4});
    assert_int_equal(surface.nodd_edge, 0);
    assert_int_equal(surface.nshared_face, 0);
    icf_tet_surface_clear(&surface);
    icf_tet_mesh_clear(&mesh);
}

/* Two tetrahedra that touch along the edge 0 1 only: four boundary triangles share it. */
static void parts_that_touch_along_an_edge_are_counted(void **state)
{
    const double vertex[6][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
    icf_tet_mesh mesh;
    icf_tet_surface surface;
    icf_tet_surface_init(&surface);
    fill_mesh(&mesh, 6, vertex, 2, (const int[][4]){{0, 1, 2, 3}, {0, 1, 4, 5}});
    assert_int_equal(icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_OK);
    assert_int_equal(icf_tet_surface_build(&surface, &mesh), ICF_OK);
    assert_int_equal(surface.ntriangle, 8);
    assert_int_equal(surface.nodd_edge, 1);
    icf_tet_surface_clear(&surface);
    icf_tet_mesh_clear(&mesh);
}

/* Groups: vertices sorted with those of triangles; triangles outward, once, boundary faces only. */
static void groups_are_put_in_order(void **state)
{
    icf_tet_mesh mesh;
    icf_lid group, again;
    fill_mesh(&mesh, 5, far_corner, 2, (const int[][4]){{0, 1, 2, 3}, {4, 1, 2, 3}});
    assert_int_equal(icf_tet_mesh_add_group(&mesh, "skin", &group), ICF_OK);
    assert_int_equal(icf_tet_mesh_add_group(&mesh, "skin", &again), ICF_OK);
    assert_int_equal(again, group);
    icf_mesh_group *skin = &mesh.group[group];
    assert_int_equal(icf_mesh_group_add_vertex(skin, 4), ICF_OK);
    assert_int_equal(icf_mesh_group_add_vertex(skin, 4), ICF_OK);
    assert_int_equal(icf_mesh_group_add_triangle(skin, 2, 4, 1), ICF_OK); /* inward: outward is 4 1 2 */
    assert_int_equal(icf_mesh_group_add_triangle(skin, 0, 1, 3), ICF_OK);
    assert_int_equal(icf_mesh_group_add_triangle(skin, 3, 1, 0), ICF_OK); /* the same face again */
    assert_int_equal(icf_mesh_group_add_triangle(skin, 1, 2, 3), ICF_OK); /* between the two */
    assert_int_equal(icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_OK);
    assert_int_equal(skin->nvertex, 5);
    assert_indices(5, skin->vertex, (const int[]){0, 1, 2, 3, 4});
    assert_int_equal(skin->ntriangle, 2);
    assert_indices(3, skin->triangle[0], (const int[]){0, 1, 3});
    assert_indices(3, skin->triangle[1], (const int[]){4, 1, 2});
    assert_int_equal(icf_tet_mesh_find_group(&mesh, "skin"), 0);
    assert_int_equal(icf_tet_mesh_find_group(&mesh, "Skin"), -1);
    assert_int_equal(icf_mesh_group_add_vertex(skin, 5), ICF_OK);
    assert_failed(*state, icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_ERROR_SCENE,
                  "group 'skin' names a vertex that is not there");
    icf_tet_mesh_clear(&mesh);
}

/* One tetrahedron, n = 2: 4 corners and 6 middles of edges; features follow the list of (vertex, multiple). */
static void sample_points_of_a_tetrahedron(void **state)
{
    icf_tet_mesh mesh;
    icf_tet_surface surface;
    icf_sample_points points;
    icf_tet_surface_init(&surface);
    icf_sample_points_init(&points);
    fill_mesh(&mesh, 4, corner, 1, (const int[][4]){{0, 1, 2, 3}});
    assert_int_equal(icf_tet_mesh_finalize(*state, &mesh, "mesh"), ICF_OK);
    assert_int_equal(icf_tet_surface_build(&surface, &mesh), ICF_OK);
    assert_int_equal(icf_sample_points_build(&points, &surface, 4, 2), ICF_OK);
    const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    assert_int_equal(points.npoint, 10);
    for (int p = 0; p < 10; ++p) {
        const icf_sample_point *point = &points.point[p];
        assert_int_equal(point->feature, p);
        assert_int_equal(point->nvertex, p < 4 ? 1 : 2);
        assert_int_equal(point->vertex[0], p < 4 ? p : edge[p - 4][0]);
        assert_int_equal(point->vertex[1], p < 4 ? -1 : edge[p - 4][1]);
        assert_int_equal(point->multiple[0], p < 4 ? 2 : 1);
    }
    const icf_vec3 middle = icf_sample_point_at(&points.point[9], 2, mesh.vertex);
    assert_near(middle.y, 0.05, 1e-17);
    assert_near(middle.z, 0.05, 1e-17);
    assert_int_equal(points.ntriangle, 16);
    /* a corner is in a part of each of its three triangles, a middle in three parts of each of two */
    for (int p = 0; p <= 10; ++p) assert_int_equal(points.ptr[p], p < 4 ? 3 * p : 12 + 6 * (p - 4));
    /* the first triangle is 1 2 3 with middles 7 (12), 8 (13), 9 (23) */
    assert_indices(12, points.triangle[0], (const int[]){1, 7, 8, 7, 9, 8, 8, 9, 3, 7, 2, 9});
    assert_int_equal(icf_sample_points_build(&points, &surface, 4, 1), ICF_OK);
    assert_int_equal(points.npoint, 4);
    assert_int_equal(points.ntriangle, 4);
    assert_indices(3, points.triangle[3], (const int[]){0, 2, 1});
    assert_int_equal(icf_sample_points_build(&points, &surface, 4, 0), ICF_ERROR_INTERNAL);
    icf_sample_points_clear(&points);
    icf_tet_surface_clear(&surface);
    icf_tet_mesh_clear(&mesh);
}

/* Lists of (vertex, multiple), shorter ones end with -1, as the specification orders them. */
static int compare_lists(const icf_sample_point *a, const icf_sample_point *b)
{
    for (int i = 0; i < 3; ++i) {
        if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? -1 : 1;
        if (a->multiple[i] != b->multiple[i]) return a->multiple[i] < b->multiple[i] ? -1 : 1;
    }
    return 0;
}

/* A box for several n: counts of a closed surface, order of features, areas that add up, each part on its triangle. */
static void sample_points_of_a_box(void **state)
{
    icf_tet_mesh mesh;
    icf_tet_surface surface;
    icf_sample_points points;
    icf_tet_mesh_init(&mesh);
    icf_tet_surface_init(&surface);
    icf_sample_points_init(&points);
    assert_int_equal(icf_tet_mesh_box(*state, &mesh, icf_vec3_make(0.3, 0.2, 0.1), (const icf_lid[]){3, 2, 2}), ICF_OK);
    assert_int_equal(icf_tet_surface_build(&surface, &mesh), ICF_OK);
    for (int n = 1; n <= 5; ++n) {
        assert_int_equal(icf_sample_points_build(&points, &surface, mesh.nvertex, n), ICF_OK);
        /* Euler: V - E + F = 2 with E = 3 F / 2 for the parts too */
        assert_int_equal(points.ntriangle, n * n * surface.ntriangle);
        assert_int_equal(points.npoint, 2 + points.ntriangle / 2);
        assert_int_equal(points.ptr[points.npoint], 3 * points.ntriangle);
        for (icf_lid p = 0; p < points.npoint; ++p) {
            const icf_sample_point *point = &points.point[p];
            const bool is_vertex = p < surface.nvertex;
            assert_int_equal(point->nvertex == 1, is_vertex);
            assert_int_equal(point->feature, is_vertex ? surface.vertex[p] : mesh.nvertex + p - surface.nvertex);
            assert_int_equal(point->multiple[0] + point->multiple[1] + point->multiple[2], n);
            if (p > 0 && p != surface.nvertex) assert_int_equal(compare_lists(point - 1, point), -1);
            for (icf_lid k = points.ptr[p]; k < points.ptr[p + 1]; ++k) {
                const icf_lid *part = points.triangle[points.idx[k]];
                assert_true(part[0] == p || part[1] == p || part[2] == p);
                assert_true(k == points.ptr[p] || points.idx[k] > points.idx[k - 1]);
            }
        }
        for (icf_lid t = 0; t < points.ntriangle; ++t) {
            icf_vec3 x[3];
            for (int c = 0; c < 3; ++c)
                x[c] = icf_sample_point_at(&points.point[points.triangle[t][c]], n, mesh.vertex);
            const icf_lid *whole = surface.triangle[t / (n * n)];
            const icf_vec3 part = icf_area_vector(x[0], x[1], x[2]);
            const icf_vec3 area = icf_area_vector(mesh.vertex[whole[0]], mesh.vertex[whole[1]], mesh.vertex[whole[2]]);
            assert_near(icf_norm(icf_sub(icf_scale(n * n, part), area)), 0.0, 1e-15);
        }
    }
    icf_sample_points_clear(&points);
    icf_tet_surface_clear(&surface);
    icf_tet_mesh_clear(&mesh);
}

/* Regular: mean ratio 1, all dihedral angles acos(1/3); corner of a cube: 90 degrees and atan(sqrt 2). */
static void quality_of_known_tetrahedra(void **state)
{
    (void)state;
    const double regular[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    icf_tet_mesh mesh;
    icf_tet_quality q;
    fill_mesh(&mesh, 4, regular, 1, (const int[][4]){{0, 1, 2, 3}});
    assert_int_equal(icf_tet_quality_build(&q, &mesh), ICF_OK);
    assert_near(fabs(q.volume), 8.0 / 3.0, 1e-15);
    assert_near(fabs(q.ratio_min), 1.0, 1e-15);
    assert_near(q.dihedral_min, acos(1.0 / 3.0), 1e-14);
    assert_near(q.dihedral_max, acos(1.0 / 3.0), 1e-14);
    assert_near(q.edge_min, sqrt(8.0), 1e-15);
    assert_near(q.surface_area, 8.0 * sqrt(3.0), 1e-14);
    icf_tet_mesh_clear(&mesh);
    fill_mesh(&mesh, 4, corner, 1, (const int[][4]){{0, 1, 2, 3}});
    assert_int_equal(icf_tet_quality_build(&q, &mesh), ICF_OK);
    assert_near(q.dihedral_max, 1.5707963267948966, 1e-14);
    assert_near(q.dihedral_min, atan(sqrt(2.0)), 1e-14);
    assert_near(q.ratio_min, 12.0 * cbrt(0.25) * 0.01 / 0.09, 1e-14); /* 3 V = 0.0005, edges 3 (0.01) + 3 (0.02) */
    assert_near(q.ratio_mean, q.ratio_min, 0.0);
    icf_tet_mesh_clear(&mesh);
}

static void quality_counts_what_is_wrong(void **state)
{
    (void)state;
    const double vertex[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},     {1, 1, 1},
                                  {9, 9, 9}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0.001}, {6, 1, 0}};
    /* one good, its duplicate turned round, one inverted on the other side of a face, a sliver alone; 5 is unused */
    const int tet[4][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {4, 1, 2, 3}, {6, 7, 8, 9}};
    icf_tet_mesh mesh;
    icf_tet_quality q;
    fill_mesh(&mesh, 10, vertex, 4, tet);
    assert_int_equal(icf_tet_quality_build(&q, &mesh), ICF_OK);
    assert_int_equal(q.ntet, 4);
    assert_int_equal(q.nduplicate, 1);
    assert_int_equal(q.nunused, 1);
    assert_int_equal(q.ncomponent, 2);
    assert_int_equal(q.nshared_face, 1);
    assert_int_equal(q.nflat, 0);
    assert_int_equal(q.nsliver, 1);
    assert_int_equal(q.ninverted, 2 + (icf_tet_mesh_volume(&mesh, 3) < 0.0));
    assert_near(q.volume_max, 1.0 / 6.0, 1e-15);
    assert_near(q.volume_min, -1.0 / 3.0, 1e-15);
    assert_int_equal(q.worst, 2);
    icf_tet_mesh_clear(&mesh);
    fill_mesh(&mesh, 4, (const double[][3]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, 1,
              (const int[][4]){{0, 1, 2, 3}});
    assert_int_equal(icf_tet_quality_build(&q, &mesh), ICF_OK);
    assert_int_equal(q.nflat, 1);
    assert_int_equal(q.nsliver, 1);
    assert_int_equal(q.ninverted, 0);
    assert_near(q.ratio_min, 0.0, 0.0);
    icf_tet_mesh_clear(&mesh);
    icf_tet_mesh_init(&mesh);
    assert_int_equal(icf_tet_quality_build(&q, &mesh), ICF_OK);
    assert_int_equal(q.worst, -1);
    assert_int_equal(q.nsurface_triangle, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(negative_volume_swaps_the_last_two),
        tet_test(wrong_meshes_are_refused),
        tet_test(a_face_of_three_is_refused),
        tet_test(thin_is_not_flat),
        tet_test(surface_of_two_tetrahedra),
        tet_test(parts_that_touch_along_an_edge_are_counted),
        tet_test(groups_are_put_in_order),
        tet_test(sample_points_of_a_tetrahedron),
        tet_test(sample_points_of_a_box),
        tet_test(quality_of_known_tetrahedra),
        tet_test(quality_counts_what_is_wrong),
    };
    return run_tet_tests("tet_mesh", tests, sizeof tests / sizeof *tests);
}
