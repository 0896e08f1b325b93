/* A small mesh in every kind of file that is read, written by the test itself from the formats' descriptions.
 *
 * Vertices 0..4, the tetrahedra 0 1 2 3 and 4 1 3 2 on their common face, and in Gmsh files a point, a line, two
 * triangles and the two tetrahedra in named groups.
 */
#ifndef ICF_TESTS_MESH_SAMPLES_H
#define ICF_TESTS_MESH_SAMPLES_H

#include <zlib.h>

#include "io/text.h"

enum { sample_nvertex = 5, sample_ntet = 2 };

static const double sample_vertex[sample_nvertex][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 1.25, 0}, {0, 0, 0.5}, {1, 1, 1.0 / 3.0}};
static const int sample_tet[sample_ntet][4] = {{0, 1, 2, 3}, {4, 1, 3, 2}};

/* Node numbers in Gmsh files: neither ascending nor without gaps. */
static const int64_t sample_tag[sample_nvertex] = {7, 3, 100, 4, 5};

/* Elements of Gmsh files: type, dimension, entity, physical group, nodes (vertices). */
static const struct {
    int type, dimension, entity, physical, nnode;
    int node[4];
} sample_element[] = {{15, 0, 1, 9, 1, {4}},      {1, 1, 5, 1, 2, {0, 1}},       {2, 2, 2, 1, 3, {0, 2, 3}},
                      {2, 2, 2, 1, 3, {4, 2, 1}}, {4, 3, 1, 1, 4, {0, 1, 2, 3}}, {4, 3, 2, 0, 4, {4, 1, 3, 2}}};
enum { sample_nelement = 6 };

static const char sample_names[] = "$PhysicalNames\n4\n0 9 \"tip\"\n1 1 \"edge\"\n2 1 \"skin of it\"\n3 1 \"lower\"\n"
                                   "$EndPhysicalNames\n";

/* Bytes of a number, least significant first unless big. */
static inline void put_bits(icf_text *text, uint64_t bits, int bytes, bool big)
{
    for (int i = 0; i < bytes; ++i) {
        const char byte = (char)(bits >> (8 * (big ? bytes - 1 - i : i)) & 255u);
        icf_text_append(text, &byte, 1);
    }
}

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A number in a Gmsh file: as text with a blank behind it, or of some bytes. */
static inline void put_int(icf_text *text, bool binary, int bytes, int64_t value)
{
    if (binary)
        put_bits(text, (uint64_t)value, bytes, false);
    else
        icf_text_print(text, "%lld ", (long long)value);
}

static inline void put_double(icf_text *text, bool binary, double value)
{
    if (binary)
        put_bits(text, double_bits(value), 8, false);
    else
        icf_text_print(text, "%.17g ", value);
}

static inline void put_format(icf_text *text, const char *version, bool binary)
{
    icf_text_print(text, "$MeshFormat\n%s %d 8\n", version, binary);
    if (binary) put_bits(text, 1, 4, false);
    icf_text_put(text, binary ? "\n$EndMeshFormat\n" : "$EndMeshFormat\n$Comments\nany $text\n$EndComments\n");
    icf_text_put(text, sample_names);
}

static inline void put_gmsh2(icf_text *text, bool binary)
{
    put_format(text, "2.2", binary);
    icf_text_print(text, "$Nodes\n%d\n", sample_nvertex);
    for (int v = 0; v < sample_nvertex; ++v) {
        put_int(text, binary, 4, sample_tag[v]);
        for (int c = 0; c < 3; ++c) put_double(text, binary, sample_vertex[v][c]);
        if (!binary) icf_text_put(text, "\n");
    }
    icf_text_print(text, "$EndNodes\n$Elements\n%d\n", sample_nelement);
    for (int e = 0; e < sample_nelement; ++e) {
        if (!binary) put_int(text, false, 4, e + 1);
        put_int(text, binary, 4, sample_element[e].type);
        if (binary) put_int(text, true, 4, 1);
        put_int(text, binary, 4, 2);
        if (binary) put_int(text, true, 4, e + 1);
        put_int(text, binary, 4, sample_element[e].physical);
        put_int(text, binary, 4, sample_element[e].entity);
        for (int i = 0; i < sample_element[e].nnode; ++i)
            put_int(text, binary, 4, sample_tag[sample_element[e].node[i]]);
        if (!binary) icf_text_put(text, "\n");
    }
    icf_text_put(text, "$EndElements\n");
}

