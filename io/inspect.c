/* What a file of results or a checkpoint holds. */
#include "io/inspect.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "io/frame_list.h"
#include "io/frame_static.h"
#include "io/h5_file.h"

static herr_t append_name(hid_t group, const char *name, const H5L_info_t *link, void *user)
{
    (void)link;
    char *names = user;
    H5O_info_t info;
    if (H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) < 0 || info.type != H5O_TYPE_DATASET) return 0;
    const size_t used = strlen(names), size = sizeof((icf_file_info *)0)->fields;
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    return 0;
}

/* Names of the datasets of a group. */
static void list_fields(icf_h5 *h5, hid_t parent, const char *name, char *names)
{
    const hid_t group = icf_h5_group_open(h5, parent, name);
    if (group >= 0) H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, append_name, names);
    icf_h5_group_close(h5, group);
}

/* Counts bodies by shape in the static group of a frame. */
static icf_status count_shapes(icf_h5 *h5, const char *name, icf_file_info *info)
{
    uint64_t hash;
    icf_xdmf_layout layout;
    icf_frame_static_read(h5, name, &layout, &hash);
    ICF_TRY(icf_h5_check(h5));
    info->npoint = layout.npoint;
    info->nvertex = layout.nvertex;
    info->ntet = layout.ntet;
    int32_t *shape = icf_alloc((size_t)layout.nbody * sizeof *shape + 1);
    if (!shape) return icf_fail(h5->context, ICF_ERROR_MEMORY, "out of memory for reading %s", h5->path);
    const hid_t group = icf_h5_group_open(h5, h5->file, name);
    icf_h5_read(h5, group, "shape", H5T_NATIVE_INT32, 0, (hsize_t)layout.nbody, 1, shape);
    icf_h5_group_close(h5, group);
    for (icf_cnt i = 0; i < layout.nbody && h5->status == ICF_OK; ++i)
        if (shape[i] >= 0 && shape[i] < ICF_SHAPE_COUNT) ++info->nshape[shape[i]];
    icf_free(shape);
    return icf_h5_check(h5);
}

static double frame_time(icf_h5 *h5, icf_cnt step)
{
    char name[32];
    icf_frame_name(step, name);
    const hid_t group = icf_h5_group_open(h5, h5->file, name);
    const double time = icf_h5_get_number(h5, group, "time");
    icf_h5_group_close(h5, group);
    return time;
}

/* Fields, contacts and bodies of the last frame. */
static icf_status inspect_last_frame(icf_h5 *h5, icf_file_info *info)
{
    char name[32], fixed[32];
    icf_frame_name(info->last_step, name);
    const hid_t group = icf_h5_group_open(h5, h5->file, name);
    icf_h5_get_text(h5, group, "static", fixed, sizeof fixed);
    info->ncontact = (icf_cnt)icf_h5_rows(h5, group, "contacts/distance", 1);
    list_fields(h5, group, "contacts", info->contact_fields);
    if (icf_h5_has(h5, group, "deformables")) list_fields(h5, group, "deformables", info->vertex_fields);
    icf_h5_group_close(h5, group);
    list_fields(h5, h5->file, name, info->fields);
    ICF_TRY(icf_h5_check(h5));
    return count_shapes(h5, fixed, info);
}

static icf_status inspect_run(icf_h5 *h5, icf_file_info *info)
{
    icf_frame_list list = {0};
    icf_h5_get_text(h5, h5->file, "model", info->model, sizeof info->model);
    info->nbody = icf_h5_get_count(h5, h5->file, "bodies");
    icf_status status = icf_frame_list_read(h5, &list);
    info->nframe = (icf_cnt)list.n;
    if (status == ICF_OK && list.n > 0) {
        info->first_step = list.step[0];
        info->last_step = list.step[list.n - 1];
        info->first_time = frame_time(h5, info->first_step);
        info->last_time = frame_time(h5, info->last_step);
        status = inspect_last_frame(h5, info);
    }
    icf_frame_list_clear(&list);
    return status;
}

