/* Overrides worked into the events of a scene file.
 *
 * Each override walks down with the reader: level is the innermost open node on its path, rest[level] what
 * of the path is left there.  When a key or element is entered, the overrides that stand at its parent are
 * compared with it: one that ends there replaces the value, one that goes on moves a level down.  What is
 * left over at the end of a mapping is added to it.
 */
#include "io/yaml_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const icf_yaml_event end_event = {.kind = ICF_YAML_END, .text = "", .mark = {0, 0, -1}};
static const icf_yaml_event empty_map[] = {{.kind = ICF_YAML_MAP, .text = "", .mark = {0, 0, -1}},
                                           {.kind = ICF_YAML_END, .text = "", .mark = {0, 0, -1}}};

static icf_status keep(icf_yaml_events *events, const icf_yaml_event *event)
{
    ICF_TRY(ICF_GROW(events->event, events->capacity, events->n + 1));
    events->event[events->n++] = *event;
    if (event->kind != ICF_YAML_SCALAR) return ICF_OK;
    ICF_TRY(ICF_GROW(events->text, events->text_capacity, events->text_bytes + event->length + 1));
    memcpy(events->text + events->text_bytes, event->text, event->length + 1);
    events->text_bytes += event->length + 1;
    return ICF_OK;
}

/* Points the kept scalars to their kept texts, when all are there. */
static void link_texts(icf_yaml_events *events)
{
    const char *text = events->text;
    for (size_t i = 0; i < events->n; ++i) {
        if (events->event[i].kind != ICF_YAML_SCALAR) continue;
        events->event[i].text = text;
        text += events->event[i].length + 1;
    }
}

static void forget(icf_yaml_events *events)
{
    events->n = events->text_bytes = 0;
}

static void free_events(icf_yaml_events *events)
{
    icf_free(events->event);
    icf_free(events->text);
    *events = (icf_yaml_events){0};
}

/* Change of the nesting depth by an event. */
static int nesting(const icf_yaml_event *event)
{
    return event->kind == ICF_YAML_MAP || event->kind == ICF_YAML_LIST ? 1 : event->kind == ICF_YAML_END ? -1 : 0;
}

/* Reads the value of an override; an empty text is an empty scalar. */
static icf_status read_value(icf_yaml_edit *edit, icf_yaml_source *source, int32_t override)
{
    icf_yaml_event event;
    do {
        ICF_TRY(icf_yaml_source_next(source, &event));
        if (event.kind != ICF_YAML_EOF) ICF_TRY(keep(&edit->value, &event));
    } while (event.kind != ICF_YAML_EOF);
    if (edit->value.n == 0)
        ICF_TRY(keep(&edit->value, &(icf_yaml_event){.plain = true, .text = "", .mark = {0, 0, override}}));
    link_texts(&edit->value);
    return ICF_OK;
}

static icf_status init_edit(icf_yaml_edit *edit, int32_t override, icf_scene_errors *errors)
{
    *edit = (icf_yaml_edit){.path = errors->overrides[override].path};
    edit->rest[0] = edit->path;
    const size_t bytes = strlen(edit->path) + 1;
    edit->split = icf_alloc(bytes);
    if (!edit->split) return ICF_ERROR_MEMORY;
    for (size_t i = 0; i < bytes; ++i)
        edit->split[i] = edit->path[i] == '.' || edit->path[i] == '[' ? '\0' : edit->path[i];
    icf_yaml_source source;
    ICF_TRY(icf_yaml_source_init_override(&source, override, errors));
    const icf_status status = read_value(edit, &source, override);
    icf_yaml_source_clear(&source);
    /* a value that is no YAML is reported; the scene is checked without it */
    if (status == ICF_ERROR_SCENE) edit->done = true;
    return status == ICF_ERROR_SCENE ? ICF_OK : status;
}

