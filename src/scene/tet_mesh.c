/* Tetrahedral meshes: container and groups; the checks of finalize are in tet_finalize.c. */
#include "scene/tet_mesh.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"

void icf_tet_mesh_init(icf_tet_mesh *mesh)
{
    *mesh = (icf_tet_mesh){0};
}

static void clear_group(icf_mesh_group *group)
{
    icf_free(group->name);
    icf_free(group->vertex);
    icf_free(group->triangle);
}

void icf_tet_mesh_clear(icf_tet_mesh *mesh)
{
    for (icf_lid g = 0; g < mesh->ngroup; ++g) clear_group(&mesh->group[g]);
    icf_free(mesh->group);
    icf_free(mesh->vertex);
    icf_free(mesh->tet);
    icf_tet_mesh_init(mesh);
}

icf_status icf_tet_mesh_reserve(icf_tet_mesh *mesh, icf_lid nvertex, icf_lid ntet)
{
    ICF_TRY(ICF_GROW(mesh->vertex, mesh->vertex_capacity, nvertex));
    return ICF_GROW(mesh->tet, mesh->tet_capacity, ntet);
}

icf_status icf_tet_mesh_add_vertex(icf_tet_mesh *mesh, icf_vec3 position)
{
    if (mesh->nvertex == INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(mesh->vertex, mesh->vertex_capacity, mesh->nvertex + 1));
    mesh->vertex[mesh->nvertex++] = position;
    return ICF_OK;
}

icf_status icf_tet_mesh_add_tet(icf_tet_mesh *mesh, icf_lid a, icf_lid b, icf_lid c, icf_lid d)
{
    if (mesh->ntet == ICF_MAX_TETS) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(mesh->tet, mesh->tet_capacity, mesh->ntet + 1));
    memcpy(mesh->tet[mesh->ntet++], (icf_lid[4]){a, b, c, d}, sizeof *mesh->tet);
    return ICF_OK;
}

icf_lid icf_tet_mesh_find_group(const icf_tet_mesh *mesh, const char *name)
{
    for (icf_lid g = 0; g < mesh->ngroup; ++g)
        if (strcmp(mesh->group[g].name, name) == 0) return g;
    return -1;
}

icf_status icf_tet_mesh_add_group(icf_tet_mesh *mesh, const char *name, icf_lid *group)
{
    *group = icf_tet_mesh_find_group(mesh, name);
    if (*group >= 0) return ICF_OK;
    ICF_TRY(ICF_GROW(mesh->group, mesh->group_capacity, mesh->ngroup + 1));
    const size_t bytes = strlen(name) + 1;
    char *copy = icf_alloc(bytes);
    if (!copy) return ICF_ERROR_MEMORY;
    memcpy(copy, name, bytes);
    *group = mesh->ngroup++;
    mesh->group[*group] = (icf_mesh_group){.name = copy};
    return ICF_OK;
}

icf_status icf_mesh_group_add_vertex(icf_mesh_group *group, icf_lid vertex)
{
    if (group->nvertex == INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(group->vertex, group->vertex_capacity, group->nvertex + 1));
    group->vertex[group->nvertex++] = vertex;
    return ICF_OK;
}

icf_status icf_mesh_group_add_triangle(icf_mesh_group *group, icf_lid a, icf_lid b, icf_lid c)
{
    if (group->ntriangle == INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(group->triangle, group->triangle_capacity, group->ntriangle + 1));
    memcpy(group->triangle[group->ntriangle++], (icf_lid[3]){a, b, c}, sizeof *group->triangle);
    return ICF_OK;
}

double icf_tet_volume6(icf_vec3 a, icf_vec3 b, icf_vec3 c, icf_vec3 d)
{
    return icf_dot(icf_sub(b, a), icf_cross(icf_sub(c, a), icf_sub(d, a)));
}

double icf_tet_mesh_volume(const icf_tet_mesh *mesh, icf_lid t)
{
    const icf_lid *v = mesh->tet[t];
    return icf_tet_volume6(mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]], mesh->vertex[v[3]]) / 6.0;
}

static double largest_coordinate(icf_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

bool icf_tet_is_flat(icf_vec3 a, icf_vec3 b, icf_vec3 c, icf_vec3 d)
{
    const icf_vec3 edge[3] = {icf_sub(b, a), icf_sub(c, a), icf_sub(d, a)};
    const double size = sqrt(fmax(icf_norm2(edge[0]), fmax(icf_norm2(edge[1]), icf_norm2(edge[2]))));
    const double offset =
        fmax(fmax(largest_coordinate(a), largest_coordinate(b)), fmax(largest_coordinate(c), largest_coordinate(d)));
    return fabs(icf_tet_volume6(a, b, c, d)) <= 4.0 * DBL_EPSILON * offset * size * size;
}
