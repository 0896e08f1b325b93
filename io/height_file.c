/* Files of height fields: tables as text, PGM images (plain and raw, up to 16 bits), datasets of HDF5. */
#include "io/height_file.h"

#include <ctype.h>
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/mesh_source_private.h"
#include "scene/rigid_surface.h"

/* Most heights of a field: two rows, with two triangles a cell. */
enum { heights_max = ICF_SURFACE_TRIANGLES + 2 };

typedef struct heights {
    icf_lid n[2];
    double *value;
    size_t nvalue, capacity;
} heights;

/* A field has cells, and not more than a surface has triangles. */
static icf_status check_size(icf_context *context, const char *path, icf_cnt nx, icf_cnt ny)
{
    if (nx < 2 || ny < 2)
        return icf_fail(context, ICF_ERROR_SCENE, "%s: %" PRId64 " x %" PRId64 " heights, expected 2 x 2 or more", path,
                        nx, ny);
    if (nx - 1 > ICF_SURFACE_TRIANGLES / 2 / (ny - 1))
        return icf_fail(context, ICF_ERROR_SCENE, "%s: %" PRId64 " x %" PRId64 " heights make more than %d triangles",
                        path, nx, ny, (int)ICF_SURFACE_TRIANGLES);
    return ICF_OK;
}

static icf_status add_value(const icf_mesh_source *source, double value, heights *field)
{
    if (!isfinite(value)) return icf_mesh_fail(source, "a height is %g", value);
    if (field->nvalue == heights_max) return icf_mesh_fail(source, "more than %d heights", (int)heights_max);
    ICF_TRY(ICF_GROW(field->value, field->capacity, field->nvalue + 1));
    field->value[field->nvalue++] = value;
    return ICF_OK;
}

/* ---- text ---- */

/* Skips blanks; whether a number is left on the line. */
static bool more_on_line(icf_mesh_source *source)
{
    while (source->at < source->n && strchr(" \t\r", source->data[source->at]) && source->data[source->at] != '\0')
        ++source->at;
    return source->at < source->n && source->data[source->at] != '\n' && source->data[source->at] != '#';
}

/* Commas count as spaces: the numbers of mesh files stand between spaces. */
static void clear_commas(char *data, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (data[i] == ',' || data[i] == ';') data[i] = ' ';
}

static icf_status read_row(icf_mesh_source *source, heights *field)
{
    const size_t before = field->nvalue;
    while (more_on_line(source)) {
        double value;
        ICF_TRY(icf_mesh_real(source, ICF_NUMBER_NONE, &value));
        ICF_TRY(add_value(source, value, field));
    }
    const icf_lid n = (icf_lid)(field->nvalue - before);
    if (n > 0 && field->n[1] > 0 && n != field->n[0])
        return icf_mesh_fail(source, "a row of %d heights, the first row has %d", n, field->n[0]);
    if (n > 0) {
        field->n[0] = n;
        ++field->n[1];
    }
    char rest[2];
    icf_mesh_line(source, sizeof rest, rest);
    return ICF_OK;
}

static icf_status read_table(icf_mesh_source *source, heights *field)
{
    while (source->at < source->n) ICF_TRY(read_row(source, field));
    return check_size(source->context, source->path, field->n[0], field->n[1]);
}

/* ---- images ---- */

/* A number of the header; comments run from # to the end of the line. */
static icf_status header_number(icf_mesh_source *source, int64_t least, int64_t most, const char *what, int64_t *value)
{
    char line[2];
    for (;;) {
        while (source->at < source->n && isspace((unsigned char)source->data[source->at])) ++source->at;
        if (source->at >= source->n || source->data[source->at] != '#') break;
        icf_mesh_line(source, sizeof line, line);
    }
    ICF_TRY(icf_mesh_text_integer(source, value));
    if (*value >= least && *value <= most) return ICF_OK;
    return icf_mesh_fail(source, "the image's %s is %lld", what, (long long)*value);
}

static icf_status read_pixel(icf_mesh_source *source, int64_t most, heights *field)
{
    int64_t value;
    ICF_TRY(icf_mesh_integer(source, most > 255 ? ICF_NUMBER_UINT16 : ICF_NUMBER_UINT8, &value));
    if (value < 0 || value > most)
        return icf_mesh_fail(source, "a pixel is %lld, at most %lld", (long long)value, (long long)most);
    return add_value(source, (double)value, field);
}

/* Rows from the last to the first. */
static void turn_over(heights *field)
{
    const size_t nx = (size_t)field->n[0], ny = (size_t)field->n[1];
    for (size_t j = 0; j < ny / 2; ++j)
        for (size_t i = 0; i < nx; ++i) {
            double *a = &field->value[j * nx + i], *b = &field->value[(ny - 1 - j) * nx + i];
            const double kept = *a;
            *a = *b;
            *b = kept;
        }
}

