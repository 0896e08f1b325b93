/* One page of a run. */
#include "io/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/report_data.h"
#include "io/report_page.h"

enum { longest_text = 1 << 18 /* of a scene that is shown as text */ };

/* Everything that a page is made of. */
typedef struct report {
    icf_context *context;
    const icf_report_options *options;
    icf_report_run run;
    icf_report_movie movie;
    icf_report_stats stats;
    json_t *summary, *texts;
    icf_report_pack bodies, meshes, columns;
    icf_text page;
} report;

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a report");
}

/* ---- small files ---- */

/* Adds the text of a file as `key`, cut when it is long; a file that is missing adds nothing unless it was asked for.
 */
static icf_status read_text(report *r, const char *path, const char *key, bool required)
{
    FILE *file = fopen(path, "r");
    if (!file) return errno == ENOENT && !required ? ICF_OK : icf_file_fail(r->context, path, errno);
    char *text = icf_alloc(longest_text);
    const size_t n = text ? fread(text, 1, longest_text, file) : 0;
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    json_t *string = text ? json_stringn(text, n) : NULL;
    icf_free(text);
    if (error) return icf_file_fail(r->context, path, error);
    if (!text) return fail_memory(r->context);
    /* a long text may be cut within a letter */
    if (!string && n == longest_text) string = json_string("(too long to be shown)");
    if (!string) return icf_fail(r->context, ICF_ERROR_FILE, "%s: not a text in UTF-8", path);
    json_object_set_new(r->texts, key, string);
    return ICF_OK;
}

static icf_status read_summary(report *r, const char *path)
{
    json_error_t error;
    FILE *file = fopen(path, "r");
    if (!file) return errno == ENOENT ? ICF_OK : icf_file_fail(r->context, path, errno);
    r->summary = json_loadf(file, 0, &error);
    fclose(file);
    if (!r->summary) return icf_fail(r->context, ICF_ERROR_FILE, "%s:%d: %s", path, error.line, error.text);
    if (!json_is_object(r->summary)) return icf_fail(r->context, ICF_ERROR_FILE, "%s: expected an object", path);
    json_object_set(r->texts, "summary", r->summary);
    return ICF_OK;
}

static icf_status read_small_files(report *r)
{
    char *summary = icf_path_print("%s/summary.json", r->options->directory);
    char *job = icf_path_print("%s/job.txt", r->options->directory);
    r->texts = json_object();
    icf_status status = summary && job && r->texts ? ICF_OK : fail_memory(r->context);
    if (status == ICF_OK) status = read_summary(r, summary);
    if (status == ICF_OK) status = read_text(r, job, "job", false);
    if (status == ICF_OK && r->options->scene) status = read_text(r, r->options->scene, "sceneText", true);
    icf_free(summary);
    icf_free(job);
    return status;
}

/* ---- the page ---- */

/* Bytes of the page without its frames. */
static icf_status size_without_frames(const report *r, size_t *size)
{
    enum { moment_bytes = 64, mark_bytes = 2048 /* of a frame in the JSON part; of elements and findings */ };
    const icf_report_movie none = {0};
    const icf_report_facts facts = {&r->run, &none, &r->stats, r->summary};
    json_t *meta = icf_report_meta(&facts, r->texts, r->options->program);
    if (!meta) return fail_memory(r->context);
    const size_t page = icf_report_html_size + icf_report_style_size + icf_report_script_size + icf_report_three_size;
    const size_t packed = r->bodies.packed.used + r->meshes.packed.used + r->columns.packed.used;
    *size =
        page + packed / 3 * 4 + json_dumpb(meta, NULL, 0, JSON_COMPACT) + moment_bytes * r->run.frames.n + mark_bytes;
    json_decref(meta);
    return ICF_OK;
}

