/* Errors of a scene file: a fixed list, sorted when it is reported. */
#include "io/scene_errors.h"

#include <stdio.h>
#include <string.h>

/* Cuts text behind n bytes, not inside of a UTF-8 character. */
static size_t cut_length(const char *text, size_t length, size_t n)
{
    if (length <= n) return length;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) --n;
    return n;
}

const char *icf_scene_quote(char *buffer, const char *text, size_t length)
{
    const size_t n = cut_length(text, length, 40);
    char *out = buffer;
    *out++ = '"';
    for (size_t i = 0; i < n; ++i) *out++ = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    memcpy(out, n < length ? "...\"" : "\"", n < length ? 5 : 2);
    return buffer;
}

void icf_scene_errors_addv(icf_scene_errors *errors, icf_mark mark, const char *path, const char *format,
                           va_list arguments)
{
    if (icf_scene_errors_full(errors)) return;
    icf_scene_error *error = &errors->error[errors->n++];
    error->mark = mark;
    const bool known = mark.override >= 0 && strcmp(path, errors->overrides[mark.override].path) == 0;
    const size_t n = known || path[0] == '\0' ? 0 : cut_length(path, strlen(path), ICF_SCENE_ERROR_BYTES / 2);
    memcpy(error->text, path, n);
    error->text[n] = '\0';
    if (n > 0) strcat(error->text, ": ");
    const size_t used = strlen(error->text);
    vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
}

void icf_scene_errors_add(icf_scene_errors *errors, icf_mark mark, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    icf_scene_errors_addv(errors, mark, path, format, arguments);
    va_end(arguments);
}

/* Overrides by number, then the file by line and column. */
static bool comes_before(const icf_mark *a, const icf_mark *b)
{
    if ((a->override >= 0) != (b->override >= 0)) return a->override >= 0;
    if (a->override != b->override) return a->override < b->override;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* Stable order of the errors as indices. */
static void sort(const icf_scene_errors *errors, int *order)
{
    for (int i = 0; i < errors->n; ++i) {
        int j = i;
        for (; j > 0 && comes_before(&errors->error[i].mark, &errors->error[order[j - 1]].mark); --j)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

/* One line of the report; returns its length as snprintf does. */
static int print(const icf_scene_errors *errors, const icf_scene_error *error, char *line, size_t bytes)
{
    const icf_mark *mark = &error->mark;
    if (mark->override < 0)
        return snprintf(line, bytes, "%s:%d:%d: %s", errors->file, mark->line, mark->column, error->text);
    const icf_override *override = &errors->overrides[mark->override];
    char quoted[ICF_QUOTE_BYTES];
    icf_scene_quote(quoted, override->value, strlen(override->value));
    quoted[strlen(quoted) - 1] = '\0';
    return snprintf(line, bytes, "--set %s=%s: %s", override->path, quoted + 1, error->text);
}

icf_status icf_scene_errors_report(icf_scene_errors *errors, icf_context *context)
{
    if (errors->n == 0) return ICF_OK;
    int order[ICF_SCENE_ERROR_MAX];
    sort(errors, order);
    char text[sizeof context->message], line[2 * ICF_SCENE_ERROR_BYTES];
    const size_t reserve = 64; /* for the last line */
    size_t used = 0;
    int shown = 0;
    for (; shown < errors->n; ++shown) {
        (void)print(errors, &errors->error[order[shown]], line, sizeof line);
        if (used + strlen(line) + reserve > sizeof text) break;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "\n" : "", line);
    }
    if (shown < errors->n || icf_scene_errors_full(errors))
        snprintf(text + used, sizeof text - used, "\n(only the first %d errors are shown)", shown);
    return icf_fail(context, ICF_ERROR_SCENE, "%s", text);
}
