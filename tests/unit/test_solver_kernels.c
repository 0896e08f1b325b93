/* Front and pair kernels of every instruction set that this processor runs, against plain loops. */
#include "sample_scene.h"

#include <string.h>

#include "solver/front_kernels.h"
#include "solver/pair_kernels.h"

enum { order = 37, npivot = 20, ld = 40, nkernel_max = 6 };

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static int list_front_kernels(const icf_front_kernels **list)
{
    int n = 0;
    list[n++] = &icf_front_kernels_base;
    list[n++] = &icf_front_kernels_base_single;
#ifdef ICF_X86_KERNELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        list[n++] = &icf_front_kernels_avx2;
        list[n++] = &icf_front_kernels_avx2_single;
    }
    if (icf_front_kernels_select(false) == &icf_front_kernels_avx512) {
        list[n++] = &icf_front_kernels_avx512;
        list[n++] = &icf_front_kernels_avx512_single;
    }
#endif
    return n;
}

static void put(const icf_front_kernels *kernels, void *values, int at, double x)
{
    if (kernels->bytes == sizeof(float))
        ((float *)values)[at] = (float)x;
    else
        ((double *)values)[at] = x;
}

static double get(const icf_front_kernels *kernels, const void *values, int at)
{
    return kernels->bytes == sizeof(float) ? (double)((const float *)values)[at] : ((const double *)values)[at];
}

/* A symmetric matrix with a large diagonal. */
static void make_matrix(double matrix[order][order])
{
    unsigned state = 7;
    for (int i = 0; i < order; ++i)
        for (int j = 0; j <= i; ++j) matrix[i][j] = matrix[j][i] = i == j ? 20.0 + noise(&state) : noise(&state);
}

/* L L^T gives the columns of the pivots, and the update is what is left of the rest; both solves undo a product. */
static void fronts_are_factored(void **state)
{
    (void)state;
    const icf_front_kernels *list[nkernel_max];
    const int n = list_front_kernels(list);
    static double matrix[order][order];
    make_matrix(matrix);
    for (int k = 0; k < n; ++k) {
        _Alignas(64) double panel[ld * npivot + 8] = {0}, update[ld * (order - npivot) + 8] = {0};
        double inverse[npivot], x[order + 8] = {0}, y[order];
        const double tolerance = list[k]->bytes == sizeof(float) ? 1e-5 : 1e-13;
        for (int j = 0; j < npivot; ++j)
            for (int i = j; i < order; ++i) put(list[k], panel, i + j * ld, matrix[i][j]);
        assert_true(list[k]->factor(panel, ld, order, npivot, inverse));
        const char *below = (const char *)panel + npivot * list[k]->bytes;
        list[k]->product(below, ld, order - npivot, npivot, order - npivot, update, ld, false);
        for (int i = 0; i < order; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = 0.0;
                for (int p = 0; p < npivot && p <= j; ++p)
                    sum += get(list[k], panel, i + p * ld) * get(list[k], panel, j + p * ld);
                if (j < npivot)
                    assert_near(sum, matrix[i][j], 20.0 * tolerance);
                else
                    assert_near(sum, -get(list[k], update, i - npivot + (j - npivot) * ld), 20.0 * tolerance);
            }
        /* y = L (L^T x) on the pivots, with zero below */
        for (int i = 0; i < npivot; ++i) x[i] = 1.0 + i;
        for (int i = 0; i < order; ++i) {
            y[i] = 0.0;
            for (int j = 0; j < npivot; ++j) y[i] += matrix[i][j] * x[j];
        }
        double v[order + 8] = {0};
        memcpy(v, y, sizeof y);
        list[k]->forward(panel, ld, order, npivot, inverse, v);
        for (int i = npivot; i < order; ++i) assert_near(v[i], 0.0, 1e3 * tolerance);
        list[k]->backward(panel, ld, order, npivot, inverse, v);
        for (int i = 0; i < npivot; ++i) assert_near(v[i], x[i], 1e3 * tolerance);
        /* a pivot that is not positive */
        put(list[k], panel, 0, -1.0);
        assert_false(list[k]->factor(panel, ld, order, npivot, inverse));
    }
}

/* C -= A B^T over several blocks of the cache in all directions; taken off in two steps, the bits are the same. */
static void products_may_be_cut(void **state)
{
    (void)state;
    enum { nrow = 250, depth = 130, wide = 256, cut = 50 };
    const icf_front_kernels *list[nkernel_max];
    const int n = list_front_kernels(list);
    static const int columns[] = {5, 100, nrow};
    _Alignas(64) static double a[wide * depth + 8], whole[wide * nrow + 8], parts[wide * nrow + 8];
    for (int k = 0; k < n; ++k) {
        const double tolerance = list[k]->bytes == sizeof(float) ? 1e-4 : 1e-12;
        unsigned seed = 5;
        for (int j = 0; j < depth; ++j)
            for (int i = 0; i < nrow; ++i) put(list[k], a, i + j * wide, noise(&seed));
        for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c) {
            const int ncol = columns[c];
            for (int e = 0; e < wide * nrow; ++e) put(list[k], whole, e, 1.0);
            memcpy(parts, whole, sizeof parts);
            list[k]->product(a, wide, nrow, depth, ncol, whole, wide, true);
            list[k]->product(a, wide, nrow, cut, ncol, parts, wide, true);
            list[k]->product((const char *)a + (size_t)(cut * wide) * list[k]->bytes, wide, nrow, depth - cut, ncol,
                             parts, wide, true);
            for (int j = 0; j < ncol; ++j)
                for (int i = j; i < nrow; ++i) {
                    double sum = 1.0;
                    for (int d = 0; d < depth; ++d)
                        sum -= get(list[k], a, i + d * wide) * get(list[k], a, j + d * wide);
                    assert_near(get(list[k], whole, i + j * wide), sum, tolerance);
                    assert_true(get(list[k], whole, i + j * wide) == get(list[k], parts, i + j * wide));
                }
        }
    }
}