static icf_status inspect_checkpoint(icf_h5 *h5, icf_file_info *info)
{
    info->first_step = info->last_step = icf_h5_get_count(h5, h5->file, "step");
    info->first_time = info->last_time = icf_h5_get_number(h5, h5->file, "time");
    info->nbody = (icf_cnt)icf_h5_rows(h5, h5->file, "bodies/id", 1);
    list_fields(h5, h5->file, "bodies", info->fields);
    if (!icf_h5_has(h5, h5->file, "vertices")) return ICF_OK;
    info->nvertex = (icf_cnt)icf_h5_rows(h5, h5->file, "vertices/id", 1);
    list_fields(h5, h5->file, "vertices", info->vertex_fields);
    return ICF_OK;
}

static icf_status inspect_file(icf_h5 *h5, icf_file_info *info)
{
    char kind[32];
    icf_h5_get_kind(h5, kind, sizeof kind, &info->version);
    const bool run = strcmp(kind, "icf run") == 0;
    ICF_TRY(icf_h5_check(h5));
    if (!run && strcmp(kind, "icf checkpoint") != 0)
        return icf_fail(h5->context, ICF_ERROR_FILE, "%s: neither results of a run nor a checkpoint", h5->path);
    info->kind = run ? ICF_FILE_RUN : ICF_FILE_CHECKPOINT;
    icf_h5_get_text(h5, h5->file, "scene", info->scene, sizeof info->scene);
    info->step_size = icf_h5_get_number(h5, h5->file, "step_size");
    ICF_TRY(run ? inspect_run(h5, info) : inspect_checkpoint(h5, info));
    return icf_h5_check(h5);
}

icf_status icf_inspect(icf_context *context, const char *path, icf_file_info *info)
{
    icf_h5 h5;
    *info = (icf_file_info){0};
    ICF_TRY(icf_h5_open(context, path, false, &h5));
    const icf_status status = inspect_file(&h5, info);
    const icf_status closed = icf_h5_close(&h5);
    return status != ICF_OK ? status : closed;
}

static void print_shapes(const icf_file_info *info, FILE *out)
{
    const char *separator = ": ";
    for (int type = 0; type < ICF_SHAPE_COUNT; ++type) {
        if (info->nshape[type] == 0) continue;
        fprintf(out, "%s%" PRId64 " %s", separator, info->nshape[type], icf_shape_name((icf_shape_type)type));
        separator = ", ";
    }
    fputc('\n', out);
}

static void print_run(const icf_file_info *info, FILE *out)
{
    fprintf(out, "  model      %s\n", info->model);
    fprintf(out, "  surfaces   %s\n", info->npoint > 0 ? "yes" : "no, bodies are points");
    if (info->nframe == 0) fprintf(out, "  frames     0\n");
    if (info->nframe == 0) return;
    fprintf(out, "  frames     %" PRId64 ": steps %" PRId64 " to %" PRId64 ", t = %g to %g s\n", info->nframe,
            info->first_step, info->last_step, info->first_time, info->last_time);
    fprintf(out, "  fields     %s\n", info->fields);
    if (info->nvertex > 0)
        fprintf(out, "  vertices   %" PRId64 " of %" PRId64 " tetrahedra: %s\n", info->nvertex, info->ntet,
                info->vertex_fields);
    fprintf(out, "  contacts   %" PRId64 " in the last frame: %s\n", info->ncontact, info->contact_fields);
}

void icf_file_info_print(const icf_file_info *info, const char *path, FILE *out)
{
    const bool run = info->kind == ICF_FILE_RUN;
    fprintf(out, "%s: %s, format %" PRId64 "\n", path, run ? "results of a run" : "checkpoint", info->version);
    fprintf(out, "  scene      %s\n", info->scene);
    fprintf(out, "  step size  %g s\n", info->step_size);
    fprintf(out, "  bodies     %" PRId64, info->nbody);
    print_shapes(info, out);
    if (run) {
        print_run(info, out);
    } else {
        if (info->nvertex > 0) fprintf(out, "  vertices   %" PRId64 ": %s\n", info->nvertex, info->vertex_fields);
        fprintf(out, "  state      step %" PRId64 ", t = %g s\n", info->last_step, info->last_time);
        fprintf(out, "  fields     %s\n", info->fields);
    }
}