/* An entity of version 4.1: box (or point), physical groups, bounding entities. */
static inline void put_entity(icf_text *text, bool binary, int dimension, int tag, int physical, int nbounding)
{
    put_int(text, binary, 4, tag);
    for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) put_double(text, binary, 0.5 * i);
    put_int(text, binary, 8, physical != 0);
    if (physical != 0) put_int(text, binary, 4, physical);
    if (dimension > 0) put_int(text, binary, 8, nbounding);
    for (int i = 0; i < nbounding; ++i) put_int(text, binary, 4, i + 1);
    if (!binary) icf_text_put(text, "\n");
}

/* Nodes in two blocks: 0 and 1 on a surface with parameters, the others in a volume. */
static inline void put_node_block(icf_text *text, bool binary, int dimension, int parametric, int begin, int end)
{
    put_int(text, binary, 4, dimension);
    put_int(text, binary, 4, 2);
    put_int(text, binary, 4, parametric);
    put_int(text, binary, 8, end - begin);
    for (int v = begin; v < end; ++v) put_int(text, binary, 8, sample_tag[v]);
    for (int v = begin; v < end; ++v) {
        for (int c = 0; c < 3; ++c) put_double(text, binary, sample_vertex[v][c]);
        for (int c = 0; c < (parametric ? dimension : 0); ++c) put_double(text, binary, 0.25);
    }
    if (!binary) icf_text_put(text, "\n");
}

static inline void put_gmsh4(icf_text *text, bool binary)
{
    put_format(text, "4.1", binary);
    icf_text_put(text, "$Entities\n");
    for (int d = 0; d < 4; ++d) put_int(text, binary, 8, d == 3 ? 2 : 1);
    put_entity(text, binary, 0, 1, 9, 0);
    put_entity(text, binary, 1, 5, 1, 2);
    put_entity(text, binary, 2, 2, 1, 1);
    put_entity(text, binary, 3, 1, 1, 1);
    put_entity(text, binary, 3, 2, 0, 0);
    icf_text_put(text, "\n$EndEntities\n$Nodes\n");
    const int64_t nodes[4] = {2, sample_nvertex, 3, 100};
    for (int i = 0; i < 4; ++i) put_int(text, binary, 8, nodes[i]);
    put_node_block(text, binary, 2, 1, 0, 2);
    put_node_block(text, binary, 3, 0, 2, sample_nvertex);
    icf_text_put(text, "\n$EndNodes\n$Elements\n");
    const int64_t elements[4] = {sample_nelement, sample_nelement, 1, sample_nelement};
    for (int i = 0; i < 4; ++i) put_int(text, binary, 8, elements[i]);
    for (int e = 0; e < sample_nelement; ++e) {
        put_int(text, binary, 4, sample_element[e].dimension);
        put_int(text, binary, 4, sample_element[e].entity);
        put_int(text, binary, 4, sample_element[e].type);
        put_int(text, binary, 8, 1);
        put_int(text, binary, 8, e + 1);
        for (int i = 0; i < sample_element[e].nnode; ++i)
            put_int(text, binary, 8, sample_tag[sample_element[e].node[i]]);
    }
    icf_text_put(text, "\n$EndElements\n");
}

/* Cells of VTK files: a triangle between the two tetrahedra. */
static const int sample_cell_type[3] = {10, 5, 10};
static const int sample_cell_end[3] = {4, 7, 11};
static const int sample_connectivity[11] = {0, 1, 2, 3, 0, 1, 2, 4, 1, 3, 2};

/* Numbers of a legacy VTK file, big-endian when binary. */
static inline void put_vtk_int(icf_text *text, bool binary, int bytes, int64_t value)
{
    if (binary)
        put_bits(text, (uint64_t)value, bytes, true);
    else
        icf_text_print(text, "%lld\n", (long long)value);
}

static inline void put_vtk_points(icf_text *text, bool binary)
{
    icf_text_print(text, "POINTS %d double\n", sample_nvertex);
    for (int i = 0; i < 3 * sample_nvertex; ++i) {
        const double value = sample_vertex[i / 3][i % 3];
        if (binary)
            put_bits(text, double_bits(value), 8, true);
        else
            icf_text_print(text, "%.17g ", value);
    }
    icf_text_put(text, "\n");
}

