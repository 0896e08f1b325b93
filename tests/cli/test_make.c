/* icf make: the clutter scene to the last bit, sizes of the bin, seeds, files, memory; the other kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "program.h"

/* A body as a line of a made scene describes it. */
typedef struct body_line {
    bool fixed;
    char type; /* first letter of the shape: s, b, c, h */
    double size[3], position[3], mass;
} body_line;

static void scan_numbers(const char *line, const char *key, int n, double *values)
{
    const char *c = strstr(line, key);
    if (!c) return;
    c += strlen(key);
    for (int i = 0; i < n; ++i) {
        char *end;
        values[i] = strtod(c, &end);
        c = end + 2; /* ", " */
    }
}

/* Reads the next body at *text; false at the end. */
static bool next_body(const char **text, body_line *body)
{
    char line[1000];
    const char *begin = strstr(*text, "\n  - {");
    if (!begin) return false;
    const size_t length = strcspn(++begin, "\n");
    assert_true(length < sizeof line);
    snprintf(line, sizeof line, "%.*s", (int)length, begin);
    *text = begin;
    *body = (body_line){.fixed = strstr(line, "motion: fixed") != NULL, .type = strstr(line, "type: ")[6]};
    scan_numbers(line, "radius: ", 1, &body->size[0]);
    scan_numbers(line, "length: ", 1, &body->size[1]);
    scan_numbers(line, "size: [", 3, body->size);
    scan_numbers(line, "position: [", 3, body->position);
    scan_numbers(line, "mass: ", 1, &body->mass);
    return true;
}

static const char *bodies_of(const outcome *result)
{
    expect_success(result);
    const char *bodies = strstr(result->out, "\nbodies:\n");
    assert_non_null(bodies);
    return bodies + 1;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * 1099511628211u;
}

/* Hash of shape (0 sphere, 1 box) and position bits of all objects in order; also checks mass and size. */
static uint64_t hash_objects(const char *text, int *n)
{
    body_line body = {0};
    uint64_t hash = 14695981039346656037u;
    for (*n = 0; next_body(&text, &body);) {
        if (body.fixed) continue;
        ++*n;
        const bool is_box = body.type == 'b';
        assert_true(body.mass == (is_box ? 1.0 : 0.524));
        assert_true(body.size[0] == (is_box ? 0.1 : 0.05));
        hash = mix(hash, is_box);
        for (int k = 0; k < 3; ++k) {
            uint64_t bits;
            memcpy(&bits, &body.position[k], sizeof bits);
            hash = mix(hash, bits);
        }
    }
    return hash;
}

