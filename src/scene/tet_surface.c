/* Surface of a tetrahedral mesh: faces sorted by their vertices; those that come once. */
#include "scene/tet_surface.h"

#include <string.h>

#include "base/memory.h"
#include "scene/index_rows.h"

const int icf_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

void icf_tet_surface_init(icf_tet_surface *surface)
{
    *surface = (icf_tet_surface){.shared_face_tet = -1};
}

void icf_tet_surface_clear(icf_tet_surface *surface)
{
    icf_free(surface->triangle);
    icf_free(surface->tet);
    icf_free(surface->vertex);
    icf_tet_surface_init(surface);
}

/* Vertices of face number `face`, four a tetrahedron. */
static void get_face(const icf_tet_mesh *mesh, icf_lid face, icf_lid vertex[3])
{
    for (int c = 0; c < 3; ++c) vertex[c] = mesh->tet[face / 4][icf_tet_face[face % 4][c]];
}

/* Counts the tetrahedra of each face; the number replaces the first vertex of the face's row. */
static void count_tets_of_faces(icf_index_rows *faces, icf_tet_surface *surface, const icf_tet_mesh *mesh)
{
    for (icf_lid face = 0; face < faces->n; ++face) {
        icf_lid vertex[3];
        get_face(mesh, face, vertex);
        icf_index_rows_set(faces, face, vertex);
    }
    icf_index_rows_sort(faces);
    for (icf_lid i = 0, n; i < faces->n; i += n) {
        n = icf_index_rows_equal(faces, i);
        for (icf_lid j = i; j < i + n; ++j) *icf_index_row(faces, faces->items[j].value) = n;
        if (n < 3) continue;
        const icf_lid first = faces->items[i].value / 4;
        if (surface->nshared_face++ == 0 || first < surface->shared_face_tet) surface->shared_face_tet = first;
    }
}

/* Lists the faces of one tetrahedron. */
static icf_status gather_triangles(icf_tet_surface *surface, const icf_tet_mesh *mesh, const icf_index_rows *faces)
{
    icf_lid n = 0;
    for (icf_lid face = 0; face < faces->n; ++face) n += *icf_index_row(faces, face) == 1;
    ICF_TRY(ICF_GROW(surface->triangle, surface->triangle_capacity, n));
    ICF_TRY(ICF_GROW(surface->tet, surface->tet_capacity, n));
    for (icf_lid face = 0; face < faces->n; ++face) {
        if (*icf_index_row(faces, face) != 1) continue;
        get_face(mesh, face, surface->triangle[surface->ntriangle]);
        surface->tet[surface->ntriangle++] = face / 4;
    }
    return ICF_OK;
}

static icf_status find_triangles(icf_tet_surface *surface, const icf_tet_mesh *mesh)
{
    icf_index_rows faces;
    ICF_TRY(icf_index_rows_init(&faces, 4 * mesh->ntet, 3));
    count_tets_of_faces(&faces, surface, mesh);
    const icf_status status = gather_triangles(surface, mesh, &faces);
    icf_index_rows_clear(&faces);
    return status;
}

static icf_status find_vertices(icf_tet_surface *surface, icf_lid nvertex)
{
    uint8_t *used = icf_alloc((size_t)nvertex);
    if (!used) return nvertex == 0 ? ICF_OK : ICF_ERROR_MEMORY;
    memset(used, 0, (size_t)nvertex);
    icf_lid n = 0;
    for (icf_lid t = 0; t < surface->ntriangle; ++t)
        for (int c = 0; c < 3; ++c) {
            const icf_lid v = surface->triangle[t][c];
            n += !used[v];
            used[v] = 1;
        }
    const icf_status status = ICF_GROW(surface->vertex, surface->vertex_capacity, n);
    if (status == ICF_OK)
        for (icf_lid v = 0; v < nvertex; ++v)
            if (used[v]) surface->vertex[surface->nvertex++] = v;
    icf_free(used);
    return status;
}

/* Counts the edges that other than two triangles share. */
static icf_status count_odd_edges(icf_tet_surface *surface)
{
    if (surface->ntriangle > INT32_MAX / 3) return ICF_ERROR_MEMORY;
    icf_index_rows edges;
    ICF_TRY(icf_index_rows_init(&edges, 3 * surface->ntriangle, 2));
    for (icf_lid edge = 0; edge < edges.n; ++edge) {
        const icf_lid *triangle = surface->triangle[edge / 3];
        icf_index_rows_set(&edges, edge, (icf_lid[2]){triangle[edge % 3], triangle[(edge + 1) % 3]});
    }
    icf_index_rows_sort(&edges);
    for (icf_lid i = 0, n; i < edges.n; i += n) {
        n = icf_index_rows_equal(&edges, i);
        surface->nodd_edge += n != 2;
    }
    icf_index_rows_clear(&edges);
    return ICF_OK;
}

icf_status icf_tet_surface_build(icf_tet_surface *surface, const icf_tet_mesh *mesh)
{
    surface->ntriangle = surface->nvertex = surface->nodd_edge = surface->nshared_face = 0;
    surface->shared_face_tet = -1;
    ICF_TRY(find_triangles(surface, mesh));
    ICF_TRY(find_vertices(surface, mesh->nvertex));
    return count_odd_edges(surface);
}