static inline void put_vtk_cells(icf_text *text, bool binary)
{
    icf_text_put(text, "CELLS 3 14\n");
    for (int i = 0, at = 0; i < 3; ++i) {
        put_vtk_int(text, binary, 4, sample_cell_end[i] - at);
        for (; at < sample_cell_end[i]; ++at) put_vtk_int(text, binary, 4, sample_connectivity[at]);
    }
}

static inline void put_vtk_new_cells(icf_text *text, bool binary)
{
    icf_text_put(text, "CELLS 4 11\nOFFSETS vtktypeint64\n");
    for (int i = 0; i < 4; ++i) put_vtk_int(text, binary, 8, i == 0 ? 0 : sample_cell_end[i - 1]);
    icf_text_put(text, "\nCONNECTIVITY vtktypeint64\n");
    for (int i = 0; i < 11; ++i) put_vtk_int(text, binary, 8, sample_connectivity[i]);
}

static inline void put_vtk(icf_text *text, bool binary, bool new_cells)
{
    icf_text_print(text, "# vtk DataFile Version %s\na title\n%s\nDATASET UNSTRUCTURED_GRID\n",
                   new_cells ? "5.1" : "3.0", binary ? "BINARY" : "ASCII");
    if (new_cells) {
        icf_text_put(text, "FIELD FieldData 1\nTIME 1 1 float\n");
        if (binary)
            put_bits(text, 0x3f000000u, 4, true);
        else
            icf_text_put(text, "0.5");
        icf_text_put(text, "\n");
    }
    put_vtk_points(text, binary);
    if (new_cells) icf_text_put(text, "METADATA\nINFORMATION 1\nNAME L2_NORM LOCATION vtkDataArray\nDATA 2 0 1\n\n");
    (new_cells ? put_vtk_new_cells : put_vtk_cells)(text, binary);
    icf_text_put(text, "\nCELL_TYPES 3\n");
    for (int i = 0; i < 3; ++i) put_vtk_int(text, binary, 4, sample_cell_type[i]);
    icf_text_put(text, "\nCELL_DATA 3\nSCALARS any int 1\nLOOKUP_TABLE default\n");
}

/* How the arrays of a VTU file are written. */
typedef struct vtu_kind {
    const char *format; /* ascii, binary, appended */
    bool raw;           /* appended data as they are, else base64 */
    int header_bytes;   /* 4 or 8 */
    bool compressed;    /* in blocks of 32 bytes */
    bool big;           /* byte order */
    icf_text appended;  /* data so far */
} vtu_kind;

static inline void put_base64(icf_text *text, const icf_text *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->used; i += 3) {
        const size_t n = bytes->used - i < 3 ? bytes->used - i : 3;
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < n ? (unsigned char)bytes->bytes[i + k] : 0u);
        char group[4];
        for (size_t k = 0; k < 4; ++k) group[k] = k <= n ? digits[bits >> (18 - 6 * k) & 63u] : '=';
        icf_text_append(text, group, 4);
    }
}

/* Header and data of compressed bytes. */
static inline void compress_bytes(const vtu_kind *kind, const icf_text *bytes, icf_text *header, icf_text *data)
{
    enum { block = 32 };
    const size_t nblock = (bytes->used + block - 1) / block;
    put_bits(header, nblock, kind->header_bytes, kind->big);
    put_bits(header, block, kind->header_bytes, kind->big);
    put_bits(header, bytes->used % block, kind->header_bytes, kind->big);
    for (size_t at = 0; at < bytes->used; at += block) {
        unsigned char packed[200];
        uLongf n = sizeof packed;
        const size_t part = bytes->used - at < block ? bytes->used - at : block;
        assert_int_equal(compress(packed, &n, (const Bytef *)bytes->bytes + at, part), Z_OK);
        put_bits(header, n, kind->header_bytes, kind->big);
        icf_text_append(data, (const char *)packed, n);
    }
}

/* Writes an array's bytes as header and data: together, or each by itself when compressed. */
static inline void put_block(icf_text *text, const vtu_kind *kind, const icf_text *bytes, bool base64)
{
    icf_text header = {0}, data = {0};
    if (kind->compressed) {
        compress_bytes(kind, bytes, &header, &data);
    } else {
        put_bits(&header, bytes->used, kind->header_bytes, kind->big);
        icf_text_append(&header, bytes->bytes, bytes->used);
    }
    if (base64) {
        put_base64(text, &header);
        put_base64(text, &data);
    } else {
        icf_text_append(text, header.bytes, header.used);
        icf_text_append(text, data.bytes, data.used);
    }
    icf_text_clear(&header);
    icf_text_clear(&data);
}

