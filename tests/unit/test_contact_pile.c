/* Contacts of a whole pile: threads change no bit, stages and laws without lanes give what the law of each contact
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#define PILE_WIDTH 12 /* enough pairs for threads to share them */

#include "solver/hessian.h"
#include "unit/sample_pile.h"

/* What the family gives at a velocity. */
typedef struct answer {
    double cost, slope, curvature, impulse[pile_ndof];
    double *hessian; /* (nval) */
    int64_t nval;
} answer;

static answer ask(pile *p, const double *v, const double *dv)
{
    answer a = {0};
    icf_constraints *family = &p->family.base;
    icf_hessian hessian;
    family->ops->set_velocity(family, v);
    family->ops->start_dual(family, true);
    a.cost = family->ops->evaluate(family, a.impulse);
    family->ops->set_direction(family, dv);
    assert_true(family->ops->slope(family, 0.3, &a.slope, &a.curvature));
    icf_hessian_init(&hessian);
    assert_int_equal(icf_hessian_build(&hessian, &p->problem), ICF_OK);
    icf_hessian_update(&hessian, &p->problem);
    a.nval = hessian.matrix.nval;
    a.hessian = malloc((size_t)a.nval * sizeof *a.hessian);
    assert_non_null(a.hessian);
    memcpy(a.hessian, hessian.matrix.val, (size_t)a.nval * sizeof *a.hessian);
    icf_hessian_clear(&hessian);
    return a;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static pile p;
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        static double v[pile_ndof], dv[pile_ndof];
        pile_init(&p, model, 1e6, 5);
        pile_shake(&p, 0.1, v);
        pile_shake(&p, 1.0, dv);
        assert_true(p.npair >= 5 * 256); /* shares of less are for one thread */
        const answer one = ask(&p, v, dv);
        for (int nthread = 2; nthread <= 6; ++nthread) {
            p.family.nthread = nthread;
            const answer other = ask(&p, v, dv);
            assert_true(one.cost == other.cost && one.slope == other.slope && one.curvature == other.curvature);
            assert_memory_equal(one.impulse, other.impulse, sizeof one.impulse);
            assert_memory_equal(one.hessian, other.hessian, (size_t)one.nval * sizeof *one.hessian);
            free(other.hessian);
        }
        free(one.hessian);
        pile_clear(&p);
    }
}

static void assert_as_one_by_one(pile *p, const double *v, const double *dv)
{
    const answer given = ask(p, v, dv);
    const icf_lagged_kernels *lanes = p->family.lanes;
    p->family.lanes = NULL;
    const answer expected = ask(p, v, dv);
    p->family.lanes = lanes;
    double impulse = 0.0, hessian = 0.0;
    for (int i = 0; i < pile_ndof; ++i) impulse = fmax(impulse, fabs(expected.impulse[i]));
    for (int64_t i = 0; i < expected.nval; ++i) hessian = fmax(hessian, fabs(expected.hessian[i]));
    assert_true(impulse > 0.0 && hessian > 0.0);
    assert_near(given.cost, expected.cost, 1e-12 * expected.cost);
    assert_near(given.slope, expected.slope, 1e-12 * fabs(expected.slope));
    assert_near(given.curvature, expected.curvature, 1e-12 * expected.curvature);
    for (int i = 0; i < pile_ndof; ++i) assert_near(given.impulse[i], expected.impulse[i], 1e-12 * impulse);
    for (int64_t i = 0; i < expected.nval; ++i) assert_near(given.hessian[i], expected.hessian[i], 1e-12 * hessian);
    free(given.hessian);
    free(expected.hessian);
}

/* In a stage the lanes have the stage's stiffness, and the true one after it. */
static void stages_reach_the_lanes(void **state)
{
    (void)state;
    static pile p;
    static double v[pile_ndof], dv[pile_ndof];
    pile_init(&p, ICF_MODEL_LAGGED, 1e6, 7);
    pile_shake(&p, 0.1, v);
    pile_shake(&p, 1.0, dv);
    assert_non_null(p.family.lanes);
    assert_as_one_by_one(&p, v, dv);
    const answer before = ask(&p, v, dv);
    p.family.base.ops->set_stage(&p.family.base, 0.1);
    assert_non_null(p.family.lanes);
    assert_as_one_by_one(&p, v, dv);
    const answer stage = ask(&p, v, dv);
    assert_true(stage.cost < 0.5 * before.cost);
    p.family.base.ops->set_stage(&p.family.base, 1.0);
    const answer after = ask(&p, v, dv);
    assert_true(after.cost == before.cost);
    assert_memory_equal(after.impulse, before.impulse, sizeof after.impulse);
    free(before.hessian);
    free(stage.hessian);
    free(after.hessian);
    pile_clear(&p);
}

/* One contact of another normal law among all: laws are taken one by one. */
static void a_law_without_lanes_ends_them(void **state)
{
    (void)state;
    static pile p;
    pile_init(&p, ICF_MODEL_LAGGED, 1e6, 9);
    assert_non_null(p.family.lanes);
    icf_material hertz = p.scene.combined[0];
    hertz.normal = ICF_NORMAL_HERTZ;
    const icf_lid i = p.contacts.n / 2;
    icf_law_init(&p.contacts.law[i], &p.scene.contact, &hertz, pile_dt, -p.depth[i], 0.0, p.contacts.w[i]);
    icf_contact_constraints_put_lane(&p.family, i);
    assert_null(p.family.lanes);
    icf_contact_constraints_put_lane(&p.family, 0);
    assert_null(p.family.lanes);
    pile_clear(&p);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(stages_reach_the_lanes),
        cmocka_unit_test(a_law_without_lanes_ends_them),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
