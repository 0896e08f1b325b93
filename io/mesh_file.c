/* Files of meshes: loads a file, sees its kind, reads it, scales and finalizes the mesh. */
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

/* Refuses what is no file, or too large a one. */
static icf_status check_stream(icf_context *context, const char *path, FILE *stream)
{
    struct stat info;
    if (fstat(fileno(stream), &info) != 0) return icf_file_fail(context, path, errno);
    if (S_ISDIR(info.st_mode)) return icf_file_fail(context, path, EISDIR);
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
        return icf_fail(context, ICF_ERROR_FILE, "%s: is a device, expected a file", path);
    if (info.st_size > ICF_MESH_FILE_BYTES)
        return icf_fail(context, ICF_ERROR_FILE, "%s: %.3g GB, at most %.3g GB are read", path,
                        1e-9 * (double)info.st_size, 1e-9 * (double)ICF_MESH_FILE_BYTES);
    return ICF_OK;
}

icf_status icf_mesh_load(icf_context *context, const char *path, char **data, size_t *n)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return icf_file_fail(context, path, errno);
    icf_status status = check_stream(context, path, stream);
    if (status == ICF_OK) status = load_stream(context, path, stream, data, n);
    fclose(stream);
    return status;
}

static bool begins_with(const icf_mesh_source *source, const char *text)
{
    const size_t length = strlen(text);
    return icf_mesh_left(source) >= length && memcmp(source->data + source->at, text, length) == 0;
}

/* Space and a byte-order mark may stand before a text. */
static void skip_start(icf_mesh_source *source)
{
    if (begins_with(source, "\xef\xbb\xbf")) source->at += 3;
    source->at += strspn(source->data + source->at, " \t\r\n");
}

/* Reads a file by its first characters. */
static icf_status read_tets(icf_mesh_source *source, void *mesh)
{
    skip_start(source);
    if (begins_with(source, "$")) return icf_read_gmsh(source, mesh);
    if (begins_with(source, "# vtk")) return icf_read_vtk(source, mesh);
    if (begins_with(source, "<")) return icf_read_vtu(source, mesh);
    return icf_fail(source->context, ICF_ERROR_SCENE,
                    "%s: this is no mesh file of a known kind (Gmsh 2.2 or 4.1, legacy VTK, VTU)", source->path);
}

/* How files of other kinds begin that are taken for surfaces. */
static const struct {
    const char *begin, *kind;
} other_kinds[] = {{"\x89PNG", "a PNG image"},
                   {"\xff\xd8\xff", "a JPEG image"},
                   {"%PDF", "a PDF document"},
                   {"PK\x03\x04", "a ZIP archive"},
                   {"\x1f\x8b", "a gzip archive"},
                   {"\x89HDF", "an HDF5 file"},
                   {"ply", "a PLY mesh"},
                   {"OFF", "an OFF mesh"},
                   {"glTF", "a glTF model"},
                   {"ISO-10303-21", "a STEP model"},
                   {"$MeshFormat", "a Gmsh mesh"},
                   {"# vtk", "a VTK file"},
                   {"<", "an XML file (VTU, DAE, ...)"}};

/* What kind of other file it is; NULL: not known. */
static const char *find_other_kind(const icf_mesh_source *source)
{
    for (size_t i = 0; i < sizeof other_kinds / sizeof *other_kinds; ++i)
        if (begins_with(source, other_kinds[i].begin)) return other_kinds[i].kind;
    return NULL;
}

static icf_status read_triangles(icf_mesh_source *source, void *mesh)
{
    if (source->n == 0) return icf_fail(source->context, ICF_ERROR_SCENE, "%s: the file is empty", source->path);
    if (icf_is_stl(source)) return icf_read_stl(source, mesh);
    skip_start(source);
    if (!icf_mesh_has_zeros(source) && icf_is_obj(source)) return icf_read_obj(source, mesh);
    const char *kind = find_other_kind(source);
    if (!kind && (icf_is_stl(source) || icf_mesh_has_zeros(source))) return icf_read_stl(source, mesh);
    return icf_fail(source->context, ICF_ERROR_SCENE, "%s: this is %s%sno surface of a known kind (OBJ, STL)",
                    source->path, kind ? kind : "", kind ? ", " : "");
}

/* Loads a file and reads it. */
static icf_status read_file(icf_context *context, const char *path, double scale,
                            icf_status (*read)(icf_mesh_source *source, void *mesh), void *mesh)
{
    if (!(scale > 0.0) || !isfinite(scale))
        return icf_fail(context, ICF_ERROR_SCENE, "%s: scale is %g, expected a number > 0", path, scale);
    char *data = NULL;
    size_t n = 0;
    icf_status status = icf_mesh_load(context, path, &data, &n);
    if (status == ICF_OK) {
        icf_mesh_source source = {.context = context, .path = path, .data = data, .n = n};
        status = read(&source, mesh);
    }
    icf_free(data);
    return status;
}

static void scale_vertices(icf_lid n, double scale, icf_vec3 *vertex)
{
    for (icf_lid v = 0; v < n; ++v) vertex[v] = icf_scale(scale, vertex[v]);
}

static icf_status out_of_memory(icf_context *context, const char *path, icf_status status)
{
    return status == ICF_ERROR_MEMORY ? icf_fail(context, status, "%s: out of memory", path) : status;
}

icf_status icf_read_tet_mesh(icf_context *context, const char *path, double scale, icf_tet_mesh *mesh)
{
    icf_tet_mesh_clear(mesh);
    icf_status status = read_file(context, path, scale, read_tets, mesh);
    if (status == ICF_OK) {
        scale_vertices(mesh->nvertex, scale, mesh->vertex);
        status = icf_tet_mesh_finalize(context, mesh, path);
    }
    if (status != ICF_OK) icf_tet_mesh_clear(mesh);
    return out_of_memory(context, path, status);
}

icf_status icf_read_triangle_mesh(icf_context *context, const char *path, double scale, icf_triangle_mesh *mesh)
{
    icf_triangle_mesh_clear(mesh);
    icf_status status = read_file(context, path, scale, read_triangles, mesh);
    if (status == ICF_OK) {
        scale_vertices(mesh->nvertex, scale, mesh->vertex);
        status = icf_triangle_mesh_finalize(context, mesh, path);
    }
    if (status != ICF_OK) icf_triangle_mesh_clear(mesh);
    return out_of_memory(context, path, status);
}
