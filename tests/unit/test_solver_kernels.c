/* Front and pair kernels of every instruction set that this processor runs, against plain loops. */
#include "sample_scene.h"

#include <string.h>

#include "solver/front_kernels.h"
#include "solver/pair_kernels.h"

enum { order = 37, npivot_max = 20, ld = 40, nkernel_max = 6 };

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

/* L L^T gives the columns of the pivots, and the update is what is left of the rest. */
static void check_product(const icf_front_kernels *kernels, double matrix[order][order], const void *panel,
                          const void *update, int npivot, double tolerance)
{
    for (int i = 0; i < order; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int p = 0; p < npivot && p <= j; ++p)
                sum += get(kernels, panel, i + p * ld) * get(kernels, panel, j + p * ld);
            const double expected = j < npivot ? matrix[i][j] : -get(kernels, update, i - npivot + (j - npivot) * ld);
            assert_near(sum, expected, 20.0 * tolerance);
        }
}

/* Both solves undo y = L (L^T x) on the pivots, with zero below. */
static void check_solves(const icf_front_kernels *kernels, double matrix[order][order], const void *panel,
                         const double *inverse, int npivot, double tolerance)
{
    double v[order + 8] = {0};
    for (int i = 0; i < order; ++i)
        for (int j = 0; j < npivot; ++j) v[i] += matrix[i][j] * (1.0 + j);
    kernels->forward(panel, ld, order, npivot, inverse, v);
    for (int i = npivot; i < order; ++i) assert_near(v[i], 0.0, 1e3 * tolerance);
    kernels->backward(panel, ld, order, npivot, inverse, v);
    for (int i = 0; i < npivot; ++i) assert_near(v[i], 1.0 + i, 1e3 * tolerance);
}

static void put_columns(const icf_front_kernels *kernels, double matrix[order][order], int npivot, void *panel)
{
    for (int j = 0; j < npivot; ++j)
        for (int i = j; i < order; ++i) put(kernels, panel, i + j * ld, matrix[i][j]);
}

static void check_front(const icf_front_kernels *kernels, double matrix[order][order], int npivot)
{
    _Alignas(64) double panel[ld * npivot_max + 8] = {0}, update[ld * order + 8] = {0};
    double inverse[npivot_max];
    const double tolerance = kernels->bytes == sizeof(float) ? 1e-5 : 1e-13;
    put_columns(kernels, matrix, npivot, panel);
    assert_true(kernels->factor(panel, ld, order, npivot, inverse));
    const char *below = (const char *)panel + (size_t)npivot * kernels->bytes;
    kernels->product(below, ld, order - npivot, npivot, order - npivot, update, ld, false);
    check_product(kernels, matrix, panel, update, npivot, tolerance);
    check_solves(kernels, matrix, panel, inverse, npivot, tolerance);
    for (int bad = 0; bad < npivot; ++bad) { /* a pivot that is not positive */
        put_columns(kernels, matrix, npivot, panel);
        put(kernels, panel, bad * (ld + 1), -1.0);
        assert_false(kernels->factor(panel, ld, order, npivot, inverse));
    }
}

static void fronts_are_factored(void **state)
{
    (void)state;
    const icf_front_kernels *list[nkernel_max];
    const int n = list_front_kernels(list);
    static double matrix[order][order];
    make_matrix(matrix);
    for (int k = 0; k < n; ++k)
        for (int npivot = 1; npivot <= npivot_max; ++npivot) check_front(list[k], matrix, npivot);
}

/* Runs of any length are added, and nothing behind them is touched. */
static void runs_are_added(void **state)
{
    (void)state;
    enum { wide = 64, length_max = 41 };
    const icf_front_kernels *list[nkernel_max];
    const int n = list_front_kernels(list);
    for (int k = 0; k < n; ++k)
        for (int length = 1; length <= length_max; ++length) {
            _Alignas(64) double from[3 * wide + 8], to[wide + 8];
            for (int i = 0; i < wide; ++i) put(list[k], from, 2 * wide + i, 1.0 + i), put(list[k], to, i, 0.5);
            const icf_front_run run = {.from = 2, .to = 5, .length = length};
            list[k]->add_columns(&run, 1, 0, 0, 1, from, wide, to, wide);
            for (int i = 0; i < wide; ++i)
                assert_true(get(list[k], to, i) == (i >= 5 && i < 5 + length ? 0.5 + i - 2 : 0.5));
        }
}

enum { product_rows = 611, product_depth = 230, wide = 616 };

/* C -= A B^T of the first columns, at once, in two steps of its depth and a few columns at a time: all with the same
 * bits. */
