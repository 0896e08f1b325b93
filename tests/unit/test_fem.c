/* Elastic bodies: mass of the reference meshes, forces and stiffness by finite differences, products against the
 * matrix, rigid motion, the patch test, sums of forces and torques, stresses by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fem_fixture.h"

static const icf_mat3 identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
/* a moderate deformation, not symmetric, in tension */
static const icf_mat3 stretch = {{1.2, 0.1, -0.05, 0.02, 1.15, 0.08, 0.1, -0.03, 1.25}};

/* a gentle one, at which no eigenvalue of an element's tangent is negative */
static const icf_mat3 gentle = {{1.06, 0.02, -0.01, 0.01, 1.05, 0.02, 0.02, -0.01, 1.07}};

static double *matrix_of(const icf_fem *fem, const icf_vec3 *x, icf_fem_weights weights)
{
    double *val = fixture_room(icf_fem_matrix_size(fem), sizeof *val);
    icf_fem_matrix_add(fem, x, weights, val);
    return val;
}

static double volume_of(const icf_tet_mesh *mesh)
{
    double sum = 0.0;
    for (icf_lid t = 0; t < mesh->ntet; ++t) sum += icf_tet_mesh_volume(mesh, t);
    return sum;
}

/* Sum of the vertices' masses. */
static double total_mass(const icf_fem *fem, icf_lid n)
{
    double sum = 0.0;
    for (icf_lid v = 0; v < n; ++v) sum += icf_fem_vertex_mass(fem, v);
    return sum;
}

/* Centre of mass by the vertices' masses. */
static icf_vec3 centre_of_mass(const icf_fem *fem, icf_lid n, const icf_vec3 *x)
{
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid v = 0; v < n; ++v) sum = icf_mul_add(sum, icf_fem_vertex_mass(fem, v) / total_mass(fem, n), x[v]);
    return sum;
}

/* 3 x 2 x 1 cells of the reference table: 24 vertices, 36 tetrahedra, rows of the mass matrix. */
static void mass_of_the_reference_box(void **state)
{
    (void)state;
    const double row[24] = {3, 4, 4, 1, 4, 6, 6, 2, 1, 2, 2, 1, 1, 2, 2, 1, 2, 6, 6, 4, 1, 4, 4, 3}; /* times 1/12 kg */
    icf_tet_mesh mesh;
    fixture_box(&mesh, icf_vec3_make(0.3, 0.2, 0.1), 3, 2, 1);
    const icf_deformable_material material = fixture_material(ICF_ELASTIC_COROTATIONAL);
    icf_fem *fem = fixture_fem(&mesh, &material, 1);
    assert_near(total_mass(fem, 24), 6.0, 1e-14);
    assert_near(icf_norm(centre_of_mass(fem, 24, mesh.vertex)), 0.0, 1e-16);

    icf_vec3 *one = fixture_vectors(24), *sum = fixture_vectors(24), *moment = fixture_vectors(24);
    for (int v = 0; v < 24; ++v) one[v] = icf_vec3_make(1.0, 1.0, 1.0);
    icf_fem_mass_product(fem, one, sum);
    icf_fem_mass_product(fem, mesh.vertex, moment);
    double second[3] = {0}; /* sum of M_ij x_i x_j = integral rho x x, exact: m a^2/12 */
    for (int v = 0; v < 24; ++v) {
        for (int c = 0; c < 3; ++c) assert_near(icf_get(sum[v], c), row[v] / 12.0, 1e-15);
        for (int c = 0; c < 3; ++c) second[c] += icf_get(mesh.vertex[v], c) * icf_get(moment[v], c);
    }
    assert_near(second[0], 0.045, 1e-15);
    assert_near(second[1], 0.020, 1e-15);
    assert_near(second[2], 0.005, 1e-15);
    icf_free(one), icf_free(sum), icf_free(moment);
    icf_fem_destroy(&fem);
    icf_tet_mesh_clear(&mesh);
}

