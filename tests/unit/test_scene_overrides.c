/* Overrides of the command line: places of every form, what wins, and what is wrong with one. */
#include "read_scene.h"

/* Line 6 of the file has the body `ball`. */
static const char scene_text[] = "time: {step: 0.01, steps: 10}\n"
                                 "contact: {model: sap, pairs: [{materials: [steel, steel], friction: 0.1}]}\n"
                                 "materials:\n"
                                 "  steel: {friction: 0.25}\n"
                                 "bodies:\n"
                                 "  - {name: ball, shape: {type: sphere, radius: 1}, material: steel, mass: 1}\n"
                                 "  - name: wall.left\n"
                                 "    shape: {type: box, size: [1, 1, 1]}\n"
                                 "    material: steel\n"
                                 "    density: 1000\n"
                                 "  - {shape: {type: sphere, radius: 2}, material: steel, mass: 3}\n"
                                 "output: {every: 5}\n";

static read_scene *read_with(int n, const icf_override *overrides)
{
    return read_scene_text(scene_text, n, overrides);
}

static read_scene *read_good_with(int n, const icf_override *overrides)
{
    read_scene *read = read_with(n, overrides);
    if (read->status != ICF_OK) fail_msg("%s", read->context.message);
    return read;
}

static void keys_that_are_there_are_replaced(void **state)
{
    (void)state;
    const icf_override overrides[] = {{"contact.model", "similar"},
                                      {"time.steps", "7"},
                                      {"materials.steel.friction", "{principal: [0.5, 1], axis: [0, 1, 0]}"},
                                      {"bodies[0].mass", "4e-05"},
                                      {"contact.pairs[0].friction", "0.75"}};
    read_scene *read = read_good_with(5, overrides);
    assert_int_equal(read->scene.contact.model, ICF_MODEL_SIMILAR);
    assert_int_equal(read->scene.time.steps, 7);
    assert_true(read->scene.material[0].anisotropic && read->scene.material[0].friction[1] == 1.0);
    assert_true(read->body[0].mass == 4e-5);
    assert_true(read->scene.combined[0].friction[0] == 0.75);
    read_scene_free(read);
}

static void keys_and_sections_are_added(void **state)
{
    (void)state;
    const icf_override overrides[] = {{"contact.sigma", "0.125"},
                                      {"solver.max_iterations", "9"},
                                      {"gravity", "[0, 0, -1.62]"},
                                      {"bodies[2].position", "[1, 2, 3]"},
                                      {"bodies[2].motion", "{type: harmonic, direction: [1, 0, 0], amplitude: 1, "
                                                           "frequency: 2}"},
                                      {"bodies[0].surface_velocity.velocity", "[1, 0, 0]"},
                                      {"forces", "[{body: ball, direction: [1, 0, 0], value: 2}]"}};
    read_scene *read = read_good_with(7, overrides);
    assert_true(read->scene.contact.sigma == 0.125);
    assert_int_equal(read->scene.contact.model, ICF_MODEL_SAP);
    assert_int_equal(read->scene.solver.max_iterations, 9);
    assert_true(read->scene.gravity.z == -1.62);
    assert_true(read->body[2].position.y == 2.0);
    assert_int_equal(read->body[2].motion.type, ICF_MOTION_HARMONIC);
    assert_true(read->body[0].surface.moving);
    assert_int_equal(read->scene.nforce, 1);
    read_scene_free(read);
}

/* A name may hold a dot; made-up names are no names of the file. */
static void bodies_go_by_their_names(void **state)
{
    (void)state;
    const icf_override overrides[] = {{"bodies.wall.left.shape.size", "[2, 2, 2]"}, {"bodies.ball.mass", "8"},
                                      {"bodies.ball.shape.radius", "0.5"},          {"bodies[1].position[1]", "6"},
                                      {"bodies[1].position", "[1, 2, 3]"},          {"bodies[1].position[2]", "7"}};
    read_scene *read = read_good_with(6, overrides);
    assert_true(read->body[1].mass == 8000.0); /* 1000 kg/m^3 (2 m)^3 */
    assert_true(read->body[0].mass == 8.0 && read->body[0].shape.radius == 0.5);
    /* what replaces a whole value undoes earlier changes inside of it, not later ones */
    assert_true(read->body[1].position.y == 2.0 && read->body[1].position.z == 7.0);
    read_scene_free(read);
}

static void whole_bodies_and_sections_are_replaced(void **state)
{
    (void)state;
    const icf_override overrides[] = {
        {"bodies.ball", "{shape: {type: none}, mass: 1, inertia: [1, 1, 1]}"},
        {"time", "{step: 0.5, steps: 2}"},
        {"time.step", "0.25"},
        {"bodies[2]", "{name: two, shape: {type: sphere, radius: 4}, material: steel, mass: 5}"}};
    read_scene *read = read_good_with(4, overrides);
    assert_int_equal(read->body[0].shape.type, ICF_SHAPE_NONE);
    assert_null(read->body[0].name);
    assert_true(read->scene.time.step == 0.25);
    assert_int_equal(read->scene.time.steps, 2);
    assert_string_equal(read->body[2].name, "two");
    read_scene_free(read);
}

static void the_last_of_two_wins(void **state)
{
    (void)state;
    const icf_override overrides[] = {
        {"time.steps", "1"}, {"time.steps", "2"}, {"solver.linear", "block"}, {"solver.linear", "mumps"}};
    read_scene *read = read_good_with(4, overrides);
    assert_int_equal(read->scene.time.steps, 2);
    assert_int_equal(read->scene.solver.linear, ICF_LINEAR_MUMPS);
    read_scene_free(read);
}

