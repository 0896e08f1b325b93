/* Scene reader: every section and value, defaults, order of sections, JSON, the reference scenes. */
#include "read_scene.h"

#include <dirent.h>
#include <locale.h>
#include <math.h>

#include "check.h"
#include "io/scene_writer.h"

/* A scene with nothing but what is required, and a body to fill in. */
#define TIME   "time: {step: 0.01, steps: 10}\n"
#define STEEL  "materials: {steel: {}}\n"
#define SPHERE "shape: {type: sphere, radius: 0.1}, material: steel, mass: 2"

static void assert_vec3(icf_vec3 v, double x, double y, double z)
{
    if (v.x != x || v.y != y || v.z != z) /* to the last bit */
        fail_msg("[%.17g, %.17g, %.17g], expected [%.17g, %.17g, %.17g]", v.x, v.y, v.z, x, y, z);
}

/* The body of a scene that consists of the given mapping. */
static icf_body_def read_body(const char *mapping)
{
    char text[1000];
    snprintf(text, sizeof text, TIME STEEL "bodies:\n  - %s\n", mapping);
    read_scene *read = read_scene_good(text);
    assert_int_equal(read->nbody, 1);
    icf_body_def body = read->body[0];
    body.name = NULL;
    read_scene_free(read);
    return body;
}

/* Defaults as the documentation of the scene file states them. */
static void absent_settings_have_their_defaults(void **state)
{
    (void)state;
    read_scene *read = read_scene_good(TIME "bodies: []\n");
    const icf_scene *scene = &read->scene;
    assert_vec3(scene->gravity, 0, 0, -9.81);
    assert_true(scene->time.step == 0.01);
    assert_int_equal(scene->time.steps, 10);
    assert_int_equal(scene->contact.model, ICF_MODEL_LAGGED);
    assert_true(scene->contact.regularized);
    assert_true(scene->contact.stiction_tolerance == 1e-4);
    assert_true(scene->contact.sigma == 1e-3);
    assert_true(scene->contact.near_rigid == 1.0);
    assert_true(scene->contact.auto_distance);
    assert_true(scene->solver.relative_tolerance == 1e-5);
    assert_true(scene->solver.absolute_tolerance == 1e-16);
    assert_int_equal(scene->solver.max_iterations, 500);
    assert_int_equal(scene->solver.linear, ICF_LINEAR_AUTO);
    assert_string_equal(scene->output.directory, "out");
    assert_int_equal(scene->output.every, 10);
    assert_true(scene->output.rate == 0.0);
    assert_int_equal(scene->output.checkpoint_every, 1000);
    assert_int_equal(scene->output.surfaces, 20000);
    assert_int_equal(scene->nbody, 0);
    read_scene_free(read);
}

static void settings_are_taken(void **state)
{
    (void)state;
    read_scene *read =
        read_scene_good("name: test scene\n"
                        "gravity: [1, -2.5, 0x10]\n"
                        "time: {step: 4e-05, duration: 0.1, integrator: symplectic_euler}\n"
                        "contact: {model: similar, regularized: false, stiction_tolerance: 1e-3,\n"
                        "          sigma: 0.5, near_rigid: 0, distance: 0.25}\n"
                        "solver: {relative_tolerance: 1e-12, absolute_tolerance: 0,\n"
                        "         max_iterations: 7, linear: mumps, parts: false, condition: true}\n"
                        "bodies: []\n"
                        "output: {directory: here/out, rate: 60.5, checkpoint_every: 0, surfaces: 1e3}\n");
    const icf_scene *scene = &read->scene;
    assert_string_equal(scene->name, "test scene");
    assert_vec3(scene->gravity, 1, -2.5, 16);
    assert_true(scene->time.step == 4e-5);
    assert_int_equal(scene->time.steps, 2500); /* 0.1 s / 4e-5 s */
    assert_int_equal(scene->contact.model, ICF_MODEL_SIMILAR);
    assert_false(scene->contact.regularized);
    assert_true(scene->contact.stiction_tolerance == 1e-3);
    assert_true(scene->contact.sigma == 0.5);
    assert_true(scene->contact.near_rigid == 0.0);
    assert_false(scene->contact.auto_distance);
    assert_true(scene->contact.distance == 0.25);
    assert_true(scene->solver.relative_tolerance == 1e-12);
    assert_true(scene->solver.absolute_tolerance == 0.0);
    assert_int_equal(scene->solver.max_iterations, 7);
    assert_false(scene->solver.parts);
    assert_true(scene->solver.condition);
    assert_int_equal(scene->solver.linear, ICF_LINEAR_MUMPS);
    assert_string_equal(scene->output.directory, "here/out");
    assert_int_equal(scene->output.every, 0);
    assert_true(scene->output.rate == 60.5);
    assert_int_equal(scene->output.checkpoint_every, 0);
    assert_int_equal(scene->output.surfaces, 1000);
    read_scene_free(read);
}