icf_status icf_yaml_stream_init(icf_yaml_stream *stream, FILE *file, int noverride, icf_scene_errors *errors)
{
    *stream = (icf_yaml_stream){.errors = errors};
    ICF_TRY(icf_yaml_source_init_file(&stream->source, file, errors));
    if (noverride == 0) return ICF_OK;
    stream->edit = icf_alloc((size_t)noverride * sizeof *stream->edit);
    if (!stream->edit) return ICF_ERROR_MEMORY;
    for (; stream->nedit < noverride; ++stream->nedit) {
        stream->edit[stream->nedit] = (icf_yaml_edit){0};
        ICF_TRY(init_edit(&stream->edit[stream->nedit], stream->nedit, errors));
    }
    return ICF_OK;
}

void icf_yaml_stream_clear(icf_yaml_stream *stream)
{
    for (int i = 0; i < stream->nedit; ++i) {
        free_events(&stream->edit[i].value);
        icf_free(stream->edit[i].split);
    }
    icf_free(stream->edit);
    free_events(&stream->element);
    icf_yaml_source_clear(&stream->source);
    *stream = (icf_yaml_stream){0};
}

static icf_status push_replay(icf_yaml_stream *stream, const icf_yaml_event *event, size_t n)
{
    if (stream->nreplay >= (int)(sizeof stream->replay / sizeof stream->replay[0])) return ICF_ERROR_INTERNAL;
    stream->replay[stream->nreplay++] = (icf_yaml_replay){event, n, 0};
    return ICF_OK;
}

/* The next event of what is replayed, else of the file. */
static icf_status pull(icf_yaml_stream *stream, icf_yaml_event *event)
{
    while (stream->nreplay > 0) {
        icf_yaml_replay *replay = &stream->replay[stream->nreplay - 1];
        if (replay->at < replay->n) {
            *event = replay->event[replay->at++];
            return ICF_OK;
        }
        --stream->nreplay;
    }
    return icf_yaml_source_next(&stream->source, event);
}

/* Drops the rest of the value that begins with `first`. */
static icf_status drop(icf_yaml_stream *stream, const icf_yaml_event *first)
{
    icf_yaml_event event;
    for (int depth = nesting(first); depth > 0; depth += nesting(&event)) ICF_TRY(pull(stream, &event));
    return ICF_OK;
}

/* What of the path is left behind a key, NULL when the path does not begin with it. */
static const char *match_key(const char *rest, const char *key, size_t length)
{
    if (strncmp(rest, key, length) != 0) return NULL;
    rest += length;
    if (*rest == '.') return rest + 1;
    return *rest == '[' || *rest == '\0' ? rest : NULL;
}

/* The same behind "[number]". */
static const char *match_number(const char *rest, icf_cnt number)
{
    if (rest[0] != '[' || rest[1] < '0' || rest[1] > '9') return NULL;
    char *end;
    if (strtoll(rest + 1, &end, 10) != number || *end != ']') return NULL;
    return match_key(end + 1, "", 0);
}

/* Whether an override waits for a key or element of the node at a level. */
static bool waits_at(const icf_yaml_edit *edit, int level)
{
    return !edit->done && edit->level == level;
}

/* An override enters a key or element of the node at `level` with `next` left of its path. */
static void advance(icf_yaml_stream *stream, int level, int i, const char *next)
{
    icf_yaml_edit *edit = &stream->edit[i];
    if (*next != '\0' && level + 1 <= ICF_YAML_DEPTH_MAX) {
        edit->level = level + 1;
        edit->rest[level + 1] = next;
        return;
    }
    /* the whole value is replaced: what earlier overrides say about it is lost */
    for (int j = 0; j < i; ++j)
        if (waits_at(&stream->edit[j], level + 1)) stream->edit[j].done = true;
    edit->done = true;
    stream->frame[level].replacement = i;
}

static void enter_key(icf_yaml_stream *stream, int level, const char *key, size_t length)
{
    stream->frame[level].replacement = -1;
    for (int i = 0; i < stream->nedit; ++i) {
        if (!waits_at(&stream->edit[i], level)) continue;
        const char *next = match_key(stream->edit[i].rest[level], key, length);
        if (next) advance(stream, level, i, next);
    }
}

static bool any_waits(const icf_yaml_stream *stream, int level)
{
    for (int i = 0; i < stream->nedit; ++i)
        if (waits_at(&stream->edit[i], level)) return true;
    return false;
}

