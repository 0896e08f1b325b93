/* Hulls and solids: faces, mass properties of bodies with known ones, frames, patches of faces that are not quite flat,
 * points that have no hull, bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collide_oracle.h"
#include "context_fixture.h"
#include "scene/solid.h"

static icf_solid make_hull(int n, const icf_vec3 *point, icf_solid_frame frame)
{
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_convex(&shared_context, n, point, frame, &solid), ICF_OK);
    return solid;
}

/* Corners of a box of half edges, turned and shifted. */
static void box_corners(icf_vec3 half, icf_vec3 centre, icf_quat turn, icf_vec3 corner[8])
{
    for (int v = 0; v < 8; ++v)
        corner[v] = icf_add(centre, icf_rotate(turn, (icf_vec3){v & 4 ? half.x : -half.x, v & 2 ? half.y : -half.y,
                                                                v & 1 ? half.z : -half.z}));
}

static void assert_near(icf_vec3 a, icf_vec3 b, double tolerance)
{
    assert_true(icf_norm(icf_sub(a, b)) <= tolerance);
}

/* Every point is below every face, faces close (Euler), edges are shared by two faces, normals look outward. */
static void hulls_hold_their_points(void **state)
{
    (void)state;
    oracle_random random = {1};
    for (int round = 0; round < 100; ++round) {
        icf_vec3 point[60];
        const int n = 4 + oracle_pick(&random, 56);
        const double size = oracle_power(&random, -3, 3);
        for (int k = 0; k < n; ++k) {
            point[k] = icf_scale(size, oracle_direction(&random));
            if (round % 2 == 0) point[k] = icf_scale(oracle_uniform(&random), point[k]);
        }
        icf_solid solid = make_hull(n, point, ICF_SOLID_GIVEN);
        const icf_polytope *p = &solid.polytope;
        assert_int_equal(p->nvertex - p->nedge + p->nface, 2);
        for (int f = 0; f < p->nface; ++f) {
            for (int k = 0; k < n; ++k) assert_true(icf_dot(p->normal[f], point[k]) <= p->offset[f] + 1e-13 * size);
            assert_true(icf_dot(p->normal[f], p->centre) < p->offset[f]);
            for (int k = p->face_ptr[f]; k < p->face_ptr[f + 1]; ++k) {
                const icf_vec3 corner = icf_polytope_vertex(p, p->face_vertex[k]);
                assert_true(fabs(icf_dot(p->normal[f], corner) - p->offset[f]) <= 1e-12 * size);
            }
        }
        icf_solid_clear(&solid);
    }
}

/* A box anywhere and any way round: volume, centre and principal moments are those of the box; positions come back. */
static void a_turned_box_has_the_moments_of_a_box(void **state)
{
    (void)state;
    oracle_random random = {2};
    const icf_vec3 half = {0.1, 0.2, 0.45};
    for (int k = 0; k < 200; ++k) {
        const icf_quat turn = icf_quat_unit(oracle_turn(oracle_direction(&random), oracle_range(&random, -3, 3)));
        const icf_vec3 centre = icf_scale(3.0, oracle_direction(&random));
        icf_vec3 corner[8];
        box_corners(half, centre, turn, corner);
        icf_solid solid = make_hull(8, corner, ICF_SOLID_PRINCIPAL);
        assert_int_equal(solid.polytope.nface, 6);
        assert_true(fabs(solid.volume / (8.0 * 0.1 * 0.2 * 0.45) - 1.0) < 1e-12);
        double moment[3] = {solid.inertia.x, solid.inertia.y, solid.inertia.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < i; ++j)
                if (moment[j] > moment[i]) {
                    const double kept = moment[i];
                    moment[i] = moment[j];
                    moment[j] = kept;
                }
        // (1/3)(b^2 + c^2) for unit mass
        const double expected[3] = {(0.01 + 0.04) / 3.0, (0.01 + 0.2025) / 3.0, (0.04 + 0.2025) / 3.0};
        for (int i = 0; i < 3; ++i) assert_true(fabs(moment[i] / expected[i] - 1.0) < 1e-11);
        // the user's frame at a pose has the body at the centre of mass, and back
        const icf_vec3 at = {1.0, -2.0, 0.5}, spin = {0.3, -0.2, 0.9};
        const icf_quat q = icf_quat_unit(oracle_turn(oracle_direction(&random), 1.0));
        icf_vec3 position = at, velocity = {1.0, 2.0, 3.0};
        icf_quat orientation = q;
        icf_solid_to_body(&solid, &position, &orientation, &velocity, spin);
        const icf_vec3 arm = icf_rotate(q, centre);
        assert_near(position, icf_add(at, arm), 1e-13);
        assert_near(velocity, icf_add((icf_vec3){1.0, 2.0, 3.0}, icf_cross(spin, arm)), 1e-13);
        // a corner is where it was
        bool found = false;
        const icf_vec3 x = icf_add(position, icf_rotate(orientation, icf_polytope_vertex(&solid.polytope, 0)));
        for (int v = 0; v < 8; ++v) found |= icf_norm(icf_sub(x, icf_add(at, icf_rotate(q, corner[v])))) < 1e-12;
        assert_true(found);
        icf_solid_to_user(&solid, &position, &orientation, &velocity, spin);
        assert_near(position, at, 1e-13);
        assert_near(velocity, (icf_vec3){1.0, 2.0, 3.0}, 1e-13);
        const double same = fabs(orientation.w * q.w + orientation.x * q.x + orientation.y * q.y + orientation.z * q.z);
        assert_true(fabs(same - 1.0) < 1e-14);
        icf_solid_clear(&solid);
    }
}

