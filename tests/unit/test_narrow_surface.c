/* Contacts of rigid surfaces with spheres, capsules and boxes: a flat mesh is a half-space, distances are those of
 * brute force, edges inside a surface do not catch what slides. */
#include "surface_oracle.h"

#include <time.h>

#include "base/memory.h"

static icf_shape random_shape(oracle_random *random)
{
    const double a = oracle_power(random, -1.0, 0.0), b = oracle_power(random, -1.0, 0.0),
                 c = oracle_power(random, -1.0, 0.0);
    switch (oracle_pick(random, 3)) {
    case 0: return make_sphere(a);
    case 1: return make_capsule(0.3 * a, b);
    default: return make_box(a, b, c);
    }
}

/* ---- a flat mesh ---- */

/* Whether the half-space's contact is there, with its distance. */
static bool has_contact(const icf_contact_point *expected, icf_vec3 up, double tolerance)
{
    for (icf_lid i = 0; i < work.npoint; ++i)
        if (icf_norm(icf_sub(work.point[i].on_b, expected->on_b)) < tolerance &&
            fabs(work.point[i].distance - expected->distance) < tolerance &&
            icf_norm(icf_sub(work.point[i].normal, up)) < tolerance)
            return true;
    return false;
}

/* Bodies that lie on a flat mesh, tilted by a little or not, deep by a little or not, have the contacts of a
 * half-space: those of the lower face of a box, both ends of a capsule, one of a ball; at any fineness and pose of the
 * mesh. */
static void a_flat_mesh_is_a_half_space(void **state)
{
    oracle_random random = {12345};
    for (int n = 2; n <= 40; n = 2 * n + 1) {
        icf_rigid_surface surface;
        make_sheet(*state, &surface, n, 4.0, flat);
        for (int sample = 0; sample < 400; ++sample) {
            sample_body ground, body;
            const icf_quat pose = sample % 2 == 0 ? upright : oracle_turn(oracle_direction(&random), 1.0 + sample);
            const icf_vec3 place = {0.1 * (sample % 3), 0.2 * (sample % 5), -0.3 * (sample % 2)};
            place_body(&ground, shape_of(&surface), place, pose);
            const icf_vec3 up = icf_rotate(pose, icf_vec3_make(0, 0, 1));
            const icf_shape shape = random_shape(&random);

            // upright on one of its faces, turned about the normal, tilted by up to 1e-3
            icf_quat turn = oracle_turn(icf_vec3_make(0, 0, 1), oracle_range(&random, -M_PI, M_PI));
            const double tilt = sample % 3 == 0 ? 0.0 : oracle_power(&random, -9.0, -3.0);
            turn = icf_quat_mul(turn, oracle_turn(icf_vec3_make(1, 0, 0), tilt));
            if (shape.type == ICF_SHAPE_CAPSULE)
                turn = icf_quat_mul(turn, oracle_turn(icf_vec3_make(1, 0, 0), 0.5 * M_PI));
            const double height = shape.type == ICF_SHAPE_BOX ? shape.extent.z : shape.radius;
            const double depth = (oracle_pick(&random, 3) - 1) * oracle_power(&random, -10.0, -2.5) * height;
            const icf_vec3 at = {oracle_range(&random, -1.5, 1.5), oracle_range(&random, -1.5, 1.5), height - depth};
            place_body(&body, shape, icf_add(place, icf_rotate(pose, at)), icf_quat_mul(pose, turn));

            const icf_shape plane = {.type = ICF_SHAPE_HALF_SPACE, .normal = up, .offset = icf_dot(up, place)};
            const icf_placed_shape half_space = {&plane, {0, 0, 0}, icf_quat_matrix(upright), NULL};
            icf_manifold expected;
            icf_collide(&half_space, &body.placed, 0.05 * height, &expected);
            collide_surface(&ground.placed, &body.placed, 0.05 * height);
            if (work.npoint != expected.n)
                fail_msg("n %d, sample %d (%s): %d contacts, expected %d", n, sample, icf_shape_name(shape.type),
                         work.npoint, expected.n);
            for (int i = 0; i < expected.n; ++i)
                if (!has_contact(&expected.point[i], up, 1e-12 * 8.0))
                    fail_msg("n %d, sample %d (%s): contact %d differs", n, sample, icf_shape_name(shape.type), i);
        }
        icf_rigid_surface_clear(&surface);
    }
}

/* ---- distances ---- */

static double hills(double x, double y)
{
    return 0.3 * sin(2.0 * x) * cos(3.0 * y) + 0.1 * x;
}

