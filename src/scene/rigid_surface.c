/* Rigid surfaces: normals, neighbours and stars of their triangles, what is refused, meshes of height fields, bytes. */
#include "scene/rigid_surface.h"

#include <string.h>

#include "base/memory.h"
#include "scene/index_rows.h"

void icf_rigid_surface_init(icf_rigid_surface *surface)
{
    *surface = (icf_rigid_surface){.scale = 1.0};
    icf_triangle_mesh_init(&surface->mesh);
    icf_arena_init(&surface->arena);
}

void icf_rigid_surface_clear(icf_rigid_surface *surface)
{
    icf_free(surface->file);
    icf_free(surface->dataset);
    icf_triangle_mesh_clear(&surface->mesh);
    icf_free(surface->normal);
    icf_free(surface->neighbour);
    icf_free(surface->rise);
    icf_free(surface->star_ptr);
    icf_free(surface->star);
    icf_free(surface->outward);
    icf_arena_clear(&surface->arena);
    icf_rigid_surface_init(surface);
}

/* ---- normals ---- */

static icf_status find_normals(icf_rigid_surface *surface)
{
    const icf_triangle_mesh *mesh = &surface->mesh;
    surface->normal = icf_alloc((size_t)mesh->ntriangle * sizeof *surface->normal);
    if (!surface->normal) return ICF_ERROR_MEMORY;
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) surface->normal[t] = icf_unit(icf_triangle_mesh_area2(mesh, t));
    return ICF_OK;
}

/* Angle of a triangle at one of its vertices. */
static double angle_at(const icf_triangle_mesh *mesh, icf_lid triangle, icf_lid vertex)
{
    icf_vec3 arm[2] = {{0, 0, 0}, {0, 0, 0}};
    int n = 0;
    for (int c = 0; c < 3; ++c) {
        const icf_lid corner = mesh->triangle[triangle][c];
        if (corner != vertex) arm[n++] = icf_sub(mesh->vertex[corner], mesh->vertex[vertex]);
    }
    return atan2(icf_norm(icf_cross(arm[0], arm[1])), icf_dot(arm[0], arm[1]));
}

/* Behind the stars. */
static icf_status find_outward(icf_rigid_surface *surface)
{
    const icf_triangle_mesh *mesh = &surface->mesh;
    surface->outward = icf_alloc((size_t)mesh->nvertex * sizeof *surface->outward);
    if (!surface->outward) return ICF_ERROR_MEMORY;
    for (icf_lid v = 0; v < mesh->nvertex; ++v) {
        icf_vec3 sum = {0, 0, 0};
        for (icf_lid i = surface->star_ptr[v]; i < surface->star_ptr[v + 1]; ++i) {
            const icf_lid t = surface->star[i];
            sum = icf_mul_add(sum, angle_at(mesh, t, v), surface->normal[t]);
        }
        surface->outward[v] = sum;
    }
    return ICF_OK;
}

/* ---- neighbours ---- */

/* Corner opposite to side k of a triangle. */
static icf_vec3 opposite_corner(const icf_triangle_mesh *mesh, icf_lid side)
{
    return mesh->vertex[mesh->triangle[side / 3][(side % 3 + 2) % 3]];
}

/* Sine of the angle by which the triangle of another side rises above the plane of this side's triangle. */
static double rise(const icf_rigid_surface *surface, icf_lid side, icf_lid other)
{
    const icf_triangle_mesh *mesh = &surface->mesh;
    icf_vec3 x[3];
    icf_triangle_mesh_corners(mesh, side / 3, x);
    const icf_vec3 normal = surface->normal[side / 3], from = x[side % 3];
    const icf_vec3 edge = icf_unit(icf_sub(x[(side + 1) % 3], from));
    const icf_vec3 arm = icf_sub(opposite_corner(mesh, other), from);
    return icf_dot(normal, arm) / icf_norm(icf_mul_add(arm, -icf_dot(arm, edge), edge));
}

/* The n sides at place i of the order are one edge: each has one of the others as neighbour. */
static void join_sides(icf_rigid_surface *surface, const icf_index_rows *rows, icf_lid i, icf_lid n)
{
    for (icf_lid k = i; k < i + n; ++k) {
        const icf_lid side = rows->items[k].value;
        icf_lid best = -1;
        double highest = -INFINITY;
        for (icf_lid l = i; l < i + n; ++l) {
            const icf_lid other = rows->items[l].value;
            if (other / 3 == side / 3) continue;
            const double height = rise(surface, side, other);
            if (best >= 0 && !(height > highest)) continue;
            best = other;
            highest = height;
        }
        surface->neighbour[side / 3][side % 3] = best < 0 ? -1 : best / 3;
        surface->rise[side / 3][side % 3] = best < 0 ? -1.0 : highest;
    }
}

