/* Checks that need the whole scene: names, and materials against the model and each other. */
#include <stdio.h>
#include <string.h>

#include "io/scene_parse.h"

/* Reports a force or spring on a body that is not there, or that has no place in the file. */
static void report_reference(icf_scene_reader *reader, const icf_body_reference *reference, const char *name)
{
    char path[64], quoted[ICF_QUOTE_BYTES];
    const bool attachment = reference->kind == ICF_REFERENCE_ATTACHMENT;
    const char *what = reference->kind == ICF_REFERENCE_SPRING ? "springs" : "forces";
    icf_scene_quote(quoted, name, strlen(name));
    if (attachment)
        snprintf(path, sizeof path, "deformables[%lld].attachments[%lld].body", (long long)reference->index,
                 (long long)reference->element);
    else
        snprintf(path, sizeof path, "%s[%lld].body", what, (long long)reference->index);
    if (icf_reader_find_generated(reader, name) >= 0)
        icf_scene_errors_add(&reader->errors, reference->mark, path,
                             "%s is a body of a population; %s act on bodies that are listed in bodies", quoted, what);
    else
        icf_scene_errors_add(&reader->errors, reference->mark, path, "no body is named %s", quoted);
}

/* Finds the bodies of forces and springs, and whether those of attachments are there. */
static void resolve_references(icf_scene_reader *reader)
{
    for (size_t i = 0; i < reader->nreference; ++i) {
        const icf_body_reference *reference = &reader->reference[i];
        const char *name = icf_name_table_text(&reader->reference_names, reference->name);
        const icf_gid body = icf_reader_find_body(reader, name);
        const bool attachment = reference->kind == ICF_REFERENCE_ATTACHMENT;
        if (body < 0 && !(attachment && icf_reader_find_generated(reader, name) >= 0))
            report_reference(reader, reference, name);
        else if (reference->kind == ICF_REFERENCE_SPRING)
            reader->scene->spring[reference->index].body = body;
        else if (reference->kind == ICF_REFERENCE_FORCE)
            reader->scene->force[reference->index].body = body;
    }
}

/* Reports that a listed body has the name that a body of a population goes by. */
static void report_generated_name(icf_scene_reader *reader, icf_gid generated, icf_gid listed)
{
    const icf_scene *scene = reader->scene;
    const icf_cnt number = generated - icf_scene_nlisted(scene);
    int32_t i = scene->npopulation - 1;
    while (scene->population[i].first > number) --i;
    char path[64];
    snprintf(path, sizeof path, "populations[%d]", (int)i);
    icf_scene_errors_add(&reader->errors, reader->population[i], path,
                         "one of its bodies is called \"body%lld\", which is the name of bodies[%lld]",
                         (long long)generated, (long long)listed);
}

/* Bodies of populations go by "bodyN": no listed one may have taken such a name. */
static void check_generated_names(icf_scene_reader *reader)
{
    if (reader->scene->ngenerated == 0) return;
    for (size_t i = 0; i < reader->body_names.n; ++i) {
        const icf_gid generated = icf_reader_find_generated(reader, icf_name_table_text(&reader->body_names, i));
        if (generated >= 0) report_generated_name(reader, generated, reader->named_body[i]);
    }
}

/* Path of a material's key. */
static const char *material_path(const icf_scene_reader *reader, int32_t i, const char *key, char *path)
{
    snprintf(path, ICF_PATH_BYTES, "materials.%.60s%s", reader->scene->material_name[i], key);
    return path;
}

static const char *pair_path(const icf_pair_record *record, const char *key, char *path)
{
    snprintf(path, ICF_PATH_BYTES, "contact.pairs[%lld]%s", (long long)record->index, key);
    return path;
}

static void report_undefined(icf_scene_reader *reader, int32_t i)
{
    const icf_material_record *record = &reader->material[i];
    char *const *names = reader->scene->material_name;
    const char *nearest = NULL;
    size_t distance = SIZE_MAX;
    for (int32_t j = 0; j < reader->scene->nmaterial; ++j)
        if (reader->material[j].is_defined && icf_name_is_nearer(names[j], names[i], &distance)) nearest = names[j];
    char quoted[ICF_QUOTE_BYTES];
    icf_scene_errors_add(&reader->errors, record->used, record->used_path, "no material is named %s%s%s%s",
                         icf_scene_quote(quoted, names[i], strlen(names[i])), nearest ? "; did you mean \"" : "",
                         nearest ? nearest : "", nearest ? "\"?" : "");
}

