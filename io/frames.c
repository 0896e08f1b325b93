/* Frames of a run in run.h5. */
#include "io/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/frame_contacts.h"
#include "io/frame_deformables.h"
#include "io/frame_list.h"
#include "io/frame_static.h"
#include "io/names.h"
#include "io/user_frame.h"

enum {
    bodies_worth_a_thread = 2000, /* owned bodies below which one thread places all surfaces */
    format_version = 1,
    many_bodies = 1000, /* above it surfaces are coarser */
    around_few = 16,    /* triangles round a sphere */
    around_many = 8,
    metadata_bytes = 1 << 16 /* more than HDF5 needs beside a frame's data */
};

/* A frame that is written but not yet named in the file. */
typedef struct hidden_frame {
    hid_t group;
    char name[32];
} hidden_frame;

/* Poses and velocities as they are written. */
typedef struct pose_columns {
    const icf_vec3 *position;
    const icf_quat *orientation;
    const icf_vec3 *velocity;
} pose_columns;

struct icf_frames {
    icf_context *context;   /* borrowed */
    const icf_scene *scene; /* borrowed */
    icf_h5 h5;
    icf_xdmf xdmf;
    bool with_surfaces;
    icf_surfaces surfaces;
    icf_frame_static fixed; /* the static group of the last frame */
    char first_static[32];  /* the one that the index files keep as an entity */
    icf_frame_contacts contacts;
    icf_frame_deformables deformables;
    hidden_frame *hidden; /* (nhidden) frames written since the last flush */
    size_t nhidden, hidden_capacity;
    size_t point_capacity, speed_capacity;
    icf_vec3 *position, *velocity; /* (owned bodies) of the user's frames; only in scenes with solids */
    icf_quat *orientation;
    size_t position_capacity, velocity_capacity, orientation_capacity;
    pose_columns pose; /* of the frame that is being written */
    float (*point)[3]; /* surface points of own bodies [m] */
    float *speed;      /* their speed [m/s] */
};

/* Box round the bodies at t = 0, which is the same before and after a restart: centre and diagonal. */
static void measure_scene(const icf_context *context, const icf_bodies *bodies, icf_vec3 *centre, double *diagonal)
{
    double mine[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, all[6];
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!isfinite(bodies->radius[i])) continue;
        for (int k = 0; k < 3; ++k) {
            const double x = icf_get(bodies->origin[i], k);
            mine[k] = ICF_MAX(mine[k], bodies->radius[i] - x);
            mine[3 + k] = ICF_MAX(mine[3 + k], bodies->radius[i] + x);
        }
    }
    MPI_Allreduce(mine, all, 6, MPI_DOUBLE, MPI_MAX, context->comm);
    const bool empty = !isfinite(all[0]);
    *centre = empty ? icf_vec3_make(0.0, 0.0, 0.0)
                    : icf_scale(0.5, icf_vec3_make(all[3] - all[0], all[4] - all[1], all[5] - all[2]));
    *diagonal = empty ? 1.0 : icf_norm(icf_vec3_make(all[3] + all[0], all[4] + all[1], all[5] + all[2]));
}

/* Templates of surfaces; the square of a half-space reaches one diagonal of the scene to every side. */
static icf_status build_surfaces(icf_frames *frames, const icf_bodies *bodies)
{
    icf_vec3 centre;
    double diagonal;
    measure_scene(frames->context, bodies, &centre, &diagonal);
    const int around = frames->scene->nbody > many_bodies ? around_many : around_few;
    icf_status status = icf_surfaces_build(&frames->surfaces, around, centre, diagonal);
    if (status == ICF_OK)
        status = icf_surfaces_add_solids(&frames->surfaces, frames->scene->nsolid, frames->scene->solid);
    if (status != ICF_OK) status = icf_fail(frames->context, status, "out of memory for surfaces");
    return icf_agree(frames->context, status);
}

static const icf_surfaces *templates(const icf_frames *frames)
{
    return frames->with_surfaces ? &frames->surfaces : NULL;
}

static void write_header(icf_h5 *h5, const icf_scene *scene)
{
    icf_h5_put_kind(h5, "icf run", format_version);
    icf_h5_put_text(h5, h5->file, "scene", scene->name);
    icf_h5_put_text(h5, h5->file, "model", icf_model_name(scene->contact.model));
    icf_h5_put_number(h5, h5->file, "step_size", scene->time.step);
    icf_h5_put_count(h5, h5->file, "bodies", scene->nbody + scene->ndeformable);
}

