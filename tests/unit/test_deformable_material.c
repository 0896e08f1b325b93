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

/* E = 1e5, nu = 1/4: mu = 1e5/2.5 = 4e4; lambda = 2.5e4/(1.25 0.5) = 4e4. */
static void lame_by_hand(void **state)
{
    (void)state;
    const icf_deformable_material m = good();
    const icf_lame lame = icf_deformable_material_lame(&m);
    assert_near(lame.mu, 4e4, 1e-10);
    assert_near(lame.lambda, 4e4, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lame_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
