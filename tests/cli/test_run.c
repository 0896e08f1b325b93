/* icf run, check and info: what they print, write and return; options against scene keys; restart; signals;
 * failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

/* Six objects in a bin: 20 steps of free fall and first contacts. */
static int make_scene(void **state)
{
    if (enter_directory(state) != 0) return -1;
    outcome made = RUN("make", "clutter", "--bodies", "6", "--height", "3", "--duration", "0.2", "--output", "a.yaml");
    const int failed = made.code;
    outcome_clear(&made);
    return failed;
}

/* Checksum of the last state that a run printed. */
static uint64_t checksum_of(const outcome *run)
{
    const char *line = strstr(run->out, "checksum ");
    assert_non_null(line);
    return strtoull(line + strlen("checksum "), NULL, 16);
}

static uint64_t run_checksum(const char *const *words)
{
    outcome run = run_words(words);
    expect_success(&run);
    const uint64_t checksum = checksum_of(&run);
    outcome_clear(&run);
    return checksum;
}
#define RUN_CHECKSUM(...) run_checksum((const char *const[]){ICF_PROGRAM, __VA_ARGS__, 0})

static int lines_of(const char *path)
{
    char *text = read_text(path);
    const int n = count_of(text, "\n");
    free(text);
    return n;
}

static void run_prints_header_and_summary_and_writes_files(void **state)
{
    (void)state;
    static const char *const printed[] = {"clutter-6 (a.yaml)",
                                          "6 moving, 5 fixed",
                                          "dofs         36",
                                          "lagged, regularized",
                                          "1 rank x 1 thread;",
                                          "20 steps to t = 0.2 s",
                                          "geometry",
                                          "iterations",
                                          "checksum"};
    outcome run = RUN("run", "a.yaml", "--threads", "1", "--output", "first", "--trace", "first.jsonl");
    expect_success(&run);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; ++i) assert_non_null(strstr(run.out, printed[i]));
    assert_true(file_exists("first/run.h5"));
    assert_true(file_exists("first/run.xmf"));
    assert_true(file_exists("first/summary.json"));
    assert_true(file_exists("first/checkpoint-20.h5"));
    assert_int_equal(lines_of("first/stats.csv"), 21);
    assert_int_equal(lines_of("first.jsonl"), 2);
    outcome_clear(&run);
}

static void quiet_prints_nothing(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--quiet", "--output", "quiet");
    expect_success(&run);
    assert_string_equal(run.out, "");
    outcome_clear(&run);
}

static void progress_goes_to_standard_error_when_asked_for(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--progress", "always", "--output", "progress");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.err, "step 20/20"));
    assert_non_null(strstr(run.err, "ms/step"));
    outcome_clear(&run);
}

