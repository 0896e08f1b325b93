/* Scene writer: text of each part by hand, numbers to the last bit, quoting, broken streams; what the scene
 * reader makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "geometry/populate.h"
#include "io/scene_reader.h"
#include "io/scene_writer.h"
#include "io/yaml_write.h"

/* What a test writes, in memory. */
typedef struct memory_file {
    FILE *file;
    char *text;
    size_t size;
} memory_file;

static void memory_begin(memory_file *memory)
{
    memory->file = open_memstream(&memory->text, &memory->size);
    assert_non_null(memory->file);
}

static void expect_text(memory_file *memory, const char *expected)
{
    assert_int_equal(fclose(memory->file), 0);
    assert_string_equal(memory->text, expected);
    free(memory->text);
}

static icf_context local_context(void)
{
    return (icf_context){.comm = MPI_COMM_NULL, .nthread = 1};
}

static icf_scene scene_with_material(const char *name)
{
    icf_scene scene;
    const icf_material material = icf_material_default();
    assert_int_equal(icf_scene_init(&scene), ICF_OK);
    assert_int_equal(icf_scene_add_material(&scene, name, &material, NULL), ICF_OK);
    return scene;
}

static icf_body_def sphere_at(icf_vec3 position)
{
    icf_body_def def = icf_body_def_default();
    def.shape = (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.5};
    def.material = 0;
    def.mass = 2.0;
    def.inertia = icf_shape_inertia(&def.shape, def.mass);
    def.position = position;
    return def;
}

/* The line of a body without the dash in front. */
static void expect_body(const icf_body_def *def, const char *expected)
{
    memory_file memory;
    char line[1000];
    icf_scene scene = scene_with_material("steel");
    memory_begin(&memory);
    icf_scene_write_body(memory.file, &scene, def);
    snprintf(line, sizeof line, "  - %s\n", expected);
    expect_text(&memory, line);
    icf_scene_clear(&scene);
}

static void texts_are_quoted_where_yaml_needs_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"ball", "ball"},
        {"wall-x_2.b/c", "wall-x_2.b/c"},
        {"", "\"\""},
        {"12", "\"12\""},
        {"inf", "\"inf\""},
        {"nan", "\"nan\""},
        {"true", "\"true\""},
        {"No", "\"No\""},
        {"null", "\"null\""},
        {"a: b", "\"a: b\""},
        {"a#b", "\"a#b\""},
        {"-x", "\"-x\""},
        {"a\"b\\", "\"a\\\"b\\\\\""},
        {"a\nb\x7f", "\"a\\x0ab\\x7f\""},
        {"stra\xc3\x9f"
         "e",
         "\"stra\xc3\x9f"
         "e\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        memory_file memory;
        memory_begin(&memory);
        icf_yaml_text(memory.file, cases[i][0]);
        expect_text(&memory, cases[i][1]);
    }
}

/* All numbers go through one routine; the position of a body shows what it writes. */
static void numbers_have_the_fewest_digits_that_read_back(void **state)
{
    (void)state;
    const icf_body_def round = sphere_at((icf_vec3){0.1, -2.0, 1e-5});
    expect_body(&round, "{shape: {type: sphere, radius: 0.5}, material: steel, position: [0.1, -2, 1.0e-05], mass: 2}");
    const icf_body_def long_ones = sphere_at((icf_vec3){0.1 + 0.2, -0.0, 1.0 / 3.0});
    expect_body(&long_ones, "{shape: {type: sphere, radius: 0.5}, material: steel, "
                            "position: [0.30000000000000004, -0, 0.3333333333333333], mass: 2}");
}

