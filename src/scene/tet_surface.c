/* Surface of a tetrahedral mesh: faces sorted by their vertices; those that come once. */
#include "scene/tet_surface.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

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

/* What sorting rows needs: the rows, their order, scratch. */
typedef struct row_sort {
    icf_lid *rows;
    icf_keyed *items, *work;
} row_sort;

static icf_status allocate_rows(row_sort *sort, icf_lid n, int width)
{
    sort->rows = icf_alloc((size_t)n * (size_t)width * sizeof *sort->rows);
    sort->items = icf_alloc((size_t)n * sizeof *sort->items);
    sort->work = icf_alloc((size_t)n * sizeof *sort->work);
    return n == 0 || (sort->rows && sort->items && sort->work) ? ICF_OK : ICF_ERROR_MEMORY;
}

static void free_rows(row_sort *sort)
{
    icf_free(sort->rows);
    icf_free(sort->items);
    icf_free(sort->work);
}

/* Rows equal to the one at place i of the order, from there on. */
static icf_lid count_equal(const row_sort *sort, icf_lid n, int width, icf_lid i)
{
    const size_t bytes = (size_t)width * sizeof *sort->rows;
    const icf_lid *row = sort->rows + (size_t)sort->items[i].value * (size_t)width;
    icf_lid end = i + 1;
    while (end < n && memcmp(row, sort->rows + (size_t)sort->items[end].value * (size_t)width, bytes) == 0) ++end;
    return end - i;
}

static void swap_to_ascend(icf_lid *a, icf_lid *b)
{
    if (*a <= *b) return;
    const icf_lid larger = *a;
    *a = *b;
    *b = larger;
}

static void put_sorted(icf_lid row[3], icf_lid a, icf_lid b, icf_lid c)
{
    row[0] = a;
    row[1] = b;
    row[2] = c;
    swap_to_ascend(&row[0], &row[1]);
    swap_to_ascend(&row[1], &row[2]);
    swap_to_ascend(&row[0], &row[1]);
}

/* Sorts all faces, four a tetrahedron, and leaves in their rows whether they are on the surface: rows[3 face] is the
 * number of tetrahedra that have the face. */
static void count_tets_of_faces(row_sort *sort, icf_tet_surface *surface, const icf_tet_mesh *mesh)
{
    const icf_lid nface = 4 * mesh->ntet;
    for (icf_lid face = 0; face < nface; ++face) {
        const icf_lid *tet = mesh->tet[face / 4];
        const int *corner = icf_tet_face[face % 4];
        put_sorted(sort->rows + 3 * (size_t)face, tet[corner[0]], tet[corner[1]], tet[corner[2]]);
    }
    icf_sort_rows(nface, 3, sort->rows, sort->items, sort->work);
    for (icf_lid i = 0, n; i < nface; i += n) {
        n = count_equal(sort, nface, 3, i);
        for (icf_lid j = i; j < i + n; ++j) sort->rows[3 * (size_t)sort->items[j].value] = n;
        if (n < 3) continue;
        const icf_lid first = sort->items[i].value / 4;
        if (surface->nshared_face++ == 0 || first < surface->shared_face_tet) surface->shared_face_tet = first;
    }
}

static icf_status gather_triangles(icf_tet_surface *surface, const icf_tet_mesh *mesh, const icf_lid *rows)
{
    const icf_lid nface = 4 * mesh->ntet;
    icf_lid n = 0;
    for (icf_lid face = 0; face < nface; ++face) n += rows[3 * (size_t)face] == 1;
    ICF_TRY(ICF_GROW(surface->triangle, surface->triangle_capacity, n));
    ICF_TRY(ICF_GROW(surface->tet, surface->tet_capacity, n));
    for (icf_lid face = 0; face < nface; ++face) {
        if (rows[3 * (size_t)face] != 1) continue;
        const icf_lid *tet = mesh->tet[face / 4];
        for (int c = 0; c < 3; ++c) surface->triangle[surface->ntriangle][c] = tet[icf_tet_face[face % 4][c]];
        surface->tet[surface->ntriangle++] = face / 4;
    }
    return ICF_OK;
}

static icf_status find_triangles(icf_tet_surface *surface, const icf_tet_mesh *mesh)
{
    row_sort sort;
    icf_status status = allocate_rows(&sort, 4 * mesh->ntet, 3);
    if (status == ICF_OK) {
        count_tets_of_faces(&sort, surface, mesh);
        status = gather_triangles(surface, mesh, sort.rows);
    }
    free_rows(&sort);
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
    const icf_lid nedge = 3 * surface->ntriangle;
    row_sort sort;
    const icf_status status = allocate_rows(&sort, nedge, 2);
    if (status == ICF_OK) {
        for (icf_lid edge = 0; edge < nedge; ++edge) {
            const icf_lid *triangle = surface->triangle[edge / 3];
            icf_lid *row = sort.rows + 2 * (size_t)edge;
            row[0] = triangle[edge % 3];
            row[1] = triangle[(edge + 1) % 3];
            swap_to_ascend(&row[0], &row[1]);
        }
        icf_sort_rows(nedge, 2, sort.rows, sort.items, sort.work);
        for (icf_lid i = 0, n; i < nedge; i += n) {
            n = count_equal(&sort, nedge, 2, i);
            surface->nodd_edge += n != 2;
        }
    }
    free_rows(&sort);
    return status;
}

icf_status icf_tet_surface_build(icf_tet_surface *surface, const icf_tet_mesh *mesh)
{
    surface->ntriangle = surface->nvertex = surface->nodd_edge = surface->nshared_face = 0;
    surface->shared_face_tet = -1;
    ICF_TRY(find_triangles(surface, mesh));
    ICF_TRY(find_vertices(surface, mesh->nvertex));
    return count_odd_edges(surface);
}