/* A pose about a surface that may touch it or not. */
static void throw_body(oracle_random *random, double reach, icf_shape shape, sample_body *body)
{
    const icf_vec3 at = {oracle_range(random, -reach, reach), oracle_range(random, -reach, reach),
                         oracle_range(random, -reach, reach)};
    const double angle =
        oracle_pick(random, 4) == 0 ? 0.5 * M_PI * oracle_pick(random, 4) : oracle_range(random, -M_PI, M_PI);
    const icf_vec3 axis = oracle_pick(random, 3) == 0 ? icf_vec3_make(0, 0, 1) : oracle_direction(random);
    place_body(body, shape, at, oracle_turn(axis, angle));
}

static void assert_distances(const icf_rigid_surface *surface, int nsample, uint64_t seed)
{
    oracle_random random = {seed};
    int apart = 0;
    for (int sample = 0; sample < nsample; ++sample) {
        sample_body ground, body;
        place_body(&ground, shape_of(surface), icf_vec3_make(0.1, 0.2, 0.3),
                   oracle_turn(oracle_direction(&random), 1.0));
        throw_body(&random, 2.0, random_shape(&random), &body);
        const double core = (double)surface_distance(&ground.placed, &body.placed);
        const double expected = core - (body.shape.type == ICF_SHAPE_BOX ? 0.0 : body.shape.radius);
        icf_surface_hit hit;
        icf_surface_closest(&ground.placed, body.placed.position, &hit);
        if (!(core > 0.0) || hit.distance < 0.0) continue;
        ++apart;
        collide_surface(&ground.placed, &body.placed, 10.0);
        const double tolerance = 1e-9 * icf_shape_radius(&body.shape);
        if (!(fabs(smallest_distance() - expected) <= tolerance))
            fail_msg("sample %d (%s): %.17g, expected %.17g", sample, icf_shape_name(body.shape.type),
                     smallest_distance(), expected);
        // what is not below the candidate distance is no contact
        collide_surface(&ground.placed, &body.placed, expected - tolerance);
        assert_int_equal(work.npoint, 0);
    }
    assert_true(apart > nsample / 4);
}

static void distances_are_those_of_brute_force(void **state)
{
    icf_rigid_surface surface;
    make_sheet(*state, &surface, 2, 1.0, flat);
    assert_distances(&surface, 3000, 1);
    icf_rigid_surface_clear(&surface);
    make_sheet(*state, &surface, 9, 1.5, hills);
    assert_distances(&surface, 3000, 2);
    icf_rigid_surface_clear(&surface);
    make_solid_box(*state, &surface, icf_vec3_make(1.0, 0.5, 0.3));
    assert_distances(&surface, 3000, 3);
    icf_rigid_surface_clear(&surface);
    make_solid_box(*state, &surface, icf_vec3_make(1.0, 1.0, 0.001));
    assert_distances(&surface, 3000, 4);
    icf_rigid_surface_clear(&surface);
}

/* ---- other convex shapes ---- */

/* A cylinder and an ellipsoid thrown over a flat mesh: nearest distance and normal of the half-space. */
static void round_shapes_see_a_half_space_too(void **state)
{
    oracle_random random = {77};
    icf_rigid_surface surface;
    make_sheet(*state, &surface, 17, 4.0, flat);
    for (int sample = 0; sample < 500; ++sample) {
        sample_body ground, body;
        place_body(&ground, shape_of(&surface), icf_vec3_make(0.1, -0.2, 0.3), upright);
        icf_shape shape = {.type = sample % 2 == 0 ? ICF_SHAPE_CYLINDER : ICF_SHAPE_ELLIPSOID,
                           .radius = oracle_power(&random, -1.0, -0.3),
                           .half = oracle_power(&random, -1.0, -0.3)};
        if (sample % 2 == 1)
            shape.extent = icf_vec3_make(oracle_power(&random, -1.0, -0.3), oracle_power(&random, -1.0, -0.3),
                                         oracle_power(&random, -1.0, -0.3));
        const icf_vec3 at = {oracle_range(&random, -1, 1), oracle_range(&random, -1, 1),
                             oracle_range(&random, 0.8, 1.3)};
        place_body(&body, shape, at, oracle_turn(oracle_direction(&random), oracle_range(&random, -M_PI, M_PI)));
        const icf_shape plane = {.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}, .offset = 0.3};
        const icf_placed_shape half_space = {&plane, {0, 0, 0}, icf_quat_matrix(upright), NULL};
        icf_manifold expected;
        icf_collide(&half_space, &body.placed, 10.0, &expected);
        double distance = INFINITY;
        for (int k = 0; k < expected.n; ++k) distance = fmin(distance, expected.point[k].distance);
        collide_surface(&ground.placed, &body.placed, 10.0);
        assert_near(smallest_distance(), distance, 1e-7 * icf_shape_radius(&shape));
        for (icf_lid i = 0; i < work.npoint; ++i) assert_near(work.point[i].normal.z, 1.0, 1e-12);
    }
    icf_rigid_surface_clear(&surface);
}