/* Opens the index files on rank 0; the static group of the first frame becomes their entity. */
static icf_status open_index(icf_frames *frames, const char *directory, const icf_xdmf_layout *first)
{
    snprintf(frames->first_static, sizeof frames->first_static, "%s", first->group);
    icf_status status = ICF_OK;
    if (frames->context->rank == 0) status = icf_xdmf_open(frames->context, &frames->xdmf, directory, first);
    return icf_agree(frames->context, status);
}

static void put_index(icf_frames *frames, const icf_xdmf_layout *layout, const icf_xdmf_frame *frame)
{
    const bool shared = strcmp(layout->group, frames->first_static) == 0;
    if (frames->context->rank == 0) icf_xdmf_put(&frames->xdmf, layout, shared, frame);
}

/* Space that the next frame needs, so that a full disk is found while the file is whole. */
static icf_status reserve(icf_frames *frames, icf_cnt bytes)
{
    icf_status status = ICF_OK;
    if (frames->context->rank == 0)
        status = icf_file_reserve(frames->context, frames->h5.path, (size_t)bytes + metadata_bytes);
    return icf_agree(frames->context, status);
}

/* Places the rows as they are now. */
static icf_status build_static(icf_frames *frames, const icf_bodies *bodies)
{
    ICF_TRY(icf_frame_static_build(frames->context, bodies, templates(frames), &frames->fixed));
    return icf_frame_deformables_place(&frames->deformables, frames->context, frames->scene, bodies,
                                       &frames->fixed.layout);
}

/* Writes the static group for the rows as they are now, under the name given. */
static icf_status write_static(icf_frames *frames, const icf_bodies *bodies, const char *group)
{
    icf_frame_static *fixed = &frames->fixed;
    snprintf(fixed->layout.group, sizeof fixed->layout.group, "%s", group);
    ICF_TRY(build_static(frames, bodies));
    ICF_TRY(reserve(frames, 128 * fixed->layout.nbody + 24 * fixed->layout.ntriangle + 32 * fixed->layout.nvertex +
                                24 * fixed->layout.ntet));
    ICF_TRY(icf_frame_static_write(&frames->h5, bodies, templates(frames), fixed));
    return icf_frame_deformables_write_static(&frames->h5, group, frames->scene, bodies, &frames->deformables);
}

/* Frames that the scene asks for, or a little more. */
static icf_cnt count_frames(const icf_scene *scene)
{
    if (scene->output.every > 0) return scene->time.steps / scene->output.every + 2;
    const double count = scene->output.rate * scene->time.step * (double)scene->time.steps + 2.0;
    return count < (double)scene->time.steps ? (icf_cnt)count : scene->time.steps + 1;
}

static icf_status start_file(icf_frames *frames, const icf_bodies *bodies, const char *directory, const char *path)
{
    ICF_TRY(icf_h5_create(frames->context, path, count_frames(frames->scene), &frames->h5));
    write_header(&frames->h5, frames->scene);
    ICF_TRY(icf_h5_check(&frames->h5));
    ICF_TRY(write_static(frames, bodies, "static"));
    return open_index(frames, directory, &frames->fixed.layout);
}

/* Deletes the frames behind a step, and its own when an uninterrupted run would not have written it. */
static icf_status cut_frames(icf_frames *frames, icf_frame_list *list, icf_cnt restart_step)
{
    icf_h5 *h5 = &frames->h5;
    ICF_TRY(icf_frame_list_read(h5, list));
    const bool keep_last = icf_scene_is_frame(frames->scene, restart_step);
    while (list->n > 0) {
        const icf_cnt step = list->step[list->n - 1];
        if (step < restart_step || (step == restart_step && keep_last)) break;
        icf_frame_delete(h5, step);
        --list->n;
    }
    return icf_h5_flush(h5);
}

/* Reads what the index files say of a frame. */
static void read_frame(icf_h5 *h5, icf_cnt step, icf_xdmf_layout *layout, uint64_t *hash, icf_xdmf_frame *frame)
{
    char group[32];
    icf_frame_name(step, frame->group);
    const hid_t id = icf_h5_group_open(h5, h5->file, frame->group);
    frame->time = icf_h5_get_number(h5, id, "time");
    frame->ncontact = (icf_cnt)icf_h5_rows(h5, id, "contacts/distance", 1);
    icf_h5_get_text(h5, id, "static", group, sizeof group);
    icf_h5_group_close(h5, id);
    if (strcmp(group, layout->group) != 0) icf_frame_static_read(h5, group, layout, hash);
}