/* A tetrahedron with corners at the origin and one along each axis: V = 1/6, centre 1/4, and about the centre
 * Ixx = m (3/80 + 3/80), Ixy = m/80 in its own axes. */
static void a_tetrahedron_has_its_known_moments(void **state)
{
    (void)state;
    const icf_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    icf_solid solid = make_hull(4, corner, ICF_SOLID_GIVEN);
    const icf_polytope *p = &solid.polytope;
    assert_true(fabs(p->volume - 1.0 / 6.0) < 1e-15);
    assert_near(p->centre, (icf_vec3){0.25, 0.25, 0.25}, 1e-15);
    for (int i = 0; i < 3; ++i) {
        assert_true(fabs(p->moment[i] / p->volume - 3.0 / 80.0) < 1e-15);
        assert_true(fabs(p->moment[3 + i] / p->volume + 1.0 / 80.0) < 1e-15);
    }
    icf_solid_clear(&solid);
}

/* What is axis-aligned stays so to the bit. */
static void a_box_keeps_its_axes(void **state)
{
    (void)state;
    icf_vec3 corner[8];
    box_corners((icf_vec3){0.5, 0.25, 0.125}, (icf_vec3){0, 0, 0}, (icf_quat){1, 0, 0, 0}, corner);
    icf_solid solid = make_hull(8, corner, ICF_SOLID_PRINCIPAL);
    assert_true(solid.turn.w == 1.0 && solid.origin.x == 0.0 && solid.origin.y == 0.0 && solid.origin.z == 0.0);
    for (int v = 0; v < 8; ++v) {
        const icf_vec3 x = icf_polytope_vertex(&solid.polytope, v);
        assert_true(fabs(x.x) == 0.5 && fabs(x.y) == 0.25 && fabs(x.z) == 0.125);
    }
    icf_solid_clear(&solid);
}

/* Corners of a cube off by a millionth: the face that was meant is one patch of four corners. */
static void nearly_flat_faces_are_one_patch(void **state)
{
    (void)state;
    oracle_random random = {3};
    for (int round = 0; round < 50; ++round) {
        icf_vec3 corner[8];
        box_corners((icf_vec3){0.5, 0.5, 0.5}, (icf_vec3){0, 0, 0}, (icf_quat){1, 0, 0, 0}, corner);
        for (int v = 0; v < 8; ++v) corner[v] = icf_mul_add(corner[v], 1e-6, oracle_direction(&random));
        icf_solid solid = make_hull(8, corner, ICF_SOLID_GIVEN);
        assert_int_equal(solid.polytope.nface, 12);
        assert_int_equal(solid.polytope.npatch, 6);
        for (int k = 0; k < 6; ++k) {
            assert_int_equal(solid.polytope.patch_ptr[k + 1] - solid.polytope.patch_ptr[k], 4);
            assert_int_equal(solid.polytope.plane_ptr[k + 1] - solid.polytope.plane_ptr[k], 2);
            assert_true(fabs(solid.polytope.width[k] - 1.0) < 1e-5);
        }
        icf_solid_clear(&solid);
    }
}