/* The reference tetrahedron (0.1 m along the axes, 1000 kg/m^3), by hand: volume 1/6000 m^3, M_ii = 2 m/20. */
static void one_tetrahedron_by_hand(void **state)
{
    (void)state;
    icf_vec3 vertex[4] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
    icf_lid tet[1][4] = {{0, 1, 2, 3}};
    const icf_tet_mesh mesh = {.nvertex = 4, .vertex = vertex, .ntet = 1, .tet = tet};
    const icf_deformable_material material = fixture_material(ICF_ELASTIC_COROTATIONAL);
    icf_fem *fem = fixture_fem(&mesh, &material, 1);
    assert_near(total_mass(fem, 4), 1.0 / 6.0, 1e-16);
    const icf_vec3 centre = centre_of_mass(fem, 4, vertex);
    for (int c = 0; c < 3; ++c) assert_near(icf_get(centre, c), 0.025, 1e-17);

    const icf_fem_pattern pattern = icf_fem_get_pattern(fem);
    const icf_lid ptr[5] = {0, 3, 5, 6, 6}, idx[6] = {1, 2, 3, 2, 3, 3};
    assert_int_equal(pattern.nvertex, 4);
    assert_memory_equal(pattern.ptr, ptr, sizeof ptr);
    assert_memory_equal(pattern.idx, idx, sizeof idx);
    assert_int_equal(icf_fem_matrix_size(fem), 90);

    /* K_10 = V [mu (g1.g0 1 + g0 g1^T) + lambda g1 g0^T], g0 = -10 (1,1,1), g1 = 10 (1,0,0); column-major */
    double *val = matrix_of(fem, NULL, (icf_fem_weights){.stiffness = 1.0, .mass = 1.0});
    const icf_lame lame = icf_fem_lame(fem);
    const double v = 1.0 / 6000.0, m = 1.0 / 120.0, a = -100.0 * v * lame.mu, b = -100.0 * v * lame.lambda;
    const double expected[9] = {2.0 * a + b + m, a, a, b, a + m, 0.0, b, 0.0, a + m};
    for (int k = 0; k < 9; ++k) assert_near(val[36 + k], expected[k], 1e-12);
    icf_free(val);
    icf_fem_destroy(&fem);
}

static void assert_product(const icf_fem *fem, const double *val, const icf_vec3 *u, const icf_vec3 *product)
{
    const icf_lid n = icf_fem_get_pattern(fem).nvertex;
    icf_vec3 *y = fixture_vectors(n);
    icf_fem_matrix_product(fem, val, u, y);
    assert_true(fixture_largest(y, n) > 0.0);
    assert_vectors_near(product, y, n, 2e-14 * fixture_largest(y, n));
    icf_free(y);
}

static void products_are_those_of_the_matrix(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 3, 2);
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &stretch, 0.03);
        icf_vec3 *u = fixture_random_vectors(mesh.nvertex, 1.0), *y = fixture_vectors(mesh.nvertex);
        icf_fem_set_state(fem, x);
        double *mass = matrix_of(fem, x, (icf_fem_weights){.mass = 1.0});
        icf_fem_mass_product(fem, u, y);
        assert_product(fem, mass, u, y);
        double *stiffness = matrix_of(fem, x, (icf_fem_weights){.stiffness = 1.0});
        icf_fem_stiffness_product(fem, x, u, y);
        assert_product(fem, stiffness, u, y);
        double *geometric = matrix_of(fem, x, (icf_fem_weights){.geometric = 1.0});
        icf_fem_geometric_product(fem, u, y);
        if (k == 0)
            assert_product(fem, geometric, u, y);
        else
            assert_near(fixture_largest(y, mesh.nvertex), 0.0, 0.0);
        /* the three together, added to what is there */
        double *all = matrix_of(fem, x, (icf_fem_weights){.mass = 2.0, .stiffness = 0.5, .geometric = 0.25});
        icf_fem_matrix_add(fem, x, (icf_fem_weights){.mass = 1.0}, all);
        for (size_t i = 0; i < icf_fem_matrix_size(fem); ++i)
            assert_near(all[i], 3.0 * mass[i] + 0.5 * stiffness[i] + 0.25 * geometric[i], 1e-14 * fabs(stiffness[0]));
        icf_free(all);
        icf_free(mass), icf_free(stiffness), icf_free(geometric);
        icf_free(x), icf_free(u), icf_free(y);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* Directional slopes along u: of the energy, and of the force, central differences. */
