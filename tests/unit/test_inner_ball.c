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

/* A rod of length 2 along x that moves at 1 across: stopped at one end, none of its energy lost, the other end could be
 * twice as fast; and along its axis nothing is gained.  The trace counts the turn about both axes across: 1 + 2 * 3. */
static void an_impact_makes_the_far_end_faster(void **state)
{
    (void)state;
    const icf_vec3 inertia = {1e-6, 1.0 / 3.0, 1.0 / 3.0}, still = {0, 0, 0};
    const icf_swing swing = icf_swing_make(1.0, inertia, 0.05, still);
    const double middle = icf_swing_reach(&swing, icf_vec3_make(0, 0, 0)),
                 end = icf_swing_reach(&swing, icf_vec3_make(1, 0, 0));
    assert_true(fabs(middle - 0.05) < 1e-15);
    assert_true(end >= 2.0 * 0.05 && fabs(end - sqrt(7.0) * 0.05) < 1e-15);
}

/* A body that turns by 0.2 about z: a point at x = 0.1 moves by at least 0.02, and may sink by 0.2^2 (n.x + |x|) / 4
 * but for the factor 1/2 of the mean of the two axes across; never by more than to the other side. */
static void turning_lowers_what_is_above(void **state)
{
    (void)state;
    const icf_vec3 inertia = {1.0, 1.0, 1.0}, x = {0.1, 0, 0};
    const icf_swing slow = icf_swing_make(1.0, inertia, 0.0, icf_vec3_make(0, 0, 0.2)),
                    fast = icf_swing_make(1.0, inertia, 0.0, icf_vec3_make(0, 0, 20.0));
    assert_true(icf_swing_reach(&slow, x) >= 0.02);
    assert_true(fabs(icf_swing_sink(&slow, x, 0.1) - 0.01 * 0.2) < 1e-15);
    assert_true(fabs(icf_swing_sink(&slow, x, 0.0) - 0.01 * 0.1) < 1e-15);
    assert_true(icf_swing_sink(&slow, x, -0.1) == 0.0);
    assert_true(fabs(icf_swing_sink(&fast, x, 0.1) - 0.2) < 1e-15);
    assert_true(icf_swing_sink(&fast, (icf_vec3){0, 0, 0}, 0.0) == 0.0);
}

static void parts_have_balls(void **state)
{
    (void)state;
    const icf_part part[2] = {
        {.shape = {.type = ICF_SHAPE_BOX, .extent = {0.3, 0.2, 0.4}}, .orientation = {1, 0, 0, 0}},
        {.shape = {.type = ICF_SHAPE_SPHERE, .radius = 0.1}, .position = {0.5, 0, 0}, .orientation = {1, 0, 0, 0}}};
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(NULL, 2, part, ICF_SOLID_GIVEN, &solid), ICF_OK);
    assert_true(solid.part[0].ball == 0.2 && solid.part[1].ball == 0.1 && solid.smallest == 0.1);
    assert_true(solid.part[1].middle.x == 0.5);
    assert_false(icf_part_ball_matters(0.1, 0.09, 0.02));
    assert_true(icf_part_ball_matters(0.1, 0.11, 0.0));
    assert_true(icf_part_ball_matters(0.1, 0.0, 0.03));
    icf_solid_clear(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radii_of_shapes),
        cmocka_unit_test(radius_of_a_tetrahedron),
        cmocka_unit_test(matters_to_the_fast_and_the_deep),
        cmocka_unit_test(an_impact_makes_the_far_end_faster),
        cmocka_unit_test(turning_lowers_what_is_above),
        cmocka_unit_test(parts_have_balls),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