static icf_status find_neighbours(const icf_index_rows *sides, icf_rigid_surface *surface)
{
    const size_t ntriangle = (size_t)surface->mesh.ntriangle;
    surface->neighbour = icf_alloc(ntriangle * sizeof *surface->neighbour);
    surface->rise = icf_alloc(ntriangle * sizeof *surface->rise);
    if (!surface->neighbour || !surface->rise) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0, n; i < sides->n; i += n) {
        n = icf_index_rows_equal(sides, i);
        join_sides(surface, sides, i, n);
    }
    return ICF_OK;
}

/* What is seen from the sides. */
static icf_status look_at_sides(icf_rigid_surface *surface)
{
    icf_index_rows sides;
    ICF_TRY(icf_triangle_mesh_sort_sides(&surface->mesh, &sides));
    icf_status status = icf_triangle_mesh_survey_sides(&surface->mesh, &sides, &surface->defects);
    if (status == ICF_OK) status = find_neighbours(&sides, surface);
    icf_index_rows_clear(&sides);
    return status;
}

static icf_status find_stars(icf_rigid_surface *surface)
{
    const icf_triangle_mesh *mesh = &surface->mesh;
    const size_t nvertex = (size_t)mesh->nvertex, ncorner = 3 * (size_t)mesh->ntriangle;
    surface->star_ptr = icf_alloc((nvertex + 1) * sizeof *surface->star_ptr);
    surface->star = icf_alloc(ncorner * sizeof *surface->star);
    if (!surface->star_ptr || !surface->star) return ICF_ERROR_MEMORY;
    icf_lid *ptr = surface->star_ptr;
    memset(ptr, 0, (nvertex + 1) * sizeof *ptr);
    for (size_t c = 0; c < ncorner; ++c) ++ptr[mesh->triangle[c / 3][c % 3] + 1];
    for (size_t v = 0; v < nvertex; ++v) ptr[v + 1] += ptr[v];
    for (size_t c = 0; c < ncorner; ++c) surface->star[ptr[mesh->triangle[c / 3][c % 3]]++] = (icf_lid)(c / 3);
    memmove(ptr + 1, ptr, nvertex * sizeof *ptr);
    ptr[0] = 0;
    return ICF_OK;
}

static void find_size(icf_rigid_surface *surface)
{
    const icf_vec3 lo = surface->defects.lo, hi = surface->defects.hi;
    surface->extent =
        icf_vec3_make(fmax(fabs(lo.x), fabs(hi.x)), fmax(fabs(lo.y), fabs(hi.y)), fmax(fabs(lo.z), fabs(hi.z)));
    for (icf_lid v = 0; v < surface->mesh.nvertex; ++v)
        surface->radius = fmax(surface->radius, icf_norm(surface->mesh.vertex[v]));
}

icf_status icf_rigid_surface_finish(icf_context *context, icf_rigid_surface *surface)
{
    if (surface->mesh.ntriangle > ICF_SURFACE_TRIANGLES)
        return icf_fail(context, ICF_ERROR_SCENE, "%s: %d triangles, at most %d can be the shape of a body",
                        surface->file ? surface->file : "mesh", surface->mesh.ntriangle, ICF_SURFACE_TRIANGLES);
    ICF_TRY(find_normals(surface));
    ICF_TRY(look_at_sides(surface));
    ICF_TRY(find_stars(surface));
    ICF_TRY(find_outward(surface));
    find_size(surface);
    surface->is_solid = surface->source == ICF_SURFACE_HEIGHTS || surface->defects.closed;
    return ICF_OK;
}

icf_status icf_rigid_surface_check(icf_context *context, const icf_rigid_surface *surface, const char *what)
{
    const icf_triangle_defects *defects = &surface->defects;
    ICF_TRY(icf_triangle_mesh_require_area(context, &surface->mesh, defects, what));
    if (defects->ndegenerate > 0) {
        const icf_vec3 x = surface->mesh.vertex[surface->mesh.triangle[defects->degenerate][0]];
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: triangle %d (counting from 0) at (%g, %g, %g) has no area (%d such triangles)", what,
                        defects->degenerate, x.x, x.y, x.z, defects->ndegenerate);
    }
    // the other faults of a solid are faults of a sheet too, but for its border
    icf_triangle_defects faults = *defects;
    if (!faults.closed && faults.nduplicate == 0 && faults.nflipped == 0) return ICF_OK;
    faults.nopen = 0;
    return icf_triangle_mesh_require_solid(context, &surface->mesh, &faults, what);
}

