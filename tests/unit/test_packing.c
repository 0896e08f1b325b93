/* Random packings: every body inside, none in another by the narrow phase over all pairs, the same bits from any range,
 * sizes, orientations and velocities as they are asked for, and what is said when there is no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geometry/collide.h"
#include "geometry/overlap.h"
#include "geometry/packing.h"
#include "geometry/populate.h"

static icf_context one_rank(void)
{
    return (icf_context){.comm = MPI_COMM_NULL, .size = 1, .nthread = 1};
}

static icf_template item(icf_shape shape, icf_size size)
{
    icf_template made = {.weight = 1.0, .size = size, .body = icf_body_def_default()};
    made.body.shape = shape;
    made.body.material = 0;
    made.body.mass = 2.0;
    made.body.inertia = icf_shape_inertia(&shape, 2.0);
    return made;
}

static const icf_size as_is = {.kind = ICF_SIZE_ONE};
static const icf_size spread = {.kind = ICF_SIZE_UNIFORM, .min = 0.5, .max = 1.5};

/* Spheres, capsules and boxes, two of them of random sizes. */
static icf_scene mixed_scene(icf_region_kind kind, double half, icf_cnt n)
{
    icf_scene scene;
    const icf_region region = {kind, {1.0, -2.0, 3.0}, {half, half, kind == ICF_REGION_CYLINDER ? 2.0 * half : half}};
    icf_population population = icf_population_packing(n, &region);
    population.turned = true;
    population.gap = 0.002;
    const icf_template templates[] = {item((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.05}, spread),
                                      item((icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = 0.03, .half = 0.06}, as_is),
                                      item((icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.03, 0.05, 0.06}}, spread)};
    assert_int_equal(icf_scene_init(&scene), ICF_OK);
    scene.nbody = 7;
    assert_int_equal(icf_scene_add_population(&scene, &population, 3, templates), ICF_OK);
    return scene;
}

static icf_status keep(void *user, icf_cnt n, const icf_body_def *bodies)
{
    for (icf_cnt i = 0; i < n; ++i) ICF_TRY(icf_bodies_add(user, &bodies[i], true));
    return ICF_OK;
}

static void generate_all(icf_scene *scene, icf_bodies *bodies)
{
    icf_context context = one_rank();
    icf_bodies_init(bodies);
    assert_int_equal(icf_populate_all(&context, scene, keep, bodies), ICF_OK);
    assert_int_equal(bodies->n, scene->ngenerated);
}

static icf_placed_shape placed(const icf_bodies *bodies, icf_lid i)
{
    return (icf_placed_shape){&bodies->shape[i], bodies->position[i], icf_quat_matrix(bodies->orientation[i]), NULL};
}

/* Largest distance of a body's surface from a point, along a direction. */
static double reach(const icf_bodies *bodies, icf_lid i, icf_vec3 center, icf_vec3 direction)
{
    const icf_shape *shape = &bodies->shape[i];
    const icf_mat3 rotation = icf_quat_matrix(bodies->orientation[i]);
    const icf_vec3 d = icf_mat3_tmul(&rotation, direction);
    double own = shape->radius;
    if (shape->type == ICF_SHAPE_CAPSULE) own += fabs(d.z) * shape->half;
    if (shape->type == ICF_SHAPE_BOX)
        own = fabs(d.x) * shape->extent.x + fabs(d.y) * shape->extent.y + fabs(d.z) * shape->extent.z;
    return icf_dot(icf_sub(bodies->position[i], center), direction) + own;
}

/* No body sticks out of the region, by its support in many directions. */
static void check_inside(const icf_region *region, const icf_bodies *bodies)
{
    for (icf_lid i = 0; i < bodies->n; ++i)
        for (int k = 0; k < 200; ++k) {
            const double z = region->kind == ICF_REGION_SPHERE ? 2.0 * ((k * 7 % 200) + 0.5) / 200.0 - 1.0 : 0.0;
            const double angle = 0.0314159265358979 * k, across = sqrt(1.0 - z * z);
            icf_vec3 d = {across * cos(angle), across * sin(angle), z};
            if (region->kind == ICF_REGION_BOX) d = icf_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
            if (k % 2 == 1) d = icf_neg(d);
            assert_true(reach(bodies, i, region->center, d) <= region->half.x * (1.0 + 1e-12));
            const icf_vec3 up = {0, 0, k % 2 ? 1 : -1};
            assert_true(reach(bodies, i, region->center, up) <= region->half.z * (1.0 + 1e-12));
        }
}

