/* Elastic bodies: spectra of small meshes by a dense solver.  Natural frequencies of a free and a clamped bar against
 * reference values, stiffness matrices symmetric and positive semi-definite, with the null space they must have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fem_dense.h"

/* Eigenvalues of a dense symmetric matrix by Jacobi rotations, onto its diagonal. */
static void eigenvalues(size_t n, double *a)
{
    for (int sweep = 0; sweep < 12; ++sweep)
        for (size_t p = 0; p < n; ++p)
            for (size_t q = p + 1; q < n; ++q) {
                const double g = a[n * p + q];
                if (fabs(g) <= 1e-18 * (fabs(a[n * p + p]) + fabs(a[n * q + q]))) continue;
                const double theta = (a[n * q + q] - a[n * p + p]) / (2.0 * g);
                const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
                const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (size_t k = 0; k < n; ++k) {
                    const double kp = a[n * k + p], kq = a[n * k + q];
                    a[n * k + p] = c * kp - s * kq;
                    a[n * k + q] = s * kp + c * kq;
                }
                for (size_t k = 0; k < n; ++k) {
                    const double pk = a[n * p + k], qk = a[n * q + k];
                    a[n * p + k] = c * pk - s * qk;
                    a[n * q + k] = s * pk + c * qk;
                }
            }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted eigenvalues of a, in the first n entries of it. */
static void sorted_eigenvalues(size_t n, double *a)
{
    eigenvalues(n, a);
    for (size_t i = 0; i < n; ++i) a[i] = a[n * i + i];
    qsort(a, n, sizeof *a, ascending);
}

/* a <- L^-1 a L^-T with m = L L^T (overwritten): the eigenvalues of (a, m) */
static void reduce(size_t n, double *a, double *m)
{
    cholesky(n, m);
    for (size_t c = 0; c < n; ++c) forward(n, m, a + c, n);
    for (size_t r = 0; r < n; ++r) forward(n, m, a + n * r, 1);
}

/* Removes the dofs of vertices with `fixed` set; the matrix keeps its place. */
static size_t drop_fixed(size_t nvertex, const bool *fixed, double *a)
{
    size_t kept = 0, n = 3 * nvertex;
    size_t *dof = fixture_room(n, sizeof *dof);
    for (size_t i = 0; i < n; ++i)
        if (!fixed[i / 3]) dof[kept++] = i;
    for (size_t i = 0; i < kept; ++i)
        for (size_t j = 0; j < kept; ++j) a[kept * i + j] = a[n * dof[i] + dof[j]];
    icf_free(dof);
    return kept;
}

/* Angular frequencies of a bar of 0.4 x 0.1 x 0.08 m; vertices at its left end fixed when clamped. */
static void check_frequencies(icf_lid ny, bool clamped, const double *omega, size_t nomega)
{
    icf_tet_mesh mesh;
    fixture_box(&mesh, icf_vec3_make(0.4, 0.1, 0.08), 4, ny, 1);
    const size_t nvertex = (size_t)mesh.nvertex;
    bool *fixed = fixture_room(nvertex, sizeof *fixed);
    for (size_t v = 0; v < nvertex; ++v) fixed[v] = clamped && mesh.vertex[v].x < -0.199;
    for (size_t k = 0; k < 3; ++k) { /* at rest all models are the same */
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        icf_fem_set_state(fem, mesh.vertex);
        double *a = dense_of(fem, mesh.vertex, (icf_fem_weights){.stiffness = 1.0, .geometric = 1.0});
        double *m = dense_of(fem, mesh.vertex, (icf_fem_weights){.mass = 1.0});
        drop_fixed(nvertex, fixed, m);
        const size_t n = drop_fixed(nvertex, fixed, a), rigid = clamped ? 0 : 6;
        reduce(n, a, m);
        sorted_eigenvalues(n, a);
        for (size_t i = 0; i < rigid; ++i) assert_near(a[i], 0.0, 1e-12 * a[n - 1]);
        for (size_t i = 0; i < nomega; ++i) assert_near(sqrt(a[rigid + i]), omega[i], 1e-9 * omega[i]);
        icf_free(a), icf_free(m);
        icf_fem_destroy(&fem);
    }
    icf_free(fixed);
    icf_tet_mesh_clear(&mesh);
}

/* Reference values: the lowest eigenvalues of (K, M) from an independent dense computation. */
static void frequencies_of_a_free_bar(void **state)
{
    (void)state;
    const double omega[] = {56.695298733023144, 69.14723139536196,  79.3028124433565,   111.00655975945128,
                            119.49848687180773, 130.16097931748237, 167.07386083386402, 184.53341472410193,
                            188.7941579614028,  217.82797008789876};
    check_frequencies(1, false, omega, sizeof omega / sizeof *omega);
}

static void frequencies_of_a_clamped_bar(void **state)
{
    (void)state;
    const double omega[] = {9.487853611598906,  11.223461374247938, 40.54358628147491,  44.86549653233668,
                            49.626369269280765, 51.34431315809201,  105.85462949794747, 112.21263332496156,
                            128.16786184933827, 153.01864059998994};
    check_frequencies(2, true, omega, sizeof omega / sizeof *omega);
}

static void assert_semi_definite(size_t n, double *a)
{
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) assert_near(a[n * i + j], a[n * j + i], 0.0);
    sorted_eigenvalues(n, a);
    assert_true(a[n - 1] > 0.0);
    for (size_t i = 0; i < n; ++i) assert_true(a[i] > -1e-13 * a[n - 1]);
}

/* At crushed, stretched and inverted states: each of K and Kg, and M positive definite. */
static void matrices_are_semi_definite(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_irregular_box(&mesh, 2, 2, 1);
    const size_t n = 3 * (size_t)mesh.nvertex;
    const icf_mat3 shape[] = {{{0.4, 0.1, 0, 0, 0.5, 0.1, 0.1, 0, 0.6}},
                              {{1.8, 0.3, 0, 0, 1.5, 0.1, 0.1, 0, 2.0}},
                              {{1.0, 0.1, 0, 0, 1.2, 0.1, 0.1, 0, -0.7}}};
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        for (size_t s = 0; s < 3; ++s) {
            icf_vec3 *x = fixture_positions(&mesh, &shape[s], 0.03);
            icf_fem_set_state(fem, x);
            double *a = dense_of(fem, x, (icf_fem_weights){.stiffness = 1.0});
            assert_semi_definite(n, a);
            icf_free(a);
            if (k == 0 && s == 1) { /* in compression all of Kg is held at 0 */
                a = dense_of(fem, x, (icf_fem_weights){.geometric = 1.0});
                assert_semi_definite(n, a);
                icf_free(a);
            }
            icf_free(x);
        }
        double *m = dense_of(fem, mesh.vertex, (icf_fem_weights){.mass = 1.0});
        sorted_eigenvalues(n, m);
        assert_true(m[0] > 0.01 * m[n - 1]);
        icf_free(m);
        icf_fem_destroy(&fem);
    }
    icf_tet_mesh_clear(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_of_a_free_bar),
        cmocka_unit_test(frequencies_of_a_clamped_bar),
        cmocka_unit_test(matrices_are_semi_definite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
