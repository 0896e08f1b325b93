/* Generated meshes: node order, counts, closed surfaces, exact positions, volumes that converge, quality, groups. */
#include "tet_checks.h"

static const double pi = 3.14159265358979323846;

/* Rounding of a sum of up to 10^4 terms that is below 0.1: 10^4 2^-53 0.1. */
static const double sum_tolerance = 1.2e-13;

/* The reference table's box 0.3 x 0.2 x 0.1 of 3 x 2 x 1 cells. */
static void box_of_the_reference(void **state)
{
    const int first[6][4] = {{0, 1, 5, 17},  {0, 1, 17, 13},  {0, 4, 17, 5},
                             {0, 4, 16, 17}, {0, 12, 13, 17}, {0, 12, 17, 16}};
    const int weight[24] = {3, 4, 4, 1, 4, 6, 6, 2, 1, 2, 2, 1, 1, 2, 2, 1, 2, 6, 6, 4, 1, 4, 4, 3}; /* [1/12 kg] */
    icf_tet_mesh mesh;
    icf_tet_quality q;
    icf_tet_mesh_init(&mesh);
    assert_int_equal(icf_tet_mesh_box(*state, &mesh, icf_vec3_make(0.3, 0.2, 0.1), (const icf_lid[]){3, 2, 1}), ICF_OK);
    assert_int_equal(mesh.nvertex, 24);
    assert_int_equal(mesh.ntet, 36);
    assert_int_equal(mesh.nreoriented, 0);
    for (int t = 0; t < 6; ++t) assert_indices(4, mesh.tet[t], first[t]);
    assert_int_equal(icf_tet_quality_build(&q, &mesh), ICF_OK);
    assert_int_equal(q.nsurface_triangle, 44);
    assert_int_equal(q.nodd_edge, 0);
    assert_near(q.volume, 0.006, 1e-17);
    assert_near(q.volume_min, 0.001 / 6.0, 1e-18);
    assert_near(q.surface_area, 0.22, 1e-15);
    double mass[24] = {0};
    for (int t = 0; t < 36; ++t)
        for (int c = 0; c < 4; ++c) mass[mesh.tet[t][c]] += 1000.0 * icf_tet_mesh_volume(&mesh, t) / 4.0;
    for (int v = 0; v < 24; ++v) assert_near(mass[v], weight[v] / 12.0, 1e-14);
    assert_near(mesh.vertex[0].x, -0.15, 0.0);
    assert_near(mesh.vertex[0].y, -0.1, 0.0);
    assert_near(mesh.vertex[0].z, -0.05, 0.0);
    assert_near(mesh.vertex[1 + 4 * (2 + 3)].x, -0.05, 1e-16);
    icf_tet_mesh_clear(&mesh);
}

/* Vertices and triangles of a group, by name. */
static const icf_mesh_group *group_of(const icf_tet_mesh *mesh, const char *name)
{
    const icf_lid g = icf_tet_mesh_find_group(mesh, name);
    assert_true(g >= 0);
    return &mesh->group[g];
}

/* Sum of the outward area vectors and of the areas of a group's triangles. */
static icf_vec3 group_area(const icf_tet_mesh *mesh, const char *name, double *total)
{
    const icf_mesh_group *group = group_of(mesh, name);
    icf_vec3 sum = {0};
    *total = 0.0;
    for (icf_lid t = 0; t < group->ntriangle; ++t) {
        const icf_lid *v = group->triangle[t];
        const icf_vec3 area = icf_area_vector(mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]]);
        sum = icf_add(sum, area);
        *total += icf_norm(area);
    }
    return sum;
}

static void box_sides(void **state)
{
    const char *names[6] = {"x_minus", "x_plus", "y_minus", "y_plus", "z_minus", "z_plus"};
    const double area[3] = {0.02, 0.03, 0.06};
    const int nvertex[3] = {3 * 2, 4 * 2, 4 * 3};
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    assert_int_equal(icf_tet_mesh_box(*state, &mesh, icf_vec3_make(0.3, 0.2, 0.1), (const icf_lid[]){3, 2, 1}), ICF_OK);
    assert_int_equal(mesh.ngroup, 6);
    for (int side = 0; side < 6; ++side) {
        double total;
        const icf_vec3 sum = group_area(&mesh, names[side], &total);
        assert_int_equal(group_of(&mesh, names[side])->nvertex, nvertex[side / 2]);
        assert_near(total, area[side / 2], 1e-16);
        assert_near(icf_get(sum, side / 2), side % 2 ? area[side / 2] : -area[side / 2], 1e-16);
    }
    icf_tet_mesh_clear(&mesh);
}

