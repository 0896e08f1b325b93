/* The trace. */
#include "io/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "io/frame_contacts.h"
#include "io/user_frame.h"

/* What decides how much of an earlier trace stays. */
typedef struct keeper {
    const icf_scene *scene;
    icf_cnt last_step;
} keeper;

static bool keep_line(void *user, char *line)
{
    const keeper *k = user;
    icf_cnt step;
    if (sscanf(line, "{\"step\": %" SCNd64, &step) != 1) return false;
    return step < k->last_step || (step == k->last_step && icf_scene_is_frame(k->scene, step));
}

static icf_status open_file(icf_context *context, icf_text_file *file, const char *path, keeper k)
{
    off_t size = 0;
    ICF_TRY(icf_text_file_open(context, file, path, ""));
    if (k.last_step >= 0) ICF_TRY(icf_text_file_scan(context, file, keep_line, &k, &size));
    return icf_text_file_cut(context, file, size);
}

icf_status icf_trace_open(icf_context *context, icf_trace *trace, const char *path, const icf_scene *scene,
                          icf_cnt last_step)
{
    *trace = (icf_trace){.scene = scene, .has_deformables = scene->ndeformable > 0, .step_size = scene->time.step};
    icf_status status = ICF_OK;
    const keeper k = {.scene = scene, .last_step = last_step};
    if (context->rank == 0) status = open_file(context, &trace->file, path, k);
    return icf_agree(context, status);
}

static void put_number(icf_text *text, double value)
{
    if (isfinite(value))
        icf_text_put_number(text, value);
    else
        icf_text_put(text, "null");
}

static void put_numbers(icf_text *text, const char *key, const double *values, int n)
{
    icf_text_print(text, ", \"%s\": [", key);
    for (int i = 0; i < n; ++i) {
        if (i > 0) icf_text_put(text, ",");
        put_number(text, values[i]);
    }
    icf_text_put(text, "]");
}

static void put_vector(icf_text *text, const char *key, icf_vec3 v)
{
    put_numbers(text, key, (const double[3]){v.x, v.y, v.z}, 3);
}

static void put_value(icf_text *text, const char *key, double value)
{
    icf_text_print(text, ", \"%s\": ", key);
    put_number(text, value);
}

/* A JSON string; names are UTF-8 already. */
static void put_string(icf_text *text, const char *string)
{
    icf_text_put(text, "\"");
    for (const char *c = string; *c; ++c) {
        if (*c == '"' || *c == '\\')
            icf_text_append(text, (const char[2]){'\\', *c}, 2);
        else if ((unsigned char)*c < 0x20)
            icf_text_print(text, "\\u%04x", (unsigned)*c);
        else
            icf_text_append(text, c, 1);
    }
    icf_text_put(text, "\"");
}

static void put_body(icf_text *text, const icf_scene *scene, const icf_bodies *bodies, icf_lid i)
{
    char buffer[32];
    const icf_user_pose pose = icf_user_pose_of(scene, bodies, i);
    const icf_quat q = pose.orientation;
    icf_text_put(text, "{\"name\": ");
    put_string(text, icf_bodies_name(bodies, i, buffer));
    put_vector(text, "position", pose.position);
    put_numbers(text, "orientation", (const double[4]){q.w, q.x, q.y, q.z}, 4);
    put_vector(text, "linear_velocity", pose.linear_velocity);
    put_vector(text, "angular_velocity", bodies->angular_velocity[i]);
    icf_text_put(text, "}");
}

static void record_bodies(icf_records *records, const icf_scene *scene, const icf_bodies *bodies)
{
    icf_records_reset(records);
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (bodies->motion[i].type == ICF_MOTION_FIXED || icf_bodies_is_deformable(bodies, i)) continue;
        icf_record_begin(records, bodies->gid[i], 0, 0);
        put_body(&records->text, scene, bodies, i);
        icf_record_end(records);
    }
}

static void put_vectors(icf_text *text, const char *key, const icf_vec3 *v, icf_lid n)
{
    icf_text_print(text, ", \"%s\": [", key);
    for (icf_lid i = 0; i < n; ++i) {
        icf_text_put(text, i > 0 ? ",[" : "[");
        put_number(text, v[i].x);
        icf_text_put(text, ",");
        put_number(text, v[i].y);
        icf_text_put(text, ",");
        put_number(text, v[i].z);
        icf_text_put(text, "]");
    }
    icf_text_put(text, "]");
}

