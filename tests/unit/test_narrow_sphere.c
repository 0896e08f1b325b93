/* Sphere against sphere, capsule, box and cylinder: conventions for special positions, values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide_oracle.h"

static const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

static icf_manifold collide(const icf_shape *a, icf_vec3 at_a, const icf_shape *b, icf_vec3 at_b, double limit)
{
    const icf_placed_shape placed[2] = {{a, at_a, unit, NULL}, {b, at_b, unit, NULL}};
    icf_manifold manifold;
    icf_collide(&placed[0], &placed[1], limit, &manifold);
    return manifold;
}

static void assert_vector(icf_vec3 a, double x, double y, double z)
{
    assert_true(icf_norm(icf_sub(a, (icf_vec3){x, y, z})) <= 1e-15);
}

/* Radii 1 and 2 m, centres 2.5 m apart: depth 0.5 m, witness points 1 and 2 m from the centres. */
static void two_spheres(void **state)
{
    (void)state;
    const icf_shape a = {.type = ICF_SHAPE_SPHERE, .radius = 1.0}, b = {.type = ICF_SHAPE_SPHERE, .radius = 2.0};
    icf_manifold manifold = collide(&a, (icf_vec3){0, 0, 0}, &b, (icf_vec3){0, 2.5, 0}, 0.0);
    assert_int_equal(manifold.n, 1);
    assert_int_equal(manifold.point[0].feature, 0);
    assert_true(manifold.point[0].distance == -0.5);
    assert_vector(manifold.point[0].normal, 0, 1, 0);
    assert_vector(manifold.point[0].on_a, 0, 1, 0);
    assert_vector(manifold.point[0].on_b, 0, 0.5, 0);
    manifold = collide(&a, (icf_vec3){0, 0, 0}, &b, (icf_vec3){0, 3, 0}, 0.0);
    assert_int_equal(manifold.n, 0); // strictly below
}

/* Coincident centres: normal +z from the first to the second, in both orders; depth = sum of the radii. */
static void coincident_centres_have_normal_z(void **state)
{
    (void)state;
    const icf_shape a = {.type = ICF_SHAPE_SPHERE, .radius = 1.0}, b = {.type = ICF_SHAPE_SPHERE, .radius = 2.0};
    const icf_shape *first[2] = {&a, &b};
    for (int k = 0; k < 2; ++k) {
        const icf_manifold manifold = collide(first[k], (icf_vec3){3, 3, 3}, first[1 - k], (icf_vec3){3, 3, 3}, 0.0);
        assert_int_equal(manifold.n, 1);
        assert_vector(manifold.point[0].normal, 0, 0, 1);
        assert_true(manifold.point[0].distance == -3.0);
    }
}

