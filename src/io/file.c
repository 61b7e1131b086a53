#include "io/file.h"

#include "base/error.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fill(int handle, unsigned char *data, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t count = read(handle, data + *got, size - *got);
        if (count == 0) {
            return true;
        }
        if (count > 0) {
            *got += (size_t)count;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool read_open(const char *path, int handle, FileBytes *bytes)
{
    struct stat status;
    if (fstat(handle, &status) != 0) {
        return error_set("cannot read '%s': %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set("cannot read '%s': it is %s, not a regular file", path,
                         S_ISDIR(status.st_mode) ? "a directory" : "a device or a pipe");
    }
    size_t size = (size_t)status.st_size;
    bytes->data = malloc(size + 1);
    if (!bytes->data) {
        return error_set("cannot read '%s': out of host memory for its %zu bytes", path, size);
    }
    if (!fill(handle, bytes->data, size, &bytes->size)) {
        error_set("cannot read '%s': %s", path, strerror(errno));
        file_free(bytes);
        return false;
    }
    return true;
}

bool file_read(const char *path, FileBytes *bytes)
{
    *bytes = (FileBytes){0};
    /* Opening a pipe without a writer would wait for one. */
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0) {
        return error_set("cannot read '%s': %s", path, strerror(errno));
    }
    bool ok = read_open(path, handle, bytes);
    close(handle);
    return ok;
}

void file_free(FileBytes *bytes)
{
    free(bytes->data);
    *bytes = (FileBytes){0};
}

/* A new file in the target's directory, under a short name of its own: the target's may be as long as names can be. */
static int create_beside(const char *target, StrBuf *name)
{
    static atomic_uint counter;
    const char *slash = strrchr(target, '/');
    int handle;
    do {
        strbuf_free(name);
        strbuf_add_bytes(name, target, slash ? (size_t)(slash - target) + 1 : 0);
        strbuf_addf(name, ".rill-%ld-%u.tmp", (long)getpid(), atomic_fetch_add(&counter, 1));
        if (name->failed) {
            errno = ENOMEM;
            return -1;
        }
        handle = open(strbuf_text(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (handle < 0 && errno == EEXIST);
    return handle;
}

static bool pour(int handle, const FilePart *part)
{
    const unsigned char *data = part->data;
    for (size_t done = 0; done < part->size;) {
        ssize_t count = write(handle, data + done, part->size - done);
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Everything into the open file, which is closed in any case. */
static bool complete(int handle, const struct stat *replaced, const FilePart *parts, int count)
{
    bool ok = !replaced || fchmod(handle, replaced->st_mode & 07777) == 0;
    for (int i = 0; ok && i < count; i++) {
        ok = pour(handle, &parts[i]);
    }
    int reason = errno;
    if (close(handle) != 0 && ok) {
        return false;
    }
    errno = reason;
    return ok;
}

/* What stands at the target already: *exists, and false with error_set when it must not be replaced. */
static bool examine(const char *path, struct stat *status, bool *exists)
{
    *exists = stat(path, status) == 0;
    if (!*exists) {
        return true; /* creating the new file tells what is wrong with the directory, if anything */
    }
    if (!S_ISREG(status->st_mode)) {
        return error_set("cannot write '%s': it is %s, not a regular file", path,
                         S_ISDIR(status->st_mode) ? "a directory" : "a device or a pipe");
    }
    if (access(path, W_OK) != 0) {
        return error_set("cannot write '%s': %s", path, strerror(errno));
    }
    return true;
}

static bool replace(const char *target, const struct stat *replaced, const FilePart *parts, int count)
{
    StrBuf name = STRBUF_EMPTY;
    int handle = create_beside(target, &name);
    bool ok = handle >= 0;
    if (ok) {
        ok = complete(handle, replaced, parts, count) && rename(strbuf_text(&name), target) == 0;
        if (!ok) {
            int reason = errno;
            unlink(strbuf_text(&name));
            errno = reason;
        }
    }
    int reason = errno;
    strbuf_free(&name);
    errno = reason;
    return ok;
}

bool file_write(const char *path, const FilePart *parts, int count)
{
    struct stat status;
    bool exists;
    if (*path == '\0') {
        return error_set("cannot write a file whose name is empty");
    }
    if (!examine(path, &status, &exists)) {
        return false;
    }
    char *resolved = exists ? realpath(path, NULL) : NULL;
    bool ok = replace(resolved ? resolved : path, exists ? &status : NULL, parts, count);
    if (!ok) {
        error_set("cannot write '%s': %s", path, strerror(errno));
    }
    free(resolved);
    return ok;
}

const char *file_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash + 1 : path, '.');
    return dot ? dot : "";
}

bool file_has_extension(const char *path, const char *extension)
{
    const char *found = file_extension(path);
    return *found && strcasecmp(found + 1, extension) == 0;
}