/* Writes the index of the frames kept; the last one's static group is the one to go on with. */
static icf_status index_frames(icf_frames *frames, const icf_frame_list *list, const char *directory)
{
    icf_xdmf_layout *layout = &frames->fixed.layout;
    icf_frame_static_read(&frames->h5, "static", layout, &frames->fixed.hash);
    ICF_TRY(icf_h5_check(&frames->h5));
    ICF_TRY(open_index(frames, directory, layout));
    for (size_t k = 0; k < list->n; ++k) {
        icf_xdmf_frame frame = {0};
        read_frame(&frames->h5, list->step[k], layout, &frames->fixed.hash, &frame);
        put_index(frames, layout, &frame);
    }
    return icf_h5_check(&frames->h5);
}

static icf_status check_header(icf_h5 *h5, const icf_scene *scene)
{
    ICF_TRY(icf_h5_require_kind(h5, "icf run", format_version));
    const icf_cnt nbody = icf_h5_get_count(h5, h5->file, "bodies");
    ICF_TRY(icf_h5_check(h5));
    if (nbody == scene->nbody + scene->ndeformable) return ICF_OK;
    return icf_fail(h5->context, ICF_ERROR_SCENE, "%s: holds %" PRId64 " bodies, the scene %" PRId64, h5->path, nbody,
                    scene->nbody);
}

static icf_status continue_file(icf_frames *frames, const icf_bodies *bodies, const char *directory, const char *path,
                                icf_cnt restart_step)
{
    icf_frame_list list = {0};
    ICF_TRY(icf_h5_open(frames->context, path, true, &frames->h5));
    ICF_TRY(check_header(&frames->h5, frames->scene));
    icf_status status = cut_frames(frames, &list, restart_step);
    if (status == ICF_OK) status = index_frames(frames, &list, directory);
    icf_frame_list_clear(&list);
    ICF_TRY(status);
    /* with the file's hash the next frame notices rows that are not those of the file */
    const uint64_t hash = frames->fixed.hash;
    ICF_TRY(build_static(frames, bodies));
    frames->fixed.hash = hash;
    return ICF_OK;
}

static bool exists(const icf_context *context, const char *path)
{
    int found = context->rank == 0 && access(path, F_OK) == 0;
    MPI_Bcast(&found, 1, MPI_INT, 0, context->comm);
    return found;
}

static icf_status open_file(icf_frames *frames, const icf_bodies *bodies, const char *directory, icf_cnt restart_step)
{
    char *path = icf_path_print("%s/run.h5", directory);
    icf_status status = path ? ICF_OK : icf_fail(frames->context, ICF_ERROR_MEMORY, "out of memory for a path");
    ICF_TRY(icf_agree(frames->context, status));
    if (restart_step >= 0 && exists(frames->context, path))
        status = continue_file(frames, bodies, directory, path, restart_step);
    else
        status = start_file(frames, bodies, directory, path);
    icf_free(path);
    return status;
}

icf_status icf_frames_open(icf_context *context, const icf_scene *scene, const icf_bodies *bodies,
                           const char *directory, icf_cnt restart_step, icf_frames **frames)
{
    icf_frames *made = *frames = icf_alloc(sizeof *made);
    icf_status status = made ? ICF_OK : icf_fail(context, ICF_ERROR_MEMORY, "out of memory for results");
    ICF_TRY(icf_agree(context, status));
    *made = (icf_frames){.context = context,
                         .scene = scene,
                         .h5 = ICF_H5_CLOSED,
                         .with_surfaces = scene->nbody <= scene->output.surfaces};
    status = build_surfaces(made, bodies);
    if (status == ICF_OK) status = open_file(made, bodies, directory, restart_step);
    if (status != ICF_OK && icf_frames_close(frames) != ICF_OK) return status;
    return status;
}

