/* Reader of legacy VTK files: unstructured grids, text and binary (big-endian), with the cells of versions up to 5.0
 * (each with its count) and of 5.1 (offsets and connectivity). */
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/mesh_source_private.h"

enum { vtk_tet = 10 };

void icf_vtk_cells_clear(icf_vtk_cells *cells)
{
    icf_free(cells->offset);
    icf_free(cells->connectivity);
    icf_free(cells->type);
    *cells = (icf_vtk_cells){0};
}

/* VTK's numbers of tetrahedra of higher order: quadratic, Lagrange and Bezier ones. */
static bool is_curved_tet(int64_t type)
{
    return type == 24 || type == 64 || type == 71 || type == 78;
}

static icf_status add_cell(const icf_vtk_cells *cells, const icf_mesh_source *source, int64_t i, icf_tet_mesh *mesh)
{
    const int64_t begin = cells->offset[i], end = cells->offset[i + 1];
    if (is_curved_tet(cells->type[i]))
        return icf_mesh_fail(source, "cell %lld (counting from 0) is a tetrahedron of higher order; save linear ones",
                             (long long)i);
    if (begin < 0 || end < begin || end > cells->nconnectivity)
        return icf_mesh_fail(source, "the offsets of cell %lld (counting from 0) are wrong", (long long)i);
    if (cells->type[i] != vtk_tet) return ICF_OK;
    if (end - begin != 4)
        return icf_mesh_fail(source, "cell %lld (counting from 0) is a tetrahedron of %lld vertices", (long long)i,
                             (long long)(end - begin));
    const int64_t *v = cells->connectivity + begin;
    for (int c = 0; c < 4; ++c)
        if (v[c] < 0 || v[c] >= mesh->nvertex)
            return icf_mesh_fail(source, "cell %lld (counting from 0) has vertex %lld; there are %d", (long long)i,
                                 (long long)v[c], mesh->nvertex);
    return icf_tet_mesh_add_tet(mesh, (icf_lid)v[0], (icf_lid)v[1], (icf_lid)v[2], (icf_lid)v[3]);
}

icf_status icf_vtk_cells_add(const icf_vtk_cells *cells, const icf_mesh_source *source, icf_tet_mesh *mesh)
{
    for (int64_t i = 0; i < cells->ncell; ++i) ICF_TRY(add_cell(cells, source, i, mesh));
    return ICF_OK;
}

/* Types as a legacy file names them. */
static icf_number_type type_of(const char *name)
{
    static const struct {
        const char *name;
        icf_number_type type;
    } types[] = {{"float", ICF_NUMBER_FLOAT32},
                 {"double", ICF_NUMBER_FLOAT64},
                 {"int", ICF_NUMBER_INT32},
                 {"unsigned_int", ICF_NUMBER_UINT32},
                 {"long", ICF_NUMBER_INT64},
                 {"unsigned_long", ICF_NUMBER_UINT64},
                 {"vtktypeint64", ICF_NUMBER_INT64},
                 {"vtktypeuint64", ICF_NUMBER_UINT64},
                 {"vtktypeint32", ICF_NUMBER_INT32},
                 {"vtktypeuint32", ICF_NUMBER_UINT32},
                 {"vtkidtype", ICF_NUMBER_INT32},
                 {"char", ICF_NUMBER_INT8},
                 {"unsigned_char", ICF_NUMBER_UINT8},
                 {"short", ICF_NUMBER_INT16},
                 {"unsigned_short", ICF_NUMBER_UINT16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strcasecmp(name, types[i].name) == 0) return types[i].type;
    return ICF_NUMBER_NONE;
}

typedef struct vtk {
    icf_mesh_source *source;
    icf_tet_mesh *mesh;
    icf_vtk_cells cells;
    bool binary;
    bool new_cells; /* version 5.1 and later: offsets and connectivity */
    bool has_points, has_cells, has_types;
} vtk;

static icf_status read_type(vtk *v, icf_number_type *type)
{
    char name[ICF_MESH_WORD_BYTES];
    icf_mesh_word(v->source, name);
    *type = type_of(name);
    if (*type != ICF_NUMBER_NONE) return ICF_OK;
    return icf_mesh_fail(v->source, "'%s' where a type of numbers is expected", name);
}

/* Goes over to the numbers behind a line of words, and checks that n of them can follow. */
static icf_status begin_numbers(vtk *v, icf_number_type type, int64_t n)
{
    char rest[ICF_MESH_WORD_BYTES];
    if (v->binary) icf_mesh_line(v->source, sizeof rest, rest);
    v->source->binary = v->binary;
    return icf_mesh_check_count(v->source, n, v->binary ? icf_number_bytes(type) : 2, "numbers");
}

static void end_numbers(vtk *v)
{
    v->source->binary = false;
}

/* An array of whole numbers, allocated. */
static icf_status read_integers(vtk *v, icf_number_type type, int64_t n, int64_t **values)
{
    ICF_TRY(begin_numbers(v, type, n));
    icf_free(*values);
    *values = icf_alloc((size_t)ICF_MAX(n, 1) * sizeof **values);
    if (!*values) return ICF_ERROR_MEMORY;
    for (int64_t i = 0; i < n; ++i) ICF_TRY(icf_mesh_integer(v->source, type, &(*values)[i]));
    end_numbers(v);
    return ICF_OK;
}

static icf_status read_points(vtk *v)
{
    int64_t n;
    icf_number_type type;
    if (v->has_points) return icf_mesh_fail(v->source, "a second list of points");
    v->has_points = true;
    ICF_TRY(icf_mesh_text_integer(v->source, &n));
    ICF_TRY(read_type(v, &type));
    ICF_TRY(icf_mesh_check_count(v->source, n, 3, "points"));
    ICF_TRY(begin_numbers(v, type, 3 * n));
    ICF_TRY(icf_tet_mesh_reserve(v->mesh, (icf_lid)n, 0));
    for (int64_t i = 0; i < n; ++i) {
        icf_vec3 x;
        ICF_TRY(icf_mesh_real(v->source, type, &x.x));
        ICF_TRY(icf_mesh_real(v->source, type, &x.y));
        ICF_TRY(icf_mesh_real(v->source, type, &x.z));
        ICF_TRY(icf_tet_mesh_add_vertex(v->mesh, x));
    }
    end_numbers(v);
    return ICF_OK;
}

/* Turns "count, vertices" cell after cell into offsets and connectivity, in place. */
static icf_status split_cells(vtk *v, int64_t n, int64_t size, int64_t *numbers)
{
    icf_vtk_cells *cells = &v->cells;
    int64_t from = 0, to = 0;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t count = from < size ? numbers[from++] : -1;
        if (count < 0 || count > size - from)
            return icf_mesh_fail(v->source, "cell %lld (counting from 0) goes beyond the list of cells", (long long)i);
        cells->offset[i] = to;
        for (int64_t c = 0; c < count; ++c) numbers[to++] = numbers[from++];
    }
    cells->offset[n] = cells->nconnectivity = to;
    cells->ncell = n;
    return ICF_OK;
}

