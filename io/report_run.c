/* A run as a report reads it: what stays the same. */
#include "io/report_run.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/report_mesh.h"

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a report");
}

icf_lid icf_report_run_row(const icf_report_run *run, icf_gid id)
{
    icf_lid first = 0, last = run->nbody;
    while (first < last) {
        const icf_lid middle = first + (last - first) / 2;
        if (run->id[middle] < id)
            first = middle + 1;
        else
            last = middle;
    }
    return first < run->nbody && run->id[first] == id ? first : -1;
}

static int compare_ids(const void *a, const void *b)
{
    const icf_gid left = *(const icf_gid *)a, right = *(const icf_gid *)b;
    return (left > right) - (left < right);
}

/* Says what is missing rather than that a file is. */
static icf_status check_directory(icf_context *context, const char *directory, const char *path)
{
    struct stat info;
    if (stat(directory, &info) != 0) return icf_file_fail(context, directory, errno);
    if (!S_ISDIR(info.st_mode))
        return icf_fail(context, ICF_ERROR_FILE, "%s: expected the directory of a run, found a file", directory);
    if (stat(path, &info) == 0 || errno != ENOENT) return ICF_OK;
    return icf_fail(context, ICF_ERROR_FILE, "%s: there is no run here (no file run.h5)", directory);
}

static icf_status open_file(icf_report_run *run, const char *directory)
{
    icf_context *context = run->context;
    char *path = icf_path_print("%s/run.h5", directory);
    if (!path) return fail_memory(context);
    icf_status status = check_directory(context, directory, path);
    if (status == ICF_OK) status = icf_h5_open(context, path, false, &run->h5);
    icf_free(path);
    return status;
}

static icf_status read_header(icf_report_run *run)
{
    icf_h5 *h5 = &run->h5;
    ICF_TRY(icf_h5_require_kind(h5, "icf run", 1));
    icf_h5_get_text(h5, h5->file, "scene", run->scene, sizeof run->scene);
    icf_h5_get_text(h5, h5->file, "model", run->model, sizeof run->model);
    run->step_size = icf_h5_get_number(h5, h5->file, "step_size");
    ICF_TRY(icf_h5_check(h5));
    ICF_TRY(icf_frame_list_read(h5, &run->frames));
    if (run->frames.n > 0) return ICF_OK;
    return icf_fail(run->context, ICF_ERROR_FILE, "%s: holds no frames yet", h5->path);
}

/* ---- bodies ---- */

/* Name of the static group of a frame. */
static icf_status find_static(icf_report_run *run, size_t k, char fixed[32])
{
    char name[32];
    icf_frame_name(run->frames.step[k], name);
    const hid_t frame = icf_h5_group_open(&run->h5, run->h5.file, name);
    icf_h5_get_text(&run->h5, frame, "static", fixed, 32);
    icf_h5_group_close(&run->h5, frame);
    return icf_h5_check(&run->h5);
}

/* Ids of a static group in the order of the file; of the caller. */
static icf_status read_ids(icf_report_run *run, hid_t group, icf_gid **id, size_t *n)
{
    const hsize_t rows = icf_h5_rows(&run->h5, group, "id", 1);
    *id = NULL;
    ICF_TRY(icf_h5_check(&run->h5));
    if (rows >= INT32_MAX / 4) return icf_fail(run->context, ICF_ERROR_USAGE, "%s: too many bodies", run->h5.path);
    *n = (size_t)rows;
    *id = icf_alloc((*n + 1) * sizeof **id);
    if (!*id) return fail_memory(run->context);
    icf_h5_read(&run->h5, group, "id", H5T_NATIVE_INT64, 0, rows, 1, *id);
    return icf_h5_check(&run->h5);
}

/* Adds the ids that no static group before had; *more says whether there are some.  Sorts the ids. */
static icf_status add_ids(icf_report_run *run, const char *fixed, icf_gid *id, size_t n, bool *more)
{
    size_t total = (size_t)run->nbody;
    qsort(id, n, sizeof *id, compare_ids);
    for (size_t i = 1; i < n; ++i)
        if (id[i] == id[i - 1])
            return icf_fail(run->context, ICF_ERROR_FILE, "%s: %s has body %" PRId64 " twice", run->h5.path, fixed,
                            id[i]);
    for (size_t i = 0; i < n; ++i) {
        if (icf_report_run_row(run, id[i]) >= 0) continue;
        if (ICF_GROW(run->id, run->id_capacity, total + 1) != ICF_OK) return fail_memory(run->context);
        run->id[total++] = id[i];
    }
    *more = total > (size_t)run->nbody;
    if (total >= INT32_MAX / 4) return icf_fail(run->context, ICF_ERROR_USAGE, "%s: too many bodies", run->h5.path);
    if (*more) qsort(run->id, total, sizeof *run->id, compare_ids);
    run->nbody = (icf_lid)total;
    return ICF_OK;
}

