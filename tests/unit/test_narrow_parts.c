/* Compounds: their contacts are those of all pairs of parts, whatever the trees do; mirrored results; nearest points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "collide_oracle.h"
#include "geometry/narrow_parts.h"

static const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

static icf_shape random_shape(oracle_random *random)
{
    static const icf_shape_type types[5] = {ICF_SHAPE_SPHERE, ICF_SHAPE_CAPSULE, ICF_SHAPE_BOX, ICF_SHAPE_CYLINDER,
                                            ICF_SHAPE_ELLIPSOID};
    const double a = oracle_range(random, 0.05, 0.3), b = oracle_range(random, 0.05, 0.3),
                 c = oracle_range(random, 0.05, 0.3);
    return (icf_shape){.type = types[oracle_pick(random, 5)], .radius = a, .half = b, .extent = {a, b, c}};
}

static icf_solid random_compound(oracle_random *random)
{
    icf_part part[20];
    const int n = 1 + oracle_pick(random, 20);
    for (int k = 0; k < n; ++k)
        part[k] = (icf_part){.shape = random_shape(random),
                             .position = icf_scale(oracle_range(random, 0, 2), oracle_direction(random)),
                             .orientation =
                                 icf_quat_unit(oracle_turn(oracle_direction(random), oracle_range(random, -3, 3)))};
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(NULL, n, part, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    return solid;
}

/* Contacts of every pair of parts, one after the other; an ordinary shape is one part. */
static size_t count_pairs(const icf_placed_shape *a, const icf_placed_shape *b, double distance, double *sum)
{
    const icf_placed_shape *shape[2] = {a, b};
    int n[2];
    for (int k = 0; k < 2; ++k)
        n[k] = shape[k]->shape->type == ICF_SHAPE_COMPOUND ? shape[k]->solids[shape[k]->shape->index].npart : 0;
    size_t count = 0;
    *sum = 0.0;
    for (int i = 0; i < ICF_MAX(n[0], 1); ++i)
        for (int j = 0; j < ICF_MAX(n[1], 1); ++j) {
            icf_placed_shape p = *a, q = *b;
            if (n[0] > 0) p = icf_place_part(a, &a->solids[a->shape->index].part[i]);
            if (n[1] > 0) q = icf_place_part(b, &b->solids[b->shape->index].part[j]);
            icf_manifold manifold;
            icf_collide(&p, &q, distance, &manifold);
            count += (size_t)manifold.n;
            for (int k = 0; k < manifold.n; ++k) *sum += manifold.point[k].distance;
        }
    return count;
}

static void check(const icf_placed_shape *a, const icf_placed_shape *b, double distance)
{
    icf_contact_list list = {0}, swapped = {0};
    double expected, sum = 0.0;
    assert_int_equal(icf_collide_parts(a, b, distance, &list), ICF_OK);
    assert_int_equal(icf_collide_parts(b, a, distance, &swapped), ICF_OK);
    assert_int_equal(list.n, count_pairs(a, b, distance, &expected));
    assert_int_equal(swapped.n, list.n);
    for (size_t k = 0; k < list.n; ++k) {
        const icf_contact_point *p = &list.point[k], *q = &swapped.point[k];
        sum += p->distance;
        assert_true(p->distance < distance);
        assert_true(k == 0 || p->feature > list.point[k - 1].feature);
        assert_true(p->feature == q->feature && p->distance == q->distance);
        assert_memory_equal(&p->on_a, &q->on_b, sizeof p->on_a);
        assert_true(p->normal.x == -q->normal.x && p->normal.y == -q->normal.y && p->normal.z == -q->normal.z);
    }
    assert_true(fabs(sum - expected) <= 1e-12 * (1.0 + (double)list.n));
    icf_free(list.point);
    icf_free(swapped.point);
}

static icf_placed_shape place(oracle_random *random, const icf_shape *shape, const icf_solid *solids)
{
    return (icf_placed_shape){
        shape, icf_scale(oracle_range(random, 0, 2), oracle_direction(random)),
        icf_quat_matrix(icf_quat_unit(oracle_turn(oracle_direction(random), oracle_range(random, -3, 3)))), solids};
}

static void contacts_are_those_of_all_parts(void **state)
{
    (void)state;
    oracle_random random = {1};
    size_t found = 0;
    for (int round = 0; round < 400; ++round) {
        icf_solid solids[2] = {random_compound(&random), random_compound(&random)};
        const icf_shape shape[2] = {icf_solid_shape(&solids[0], 0), icf_solid_shape(&solids[1], 1)};
        const icf_shape other = random_shape(&random);
        const icf_shape floor = {.type = ICF_SHAPE_HALF_SPACE, .normal = oracle_direction(&random)};
        const icf_placed_shape a = place(&random, &shape[0], solids), b = place(&random, &shape[1], solids);
        const icf_placed_shape c = place(&random, &other, solids), plane = {&floor, {0, 0, 0}, unit, solids};
        const double distance = oracle_range(&random, -0.05, 0.2);
        check(&a, &b, distance);
        check(&a, &c, distance);
        check(&plane, &b, distance);
        icf_contact_point nearest;
        double sum;
        const bool has = icf_collide_nearest(&a, &c, distance, &nearest);
        assert_int_equal(has, count_pairs(&a, &c, distance, &sum) > 0);
        found += has;
        for (int k = 0; k < 2; ++k) icf_solid_clear(&solids[k]);
    }
    assert_true(found > 20);
}

/* A compound of one part is that part. */
static void one_part_is_the_shape(void **state)
{
    (void)state;
    const icf_part part = {.shape = {.type = ICF_SHAPE_BOX, .extent = {1, 2, 3}}, .orientation = {1, 0, 0, 0}};
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(NULL, 1, &part, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    const icf_shape shape = icf_solid_shape(&solid, 0), floor = {.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}};
    const icf_placed_shape box = {&part.shape, {0, 0, 2.9}, unit, NULL}, compound = {&shape, {0, 0, 2.9}, unit, &solid};
    const icf_placed_shape plane = {&floor, {0, 0, 0}, unit, NULL};
    icf_manifold manifold;
    icf_contact_list list = {0};
    icf_collide(&plane, &box, 0.0, &manifold);
    assert_int_equal(icf_collide_parts(&plane, &compound, 0.0, &list), ICF_OK);
    assert_int_equal(manifold.n, 4);
    assert_int_equal(list.n, 4);
    assert_memory_equal(list.point, manifold.point, 4 * sizeof *list.point);
    icf_free(list.point);
    icf_solid_clear(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_all_parts),
        cmocka_unit_test(one_part_is_the_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
