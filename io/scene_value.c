/* Types of values of a scene file: numbers, text, choices, vectors.
 *
 * A plain scalar is a number when strtod reads all of it (in the C locale, so that the user's language does
 * not matter), `.inf` and `.nan` included; `true` and `false` are themselves; the rest, and everything in
 * quotes, is text.
 */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/scene_parse.h"

typedef enum number_kind { NOT_A_NUMBER, FINITE, INFINITE, NAN_NUMBER, TOO_LARGE } number_kind;

/* What a scalar is as a number. */
static number_kind classify(const icf_scene_reader *reader, const icf_yaml_event *event, double *x)
{
    *x = INFINITY;
    if (event->kind != ICF_YAML_SCALAR) return NOT_A_NUMBER;
    /* JSON has no infinity but the text "inf" */
    if (!event->plain) return strcmp(event->text, "inf") == 0 ? INFINITE : NOT_A_NUMBER;
    const char *text = event->text;
    if (strcmp(text, ".inf") == 0 || strcmp(text, "+.inf") == 0) return INFINITE;
    if (strcmp(text, "-.inf") == 0) {
        *x = -INFINITY;
        return INFINITE;
    }
    if (strcmp(text, ".nan") == 0) return NAN_NUMBER;
    char *end;
    errno = 0;
    *x = strtod_l(text, &end, reader->locale);
    if (end == text || end != text + event->length) return NOT_A_NUMBER;
    if (isnan(*x)) return NAN_NUMBER;
    if (isinf(*x)) return errno == ERANGE ? TOO_LARGE : INFINITE;
    return FINITE;
}

/* "> 0 kg", ">= 0 and < 1", "" */
static void print_range(const icf_range *range, char *text, size_t bytes)
{
    const char *space = range->unit[0] ? " " : "";
    const bool from = range->min > -INFINITY, to = range->max < INFINITY;
    char low[32] = "", high[32] = "";
    if (from) snprintf(low, sizeof low, "%s %.15g", range->above ? ">" : ">=", range->min);
    if (to) snprintf(high, sizeof high, "%s %.15g", range->below ? "<" : "<=", range->max);
    snprintf(text, bytes, "%s%s%s%s%s", low, from && to ? " and " : "", high, space, range->unit);
}

static bool in_range(const icf_range *range, double x)
{
    return (range->above ? x > range->min : x >= range->min) && (range->below ? x < range->max : x <= range->max);
}

/* Takes a number that is in the range; reports any other value and reads over it. */
static icf_status take_number(icf_scene_reader *reader, const icf_range *range, const icf_yaml_event *first, double *x)
{
    double read;
    const number_kind kind = classify(reader, first, &read);
    if (kind == NOT_A_NUMBER || (kind == INFINITE && !first->plain && !range->infinite))
        return icf_wrong_type(reader, first, "a number");
    char wanted[96];
    print_range(range, wanted, sizeof wanted);
    const int length = (int)ICF_MIN(first->length, 40);
    if (kind == NAN_NUMBER)
        icf_reader_error(reader, first->mark, "must not be NaN, got %.*s", length, first->text);
    else if (kind == TOO_LARGE)
        icf_reader_error(reader, first->mark, "the number %.*s is too large", length, first->text);
    else if (kind == INFINITE && !(range->infinite && read > 0))
        icf_reader_error(reader, first->mark, "must be finite, got %.*s", length, first->text);
    else if (!(kind == INFINITE || in_range(range, read)))
        icf_reader_error(reader, first->mark, "must be %s, got %.*s", wanted, length, first->text);
    else
        *x = read;
    return ICF_OK;
}

icf_status icf_read_number(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    return take_number(reader, &key->range, first, value);
}

icf_status icf_read_count(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    const int nerror = reader->errors.n;
    double x = 0.0;
    ICF_TRY(take_number(reader, &key->range, first, &x));
    if (reader->errors.n > nerror || first->kind == ICF_YAML_INVALID) return ICF_OK;
    const double exact = 9007199254740992.0; /* beyond it not every whole number is a double */
    if (x != floor(x))
        icf_reader_error(reader, first->mark, "must be a whole number, got %.40s", first->text);
    else if (fabs(x) > exact)
        icf_reader_error(reader, first->mark, "the number %.40s is too large", first->text);
    else
        *(icf_cnt *)value = (icf_cnt)x;
    return ICF_OK;
}

