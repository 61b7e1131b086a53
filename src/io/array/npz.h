/* .npz, numpy's format for several arrays: a ZIP archive of .npy files, stored or deflated. Reads archives with the
 * extension for large files (ZIP64), too. */
#ifndef RILL_IO_ARRAY_NPZ_H
#define RILL_IO_ARRAY_NPZ_H

#include "io/array/npy.h"
#include "io/file.h"

typedef struct NpzEntry {
    const char *name; /* not terminated, without ".npy"; points into the file */
    size_t name_length;
    const unsigned char *data;
    size_t packed, size; /* bytes in the archive, and after decompression */
    uint32_t crc;
    bool deflated;
} NpzEntry;

typedef struct NpzFile {
    NpzEntry *items; /* the .npy files of the archive, in its order */
    size_t count, capacity;
} NpzFile;

/* Returns whether the content begins with the signature of the format. */
bool npz_recognize(const unsigned char *bytes, size_t size);
/* Reads the list of arrays of a file, whose bytes must exist until npz_close. Release it with npz_close, also on
 * failure. Returns false with error_set on failure. */
bool npz_open(NpzFile *file, const unsigned char *bytes, size_t size);
/* Frees the list. */
void npz_close(NpzFile *file);
/* Decodes an array. Release it with npy_free. Returns false with error_set on failure. */
bool npz_read(const NpzEntry *entry, NpyArray *array);

/* A file that is written array by array, renamed when it is complete. */
typedef struct NpzWriter {
    FileDraft draft;
    StrBuf directory;
    size_t count;
} NpzWriter;

/* Opens a file. Returns false with error_set on failure. */
bool npz_begin(NpzWriter *writer, const char *path);
/* Appends an array, deflated if `deflate` is set. Returns false with error_set on failure. */
bool npz_add(NpzWriter *writer, const char *name, const NpyArray *array, bool deflate);
/* Completes the file if `done` is set, otherwise removes it. Returns false with error_set on failure. */
bool npz_end(NpzWriter *writer, bool done);

#endif