/* ---- height fields ---- */

static icf_vec3 grid_point(const icf_rigid_surface *surface, const double *height, icf_lid i, icf_lid j)
{
    const icf_height_grid *grid = &surface->grid;
    return icf_vec3_make(grid->origin[0] + i * grid->spacing[0], grid->origin[1] + j * grid->spacing[1],
                         height[(size_t)j * (size_t)grid->n[0] + (size_t)i]);
}

icf_status icf_rigid_surface_fill_heights(icf_rigid_surface *surface, const double *height)
{
    const icf_lid nx = surface->grid.n[0], ny = surface->grid.n[1];
    icf_triangle_mesh *mesh = &surface->mesh;
    ICF_TRY(icf_triangle_mesh_reserve(mesh, nx * ny, 2 * (nx - 1) * (ny - 1)));
    for (icf_lid j = 0; j < ny; ++j)
        for (icf_lid i = 0; i < nx; ++i) ICF_TRY(icf_triangle_mesh_add_vertex(mesh, grid_point(surface, height, i, j)));
    for (icf_lid j = 0; j + 1 < ny; ++j)
        for (icf_lid i = 0; i + 1 < nx; ++i) {
            const icf_lid a = j * nx + i, b = a + 1, c = b + nx, d = a + nx;
            ICF_TRY(icf_triangle_mesh_add(mesh, a, b, c));
            ICF_TRY(icf_triangle_mesh_add(mesh, a, c, d));
        }
    return ICF_OK;
}

/* ---- memory and bytes ---- */

size_t icf_rigid_surface_bytes(const icf_rigid_surface *surface)
{
    const size_t nvertex = (size_t)surface->mesh.nvertex, ntriangle = (size_t)surface->mesh.ntriangle;
    return nvertex * (sizeof *surface->mesh.vertex + sizeof *surface->star_ptr + sizeof *surface->outward) +
           ntriangle * (sizeof *surface->mesh.triangle + sizeof *surface->normal + sizeof *surface->neighbour +
                        sizeof *surface->rise + 3 * sizeof *surface->star) +
           surface->arena.total;
}

typedef struct header {
    icf_surface_source source;
    double scale, offset;
    icf_height_grid grid;
    icf_lid nvertex, ntriangle;
} header;

icf_status icf_rigid_surface_write(icf_bytes *bytes, const icf_rigid_surface *surface)
{
    const icf_triangle_mesh *mesh = &surface->mesh;
    header head;
    memset(&head, 0, sizeof head); /* no undefined padding in a message */
    head.source = surface->source;
    head.scale = surface->scale;
    head.offset = surface->offset;
    head.grid = surface->grid;
    head.nvertex = mesh->nvertex;
    head.ntriangle = mesh->ntriangle;
    ICF_TRY(icf_bytes_write(bytes, &head, sizeof head));
    ICF_TRY(icf_bytes_write_text(bytes, surface->file));
    ICF_TRY(icf_bytes_write_text(bytes, surface->dataset));
    ICF_TRY(icf_bytes_write(bytes, mesh->vertex, (size_t)mesh->nvertex * sizeof *mesh->vertex));
    return icf_bytes_write(bytes, mesh->triangle, (size_t)mesh->ntriangle * sizeof *mesh->triangle);
}

icf_status icf_rigid_surface_read(icf_context *context, icf_bytes *bytes, icf_rigid_surface *surface)
{
    icf_rigid_surface_init(surface);
    icf_triangle_mesh *mesh = &surface->mesh;
    header head;
    ICF_TRY(icf_bytes_take(bytes, sizeof head, &head));
    surface->source = head.source;
    surface->scale = head.scale;
    surface->offset = head.offset;
    surface->grid = head.grid;
    ICF_TRY(icf_bytes_take_text(bytes, &surface->file));
    ICF_TRY(icf_bytes_take_text(bytes, &surface->dataset));
    ICF_TRY(icf_triangle_mesh_reserve(mesh, head.nvertex, head.ntriangle));
    ICF_TRY(icf_bytes_take(bytes, (size_t)head.nvertex * sizeof *mesh->vertex, mesh->vertex));
    ICF_TRY(icf_bytes_take(bytes, (size_t)head.ntriangle * sizeof *mesh->triangle, mesh->triangle));
    mesh->nvertex = head.nvertex;
    mesh->ntriangle = head.ntriangle;
    return icf_rigid_surface_finish(context, surface);
}