/* What a value is, for messages. */
static void describe(const icf_scene_reader *reader, const icf_yaml_event *event, char *text, size_t bytes)
{
    char quoted[ICF_QUOTE_BYTES];
    double x;
    if (event->kind == ICF_YAML_MAP)
        snprintf(text, bytes, "a mapping");
    else if (event->kind == ICF_YAML_LIST)
        snprintf(text, bytes, "a list");
    else if (event->plain && event->length == 0)
        snprintf(text, bytes, "nothing");
    else if (event->plain && (strcmp(event->text, "true") == 0 || strcmp(event->text, "false") == 0))
        snprintf(text, bytes, "%s", event->text);
    else if (event->plain && classify(reader, event, &x) != NOT_A_NUMBER)
        snprintf(text, bytes, "the number %.40s", event->text);
    else
        snprintf(text, bytes, "%s", icf_scene_quote(quoted, event->text, event->length));
}

icf_status icf_wrong_type(icf_scene_reader *reader, const icf_yaml_event *first, const char *wanted)
{
    if (first->kind != ICF_YAML_INVALID) {
        char got[ICF_QUOTE_BYTES + 16];
        describe(reader, first, got, sizeof got);
        icf_reader_error(reader, first->mark, "must be %s, got %s", wanted, got);
    }
    return icf_yaml_skip(&reader->stream, first);
}

static bool is_text(const icf_scene_reader *reader, const icf_yaml_event *event)
{
    if (event->kind != ICF_YAML_SCALAR) return false;
    if (!event->plain) return true;
    double x;
    return event->length > 0 && strcmp(event->text, "true") != 0 && strcmp(event->text, "false") != 0 &&
           classify(reader, event, &x) == NOT_A_NUMBER;
}

bool icf_is_number(const icf_scene_reader *reader, const icf_yaml_event *event)
{
    double x;
    return classify(reader, event, &x) != NOT_A_NUMBER;
}

bool icf_expect_text(icf_scene_reader *reader, const icf_yaml_event *event)
{
    if (event->kind == ICF_YAML_INVALID) return false;
    char got[ICF_QUOTE_BYTES + 16];
    if (!is_text(reader, event)) {
        describe(reader, event, got, sizeof got);
        icf_reader_error(reader, event->mark, "must be text, got %s%s", got,
                         event->kind == ICF_YAML_SCALAR && event->length > 0 ? " (quote it)" : "");
        return false;
    }
    for (size_t i = 0; i < event->length; ++i) {
        if ((unsigned char)event->text[i] >= 0x20 && event->text[i] != 0x7f) continue;
        icf_reader_error(reader, event->mark, "must not hold control characters");
        return false;
    }
    if (event->length > 0) return true;
    icf_reader_error(reader, event->mark, "must not be empty");
    return false;
}

icf_status icf_read_text(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    (void)key;
    if (!icf_expect_text(reader, first)) return icf_yaml_skip(&reader->stream, first);
    return icf_scene_set_text(value, first->text);
}

icf_status icf_read_flag(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    (void)key;
    const bool scalar = first->kind == ICF_YAML_SCALAR && first->plain;
    const bool is_true = scalar && strcmp(first->text, "true") == 0;
    if (!is_true && !(scalar && strcmp(first->text, "false") == 0))
        return icf_wrong_type(reader, first, "true or false");
    *(bool *)value = is_true;
    return ICF_OK;
}

/* Number of a name in a list, -1 when it is not in it. */
static int find_name(const char *const *names, const char *text)
{
    for (int i = 0; names && names[i]; ++i)
        if (strcmp(names[i], text) == 0) return i;
    return -1;
}

/* "a, b or c" */
static void print_choices(const icf_scene_key *key, char *text, size_t bytes)
{
    text[0] = '\0';
    for (int i = 0; key->choice[i]; ++i) {
        const size_t used = strlen(text);
        const char *separator = i == 0 ? "" : key->choice[i + 1] ? ", " : " or ";
        snprintf(text + used, bytes - used, "%s%s", separator, key->choice[i]);
    }
}

icf_status icf_read_choice(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    const bool text = is_text(reader, first);
    const int choice = text ? find_name(key->choice, first->text) : -1;
    if (choice >= 0) {
        *(int *)value = choice;
        return ICF_OK;
    }
    char choices[160];
    print_choices(key, choices, sizeof choices);
    return icf_wrong_type(reader, first, choices);
}