/* Writes a new static group when a row's body is not the one of the last frame. */
static icf_status update_static(icf_frames *frames, const icf_bodies *bodies, icf_cnt step)
{
    const bool surfaces = frames->fixed.layout.npoint > 0;
    if (icf_frame_static_hash(frames->context, bodies, surfaces) == frames->fixed.hash) return ICF_OK;
    char group[32];
    snprintf(group, sizeof group, "static_%08" PRId64, step);
    if (icf_h5_has(&frames->h5, frames->h5.file, group)) icf_h5_delete(&frames->h5, frames->h5.file, group);
    return write_static(frames, bodies, group);
}

static icf_status place_surfaces(icf_frames *frames, const icf_bodies *bodies)
{
    const size_t npoint = (size_t)frames->fixed.point.n + 1;
    ICF_TRY(ICF_GROW(frames->point, frames->point_capacity, npoint));
    ICF_TRY(ICF_GROW(frames->speed, frames->speed_capacity, npoint));
    const icf_cnt *begin = frames->fixed.point_begin;
    /* waking a thread costs more than placing some hundred bodies */
    const int nthread = bodies->nowned < bodies_worth_a_thread ? 1 : frames->context->nthread;
#pragma omp parallel for schedule(static) num_threads(nthread) if (nthread > 1)
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        icf_surfaces_place(&frames->surfaces, bodies, i, frames->point + begin[i], frames->speed + begin[i]);
    return ICF_OK;
}

/* Poses of this rank's bodies in the user's frames; those of scenes without solids are the bodies' own. */
static icf_status take_poses(icf_frames *frames, const icf_bodies *bodies)
{
    frames->pose = (pose_columns){bodies->position, bodies->orientation, bodies->linear_velocity};
    if (frames->scene->nsolid == 0) return ICF_OK;
    const size_t n = (size_t)bodies->nowned + 1;
    ICF_TRY(ICF_GROW(frames->position, frames->position_capacity, n));
    ICF_TRY(ICF_GROW(frames->orientation, frames->orientation_capacity, n));
    ICF_TRY(ICF_GROW(frames->velocity, frames->velocity_capacity, n));
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const icf_user_pose user = icf_user_pose_of(frames->scene, bodies, i);
        frames->position[i] = user.position;
        frames->orientation[i] = user.orientation;
        frames->velocity[i] = user.linear_velocity;
    }
    frames->pose = (pose_columns){frames->position, frames->orientation, frames->velocity};
    return ICF_OK;
}

static void write_bodies(icf_h5 *h5, hid_t group, icf_rows rows, const icf_bodies *bodies, const pose_columns *pose)
{
    icf_h5_write(h5, group, "id", H5T_NATIVE_INT64, rows, 1, bodies->gid);
    icf_h5_write(h5, group, "position", H5T_NATIVE_DOUBLE, rows, 3, pose->position);
    icf_h5_write(h5, group, "orientation", H5T_NATIVE_DOUBLE, rows, 4, pose->orientation);
    icf_h5_write(h5, group, "linear_velocity", H5T_NATIVE_DOUBLE, rows, 3, pose->velocity);
    icf_h5_write(h5, group, "angular_velocity", H5T_NATIVE_DOUBLE, rows, 3, bodies->angular_velocity);
}

/* Writes the group of a frame, hidden until the next flush; a failure leaves nothing. */
static icf_status write_group(icf_frames *frames, const icf_bodies *bodies, icf_rows contacts, icf_cnt step,
                              const icf_xdmf_frame *frame)
{
    icf_h5 *h5 = &frames->h5;
    const hid_t group = icf_h5_group_create_hidden(h5);
    icf_h5_put_count(h5, group, "step", step);
    icf_h5_put_number(h5, group, "time", frame->time);
    icf_h5_put_text(h5, group, "static", frames->fixed.layout.group);
    write_bodies(h5, group, frames->fixed.body, bodies, &frames->pose);
    if (frames->fixed.layout.npoint > 0) {
        icf_h5_write(h5, group, "points", H5T_NATIVE_FLOAT, frames->fixed.point, 3, frames->point);
        icf_h5_write(h5, group, "speed", H5T_NATIVE_FLOAT, frames->fixed.point, 1, frames->speed);
    }
    icf_frame_contacts_write(h5, group, &frames->contacts, contacts);
    icf_frame_deformables_write(h5, group, bodies, &frames->deformables);
    const icf_status status = icf_h5_check(h5);
    if (status != ICF_OK) {
        icf_h5_group_close(h5, group);
        return status;
    }
    hidden_frame *hidden = &frames->hidden[frames->nhidden++];
    *hidden = (hidden_frame){.group = group};
    snprintf(hidden->name, sizeof hidden->name, "%s", frame->group);
    return ICF_OK;
}

