/* Inner balls: their radii, and when they matter. */
#include "contact/inner_ball.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "context_fixture.h"

static void assert_radius(const icf_shape *shape, const icf_solid *solids, double radius)
{
    assert_true(fabs(icf_inner_radius(shape, solids) - radius) < 1e-14);
}

static void radii_of_shapes(void **state)
{
    (void)state;
    assert_radius(&(icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.3, 0.2, 0.4}}, NULL, 0.2);
    assert_radius(&(icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = {0.3, 0.2, 0.1}}, NULL, 0.1);
    assert_radius(&(icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = 0.2, .half = 0.05}, NULL, 0.2);
    assert_radius(&(icf_shape){.type = ICF_SHAPE_CYLINDER, .radius = 0.2, .half = 0.05}, NULL, 0.05);
    assert_radius(&(icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.2}, NULL, 0.0);
    assert_radius(&(icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}}, NULL, 0.0);
    assert_radius(&(icf_shape){.type = ICF_SHAPE_COMPOUND}, NULL, 0.0);
}

/* The regular tetrahedron of corners of a cube of edge 2 a: a / sqrt(3). */
static void radius_of_a_tetrahedron(void **state)
{
    (void)state;
    const double a = 0.1;
    const icf_vec3 corner[4] = {{a, a, a}, {a, -a, -a}, {-a, a, -a}, {-a, -a, a}};
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_convex(&shared_context, 4, corner, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    const icf_shape shape = icf_solid_shape(&solid, 0);
    assert_radius(&shape, &solid, a / sqrt(3.0));
    icf_solid_clear(&solid);
}

static void matters_to_the_fast_and_the_deep(void **state)
{
    (void)state;
    const icf_shape box = {.type = ICF_SHAPE_BOX, .extent = {0.3, 0.2, 0.4}},
                    ball = {.radius = 0.2, .type = ICF_SHAPE_SPHERE};
    assert_false(icf_inner_ball_matters(&box, 0.19, 0.04));
    assert_true(icf_inner_ball_matters(&box, 0.21, 0.0));
    assert_true(icf_inner_ball_matters(&box, 0.0, 0.06));
    assert_false(icf_inner_ball_matters(&ball, 10.0, 0.1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radii_of_shapes),
        cmocka_unit_test(radius_of_a_tetrahedron),
        cmocka_unit_test(matters_to_the_fast_and_the_deep),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
