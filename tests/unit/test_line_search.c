/* Line search on slopes that contacts make: kinks where they close, stiffening behind, barriers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "solver/line_search.h"

enum { terms_max = 8 };

/* l' of the family: a sum of size (alpha - at)^power behind `at`; no value from `barrier` on. */
typedef struct slopes {
    icf_constraints base;
    int n;
    double at[terms_max], size[terms_max], power[terms_max];
    double barrier;
} slopes;

static bool add_slope(const icf_constraints *self, double alpha, double *slope, double *curvature)
{
    const slopes *s = (const slopes *)self;
    if (alpha >= s->barrier) return false;
    for (int k = 0; k < s->n; ++k) {
        if (alpha <= s->at[k]) continue;
        const double t = alpha - s->at[k];
        *slope += s->size[k] * pow(t, s->power[k]);
        *curvature += s->size[k] * s->power[k] * pow(t, s->power[k] - 1.0);
    }
    return true;
}

static const icf_constraint_ops slope_ops = {.slope = add_slope};

/* Searches along l'(alpha) = alpha - 1 + the family's; returns the step length and checks it. */
static double search(slopes *s, int *evaluations)
{
    s->base.ops = &slope_ops;
    const icf_problem problem = {.nfamily = 1, .family = {&s->base}};
    icf_line line = {.slope0 = -1.0, .constant = -1.0, .linear = 1.0};
    *evaluations = 0;
    icf_line_lay(&problem, &line, evaluations);
    const double alpha = icf_line_search(&problem, &line, evaluations);
    double slope = alpha - 1.0, curvature = 0.0;
    assert_true(alpha > 0.0 && alpha <= 1.0);
    assert_true(add_slope(&s->base, alpha, &slope, &curvature));
    assert_true(fabs(slope) <= 0.1 || (alpha == 1.0 && slope <= 0.1));
    return alpha;
}

static void full_steps_take_one_evaluation(void **state)
{
    (void)state;
    int evaluations;
    slopes none = {.barrier = 2.0};
    assert_true(search(&none, &evaluations) == 1.0);
    assert_int_equal(evaluations, 1);
    slopes opening = {.n = 1, .at = {0.2}, .size = {-0.5}, .power = {1.0}, .barrier = 2.0};
    assert_true(search(&opening, &evaluations) == 1.0);
    assert_int_equal(evaluations, 1);
}

/* A stiff contact that closes: the root is at its kink, to which Newton from behind goes at once. */
static void a_kink_takes_few_evaluations(void **state)
{
    (void)state;
    for (int k = 1; k < 20; ++k) {
        int evaluations;
        slopes kink = {.n = 1, .at = {0.05 * k}, .size = {1e5}, .power = {1.0}, .barrier = 2.0};
        search(&kink, &evaluations);
        assert_true(evaluations <= 3);
    }
}

/* Sums of kinks and of forces that stiffen, over six decades of size. */
static void random_contacts_take_few_evaluations(void **state)
{
    (void)state;
    const int trials = 20000;
    icf_cnt sum = 0;
    uint64_t random = 1;
    for (int k = 0; k < trials; ++k) {
        int evaluations;
        slopes s = {.n = 1 + k % terms_max, .barrier = 2.0};
        for (int t = 0; t < s.n; ++t) {
            s.at[t] = icf_lcg_next(&random);
            s.size[t] = pow(10.0, 6.0 * icf_lcg_next(&random) - 1.0);
            s.power[t] = 1.0 + floor(3.0 * icf_lcg_next(&random));
        }
        search(&s, &evaluations);
        assert_true(evaluations <= 40);
        sum += evaluations;
    }
    assert_true((double)sum / trials <= 5.0);
}

/* A law that has no value from some step length on: the search ends before it. */
static void a_barrier_is_not_crossed(void **state)
{
    (void)state;
    for (int k = 1; k < 40; ++k) {
        int evaluations;
        slopes free = {.barrier = 0.025 * k};
        /* a root before it, at 0.167 */
        slopes s = {.n = 1, .at = {0.0}, .size = {30.0}, .power = {2.0}, .barrier = 0.17 + 0.02 * k};
        assert_true(search(&s, &evaluations) < s.barrier);
        /* no root before it: as near to it as it goes */
        free.base.ops = &slope_ops;
        const icf_problem problem = {.nfamily = 1, .family = {&free.base}};
        icf_line line = {.slope0 = -1.0, .constant = -1.0, .linear = 1.0};
        evaluations = 0;
        icf_line_lay(&problem, &line, &evaluations);
        const double alpha = icf_line_search(&problem, &line, &evaluations);
        assert_true(alpha > 0.0 && alpha < free.barrier);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_steps_take_one_evaluation), cmocka_unit_test(a_kink_takes_few_evaluations),
        cmocka_unit_test(random_contacts_take_few_evaluations), cmocka_unit_test(a_barrier_is_not_crossed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
