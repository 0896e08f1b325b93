/* Populations: columns against the numbers drawn one after the other, grids, weights, ranges of any split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "geometry/populate.h"

static icf_template sphere_template(double weight, double radius)
{
    icf_template item = {.weight = weight, .body = icf_body_def_default()};
    item.body.shape = (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
    item.body.mass = radius;
    return item;
}

/* A scene with one population and some listed bodies before it. */
static void make_scene(icf_scene *scene, const icf_population *population, int ntemplate, const icf_template *templates)
{
    assert_int_equal(icf_scene_init(scene), ICF_OK);
    scene->nbody = 7;
    assert_int_equal(icf_scene_add_population(scene, population, ntemplate, templates), ICF_OK);
}

/* Two templates: radius 1 and 2. */
static void make_pair_scene(icf_scene *scene, icf_population population, double weight1, double weight2)
{
    const icf_template templates[] = {sphere_template(weight1, 1.0), sphere_template(weight2, 2.0)};
    population.spacing = (icf_vec3){0.25, 0.25, 0.11};
    population.origin = (icf_vec3){0.0, 0.0, 0.06};
    population.jitter = 0.003;
    make_scene(scene, &population, 2, templates);
}

/* The common clutter scene as its definition has it: three draws a body, column after column from below. */
static void columns_are_the_sequence_to_the_last_bit(void **state)
{
    (void)state;
    enum { N = 1234, HEIGHT = 3, NX = 103, NY = 4 }; /* 412 columns: 1, 2 and 4 divide it below its root */
    icf_scene scene;
    icf_population population = icf_population_columns(N, HEIGHT);
    assert_int_equal(population.nx, NX);
    assert_int_equal(population.ny, NY);
    make_pair_scene(&scene, population, 1.0, 1.0);
    uint64_t s = 12345;
    for (int k = 0; k < N; ++k) {
        double u[3];
        for (int i = 0; i < 3; ++i) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            u[i] = (double)(s >> 33) / 2147483648.0;
        }
        const int column = k / HEIGHT;
        const double x = ((column % NX) - 0.5 * (NX - 1)) * 0.25 + 0.006 * (u[1] - 0.5);
        const double y = ((column / NX) - 0.5 * (NY - 1)) * 0.25 + 0.006 * (u[2] - 0.5);
        icf_body_def def;
        icf_population_body(&scene.population[0], scene.population_template, 7, k, &def);
        assert_int_equal(def.gid, 7 + k);
        assert_null(def.name);
        assert_true(def.shape.radius == (u[0] < 0.5 ? 1.0 : 2.0));
        assert_true(def.position.x == x && def.position.y == y && def.position.z == 0.06 + 0.11 * (k % HEIGHT));
    }
    icf_scene_clear(&scene);
}

/* Columns: N/H rounded up = nx ny, ny the largest divisor not above the root. */
static void columns_stand_as_near_to_a_square_as_they_divide(void **state)
{
    (void)state;
    static const struct {
        icf_cnt n, height, nx, ny;
    } cases[] = {{1, 1, 1, 1},   {40, 10, 2, 2},       {41, 10, 5, 1},     {1000, 10, 10, 10},     {1200, 100, 4, 3},
                 {7, 100, 1, 1}, {10000, 1, 100, 100}, {9999, 1, 101, 99}, {1000000, 10, 400, 250}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const icf_population population = icf_population_columns(cases[i].n, cases[i].height);
        assert_int_equal(population.nx, cases[i].nx);
        assert_int_equal(population.ny, cases[i].ny);
        assert_int_equal(population.n, cases[i].n);
    }
}

/* x runs first, then y, then z; without jitter every cell is exact. */
static void grid_cells_run_along_x_first(void **state)
{
    (void)state;
    icf_scene scene;
    icf_population population = icf_population_grid(3, 4, 5);
    population.spacing = (icf_vec3){0.5, 0.25, 2.0};
    population.origin = (icf_vec3){-1.0, 3.0, 10.0};
    const icf_template item = sphere_template(1.0, 0.1);
    make_scene(&scene, &population, 1, &item);
    assert_int_equal(scene.nbody, 7 + 60);
    for (int k = 0; k < 60; ++k) {
        icf_body_def def;
        icf_population_body(&scene.population[0], scene.population_template, 7, k, &def);
        assert_true(def.position.x == -1.0 + 0.5 * (k % 3));
        assert_true(def.position.y == 3.0 + 0.25 * (k / 3 % 4));
        assert_true(def.position.z == 10.0 + 2.0 * (k / 12));
    }
    icf_scene_clear(&scene);
}