/* steps = round(duration/step), also where the quotient is not exact: 3/0.002, 0.3/0.1 = 2.9999999999999996 */
static void duration_is_rounded_to_steps(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        int steps;
    } cases[] = {{"{step: 0.002, duration: 3.0}", 1500},
                 {"{step: 0.1, duration: 0.3}", 3},
                 {"{step: 0.1, duration: 0.16}", 2},
                 {"{step: 0.1, duration: 0}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[200];
        snprintf(text, sizeof text, "time: %s\nbodies: []\n", cases[i].time);
        read_scene *read = read_scene_good(text);
        assert_int_equal(read->scene.time.steps, cases[i].steps);
        read_scene_free(read);
    }
}

static void materials_are_taken(void **state)
{
    (void)state;
    read_scene *read =
        read_scene_good(TIME "contact: {distance: 0.1}\n"
                             "materials:\n"
                             "  plain: {}\n"
                             "  12: {normal: hertz, stiffness: 1e9, dissipation: 2, relaxation_time: 0, friction: 0}\n"
                             "  hard: {stiffness: .inf}\n"
                             "  json: {stiffness: \"inf\"}\n"
                             "  log: {normal: log_barrier, stiffness: 1}\n"
                             "  ipc: {normal: ipc_barrier, barrier_distance: 1e-3}\n"
                             "  grooved: {friction: {principal: [0.6, 0.3], axis: [0, 3, 4]}}\n"
                             "bodies: []\n");
    const icf_material *material = read->scene.material;
    const icf_material *plain = &material[read_scene_material(read, "plain")];
    assert_int_equal(plain->given, 0);
    assert_int_equal(plain->normal, ICF_NORMAL_LINEAR);
    assert_true(plain->stiffness == 1e6 && plain->dissipation == 10.0 && plain->relaxation_time == 0.01);
    assert_true(plain->friction[0] == 0.5 && plain->friction[1] == 0.5 && !plain->anisotropic);
    const icf_material *twelve = &material[read_scene_material(read, "12")];
    assert_int_equal(twelve->normal, ICF_NORMAL_HERTZ);
    assert_int_equal(twelve->given, ICF_MATERIAL_NORMAL | ICF_MATERIAL_STIFFNESS | ICF_MATERIAL_DISSIPATION |
                                        ICF_MATERIAL_RELAXATION_TIME | ICF_MATERIAL_FRICTION);
    assert_true(twelve->stiffness == 1e9 && twelve->dissipation == 2.0 && twelve->relaxation_time == 0.0);
    assert_true(twelve->friction[0] == 0.0 && twelve->friction[1] == 0.0);
    assert_true(isinf(material[read_scene_material(read, "hard")].stiffness));
    assert_true(isinf(material[read_scene_material(read, "json")].stiffness));
    assert_int_equal(material[read_scene_material(read, "log")].normal, ICF_NORMAL_LOG_BARRIER);
    assert_true(material[read_scene_material(read, "ipc")].barrier_distance == 1e-3);
    const icf_material *grooved = &material[read_scene_material(read, "grooved")];
    assert_true(grooved->anisotropic && grooved->friction[0] == 0.6 && grooved->friction[1] == 0.3);
    assert_near(grooved->axis.y, 0.6, 1e-15);
    assert_near(grooved->axis.z, 0.8, 1e-15);
    read_scene_free(read);
}