/* The hashes are those of the positions that the comparison programs of the other engines compute. */
static void clutter_is_the_common_scene_to_the_last_bit(void **state)
{
    (void)state;
    static const struct {
        const char *bodies, *height, *seed;
        uint64_t hash;
    } cases[] = {
        {"40", "10", "12345", 0xede8672a430db549u},    {"400", "10", "12345", 0x0309b299c0378c6bu},
        {"1000", "100", "12345", 0x9540569a7189438cu}, {"4000", "10", "12345", 0xc350109d6a687fd5u},
        {"37", "3", "12345", 0xc4d34f7852dde0bdu},     {"40", "10", "99", 0xa1601c0292789f18u},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int n;
        outcome made = RUN("make", "clutter", "--list", "--bodies", cases[i].bodies, "--height", cases[i].height,
                           "--seed", cases[i].seed);
        assert_true(hash_objects(bodies_of(&made), &n) == cases[i].hash);
        assert_int_equal(n, atoi(cases[i].bodies));
        outcome_clear(&made);
    }
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Worked out by hand: column 0 of 4 stands at (-0.2, -0.2), shifted by the 2nd and 3rd draw. */
static void first_object_by_hand(void **state)
{
    (void)state;
    body_line body = {0};
    uint64_t random = 12345;
    double u[3] = {0};
    for (int i = 0; i < 3; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        u[i] = (double)(random >> 33) / 2147483648.0;
    }
    outcome made = RUN("make", "clutter", "--no-walls", "--list");
    const char *text = bodies_of(&made);
    assert_true(next_body(&text, &body) && body.fixed && body.type == 'h');
    assert_true(next_body(&text, &body) && !body.fixed);
    assert_int_equal(body.type, u[0] >= 0.5 ? 'b' : 's');
    assert_true(body.position[0] == -0.5 * 0.4 + 0.006 * (u[1] - 0.5));
    assert_true(body.position[1] == -0.5 * 0.4 + 0.006 * (u[2] - 0.5));
    assert_true(body.position[2] == 0.06);
    outcome_clear(&made);
}

static void clutter_is_a_population_of_columns(void **state)
{
    (void)state;
    outcome made = RUN("make", "clutter", "--bodies", "1000", "--seed", "18446744073709551615");
    expect_success(&made);
    assert_int_equal(count_of(made.out, "\n  - {"), 5); /* ground and walls */
    assert_non_null(strstr(made.out, "\npopulations:\n"
                                     "  - kind: columns\n"
                                     "    bodies: 1000\n"
                                     "    height: 10\n"
                                     "    spacing: [0.25, 0.25, 0.11]\n"
                                     "    origin: [0, 0, 0.06]\n"
                                     "    jitter: 0.003\n"
                                     "    seed: 18446744073709551615\n"
                                     "    templates:\n"));
    outcome_clear(&made);
}

/* A million bodies are counted, not generated: with them the program would need 300 MB. */
static void check_without_overlaps_does_not_expand_populations(void **state)
{
    (void)state;
    outcome made = RUN("make", "clutter", "--bodies", "1000000", "--output", "million.yaml");
    expect_success(&made);
    outcome_clear(&made);
    const double start = seconds_now();
    outcome check = RUN("check", "million.yaml", "--no-overlaps");
    assert_true(seconds_now() - start < 5.0);
    expect_success(&check);
    assert_non_null(strstr(check.out, "\nbodies     1000005: 1 half_space, 4 box, 1000000 generated; "
                                      "1000000 moving, 5 fixed\n"
                                      "generated  columns, 1000000 bodies: 50 % sphere, 50 % box\n"));
    assert_non_null(strstr(check.out, "\ndofs       6000000\n"));
    outcome_clear(&check);
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    assert_true(usage.ru_maxrss < 100000);
}

static void settings_of_the_common_scene(void **state)
{
    (void)state;
    outcome made = RUN("make", "clutter");
    expect_success(&made);
    assert_non_null(strstr(made.out, "  step: 0.01\n  duration: 2\n"));
    assert_non_null(strstr(made.out, "  model: lagged\n  regularized: true\n"));
    assert_non_null(strstr(made.out, "stiffness: 10000000, dissipation: 10, relaxation_time: 0.0001, friction: 1}"));
    outcome_clear(&made);
    outcome sap = RUN("make", "clutter", "--model=sap", "--step=0.002", "--duration=3", "--stiffness=1e12");
    expect_success(&sap);
    assert_non_null(strstr(sap.out, "  step: 0.002\n  duration: 3\n"));
    assert_non_null(strstr(sap.out, "  model: sap\n"));
    assert_non_null(strstr(sap.out, "stiffness: 1000000000000, "));
    outcome_clear(&sap);
}

static void expect_wall(const char **text, const double position[3], const double size[3])
{
    body_line body = {0};
    assert_true(next_body(text, &body) && body.fixed && body.type == 'b');
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(body.position[k] - position[k]) < 1e-15);
        assert_true(fabs(body.size[k] - size[k]) < 1e-15);
    }
}

/* 100 columns of 10: a grid of 10 x 10, so hx = hy = 4.5 * 0.25 + 0.2 = 1.325, height 0.11 * 10 + 0.3 = 1.4. */
static void walls_are_boxes_round_the_floor(void **state)
{
    (void)state;
    body_line body = {0};
    outcome made = RUN("make", "clutter", "--bodies", "1000", "--list");
    const char *text = bodies_of(&made);
    assert_true(next_body(&text, &body) && body.fixed && body.type == 'h');
    const double across_x[3] = {0.2, 3.05, 1.4}, across_y[3] = {2.65, 0.2, 1.4};
    expect_wall(&text, (double[3]){-1.425, 0.0, 0.7}, across_x);
    expect_wall(&text, (double[3]){0.0, -1.425, 0.7}, across_y);
    expect_wall(&text, (double[3]){1.425, 0.0, 0.7}, across_x);
    expect_wall(&text, (double[3]){0.0, 1.425, 0.7}, across_y);
    assert_true(next_body(&text, &body) && !body.fixed);
    outcome_clear(&made);
}