/* All pairs keep the gap, by the narrow phase alone. */
static void check_apart(const icf_bodies *bodies, double gap)
{
    for (icf_lid a = 0; a < bodies->n; ++a)
        for (icf_lid b = a + 1; b < bodies->n; ++b) {
            const icf_placed_shape first = placed(bodies, a), second = placed(bodies, b);
            icf_manifold manifold;
            icf_collide(&first, &second, gap, &manifold);
            assert_int_equal(manifold.n, 0);
        }
}

/* Regions that 800 bodies fill to a sixth. */
static void bodies_are_inside_and_apart(void **state)
{
    (void)state;
    static const double half[] = {[ICF_REGION_BOX] = 0.75, [ICF_REGION_CYLINDER] = 0.65, [ICF_REGION_SPHERE] = 0.95};
    for (int kind = 0; kind < 3; ++kind) {
        icf_scene scene = mixed_scene((icf_region_kind)kind, half[kind], 800);
        icf_bodies bodies;
        generate_all(&scene, &bodies);
        for (icf_lid i = 0; i < bodies.n; ++i) assert_int_equal(bodies.gid[i], 7 + i);
        check_inside(&scene.population[0].region, &bodies);
        check_apart(&bodies, 0.002);
        icf_bodies_clear(&bodies);
        icf_scene_clear(&scene);
    }
}

/* A whole population and its parts, as 2 to 8 and as very many ranks make them, are the same bytes. */
static void any_split_gives_the_same_bits(void **state)
{
    (void)state;
    enum { N = 300 };
    for (int kind = 0; kind < 3; ++kind) {
        icf_scene scene = mixed_scene((icf_region_kind)kind, 0.7, N);
        icf_bodies whole, parts;
        generate_all(&scene, &whole);
        for (int size = 2; size <= 48; size = size < 8 ? size + 1 : 6 * size) {
            icf_shortfall shortfall;
            icf_bodies_init(&parts);
            for (int rank = 0; rank < size; ++rank)
                assert_int_equal(icf_populate(&scene, N * rank / size, N * (rank + 1) / size, keep, &parts, &shortfall),
                                 ICF_OK);
            assert_int_equal(parts.n, N);
            assert_memory_equal(parts.position, whole.position, N * sizeof *whole.position);
            assert_memory_equal(parts.orientation, whole.orientation, N * sizeof *whole.orientation);
            assert_memory_equal(parts.mass, whole.mass, N * sizeof *whole.mass);
            icf_bodies_clear(&parts);
        }
        icf_bodies_clear(&whole);
        icf_scene_clear(&scene);
    }
}

/* Another seed gives other places. */
static void seeds_differ(void **state)
{
    (void)state;
    icf_scene scene = mixed_scene(ICF_REGION_BOX, 0.9, 100);
    icf_bodies first, second;
    generate_all(&scene, &first);
    scene.population[0].seed = 2;
    generate_all(&scene, &second);
    for (icf_lid i = 0; i < 100; ++i) assert_true(icf_norm(icf_sub(first.position[i], second.position[i])) > 0.0);
    icf_bodies_clear(&first);
    icf_bodies_clear(&second);
    icf_scene_clear(&scene);
}

/* Centres of 20,000 small spheres are uniform: along each axis of a box and in a cylinder's and a sphere's radius to a
 * power (Kolmogorov and Smirnov at 1 %; what the wall keeps out is 0.1 % of the region). */
static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_uniform(double *value, int n)
{
    double largest = 0.0;
    qsort(value, (size_t)n, sizeof *value, compare);
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(value[i] - (i + 0.5) / n));
    assert_true(largest < 1.63 / sqrt(n));
}

