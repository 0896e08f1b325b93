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

/* Rows of J X of a contact, from the reference body's J. */
static void shifted(const icf_mat3 *frame, icf_vec3 arm, icf_vec3 d, double out[3][6])
{
    for (int a = 0; a < 3; ++a) {
        const icf_vec3 f = {frame->m[3 * a], frame->m[3 * a + 1], frame->m[3 * a + 2]};
        const icf_vec3 lever = icf_cross(icf_add(arm, d), f);
        const double row[6] = {f.x, f.y, f.z, lever.x, lever.y, lever.z};
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
    icf_mat3 frame[ncontact];
    icf_vec3 arm[ncontact];
    double gamma[ncontact][3], start[ncontact][3], v[2][6];
    icf_sym3 g[ncontact];
    unsigned seed = 3;
    for (int i = 0; i < ncontact; ++i) {
        for (int e = 0; e < 9; ++e) frame[i].m[e] = noise(&seed);
        arm[i] = icf_vec3_make(noise(&seed), noise(&seed), noise(&seed));
        for (int e = 0; e < 6; ++e) g[i].m[e] = noise(&seed);
        for (int a = 0; a < 3; ++a) gamma[i][a] = noise(&seed), start[i][a] = noise(&seed);
    }
    for (int e = 0; e < 6; ++e) v[0][e] = noise(&seed), v[1][e] = noise(&seed);
    for (int k = 0; k < n; ++k) {
        double out[4][ncontact][3], wrench[ICF_PAIR_WRENCH];
        double reference[36] = {0}, other[36] = {0}, between[36] = {0}, alone[36] = {0};
        list[k]->velocity(ncontact, frame, arm, 1.0, v[0], v[1], &d, start, out[0]);
        list[k]->velocity(ncontact, frame, arm, -1.0, v[0], NULL, &d, NULL, out[1]);
        list[k]->velocity(ncontact, frame, arm, 1.0, NULL, v[1], &d, NULL, out[2]);
        list[k]->velocity(ncontact, frame, arm, 1.0, NULL, NULL, &d, start, out[3]);
        list[k]->wrench(ncontact, frame, arm, gamma, wrench);
        list[k]->hessian(ncontact, frame, arm, g, &d, reference, other, between);
        list[k]->hessian(ncontact, frame, arm, g, NULL, alone, NULL, NULL);
        double force[6] = {0}, rr[36] = {0}, oo[36] = {0}, ro[36] = {0};
        for (int i = 0; i < ncontact; ++i) {
            double j[3][6], jx[3][6];
            shifted(&frame[i], arm[i], zero, j);
            shifted(&frame[i], arm[i], d, jx);
            for (int a = 0; a < 3; ++a) {
                double of_reference = 0.0, of_other = 0.0;
                for (int e = 0; e < 6; ++e) {
                    of_reference += j[a][e] * v[0][e];
                    of_other += jx[a][e] * v[1][e];
                    force[e] += j[a][e] * gamma[i][a];
                }
                assert_near(out[0][i][a], start[i][a] + of_reference - of_other, 1e-15);
                assert_near(out[1][i][a], -of_reference, 1e-15);
                assert_near(out[2][i][a], -of_other, 1e-15);
                assert_true(out[3][i][a] == start[i][a]);
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
