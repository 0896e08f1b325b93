/* HDF5 files in rows, and the translation of HDF5's errors. */
#include "io/h5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

icf_rows icf_rows_place(const icf_context *context, hsize_t n)
{
    unsigned long long mine = n, first = 0, total = n;
    if (context->size > 1) {
        MPI_Exscan(&mine, &first, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, context->comm);
        MPI_Allreduce(&mine, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, context->comm);
    }
    /* the scan leaves rank 0 undefined */
    return (icf_rows){.n = n, .first = context->rank == 0 ? 0 : first, .total = total};
}

/* What is kept of HDF5's error stack: its innermost entry and the system's reason, if an entry has one. */
typedef struct error_text {
    char innermost[256], reason[128];
} error_text;

static herr_t collect_error(unsigned n, const H5E_error2_t *entry, void *user)
{
    static const char mark[] = "error message = '";
    error_text *text = user;
    if (!entry->desc) return 0;
    if (n == 0) snprintf(text->innermost, sizeof text->innermost, "%s", entry->desc);
    const char *begin = strstr(entry->desc, mark);
    if (!begin) return 0;
    begin += sizeof mark - 1;
    const size_t length = strcspn(begin, "'");
    snprintf(text->reason, sizeof text->reason, "%.*s", (int)length, begin);
    return 0;
}

/* Remembers the first failure with HDF5's reason. */
static void fail(icf_h5 *h5, const char *what)
{
    h5->broken = h5->writable;
    if (h5->status != ICF_OK) return;
    error_text text = {.innermost = "unknown reason"};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_error, &text);
    if (text.reason[0])
        h5->status = icf_fail(h5->context, ICF_ERROR_FILE, "%s: %s", h5->path, text.reason);
    else
        h5->status = icf_fail(h5->context, ICF_ERROR_FILE, "%s: %s: %s", h5->path, what, text.innermost);
}

/* Passes an id or result through, remembering a failure. */
static hid_t check(icf_h5 *h5, hid_t result, const char *what)
{
    if (result < 0) fail(h5, what);
    return result;
}

/* A metadata cache that does not grow with the number of frames. */
static void limit_cache(hid_t access)
{
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    H5Pget_mdc_config(access, &cache);
    cache.set_initial_size = true;
    cache.initial_size = cache.max_size = 2 << 20;
    cache.min_size = 1 << 20;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(access, &cache);
}

/* Access properties: the driver, formats that every reader knows, no locks (a viewer may look on). */
static hid_t access_properties(const icf_context *context)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    limit_cache(access);
    /* large blocks leave fewer gaps, whose list would grow with the number of frames */
    H5Pset_meta_block_size(access, 1 << 14);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);
#endif
    if (context->size > 1) H5Pset_fapl_mpio(access, context->comm, MPI_INFO_NULL);
    return access;
}

static void create_properties(icf_h5 *h5)
{
    enum { link_count = 16, name_length = 16 };
    h5->creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(h5->creation, H5D_FILL_TIME_NEVER);
    /* tracking selects the newer kind of group, whose links stand in its header */
    h5->group = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(h5->group, H5P_CRT_ORDER_TRACKED);
    H5Pset_link_phase_change(h5->group, 4 * link_count, 2 * link_count);
    H5Pset_est_link_info(h5->group, link_count, name_length);
}

/* Starts an object for a path; false when out of memory. */
static bool prepare(icf_context *context, const char *path, icf_h5 *h5)
{
    *h5 = ICF_H5_CLOSED;
    h5->context = context;
    h5->path = icf_path_print("%s", path);
    H5open();
    /* failures are reported once, by us */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    create_properties(h5);
    return h5->path != NULL;
}

/* Ranks agree on the outcome of opening; after a failure nothing is left. */
static icf_status finish_opening(icf_h5 *h5)
{
    icf_status status = icf_h5_check(h5);
    if (status != ICF_OK && icf_h5_close(h5) != ICF_OK) status = ICF_ERROR_FILE;
    return status;
}

