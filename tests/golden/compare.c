/* Comparison of one record of a trace with reference values of the same step. */
#include "golden/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* One comparison under way: the inputs, where differences are told, and how many there were. */
typedef struct comparison {
    const json_t *checkpoint, *tolerance, *record;
    FILE *out;
    int ndifference;
} comparison;

/* What of a body is compared, and to factor times which tolerance. */
static const struct {
    const char *key, *tolerance;
    double factor;
    int n;
} body_values[] = {
    {"position", "position_abs", 1, 3},
    {"orientation", "quaternion_abs", 1, 4},
    {"linear_velocity", "velocity_abs", 1, 3},
    {"angular_velocity", "velocity_abs", 20, 3},
};

/* Contacts below this part of the total impulse may come and go with rounding. */
static const double small_contact = 1e-3;

/* Reactions below this [N] are those of nothing that is held. */
static const double small_reaction = 1e-9;

/* A number of an object; NaN, which satisfies no comparison, when it is missing. */
static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double component(const json_t *object, const char *key, int i)
{
    const json_t *value = json_array_get(json_object_get(object, key), (size_t)i);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* |a - sign b| of two vectors with n components. */
static double distance(const json_t *a, const json_t *b, const char *key, int n, double sign)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double d = component(a, key, i) - sign * component(b, key, i);
        sum += d * d;
    }
    return sqrt(sum);
}

static double length(const json_t *object, const char *key)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += component(object, key, i) * component(object, key, i);
    return sqrt(sum);
}

/* Notes a difference unless value <= limit. */
__attribute__((format(printf, 4, 5))) static void expect_below(comparison *c, double value, double limit,
                                                               const char *format, ...)
{
    if (value <= limit) return;
    ++c->ndifference;
    va_list arguments;
    va_start(arguments, format);
    fprintf(c->out, "step %d: ", (int)number(c->checkpoint, "step"));
    vfprintf(c->out, format, arguments);
    fprintf(c->out, ": off by %.3g, allowed %.3g\n", value, limit);
    va_end(arguments);
}

/* The object with a name in a list of the record, or NULL. */
static const json_t *find_named(const json_t *record, const char *list, const char *name)
{
    size_t i;
    const json_t *object;
    json_array_foreach(json_object_get(record, list), i, object)
    {
        const char *other = json_string_value(json_object_get(object, "name"));
        if (other && strcmp(other, name) == 0) return object;
    }
    return NULL;
}

static void compare_body(comparison *c, const json_t *expected)
{
    const char *name = json_string_value(json_object_get(expected, "name"));
    const json_t *body = find_named(c->record, "bodies", name);
    for (size_t i = 0; i < sizeof body_values / sizeof *body_values; ++i) {
        const char *key = body_values[i].key;
        const int n = body_values[i].n;
        if (!json_object_get(expected, key)) continue;
        double off = distance(expected, body, key, n, 1);
        if (n == 4) off = fmin(off, distance(expected, body, key, n, -1)); /* q and -q are one rotation */
        expect_below(c, off, body_values[i].factor * number(c->tolerance, body_values[i].tolerance), "%s of %s", key,
                     name);
    }
}

/* Largest |a_i - b_i| of two lists of vectors; NaN unless both have as many. */
static double largest_distance(const json_t *a, const json_t *b)
{
    double largest = 0;
    const size_t n = json_array_size(a);
    if (n == 0 || json_array_size(b) != n) return (double)NAN;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t k = 0; k < 3; ++k) {
            const json_t *x = json_array_get(json_array_get(a, i), k), *y = json_array_get(json_array_get(b, i), k);
            const double d = json_is_number(y) ? json_number_value(x) - json_number_value(y) : (double)NAN;
            sum += d * d;
        }
        if (!(sum <= largest)) largest = sum; /* a NaN stays: nothing is below it */
        if (isnan(sum)) break;
    }
    return sqrt(largest);
}

static void compare_deformable(comparison *c, const json_t *expected)
{
    const char *name = json_string_value(json_object_get(expected, "name"));
    const json_t *body = find_named(c->record, "deformables", name);
    expect_below(c, largest_distance(json_object_get(expected, "vertices"), json_object_get(body, "vertices")),
                 number(c->tolerance, "position_abs"), "vertices of %s", name);
    expect_below(c, largest_distance(json_object_get(expected, "velocities"), json_object_get(body, "velocities")),
                 number(c->tolerance, "velocity_abs"), "velocities of %s", name);
    if (json_object_get(expected, "reaction") && length(expected, "reaction") > small_reaction)
        expect_below(c, distance(expected, body, "reaction", 3, 1), 1e-6 * fmax(length(expected, "reaction"), 1e-3),
                     "reaction of %s", name);
}

