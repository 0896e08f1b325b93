/* YAML events from libyaml: translation of events, marks and errors. */
#include "io/yaml_source.h"

#include <errno.h>
#include <string.h>

/* libyaml's read callback: 0 reports a failure. */
static int read_file(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
    icf_yaml_source *source = data;
    errno = 0;
    *size_read = fread(buffer, 1, size, source->file);
    if (!ferror(source->file)) return 1;
    source->read_error = errno != 0 ? errno : EIO;
    return 0;
}

static icf_status init(icf_yaml_source *source, icf_scene_errors *errors, int32_t override)
{
    *source = (icf_yaml_source){.errors = errors, .override = override};
    if (!yaml_parser_initialize(&source->parser)) return ICF_ERROR_MEMORY;
    yaml_parser_set_encoding(&source->parser, YAML_UTF8_ENCODING);
    return ICF_OK;
}

icf_status icf_yaml_source_init_file(icf_yaml_source *source, FILE *file, icf_scene_errors *errors)
{
    ICF_TRY(init(source, errors, -1));
    source->file = file;
    yaml_parser_set_input(&source->parser, read_file, source);
    return ICF_OK;
}

icf_status icf_yaml_source_init_override(icf_yaml_source *source, int32_t override, icf_scene_errors *errors)
{
    ICF_TRY(init(source, errors, override));
    const char *value = errors->overrides[override].value;
    yaml_parser_set_input_string(&source->parser, (const unsigned char *)value, strlen(value));
    return ICF_OK;
}

static void release_event(icf_yaml_source *source)
{
    if (source->holds) yaml_event_delete(&source->event);
    source->holds = false;
}

void icf_yaml_source_clear(icf_yaml_source *source)
{
    release_event(source);
    yaml_parser_delete(&source->parser);
}

static icf_mark make_mark(const icf_yaml_source *source, size_t line, size_t column)
{
    if (source->override >= 0) return (icf_mark){0, 0, source->override};
    const size_t most = INT32_MAX - 1;
    return (icf_mark){(int32_t)ICF_MIN(line, most) + 1, (int32_t)ICF_MIN(column, most) + 1, -1};
}

static icf_mark mark_of(const icf_yaml_source *source, const yaml_mark_t *mark)
{
    return make_mark(source, mark->line, mark->column);
}

/* Where the byte stands that cannot be decoded: the scanner's mark moved on over what is decoded but
 * not yet scanned. */
static icf_mark decoding_mark(const icf_yaml_source *source)
{
    const yaml_parser_t *parser = &source->parser;
    size_t line = parser->mark.line, column = parser->mark.column;
    for (const unsigned char *byte = parser->buffer.pointer; byte < parser->buffer.last; ++byte) {
        if (*byte == '\n') {
            ++line;
            column = 0;
        } else if ((*byte & 0xc0) != 0x80) {
            ++column;
        }
    }
    return make_mark(source, line, column);
}

/* Reports why libyaml could not go on. */
static icf_status report_failure(icf_yaml_source *source)
{
    const yaml_parser_t *parser = &source->parser;
    if (source->read_error != 0) return ICF_ERROR_FILE;
    if (parser->error == YAML_MEMORY_ERROR) return ICF_ERROR_MEMORY;
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    if (parser->error == YAML_READER_ERROR) {
        icf_scene_errors_add(source->errors, decoding_mark(source), "", "the file is not UTF-8 text: %s", problem);
    } else if (parser->context && source->override < 0) {
        icf_scene_errors_add(source->errors, mark_of(source, &parser->problem_mark), "",
                             "YAML syntax: %s %s that begins at %zu:%zu", problem, parser->context,
                             parser->context_mark.line + 1, parser->context_mark.column + 1);
    } else {
        icf_scene_errors_add(source->errors, mark_of(source, &parser->problem_mark), "", "YAML syntax: %s%s%s", problem,
                             parser->context ? " " : "", parser->context ? parser->context : "");
    }
    return ICF_ERROR_SCENE;
}

