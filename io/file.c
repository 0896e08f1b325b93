/* Files and directories. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"

icf_status icf_file_fail(icf_context *context, const char *path, int error)
{
    char text[128];
    return icf_fail(context, ICF_ERROR_FILE, "%s: %s", path, strerror_r(error, text, sizeof text));
}

char *icf_path_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *path = length < 0 ? NULL : icf_alloc((size_t)length + 1);
    if (!path) return NULL;
    va_start(arguments, format);
    vsnprintf(path, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return path;
}

/* Creates the directories of a path from the root down; the path is cut and mended at every slash. */
static int create_levels(char *path)
{
    for (char *slash = path + 1; *slash; ++slash) {
        if (*slash != '/') continue;
        *slash = '\0';
        const int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed) return errno;
    }
    return mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
}

/* Why files cannot be created in a directory; 0 when they can. */
static int check_directory(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno;
    if (!S_ISDIR(info.st_mode)) return ENOTDIR;
    return access(path, W_OK | X_OK) != 0 ? errno : 0;
}

icf_status icf_directory_create(icf_context *context, const char *path)
{
    char *copy = icf_path_print("%s", path);
    if (!copy) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    int error = path[0] ? create_levels(copy) : ENOENT;
    icf_free(copy);
    if (error == 0) error = check_directory(path);
    return error == 0 ? ICF_OK : icf_file_fail(context, path, error);
}

icf_status icf_file_remove(icf_context *context, const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? ICF_OK : icf_file_fail(context, path, errno);
}

/* Syncs a file or directory; 0 or an errno value. */
static int sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    /* file systems without sync of directories answer EINVAL */
    const int error = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
    close(fd);
    return error;
}

icf_status icf_file_commit(icf_context *context, const char *temporary, const char *path)
{
    int error = sync_path(temporary);
    if (error == 0 && rename(temporary, path) != 0) error = errno;
    if (error != 0) {
        unlink(temporary);
        return icf_file_fail(context, path, error);
    }
    char *copy = icf_path_print("%s", path);
    if (!copy) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    error = sync_path(dirname(copy));
    icf_free(copy);
    return error == 0 ? ICF_OK : icf_file_fail(context, path, error);
}

/* Writes a new file; 0 or an errno value. */
static int put_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "w");
    if (!file) return errno;
    int error = fwrite(bytes, 1, n, file) == n ? 0 : errno;
    if (fclose(file) != 0 && error == 0) error = errno;
    return error;
}

icf_status icf_file_write(icf_context *context, const char *path, const void *bytes, size_t n)
{
    char *temporary = icf_path_print("%s.tmp", path);
    if (!temporary) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    const int error = put_bytes(temporary, bytes, n);
    if (error) (void)unlink(temporary);
    const icf_status status = error ? icf_file_fail(context, path, error) : icf_file_commit(context, temporary, path);
    icf_free(temporary);
    return status;
}

/* Reserves behind the end of an open file; 0 or an errno value. */
static int reserve(int fd, off_t bytes)
{
    struct stat info;
    struct statvfs disk;
    if (fstat(fd, &info) != 0) return errno;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, info.st_size, bytes) == 0) return 0;
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return errno;
    /* the file system knows no reservation */
    if (fstatvfs(fd, &disk) != 0) return 0;
    const uint64_t free_bytes = (uint64_t)disk.f_bavail * (uint64_t)disk.f_frsize;
    return free_bytes < (uint64_t)bytes ? ENOSPC : 0;
}

icf_status icf_file_reserve(icf_context *context, const char *path, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return icf_file_fail(context, path, errno);
    const int error = reserve(fd, (off_t)bytes);
    close(fd);
    return error == 0 ? ICF_OK : icf_file_fail(context, path, error);
}

void icf_file_release(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && truncate(path, info.st_size) != 0) return;
}
