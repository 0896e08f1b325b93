/* Elastic models: singular values, reference table, derivatives by finite differences, projection against a 9x9
 * eigenvalue clamp, for random, nearly isotropic, inverted and degenerate F. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "check.h"
#include "fem/constitutive.h"
#include "fem_material_table.h"
#include "fem_samples.h"

static const icf_mat3 identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

static double largest(const double *a, int n)
{
    double max = 0.0;
    for (int k = 0; k < n; ++k) max = fmax(max, fabs(a[k]));
    return max;
}

static double determinant(const icf_mat3 *a)
{
    return icf_dot(icf_mat3_column(a, 0), icf_cross(icf_mat3_column(a, 1), icf_mat3_column(a, 2)));
}

static void assert_rotation(const icf_mat3 *r)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            assert_near(icf_dot(icf_mat3_column(r, i), icf_mat3_column(r, j)), i == j ? 1.0 : 0.0, 2e-15);
    assert_near(determinant(r), 1.0, 4e-15);
}

/* U diag(sigma) V^T */
static icf_mat3 compose(const icf_mat3 *u, const double sigma[3], const icf_mat3 *v)
{
    icf_mat3 f;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            f.m[3 * i + j] = 0.0;
            for (int k = 0; k < 3; ++k) f.m[3 * i + j] += u->m[3 * i + k] * sigma[k] * v->m[3 * j + k];
        }
    return f;
}

static void singular_values_of_every_kind(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < nsample; ++n) {
        const icf_mat3 f = sample_f(n);
        icf_mat3 u, v;
        double sigma[3];
        icf_svd3(&f, &u, sigma, &v);
        assert_rotation(&u);
        assert_rotation(&v);
        assert_true(sigma[0] >= sigma[1] * (1.0 - 2e-15) && sigma[1] >= fabs(sigma[2]) * (1.0 - 2e-15));
        const icf_mat3 again = compose(&u, sigma, &v);
        for (int k = 0; k < 9; ++k) assert_near(again.m[k], f.m[k], 4e-15 * sigma[0]);
    }
}

/* Built from known factors: the values to round-off of the largest one, the signed smallest. */
static void singular_values_are_those_put_in(void **state)
{
    (void)state;
    const double known[][3] = {{1, 1, 1},    {2, 1, 1},        {2, 2, -1},       {1, 1, -1},
                               {3, 1e-9, 0}, {1, 1e-3, -1e-6}, {1, 1 - 1e-9, 1}, {1e-200, 1e-201, 0}};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        for (uint64_t n = 0; n < 200; ++n) {
            const icf_mat3 u = sample_rotation(2 * n), v = sample_rotation(2 * n + 1), f = compose(&u, known[k], &v);
            icf_mat3 a, b;
            double sigma[3];
            icf_svd3(&f, &a, sigma, &b);
            double sorted[3] = {known[k][0], fmax(known[k][1], fabs(known[k][2])), known[k][2]};
            sorted[2] = copysign(fmin(known[k][1], fabs(known[k][2])), known[k][2]);
            for (int i = 0; i < 3; ++i) assert_near(sigma[i], sorted[i], 3e-15 * sorted[0]);
        }
}

/* R maximises tr(R^T F): no small rotation of it does better; a rotation is its own; F = 0 has one too. */
static void rotation_is_the_nearest(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 500; ++n) {
        const icf_mat3 r = sample_rotation(n), own = icf_polar_rotation(&r);
        for (int k = 0; k < 9; ++k) assert_near(own.m[k], r.m[k], 2e-15);
        const icf_mat3 f = sample_f(n), nearest = icf_polar_rotation(&f);
        assert_rotation(&nearest);
        const icf_mat3 other = sample_rotation(n + 1000);
        double best = 0.0, trace = 0.0;
        for (int k = 0; k < 9; ++k) {
            best += nearest.m[k] * f.m[k];
            trace += other.m[k] * f.m[k];
        }
        assert_true(trace <= best + 1e-14 * largest(f.m, 9));
    }
    const icf_mat3 zero = {{0}}, of_zero = icf_polar_rotation(&zero);
    for (int k = 0; k < 9; ++k) assert_near(of_zero.m[k], identity.m[k], 0.0);
}

static icf_lame lame_of(double youngs_modulus, double poissons_ratio)
{
    const icf_deformable_material m = {.youngs_modulus = youngs_modulus, .poissons_ratio = poissons_ratio};
    return icf_deformable_material_lame(&m);
}

/* Full matrix against a lower triangle. */
static void assert_matrix(const double full[81], const double lower[45], double tolerance)
{
    int n = 0;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j <= i; ++j, ++n) {
            assert_near(full[9 * i + j], lower[n], tolerance);
            assert_near(full[9 * j + i], lower[n], tolerance);
        }
}