/* Combined: mu and k from the pair, the rest by the rules of combination. */
static void pairs_give_combined_values(void **state)
{
    (void)state;
    read_scene *read =
        read_scene_good(TIME "contact: {pairs: [{materials: [b, a], friction: 0.8, stiffness: 3e5}]}\n"
                             "materials: {a: {relaxation_time: 1}, b: {relaxation_time: 2}, c: {normal: hertz}}\n"
                             "bodies: []\n");
    const icf_scene *scene = &read->scene;
    const int a = read_scene_material(read, "a"), b = read_scene_material(read, "b"), n = scene->nmaterial;
    assert_int_equal(scene->npair, 1);
    assert_true(scene->pair[0].a <= scene->pair[0].b);
    assert_int_equal(scene->pair[0].values.given, ICF_MATERIAL_FRICTION | ICF_MATERIAL_STIFFNESS);
    const icf_material *combined = &scene->combined[a * n + b];
    assert_true(combined->stiffness == 3e5 && combined->friction[0] == 0.8 && combined->relaxation_time == 3.0);
    /* Hertz against linear has no rule; that is no error as long as no such bodies can touch */
    assert_true(isnan(scene->combined[a * n + read_scene_material(read, "c")].stiffness));
    read_scene_free(read);
}

static void bodies_have_their_defaults(void **state)
{
    (void)state;
    const icf_body_def body = read_body("{" SPHERE "}");
    assert_int_equal(body.gid, 0);
    assert_int_equal(body.shape.type, ICF_SHAPE_SPHERE);
    assert_true(body.shape.radius == 0.1 && body.mass == 2.0);
    assert_near(body.inertia.x, 0.4 * 2.0 * 0.01, 1e-17); /* 2/5 m r^2 */
    assert_vec3(body.position, 0, 0, 0);
    assert_true(body.orientation.w == 1.0 && body.orientation.x == 0.0);
    assert_vec3(body.linear_velocity, 0, 0, 0);
    assert_vec3(body.angular_velocity, 0, 0, 0);
    assert_int_equal(body.locked, 0);
    assert_int_equal(body.motion.type, ICF_MOTION_DYNAMIC);
    assert_false(body.surface.moving);
}

static void values_of_bodies_are_taken(void **state)
{
    (void)state;
    const icf_body_def body =
        read_body("{" SPHERE ", inertia: [1, 2, 2.5], position: [1, 2, 3], orientation: [0, 0, 1.005, 0],"
                  " linear_velocity: [4, 0, 5], angular_velocity: [0, 6, 0], free: [vx, vz, wy]}");
    assert_vec3(body.inertia, 1, 2, 2.5);
    assert_vec3(body.position, 1, 2, 3);
    assert_true(body.orientation.y == 1.0 && body.orientation.w == 0.0); /* normalised */
    assert_vec3(body.linear_velocity, 4, 0, 5);
    assert_vec3(body.angular_velocity, 0, 6, 0);
    assert_int_equal(body.locked, ICF_DOF_VY | ICF_DOF_WX | ICF_DOF_WZ);
}