static double random_double(uint64_t *random)
{
    double value;
    do {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = *random ^ *random >> 29;
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void random_numbers_read_back_to_the_same_bits(void **state)
{
    (void)state;
    uint64_t random = 1;
    icf_scene scene = scene_with_material("m");
    for (int i = 0; i < 2000; ++i) {
        memory_file memory;
        double read;
        const double value = random_double(&random);
        const icf_body_def def = sphere_at((icf_vec3){value, 0.0, 0.0});
        memory_begin(&memory);
        icf_scene_write_body(memory.file, &scene, &def);
        assert_int_equal(fclose(memory.file), 0);
        read = strtod(strstr(memory.text, "position: [") + strlen("position: ["), NULL);
        assert_memory_equal(&read, &value, sizeof value);
        free(memory.text);
    }
    icf_scene_clear(&scene);
}

static void dynamic_body_with_everything(void **state)
{
    (void)state;
    icf_body_def def = sphere_at((icf_vec3){1.0, 2.0, 3.0});
    def.name = "my ball";
    def.shape = (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = 0.25, .half = 0.5};
    def.inertia = (icf_vec3){0.1, 0.2, 0.3};
    def.orientation = (icf_quat){0.0, 1.0, 0.0, 0.0};
    def.linear_velocity = (icf_vec3){1.0, 0.0, 0.0};
    def.angular_velocity = (icf_vec3){0.0, 0.0, -1.0};
    def.locked = ICF_DOF_VY | ICF_DOF_WX | ICF_DOF_WY;
    expect_body(&def, "{name: \"my ball\", shape: {type: capsule, radius: 0.25, length: 1}, material: steel, "
                      "position: [1, 2, 3], orientation: [0, 1, 0, 0], mass: 2, inertia: [0.1, 0.2, 0.3], "
                      "linear_velocity: [1, 0, 0], angular_velocity: [0, 0, -1], free: [vx, vz, wz]}");
}

static void fixed_and_prescribed_bodies(void **state)
{
    (void)state;
    icf_body_def ground = icf_body_def_default();
    ground.shape = (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {0.0, 0.0, 1.0}, .offset = -0.5};
    ground.material = 0;
    ground.motion.type = ICF_MOTION_FIXED;
    ground.surface = (icf_surface_velocity){.moving = true, .constant = {0.25, 0.0, 0.0}};
    expect_body(&ground, "{shape: {type: half_space, normal: [0, 0, 1], offset: -0.5}, material: steel, motion: fixed, "
                         "surface_velocity: {velocity: [0.25, 0, 0]}}");

    const icf_harmonic harmonic = {.direction = {1.0, 0.0, 0.0}, .amplitude = 0.5, .frequency = 2.0, .phase = 0.25};
    icf_body_def plate = sphere_at((icf_vec3){0.0, 0.0, 0.0});
    plate.shape = (icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.5, 1.0, 0.125}};
    plate.motion = (icf_motion){.type = ICF_MOTION_HARMONIC, .harmonic = harmonic};
    plate.surface = (icf_surface_velocity){.moving = true, .harmonic = harmonic};
    expect_body(&plate, "{shape: {type: box, size: [1, 2, 0.25]}, material: steel, position: [0, 0, 0], "
                        "motion: {type: harmonic, direction: [1, 0, 0], amplitude: 0.5, frequency: 2, phase: 0.25}, "
                        "surface_velocity: {direction: [1, 0, 0], amplitude: 0.5, frequency: 2, phase: 0.25}}");
}

static void body_that_touches_nothing_has_no_material(void **state)
{
    (void)state;
    icf_body_def def = icf_body_def_default();
    def.mass = 1.0;
    def.inertia = (icf_vec3){1.0, 1.0, 1.0};
    expect_body(&def, "{shape: {type: none}, position: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}");
}

static const char head_start[] =
    "name: two\n"
    "gravity: [0, 0, -10]\n"
    "time:\n"
    "  step: 0.002\n"
    "  duration: 3\n"
    "  integrator: midpoint\n"
    "contact:\n"
    "  model: sap\n"
    "  regularized: true\n"
    "  stiction_tolerance: 0.0001\n"
    "  sigma: 0.001\n"
    "  near_rigid: 1\n"
    "  distance: 0.5\n"
    "  pairs:\n"
    "    - {materials: [soft, \"2 hard\"], stiffness: .inf, friction: 0.25}\n"
    "solver:\n"
    "  relative_tolerance: 1.0e-05\n"
    "  absolute_tolerance: 1.0e-16\n"
    "  max_iterations: 500\n"
    "  linear: mumps\n"
    "  parts: false\n"
    "  condition: true\n"
    "output:\n"
    "  directory: out\n"
    "  rate: 50\n"
    "  checkpoint_every: 1000\n"
    "  surfaces: 20000\n"
    "materials:\n"
    "  soft: {}\n"
    "  \"2 hard\": {normal: hertz, stiffness: 2000, barrier_distance: 0.5, dissipation: 1, "
    "relaxation_time: 0.25, friction: {principal: [0.5, 0.25], axis: [0, 1, 0]}}\n"
    "bodies:\n";

static icf_scene scene_of_head_start(void)
{
    icf_scene scene = scene_with_material("soft");
    icf_material hard = {.given = 63,
                         .normal = ICF_NORMAL_HERTZ,
                         .stiffness = 2000.0,
                         .barrier_distance = 0.5,
                         .dissipation = 1.0,
                         .relaxation_time = 0.25,
                         .friction = {0.5, 0.25},
                         .anisotropic = true,
                         .axis = {0.0, 1.0, 0.0}};
    icf_material pair = {
        .given = ICF_MATERIAL_STIFFNESS | ICF_MATERIAL_FRICTION, .stiffness = INFINITY, .friction = {0.25, 0.25}};
    assert_int_equal(icf_scene_set_text(&scene.name, "two"), ICF_OK);
    assert_int_equal(icf_scene_add_material(&scene, "2 hard", &hard, NULL), ICF_OK);
    assert_int_equal(icf_scene_add_pair(&scene, 1, 0, &pair), ICF_OK);
    scene.gravity.z = -10.0;
    scene.time = (icf_time_settings){.step = 0.002, .steps = 1500, .integrator = ICF_MIDPOINT};
    scene.contact.model = ICF_MODEL_SAP;
    scene.contact.auto_distance = false;
    scene.contact.distance = 0.5;
    scene.solver.linear = ICF_LINEAR_MUMPS;
    scene.solver.parts = false;
    scene.solver.condition = true;
    scene.output.every = 0;
    scene.output.rate = 50.0;
    return scene;
}

static void settings_materials_and_pairs(void **state)
{
    (void)state;
    memory_file memory;
    icf_scene scene = scene_of_head_start();
    memory_begin(&memory);
    icf_scene_write_begin(memory.file, &scene);
    expect_text(&memory, head_start);
    icf_scene_clear(&scene);
}

static const char *name_of(void *user, icf_gid body)
{
    (void)user;
    return body == 3 ? "ball" : NULL;
}

static void forces_and_springs_of_named_bodies_only(void **state)
{
    (void)state;
    memory_file memory;
    icf_context context = local_context();
    icf_scene scene = scene_with_material("m");
    const icf_force push = {.body = 3, .direction = {1.0, 0.0, 0.0}, .value = 2.0};
    const icf_force other = {.body = 4, .direction = {1.0, 0.0, 0.0}, .value = 2.0};
    const icf_force growing = {.body = 3, .direction = {0.0, 1.0, 0.0}, .rate = 0.5};
    const icf_spring spring = {.body = 3, .axis = {0.0, 0.0, 1.0}, .stiffness = 100.0, .rest = 0.5, .implicit = true};
    assert_int_equal(icf_scene_add_force(&scene, &other), ICF_OK);
    assert_int_equal(icf_scene_add_force(&scene, &push), ICF_OK);
    assert_int_equal(icf_scene_add_force(&scene, &growing), ICF_OK);
    assert_int_equal(icf_scene_add_spring(&scene, &spring), ICF_OK);
    memory_begin(&memory);
    assert_int_equal(icf_scene_write_end(&context, memory.file, &scene, name_of, NULL), ICF_OK);
    expect_text(&memory, "forces:\n"
                         "  - {body: ball, direction: [1, 0, 0], value: 2}\n"
                         "  - {body: ball, direction: [0, 1, 0], rate: 0.5}\n"
                         "springs:\n"
                         "  - {body: ball, axis: [0, 0, 1], stiffness: 100, damping: 0, rest: 0.5, implicit: true}\n");
    icf_scene_clear(&scene);
}

static void full_disk_is_reported(void **state)
{
    (void)state;
    icf_context context = local_context();
    icf_scene scene = scene_with_material("m");
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    icf_scene_write_begin(full, &scene);
    assert_int_equal(icf_scene_write_end(&context, full, &scene, NULL, NULL), ICF_ERROR_FILE);
    assert_non_null(strstr(context.message, "No space left on device"));
    fclose(full);
    icf_scene_clear(&scene);
}

static void add_body(icf_bodies *bodies, icf_gid gid, const char *name)
{
    icf_body_def def = sphere_at((icf_vec3){(double)gid, 0.0, 0.0});
    def.gid = gid;
    def.name = name;
    assert_int_equal(icf_bodies_add(bodies, &def, true), ICF_OK);
}

static char *read_file(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Bodies keep their names, made-up ones included; the results of a run of the part go elsewhere. */
static void part_of_the_bodies_becomes_a_scene(void **state)
{
    (void)state;
    icf_context context = local_context();
    icf_scene scene = scene_with_material("m");
    icf_bodies bodies;
    char path[] = "/tmp/icf-test-writer-XXXXXX";
    const icf_lid list[] = {0, 2};
    const icf_force kept = {.body = 7, .direction = {1.0, 0.0, 0.0}, .value = 1.0};
    const icf_force dropped = {.body = 5, .direction = {1.0, 0.0, 0.0}, .value = 1.0};
    close(mkstemp(path));
    icf_bodies_init(&bodies);
    add_body(&bodies, 2, "first");
    add_body(&bodies, 5, "second");
    add_body(&bodies, 7, NULL);
    assert_int_equal(icf_scene_add_force(&scene, &dropped), ICF_OK);
    assert_int_equal(icf_scene_add_force(&scene, &kept), ICF_OK);
    assert_int_equal(icf_scene_write_bodies(&context, path, &scene, &bodies, 2, list), ICF_OK);
    const char *text = read_file(path);
    assert_non_null(strstr(text, "  directory: out-part\n"));
    assert_non_null(strstr(text, "  - {name: first, "));
    assert_null(strstr(text, "second"));
    assert_non_null(strstr(text, "  - {name: body7, "));
    assert_non_null(strstr(text, "forces:\n  - {body: body7, direction: [1, 0, 0], value: 1}\n"));
    unlink(path);
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

static void part_is_not_written_where_it_cannot_be(void **state)
{
    (void)state;
    icf_context context = local_context();
    icf_scene scene = scene_with_material("m");
    icf_bodies bodies;
    const icf_lid list[] = {0};
    icf_bodies_init(&bodies);
    add_body(&bodies, 0, "only");
    assert_int_equal(icf_scene_write_bodies(&context, "/nowhere/part.yaml", &scene, &bodies, 1, list), ICF_ERROR_FILE);
    assert_non_null(strstr(context.message, "/nowhere/part.yaml"));
    icf_bodies_clear(&bodies);
    icf_scene_clear(&scene);
}

/* Bodies that a scene holds, with names of their own. */
enum { NROUND = 40 };
typedef struct body_table {
    int n;
    icf_body_def def[NROUND];
    char name[NROUND][40];
} body_table;

static double uniform(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 11) / 4503599627370496.0 - 1.0;
}

static icf_vec3 uniform_vec3(uint64_t *random)
{
    const double x = uniform(random), y = uniform(random);
    return (icf_vec3){x, y, uniform(random)};
}

static icf_shape shape_of(int i, uint64_t *random)
{
    const double size = 0.5 + 0.25 * uniform(random);
    switch (i % 4) {
    case 0: return (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = size};
    case 1: return (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = size, .half = 0.3 * size};
    case 2: return (icf_shape){.type = ICF_SHAPE_BOX, .extent = {size, 0.7 * size, 0.3 * size}};
    default: return (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = icf_unit(uniform_vec3(random)), .offset = size};
    }
}

static icf_harmonic harmonic_of(uint64_t *random)
{
    return (icf_harmonic){icf_unit(uniform_vec3(random)), 0.1 * uniform(random), 2.0, uniform(random)};
}

/* A body with every kind of value that a scene can hold, at random. */
static icf_body_def random_body(int i, uint64_t *random)
{
    icf_body_def def = icf_body_def_default();
    def.gid = i;
    def.shape = shape_of(i, random);
    def.material = i % 3 == 0;
    if (i % 5 == 0) def.surface = (icf_surface_velocity){.moving = true, .constant = uniform_vec3(random)};
    if (i % 7 == 0) def.surface = (icf_surface_velocity){.moving = true, .harmonic = harmonic_of(random)};
    if (def.shape.type == ICF_SHAPE_HALF_SPACE) {
        def.motion.type = ICF_MOTION_FIXED;
        def.locked = ICF_DOF_ALL;
        return def;
    }
    def.position = uniform_vec3(random);
    def.orientation = icf_quat_unit((icf_quat){uniform(random), uniform(random), uniform(random), uniform(random)});
    if (i % 6 == 1) def.motion = (icf_motion){.type = ICF_MOTION_HARMONIC, .harmonic = harmonic_of(random)};
    if (i % 12 == 7) {
        def.motion = (icf_motion){.type = ICF_MOTION_VELOCITY};
        def.motion.steady = (icf_steady){.linear = uniform_vec3(random), .angular = uniform_vec3(random)};
        def.motion.steady.center = uniform_vec3(random);
    }
    if (def.motion.type != ICF_MOTION_DYNAMIC) {
        def.locked = ICF_DOF_ALL;
        return def;
    }
    def.mass = 2.0 + uniform(random);
    def.inertia = i % 2 ? icf_shape_inertia(&def.shape, def.mass) : (icf_vec3){1.1, 1.3, 1.0 + 0.1 * uniform(random)};
    def.locked = i % 8 == 2 ? (i % 16 == 2 ? ICF_DOF_ALL : ICF_DOF_VX | ICF_DOF_WZ) : 0;
    if (def.locked) return def;
    def.linear_velocity = uniform_vec3(random);
    def.angular_velocity = uniform_vec3(random);
    return def;
}

static body_table *random_bodies(void)
{
    uint64_t random = 3;
    body_table *table = calloc(1, sizeof *table);
    for (table->n = 0; table->n < NROUND; ++table->n) {
        icf_body_def *def = &table->def[table->n];
        *def = random_body(table->n, &random);
        snprintf(table->name[table->n], sizeof *table->name, table->n % 2 ? "b: \"%d\"" : "b%d", table->n);
        def->name = table->name[table->n];
    }
    return table;
}

static icf_status keep_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    body_table *table = user;
    for (icf_cnt i = 0; i < n; ++i, ++table->n) {
        table->def[table->n] = bodies[i];
        snprintf(table->name[table->n], sizeof *table->name, "%s", bodies[i].name ? bodies[i].name : "");
        table->def[table->n].name = table->name[table->n];
    }
    return ICF_OK;
}

static const char *name_in_table(void *user, icf_gid body)
{
    return ((body_table *)user)->name[body];
}

#define ASSERT_SAME(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

static void expect_same_body(const icf_body_def *a, const icf_body_def *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->gid, b->gid);
    assert_int_equal(a->material, b->material);
    assert_int_equal(a->locked, b->locked);
    assert_int_equal(a->shape.type, b->shape.type);
    ASSERT_SAME(a->shape.radius, b->shape.radius);
    ASSERT_SAME(a->shape.half, b->shape.half);
    ASSERT_SAME(a->shape.extent, b->shape.extent);
    ASSERT_SAME(a->shape.normal, b->shape.normal);
    ASSERT_SAME(a->shape.offset, b->shape.offset);
    assert_int_equal(a->motion.type, b->motion.type);
    if (a->motion.type == ICF_MOTION_VELOCITY) {
        ASSERT_SAME(a->motion.steady.linear, b->motion.steady.linear);
        ASSERT_SAME(a->motion.steady.angular, b->motion.steady.angular);
        ASSERT_SAME(a->motion.steady.center, b->motion.steady.center);
    } else {
        ASSERT_SAME(a->motion.harmonic, b->motion.harmonic);
    }
    assert_int_equal(a->surface.moving, b->surface.moving);
    ASSERT_SAME(a->surface.constant, b->surface.constant);
    ASSERT_SAME(a->surface.harmonic, b->surface.harmonic);
    ASSERT_SAME(a->mass, b->mass);
    ASSERT_SAME(a->inertia, b->inertia);
    ASSERT_SAME(a->position, b->position);
    ASSERT_SAME(a->orientation, b->orientation);
    ASSERT_SAME(a->linear_velocity, b->linear_velocity);
    ASSERT_SAME(a->angular_velocity, b->angular_velocity);
}