/* Lets rank 0 ask the system for a file first, because its reasons are clearer than HDF5's. */
static icf_status probe(icf_context *context, const char *path, int flags)
{
    icf_status status = ICF_OK;
    if (context->rank == 0) {
        struct stat info;
        const int fd = open(path, flags | O_CLOEXEC, 0666);
        if (fd < 0)
            status = icf_file_fail(context, path, errno);
        else if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
            status = icf_file_fail(context, path, EISDIR);
        if (fd >= 0) close(fd);
    }
    return icf_agree(context, status);
}

/* Creation properties of a file whose root group holds nlink links in one node and one block of names. */
static hid_t file_properties(icf_cnt nlink)
{
    enum { least_links = 16, most_links = 1024, name_bytes = 32 };
    const icf_cnt n = ICF_MIN(ICF_MAX(nlink + least_links, least_links), most_links);
    const hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    /* a node has room for twice the number given */
    H5Pset_sym_k(properties, 0, (unsigned)(n + 1) / 2);
    H5Pset_local_heap_size_hint(properties, (size_t)n * name_bytes);
    return properties;
}

icf_status icf_h5_create(icf_context *context, const char *path, icf_cnt nlink, icf_h5 *h5)
{
    *h5 = ICF_H5_CLOSED;
    ICF_TRY(probe(context, path, O_WRONLY | O_CREAT));
    if (!prepare(context, path, h5)) h5->status = icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    h5->writable = true;
    const hid_t access = access_properties(context);
    const hid_t properties = file_properties(nlink);
    h5->file = check(h5, H5Fcreate(path, H5F_ACC_TRUNC, properties, access), "cannot create it");
    H5Pclose(properties);
    H5Pclose(access);
    return finish_opening(h5);
}

icf_status icf_h5_open(icf_context *context, const char *path, bool writable, icf_h5 *h5)
{
    *h5 = ICF_H5_CLOSED;
    ICF_TRY(probe(context, path, writable ? O_RDWR : O_RDONLY));
    if (!prepare(context, path, h5)) h5->status = icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    h5->writable = writable;
    const hid_t access = access_properties(context);
    const unsigned flags = writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
    h5->file = check(h5, H5Fopen(path, flags, access), "not an HDF5 file, or damaged");
    H5Pclose(access);
    return finish_opening(h5);
}

icf_status icf_h5_check(icf_h5 *h5)
{
    const icf_status status = icf_agree(h5->context, h5->status);
    h5->status = ICF_OK;
    /* a failure on one rank is one of the file */
    h5->broken = h5->broken || (status != ICF_OK && h5->writable);
    return status;
}

icf_status icf_h5_flush(icf_h5 *h5)
{
    check(h5, H5Fflush(h5->file, H5F_SCOPE_GLOBAL), "cannot write it");
    return icf_h5_check(h5);
}

/* Points HDF5's descriptor at an anonymous file, so that closing succeeds without touching the disk. */
static void cut_off(const icf_h5 *h5)
{
    int *descriptor = NULL;
    if (H5Fget_vfd_handle(h5->file, H5P_DEFAULT, (void **)&descriptor) < 0) return;
    const int anonymous = memfd_create("icf", MFD_CLOEXEC);
    if (anonymous < 0) return;
    dup2(anonymous, *descriptor);
    close(anonymous);
}

/* Closes the file.  A broken one that several ranks share stays open: inside HDF5 the rank that could not write would
 * leave, and the others wait for it (icf_session_end knows of such files). */
static icf_status close_file(icf_h5 *h5)
{
    if (h5->file < 0) return ICF_OK;
    /* a failure must be known, on all ranks, before the file is closed */
    icf_status status = ICF_OK;
    if (h5->writable && !h5->broken) status = icf_h5_flush(h5);
    if (h5->broken && h5->context->size > 1) return status;
    if (h5->broken) cut_off(h5);
    check(h5, H5Fclose(h5->file), "cannot close it");
    return status;
}