static void no_walls_leaves_the_ground_alone(void **state)
{
    (void)state;
    outcome made = RUN("make", "clutter", "--no-walls");
    expect_success(&made);
    assert_int_equal(count_of(made.out, "motion: fixed"), 1);
    assert_non_null(strstr(made.out, "{name: ground, shape: {type: half_space, normal: [0, 0, 1], offset: 0}"));
    outcome_clear(&made);
}

static void output_file_holds_what_standard_output_would(void **state)
{
    (void)state;
    outcome made = RUN("make", "pile", "--bodies", "20", "--output", "pile.yaml");
    expect_success(&made);
    assert_string_equal(made.out, "");
    assert_false(file_exists("pile.yaml.tmp"));
    outcome printed = RUN("make", "pile", "--bodies", "20");
    char *text = read_text("pile.yaml");
    assert_string_equal(text, printed.out);
    free(text);
    outcome_clear(&made);
    outcome_clear(&printed);
}

static void output_that_cannot_be_written(void **state)
{
    (void)state;
    expect_error(RUN("make", "clutter", "--output", "nowhere/a.yaml"), 4,
                 "icf: error: nowhere/a.yaml: No such file or directory\n");
    expect_error(RUN("make", "clutter", "--bodies", "1000", "--output", "/dev/full"), 4,
                 "icf: error: cannot write the scene: No space left on device\n");
    outcome full = RUN_TO("/dev/full", "make", "clutter", "--bodies", "1000");
    expect_error(full, 4, "icf: error: cannot write the scene: No space left on device\n");
}

static void closed_pipe_ends_with_code_4(void **state)
{
    (void)state;
    outcome piped = run_words((const char *const[]){
        "bash", "-c", ICF_PROGRAM " make clutter --list --bodies 100000 | head -n 1; echo ${PIPESTATUS[0]}", NULL});
    assert_string_equal(piped.out, "name: clutter-100000\n4\n");
    assert_string_equal(piped.err, "icf: error: cannot write the scene: Broken pipe\n");
    outcome_clear(&piped);
}

static long peak_kilobytes(const char *bodies)
{
    struct rusage usage;
    outcome made = RUN_TO("/dev/null", "make", "clutter", "--list", "--height", "100", "--bodies", bodies);
    expect_success(&made);
    outcome_clear(&made);
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
}

/* The peak over all children so far grows only when a large scene needs more than a small one. */
static void memory_does_not_depend_on_the_number_of_bodies(void **state)
{
    (void)state;
    const long small = peak_kilobytes("10"), large = peak_kilobytes("100000");
    assert_true(large - small < 1024);
}

/* Radius of the smallest ball round the centre that holds the body. */
static double bounding_radius(const body_line *body)
{
    if (body->type == 's') return body->size[0];
    if (body->type == 'c') return body->size[0] + 0.5 * body->size[1];
    return 0.5 * sqrt(body->size[0] * body->size[0] + body->size[1] * body->size[1] + body->size[2] * body->size[2]);
}

static double distance(const body_line *a, const body_line *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) sum += (a->position[k] - b->position[k]) * (a->position[k] - b->position[k]);
    return sqrt(sum);
}

static void pile_is_mixed_and_starts_without_overlap(void **state)
{
    (void)state;
    enum { N = 300 };
    body_line body[N + 2];
    int n = 0;
    outcome made = RUN("make", "pile", "--bodies", "300", "--seed", "7");
    const char *text = bodies_of(&made);
    assert_true(next_body(&text, &body[0]) && body[0].fixed);
    while (n < N + 1 && next_body(&text, &body[n])) ++n;
    assert_int_equal(n, N);
    for (int i = 0; i < n; ++i) {
        assert_true(body[i].position[2] > bounding_radius(&body[i]));
        for (int j = 0; j < i; ++j)
            assert_true(distance(&body[i], &body[j]) > bounding_radius(&body[i]) + bounding_radius(&body[j]));
    }
    assert_true(count_of(made.out, "type: sphere") > 60);
    assert_true(count_of(made.out, "type: box") > 60);
    assert_true(count_of(made.out, "type: capsule") > 60);
    outcome_clear(&made);
}

static void another_seed_gives_another_scene(void **state)
{
    (void)state;
    outcome a = RUN("make", "pile"), b = RUN("make", "pile", "--seed=12345"), c = RUN("make", "pile", "--seed=1");
    assert_string_equal(a.out, b.out);
    assert_string_not_equal(a.out, c.out);
    outcome_clear(&a);
    outcome_clear(&b);
    outcome_clear(&c);
}