/* What every generated body is: one part, oriented, closed, of Euler characteristic 2 - 2 genus, no poor tetrahedra. */
static icf_tet_quality check_body(const icf_tet_mesh *mesh, int genus, double angle, double ratio)
{
    icf_tet_quality q;
    assert_int_equal(icf_tet_quality_build(&q, mesh), ICF_OK);
    assert_int_equal(mesh->nreoriented, 0);
    assert_int_equal(q.ninverted + q.nflat + q.nduplicate + q.nunused + q.nshared_face + q.nodd_edge, 0);
    assert_int_equal(q.ncomponent, 1);
    assert_int_equal(q.nsurface_vertex - q.nsurface_triangle / 2, 2 - 2 * genus);
    if (!(q.dihedral_min * 180.0 / pi >= angle && q.ratio_min >= ratio))
        fail_msg("dihedral angle %g, mean ratio %g", q.dihedral_min * 180.0 / pi, q.ratio_min);
    return q;
}

static icf_vec3 centre_of_mass(const icf_tet_mesh *mesh, double volume)
{
    icf_vec3 sum = {0};
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        for (int c = 0; c < 4; ++c)
            sum = icf_mul_add(sum, icf_tet_mesh_volume(mesh, t) / (4.0 * volume), mesh->vertex[mesh->tet[t][c]]);
    return sum;
}

static void sphere_counts_and_converges(void **state)
{
    const double exact = 4.0 / 3.0 * pi * 0.008;
    double before = INFINITY;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    for (int n = 1; n <= 8; n *= 2) {
        assert_int_equal(icf_tet_mesh_sphere(*state, &mesh, 0.2, n), ICF_OK);
        assert_int_equal(mesh.ntet, 20 * n * n * n);
        assert_int_equal(mesh.nvertex, 1 + 2 * n + 5 * n * (n + 1) * (2 * n + 1) / 3);
        const icf_tet_quality q = check_body(&mesh, 0, 30.0, 0.6);
        assert_int_equal(q.nsurface_triangle, 20 * n * n);
        const double missing = exact - q.volume;
        assert_true(missing > 0.0 && missing < before / (n > 2 ? 3.5 : 1.0));
        before = missing;
        assert_near(icf_norm(centre_of_mass(&mesh, q.volume)), 0.0, 1e-15);
        const icf_mesh_group *surface = group_of(&mesh, "surface");
        assert_int_equal(surface->ntriangle, 20 * n * n);
        assert_int_equal(surface->nvertex, q.nsurface_vertex);
        for (icf_lid i = 0; i < surface->nvertex; ++i)
            assert_near(icf_norm(mesh.vertex[surface->vertex[i]]), 0.2, 1e-16 * 4);
    }
    assert_true(before < 0.02 * exact);
    icf_tet_mesh_clear(&mesh);
}

static void cylinder_counts_and_converges(void **state)
{
    double before = INFINITY, total;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    for (int n = 1; n <= 8; n *= 2) {
        assert_int_equal(icf_tet_mesh_cylinder(*state, &mesh, 0.1, 0.5, n), ICF_OK);
        const int layers = 5 * n, disk = 1 + 3 * n * (n + 1);
        assert_int_equal(mesh.ntet, 18 * n * n * layers);
        assert_int_equal(mesh.nvertex, disk * (layers + 1));
        const icf_tet_quality q = check_body(&mesh, 0, 30.0, 0.6);
        /* the exact volume of a prism over a regular polygon of 6 n corners */
        assert_near(q.volume, 0.5 * 3.0 * n * 0.01 * sin(pi / (3.0 * n)), sum_tolerance);
        const double missing = 0.5 * pi * 0.01 - q.volume;
        assert_true(missing > 0.0 && missing < before / (n > 1 ? 3.5 : 1.0));
        before = missing;
        assert_near(icf_norm(centre_of_mass(&mesh, q.volume)), 0.0, 1e-14);
        assert_int_equal(group_of(&mesh, "side")->ntriangle, 12 * n * layers);
        assert_int_equal(group_of(&mesh, "side")->nvertex, 6 * n * (layers + 1));
        assert_int_equal(group_of(&mesh, "top")->nvertex, disk);
        assert_int_equal(group_of(&mesh, "bottom")->ntriangle, 6 * n * n);
        assert_near(group_area(&mesh, "top", &total).z, q.volume / 0.5, sum_tolerance);
        assert_near(group_area(&mesh, "bottom", &total).z, -q.volume / 0.5, sum_tolerance);
        assert_near(mesh.vertex[0].z, -0.25, 0.0);
    }
    icf_tet_mesh_clear(&mesh);
}

