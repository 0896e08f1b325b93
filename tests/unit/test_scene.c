/* Scene: defaults, appending, tables of combined values, which steps are frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "check.h"
#include "scene/scene.h"

static void start(icf_scene *scene)
{
    assert_int_equal(icf_scene_init(scene), ICF_OK);
}

static void defaults_are_those_of_the_scene_file(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    assert_non_null(scene.name);
    assert_string_equal(scene.output.directory, "out");
    assert_true(scene.gravity.x == 0.0 && scene.gravity.y == 0.0 && scene.gravity.z == -9.81);
    assert_int_equal(scene.contact.model, ICF_MODEL_LAGGED);
    assert_true(scene.contact.regularized && scene.contact.auto_distance);
    assert_true(scene.contact.stiction_tolerance == 1e-4 && scene.contact.sigma == 1e-3);
    assert_true(scene.contact.near_rigid == 1.0);
    assert_true(scene.solver.relative_tolerance == 1e-5 && scene.solver.absolute_tolerance == 1e-16);
    assert_int_equal(scene.solver.max_iterations, 500);
    assert_int_equal(scene.solver.linear, ICF_LINEAR_AUTO);
    assert_true(scene.output.every == 10 && scene.output.checkpoint_every == 1000 && scene.output.surfaces == 20000);
    icf_scene_clear(&scene);
    icf_scene_clear(&scene); /* a cleared scene is accepted */
}

static int32_t add_material(icf_scene *scene, const char *name, icf_normal_law law, double stiffness)
{
    icf_material material = icf_material_default();
    int32_t index;
    material.normal = law;
    material.stiffness = stiffness;
    assert_int_equal(icf_scene_add_material(scene, name, &material, &index), ICF_OK);
    return index;
}

static void materials_are_copied_with_their_names(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    for (int i = 0; i < 100; ++i) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        assert_int_equal(add_material(&scene, name, ICF_NORMAL_LINEAR, 1.0 + i), i);
    }
    assert_int_equal(scene.nmaterial, 100);
    assert_string_equal(scene.material_name[73], "m73");
    assert_true(scene.material[73].stiffness == 74.0);
    icf_scene_clear(&scene);
}

/* 1e6 and 3e6 N/m give 7.5e5 and weights 3/4, 1/4; linear with Hertz has no rule. */
static void tables_hold_every_pair(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    const int32_t a = add_material(&scene, "a", ICF_NORMAL_LINEAR, 1e6);
    const int32_t b = add_material(&scene, "b", ICF_NORMAL_LINEAR, 3e6);
    const int32_t h = add_material(&scene, "h", ICF_NORMAL_HERTZ, 1e6);
    assert_int_equal(icf_scene_combine(&scene), ICF_OK);
    assert_near(scene.combined[3 * a + b].stiffness, 7.5e5, 1e-9);
    assert_near(scene.combined[3 * b + a].stiffness, 7.5e5, 1e-9);
    assert_near(scene.combined[3 * a + a].stiffness, 5e5, 1e-9);
    assert_near(scene.witness_weight[3 * a + b], 0.75, 1e-16);
    assert_near(scene.witness_weight[3 * b + a], 0.25, 1e-16);
    assert_true(isnan(scene.combined[3 * a + h].stiffness));
    assert_true(isnan(scene.combined[3 * h + b].stiffness));
    icf_scene_clear(&scene);
}

/* Pairs given in any order of their materials enter both entries; witness weights stay the materials'. */
static void pairs_replace_the_rule(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    const int32_t a = add_material(&scene, "a", ICF_NORMAL_LINEAR, 1e6);
    const int32_t h = add_material(&scene, "h", ICF_NORMAL_HERTZ, 3e6);
    icf_material values = {.given = ICF_MATERIAL_NORMAL | ICF_MATERIAL_STIFFNESS, .normal = ICF_NORMAL_HERTZ};
    values.stiffness = 42.0;
    assert_int_equal(icf_scene_add_pair(&scene, h, a, &values), ICF_OK);
    values.given = ICF_MATERIAL_FRICTION;
    values.friction[0] = values.friction[1] = 0.9;
    assert_int_equal(icf_scene_add_pair(&scene, a, a, &values), ICF_OK);
    assert_int_equal(icf_scene_combine(&scene), ICF_OK);
    for (int order = 0; order < 2; ++order) {
        const icf_material *c = &scene.combined[order ? 2 * a + h : 2 * h + a];
        assert_int_equal(c->normal, ICF_NORMAL_HERTZ);
        assert_true(c->stiffness == 42.0);
    }
    assert_true(scene.combined[2 * a + a].friction[0] == 0.9);
    assert_near(scene.witness_weight[2 * a + h], 0.75, 1e-16);
    assert_true(icf_scene_find_pair(&scene, a, h) == icf_scene_find_pair(&scene, h, a));
    assert_true(icf_scene_find_pair(&scene, a, h)->stiffness == 42.0);
    assert_null(icf_scene_find_pair(&scene, h, h));
    icf_scene_clear(&scene);
}

static void forces_and_springs_are_appended(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    for (icf_gid i = 0; i < 40; ++i) {
        assert_int_equal(icf_scene_add_force(&scene, &(icf_force){.body = 5 * i, .value = 2.0}), ICF_OK);
        assert_int_equal(icf_scene_add_spring(&scene, &(icf_spring){.body = 7 * i, .stiffness = 3.0}), ICF_OK);
    }
    assert_int_equal(scene.nforce, 40);
    assert_int_equal(scene.nspring, 40);
    assert_int_equal(scene.force[39].body, 195);
    assert_int_equal(scene.spring[39].body, 273);
    icf_scene_clear(&scene);
}

static void frames_every_some_steps(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    scene.time = (icf_time_settings){.step = 0.01, .steps = 25};
    scene.output.every = 10;
    for (icf_cnt step = 0; step <= 25; ++step)
        assert_int_equal(icf_scene_is_frame(&scene, step), step == 0 || step == 10 || step == 20 || step == 25);
    icf_scene_clear(&scene);
}

/* 30 frames a second at dt = 0.01: frame k is the first step at or after k/30 s, 31 of them in 1 s;
 * more frames than steps: all steps. */
static void frames_at_a_rate(void **state)
{
    (void)state;
    icf_scene scene;
    start(&scene);
    scene.time = (icf_time_settings){.step = 0.01, .steps = 100};
    scene.output.every = 0;
    scene.output.rate = 30.0;
    int frames = 0;
    for (icf_cnt step = 0; step <= 100; ++step) frames += icf_scene_is_frame(&scene, step);
    assert_int_equal(frames, 31);
    assert_true(icf_scene_is_frame(&scene, 4) && icf_scene_is_frame(&scene, 7) && icf_scene_is_frame(&scene, 10));
    assert_false(icf_scene_is_frame(&scene, 5));
    scene.output.rate = 50.0; /* every second step, though 0.01 50 k is not exact */
    for (icf_cnt step = 0; step <= 100; ++step) assert_int_equal(icf_scene_is_frame(&scene, step), step % 2 == 0);
    scene.output.rate = 1e4;
    for (icf_cnt step = 0; step <= 100; ++step) assert_true(icf_scene_is_frame(&scene, step));
    icf_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_scene_file),
        cmocka_unit_test(materials_are_copied_with_their_names),
        cmocka_unit_test(tables_hold_every_pair),
        cmocka_unit_test(pairs_replace_the_rule),
        cmocka_unit_test(forces_and_springs_are_appended),
        cmocka_unit_test(frames_every_some_steps),
        cmocka_unit_test(frames_at_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
