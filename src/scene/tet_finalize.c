/* Checks of a tetrahedral mesh, and the form the library takes: oriented tetrahedra, sorted groups. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/index_rows.h"
#include "scene/tet_mesh.h"
#include "scene/tet_surface.h"

static icf_status check_sizes(icf_context *context, const icf_tet_mesh *mesh, const char *what)
{
    if (mesh->ntet > 0) return ICF_OK;
    return icf_fail(context, ICF_ERROR_SCENE, "%s: the mesh has no tetrahedra (a mesh of triangles only is no solid)",
                    what);
}

static icf_status check_coordinates(icf_context *context, const icf_tet_mesh *mesh, const char *what)
{
    for (icf_lid v = 0; v < mesh->nvertex; ++v) {
        const icf_vec3 x = mesh->vertex[v];
        if (!icf_is_finite(x))
            return icf_fail(context, ICF_ERROR_SCENE, "%s: vertex %d (counting from 0) is at (%g, %g, %g)", what, v,
                            x.x, x.y, x.z);
    }
    return ICF_OK;
}

/* First of n vertex indices that names no vertex, -1 when all do. */
static icf_lid find_bad_index(const icf_tet_mesh *mesh, icf_lid n, const icf_lid *index)
{
    for (icf_lid i = 0; i < n; ++i)
        if (index[i] < 0 || index[i] >= mesh->nvertex) return i;
    return -1;
}

static icf_status check_indices(icf_context *context, const icf_tet_mesh *mesh, const char *what)
{
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        const icf_lid bad = find_bad_index(mesh, 4, mesh->tet[t]);
        if (bad >= 0)
            return icf_fail(context, ICF_ERROR_SCENE,
                            "%s: tetrahedron %d (counting from 0) names vertex %d; there are %d, counting from 0", what,
                            t, mesh->tet[t][bad], mesh->nvertex);
    }
    return ICF_OK;
}

static icf_status check_group_indices(icf_context *context, const icf_tet_mesh *mesh, const char *what)
{
    for (icf_lid g = 0; g < mesh->ngroup; ++g) {
        const icf_mesh_group *group = &mesh->group[g];
        icf_lid bad = find_bad_index(mesh, group->nvertex, group->vertex);
        for (icf_lid t = 0; t < group->ntriangle && bad < 0; ++t) bad = find_bad_index(mesh, 3, group->triangle[t]);
        if (bad >= 0)
            return icf_fail(context, ICF_ERROR_SCENE, "%s: group '%s' names a vertex that is not there", what,
                            group->name);
    }
    return ICF_OK;
}

/* Turns tetrahedra of negative volume; a flat one is an error. */
static icf_status orient(icf_context *context, icf_tet_mesh *mesh, const char *what)
{
    mesh->nreoriented = 0;
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        icf_lid *v = mesh->tet[t];
        const icf_vec3 a = mesh->vertex[v[0]], b = mesh->vertex[v[1]], c = mesh->vertex[v[2]], d = mesh->vertex[v[3]];
        if (icf_tet_is_flat(a, b, c, d))
            return icf_fail(context, ICF_ERROR_SCENE,
                            "%s: tetrahedron %d (counting from 0; vertices %d %d %d %d) has zero volume", what, t, v[0],
                            v[1], v[2], v[3]);
        if (icf_tet_volume6(a, b, c, d) > 0.0) continue;
        const icf_lid last = v[3];
        v[3] = v[2];
        v[2] = last;
        ++mesh->nreoriented;
    }
    return ICF_OK;
}

static icf_status check_used(icf_context *context, const icf_tet_mesh *mesh, const char *what)
{
    uint8_t *used = icf_alloc((size_t)mesh->nvertex);
    if (!used) return ICF_ERROR_MEMORY;
    memset(used, 0, (size_t)mesh->nvertex);
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        for (int c = 0; c < 4; ++c) used[mesh->tet[t][c]] = 1;
    const uint8_t *unused = memchr(used, 0, (size_t)mesh->nvertex);
    icf_status status = ICF_OK;
    if (unused)
        status = icf_fail(context, ICF_ERROR_SCENE, "%s: vertex %td (counting from 0) is in no tetrahedron", what,
                          unused - used);
    icf_free(used);
    return status;
}

/* Two tetrahedra on the same four vertices. */
static icf_status check_duplicates(icf_context *context, const icf_tet_mesh *mesh, const char *what)
{
    icf_index_rows tets;
    ICF_TRY(icf_index_rows_init(&tets, mesh->ntet, 4));
    for (icf_lid t = 0; t < mesh->ntet; ++t) icf_index_rows_set(&tets, t, mesh->tet[t]);
    icf_index_rows_sort(&tets);
    icf_status status = ICF_OK;
    for (icf_lid i = 0; i + 1 < mesh->ntet && status == ICF_OK; ++i)
        if (icf_index_rows_equal(&tets, i) > 1)
            status =
                icf_fail(context, ICF_ERROR_SCENE, "%s: tetrahedra %d and %d (counting from 0) have the same vertices",
                         what, tets.items[i].value, tets.items[i + 1].value);
    icf_index_rows_clear(&tets);
    return status;
}