static void expect_same_material(const icf_material *a, const icf_material *b)
{
    assert_int_equal(a->given, b->given);
    assert_int_equal(a->normal, b->normal);
    ASSERT_SAME(a->stiffness, b->stiffness);
    ASSERT_SAME(a->dissipation, b->dissipation);
    ASSERT_SAME(a->relaxation_time, b->relaxation_time);
    ASSERT_SAME(a->friction, b->friction);
    assert_int_equal(a->anisotropic, b->anisotropic);
    if (a->anisotropic) ASSERT_SAME(a->axis, b->axis);
}

static void expect_same_settings(const icf_scene *a, const icf_scene *b)
{
    assert_string_equal(a->name, b->name);
    ASSERT_SAME(a->gravity, b->gravity);
    ASSERT_SAME(a->time.step, b->time.step);
    assert_int_equal(a->time.steps, b->time.steps);
    assert_int_equal(a->contact.model, b->contact.model);
    assert_int_equal(a->contact.regularized, b->contact.regularized);
    ASSERT_SAME(a->contact.stiction_tolerance, b->contact.stiction_tolerance);
    ASSERT_SAME(a->contact.sigma, b->contact.sigma);
    ASSERT_SAME(a->contact.near_rigid, b->contact.near_rigid);
    assert_int_equal(a->contact.auto_distance, b->contact.auto_distance);
    ASSERT_SAME(a->solver.relative_tolerance, b->solver.relative_tolerance);
    ASSERT_SAME(a->solver.absolute_tolerance, b->solver.absolute_tolerance);
    assert_int_equal(a->solver.max_iterations, b->solver.max_iterations);
    assert_int_equal(a->solver.linear, b->solver.linear);
    assert_int_equal(a->solver.parts, b->solver.parts);
    assert_int_equal(a->solver.condition, b->solver.condition);
    assert_string_equal(a->output.directory, b->output.directory);
    ASSERT_SAME(a->output.rate, b->output.rate);
    assert_int_equal(a->output.checkpoint_every, b->output.checkpoint_every);
    assert_int_equal(a->output.surfaces, b->output.surfaces);
}

