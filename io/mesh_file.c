/* Files of tetrahedral meshes: loads a file, sees its kind, reads it, scales and finalizes the mesh. */
#include "io/mesh_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/mesh_source_private.h"

/* Reads all of an open file; its size may change meanwhile. */
static icf_status load_stream(icf_context *context, const char *path, FILE *stream, char **data, size_t *n)
{
    size_t capacity = 0, got;
    *n = 0;
    do {
        ICF_TRY(ICF_GROW(*data, capacity, *n + 65536));
        got = fread(*data + *n, 1, capacity - *n - 1, stream);
        *n += got;
    } while (got > 0);
    (*data)[*n] = '\0';
    return ferror(stream) ? icf_file_fail(context, path, errno) : ICF_OK;
}

static icf_status load(icf_context *context, const char *path, char **data, size_t *n)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return icf_file_fail(context, path, errno);
    struct stat info;
    icf_status status = ICF_OK;
    if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) status = icf_file_fail(context, path, EISDIR);
    if (status == ICF_OK) status = load_stream(context, path, stream, data, n);
    fclose(stream);
    return status;
}

static bool begins_with(const icf_mesh_source *source, const char *text)
{
    const size_t length = strlen(text);
    return icf_mesh_left(source) >= length && memcmp(source->data + source->at, text, length) == 0;
}

/* Reads a file by its first characters; space and a byte-order mark may stand before them. */
static icf_status read_by_kind(icf_mesh_source *source, icf_tet_mesh *mesh)
{
    if (begins_with(source, "\xef\xbb\xbf")) source->at += 3;
    source->at += strspn(source->data + source->at, " \t\r\n");
    if (begins_with(source, "$")) return icf_read_gmsh(source, mesh);
    if (begins_with(source, "# vtk")) return icf_read_vtk(source, mesh);
    if (begins_with(source, "<")) return icf_read_vtu(source, mesh);
    return icf_fail(source->context, ICF_ERROR_SCENE,
                    "%s: this is no mesh file of a known kind (Gmsh 2.2 or 4.1, legacy VTK, VTU)", source->path);
}

static icf_status read_loaded(icf_mesh_source *source, double scale, icf_tet_mesh *mesh)
{
    ICF_TRY(read_by_kind(source, mesh));
    for (icf_lid v = 0; v < mesh->nvertex; ++v) mesh->vertex[v] = icf_scale(scale, mesh->vertex[v]);
    return icf_tet_mesh_finalize(source->context, mesh, source->path);
}

icf_status icf_read_tet_mesh(icf_context *context, const char *path, double scale, icf_tet_mesh *mesh)
{
    icf_tet_mesh_clear(mesh);
    if (!(scale > 0.0) || !isfinite(scale))
        return icf_fail(context, ICF_ERROR_SCENE, "%s: scale is %g, expected a number > 0", path, scale);
    char *data = NULL;
    size_t n = 0;
    icf_status status = load(context, path, &data, &n);
    if (status == ICF_OK) {
        icf_mesh_source source = {.context = context, .path = path, .data = data, .n = n};
        status = read_loaded(&source, scale, mesh);
    }
    icf_free(data);
    if (status == ICF_ERROR_MEMORY) status = icf_fail(context, status, "%s: out of memory", path);
    if (status != ICF_OK) icf_tet_mesh_clear(mesh);
    return status;
}
