/* The laws of many contacts at a time against those of one, at any place of a range and with every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>

#include "contact/lagged_lanes.h"
#include "law_samples.h"

enum { COUNT = 41 };

/* Contacts, their constants in lanes, and a direction. */
typedef struct contacts {
    icf_law law[COUNT];
    double constants[ICF_LAGGED_CONSTANTS][COUNT], vc[COUNT][3], dvc[COUNT][3], dual[COUNT][2];
    icf_lagged_lanes lanes;
} contacts;

static void fill(contacts *c, uint64_t *state)
{
    for (int k = 0; k < ICF_LAGGED_CONSTANTS; ++k) c->lanes.value[k] = c->constants[k];
    for (int i = 0; i < COUNT; ++i) {
        const law_sample sample = random_sample(state, ICF_MODEL_LAGGED, ICF_NORMAL_LINEAR, one_in(state, 3));
        c->law[i] = sample_law(&sample);
        memcpy(c->vc[i], sample.vc, sizeof sample.vc);
        for (int a = 0; a < 3; ++a) c->dvc[i][a] = uniform(state, -1.0, 1.0) * log_uniform(state, 1e-9, 1e1);
        const double radius = uniform(state, 0.0, 1.0), angle = uniform(state, 0.0, 2.0 * M_PI);
        c->dual[i][0] = radius * cos(angle);
        c->dual[i][1] = radius * sin(angle);
        assert_true(icf_lagged_lanes_put(&c->lanes, i, &c->law[i]));
    }
}

static int list_kernels(const icf_lagged_kernels **list)
{
    int n = 0;
    list[n++] = &icf_lagged_kernels_base;
#ifdef ICF_X86_KERNELS
    if (icf_lagged_kernels_select() == &icf_lagged_kernels_avx2) list[n++] = &icf_lagged_kernels_avx2;
#endif
    return n;
}

typedef void kernels_check(const icf_lagged_kernels *kernels, contacts *c);

static void for_kernels(kernels_check *check)
{
    const icf_lagged_kernels *list[2];
    const int n = list_kernels(list);
    uint64_t state = 11;
    for (int round = 0; round < 300; ++round) {
        contacts c;
        fill(&c, &state);
        for (int k = 0; k < n; ++k) check(list[k], &c);
    }
}

static void assert_close(double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-13 * scale)) fail_msg("%.17g instead of %.17g, scale %g", a, b, scale);
}

static void check_evaluation(const icf_lagged_kernels *kernels, contacts *c)
{
    double impulse[COUNT][3], cost = 0.0, sum = 0.0;
    icf_sym3 g[COUNT];
    kernels->evaluate(&c->lanes, 0, COUNT, c->vc, c->dual, impulse, g, &cost);
    for (int i = 0; i < COUNT; ++i) {
        double expected[3];
        icf_sym3 matrix;
        sum += icf_law_evaluate_all(&c->law[i], c->vc[i], c->dual[i], expected, &matrix);
        const double mu = fmax(fabs(c->law[i].mu[0]), fabs(c->law[i].mu[1]));
        const double *m = c->law[i].mu, friction = mu * c->law[i].lagged_impulse;
        for (int a = 0; a < 3; ++a) assert_close(impulse[i][a], expected[a], fabs(expected[a]));
        /* 1 - w t of the tangential block may cancel */
        const double most = friction / c->law[i].slip * (c->law[i].anisotropic ? fmax(m[0], m[1]) : 1.0);
        for (int e = 0; e < 6; ++e) assert_close(g[i].m[e], matrix.m[e], e < 3 ? most : fabs(matrix.m[e]));
    }
    assert_close(cost, sum, sum);
}

static void one_evaluation_as_another(void **state)
{
    (void)state;
    for_kernels(check_evaluation);
}

static void check_slopes(const icf_lagged_kernels *kernels, contacts *c)
{
    for (int i = 0; i < COUNT; ++i) {
        double first[2] = {0}, second[2] = {0}, impulse[3];
        icf_sym3 g;
        const double *d = c->dvc[i];
        kernels->slope(&c->lanes, i, 1, &c->vc[i], &c->dvc[i], 0.0, &first[0], &second[0]);
        icf_law_slope(&c->law[i], c->vc[i], d, &first[1], &second[1]);
        icf_law_evaluate_all(&c->law[i], c->vc[i], NULL, impulse, &g);
        double scale = 0.0;
        for (int a = 0; a < 3; ++a) scale += fabs(impulse[a] * d[a]);
        assert_close(first[0], first[1], scale);
        assert_close(second[0], second[1], fabs(second[1]));
        /* the other end of a step of one is exact when it leads to -vc */
        double back[3], end[3];
        for (int a = 0; a < 3; ++a) back[a] = -2.0 * c->vc[i][a], end[a] = -c->vc[i][a];
        first[0] = first[1] = second[0] = second[1] = 0.0;
        kernels->slope(&c->lanes, i, 1, &c->vc[i], &back, 1.0, &first[0], &second[0]);
        kernels->slope(&c->lanes, i, 1, &end, &back, 0.0, &first[1], &second[1]);
        assert_true(first[0] == first[1] && second[0] == second[1]);
    }
}

