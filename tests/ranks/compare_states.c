/* Compares the bodies in the last lines of two traces.
 *
 *   compare_states TRACE TRACE TOLERANCE    exit code 1 when a position [m], orientation or velocity [m/s, rad/s] of a
 * body or vertex differs by more, or the traces are not of the same bodies at the same step
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last line of a file as JSON; NULL when there is none. */
static json_t *read_last_line(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, *last = NULL;
    size_t capacity = 0;
    if (!file) return NULL;
    while (getline(&line, &capacity, file) > 0) {
        free(last);
        last = strdup(line);
    }
    json_t *record = last ? json_loads(last, 0, NULL) : NULL;
    free(line);
    free(last);
    fclose(file);
    return record;
}

/* Largest difference between two lists of numbers; infinite when their lengths differ. */
static double difference(const json_t *a, const json_t *b)
{
    const size_t n = json_array_size(a);
    double largest = n > 0 && n == json_array_size(b) ? 0.0 : INFINITY;
    for (size_t i = 0; i < n; ++i) {
        const double d = fabs(json_number_value(json_array_get(a, i)) - json_number_value(json_array_get(b, i)));
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

/* Largest of the differences of the members of two lists; infinite when their lengths differ, or are zero. */
static double compare_lists(const json_t *a, const json_t *b, double (*compare)(const json_t *, const json_t *))
{
    const size_t n = json_array_size(a);
    double largest = n > 0 && n == json_array_size(b) ? 0.0 : INFINITY;
    for (size_t i = 0; i < n; ++i) {
        const double d = compare(json_array_get(a, i), json_array_get(b, i));
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

static double compare_bodies(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"position", "orientation", "linear_velocity", "angular_velocity"};
    const json_t *name = json_object_get(a, "name");
    double largest = json_equal(name, json_object_get(b, "name")) ? 0.0 : INFINITY;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        const double d = difference(json_object_get(a, keys[k]), json_object_get(b, keys[k]));
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

static double compare_deformables(const json_t *a, const json_t *b)
{
    const json_t *name = json_object_get(a, "name");
    const double positions = compare_lists(json_object_get(a, "vertices"), json_object_get(b, "vertices"), difference);
    const double speeds = compare_lists(json_object_get(a, "velocities"), json_object_get(b, "velocities"), difference);
    return json_equal(name, json_object_get(b, "name")) ? fmax(positions, speeds) : INFINITY;
}

static double compare_states(const json_t *a, const json_t *b)
{
    const json_t *soft = json_object_get(a, "deformables");
    if (!json_equal(json_object_get(a, "step"), json_object_get(b, "step"))) return INFINITY;
    const double rigid = compare_lists(json_object_get(a, "bodies"), json_object_get(b, "bodies"), compare_bodies);
    if (!soft) return rigid;
    return fmax(rigid, compare_lists(soft, json_object_get(b, "deformables"), compare_deformables));
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    json_t *a = read_last_line(argv[1]), *b = read_last_line(argv[2]);
    const double largest = a && b ? compare_states(a, b) : INFINITY;
    printf("%s, %s: largest difference %.3g\n", argv[1], argv[2], largest);
    json_decref(a);
    json_decref(b);
    return largest <= strtod(argv[3], NULL) ? 0 : 1;
}