icf_status icf_read_numbers(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, int n,
                            double *value)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "a list of %d numbers", n);
    if (first->kind != ICF_YAML_LIST) return icf_wrong_type(reader, first, wanted);
    if (reader->npath >= ICF_PATH_STEPS) return ICF_ERROR_INTERNAL;
    icf_path_step *step = &reader->path[reader->npath++];
    *step = (icf_path_step){.index = 0};
    for (;; ++step->index) {
        icf_yaml_event element;
        ICF_TRY(icf_yaml_next(&reader->stream, &element));
        if (element.kind == ICF_YAML_END) break;
        if (step->index < n)
            ICF_TRY(take_number(reader, &key->range, &element, &value[step->index]));
        else
            ICF_TRY(icf_yaml_skip(&reader->stream, &element));
    }
    --reader->npath;
    if (step->index != n) icf_reader_error(reader, first->mark, "must be %s, got %lld", wanted, (long long)step->index);
    return ICF_OK;
}

icf_status icf_read_vector(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    icf_vec3 *vector = value;
    double x[3] = {vector->x, vector->y, vector->z};
    ICF_TRY(icf_read_numbers(reader, key, first, 3, x));
    *vector = icf_vec3_make(x[0], x[1], x[2]);
    return ICF_OK;
}

/* Whether a length is 1 but for rounding: then its vector stays as it is, bit for bit. */
static bool is_unit(double norm2)
{
    return fabs(norm2 - 1.0) <= 4.0 * DBL_EPSILON;
}

icf_status icf_read_direction(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                              void *value)
{
    const int nerror = reader->errors.n;
    icf_vec3 v = {0.0, 0.0, 0.0};
    ICF_TRY(icf_read_vector(reader, key, first, &v));
    if (reader->errors.n > nerror || first->kind == ICF_YAML_INVALID) return ICF_OK;
    /* scaled first, so that very small and very large vectors keep their direction */
    const double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (largest == 0.0)
        icf_reader_error(reader, first->mark, "must not be the zero vector");
    else if (is_unit(icf_norm2(v)))
        *(icf_vec3 *)value = v;
    else
        *(icf_vec3 *)value = icf_unit(icf_vec3_make(v.x / largest, v.y / largest, v.z / largest));
    return ICF_OK;
}

icf_status icf_read_rotation(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                             void *value)
{
    const int nerror = reader->errors.n;
    double x[4] = {1.0, 0.0, 0.0, 0.0};
    ICF_TRY(icf_read_numbers(reader, key, first, 4, x));
    if (reader->errors.n > nerror || first->kind == ICF_YAML_INVALID) return ICF_OK;
    const icf_quat q = {x[0], x[1], x[2], x[3]};
    const double norm2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], norm = sqrt(norm2);
    if (!(fabs(norm - 1.0) <= 0.01))
        icf_reader_error(reader, first->mark, "must be a quaternion [w, x, y, z] of norm 1 within 1 %%, got norm %.6g",
                         norm);
    else
        *(icf_quat *)value = is_unit(norm2) ? q : icf_quat_unit(q);
    return ICF_OK;
}

icf_status icf_read_section(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    return icf_read_map(reader, key->map, first, value);
}

/* A vector of a list; value: icf_vec3_list. */
static icf_status add_vector(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                             void *value)
{
    icf_vec3_list *list = value;
    icf_vec3 item = {0, 0, 0};
    ICF_TRY(icf_read_vector(reader, key, first, &item));
    ICF_TRY(ICF_GROW(list->item, list->capacity, list->n + 1));
    list->item[list->n++] = item;
    return ICF_OK;
}

icf_status icf_read_vectors(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    return icf_read_list(reader, key, first, add_vector, value);
}

/* A whole number of a list; value: icf_index_list. */
static icf_status add_index(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    icf_index_list *list = value;
    icf_cnt item = 0;
    ICF_TRY(icf_read_count(reader, key, first, &item));
    ICF_TRY(ICF_GROW(list->item, list->capacity, list->n + 1));
    list->item[list->n++] = item;
    return ICF_OK;
}

icf_status icf_read_indices(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    return icf_read_list(reader, key, first, add_index, value);
}
