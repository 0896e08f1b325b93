/* Mappings and lists of a scene file, read by their tables; paths for messages. */
#include "io/scene_parse.h"

#include <stdio.h>
#include <string.h>

/* Path to the value that is being read, with a key behind it (NULL: none). */
static void print_path(const icf_scene_reader *reader, const char *key, char *text)
{
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i <= reader->npath && used < ICF_PATH_BYTES; ++i) {
        const icf_path_step step = i < reader->npath ? reader->path[i] : (icf_path_step){.key = key};
        const size_t left = (size_t)(ICF_PATH_BYTES - used);
        if (step.key)
            used += snprintf(text + used, left, "%s%.60s", used > 0 ? "." : "", step.key);
        else if (i < reader->npath)
            used += snprintf(text + used, left, "[%lld]", (long long)step.index);
    }
}

void icf_reader_path(const icf_scene_reader *reader, char *text, size_t bytes)
{
    char path[ICF_PATH_BYTES];
    print_path(reader, NULL, path);
    snprintf(text, bytes, "%s", path);
}

void icf_reader_error(icf_scene_reader *reader, icf_mark mark, const char *format, ...)
{
    char path[ICF_PATH_BYTES];
    print_path(reader, NULL, path);
    va_list arguments;
    va_start(arguments, format);
    icf_scene_errors_addv(&reader->errors, mark, path, format, arguments);
    va_end(arguments);
}

void icf_reader_key_error(icf_scene_reader *reader, icf_mark mark, const char *key, const char *format, ...)
{
    char path[ICF_PATH_BYTES];
    print_path(reader, key, path);
    va_list arguments;
    va_start(arguments, format);
    icf_scene_errors_addv(&reader->errors, mark, path, format, arguments);
    va_end(arguments);
}

enum { longest_name = 40 };

/* Edit distance of two texts of less than longest_name bytes. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[longest_name + 1];
    const size_t n = strlen(b);
    for (size_t j = 0; j <= n; ++j) row[j] = j;
    for (size_t i = 0; a[i]; ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= n; ++j) {
            const size_t change = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            row[j] = ICF_MIN(change, ICF_MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

bool icf_name_is_nearer(const char *name, const char *text, size_t *distance)
{
    const size_t n = strlen(name), m = strlen(text);
    if (n >= longest_name || m >= longest_name) return false;
    const size_t found = edit_distance(text, name);
    if (found >= *distance || found > m / 3 + 1 || found >= n) return false;
    *distance = found;
    return true;
}

static int find_key(const icf_scene_map *map, const icf_yaml_event *name)
{
    for (int i = 0; i < map->nkey; ++i)
        if (map->key[i].name[0] == name->text[0] && strcmp(map->key[i].name, name->text) == 0) return i;
    return -1;
}

static void report_unknown(icf_scene_reader *reader, const icf_scene_map *map, const icf_yaml_event *name)
{
    const char *nearest = NULL;
    size_t distance = SIZE_MAX;
    for (int i = 0; i < map->nkey; ++i)
        if (icf_name_is_nearer(map->key[i].name, name->text, &distance)) nearest = map->key[i].name;
    char quoted[ICF_QUOTE_BYTES];
    icf_scene_quote(quoted, name->text, name->length);
    quoted[strlen(quoted) - 1] = '\0';
    if (strcmp(name->text, "<<") == 0)
        icf_reader_key_error(reader, name->mark, "<<", "merge keys are not supported");
    else if (nearest)
        icf_reader_key_error(reader, name->mark, quoted + 1, "unknown key; did you mean \"%s\"?", nearest);
    else
        icf_reader_key_error(reader, name->mark, quoted + 1, "unknown key");
}

/* Reads the value of key i, which begins with `first`, and notes whether it was good. */
static icf_status read_value(icf_scene_reader *reader, const icf_scene_key *key, int i, const icf_yaml_event *first,
                             void *target, icf_scene_given *given)
{
    given->value[i] = first->mark;
    const int nerror = reader->errors.n;
    if (reader->npath >= ICF_PATH_STEPS) return ICF_ERROR_INTERNAL;
    reader->path[reader->npath++] = (icf_path_step){.key = key->name};
    ICF_TRY(key->read(reader, key, first, (char *)target + key->offset));
    --reader->npath;
    if (reader->errors.n == nerror && first->kind != ICF_YAML_INVALID) given->good |= 1u << i;
    return ICF_OK;
}