static icf_status pack_data(report *r)
{
    ICF_TRY(icf_report_pack_bodies(&r->run, &r->bodies));
    ICF_TRY(icf_report_pack_meshes(&r->run, &r->meshes));
    ICF_TRY(icf_report_pack_stats(r->context, &r->stats, &r->columns));
    size_t size = 0;
    ICF_TRY(size_without_frames(r, &size));
    const double room = 1e6 * r->options->max_mb - (double)size;
    if (room <= 0.0)
        return icf_fail(r->context, ICF_ERROR_USAGE, "--max-size: the page takes %.2f MB without its frames",
                        1e-6 * (double)size);
    return icf_report_movie_build(&r->run, (size_t)room, &r->movie);
}

static icf_status put_data(report *r, icf_report_outcome *outcome)
{
    const icf_report_facts facts = {&r->run, &r->movie, &r->stats, r->summary};
    json_t *meta = icf_report_meta(&facts, r->texts, r->options->program);
    if (!meta) return fail_memory(r->context);
    outcome->nwarning = icf_report_count_warnings(json_object_get(meta, "findings"));
    outcome->nframe = r->movie.nframe;
    outcome->nframe_run = r->run.frames.n;
    outcome->first_time = r->movie.moment[0].time;
    outcome->last_time = r->movie.moment[r->movie.nframe - 1].time;
    const icf_status status = icf_report_put_json(r->context, &r->page, "icf-meta", meta);
    json_decref(meta);
    icf_report_put_packed(&r->page, "icf-bodies", &r->bodies);
    icf_report_put_packed(&r->page, "icf-meshes", &r->meshes);
    icf_report_put_packed(&r->page, "icf-stats", &r->columns);
    icf_report_put_packed(&r->page, "icf-frames", &r->movie.pack);
    return status;
}

/* A line of the page that is one of these words stands for what belongs there. */
static icf_status put_line(report *r, const char *line, size_t n, icf_report_outcome *outcome)
{
    if (n == 7 && memcmp(line, "@style@", n) == 0)
        icf_text_append(&r->page, icf_report_style, icf_report_style_size);
    else if (n == 7 && memcmp(line, "@three@", n) == 0)
        icf_text_append(&r->page, icf_report_three, icf_report_three_size);
    else if (n == 8 && memcmp(line, "@script@", n) == 0)
        icf_text_append(&r->page, icf_report_script, icf_report_script_size);
    else if (n == 6 && memcmp(line, "@data@", n) == 0)
        return put_data(r, outcome);
    else
        icf_text_append(&r->page, line, n);
    icf_text_put(&r->page, "\n");
    return ICF_OK;
}

static icf_status put_page(report *r, icf_report_outcome *outcome)
{
    const char *line = (const char *)icf_report_html, *end = line + icf_report_html_size;
    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next) next = end;
        ICF_TRY(put_line(r, line, (size_t)(next - line), outcome));
        line = next + 1;
    }
    return r->page.out_of_memory ? fail_memory(r->context) : ICF_OK;
}

static icf_status make(report *r, icf_report_outcome *outcome)
{
    ICF_TRY(icf_report_run_open(r->context, r->options->directory, &r->run));
    ICF_TRY(icf_report_stats_read(r->context, r->options->directory, &r->stats));
    ICF_TRY(read_small_files(r));
    ICF_TRY(pack_data(r));
    ICF_TRY(put_page(r, outcome));
    outcome->mb = 1e-6 * (double)r->page.used;
    return icf_file_write(r->context, r->options->output, r->page.bytes, r->page.used);
}

icf_status icf_report_write(icf_context *context, const icf_report_options *options, icf_report_outcome *outcome)
{
    report r = {.context = context, .options = options, .run = {.h5 = ICF_H5_CLOSED}};
    *outcome = (icf_report_outcome){0};
    const icf_status status = make(&r, outcome);
    icf_report_run_close(&r.run);
    icf_report_movie_clear(&r.movie);
    icf_report_stats_clear(&r.stats);
    icf_report_pack_clear(&r.bodies);
    icf_report_pack_clear(&r.meshes);
    icf_report_pack_clear(&r.columns);
    icf_text_clear(&r.page);
    json_decref(r.summary);
    json_decref(r.texts);
    return status;
}
