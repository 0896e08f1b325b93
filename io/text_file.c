/* A text file that holds whole lines only. */
#include "io/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

/* Takes the lock that keeps a second run out; file systems without locks are believed. */
static bool lock(const icf_text_file *file)
{
    return !file->regular || flock(file->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

icf_status icf_text_file_open(icf_context *context, icf_text_file *file, const char *path, const char *footer)
{
    *file = (icf_text_file){.footer = footer};
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    /* a pipe or terminal may allow writing only */
    file->fd = fd < 0 && errno == EACCES ? open(path, O_WRONLY | O_CLOEXEC) : fd;
    if (file->fd < 0) return icf_file_fail(context, path, errno);
    struct stat info;
    file->regular = fstat(file->fd, &info) == 0 && S_ISREG(info.st_mode);
    file->path = icf_path_print("%s", path);
    icf_status status = file->path ? ICF_OK : icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    if (status == ICF_OK && !lock(file))
        status = icf_fail(context, ICF_ERROR_FILE, "%s: another run is writing to it", path);
    if (status != ICF_OK) {
        close(file->fd);
        ICF_FREE(file->path);
    }
    return status;
}

icf_status icf_text_file_cut(icf_context *context, icf_text_file *file, off_t size)
{
    file->size = size;
    file->text.used = 0;
    if (!file->path || !file->regular || ftruncate(file->fd, size) == 0) return ICF_OK;
    return icf_file_fail(context, file->path, errno);
}

icf_status icf_text_file_scan(icf_context *context, const icf_text_file *file, bool (*line)(void *user, char *line),
                              void *user, off_t *size)
{
    *size = 0;
    if (!file->path || !file->regular) return ICF_OK;
    FILE *stream = fopen(file->path, "r");
    if (!stream) return icf_file_fail(context, file->path, errno);
    char *string = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&string, &capacity, stream)) > 0 && string[length - 1] == '\n') {
        string[length - 1] = '\0';
        if (!line(user, string)) break;
        *size += length;
    }
    const int error = ferror(stream) ? errno : 0;
    free(string);
    fclose(stream);
    return error == 0 ? ICF_OK : icf_file_fail(context, file->path, error);
}

/* Writes all bytes at an offset (regular files) or at the end; 0 or an errno value. */
static int write_all(const icf_text_file *file, const char *bytes, size_t n, off_t offset)
{
    while (n > 0) {
        const ssize_t done = file->regular ? pwrite(file->fd, bytes, n, offset) : write(file->fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        bytes += done;
        offset += done;
        n -= (size_t)done;
    }
    return 0;
}

/* Puts the file back to its last complete form after a failed write. */
static void restore(const icf_text_file *file)
{
    if (!file->regular || ftruncate(file->fd, file->size) != 0) return;
    (void)write_all(file, file->footer, strlen(file->footer), file->size);
}

icf_status icf_text_file_flush(icf_context *context, icf_text_file *file)
{
    icf_text *text = &file->text;
    const size_t n = text->used;
    if (!file->path || n == 0) {
        text->used = 0;
        return ICF_OK;
    }
    icf_text_put(text, file->footer);
    text->used = 0;
    if (text->out_of_memory) return icf_fail(context, ICF_ERROR_MEMORY, "%s: out of memory", file->path);
    const int error = write_all(file, text->bytes, n + strlen(file->footer), file->size);
    if (error != 0) {
        restore(file);
        return icf_file_fail(context, file->path, error);
    }
    file->size += (off_t)n;
    return ICF_OK;
}

icf_status icf_text_file_close(icf_context *context, icf_text_file *file)
{
    icf_status status = icf_text_file_flush(context, file);
    if (file->path && close(file->fd) != 0 && status == ICF_OK) status = icf_file_fail(context, file->path, errno);
    icf_text_clear(&file->text);
    ICF_FREE(file->path);
    return status;
}