/* Behind "P2" or "P5". */
static icf_status read_image(icf_mesh_source *source, bool is_raw, heights *field)
{
    int64_t width, height, most;
    source->at += 2;
    ICF_TRY(header_number(source, 1, INT32_MAX, "width", &width));
    ICF_TRY(header_number(source, 1, INT32_MAX, "height", &height));
    ICF_TRY(header_number(source, 1, 65535, "largest grey", &most));
    ICF_TRY(check_size(source->context, source->path, width, height));
    ICF_TRY(icf_mesh_check_count(source, width * height, is_raw ? (most > 255 ? 2 : 1) : 2, "pixels"));
    if (is_raw) {
        ++source->at; // one space ends the header
        source->binary = source->big_endian = true;
    }
    for (int64_t i = 0; i < width * height; ++i) ICF_TRY(read_pixel(source, most, field));
    field->n[0] = (icf_lid)width;
    field->n[1] = (icf_lid)height;
    turn_over(field);
    return ICF_OK;
}

static bool is_image(const icf_mesh_source *source, char kind)
{
    return source->n > 2 && source->data[0] == 'P' && source->data[1] == kind &&
           isspace((unsigned char)source->data[2]);
}

static icf_status read_loaded(icf_context *context, const char *path, char *data, size_t n, heights *field)
{
    icf_mesh_source source = {.context = context, .path = path, .data = data, .n = n};
    if (is_image(&source, '2') || is_image(&source, '5')) return read_image(&source, data[1] == '5', field);
    if (memchr(data, '\0', n))
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: this is no height field of a known kind (table of numbers, PGM; HDF5 needs a dataset)",
                        path);
    clear_commas(data, n);
    return read_table(&source, field);
}

static icf_status read_file(icf_context *context, const char *path, heights *field)
{
    char *data = NULL;
    size_t n = 0;
    icf_status status = icf_mesh_load(context, path, &data, &n);
    if (status == ICF_OK) status = read_loaded(context, path, data, n, field);
    icf_free(data);
    return status;
}

/* ---- HDF5 ---- */

static icf_status read_values(icf_context *context, const char *path, const char *dataset, hid_t set, heights *field)
{
    const hid_t space = H5Dget_space(set);
    hsize_t size[2] = {0, 0};
    const bool is_table = H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) == 2;
    H5Sclose(space);
    if (!is_table) return icf_fail(context, ICF_ERROR_SCENE, "%s: %s is no array of two dimensions", path, dataset);
    ICF_TRY(check_size(context, path, (icf_cnt)size[1], (icf_cnt)size[0]));
    field->n[0] = (icf_lid)size[1];
    field->n[1] = (icf_lid)size[0];
    field->nvalue = (size_t)(size[0] * size[1]);
    ICF_TRY(ICF_GROW(field->value, field->capacity, field->nvalue));
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field->value) < 0)
        return icf_fail(context, ICF_ERROR_SCENE, "%s: %s cannot be read as numbers", path, dataset);
    for (size_t i = 0; i < field->nvalue; ++i)
        if (!isfinite(field->value[i]))
            return icf_fail(context, ICF_ERROR_SCENE, "%s: %s[%zu, %zu] is %g", path, dataset, i / (size_t)size[1],
                            i % (size_t)size[1], field->value[i]);
    return ICF_OK;
}

static icf_status read_opened(icf_context *context, const char *path, const char *dataset, hid_t file, heights *field)
{
    const hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
    if (set < 0) return icf_fail(context, ICF_ERROR_SCENE, "%s: there is no dataset %s", path, dataset);
    const icf_status status = read_values(context, path, dataset, set, field);
    H5Dclose(set);
    return status;
}

/* By one rank alone, without MPI. */
static icf_status read_dataset(icf_context *context, const char *path, const char *dataset, heights *field)
{
    H5E_auto2_t printer;
    void *user;
    H5Eget_auto2(H5E_DEFAULT, &printer, &user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    icf_status status = file >= 0 ? read_opened(context, path, dataset, file, field)
                                  : icf_fail(context, ICF_ERROR_FILE, "%s: is missing or no HDF5 file", path);
    if (file >= 0) H5Fclose(file);
    H5Eset_auto2(H5E_DEFAULT, printer, user);
    return status;
}

/* ---- all of them ---- */

icf_status icf_read_heights(icf_context *context, const char *path, const char *dataset, icf_lid n[2], double **value)
{
    heights field = {0};
    *value = NULL;
    icf_status status = dataset ? read_dataset(context, path, dataset, &field) : read_file(context, path, &field);
    if (status == ICF_ERROR_MEMORY) status = icf_fail(context, status, "%s: out of memory", path);
    if (status != ICF_OK) {
        icf_free(field.value);
        return status;
    }
    memcpy(n, field.n, sizeof field.n);
    *value = field.value;
    return ICF_OK;
}