static void points_without_volume_have_no_hull(void **state)
{
    (void)state;
    const icf_vec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.4, 0}};
    const icf_vec3 line[4] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    for (int k = 0; k < 3; ++k) {
        icf_polytope polytope;
        icf_polytope_init(&polytope);
        const icf_status status = icf_polytope_build(&shared_context,
                                                     k == 0   ? 5
                                                     : k == 1 ? 4
                                                              : 3,
                                                     k == 0 ? flat : line, &polytope);
        assert_int_equal(status, ICF_ERROR_SCENE);
        assert_non_null(strstr(shared_context.message, "volume"));
        icf_clear_failure(&shared_context);
        icf_polytope_clear(&polytope);
    }
}

/* Two balls on a rod: moments by Steiner's theorem; equal balls in other places of the tree. */
static void compounds_add_their_parts(void **state)
{
    (void)state;
    const double r = 0.1, half = 0.5;
    icf_part part[3] = {
        {.shape = {.type = ICF_SHAPE_SPHERE, .radius = r}, .position = {half, 0, 0}, .orientation = {1, 0, 0, 0}},
        {.shape = {.type = ICF_SHAPE_SPHERE, .radius = r}, .position = {-half, 0, 0}, .orientation = {1, 0, 0, 0}},
        {.shape = {.type = ICF_SHAPE_BOX, .extent = {0.4, 0.02, 0.02}}, .orientation = {1, 0, 0, 0}}};
    for (int k = 0; k < 3; ++k) part[k].position = icf_add(part[k].position, (icf_vec3){1, 2, 3});
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(NULL, 3, part, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    const double ball = 4.0 / 3.0 * M_PI * r * r * r, rod = 8.0 * 0.4 * 0.02 * 0.02, volume = 2.0 * ball + rod;
    assert_true(fabs(solid.volume / volume - 1.0) < 1e-14);
    const double along = (2.0 * ball * 0.4 * r * r + rod * (0.0004 + 0.0004) / 3.0) / volume;
    const double across = (2.0 * ball * (0.4 * r * r + half * half) + rod * (0.16 + 0.0004) / 3.0) / volume;
    assert_near(solid.inertia, (icf_vec3){along, across, across}, 1e-14);
    assert_near(solid.origin, (icf_vec3){-1, -2, -3}, 1e-14);
    assert_true(fabs(solid.radius - (half + r)) < 1e-14);
    assert_near(solid.extent, (icf_vec3){half + r, r, r}, 1e-14);
    icf_solid_clear(&solid);
}

static void solids_survive_bytes(void **state)
{
    (void)state;
    icf_vec3 corner[8];
    box_corners((icf_vec3){1, 2, 3}, (icf_vec3){1, 0, 0}, (icf_quat){1, 0, 0, 0}, corner);
    icf_solid hull = make_hull(8, corner, ICF_SOLID_PRINCIPAL), copy;
    icf_bytes bytes;
    icf_bytes_init(&bytes);
    assert_int_equal(icf_solid_write(&bytes, &hull), ICF_OK);
    assert_int_equal(icf_solid_read(&bytes, &copy), ICF_OK);
    assert_int_equal(copy.polytope.nvertex, 8);
    assert_memory_equal(copy.polytope.x, hull.polytope.x, 8 * sizeof *hull.polytope.x);
    assert_memory_equal(copy.polytope.patch_side, hull.polytope.patch_side,
                        (size_t)hull.polytope.nside * sizeof *hull.polytope.patch_side);
    assert_memory_equal(&copy.inertia, &hull.inertia, sizeof copy.inertia);
    assert_null(copy.mesh);
    icf_bytes_clear(&bytes);
    icf_solid_clear(&hull);
    icf_solid_clear(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_hold_their_points),
        cmocka_unit_test(a_turned_box_has_the_moments_of_a_box),
        cmocka_unit_test(a_tetrahedron_has_its_known_moments),
        cmocka_unit_test(a_box_keeps_its_axes),
        cmocka_unit_test(nearly_flat_faces_are_one_patch),
        cmocka_unit_test(points_without_volume_have_no_hull),
        cmocka_unit_test(compounds_add_their_parts),
        cmocka_unit_test(solids_survive_bytes),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