static int list_pair_kernels(const icf_pair_kernels **list)
{
    int n = 0;
    list[n++] = &icf_pair_kernels_base;
#ifdef ICF_X86_KERNELS
    if (icf_pair_kernels_select() == &icf_pair_kernels_avx2) list[n++] = &icf_pair_kernels_avx2;
#endif
    return n;
}

enum { ncontact = 3 };

/* J X of contact i as 3 x 6, from the reference body's J. */
static void shifted(const double jacobian[ICF_PAIR_JACOBIAN], icf_vec3 d, double out[3][6])
{
    for (int a = 0; a < 3; ++a) {
        const double *f = jacobian + a * ICF_PAIR_TWIST, *r = f + 4;
        const icf_vec3 lever = icf_cross(d, icf_vec3_make(f[0], f[1], f[2]));
        const double row[6] = {f[0], f[1], f[2], r[0] + lever.x, r[1] + lever.y, r[2] + lever.z};
        memcpy(out[a], row, sizeof row);
    }
}

static double entry(const icf_sym3 *g, int a, int b)
{
    static const int at[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
    return g->m[at[a][b]];
}

static void pairs_are_summed(void **state)
{
    (void)state;
    const icf_pair_kernels *list[2];
    const int n = list_pair_kernels(list);
    const icf_vec3 zero = {0, 0, 0}, d = {0.3, -0.2, 0.7};
    double jacobian[ncontact][ICF_PAIR_JACOBIAN] = {{0}}, gamma[ncontact][3], twist[ICF_PAIR_TWIST] = {0};
    icf_sym3 g[ncontact];
    unsigned seed = 3;
    for (int i = 0; i < ncontact; ++i) {
        for (int e = 0; e < ICF_PAIR_JACOBIAN; ++e) jacobian[i][e] = e % 4 == 3 ? 0.0 : noise(&seed);
        for (int e = 0; e < 6; ++e) g[i].m[e] = noise(&seed);
        for (int a = 0; a < 3; ++a) gamma[i][a] = noise(&seed);
    }
    for (int e = 0; e < 6; ++e) twist[e < 3 ? e : e + 1] = noise(&seed);
    for (int k = 0; k < n; ++k) {
        double out[ncontact][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, wrench[ICF_PAIR_TWIST];
        double reference[36] = {0}, other[36] = {0}, between[36] = {0}, alone[36] = {0};
        list[k]->velocity(ncontact, jacobian, twist, out);
        list[k]->wrench(ncontact, jacobian, gamma, wrench);
        list[k]->hessian(ncontact, jacobian, g, &d, reference, other, between);
        list[k]->hessian(ncontact, jacobian, g, NULL, alone, NULL, NULL);
        double force[6] = {0}, rr[36] = {0}, oo[36] = {0}, ro[36] = {0};
        for (int i = 0; i < ncontact; ++i) {
            double j[3][6], jx[3][6];
            shifted(jacobian[i], zero, j);
            shifted(jacobian[i], d, jx);
            for (int a = 0; a < 3; ++a) {
                double v = 1.0;
                for (int e = 0; e < 6; ++e) v += j[a][e] * twist[e < 3 ? e : e + 1];
                assert_near(out[i][a], v, 1e-15);
                for (int e = 0; e < 6; ++e) force[e] += j[a][e] * gamma[i][a];
                for (int b = 0; b < 3; ++b)
                    for (int e = 0; e < 36; ++e) {
                        const double w = entry(&g[i], a, b);
                        rr[e] += j[a][e % 6] * w * j[b][e / 6];
                        ro[e] -= j[a][e % 6] * w * jx[b][e / 6];
                        oo[e] += jx[a][e % 6] * w * jx[b][e / 6];
                    }
            }
        }
        for (int e = 0; e < 6; ++e) assert_near(wrench[e < 3 ? e : e + 1], force[e], 1e-15);
        for (int e = 0; e < 36; ++e) {
            assert_near(reference[e], rr[e], 1e-14);
            assert_near(alone[e], rr[e], 1e-14);
            assert_near(between[e], ro[e], 1e-14);
            assert_near(other[e], oo[e], 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fronts_are_factored), cmocka_unit_test(products_may_be_cut),
                                       cmocka_unit_test(pairs_are_summed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