static void one_slope_as_another(void **state)
{
    (void)state;
    for_kernels(check_slopes);
}

static void check_duals(const icf_lagged_kernels *kernels, contacts *c)
{
    double dual[COUNT][2];
    memcpy(dual, c->dual, sizeof dual);
    kernels->update_dual(&c->lanes, 0, COUNT, c->vc, c->dvc, 0.75, dual);
    for (int i = 0; i < COUNT; ++i) {
        double expected[2] = {c->dual[i][0], c->dual[i][1]};
        icf_law_dual_update(&c->law[i], c->vc[i], c->dvc[i], 0.75, expected);
        assert_true(hypot(dual[i][0], dual[i][1]) <= 1.0 + 4.0 * DBL_EPSILON);
        const bool frictionless = c->law[i].mu[0] == 0.0 && c->law[i].mu[1] == 0.0; /* nothing depends on w */
        for (int a = 0; a < 2 && !frictionless; ++a) assert_close(dual[i][a], expected[a], 1e3);
    }
}

static void one_dual_as_another(void **state)
{
    (void)state;
    for_kernels(check_duals);
}

/* What a contact gets has the same bits wherever a range begins and ends, and sums go on from contact to contact. */
static void check_ranges(const icf_lagged_kernels *kernels, contacts *c)
{
    double whole[COUNT][3], part[COUNT][3], dual[2][COUNT][2], cost[2] = {1.0, 1.0}, slope[2] = {0}, curvature[2] = {0};
    icf_sym3 g[2][COUNT];
    memcpy(dual[0], c->dual, sizeof dual[0]);
    memcpy(dual[1], c->dual, sizeof dual[1]);
    kernels->evaluate(&c->lanes, 0, COUNT, c->vc, c->dual, whole, g[0], &cost[0]);
    kernels->slope(&c->lanes, 0, COUNT, c->vc, c->dvc, 0.5, &slope[0], &curvature[0]);
    kernels->update_dual(&c->lanes, 0, COUNT, c->vc, c->dvc, 0.5, dual[0]);
    for (icf_lid begin = 0, n = 0; begin < COUNT; begin += n, n = n % 9 + 1) {
        n = ICF_MIN(n, COUNT - begin);
        kernels->evaluate(&c->lanes, begin, n, c->vc + begin, c->dual + begin, part + begin, g[1] + begin, &cost[1]);
        kernels->slope(&c->lanes, begin, n, c->vc + begin, c->dvc + begin, 0.5, &slope[1], &curvature[1]);
        kernels->update_dual(&c->lanes, begin, n, c->vc + begin, c->dvc + begin, 0.5, dual[1] + begin);
    }
    assert_memory_equal(whole, part, sizeof whole);
    assert_memory_equal(g[0], g[1], sizeof g[0]);
    assert_memory_equal(dual[0], dual[1], sizeof dual[0]);
    assert_true(cost[0] == cost[1] && slope[0] == slope[1] && curvature[0] == curvature[1]);
}

static void ranges_change_no_bit(void **state)
{
    (void)state;
    for_kernels(check_ranges);
}

static void others_have_no_lanes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    contacts c;
    fill(&c, &seed);
    for (int i = 0; i < LAW_KIND_COUNT; ++i) {
        const law_kind kind = law_kind_of(i);
        const law_sample sample = random_sample(&seed, kind.model, kind.normal, kind.anisotropic);
        const icf_law law = sample_law(&sample);
        const bool plain = kind.model == ICF_MODEL_LAGGED && kind.normal == ICF_NORMAL_LINEAR;
        assert_true(icf_lagged_lanes_put(&c.lanes, 0, &law) == plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_evaluation_as_another), cmocka_unit_test(one_slope_as_another),
        cmocka_unit_test(one_dual_as_another),       cmocka_unit_test(ranges_change_no_bit),
        cmocka_unit_test(others_have_no_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