/* Reports an override that cannot go on in the node at a level. */
static void give_up(icf_yaml_stream *stream, int level, int i, const char *reason)
{
    icf_yaml_edit *edit = &stream->edit[i];
    size_t n = (size_t)(edit->rest[level] - edit->path);
    while (n > 0 && edit->path[n - 1] == '.') --n;
    icf_scene_errors_add(stream->errors, (icf_mark){0, 0, i}, "", "%.*s %s", n > 0 ? (int)ICF_MIN(n, 100) : 9,
                         n > 0 ? edit->path : "the scene", reason);
    edit->done = true;
}

/* Reports all overrides that wait at a level. */
static void give_up_all(icf_yaml_stream *stream, int level, const char *reason)
{
    for (int i = 0; i < stream->nedit; ++i)
        if (waits_at(&stream->edit[i], level)) give_up(stream, level, i, reason);
}

/* Keeps the events of an element behind its MAP event and finds its name ("" when it has none). */
static icf_status keep_element(icf_yaml_stream *stream, const icf_yaml_event **name)
{
    icf_yaml_events *element = &stream->element;
    forget(element);
    size_t named = 0;
    bool is_key = true;
    for (int depth = 1; depth > 0;) {
        icf_yaml_event event;
        ICF_TRY(pull(stream, &event));
        ICF_TRY(keep(element, &event));
        /* at depth 1 keys and values alternate; a nested value ends with its END event */
        if (depth == 1 && is_key && event.kind == ICF_YAML_SCALAR && strcmp(event.text, "name") == 0)
            named = element->n;
        depth += nesting(&event);
        if (depth == 1) is_key = !is_key;
    }
    link_texts(element);
    *name = named > 0 && element->event[named].kind == ICF_YAML_SCALAR ? &element->event[named] : NULL;
    return push_replay(stream, element->event, element->n);
}

/* Enters element `number` of a list that begins with `first`: by number, and by name where it may have one. */
static icf_status enter_element(icf_yaml_stream *stream, int level, icf_cnt number, const icf_yaml_event *first)
{
    stream->frame[level].replacement = -1;
    bool by_name = false;
    for (int i = 0; i < stream->nedit; ++i)
        by_name = by_name || (waits_at(&stream->edit[i], level) && stream->edit[i].rest[level][0] != '[');
    const icf_yaml_event *name = NULL;
    if (by_name && level == 1 && first->kind == ICF_YAML_MAP) ICF_TRY(keep_element(stream, &name));
    for (int i = 0; i < stream->nedit; ++i) {
        if (!waits_at(&stream->edit[i], level)) continue;
        const char *rest = stream->edit[i].rest[level];
        const char *next = match_number(rest, number);
        if (!next && name) next = match_key(rest, name->text, name->length);
        if (next) advance(stream, level, i, next);
    }
    return ICF_OK;
}

/* The first override that waits at a level for a key; reports those that want an element; -1: none. */
static int edit_to_add(icf_yaml_stream *stream, int level)
{
    for (int i = 0; i < stream->nedit; ++i) {
        if (!waits_at(&stream->edit[i], level)) continue;
        if (stream->edit[i].rest[level][0] != '[') return i;
        give_up(stream, level, i, "is not a list");
    }
    return -1;
}

/* Ends a mapping, or adds a key to it when an override still waits for one. */
static icf_status end_map(icf_yaml_stream *stream, int level, icf_yaml_event *event)
{
    const int i = edit_to_add(stream, level);
    if (i < 0) {
        --stream->nframe;
        return ICF_OK;
    }
    const icf_yaml_edit *edit = &stream->edit[i];
    const char *key = edit->split + (edit->rest[level] - edit->path);
    *event = (icf_yaml_event){.plain = true, .text = key, .length = strlen(key), .mark = {0, 0, i}};
    stream->frame[level].in_value = true;
    stream->frame[level].added = i;
    enter_key(stream, level, key, event->length);
    return push_replay(stream, &end_event, 1);
}

