/* Reader of STL files, text and binary: facets of three corners each; normals, names and attributes are ignored.
 *
 * Both kinds may begin with "solid": a file is binary when its size is that of its count of facets, and text when what
 * follows the name is a facet or the end.  Of other files only binary ones have bytes of zero.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "io/mesh_source_private.h"

enum { header_bytes = 80, count_bytes = 4, facet_bytes = 50, normal_bytes = 12, attribute_bytes = 2 };

/* ---- what all facets share ---- */

static icf_status add_corner(const icf_mesh_source *source, icf_vec3 x, icf_triangle_mesh *mesh)
{
    if (!icf_is_finite(x))
        return icf_mesh_fail(source, "a corner of facet %d (counting from 0) is at (%g, %g, %g)", mesh->ntriangle, x.x,
                             x.y, x.z);
    return icf_triangle_mesh_add_vertex(mesh, x);
}

static icf_status read_corner(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    icf_vec3 x;
    ICF_TRY(icf_mesh_real(source, ICF_NUMBER_FLOAT32, &x.x));
    ICF_TRY(icf_mesh_real(source, ICF_NUMBER_FLOAT32, &x.y));
    ICF_TRY(icf_mesh_real(source, ICF_NUMBER_FLOAT32, &x.z));
    return add_corner(source, x, mesh);
}

/* The triangle of the last three corners. */
static icf_status close_facet(icf_triangle_mesh *mesh)
{
    const icf_lid n = mesh->nvertex;
    return icf_triangle_mesh_add(mesh, n - 3, n - 2, n - 1);
}

/* ---- binary ---- */

static uint64_t binary_count(const icf_mesh_source *source)
{
    return (uint64_t)icf_number_integer(source->data + header_bytes, ICF_NUMBER_UINT32, false);
}

static icf_status read_binary(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    source->binary = true;
    source->at = ICF_MIN(source->n, (size_t)header_bytes);
    if (icf_mesh_left(source) < count_bytes)
        return icf_mesh_fail(source, "the file ends inside the header of a binary STL file, or is no STL file");
    int64_t count;
    ICF_TRY(icf_mesh_integer(source, ICF_NUMBER_UINT32, &count));
    if (count > ICF_MAX_TRIANGLES || (uint64_t)count * facet_bytes > icf_mesh_left(source))
        return icf_mesh_fail(
            source, "%lld facets cannot be in the %zu bytes that follow: the file is cut off, or is no STL file",
            (long long)count, icf_mesh_left(source));
    if (count == 0 && icf_mesh_left(source) > 0)
        return icf_mesh_fail(source, "0 facets, but %zu bytes follow: this is no STL file", icf_mesh_left(source));
    ICF_TRY(icf_triangle_mesh_reserve(mesh, (icf_lid)(3 * count), (icf_lid)count));
    for (int64_t i = 0; i < count; ++i) {
        source->at += normal_bytes;
        for (int k = 0; k < 3; ++k) ICF_TRY(read_corner(source, mesh));
        source->at += attribute_bytes;
        ICF_TRY(close_facet(mesh));
    }
    return ICF_OK;
}

/* ---- text ---- */

static icf_status expect(icf_mesh_source *source, const char *expected)
{
    char word[ICF_MESH_WORD_BYTES];
    icf_mesh_word(source, word);
    if (strcasecmp(word, expected) == 0) return ICF_OK;
    if (word[0] == '\0') return icf_mesh_fail(source, "the file ends where '%s' is expected", expected);
    return icf_mesh_fail(source, "'%s' where '%s' is expected", word, expected);
}

/* Behind the word "facet". */
static icf_status read_facet(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    double ignored;
    ICF_TRY(expect(source, "normal"));
    for (int k = 0; k < 3; ++k) ICF_TRY(icf_mesh_real(source, ICF_NUMBER_NONE, &ignored));
    ICF_TRY(expect(source, "outer"));
    ICF_TRY(expect(source, "loop"));
    for (int k = 0; k < 3; ++k) {
        ICF_TRY(expect(source, "vertex"));
        ICF_TRY(read_corner(source, mesh));
    }
    ICF_TRY(expect(source, "endloop"));
    ICF_TRY(expect(source, "endfacet"));
    return close_facet(mesh);
}

static bool next_is(const icf_mesh_source *source, const char *word)
{
    icf_mesh_source peek = *source;
    char next[ICF_MESH_WORD_BYTES];
    icf_mesh_word(&peek, next);
    return strcasecmp(next, word) == 0;
}

/* Facets up to "endsolid", whose line is skipped. */
static icf_status read_solid(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    char line[ICF_MESH_WORD_BYTES];
    icf_mesh_line(source, sizeof line, line);
    while (!next_is(source, "endsolid")) {
        ICF_TRY(expect(source, "facet"));
        ICF_TRY(read_facet(source, mesh));
    }
    ICF_TRY(expect(source, "endsolid"));
    icf_mesh_line(source, sizeof line, line);
    return ICF_OK;
}

/* A file may hold several solids: one mesh. */
static icf_status read_text(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    do {
        ICF_TRY(expect(source, "solid"));
        ICF_TRY(read_solid(source, mesh));
    } while (next_is(source, "solid"));
    return ICF_OK;
}

/* ---- which one ---- */

static bool is_text(const icf_mesh_source *source)
{
    if (!next_is(source, "solid")) return false;
    icf_mesh_source peek = *source;
    char line[ICF_MESH_WORD_BYTES];
    icf_mesh_line(&peek, sizeof line, line);
    return next_is(&peek, "facet") || next_is(&peek, "endsolid");
}

static bool is_binary_of_its_size(const icf_mesh_source *source)
{
    return source->n >= header_bytes + count_bytes &&
           source->n == header_bytes + count_bytes + binary_count(source) * facet_bytes;
}

bool icf_is_stl(const icf_mesh_source *source)
{
    return is_binary_of_its_size(source) || next_is(source, "solid");
}

icf_status icf_read_stl(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    const bool binary = is_binary_of_its_size(source) || (!is_text(source) && icf_mesh_has_zeros(source));
    return binary ? read_binary(source, mesh) : read_text(source, mesh);
}
