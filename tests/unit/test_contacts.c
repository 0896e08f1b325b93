/* Contact frames (right-handed, orthonormal, along the friction axis), world impulses, memory of the container. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "contact/contacts.h"

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static icf_vec3 random_direction(uint64_t *state)
{
    for (;;) {
        const icf_vec3 a = {2.0 * random_unit(state) - 1.0, 2.0 * random_unit(state) - 1.0,
                            2.0 * random_unit(state) - 1.0};
        if (icf_norm2(a) > 1e-4 && icf_norm2(a) < 1.0) return icf_unit(a);
    }
}

static icf_vec3 row(const icf_mat3 *frame, int i)
{
    return icf_vec3_make(frame->m[3 * i], frame->m[3 * i + 1], frame->m[3 * i + 2]);
}

/* Rows orthonormal and right-handed, third row the normal to the last bit. */
static void check_frame(const icf_mat3 *frame, icf_vec3 normal)
{
    const icf_vec3 t1 = row(frame, 0), t2 = row(frame, 1), n = row(frame, 2);
    assert_true(n.x == normal.x && n.y == normal.y && n.z == normal.z);
    assert_true(fabs(icf_norm(t1) - 1.0) < 1e-15 && fabs(icf_norm(t2) - 1.0) < 1e-15);
    assert_true(fabs(icf_dot(t1, t2)) < 1e-15 && fabs(icf_dot(t1, n)) < 1e-15 && fabs(icf_dot(t2, n)) < 1e-15);
    assert_true(icf_norm(icf_sub(icf_cross(t1, t2), n)) < 1e-15);
}

static void frames_are_orthonormal_for_every_normal(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int i = 0; i < 100000; ++i) {
        icf_vec3 normal = random_direction(&state);
        if (i < 6)
            normal = (icf_vec3){(i % 3 == 0) * (i < 3 ? 1 : -1), (i % 3 == 1) * (i < 3 ? 1 : -1),
                                (i % 3 == 2) * (i < 3 ? 1 : -1)};
        const icf_mat3 frame = icf_contact_frame(normal, NULL);
        check_frame(&frame, normal);
    }
}

static void first_tangent_follows_the_axis(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int i = 0; i < 100000; ++i) {
        const icf_vec3 normal = random_direction(&state);
        /* from well apart to 2e-6 beside the normal */
        const double apart = pow(10.0, -5.7 * random_unit(&state));
        const icf_vec3 axis = icf_unit(icf_mul_add(normal, apart, random_direction(&state)));
        const icf_mat3 frame = icf_contact_frame(normal, &axis);
        check_frame(&frame, normal);
        const icf_vec3 across = icf_cross(normal, axis); /* |across| = sine of the angle between them */
        if (icf_norm(across) < 1e-6) continue;
        assert_true(fabs(icf_dot(row(&frame, 1), icf_unit(across)) - 1.0) < 1e-12);
    }
}

/* Axis z, normal z: the world axis after z, cyclically, is x. */
static void axis_along_the_normal_takes_the_next_world_axis(void **unused)
{
    (void)unused;
    const icf_vec3 z = {0.0, 0.0, 1.0}, x = {-1.0, 0.0, 0.0}, near = icf_unit((icf_vec3){0.0, 9e-7, -1.0});
    icf_mat3 frame = icf_contact_frame(z, &z);
    assert_true(frame.m[0] == 1.0 && frame.m[1] == 0.0 && frame.m[4] == 1.0);
    frame = icf_contact_frame(z, &near);
    assert_true(frame.m[0] == 1.0);
    frame = icf_contact_frame(x, &x); /* after x comes y; t2 = -x cross y = -z */
    assert_true(frame.m[1] == 1.0 && frame.m[5] == -1.0);
}

static void world_impulse_turns_out_of_the_frame(void **unused)
{
    (void)unused;
    icf_contacts contacts;
    icf_contacts_init(&contacts);
    contacts.frame = icf_alloc(sizeof *contacts.frame);
    contacts.impulse = icf_alloc(sizeof *contacts.impulse);
    assert_non_null(contacts.frame);
    assert_non_null(contacts.impulse);
    /* normal x, tangents y and z */
    contacts.frame[0] = (icf_mat3){{0, 1, 0, 0, 0, 1, 1, 0, 0}};
    contacts.impulse[0][0] = 2.0;
    contacts.impulse[0][1] = 3.0;
    contacts.impulse[0][2] = 5.0;
    const icf_vec3 world = icf_contacts_world_impulse(&contacts, 0);
    assert_true(world.x == 5.0 && world.y == 2.0 && world.z == 3.0);
    icf_contacts_clear(&contacts);
    assert_null(contacts.frame);
    assert_null(contacts.impulse);
}

/* Room for every contact and one more offset than pairs; a smaller size moves nothing. */
static void resize_makes_room_and_only_grows(void **unused)
{
    (void)unused;
    icf_contacts contacts;
    icf_contacts_init(&contacts);
    assert_int_equal(icf_contacts_resize(&contacts, 0, 0), ICF_OK);
    contacts.pair_begin[0] = 0; /* the offset of no pair */
    assert_int_equal(icf_contacts_resize(&contacts, 1000, 3001), ICF_OK);
    assert_true(contacts.npair == 1000 && contacts.n == 3001);
    contacts.pair_begin[1000] = 3001;
    contacts.pair[999] = (icf_pair){0, 1};
    contacts.frame[3000] = (icf_mat3){{0}};
    contacts.point[3000] = (icf_vec3){0};
    contacts.law[3000].slip = contacts.w[3000] = contacts.distance[3000] = 1.0;
    contacts.bias[3000][2] = contacts.impulse[3000][2] = 1.0;
    contacts.feature[3000] = 7;
    const icf_law *law = contacts.law;
    const icf_lid *begin = contacts.pair_begin;
    assert_int_equal(icf_contacts_resize(&contacts, 10, 20), ICF_OK);
    assert_int_equal(icf_contacts_resize(&contacts, 1000, 3001), ICF_OK);
    assert_true(contacts.law == law && contacts.pair_begin == begin);
    assert_int_equal(contacts.pair_begin[1000], 3001);
    icf_contacts_clear(&contacts);
    assert_true(contacts.capacity == 0 && contacts.law == NULL);
}

/* A rank whose deformable body has left still has room for supports, and moves them with the contacts. */
static void supports_grow_with_the_contacts(void **unused)
{
    (void)unused;
    icf_contacts contacts;
    icf_contacts_init(&contacts);
    assert_int_equal(icf_contacts_resize(&contacts, 1, 4), ICF_OK);
    assert_int_equal(icf_contacts_add_supports(&contacts), ICF_OK);
    contacts.support[3][0].n = 3;
    assert_int_equal(icf_contacts_resize(&contacts, 100, 4000), ICF_OK);
    assert_true(contacts.support_capacity >= 4000);
    for (icf_lid i = 0; i < contacts.n; ++i)
        for (int side = 0; side < 2; ++side) assert_int_equal(contacts.support[i][side].n, 0);
    icf_contacts_move(&contacts, 2000, 0, 2000);
    icf_contacts_clear(&contacts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_orthonormal_for_every_normal),
        cmocka_unit_test(first_tangent_follows_the_axis),
        cmocka_unit_test(axis_along_the_normal_takes_the_next_world_axis),
        cmocka_unit_test(world_impulse_turns_out_of_the_frame),
        cmocka_unit_test(resize_makes_room_and_only_grows),
        cmocka_unit_test(supports_grow_with_the_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
