/* Reader of Wavefront OBJ files: vertices and faces; texture, normals, groups, materials, lines and points are ignored.
 *
 * Faces of more than three corners are cut into triangles by ears: a corner is cut off when it points outward, seen
 * along the polygon's mean normal, and no other corner lies in its triangle.  Of a convex face every corner is an ear,
 * and the triangles share its first corner.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/mesh_source_private.h"

/* What is read and has no meaning here. */
static const char *const ignored_words[] = {
    "vt", "vn",  "vp",    "g",        "o",        "s",      "usemtl", "mtllib",     "l",         "p",
    "mg", "lod", "bevel", "c_interp", "d_interp", "usemap", "maplib", "shadow_obj", "trace_obj", NULL};

/* Corners of the face at hand. */
typedef struct face {
    icf_lid n;
    icf_lid *corner; /* (n) vertices that are left */
    size_t capacity;
} face;

static bool is_known(const char *word, const char *const *words)
{
    for (; *words; ++words)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static bool at_end(const icf_mesh_source *source)
{
    return source->at >= source->n;
}

/* Skips blanks and lines that go on behind a backslash, also one that ends the file; whether something is left on the
 * line. */
static bool more_on_line(icf_mesh_source *source)
{
    for (; !at_end(source); ++source->at) {
        const char *c = source->data + source->at;
        const bool is_last = source->at + 1 == source->n;
        if (*c == '\\' && (is_last || c[1] == '\n' || (c[1] == '\r' && c[2] == '\n')))
            source->at += is_last ? 0 : c[1] == '\n' ? 1 : 2;
        else if (*c == '\n' || *c == '#' || !isspace((unsigned char)*c))
            break;
    }
    return !at_end(source) && source->data[source->at] != '\n' && source->data[source->at] != '#';
}

static void skip_line(icf_mesh_source *source)
{
    char end[2];
    while (more_on_line(source)) ++source->at;
    icf_mesh_line(source, sizeof end, end);
}

/* ---- vertices ---- */

static icf_status read_vertex(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    icf_vec3 x = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        double value;
        const bool more = more_on_line(source);
        if (!more && at_end(source)) return icf_mesh_fail(source, "the file ends inside a vertex");
        if (!more) return icf_mesh_fail(source, "a vertex has %d coordinates, expected 3", k);
        ICF_TRY(icf_mesh_real(source, ICF_NUMBER_NONE, &value));
        icf_set(&x, k, value);
    }
    if (!icf_is_finite(x)) return icf_mesh_fail(source, "a vertex is at (%g, %g, %g)", x.x, x.y, x.z);
    return icf_triangle_mesh_add_vertex(mesh, x);
}

/* ---- faces ---- */

/* The vertex of a corner "v", "v/t", "v//n" or "v/t/n": from 1 on, or from -1 on backwards. */
static icf_status read_corner(icf_mesh_source *source, icf_lid nvertex, icf_lid *vertex)
{
    char word[ICF_MESH_WORD_BYTES], *end;
    icf_mesh_word(source, word);
    const long long number = strtoll(word, &end, 10);
    if (end == word || (*end != '\0' && *end != '/') || end[strspn(end, "/-0123456789")] != '\0')
        return icf_mesh_fail(source, "'%s' where a corner of a face is expected", word);
    if (number == 0) return icf_mesh_fail(source, "a face has vertex 0; they count from 1, or backwards from -1");
    if (number > nvertex || number < -(long long)nvertex)
        return icf_mesh_fail(source, "a face has vertex %.*s; %d vertices stand before it", (int)(end - word), word,
                             nvertex);
    *vertex = (icf_lid)(number > 0 ? number - 1 : nvertex + number);
    return ICF_OK;
}

static icf_status read_corners(icf_mesh_source *source, icf_lid nvertex, face *polygon)
{
    polygon->n = 0;
    while (more_on_line(source)) {
        ICF_TRY(ICF_GROW(polygon->corner, polygon->capacity, (size_t)polygon->n + 1));
        ICF_TRY(read_corner(source, nvertex, &polygon->corner[polygon->n++]));
    }
    if (polygon->n >= 3) return ICF_OK;
    if (at_end(source)) return icf_mesh_fail(source, "the file ends inside a face");
    return icf_mesh_fail(source, "a face has %d corner%s, expected 3 or more", polygon->n, polygon->n == 1 ? "" : "s");
}

