/* stats.csv: one table of columns serves writing and reading. */
#include "io/stats_csv.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"

/* How a column is written. */
typedef enum column_kind { COUNT, NUMBER, SHORT, MEASURED } column_kind;

typedef struct column {
    const char *name;
    column_kind kind;
    size_t offset; /* of the field in icf_step_stats */
} column;

#define FIELD(kind, field)                            \
    {                                                 \
#        field, kind, offsetof(icf_step_stats, field) \
    }
#define PHASE_COLUMN(phase, text) {"ms_" text, MEASURED, offsetof(icf_step_stats, ms[ICF_PHASE_##phase])},

static const column columns[] = {FIELD(COUNT, step),
                                 FIELD(SHORT, time),
                                 FIELD(COUNT, candidates),
                                 FIELD(COUNT, active),
                                 FIELD(COUNT, islands),
                                 FIELD(COUNT, largest_island_dofs),
                                 FIELD(NUMBER, iterations_mean),
                                 FIELD(COUNT, iterations_max),
                                 FIELD(COUNT, line_search),
                                 FIELD(COUNT, factorizations),
                                 FIELD(COUNT, pcg),
                                 FIELD(NUMBER, kinetic_energy),
                                 FIELD(NUMBER, potential_energy),
                                 FIELD(NUMBER, penetration_max),
                                 FIELD(NUMBER, momentum_residual),
                                 FIELD(MEASURED, ms_total),
                                 FIELD(MEASURED, cpu_ms),
                                 ICF_PHASE_LIST(PHASE_COLUMN) FIELD(COUNT, roundoff),
                                 FIELD(COUNT, substeps),
                                 FIELD(COUNT, moved),
                                 FIELD(MEASURED, imbalance),
                                 FIELD(MEASURED, cpu_max),
                                 FIELD(MEASURED, cpu_mean),
                                 FIELD(NUMBER, elastic_energy),
                                 FIELD(NUMBER, reaction_max),
                                 FIELD(NUMBER, contact_force_max),
                                 FIELD(COUNT, group_iterations),
                                 FIELD(COUNT, group_sums),
                                 FIELD(COUNT, messages),
                                 FIELD(COUNT, bytes),
                                 FIELD(NUMBER, flops),
                                 FIELD(COUNT, emitted),
                                 FIELD(COUNT, waiting),
                                 FIELD(COUNT, searches),
                                 FIELD(NUMBER, error_signorini_max),
                                 FIELD(NUMBER, error_coulomb_max),
                                 FIELD(NUMBER, error_dissipation_max),
                                 FIELD(NUMBER, condition_max),
                                 FIELD(MEASURED, memory_mb),
                                 FIELD(COUNT, lent),
                                 FIELD(NUMBER, attachment_force_max)};

enum { ncolumn = sizeof columns / sizeof columns[0] };

static void put_header(icf_text *text)
{
    for (int i = 0; i < ncolumn; ++i) {
        if (i > 0) icf_text_put(text, ",");
        icf_text_put(text, columns[i].name);
    }
    icf_text_put(text, "\n");
}

/* A measured time [ms] or memory [MB] with 4 decimals; faster than printf, which matters in small scenes. */
static void put_measured(icf_text *text, double value)
{
    if (!(value >= 0.0 && value < 1e12)) {
        icf_text_print(text, "%.4f", value);
        return;
    }
    const icf_cnt units = (icf_cnt)(value * 1e4 + 0.5);
    const icf_cnt decimals = units % 10000;
    char digits[6] = {'.',
                      (char)('0' + decimals / 1000),
                      (char)('0' + decimals / 100 % 10),
                      (char)('0' + decimals / 10 % 10),
                      (char)('0' + decimals % 10),
                      '\0'};
    icf_text_put_count(text, units / 10000);
    icf_text_put(text, digits);
}

static void put_field(icf_text *text, const column *c, const icf_step_stats *stats)
{
    const void *field = (const char *)stats + c->offset;
    switch (c->kind) {
    case COUNT: icf_text_put_count(text, *(const icf_cnt *)field); break;
    case NUMBER: icf_text_put_number(text, *(const double *)field); break;
    case SHORT: icf_text_print(text, "%.12g", *(const double *)field); break;
    case MEASURED: put_measured(text, *(const double *)field); break;
    }
}

void icf_stats_put(icf_text *text, const icf_step_stats *stats)
{
    for (int i = 0; i < ncolumn; ++i) {
        if (i > 0) icf_text_put(text, ",");
        put_field(text, &columns[i], stats);
    }
    icf_text_put(text, "\n");
}

/* Reads a line; false when it does not have these columns. */
static bool parse_line(const char *line, icf_step_stats *stats)
{
    for (int i = 0; i < ncolumn; ++i) {
        char *end;
        void *field = (char *)stats + columns[i].offset;
        if (columns[i].kind == COUNT)
            *(icf_cnt *)field = strtoll(line, &end, 10);
        else
            *(double *)field = strtod(line, &end);
        if (end == line || *end != (i + 1 < ncolumn ? ',' : '\0')) return false;
        line = end + 1;
    }
    return true;
}

/* State of reading the lines to keep. */
typedef struct reader {
    icf_cnt last_step;
    icf_stats_sink sink;
    void *user;
    bool header_seen;
} reader;

static bool is_header(const char *line)
{
    for (int i = 0; i < ncolumn; ++i) {
        const size_t n = strlen(columns[i].name);
        if (strncmp(line, columns[i].name, n) != 0 || line[n] != (i + 1 < ncolumn ? ',' : '\0')) return false;
        line += n + 1;
    }
    return true;
}

static bool keep_line(void *user, char *line)
{
    reader *r = user;
    if (!r->header_seen) return r->header_seen = is_header(line);
    icf_step_stats stats = {0};
    if (!parse_line(line, &stats) || stats.step > r->last_step) return false;
    r->sink(r->user, &stats);
    return true;
}

icf_status icf_stats_open(icf_context *context, icf_text_file *file, const char *directory, icf_cnt last_step,
                          icf_stats_sink sink, void *user)
{
    char *path = icf_path_print("%s/stats.csv", directory);
    if (!path) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    const icf_status status = icf_text_file_open(context, file, path, "");
    icf_free(path);
    ICF_TRY(status);
    reader r = {.last_step = last_step, .sink = sink, .user = user};
    off_t size = 0;
    if (last_step >= 0) ICF_TRY(icf_text_file_scan(context, file, keep_line, &r, &size));
    ICF_TRY(icf_text_file_cut(context, file, size));
    if (size == 0) put_header(&file->text);
    return icf_text_file_flush(context, file);
}