/* 3 rows of 4: 4 bricks, 3 and two halves, 4; every row is as long as the others: 0.8 m less a gap. */
static void wall_is_in_running_bond(void **state)
{
    (void)state;
    body_line body = {0};
    double mass[3] = {0.0};
    int n = 0;
    outcome made = RUN("make", "wall", "--rows", "3", "--columns", "4");
    const char *text = bodies_of(&made);
    assert_true(next_body(&text, &body) && body.fixed);
    for (; next_body(&text, &body); ++n) {
        const int row = (int)(body.position[2] / 0.1);
        assert_true(fabs(body.position[0]) + 0.5 * body.size[0] < 0.4);
        mass[row] += body.mass;
    }
    assert_int_equal(n, 13);
    assert_true(fabs(mass[0] - 4 * 3.98) < 1e-12);
    assert_true(fabs(mass[1] - (3 * 3.98 + 2 * 1.98)) < 1e-12);
    assert_true(fabs(mass[2] - mass[0]) < 1e-12);
    outcome_clear(&made);
}

static void cradle_is_a_touching_chain_and_a_striker(void **state)
{
    (void)state;
    body_line body = {0};
    outcome made = RUN("make", "cradle", "--bodies", "4", "--speed", "2.5");
    const char *text = bodies_of(&made);
    assert_non_null(strstr(made.out, "gravity: [0, 0, 0]\n"));
    assert_non_null(strstr(made.out, "position: [-0.01, 0, 0], mass: 0.5, linear_velocity: [2.5, 0, 0]}"));
    assert_true(next_body(&text, &body));
    for (int i = 1; i < 4; ++i) {
        assert_true(next_body(&text, &body));
        assert_true(fabs(body.position[0] - (0.1 * i)) < 1e-15);
    }
    assert_false(next_body(&text, &body));
    outcome_clear(&made);
}

/* Rows of a file of heights, their smallest and largest; -1 when rows differ in length. */
static int scan_heights(const char *path, double *low, double *high)
{
    int nrow = 0, first = 0;
    char *text = read_text(path), *rest = text;
    *low = INFINITY;
    *high = -INFINITY;
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n"), ++nrow) {
        int n = 0;
        for (char *word = strtok(line, " "); word; word = strtok(NULL, " "), ++n) {
            *low = fmin(*low, atof(word));
            *high = fmax(*high, atof(word));
        }
        if (nrow == 0) first = n;
        if (n != first) nrow = -2;
    }
    free(text);
    return nrow == first ? nrow : -1;
}

/* 3 m with a height every 0.2 m are 15 cells; bodies start above the hills, inside the walls. */
static void terrain_is_hills_and_bodies(void **state)
{
    (void)state;
    double low, high;
    outcome made = RUN("make", "terrain", "--bodies", "60", "--size", "3", "--cell", "0.2", "--relief", "0.7",
                       "--output", "hills.yaml");
    expect_success(&made);
    assert_int_equal(scan_heights("hills-heights.txt", &low, &high), 16);
    assert_true(low == 0.0 && high == 0.7);
    outcome check = RUN("check", "hills.yaml");
    expect_success(&check);
    assert_non_null(strstr(check.out, "60 moving, 5 fixed"));
    assert_non_null(strstr(check.out, "overlaps   none"));
    assert_non_null(strstr(check.out, "450 triangles, 3 x 3 x 0.7 m"));
    outcome_clear(&made);
    outcome_clear(&check);
}

/* Heights to standard output's scene lie in the current folder; the seed decides. */
static void terrain_follows_from_its_seed(void **state)
{
    (void)state;
    char *heights[3];
    static const char *const seeds[3] = {"12345", "12345", "7"};
    for (int k = 0; k < 3; ++k) {
        outcome made = RUN("make", "terrain", "--bodies", "20", "--seed", seeds[k]);
        expect_success(&made);
        assert_non_null(strstr(made.out, "heights: terrain-20-heights.txt"));
        heights[k] = read_text("terrain-20-heights.txt");
        outcome_clear(&made);
    }
    assert_string_equal(heights[0], heights[1]);
    assert_string_not_equal(heights[0], heights[2]);
    for (int k = 0; k < 3; ++k) free(heights[k]);
    outcome fine = RUN("make", "terrain", "--cell", "1e-5");
    expect_error(fine, 2, "icf: error: --cell: 1e-05 m are 500000 cells a side, at most 10000 are possible\n");
}