static icf_status read_old_cells(vtk *v)
{
    int64_t n, size;
    ICF_TRY(icf_mesh_text_integer(v->source, &n));
    ICF_TRY(icf_mesh_text_integer(v->source, &size));
    ICF_TRY(read_integers(v, ICF_NUMBER_INT32, size, &v->cells.connectivity));
    if (n < 0 || n > size) return icf_mesh_fail(v->source, "%lld cells in %lld numbers", (long long)n, (long long)size);
    v->cells.offset = icf_alloc((size_t)(n + 1) * sizeof *v->cells.offset);
    return v->cells.offset ? split_cells(v, n, size, v->cells.connectivity) : ICF_ERROR_MEMORY;
}

/* A named array of a CELLS section: name, type, numbers. */
static icf_status read_cell_array(vtk *v, const char *name, int64_t n, int64_t **values)
{
    char word[ICF_MESH_WORD_BYTES];
    icf_number_type type;
    icf_mesh_word(v->source, word);
    if (strcasecmp(word, name) != 0) return icf_mesh_fail(v->source, "'%s' where %s is expected", word, name);
    ICF_TRY(read_type(v, &type));
    return read_integers(v, type, n, values);
}

static icf_status read_new_cells(vtk *v)
{
    int64_t noffset;
    ICF_TRY(icf_mesh_text_integer(v->source, &noffset));
    ICF_TRY(icf_mesh_text_integer(v->source, &v->cells.nconnectivity));
    ICF_TRY(read_cell_array(v, "OFFSETS", noffset, &v->cells.offset));
    ICF_TRY(read_cell_array(v, "CONNECTIVITY", v->cells.nconnectivity, &v->cells.connectivity));
    v->cells.ncell = ICF_MAX(noffset - 1, 0);
    return ICF_OK;
}

static icf_status read_cells(vtk *v)
{
    if (v->has_cells) return icf_mesh_fail(v->source, "a second list of cells");
    v->has_cells = true;
    return v->new_cells ? read_new_cells(v) : read_old_cells(v);
}

static icf_status read_cell_types(vtk *v)
{
    int64_t n;
    v->has_types = true;
    ICF_TRY(icf_mesh_text_integer(v->source, &n));
    if (!v->has_cells || n != v->cells.ncell)
        return icf_mesh_fail(v->source, "%lld types of %lld cells", (long long)n, (long long)v->cells.ncell);
    return read_integers(v, ICF_NUMBER_INT32, n, &v->cells.type);
}