/* Sum of the cross products of the sides: twice the area, along the mean normal. */
static icf_vec3 mean_normal(const face *polygon, const icf_vec3 *vertex)
{
    const icf_vec3 origin = vertex[polygon->corner[0]];
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid k = 1; k + 1 < polygon->n; ++k)
        sum = icf_add(sum, icf_cross(icf_sub(vertex[polygon->corner[k]], origin),
                                     icf_sub(vertex[polygon->corner[k + 1]], origin)));
    return sum;
}

/* How far x is to the left of the side from p to q, seen against the normal. */
static double left_of(icf_vec3 p, icf_vec3 q, icf_vec3 x, icf_vec3 normal)
{
    return icf_dot(icf_cross(icf_sub(q, p), icf_sub(x, p)), normal);
}

static bool is_ear(const face *polygon, const icf_vec3 *vertex, icf_vec3 normal, icf_lid k)
{
    const icf_lid n = polygon->n, before = polygon->corner[(k + n - 1) % n], at = polygon->corner[k],
                  after = polygon->corner[(k + 1) % n];
    const icf_vec3 a = vertex[before], b = vertex[at], c = vertex[after];
    if (!(left_of(a, b, c, normal) > 0.0)) return false;
    for (icf_lid i = 0; i < n; ++i) {
        const icf_lid v = polygon->corner[i];
        if (v == before || v == at || v == after) continue;
        const icf_vec3 x = vertex[v];
        if (left_of(a, b, x, normal) >= 0.0 && left_of(b, c, x, normal) >= 0.0 && left_of(c, a, x, normal) >= 0.0)
            return false;
    }
    return true;
}

/* The corner to cut off: the first ear behind the first corner; where round-off or a twisted face leaves none, the
 * second corner. */
static icf_lid choose_ear(const face *polygon, const icf_vec3 *vertex, icf_vec3 normal)
{
    for (icf_lid k = 1; k < polygon->n; ++k)
        if (is_ear(polygon, vertex, normal, k)) return k;
    return 1;
}

static icf_status add_polygon(face *polygon, icf_triangle_mesh *mesh)
{
    const icf_vec3 normal = mean_normal(polygon, mesh->vertex);
    while (polygon->n > 3) {
        const icf_lid k = choose_ear(polygon, mesh->vertex, normal), *corner = polygon->corner;
        ICF_TRY(icf_triangle_mesh_add(mesh, corner[k - 1], corner[k], corner[(k + 1) % polygon->n]));
        --polygon->n;
        memmove(&polygon->corner[k], &polygon->corner[k + 1], (size_t)(polygon->n - k) * sizeof *corner);
    }
    return icf_triangle_mesh_add(mesh, polygon->corner[0], polygon->corner[1], polygon->corner[2]);
}

/* ---- lines ---- */

static icf_status read_statement(icf_mesh_source *source, face *polygon, icf_triangle_mesh *mesh)
{
    const size_t begin = source->at;
    char word[ICF_MESH_WORD_BYTES];
    icf_mesh_word(source, word);
    if (strcmp(word, "v") == 0) return read_vertex(source, mesh);
    if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0) {
        ICF_TRY(read_corners(source, mesh->nvertex, polygon));
        return add_polygon(polygon, mesh);
    }
    if (is_known(word, ignored_words)) return ICF_OK;
    source->at = begin;
    return icf_mesh_fail(source, "'%s' is no word of a polygon mesh in OBJ", word);
}

static icf_status read_lines(icf_mesh_source *source, face *polygon, icf_triangle_mesh *mesh)
{
    while (!at_end(source)) {
        if (more_on_line(source)) ICF_TRY(read_statement(source, polygon, mesh));
        skip_line(source);
    }
    return ICF_OK;
}

bool icf_is_obj(const icf_mesh_source *source)
{
    icf_mesh_source peek = *source;
    while (!at_end(&peek) && !more_on_line(&peek)) skip_line(&peek);
    char word[ICF_MESH_WORD_BYTES];
    icf_mesh_word(&peek, word);
    return word[0] == '\0' || strcmp(word, "v") == 0 || strcmp(word, "f") == 0 || is_known(word, ignored_words);
}

icf_status icf_read_obj(icf_mesh_source *source, icf_triangle_mesh *mesh)
{
    face polygon = {0};
    const icf_status status = read_lines(source, &polygon, mesh);
    icf_free(polygon.corner);
    return status;
}