static void shapes_are_taken(void **state)
{
    (void)state;
    const icf_body_def box = read_body("{shape: {type: box, size: [1, 2, 4]}, material: steel, density: 3}");
    assert_int_equal(box.shape.type, ICF_SHAPE_BOX);
    assert_vec3(box.shape.extent, 0.5, 1, 2);
    assert_true(box.mass == 24.0);
    assert_near(box.inertia.x, 24.0 / 12.0 * (4.0 + 16.0), 1e-13);
    const icf_body_def rod =
        read_body("{shape: {type: capsule, radius: 0, length: 3}, material: steel, mass: 1, inertia: [1, 1, 1e-9]}");
    assert_true(rod.shape.half == 1.5 && rod.shape.radius == 0.0);
    const icf_body_def none = read_body("{shape: {type: none}, mass: 1, inertia: [1, 1, 1]}");
    assert_int_equal(none.shape.type, ICF_SHAPE_NONE);
    assert_int_equal(none.material, -1);
    const icf_body_def floor =
        read_body("{shape: {type: half_space, normal: [0, 0, 2], offset: -1}, material: steel, motion: fixed}");
    assert_vec3(floor.shape.normal, 0, 0, 1);
    assert_true(floor.shape.offset == -1.0);
    assert_int_equal(floor.locked, ICF_DOF_ALL);
}

static void motions_are_taken(void **state)
{
    (void)state;
    const icf_body_def fixed = read_body("{" SPHERE ", motion: {type: fixed}, linear_velocity: [0, 0, 0]}");
    assert_int_equal(fixed.motion.type, ICF_MOTION_FIXED);
    assert_true(fixed.mass == 0.0);
    assert_vec3(fixed.inertia, 0, 0, 0);
    const icf_body_def shaker = read_body("{" SPHERE ", motion: {type: harmonic, direction: [0, 0, -5],"
                                          " amplitude: 0.25, frequency: 2, phase: 1.5}}");
    assert_int_equal(shaker.motion.type, ICF_MOTION_HARMONIC);
    assert_vec3(shaker.motion.harmonic.direction, 0, 0, -1);
    assert_true(shaker.motion.harmonic.amplitude == 0.25 && shaker.motion.harmonic.frequency == 2.0);
    assert_true(shaker.motion.harmonic.phase == 1.5);
    assert_int_equal(shaker.locked, ICF_DOF_ALL);
    const icf_body_def stave = read_body("{" SPHERE ", position: [1, 2, 3], motion: {type: velocity, linear: [4, 5, 6],"
                                         " angular: [7, 8, 9], center: [-1, -2, -3]}}");
    assert_int_equal(stave.motion.type, ICF_MOTION_VELOCITY);
    assert_vec3(stave.motion.steady.linear, 4, 5, 6);
    assert_vec3(stave.motion.steady.angular, 7, 8, 9);
    assert_vec3(stave.motion.steady.center, -1, -2, -3);
    assert_int_equal(stave.locked, ICF_DOF_ALL);
    const icf_body_def spinner =
        read_body("{motion: {type: velocity, angular: [0, 0, 1]}, " SPHERE ", position: [1, 2, 3]}");
    assert_vec3(spinner.motion.steady.linear, 0, 0, 0);
    assert_vec3(spinner.motion.steady.center, 1, 2, 3);
    const icf_body_def belt = read_body("{" SPHERE ", surface_velocity: {velocity: [1, 2, 3]}}");
    assert_true(belt.surface.moving && belt.surface.harmonic.amplitude == 0.0);
    assert_vec3(belt.surface.constant, 1, 2, 3);
    const icf_body_def conveyor =
        read_body("{" SPHERE ", surface_velocity: {direction: [2, 0, 0], amplitude: 0.2, frequency: 1}}");
    assert_vec3(conveyor.surface.constant, 0, 0, 0);
    assert_vec3(conveyor.surface.harmonic.direction, 1, 0, 0);
    assert_true(conveyor.surface.harmonic.amplitude == 0.2 && conveyor.surface.harmonic.phase == 0.0);
}

