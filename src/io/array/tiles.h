/* Files of numbers that are read or written in tiles by a thread, while the caller computes. A file has a few buffers.
 * The caller posts transfers between a buffer and the file, and waits for a buffer before it uses its memory. */
#ifndef RILL_IO_ARRAY_TILES_H
#define RILL_IO_ARRAY_TILES_H

#include "io/array/npy.h"

enum { TILES_BUFFERS = 3 };

/* The numbers of a file. */
typedef struct TilesLayout {
    NpyKind kind;     /* in the file */
    NpyKind memory;   /* in buffers: another kind for 64-bit integers only. Bools have 32 bits in buffers */
    bool little;      /* the byte order of the file */
    size_t start;     /* of the first number in the file */
    size_t count;     /* numbers in the file, of files that are read */
    size_t capacity;  /* numbers in a buffer */
    int buffers;      /* 1 to TILES_BUFFERS */
    int64_t size;     /* the size of a file that is read, in bytes */
    int64_t modified; /* its time of modification, in nanoseconds */
} TilesLayout;

typedef struct Tiles Tiles;

/* Returns the size and the time of modification of a regular file, for TilesLayout. Returns false with error_set. */
bool tiles_status(const char *path, int64_t *size, int64_t *modified);
/* Returns whether two paths name one file, which need not exist. */
bool tiles_same(const char *a, const char *b);

/* Opens a file to be read. Returns NULL with error_set. */
Tiles *tiles_read(const char *path, const TilesLayout *layout);
/* Opens a draft of a file to be written. Numbers follow the first `start` bytes. Returns NULL with error_set. */
Tiles *tiles_write(const char *path, const TilesLayout *layout);
/* Opens a file without a name, in the directory of `path`, to be written and read. Returns NULL with error_set. */
Tiles *tiles_scratch(const char *path, const TilesLayout *layout);

/* Returns the memory of a buffer. */
void *tiles_memory(Tiles *tiles, int buffer);
/* Begins to read or write `count` numbers from number `first` of the file on. In the buffer they begin at number `at`.
 * Transfers of a file take place one after the other. Returns false with error_set if there is no memory. */
bool tiles_post(Tiles *tiles, int buffer, bool write, size_t first, size_t count, size_t at);
/* Waits for the transfers of a buffer. Returns false with error_set if a transfer of the file has failed. */
bool tiles_wait(Tiles *tiles, int buffer);
/* Waits for all transfers. Checks that the source has not changed, or writes a header of `start` bytes (NULL: none) and
 * moves the draft to its path. Returns false with error_set. */
bool tiles_finish(Tiles *tiles, const NpyArray *header);
/* Returns the seconds that the thread has spent in transfers. */
double tiles_busy(Tiles *tiles);
/* Closes the file. Removes a draft that was not moved to its path. */
void tiles_close(Tiles *tiles);

#endif
