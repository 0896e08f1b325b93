/* Cylinders, ellipsoids, hulls and compounds through the program: what check says of them, restart on any number of
 * ranks, poses in the user's frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define OBJECTS ICF_SOURCE_DIR "/tests/ranks/objects.scene.yaml"
#define GEM     ICF_SOURCE_DIR "/tests/ranks/gem.obj"

static void check_describes_hulls(void **state)
{
    (void)state;
    outcome check = RUN("check", OBJECTS, "--no-overlaps");
    expect_success(&check);
    assert_non_null(strstr(check.out, "25 % cylinder, 25 % ellipsoid, 25 % convex, 25 % compound"));
    assert_non_null(strstr(check.out, "hull       " GEM ": 13 vertices, "));
    outcome_clear(&check);
}

/* A field of 64 x 64 heights and a scene of which it is the only body. */
static void write_plain(void)
{
    FILE *file = fopen("plain.txt", "w");
    assert_non_null(file);
    for (int i = 0; i < 64 * 64; ++i) fputs(i % 64 == 63 ? "0\n" : "0 ", file);
    fclose(file);
    write_text("plain.yaml",
               "time: {step: 0.01, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
               "- {shape: {type: height_field, heights: plain.txt, spacing: 0.1}, material: m, motion: fixed}\n");
}

/* The tree of a surface takes its memory once, whether overlaps are looked for or not. */
static void check_counts_surfaces_once(void **state)
{
    (void)state;
    write_plain();
    outcome without = RUN("check", "plain.yaml", "--no-overlaps"), with = RUN("check", "plain.yaml");
    expect_success(&without);
    expect_success(&with);
    const char *expected = strstr(without.out, "surface "), *surfaces = strstr(with.out, "surface ");
    assert_non_null(expected);
    assert_non_null(strstr(expected, "MB on each rank\n"));
    assert_string_equal(surfaces, expected);
    outcome_clear(&without);
    outcome_clear(&with);
}

static void write_memory_scene(const char *shape)
{
    char text[400];
    snprintf(text, sizeof text,
             "time: {step: 0.01, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
             "- {shape: %s, material: m, motion: fixed}\n",
             shape);
    write_text("memory.yaml", text);
}

/* Number behind a word that begins a line of what a command says; ends the outcome. */
static double number_behind(outcome *result, const char *word)
{
    double number;
    expect_success(result);
    const char *line = strstr(result->out, word);
    assert_non_null(line);
    assert_int_equal(sscanf(line + strlen(word), "%lf", &number), 1);
    outcome_clear(result);
    return number;
}

/* The estimate of `icf check` for a scene of one fixed body [MB]. */
static double memory_with(const char *shape)
{
    write_memory_scene(shape);
    outcome check = RUN("check", "memory.yaml", "--no-overlaps");
    return number_behind(&check, "\nmemory     about ");
}

/* That of `icf plan` for the largest of two ranks. */
static double planned_memory_with(const char *shape)
{
    write_memory_scene(shape);
    outcome plan = RUN("plan", "memory.yaml", "--ranks", "2");
    return number_behind(&plan, "\nmemory ");
}

/* The estimates have surfaces (7938 triangles of 140 bytes and more), hulls (13 vertices, 22 faces) and compounds in
 * them. */
static void memory_counts_what_shapes_refer_to(void **state)
{
    (void)state;
    write_plain();
    const char *const field = "{type: height_field, heights: plain.txt, spacing: 0.1}";
    const double sphere = memory_with("{type: sphere, radius: 1}");
    assert_true(memory_with(field) > sphere + 1.11);
    assert_true(memory_with("{type: convex, mesh: " GEM "}") > sphere + 1e-3);
    assert_true(memory_with("{type: compound, parts: [{shape: {type: sphere, radius: 1}}, "
                            "{shape: {type: sphere, radius: 1}, position: [1, 0, 0]}]}") > sphere);
    assert_true(planned_memory_with(field) > planned_memory_with("{type: sphere, radius: 1}") + 1.0);
}

static void restart_on_other_ranks_goes_on_alike(void **state)
{
    (void)state;
    char whole[64], rest[64];
    run_on_ranks(1, OBJECTS, "--steps 60", "whole");
    read_checksum("whole", whole);
    run_on_ranks(2, OBJECTS, "--steps 31", "half");
    run_on_ranks(3, OBJECTS, "--steps 60 --restart half/checkpoint-31.h5", "half");
    read_checksum("half", rest);
    assert_string_equal(rest, whole);
}

/* A hull that spins freely about the vertical through its centre of mass, 0.02 m from its origin: the trace has the
 * origin, which circles at that radius. */
static void results_are_those_of_the_users_frame(void **state)
{
    (void)state;
    write_text("spin.yaml", "gravity: [0, 0, 0]\ntime: {step: 0.001, steps: 500}\nmaterials: {m: {}}\nbodies:\n"
                            "- {shape: {type: convex, mesh: " GEM "}, material: m, density: 1000,\n"
                            "   linear_velocity: [0, -0.04, 0], angular_velocity: [0, 0, 2]}\n");
    outcome run = RUN("run", "spin.yaml", "--trace", "spin.jsonl", "--every", "500", "--quiet", "--output", "spin");
    expect_success(&run);
    outcome_clear(&run);
    char *trace = read_text("spin.jsonl");
    double x, y, z, w, qx, qy, qz, vx, vy;
    const char *position = strstr(trace, "\"position\": [");
    assert_non_null(position);
    assert_int_equal(sscanf(position,
                            "\"position\": [%lf,%lf,%lf], \"orientation\": [%lf,%lf,%lf,%lf], "
                            "\"linear_velocity\": [%lf,%lf",
                            &x, &y, &z, &w, &qx, &qy, &qz, &vx, &vy),
                     9);
    // one radian later: centre (0.02, 0), the origin at 0.02 from it; symplectic steps of the pose are second order
    assert_true(fabs(x - (0.02 - 0.02 * cos(1.0))) < 1e-7 && fabs(y + 0.02 * sin(1.0)) < 1e-7 && fabs(z) < 1e-9);
    assert_true(fabs(w - cos(0.5)) < 1e-6 && fabs(qz - sin(0.5)) < 1e-6 && fabs(qx) < 1e-9 && fabs(qy) < 1e-9);
    assert_true(fabs(vx - 0.04 * sin(1.0)) < 1e-6 && fabs(vy + 0.04 * cos(1.0)) < 1e-6);
    free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_describes_hulls),
        cmocka_unit_test(check_counts_surfaces_once),
        cmocka_unit_test(memory_counts_what_shapes_refer_to),
        cmocka_unit_test(restart_on_other_ranks_goes_on_alike),
        cmocka_unit_test(results_are_those_of_the_users_frame),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