static void put_deformable(icf_text *text, const icf_bodies *bodies, icf_lid i, icf_vec3 reaction)
{
    char buffer[32];
    icf_text_put(text, "{\"name\": ");
    put_string(text, icf_bodies_name(bodies, i, buffer));
    put_vectors(text, "vertices", bodies->vertex_position + bodies->vertex[i], bodies->nvertex[i]);
    put_vectors(text, "velocities", bodies->vertex_velocity + bodies->vertex[i], bodies->nvertex[i]);
    put_vector(text, "reaction", reaction);
    icf_text_put(text, "}");
}

static void record_deformables(icf_records *records, const icf_bodies *bodies, const icf_contact_views *contacts)
{
    icf_records_reset(records);
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_is_deformable(bodies, i)) continue;
        icf_record_begin(records, bodies->gid[i], 0, 0);
        put_deformable(&records->text, bodies, i,
                       contacts && contacts->reaction ? contacts->reaction[i] : icf_vec3_make(0, 0, 0));
        icf_record_end(records);
    }
}

static void put_contact(icf_text *text, const icf_bodies *bodies, const icf_contacts *contacts, icf_pair pair,
                        icf_lid i)
{
    char first[32], second[32];
    const double *impulse = contacts->impulse[i];
    icf_text_put(text, "{\"bodies\": [");
    put_string(text, icf_bodies_name(bodies, pair.a, first));
    icf_text_put(text, ", ");
    put_string(text, icf_bodies_name(bodies, pair.b, second));
    icf_text_print(text, "], \"feature\": %" PRId64, contacts->feature[i]);
    put_vector(text, "point", contacts->point[i]);
    put_vector(text, "normal", icf_contact_normal(contacts, i));
    put_value(text, "distance", contacts->distance[i]);
    put_vector(text, "impulse", icf_contacts_world_impulse(contacts, i));
    put_value(text, "normal_impulse", impulse[2]);
    put_value(text, "tangential_impulse", sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1]));
    icf_text_put(text, "}");
}

static void record_view(icf_records *records, const icf_bodies *bodies, const icf_contacts *contacts)
{
    for (icf_lid p = 0; p < contacts->npair; ++p) {
        const icf_pair pair = contacts->pair[p];
        for (icf_lid i = contacts->pair_begin[p]; i < contacts->pair_begin[p + 1]; ++i) {
            if (!icf_contact_is_loaded(contacts, i)) continue;
            icf_record_begin(records, bodies->gid[pair.a], bodies->gid[pair.b], contacts->feature[i]);
            put_contact(&records->text, bodies, contacts, pair, i);
            icf_record_end(records);
        }
    }
}

static void record_contacts(icf_records *records, const icf_contact_views *contacts)
{
    icf_records_reset(records);
    for (int k = 0; contacts && k < contacts->n; ++k)
        record_view(records, contacts->view[k].bodies, contacts->view[k].contacts);
}

/* Net force of the contacts or attachments of a pair on its second body. */
static void put_pair(icf_text *text, const icf_bodies *bodies, icf_pair pair, icf_vec3 force)
{
    char first[32], second[32];
    icf_text_put(text, "{\"bodies\": [");
    put_string(text, icf_bodies_name(bodies, pair.a, first));
    icf_text_put(text, ", ");
    put_string(text, icf_bodies_name(bodies, pair.b, second));
    icf_text_put(text, "]");
    put_vector(text, "force", force);
    icf_text_put(text, "}");
}

static bool is_loaded(const icf_contacts *contacts, icf_lid pair)
{
    for (icf_lid i = contacts->pair_begin[pair]; i < contacts->pair_begin[pair + 1]; ++i)
        if (icf_contact_is_loaded(contacts, i)) return true;
    return false;
}

/* Whether the contacts of a pair of the first view are on several ranks. */
static bool is_shared(const icf_contact_views *contacts, icf_pair pair)
{
    return contacts->is_shared && (contacts->is_shared[pair.a] || contacts->is_shared[pair.b]);
}

static void record_pair(icf_records *records, const icf_bodies *bodies, icf_pair pair, icf_vec3 force)
{
    icf_record_begin(records, bodies->gid[pair.a], bodies->gid[pair.b], 0);
    put_pair(&records->text, bodies, pair, force);
    icf_record_end(records);
}

/* Pairs with a contact that carries an impulse. */
static void record_pairs(icf_records *records, const icf_contact_views *contacts, double dt)
{
    icf_records_reset(records);
    for (int k = 0; contacts && k < contacts->n; ++k) {
        const icf_bodies *bodies = contacts->view[k].bodies;
        const icf_contacts *of = contacts->view[k].contacts;
        for (icf_lid p = 0; p < of->npair; ++p) {
            if (!is_loaded(of, p) || (k == 0 && is_shared(contacts, of->pair[p]))) continue;
            record_pair(records, bodies, of->pair[p], icf_scale(1.0 / dt, icf_contacts_pair_impulse(of, p)));
        }
    }
    for (icf_lid p = 0; contacts && p < contacts->nshared; ++p) {
        const icf_pair_impulse *shared = &contacts->shared[p];
        if (icf_norm2(shared->impulse) > 0.0)
            record_pair(records, contacts->view[0].bodies, shared->pair, icf_scale(1.0 / dt, shared->impulse));
    }
}