/* A body that is deep in a solid, beyond all triangles that see it overlap, is pushed out the way that is shortest for
 * its middle; behind a sheet it is pushed to the side where its middle is. */
static void deep_bodies_are_pushed_out(void **state)
{
    icf_rigid_surface surface;
    make_solid_box(*state, &surface, icf_vec3_make(1.0, 1.0, 0.5));
    const icf_shape shapes[] = {make_sphere(0.1), make_box(0.1, 0.2, 0.3), make_capsule(0.05, 0.1)};
    const double up[] = {0.1, 0.3, 0.15}; // how far each reaches along z
    for (int k = 0; k < 3; ++k) {
        sample_body ground, body;
        place_body(&ground, shape_of(&surface), icf_vec3_make(0, 0, 0), upright);
        place_body(&body, shapes[k], icf_vec3_make(0.1, 0.2, 0.45), upright);
        collide_surface(&ground.placed, &body.placed, 0.1);
        assert_true(work.npoint > 0);
        for (icf_lid i = 0; i < work.npoint; ++i) assert_near(work.point[i].normal.z, 1.0, 1e-15);
        assert_near(smallest_distance(), -0.05 - up[k], 1e-12);
    }
    icf_rigid_surface_clear(&surface);
    make_sheet(*state, &surface, 9, 1.0, flat);
    for (int side = -1; side <= 1; side += 2) {
        sample_body ground, body;
        place_body(&ground, shape_of(&surface), icf_vec3_make(0, 0, 0), upright);
        place_body(&body, make_sphere(0.1), icf_vec3_make(0.03, 0.02, 0.04 * side), upright);
        collide_surface(&ground.placed, &body.placed, 0.1);
        assert_int_equal(work.npoint, 1);
        assert_near(work.point[0].normal.z, side, 1e-15);
        assert_near(work.point[0].distance, -0.06, 1e-15);
    }
    icf_rigid_surface_clear(&surface);
}

/* ---- many triangles ---- */

/* A plate on 20000 rough triangles, all of them within the candidate distance: the nearest point is that of the highest
 * vertex, and the work does not grow with the square of the number of points (which would take a minute). */
static void a_plate_on_rough_ground_is_quick(void **state)
{
    icf_rigid_surface surface;
    oracle_random random = {99};
    const int n = 121;
    const double half = 1.2;
    double highest = -INFINITY;
    icf_rigid_surface_init(&surface);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const double x = half * (2.0 * i / (n - 1) - 1.0), y = half * (2.0 * j / (n - 1) - 1.0);
            const double z = oracle_range(&random, 0.0, 0.02);
            if (fabs(x) < 1.0 && fabs(y) < 1.0) highest = fmax(highest, z);
            assert_int_equal(icf_triangle_mesh_add_vertex(&surface.mesh, icf_vec3_make(x, y, z)), ICF_OK);
        }
    fill_grid(&surface.mesh, n);
    finish_surface(*state, &surface);
    sample_body ground, plate;
    place_body(&ground, shape_of(&surface), icf_vec3_make(0, 0, 0), upright);
    place_body(&plate, make_box(1.0, 1.0, 0.1), icf_vec3_make(0, 0, 0.13), upright);
    const clock_t start = clock();
    collide_surface(&ground.placed, &plate.placed, 0.05);
    assert_true((double)(clock() - start) < 5.0 * CLOCKS_PER_SEC);
    assert_true(work.ntriangle >= 20000);
    assert_in_range(work.npoint, 3, ICF_SURFACE_POINTS);
    assert_near(smallest_distance(), 0.03 - highest, 1e-12);
    icf_rigid_surface_clear(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(a_flat_mesh_is_a_half_space),       tet_test(distances_are_those_of_brute_force),
        tet_test(round_shapes_see_a_half_space_too), tet_test(deep_bodies_are_pushed_out),
        tet_test(a_plate_on_rough_ground_is_quick),
    };
    const int failed = run_tet_tests("narrow_surface", tests, sizeof tests / sizeof *tests);
    icf_surface_work_clear(&work);
    return failed;
}
