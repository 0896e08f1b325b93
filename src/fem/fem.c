/* Elastic body: what mesh and material fix.
 *
 *   mesh -> pattern (fem_pattern.c) -> batches: rest gradients, volumes, where their blocks go -> parts (fem_parts.c)
 */
#include "fem/fem.h"

#include <string.h>

#include "base/memory.h"
#include "fem/fem_private.h"

icf_status icf_fem_allocate(void **array, size_t n, size_t size)
{
    *array = n > SIZE_MAX / size ? NULL : icf_alloc(ICF_MAX(n, 1) * size);
    return *array ? ICF_OK : ICF_ERROR_MEMORY;
}

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
    icf_lid low = fem->ptr[j], high = fem->ptr[j + 1];
    while (low < high) {
        const icf_lid middle = low + (high - low) / 2;
        if (fem->idx[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return row > column ? low : ~low;
}

static void set_tet(icf_fem *fem, const icf_tet_mesh *mesh, icf_lid t, icf_fem_batch *batch, int lane)
{
    static const int row[ICF_FEM_PAIRS] = {1, 2, 3, 2, 3, 3}, column[ICF_FEM_PAIRS] = {0, 0, 0, 1, 1, 2};
    const icf_lid *tet = mesh->tet[t];
    icf_vec3 g[3];
    batch->volume[lane] = rest_gradients(mesh, tet, g);
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) batch->gradient[3 * i + c][lane] = icf_get(g[i], c);
    for (int i = 0; i < 4; ++i) batch->vertex[i][lane] = tet[i];
    for (int p = 0; p < ICF_FEM_PAIRS; ++p) batch->block[p][lane] = block_of(fem, tet[row[p]], tet[column[p]]);
}

static icf_status build_batches(icf_fem *fem, const icf_tet_mesh *mesh)
{
    fem->nbatch = (fem->ntet + ICF_FEM_LANES - 1) / ICF_FEM_LANES;
    ICF_TRY(icf_fem_allocate((void **)&fem->batch, (size_t)fem->nbatch, sizeof *fem->batch));
    for (icf_lid b = 0; b < fem->nbatch; ++b)
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane)
            set_tet(fem, mesh, ICF_MIN(ICF_FEM_LANES * b + lane, fem->ntet - 1), &fem->batch[b], lane);
    return ICF_OK;
}

/* Volumes of the body and around each vertex, in the order of the tetrahedra. */
static icf_status build_volumes(icf_fem *fem)
{
    ICF_TRY(icf_fem_allocate((void **)&fem->vertex_volume, (size_t)fem->nvertex, sizeof *fem->vertex_volume));
    for (icf_lid v = 0; v < fem->nvertex; ++v) fem->vertex_volume[v] = 0.0;
    fem->volume = 0.0;
    for (icf_lid b = 0; b < fem->nbatch; ++b)
        for (int lane = 0; lane < icf_fem_batch_size(fem, b); ++lane) {
            const double volume = fem->batch[b].volume[lane];
            fem->volume += volume;
            for (int i = 0; i < 4; ++i) fem->vertex_volume[fem->batch[b].vertex[i][lane]] += volume;
        }
    return ICF_OK;
}

/* The state is the rest state until icf_fem_set_state is called. */
static icf_status build_state(icf_fem *fem)
{
    if (fem->material.model != ICF_ELASTIC_COROTATIONAL) return ICF_OK;
    const size_t n = (size_t)fem->nbatch;
    ICF_TRY(icf_fem_allocate((void **)&fem->state, n, sizeof *fem->state));
    memset(fem->state, 0, n * sizeof *fem->state);
    for (icf_lid b = 0; b < fem->nbatch; ++b)
        for (int k = 0; k < 9; k += 4)
            for (int lane = 0; lane < ICF_FEM_LANES; ++lane) fem->state[b].rotation[k][lane] = 1.0;
    return ICF_OK;
}

static icf_status build(icf_fem *fem, const icf_tet_mesh *mesh, int nthread)
{
    ICF_TRY(icf_fem_build_pattern(fem, mesh));
    ICF_TRY(build_batches(fem, mesh));
    ICF_TRY(build_volumes(fem));
    ICF_TRY(build_state(fem));
    ICF_TRY(icf_fem_build_parts(fem, nthread));
    return icf_fem_allocate((void **)&fem->scratch, (size_t)fem->ntet, sizeof *fem->scratch);
}

icf_status icf_fem_create(const icf_context *context, const icf_tet_mesh *mesh, const icf_deformable_material *material,
                          icf_fem **fem)
{
    ICF_TRY(icf_fem_allocate((void **)fem, 1, sizeof **fem));
    **fem = (icf_fem){.material = *material,
                      .lame = icf_deformable_material_lame(material),
                      .kernels = icf_element_kernels_select(),
                      .nvertex = mesh->nvertex,
                      .ntet = mesh->ntet};
    const icf_status status = build(*fem, mesh, context->nthread);
    if (status != ICF_OK) icf_fem_destroy(fem);
    return status;
}

void icf_fem_destroy(icf_fem **fem)
{
    if (!*fem) return;
    for (int p = 0; p < (*fem)->npart; ++p) icf_free((*fem)->part[p].batch);
    icf_free((*fem)->part);
    icf_free((*fem)->scratch);
    icf_free((*fem)->state);
    icf_free((*fem)->batch);
    icf_free((*fem)->vertex_volume);
    icf_free((*fem)->idx);
    icf_free((*fem)->ptr);
    ICF_FREE(*fem);
}

icf_fem_pattern icf_fem_get_pattern(const icf_fem *fem)
{
    return (icf_fem_pattern){.nvertex = fem->nvertex, .ptr = fem->ptr, .idx = fem->idx};
}

size_t icf_fem_matrix_size(const icf_fem *fem)
{
    return 9 * ((size_t)fem->nvertex + (size_t)fem->ptr[fem->nvertex]);
}

icf_lame icf_fem_lame(const icf_fem *fem)
{
    return fem->lame;
}

double icf_fem_volume(const icf_fem *fem)
{
    return fem->volume;
}

double icf_fem_mass(const icf_fem *fem)
{
    return fem->material.density * fem->volume;
}
