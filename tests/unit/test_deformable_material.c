/* Materials of deformable bodies: defaults, ranges, Lame's constants by hand, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "scene/deformable_material.h"

static icf_deformable_material good(void)
{
    icf_deformable_material m = icf_deformable_material_default();
    m.youngs_modulus = 1e5;
    m.poissons_ratio = 0.25;
    m.density = 1000.0;
    return m;
}

static void assert_refused(icf_deformable_material material)
{
    const char *why;
    assert_int_equal(icf_deformable_material_check(&material, &why), ICF_ERROR_SCENE);
    assert_non_null(why);
}

static void ranges(void **state)
{
    (void)state;
    icf_deformable_material m = good();
    const char *why;
    assert_int_equal(icf_deformable_material_check(&m, &why), ICF_OK);
    assert_null(why);
    assert_refused(icf_deformable_material_default());
    m.youngs_modulus = INFINITY, assert_refused(m), m = good();
    m.youngs_modulus = -1.0, assert_refused(m), m = good();
    m.poissons_ratio = 0.5, assert_refused(m), m = good();
    m.poissons_ratio = -1e-3, assert_refused(m), m = good();
    m.poissons_ratio = NAN, assert_refused(m), m = good();
    m.density = 0.0, assert_refused(m), m = good();
    m.mass_damping = -1.0, assert_refused(m), m = good();
    m.stiffness_damping = NAN, assert_refused(m);
}

/* E = 1e5, nu = 1/4: mu = 1e5/2.5 = 4e4; lambda = 2.5e4/(1.25 0.5) = 4e4. */
static void lame_by_hand(void **state)
{
    (void)state;
    const icf_deformable_material m = good();
    const icf_lame lame = icf_deformable_material_lame(&m);
    assert_near(lame.mu, 4e4, 1e-10);
    assert_near(lame.lambda, 4e4, 1e-10);
}

static void names_go_both_ways(void **state)
{
    (void)state;
    icf_elastic_model found = ICF_ELASTIC_NEO_HOOKEAN;
    assert_false(icf_elastic_model_find("linear", &found));
    assert_int_equal(found, ICF_ELASTIC_NEO_HOOKEAN);
    for (int m = 0; m < ICF_ELASTIC_COUNT; ++m) {
        assert_true(icf_elastic_model_find(icf_elastic_model_name((icf_elastic_model)m), &found));
        assert_int_equal(found, m);
    }
    assert_string_equal(icf_elastic_model_name(ICF_ELASTIC_ST_VENANT_KIRCHHOFF), "st_venant_kirchhoff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),
        cmocka_unit_test(lame_by_hand),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
