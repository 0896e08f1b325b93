/* Size distributions: quantiles known from tables, moments in closed form, and drawn numbers against the distribution
 * function (Kolmogorov and Smirnov). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "scene/size.h"

enum { NDRAW = 20000 };

static double cut_gauss(double x, double a, double b)
{
    const double root = sqrt(0.5);
    return (erf(x * root) - erf(a * root)) / (erf(b * root) - erf(a * root));
}

static icf_size uniform(double min, double max)
{
    return (icf_size){.kind = ICF_SIZE_UNIFORM, .min = min, .max = max};
}

static icf_size normal(double mean, double deviation, double min, double max)
{
    return (icf_size){.kind = ICF_SIZE_NORMAL, .center = mean, .deviation = deviation, .min = min, .max = max};
}

static icf_size log_normal(double median, double deviation, double min, double max)
{
    return (icf_size){.kind = ICF_SIZE_LOG_NORMAL, .center = median, .deviation = deviation, .min = min, .max = max};
}

/* Part of the bodies that are not larger than x. */
static double below(const icf_size *size, double x)
{
    const double c = size->center, s = size->deviation;
    if (size->kind == ICF_SIZE_NORMAL) return cut_gauss((x - c) / s, (size->min - c) / s, (size->max - c) / s);
    if (size->kind == ICF_SIZE_LOG_NORMAL)
        return cut_gauss(log(x / c) / s, log(size->min / c) / s, log(size->max / c) / s);
    return (x - size->min) / (size->max - size->min);
}

static const icf_size *samples(int i)
{
    static icf_size size[7];
    size[0] = uniform(0.5, 1.5);
    size[1] = normal(1.0, 0.2, 0.4, 1.6);
    size[2] = normal(1.0, 0.3, 0.9, 1.0);  /* cut on both sides of nothing */
    size[3] = normal(1.0, 0.1, 1.35, 1.9); /* a tail */
    size[4] = log_normal(0.02, 0.5, 0.02 * exp(-1.5), 0.02 * exp(1.5));
    size[5] = log_normal(1.0, 1.0, 0.01, 0.5);
    size[6] = log_normal(3.0, 0.05, 2.0, 4.0);
    return i < 7 ? &size[i] : NULL;
}

/* 97.5 % of a Gaussian lies below 1.959963984540054 deviations, 99.9 % below 3.090232306167813. */
static void quantiles_of_tables(void **state)
{
    (void)state;
    const icf_size wide = normal(10.0, 1.0, 1.0, 19.0);
    assert_true(fabs(icf_size_draw(&wide, 0.5) - 10.0) < 1e-12);
    assert_true(fabs(icf_size_draw(&wide, 0.975) - 11.959963984540054) < 1e-12);
    assert_true(fabs(icf_size_draw(&wide, 0.025) - 8.040036015459946) < 1e-12);
    assert_true(fabs(icf_size_draw(&wide, 0.999) - 13.090232306167813) < 1e-12);
    const icf_size logarithm = log_normal(2.0, 0.5, 1e-3, 1e3);
    assert_true(fabs(icf_size_draw(&logarithm, 0.975) - 2.0 * exp(0.5 * 1.959963984540054)) < 1e-9);
}