static void record_attachments(icf_records *records, const icf_contact_views *contacts, double dt)
{
    icf_records_reset(records);
    for (int k = 0; contacts && k < contacts->n; ++k) {
        const icf_contact_view *view = &contacts->view[k];
        for (icf_lid p = 0; p < view->nattachment; ++p)
            record_pair(records, view->bodies, view->attachment[p].pair,
                        icf_scale(1.0 / dt, view->attachment[p].impulse));
    }
}

static void put_solver(icf_text *text, const icf_step_stats *stats)
{
    icf_text_print(text, "\"solver\": {\"iterations\": %" PRId64, stats->iterations_max);
    put_value(text, "cost", stats->cost);
    put_value(text, "contact_cost", stats->contact_cost);
    put_value(text, "residual", stats->momentum_residual);
    icf_text_print(text, ", \"islands\": %" PRId64 ", \"candidates\": %" PRId64 ", \"active\": %" PRId64 "}",
                   stats->islands, stats->candidates, stats->active);
}

static void put_energy(icf_text *text, const icf_step_stats *stats)
{
    icf_text_put(text, "\"energy\": {\"kinetic\": ");
    put_number(text, stats->kinetic_energy);
    put_value(text, "elastic", stats->elastic_energy);
    icf_text_put(text, "}, ");
}

/* What the scene's deformable bodies add. */
static icf_status gather_deformables(icf_context *context, icf_trace *trace, const icf_bodies *bodies,
                                     const icf_contact_views *contacts, double dt)
{
    if (!trace->has_deformables) return ICF_OK;
    record_deformables(&trace->deformables, bodies, contacts);
    record_pairs(&trace->pairs, contacts, dt);
    record_attachments(&trace->attachments, contacts, dt);
    ICF_TRY(icf_records_gather(context, &trace->deformables));
    ICF_TRY(icf_records_gather(context, &trace->pairs));
    return icf_records_gather(context, &trace->attachments);
}

static void put_object(icf_text *text, const icf_trace *trace, const icf_step_stats *stats)
{
    icf_text_print(text, "{\"step\": %" PRId64, stats->step);
    put_value(text, "time", stats->time);
    icf_text_put(text, ", \"bodies\": [");
    icf_records_join(&trace->bodies, ", ", text);
    if (trace->has_deformables) {
        icf_text_put(text, "], \"deformables\": [");
        icf_records_join(&trace->deformables, ", ", text);
    }
    icf_text_put(text, "], \"contacts\": [");
    icf_records_join(&trace->contacts, ", ", text);
    if (trace->has_deformables) {
        icf_text_put(text, "], \"pairs\": [");
        icf_records_join(&trace->pairs, ", ", text);
        icf_text_put(text, "], \"attachments\": [");
        icf_records_join(&trace->attachments, ", ", text);
    }
    icf_text_put(text, "], ");
    if (trace->has_deformables) put_energy(text, stats);
    put_solver(text, stats);
    icf_text_put(text, "}\n");
}

icf_status icf_trace_put(icf_context *context, icf_trace *trace, const icf_bodies *bodies,
                         const icf_contact_views *contacts, const icf_step_stats *stats)
{
    /* contacts of a step redone in substeps are those of the last one */
    const double dt = trace->step_size / (double)ICF_MAX(stats->substeps, 1);
    record_bodies(&trace->bodies, trace->scene, bodies);
    record_contacts(&trace->contacts, contacts);
    icf_status status = icf_records_gather(context, &trace->bodies);
    if (status == ICF_OK) status = icf_records_gather(context, &trace->contacts);
    if (status == ICF_OK) status = gather_deformables(context, trace, bodies, contacts, dt);
    if (status != ICF_OK) return icf_fail(context, status, "out of memory for the trace");
    if (context->rank == 0) put_object(&trace->file.text, trace, stats);
    return ICF_OK;
}

icf_status icf_trace_close(icf_context *context, icf_trace *trace)
{
    icf_records_clear(&trace->bodies);
    icf_records_clear(&trace->contacts);
    icf_records_clear(&trace->deformables);
    icf_records_clear(&trace->pairs);
    icf_records_clear(&trace->attachments);
    return icf_agree(context, icf_text_file_close(context, &trace->file));
}
