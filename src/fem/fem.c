/* Elastic body: what mesh and material fix.
 *
 *   mesh -> pattern (fem_pattern.c) -> a part for each thread (fem_parts.c) -> its tetrahedra (fem_batches.c)
 */
#include "fem/fem.h"

#include "base/memory.h"
#include "fem/fem_private.h"

icf_status icf_fem_allocate(void **array, size_t n, size_t size)
{
    *array = n > SIZE_MAX / size ? NULL : icf_alloc(ICF_MAX(n, 1) * size);
    return *array ? ICF_OK : ICF_ERROR_MEMORY;
}

/* Volumes around each vertex, in the order of the tetrahedra. */
static icf_status build_volumes(icf_fem *fem, const icf_tet_mesh *mesh)
{
    ICF_TRY(icf_fem_allocate((void **)&fem->vertex_volume, (size_t)fem->nvertex, sizeof *fem->vertex_volume));
    for (icf_lid v = 0; v < fem->nvertex; ++v) fem->vertex_volume[v] = 0.0;
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        const double volume = icf_tet_mesh_volume(mesh, t);
        for (int i = 0; i < 4; ++i) fem->vertex_volume[mesh->tet[t][i]] += volume;
    }
    return ICF_OK;
}

static icf_status build(icf_fem *fem, const icf_tet_mesh *mesh, int nthread)
{
    ICF_TRY(icf_fem_build_pattern(fem, mesh));
    ICF_TRY(build_volumes(fem, mesh));
    ICF_TRY(icf_fem_build_parts(fem, mesh, nthread));
    for (int p = 0; p < fem->npart; ++p) ICF_TRY(icf_fem_build_batches(fem, mesh, p));
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

static void clear_part(icf_fem_part *part)
{
    icf_free(part->vertex);
    icf_free(part->tet);
    icf_free(part->batch);
    icf_free(part->state);
}

void icf_fem_destroy(icf_fem **fem)
{
    if (!*fem) return;
    for (int p = 0; p < (*fem)->npart; ++p) clear_part(&(*fem)->part[p]);
    icf_free((*fem)->part);
    icf_free((*fem)->owner);
    icf_free((*fem)->scratch);
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

double icf_fem_vertex_mass(const icf_fem *fem, icf_lid vertex)
{
    return 0.25 * fem->material.density * fem->vertex_volume[vertex];
}