static double energy_slope(icf_fem *fem, const icf_vec3 *x, const icf_vec3 *u, icf_lid n, double h)
{
    icf_vec3 *y = fixture_vectors(n);
    for (icf_lid v = 0; v < n; ++v) y[v] = icf_mul_add(x[v], h, u[v]);
    const double above = icf_fem_energy(fem, y);
    for (icf_lid v = 0; v < n; ++v) y[v] = icf_mul_add(x[v], -h, u[v]);
    const double below = icf_fem_energy(fem, y);
    icf_free(y);
    return (above - below) / (2.0 * h);
}

/* `follow`: corotational rotations follow the positions. */
static void force_slope(icf_fem *fem, const icf_vec3 *x, const icf_vec3 *u, icf_lid n, double h, bool follow,
                        icf_vec3 *slope)
{
    icf_vec3 *y = fixture_vectors(n), *below = fixture_vectors(n);
    for (icf_lid v = 0; v < n; ++v) y[v] = icf_mul_add(x[v], -h, u[v]);
    if (follow) icf_fem_set_state(fem, y);
    icf_fem_force(fem, y, below);
    for (icf_lid v = 0; v < n; ++v) y[v] = icf_mul_add(x[v], h, u[v]);
    if (follow) icf_fem_set_state(fem, y);
    icf_fem_force(fem, y, slope);
    for (icf_lid v = 0; v < n; ++v) slope[v] = icf_scale(0.5 / h, icf_sub(slope[v], below[v]));
    icf_fem_set_state(fem, x);
    icf_free(y), icf_free(below);
}

static double inner(const icf_vec3 *a, const icf_vec3 *b, icf_lid n)
{
    double sum = 0.0;
    for (icf_lid v = 0; v < n; ++v) sum += icf_dot(a[v], b[v]);
    return sum;
}

static void force_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 2, 2);
    const icf_lid n = mesh.nvertex;
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &stretch, 0.005), *u = fixture_random_vectors(n, 1.0);
        icf_vec3 *f = fixture_vectors(n);
        icf_fem_set_state(fem, x);
        icf_fem_force(fem, x, f);
        const double slope = inner(f, u, n);
        assert_near(slope, energy_slope(fem, x, u, n, 1e-6), 1e-7 * fabs(slope));
        icf_free(x), icf_free(u), icf_free(f);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* K u: exact for corotational (the force is linear); for the others in tension, where nothing is projected. */
static void stiffness_is_the_slope_of_the_force(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 2, 2);
    const icf_lid n = mesh.nvertex;
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &gentle, 0.0005), *u = fixture_random_vectors(n, 1.0);
        icf_vec3 *y = fixture_vectors(n), *slope = fixture_vectors(n);
        icf_fem_set_state(fem, x);
        icf_fem_stiffness_product(fem, x, u, y);
        force_slope(fem, x, u, n, 1e-5, false, slope);
        assert_vectors_near(y, slope, n, 1e-6 * fixture_largest(y, n));
        icf_free(x), icf_free(u), icf_free(y), icf_free(slope);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* K with what projection takes from it, of bodies pressed to half their height and less. */
