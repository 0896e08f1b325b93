/* Runs the program on a reference scene and compares its trace with the reference values.
 *
 *   run_golden ICF SCENE SETTING THREADS OUT [MPIRUN RANKS]
 *                                          compares every checkpoint of SCENE's .expected.json, or, where that states
 *                                          bounds, holds the run against them
 *
 * SETTING is handed to --set.  Results go to the folder OUT, the trace to OUT.jsonl; both stay for a look.
 * Exit code 0 when all agrees; else every difference is printed.
 */
#include "golden/bounds.h"
#include "golden/compare.h"

#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USAGE_ERROR = 2, PATH_LENGTH = 4096 };

/* Runs a program to its end.  Returns its exit code, or -1 when it did not start or was killed. */
static int run(char *const *arguments)
{
    pid_t child;
    int status = -1;
    const bool started = posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) == 0;
    if (!started || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

/* The expected values beside a scene: x.scene.json -> x.expected.json. */
static json_t *load_expected(const char *scene)
{
    char path[PATH_LENGTH];
    const char *end = strstr(scene, ".scene.json");
    if (!end) return NULL;
    snprintf(path, sizeof path, "%.*s.expected.json", (int)(end - scene), scene);
    json_error_t error;
    json_t *expected = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!expected) printf("%s:%d: %s\n", path, error.line, error.text);
    return expected;
}

static const json_t *find_checkpoint(const json_t *expected, json_int_t step)
{
    size_t i;
    const json_t *checkpoint;
    json_array_foreach(json_object_get(expected, "checkpoints"), i, checkpoint)
    {
        if (json_integer_value(json_object_get(checkpoint, "step")) == step) return checkpoint;
    }
    return NULL;
}

/* What a trace is held against, and the outcome so far. */
typedef struct comparison {
    json_t *scene, *expected;
    golden_bounds bounds;
    size_t nfound; /* checkpoints in the trace */
    int ndifference;
} comparison;

/* Compares one line of a trace if it is a checkpoint, and notes it for the bounds if there are some.
 * A line that is no JSON (a NaN in it, say) is a difference. */
static void compare_line(comparison *c, const char *line)
{
    json_error_t error;
    json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    const json_t *checkpoint = find_checkpoint(c->expected, json_integer_value(json_object_get(record, "step")));
    if (!record) {
        printf("trace: %s: %.100s\n", error.text, line);
        ++c->ndifference;
    } else if (checkpoint) {
        ++c->nfound;
        c->ndifference += golden_compare(checkpoint, json_object_get(c->expected, "tolerance"), record, stdout);
    }
    if (record && json_object_get(c->expected, "bounds")) golden_bounds_add(&c->bounds, record);
    json_decref(record);
}

static void compare_trace(comparison *c, const char *path)
{
    FILE *trace = fopen(path, "r");
    size_t capacity = 0;
    char *line = NULL;
    while (trace && getline(&line, &capacity, trace) > 0) compare_line(c, line);
    if (trace) fclose(trace);
    free(line);
}

/* True when the trace holds every checkpoint once and all values agree, and keeps the bounds. */
static bool trace_agrees(const char *scene, const char *path)
{
    comparison c = {.scene = json_load_file(scene, 0, NULL), .expected = load_expected(scene)};
    const json_t *bounds = json_object_get(c.expected, "bounds");
    const size_t ncheckpoint = json_array_size(json_object_get(c.expected, "checkpoints"));
    compare_trace(&c, path);
    if (bounds) c.ndifference += golden_bounds_check(&c.bounds, c.scene, bounds, stdout);
    printf("%zu of %zu checkpoints in the trace, %d differences\n", c.nfound, ncheckpoint, c.ndifference);
    const bool agrees = (ncheckpoint > 0 || bounds) && c.nfound == ncheckpoint && c.ndifference == 0;
    json_decref(c.scene);
    json_decref(c.expected);
    return agrees;
}

/* launcher: MPIRUN and RANKS, or NULL */
static int run_and_compare(char *icf, char *scene, char *setting, char *threads, char *out, char **launcher)
{
    char trace[PATH_LENGTH];
    snprintf(trace, sizeof trace, "%s.jsonl", out);
    unlink(trace); /* never compare what an earlier run left */
    char *arguments[] = {launcher ? launcher[0] : NULL,
                         "-n",
                         launcher ? launcher[1] : NULL,
                         icf,
                         "run",
                         scene,
                         "--trace",
                         trace,
                         "--every",
                         "1",
                         "--output",
                         out,
                         "--threads",
                         threads,
                         "--quiet",
                         "--set",
                         setting,
                         NULL};
    const int code = run(launcher ? arguments : arguments + 3);
    if (code != 0) {
        printf("exit code %d, expected 0\n", code);
        return EXIT_FAILURE;
    }
    return trace_agrees(scene, trace) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 6 || argc == 8)
        return run_and_compare(argv[1], argv[2], argv[3], argv[4], argv[5], argc == 8 ? argv + 6 : NULL);
    fprintf(stderr, "usage: run_golden ICF SCENE SETTING THREADS OUT [MPIRUN RANKS]\n");
    return USAGE_ERROR;
}