/* Reads a key, which is in `name`, and its value. */
static icf_status read_entry(icf_scene_reader *reader, const icf_scene_map *map, const icf_yaml_event *name,
                             void *target, icf_scene_given *given)
{
    int i = -1;
    if (name->kind == ICF_YAML_SCALAR) {
        i = find_key(map, name);
        if (i < 0) report_unknown(reader, map, name);
    } else if (name->kind != ICF_YAML_INVALID) {
        icf_reader_error(reader, name->mark, "a key must be text");
    }
    const icf_mark mark = name->mark;
    ICF_TRY(icf_yaml_skip(&reader->stream, name));
    icf_yaml_event value;
    ICF_TRY(icf_yaml_next(&reader->stream, &value));
    if (i < 0) return icf_yaml_skip(&reader->stream, &value);
    const icf_scene_key *key = &map->key[i];
    if (icf_given(given, i)) {
        icf_reader_key_error(reader, mark, key->name, "duplicate key, first given at line %d", given->key[i].line);
        return icf_yaml_skip(&reader->stream, &value);
    }
    given->present |= 1u << i;
    given->key[i] = mark;
    return read_value(reader, key, i, &value, target, given);
}

void icf_report_missing(icf_scene_reader *reader, const icf_scene_map *map, const icf_scene_given *given, int i)
{
    icf_reader_key_error(reader, given->start, map->key[i].name, "missing, this key is required");
}

icf_status icf_read_map(icf_scene_reader *reader, const icf_scene_map *map, const icf_yaml_event *first, void *target)
{
    if (first->kind != ICF_YAML_MAP) return icf_wrong_type(reader, first, "a mapping");
    icf_scene_given given;
    given.start = first->mark;
    given.present = given.good = 0;
    for (;;) {
        icf_yaml_event name;
        ICF_TRY(icf_yaml_next(&reader->stream, &name));
        if (name.kind == ICF_YAML_END) break;
        ICF_TRY(read_entry(reader, map, &name, target, &given));
    }
    for (int i = 0; i < map->nkey; ++i)
        if (map->key[i].required && !icf_given(&given, i)) icf_report_missing(reader, map, &given, i);
    if (map->check) map->check(reader, &given, target);
    return ICF_OK;
}

int icf_given_one_of(icf_scene_reader *reader, const icf_scene_map *map, icf_scene_given *given, int i, int j)
{
    if (!icf_given(given, i) || !icf_given(given, j)) return icf_given(given, i) ? i : icf_given(given, j) ? j : -1;
    const bool i_set = given->key[i].override >= 0, j_set = given->key[j].override >= 0;
    if (i_set == j_set)
        icf_reader_key_error(reader, given->key[j], map->key[j].name, "give either %s or %s, not both",
                             map->key[i].name, map->key[j].name);
    /* what loses counts as absent from here on */
    const int loser = j_set && !i_set ? i : j;
    given->present &= ~(1u << loser);
    given->good &= ~(1u << loser);
    return loser == i ? j : i;
}

icf_status icf_read_list(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                         icf_read_value *read, void *value)
{
    if (first->kind != ICF_YAML_LIST) return icf_wrong_type(reader, first, "a list");
    if (reader->npath >= ICF_PATH_STEPS) return ICF_ERROR_INTERNAL;
    icf_path_step *step = &reader->path[reader->npath++];
    *step = (icf_path_step){.index = 0};
    for (;; ++step->index) {
        icf_yaml_event element;
        ICF_TRY(icf_yaml_next(&reader->stream, &element));
        if (element.kind == ICF_YAML_END) break;
        ICF_TRY(read(reader, key, &element, value));
    }
    --reader->npath;
    return ICF_OK;
}