static void reference_table(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof material_table / sizeof *material_table; ++n) {
        const icf_elastic_model model = material_table[n].model;
        const icf_lame lame = lame_of(material_table[n].youngs_modulus, material_table[n].poissons_ratio);
        icf_mat3 f;
        memcpy(f.m, material_table[n].f, sizeof f.m);
        const icf_mat3 r = icf_polar_rotation(&f);
        const double psi = material_table[n].psi, *p = material_table[n].p,
                     *second = material_table[n].projected_or_geometric;
        assert_near(icf_constitutive_energy(model, lame, &f), psi, 1e-11 * psi);
        const icf_mat3 stress = icf_constitutive_stress(model, lame, &r, &f);
        for (int k = 0; k < 9; ++k) assert_near(stress.m[k], p[k], 1e-11 * largest(p, 9));
        double dpdf[81];
        const double scale = largest(material_table[n].dpdf, 45);
        icf_constitutive_tangent(model, lame, &f, false, dpdf);
        assert_matrix(dpdf, material_table[n].dpdf, 1e-10 * scale);
        if (model == ICF_ELASTIC_COROTATIONAL)
            icf_constitutive_geometric(lame, &f, dpdf);
        else
            icf_constitutive_tangent(model, lame, &f, true, dpdf);
        assert_matrix(dpdf, second, 1e-10 * scale);
    }
}

/* P = d psi/dF; corotational: with the rotation of F, where it is smooth. */
static void stress_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    const icf_lame lame = lame_of(1.0, 0.3);
    const double h = 1e-5;
    for (int model = 0; model < ICF_ELASTIC_COUNT; ++model)
        for (uint64_t n = 0; n < 300; ++n) {
            const icf_mat3 f = sample_smooth_f(n), r = icf_polar_rotation(&f);
            const icf_mat3 p = icf_constitutive_stress((icf_elastic_model)model, lame, &r, &f);
            for (int k = 0; k < 9; ++k) {
                icf_mat3 plus = f, minus = f;
                plus.m[k] += h;
                minus.m[k] -= h;
                const double slope = (icf_constitutive_energy((icf_elastic_model)model, lame, &plus) -
                                      icf_constitutive_energy((icf_elastic_model)model, lame, &minus)) /
                                     (2.0 * h);
                assert_near(p.m[k], slope, 1e-8 * (1.0 + largest(p.m, 9)));
            }
        }
}

/* dP/dF before projection; corotational at frozen R, to which the geometric part adds what R's change does. */
static void tangent_is_the_slope_of_the_stress(void **state)
{
    (void)state;
    const icf_lame lame = lame_of(1.0, 0.3);
    const double h = 1e-5;
    for (int model = 0; model < ICF_ELASTIC_COUNT; ++model)
        for (uint64_t n = 0; n < 300; ++n) {
            const icf_mat3 f = sample_smooth_f(n), r = icf_polar_rotation(&f);
            double dpdf[81];
            icf_constitutive_tangent((icf_elastic_model)model, lame, &f, false, dpdf);
            for (int k = 0; k < 9; ++k) {
                icf_mat3 plus = f, minus = f;
                plus.m[k] += h;
                minus.m[k] -= h;
                const icf_mat3 p = icf_constitutive_stress((icf_elastic_model)model, lame, &r, &plus);
                const icf_mat3 q = icf_constitutive_stress((icf_elastic_model)model, lame, &r, &minus);
                for (int i = 0; i < 9; ++i)
                    assert_near(dpdf[9 * i + k], (p.m[i] - q.m[i]) / (2.0 * h), 2e-9 * (1.0 + largest(dpdf, 81)));
            }
        }
}

/* Where no eigenvalue is held, K + Kg is the slope of the stress with the rotation following F. */
static void geometric_part_is_the_change_of_rotation(void **state)
{
    (void)state;
    const icf_lame lame = lame_of(1.0, 0.3);
    const double h = 1e-5;
    int compared = 0;
    for (uint64_t n = 0; n < 300; ++n) {
        icf_mat3 f = sample_smooth_f(n);
        double dpdf[81], geometric[81], sigma[3];
        icf_mat3 u, v;
        icf_svd3(&f, &u, sigma, &v);
        const double trace = sigma[0] + sigma[1] + sigma[2];
        bool held = false; /* q decreases with trace - s_k where the stress is compressive, and is 2 mu + negative */
        for (int k = 0; k < 3; ++k)
            held |= trace - sigma[k] < 0.1 ||
                    2.0 * lame.mu + 2.0 * (lame.lambda * (trace - 3.0) - 2.0 * lame.mu) / (trace - sigma[k]) < 0.0;
        if (held) continue;
        ++compared;
        icf_constitutive_tangent(ICF_ELASTIC_COROTATIONAL, lame, &f, false, dpdf);
        icf_constitutive_geometric(lame, &f, geometric);
        for (int k = 0; k < 9; ++k) {
            icf_mat3 plus = f, minus = f;
            plus.m[k] += h;
            minus.m[k] -= h;
            const icf_mat3 r = icf_polar_rotation(&plus), s = icf_polar_rotation(&minus);
            const icf_mat3 p = icf_constitutive_stress(ICF_ELASTIC_COROTATIONAL, lame, &r, &plus);
            const icf_mat3 q = icf_constitutive_stress(ICF_ELASTIC_COROTATIONAL, lame, &s, &minus);
            for (int i = 0; i < 9; ++i)
                assert_near(dpdf[9 * i + k] + geometric[9 * i + k], (p.m[i] - q.m[i]) / (2.0 * h), 1e-8);
        }
    }
    assert_true(compared > 50);
}