/* An array of n numbers of 1, 4 or 8 bytes: doubles when `real`, else whole ones. */
static inline void put_vtu_array(icf_text *text, vtu_kind *kind, const char *name, const char *type, int ncomponent,
                                 int n, int width, const double *real, const int *integer)
{
    icf_text_print(text, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"%s\"", type, name,
                   ncomponent, kind->format);
    const bool appended = strcmp(kind->format, "appended") == 0;
    if (appended) icf_text_print(text, " offset=\"%zu\"/>\n", kind->appended.used);
    if (!appended) icf_text_put(text, ">\n");
    icf_text bytes = {0};
    const bool ascii = strcmp(kind->format, "ascii") == 0;
    for (int i = 0; i < n; ++i) {
        if (ascii)
            icf_text_print(text, "%.17g ", real ? real[i] : integer[i]);
        else
            put_bits(&bytes, real ? double_bits(real[i]) : (uint64_t)integer[i], width, kind->big);
    }
    if (!ascii) put_block(appended ? &kind->appended : text, kind, &bytes, !appended || !kind->raw);
    if (!appended) icf_text_put(text, "\n</DataArray>\n");
    icf_text_clear(&bytes);
}

static inline void put_vtu(icf_text *text, vtu_kind kind)
{
    icf_text_print(text,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\"",
                   kind.big ? "BigEndian" : "LittleEndian");
    if (kind.header_bytes == 8) icf_text_put(text, " header_type=\"UInt64\"");
    if (kind.compressed) icf_text_put(text, " compressor=\"vtkZLibDataCompressor\"");
    icf_text_put(text, ">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"5\" NumberOfCells=\"3\">\n<CellData>\n");
    put_vtu_array(text, &kind, "types", "Int32", 1, 3, 4, NULL, sample_cell_end);
    icf_text_put(text, "</CellData>\n<Points>\n");
    put_vtu_array(text, &kind, "Points", "Float64", 3, 15, 8, sample_vertex[0], NULL);
    icf_text_put(text, "</Points>\n<Cells>\n");
    put_vtu_array(text, &kind, "connectivity", "Int64", 1, 11, 8, NULL, sample_connectivity);
    put_vtu_array(text, &kind, "offsets", "Int32", 1, 3, 4, NULL, sample_cell_end);
    put_vtu_array(text, &kind, "types", "UInt8", 1, 3, 1, NULL, sample_cell_type);
    icf_text_put(text, "</Cells>\n</Piece>\n</UnstructuredGrid>\n");
    if (kind.appended.used > 0) {
        icf_text_print(text, "<AppendedData encoding=\"%s\">\n_", kind.raw ? "raw" : "base64");
        icf_text_append(text, kind.appended.bytes, kind.appended.used);
        icf_text_put(text, "\n</AppendedData>\n");
    }
    icf_text_put(text, "</VTKFile>\n");
    icf_text_clear(&kind.appended);
}

enum { sample_nkind = 16, sample_ngmsh = 4 };

/* The mesh in the k-th kind of file; the first ones are Gmsh's. */
static inline icf_text make_sample(int k)
{
    static const vtu_kind vtu[] = {
        {.format = "ascii", .header_bytes = 4},
        {.format = "binary", .header_bytes = 4},
        {.format = "binary", .header_bytes = 8, .big = true},
        {.format = "binary", .header_bytes = 4, .compressed = true},
        {.format = "appended", .raw = true, .header_bytes = 8},
        {.format = "appended", .header_bytes = 4},
        {.format = "appended", .raw = true, .header_bytes = 4, .compressed = true},
        {.format = "appended", .header_bytes = 8, .compressed = true},
    };
    icf_text text = {0};
    if (k < 2)
        put_gmsh2(&text, k == 1);
    else if (k < sample_ngmsh)
        put_gmsh4(&text, k == 3);
    else if (k < 8)
        put_vtk(&text, k % 2 == 1, k > 5);
    else
        put_vtu(&text, vtu[k - 8]);
    return text;
}

#endif
