/* Rigid surfaces of a scene: each file is read once, however many bodies have it. */
#include <string.h>

#include "base/memory.h"
#include "io/height_file.h"
#include "io/mesh_file.h"
#include "io/scene_surface.h"

/* ---- reading ---- */

static icf_status read_mesh(icf_context *context, icf_rigid_surface *surface)
{
    return icf_read_triangle_mesh(context, surface->file, surface->scale, &surface->mesh);
}

/* The grid lies about the body's origin. */
static icf_status read_heights(icf_context *context, icf_rigid_surface *surface)
{
    double *height;
    ICF_TRY(icf_read_heights(context, surface->file, surface->dataset, surface->grid.n, &height));
    const size_t n = (size_t)surface->grid.n[0] * (size_t)surface->grid.n[1];
    for (size_t i = 0; i < n; ++i) height[i] = height[i] * surface->scale + surface->offset;
    for (int k = 0; k < 2; ++k) surface->grid.origin[k] = -0.5 * (surface->grid.n[k] - 1) * surface->grid.spacing[k];
    icf_status status = icf_rigid_surface_fill_heights(surface, height);
    icf_free(height);
    if (status == ICF_OK) status = icf_triangle_mesh_finalize(context, &surface->mesh, surface->file);
    return status;
}

static icf_status build(icf_context *context, icf_rigid_surface *surface)
{
    ICF_TRY(surface->source == ICF_SURFACE_MESH ? read_mesh(context, surface) : read_heights(context, surface));
    ICF_TRY(icf_rigid_surface_finish(context, surface));
    return icf_rigid_surface_check(context, surface, surface->file);
}

/* ---- the scene's table ---- */

static bool is_equal_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_equal(const icf_rigid_surface *a, const icf_rigid_surface *b)
{
    return a->source == b->source && is_equal_text(a->file, b->file) && is_equal_text(a->dataset, b->dataset) &&
           a->scale == b->scale && a->offset == b->offset && a->grid.spacing[0] == b->grid.spacing[0] &&
           a->grid.spacing[1] == b->grid.spacing[1];
}

static icf_status fill(icf_scene_reader *reader, const icf_surface_input *input, icf_rigid_surface *surface)
{
    surface->source = input->heights ? ICF_SURFACE_HEIGHTS : ICF_SURFACE_MESH;
    surface->scale = input->scale;
    surface->offset = input->offset;
    memcpy(surface->grid.spacing, input->spacing, sizeof surface->grid.spacing);
    if (input->dataset) ICF_TRY(icf_scene_set_text(&surface->dataset, input->dataset));
    const char *path;
    ICF_TRY(icf_reader_absolute_path(reader, input->heights ? input->heights : input->mesh, &path));
    return icf_scene_set_text(&surface->file, path);
}

/* Index of the surface just added among those before it, or of itself once it is read; -1: it is wrong. */
static icf_status settle(icf_scene_reader *reader, const icf_surface_input *input, int32_t *index)
{
    icf_scene *scene = reader->scene;
    icf_rigid_surface *surface = &scene->rigid_surface[scene->nrigid_surface - 1];
    ICF_TRY(fill(reader, input, surface));
    for (*index = 0; !is_equal(&scene->rigid_surface[*index], surface); ++*index) {
    }
    if (*index == scene->nrigid_surface - 1) {
        const icf_status status = build(reader->context, surface);
        if (status != ICF_ERROR_SCENE && status != ICF_ERROR_FILE) return status; // the new one stays
        icf_reader_key_error(reader, input->mark, input->heights ? "heights" : "mesh", "%s", reader->context->message);
        icf_clear_failure(reader->context);
        *index = -1;
    }
    icf_rigid_surface_clear(surface);
    --scene->nrigid_surface;
    return ICF_OK;
}

icf_status icf_reader_surface(icf_scene_reader *reader, const icf_surface_input *input, icf_shape *shape)
{
    icf_rigid_surface *surface;
    int32_t index;
    ICF_TRY(icf_scene_add_rigid_surface(reader->scene, &surface));
    ICF_TRY(settle(reader, input, &index));
    shape->index = index;
    if (index < 0) return ICF_OK;
    surface = &reader->scene->rigid_surface[index];
    shape->extent = surface->extent;
    shape->radius = surface->radius;
    return ICF_OK;
}
