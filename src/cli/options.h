/* Command line: tables of options, their parser, and the help text made from the same tables.
 *
 * `--name value`, `--name=value` and `--` (end of options) are understood; `-h` is `--help`.  An option may be
 * the short form of a scene key: its value is then collected as an override of that key, in the order of the
 * command line, a later one replacing an earlier one of the same key.
 */
#ifndef ICF_CLI_OPTIONS_H
#define ICF_CLI_OPTIONS_H

#include "base/context.h"
#include "io/scene_reader.h"

typedef enum icf_option_kind {
    ICF_OPTION_SET,         /* no argument: *(bool *)value = true */
    ICF_OPTION_CLEAR,       /* no argument: *(bool *)value = false */
    ICF_OPTION_TEXT,        /* *(const char **)value */
    ICF_OPTION_POSITIVE,    /* number > 0: *(double *)value */
    ICF_OPTION_NONNEGATIVE, /* number >= 0: *(double *)value */
    ICF_OPTION_COUNT,       /* integer >= 1: *(icf_cnt *)value */
    ICF_OPTION_SEED,        /* integer >= 0 of 64 bit: *(uint64_t *)value */
    ICF_OPTION_CHOICE,      /* one of `choices`: *(int *)value is its position */
    ICF_OPTION_OVERRIDE     /* path=value, repeatable: an override of any scene key */
} icf_option_kind;

typedef struct icf_option {
    const char *name; /* with dashes, "--step" */
    icf_option_kind kind;
    const char *argument; /* word for the value in the help, "DT" */
    const char *help;     /* what it does, with unit and default */
    void *value;          /* where the value goes; may be NULL when `path` takes it */
    const char *path;     /* scene key that the option overrides, or NULL */
    const char *choices;  /* choice: words separated by '|' */
} icf_option;

/* What a command looks like on the command line. */
typedef struct icf_usage {
    const char *synopsis; /* "icf run SCENE [options]" */
    const char *text;     /* paragraphs of the help, each line ended by a newline */
    int nargument;        /* positional arguments, all required */
    const char *argument; /* what they are, for the message when they are missing */
    int noption;
    const icf_option *option;
} icf_usage;

/* Overrides of scene keys in the order of the command line. */
typedef struct icf_overrides {
    int n;
    icf_override *item; /* (n) path and value belong to argv or are static */
    size_t capacity;
} icf_overrides;

/* Releases the list; it is empty afterwards. */
void icf_overrides_clear(icf_overrides *overrides);

/* Adds an override or replaces the value of one with the same path; the texts are borrowed.
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_overrides_set(icf_overrides *overrides, const char *path, const char *value);

/* Whether a path is among them. */
bool icf_overrides_has(const icf_overrides *overrides, const char *path);

/* Reads a command line.
 *   argc, argv [in]     arguments behind the command's name; "path=value" is cut in two in place
 *   argument   [out]    (usage->nargument) the positional arguments
 *   overrides  [in,out] collects the overrides; may be NULL when no option needs it
 *   help       [out]    true when --help was given: it has been printed and nothing else is to be done
 * ICF_ERROR_USAGE with a message that names the option, the value and what was expected. */
ICF_MUST_CHECK icf_status icf_options_read(icf_context *context, const icf_usage *usage, int argc, char **argv,
                                           const char **argument, icf_overrides *overrides, bool *help);

/* Prints synopsis, text and options to standard output. */
void icf_options_help(const icf_usage *usage);

/* Whether a word is so near to another that it may be a slip of the fingers: at most a third of its letters
 * were changed, left out, added or swapped.  *distance (in,out) is the smallest number so far. */
bool icf_word_is_nearer(const char *word, const char *candidate, int *distance);

#endif