static void names_are_kept_or_made_up(void **state)
{
    (void)state;
    read_scene *read = read_scene_good(TIME STEEL "forces: [{body: body1, direction: [2, 0, 0], value: 3},\n"
                                                  "         {body: \"stra\xc3\x9f"
                                                  "e 1\", direction: [1, 0, 0], rate: -4}]\n"
                                                  "springs: [{body: body1, axis: [0, 1, 0], stiffness: 5}]\n"
                                                  "bodies:\n"
                                                  "  - {name: \"stra\xc3\x9f"
                                                  "e 1\", " SPHERE "}\n"
                                                  "  - {" SPHERE "}\n");
    assert_string_equal(read->body[0].name, "stra\xc3\x9f"
                                            "e 1");
    assert_null(read->body[1].name);
    const icf_scene *scene = &read->scene;
    assert_int_equal(scene->nforce, 2);
    assert_int_equal(scene->force[0].body, 1);
    assert_vec3(scene->force[0].direction, 1, 0, 0);
    assert_true(scene->force[0].value == 3.0 && scene->force[0].rate == 0.0);
    assert_int_equal(scene->force[1].body, 0);
    assert_true(scene->force[1].value == 0.0 && scene->force[1].rate == -4.0);
    assert_int_equal(scene->spring[0].body, 1);
    assert_true(scene->spring[0].stiffness == 5.0 && scene->spring[0].damping == 0.0);
    assert_true(scene->spring[0].rest == 0.0 && scene->spring[0].implicit);
    read_scene_free(read);
}

/* Pseudo-random numbers of all sizes, printed with 17 digits, come back to the last bit. */
static void numbers_keep_every_bit(void **state)
{
    (void)state;
    uint64_t random = 12345;
    for (int i = 0; i < 300; ++i) {
        double x[3];
        for (int j = 0; j < 3; ++j) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            x[j] = ldexp((double)(int64_t)random, (int)(random >> 40 & 511u) - 256);
        }
        char mapping[300];
        snprintf(mapping, sizeof mapping, "{" SPHERE ", position: [%.17g, %.17g, %.17g]}", x[0], x[1], x[2]);
        const icf_body_def body = read_body(mapping);
        assert_vec3(body.position, x[0], x[1], x[2]);
    }
}

/* Reading normalises; a direction or rotation that is normalised already must not drift when a scene is
 * written and read again. */
static void unit_vectors_keep_every_bit(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (int i = 0; i < 300; ++i) {
        double x[4];
        for (int j = 0; j < 4; ++j) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            x[j] = ldexp((double)(int64_t)random, -63);
        }
        const icf_quat q = icf_quat_unit((icf_quat){x[0], x[1], x[2], x[3]});
        const icf_vec3 d = icf_unit(icf_vec3_make(x[0], x[1], x[2]));
        char mapping[500];
        snprintf(mapping, sizeof mapping,
                 "{" SPHERE ", orientation: [%.17g, %.17g, %.17g, %.17g], motion: {type: harmonic, "
                 "direction: [%.17g, %.17g, %.17g], amplitude: 1, frequency: 1}}",
                 q.w, q.x, q.y, q.z, d.x, d.y, d.z);
        const icf_body_def body = read_body(mapping);
        assert_memory_equal(&body.orientation, &q, sizeof q);
        assert_vec3(body.motion.harmonic.direction, d.x, d.y, d.z);
    }
}

/* A direction keeps its meaning at any length. */
static void directions_of_any_length(void **state)
{
    (void)state;
    static const char *const lengths[] = {"1e-300", "1e-5", "7", "1e300"};
    for (int i = 0; i < 4; ++i) {
        char mapping[300];
        snprintf(mapping, sizeof mapping,
                 "{shape: {type: half_space, normal: [0, %s, 0]}, material: steel, motion: fixed}", lengths[i]);
        assert_vec3(read_body(mapping).shape.normal, 0, 1, 0);
    }
}

