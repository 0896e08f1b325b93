/* A text file that holds whole lines only: stats.csv, ranks.csv, the trace and the index files.
 *
 * Text is collected in memory and written by a flush; a flush that fails (full disk) cuts the file back to
 * the last good one.  A footer, if any, is written behind the text and overwritten by the next
 * flush: the file is complete after every flush.  Local to one rank; not thread-safe.
 */
#ifndef ICF_IO_TEXT_FILE_H
#define ICF_IO_TEXT_FILE_H

#include <sys/types.h>

#include "base/context.h"
#include "io/text.h"

typedef struct icf_text_file {
    icf_text text;      /* not yet written; callers append to it */
    char *path;         /* owned; NULL: not open, flush and close drop the text */
    const char *footer; /* static text behind the last line, or "" */
    int fd;
    bool regular; /* a pipe or device is only ever appended to */
    off_t size;   /* bytes in the file without the footer */
} icf_text_file;

/* Opens a file for writing and keeps its contents (see icf_text_file_cut); footer must be a static text.  The
 * file is locked while open.  ICF_ERROR_FILE also when another run holds it. */
ICF_MUST_CHECK icf_status icf_text_file_open(icf_context *context, icf_text_file *file, const char *path,
                                             const char *footer);

/* Drops everything behind the first `size` bytes (and the footer).  Devices and pipes ignore it. */
ICF_MUST_CHECK icf_status icf_text_file_cut(icf_context *context, icf_text_file *file, off_t size);

/* Calls `line` for every complete line (terminator replaced by zero) until it returns false, and gives the
 * offset of the first line not accepted: the size to cut to. */
ICF_MUST_CHECK icf_status icf_text_file_scan(icf_context *context, const icf_text_file *file,
                                             bool (*line)(void *user, char *line), void *user, off_t *size);

/* Writes what is collected.  ICF_ERROR_FILE or ICF_ERROR_MEMORY; the text not written is dropped then. */
ICF_MUST_CHECK icf_status icf_text_file_flush(icf_context *context, icf_text_file *file);

/* Flushes and closes; releases everything also when that fails. */
ICF_MUST_CHECK icf_status icf_text_file_close(icf_context *context, icf_text_file *file);

#endif