static void places_are_uniform(void **state)
{
    (void)state;
    enum { N = 20000 };
    double *value = malloc(N * sizeof *value);
    assert_non_null(value);
    for (int kind = 0; kind < 3; ++kind) {
        icf_scene scene;
        icf_bodies bodies;
        const icf_region region = {(icf_region_kind)kind, {0, 0, 0}, {1, 1, 1}};
        const icf_population population = icf_population_packing(N, &region);
        const icf_template small = item((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 1e-3}, as_is);
        assert_int_equal(icf_scene_init(&scene), ICF_OK);
        assert_int_equal(icf_scene_add_population(&scene, &population, 1, &small), ICF_OK);
        generate_all(&scene, &bodies);
        for (int axis = 0; axis < 3; ++axis) {
            for (icf_lid i = 0; i < N; ++i) {
                const double x = icf_get(bodies.position[i], axis);
                /* part of a disc or ball on one side of a plane */
                const double disc = 0.5 + (x * sqrt(1.0 - x * x) + asin(x)) / acos(-1.0);
                const double ball = 0.25 * (2.0 + 3.0 * x - x * x * x);
                value[i] = kind == ICF_REGION_SPHERE                 ? ball
                           : kind == ICF_REGION_CYLINDER && axis < 2 ? disc
                                                                     : 0.5 + 0.5 * x;
            }
            check_uniform(value, N);
        }
        icf_bodies_clear(&bodies);
        icf_scene_clear(&scene);
    }
    free(value);
}

/* Angle of a uniform rotation: (angle - sin angle)/pi; axes turned by it are uniform on the sphere.  Velocities are
 * uniform in a ball: the cube of the distance from the middle. */
static void orientations_and_velocities(void **state)
{
    (void)state;
    enum { N = 20000 };
    const double pi = acos(-1.0);
    double *value[5];
    icf_scene scene;
    icf_bodies bodies;
    for (int k = 0; k < 5; ++k) assert_non_null(value[k] = malloc(N * sizeof(double)));
    const icf_region region = {ICF_REGION_BOX, {0, 0, 0}, {20, 20, 20}};
    icf_population population = icf_population_packing(N, &region);
    population.turned = true;
    population.linear = icf_vec3_make(1, 2, 3);
    population.linear_spread = 0.5;
    population.angular_spread = 4.0;
    icf_template box = item((icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.1, 0.2, 0.3}}, as_is);
    box.body.linear_velocity = icf_vec3_make(0, 0, -3);
    assert_int_equal(icf_scene_init(&scene), ICF_OK);
    assert_int_equal(icf_scene_add_population(&scene, &population, 1, &box), ICF_OK);
    generate_all(&scene, &bodies);
    for (icf_lid i = 0; i < N; ++i) {
        const icf_quat q = bodies.orientation[i];
        const double angle = 2.0 * acos(fmin(1.0, fabs(q.w)));
        assert_true(fabs(icf_quat_norm(q) - 1.0) < 1e-14);
        value[0][i] = (angle - sin(angle)) / pi;
        value[1][i] = 0.5 + 0.5 * icf_rotate(q, icf_vec3_make(1, 0, 0)).z;
        value[2][i] = 0.5 + 0.5 * icf_rotate(q, icf_vec3_make(0, 0, 1)).y;
        const icf_vec3 from_mean = icf_sub(bodies.linear_velocity[i], icf_vec3_make(1, 2, 0));
        value[3][i] = pow(icf_norm(from_mean) / 0.5, 3);
        value[4][i] = pow(icf_norm(bodies.angular_velocity[i]) / 4.0, 3);
    }
    for (int k = 0; k < 5; ++k) {
        check_uniform(value[k], N);
        free(value[k]);
    }
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

/* Scaled bodies: mass goes with the third, inertia with the fifth power of the size, whose mean is that of the
 * distribution within four standard errors. */