/* Collects on this rank what a frame holds beside the bodies' state. */
static icf_status build_frame(icf_frames *frames, const icf_bodies *bodies, const icf_contact_views *contacts,
                              double dt)
{
    icf_status status = icf_frame_contacts_build(&frames->contacts, contacts, dt);
    if (status == ICF_OK && frames->fixed.layout.npoint > 0) status = place_surfaces(frames, bodies);
    if (status == ICF_OK) status = take_poses(frames, bodies);
    if (status == ICF_OK) status = ICF_GROW(frames->hidden, frames->hidden_capacity, frames->nhidden + 1);
    if (status != ICF_OK) status = icf_fail(frames->context, status, "out of memory for a frame of results");
    ICF_TRY(icf_agree(frames->context, status));
    return icf_frame_deformables_build(&frames->deformables, frames->context, frames->scene, bodies, contacts, dt);
}

icf_status icf_frames_write(icf_frames *frames, const icf_bodies *bodies, const icf_contact_views *contacts,
                            icf_cnt step, double time, double dt)
{
    ICF_TRY(update_static(frames, bodies, step));
    ICF_TRY(build_frame(frames, bodies, contacts, dt));
    const icf_rows rows = icf_rows_place(frames->context, (hsize_t)frames->contacts.n);
    icf_xdmf_frame frame = {.time = time, .ncontact = (icf_cnt)rows.total};
    icf_frame_name(step, frame.group);
    const icf_xdmf_layout *layout = &frames->fixed.layout;
    ICF_TRY(reserve(frames, 128 * layout->nbody + 16 * layout->npoint + 128 * frame.ncontact + 80 * layout->nvertex));
    ICF_TRY(write_group(frames, bodies, rows, step, &frame));
    put_index(frames, layout, &frame);
    return ICF_OK;
}

/* Names the hidden frames, or forgets them. */
static void close_hidden(icf_frames *frames, bool link)
{
    for (size_t k = 0; k < frames->nhidden; ++k) {
        const hidden_frame *hidden = &frames->hidden[k];
        if (link) icf_h5_group_link(&frames->h5, hidden->group, hidden->name);
        icf_h5_group_close(&frames->h5, hidden->group);
    }
    frames->nhidden = 0;
}

icf_status icf_frames_flush(icf_frames *frames)
{
    /* first what the names will lead to, then the names, then the index */
    const icf_status status = icf_h5_flush(&frames->h5);
    close_hidden(frames, status == ICF_OK);
    ICF_TRY(status);
    ICF_TRY(icf_h5_flush(&frames->h5));
    return icf_agree(frames->context, icf_xdmf_flush(frames->context, &frames->xdmf));
}

/* Brings what can still be written to the disk and closes run.h5. */
static icf_status close_file(icf_frames *frames)
{
    icf_h5 *h5 = &frames->h5;
    icf_status flushed = ICF_OK;
    if (h5->file >= 0 && !h5->broken) flushed = icf_frames_flush(frames);
    close_hidden(frames, false);
    char *path = h5->path ? icf_path_print("%s", h5->path) : NULL;
    const icf_status closed = icf_h5_close(h5);
    if (path && frames->context->rank == 0) icf_file_release(path);
    icf_free(path);
    return flushed != ICF_OK ? flushed : closed;
}

icf_status icf_frames_close(icf_frames **frames)
{
    icf_frames *closed = *frames;
    *frames = NULL;
    if (!closed) return ICF_OK;
    const icf_status data = close_file(closed);
    /* frames that did not reach the disk are not named */
    if (data != ICF_OK) icf_xdmf_drop(&closed->xdmf);
    const icf_status index = icf_agree(closed->context, icf_xdmf_close(closed->context, &closed->xdmf));
    icf_surfaces_clear(&closed->surfaces);
    icf_frame_static_clear(&closed->fixed);
    icf_frame_contacts_clear(&closed->contacts);
    icf_frame_deformables_clear(&closed->deformables);
    icf_free(closed->hidden);
    icf_free(closed->point);
    icf_free(closed->speed);
    icf_free(closed->position);
    icf_free(closed->velocity);
    icf_free(closed->orientation);
    icf_free(closed);
    return data != ICF_OK ? data : index;
}
