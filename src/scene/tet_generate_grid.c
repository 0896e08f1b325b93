/* Generated tetrahedral meshes on a grid of cells: box, and tube (a box bent round). */
#include "scene/tet_generate_private.h"

static const double pi = 3.14159265358979323846;

/* A grid of cells; a closed one has its last column of nodes along j in place of the first. */
typedef struct grid {
    icf_lid cells[3]; /* along i, j, k */
    icf_lid nodes[2]; /* along i, j */
} grid;

static icf_lid node_of(const grid *g, icf_lid i, icf_lid j, icf_lid k)
{
    return i + g->nodes[0] * (j % g->nodes[1] + g->nodes[1] * k);
}

/* Cuts every cell in six. */
static icf_status cut_cells(icf_tet_mesh *mesh, const grid *g)
{
    for (icf_lid k = 0; k < g->cells[2]; ++k)
        for (icf_lid j = 0; j < g->cells[1]; ++j)
            for (icf_lid i = 0; i < g->cells[0]; ++i)
                for (int t = 0; t < 6; ++t) {
                    icf_lid vertex[4];
                    for (int c = 0; c < 4; ++c) {
                        const int corner = icf_cube_tet[t][c];
                        vertex[c] = node_of(g, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
                    }
                    ICF_TRY(icf_generate_tet(mesh, vertex));
                }
    return ICF_OK;
}

/* Bits 0 and 1: first and last node along i, 2 and 3: j, 4 and 5: k. */
static unsigned grid_sides(const void *user, icf_lid vertex)
{
    const grid *g = user;
    const icf_lid at[3] = {vertex % g->nodes[0], vertex / g->nodes[0] % g->nodes[1],
                           vertex / g->nodes[0] / g->nodes[1]};
    unsigned sides = 0;
    for (int axis = 0; axis < 3; ++axis) {
        sides |= (unsigned)(at[axis] == 0) << (2 * axis);
        sides |= (unsigned)(at[axis] == g->cells[axis]) << (2 * axis + 1);
    }
    return sides;
}

/* Coordinate of node i of n + 1 that divide a length, centred; symmetric to the last bit. */
static double centred(double length, icf_lid i, icf_lid n)
{
    return length * ((2.0 * i - n) / (2.0 * n));
}

icf_status icf_tet_mesh_box(icf_context *context, icf_tet_mesh *mesh, icf_vec3 size, const icf_lid divisions[3])
{
    static const char *const sides[6] = {"x_minus", "x_plus", "y_minus", "y_plus", "z_minus", "z_plus"};
    const icf_lid nx = divisions[0], ny = divisions[1], nz = divisions[2];
    const icf_mesh_number numbers[6] = {{"size x", size.x},  {"size y", size.y},  {"size z", size.z},
                                        {"divisions x", nx}, {"divisions y", ny}, {"divisions z", nz}};
    ICF_TRY(
        icf_generate_begin(context, mesh, "box", 6, numbers, (nx + 1.0) * (ny + 1.0) * (nz + 1.0), 6.0 * nx * ny * nz));
    const grid g = {{nx, ny, nz}, {nx + 1, ny + 1}};
    for (icf_lid k = 0; k <= nz; ++k)
        for (icf_lid j = 0; j <= ny; ++j)
            for (icf_lid i = 0; i <= nx; ++i)
                ICF_TRY(icf_tet_mesh_add_vertex(
                    mesh, icf_vec3_make(centred(size.x, i, nx), centred(size.y, j, ny), centred(size.z, k, nz))));
    ICF_TRY(cut_cells(mesh, &g));
    return icf_generate_finish(context, mesh, "box", 6, sides, grid_sides, &g);
}

enum { tube_inner = 1 << 0, tube_outer = 1 << 1, tube_bottom = 1 << 2, tube_top = 1 << 3, tube_ends = 1 << 4 };

static unsigned tube_sides(const void *user, icf_lid vertex)
{
    const unsigned sides = grid_sides(user, vertex);
    return (sides & 3u) | (sides >> 4 & 1u ? tube_bottom | tube_ends : 0u) |
           (sides >> 5 & 1u ? tube_top | tube_ends : 0u);
}

static icf_status add_tube_nodes(icf_tet_mesh *mesh, const grid *g, double inner, double outer, double length)
{
    const icf_lid nr = g->cells[0], na = g->cells[1], nz = g->cells[2];
    for (icf_lid k = 0; k <= nz; ++k)
        for (icf_lid j = 0; j < na; ++j)
            for (icf_lid i = 0; i <= nr; ++i) {
                const double r = (inner * (nr - i) + outer * i) / nr, angle = 2.0 * pi * j / na;
                ICF_TRY(icf_tet_mesh_add_vertex(mesh,
                                                icf_vec3_make(r * cos(angle), r * sin(angle), centred(length, k, nz))));
            }
    return ICF_OK;
}

icf_status icf_tet_mesh_tube(icf_context *context, icf_tet_mesh *mesh, double inner, double outer, double length,
                             icf_lid resolution)
{
    static const char *const sides[5] = {"inner", "outer", "bottom", "top", "ends"};
    const double h = (outer - inner) / resolution;
    const double na = fmax(3.0, round(pi * (inner + outer) / h)), nz = fmax(1.0, round(length / h));
    const icf_mesh_number numbers[5] = {{"inner radius", inner},
                                        {"outer radius", outer},
                                        {"length", length},
                                        {"resolution", resolution},
                                        {"outer - inner radius", outer - inner}};
    ICF_TRY(icf_generate_begin(context, mesh, "tube", 5, numbers, (resolution + 1.0) * na * (nz + 1.0),
                               6.0 * resolution * na * nz));
    const grid g = {{resolution, (icf_lid)na, (icf_lid)nz}, {resolution + 1, (icf_lid)na}};
    ICF_TRY(add_tube_nodes(mesh, &g, inner, outer, length));
    ICF_TRY(cut_cells(mesh, &g));
    return icf_generate_finish(context, mesh, "tube", 5, sides, tube_sides, &g);
}