static void check_product_of(const icf_front_kernels *kernels, const void *a, int nrow, int depth, int ncol)
{
    enum { cut = 50, few = 36 };
    _Alignas(64) static double whole[wide * product_rows + 8], parts[wide * product_rows + 8],
        strips[wide * product_rows + 8];
    const double tolerance = kernels->bytes == sizeof(float) ? 1e-4 : 1e-12;
    const char *from = a;
    for (int e = 0; e < wide * nrow; ++e) put(kernels, whole, e, 1.0);
    memcpy(parts, whole, sizeof parts);
    memcpy(strips, whole, sizeof strips);
    kernels->product(a, wide, nrow, depth, ncol, whole, wide, true);
    kernels->product(a, wide, nrow, cut, ncol, parts, wide, true);
    kernels->product(from + (size_t)(cut * wide) * kernels->bytes, wide, nrow, depth - cut, ncol, parts, wide, true);
    for (int j = 0; j < ncol; j += few)
        kernels->product(from + (size_t)j * kernels->bytes, wide, nrow - j, depth, ICF_MIN(few, ncol - j),
                         (char *)strips + (size_t)(j + j * wide) * kernels->bytes, wide, true);
    for (int j = 0; j < ncol; ++j)
        for (int i = j; i < nrow; ++i) {
            const double value = get(kernels, whole, i + j * wide);
            assert_true(value == get(kernels, parts, i + j * wide));
            assert_true(value == get(kernels, strips, i + j * wide));
            if ((i + j) % 31 != 0 && nrow > 250) continue; /* enough of a large one */
            double sum = 1.0;
            for (int d = 0; d < depth; ++d) sum -= get(kernels, a, i + d * wide) * get(kernels, a, j + d * wide);
            assert_near(value, sum, tolerance);
        }
}

/* Small products, and large ones, which are packed, over several blocks of the cache in all directions. */
static void products_may_be_cut(void **state)
{
    (void)state;
    static const int size[][3] = {{250, 130, 5},   {250, 130, 100}, {250, 130, 250}, {611, 52, 101},
                                  {611, 230, 199}, {607, 199, 607}, {600, 193, 96},  {601, 96, 598}};
    const icf_front_kernels *list[nkernel_max];
    const int n = list_front_kernels(list);
    _Alignas(64) static double a[wide * product_depth + 8];
    for (int k = 0; k < n; ++k) {
        unsigned seed = 5;
        for (int e = 0; e < wide * product_depth; ++e) put(list[k], a, e, noise(&seed));
        for (size_t c = 0; c < sizeof size / sizeof *size; ++c)
            check_product_of(list[k], a, size[c][0], size[c][1], size[c][2]);
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

enum { ncontact_max = 3 };

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

static void check_pair(const icf_pair_kernels *kernels, icf_lid ncontact)
{
    const icf_vec3 zero = {0, 0, 0}, d = {0.3, -0.2, 0.7};
    icf_mat3 frame[ncontact_max];
    icf_vec3 arm[ncontact_max];
    double gamma[ncontact_max][3], start[ncontact_max][3], v[2][6];
    icf_sym3 g[ncontact_max];
    unsigned seed = 3;
    for (int i = 0; i < ncontact; ++i) {
        for (int e = 0; e < 9; ++e) frame[i].m[e] = noise(&seed);
        arm[i] = icf_vec3_make(noise(&seed), noise(&seed), noise(&seed));
        for (int e = 0; e < 6; ++e) g[i].m[e] = noise(&seed);
        for (int a = 0; a < 3; ++a) gamma[i][a] = noise(&seed), start[i][a] = noise(&seed);
    }
    for (int e = 0; e < 6; ++e) v[0][e] = noise(&seed), v[1][e] = noise(&seed);
    double out[4][ncontact_max][3], wrench[ICF_PAIR_WRENCH];
    double reference[36], other[36], between[36], alone[36], before[36];
    for (int e = 0; e < 36; ++e) before[e] = reference[e] = other[e] = between[e] = alone[e] = noise(&seed);
    kernels->velocity(ncontact, frame, arm, 1.0, v[0], v[1], &d, start, out[0]);
    kernels->velocity(ncontact, frame, arm, -1.0, v[0], NULL, &d, NULL, out[1]);
    kernels->velocity(ncontact, frame, arm, 1.0, NULL, v[1], &d, NULL, out[2]);
    kernels->velocity(ncontact, frame, arm, 1.0, NULL, NULL, &d, start, out[3]);
    kernels->wrench(ncontact, frame, arm, gamma, wrench);
    kernels->hessian(ncontact, frame, arm, g, &d, reference, other, between);
    kernels->hessian(ncontact, frame, arm, g, NULL, alone, NULL, NULL);
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
        assert_near(reference[e], before[e] + rr[e], 1e-14);
        assert_near(alone[e], before[e] + rr[e], 1e-14);
        assert_near(between[e], before[e] + ro[e], 1e-14);
        assert_near(other[e], before[e] + oo[e], 1e-14);
    }
}

static void pairs_are_summed(void **state)
{
    (void)state;
    const icf_pair_kernels *list[2];
    const int n = list_pair_kernels(list);
    for (int k = 0; k < n; ++k)
        for (icf_lid ncontact = 1; ncontact <= ncontact_max; ++ncontact) check_pair(list[k], ncontact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fronts_are_factored), cmocka_unit_test(products_may_be_cut),
                                       cmocka_unit_test(runs_are_added), cmocka_unit_test(pairs_are_summed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
