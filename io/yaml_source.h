/* YAML events from a file or a text, one at a time (libyaml, no document tree).
 *
 * Turns libyaml's events into the few kinds that a scene needs: scalar, mapping, list, end.  What a scene
 * must not use (anchors, aliases, tags, several documents, zero characters, deep nesting) is reported here.
 * Local, not thread-safe.
 */
#ifndef ICF_IO_YAML_SOURCE_H
#define ICF_IO_YAML_SOURCE_H

#include <stdio.h>

#include <yaml.h>

#include "io/scene_errors.h"

/* Nesting that is read; libyaml takes quadratic time in it, so that it must end early. */
enum { ICF_YAML_DEPTH_MAX = 64 };

typedef enum icf_yaml_kind {
    ICF_YAML_SCALAR,
    ICF_YAML_MAP,     /* keys and values follow, then ICF_YAML_END */
    ICF_YAML_LIST,    /* values follow, then ICF_YAML_END */
    ICF_YAML_END,     /* of the innermost mapping or list */
    ICF_YAML_INVALID, /* a value that was already reported as an error */
    ICF_YAML_EOF
} icf_yaml_kind;

typedef struct icf_yaml_event {
    icf_yaml_kind kind;
    bool plain;       /* scalar without quotes */
    const char *text; /* scalar: zero-terminated, valid until the next event */
    size_t length;    /* of text in bytes */
    icf_mark mark;    /* where it begins */
} icf_yaml_event;

typedef struct icf_yaml_source {
    icf_scene_errors *errors; /* borrowed */
    int32_t override;         /* of the marks */
    FILE *file;               /* borrowed; NULL for a text */
    int read_error;           /* errno of a failed read */
    int depth;                /* open mappings and lists */
    bool begun;               /* a document has begun */
    bool holds;               /* event must be released */
    yaml_parser_t parser;
    yaml_event_t event; /* owns the text of the last event */
} icf_yaml_source;

/* Reads from a file; errors go to `errors`.  The source must not move in memory afterwards. */
ICF_MUST_CHECK icf_status icf_yaml_source_init_file(icf_yaml_source *source, FILE *file, icf_scene_errors *errors);

/* Reads the value of an override. */
ICF_MUST_CHECK icf_status icf_yaml_source_init_override(icf_yaml_source *source, int32_t override,
                                                        icf_scene_errors *errors);

/* Releases the memory; not the file. */
void icf_yaml_source_clear(icf_yaml_source *source);

/* The next event.  ICF_ERROR_SCENE when the text is no YAML (reported), ICF_ERROR_FILE when the file
 * cannot be read (read_error says why), ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_yaml_source_next(icf_yaml_source *source, icf_yaml_event *event);

#endif
