/* Contacts of rigid surfaces with cylinders, ellipsoids, hulls and compounds: a flat mesh is a half-space, a
 * solid box is a box, a hull of a box's corners and a compound of two half boxes are that box. */
#include "surface_oracle.h"

#include "base/memory.h"
#include "convex_oracle.h"

/* A cylinder, ellipsoid, hull or compound of a hull and a ball, with sizes about 1. */
typedef struct {
    icf_shape shape;
    icf_solid solid[2];
    icf_placed_shape placed;
} sample;

static icf_vec3 random_size(oracle_random *random)
{
    return (icf_vec3){oracle_power(random, -0.7, 0.0), oracle_power(random, -0.7, 0.0),
                      oracle_power(random, -0.7, 0.0)};
}

static void make_sample(icf_context *context, oracle_random *random, int kind, sample *body)
{
    const icf_vec3 e = random_size(random);
    for (int k = 0; k < 2; ++k) icf_solid_init(&body->solid[k]);
    if (kind == 0)
        body->shape = (icf_shape){.type = ICF_SHAPE_CYLINDER, .radius = e.x, .half = e.y};
    else if (kind == 1)
        body->shape = (icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = e};
    else {
        icf_vec3 point[32];
        const int n = 6 + oracle_pick(random, 26);
        for (int k = 0; k < n; ++k) {
            const icf_vec3 d = oracle_direction(random);
            point[k] = icf_vec3_make(e.x * d.x, e.y * d.y, e.z * d.z);
        }
        body->solid[0] = make_hull(context, n, point);
        body->shape = icf_solid_shape(&body->solid[0], 0);
    }
    if (kind < 3) return;
    const icf_part part[2] = {{.shape = body->shape, .orientation = {1, 0, 0, 0}},
                              {.shape = make_sphere(e.x), .position = e, .orientation = {1, 0, 0, 0}}};
    assert_int_equal(icf_solid_build_compound(body->solid, 2, part, ICF_SOLID_GIVEN, &body->solid[1]), ICF_OK);
    body->shape = icf_solid_shape(&body->solid[1], 1);
}

static void place_sample(sample *body, icf_vec3 position, icf_quat orientation)
{
    body->placed = (icf_placed_shape){&body->shape, position, icf_quat_matrix(icf_quat_unit(orientation)), body->solid};
}

static void clear_sample(sample *body)
{
    for (int k = 0; k < 2; ++k) icf_solid_clear(&body->solid[k]);
}

/* ---- a flat mesh ---- */

/* Every contact of the half-space, of which a mesh has the same number. */
static void assert_same_contacts(const icf_placed_shape *half_space, const icf_placed_shape *body, double distance)
{
    icf_manifold expected;
    icf_collide(half_space, body, distance, &expected);
    assert_int_equal(work.npoint, expected.n);
    for (int k = 0; k < expected.n; ++k) {
        assert_int_equal(work.point[k].feature, expected.point[k].feature);
        assert_near(work.point[k].distance, expected.point[k].distance, 1e-12);
        assert_near(icf_norm(icf_sub(work.point[k].on_b, expected.point[k].on_b)), 0.0, 1e-12);
    }
}

/* Contacts are those of a half-space, of bodies that stand, lie or lean, deep by a little or not, slow or fast, at any
 * fineness and pose of the mesh; a face on it has at least three. */
static void a_flat_mesh_is_a_half_space(void **state)
{
    oracle_random random = {777};
    int nface = 0;
    for (int n = 2; n <= 40; n = 2 * n + 1) {
        icf_rigid_surface surface;
        make_sheet(*state, &surface, n, 8.0, flat);
        for (int i = 0; i < 400; ++i) {
            sample body;
            sample_body ground;
            const icf_quat pose = i % 2 == 0 ? upright : oracle_turn(oracle_direction(&random), 1.0 + i);
            const icf_vec3 place = {0.1 * (i % 3), 0.2 * (i % 5), -0.3 * (i % 2)};
            const icf_vec3 up = icf_rotate(pose, icf_vec3_make(0, 0, 1));
            place_body(&ground, shape_of(&surface), place, pose);
            make_sample(*state, &random, i % 4, &body);
            icf_quat turn = oracle_turn(icf_vec3_make(0, 0, 1), oracle_range(&random, -M_PI, M_PI));
            const bool stands = oracle_pick(&random, 2) == 0;
            if (!stands)
                turn = icf_quat_mul(turn, oracle_turn(oracle_direction(&random), oracle_range(&random, -3.0, 3.0)));
            const icf_vec3 across = {oracle_range(&random, -1.5, 1.5), oracle_range(&random, -1.5, 1.5), 0.0};
            place_sample(&body, icf_add(place, icf_rotate(pose, across)), icf_quat_mul(pose, turn));

            // down to the surface, then a little deeper or higher
            const icf_shape plane = {.type = ICF_SHAPE_HALF_SPACE, .normal = up, .offset = icf_dot(up, place)};
            const icf_placed_shape half_space = {&plane, {0, 0, 0}, icf_quat_matrix(upright), NULL};
            icf_contact_point nearest;
            assert_true(icf_collide_nearest(&half_space, &body.placed, INFINITY, &nearest));
            const double gap = (oracle_pick(&random, 3) - 1) * oracle_power(&random, -10.0, -2.5);
            body.placed.position = icf_mul_add(body.placed.position, gap - nearest.distance, up);

            if (body.shape.type != ICF_SHAPE_COMPOUND) {
                collide_surface(&ground.placed, &body.placed, 1.0);
                assert_same_contacts(&half_space, &body.placed, 1.0);
                collide_surface(&ground.placed, &body.placed, 0.02);
                assert_same_contacts(&half_space, &body.placed, 0.02);
            }
            const double distance = collide_surface(&ground.placed, &body.placed, 0.02);
            if (!(fabs(distance - gap) < 1e-9))
                fail_msg("n %d, sample %d (%s): %.17g, expected %.17g", n, i, icf_shape_name(body.shape.type), distance,
                         gap);
            for (icf_lid k = 0; k < work.npoint; ++k) assert_near(icf_dot(work.point[k].normal, up), 1.0, 1e-12);
            if (stands && i % 4 == 0) {
                assert_true(work.npoint >= 3);
                ++nface;
            }
            clear_sample(&body);
        }
        icf_rigid_surface_clear(&surface);
    }
    assert_true(nface > 50);
}

