/* Reference-counted device memory. Freed buffers go to a pool by size class. Each buffer is padded to a
 * multiple of 16 bytes and has a spare tail of 240 bytes, so that kernels may store past its end. */
#ifndef RILL_GPU_MEMORY_BUFFER_H
#define RILL_GPU_MEMORY_BUFFER_H

#include "gpu/context/device.h"

/* Creates a buffer of `bytes` bytes, which may be 0. It is filled with zeros if `zero` is set; otherwise its
 * contents are undefined. If memory is exhausted, collects garbage and empties the pool, and tries again. On
 * failure returns NULL with error_set. */
Buffer *buffer_create(Device *device, uint64_t bytes, bool zero);
/* Creates a buffer with undefined contents, which the host reads after one launch has written it. On devices with
 * separate memory, buffers of at most 4 KiB are in host memory, so that reading needs no copy. */
Buffer *buffer_create_readable(Device *device, uint64_t bytes);
/* Adds a reference. */
Buffer *buffer_retain(Buffer *buffer);
/* Drops a reference. With the last one the buffer goes to the pool. */
void buffer_release(Buffer *buffer);

/* Returns the device. */
Device *buffer_device(const Buffer *buffer);
/* Returns a number that no other buffer of the process has had, also if both had the same memory. */
uint64_t buffer_serial(const Buffer *buffer);
/* Returns the size in bytes with which the buffer was created. */
uint64_t buffer_bytes(const Buffer *buffer);
/* Returns the allocated size in bytes, with padding and tail. It is a multiple of 16. */
uint64_t buffer_capacity(const Buffer *buffer);
/* Returns the GL name, for interoperation. */
uint32_t buffer_name(const Buffer *buffer);

/* Returns a pointer to the contents if the device is synchronous and uses host memory, otherwise NULL. The
 * pointer is valid until the next launch or release. */
const void *buffer_host(const Buffer *buffer);

/* Returns whether a buffer texture can contain `bytes` bytes. A launch fails if a buffer is larger than its
 * texture can be, since reads past the end of a texture are undefined. */
bool buffer_texture_reaches(const Device *device, TexelFormat format, uint64_t bytes);
/* Returns whether programs should read the buffer as a texture. They should if reads of textures were measured
 * to be faster than reads of storage blocks (see RILL_TUNE) and a texture can contain the whole buffer. */
bool buffer_in_texture(const Buffer *buffer, TexelFormat format);

/* Returns whether kernels can bind the whole buffer. If the buffer is larger than the advertised block
 * size, tests this once in the spare tail, since drivers support more than they advertise. If kernels cannot
 * bind the buffer, returns false with error_set. */
bool buffer_block_fits(Buffer *buffer);

/* Returns the version, which increases with every write to the buffer. */
uint64_t buffer_version(const Buffer *buffer);
/* Records a write. Must be called for each write by a shader. buffer_write, buffer_copy and buffer_fill call
 * it themselves. */
void buffer_wrote(Buffer *buffer, const BufferRegion *region);
/* Returns whether the region may have been written after the buffer had this version. */
bool buffer_written_since(const Buffer *buffer, uint64_t version, const BufferRegion *region);

/* Transfers and launches run in the order of the calls. Transfers return false with error_set on failure. */

/* Returns where the host writes bytes of a buffer in host memory itself, before the next launch. Returns NULL if the
 * buffer is not in host memory. */
void *buffer_overwrite(Buffer *buffer, uint64_t offset, uint64_t bytes);
/* Writes bytes from host memory. */
bool buffer_write(Buffer *buffer, uint64_t offset, const void *data, uint64_t bytes);
/* Reads bytes to host memory. Waits for earlier launches. */
bool buffer_read(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes);
/* Copies bytes between buffers of a device. Ranges of one buffer may overlap. */
bool buffer_copy(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes);
/* Rows of `bytes` bytes: in both buffers the first byte of the first row, and the distance of rows in bytes, which is at
 * least `bytes`. */
typedef struct BufferRows {
    uint64_t to, to_pitch, from, from_pitch, bytes, count;
} BufferRows;

/* Copies rows between two buffers in host memory. Returns false without error_set if a buffer is not in host memory, if
 * both are the same, if there are no rows, or if a row is outside: then nothing is copied. */
bool buffer_copy_rows(Buffer *to, Buffer *from, const BufferRows *rows);
/* Fills a range with a pattern of 1, 2, 4, 8, 12 or 16 bytes. offset and bytes are multiples of the pattern's
 * size. */
bool buffer_fill(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes);

/* An asynchronous read-back. */
typedef struct Transfer Transfer;
/* Starts a read-back. On failure returns NULL with error_set. */
Transfer *transfer_create(Buffer *buffer, uint64_t offset, uint64_t bytes);
/* Returns whether transfer_wait would return without waiting. */
bool transfer_ready(Transfer *transfer);
/* Waits and returns the bytes, which are valid until the transfer is released. On
 * failure returns NULL with error_set. */
const void *transfer_wait(Transfer *transfer);
/* Frees the transfer. */
void transfer_release(Transfer *transfer);

#endif
