/* stats.csv as a report reads it. */
#include "io/report_stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for the statistics of a report");
}

/* ---- how lines are merged ---- */

typedef enum merge_rule { MERGE_MEAN, MERGE_MAX, MERGE_LAST } merge_rule;

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static merge_rule rule_of(const char *name)
{
    if (ends_with(name, "_energy") || strcmp(name, "step") == 0 || strcmp(name, "time") == 0 ||
        strcmp(name, "emitted") == 0)
        return MERGE_LAST;
    if (strcmp(name, "cpu_max") == 0) return MERGE_MEAN; /* it is compared with the mean over ranks */
    if (ends_with(name, "_max") || strcmp(name, "momentum_residual") == 0 || strcmp(name, "substeps") == 0 ||
        strcmp(name, "memory_mb") == 0)
        return MERGE_MAX;
    return MERGE_MEAN;
}

/* Merges a value of n lines with one of m later lines. */
static double merge(merge_rule rule, double a, icf_cnt n, double b, icf_cnt m)
{
    switch (rule) {
    case MERGE_MAX: return fmax(a, b);
    case MERGE_LAST: return b;
    default: return a + (b - a) * (double)m / (double)(n + m);
    }
}

/* Merges the lines that are kept two by two. */
static void halve(icf_report_stats *stats)
{
    for (int c = 0; c < stats->ncolumn; ++c) {
        double *value = stats->column[c].value;
        const merge_rule rule = rule_of(stats->column[c].name);
        for (size_t i = 0; i + 1 < stats->nline; i += 2) value[i / 2] = merge(rule, value[i], 1, value[i + 1], 1);
    }
    stats->nline /= 2;
    stats->merge *= 2;
    stats->in_last = stats->merge;
}

static void keep_line(icf_report_stats *stats, const double *line)
{
    const bool joins = stats->nline > 0 && stats->in_last < stats->merge;
    const size_t i = joins ? stats->nline - 1 : stats->nline;
    for (int c = 0; c < stats->ncolumn; ++c) {
        double *value = &stats->column[c].value[i];
        *value = joins ? merge(rule_of(stats->column[c].name), *value, stats->in_last, line[c], 1) : line[c];
    }
    stats->in_last = joins ? stats->in_last + 1 : 1;
    stats->nline = i + 1;
    if (stats->nline == (size_t)2 * ICF_REPORT_LINES && stats->in_last == stats->merge) halve(stats);
}

/* ---- reading ---- */

/* Cuts the header into names. */
static icf_status read_header(icf_context *context, icf_report_stats *stats, const char *line)
{
    stats->header = icf_path_print("%s", line);
    if (!stats->header) return fail_memory(context);
    int n = 1;
    for (const char *c = line; *c; ++c) n += *c == ',';
    stats->column = icf_alloc((size_t)n * sizeof *stats->column);
    if (!stats->column) return fail_memory(context);
    char *rest = stats->header;
    for (char *name; (name = strsep(&rest, ","));) {
        icf_report_column *column = &stats->column[stats->ncolumn++];
        *column = (icf_report_column){.name = name, .max = -INFINITY, .max_step = -1};
        column->value = icf_alloc((size_t)2 * ICF_REPORT_LINES * sizeof *column->value);
        if (!column->value) return fail_memory(context);
    }
    return ICF_OK;
}

/* Numbers of a line; how many there are, -1 when one is none. */
static int parse_line(const char *text, int most, double *value)
{
    int n = 0;
    for (; n < most; ++n) {
        char *end;
        value[n] = strtod(text, &end);
        if (end == text || (*end != ',' && *end != '\0')) return -1;
        if (*end == '\0') return n + 1;
        text = end + 1;
    }
    return n + 1;
}

static void count_line(icf_report_stats *stats, const double *line)
{
    const icf_cnt step = (icf_cnt)line[0];
    ++stats->nstep;
    for (int c = 0; c < stats->ncolumn; ++c) {
        icf_report_column *column = &stats->column[c];
        if (isfinite(line[c])) column->sum += line[c];
        if (!(line[c] > column->max)) continue;
        column->max = line[c];
        column->max_step = step;
    }
    const icf_report_column *substeps = icf_report_stats_column(stats, "substeps");
    if (!substeps || !(line[substeps - stats->column] > 1.0)) return;
    if (stats->redone++ == 0) stats->first_redone = step;
}

static icf_status read_line(icf_context *context, icf_report_stats *stats, const char *path, icf_cnt number,
                            const char *text, double *line)
{
    if (number == 1) {
        if (strncmp(text, "step,time,", 10) != 0)
            return icf_fail(context, ICF_ERROR_FILE, "%s:1: not the header of a stats.csv", path);
        return read_header(context, stats, text);
    }
    const int n = parse_line(text, stats->ncolumn, line);
    if (n < 0) return icf_fail(context, ICF_ERROR_FILE, "%s:%lld: expected numbers", path, (long long)number);
    if (n != stats->ncolumn)
        return icf_fail(context, ICF_ERROR_FILE, "%s:%lld: expected %d columns as in the header, found %s", path,
                        (long long)number, stats->ncolumn, n > stats->ncolumn ? "more" : "fewer");
    count_line(stats, line);
    keep_line(stats, line);
    return ICF_OK;
}

static icf_status read_lines(icf_context *context, icf_report_stats *stats, const char *path, FILE *file)
{
    enum { most_columns = 4096 };
    char *text = NULL;
    size_t size = 0;
    double *line = icf_alloc(most_columns * sizeof *line);
    icf_status status = line ? ICF_OK : fail_memory(context);
    ssize_t length;
    for (icf_cnt number = 1; status == ICF_OK && (length = getline(&text, &size, file)) >= 0; ++number) {
        if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
        status = read_line(context, stats, path, number, text, line);
        if (status == ICF_OK && stats->ncolumn > most_columns)
            status = icf_fail(context, ICF_ERROR_FILE, "%s:1: too many columns", path);
    }
    free(text);
    icf_free(line);
    return status == ICF_OK && ferror(file) ? icf_file_fail(context, path, errno) : status;
}

icf_status icf_report_stats_read(icf_context *context, const char *directory, icf_report_stats *stats)
{
    *stats = (icf_report_stats){.merge = 1};
    char *path = icf_path_print("%s/stats.csv", directory);
    if (!path) return fail_memory(context);
    FILE *file = fopen(path, "r");
    icf_status status = ICF_OK;
    if (file)
        status = read_lines(context, stats, path, file);
    else if (errno != ENOENT)
        status = icf_file_fail(context, path, errno);
    if (file) fclose(file);
    icf_free(path);
    if (status != ICF_OK) icf_report_stats_clear(stats);
    return status;
}

const icf_report_column *icf_report_stats_column(const icf_report_stats *stats, const char *name)
{
    for (int c = 0; c < stats->ncolumn; ++c)
        if (strcmp(stats->column[c].name, name) == 0) return &stats->column[c];
    return NULL;
}

void icf_report_stats_clear(icf_report_stats *stats)
{
    for (int c = 0; c < stats->ncolumn; ++c) icf_free(stats->column[c].value);
    icf_free(stats->column);
    icf_free(stats->header);
    *stats = (icf_report_stats){0};
}
