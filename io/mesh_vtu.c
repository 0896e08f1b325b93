/* Reader of VTU files: VTK's unstructured grids in XML.
 *
 * Expat says where the arrays of points and cells lie in the file; their numbers are then taken from there: as text, as
 * base64, or from the appended data (raw or base64), which follow an underscore and are no XML.  Bytes of an array
 * begin with a header: their number, or with zlib the number of blocks, the size of a block and of the last one
 * before compression (0: it is full), and the compressed size of each block.
 */
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "io/mesh_source_private.h"

enum { zlib_ratio = 1040 }; /* zlib shrinks by no more than 1032 */

typedef enum vtu_format { format_ascii, format_binary, format_appended } vtu_format;

enum { array_points, array_connectivity, array_offsets, array_types, array_count };

static const char *const array_names[array_count] = {"Points", "connectivity", "offsets", "types"};

/* Where an array is and how it is written. */
typedef struct vtu_array {
    bool present;
    icf_number_type type;
    vtu_format format;
    size_t begin, end; /* its text between the tags, in the file */
    int64_t offset;    /* in the appended data */
    int64_t ncomponent;
} vtu_array;

typedef struct vtu {
    icf_mesh_source *source;
    icf_tet_mesh *mesh;
    XML_Parser parser;
    icf_status status; /* of what the parser calls */
    icf_number_type header_type;
    bool compressed;
    bool has_root, has_piece;
    bool in_points, in_cells;
    int64_t npoint, ncell;
    vtu_array array[array_count];
    vtu_array *open; /* the array whose tag is open, or NULL */
    bool has_appended, appended_base64;
    size_t appended; /* where the appended data begin */
    icf_vtk_cells cells;
} vtu;

/* --- the XML --- */

/* Fails at the parser's place and stops it. */
__attribute__((format(printf, 2, 3))) static void stop_parser(vtu *v, const char *format, ...)
{
    if (v->status != ICF_OK) return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    v->source->at = (size_t)XML_GetCurrentByteIndex(v->parser);
    v->status = icf_mesh_fail(v->source, "%s", text);
    XML_StopParser(v->parser, XML_FALSE);
}

/* Value of an attribute, NULL when it is not there. */
static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

/* A whole number >= 0 of an attribute. */
static void read_count(vtu *v, const char **attributes, const char *name, int64_t *value)
{
    const char *text = attribute(attributes, name);
    char *end = NULL;
    *value = text ? strtoll(text, &end, 10) : -1;
    if (!text || end == text || *end != '\0' || *value < 0)
        stop_parser(v, "the attribute %s is missing or no number", name);
}

static icf_number_type type_of(const char *name)
{
    static const struct {
        const char *name;
        icf_number_type type;
    } types[] = {{"Int8", ICF_NUMBER_INT8},      {"UInt8", ICF_NUMBER_UINT8},   {"Int16", ICF_NUMBER_INT16},
                 {"UInt16", ICF_NUMBER_UINT16},  {"Int32", ICF_NUMBER_INT32},   {"UInt32", ICF_NUMBER_UINT32},
                 {"Int64", ICF_NUMBER_INT64},    {"UInt64", ICF_NUMBER_UINT64}, {"Float32", ICF_NUMBER_FLOAT32},
                 {"Float64", ICF_NUMBER_FLOAT64}};
    for (size_t i = 0; name && i < sizeof types / sizeof *types; ++i)
        if (strcmp(name, types[i].name) == 0) return types[i].type;
    return ICF_NUMBER_NONE;
}