#define TWO_BODIES                                                                 \
    "bodies:\n"                                                                    \
    "  - {name: a, shape: {type: sphere, radius: 1}, material: rubber, mass: 1}\n" \
    "  - {name: b, shape: {type: sphere, radius: 1}, material: steel, mass: 1}\n"

/* The same scene with its sections in four orders: names are used before and after they are defined. */
static void sections_may_come_in_any_order(void **state)
{
    (void)state;
    static const char *const section[] = {
        "time: {step: 0.01, steps: 10}\n", "materials: {steel: {stiffness: 2}, rubber: {stiffness: 3}}\n",
        "contact: {pairs: [{materials: [rubber, steel], friction: 0.25}], model: sap}\n", TWO_BODIES,
        "forces: [{body: b, direction: [1, 0, 0], value: 1}]\n"};
    static const int order[][5] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 1, 0, 3}, {3, 0, 4, 2, 1}};
    for (int i = 0; i < 4; ++i) {
        char text[1000] = "";
        for (int j = 0; j < 5; ++j) strcat(text, section[order[i][j]]);
        read_scene *read = read_scene_good(text);
        const int steel = read_scene_material(read, "steel"), rubber = read_scene_material(read, "rubber");
        const icf_scene *scene = &read->scene;
        assert_int_equal(scene->nmaterial, 2);
        assert_true(scene->material[steel].stiffness == 2.0 && scene->material[rubber].stiffness == 3.0);
        assert_int_equal(read->body[0].material, rubber);
        assert_int_equal(read->body[1].material, steel);
        assert_true(scene->combined[steel * 2 + rubber].friction[0] == 0.25);
        assert_int_equal(scene->force[0].body, 1);
        assert_int_equal(scene->contact.model, ICF_MODEL_SAP);
        read_scene_free(read);
    }
}

/* Chunks: all bodies arrive by ascending id, with their own names. */
static void bodies_arrive_in_order(void **state)
{
    (void)state;
    const int n = 700;
    char *text = malloc(200 * (size_t)n);
    size_t used = (size_t)sprintf(text, TIME STEEL "bodies:\n");
    for (int i = 0; i < n; ++i)
        used += (size_t)sprintf(text + used, "  - {name: n%d, " SPHERE ", position: [%d, 0, 0]}\n", i, i);
    read_scene *read = read_scene_good(text);
    assert_int_equal(read->nbody, n);
    assert_int_equal(read->scene.nbody, n);
    for (int i = 0; i < n; ++i) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(read->body[i].gid, i);
        assert_string_equal(read->body[i].name, name);
        assert_true(read->body[i].position.x == i);
    }
    read_scene_free(read);
    free(text);
}

static icf_status refuse_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    (void)n;
    (void)bodies;
    return icf_fail(user, ICF_ERROR_MEMORY, "no room");
}

/* A status of the receiver comes back as it is. */
static void failure_of_the_receiver_ends_reading(void **state)
{
    (void)state;
    icf_context context = {.comm = MPI_COMM_NULL, .nthread = 1, .size = 1};
    icf_scene scene;
    const char *path = ICF_SOURCE_DIR "/tests/golden/box_rest_lagged.scene.json";
    assert_int_equal(icf_scene_read(&context, path, 0, NULL, &scene, refuse_bodies, &context), ICF_ERROR_MEMORY);
    assert_string_equal(context.message, "no room");
    icf_scene_clear(&scene);
}