/* ---- distances ---- */

/* Bodies about a solid box: where they are apart, the distance is that from the convex shape box. */
static void a_solid_box_is_a_box(void **state)
{
    const icf_vec3 e = {1.0, 0.5, 0.3};
    oracle_random random = {4711};
    icf_rigid_surface surface;
    make_solid_box(*state, &surface, e);
    int apart = 0;
    for (int i = 0; i < 3000; ++i) {
        sample body;
        sample_body ground, box;
        const icf_quat pose = oracle_turn(oracle_direction(&random), 1);
        place_body(&ground, shape_of(&surface), icf_vec3_make(0.1, 0.2, 0.3), pose);
        place_body(&box, make_box(e.x, e.y, e.z), icf_vec3_make(0.1, 0.2, 0.3), pose);
        make_sample(*state, &random, i % 4, &body);
        const icf_vec3 at = {oracle_range(&random, -3, 3), oracle_range(&random, -3, 3), oracle_range(&random, -3, 3)};
        place_sample(&body, at, oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
        icf_contact_point nearest;
        assert_true(icf_collide_nearest(&box.placed, &body.placed, INFINITY, &nearest));
        if (nearest.distance > 0.0) {
            const double distance = collide_surface(&ground.placed, &body.placed, 10.0);
            if (!(fabs(nearest.distance - distance) <= 1e-8))
                fail_msg("sample %d (%s): %.17g, expected %.17g", i, icf_shape_name(body.shape.type), distance,
                         nearest.distance);
            ++apart;
        }
        clear_sample(&body);
    }
    assert_true(apart > 1000);
    icf_rigid_surface_clear(&surface);
}

static double hills(double x, double y)
{
    return 0.3 * sin(2.0 * x) * cos(3.0 * y) + 0.1 * x;
}

/* A box, the hull of its corners, and its two halves: the same distance from a hilly sheet. */
static void a_box_by_any_name(void **state)
{
    oracle_random random = {99};
    icf_rigid_surface surface;
    make_sheet(*state, &surface, 9, 1.5, hills);
    int apart = 0;
    for (int i = 0; i < 1000; ++i) {
        sample_body ground, box;
        place_body(&ground, shape_of(&surface), icf_vec3_make(0.1, 0.2, 0.3),
                   oracle_turn(oracle_direction(&random), 1));
        const icf_vec3 e = icf_scale(0.5, random_size(&random));
        const icf_vec3 at = {oracle_range(&random, -2, 2), oracle_range(&random, -2, 2), oracle_range(&random, -2, 2)};
        place_body(&box, make_box(e.x, e.y, e.z), at,
                   oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
        const double expected = (double)surface_distance(&ground.placed, &box.placed);
        if (expected > 0.0) {
            assert_near(collide_surface(&ground.placed, &box.placed, 10.0), expected, 1e-9);
            icf_vec3 corner[8];
            for (int v = 0; v < 8; ++v)
                corner[v] = icf_vec3_make(v & 4 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 1 ? e.z : -e.z);
            icf_solid solid[2];
            solid[0] = make_hull(*state, 8, corner);
            icf_solid_init(&solid[1]);
            const icf_shape half = make_box(0.5 * e.x, e.y, e.z);
            const icf_part part[2] = {{.shape = half, .position = {0.5 * e.x, 0, 0}, .orientation = {1, 0, 0, 0}},
                                      {.shape = half, .position = {-0.5 * e.x, 0, 0}, .orientation = {1, 0, 0, 0}}};
            assert_int_equal(icf_solid_build_compound(solid, 2, part, ICF_SOLID_GIVEN, &solid[1]), ICF_OK);
            for (int k = 0; k < 2; ++k) {
                const icf_shape shape = icf_solid_shape(&solid[k], k);
                const icf_placed_shape body = {&shape, box.placed.position, box.placed.rotation, solid};
                assert_near(collide_surface(&ground.placed, &body, 10.0), expected, 1e-9);
                collide_surface(&ground.placed, &body, expected - 1e-9);
                assert_int_equal(work.npoint, 0);
                icf_solid_clear(&solid[k]);
            }
            ++apart;
        }
    }
    assert_true(apart > 200);
    icf_rigid_surface_clear(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(a_flat_mesh_is_a_half_space),
        tet_test(a_solid_box_is_a_box),
        tet_test(a_box_by_any_name),
    };
    const int failed = run_tet_tests("narrow_surface_convex", tests, sizeof tests / sizeof *tests);
    icf_surface_work_clear(&work);
    return failed;
}