static void expect_same_forces(const icf_scene *a, const icf_scene *b)
{
    assert_int_equal(a->nforce, b->nforce);
    assert_int_equal(a->nspring, b->nspring);
    for (icf_lid i = 0; i < a->nforce; ++i) ASSERT_SAME(a->force[i], b->force[i]);
    for (icf_lid i = 0; i < a->nspring; ++i) {
        assert_int_equal(a->spring[i].body, b->spring[i].body);
        ASSERT_SAME(a->spring[i].axis, b->spring[i].axis);
        ASSERT_SAME(a->spring[i].stiffness, b->spring[i].stiffness);
        ASSERT_SAME(a->spring[i].rest, b->spring[i].rest);
        assert_int_equal(a->spring[i].implicit, b->spring[i].implicit);
    }
}

static icf_scene scene_for_round_trip(void)
{
    icf_scene scene = scene_with_material("soft");
    icf_material rough = {.given = ICF_MATERIAL_NORMAL | ICF_MATERIAL_STIFFNESS | ICF_MATERIAL_FRICTION,
                          .normal = ICF_NORMAL_LINEAR,
                          .stiffness = 1e7 / 3.0,
                          .dissipation = 10.0,
                          .relaxation_time = 0.01,
                          .friction = {0.7, 0.1},
                          .anisotropic = true,
                          .axis = icf_unit((icf_vec3){1.0, 2.0, 3.0})};
    const icf_material pair = {.given = ICF_MATERIAL_FRICTION, .friction = {0.1 + 0.2, 0.1 + 0.2}};
    const icf_force force = {.body = 4, .direction = icf_unit((icf_vec3){3.0, 2.0, 1.0}), .rate = 0.1};
    const icf_spring spring = {.body = 8, .axis = icf_unit((icf_vec3){1.0, 1.0, 0.1}), .stiffness = 0.3, .rest = -0.1};
    assert_int_equal(icf_scene_set_text(&scene.name, "round trip: 1"), ICF_OK);
    assert_int_equal(icf_scene_set_text(&scene.output.directory, "a # b"), ICF_OK);
    assert_int_equal(icf_scene_add_material(&scene, "no", &rough, NULL), ICF_OK);
    assert_int_equal(icf_scene_add_pair(&scene, 0, 1, &pair), ICF_OK);
    assert_int_equal(icf_scene_add_force(&scene, &force), ICF_OK);
    assert_int_equal(icf_scene_add_spring(&scene, &spring), ICF_OK);
    scene.gravity = (icf_vec3){0.1, -0.2, -9.81 / 3.0};
    scene.time = (icf_time_settings){.step = 1.0 / 300.0, .steps = 1234567};
    scene.contact.sigma = 1e-3 / 7.0;
    scene.output.every = 0;
    scene.output.rate = 1.0 / 3.0;
    return scene;
}