icf_status icf_h5_close(icf_h5 *h5)
{
    if (!h5->context) return ICF_OK;
    const icf_status flushed = close_file(h5);
    if (h5->creation >= 0) H5Pclose(h5->creation);
    if (h5->group >= 0) H5Pclose(h5->group);
    const icf_status closed = icf_h5_check(h5);
    icf_free(h5->path);
    *h5 = ICF_H5_CLOSED;
    return flushed != ICF_OK ? flushed : closed;
}

hid_t icf_h5_group_create(icf_h5 *h5, hid_t parent, const char *name)
{
    return check(h5, H5Gcreate2(parent, name, H5P_DEFAULT, h5->group, H5P_DEFAULT), name);
}

hid_t icf_h5_group_create_hidden(icf_h5 *h5)
{
    return check(h5, H5Gcreate_anon(h5->file, h5->group, H5P_DEFAULT), "cannot create a group");
}

void icf_h5_group_link(icf_h5 *h5, hid_t group, const char *name)
{
    check(h5, H5Olink(group, h5->file, name, H5P_DEFAULT, H5P_DEFAULT), name);
}

hid_t icf_h5_group_open(icf_h5 *h5, hid_t parent, const char *name)
{
    return check(h5, H5Gopen2(parent, name, H5P_DEFAULT), name);
}

void icf_h5_group_close(icf_h5 *h5, hid_t group)
{
    if (group >= 0) check(h5, H5Gclose(group), "cannot close a group");
}

bool icf_h5_has(icf_h5 *h5, hid_t group, const char *name)
{
    return check(h5, H5Lexists(group, name, H5P_DEFAULT), name) > 0;
}

/* A process that was killed while it linked an object may have written the link and not the object's count of links. */
static void count_link(icf_h5 *h5, hid_t group, const char *name)
{
    H5O_info_t info = {0};
    const hid_t object = check(h5, H5Oopen(group, name, H5P_DEFAULT), name);
    if (object < 0) return;
    check(h5, H5Oget_info2(object, &info, H5O_INFO_BASIC), name);
    if (info.rc == 0) check(h5, H5Oincr_refcount(object), name);
    H5Oclose(object);
}

void icf_h5_delete(icf_h5 *h5, hid_t group, const char *name)
{
    count_link(h5, group, name);
    check(h5, H5Ldelete(group, name, H5P_DEFAULT), name);
}

/* Moves n rows from `first` on between memory and a dataset. */
static void transfer(icf_h5 *h5, hid_t dataset, hid_t type, hsize_t first, hsize_t n, int columns, const void *out,
                     void *in)
{
    if (n == 0 || dataset < 0) return;
    const hid_t file_space = H5Dget_space(dataset);
    const int rank = columns > 1 ? 2 : 1;
    const hsize_t start[2] = {first, 0}, count[2] = {n, (hsize_t)columns};
    const hid_t memory_space = H5Screate_simple(rank, count, NULL);
    check(h5, H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL), "wrong rows");
    if (out)
        check(h5, H5Dwrite(dataset, type, memory_space, file_space, H5P_DEFAULT, out), "cannot write a dataset");
    else
        check(h5, H5Dread(dataset, type, memory_space, file_space, H5P_DEFAULT, in), "cannot read a dataset");
    H5Sclose(memory_space);
    H5Sclose(file_space);
}

void icf_h5_write(icf_h5 *h5, hid_t group, const char *name, hid_t type, icf_rows rows, int columns, const void *data)
{
    const hsize_t dims[2] = {rows.total, (hsize_t)columns};
    const hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, dims, NULL);
    const hid_t dataset = check(h5, H5Dcreate2(group, name, type, space, H5P_DEFAULT, h5->creation, H5P_DEFAULT), name);
    transfer(h5, dataset, type, rows.first, rows.n, columns, data, NULL);
    if (dataset >= 0) check(h5, H5Dclose(dataset), name);
    H5Sclose(space);
}

hsize_t icf_h5_rows(icf_h5 *h5, hid_t group, const char *name, int columns)
{
    hsize_t dims[2] = {0, 1};
    const hid_t dataset = check(h5, H5Dopen2(group, name, H5P_DEFAULT), name);
    if (dataset < 0) return 0;
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_ndims(space), wanted = columns > 1 ? 2 : 1;
    if (rank == wanted) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    H5Dclose(dataset);
    if ((rank != wanted || dims[1] != (hsize_t)columns) && h5->status == ICF_OK)
        h5->status =
            icf_fail(h5->context, ICF_ERROR_FILE, "%s: dataset %s does not have %d columns", h5->path, name, columns);
    return dims[0];
}