static void whole_tangent_is_the_slope_of_the_force(void **state)
{
    (void)state;
    const icf_mat3 squash = {{1.1, 0.05, 0.0, 0.0, 1.2, 0.1, 0.1, 0.0, 0.4}};
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 2, 2);
    const icf_lid n = mesh.nvertex;
    for (size_t k = 1; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &squash, 0.001), *u = fixture_random_vectors(n, 1.0);
        icf_vec3 *y = fixture_vectors(n), *projected = fixture_vectors(n), *slope = fixture_vectors(n);
        double *val = matrix_of(fem, x, (icf_fem_weights){.stiffness = 1.0, .negative = 1.0});
        icf_fem_matrix_product(fem, val, u, y);
        icf_fem_stiffness_product(fem, x, u, projected);
        force_slope(fem, x, u, n, 1e-7, false, slope);
        assert_vectors_near(y, slope, n, 1e-6 * fixture_largest(y, n));
        for (icf_lid v = 0; v < n; ++v) projected[v] = icf_sub(projected[v], y[v]);
        assert_true(fixture_largest(projected, n) > 1e-2 * fixture_largest(y, n));
        icf_free(x), icf_free(u), icf_free(y), icf_free(projected), icf_free(slope), icf_free(val);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* In tension no eigenvalue of Kg is held: K + Kg is the slope of the force with the rotations following. */
static void geometric_stiffness_is_the_change_of_the_rotations(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 2, 2);
    const icf_lid n = mesh.nvertex;
    const icf_deformable_material material = fixture_material(ICF_ELASTIC_COROTATIONAL);
    icf_fem *fem = fixture_fem(&mesh, &material, 1);
    icf_vec3 *x = fixture_positions(&mesh, &stretch, 0.002), *u = fixture_random_vectors(n, 1.0);
    icf_vec3 *k = fixture_vectors(n), *kg = fixture_vectors(n), *slope = fixture_vectors(n);
    icf_fem_set_state(fem, x);
    icf_fem_stiffness_product(fem, x, u, k);
    icf_fem_geometric_product(fem, u, kg);
    assert_true(fixture_largest(kg, n) > 0.1 * fixture_largest(k, n));
    for (icf_lid v = 0; v < n; ++v) k[v] = icf_add(k[v], kg[v]);
    force_slope(fem, x, u, n, 1e-6, true, slope);
    assert_vectors_near(k, slope, n, 1e-6 * fixture_largest(k, n));
    icf_free(x), icf_free(u), icf_free(k), icf_free(kg), icf_free(slope);
    icf_fem_destroy(&fem);
    icf_tet_mesh_clear(&mesh);
}

static void rigid_motion_costs_nothing(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 2, 2);
    const icf_mat3 r = sample_rotation(3);
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &r, 0.0), *f = fixture_vectors(mesh.nvertex);
        for (icf_lid v = 0; v < mesh.nvertex; ++v) x[v] = icf_add(x[v], icf_vec3_make(3.0, -2.0, 1.0));
        icf_fem_set_state(fem, x);
        icf_fem_force(fem, x, f);
        /* round-off of positions (4 m) over the element (0.1 m): strain 1e-14; force E strain area */
        assert_near(fixture_largest(f, mesh.nvertex), 0.0, 1e5 * 4e-14 * 0.01);
        assert_near(icf_fem_energy(fem, x), 0.0, 1e5 * 1e-27 * volume_of(&mesh));
        /* and what turns the body costs nothing either */
        icf_vec3 *u = fixture_vectors(mesh.nvertex);
        for (icf_lid v = 0; v < mesh.nvertex; ++v) u[v] = icf_cross(icf_vec3_make(1.0, 2.0, -1.0), x[v]);
        icf_fem_stiffness_product(fem, x, u, f);
        assert_near(fixture_largest(f, mesh.nvertex), 0.0, 1e5 * 4e-13 * 0.01);
        icf_fem_geometric_product(fem, u, f);
        assert_near(fixture_largest(f, mesh.nvertex), 0.0, 1e5 * 4e-12 * 0.01);
        icf_free(x), icf_free(f), icf_free(u);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* Uniform deformation of an irregular mesh: no force on the nodes inside, the same energy and stress everywhere. */