static void start_root(vtu *v, const char *name, const char **attributes)
{
    const char *type = attribute(attributes, "type"), *order = attribute(attributes, "byte_order");
    const char *header = attribute(attributes, "header_type"), *compressor = attribute(attributes, "compressor");
    v->has_root = true;
    if (strcmp(name, "VTKFile") != 0) stop_parser(v, "'%s' is no VTK file", name);
    if (!type || strcmp(type, "UnstructuredGrid") != 0)
        stop_parser(v, "the file is of type %s, not UnstructuredGrid", type ? type : "(none)");
    v->source->big_endian = order && strcmp(order, "BigEndian") == 0;
    v->header_type = header ? type_of(header) : ICF_NUMBER_UINT32;
    if (v->header_type != ICF_NUMBER_UINT32 && v->header_type != ICF_NUMBER_UINT64)
        stop_parser(v, "header_type %s is not known", header);
    v->compressed = compressor != NULL;
    if (compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        stop_parser(v, "compressed with %s: only zlib is read", compressor);
}

static void start_piece(vtu *v, const char **attributes)
{
    if (v->has_piece) stop_parser(v, "the file has several pieces; save it as one");
    v->has_piece = true;
    read_count(v, attributes, "NumberOfPoints", &v->npoint);
    read_count(v, attributes, "NumberOfCells", &v->ncell);
    if (v->npoint > INT32_MAX || v->ncell > INT32_MAX) stop_parser(v, "the mesh is too large");
}

/* Which of the arrays we read begins here; NULL for any other. */
static vtu_array *find_array(vtu *v, const char **attributes)
{
    const char *name = attribute(attributes, "Name");
    if (v->in_points) return &v->array[array_points];
    for (int i = array_connectivity; v->in_cells && name && i < array_count; ++i)
        if (strcmp(name, array_names[i]) == 0) return &v->array[i];
    return NULL;
}

static void start_array(vtu *v, const char **attributes)
{
    vtu_array *array = find_array(v, attributes);
    if (!array) return;
    const char *type = attribute(attributes, "type"), *format = attribute(attributes, "format");
    if (array->present) stop_parser(v, "there are two arrays %s", array_names[array - v->array]);
    *array = (vtu_array){.present = true, .type = type_of(type), .ncomponent = 1};
    if (array->type == ICF_NUMBER_NONE) stop_parser(v, "the type '%s' of numbers is not known", type ? type : "");
    if (attribute(attributes, "NumberOfComponents"))
        read_count(v, attributes, "NumberOfComponents", &array->ncomponent);
    if (format && strcmp(format, "binary") == 0) array->format = format_binary;
    if (format && strcmp(format, "appended") == 0) {
        array->format = format_appended;
        read_count(v, attributes, "offset", &array->offset);
    }
    array->begin = (size_t)(XML_GetCurrentByteIndex(v->parser) + XML_GetCurrentByteCount(v->parser));
    array->end = array->begin;
    v->open = array;
}

/* The data behind this tag are no XML: parsing ends here. */
static void start_appended(vtu *v, const char **attributes)
{
    const char *encoding = attribute(attributes, "encoding");
    v->appended_base64 = encoding && strcmp(encoding, "base64") == 0;
    if (!v->appended_base64 && !(encoding && strcmp(encoding, "raw") == 0))
        stop_parser(v, "the encoding '%s' of appended data is not known", encoding ? encoding : "");
    size_t at = (size_t)(XML_GetCurrentByteIndex(v->parser) + XML_GetCurrentByteCount(v->parser));
    at += strspn(v->source->data + at, " \t\r\n");
    if (v->source->data[at] != '_') stop_parser(v, "the underscore before the appended data is missing");
    v->appended = at + 1;
    v->has_appended = true;
    if (v->status == ICF_OK) XML_StopParser(v->parser, XML_FALSE);
}

static void XMLCALL start_element(void *user, const char *name, const char **attributes)
{
    vtu *v = user;
    if (v->status != ICF_OK || v->has_appended) return;
    if (!v->has_root)
        start_root(v, name, attributes);
    else if (strcmp(name, "Piece") == 0)
        start_piece(v, attributes);
    else if (strcmp(name, "Points") == 0)
        v->in_points = true;
    else if (strcmp(name, "Cells") == 0)
        v->in_cells = true;
    else if (strcmp(name, "DataArray") == 0)
        start_array(v, attributes);
    else if (strcmp(name, "AppendedData") == 0)
        start_appended(v, attributes);
}

static void XMLCALL end_element(void *user, const char *name)
{
    vtu *v = user;
    if (strcmp(name, "Points") == 0) v->in_points = false;
    if (strcmp(name, "Cells") == 0) v->in_cells = false;
    if (strcmp(name, "DataArray") != 0 || !v->open) return;
    v->open->end = ICF_MAX(v->open->begin, (size_t)XML_GetCurrentByteIndex(v->parser));
    v->open = NULL;
}

/* Parses the file in pieces that the parser's lengths can say. */
static icf_status parse(vtu *v)
{
    enum { piece = 1 << 28 };
    const icf_mesh_source *source = v->source;
    enum XML_Status result = XML_STATUS_OK;
    for (size_t at = 0; result == XML_STATUS_OK && at < source->n;) {
        const size_t n = ICF_MIN(source->n - at, (size_t)piece);
        result = XML_Parse(v->parser, source->data + at, (int)n, at + n == source->n);
        at += n;
    }
    if (result == XML_STATUS_OK || v->status != ICF_OK || v->has_appended) return v->status;
    if (XML_GetErrorCode(v->parser) == XML_ERROR_NO_MEMORY) return ICF_ERROR_MEMORY;
    v->source->at = ICF_MIN((size_t)XML_GetCurrentByteIndex(v->parser), source->n);
    return icf_mesh_fail(source, "XML: %s", XML_ErrorString(XML_GetErrorCode(v->parser)));
}

/* --- bytes of an array --- */

/* Bytes of a part of the file, from base64 or as they are; source->at is where it goes on. */
typedef struct byte_stream {
    icf_mesh_source *source; /* its end is the part's end */
    bool base64;
    unsigned char rest[3]; /* decoded and not yet taken */
    size_t nrest;
} byte_stream;

/* Most bytes that the stream can still give. */
static size_t bytes_left(const byte_stream *stream)
{
    const size_t left = icf_mesh_left(stream->source);
    return stream->base64 ? left / 4 * 3 + 3 + stream->nrest : left;
}

/* Six bits of a character; 64 for padding, -1 for none. */
static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? 64 : -1;
}