/* Skips the arrays of a field; each has a line "name components tuples type". */
static icf_status skip_field(vtk *v)
{
    char name[ICF_MESH_WORD_BYTES];
    int64_t narray, ncomponent, ntuple;
    icf_number_type type;
    icf_mesh_word(v->source, name);
    ICF_TRY(icf_mesh_text_integer(v->source, &narray));
    for (int64_t i = 0; i < narray; ++i) {
        icf_mesh_word(v->source, name);
        ICF_TRY(icf_mesh_text_integer(v->source, &ncomponent));
        ICF_TRY(icf_mesh_text_integer(v->source, &ntuple));
        ICF_TRY(read_type(v, &type));
        ICF_TRY(icf_mesh_check_count(v->source, ncomponent, 1, "components"));
        ICF_TRY(icf_mesh_check_count(v->source, ntuple, 1, "tuples"));
        ICF_TRY(begin_numbers(v, type, ncomponent * ntuple));
        for (int64_t k = 0; k < ncomponent * ntuple; ++k) {
            double value;
            ICF_TRY(icf_mesh_real(v->source, type, &value));
        }
        end_numbers(v);
    }
    return ICF_OK;
}

/* Skips lines up to an empty one. */
static void skip_metadata(icf_mesh_source *source)
{
    char line[ICF_MESH_WORD_BYTES];
    icf_mesh_line(source, sizeof line, line);
    do icf_mesh_line(source, sizeof line, line);
    while (line[0] != '\0' && icf_mesh_left(source) > 0);
}

/* Reads what a keyword announces; data of points and cells end the mesh. */
static icf_status read_keyword(vtk *v, const char *keyword, bool *end)
{
    *end = keyword[0] == '\0' || strcasecmp(keyword, "POINT_DATA") == 0 || strcasecmp(keyword, "CELL_DATA") == 0;
    if (*end) return ICF_OK;
    if (strcasecmp(keyword, "POINTS") == 0) return read_points(v);
    if (strcasecmp(keyword, "CELLS") == 0) return read_cells(v);
    if (strcasecmp(keyword, "CELL_TYPES") == 0) return read_cell_types(v);
    if (strcasecmp(keyword, "FIELD") == 0) return skip_field(v);
    if (strcasecmp(keyword, "METADATA") != 0) return icf_mesh_fail(v->source, "'%s' is not known here", keyword);
    skip_metadata(v->source);
    return ICF_OK;
}

/* The first lines: "# vtk DataFile Version 5.1", a title, ASCII or BINARY, DATASET UNSTRUCTURED_GRID. */
static icf_status read_header(vtk *v)
{
    char line[256], word[ICF_MESH_WORD_BYTES];
    double version = 0.0;
    for (int i = 0; i < 4; ++i) icf_mesh_word(v->source, word);
    ICF_TRY(icf_mesh_real(v->source, ICF_NUMBER_FLOAT64, &version));
    if (!(version >= 1.0 && version < 6.0)) return icf_mesh_fail(v->source, "version %g is not known", version);
    v->new_cells = version > 5.05;
    icf_mesh_line(v->source, sizeof line, line);
    icf_mesh_line(v->source, sizeof line, line);
    icf_mesh_word(v->source, word);
    v->binary = strcasecmp(word, "BINARY") == 0;
    v->source->big_endian = true;
    if (!v->binary && strcasecmp(word, "ASCII") != 0)
        return icf_mesh_fail(v->source, "'%s' where ASCII or BINARY is expected", word);
    icf_mesh_word(v->source, word);
    if (strcasecmp(word, "DATASET") != 0) return icf_mesh_fail(v->source, "'%s' where DATASET is expected", word);
    icf_mesh_word(v->source, word);
    if (strcasecmp(word, "UNSTRUCTURED_GRID") == 0) return ICF_OK;
    return icf_mesh_fail(v->source, "the data set is %s, not UNSTRUCTURED_GRID", word);
}

static icf_status read_file(vtk *v)
{
    char keyword[ICF_MESH_WORD_BYTES];
    bool end = false;
    ICF_TRY(read_header(v));
    while (!end) {
        icf_mesh_word(v->source, keyword);
        ICF_TRY(read_keyword(v, keyword, &end));
    }
    if (!v->has_points || !v->has_cells || !v->has_types)
        return icf_mesh_fail(v->source, "the file ends without %s",
                             !v->has_points  ? "POINTS"
                             : !v->has_cells ? "CELLS"
                                             : "CELL_TYPES");
    return icf_vtk_cells_add(&v->cells, v->source, v->mesh);
}

icf_status icf_read_vtk(icf_mesh_source *source, icf_tet_mesh *mesh)
{
    vtk v = {.source = source, .mesh = mesh};
    const icf_status status = read_file(&v);
    icf_vtk_cells_clear(&v.cells);
    return status;
}