static void tube_counts_and_converges(void **state)
{
    double before = INFINITY, total;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    for (int n = 1; n <= 4; n *= 2) {
        assert_int_equal(icf_tet_mesh_tube(*state, &mesh, 0.1, 0.15, 0.4, n), ICF_OK);
        const int around = (int)round(pi * 5.0 * n), along = 8 * n;
        assert_int_equal(mesh.ntet, 6 * n * around * along);
        assert_int_equal(mesh.nvertex, (n + 1) * around * (along + 1));
        const icf_tet_quality q = check_body(&mesh, 1, 30.0, 0.6);
        const double polygon = 0.5 * around * sin(2.0 * pi / around);
        assert_near(q.volume, 0.4 * polygon * (0.0225 - 0.01), sum_tolerance);
        const double missing = 0.4 * pi * (0.0225 - 0.01) - q.volume;
        assert_true(missing > 0.0 && missing < before / (n > 1 ? 3.5 : 1.0));
        before = missing;
        assert_int_equal(group_of(&mesh, "inner")->nvertex, around * (along + 1));
        assert_int_equal(group_of(&mesh, "inner")->ntriangle, 2 * around * along);
        assert_int_equal(group_of(&mesh, "outer")->ntriangle, 2 * around * along);
        assert_int_equal(group_of(&mesh, "ends")->ntriangle, 4 * around * n);
        assert_near(group_area(&mesh, "top", &total).z, q.volume / 0.4, sum_tolerance);
        assert_near(icf_norm(group_area(&mesh, "ends", &total)), 0.0, 1e-15);
        /* the inner wall's triangles look at the axis */
        const icf_mesh_group *inner = group_of(&mesh, "inner");
        for (icf_lid t = 0; t < inner->ntriangle; ++t) {
            const icf_vec3 a = mesh.vertex[inner->triangle[t][0]], b = mesh.vertex[inner->triangle[t][1]];
            const icf_vec3 area = icf_area_vector(a, b, mesh.vertex[inner->triangle[t][2]]);
            assert_true(a.x * area.x + a.y * area.y < 0.0);
        }
    }
    icf_tet_mesh_clear(&mesh);
}

/* Squat and odd proportions are whole bodies too. */
static void extreme_proportions(void **state)
{
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    assert_int_equal(icf_tet_mesh_cylinder(*state, &mesh, 1.0, 1e-3, 3), ICF_OK);
    check_body(&mesh, 0, 0.1, 1e-3);
    assert_int_equal(icf_tet_mesh_tube(*state, &mesh, 1e-6, 1.0, 2.0, 1), ICF_OK);
    assert_int_equal(mesh.nvertex, 2 * 3 * 3);
    check_body(&mesh, 1, 1e-6, 1e-5);
    assert_int_equal(icf_tet_mesh_tube(*state, &mesh, 0.1, 0.15, 1e-4, 1), ICF_OK);
    check_body(&mesh, 1, 0.01, 1e-3);
    icf_tet_mesh_clear(&mesh);
}

static void wrong_sizes_are_refused(void **state)
{
    const icf_lid one[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {2000, 2000, 2000};
    const icf_vec3 unit = {1, 1, 1};
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    assert_failed(*state, icf_tet_mesh_box(*state, &mesh, icf_vec3_make(1, -1, 1), one), ICF_ERROR_SCENE,
                  "box mesh: size y is -1, expected a number > 0");
    assert_failed(*state, icf_tet_mesh_box(*state, &mesh, icf_vec3_make(1, 1, NAN), one), ICF_ERROR_SCENE, "size z");
    assert_failed(*state, icf_tet_mesh_box(*state, &mesh, unit, none), ICF_ERROR_SCENE, "divisions y is 0");
    assert_failed(*state, icf_tet_mesh_box(*state, &mesh, unit, many), ICF_ERROR_SCENE, "4.8e+10 tetrahedra");
    assert_failed(*state, icf_tet_mesh_sphere(*state, &mesh, 1, INT32_MAX), ICF_ERROR_SCENE, "tetrahedra");
    assert_failed(*state, icf_tet_mesh_sphere(*state, &mesh, INFINITY, 1), ICF_ERROR_SCENE, "radius is inf");
    assert_failed(*state, icf_tet_mesh_cylinder(*state, &mesh, 1, 1, -3), ICF_ERROR_SCENE, "resolution is -3");
    assert_failed(*state, icf_tet_mesh_cylinder(*state, &mesh, 1e-300, 1e300, 1), ICF_ERROR_SCENE, "tetrahedra");
    assert_failed(*state, icf_tet_mesh_tube(*state, &mesh, 2, 1, 1, 1), ICF_ERROR_SCENE, "outer - inner radius is -1");
    assert_failed(*state, icf_tet_mesh_tube(*state, &mesh, 1, 2, 1, 0), ICF_ERROR_SCENE, "resolution is 0");
    assert_int_equal(mesh.nvertex, 0);
    icf_tet_mesh_clear(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(box_of_the_reference),        tet_test(box_sides),
        tet_test(sphere_counts_and_converges), tet_test(cylinder_counts_and_converges),
        tet_test(tube_counts_and_converges),   tet_test(extreme_proportions),
        tet_test(wrong_sizes_are_refused),
    };
    return run_tet_tests("tet_generate", tests, sizeof tests / sizeof *tests);
}
