/* Surfaces of shapes: closed, outward, on the shape, placed by the pose. */
#include "results_fixture.h"

#include "io/surface.h"

static icf_surfaces build(void)
{
    icf_surfaces surfaces;
    assert_int_equal(icf_surfaces_build(&surfaces, 16, icf_vec3_make(1, 2, 3), 5.0), ICF_OK);
    return surfaces;
}

/* Triangles that contain the directed edge a -> b. */
static int count_edge(const icf_surface *surface, int32_t a, int32_t b)
{
    int n = 0;
    for (int32_t t = 0; t < surface->ntriangle; ++t)
        for (int k = 0; k < 3; ++k) n += surface->triangle[t][k] == a && surface->triangle[t][(k + 1) % 3] == b;
    return n;
}

/* Closed and oriented: every edge once in each direction; points - edges + triangles = 2. */
static void surfaces_are_closed(void **state)
{
    (void)state;
    icf_surfaces surfaces = build();
    const icf_shape_type closed[] = {ICF_SHAPE_SPHERE, ICF_SHAPE_CAPSULE, ICF_SHAPE_BOX};
    for (int s = 0; s < 3; ++s) {
        const icf_surface *surface = &surfaces.shape[closed[s]];
        for (int32_t t = 0; t < surface->ntriangle; ++t)
            for (int k = 0; k < 3; ++k) {
                const int32_t a = surface->triangle[t][k], b = surface->triangle[t][(k + 1) % 3];
                assert_int_equal(count_edge(surface, a, b), 1);
                assert_int_equal(count_edge(surface, b, a), 1);
            }
        assert_int_equal(surface->npoint - 3 * surface->ntriangle / 2 + surface->ntriangle, 2);
    }
    icf_surfaces_clear(&surfaces);
}

static icf_bodies one_body(icf_shape shape)
{
    icf_bodies bodies;
    icf_bodies_init(&bodies);
    icf_body_def def = icf_body_def_default();
    def.shape = shape;
    def.mass = 1.0;
    def.position = icf_vec3_make(1.0, -2.0, 0.5);
    def.orientation = icf_quat_unit((icf_quat){0.9, 0.1, -0.4, 0.2});
    def.linear_velocity = icf_vec3_make(0.3, 0.0, 0.0);
    def.angular_velocity = icf_vec3_make(0.0, 0.0, 2.0);
    assert_int_equal(icf_bodies_add(&bodies, &def, true), ICF_OK);
    return bodies;
}

enum { room = 300 };

/* Volume enclosed by the placed surface, by the divergence theorem: positive when triangles face outward. */
static double enclosed_volume(const icf_surface *surface, float (*p)[3])
{
    double volume = 0.0;
    for (int32_t t = 0; t < surface->ntriangle; ++t) {
        icf_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            const float *q = p[surface->triangle[t][k]];
            x[k] = icf_vec3_make(q[0], q[1], q[2]);
        }
        volume += icf_dot(x[0], icf_cross(x[1], x[2])) / 6.0;
    }
    return volume;
}

/* The box exactly; the round shapes are inscribed and lack a few per cent of the solid's volume. */
static void volumes_are_those_of_the_shapes(void **state)
{
    (void)state;
    icf_surfaces surfaces = build();
    const icf_shape shapes[] = {{.type = ICF_SHAPE_BOX, .extent = {0.1, 0.2, 0.3}},
                                {.type = ICF_SHAPE_SPHERE, .radius = 0.2},
                                {.type = ICF_SHAPE_CAPSULE, .radius = 0.2, .half = 0.4}};
    for (int s = 0; s < 3; ++s) {
        float p[room][3], speed[room];
        icf_bodies bodies = one_body(shapes[s]);
        icf_surfaces_place(&surfaces, &bodies, 0, p, speed);
        const double ratio = enclosed_volume(&surfaces.shape[shapes[s].type], p) / icf_shape_volume(&shapes[s]);
        if (s == 0)
            assert_near(ratio, 1.0, 1e-5);
        else
            assert_true(ratio > 0.93 && ratio < 1.0);
        icf_bodies_clear(&bodies);
    }
    icf_surfaces_clear(&surfaces);
}

/* Capsule: every point at the radius from the axis segment; speed = |v + w x r|. */
static void points_lie_on_the_shape_and_move_with_it(void **state)
{
    (void)state;
    icf_surfaces surfaces = build();
    icf_bodies bodies = one_body((icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = 0.2, .half = 0.4});
    float p[room][3], speed[room];
    icf_surfaces_place(&surfaces, &bodies, 0, p, speed);
    const icf_vec3 axis = icf_rotate(bodies.orientation[0], icf_vec3_make(0, 0, 1));
    double top = 0.0;
    for (int32_t i = 0; i < surfaces.shape[ICF_SHAPE_CAPSULE].npoint; ++i) {
        const icf_vec3 arm = icf_sub(icf_vec3_make(p[i][0], p[i][1], p[i][2]), bodies.position[0]);
        const double along = icf_dot(arm, axis), nearest = fmax(-0.4, fmin(0.4, along));
        assert_near(icf_norm(icf_mul_add(arm, -nearest, axis)), 0.2, 1e-6);
        const icf_vec3 v = icf_add(icf_vec3_make(0.3, 0, 0), icf_cross(icf_vec3_make(0, 0, 2), arm));
        assert_near((double)speed[i], icf_norm(v), 1e-6);
        top = fmax(top, along);
    }
    assert_near(top, 0.6, 1e-6);
    icf_bodies_clear(&bodies);
    icf_surfaces_clear(&surfaces);
}

/* The square lies in the half-space's plane, faces along its normal and is centred on the scene. */
static void half_space_is_a_square_in_its_plane(void **state)
{
    (void)state;
    icf_surfaces surfaces = build();
    const icf_vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, icf_unit(icf_vec3_make(0.3, -0.5, 0.8))};
    for (int s = 0; s < 3; ++s) {
        icf_bodies bodies = one_body((icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = normals[s], .offset = 0.7});
        bodies.linear_velocity[0] = bodies.angular_velocity[0] = icf_vec3_make(0, 0, 0);
        float p[room][3], speed[room];
        icf_surfaces_place(&surfaces, &bodies, 0, p, speed);
        const int32_t *t = surfaces.shape[ICF_SHAPE_HALF_SPACE].triangle[0];
        icf_vec3 x[4];
        for (int i = 0; i < 4; ++i) {
            x[i] = icf_vec3_make(p[i][0], p[i][1], p[i][2]);
            assert_near(icf_dot(x[i], normals[s]), 0.7, 1e-5);
            assert_true(speed[i] == 0.0F);
        }
        const icf_vec3 face = icf_cross(icf_sub(x[t[1]], x[t[0]]), icf_sub(x[t[2]], x[t[0]]));
        assert_near(icf_dot(face, normals[s]), 100.0, 1e-3); /* edges of 10 */
        const icf_vec3 middle = icf_scale(0.25, icf_add(icf_add(x[0], x[1]), icf_add(x[2], x[3])));
        const icf_vec3 offset = icf_sub(middle, icf_vec3_make(1, 2, 3));
        assert_near(icf_norm(icf_cross(offset, normals[s])), 0.0, 1e-5);
        icf_bodies_clear(&bodies);
    }
    icf_surfaces_clear(&surfaces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_closed),
        cmocka_unit_test(volumes_are_those_of_the_shapes),
        cmocka_unit_test(points_lie_on_the_shape_and_move_with_it),
        cmocka_unit_test(half_space_is_a_square_in_its_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