void icf_h5_read(icf_h5 *h5, hid_t group, const char *name, hid_t type, hsize_t first, hsize_t n, int columns,
                 void *data)
{
    const hid_t dataset = check(h5, H5Dopen2(group, name, H5P_DEFAULT), name);
    transfer(h5, dataset, type, first, n, columns, NULL, data);
    if (dataset >= 0) H5Dclose(dataset);
}

static void put_attribute(icf_h5 *h5, hid_t group, const char *name, hid_t type, const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = check(h5, H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT), name);
    if (attribute >= 0) {
        check(h5, H5Awrite(attribute, type, value), name);
        H5Aclose(attribute);
    }
    H5Sclose(space);
}

static void get_attribute(icf_h5 *h5, hid_t group, const char *name, hid_t type, void *value)
{
    const hid_t attribute = check(h5, H5Aopen(group, name, H5P_DEFAULT), name);
    if (attribute < 0) return;
    check(h5, H5Aread(attribute, type, value), name);
    H5Aclose(attribute);
}

void icf_h5_put_count(icf_h5 *h5, hid_t group, const char *name, icf_cnt value)
{
    put_attribute(h5, group, name, H5T_NATIVE_INT64, &value);
}

void icf_h5_put_number(icf_h5 *h5, hid_t group, const char *name, double value)
{
    put_attribute(h5, group, name, H5T_NATIVE_DOUBLE, &value);
}

/* Type of a zero-terminated text of a size. */
static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

void icf_h5_put_text(icf_h5 *h5, hid_t group, const char *name, const char *value)
{
    const hid_t type = text_type(strlen(value) + 1);
    put_attribute(h5, group, name, type, value);
    H5Tclose(type);
}

icf_cnt icf_h5_get_count(icf_h5 *h5, hid_t group, const char *name)
{
    icf_cnt value = 0;
    get_attribute(h5, group, name, H5T_NATIVE_INT64, &value);
    return value;
}

double icf_h5_get_number(icf_h5 *h5, hid_t group, const char *name)
{
    double value = 0.0;
    get_attribute(h5, group, name, H5T_NATIVE_DOUBLE, &value);
    return value;
}

void icf_h5_get_text(icf_h5 *h5, hid_t group, const char *name, char *value, size_t size)
{
    value[0] = '\0';
    const hid_t type = text_type(size);
    get_attribute(h5, group, name, type, value);
    H5Tclose(type);
    value[size - 1] = '\0';
}

void icf_h5_put_kind(icf_h5 *h5, const char *kind, icf_cnt version)
{
    icf_h5_put_text(h5, h5->file, "kind", kind);
    icf_h5_put_count(h5, h5->file, "version", version);
}

void icf_h5_get_kind(icf_h5 *h5, char *kind, size_t size, icf_cnt *version)
{
    kind[0] = '\0';
    *version = 0;
    if (H5Aexists(h5->file, "kind") <= 0 || H5Aexists(h5->file, "version") <= 0) return;
    icf_h5_get_text(h5, h5->file, "kind", kind, size);
    *version = icf_h5_get_count(h5, h5->file, "version");
}

icf_status icf_h5_require_kind(icf_h5 *h5, const char *kind, icf_cnt version)
{
    char found_kind[32];
    icf_cnt found;
    icf_h5_get_kind(h5, found_kind, sizeof found_kind, &found);
    ICF_TRY(icf_h5_check(h5));
    if (strcmp(found_kind, kind) != 0)
        return icf_fail(h5->context, ICF_ERROR_FILE, "%s: not an %s file", h5->path, kind);
    if (found == version) return ICF_OK;
    return icf_fail(h5->context, ICF_ERROR_FILE, "%s: has format %" PRId64 ", this program reads %" PRId64, h5->path,
                    found, version);
}
