/* Data of a report as parts of the page. */
#include "io/report_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for the data of a report");
}

/* In an element <script> no text may look like its end: every '<' is written by its number. */
icf_status icf_report_put_json(icf_context *context, icf_text *page, const char *id, const json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) return fail_memory(context);
    icf_text_print(page, "<script type=\"application/json\" id=\"%s\">", id);
    const char *rest = text;
    for (const char *mark; (mark = strchr(rest, '<')); rest = mark + 1) {
        icf_text_append(page, rest, (size_t)(mark - rest));
        icf_text_put(page, "\\u003c");
    }
    icf_text_put(page, rest);
    icf_text_put(page, "</script>\n");
    free(text);
    return page->out_of_memory ? fail_memory(context) : ICF_OK;
}

void icf_report_put_packed(icf_text *page, const char *id, const icf_report_pack *pack)
{
    icf_text_print(page, "<script type=\"text/plain\" id=\"%s\">", id);
    icf_report_put_base64(page, pack->packed.bytes, pack->packed.used);
    icf_text_put(page, "</script>\n");
}

/* Packs bytes as a whole stream and releases them. */
static icf_status pack_all(icf_context *context, icf_text *bytes, icf_report_pack *pack)
{
    icf_status status = icf_report_pack_begin(context, pack);
    if (status == ICF_OK) status = icf_report_pack_add(context, pack, bytes);
    if (status == ICF_OK) status = icf_report_pack_end(context, pack);
    icf_text_clear(bytes);
    return status;
}

static void put_float(icf_text *bytes, double value)
{
    const float single = (float)value;
    icf_text_append(bytes, &single, sizeof single);
}

static void put_byte(icf_text *bytes, int32_t value)
{
    const uint8_t byte = (uint8_t)value;
    icf_text_append(bytes, &byte, sizeof byte);
}

icf_status icf_report_pack_bodies(icf_report_run *run, icf_report_pack *pack)
{
    icf_text bytes = {0};
    for (icf_lid i = 0; i < run->nbody; ++i) {
        const double id = (double)run->id[i]; /* a browser counts in doubles */
        icf_text_append(&bytes, &id, sizeof id);
    }
    for (icf_lid i = 0; i < run->nbody; ++i)
        for (int k = 0; k < 3; ++k) put_float(&bytes, icf_get(run->size[i], k));
    for (icf_lid i = 0; i < run->nbody; ++i) put_float(&bytes, run->mass[i]);
    for (icf_lid i = 0; i < run->nbody; ++i) put_byte(&bytes, run->shape[i]);
    for (icf_lid i = 0; i < run->nbody; ++i) put_byte(&bytes, run->moves[i]);
    return pack_all(run->context, &bytes, pack);
}

static void put_mesh(icf_text *bytes, const icf_report_mesh *mesh)
{
    icf_text_append(bytes, mesh->body, (size_t)mesh->nvertex * sizeof *mesh->body);
    icf_text_append(bytes, mesh->triangle, (size_t)mesh->ntriangle * sizeof *mesh->triangle);
    if (mesh->local) icf_text_append(bytes, mesh->local, (size_t)mesh->nvertex * sizeof *mesh->local);
}

icf_status icf_report_pack_meshes(icf_report_run *run, icf_report_pack *pack)
{
    icf_text bytes = {0};
    put_mesh(&bytes, &run->rigid);
    put_mesh(&bytes, &run->soft);
    return pack_all(run->context, &bytes, pack);
}

icf_status icf_report_pack_stats(icf_context *context, const icf_report_stats *stats, icf_report_pack *pack)
{
    icf_text bytes = {0};
    for (int c = 0; c < stats->ncolumn; ++c)
        icf_text_append(&bytes, stats->column[c].value, stats->nline * sizeof *stats->column[c].value);
    return pack_all(context, &bytes, pack);
}

/* ---- JSON ---- */