/* `script` gives the program a terminal. */
static void progress_line_is_rewritten_on_a_terminal(void **state)
{
    (void)state;
    static const char command[] = ICF_PROGRAM " run a.yaml --output terminal";
    outcome run = run_words((const char *const[]){"script", "-qec", command, "/dev/null", NULL});
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\r\033[Kt = "));
    assert_non_null(strstr(run.out, "left 0 s\r\r\033[K"));
    outcome_clear(&run);
}

/* The length of the run, as the header prints it. */
static void expect_length(const char *const *words, const char *length)
{
    outcome run = run_words(words);
    expect_success(&run);
    assert_non_null(strstr(run.out, length));
    outcome_clear(&run);
}
#define EXPECT_LENGTH(length, ...) expect_length((const char *const[]){ICF_PROGRAM, __VA_ARGS__, 0}, length)

static void options_replace_keys_of_the_scene(void **state)
{
    (void)state;
    EXPECT_LENGTH("step 0.01 s, 3 steps to t = 0.03 s", "run", "a.yaml", "--steps", "3", "--output", "o");
    EXPECT_LENGTH("step 0.02 s, 2 steps to t = 0.04 s", "run", "a.yaml", "--steps", "2", "--step=0.02", "--output",
                  "o");
    EXPECT_LENGTH("step 0.01 s, 5 steps to t = 0.05 s", "run", "a.yaml", "--duration", "0.05", "--output", "o");
    EXPECT_LENGTH("sap; step", "run", "a.yaml", "--model", "sap", "--steps", "1", "--output", "o");
    EXPECT_LENGTH("step 0.01 s, 4 steps", "run", "a.yaml", "--set", "time.steps=2", "--steps=4", "--output", "o");
    EXPECT_LENGTH("step 0.01 s, 2 steps", "run", "a.yaml", "--steps=4", "--set", "time.steps=2", "--output", "o");
}

static void duration_replaces_steps_of_the_scene(void **state)
{
    (void)state;
    char *text = read_text("a.yaml");
    char *duration = strstr(text, "  duration: 0.2");
    for (size_t i = 0; duration[i] != '\n'; ++i) duration[i] = "  steps: 7     "[i];
    write_text("steps.yaml", text);
    free(text);
    EXPECT_LENGTH("7 steps", "run", "steps.yaml", "--output", "o");
    EXPECT_LENGTH("2 steps", "run", "steps.yaml", "--duration", "0.02", "--output", "o");
}

static void every_sets_the_frames(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--every", "1", "--trace", "every.jsonl", "--output", "o");
    expect_success(&run);
    assert_int_equal(lines_of("every.jsonl"), 20);
    outcome_clear(&run);
}

static void directory_names_need_no_quotes(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--steps", "1", "--output", "a: [b]");
    expect_success(&run);
    assert_true(file_exists("a: [b]/summary.json"));
    outcome_clear(&run);
}

static void scene_from_standard_input(void **state)
{
    (void)state;
    outcome run = run_words((const char *const[]){
        "bash", "-c", ICF_PROGRAM " make clutter --bodies 2 | " ICF_PROGRAM " run - --steps 1 --output o", NULL});
    expect_success(&run);
    assert_non_null(strstr(run.out, "clutter-2 (-)"));
    outcome_clear(&run);
}

static void threads_and_mpirun_change_no_bit(void **state)
{
    (void)state;
    const uint64_t one = RUN_CHECKSUM("run", "a.yaml", "--threads", "1", "--output", "o");
    assert_true(RUN_CHECKSUM("run", "a.yaml", "--threads", "2", "--output", "o") == one);
    assert_true(run_checksum((const char *const[]){MPIRUN, "-n", "1", ICF_PROGRAM, "run", "a.yaml", "--output", "o",
                                                   NULL}) == one);
}

static void restart_gives_the_bits_of_an_uninterrupted_run(void **state)
{
    (void)state;
    const uint64_t whole = RUN_CHECKSUM("run", "a.yaml", "--output", "whole");
    outcome half = RUN("run", "a.yaml", "--steps", "11", "--output", "half");
    expect_success(&half);
    outcome_clear(&half);
    assert_true(RUN_CHECKSUM("run", "a.yaml", "--restart", "half/checkpoint-11.h5", "--output", "half") == whole);
    assert_int_equal(lines_of("half/stats.csv"), 21);
}

static void scheduled_checkpoints(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--set", "output.checkpoint_every=8", "--verbose", "--output", "scheduled");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.err, "icf: step 8 saved in scheduled/checkpoint-8.h5\n"));
    assert_non_null(strstr(run.err, "icf: step 16 saved in scheduled/checkpoint-16.h5\n"));
    assert_true(file_exists("scheduled/checkpoint-20.h5"));
    outcome_clear(&run);
}

static void wait_for_file(const char *path)
{
    for (int i = 0; i < 2000 && !file_exists(path); ++i) usleep(10000);
    assert_true(file_exists(path));
}

static int step_of_checkpoint(const char *pattern)
{
    char command[200];
    snprintf(command, sizeof command, "ls %s/checkpoint-*.h5 | sort -V | tail -n 1", pattern);
    outcome list = run_words((const char *const[]){"bash", "-c", command, NULL});
    const char *number = strstr(list.out, "checkpoint-");
    assert_non_null(number);
    const int step = atoi(number + strlen("checkpoint-"));
    outcome_clear(&list);
    return step;
}

/* A run that would take for ever ends with a checkpoint, from which it goes on. */
static void expect_stop(int number, const char *directory)
{
    char path[100], checkpoint[100];
    snprintf(path, sizeof path, "%s/checkpoint-10.h5", directory);
    const int process =
        start_words((const char *const[]){ICF_PROGRAM, "run", "a.yaml", "--steps", "100000000", "--every", "1000000",
                                          "--set", "output.checkpoint_every=10", "--output", directory, NULL});
    wait_for_file(path);
    assert_int_equal(kill(process, number), 0);
    assert_int_equal(wait_for(process), 5);
    const int step = step_of_checkpoint(directory);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint-%d.h5", directory, step);
    char steps[20];
    snprintf(steps, sizeof steps, "%d", step + 2);
    const uint64_t continued =
        RUN_CHECKSUM("run", "a.yaml", "--restart", checkpoint, "--steps", steps, "--output", directory);
    assert_true(RUN_CHECKSUM("run", "a.yaml", "--steps", steps, "--output", "o") == continued);
}

static void signals_end_a_run_with_a_checkpoint(void **state)
{
    (void)state;
    expect_stop(SIGUSR1, "usr1");
    expect_stop(SIGTERM, "term");
    expect_stop(SIGINT, "int");
}

/* More ranks than the two bodies that move. */
static void ranks_change_no_bit(void **state)
{
    (void)state;
    const uint64_t one = RUN_CHECKSUM("run", "a.yaml", "--output", "o");
    static const char *const ranks[] = {"2", "3"};
    for (int i = 0; i < 2; ++i)
        assert_true(run_checksum((const char *const[]){MPIRUN, "-n", ranks[i], ICF_PROGRAM, "run", "a.yaml",
                                                       "--threads", "1", "--output", "ranks", NULL}) == one);
}

/* What ranks did adds up to the line of stats.csv. */
static void ranks_add_up(void **state)
{
    (void)state;
    outcome done = run_words((const char *const[]){MPIRUN, "-n", "2", ICF_PROGRAM, "run", "a.yaml", "--threads", "1",
                                                   "--output", "load", "--set", "output.ranks=true", NULL});
    expect_success(&done);
    outcome_clear(&done);
    FILE *stats = fopen("load/stats.csv", "r"), *ranks = fopen("load/ranks.csv", "r");
    assert_non_null(stats);
    assert_non_null(ranks);
    char line[4096];
    assert_non_null(fgets(line, sizeof line, stats));
    assert_non_null(fgets(line, sizeof line, ranks));
    int step, candidates, nline = 0;
    while (fgets(line, sizeof line, stats)) {
        assert_int_equal(sscanf(line, "%d,%*f,%d", &step, &candidates), 2);
        int moving = 0;
        for (int rank = 0; rank < 2; ++rank) {
            int at, of, bodies, found;
            double cpu;
            assert_non_null(fgets(line, sizeof line, ranks));
            assert_int_equal(sscanf(line, "%d,%d,%lf,%d,%d", &at, &of, &cpu, &bodies, &found), 5);
            assert_true(at == step && of == rank && cpu >= 0.0 && bodies >= 0);
            candidates -= found;
            moving += bodies;
        }
        assert_int_equal(moving, 6 + 5); /* objects, ground and walls */
        assert_int_equal(candidates, 0);
        ++nline;
    }
    assert_int_equal(nline, 20);
    assert_null(fgets(line, sizeof line, ranks));
    fclose(stats);
    fclose(ranks);
}

static void make_clutter(const char *path, const char *seed, const char *option)
{
    outcome made =
        RUN("make", "clutter", "--bodies", "130", "--duration", "0.3", "--seed", seed, "--output", path, option);
    expect_success(&made);
    outcome_clear(&made);
}

/* Objects touch after 30 steps: every bit of the scene counts, whoever generates a body. */
static void population_and_list_simulate_to_the_same_bits(void **state)
{
    (void)state;
    make_clutter("listed.yaml", "12345", "--list");
    make_clutter("population.yaml", "12345", NULL);
    make_clutter("other.yaml", "12346", NULL);
    const uint64_t listed = RUN_CHECKSUM("run", "listed.yaml", "--output", "listed");
    assert_true(RUN_CHECKSUM("run", "population.yaml", "--output", "population") == listed);
    assert_true(run_checksum((const char *const[]){MPIRUN, "-n", "3", ICF_PROGRAM, "run", "population.yaml",
                                                   "--threads", "1", "--output", "ranks", NULL}) == listed);
    assert_true(RUN_CHECKSUM("run", "other.yaml", "--output", "other") != listed);
}

/* A heavy body on one rank and a light one on another: the warning looks at both. */
static void a_warning_sees_the_masses_of_all_ranks(void **state)
{
    (void)state;
    FILE *file = fopen("masses.yaml", "w");
    assert_non_null(file);
    fputs("time: {step: 0.01, steps: 1}\ncontact: {model: sap}\nmaterials: {m: {stiffness: 1000}}\nbodies:\n"
          "  - {shape: {type: sphere, radius: 1}, material: m, mass: 1, position: [0, 0, 0]}\n"
          "  - {shape: {type: sphere, radius: 1}, material: m, mass: 10000, position: [9, 0, 0]}\n",
          file);
    assert_int_equal(fclose(file), 0);
    outcome run = run_words((const char *const[]){MPIRUN, "-n", "2", ICF_PROGRAM, "run", "masses.yaml", NULL});
    assert_int_equal(run.code, 0);
    assert_int_equal(count_of(run.err, "icf: warning: masses differ by a factor of 1e+04"), 1);
    outcome_clear(&run);
}

/* Whatever rank finds an error: it is printed once, and all end with its code. */
static void ranks_fail_together(void **state)
{
    (void)state;
    outcome wrong = run_words((const char *const[]){MPIRUN, "-n", "2", ICF_PROGRAM, "run", NULL});
    assert_int_equal(wrong.code, 2);
    assert_int_equal(count_of(wrong.err, "icf: error: SCENE is missing"), 1);
    outcome_clear(&wrong);
    outcome missing = run_words((const char *const[]){MPIRUN, "-n", "2", ICF_PROGRAM, "run", "no.yaml", NULL});
    assert_int_equal(missing.code, 4);
    assert_int_equal(count_of(missing.err, "icf: error: no.yaml: cannot be read: No such file or directory\n"), 1);
    assert_int_equal(count_of(missing.err, "icf: error"), 1);
    outcome_clear(&missing);
}

/* A command that needs no ranks runs once. */
static void check_runs_on_one_rank(void **state)
{
    (void)state;
    outcome check = run_words((const char *const[]){MPIRUN, "-n", "2", ICF_PROGRAM, "check", "a.yaml", NULL});
    assert_int_equal(check.code, 0);
    assert_int_equal(count_of(check.out, "bodies "), 1);
    outcome_clear(&check);
}

static void solver_that_cannot_go_on(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--set", "solver.max_iterations=1", "--set", "solver.relative_tolerance=1e-14",
                      "--steps", "40", "--quiet", "--output", "failed");
    assert_int_equal(run.code, 3);
    assert_int_equal(count_of(run.err, "icf: error: "), 1);
    assert_non_null(strstr(run.err, "saved in failed/checkpoint-"));
    assert_non_null(strstr(run.err, "icf: the island that failed is in failed/failed-island.yaml\n"));
    outcome_clear(&run);
    outcome island = RUN("check", "failed/failed-island.yaml");
    expect_success(&island);
    assert_non_null(strstr(island.out, "5 fixed"));
    outcome_clear(&island);
}