/* Names that are used but never defined, and materials that only an override made up. */
static void check_material_names(icf_scene_reader *reader)
{
    for (int32_t i = 0; i < reader->scene->nmaterial; ++i) {
        const icf_material_record *record = &reader->material[i];
        if (!record->is_defined) {
            if (!reader->no_materials) report_undefined(reader, i);
        } else if (!record->is_used && record->defined.override >= 0) {
            char path[ICF_PATH_BYTES];
            icf_scene_errors_add(&reader->errors, record->defined, material_path(reader, i, "", path),
                                 "the file has no such material, and no body is made of it");
        }
    }
}

/* What the model and the candidate distance ask of a normal law and a friction. */
static void check_against_model(icf_scene_reader *reader, const icf_material *values, icf_mark normal,
                                icf_mark friction, const char *normal_path, const char *friction_path)
{
    const icf_contact_settings *contact = &reader->scene->contact;
    if (contact->model == ICF_MODEL_SAP && values->normal != ICF_NORMAL_LINEAR)
        icf_scene_errors_add(&reader->errors, normal, normal_path, "must be linear with model sap");
    else if (values->normal == ICF_NORMAL_LOG_BARRIER && contact->auto_distance)
        icf_scene_errors_add(&reader->errors, normal, normal_path,
                             "log_barrier acts at any distance: contact.distance must be a number");
    if (contact->model == ICF_MODEL_SAP && values->anisotropic)
        icf_scene_errors_add(&reader->errors, friction, friction_path, "must be a number with model sap");
}

static void check_models(icf_scene_reader *reader)
{
    const icf_scene *scene = reader->scene;
    char normal[ICF_PATH_BYTES], friction[ICF_PATH_BYTES];
    for (int32_t i = 0; i < scene->nmaterial; ++i) {
        const icf_material_record *record = &reader->material[i];
        if (record->bad || !record->is_defined) continue;
        check_against_model(reader, &scene->material[i], record->normal, record->friction,
                            material_path(reader, i, ".normal", normal),
                            material_path(reader, i, ".friction", friction));
    }
    for (int32_t i = 0; i < scene->npair; ++i) {
        const icf_pair_record *record = &reader->pair[i];
        if (record->bad) continue;
        check_against_model(reader, &scene->pair[i].values, record->normal, record->friction,
                            pair_path(record, ".normal", normal), pair_path(record, ".friction", friction));
    }
}

/* Number of the given pair of two materials (a <= b), -1: none. */
static int64_t find_pair(const icf_scene_reader *reader, int32_t a, int32_t b)
{
    const int32_t pair[2] = {a, b};
    return icf_name_table_find(&reader->pair_names, (const char *)pair, sizeof pair);
}

static bool is_usable(const icf_scene_reader *reader, int32_t i)
{
    return reader->material[i].is_defined && !reader->material[i].bad;
}

/* Whether bodies of two materials can touch: two bodies, one of which the solver moves. */
static bool can_touch(const icf_scene_reader *reader, int32_t a, int32_t b)
{
    const icf_material_record *first = &reader->material[a], *second = &reader->material[b];
    if (a == b) return first->nbody > 1 && first->nmoving > 0;
    return first->nbody > 0 && second->nbody > 0 && first->nmoving + second->nmoving > 0;
}

/* Reports that no rule combines two materials. */
static void report_pair(icf_scene_reader *reader, int32_t a, int32_t b, const icf_pair_record *given, const char *why)
{
    char path[ICF_PATH_BYTES], quoted[ICF_QUOTE_BYTES];
    const char *name = reader->scene->material_name[a];
    icf_scene_quote(quoted, name, strlen(name));
    if (given)
        icf_scene_errors_add(&reader->errors, given->mark, pair_path(given, "", path), "%s", why);
    else if (a == b)
        icf_scene_errors_add(&reader->errors, reader->material[b].defined, material_path(reader, b, "", path),
                             "bodies of this material can touch each other, but %s", why);
    else
        icf_scene_errors_add(&reader->errors, reader->material[b].defined, material_path(reader, b, "", path),
                             "bodies of this material can touch those of %s, but %s; name the two in contact.pairs",
                             quoted, why);
}

