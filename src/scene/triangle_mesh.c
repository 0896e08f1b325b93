/* Triangle meshes: container, checks, welding. */
#include "scene/triangle_mesh.h"

#include <float.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"

void icf_triangle_mesh_init(icf_triangle_mesh *mesh)
{
    *mesh = (icf_triangle_mesh){0};
}

void icf_triangle_mesh_clear(icf_triangle_mesh *mesh)
{
    icf_free(mesh->vertex);
    icf_free(mesh->triangle);
    icf_triangle_mesh_init(mesh);
}

icf_status icf_triangle_mesh_reserve(icf_triangle_mesh *mesh, icf_lid nvertex, icf_lid ntriangle)
{
    ICF_TRY(ICF_GROW(mesh->vertex, mesh->vertex_capacity, nvertex));
    return ICF_GROW(mesh->triangle, mesh->triangle_capacity, ntriangle);
}

icf_status icf_triangle_mesh_add_vertex(icf_triangle_mesh *mesh, icf_vec3 position)
{
    if (mesh->nvertex == INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(mesh->vertex, mesh->vertex_capacity, (size_t)mesh->nvertex + 1));
    mesh->vertex[mesh->nvertex++] = position;
    return ICF_OK;
}

icf_status icf_triangle_mesh_add(icf_triangle_mesh *mesh, icf_lid a, icf_lid b, icf_lid c)
{
    if (mesh->ntriangle == ICF_MAX_TRIANGLES) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(mesh->triangle, mesh->triangle_capacity, (size_t)mesh->ntriangle + 1));
    memcpy(mesh->triangle[mesh->ntriangle++], (icf_lid[3]){a, b, c}, sizeof *mesh->triangle);
    return ICF_OK;
}

/* ---- checks ---- */

static double largest_coordinate(icf_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static icf_status check_triangle(icf_context *context, const icf_triangle_mesh *mesh, icf_lid t, const char *what)
{
    for (int k = 0; k < 3; ++k) {
        const icf_lid v = mesh->triangle[t][k];
        if (v < 0 || v >= mesh->nvertex)
            return icf_fail(context, ICF_ERROR_SCENE,
                            "%s: triangle %d (counting from 0) names vertex %d; there are %d, counting from 0", what, t,
                            v, mesh->nvertex);
        const icf_vec3 x = mesh->vertex[v];
        if (!icf_is_finite(x))
            return icf_fail(context, ICF_ERROR_SCENE,
                            "%s: a corner of triangle %d (counting from 0) is at (%g, %g, %g)", what, t, x.x, x.y, x.z);
        if (largest_coordinate(x) > ICF_MESH_FARTHEST)
            return icf_fail(context, ICF_ERROR_SCENE,
                            "%s: a corner of triangle %d (counting from 0) is at (%g, %g, %g), beyond %g m", what, t,
                            x.x, x.y, x.z, ICF_MESH_FARTHEST);
    }
    return ICF_OK;
}

static icf_status check_triangles(icf_context *context, const icf_triangle_mesh *mesh, const char *what)
{
    if (mesh->ntriangle == 0) return icf_fail(context, ICF_ERROR_SCENE, "%s: the mesh has no triangles", what);
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) ICF_TRY(check_triangle(context, mesh, t, what));
    return ICF_OK;
}

/* ---- welding ---- */