static icf_status fail_short(const byte_stream *stream)
{
    return icf_mesh_fail(stream->source, "the data of an array end too early");
}

/* Decodes the next four characters; padding may stand between two encodings. */
static icf_status decode_group(byte_stream *stream)
{
    icf_mesh_source *source = stream->source;
    uint32_t bits = 0, npad = 0;
    for (int i = 0; i < 4; ++i) {
        while (source->at < source->n && strchr(" \t\r\n", source->data[source->at])) ++source->at;
        if (source->at == source->n) return fail_short(stream);
        const int digit = base64_digit(source->data[source->at]);
        if (digit < 0 || (digit == 64 && i < 2) || (digit < 64 && npad > 0))
            return icf_mesh_fail(source, "the base64 text is damaged");
        npad += digit == 64;
        bits = bits << 6 | (uint32_t)(digit & 63);
        ++source->at;
    }
    for (int i = 0; i < 3; ++i) stream->rest[i] = (unsigned char)(bits >> (16 - 8 * i));
    stream->nrest = 3 - npad;
    return ICF_OK;
}

static icf_status read_base64(byte_stream *stream, size_t n, char *bytes)
{
    while (n > 0) {
        if (stream->nrest == 0) ICF_TRY(decode_group(stream));
        const size_t taken = ICF_MIN(n, stream->nrest);
        memcpy(bytes, stream->rest, taken);
        memmove(stream->rest, stream->rest + taken, stream->nrest - taken);
        stream->nrest -= taken;
        bytes += taken;
        n -= taken;
    }
    return ICF_OK;
}

static icf_status read_bytes(byte_stream *stream, size_t n, char *bytes)
{
    if (n > bytes_left(stream)) return fail_short(stream);
    if (stream->base64) return read_base64(stream, n, bytes);
    memcpy(bytes, stream->source->data + stream->source->at, n);
    stream->source->at += n;
    return ICF_OK;
}

/* One number of an array's header. */
static icf_status read_header(const vtu *v, byte_stream *stream, uint64_t *value)
{
    char bytes[8];
    ICF_TRY(read_bytes(stream, icf_number_bytes(v->header_type), bytes));
    *value = (uint64_t)icf_number_integer(bytes, v->header_type, v->source->big_endian);
    return ICF_OK;
}

static icf_status fail_size(const byte_stream *stream, uint64_t found, size_t expected)
{
    return icf_mesh_fail(stream->source, "an array has %llu bytes, expected %zu", (unsigned long long)found, expected);
}

/* Expands one block, of c bytes in the file, to n bytes. */
static icf_status expand_block(byte_stream *stream, size_t c, char *packed, size_t n, char *bytes)
{
    ICF_TRY(read_bytes(stream, c, packed));
    uLongf length = n;
    if (uncompress((Bytef *)bytes, &length, (const Bytef *)packed, c) == Z_OK && length == n) return ICF_OK;
    return icf_mesh_fail(stream->source, "a compressed block is damaged");
}

/* Expands all blocks; `size` holds their compressed sizes. */
static icf_status expand_blocks(byte_stream *stream, size_t nblock, const uint64_t *size, size_t block_bytes, size_t n,
                                char *bytes)
{
    size_t largest = 1;
    for (size_t i = 0; i < nblock; ++i) {
        if (size[i] > bytes_left(stream)) return fail_short(stream);
        largest = ICF_MAX(largest, (size_t)size[i]);
    }
    char *packed = icf_alloc(largest);
    icf_status status = packed ? ICF_OK : ICF_ERROR_MEMORY;
    for (size_t i = 0, at = 0; i < nblock && status == ICF_OK; ++i) {
        const size_t part = ICF_MIN(block_bytes, n - at);
        status = expand_block(stream, (size_t)size[i], packed, part, bytes + at);
        at += part;
    }
    icf_free(packed);
    return status;
}