static icf_status collect_ids(icf_report_run *run, const char *fixed, bool *more)
{
    icf_gid *id = NULL;
    size_t n = 0;
    const hid_t group = icf_h5_group_open(&run->h5, run->h5.file, fixed);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK) status = read_ids(run, group, &id, &n);
    if (status == ICF_OK) status = add_ids(run, fixed, id, n, more);
    icf_free(id);
    icf_h5_group_close(&run->h5, group);
    return status;
}

/* Frames whose static group is the first to have some body. */
typedef struct frame_sources {
    size_t *frame;
    size_t n, capacity;
} frame_sources;

/* Finds all bodies, and the frames that tell of them. */
static icf_status find_bodies(icf_report_run *run, frame_sources *sources)
{
    char fixed[32], last[32] = "";
    for (size_t k = 0; k < run->frames.n; ++k) {
        bool more = false;
        ICF_TRY(find_static(run, k, fixed));
        if (strcmp(fixed, last) == 0) continue;
        memcpy(last, fixed, sizeof last);
        ICF_TRY(collect_ids(run, fixed, &more));
        if (!more) continue;
        if (ICF_GROW(sources->frame, sources->capacity, sources->n + 1) != ICF_OK) return fail_memory(run->context);
        sources->frame[sources->n++] = k;
    }
    return ICF_OK;
}

static icf_status allocate_bodies(icf_report_run *run)
{
    const size_t n = (size_t)run->nbody + 1;
    run->shape = icf_alloc(n * sizeof *run->shape);
    run->moves = icf_alloc(n * sizeof *run->moves);
    run->size = icf_alloc(n * sizeof *run->size);
    run->mass = icf_alloc(n * sizeof *run->mass);
    run->name = icf_alloc(n * sizeof *run->name);
    run->row = icf_alloc(n * sizeof *run->row);
    run->rank = icf_alloc(n * sizeof *run->rank);
    return run->shape && run->moves && run->size && run->mass && run->name && run->row && run->rank
               ? ICF_OK
               : fail_memory(run->context);
}

/* Reads a column of the static group and puts its rows into the order of ids. */
static icf_status read_column(icf_report_run *run, hid_t group, const char *name, hid_t type, int columns, size_t bytes,
                              void *out)
{
    const size_t n = (size_t)run->nrow;
    char *file = icf_alloc(n * bytes + 1);
    if (!file) return fail_memory(run->context);
    if ((icf_lid)icf_h5_rows(&run->h5, group, name, columns) == run->nrow)
        icf_h5_read(&run->h5, group, name, type, 0, n, columns, file);
    else if (run->h5.status == ICF_OK)
        run->h5.status = icf_fail(run->context, ICF_ERROR_FILE, "%s: %s/%s does not have a row a body", run->h5.path,
                                  run->fixed, name);
    for (size_t i = 0; i < n; ++i) memcpy((char *)out + (size_t)run->row[i] * bytes, file + i * bytes, bytes);
    icf_free(file);
    return icf_h5_check(&run->h5);
}

/* Rows of a static group: ids in the order of the file lead to ids in ascending order. */
static icf_status find_rows(icf_report_run *run, hid_t group)
{
    icf_gid *id;
    size_t n = 0;
    icf_status status = read_ids(run, group, &id, &n);
    assert(status != ICF_OK || n <= (size_t)run->nbody);
    run->nrow = status == ICF_OK ? (icf_lid)n : 0;
    for (icf_lid i = 0; i < run->nrow && status == ICF_OK; ++i) {
        run->row[i] = icf_report_run_row(run, id[i]);
        if (run->row[i] < 0)
            status = icf_fail(run->context, ICF_ERROR_FILE, "%s: %s has an unknown body %" PRId64, run->h5.path,
                              run->fixed, id[i]);
    }
    icf_free(id);
    return status;
}

static icf_status read_ranks(icf_report_run *run, hid_t group)
{
    for (icf_lid i = 0; i < run->nbody; ++i) run->rank[i] = -1;
    return read_column(run, group, "rank", H5T_NATIVE_INT32, 1, sizeof *run->rank, run->rank);
}

static icf_status read_bodies(icf_report_run *run, hid_t group)
{
    ICF_TRY(read_column(run, group, "shape", H5T_NATIVE_INT32, 1, sizeof *run->shape, run->shape));
    ICF_TRY(read_column(run, group, "moves", H5T_NATIVE_INT32, 1, sizeof *run->moves, run->moves));
    ICF_TRY(read_column(run, group, "size", H5T_NATIVE_DOUBLE, 3, sizeof *run->size, run->size));
    ICF_TRY(read_column(run, group, "mass", H5T_NATIVE_DOUBLE, 1, sizeof *run->mass, run->mass));
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, ICF_REPORT_NAME_BYTES);
    const icf_status status = read_column(run, group, "name", text, 1, sizeof *run->name, run->name);
    H5Tclose(text);
    return status;
}