static void write_scene(const char *path, const icf_scene *scene, body_table *table)
{
    icf_context context = local_context();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    icf_scene_write_begin(file, scene);
    for (int i = 0; i < table->n; ++i) icf_scene_write_body(file, scene, &table->def[i]);
    assert_int_equal(icf_scene_write_end(&context, file, scene, name_in_table, table), ICF_OK);
    fclose(file);
}

static void reader_gets_every_bit_back(void **state)
{
    (void)state;
    icf_context context = local_context();
    icf_scene written = scene_for_round_trip(), read;
    body_table *table = random_bodies(), *copy = calloc(1, sizeof *copy);
    char path[] = "/tmp/icf-test-writer-XXXXXX";
    close(mkstemp(path));
    write_scene(path, &written, table);
    const icf_status status = icf_scene_read(&context, path, 0, NULL, &read, keep_bodies, copy);
    if (status != ICF_OK) print_error("%s\n", context.message);
    assert_int_equal(status, ICF_OK);
    expect_same_settings(&written, &read);
    assert_int_equal(read.nmaterial, 2);
    for (int i = 0; i < 2; ++i) expect_same_material(&written.material[i], &read.material[i]);
    assert_int_equal(read.npair, 1);
    assert_int_equal(read.pair[0].values.given, ICF_MATERIAL_FRICTION);
    ASSERT_SAME(written.pair[0].values.friction, read.pair[0].values.friction);
    expect_same_forces(&written, &read);
    assert_int_equal(copy->n, table->n);
    for (int i = 0; i < table->n; ++i) expect_same_body(&table->def[i], &copy->def[i]);
    unlink(path);
    free(table);
    free(copy);
    icf_scene_clear(&written);
    icf_scene_clear(&read);
}

