/* The events of a scene file with the overrides of the command line worked in.
 *
 *     file ----> source ----\
 *                            >---- stream (replaces, adds) ----> reader
 *     --set ---> edits -----/
 *
 * The reader sees the events as if the overridden values stood in the file; only their marks tell where
 * they come from.  An override of a key that is there replaces its value; one of a key that is not there is
 * added at the end of its mapping, with the mappings on the way.  Elements of a list are named by number,
 * those of a list at the top level (bodies) also by their `name`: for that one element is kept in memory,
 * and only when there is such an override.  An override that finds no place is reported.  Later overrides
 * win over earlier ones.  Local, not thread-safe.
 */
#ifndef ICF_IO_YAML_STREAM_H
#define ICF_IO_YAML_STREAM_H

#include "io/yaml_source.h"

/* Events kept in memory, with their texts. */
typedef struct icf_yaml_events {
    size_t n;
    icf_yaml_event *event; /* (n) */
    size_t capacity;
    char *text; /* zero-terminated texts of the scalars in their order */
    size_t text_bytes, text_capacity;
} icf_yaml_events;

/* One override. */
typedef struct icf_yaml_edit {
    icf_yaml_events value;
    const char *path;                         /* as given, borrowed */
    char *split;                              /* the same, zeros for the separators */
    int level;                                /* innermost open node on its path, 0: the scene */
    const char *rest[ICF_YAML_DEPTH_MAX + 1]; /* (level + 1) what of the path is left inside of that node */
    bool done;                                /* in its place, or reported */
} icf_yaml_edit;

/* An open mapping or list. */
typedef struct icf_yaml_frame {
    icf_yaml_kind kind;
    bool in_value;    /* mapping: a key was read, its value follows */
    int added;        /* edit that added this key, so that the source has no value for it; -1: none */
    int replacement;  /* edit whose value comes next, -1: none */
    icf_cnt nelement; /* list: elements so far */
} icf_yaml_frame;

/* Kept events that are being replayed. */
typedef struct icf_yaml_replay {
    const icf_yaml_event *event;
    size_t n, at;
} icf_yaml_replay;

typedef struct icf_yaml_stream {
    icf_scene_errors *errors; /* borrowed */
    icf_yaml_source source;
    int nedit;
    icf_yaml_edit *edit; /* (nedit) */
    int nframe;
    icf_yaml_frame frame[ICF_YAML_DEPTH_MAX];
    int nreplay;
    icf_yaml_replay replay[4 * ICF_YAML_DEPTH_MAX];
    icf_yaml_events element; /* the list element that is being replayed */
} icf_yaml_stream;

/* Opens the stream and reads the values of the overrides (errors->overrides).  The stream must not move
 * in memory afterwards.
 *   file      [in] stays the caller's
 *   errors    [in] where errors go, borrowed */
ICF_MUST_CHECK icf_status icf_yaml_stream_init(icf_yaml_stream *stream, FILE *file, int noverride,
                                               icf_scene_errors *errors);

/* Releases the memory. */
void icf_yaml_stream_clear(icf_yaml_stream *stream);

/* The next event; status codes as icf_yaml_source_next, ICF_ERROR_SCENE also when there are too many errors. */
ICF_MUST_CHECK icf_status icf_yaml_next(icf_yaml_stream *stream, icf_yaml_event *event);

/* Reads on to the end of the value that begins with `first`. */
ICF_MUST_CHECK icf_status icf_yaml_skip(icf_yaml_stream *stream, const icf_yaml_event *first);

#endif
