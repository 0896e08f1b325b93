/* Shapes: volumes and inertias against integration over slices, extents against points of the surface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "scene/shape.h"

static const double pi = 3.14159265358979323846;

static icf_shape sphere(double radius)
{
    return (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
}

static icf_shape capsule(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = radius, .half = half};
}

static icf_shape box(double x, double y, double z)
{
    return (icf_shape){.type = ICF_SHAPE_BOX, .extent = {x, y, z}};
}

/* Radius of the round slice of a capsule at height z. */
static double slice_radius(const icf_shape *shape, double z)
{
    const double beyond = fmax(0.0, fabs(z) - shape->half);
    return sqrt(fmax(0.0, shape->radius * shape->radius - beyond * beyond));
}

/* Volume and inertia of the solid of mass 1 by the midpoint rule over slices: a disc of radius s has
 * area pi s^2 and second moments s^2/2 and s^2/4 a unit of area. */
static void integrate_slices(const icf_shape *shape, double *volume, icf_vec3 *inertia)
{
    enum { nslice = 200000 };
    const double reach = shape->half + shape->radius, dz = 2.0 * reach / nslice;
    double v = 0.0, across = 0.0, axial = 0.0;
    for (int i = 0; i < nslice; ++i) {
        const double z = -reach + (i + 0.5) * dz, s2 = pow(slice_radius(shape, z), 2.0), area = pi * s2;
        v += area * dz;
        across += area * (0.25 * s2 + z * z) * dz;
        axial += area * 0.5 * s2 * dz;
    }
    *volume = v;
    *inertia = icf_vec3_make(across / v, across / v, axial / v);
}

static void round_solids_match_integration(void **state)
{
    (void)state;
    const icf_shape shapes[] = {sphere(0.7), capsule(0.3, 0.5), capsule(2.0, 0.1), capsule(0.05, 1.5),
                                capsule(0.4, 0.0)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        double volume;
        icf_vec3 expected;
        integrate_slices(&shapes[i], &volume, &expected);
        const icf_vec3 inertia = icf_shape_inertia(&shapes[i], 1.0);
        assert_near(icf_shape_volume(&shapes[i]) / volume, 1.0, 1e-8);
        assert_near(inertia.x / expected.x, 1.0, 1e-8);
        assert_near(inertia.y / expected.y, 1.0, 1e-8);
        assert_near(inertia.z / expected.z, 1.0, 1e-8);
    }
}

/* m/12 (b^2 + c^2) with edges 2, 4, 6 and m = 3: 13, 10, 5; volume 48. */
static void box_of_known_inertia(void **state)
{
    (void)state;
    const icf_shape shape = box(1.0, 2.0, 3.0);
    const icf_vec3 inertia = icf_shape_inertia(&shape, 3.0);
    assert_near(inertia.x, 13.0, 1e-14);
    assert_near(inertia.y, 10.0, 1e-14);
    assert_near(inertia.z, 5.0, 1e-14);
    assert_near(icf_shape_volume(&shape), 48.0, 1e-13);
    assert_near(icf_shape_radius(&shape), sqrt(14.0), 1e-15);
}

static void shapes_without_volume(void **state)
{
    (void)state;
    const icf_shape none = {.type = ICF_SHAPE_NONE}, plane = {.type = ICF_SHAPE_HALF_SPACE}, line = capsule(0.0, 1.0);
    assert_true(icf_shape_volume(&none) == 0.0);
    assert_true(icf_shape_radius(&none) == 0.0);
    assert_true(isinf(icf_shape_volume(&plane)));
    assert_true(isinf(icf_shape_radius(&plane)));
    assert_true(icf_norm(icf_shape_inertia(&plane, 1.0)) == 0.0);
    assert_true(icf_shape_volume(&line) == 0.0);
    assert_true(icf_shape_radius(&line) == 1.0);
    assert_true(icf_norm(icf_shape_inertia(&line, 1.0)) == 0.0);
}

/* Largest coordinate of the shape's extreme points along each world axis: corners of a box; ends of a
 * capsule's axis, a radius further. */
static icf_vec3 extent_from_points(const icf_shape *shape, const icf_mat3 *rotation)
{
    icf_vec3 extent = {0};
    const icf_vec3 e = shape->type == ICF_SHAPE_BOX ? shape->extent : icf_vec3_make(0.0, 0.0, shape->half);
    for (int corner = 0; corner < 8; ++corner) {
        const icf_vec3 local = {corner & 4 ? e.x : -e.x, corner & 2 ? e.y : -e.y, corner & 1 ? e.z : -e.z};
        const icf_vec3 world = icf_mat3_mul(rotation, local);
        for (int k = 0; k < 3; ++k) icf_set(&extent, k, fmax(icf_get(extent, k), icf_get(world, k) + shape->radius));
    }
    return extent;
}

static void extents_reach_the_extreme_points(void **state)
{
    (void)state;
    const icf_shape shapes[] = {sphere(0.7), capsule(0.3, 0.5), box(0.1, 0.5, 2.0)};
    for (int turn = 0; turn < 50; ++turn) {
        const icf_quat q = {cos(0.7 * turn), sin(1.3 * turn), cos(2.1 * turn + 1.0), sin(0.4 * turn + 2.0)};
        const icf_mat3 rotation = icf_quat_matrix(icf_quat_unit(q));
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
            const icf_vec3 expected = extent_from_points(&shapes[i], &rotation);
            const icf_vec3 extent = icf_shape_extent(&shapes[i], &rotation);
            for (int k = 0; k < 3; ++k) assert_near(icf_get(extent, k), icf_get(expected, k), 1e-14);
        }
    }
}

/* A quarter turn about x takes z to -y: a capsule along z then lies along y. */
static void capsule_axis_is_body_z(void **state)
{
    (void)state;
    const icf_shape shape = capsule(0.25, 1.0);
    const icf_mat3 rotation = icf_quat_matrix((icf_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0});
    const icf_vec3 extent = icf_shape_extent(&shape, &rotation);
    assert_near(extent.x, 0.25, 1e-15);
    assert_near(extent.y, 1.25, 1e-15);
    assert_near(extent.z, 0.25, 1e-15);
}

static void names_are_those_of_the_scene_file(void **state)
{
    (void)state;
    assert_string_equal(icf_shape_name(ICF_SHAPE_HALF_SPACE), "half_space");
    assert_string_equal(icf_shape_name(ICF_SHAPE_CAPSULE), "capsule");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_solids_match_integration), cmocka_unit_test(box_of_known_inertia),
        cmocka_unit_test(shapes_without_volume),          cmocka_unit_test(extents_reach_the_extreme_points),
        cmocka_unit_test(capsule_axis_is_body_z),         cmocka_unit_test(names_are_those_of_the_scene_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