static void files_that_fail(void **state)
{
    (void)state;
    outcome missing = RUN("run", "missing.yaml");
    assert_int_equal(missing.code, 4);
    assert_non_null(strstr(missing.err, "missing.yaml"));
    outcome_clear(&missing);
    outcome directory = RUN("run", "a.yaml", "--output", "/proc/nowhere");
    assert_int_equal(directory.code, 4);
    assert_non_null(strstr(directory.err, "icf: error: /proc/nowhere"));
    outcome_clear(&directory);
    outcome restart = RUN("run", "a.yaml", "--restart", "a.yaml", "--output", "o");
    assert_int_equal(restart.code, 4);
    assert_non_null(strstr(restart.err, "icf: error: a.yaml"));
    outcome_clear(&restart);
    expect_error(RUN_TO("/dev/full", "run", "a.yaml", "--steps", "1", "--output", "o"), 4,
                 "icf: error: cannot write to standard output: No space left on device\n");
}

/* A path that is mistyped must not cost what an earlier run left in the directory. */
static void wrong_trace_keeps_earlier_results(void **state)
{
    (void)state;
    outcome first = RUN("run", "a.yaml", "--output", "kept");
    expect_success(&first);
    outcome_clear(&first);
    outcome wrong = RUN("run", "a.yaml", "--output", "kept", "--trace", "missing/t.jsonl");
    expect_error(wrong, 4, "icf: error: missing/t.jsonl: No such file or directory\n");
    assert_int_equal(lines_of("kept/stats.csv"), 21);
    assert_true(file_exists("kept/run.h5") && file_exists("kept/run.xmf") && file_exists("kept/summary.json"));
}