static void sizes_scale_mass_and_inertia(void **state)
{
    (void)state;
    enum { N = 5000 };
    icf_scene scene;
    icf_bodies bodies;
    double sum = 0.0;
    const icf_region region = {ICF_REGION_SPHERE, {0, 0, 0}, {5, 5, 5}};
    const icf_population population = icf_population_packing(N, &region);
    const icf_template ball = item((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.1}, spread);
    assert_int_equal(icf_scene_init(&scene), ICF_OK);
    assert_int_equal(icf_scene_add_population(&scene, &population, 1, &ball), ICF_OK);
    generate_all(&scene, &bodies);
    for (icf_lid i = 0; i < N; ++i) {
        const double s = bodies.shape[i].radius / 0.1;
        assert_true(s >= 0.5 && s <= 1.5);
        assert_true(fabs(bodies.mass[i] - 2.0 * s * s * s) < 1e-12);
        assert_true(fabs(bodies.inertia[i].y / icf_shape_inertia(&bodies.shape[i], bodies.mass[i]).y - 1.0) < 1e-12);
        sum += s;
    }
    assert_true(fabs(sum / N - 1.0) < 4.0 * sqrt(1.0 / 12.0 / N));
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

/* Equal spheres fill 0.29 of a region of 35 diameters; more than 0.35 does not fit, and the message says what does: the
 * same from any split, and what was placed does not overlap. */
static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    icf_context context = one_rank();
    icf_scene scene;
    icf_bodies bodies;
    icf_shortfall shortfall, part;
    icf_overlaps overlaps;
    const icf_region region = {ICF_REGION_BOX, {0, 0, 0}, {1, 1, 1}};
    const double volume = 4.0 / 3.0 * acos(-1.0) * 1e-3;
    const icf_template ball = item((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.1}, as_is);
    const icf_population population = icf_population_packing((icf_cnt)(0.4 * 8.0 / volume), &region);
    assert_int_equal(icf_scene_init(&scene), ICF_OK);
    assert_int_equal(icf_scene_add_population(&scene, &population, 1, &ball), ICF_OK);
    icf_bodies_init(&bodies);
    assert_int_equal(icf_populate(&scene, 0, scene.ngenerated, keep, &bodies, &shortfall), ICF_OK);
    assert_int_equal(shortfall.population, 0);
    assert_int_equal(bodies.n + shortfall.missing, scene.ngenerated);
    const double reached = bodies.n * volume / 8.0;
    assert_true(reached > 0.24 && reached < 0.35);
    assert_int_equal(icf_overlaps_find(&context, &bodies, NULL, &overlaps), ICF_OK);
    assert_int_equal(overlaps.npair, 0);
    icf_cnt missing = 0;
    icf_bodies_clear(&bodies);
    for (int rank = 0; rank < 5; ++rank) {
        assert_int_equal(
            icf_populate(&scene, scene.ngenerated * rank / 5, scene.ngenerated * (rank + 1) / 5, keep, &bodies, &part),
            ICF_OK);
        missing += part.missing;
    }
    assert_int_equal(missing, shortfall.missing);
    assert_int_equal(icf_shortfall_report(&context, &scene, &shortfall), ICF_ERROR_SCENE);
    char expected[200];
    snprintf(
        expected, sizeof expected,
        "populations[0]: only %d of 763 bodies find room: a fill of %.3f of the region was reached, 0.400 is asked "
        "for",
        (int)bodies.n, reached);
    assert_string_equal(context.message, expected);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

/* Equal spheres at the fill that docs/scene.md promises. */
static void the_documented_fill_is_reached(void **state)
{
    (void)state;
    icf_scene scene;
    icf_bodies bodies;
    const icf_region region = {ICF_REGION_BOX, {0, 0, 0}, {1, 1, 1}};
    const double volume = 4.0 / 3.0 * acos(-1.0) * pow(0.05, 3);
    const icf_template ball = item((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.05}, as_is);
    const icf_population population = icf_population_packing((icf_cnt)(0.27 * 8.0 / volume), &region);
    assert_int_equal(icf_scene_init(&scene), ICF_OK);
    assert_int_equal(icf_scene_add_population(&scene, &population, 1, &ball), ICF_OK);
    generate_all(&scene, &bodies);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

/* A region thinner than a layer, one body, a body that is larger than the region. */
static void small_regions(void **state)
{
    (void)state;
    icf_scene scene = mixed_scene(ICF_REGION_BOX, 2.0, 200);
    icf_bodies bodies;
    scene.population[0].region.half.z = 0.13; /* the largest body has a radius of 0.126 */
    generate_all(&scene, &bodies);
    icf_bodies_clear(&bodies);
    scene.population[0].n = scene.ngenerated = 1;
    generate_all(&scene, &bodies);
    icf_bodies_clear(&bodies);
    scene.population[0].region.half.z = 0.01;
    icf_context context = one_rank();
    assert_int_equal(icf_populate_all(&context, &scene, keep, &bodies), ICF_ERROR_SCENE);
    assert_non_null(strstr(context.message, "only 0 of 1 bodies find room"));
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_inside_and_apart),
        cmocka_unit_test(any_split_gives_the_same_bits),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(places_are_uniform),
        cmocka_unit_test(orientations_and_velocities),
        cmocka_unit_test(sizes_scale_mass_and_inertia),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(the_documented_fill_is_reached),
        cmocka_unit_test(small_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