/* Drawing inverts the distribution function, from bound to bound, and grows with the number. */
static void drawing_inverts_the_distribution(void **state)
{
    (void)state;
    for (int i = 0; samples(i); ++i) {
        const icf_size *size = samples(i);
        double last = 0.0;
        for (int k = 0; k <= 1000; ++k) {
            const double u = (k + 0.5) / 1001.0, x = icf_size_draw(size, u);
            assert_true(x >= size->min && x <= size->max && x >= last);
            assert_true(fabs(below(size, x) - u) < 1e-10);
            last = x;
        }
        assert_true(icf_size_draw(size, 1e-300) >= size->min && icf_size_draw(size, 1.0 - 1e-16) <= size->max);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void draw_sorted(const icf_size *size, double *drawn)
{
    const uint32_t key[2] = {1, 2};
    for (uint32_t i = 0; i < NDRAW; ++i) {
        uint32_t word[4] = {i, 0, 0, 0};
        icf_philox(word, key);
        drawn[i] = icf_size_draw(size, (word[0] + 0.5) / 4294967296.0);
    }
    qsort(drawn, NDRAW, sizeof *drawn, compare);
}

/* 1.63/sqrt(n) bounds the largest difference of the distribution functions in 99 of 100 samples. */
static void drawn_numbers_follow_the_distribution(void **state)
{
    (void)state;
    double *drawn = malloc(NDRAW * sizeof *drawn);
    assert_non_null(drawn);
    for (int i = 0; samples(i); ++i) {
        double largest = 0.0;
        draw_sorted(samples(i), drawn);
        for (int k = 0; k < NDRAW; ++k) largest = fmax(largest, fabs(below(samples(i), drawn[k]) - (k + 0.5) / NDRAW));
        assert_true(largest < 1.63 / sqrt(NDRAW));
        assert_true(largest > 0.1 / sqrt(NDRAW));
    }
    free(drawn);
}

/* Means of powers: (b^(p + 1) - a^(p + 1))/((p + 1)(b - a)); m^p exp(p^2 s^2/2) of a wide log-normal one; mean and
 * variance of a Gaussian cut off symmetrically at c deviations: 1 - 2 c phi(c)/(2 Phi(c) - 1).  The midpoint rule
 * misses 1.7e-5 of the third power seven deviations wide. */
static void moments_in_closed_form(void **state)
{
    (void)state;
    const icf_size flat = uniform(0.5, 1.5);
    assert_true(fabs(icf_size_mean_power(&flat, 1) - 1.0) < 1e-12);
    assert_true(fabs(icf_size_mean_power(&flat, 3) - (pow(1.5, 4) - pow(0.5, 4)) / 4.0) < 1e-7);
    const icf_size wide = log_normal(2.0, 0.1, 2.0 * exp(-0.7), 2.0 * exp(0.7));
    assert_true(fabs(icf_size_mean_power(&wide, 3) / (8.0 * exp(4.5 * 0.01)) - 1.0) < 3e-5);
    const icf_size cut = normal(1.0, 0.2, 0.6, 1.4);
    const double mean = icf_size_mean_power(&cut, 1), square = icf_size_mean_power(&cut, 2);
    const double phi = exp(-2.0) / sqrt(2.0 * acos(-1.0));
    assert_true(fabs(mean - 1.0) < 1e-9);
    assert_true(fabs((square - mean * mean) / 0.04 - (1.0 - 4.0 * phi / erf(2.0 / sqrt(2.0)))) < 1e-5);
}

/* Values by weight: 1 in 8 draws, 5 in 8, 2 in 8; the chi-squared of two degrees of freedom is below 9.21 in 99 of 100
 * samples. */
static void lists_by_weight(void **state)
{
    (void)state;
    const icf_size list = {.kind = ICF_SIZE_LIST,
                           .min = 0.5,
                           .max = 3.0,
                           .n = 3,
                           .value = {2.0, 0.5, 3.0},
                           .weight = {1.0, 5.0, 2.0},
                           .total = 8.0};
    assert_true(icf_size_draw(&list, 0.1249) == 2.0 && icf_size_draw(&list, 0.1251) == 0.5);
    assert_true(icf_size_draw(&list, 0.7499) == 0.5 && icf_size_draw(&list, 0.7501) == 3.0);
    assert_true(icf_size_draw(&list, 1.0 - 1e-16) == 3.0);
    assert_true(fabs(icf_size_mean_power(&list, 3) - (8.0 + 5.0 * 0.125 + 2.0 * 27.0) / 8.0) < 1e-12);
    double *drawn = malloc(NDRAW * sizeof *drawn), chi = 0.0;
    assert_non_null(drawn);
    draw_sorted(&list, drawn);
    for (int i = 0; i < 3; ++i) {
        const double expected = NDRAW * list.weight[i] / list.total;
        int n = 0;
        for (int k = 0; k < NDRAW; ++k) n += drawn[k] == list.value[i];
        chi += (n - expected) * (n - expected) / expected;
    }
    assert_true(chi < 9.21);
    free(drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_tables),
        cmocka_unit_test(drawing_inverts_the_distribution),
        cmocka_unit_test(drawn_numbers_follow_the_distribution),
        cmocka_unit_test(moments_in_closed_form),
        cmocka_unit_test(lists_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