static void patch_test(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 4, 3, 3);
    const icf_vec3 size = {0.4, 0.3, 0.3};
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &stretch, 0.0), *f = fixture_vectors(mesh.nvertex);
        double *value = fixture_room((size_t)mesh.ntet, sizeof *value);
        double *mean = fixture_room((size_t)mesh.nvertex, sizeof *mean);
        icf_fem_set_state(fem, x);
        icf_fem_force(fem, x, f);
        const double scale = fixture_largest(f, mesh.nvertex);
        int inside = 0;
        for (icf_lid v = 0; v < mesh.nvertex; ++v)
            if (fixture_is_inside(mesh.vertex[v], size)) {
                ++inside;
                assert_near(icf_norm(f[v]), 0.0, 1e-13 * scale);
            }
        assert_int_equal(inside, 12);
        icf_fem_von_mises(fem, x, value);
        icf_fem_vertex_mean(fem, value, mean);
        assert_true(value[0] > 1e3);
        for (icf_lid t = 0; t < mesh.ntet; ++t) assert_near(value[t], value[0], 1e-12 * value[0]);
        for (icf_lid v = 0; v < mesh.nvertex; ++v) assert_near(mean[v], value[0], 1e-12 * value[0]);
        icf_fem_energy_density(fem, x, value);
        for (icf_lid t = 0; t < mesh.ntet; ++t) assert_near(value[t], value[0], 1e-12 * value[0]);
        assert_near(icf_fem_energy(fem, x), value[0] * volume_of(&mesh), 1e-13 * icf_fem_energy(fem, x));
        icf_free(x), icf_free(f), icf_free(value), icf_free(mean);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* Uniaxial strain e along x of 1e-6: stresses (2 mu + lambda) e, lambda e, lambda e: von Mises 2 mu e; of all models.
 */
static void von_mises_of_small_uniaxial_strain(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 2, 2, 2);
    const double e = 1e-6;
    const icf_mat3 a = {{1.0 + e, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &a, 0.0);
        double *stress = fixture_room((size_t)mesh.ntet, sizeof *stress);
        const double expected = 2.0 * icf_fem_lame(fem).mu * e;
        icf_fem_von_mises(fem, x, stress);
        for (icf_lid t = 0; t < mesh.ntet; ++t) assert_near(stress[t], expected, 5e-6 * expected);
        icf_free(x), icf_free(stress);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

/* Internal forces have no resultant; no torque when the rotations are those of the positions. */
static void forces_and_torques_balance(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 3, 3, 2);
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_vec3 *x = fixture_positions(&mesh, &identity, 0.04), *f = fixture_vectors(mesh.nvertex);
        icf_fem_set_state(fem, x);
        icf_fem_force(fem, x, f);
        icf_vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
        for (icf_lid v = 0; v < mesh.nvertex; ++v) {
            sum = icf_add(sum, f[v]);
            torque = icf_add(torque, icf_cross(x[v], f[v]));
        }
        const double scale = fixture_largest(f, mesh.nvertex);
        assert_true(scale > 1.0);
        assert_near(icf_norm(sum), 0.0, 1e-13 * scale);
        assert_near(icf_norm(torque), 0.0, 1e-13 * scale);
        icf_free(x), icf_free(f);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_of_the_reference_box),
        cmocka_unit_test(one_tetrahedron_by_hand),
        cmocka_unit_test(products_are_those_of_the_matrix),
        cmocka_unit_test(force_is_the_slope_of_the_energy),
        cmocka_unit_test(stiffness_is_the_slope_of_the_force),
        cmocka_unit_test(whole_tangent_is_the_slope_of_the_force),
        cmocka_unit_test(geometric_stiffness_is_the_change_of_the_rotations),
        cmocka_unit_test(rigid_motion_costs_nothing),
        cmocka_unit_test(patch_test),
        cmocka_unit_test(von_mises_of_small_uniaxial_strain),
        cmocka_unit_test(forces_and_torques_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
