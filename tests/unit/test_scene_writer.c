/* Scene writer: text of each part by hand, numbers to the last bit, quoting, broken streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/scene_writer.h"

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
        icf_scene_write_text(memory.file, cases[i][0]);
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
    scene.time = (icf_time_settings){.step = 0.002, .steps = 1500};
    scene.contact.model = ICF_MODEL_SAP;
    scene.contact.auto_distance = false;
    scene.contact.distance = 0.5;
    scene.solver.linear = ICF_LINEAR_MUMPS;
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