/* Energies are compared on the scale of their sum. */
static void compare_energy(comparison *c, const char *key, const char *what)
{
    const double expected = number(c->checkpoint, key), got = number(json_object_get(c->record, "energy"), what);
    const double scale = fabs(number(c->checkpoint, "kinetic_energy")) + fabs(number(c->checkpoint, "elastic_energy"));
    expect_below(c, fabs(got - expected), 1e-5 * fmax(scale, 1e-9), "%s energy %.17g", what, got);
}

static void compare_deformables(comparison *c)
{
    const json_t *list = json_object_get(c->checkpoint, "deformables"), *expected;
    size_t i;
    if (!list) return;
    json_array_foreach(list, i, expected) compare_deformable(c, expected);
    compare_energy(c, "kinetic_energy", "kinetic");
    compare_energy(c, "elastic_energy", "elastic");
}

/* The contact of the record of the same pair whose point is nearest, or NULL. */
static const json_t *find_contact(const json_t *record, const json_t *expected)
{
    const json_t *pair = json_object_get(expected, "bodies"), *nearest = NULL, *contact;
    double least = INFINITY;
    size_t i;
    json_array_foreach(json_object_get(record, "contacts"), i, contact)
    {
        const double d = distance(expected, contact, "point", 3, 1);
        if (!json_equal(json_object_get(contact, "bodies"), pair) || !(d < least)) continue;
        nearest = contact;
        least = d;
    }
    return nearest;
}

static void compare_contact(comparison *c, const json_t *expected)
{
    const json_t *contact = find_contact(c->record, expected), *pair = json_object_get(expected, "bodies");
    const char *a = json_string_value(json_array_get(pair, 0)), *b = json_string_value(json_array_get(pair, 1));
    const double position = 100 * number(c->tolerance, "position_abs");
    const double impulse = 1000 * number(c->tolerance, "normal_impulse_rel");
    const double scale = fmax(length(expected, "impulse"), number(c->checkpoint, "sum_normal_impulse"));

    expect_below(c, distance(expected, contact, "point", 3, 1), position, "contact point of %s and %s", a, b);
    expect_below(c, distance(expected, contact, "normal", 3, 1), 1e-7, "normal of %s and %s", a, b);
    expect_below(c, fabs(number(expected, "distance") - number(contact, "distance")), position, "distance of %s and %s",
                 a, b);
    expect_below(c, distance(expected, contact, "impulse", 3, 1), impulse * scale + 1e-12, "impulse of %s and %s", a,
                 b);
}

/* Totals over the contacts of the record. */
static void compare_sums(comparison *c, double expected)
{
    double sum = 0;
    int nactive = 0;
    size_t i;
    const json_t *contact;
    json_array_foreach(json_object_get(c->record, "contacts"), i, contact)
    {
        sum += number(contact, "normal_impulse");
        nactive += number(contact, "normal_impulse") > 0;
    }
    const double relative = 10 * number(c->tolerance, "normal_impulse_rel");
    expect_below(c, fabs(sum - expected), relative * fmax(expected, 1e-12) + 1e-13, "total normal impulse %.17g", sum);
    if (expected > 1e-10) {
        expect_below(c, fabs(nactive - number(c->checkpoint, "active")), 0, "%d active contacts", nactive);
    }
}

static void compare_contacts(comparison *c)
{
    const json_t *contacts = json_object_get(c->checkpoint, "contacts"), *expected;
    if (!contacts) return;
    const double sum = number(c->checkpoint, "sum_normal_impulse");
    size_t i;
    compare_sums(c, sum);
    json_array_foreach(contacts, i, expected)
    {
        if (number(expected, "normal_impulse") > small_contact * sum) compare_contact(c, expected);
    }
}

static void compare_cost(comparison *c, const char *key)
{
    if (!json_object_get(c->checkpoint, key)) return;
    const double expected = number(c->checkpoint, key), got = number(json_object_get(c->record, "solver"), key);
    expect_below(c, fabs(got - expected), 1e-5 * fabs(expected) + 1e-14, "%s %.17g", key, got);
}

int golden_compare(const json_t *checkpoint, const json_t *tolerance, const json_t *record, FILE *out)
{
    comparison c = {.checkpoint = checkpoint, .tolerance = tolerance, .record = record, .out = out};
    size_t i;
    const json_t *body;
    json_array_foreach(json_object_get(checkpoint, "bodies"), i, body) compare_body(&c, body);
    compare_deformables(&c);
    compare_contacts(&c);
    compare_cost(&c, "cost");
    compare_cost(&c, "contact_cost");
    return c.ndifference;
}