/* A centre inside a box of half edges 1, 2, 3 m leaves by the nearest face; ties x, y, z, plus side first. */
static void centre_inside_a_box(void **state)
{
    (void)state;
    const icf_shape ball = {.type = ICF_SHAPE_SPHERE, .radius = 0.5};
    const icf_shape box = {.type = ICF_SHAPE_BOX, .extent = {1, 2, 3}},
                    cube = {.type = ICF_SHAPE_BOX, .extent = {1, 1, 1}};
    const struct {
        const icf_shape *box;
        icf_vec3 centre, outward;
        double depth; // of the centre
    } cases[] = {
        {&box, {0, 0, 0}, {1, 0, 0}, 1.0},          {&box, {-0.25, 0, 0}, {-1, 0, 0}, 0.75},
        {&box, {0, 1.5, 0}, {0, 1, 0}, 0.5},        {&box, {0, -1.5, 0}, {0, -1, 0}, 0.5},
        {&box, {0, 0, 2.75}, {0, 0, 1}, 0.25},      {&cube, {0, 0, 0}, {1, 0, 0}, 1.0},
        {&cube, {0, 0.5, 0.5}, {0, 1, 0}, 0.5},     {&cube, {0, -0.5, 0.5}, {0, -1, 0}, 0.5},
        {&cube, {-0.5, 0.5, 0.5}, {-1, 0, 0}, 0.5}, {&cube, {1, 1, 1}, {1, 0, 0}, 0.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const icf_manifold manifold = collide(cases[k].box, (icf_vec3){0, 0, 0}, &ball, cases[k].centre, 0.0);
        assert_int_equal(manifold.n, 1);
        assert_true(manifold.point[0].distance == -cases[k].depth - 0.5);
        assert_vector(manifold.point[0].normal, cases[k].outward.x, cases[k].outward.y, cases[k].outward.z);
        const icf_vec3 on_box = icf_mul_add(cases[k].centre, cases[k].depth, cases[k].outward);
        assert_vector(manifold.point[0].on_a, on_box.x, on_box.y, on_box.z);
    }
}

/* A ball that approaches a box's face, edge and corner to within round-off keeps the exact direction. */
static void direction_is_exact_at_any_gap(void **state)
{
    (void)state;
    const icf_shape ball = {.type = ICF_SHAPE_SPHERE, .radius = 0.5},
                    cube = {.type = ICF_SHAPE_BOX, .extent = {1, 1, 1}};
    for (double gap = 1e-2; gap > 1e-15; gap *= 0.1) {
        icf_manifold manifold = collide(&ball, (icf_vec3){1 + gap, 0.3, 0.9}, &cube, (icf_vec3){0, 0, 0}, 0.0);
        assert_vector(manifold.point[0].normal, -1, 0, 0);
        manifold = collide(&ball, (icf_vec3){1 + gap, 1 + gap, 0.9}, &cube, (icf_vec3){0, 0, 0}, 0.0);
        assert_vector(manifold.point[0].normal, -sqrt(0.5), -sqrt(0.5), 0);
        manifold = collide(&ball, (icf_vec3){1 + gap, 1 + gap, -1 - gap}, &cube, (icf_vec3){0, 0, 0}, 0.0);
        assert_vector(manifold.point[0].normal, -sqrt(1 / 3.0), -sqrt(1 / 3.0), sqrt(1 / 3.0));
    }
}

/* Capsule of half length 2 m along z: beside it, beyond its ends, on its axis. */
static void sphere_and_capsule(void **state)
{
    (void)state;
    const icf_shape ball = {.type = ICF_SHAPE_SPHERE, .radius = 0.5};
    const icf_shape capsule = {.type = ICF_SHAPE_CAPSULE, .radius = 1.0, .half = 2.0};
    const icf_vec3 origin = {0, 0, 0};
    icf_manifold manifold = collide(&ball, (icf_vec3){0, 1.25, 1}, &capsule, origin, 0.0);
    assert_true(manifold.point[0].distance == -0.25 && manifold.point[0].feature == 2);
    assert_vector(manifold.point[0].normal, 0, -1, 0);
    assert_vector(manifold.point[0].on_b, 0, 1, 1);
    manifold = collide(&ball, (icf_vec3){0, 0, 3.25}, &capsule, origin, 0.0);
    assert_true(manifold.point[0].distance == -0.25 && manifold.point[0].feature == 0);
    assert_vector(manifold.point[0].normal, 0, 0, -1);
    manifold = collide(&ball, (icf_vec3){0, 0, -3.25}, &capsule, origin, 0.0);
    assert_true(manifold.point[0].distance == -0.25 && manifold.point[0].feature == 1);
    manifold = collide(&ball, (icf_vec3){0, 0, 1}, &capsule, origin, 0.0);
    assert_true(manifold.point[0].distance == -1.5 && manifold.point[0].normal.z == 0.0);
}

/* A cylinder of radius 1 and half length 2 m along z: beside the wall, over an end, off the rim, inside nearer to the
 * one or the other, on the axis, and within 1e-12 m of the wall, where the direction stays exact. */
static void sphere_and_cylinder(void **state)
{
    (void)state;
    const icf_shape ball = {.type = ICF_SHAPE_SPHERE, .radius = 0.5};
    const icf_shape cylinder = {.type = ICF_SHAPE_CYLINDER, .radius = 1.0, .half = 2.0};
    const struct {
        icf_vec3 centre, outward, on;
        double gap; // of the centre
    } cases[] = {
        {{0, -1.25, 1}, {0, -1, 0}, {0, -1, 1}, 0.25},    {{0.3, 0.4, -2.25}, {0, 0, -1}, {0.3, 0.4, -2}, 0.25},
        {{1.3, 0, 2.4}, {0.6, 0, 0.8}, {1, 0, 2}, 0.5},   {{0, 0.75, 1.5}, {0, 1, 0}, {0, 1, 1.5}, -0.25},
        {{0.5, 0, 1.75}, {0, 0, 1}, {0.5, 0, 2}, -0.25},  {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, -1.0},
        {{0, 1 + 1e-12, 0}, {0, 1, 0}, {0, 1, 0}, 1e-12},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const icf_manifold manifold = collide(&ball, cases[k].centre, &cylinder, (icf_vec3){0, 0, 0}, 1.0);
        const icf_vec3 out = cases[k].outward, on = cases[k].on;
        assert_int_equal(manifold.n, 1);
        assert_true(fabs(manifold.point[0].distance - (cases[k].gap - 0.5)) <= 1e-15);
        assert_vector(manifold.point[0].normal, -out.x, -out.y, -out.z);
        assert_vector(manifold.point[0].on_b, on.x, on.y, on.z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_spheres),         cmocka_unit_test(coincident_centres_have_normal_z),
        cmocka_unit_test(centre_inside_a_box), cmocka_unit_test(direction_is_exact_at_any_gap),
        cmocka_unit_test(sphere_and_capsule),  cmocka_unit_test(sphere_and_cylinder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
