/* Elastic body: the tetrahedra of a part in batches - rest gradients, volumes, where their blocks go, what is summed.
 */
#include <string.h>

#include "base/search.h"
#include "fem/fem_private.h"

static const int pair_row[ICF_FEM_PAIRS] = {1, 2, 3, 2, 3, 3}, pair_column[ICF_FEM_PAIRS] = {0, 0, 0, 1, 1, 2};

/* Rest gradients g_1, g_2, g_3 of a tetrahedron: rows of the inverse of its edges. */
static double rest_gradients(const icf_tet_mesh *mesh, const icf_lid tet[4], icf_vec3 g[3])
{
    const icf_vec3 o = mesh->vertex[tet[0]];
    const icf_vec3 a = icf_sub(mesh->vertex[tet[1]], o), b = icf_sub(mesh->vertex[tet[2]], o);
    const icf_vec3 c = icf_sub(mesh->vertex[tet[3]], o);
    const icf_vec3 bc = icf_cross(b, c);
    const double volume6 = icf_dot(a, bc), inverse = 1.0 / volume6;
    g[0] = icf_scale(inverse, bc);
    g[1] = icf_scale(inverse, icf_cross(c, a));
    g[2] = icf_scale(inverse, icf_cross(a, b));
    return volume6 / 6.0;
}

/* Off-diagonal block of an edge, ~e when the pattern holds its transpose. */
static icf_lid block_of(const icf_fem *fem, icf_lid row, icf_lid column)
{
    const icf_lid i = ICF_MAX(row, column), j = ICF_MIN(row, column);
    const icf_lid low = icf_search_lid(fem->idx, fem->ptr[j], fem->ptr[j + 1], i);
    return row > column ? low : ~low;
}

/* Bits of the vertices and blocks of a tetrahedron that a part sums: an off-diagonal block goes with its column. */
static uint16_t own_bits(const icf_fem *fem, const icf_lid tet[4], int part)
{
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) bits |= (unsigned)(fem->owner[tet[i]] == part) << i;
    for (int p = 0; p < ICF_FEM_PAIRS; ++p) {
        const icf_lid column = ICF_MIN(tet[pair_row[p]], tet[pair_column[p]]);
        bits |= (unsigned)(fem->owner[column] == part) << (4 + p);
    }
    return (uint16_t)bits;
}

static void set_tet(const icf_fem *fem, const icf_tet_mesh *mesh, icf_lid t, icf_fem_batch *batch, int lane)
{
    const icf_lid *tet = mesh->tet[t];
    icf_vec3 g[3];
    batch->volume[lane] = rest_gradients(mesh, tet, g);
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) batch->gradient[3 * i + c][lane] = icf_get(g[i], c);
    for (int i = 0; i < 4; ++i) batch->vertex[i][lane] = tet[i];
    for (int p = 0; p < ICF_FEM_PAIRS; ++p)
        batch->block[p][lane] = block_of(fem, tet[pair_row[p]], tet[pair_column[p]]);
}

static void fill_batches(const icf_fem *fem, const icf_tet_mesh *mesh, int p)
{
    icf_fem_part *part = &fem->part[p];
    for (icf_lid k = 0; k < ICF_FEM_LANES * part->nbatch; ++k) {
        icf_fem_batch *batch = &part->batch[k / ICF_FEM_LANES];
        const int lane = k % ICF_FEM_LANES;
        const icf_lid t = part->tet[ICF_MIN(k, part->ntet - 1)];
        set_tet(fem, mesh, t, batch, lane);
        batch->own[lane] = k < part->ntet ? own_bits(fem, mesh->tet[t], p) : 0;
    }
}

/* The state is the rest state until icf_fem_set_state is called. */
static void fill_state(icf_fem_part *part)
{
    memset(part->state, 0, (size_t)part->nbatch * sizeof *part->state);
    for (icf_lid b = 0; b < part->nbatch; ++b)
        for (int k = 0; k < 9; k += 4)
            for (int lane = 0; lane < ICF_FEM_LANES; ++lane) part->state[b].rotation[k][lane] = 1.0;
}

icf_status icf_fem_build_batches(const icf_fem *fem, const icf_tet_mesh *mesh, int p)
{
    icf_fem_part *part = &fem->part[p];
    part->nbatch = (part->ntet + ICF_FEM_LANES - 1) / ICF_FEM_LANES;
    const size_t n = (size_t)part->nbatch;
    ICF_TRY(icf_fem_allocate((void **)&part->batch, n, sizeof *part->batch));
    fill_batches(fem, mesh, p);
    if (fem->material.model != ICF_ELASTIC_COROTATIONAL) return ICF_OK;
    ICF_TRY(icf_fem_allocate((void **)&part->state, n, sizeof *part->state));
    fill_state(part);
    return ICF_OK;
}
