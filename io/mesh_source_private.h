/* A mesh file in memory, read from its begin to its end: words, lines, numbers as text or bytes.
 *
 * Nothing is read behind the end; what does not fit is a failure that names the line (text) or byte (binary).  Counts
 * in a file are compared with what is left of it before memory is taken.
 */
#ifndef ICF_IO_MESH_SOURCE_PRIVATE_H
#define ICF_IO_MESH_SOURCE_PRIVATE_H

#include "scene/tet_mesh.h"
#include "scene/triangle_mesh.h"

/* Kinds of numbers in binary files. */
typedef enum icf_number_type {
    ICF_NUMBER_NONE,
    ICF_NUMBER_INT8,
    ICF_NUMBER_UINT8,
    ICF_NUMBER_INT16,
    ICF_NUMBER_UINT16,
    ICF_NUMBER_INT32,
    ICF_NUMBER_UINT32,
    ICF_NUMBER_INT64,
    ICF_NUMBER_UINT64,
    ICF_NUMBER_FLOAT32,
    ICF_NUMBER_FLOAT64
} icf_number_type;

/* Bytes of a number. */
size_t icf_number_bytes(icf_number_type type);
bool icf_number_is_real(icf_number_type type);

/* A number of a type at an address, as a real or whole number (unsigned ones above 2^63 - 1 as that).
 *   big_endian [in] order of its bytes */
double icf_number_real(const char *at, icf_number_type type, bool big_endian);
int64_t icf_number_integer(const char *at, icf_number_type type, bool big_endian);

typedef struct icf_mesh_source {
    icf_context *context;
    const char *path;
    const char *data; /* (n + 1) ends with a zero byte that does not count */
    size_t n;         /* bytes */
    size_t at;        /* where reading goes on, <= n */
    bool binary;      /* numbers are bytes */
    bool big_endian;  /* their order */
} icf_mesh_source;

/* Records "PATH: line L: ..." or "PATH: byte B: ..." for where reading stands; returns ICF_ERROR_SCENE. */
__attribute__((format(printf, 2, 3))) icf_status icf_mesh_fail(const icf_mesh_source *source, const char *format, ...);

/* Bytes that are left. */
size_t icf_mesh_left(const icf_mesh_source *source);

/* Reads a whole file, of up to ICF_MESH_FILE_BYTES; no device, which may have no end.
 *   data [in,out] NULL before; heap, n bytes and a zero behind them; to be freed also after a failure
 * ICF_ERROR_FILE, ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_mesh_load(icf_context *context, const char *path, char **data, size_t *n);

#define ICF_MESH_FILE_BYTES ((int64_t)1 << 34)

enum { ICF_MESH_WORD_BYTES = 64 };

/* The next word, "" at the end of the file; a longer word is cut. */
void icf_mesh_word(icf_mesh_source *source, char word[ICF_MESH_WORD_BYTES]);

/* The rest of the line without its end, cut to what fits; reading goes on with the next line. */
void icf_mesh_line(icf_mesh_source *source, size_t bytes, char *line);

/* The next number, as text or of a type.  ICF_ERROR_SCENE. */
ICF_MUST_CHECK icf_status icf_mesh_integer(icf_mesh_source *source, icf_number_type type, int64_t *value);
ICF_MUST_CHECK icf_status icf_mesh_real(icf_mesh_source *source, icf_number_type type, double *value);

/* The next number as text, also in a binary file. */
ICF_MUST_CHECK icf_status icf_mesh_text_integer(icf_mesh_source *source, int64_t *value);

/* Fails when `count` things cannot be in what is left of the file, or there are more than indices.
 *   bytes [in] the least that one takes in a text file (binary: exactly, see icf_number_bytes)
 *   what  [in] their name */
ICF_MUST_CHECK icf_status icf_mesh_check_count(const icf_mesh_source *source, int64_t count, size_t bytes,
                                               const char *what);

/* Readers of the kinds: source at the begin of the file, mesh empty. */
ICF_MUST_CHECK icf_status icf_read_gmsh(icf_mesh_source *source, icf_tet_mesh *mesh);
ICF_MUST_CHECK icf_status icf_read_vtk(icf_mesh_source *source, icf_tet_mesh *mesh);
ICF_MUST_CHECK icf_status icf_read_vtu(icf_mesh_source *source, icf_tet_mesh *mesh);
ICF_MUST_CHECK icf_status icf_read_obj(icf_mesh_source *source, icf_triangle_mesh *mesh);
ICF_MUST_CHECK icf_status icf_read_stl(icf_mesh_source *source, icf_triangle_mesh *mesh);

/* Whether a file has bytes of zero, which no text has. */
bool icf_mesh_has_zeros(const icf_mesh_source *source);

/* Whether a file looks like one of these: OBJ by its first word, if it has one, STL by its size or its first word. */
bool icf_is_obj(const icf_mesh_source *source);
bool icf_is_stl(const icf_mesh_source *source);

/* Cells of a VTK file: cell i has the vertices connectivity[offset[i] .. offset[i + 1] - 1]. */
typedef struct icf_vtk_cells {
    int64_t ncell, nconnectivity;
    int64_t *offset;       /* (ncell + 1) */
    int64_t *connectivity; /* (nconnectivity) */
    int64_t *type;         /* (ncell) VTK's number of the kind of cell */
} icf_vtk_cells;

void icf_vtk_cells_clear(icf_vtk_cells *cells);

/* Appends the tetrahedra; cells of other kinds are left out.  ICF_ERROR_SCENE: of second order, offsets that do not
 * ascend, indices out of range; ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_vtk_cells_add(const icf_vtk_cells *cells, const icf_mesh_source *source,
                                            icf_tet_mesh *mesh);

#endif
