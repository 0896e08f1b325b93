/* Scenes with machines that icf make writes: a drum that turns and a hopper that empties; nothing gets out but where it
 * may. */
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

/* Position of the next body of a trace line; false behind the last. */
static bool next_position(const char **at, bool *generated, double x[3])
{
    static const char key[] = "\"position\": [";
    const char *name = strstr(*at, "{\"name\": \"");
    const char *position = name ? strstr(name, key) : NULL;
    if (!position) return false;
    *generated = strncmp(name + strlen("{\"name\": \""), "body", 4) == 0;
    assert_int_equal(sscanf(position + strlen(key), "%lf,%lf,%lf", &x[0], &x[1], &x[2]), 3);
    *at = position;
    return true;
}

/* The number behind a text of a file. */
static double number_after(const char *text, const char *before)
{
    double value;
    const char *found = strstr(text, before);
    assert_non_null(found);
    assert_int_equal(sscanf(found + strlen(before), "%lf", &value), 1);
    return value;
}

/* A quarter of a turn: every body is inside, the wall that was on the side is below, and what lies on it has been
 * carried up on the side that moves up.  A point at (0, 0, -r) moves along -x. */
static void drum_turns_and_nothing_escapes(void **state)
{
    (void)state;
    outcome made = RUN("make", "drum", "--bodies", "500", "--speed", "2", "--step", "0.005", "--output", "drum.yaml");
    expect_success(&made);
    outcome_clear(&made);
    outcome run = RUN("run", "drum.yaml", "--steps", "157", "--every", "157", "--trace", "drum.jsonl", "--threads", "1",
                      "--output", "drum", "--quiet");
    expect_success(&run);
    outcome_clear(&run);
    char *scene = read_text("drum.yaml"), *trace = read_text("drum.jsonl");
    const double length = number_after(scene, "- {name: lid-plus, shape: {type: box, size: [") - 0.2; /* 2 r */
    const double r = 0.5 * length;
    const char *at = trace;
    double x[3], sum[2] = {0.0, 0.0};
    int n = 0, nwall = 0;
    for (bool generated; next_position(&at, &generated, x);) {
        if (!generated) {
            if (++nwall == 7) assert_true(fabs(x[0]) < 2e-3 && fabs(x[2] + r + 0.05) < 1e-5); /* stave-6 */
            continue;
        }
        ++n;
        assert_true(hypot(x[0], x[2]) < r);
        assert_true(fabs(x[1]) < 0.5 * r);
        sum[0] += x[0];
        sum[1] += x[2];
    }
    assert_int_equal(nwall, 26);
    assert_int_equal(n, 500);
    assert_true(sum[0] / n < -0.05 * r);
    assert_true(sum[1] / n < -0.5 * r);
    free(scene);
    free(trace);
}

/* After a second and a half some bodies have run out, and those above the outlet are in the bin or between the four
 * planes of the funnel. */
static void hopper_lets_bodies_out_below_alone(void **state)
{
    (void)state;
    const double slope = sqrt(3.0);
    outcome made = RUN("make", "hopper", "--bodies", "150", "--outlet", "0.4", "--output", "hopper.yaml");
    expect_success(&made);
    outcome_clear(&made);
    outcome run = RUN("run", "hopper.yaml", "--duration", "1.5", "--every", "750", "--trace", "hopper.jsonl",
                      "--threads", "1", "--output", "hopper", "--quiet");
    expect_success(&run);
    outcome_clear(&run);
    char *scene = read_text("hopper.yaml"), *trace = read_text("hopper.jsonl");
    const char *region = strstr(scene, "region: ");
    assert_non_null(region);
    const double half = 0.5 * number_after(region, "size: ["), low = 2.0 * half;
    const char *at = trace;
    double x[3];
    int n = 0, nout = 0;
    for (bool generated; next_position(&at, &generated, x); ++n) {
        assert_true(generated && x[2] > 0.0);
        if (x[2] < low)
            ++nout;
        else
            assert_true(fmax(fabs(x[0]), fabs(x[1])) < fmin(half, 0.2 + (x[2] - low) / slope));
    }
    assert_int_equal(n, 150);
    assert_true(nout > 10);
    free(scene);
    free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drum_turns_and_nothing_escapes),
        cmocka_unit_test(hopper_lets_bodies_out_below_alone),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