/* Cyclic Jacobi on a 9x9 symmetric matrix; eigenvalues on its diagonal, eigenvectors in the columns of w. */
static void eigen9(double a[81], double w[81])
{
    for (int i = 0; i < 81; ++i) w[i] = i % 10 == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int p = 0; p < 9; ++p)
            for (int q = p + 1; q < 9; ++q) {
                const double g = a[9 * p + q];
                if (g == 0.0) continue;
                const double theta = (a[10 * q] - a[10 * p]) / (2.0 * g);
                const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
                const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (int k = 0; k < 9; ++k) {
                    const double kp = a[9 * k + p], kq = a[9 * k + q];
                    a[9 * k + p] = c * kp - s * kq;
                    a[9 * k + q] = s * kp + c * kq;
                    const double wp = w[9 * k + p], wq = w[9 * k + q];
                    w[9 * k + p] = c * wp - s * wq;
                    w[9 * k + q] = s * wp + c * wq;
                }
                for (int k = 0; k < 9; ++k) {
                    const double pk = a[9 * p + k], qk = a[9 * q + k];
                    a[9 * p + k] = c * pk - s * qk;
                    a[9 * q + k] = s * pk + c * qk;
                }
            }
}

static void projection_is_the_eigenvalue_clamp(void **state)
{
    (void)state;
    const icf_lame lame = lame_of(1.0, 0.45);
    int changed = 0;
    for (int model = 0; model < ICF_ELASTIC_COUNT; ++model)
        for (uint64_t n = 0; n < nsample; ++n) {
            const icf_mat3 f = sample_f(n);
            double exact[81], projected[81], a[81], w[81];
            icf_constitutive_tangent((icf_elastic_model)model, lame, &f, false, exact);
            icf_constitutive_tangent((icf_elastic_model)model, lame, &f, true, projected);
            memcpy(a, exact, sizeof a);
            eigen9(a, w);
            const double scale = largest(exact, 81);
            for (int i = 0; i < 9; ++i)
                for (int j = 0; j < 9; ++j) {
                    double clamped = 0.0;
                    for (int k = 0; k < 9; ++k) clamped += fmax(a[10 * k], 0.0) * w[9 * i + k] * w[9 * j + k];
                    assert_near(projected[9 * i + j], clamped, 1e-12 * scale);
                    changed += fabs(clamped - exact[9 * i + j]) > 1e-3 * scale;
                }
        }
    assert_true(changed > 1000); /* the samples do have negative eigenvalues */
}

/* No energy and no stress in a rotation. */
static void rotations_cost_nothing(void **state)
{
    (void)state;
    const icf_lame lame = lame_of(1.0, 0.49);
    for (int model = 0; model < ICF_ELASTIC_COUNT; ++model)
        for (uint64_t n = 0; n < 300; ++n) {
            const icf_mat3 f = sample_rotation(n), r = icf_polar_rotation(&f);
            assert_near(icf_constitutive_energy((icf_elastic_model)model, lame, &f), 0.0, 1e-28);
            const icf_mat3 p = icf_constitutive_stress((icf_elastic_model)model, lame, &r, &f);
            assert_near(largest(p.m, 9), 0.0, 5e-14);
        }
}

/* A strain of 1e-7: psi = mu |eps|^2 + lambda/2 tr^2, with all digits that the strain itself has. */
static void energy_of_small_strain_keeps_its_digits(void **state)
{
    (void)state;
    const icf_lame lame = lame_of(1.0, 0.3);
    const double e = 0x1p-23, linear = lame.mu * e * e + 0.5 * lame.lambda * e * e; /* exact in binary */
    const icf_mat3 f = {{1.0 + e, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int model = 0; model < ICF_ELASTIC_COUNT; ++model)
        assert_near(icf_constitutive_energy((icf_elastic_model)model, lame, &f), linear, 4.0 * e * linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values_of_every_kind),
        cmocka_unit_test(singular_values_are_those_put_in),
        cmocka_unit_test(rotation_is_the_nearest),
        cmocka_unit_test(reference_table),
        cmocka_unit_test(stress_is_the_slope_of_the_energy),
        cmocka_unit_test(tangent_is_the_slope_of_the_stress),
        cmocka_unit_test(geometric_part_is_the_change_of_rotation),
        cmocka_unit_test(projection_is_the_eigenvalue_clamp),
        cmocka_unit_test(rotations_cost_nothing),
        cmocka_unit_test(energy_of_small_strain_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
