/* Command line: parser and help text from tables of options. */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { WORD_MAX = 48 }; /* letters of a word that are compared */

void icf_overrides_clear(icf_overrides *overrides)
{
    icf_free(overrides->item);
    *overrides = (icf_overrides){0};
}

icf_status icf_overrides_set(icf_overrides *overrides, const char *path, const char *value)
{
    for (int i = 0; i < overrides->n; ++i) {
        if (strcmp(overrides->item[i].path, path) != 0) continue;
        overrides->item[i].value = value;
        return ICF_OK;
    }
    ICF_TRY(ICF_GROW(overrides->item, overrides->capacity, overrides->n + 1));
    overrides->item[overrides->n++] = (icf_override){path, value};
    return ICF_OK;
}

bool icf_overrides_has(const icf_overrides *overrides, const char *path)
{
    for (int i = 0; i < overrides->n; ++i)
        if (strcmp(overrides->item[i].path, path) == 0) return true;
    return false;
}

/* Letters to change, leave out, add or swap with the next to make b of a. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    int cost[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= na; ++i) cost[i][0] = (int)i;
    for (size_t j = 0; j <= nb; ++j) cost[0][j] = (int)j;
    for (size_t i = 1; i <= na; ++i)
        for (size_t j = 1; j <= nb; ++j) {
            const int drop = cost[i - 1][j] + 1, insert = cost[i][j - 1] + 1;
            const int change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = ICF_MIN(change, ICF_MIN(drop, insert));
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = ICF_MIN(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[na][nb];
}

bool icf_word_is_nearer(const char *word, const char *candidate, int *distance)
{
    const size_t n = strlen(word), m = strlen(candidate);
    if (n > WORD_MAX || m > WORD_MAX) return false;
    const int found = edit_distance(word, n, candidate, m);
    if (found >= *distance || 3 * (size_t)found > ICF_MAX(n, (size_t)3)) return false;
    *distance = found;
    return true;
}

static icf_status fail_unknown(icf_context *context, const icf_usage *usage, const char *name)
{
    const char *nearest = NULL;
    int distance = WORD_MAX;
    for (int i = 0; i < usage->noption; ++i)
        if (icf_word_is_nearer(name, usage->option[i].name, &distance)) nearest = usage->option[i].name;
    if (nearest) return icf_fail(context, ICF_ERROR_USAGE, "unknown option %s; did you mean %s?", name, nearest);
    return icf_fail(context, ICF_ERROR_USAGE, "unknown option %s; --help lists the options", name);
}

static bool is_integer(const char *text, bool *overflow, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    *overflow = errno == ERANGE;
    return end != text && *end == '\0' && text[strspn(text, "+0123456789")] == '\0';
}

static icf_status read_integer(icf_context *context, const icf_option *option, const char *text)
{
    unsigned long long value;
    bool overflow;
    const bool is_count = option->kind == ICF_OPTION_COUNT;
    const unsigned long long least = is_count ? 1 : 0, most = is_count ? INT64_MAX : UINT64_MAX;
    if (!is_integer(text, &overflow, &value) || overflow || value < least || value > most)
        return icf_fail(context, ICF_ERROR_USAGE, "%s: must be an integer >= %llu, got '%s'", option->name, least,
                        text);
    if (option->value && is_count) *(icf_cnt *)option->value = (icf_cnt)value;
    if (option->value && !is_count) *(uint64_t *)option->value = value;
    return ICF_OK;
}

static icf_status read_number(icf_context *context, const icf_option *option, const char *text)
{
    char *end;
    const bool positive = option->kind == ICF_OPTION_POSITIVE;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < 0.0 || (positive && value == 0.0))
        return icf_fail(context, ICF_ERROR_USAGE, "%s: must be a number %s 0, got '%s'", option->name,
                        positive ? ">" : ">=", text);
    if (option->value) *(double *)option->value = value;
    return ICF_OK;
}

/* Position of a word in "a|b|c", -1 when it is not there. */
static int find_choice(const char *choices, const char *word)
{
    const size_t n = strlen(word);
    int position = 0;
    for (const char *c = choices;; ++c, ++position) {
        const size_t length = strcspn(c, "|");
        if (length == n && memcmp(c, word, n) == 0) return position;
        c += length;
        if (*c == '\0') return -1;
    }
}

static icf_status read_choice(icf_context *context, const icf_option *option, const char *text)
{
    const int position = find_choice(option->choices, text);
    if (position < 0)
        return icf_fail(context, ICF_ERROR_USAGE, "%s: must be one of %s, got '%s'", option->name, option->choices,
                        text);
    if (option->value) *(int *)option->value = position;
    return ICF_OK;
}