static bool is_same_place(icf_vec3 a, icf_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static uint64_t hash_place(icf_vec3 x)
{
    return icf_hash_double(icf_hash_double(icf_hash_double(0, x.x), x.y), x.z);
}

/* For every vertex the first one at its place: found among those of equal hash, which are few. */
static void find_twins(const icf_triangle_mesh *mesh, icf_keyed *items, icf_keyed *work, icf_lid *twin)
{
    const icf_lid n = mesh->nvertex;
    for (icf_lid v = 0; v < n; ++v) items[v] = (icf_keyed){hash_place(mesh->vertex[v]), v};
    icf_sort_keyed(n, items, work);
    icf_lid begin = 0;
    for (icf_lid i = 0; i < n; ++i) {
        if (items[i].key != items[begin].key) begin = i;
        icf_lid k = begin;
        while (!is_same_place(mesh->vertex[items[k].value], mesh->vertex[items[i].value])) ++k;
        twin[items[i].value] = items[k].value;
    }
}

/* Numbers the places by their first use and puts the numbers into the triangles.
 *   twin   [in,out] (nvertex) becomes scratch
 *   vertex [out]    (nvertex) places by their new numbers
 * Returns how many there are. */
static icf_lid renumber(icf_triangle_mesh *mesh, icf_lid *twin, icf_lid *number, icf_vec3 *vertex)
{
    icf_lid n = 0;
    for (icf_lid v = 0; v < mesh->nvertex; ++v) number[v] = -1;
    for (icf_lid t = 0; t < mesh->ntriangle; ++t)
        for (int k = 0; k < 3; ++k) {
            const icf_lid place = twin[mesh->triangle[t][k]];
            if (number[place] < 0) {
                vertex[n] = mesh->vertex[place];
                number[place] = n++;
            }
            mesh->triangle[t][k] = number[place];
        }
    return n;
}

static icf_status weld(icf_triangle_mesh *mesh)
{
    const size_t n = (size_t)mesh->nvertex;
    icf_keyed *items = icf_alloc(2 * n * sizeof *items);
    icf_lid *twin = icf_alloc(2 * n * sizeof *twin);
    icf_vec3 *vertex = icf_alloc(n * sizeof *vertex);
    const icf_status status = items && twin && vertex ? ICF_OK : ICF_ERROR_MEMORY;
    if (status == ICF_OK) {
        find_twins(mesh, items, items + n, twin);
        mesh->nvertex = renumber(mesh, twin, twin + n, vertex);
        memcpy(mesh->vertex, vertex, (size_t)mesh->nvertex * sizeof *vertex);
    }
    icf_free(items);
    icf_free(twin);
    icf_free(vertex);
    return status;
}

/* Of a welded mesh. */
static icf_status check_size(icf_context *context, const icf_triangle_mesh *mesh, const char *what)
{
    const icf_vec3 x = mesh->vertex[0];
    double size = 0.0;
    for (icf_lid v = 1; v < mesh->nvertex; ++v) size = fmax(size, largest_coordinate(icf_sub(mesh->vertex[v], x)));
    if (size >= ICF_MESH_SMALLEST) return ICF_OK;
    return icf_fail(context, ICF_ERROR_SCENE, "%s: all corners of its triangles lie within %g m of (%g, %g, %g)", what,
                    size, x.x, x.y, x.z);
}

icf_status icf_triangle_mesh_finalize(icf_context *context, icf_triangle_mesh *mesh, const char *what)
{
    ICF_TRY(check_triangles(context, mesh, what));
    ICF_TRY(weld(mesh));
    return check_size(context, mesh, what);
}

/* ---- a triangle ---- */

icf_vec3 icf_triangle_mesh_area2(const icf_triangle_mesh *mesh, icf_lid t)
{
    icf_vec3 x[3];
    icf_triangle_mesh_corners(mesh, t, x);
    return icf_cross(icf_sub(x[1], x[0]), icf_sub(x[2], x[0]));
}

bool icf_triangle_mesh_is_degenerate(const icf_triangle_mesh *mesh, icf_lid t)
{
    icf_vec3 x[3];
    icf_triangle_mesh_corners(mesh, t, x);
    double square = 0.0, offset = 0.0;
    for (int k = 0; k < 3; ++k) {
        square = fmax(square, icf_norm2(icf_sub(x[(k + 1) % 3], x[k])));
        offset = fmax(offset, largest_coordinate(x[k]));
    }
    // no bits of the area are left once the corners are rounded
    return icf_norm(icf_triangle_mesh_area2(mesh, t)) <= 4.0 * DBL_EPSILON * offset * sqrt(square);
}
