/* Files and directories: paths, creation, atomic replacement, and the one place where errno becomes a
 * failure of the library.
 *
 * Everything here is local to the calling rank; results and checkpoints call it on rank 0 and let the
 * other ranks agree afterwards (icf_agree).  Thread-safe except for failures recorded in one context.
 */
#ifndef ICF_IO_FILE_H
#define ICF_IO_FILE_H

#include "base/context.h"

/* Records "PATH: the system's reason" for an errno value and returns ICF_ERROR_FILE. */
icf_status icf_file_fail(icf_context *context, const char *path, int error);

/* Formatted path in memory of icf_alloc; NULL when out of memory. */
__attribute__((format(printf, 1, 2))) char *icf_path_print(const char *format, ...);

/* Creates a directory and its parents; one that exists is fine.
 * ICF_ERROR_FILE when it cannot be created, is not a directory or must not be written to. */
ICF_MUST_CHECK icf_status icf_directory_create(icf_context *context, const char *path);

/* Removes a file; one that does not exist is fine. */
ICF_MUST_CHECK icf_status icf_file_remove(icf_context *context, const char *path);

/* Writes a file of n bytes, replacing what is at path; after a failure that is untouched. */
ICF_MUST_CHECK icf_status icf_file_write(icf_context *context, const char *path, const void *bytes, size_t n);

/* Makes a finished temporary file permanent: syncs it, renames it to path (replacing what is there) and
 * syncs the directory.  After a failure the temporary file is gone and what was at path is untouched. */
ICF_MUST_CHECK icf_status icf_file_commit(icf_context *context, const char *temporary, const char *path);

/* Reserves disk space for the next `bytes` bytes behind the end of a file without changing its length, so
 * that a full disk is found before the file is touched.  Where the file system cannot reserve, its free
 * space is compared. */
ICF_MUST_CHECK icf_status icf_file_reserve(icf_context *context, const char *path, size_t bytes);

/* Gives back what icf_file_reserve took and was not used; failures do not matter. */
void icf_file_release(const char *path);

#endif