/* A body that leaves the range of numbers in the second step: the run ends with the state after the first. */
static void state_beyond_numbers(void **state)
{
    (void)state;
    write_text("far.yaml", "time: {step: 1, steps: 5}\ngravity: [0, 0, 0]\n"
                           "bodies: [{shape: {type: none}, mass: 1, inertia: [1, 1, 1], free: [vx],"
                           " linear_velocity: [1.0e150, 0, 0]}]\n"
                           "forces: [{body: body0, direction: [1, 0, 0], value: 0, rate: 1.0e200}]\n");
    outcome run = RUN("run", "far.yaml", "--quiet", "--output", "far");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "icf: error: step 2 (t = 1 s): the energy is no longer finite\n"));
    assert_true(file_exists("far/checkpoint-1.h5"));
    outcome_clear(&run);
}

/* The limit of file size stands in for a full disk: HDF5 cannot even close its file then. */
static void file_that_may_not_grow(void **state)
{
    (void)state;
    outcome run = run_words((const char *const[]){
        "bash", "-c", "ulimit -f 100; " ICF_PROGRAM " run a.yaml --every 1 --output limited --quiet", NULL});
    assert_int_equal(run.code, 4);
    assert_string_equal(run.err, "icf: error: limited/run.h5: File too large\n");
    outcome_clear(&run);
}

