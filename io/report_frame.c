/* A frame of a run as a report reads it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/report_run.h"

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a frame of a report");
}

static icf_status allocate(const icf_report_run *run, icf_report_frame *frame)
{
    if (frame->position) return ICF_OK;
    const size_t n = (size_t)run->nbody + 1, v = (size_t)run->soft.nvertex + 1;
    frame->position = icf_alloc(n * sizeof *frame->position);
    frame->orientation = icf_alloc(n * sizeof *frame->orientation);
    frame->speed = icf_alloc(n * sizeof *frame->speed);
    frame->force = icf_alloc(n * sizeof *frame->force);
    frame->island = icf_alloc(n * sizeof *frame->island);
    frame->vertex = icf_alloc(v * sizeof *frame->vertex);
    frame->vertex_speed = icf_alloc(v * sizeof *frame->vertex_speed);
    frame->von_mises = icf_alloc(v * sizeof *frame->von_mises);
    return frame->position && frame->orientation && frame->speed && frame->force && frame->island && frame->vertex &&
                   frame->vertex_speed && frame->von_mises
               ? ICF_OK
               : fail_memory(run->context);
}

/* Reads n rows of numbers into new memory; the caller frees *out. */
static icf_status read_rows(icf_report_run *run, hid_t group, const char *name, icf_lid n, int columns, double **out)
{
    *out = icf_alloc(((size_t)n + 1) * (size_t)columns * sizeof **out);
    if (!*out) return fail_memory(run->context);
    const hsize_t rows = icf_h5_rows(&run->h5, group, name, columns);
    ICF_TRY(icf_h5_check(&run->h5));
    if (rows != (hsize_t)n)
        return icf_fail(run->context, ICF_ERROR_FILE, "%s: a frame's %s does not have as many rows as %s", run->h5.path,
                        name, run->fixed);
    icf_h5_read(&run->h5, group, name, H5T_NATIVE_DOUBLE, 0, rows, columns, *out);
    return icf_h5_check(&run->h5);
}

static icf_vec3 row_vec3(const double *rows, icf_lid i)
{
    return icf_vec3_make(rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]);
}

/* Bodies that are absent stand still, where nobody sees them. */
static void place_absent(const icf_report_run *run, icf_report_frame *frame)
{
    for (icf_lid i = 0; i < run->nbody; ++i) {
        if (run->rank[i] >= 0) continue;
        frame->position[i] = icf_vec3_make(0.0, 0.0, 0.0);
        frame->orientation[i] = (icf_quat){1.0, 0.0, 0.0, 0.0};
        frame->speed[i] = 0.0;
    }
}

static icf_status read_poses(icf_report_run *run, hid_t group, icf_report_frame *frame)
{
    double *position = NULL, *orientation = NULL, *velocity = NULL;
    place_absent(run, frame);
    icf_status status = read_rows(run, group, "position", run->nrow, 3, &position);
    if (status == ICF_OK) status = read_rows(run, group, "orientation", run->nrow, 4, &orientation);
    if (status == ICF_OK) status = read_rows(run, group, "linear_velocity", run->nrow, 3, &velocity);
    for (icf_lid i = 0; i < run->nrow && status == ICF_OK; ++i) {
        const icf_lid row = run->row[i];
        const double *q = orientation + 4 * (size_t)i;
        frame->position[row] = row_vec3(position, i);
        frame->orientation[row] = (icf_quat){q[0], q[1], q[2], q[3]};
        frame->speed[row] = icf_norm(row_vec3(velocity, i));
    }
    icf_free(position);
    icf_free(orientation);
    icf_free(velocity);
    return status;
}

/* ---- contacts ---- */

static int compare_contacts(const void *a, const void *b)
{
    const icf_report_contact *left = a, *right = b;
    if (left->first != right->first) return left->first < right->first ? -1 : 1;
    if (left->second != right->second) return left->second < right->second ? -1 : 1;
    return (left->feature > right->feature) - (left->feature < right->feature);
}

static icf_status fill_contacts(icf_report_run *run, icf_report_frame *frame, const icf_gid *ids,
                                const int64_t *feature, const double *point, const double *force)
{
    const icf_lid n = frame->ncontact;
    for (icf_lid i = 0; i < n; ++i) {
        const icf_lid first = icf_report_run_row(run, ids[i]), second = icf_report_run_row(run, ids[n + i]);
        if (first < 0 || second < 0)
            return icf_fail(run->context, ICF_ERROR_FILE, "%s: a contact has an unknown body", run->h5.path);
        frame->contact[i] = (icf_report_contact){first, second, feature[i], row_vec3(point, i), row_vec3(force, i)};
    }
    qsort(frame->contact, (size_t)n, sizeof *frame->contact, compare_contacts);
    return ICF_OK;
}