/* Values of a given pair that its normal law lacks or does not have. */
static void check_given_pair(icf_scene_reader *reader, const icf_pair_record *record, const icf_material *given,
                             const icf_material *combined)
{
    char path[ICF_PATH_BYTES];
    pair_path(record, ".barrier_distance", path);
    const bool ipc = combined->normal == ICF_NORMAL_IPC_BARRIER;
    if (ipc && !(combined->barrier_distance > 0.0))
        icf_scene_errors_add(&reader->errors, record->mark, path, "missing, normal: ipc_barrier requires it");
    if (!ipc && (given->given & ICF_MATERIAL_BARRIER_DISTANCE))
        icf_scene_errors_add(&reader->errors, record->mark, path, "is only for normal: ipc_barrier");
}

static void check_pair(icf_scene_reader *reader, int32_t a, int32_t b)
{
    const icf_scene *scene = reader->scene;
    const int64_t number = find_pair(reader, a, b);
    const icf_pair_record *record = number >= 0 ? &reader->pair[number] : NULL;
    if (record && record->bad) return;
    const icf_material *given = record ? &scene->pair[number].values : NULL;
    icf_material combined;
    const char *why = "";
    if (icf_material_combine(&scene->material[a], &scene->material[b], given, &combined, &why) == ICF_OK) {
        if (record) check_given_pair(reader, record, given, &combined);
    } else if (can_touch(reader, a, b)) {
        report_pair(reader, a, b, record, why);
    }
}

/* Deformables of one material and what they can touch of the other. */
static void check_surface_pair(icf_scene_reader *reader, int32_t a, int32_t b)
{
    const icf_scene *scene = reader->scene;
    const icf_material_record *ra = &reader->material[a], *rb = &reader->material[b];
    const icf_cnt in_a = ra->nbody + ra->ndeformable, in_b = rb->nbody + rb->ndeformable;
    const bool touch = (ra->ndeformable > 0 && in_b > (a == b)) || (rb->ndeformable > 0 && in_a > (a == b));
    if (!touch) return;
    const int64_t number = find_pair(reader, a, b);
    const icf_pair_record *record = number >= 0 ? &reader->pair[number] : NULL;
    if (record && record->bad) return;
    icf_material combined;
    const char *why = "";
    if (icf_material_combine_surface(&scene->material[a], &scene->material[b],
                                     record ? &scene->pair[number].values : NULL, &combined, &why) != ICF_OK)
        report_pair(reader, a, b, record,
                    strstr(why, "infinite") ? "a deformable can touch it, and neither gives stiffness_per_area" : why);
}

static void check_pairs(icf_scene_reader *reader)
{
    const int32_t n = reader->scene->nmaterial;
    for (int32_t a = 0; a < n; ++a)
        for (int32_t b = a; b < n; ++b)
            if (is_usable(reader, a) && is_usable(reader, b)) {
                check_pair(reader, a, b);
                check_surface_pair(reader, a, b);
            }
}

/* Elastic forces are implicit in the one way that symplectic Euler goes with. */
static void check_integrator(icf_scene_reader *reader)
{
    const icf_scene *scene = reader->scene;
    if (scene->time.integrator == ICF_SYMPLECTIC_EULER || scene->ndeformable == 0) return;
    icf_scene_errors_add(&reader->errors, reader->integrator, "time.integrator",
                         "must be symplectic_euler in a scene with deformables");
}

icf_status icf_reader_check(icf_scene_reader *reader)
{
    resolve_references(reader);
    icf_reader_finish_deformables(reader);
    check_integrator(reader);
    check_generated_names(reader);
    check_material_names(reader);
    check_models(reader);
    check_pairs(reader);
    return reader->errors.n > 0 ? ICF_ERROR_SCENE : ICF_OK;
}