static icf_status read_override(icf_context *context, char *text, icf_overrides *overrides)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return icf_fail(context, ICF_ERROR_USAGE, "--set: must be path.to.key=value, got '%s'", text);
    *equals = '\0';
    return icf_overrides_set(overrides, text, equals + 1);
}

static icf_status read_value(icf_context *context, const icf_option *option, char *text, icf_overrides *overrides)
{
    switch (option->kind) {
    case ICF_OPTION_SET: *(bool *)option->value = true; return ICF_OK;
    case ICF_OPTION_CLEAR: *(bool *)option->value = false; return ICF_OK;
    case ICF_OPTION_TEXT: *(const char **)option->value = text; break;
    case ICF_OPTION_POSITIVE:
    case ICF_OPTION_NONNEGATIVE: ICF_TRY(read_number(context, option, text)); break;
    case ICF_OPTION_COUNT:
    case ICF_OPTION_SEED: ICF_TRY(read_integer(context, option, text)); break;
    case ICF_OPTION_CHOICE: ICF_TRY(read_choice(context, option, text)); break;
    case ICF_OPTION_OVERRIDE: return read_override(context, text, overrides);
    }
    return option->path ? icf_overrides_set(overrides, option->path, text) : ICF_OK;
}

/* The option whose name is the first `length` letters of a word. */
static const icf_option *find_option(const icf_usage *usage, const char *word, size_t length)
{
    for (int i = 0; i < usage->noption; ++i) {
        const icf_option *option = &usage->option[i];
        if (strlen(option->name) == length && memcmp(option->name, word, length) == 0) return option;
    }
    return NULL;
}

static bool takes_value(const icf_option *option)
{
    return option->kind != ICF_OPTION_SET && option->kind != ICF_OPTION_CLEAR;
}

/* Reads the option at argv[*i] and moves *i to the last word it used. */
static icf_status read_option(icf_context *context, const icf_usage *usage, int argc, char **argv, int *i,
                              icf_overrides *overrides)
{
    char *word = argv[*i];
    const size_t length = strcspn(word, "=");
    char *value = word[length] == '=' ? word + length + 1 : NULL;
    const icf_option *option = find_option(usage, word, length);
    if (!option) {
        word[length] = '\0';
        return fail_unknown(context, usage, word);
    }
    if (!takes_value(option) && value)
        return icf_fail(context, ICF_ERROR_USAGE, "%s takes no value, got '%s'", option->name, value);
    if (takes_value(option) && !value) {
        if (*i + 1 >= argc)
            return icf_fail(context, ICF_ERROR_USAGE, "%s: needs a value, %s", option->name, option->argument);
        value = argv[++*i];
    }
    return read_value(context, option, value, overrides);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* --help wins over every error of the rest of the line. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (is_help(argv[i])) return true;
    return false;
}

icf_status icf_options_read(icf_context *context, const icf_usage *usage, int argc, char **argv, const char **argument,
                            icf_overrides *overrides, bool *help)
{
    *help = asks_for_help(argc, argv);
    if (*help) {
        icf_options_help(usage);
        return ICF_OK;
    }
    int narg = 0;
    bool only_arguments = false;
    for (int i = 0; i < argc; ++i) {
        if (!only_arguments && strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && argv[i][0] == '-' && argv[i][1] != '\0') {
            ICF_TRY(read_option(context, usage, argc, argv, &i, overrides));
        } else if (narg == usage->nargument) {
            return icf_fail(context, ICF_ERROR_USAGE, "unexpected argument '%s'; usage: %s", argv[i], usage->synopsis);
        } else {
            argument[narg++] = argv[i];
        }
    }
    if (narg < usage->nargument)
        return icf_fail(context, ICF_ERROR_USAGE, "%s is missing; usage: %s", usage->argument, usage->synopsis);
    return ICF_OK;
}

/* One option with its help beside it; further lines of the help are indented to the same column. */
static void print_option(const char *name, const char *argument, const char *help)
{
    char left[80];
    snprintf(left, sizeof left, "%s%s%s", name, argument ? " " : "", argument ? argument : "");
    while (help) {
        const size_t length = strcspn(help, "\n");
        printf("  %-24s  %.*s\n", left, (int)length, help);
        left[0] = '\0';
        help = help[length] == '\n' ? help + length + 1 : NULL;
    }
}

void icf_options_help(const icf_usage *usage)
{
    printf("Usage: %s\n\n%s\nOptions:\n", usage->synopsis, usage->text);
    for (int i = 0; i < usage->noption; ++i) {
        const icf_option *option = &usage->option[i];
        print_option(option->name, option->argument, option->help);
    }
    print_option("-h, --help", NULL, "print this text and exit");
}