static icf_status read_contacts(icf_report_run *run, hid_t parent, icf_report_frame *frame)
{
    icf_h5 *h5 = &run->h5;
    const hid_t group = icf_h5_group_open(h5, parent, "contacts");
    const hsize_t n = icf_h5_rows(h5, group, "first_body", 1);
    frame->ncontact = (icf_lid)n;
    icf_status status = icf_h5_check(h5);
    if (status == ICF_OK && ICF_GROW(frame->contact, frame->contact_capacity, n + 1) != ICF_OK)
        status = fail_memory(run->context);
    icf_gid *ids = icf_alloc((2 * (size_t)n + 1) * sizeof *ids);
    int64_t *feature = icf_alloc(((size_t)n + 1) * sizeof *feature);
    double *point = NULL, *force = NULL;
    if (status == ICF_OK && !(ids && feature)) status = fail_memory(run->context);
    if (status == ICF_OK) {
        icf_h5_read(h5, group, "first_body", H5T_NATIVE_INT64, 0, n, 1, ids);
        icf_h5_read(h5, group, "second_body", H5T_NATIVE_INT64, 0, n, 1, ids + n);
        icf_h5_read(h5, group, "feature", H5T_NATIVE_INT64, 0, n, 1, feature);
        status = icf_h5_check(h5);
    }
    if (status == ICF_OK) status = read_rows(run, group, "point", frame->ncontact, 3, &point);
    if (status == ICF_OK) status = read_rows(run, group, "force", frame->ncontact, 3, &force);
    if (status == ICF_OK) status = fill_contacts(run, frame, ids, feature, point, force);
    icf_free(ids);
    icf_free(feature);
    icf_free(point);
    icf_free(force);
    icf_h5_group_close(h5, group);
    return status;
}

/* Lowest row of the island of a row; paths are halved on the way. */
static icf_lid find_island(icf_lid *island, icf_lid i)
{
    while (island[i] != i) i = island[i] = island[island[i]];
    return i;
}

/* Islands and forces of the bodies.  Bodies that the solver does not move hold nothing together. */
static void join_contacts(const icf_report_run *run, icf_report_frame *frame)
{
    icf_lid *island = frame->island;
    for (icf_lid i = 0; i < run->nbody; ++i) {
        island[i] = i;
        frame->force[i] = 0.0;
    }
    for (icf_lid c = 0; c < frame->ncontact; ++c) {
        const icf_report_contact *contact = &frame->contact[c];
        const double force = icf_norm(contact->force);
        frame->force[contact->first] += force;
        if (contact->second != contact->first) frame->force[contact->second] += force;
        if (!run->moves[contact->first] || !run->moves[contact->second]) continue;
        const icf_lid a = find_island(island, contact->first), b = find_island(island, contact->second);
        island[ICF_MAX(a, b)] = ICF_MIN(a, b);
    }
    for (icf_lid i = 0; i < run->nbody; ++i) island[i] = find_island(island, i);
}

/* ---- deformable bodies ---- */

static icf_status read_vertices(icf_report_run *run, hid_t parent, icf_report_frame *frame)
{
    if (run->nvertex == 0) return ICF_OK;
    double *position = NULL, *velocity = NULL, *stress = NULL;
    const hid_t group = icf_h5_group_open(&run->h5, parent, "deformables");
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK) status = read_rows(run, group, "vertices", run->nvertex, 3, &position);
    if (status == ICF_OK) status = read_rows(run, group, "velocity", run->nvertex, 3, &velocity);
    if (status == ICF_OK) status = read_rows(run, group, "von_mises", run->nvertex, 1, &stress);
    for (icf_lid i = 0; i < run->nvertex && status == ICF_OK; ++i) {
        const icf_lid v = run->surface_vertex[run->vertex_row[i]];
        if (v < 0) continue;
        frame->vertex[v] = row_vec3(position, i);
        frame->vertex_speed[v] = icf_norm(row_vec3(velocity, i));
        frame->von_mises[v] = stress[i];
    }
    icf_free(position);
    icf_free(velocity);
    icf_free(stress);
    icf_h5_group_close(&run->h5, group);
    return status;
}

static icf_status read_frame(icf_report_run *run, hid_t group, icf_report_frame *frame)
{
    char fixed[32];
    frame->step = icf_h5_get_count(&run->h5, group, "step");
    frame->time = icf_h5_get_number(&run->h5, group, "time");
    icf_h5_get_text(&run->h5, group, "static", fixed, sizeof fixed);
    ICF_TRY(icf_h5_check(&run->h5));
    ICF_TRY(icf_report_run_use(run, fixed));
    ICF_TRY(read_poses(run, group, frame));
    ICF_TRY(read_contacts(run, group, frame));
    join_contacts(run, frame);
    return read_vertices(run, group, frame);
}

icf_status icf_report_run_read(icf_report_run *run, size_t k, icf_report_frame *frame)
{
    char name[32];
    ICF_TRY(allocate(run, frame));
    icf_frame_name(run->frames.step[k], name);
    const hid_t group = icf_h5_group_open(&run->h5, run->h5.file, name);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK) status = read_frame(run, group, frame);
    icf_h5_group_close(&run->h5, group);
    return status;
}

void icf_report_frame_clear(icf_report_frame *frame)
{
    void *const memory[] = {frame->position, frame->orientation, frame->speed,        frame->force,    frame->island,
                            frame->contact,  frame->vertex,      frame->vertex_speed, frame->von_mises};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) icf_free(memory[i]);
    *frame = (icf_report_frame){0};
}
