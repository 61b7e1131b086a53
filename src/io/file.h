/* Reads and writes whole files. Functions return false with error_set on failure. The message names the
 * path and the system's reason. */
#ifndef RILL_IO_FILE_H
#define RILL_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FileBytes {
    unsigned char *data; /* never NULL after a successful read */
    size_t size;
    const char *path; /* borrowed */
} FileBytes;

typedef struct FilePart {
    const void *data;
    size_t size;
} FilePart;

/* Reads a regular file into memory. Release it with file_free. */
bool file_read(const char *path, FileBytes *bytes);
/* Frees the contents. */
void file_free(FileBytes *bytes);
/* Reads a file and passes its contents to `decode`. Errors of `decode` get the path as a prefix. */
bool file_decode(const char *path, bool (*decode)(const FileBytes *file, void *self), void *self);

/* A regular file that is read in parts. */
typedef struct FileReading {
    const char *path; /* borrowed */
    size_t size;
    int handle;
} FileReading;

/* Opens a file. Close it with file_close. */
bool file_open(const char *path, FileReading *file);
/* Reads `size` bytes from byte `offset` on. Sets *got to fewer bytes if the file ends before. */
bool file_read_at(const FileReading *file, size_t offset, void *data, size_t size, size_t *got);
/* Closes the file. */
void file_close(FileReading *file);

/* Writes the parts one after the other to a temporary file in the directory of `path`, then renames it. The
 * file `path` therefore has either its old contents or all of the new ones. Keeps the permissions of a file
 * that is replaced, and follows symbolic links. Fails if `path` exists and is not a regular file. */
bool file_write(const char *path, const FilePart *parts, int count);

/* A temporary file that is written in pieces. It is renamed to its path when it is committed, as by file_write.
 * The handle is -1 if the draft is not open. */
typedef struct FileDraft {
    char *path;   /* as given, for messages */
    char *target; /* the path with symbolic links resolved */
    char *name;   /* of the temporary file */
    size_t size;  /* written so far */
    int handle;
} FileDraft;

/* Opens a draft of `path`. */
bool file_draft_open(const char *path, FileDraft *draft);
/* Appends bytes. */
bool file_draft_write(FileDraft *draft, const void *data, size_t size);
/* Overwrites bytes that were written before. */
bool file_draft_patch(FileDraft *draft, size_t offset, const void *data, size_t size);
/* Renames the temporary file to its path. Closes the draft, also on failure. */
bool file_draft_commit(FileDraft *draft);
/* Closes the draft and removes the temporary file. */
void file_draft_discard(FileDraft *draft);

/* Returns whether the name ends in an extension such as "png", in upper or lower case. */
bool file_has_extension(const char *path, const char *extension);
/* Returns the extension with its dot, or "" if there is none. Points into `path`. */
const char *file_extension(const char *path);

#endif
