/* Generated tetrahedral meshes: what all generators share. */
#include "base/memory.h"
#include "scene/tet_generate_private.h"
#include "scene/tet_surface.h"

const int icf_cube_tet[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

icf_status icf_generate_begin(icf_context *context, icf_tet_mesh *mesh, const char *what, int n,
                              const icf_mesh_number *number, double nvertex, double ntet)
{
    icf_tet_mesh_clear(mesh);
    for (int i = 0; i < n; ++i)
        if (!(number[i].value > 0.0) || !isfinite(number[i].value))
            return icf_fail(context, ICF_ERROR_SCENE, "%s mesh: %s is %g, expected a number > 0", what, number[i].name,
                            number[i].value);
    if (!(ntet <= ICF_MAX_TETS && nvertex <= INT32_MAX))
        return icf_fail(context, ICF_ERROR_SCENE, "%s mesh: %.3g tetrahedra are more than the %d that are possible",
                        what, ntet, ICF_MAX_TETS);
    return icf_tet_mesh_reserve(mesh, (icf_lid)nvertex, (icf_lid)ntet);
}

icf_status icf_generate_tet(icf_tet_mesh *mesh, const icf_lid vertex[4])
{
    const icf_vec3 *x = mesh->vertex;
    const bool positive = icf_tet_volume6(x[vertex[0]], x[vertex[1]], x[vertex[2]], x[vertex[3]]) > 0.0;
    return icf_tet_mesh_add_tet(mesh, vertex[0], vertex[1], vertex[positive ? 2 : 3], vertex[positive ? 3 : 2]);
}

/* Adds the boundary faces whose vertices lie on side s to its group. */
static icf_status fill_group(icf_mesh_group *group, int s, const icf_tet_surface *surface, icf_vertex_sides sides,
                             const void *user)
{
    for (icf_lid t = 0; t < surface->ntriangle; ++t) {
        const icf_lid *v = surface->triangle[t];
        if (((sides(user, v[0]) & sides(user, v[1]) & sides(user, v[2])) >> s & 1u) == 0) continue;
        ICF_TRY(icf_mesh_group_add_triangle(group, v[0], v[1], v[2]));
    }
    return ICF_OK;
}

icf_status icf_generate_finish(icf_context *context, icf_tet_mesh *mesh, const char *what, int nside,
                               const char *const *name, icf_vertex_sides sides, const void *user)
{
    icf_tet_surface surface;
    icf_tet_surface_init(&surface);
    icf_status status = icf_tet_surface_build(&surface, mesh);
    for (int s = 0; s < nside && status == ICF_OK; ++s) {
        icf_lid group;
        status = icf_tet_mesh_add_group(mesh, name[s], &group);
        if (status == ICF_OK) status = fill_group(&mesh->group[group], s, &surface, sides, user);
    }
    icf_tet_surface_clear(&surface);
    ICF_TRY(status);
    return icf_tet_mesh_finalize(context, mesh, what);
}