/* Boundary faces, to be found by their vertices. */
typedef struct face_table {
    icf_tet_surface surface;
    icf_index_rows rows;
    uint8_t *marked; /* (boundary faces) in the group at hand; all 0 between groups */
} face_table;

static void clear_table(face_table *table)
{
    icf_tet_surface_clear(&table->surface);
    icf_index_rows_clear(&table->rows);
    ICF_FREE(table->marked);
}

static icf_status build_table(icf_context *context, face_table *table, const icf_tet_mesh *mesh, const char *what)
{
    icf_tet_surface *surface = &table->surface;
    ICF_TRY(icf_tet_surface_build(surface, mesh));
    if (surface->nshared_face > 0)
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: a face of tetrahedron %d (counting from 0) is shared by three or more tetrahedra", what,
                        surface->shared_face_tet);
    ICF_TRY(icf_index_rows_init(&table->rows, surface->ntriangle, 3));
    for (icf_lid t = 0; t < surface->ntriangle; ++t) icf_index_rows_set(&table->rows, t, surface->triangle[t]);
    icf_index_rows_sort(&table->rows);
    table->marked = icf_alloc((size_t)surface->ntriangle);
    if (!table->marked) return ICF_ERROR_MEMORY;
    memset(table->marked, 0, (size_t)surface->ntriangle);
    return ICF_OK;
}

static int compare_lid(const void *a, const void *b)
{
    const icf_lid x = *(const icf_lid *)a, y = *(const icf_lid *)b;
    return (x > y) - (x < y);
}

/* Adds the triangles' vertices to those of the group; ascending, each once. */
static icf_status sort_group_vertices(icf_mesh_group *group)
{
    for (icf_lid t = 0; t < group->ntriangle; ++t)
        for (int c = 0; c < 3; ++c) ICF_TRY(icf_mesh_group_add_vertex(group, group->triangle[t][c]));
    if (group->nvertex == 0) return ICF_OK;
    qsort(group->vertex, (size_t)group->nvertex, sizeof *group->vertex, compare_lid);
    icf_lid n = 1;
    for (icf_lid i = 1; i < group->nvertex; ++i)
        if (group->vertex[i] != group->vertex[n - 1]) group->vertex[n++] = group->vertex[i];
    group->nvertex = n;
    return ICF_OK;
}

/* Replaces the group's triangles by the boundary faces they are, in the order of the surface. */
static void replace_group_triangles(icf_mesh_group *group, face_table *table)
{
    icf_index_rows probe = {.width = 3, .n = 1, .row = (icf_lid[3]){0}};
    for (icf_lid t = 0; t < group->ntriangle; ++t) {
        icf_index_rows_set(&probe, 0, group->triangle[t]);
        const icf_lid face = icf_index_rows_find(&table->rows, probe.row);
        if (face >= 0) table->marked[face] = 1;
    }
    group->ntriangle = 0;
    for (icf_lid face = 0; face < table->surface.ntriangle; ++face) {
        if (!table->marked[face]) continue;
        memcpy(group->triangle[group->ntriangle++], table->surface.triangle[face], sizeof *group->triangle);
        table->marked[face] = 0;
    }
}

static icf_status finalize_groups(icf_context *context, icf_tet_mesh *mesh, const char *what)
{
    face_table table = {0};
    icf_status status = build_table(context, &table, mesh, what);
    for (icf_lid g = 0; g < mesh->ngroup && status == ICF_OK; ++g) {
        icf_mesh_group *group = &mesh->group[g];
        status = sort_group_vertices(group);
        if (status == ICF_OK && group->ntriangle > 0) replace_group_triangles(group, &table);
    }
    clear_table(&table);
    return status;
}

icf_status icf_tet_mesh_finalize(icf_context *context, icf_tet_mesh *mesh, const char *what)
{
    ICF_TRY(check_sizes(context, mesh, what));
    ICF_TRY(check_coordinates(context, mesh, what));
    ICF_TRY(check_indices(context, mesh, what));
    ICF_TRY(check_group_indices(context, mesh, what));
    ICF_TRY(orient(context, mesh, what));
    ICF_TRY(check_duplicates(context, mesh, what));
    ICF_TRY(check_used(context, mesh, what));
    return finalize_groups(context, mesh, what);
}