/* Of two keys that exclude each other, the one of the command line replaces the one of the file. */
static void alternatives_replace_each_other(void **state)
{
    (void)state;
    const icf_override overrides[] = {
        {"time.duration", "0.5"}, {"output.rate", "20"}, {"bodies[0].density", "1"}, {"bodies[1].mass", "2"}};
    read_scene *read = read_good_with(4, overrides);
    assert_int_equal(read->scene.time.steps, 50);
    assert_true(read->scene.output.rate == 20.0 && read->scene.output.every == 0);
    assert_true(read->body[0].mass > 4.18 && read->body[0].mass < 4.19); /* 4/3 pi */
    assert_true(read->body[1].mass == 2.0);
    read_scene_free(read);
}

/* Every message begins with the override it is about; nothing else is reported. */
static void wrong_overrides_are_reported(void **state)
{
    (void)state;
    static const struct {
        icf_override override;
        const char *message;
    } cases[] = {
        {{"bodies[0].mass", "-1"}, "--set bodies[0].mass=-1: must be > 0 kg, got -1"},
        {{"bodies.ball.mass", "-1"}, "--set bodies.ball.mass=-1: bodies[0].mass: must be > 0 kg, got -1"},
        {{"contact.modle", "sap"}, "--set contact.modle=sap: unknown key; did you mean \"model\"?"},
        {{"solvr.linear", "pcg"}, "--set solvr.linear=pcg: solvr: unknown key; did you mean \"solver\"?"},
        {{"bodies[3].mass", "1"}, "--set bodies[3].mass=1: bodies has no such element"},
        {{"bodies.bal.mass", "1"}, "--set bodies.bal.mass=1: bodies has no such element"},
        {{"bodies[x].mass", "1"}, "--set bodies[x].mass=1: bodies has no such element"},
        {{"bodies[0]mass", "1"}, "--set bodies[0]mass=1: bodies has no such element"},
        {{"contact.pairs[1].friction", "1"}, "--set contact.pairs[1].friction=1: contact.pairs has no such element"},
        {{"contact[0]", "1"}, "--set contact[0]=1: contact is not a list"},
        {{"[0]", "1"}, "--set [0]=1: the scene is not a list"},
        {{"time.step.x", "1"}, "--set time.step.x=1: time.step has no keys or elements"},
        {{"materials.stel.friction", "1"},
         "--set materials.stel.friction=1: materials.stel: the file has no such material, and no body is made of it"},
        {{"time.step", "[1, 2"},
         "--set time.step=[1, 2: YAML syntax: did not find expected ',' or ']' while parsing a flow sequence"},
        {{"time.step", ""}, "--set time.step=: must be a number, got nothing"},
        {{"contact.sigma", "a\xff"},
         "--set contact.sigma=a\xff: the file is not UTF-8 text: invalid leading UTF-8 octet"},
        {{"parallel.rebalance", "often"},
         "--set parallel.rebalance=often: must be auto, never or a number of steps, got \"often\""},
        {{"vertex_forces", "1"}, "--set vertex_forces=1: must be a list, got the number 1"},
        {{"time.steps", "&a 1"}, "--set time.steps=&a 1: anchors are not supported, got \"a\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        read_scene *read = read_with(1, &cases[i].override);
        assert_int_equal(read->status, ICF_ERROR_SCENE);
        assert_string_equal(read->context.message, cases[i].message);
        read_scene_free(read);
    }
}

/* Errors of overrides come first, in their order; then those of the file. */
static void all_errors_are_reported_together(void **state)
{
    (void)state;
    const icf_override overrides[] = {{"output.surfaces", "-1"}, {"time.step", "0"}, {"bodies[0].material", "wood"}};
    read_scene *read = read_scene_text("time: {step: 1, steps: x}\n"
                                       "bodies: [{shape: {type: sphere, radius: 1}, material: steel, mass: 1}]\n",
                                       3, overrides);
    assert_string_equal(read->context.message, "--set output.surfaces=-1: must be >= 0 bodies, got -1\n"
                                               "--set time.step=0: must be > 0 s, got 0\n"
                                               "--set bodies[0].material=wood: no material is named \"wood\"\n"
                                               "scene.yaml:1:24: time.steps: must be a number, got \"x\"");
    read_scene_free(read);
}

/* A scene without a file of its own: everything comes from overrides. */
static void an_almost_empty_scene_can_be_filled(void **state)
{
    (void)state;
    const icf_override overrides[] = {{"time.step", "1"}, {"time.steps", "2"}, {"bodies", "[]"}};
    read_scene *read = read_scene_text("{}\n", 3, overrides);
    assert_int_equal(read->status, ICF_OK);
    assert_int_equal(read->scene.time.steps, 2);
    read_scene_free(read);
    read_scene *empty = read_scene_text("", 3, overrides);
    assert_int_equal(empty->status, ICF_ERROR_SCENE);
    read_scene_free(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_there_are_replaced),
        cmocka_unit_test(keys_and_sections_are_added),
        cmocka_unit_test(bodies_go_by_their_names),
        cmocka_unit_test(whole_bodies_and_sections_are_replaced),
        cmocka_unit_test(the_last_of_two_wins),
        cmocka_unit_test(alternatives_replace_each_other),
        cmocka_unit_test(wrong_overrides_are_reported),
        cmocka_unit_test(all_errors_are_reported_together),
        cmocka_unit_test(an_almost_empty_scene_can_be_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