/* Reads the header of compressed bytes: sizes is allocated. */
static icf_status read_block_sizes(const vtu *v, byte_stream *stream, size_t expected, uint64_t *nblock,
                                   uint64_t *block_bytes, uint64_t **sizes)
{
    uint64_t last;
    ICF_TRY(read_header(v, stream, nblock));
    ICF_TRY(read_header(v, stream, block_bytes));
    ICF_TRY(read_header(v, stream, &last));
    if (*nblock > bytes_left(stream) || last > *block_bytes)
        return icf_mesh_fail(stream->source, "the header of an array is damaged");
    const uint64_t missing = *nblock > 0 && last > 0 ? *block_bytes - last : 0;
    if (*nblock > 0 && *block_bytes > UINT64_MAX / *nblock) return fail_size(stream, UINT64_MAX, expected);
    if (*nblock * *block_bytes - missing != expected)
        return fail_size(stream, *nblock * *block_bytes - missing, expected);
    *sizes = icf_alloc((size_t)ICF_MAX(*nblock, 1) * sizeof **sizes);
    if (!*sizes) return ICF_ERROR_MEMORY;
    for (uint64_t i = 0; i < *nblock; ++i) ICF_TRY(read_header(v, stream, &(*sizes)[i]));
    return ICF_OK;
}

/* Compressed bytes; bytes is allocated. */
static icf_status read_compressed(const vtu *v, byte_stream *stream, size_t expected, char **bytes)
{
    uint64_t nblock = 0, block_bytes = 0, *sizes = NULL;
    icf_status status = read_block_sizes(v, stream, expected, &nblock, &block_bytes, &sizes);
    if (status == ICF_OK && expected / zlib_ratio > bytes_left(stream)) status = fail_short(stream);
    if (status == ICF_OK && !(*bytes = icf_alloc(ICF_MAX(expected, 1)))) status = ICF_ERROR_MEMORY;
    if (status == ICF_OK) status = expand_blocks(stream, (size_t)nblock, sizes, (size_t)block_bytes, expected, *bytes);
    icf_free(sizes);
    return status;
}

/* Bytes as they are; bytes is allocated. */
static icf_status read_plain(const vtu *v, byte_stream *stream, size_t expected, char **bytes)
{
    uint64_t n;
    ICF_TRY(read_header(v, stream, &n));
    if (n != expected) return fail_size(stream, n, expected);
    if (n > bytes_left(stream)) return fail_short(stream);
    *bytes = icf_alloc(ICF_MAX(expected, 1));
    return *bytes ? read_bytes(stream, expected, *bytes) : ICF_ERROR_MEMORY;
}

/* The part of the file where an array's bytes are. */
static icf_status locate(const vtu *v, const vtu_array *array, icf_mesh_source *part)
{
    *part = *v->source;
    part->at = array->begin;
    part->n = array->end;
    if (array->format != format_appended) return ICF_OK;
    if (!v->has_appended || (uint64_t)array->offset > v->source->n - v->appended)
        return icf_mesh_fail(part, "an array is beyond the appended data");
    part->n = v->source->n;
    part->at = v->appended + (size_t)array->offset;
    part->binary = !v->appended_base64;
    return ICF_OK;
}

/* --- numbers of an array --- */

/* A number put at place i. */
typedef struct number_sink {
    double *real; /* or */
    int64_t *integer;
} number_sink;

static icf_status read_text(icf_mesh_source *part, int64_t n, const number_sink *sink)
{
    ICF_TRY(icf_mesh_check_count(part, n, 2, "numbers"));
    for (int64_t i = 0; i < n; ++i) {
        if (sink->real)
            ICF_TRY(icf_mesh_real(part, ICF_NUMBER_FLOAT64, &sink->real[i]));
        else
            ICF_TRY(icf_mesh_integer(part, ICF_NUMBER_INT64, &sink->integer[i]));
    }
    return ICF_OK;
}

