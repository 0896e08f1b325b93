/* Solids of a scene: read once, shared by all bodies of their shape. */
#include <string.h>

#include "base/memory.h"
#include "io/hull_file.h"
#include "io/scene_parse.h"

/* What is wrong with a file is an error of the scene, at the place that names it. */
static icf_status report_failure(icf_scene_reader *reader, icf_mark mark, icf_status status)
{
    if (status != ICF_ERROR_SCENE && status != ICF_ERROR_FILE) return status;
    icf_reader_key_error(reader, mark, "mesh", "%s", reader->context->message);
    icf_clear_failure(reader->context);
    return ICF_OK;
}

static int32_t find_convex(const icf_scene *scene, const char *file, double scale, icf_solid_frame frame)
{
    for (int32_t i = 0; i < scene->nsolid; ++i) {
        const icf_solid *solid = &scene->solid[i];
        if (solid->type == ICF_SHAPE_CONVEX && solid->frame == frame && solid->scale == scale &&
            strcmp(solid->mesh, file) == 0)
            return i;
    }
    return -1;
}

/* The solid of a file, which is read when it is new.
 *   path     [in] names it in messages
 *   absolute [in] tells files apart, and names it in scenes that are written: they may stand in another folder */
static icf_status find_or_read(icf_scene_reader *reader, const char *path, const char *absolute, double scale,
                               int32_t *index)
{
    *index = find_convex(reader->scene, absolute, scale, ICF_SOLID_GIVEN);
    if (*index >= 0) return ICF_OK;
    icf_solid solid;
    icf_solid_init(&solid);
    icf_status status = icf_read_hull(reader->context, path, scale, ICF_SOLID_GIVEN, &solid);
    if (status == ICF_OK) status = icf_scene_set_text(&solid.mesh, absolute);
    if (status == ICF_OK) return icf_scene_add_solid(reader->scene, &solid, index);
    icf_solid_clear(&solid);
    return status;
}

icf_status icf_reader_convex(icf_scene_reader *reader, icf_mark mark, const char *file, double scale, icf_shape *shape)
{
    const char *absolute;
    int32_t index;
    ICF_TRY(icf_reader_absolute_path(reader, file, &absolute));
    char *path = icf_reader_file_path(reader, file);
    if (!path) return ICF_ERROR_MEMORY;
    const icf_status status = find_or_read(reader, path, absolute, scale, &index);
    icf_free(path);
    if (status != ICF_OK) return report_failure(reader, mark, status);
    *shape = icf_solid_shape(&reader->scene->solid[index], index);
    return ICF_OK;
}

/* Whether two lists of parts are the same to the bit. */
static bool same_parts(const icf_part *a, const icf_part *b, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        const icf_shape *p = &a[i].shape, *q = &b[i].shape;
        if (p->type != q->type || p->radius != q->radius || p->half != q->half || p->index != q->index ||
            memcmp(&p->extent, &q->extent, sizeof p->extent) != 0 ||
            memcmp(&a[i].position, &b[i].position, sizeof a[i].position) != 0 ||
            memcmp(&a[i].orientation, &b[i].orientation, sizeof a[i].orientation) != 0)
            return false;
    }
    return true;
}

static int32_t find_compound(const icf_scene *scene, int32_t n, const icf_part *part)
{
    for (int32_t i = 0; i < scene->nsolid; ++i) {
        const icf_solid *solid = &scene->solid[i];
        if (solid->type == ICF_SHAPE_COMPOUND && solid->frame == ICF_SOLID_GIVEN && solid->npart == n &&
            same_parts(solid->part, part, n))
            return i;
    }
    return -1;
}

icf_status icf_reader_compound(icf_scene_reader *reader, int32_t n, const icf_part *part, icf_shape *shape)
{
    icf_scene *scene = reader->scene;
    int32_t index = find_compound(scene, n, part);
    if (index < 0) {
        icf_solid solid;
        icf_solid_init(&solid);
        const icf_status status = icf_solid_build_compound(scene->solid, n, part, ICF_SOLID_GIVEN, &solid);
        if (status != ICF_OK) {
            icf_solid_clear(&solid);
            return status;
        }
        ICF_TRY(icf_scene_add_solid(scene, &solid, &index));
    }
    *shape = icf_solid_shape(&scene->solid[index], index);
    return ICF_OK;
}

/* A solid that came from this one by another frame; -1 when there is none yet. */
static int32_t find_reframed(const icf_scene *scene, int32_t given, icf_solid_frame frame)
{
    for (int32_t i = 0; i < scene->nsolid; ++i)
        if (scene->solid[i].given == given && scene->solid[i].frame == frame) return i;
    return -1;
}

icf_status icf_reader_reframe(icf_scene_reader *reader, icf_solid_frame frame, icf_shape *shape)
{
    icf_scene *scene = reader->scene;
    const int32_t given = shape->index;
    int32_t index = find_reframed(scene, given, frame);
    if (index < 0) {
        icf_solid solid;
        icf_solid_init(&solid);
        const icf_status status = icf_solid_reframe(scene->solid, &scene->solid[given], frame, &solid);
        if (status != ICF_OK) {
            icf_solid_clear(&solid);
            return status;
        }
        solid.given = given;
        ICF_TRY(icf_scene_add_solid(scene, &solid, &index));
    }
    *shape = icf_solid_shape(&scene->solid[index], index);
    return ICF_OK;
}