/* Word by word from the first published value of Philox: seed 0, body 0 is counter 0 and key 0. */
static void grid_body_zero_by_hand(void **state)
{
    (void)state;
    icf_scene scene;
    icf_population population = icf_population_grid(1, 1, 1);
    population.seed = 0;
    population.jitter = 1.0;
    const icf_template templates[] = {sphere_template(0x6627e8d5u, 1.0), sphere_template(0x99d8172bu, 2.0)};
    make_scene(&scene, &population, 2, templates);
    icf_body_def def;
    icf_population_body(&scene.population[0], scene.population_template, 0, 0, &def);
    /* the weights add up to 2^32: the number 0x6627e8d5 is the first that does not pick the first template */
    assert_true(def.shape.radius == 2.0);
    assert_near(def.position.x, (2.0 * 0xe169c58du + 1.0) / 4294967296.0 - 1.0, 0.0);
    assert_near(def.position.y, (2.0 * 0xbc57ac4cu + 1.0) / 4294967296.0 - 1.0, 0.0);
    assert_near(def.position.z, (2.0 * 0x9b00dbd8u + 1.0) / 4294967296.0 - 1.0, 0.0);
    /* one more of 2^32 + 1: now it falls below the end of the first share */
    scene.population[0].weight += 1.0;
    scene.population_template[0].weight += 1.0;
    icf_population_body(&scene.population[0], scene.population_template, 0, 0, &def);
    assert_true(def.shape.radius == 1.0);
    icf_scene_clear(&scene);
}

enum { NDRAW = 40000 };