static icf_status read_planes(icf_report_run *run, hid_t parent)
{
    if (!icf_h5_has(&run->h5, parent, "half_spaces")) return icf_h5_check(&run->h5);
    const hid_t group = icf_h5_group_open(&run->h5, parent, "half_spaces");
    const hsize_t n = icf_h5_rows(&run->h5, group, "id", 1);
    run->nplane = (icf_lid)n;
    run->plane_id = icf_alloc(((size_t)n + 1) * sizeof *run->plane_id);
    run->plane_normal = icf_alloc(((size_t)n + 1) * sizeof *run->plane_normal);
    run->plane_offset = icf_alloc(((size_t)n + 1) * sizeof *run->plane_offset);
    if (run->plane_id && run->plane_normal && run->plane_offset) {
        icf_h5_read(&run->h5, group, "id", H5T_NATIVE_INT64, 0, n, 1, run->plane_id);
        icf_h5_read(&run->h5, group, "normal", H5T_NATIVE_DOUBLE, 0, n, 3, run->plane_normal);
        icf_h5_read(&run->h5, group, "offset", H5T_NATIVE_DOUBLE, 0, n, 1, run->plane_offset);
    }
    icf_h5_group_close(&run->h5, group);
    ICF_TRY(icf_h5_check(&run->h5));
    return run->plane_id && run->plane_normal && run->plane_offset ? ICF_OK : fail_memory(run->context);
}

icf_status icf_report_run_use(icf_report_run *run, const char *fixed)
{
    if (strcmp(run->fixed, fixed) == 0) return ICF_OK;
    memcpy(run->fixed, fixed, sizeof run->fixed);
    const hid_t group = icf_h5_group_open(&run->h5, run->h5.file, fixed);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK) status = find_rows(run, group);
    if (status == ICF_OK) status = read_ranks(run, group);
    if (status == ICF_OK) status = icf_report_mesh_find_rows(run, group);
    icf_h5_group_close(&run->h5, group);
    return status;
}

/* Reads what frame k is the first to tell.
 *   known [in,out] (nbody) bodies that frames before it have told of */
static icf_status read_source(icf_report_run *run, size_t k, bool *known)
{
    char fixed[32];
    const bool first = run->nrow == 0;
    ICF_TRY(find_static(run, k, fixed));
    ICF_TRY(icf_report_run_use(run, fixed));
    const hid_t group = icf_h5_group_open(&run->h5, run->h5.file, fixed);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK) status = read_bodies(run, group);
    if (status == ICF_OK && first) status = read_planes(run, group);
    if (status == ICF_OK && first) status = icf_report_mesh_read_soft(run, group);
    if (status == ICF_OK) status = icf_report_mesh_read_rigid(run, group, k, known);
    icf_h5_group_close(&run->h5, group);
    for (icf_lid i = 0; i < run->nrow && status == ICF_OK; ++i) known[run->row[i]] = true;
    return status;
}

static icf_status read_sources(icf_report_run *run, const frame_sources *sources)
{
    ICF_TRY(allocate_bodies(run));
    bool *known = icf_alloc((size_t)run->nbody + 1);
    if (!known) return fail_memory(run->context);
    memset(known, 0, (size_t)run->nbody);
    icf_status status = ICF_OK;
    for (size_t s = 0; s < sources->n && status == ICF_OK; ++s) status = read_source(run, sources->frame[s], known);
    icf_free(known);
    return status;
}

static icf_status read_static(icf_report_run *run)
{
    frame_sources sources = {0};
    icf_status status = find_bodies(run, &sources);
    if (status == ICF_OK) status = read_sources(run, &sources);
    icf_free(sources.frame);
    return status;
}

icf_status icf_report_run_open(icf_context *context, const char *directory, icf_report_run *run)
{
    *run = (icf_report_run){.context = context, .h5 = ICF_H5_CLOSED};
    icf_status status = open_file(run, directory);
    if (status == ICF_OK) status = read_header(run);
    if (status == ICF_OK) status = read_static(run);
    if (status != ICF_OK) icf_report_run_close(run);
    return status;
}

void icf_report_run_close(icf_report_run *run)
{
    /* it was only read: nothing is lost when closing fails */
    const icf_status closed = icf_h5_close(&run->h5);
    (void)closed;
    icf_frame_list_clear(&run->frames);
    void *const memory[] = {run->id,   run->shape,        run->moves,         run->size, run->mass,
                            run->name, run->plane_normal, run->plane_id,      run->row,  run->plane_offset,
                            run->rank, run->vertex_row,   run->surface_vertex};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) icf_free(memory[i]);
    icf_report_mesh_clear(&run->rigid);
    icf_report_mesh_clear(&run->soft);
    *run = (icf_report_run){.h5 = ICF_H5_CLOSED};
}