static icf_status read_binary(const vtu *v, const vtu_array *array, icf_mesh_source *part, int64_t n,
                              const number_sink *sink)
{
    const size_t width = icf_number_bytes(array->type);
    byte_stream stream = {.source = part, .base64 = array->format == format_binary || v->appended_base64};
    char *bytes = NULL;
    icf_status status = v->compressed ? read_compressed(v, &stream, (size_t)n * width, &bytes)
                                      : read_plain(v, &stream, (size_t)n * width, &bytes);
    for (int64_t i = 0; i < n && status == ICF_OK; ++i) {
        const char *at = bytes + (size_t)i * width;
        if (sink->real)
            sink->real[i] = icf_number_real(at, array->type, part->big_endian);
        else
            sink->integer[i] = icf_number_integer(at, array->type, part->big_endian);
    }
    icf_free(bytes);
    return status;
}

/* Reads n numbers of an array, after a check that they can be there. */
static icf_status read_array(const vtu *v, int which, int64_t n, number_sink *sink)
{
    const vtu_array *array = &v->array[which];
    icf_mesh_source part;
    ICF_TRY(locate(v, array, &part));
    if (!sink->real && icf_number_is_real(array->type))
        return icf_mesh_fail(&part, "the array %s has numbers that are not whole", array_names[which]);
    return array->format == format_ascii ? read_text(&part, n, sink) : read_binary(v, array, &part, n, sink);
}

/* Fails when n numbers cannot be in the file, before memory is taken for them. */
static icf_status check_array(const vtu *v, int which, int64_t n)
{
    const uint64_t most_per_byte = v->compressed ? zlib_ratio : 1; /* numbers of one byte each */
    if (!v->array[which].present) return icf_mesh_fail(v->source, "the array %s is missing", array_names[which]);
    if (n >= 0 && (uint64_t)n / most_per_byte <= v->source->n && n <= INT64_MAX / 16) return ICF_OK;
    return icf_mesh_fail(v->source, "%lld numbers of %s cannot be in the file", (long long)n, array_names[which]);
}

static icf_status read_integers(const vtu *v, int which, int64_t n, int64_t *values)
{
    return read_array(v, which, n, &(number_sink){.integer = values});
}

static icf_status allocate_integers(const vtu *v, int which, int64_t n, int64_t **values)
{
    ICF_TRY(check_array(v, which, n));
    *values = icf_alloc((size_t)ICF_MAX(n, 1) * sizeof **values);
    return *values ? ICF_OK : ICF_ERROR_MEMORY;
}

static icf_status read_points(vtu *v)
{
    ICF_TRY(check_array(v, array_points, 3 * v->npoint));
    if (v->array[array_points].ncomponent != 3)
        return icf_mesh_fail(v->source, "points have %lld components, expected 3",
                             (long long)v->array[array_points].ncomponent);
    ICF_TRY(icf_tet_mesh_reserve(v->mesh, (icf_lid)v->npoint, 0));
    if (v->npoint == 0) return ICF_OK;
    v->mesh->nvertex = (icf_lid)v->npoint;
    return read_array(v, array_points, 3 * v->npoint, &(number_sink){.real = &v->mesh->vertex[0].x});
}

/* VTU's offsets are the ends of the cells. */
static icf_status read_cells(vtu *v)
{
    icf_vtk_cells *cells = &v->cells;
    cells->ncell = v->ncell;
    ICF_TRY(allocate_integers(v, array_offsets, v->ncell + 1, &cells->offset));
    ICF_TRY(allocate_integers(v, array_types, v->ncell, &cells->type));
    cells->offset[0] = 0;
    ICF_TRY(read_integers(v, array_offsets, v->ncell, cells->offset + 1));
    ICF_TRY(read_integers(v, array_types, v->ncell, cells->type));
    cells->nconnectivity = cells->offset[v->ncell];
    ICF_TRY(allocate_integers(v, array_connectivity, cells->nconnectivity, &cells->connectivity));
    ICF_TRY(read_integers(v, array_connectivity, cells->nconnectivity, cells->connectivity));
    return icf_vtk_cells_add(cells, v->source, v->mesh);
}

static icf_status read_file(vtu *v)
{
    ICF_TRY(parse(v));
    if (!v->has_piece) return icf_mesh_fail(v->source, "the file has no piece of a mesh");
    v->source->at = v->source->n;
    ICF_TRY(read_points(v));
    return read_cells(v);
}

icf_status icf_read_vtu(icf_mesh_source *source, icf_tet_mesh *mesh)
{
    vtu v = {.source = source, .mesh = mesh, .parser = XML_ParserCreate(NULL)};
    if (!v.parser) return ICF_ERROR_MEMORY;
    XML_SetUserData(v.parser, &v);
    XML_SetElementHandler(v.parser, start_element, end_element);
    const icf_status status = read_file(&v);
    XML_ParserFree(v.parser);
    icf_vtk_cells_clear(&v.cells);
    return status;
}