/* A number in (-1, 1) that is uniform has mean 0, variance 1/3 and fourth moment 1/5; limits are 5 standard errors. */
static void check_uniform(const double *x)
{
    double mean = 0.0, square = 0.0, least = 1.0, most = -1.0;
    for (int i = 0; i < NDRAW; ++i) {
        mean += x[i] / NDRAW;
        square += x[i] * x[i] / NDRAW;
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    assert_near(mean, 0.0, 5.0 * sqrt(1.0 / 3.0 / NDRAW));
    assert_near(square, 1.0 / 3.0, 5.0 * sqrt((1.0 / 5.0 - 1.0 / 9.0) / NDRAW));
    assert_true(-1.0 < least && least < -0.999 && 0.999 < most && most < 1.0);
}

/* Mean product of two independent ones: 0, standard error 1/3 / sqrt(n). */
static void check_independent(const double *x, const double *y, int lag)
{
    double product = 0.0;
    for (int i = lag; i < NDRAW; ++i) product += x[i] * y[i - lag] / NDRAW;
    assert_near(product, 0.0, 5.0 / 3.0 / sqrt(NDRAW));
}

static void jitter_is_uniform_and_independent(void **state)
{
    (void)state;
    static double shift[3][NDRAW];
    icf_scene scene;
    icf_population population = icf_population_grid(200, 100, 2);
    population.jitter = 1.0;
    const icf_template item = sphere_template(1.0, 0.1);
    make_scene(&scene, &population, 1, &item);
    for (int k = 0; k < NDRAW; ++k) {
        icf_body_def def;
        icf_population_body(&scene.population[0], scene.population_template, 7, k, &def);
        shift[0][k] = def.position.x;
        shift[1][k] = def.position.y;
        shift[2][k] = def.position.z;
    }
    for (int i = 0; i < 3; ++i) {
        check_uniform(shift[i]);
        check_independent(shift[i], shift[(i + 1) % 3], 0);
        check_independent(shift[i], shift[i], 1);
    }
    icf_scene_clear(&scene);
}

/* Bodies of each of three templates (radius 1, 2, 3). */
static void count_templates(icf_population population, const double weight[3], int count[3])
{
    icf_scene scene;
    const icf_template templates[] = {sphere_template(weight[0], 1.0), sphere_template(weight[1], 2.0),
                                      sphere_template(weight[2], 3.0)};
    count[0] = count[1] = count[2] = 0;
    make_scene(&scene, &population, 3, templates);
    for (icf_cnt k = 0; k < population.n; ++k) {
        icf_body_def def;
        icf_population_body(&scene.population[0], scene.population_template, 7, k, &def);
        ++count[(int)def.shape.radius - 1];
    }
    icf_scene_clear(&scene);
}

/* n p bodies, standard deviation sqrt(n p (1 - p)); limits are 5 of them. */
static void templates_come_by_their_weights(void **state)
{
    (void)state;
    static const double weight[3] = {0.5, 3.0, 1.5};
    const icf_population populations[] = {icf_population_grid(200, 100, 2), icf_population_columns(NDRAW, 10)};
    for (int i = 0; i < 2; ++i) {
        int count[3];
        count_templates(populations[i], weight, count);
        for (int j = 0; j < 3; ++j) {
            const double share = weight[j] / 5.0;
            assert_near(count[j], NDRAW * share, 5.0 * sqrt(NDRAW * share * (1.0 - share)));
        }
    }
}

static void seed_changes_everything(void **state)
{
    (void)state;
    const icf_population populations[] = {icf_population_grid(10, 10, 10), icf_population_columns(1000, 10)};
    for (int i = 0; i < 2; ++i) {
        icf_scene scene;
        make_pair_scene(&scene, populations[i], 1.0, 1.0);
        icf_population other = scene.population[0];
        other.seed += UINT64_C(1) << 32;
        int same = 0;
        for (int k = 0; k < 1000; ++k) {
            icf_body_def a, b;
            icf_population_body(&scene.population[0], scene.population_template, 0, k, &a);
            icf_population_body(&other, scene.population_template, 0, k, &b);
            same += a.position.x == b.position.x;
        }
        assert_int_equal(same, 0);
        icf_scene_clear(&scene);
    }
}

/* Bodies that were generated, in order. */
typedef struct collection {
    int n;
    icf_body_def body[2000];
} collection;

static icf_status collect(void *user, icf_cnt n, const icf_body_def *bodies)
{
    collection *all = user;
    assert_true(n > 0 && all->n + n <= 2000);
    memcpy(all->body + all->n, bodies, (size_t)n * sizeof *bodies);
    all->n += (int)n;
    return ICF_OK;
}

/* Three populations of 1000, 1 and 300 bodies behind 7 listed ones. */
static void make_three(icf_scene *scene)
{
    make_pair_scene(scene, icf_population_columns(1000, 10), 1.0, 1.0);
    const icf_template item = sphere_template(1.0, 3.0);
    icf_population population = icf_population_grid(1, 1, 1);
    assert_int_equal(icf_scene_add_population(scene, &population, 1, &item), ICF_OK);
    population = icf_population_grid(3, 10, 10);
    population.jitter = 0.1;
    assert_int_equal(icf_scene_add_population(scene, &population, 1, &item), ICF_OK);
}

/* Every split of the numbers over ranks gives the bytes of the whole, with ids that go on from the listed bodies. */
static void ranges_do_not_depend_on_the_split(void **state)
{
    (void)state;
    static collection whole, parts;
    icf_scene scene;
    icf_shortfall shortfall;
    make_three(&scene);
    assert_int_equal(scene.ngenerated, 1301);
    assert_int_equal(scene.nbody, 1308);
    assert_int_equal(icf_scene_nlisted(&scene), 7);
    whole.n = 0;
    assert_int_equal(icf_populate(&scene, 0, 1301, collect, &whole, &shortfall), ICF_OK);
    assert_int_equal(whole.n, 1301);
    for (int i = 0; i < whole.n; ++i) assert_int_equal(whole.body[i].gid, 7 + i);
    assert_true(whole.body[1000].shape.radius == 3.0 && whole.body[999].shape.radius < 3.0);
    for (int size = 2; size <= 1400; size = 3 * size - 1) {
        parts.n = 0;
        for (int rank = 0; rank < size; ++rank)
            assert_int_equal(
                icf_populate(&scene, 1301 * rank / size, 1301 * (rank + 1) / size, collect, &parts, &shortfall),
                ICF_OK);
        assert_int_equal(parts.n, whole.n);
        assert_memory_equal(parts.body, whole.body, (size_t)whole.n * sizeof whole.body[0]);
    }
    icf_scene_clear(&scene);
}

static icf_status refuse(void *user, icf_cnt n, const icf_body_def *bodies)
{
    (void)n;
    (void)bodies;
    ++*(int *)user;
    return ICF_ERROR_FILE;
}

static void failure_of_the_sink_ends_the_generation(void **state)
{
    (void)state;
    icf_scene scene;
    icf_shortfall shortfall;
    int calls = 0;
    make_three(&scene);
    assert_int_equal(icf_populate(&scene, 0, 1301, refuse, &calls, &shortfall), ICF_ERROR_FILE);
    assert_int_equal(calls, 1);
    assert_int_equal(icf_populate(&scene, 1301, 1301, refuse, &calls, &shortfall), ICF_OK);
    assert_int_equal(calls, 1);
    icf_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_sequence_to_the_last_bit),
        cmocka_unit_test(columns_stand_as_near_to_a_square_as_they_divide),
        cmocka_unit_test(grid_cells_run_along_x_first),
        cmocka_unit_test(grid_body_zero_by_hand),
        cmocka_unit_test(jitter_is_uniform_and_independent),
        cmocka_unit_test(templates_come_by_their_weights),
        cmocka_unit_test(seed_changes_everything),
        cmocka_unit_test(ranges_do_not_depend_on_the_split),
        cmocka_unit_test(failure_of_the_sink_ends_the_generation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
