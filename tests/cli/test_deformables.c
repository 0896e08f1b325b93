/* Runs with deformable bodies: checkpoints and restart on any number of ranks, meshes as check measures them, failures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* Bodies of every model, held, attached, in contact with each other and with rigid ones. */
#define SOFT ICF_SOURCE_DIR "/tests/ranks/soft.scene.yaml"

static void expect_checksum(const char *directory, const char *expected)
{
    char found[64];
    read_checksum(directory, found);
    assert_string_equal(found, expected);
}

/* Step 37 is in the middle of impacts: positions, velocities, supports that move and attachments go through the file.
 */
static void restart_on_any_number_of_ranks(void **state)
{
    (void)state;
    char whole[64], options[256], directory[64];
    run_on_ranks(1, SOFT, "--steps 80", "whole");
    read_checksum("whole", whole);
    for (int from = 1; from <= 3; from += 2) {
        snprintf(directory, sizeof directory, "half-%d", from);
        run_on_ranks(from, SOFT, "--steps 37", directory);
        for (int to = 1; to <= 4; ++to) {
            snprintf(options, sizeof options, "--steps 80 --restart half-%d/checkpoint-37.h5", from);
            snprintf(directory, sizeof directory, "rest-%d-%d", from, to);
            run_on_ranks(to, SOFT, options, directory);
            expect_checksum(directory, whole);
        }
    }
}

/* A plan counts their vertices, elements and free motions, and says so in JSON. */
static void plan_counts_them(void **state)
{
    (void)state;
    outcome run = run_words((const char *const[]){ICF_PROGRAM, "plan", SOFT, "--ranks", "2", "--json", NULL});
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\"vertices\": 206, \"tets\": 436, "));
    assert_non_null(strstr(run.out, "\"element\": "));
    outcome_clear(&run);
}

/* Mesh, dofs (27 vertices, 9 of them held) and warnings of a scene with a sliver and a ball that is too small. */
static void check_measures_meshes(void **state)
{
    (void)state;
    write_text("quality.yaml",
               "time: {step: 0.01, steps: 1}\n"
               "materials: {m: {stiffness_per_area: 1.0e+7}}\n"
               "bodies: [{shape: {type: sphere, radius: 0.01}, material: m, mass: 1, position: [0, 0, 5]}]\n"
               "deformables:\n"
               "  - {name: cube, mesh: {box: {size: [0.2, 0.2, 0.2], divisions: [2, 2, 2]}}, youngs_modulus: 1.0e+5,\n"
               "     poissons_ratio: 0.3, density: 1000, material: m, fixed: [{box: [[-1, -1, -1], [1, 1, -0.09]]}]}\n"
               "  - {name: chip, mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 0.01]],\n"
               "                        tets: [[0, 2, 1, 3]]}, youngs_modulus: 1, poissons_ratio: 0, density: 1}\n");
    outcome check = RUN("check", "quality.yaml");
    assert_int_equal(check.code, 0);
    static const char *const printed[] = {"bodies     3: 1 sphere, 2 deformable (31 vertices, ", "\ndofs       72\n",
                                          "\ndeformable cube: 27 vertices, 48 tetrahedra, ",
                                          "volume 0.008 m^3, mass 8 kg\n",
                                          "\ndeformable chip: 4 vertices, 1 tetrahedra"};
    for (size_t k = 0; k < sizeof printed / sizeof *printed; ++k) {
        if (!strstr(check.out, printed[k])) print_message("%s", check.out);
        assert_non_null(strstr(check.out, printed[k]));
    }
    static const char *const warned[] = {
        "\"cube\": contact points are up to 0.0707 m apart, a rigid body has a radius of 0.01 m",
        "\"chip\": 1 tetrahedra had negative volume and were turned",
        "\"chip\": 1 tetrahedra have an angle below 5 degrees"};
    for (size_t k = 0; k < sizeof warned / sizeof *warned; ++k) {
        if (!strstr(check.err, warned[k])) print_message("%s", check.err);
        assert_non_null(strstr(check.err, warned[k]));
    }
    assert_int_equal(count_of(check.err, "icf: warning"), 3);
    outcome_clear(&check);
}

/* A ball attached to a held and pushed cube that falls on the ground; one iteration is not enough. */
static const char failing[] =
    "name: fail\n"
    "time: {step: 0.01, steps: 3}\n"
    "output: {directory: fail}\n"
    "solver: {max_iterations: 1}\n"
    "materials: {soft: {stiffness: 1.0e+5, stiffness_per_area: 1.0e+8, friction: 0.8}}\n"
    "bodies:\n"
    "  - {shape: {type: half_space, normal: [0, 0, 1], offset: 0}, material: soft, motion: fixed}\n"
    "  - {name: cap, shape: {type: sphere, radius: 0.02}, mass: 0.1, material: soft, position: [0, 0, 0.13]}\n"
    "deformables:\n"
    "  - {name: cube, mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}}, youngs_modulus: 1.0e+5,\n"
    "     poissons_ratio: 0.4, density: 1000, material: soft, position: [0, 0, 0.0501], linear_velocity: [0.5, 0, "
    "-1],\n"
    "     attachments: [{body: cap, box: [[-0.01, -0.01, 0.1], [0.01, 0.01, 1]]}],\n"
    "     fixed: [{vertices: [8], motion: {type: linear, velocity: [0, 0, -0.5]}}]}\n"
    "vertex_forces: [{deformable: cube, vertices: [3, 4], value: [0, 0, 0.1]}]\n";

/* The island that failed is a scene of its own: it fails again as it is, and runs with more iterations. */
static void a_failing_island_is_a_scene(void **state)
{
    (void)state;
    write_text("failing.yaml", failing);
    static const char command[] = ICF_PROGRAM " run failing.yaml --threads 1 --quiet";
    static const char again[] = ICF_PROGRAM " run fail/failed-island.yaml --threads 1 --quiet --output again";
    static const char solved[] = ICF_PROGRAM " run fail/failed-island.yaml --threads 1 --quiet --output solved "
                                             "--set solver.max_iterations=100 --trace solved.jsonl";
    outcome first = run_words((const char *const[]){"bash", "-c", command, NULL});
    assert_int_equal(first.code, 3);
    outcome_clear(&first);
    outcome second = run_words((const char *const[]){"bash", "-c", again, NULL});
    if (second.code != 3) print_message("%s", second.err);
    assert_int_equal(second.code, 3);
    outcome_clear(&second);
    outcome third = run_words((const char *const[]){"bash", "-c", solved, NULL});
    expect_success(&third);
    outcome_clear(&third);
    /* as the whole scene would have run, but for the digits of the text */
    static const char whole[] = ICF_PROGRAM " run failing.yaml --threads 1 --quiet --output whole "
                                            "--set solver.max_iterations=100 --trace whole.jsonl";
    outcome fourth = run_words((const char *const[]){"bash", "-c", whole, NULL});
    expect_success(&fourth);
    outcome_clear(&fourth);
    char *part_lines = read_text("solved.jsonl"), *whole_lines = read_text("whole.jsonl");
    assert_string_equal(part_lines, whole_lines);
    free(part_lines);
    free(whole_lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_on_any_number_of_ranks),
        cmocka_unit_test(plan_counts_them),
        cmocka_unit_test(check_measures_meshes),
        cmocka_unit_test(a_failing_island_is_a_scene),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