/* Reports anchors and tags; the value is read as if they were not there. */
static void refuse_properties(icf_yaml_source *source, const yaml_char_t *anchor, const yaml_char_t *tag, icf_mark mark)
{
    char quoted[ICF_QUOTE_BYTES];
    if (anchor)
        icf_scene_errors_add(source->errors, mark, "", "anchors are not supported, got %s",
                             icf_scene_quote(quoted, (const char *)anchor, strlen((const char *)anchor)));
    if (tag)
        icf_scene_errors_add(source->errors, mark, "", "tags are not supported, got %s",
                             icf_scene_quote(quoted, (const char *)tag, strlen((const char *)tag)));
}

static void take_scalar(icf_yaml_source *source, icf_yaml_event *event)
{
    const yaml_event_t *raw = &source->event;
    event->kind = ICF_YAML_SCALAR;
    event->plain = raw->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    event->text = (const char *)raw->data.scalar.value;
    event->length = raw->data.scalar.length;
    refuse_properties(source, raw->data.scalar.anchor, raw->data.scalar.tag, event->mark);
    if (memchr(event->text, '\0', event->length)) {
        icf_scene_errors_add(source->errors, event->mark, "", "text must not contain a zero character");
        event->kind = ICF_YAML_INVALID;
    }
}

static icf_status open_node(icf_yaml_source *source, icf_yaml_event *event)
{
    const yaml_event_t *raw = &source->event;
    if (raw->type == YAML_MAPPING_START_EVENT) {
        event->kind = ICF_YAML_MAP;
        refuse_properties(source, raw->data.mapping_start.anchor, raw->data.mapping_start.tag, event->mark);
    } else {
        event->kind = ICF_YAML_LIST;
        refuse_properties(source, raw->data.sequence_start.anchor, raw->data.sequence_start.tag, event->mark);
    }
    if (++source->depth <= ICF_YAML_DEPTH_MAX) return ICF_OK;
    icf_scene_errors_add(source->errors, event->mark, "", "nested deeper than %d levels", ICF_YAML_DEPTH_MAX);
    return ICF_ERROR_SCENE;
}

static icf_status begin_document(icf_yaml_source *source, icf_mark mark)
{
    if (source->begun) {
        icf_scene_errors_add(source->errors, mark, "", "a scene must be a single YAML document");
        return ICF_ERROR_SCENE;
    }
    source->begun = true;
    return ICF_OK;
}

/* Translates the raw event; `taken` says whether it is one that the reader sees. */
static icf_status translate(icf_yaml_source *source, icf_yaml_event *event, bool *taken)
{
    *event = (icf_yaml_event){.mark = mark_of(source, &source->event.start_mark), .text = ""};
    *taken = true;
    switch (source->event.type) {
    case YAML_SCALAR_EVENT: take_scalar(source, event); return ICF_OK;
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT: return open_node(source, event);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        --source->depth;
        event->kind = ICF_YAML_END;
        return ICF_OK;
    case YAML_ALIAS_EVENT:
        icf_scene_errors_add(source->errors, event->mark, "", "aliases (*name) are not supported");
        event->kind = ICF_YAML_INVALID;
        return ICF_OK;
    case YAML_STREAM_END_EVENT: event->kind = ICF_YAML_EOF; return ICF_OK;
    case YAML_DOCUMENT_START_EVENT: *taken = false; return begin_document(source, event->mark);
    default: *taken = false; return ICF_OK;
    }
}

icf_status icf_yaml_source_next(icf_yaml_source *source, icf_yaml_event *event)
{
    for (bool taken = false; !taken;) {
        release_event(source);
        if (!yaml_parser_parse(&source->parser, &source->event)) return report_failure(source);
        source->holds = true;
        ICF_TRY(translate(source, event, &taken));
    }
    return ICF_OK;
}
