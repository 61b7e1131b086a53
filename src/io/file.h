/* Whole files. Failures set an error that names the path and the system's reason. */
#ifndef RILL_FILE_H
#define RILL_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FileBytes {
    unsigned char *data; /* never NULL after a successful read */
    size_t size;
} FileBytes;

typedef struct FilePart {
    const void *data;
    size_t size;
} FilePart;

/* Reads a regular file into memory; release it with file_free. */
bool file_read(const char *path, FileBytes *bytes);
void file_free(FileBytes *bytes);

/* Writes the parts one after the other into a new file beside `path` and renames it, so that `path` holds either what it
 * held before or everything. Keeps the permissions of a file that is replaced and follows symbolic links; refuses
 * to replace what is not a regular file. */
bool file_write(const char *path, const FilePart *parts, int count);

/* True when the name ends in the extension ("png"), in any case. */
bool file_has_extension(const char *path, const char *extension);
/* For messages: the extension with its dot, "" when there is none; points into `path`. */
const char *file_extension(const char *path);

#endif
