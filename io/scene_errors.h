/* Errors of a scene file: collected while reading, reported together.
 *
 * An error has a mark (where in the file, or which override of the command line), the path of the key and
 * what is wrong.  Reading goes on after an error, so that all of them are found in one pass; it stops at
 * ICF_SCENE_ERROR_MAX.  Local, not thread-safe.
 */
#ifndef ICF_IO_SCENE_ERRORS_H
#define ICF_IO_SCENE_ERRORS_H

#include <stdarg.h>

#include "base/context.h"
#include "io/scene_reader.h"

enum {
    ICF_SCENE_ERROR_MAX = 50,    /* errors that are kept; reading stops at the last one */
    ICF_SCENE_ERROR_BYTES = 400, /* text of one error, longer ones are cut */
    ICF_QUOTE_BYTES = 64         /* buffer of icf_scene_quote */
};

/* Where a key or value stands. */
typedef struct icf_mark {
    int32_t line, column; /* from 1, in characters; 0 in an override */
    int32_t override;     /* index of the override it comes from, -1: the file */
} icf_mark;

typedef struct icf_scene_error {
    icf_mark mark;
    char text[ICF_SCENE_ERROR_BYTES]; /* "key.path: what is wrong" */
} icf_scene_error;

typedef struct icf_scene_errors {
    const char *file;              /* name in messages, borrowed */
    const icf_override *overrides; /* borrowed */
    int n;
    icf_scene_error error[ICF_SCENE_ERROR_MAX];
} icf_scene_errors;

/* Whether no further error is taken. */
static inline bool icf_scene_errors_full(const icf_scene_errors *errors)
{
    return errors->n >= ICF_SCENE_ERROR_MAX;
}

/* Adds an error; ignored when there are too many.
 *   path [in] path of the key, "" for the scene as a whole; left out in the report of an override of
 *             exactly this path */
void icf_scene_errors_add(icf_scene_errors *errors, icf_mark mark, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with the arguments in a list. */
void icf_scene_errors_addv(icf_scene_errors *errors, icf_mark mark, const char *path, const char *format,
                           va_list arguments) __attribute__((format(printf, 4, 0)));

/* Records all errors in the context, overrides first, then by position: ICF_ERROR_SCENE, or ICF_OK
 * when there are none. */
ICF_MUST_CHECK icf_status icf_scene_errors_report(icf_scene_errors *errors, icf_context *context);

/* Text of a file in quotes for a message: cut when long, without control characters.
 *   buffer [out] (ICF_QUOTE_BYTES), returned */
const char *icf_scene_quote(char *buffer, const char *text, size_t length);

#endif