static icf_status open_frame(icf_yaml_stream *stream, const icf_yaml_event *event)
{
    if (stream->nframe >= ICF_YAML_DEPTH_MAX) {
        icf_scene_errors_add(stream->errors, event->mark, "", "nested deeper than %d levels", ICF_YAML_DEPTH_MAX);
        return ICF_ERROR_SCENE;
    }
    stream->frame[stream->nframe++] = (icf_yaml_frame){.kind = event->kind, .replacement = -1};
    return ICF_OK;
}

static icf_status next_key(icf_yaml_stream *stream, int level, icf_yaml_event *event)
{
    icf_yaml_frame *frame = &stream->frame[level];
    ICF_TRY(pull(stream, event));
    if (event->kind == ICF_YAML_END) return end_map(stream, level, event);
    frame->in_value = true;
    frame->added = frame->replacement = -1;
    if (event->kind == ICF_YAML_SCALAR) enter_key(stream, level, event->text, event->length);
    /* a key that is no scalar is wrong, but it has to be read over */
    return nesting(event) > 0 ? open_frame(stream, event) : ICF_OK;
}

/* The first event of the value of a key. */
static icf_status begin_map_value(icf_yaml_stream *stream, icf_yaml_frame *frame, icf_yaml_event *event)
{
    frame->in_value = false;
    if (frame->replacement >= 0) {
        const icf_yaml_events *value = &stream->edit[frame->replacement].value;
        if (frame->added < 0) {
            ICF_TRY(pull(stream, event));
            ICF_TRY(drop(stream, event));
        }
        ICF_TRY(push_replay(stream, value->event, value->n));
    } else if (frame->added >= 0) {
        ICF_TRY(push_replay(stream, empty_map, 2));
        ICF_TRY(pull(stream, event));
        event->mark.override = frame->added;
        return ICF_OK;
    }
    return pull(stream, event);
}

/* The first event of an element of a list, or the list's end. */
static icf_status begin_element(icf_yaml_stream *stream, int level, icf_yaml_event *event)
{
    icf_yaml_frame *frame = &stream->frame[level];
    ICF_TRY(pull(stream, event));
    if (event->kind == ICF_YAML_END) return ICF_OK;
    const icf_cnt number = frame->nelement++;
    if (!any_waits(stream, level)) return ICF_OK;
    ICF_TRY(enter_element(stream, level, number, event));
    if (frame->replacement < 0) return ICF_OK;
    const icf_yaml_events *value = &stream->edit[frame->replacement].value;
    ICF_TRY(drop(stream, event));
    ICF_TRY(push_replay(stream, value->event, value->n));
    return pull(stream, event);
}

static icf_status next_value(icf_yaml_stream *stream, int level, icf_yaml_event *event)
{
    if (level < 0)
        ICF_TRY(pull(stream, event));
    else if (stream->frame[level].kind == ICF_YAML_MAP)
        ICF_TRY(begin_map_value(stream, &stream->frame[level], event));
    else
        ICF_TRY(begin_element(stream, level, event));
    if (event->kind == ICF_YAML_MAP || event->kind == ICF_YAML_LIST) return open_frame(stream, event);
    if (event->kind == ICF_YAML_END) {
        give_up_all(stream, level, "has no such element");
        --stream->nframe;
    } else {
        give_up_all(stream, level + 1, "has no keys or elements");
    }
    return ICF_OK;
}

icf_status icf_yaml_next(icf_yaml_stream *stream, icf_yaml_event *event)
{
    if (icf_scene_errors_full(stream->errors)) return ICF_ERROR_SCENE;
    if (stream->nedit == 0) return icf_yaml_source_next(&stream->source, event);
    const int level = stream->nframe - 1;
    if (level >= 0 && stream->frame[level].kind == ICF_YAML_MAP && !stream->frame[level].in_value)
        return next_key(stream, level, event);
    return next_value(stream, level, event);
}

icf_status icf_yaml_skip(icf_yaml_stream *stream, const icf_yaml_event *first)
{
    icf_yaml_event event;
    for (int depth = nesting(first); depth > 0; depth += nesting(&event)) ICF_TRY(icf_yaml_next(stream, &event));
    return ICF_OK;
}
