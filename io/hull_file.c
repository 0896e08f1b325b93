/* Files of hulls. */
#include "io/hull_file.h"

#include <stdio.h>

#include "io/mesh_file.h"

/* The hull; of what is wrong with it the message says which file it is. */
static icf_status build_hull(icf_context *context, const char *path, const icf_triangle_mesh *mesh,
                             icf_solid_frame frame, icf_solid *solid)
{
    const icf_status status = icf_solid_build_convex(context, mesh->nvertex, mesh->vertex, frame, solid);
    if (status != ICF_ERROR_SCENE) return status;
    char reason[256];
    snprintf(reason, sizeof reason, "%.250s", context->message);
    icf_clear_failure(context);
    return icf_fail(context, ICF_ERROR_SCENE, "%s: %s", path, reason);
}

icf_status icf_read_hull(icf_context *context, const char *path, double scale, icf_solid_frame frame, icf_solid *solid)
{
    icf_triangle_mesh mesh;
    icf_triangle_defects defects;
    icf_triangle_mesh_init(&mesh);
    icf_status status = icf_read_triangle_mesh(context, path, scale, &mesh);
    if (status == ICF_OK) status = icf_triangle_mesh_survey(&mesh, &defects);
    if (status == ICF_OK) status = icf_triangle_mesh_require_solid(context, &mesh, &defects, path);
    if (status == ICF_OK) status = build_hull(context, path, &mesh, frame, solid);
    if (status == ICF_OK) solid->scale = scale;
    icf_triangle_mesh_clear(&mesh);
    return status;
}
