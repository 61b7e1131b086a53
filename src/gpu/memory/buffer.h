/* Counted device memory. Freed buffers go to a pool by size class. Contents: every allocation is followed by at
 * least 16 spare bytes (padding to a multiple of 16, then a tail of 16), where stores past the end may land. */
#ifndef RILL_GPU_MEMORY_BUFFER_H
#define RILL_GPU_MEMORY_BUFFER_H

#include "gpu/context/device.h"

/* `bytes` may be 0. Contents are undefined unless `zero`. NULL after collecting and emptying the pool did not help. */
Buffer *buffer_create(Device *device, uint64_t bytes, bool zero);
Buffer *buffer_retain(Buffer *buffer);
void buffer_release(Buffer *buffer);

/* Where it lives, and the bytes it was created with. */
Device *buffer_device(const Buffer *buffer);
uint64_t buffer_bytes(const Buffer *buffer);
uint64_t buffer_capacity(const Buffer *buffer); /* with padding and tail; a multiple of 16 */
uint32_t buffer_name(const Buffer *buffer);     /* the GL name, for interoperation */

/* The contents where the device works in host memory at once: current until the next launch or release. NULL elsewhere. */
const void *buffer_host(const Buffer *buffer);

/* Whether buffer textures are long enough for that many bytes; what lies behind their end reads as anything. A launch with a texture of a
 * buffer that is larger than they reach fails. */
bool buffer_texture_reaches(const Device *device, TexelFormat format, uint64_t bytes);
/* Whether programs read all of the buffer as a texture: where that is faster than storage blocks (RILL_TUNE), and textures reach so far. */
bool buffer_in_texture(const Buffer *buffer, TexelFormat format);

/* Whether kernels can bind the whole buffer: known up to the advertised block size, found by one trial in its spare tail beyond it (drivers
 * advertise less than they can do). False with error_set. */
bool buffer_block_fits(Buffer *buffer);

/* A number that grows with every write to the buffer. */
uint64_t buffer_version(const Buffer *buffer);
/* Notes a write: whoever lets a shader write a buffer says so (buffer_write, buffer_copy and buffer_fill do). */
void buffer_wrote(Buffer *buffer, const BufferRegion *region);
/* Whether the region was, or may have been, written after the buffer had this version. */
bool buffer_written_since(const Buffer *buffer, uint64_t version, const BufferRegion *region);

/* All transfers are ordered after launches issued before. */
bool buffer_write(Buffer *buffer, uint64_t offset, const void *data, uint64_t bytes);
bool buffer_read(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes); /* waits */
bool buffer_copy(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes);
/* Repeats a pattern of 1, 2, 4, 8, 12 or 16 bytes; offset and bytes are multiples of it. */
bool buffer_fill(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes);

/* A read-back in flight. */
typedef struct Transfer Transfer;
Transfer *transfer_create(Buffer *buffer, uint64_t offset, uint64_t bytes);
bool transfer_ready(Transfer *transfer);
const void *transfer_wait(Transfer *transfer); /* the bytes, valid until release; NULL on failure */
void transfer_release(Transfer *transfer);

#endif
