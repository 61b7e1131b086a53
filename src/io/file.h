/* Whole files. Failures set an error that names the path and the system's reason. */
#ifndef RILL_IO_FILE_H
#define RILL_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FileBytes {
    unsigned char *data; /* never NULL after a successful read */
    size_t size;
    const char *path; /* the caller's */
} FileBytes;

typedef struct FilePart {
    const void *data;
    size_t size;
} FilePart;

/* Reads a regular file into memory; release it with file_free. */
bool file_read(const char *path, FileBytes *bytes);
void file_free(FileBytes *bytes);
/* Reads a file, and gives its contents to `decode`, whose errors get the path in front. */
bool file_decode(const char *path, bool (*decode)(const FileBytes *file, void *self), void *self);

/* Writes the parts one after the other into a new file beside `path` and renames it, so that `path` holds either what it
 * held before or everything. Keeps the permissions of a file that is replaced and follows symbolic links; refuses
 * to replace what is not a regular file. */
bool file_write(const char *path, const FilePart *parts, int count);

/* A file that is written piece by piece, beside its path and under another name, and takes its place when it is committed; the
 * rules of file_write hold. A draft that is not open has handle -1. */
typedef struct FileDraft {
    char *path;   /* as it was given, for messages */
    char *target; /* with symbolic links followed */
    char *name;   /* what is written meanwhile */
    size_t size;  /* written so far */
    int handle;
} FileDraft;

/* Starts a draft of `path`; false with error_set. */
bool file_draft_open(const char *path, FileDraft *draft);
bool file_draft_write(FileDraft *draft, const void *data, size_t size); /* at the end */
/* Over what was written already. */
bool file_draft_patch(FileDraft *draft, size_t offset, const void *data, size_t size);
bool file_draft_commit(FileDraft *draft); /* not open afterwards, whether it succeeds or not */
void file_draft_discard(FileDraft *draft);

/* True when the name ends in the extension ("png"), in any case. */
bool file_has_extension(const char *path, const char *extension);
/* For messages: the extension with its dot, "" when there is none; points into `path`. */
const char *file_extension(const char *path);

#endif