/* Processes without a launcher must not meet in a directory of the MPI library. */
static void processes_at_once_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { N = 8 };
    for (int round = 0; round < 3; ++round) {
        int process[N];
        for (int i = 0; i < N; ++i) {
            char directory[20];
            snprintf(directory, sizeof directory, "at-once-%d", i);
            process[i] = start_words(
                (const char *const[]){ICF_PROGRAM, "run", "a.yaml", "--steps", "1", "--output", directory, NULL});
        }
        for (int i = 0; i < N; ++i) assert_int_equal(wait_for(process[i]), 0);
    }
}

static void check_prints_what_a_scene_holds(void **state)
{
    (void)state;
    outcome check = RUN("check", "--", "a.yaml");
    expect_success(&check);
    assert_non_null(strstr(check.out, "scene      clutter-6\n"));
    assert_non_null(strstr(check.out, "6 moving, 5 fixed\n"));
    assert_non_null(strstr(check.out, "materials  1: object; 1 pair given\n"));
    assert_non_null(strstr(check.out, "dofs       36\n"));
    assert_non_null(strstr(check.out, "memory     about "));
    outcome_clear(&check);
}

/* Two listed balls 0.05 m into one another, two cubes of a population 0.01 m; the names are those of the bodies. */
static void check_names_the_bodies_that_overlap(void **state)
{
    (void)state;
    write_text("overlap.yaml",
               "time: {step: 0.01, steps: 1}\nmaterials: {m: {}}\n"
               "bodies:\n"
               "  - {name: left, shape: {type: sphere, radius: 0.1}, material: m, mass: 1, position: [0, 0, 5]}\n"
               "  - {name: right, shape: {type: sphere, radius: 0.1}, material: m, mass: 1, position: [0.15, 0, 5]}\n"
               "populations:\n"
               "  - {kind: grid, count: [2, 1, 1], spacing: [0.09, 1, 1], origin: [0, 0, 1],\n"
               "     templates: [{body: {shape: {type: box, size: [0.1, 0.1, 0.1]}, material: m, mass: 1}}]}\n");
    outcome check = RUN("check", "overlap.yaml");
    assert_int_equal(check.code, 0);
    assert_non_null(strstr(check.out, "\noverlaps   2 pairs of 4 bodies:\n"
                                      "           0.05 m deep: left (sphere) and right (sphere)\n"
                                      "           0.01 m deep: body2 (box) and body3 (box)\n"));
    assert_string_equal(check.err, "icf: warning: 2 pairs of bodies overlap at the start, by up to 0.05 m\n");
    outcome_clear(&check);
    check = RUN("check", "overlap.yaml", "--no-overlaps");
    expect_success(&check);
    assert_null(strstr(check.out, "overlaps"));
    outcome_clear(&check);
    check = RUN("check", "overlap.yaml", "--set", "bodies.right.position=[0.2, 0, 5]", "--set",
                "populations[0].spacing=[0.2, 0, 0]");
    expect_success(&check);
    assert_non_null(strstr(check.out, "\noverlaps   none\n"));
    outcome_clear(&check);
}