/* Values of both kinds, defaults, and counts that do not depend on the order of the sections. */
static void populations_are_taken(void **state)
{
    (void)state;
    read_scene *read = read_scene_good(
        TIME STEEL "populations:\n"
                   "  - {kind: grid, count: [2, 3, 1e1], spacing: [0.5, 1, 0.25], origin: [1, 2, 3], jitter: 0.125,\n"
                   "     seed: 18446744073709551615, templates: [{weight: 2.5, body: {" SPHERE "}}, {body: {" SPHERE
                   ", orientation: [0, 1, 0, 0], linear_velocity: [1, 2, 3], free: [vx, vy, vz]}}]}\n"
                   "  - {kind: columns, bodies: 7, height: 3, spacing: [1, 1, 1], templates: [{body: {" SPHERE "}}]}\n"
                   "bodies: [{" SPHERE "}, {name: body1, " SPHERE "}]\n"
                   "forces: [{body: body0, direction: [1, 0, 0], value: 1}]\n");
    const icf_scene *scene = &read->scene;
    assert_int_equal(read->nbody, 2);
    assert_int_equal(read->body[1].gid, 1);
    assert_int_equal(scene->nbody, 2 + 60 + 7);
    assert_int_equal(scene->ngenerated, 67);
    assert_int_equal(scene->npopulation, 2);
    assert_int_equal(scene->ntemplate, 3);
    const icf_population *grid = &scene->population[0], *columns = &scene->population[1];
    assert_int_equal(grid->kind, ICF_POPULATION_GRID);
    assert_true(grid->n == 60 && grid->nx == 2 && grid->ny == 3 && grid->nz == 10);
    assert_vec3(grid->spacing, 0.5, 1, 0.25);
    assert_vec3(grid->origin, 1, 2, 3);
    assert_true(grid->jitter == 0.125 && grid->seed == UINT64_MAX && grid->weight == 3.5);
    assert_vec3(scene->population_template[1].body.linear_velocity, 1, 2, 3);
    assert_int_equal(scene->population_template[1].body.locked, ICF_DOF_WX | ICF_DOF_WY | ICF_DOF_WZ);
    assert_true(scene->population_template[0].weight == 2.5 && scene->population_template[1].weight == 1.0);
    assert_int_equal(columns->kind, ICF_POPULATION_COLUMNS);
    assert_true(columns->n == 7 && columns->nz == 3 && columns->nx == 3 && columns->ny == 1);
    assert_vec3(columns->origin, 0, 0, 0);
    assert_true(columns->jitter == 0.0 && columns->seed == 12345 && columns->first == 60);
    assert_true(columns->first_template == 2 && columns->ntemplate == 1);
    read_scene_free(read);
}

/* Keys of populations are set like all others. */
static void populations_are_overridden(void **state)
{
    (void)state;
    const icf_override overrides[] = {{"populations[0].bodies", "200"}, {"populations[0].templates[0].body.mass", "3"}};
    read_scene *read =
        read_scene_text(TIME STEEL "populations: [{kind: columns, bodies: 7, height: 3, spacing: [1, 1, 1], "
                                   "templates: [{body: {" SPHERE "}}]}]\n",
                        2, overrides);
    if (read->status != ICF_OK) fail_msg("%s", read->context.message);
    assert_int_equal(read->scene.nbody, 200);
    assert_true(read->scene.population_template[0].body.mass == 3.0);
    read_scene_free(read);
}

/* All reference scenes are read. */
static void reference_scenes_are_read(void **state)
{
    (void)state;
    DIR *directory = opendir(ICF_SOURCE_DIR "/tests/golden");
    assert_non_null(directory);
    int good = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".scene.json")) continue;
        char path[600];
        snprintf(path, sizeof path, ICF_SOURCE_DIR "/tests/golden/%s", entry->d_name);
        read_scene *read = read_scene_file(path, 0, NULL);
        if (read->status != ICF_OK) fail_msg("%s: %s", path, read->context.message);
        ++good;
        read_scene_free(read);
    }
    closedir(directory);
    assert_int_equal(good, 58);
}