static void add_emitter(icf_scene *scene, const icf_template *item)
{
    const icf_region region = {ICF_REGION_CYLINDER, {0.1, 1.0 / 3.0, -1e-5}, {1.0 / 7.0, 1.0 / 7.0, 0.1}};
    icf_population emitter = icf_population_emitter(1000, &region, 1.0 / 3.0);
    emitter.start = 1.0 / 7.0;
    emitter.gap = 0.1 / 7.0;
    emitter.linear_spread = 0.3;
    assert_int_equal(icf_scene_add_population(scene, &emitter, 1, item), ICF_OK);
}

static void expect_same_emitter(const icf_population *a, const icf_population *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->region.kind, b->region.kind);
    ASSERT_SAME(a->region.center, b->region.center);
    ASSERT_SAME(a->region.half, b->region.half);
    ASSERT_SAME(a->rate, b->rate);
    ASSERT_SAME(a->start, b->start);
    ASSERT_SAME(a->gap, b->gap);
    ASSERT_SAME(a->linear_spread, b->linear_spread);
    assert_int_equal(a->n, b->n);
}

/* Two populations with free, partly locked and belted bodies of different shapes and odd numbers. */
static void add_populations(icf_scene *scene)
{
    static const int number[4] = {0, 5, 6, 10};
    body_table *table = random_bodies();
    icf_template templates[4];
    for (int i = 0; i < 4; ++i) templates[i] = (icf_template){.weight = 1.0 / (3.0 + i), .body = table->def[number[i]]};
    icf_population grid = icf_population_grid(3, 2, 3), columns = icf_population_columns(20, 3);
    grid.spacing = columns.spacing = (icf_vec3){1.0 / 3.0, 0.0, 1e-5 / 7.0};
    grid.origin = columns.origin = (icf_vec3){-0.1, 1e300, 0.7};
    grid.jitter = 0.1 / 3.0;
    grid.seed = UINT64_MAX;
    grid.turned = true;
    grid.linear = (icf_vec3){0.1, 0.0, -1.0 / 3.0};
    grid.angular_spread = 0.1 / 7.0;
    templates[0].size = (icf_size){.kind = ICF_SIZE_LIST, .min = 0.1, .max = 1.0 / 3.0, .n = 2, .total = 1.2};
    templates[0].size.value[0] = 1.0 / 3.0;
    templates[0].size.value[1] = templates[0].size.weight[0] = 0.1;
    templates[0].size.weight[1] = 1.1;
    templates[2].size = (icf_size){ICF_SIZE_LOG_NORMAL, 0.1, 1.0 / 3.0, 0.2, 1.0 / 7.0, .n = 0};
    templates[3].size = (icf_size){ICF_SIZE_NORMAL, 0.1, 1.0 / 3.0, 0.2, 1.0 / 7.0, .n = 0};
    assert_int_equal(icf_scene_add_population(scene, &grid, 3, templates), ICF_OK);
    assert_int_equal(icf_scene_add_population(scene, &columns, 2, templates + 2), ICF_OK);
    add_emitter(scene, &templates[2]);
    free(table);
}