static void check_prints_every_error(void **state)
{
    (void)state;
    outcome check = RUN("check", "a.yaml", "--set", "bodies[6].mass=-1", "--set", "time.step=0");
    assert_int_equal(check.code, 2);
    assert_string_equal(check.out, "");
    assert_int_equal(count_of(check.err, "icf: error: "), 2);
    assert_non_null(strstr(check.err, "icf: error: --set bodies[6].mass=-1: "));
    assert_non_null(strstr(check.err, "icf: error: --set time.step=0: "));
    outcome_clear(&check);
}

static void every_kind_of_made_scene_is_valid(void **state)
{
    (void)state;
    static const char *const kinds[] = {"clutter", "pile", "wall", "cradle", "drum", "hopper"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        outcome made = RUN("make", kinds[i], "--output", "kind.yaml");
        expect_success(&made);
        outcome_clear(&made);
        outcome check = RUN("check", "kind.yaml");
        expect_success(&check);
        outcome_clear(&check);
    }
}

static void info_describes_results_and_checkpoints(void **state)
{
    (void)state;
    outcome run = RUN("run", "a.yaml", "--output", "info");
    expect_success(&run);
    outcome_clear(&run);
    outcome result = RUN("info", "info/run.h5"), checkpoint = RUN("info", "info/checkpoint-20.h5");
    expect_success(&result);
    expect_success(&checkpoint);
    assert_true(strlen(result.out) > 0);
    assert_true(strlen(checkpoint.out) > 0);
    outcome_clear(&result);
    outcome_clear(&checkpoint);
    outcome wrong = RUN("info", "a.yaml");
    assert_int_equal(wrong.code, 4);
    outcome_clear(&wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_prints_header_and_summary_and_writes_files),
        cmocka_unit_test(quiet_prints_nothing),
        cmocka_unit_test(progress_goes_to_standard_error_when_asked_for),
        cmocka_unit_test(progress_line_is_rewritten_on_a_terminal),
        cmocka_unit_test(options_replace_keys_of_the_scene),
        cmocka_unit_test(duration_replaces_steps_of_the_scene),
        cmocka_unit_test(every_sets_the_frames),
        cmocka_unit_test(directory_names_need_no_quotes),
        cmocka_unit_test(scene_from_standard_input),
        cmocka_unit_test(threads_and_mpirun_change_no_bit),
        cmocka_unit_test(restart_gives_the_bits_of_an_uninterrupted_run),
        cmocka_unit_test(scheduled_checkpoints),
        cmocka_unit_test(signals_end_a_run_with_a_checkpoint),
        cmocka_unit_test(ranks_change_no_bit),
        cmocka_unit_test(ranks_add_up),
        cmocka_unit_test(population_and_list_simulate_to_the_same_bits),
        cmocka_unit_test(a_warning_sees_the_masses_of_all_ranks),
        cmocka_unit_test(ranks_fail_together),
        cmocka_unit_test(check_runs_on_one_rank),
        cmocka_unit_test(solver_that_cannot_go_on),
        cmocka_unit_test(files_that_fail),
        cmocka_unit_test(wrong_trace_keeps_earlier_results),
        cmocka_unit_test(state_beyond_numbers),
        cmocka_unit_test(file_that_may_not_grow),
        cmocka_unit_test(processes_at_once_do_not_disturb_each_other),
        cmocka_unit_test(check_prints_what_a_scene_holds),
        cmocka_unit_test(check_names_the_bodies_that_overlap),
        cmocka_unit_test(check_prints_every_error),
        cmocka_unit_test(every_kind_of_made_scene_is_valid),
        cmocka_unit_test(info_describes_results_and_checkpoints),
    };
    return cmocka_run_group_tests(tests, make_scene, leave_directory);
}
