/* Tetrahedral meshes as bytes: counts, then arrays, then each group with its name. */
#include "partition/mesh_message.h"

#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

static icf_status write_count(icf_bytes *bytes, icf_lid n)
{
    return icf_bytes_write(bytes, &n, sizeof n);
}

static icf_status write_group(icf_bytes *bytes, const icf_mesh_group *group)
{
    ICF_TRY(icf_bytes_write(bytes, group->name, strlen(group->name) + 1));
    ICF_TRY(write_count(bytes, group->nvertex));
    ICF_TRY(write_count(bytes, group->ntriangle));
    ICF_TRY(icf_bytes_write(bytes, group->vertex, (size_t)group->nvertex * sizeof *group->vertex));
    return icf_bytes_write(bytes, group->triangle, (size_t)group->ntriangle * sizeof *group->triangle);
}

static icf_status write_mesh(icf_bytes *bytes, const icf_tet_mesh *mesh)
{
    const icf_lid counts[4] = {mesh->nvertex, mesh->ntet, mesh->ngroup, mesh->nreoriented};
    ICF_TRY(icf_bytes_write(bytes, counts, sizeof counts));
    ICF_TRY(icf_bytes_write(bytes, mesh->vertex, (size_t)mesh->nvertex * sizeof *mesh->vertex));
    ICF_TRY(icf_bytes_write(bytes, mesh->tet, (size_t)mesh->ntet * sizeof *mesh->tet));
    for (icf_lid g = 0; g < mesh->ngroup; ++g) ICF_TRY(write_group(bytes, &mesh->group[g]));
    return ICF_OK;
}

/* Copies the next n bytes. */
static icf_status read_array(icf_bytes *bytes, size_t n, void *array)
{
    const void *from = icf_bytes_read(bytes, n);
    if (!from) return ICF_ERROR_INTERNAL;
    if (n > 0) memcpy(array, from, n);
    return ICF_OK;
}

static icf_status read_group(icf_bytes *bytes, icf_tet_mesh *mesh)
{
    icf_lid index, counts[2];
    const char *name = bytes->data + bytes->at;
    if (!icf_bytes_read(bytes, strnlen(name, bytes->n - bytes->at) + 1)) return ICF_ERROR_INTERNAL;
    ICF_TRY(icf_tet_mesh_add_group(mesh, name, &index));
    icf_mesh_group *group = &mesh->group[index];
    ICF_TRY(read_array(bytes, sizeof counts, counts));
    ICF_TRY(ICF_GROW(group->vertex, group->vertex_capacity, counts[0]));
    ICF_TRY(ICF_GROW(group->triangle, group->triangle_capacity, counts[1]));
    group->nvertex = counts[0];
    group->ntriangle = counts[1];
    ICF_TRY(read_array(bytes, (size_t)counts[0] * sizeof *group->vertex, group->vertex));
    return read_array(bytes, (size_t)counts[1] * sizeof *group->triangle, group->triangle);
}

static icf_status read_mesh(icf_bytes *bytes, icf_tet_mesh *mesh)
{
    icf_lid counts[4];
    icf_tet_mesh_clear(mesh);
    ICF_TRY(read_array(bytes, sizeof counts, counts));
    ICF_TRY(icf_tet_mesh_reserve(mesh, counts[0], counts[1]));
    mesh->nvertex = counts[0];
    mesh->ntet = counts[1];
    mesh->nreoriented = counts[3];
    ICF_TRY(read_array(bytes, (size_t)mesh->nvertex * sizeof *mesh->vertex, mesh->vertex));
    ICF_TRY(read_array(bytes, (size_t)mesh->ntet * sizeof *mesh->tet, mesh->tet));
    for (icf_lid g = 0; g < counts[2]; ++g) ICF_TRY(read_group(bytes, mesh));
    return ICF_OK;
}

/* Packs on the root, sends, unpacks elsewhere. */
static icf_status exchange_mesh(icf_context *context, icf_bytes *bytes, icf_tet_mesh *mesh, int root)
{
    const bool is_root = context->rank == root;
    ICF_TRY(icf_agree(context, is_root ? write_mesh(bytes, mesh) : ICF_OK));
    ICF_TRY(icf_bytes_broadcast(bytes, context, root));
    return icf_agree(context, is_root ? ICF_OK : read_mesh(bytes, mesh));
}

icf_status icf_tet_mesh_broadcast(icf_context *context, icf_tet_mesh *mesh, int root)
{
    icf_bytes bytes;
    icf_bytes_init(&bytes);
    const icf_status status = exchange_mesh(context, &bytes, mesh, root);
    icf_bytes_clear(&bytes);
    if (status != ICF_OK && context->rank != root) icf_tet_mesh_clear(mesh);
    return status;
}