static void household_has_all_its_objects(void **state)
{
    (void)state;
    outcome made = RUN("make", "household", "--bodies", "40", "--scale", "0.5", "--output", "home.yaml");
    expect_success(&made);
    assert_true(file_exists("home-shoulder.obj") && file_exists("home-wedge.obj"));
    outcome check = RUN("check", "home.yaml");
    expect_success(&check);
    assert_non_null(strstr(check.out, "40 moving, 5 fixed"));
    assert_non_null(strstr(check.out, "28.6 % cylinder, 14.3 % ellipsoid, 14.3 % convex, 28.6 % compound"));
    /* a right prism on an equilateral triangle in a circle of 60 mm, 40 mm thick: 3 sqrt(3)/4 r^2 h, by 0.5^3 */
    assert_non_null(strstr(check.out, "6 vertices, 5 faces, radius 0.03162 m, volume 2.338e-05 m^3"));
    assert_non_null(strstr(check.out, "overlaps   none"));
    outcome_clear(&made);
    outcome_clear(&check);
}

/* Listed objects lie as those of the population do: they are as many, and none overlap. */
static void household_as_a_list(void **state)
{
    (void)state;
    outcome made = RUN("make", "household", "--bodies", "30", "--list", "--output", "listed.yaml");
    expect_success(&made);
    outcome check = RUN("check", "listed.yaml");
    expect_success(&check);
    assert_non_null(strstr(check.out, "30 moving, 5 fixed"));
    assert_null(strstr(check.out, "generated"));
    assert_non_null(strstr(check.out, "overlaps   none"));
    outcome_clear(&made);
    outcome_clear(&check);
}

static void household_of_meshes(void **state)
{
    (void)state;
    outcome folder = run_words((const char *const[]){"cp", "-rT", ICF_SOURCE_DIR "/tests/ranks", "meshes", NULL});
    expect_success(&folder);
    assert_int_equal(remove("meshes/ring.obj"), 0); /* bounds no solid */
    outcome made = RUN("make", "household", "--bodies", "25", "--meshes", "meshes", "--output", "home.yaml");
    expect_success(&made);
    outcome check = RUN("check", "home.yaml");
    expect_success(&check);
    assert_non_null(strstr(check.out, "packing, 25 bodies: 100 % convex"));
    assert_non_null(strstr(check.out, "/meshes/gem.obj: 13 vertices"));
    outcome_clear(&folder);
    outcome_clear(&made);
    outcome_clear(&check);
    write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expect_error(RUN("make", "household", "--meshes", "nowhere"), 4,
                 "icf: error: nowhere: No such file or directory\n");
    outcome empty = RUN("make", "household", "--meshes", ICF_SOURCE_DIR "/tests/cli");
    expect_error(empty, 2, "icf: error: " ICF_SOURCE_DIR "/tests/cli: no OBJ or STL file\n");
    outcome sheet = RUN("make", "household", "--meshes", ".");
    assert_int_equal(sheet.code, 2);
    assert_non_null(strstr(sheet.err, "open.obj"));
    assert_string_equal(sheet.out, "");
    outcome_clear(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_without_overlaps_does_not_expand_populations), /* first: memory is the largest of all
                                                                                 children so far */
        cmocka_unit_test(clutter_is_the_common_scene_to_the_last_bit),
        cmocka_unit_test(first_object_by_hand),
        cmocka_unit_test(clutter_is_a_population_of_columns),
        cmocka_unit_test(settings_of_the_common_scene),
        cmocka_unit_test(walls_are_boxes_round_the_floor),
        cmocka_unit_test(no_walls_leaves_the_ground_alone),
        cmocka_unit_test(output_file_holds_what_standard_output_would),
        cmocka_unit_test(output_that_cannot_be_written),
        cmocka_unit_test(closed_pipe_ends_with_code_4),
        cmocka_unit_test(memory_does_not_depend_on_the_number_of_bodies),
        cmocka_unit_test(pile_is_mixed_and_starts_without_overlap),
        cmocka_unit_test(another_seed_gives_another_scene),
        cmocka_unit_test(wall_is_in_running_bond),
        cmocka_unit_test(cradle_is_a_touching_chain_and_a_striker),
        cmocka_unit_test(terrain_is_hills_and_bodies),
        cmocka_unit_test(terrain_follows_from_its_seed),
        cmocka_unit_test(household_has_all_its_objects),
        cmocka_unit_test(household_as_a_list),
        cmocka_unit_test(household_of_meshes),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