static body_table *generated_bodies(const icf_scene *scene)
{
    body_table *table = calloc(1, sizeof *table);
    icf_context context = local_context();
    assert_int_equal(icf_populate_all(&context, scene, keep_bodies, table), ICF_OK);
    assert_int_equal(table->n, 18 + 20);
    return table;
}

static void reader_gets_populations_back(void **state)
{
    (void)state;
    icf_context context = local_context();
    icf_scene written = scene_with_material("soft"), read;
    body_table *first = calloc(1, sizeof *first);
    assert_int_equal(icf_scene_add_material(&written, "hard", &written.material[0], NULL), ICF_OK);
    written.time = (icf_time_settings){.step = 0.01, .steps = 1};
    written.nbody = 1;
    add_populations(&written);
    char path[] = "/tmp/icf-test-writer-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    icf_scene_write_begin(file, &written);
    uint64_t random = 1;
    const icf_body_def listed = random_body(0, &random);
    icf_scene_write_body(file, &written, &listed);
    icf_scene_write_populations(file, &written);
    assert_int_equal(icf_scene_write_end(&context, file, &written, NULL, NULL), ICF_OK);
    fclose(file);
    const icf_status status = icf_scene_read(&context, path, 0, NULL, &read, keep_bodies, first);
    if (status != ICF_OK) fail_msg("%s", context.message);
    unlink(path);
    assert_int_equal(first->n, 1);
    body_table *before = generated_bodies(&written), *after = generated_bodies(&read);
    for (int i = 0; i < before->n; ++i) expect_same_body(&before->def[i], &after->def[i]);
    expect_same_emitter(&written.population[2], &read.population[2]);
    free(first);
    free(before);
    free(after);
    icf_scene_clear(&written);
    icf_scene_clear(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_quoted_where_yaml_needs_it),
        cmocka_unit_test(numbers_have_the_fewest_digits_that_read_back),
        cmocka_unit_test(random_numbers_read_back_to_the_same_bits),
        cmocka_unit_test(dynamic_body_with_everything),
        cmocka_unit_test(fixed_and_prescribed_bodies),
        cmocka_unit_test(body_that_touches_nothing_has_no_material),
        cmocka_unit_test(settings_materials_and_pairs),
        cmocka_unit_test(forces_and_springs_of_named_bodies_only),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(part_of_the_bodies_becomes_a_scene),
        cmocka_unit_test(part_is_not_written_where_it_cannot_be),
        cmocka_unit_test(reader_gets_every_bit_back),
        cmocka_unit_test(reader_gets_populations_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
