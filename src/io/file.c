#include "io/file.h"

#include "base/error.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fill(int handle, unsigned char *data, size_t size, size_t offset, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t count = pread(handle, data + *got, size - *got, (off_t)(offset + *got));
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

static bool find_size(const char *path, int handle, size_t *size)
{
    struct stat status;
    if (fstat(handle, &status) != 0) {
        return error_set("cannot read '%s': %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set("cannot read '%s': it is %s, not a regular file", path,
                         S_ISDIR(status.st_mode) ? "a directory" : "a device or a pipe");
    }
    *size = (size_t)status.st_size;
    return true;
}

bool file_open(const char *path, FileReading *file)
{
    /* O_NONBLOCK: opening a pipe without a writer would block. */
    *file = (FileReading){.path = path, .handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->handle < 0) {
        return error_set("cannot read '%s': %s", path, strerror(errno));
    }
    if (!find_size(path, file->handle, &file->size)) {
        file_close(file);
        return false;
    }
    return true;
}

bool file_read_at(const FileReading *file, size_t offset, void *data, size_t size, size_t *got)
{
    return fill(file->handle, data, size, offset, got) ||
           error_set("cannot read '%s': %s", file->path, strerror(errno));
}

void file_close(FileReading *file)
{
    close(file->handle);
}

bool file_read(const char *path, FileBytes *bytes)
{
    FileReading file;
    *bytes = (FileBytes){.path = path};
    if (!file_open(path, &file)) {
        return false;
    }
    bytes->data = malloc(file.size + 1);
    bool done = bytes->data ? file_read_at(&file, 0, bytes->data, file.size, &bytes->size)
                            : error_set("cannot read '%s': out of host memory for its %zu bytes", path, file.size);
    file_close(&file);
    if (!done) {
        file_free(bytes);
    }
    return done;
}

void file_free(FileBytes *bytes)
{
    free(bytes->data);
    *bytes = (FileBytes){0};
}

bool file_decode(const char *path, bool (*decode)(const FileBytes *file, void *self), void *self)
{
    FileBytes bytes;
    if (!file_read(path, &bytes)) {
        return false;
    }
    bool done = decode(&bytes, self) || error_prefix("cannot read '%s'", path);
    file_free(&bytes);
    return done;
}

static bool write_error(const FileDraft *draft)
{
    return error_set("cannot write '%s': %s", draft->path, strerror(errno));
}

/* Creates a temporary file in the target's directory. Its short name does not derive from the target's name,
 * which may have the maximal length. */
static bool create_temporary(FileDraft *draft)
{
    static atomic_uint counter;
    const char *slash = strrchr(draft->target, '/');
    do {
        StrBuf name = STRBUF_EMPTY;
        free(draft->name);
        strbuf_add_bytes(&name, draft->target, slash ? (size_t)(slash - draft->target) + 1 : 0);
        strbuf_addf(&name, ".rill-%ld-%u.tmp", (long)getpid(), atomic_fetch_add(&counter, 1));
        draft->name = strbuf_take(&name);
        if (!draft->name) {
            return false;
        }
        draft->handle = open(draft->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (draft->handle < 0 && errno == EEXIST);
    if (draft->handle < 0) {
        free(draft->name);
        draft->name = NULL;
    }
    return draft->handle >= 0;
}

/* Sets *exists to whether the target exists. Returns false with error_set if it must not be replaced. */
static bool examine(const char *path, struct stat *status, bool *exists)
{
    *exists = stat(path, status) == 0;
    if (!*exists) {
        return true; /* errors of the directory are found when the temporary file is created */
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

bool file_draft_open(const char *path, FileDraft *draft)
{
    struct stat status;
    bool exists;
    *draft = (FileDraft){.handle = -1};
    if (*path == '\0') {
        return error_set("cannot write a file whose name is empty");
    }
    if (!examine(path, &status, &exists)) {
        return false;
    }
    draft->path = strdup(path);
    draft->target = exists ? realpath(path, NULL) : NULL;
    if (!draft->target) {
        draft->target = strdup(path);
    }
    bool ok = draft->path && draft->target;
    if (!ok) {
        error_set("cannot write '%s': out of host memory", path);
    } else {
        ok = (create_temporary(draft) && (!exists || fchmod(draft->handle, status.st_mode & 07777) == 0)) ||
             write_error(draft);
    }
    if (!ok) {
        file_draft_discard(draft);
    }
    return ok;
}

bool file_draft_patch(FileDraft *draft, size_t offset, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t done = 0; done < size;) {
        ssize_t count = pwrite(draft->handle, bytes + done, size - done, (off_t)(offset + done));
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            return write_error(draft);
        }
    }
    return true;
}

bool file_draft_write(FileDraft *draft, const void *data, size_t size)
{
    size_t end = draft->size;
    draft->size += size;
    return file_draft_patch(draft, end, data, size);
}

bool file_draft_commit(FileDraft *draft)
{
    int handle = draft->handle;
    draft->handle = -1;
    bool ok = (close(handle) == 0 && rename(draft->name, draft->target) == 0) || write_error(draft);
    if (ok) {
        free(draft->name);
        draft->name = NULL;
    }
    file_draft_discard(draft);
    return ok;
}

void file_draft_discard(FileDraft *draft)
{
    if (draft->handle >= 0) {
        close(draft->handle);
    }
    if (draft->name) {
        unlink(draft->name);
    }
    free(draft->name);
    free(draft->target);
    free(draft->path);
    *draft = (FileDraft){.handle = -1};
}

bool file_write(const char *path, const FilePart *parts, int count)
{
    FileDraft draft;
    if (!file_draft_open(path, &draft)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!file_draft_write(&draft, parts[i].data, parts[i].size)) {
            file_draft_discard(&draft);
            return false;
        }
    }
    return file_draft_commit(&draft);
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