/* Values of a JSON scene, from the file. */
static void json_is_read(void **state)
{
    (void)state;
    read_scene *read = read_scene_file(ICF_SOURCE_DIR "/tests/golden/conveyor_sap.scene.json", 0, NULL);
    assert_int_equal(read->status, ICF_OK);
    assert_string_equal(read->scene.name, "conveyor_sap");
    assert_int_equal(read->scene.contact.model, ICF_MODEL_SAP);
    assert_true(read->scene.contact.distance == 0.1);
    assert_true(read->scene.combined[0].friction[0] == 0.7);
    assert_true(read->body[0].surface.harmonic.phase == -1.5707963267948966);
    assert_vec3(read->body[1].position, 0, 0, 0.024999754750000002);
    read_scene_free(read);
}

/* Writing what was read and reading it again gives the same scene. */
static void written_scenes_are_read_back(void **state)
{
    (void)state;
    read_scene *first = read_scene_file(ICF_SOURCE_DIR "/tests/golden/ten_spheres_in_box_lagged.scene.json", 0, NULL);
    assert_int_equal(first->status, ICF_OK);
    char *text;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    icf_scene_write_begin(memory, &first->scene);
    for (int i = 0; i < first->nbody; ++i) icf_scene_write_body(memory, &first->scene, &first->body[i]);
    fclose(memory);
    read_scene *second = read_scene_good(text);
    assert_int_equal(second->nbody, first->nbody);
    for (int i = 0; i < first->nbody; ++i) {
        const icf_body_def *a = &first->body[i], *b = &second->body[i];
        assert_memory_equal(&a->position, &b->position, sizeof a->position);
        assert_memory_equal(&a->orientation, &b->orientation, sizeof a->orientation);
        assert_memory_equal(&a->linear_velocity, &b->linear_velocity, sizeof a->linear_velocity);
        assert_memory_equal(&a->inertia, &b->inertia, sizeof a->inertia);
        assert_true(a->mass == b->mass && a->shape.radius == b->shape.radius && a->locked == b->locked);
        assert_string_equal(a->name, b->name);
    }
    assert_true(second->scene.combined[0].stiffness == first->scene.combined[0].stiffness);
    assert_true(second->scene.time.step == first->scene.time.step);
    assert_int_equal(second->scene.time.steps, first->scene.time.steps);
    free(text);
    read_scene_free(first);
    read_scene_free(second);
}

/* The decimal point does not follow the user's language. */
static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    char *before = strdup(setlocale(LC_NUMERIC, NULL));
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (int i = 0; i < 4 && !found; ++i) found = setlocale(LC_NUMERIC, with_comma[i]) != NULL;
    const icf_body_def body = read_body("{" SPHERE ", position: [0.5, 1.25e-3, 0]}");
    assert_vec3(body.position, 0.5, 1.25e-3, 0);
    setlocale(LC_NUMERIC, before);
    free(before);
    if (!found) print_message("no locale with a decimal comma is installed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_settings_have_their_defaults),
        cmocka_unit_test(settings_are_taken),
        cmocka_unit_test(duration_is_rounded_to_steps),
        cmocka_unit_test(materials_are_taken),
        cmocka_unit_test(pairs_give_combined_values),
        cmocka_unit_test(bodies_have_their_defaults),
        cmocka_unit_test(values_of_bodies_are_taken),
        cmocka_unit_test(shapes_are_taken),
        cmocka_unit_test(motions_are_taken),
        cmocka_unit_test(names_are_kept_or_made_up),
        cmocka_unit_test(numbers_keep_every_bit),
        cmocka_unit_test(unit_vectors_keep_every_bit),
        cmocka_unit_test(directions_of_any_length),
        cmocka_unit_test(sections_may_come_in_any_order),
        cmocka_unit_test(bodies_arrive_in_order),
        cmocka_unit_test(failure_of_the_receiver_ends_reading),
        cmocka_unit_test(populations_are_taken),
        cmocka_unit_test(populations_are_overridden),
        cmocka_unit_test(reference_scenes_are_read),
        cmocka_unit_test(json_is_read),
        cmocka_unit_test(written_scenes_are_read_back),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
