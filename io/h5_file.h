/* HDF5 files written and read in rows by all ranks, and the one place where HDF5's errors are translated.
 *
 * One rank uses HDF5's plain driver, several ranks use MPI-IO; everything else is the same.  Creating groups,
 * datasets and attributes is collective with the same arguments on all ranks; data are then moved by each
 * rank on its own, because contiguous rows gain nothing from collective buffering.
 *
 * The first failure is remembered in the file and later calls go on without effect, so that all ranks make
 * the same collective calls; icf_h5_check hands the failure out and lets the ranks agree.
 *
 * A process may be killed at any time without losing what was flushed before.  HDF5 does not write in place
 * but where the root group's links change: its name heap and its node of links.  Both are made large enough at
 * creation for all links to come, so that a new link is two writes in an order that is valid at every moment;
 * groups can be written and flushed hidden, and linked by a second flush.
 *
 * HDF5 1.10 leaves a dangling file behind when it cannot write at closing, and the program crashes when the
 * library ends.  So a file in which a write failed is cut off from the disk before it is closed (plain driver):
 * its descriptor is pointed at an anonymous file, which takes what HDF5 still wants to write.
 */
#ifndef ICF_IO_H5_FILE_H
#define ICF_IO_H5_FILE_H

#include <hdf5.h>

#include "base/context.h"

typedef struct icf_h5 {
    icf_context *context;
    char *path;        /* owned */
    hid_t file;        /* < 0: not open */
    hid_t creation;    /* dataset creation: no fill values */
    hid_t group;       /* group creation: links within the header */
    bool writable;     /* opened for writing */
    bool broken;       /* something could not be written: what is on disk must not be touched again */
    icf_status status; /* first failure since the last check */
} icf_h5;

/* A file that is not open. */
#define ICF_H5_CLOSED ((icf_h5){.file = -1, .creation = -1, .group = -1})

/* Rows of a distributed table: each rank's are consecutive, in rank order. */
typedef struct icf_rows {
    hsize_t n;     /* rows of this rank */
    hsize_t first; /* row of the table at which they begin */
    hsize_t total; /* rows of all ranks */
} icf_rows;

/* Places n rows of each rank one after the other.  Collective. */
icf_rows icf_rows_place(const icf_context *context, hsize_t n);

/* Creates a file, replacing one of that name.  Collective.
 *   nlink [in] links that the root group will hold; more are possible */
ICF_MUST_CHECK icf_status icf_h5_create(icf_context *context, const char *path, icf_cnt nlink, icf_h5 *h5);

/* Opens a file.  ICF_ERROR_FILE when it is missing, not an HDF5 file or damaged.  Collective. */
ICF_MUST_CHECK icf_status icf_h5_open(icf_context *context, const char *path, bool writable, icf_h5 *h5);

/* First failure since the last check, agreed by all ranks.  Collective. */
ICF_MUST_CHECK icf_status icf_h5_check(icf_h5 *h5);

/* Hands everything to the operating system: the file opens even when the process is killed.  Collective. */
ICF_MUST_CHECK icf_status icf_h5_flush(icf_h5 *h5);

/* Flushes and closes the file; accepts one that is not open.  Collective. */
ICF_MUST_CHECK icf_status icf_h5_close(icf_h5 *h5);

/* Marks a file as one of ours, and reads the mark: kind is "" when there is none.  Collective. */
void icf_h5_put_kind(icf_h5 *h5, const char *kind, icf_cnt version);
void icf_h5_get_kind(icf_h5 *h5, char *kind, size_t size, icf_cnt *version);

/* ICF_ERROR_FILE unless the file bears that mark.  Collective. */
ICF_MUST_CHECK icf_status icf_h5_require_kind(icf_h5 *h5, const char *kind, icf_cnt version);

/* Creates or opens a group; closed by icf_h5_group_close.  Collective. */
hid_t icf_h5_group_create(icf_h5 *h5, hid_t parent, const char *name);
hid_t icf_h5_group_open(icf_h5 *h5, hid_t parent, const char *name);
void icf_h5_group_close(icf_h5 *h5, hid_t group);

/* Creates a group that no name leads to, and gives it a name in the root group.  A group that is closed
 * without a name is gone.  Collective. */
hid_t icf_h5_group_create_hidden(icf_h5 *h5);
void icf_h5_group_link(icf_h5 *h5, hid_t group, const char *name);

/* Whether a group holds an object of that name; removes one with all that it holds.  Collective. */
bool icf_h5_has(icf_h5 *h5, hid_t group, const char *name);
void icf_h5_delete(icf_h5 *h5, hid_t group, const char *name);

/* Creates a dataset of rows.total rows and writes this rank's.  Collective.
 *   type    [in] memory and file type of an element, e.g. H5T_NATIVE_DOUBLE
 *   columns [in] elements a row; 1 gives a one-dimensional dataset
 *   data    [in] (rows.n x columns), row by row */
void icf_h5_write(icf_h5 *h5, hid_t group, const char *name, hid_t type, icf_rows rows, int columns, const void *data);

/* Rows of a dataset; a failure when it is not a table of that many columns.  Collective. */
hsize_t icf_h5_rows(icf_h5 *h5, hid_t group, const char *name, int columns);

/* Reads n rows from row `first` on.  Local after the file has been opened. */
void icf_h5_read(icf_h5 *h5, hid_t group, const char *name, hid_t type, hsize_t first, hsize_t n, int columns,
                 void *data);

/* Attributes of a group.  Reading gives 0 or "" and a failure when the attribute is missing.  Collective. */
void icf_h5_put_count(icf_h5 *h5, hid_t group, const char *name, icf_cnt value);
void icf_h5_put_number(icf_h5 *h5, hid_t group, const char *name, double value);
void icf_h5_put_text(icf_h5 *h5, hid_t group, const char *name, const char *value);
icf_cnt icf_h5_get_count(icf_h5 *h5, hid_t group, const char *name);
double icf_h5_get_number(icf_h5 *h5, hid_t group, const char *name);
void icf_h5_get_text(icf_h5 *h5, hid_t group, const char *name, char *value, size_t size);

#endif