/* JSON knows no infinity and no NaN: null stands for them. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *vector(icf_vec3 v)
{
    return json_pack("[o, o, o]", number(v.x), number(v.y), number(v.z));
}

static json_t *list_moments(const icf_report_movie *movie)
{
    json_t *list = json_array();
    for (size_t k = 0; k < movie->nframe; ++k) {
        const icf_report_moment *moment = &movie->moment[k];
        json_array_append_new(list, json_pack("[I, o, i, i]", (json_int_t)moment->step, number(moment->time),
                                              (int)moment->ncontact, (int)moment->nshown));
    }
    return list;
}

static json_t *list_planes(const icf_report_run *run)
{
    json_t *list = json_array();
    for (icf_lid i = 0; i < run->nplane; ++i)
        json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "body", (int)icf_report_run_row(run, run->plane_id[i]),
                                              "normal", vector(run->plane_normal[i]), "offset",
                                              number(run->plane_offset[i])));
    return list;
}

/* Names that were given; the others follow from the id. */
static json_t *list_names(const icf_report_run *run)
{
    json_t *names = json_object();
    for (icf_lid i = 0; i < run->nbody; ++i) {
        char usual[ICF_REPORT_NAME_BYTES], row[16];
        snprintf(usual, sizeof usual, "body%" PRId64, run->id[i]);
        run->name[i][ICF_REPORT_NAME_BYTES - 1] = '\0';
        if (strcmp(usual, run->name[i]) == 0) continue;
        snprintf(row, sizeof row, "%d", (int)i);
        /* a name cut within a letter is no text: then the id stands for it */
        json_t *name = json_string(run->name[i]);
        if (name) json_object_set_new(names, row, name);
    }
    return names;
}

static json_t *list_shapes(void)
{
    json_t *list = json_array();
    for (int type = 0; type < ICF_SHAPE_COUNT; ++type)
        json_array_append_new(list, json_string(icf_shape_name((icf_shape_type)type)));
    return list;
}

static json_t *list_columns(const icf_report_stats *stats)
{
    json_t *list = json_array();
    for (int c = 0; c < stats->ncolumn; ++c) json_array_append_new(list, json_string(stats->column[c].name));
    return list;
}

static json_t *mesh_sizes(const icf_report_mesh *mesh)
{
    return json_pack("{s:i, s:i}", "vertices", (int)mesh->nvertex, "triangles", (int)mesh->ntriangle);
}

json_t *icf_report_meta(const icf_report_facts *facts, const json_t *texts, const char *program)
{
    const icf_report_run *run = facts->run;
    json_t *meta = json_object();
    json_object_set_new(meta, "program", json_string(program));
    json_object_set_new(meta, "scene", json_string(run->scene));
    json_object_set_new(meta, "model", json_string(run->model));
    json_object_set_new(meta, "stepSize", number(run->step_size));
    json_object_set_new(meta, "bodies", json_integer(run->nbody));
    json_object_set_new(meta, "shapes", list_shapes());
    json_object_set_new(meta, "names", list_names(run));
    json_object_set_new(meta, "planes", list_planes(run));
    json_object_set_new(meta, "quantum", number(facts->movie->quantum));
    json_object_set_new(meta, "frames", list_moments(facts->movie));
    json_object_set_new(meta, "framesInRun", json_integer((json_int_t)run->frames.n));
    json_object_set_new(meta, "rigid", mesh_sizes(&run->rigid));
    json_object_set_new(meta, "soft", mesh_sizes(&run->soft));
    json_object_set_new(meta, "columns", list_columns(facts->stats));
    json_object_set_new(meta, "lines", json_integer((json_int_t)facts->stats->nline));
    json_object_set_new(meta, "stepsPerLine", json_integer(facts->stats->merge));
    json_object_set_new(meta, "findings", icf_report_warnings(facts));
    json_object_update(meta, (json_t *)(uintptr_t)texts);
    return meta;
}
