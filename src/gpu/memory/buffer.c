#include "gpu/memory/buffer.h"

#include "gpu/context/device_private.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* SPARE_TAIL: room for stores of the last step of a launch after the elements. */
enum { ALIGNMENT = 16, SPARE_TAIL = 240, READABLE_BYTES = 4096 };

static const uint64_t MIB = 1024 * 1024;
/* Most bytes that one GL call moves, since some drivers store sizes in an int. */
static const uint64_t CHUNK = 1024 * 1024 * 1024;
/* Devices that queue work use a shader for copies and fills of at least this many bytes. */
static const uint64_t BULK = 256 * 1024;

typedef unsigned long long Count; /* for messages */

/* --- allocation --- */

/* Allocates the storage. Returns false if the device has no memory left; otherwise GL may have recorded an error. */
static bool store_buffer(Buffer *buffer)
{
    const GLbitfield map = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const DeviceTraits *traits = &buffer->device->traits;
    GLsizeiptr size = (GLsizeiptr)buffer->capacity;
    LargePagesResult large =
        buffer->capacity >= buffer->device->large_bytes ? large_pages_store(buffer) : LARGE_PAGES_NONE;
    if (large != LARGE_PAGES_NONE) {
        return large == LARGE_PAGES_STORED;
    }
    if (buffer->capacity >= buffer->device->pinned_bytes && pinned_memory_store(buffer)) {
        return true;
    }
    if (buffer->readable) {
        glBufferStorage(GL_COPY_WRITE_BUFFER, size, NULL, map | GL_DYNAMIC_STORAGE_BIT | GL_CLIENT_STORAGE_BIT);
        buffer->host = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, map);
        return buffer->host != NULL;
    }
    if (!buffer->device->buffer_storage) {
        glBufferData(GL_COPY_WRITE_BUFFER, size, NULL, GL_DYNAMIC_COPY);
    } else if (traits->host_memory && traits->synchronous) {
        glBufferStorage(GL_COPY_WRITE_BUFFER, size, NULL, map | GL_DYNAMIC_STORAGE_BIT);
        buffer->map = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, map);
    } else {
        glBufferStorage(GL_COPY_WRITE_BUFFER, size, NULL, GL_DYNAMIC_STORAGE_BIT);
    }
    return true;
}

/* Creates a buffer. Returns NULL, without an error message, if GL has no memory left. */
static Buffer *new_buffer(Device *device, uint64_t capacity, bool readable)
{
    Buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return NULL;
    }
    buffer->device = device;
    buffer->capacity = capacity;
    buffer->readable = readable;
    glGenBuffers(1, &buffer->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->name);
    gl_error_clear(device);
    if (!store_buffer(buffer) || glGetError() != GL_NO_ERROR || device->debug.recorded) {
        gl_error_clear(device);
        pool_destroy(buffer);
        return NULL;
    }
    return buffer;
}

static Buffer *obtain(Device *device, uint64_t bytes, uint64_t capacity, bool readable)
{
    if (!memory_fits(device, bytes)) {
        return NULL;
    }
    Buffer *buffer = pool_take(device, capacity, readable);
    if (buffer) {
        buffer->zero = false;
        return buffer;
    }
    memory_make_room(device, bytes);
    return new_buffer(device, capacity, readable);
}

static Buffer *obtain_or_collect(Device *device, uint64_t bytes, uint64_t capacity, bool readable)
{
    Buffer *buffer = obtain(device, bytes, capacity, readable);
    if (!buffer) {
        memory_collect(device);
        buffer = obtain(device, bytes, capacity, readable);
    }
    if (!buffer) {
        memory_shrink(device, 0);
        buffer = obtain(device, bytes, capacity, readable);
    }
    return buffer;
}

static void account(Buffer *buffer, uint64_t bytes)
{
    static atomic_uint_fast64_t serials;
    Device *device = device_retain(buffer->device);
    buffer->count = 1;
    buffer->serial = ++serials;
    buffer->bytes = bytes;
    buffer->writes.count = 0;
    device->memory.buffers++;
    memory_count(device, bytes);
}

static bool fill_words(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes);

static bool clear(Buffer *buffer)
{
    const uint32_t zero = 0;
    if (buffer->map) {
        memset(buffer->map, 0, buffer->capacity);
        return true;
    }
    return fill_words(buffer, 0, buffer->capacity, &zero, sizeof zero) &&
           gl_error_check(buffer->device, "buffer_create");
}

/* Fills the buffer from byte `from` to its end: see poison.c. */
static bool poison(Buffer *buffer, uint64_t from)
{
    const Device *device = buffer->device;
    if (!device->poisoned) {
        return true;
    }
    if (buffer->host) {
        /* Through the mapping: zink may replace the memory of a buffer that glBufferSubData writes, and the mapping
         * would show the memory before. */
        poison_host(device, buffer->host, buffer->capacity);
        return true;
    }
    uint64_t whole = (from + POISON_BYTES - 1) / POISON_BYTES * POISON_BYTES;
    const char *part = (const char *)device->poison + from % POISON_BYTES;
    bool done = buffer_write(buffer, from, part, whole - from) &&
                buffer_fill(buffer, whole, buffer->capacity - whole, device->poison, POISON_BYTES);
    buffer->writes.count = 0; /* the buffer is new */
    return done;
}

static Buffer *create(Device *device, uint64_t bytes, bool zero, bool readable)
{
    uint64_t ceiling = device->buffer_ceiling ? device->buffer_ceiling : (uint64_t)INT64_MAX / 2;
    uint64_t padded =
        (bytes > 0 && bytes <= ceiling ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT) + SPARE_TAIL;
    uint64_t capacity = pool_round(padded);
    capacity = readable ? pool_round(READABLE_BYTES + SPARE_TAIL) : capacity > ceiling ? padded : capacity;
    if (bytes > ceiling || capacity > ceiling) {
        error_set("out of device memory: %llu bytes requested in one stream; \"%s\" allows at most %llu", (Count)bytes,
                  device->info.name, (Count)(ceiling - ALIGNMENT - SPARE_TAIL));
        return NULL;
    }
    if (device->lost && !gl_error_alive(device)) {
        return NULL;
    }
    if (device->trim_programs) {
        device->trim_programs(device);
    }
    Buffer *buffer = obtain_or_collect(device, bytes, capacity, readable);
    if (!buffer) {
        if (gl_error_alive(device)) {
            memory_exhausted(device, bytes);
        }
        return NULL;
    }
    account(buffer, bytes);
    if ((zero && !buffer->zero && !clear(buffer)) || !poison(buffer, zero ? bytes : 0)) {
        buffer_release(buffer);
        return NULL;
    }
    return buffer;
}

Buffer *buffer_create(Device *device, uint64_t bytes, bool zero)
{
    return create(device, bytes, zero, false);
}

Buffer *buffer_create_readable(Device *device, uint64_t bytes)
{
    return create(device, bytes, false, device->staged && bytes <= READABLE_BYTES);
}

uint64_t buffer_serial(const Buffer *buffer)
{
    return buffer->serial;
}

Buffer *buffer_retain(Buffer *buffer)
{
    buffer->count++;
    return buffer;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns how many bytes the pool may have. In host memory the pool is at most as large as the memory in use, so that
 * a loop over streams of any size uses its memory again. Drivers need milliseconds to allocate and free hundreds of MiB
 * of a GPU's memory, so the pool is large there. */
static uint64_t pool_bound(const Device *device)
{
    uint64_t share = device->limits.memory_bytes / 8, live = device->memory.bytes + device->constants;
    uint64_t bound = device->traits.host_memory ? larger(256 * MIB, smaller(live, share))
                                                : larger(1024 * MIB, device->info.software ? 0 : share);
    uint64_t limit = memory_bound(device);
    uint64_t room = limit > live ? limit - live : 0;
    return limit && room < bound ? room : bound;
}

void buffer_release(Buffer *buffer)
{
    if (!buffer || --buffer->count > 0) {
        return;
    }
    Device *device = buffer->device;
    texture_detach(buffer);
    device->memory.bytes -= buffer->bytes;
    device->memory.buffers--;
    if (device->lost || buffer->bytes > pool_bound(device)) {
        pool_destroy(buffer);
    } else {
        pool_give(device, buffer);
        pool_shrink(device, pool_bound(device));
    }
    device_release(device);
}

Device *buffer_device(const Buffer *buffer)
{
    return buffer->device;
}

uint64_t buffer_bytes(const Buffer *buffer)
{
    return buffer->bytes;
}

uint64_t buffer_capacity(const Buffer *buffer)
{
    return buffer->capacity;
}

uint32_t buffer_name(const Buffer *buffer)
{
    return buffer->name;
}

const void *buffer_host(const Buffer *buffer)
{
    return buffer->map;
}

/* --- buffer textures --- */

static const uint64_t texel_bytes[TEXEL_FORMATS] = {4, 16, 8};

bool buffer_texture_reaches(const Device *device, TexelFormat format, uint64_t bytes)
{
    return bytes <= device->limits.texture_texels * texel_bytes[format];
}

bool buffer_in_texture(const Buffer *buffer, TexelFormat format)
{
    return buffer->device->traits.tuning[TUNING_BUFFER_TEXTURES] &&
           buffer_texture_reaches(buffer->device, format, buffer->capacity);
}

const GLenum buffer_texture_formats[TEXEL_FORMATS] = {GL_R32UI, GL_RGBA32UI, GL_RG32UI};

static void attach(Buffer *buffer, TexelFormat format)
{
    uint64_t reach = buffer->device->limits.texture_texels * texel_bytes[format];
    uint64_t bytes = buffer->capacity / texel_bytes[format] * texel_bytes[format];
    /* A unit that no dispatch uses, so that the cached bindings stay valid. */
    glActiveTexture(GL_TEXTURE0 + DEVICE_MAX_TEXTURES);
    glBindTexture(GL_TEXTURE_BUFFER, buffer->textures[format]);
    glTexBufferRange(GL_TEXTURE_BUFFER, buffer_texture_formats[format], buffer->name, 0,
                     (GLsizeiptr)(bytes < reach ? bytes : reach));
    glBindTexture(GL_TEXTURE_BUFFER, 0);
}

GLuint buffer_texture(Buffer *buffer, TexelFormat format)
{
    const Device *device = buffer->device;
    if (!buffer_texture_reaches(device, format, buffer->bytes)) {
        error_set(
            "device_dispatch: %llu bytes are too large for a texture of \"%s\", which has at most %llu; use fewer "
            "elements",
            (Count)buffer->bytes, device->info.name, (Count)(device->limits.texture_texels * texel_bytes[format]));
        return 0;
    }
    if (buffer->textures[format] == 0) {
        glGenTextures(1, &buffer->textures[format]);
        attach(buffer, format);
        if (!gl_error_check(buffer->device, "device_dispatch")) {
            glDeleteTextures(1, &buffer->textures[format]);
            buffer->textures[format] = 0;
        }
    }
    return buffer->textures[format];
}

/* --- contents --- */

static bool in_range(const Buffer *buffer, uint64_t offset, uint64_t bytes, const char *call)
{
    if (offset > buffer->capacity || bytes > buffer->capacity - offset) {
        return error_set("%s: bytes %llu to %llu lie outside a buffer of %llu", call, (Count)offset,
                         (Count)(offset + bytes), (Count)buffer->bytes);
    }
    return !buffer->device->lost || gl_error_alive(buffer->device);
}

static void wrote_bytes(Buffer *buffer, uint64_t offset, uint64_t bytes)
{
    buffer_wrote(buffer, &(BufferRegion){.from = offset, .to = offset + bytes, .width = bytes});
}

void *buffer_overwrite(Buffer *buffer, uint64_t offset, uint64_t bytes)
{
    if (!buffer->map || !in_range(buffer, offset, bytes, "buffer_overwrite")) {
        return NULL;
    }
    wrote_bytes(buffer, offset, bytes);
    return buffer->map + offset;
}

static uint64_t chunk(uint64_t left)
{
    return left < CHUNK ? left : CHUNK;
}

bool buffer_write(Buffer *buffer, uint64_t offset, const void *data, uint64_t bytes)
{
    if (!in_range(buffer, offset, bytes, "buffer_write")) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    wrote_bytes(buffer, offset, bytes);
    if (buffer->map) {
        memcpy(buffer->map + offset, data, bytes);
        return true;
    }
    if (buffer->device->staged) {
        return staging_ring_write(buffer, offset, data, bytes);
    }
    bindings_barrier(buffer->device, GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->name);
    for (uint64_t done = 0; done < bytes; done += chunk(bytes - done)) {
        glBufferSubData(GL_COPY_WRITE_BUFFER, (GLintptr)(offset + done), (GLsizeiptr)chunk(bytes - done),
                        (const uint8_t *)data + done);
    }
    return gl_error_check(buffer->device, "buffer_write");
}

static void read_chunks(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes)
{
    /* The second bit makes the fault words visible too, after the read has waited. */
    bindings_barrier(buffer->device, GL_BUFFER_UPDATE_BARRIER_BIT | GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer->name);
    for (uint64_t done = 0; done < bytes; done += chunk(bytes - done)) {
        glGetBufferSubData(GL_COPY_READ_BUFFER, (GLintptr)(offset + done), (GLsizeiptr)chunk(bytes - done),
                           (uint8_t *)data + done);
    }
}

/* Reads a readable buffer after the launches that were issued. */
static bool read_host(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes)
{
    bindings_barrier(buffer->device, GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    GLsync fence = fence_create(buffer->device);
    if (!fence_wait(buffer->device, &fence)) {
        glDeleteSync(fence);
        return error_prefix("buffer_read");
    }
    memcpy(data, buffer->host + offset, bytes);
    return true;
}

bool buffer_read(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes)
{
    Device *device = buffer->device;
    if (!in_range(buffer, offset, bytes, "buffer_read")) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    device->memory.reads++;
    if (buffer->map) {
        memcpy(data, buffer->map + offset, bytes);
        return true;
    }
    if (buffer->host) {
        if (!read_host(buffer, offset, data, bytes)) {
            return false;
        }
    } else if (!device->staged) {
        read_chunks(buffer, offset, data, bytes);
    } else if (!staging_ring_read(buffer, offset, data, bytes)) {
        return error_prefix("buffer_read");
    }
    fault_refresh(device);
    return gl_error_check(device, "buffer_read") && fault_report(device);
}

static bool copy_chunks(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes)
{
    uint64_t begin = 0;
    if (to->device->staged && bytes >= BULK &&
        !to->device->copy_many(to, to_offset, from, from_offset, bytes, &begin)) {
        return false;
    }
    if (begin == bytes) {
        return true;
    }
    bindings_barrier(to->device, GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, from->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to->name);
    for (uint64_t done = begin; done < bytes; done += chunk(bytes - done)) {
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)(from_offset + done),
                            (GLintptr)(to_offset + done), (GLsizeiptr)chunk(bytes - done));
    }
    return true;
}

/* Copies through a temporary buffer, since GL forbids overlapping copies. */
static bool copy_overlapping(Buffer *buffer, uint64_t to_offset, uint64_t from_offset, uint64_t bytes)
{
    Buffer *aside = buffer_create(buffer->device, bytes, false);
    if (!aside) {
        return error_prefix("buffer_copy");
    }
    bool done = copy_chunks(aside, 0, buffer, from_offset, bytes) && copy_chunks(buffer, to_offset, aside, 0, bytes);
    buffer_release(aside);
    return done && gl_error_check(buffer->device, "buffer_copy");
}

bool buffer_copy(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes)
{
    if (to->device != from->device) {
        return error_set("buffer_copy: the buffers belong to different devices");
    }
    if (!in_range(to, to_offset, bytes, "buffer_copy") || !in_range(from, from_offset, bytes, "buffer_copy")) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    wrote_bytes(to, to_offset, bytes);
    if (to->map && from->map) {
        memmove(to->map + to_offset, from->map + from_offset, bytes);
        return true;
    }
    if (to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes) {
        return copy_overlapping(to, to_offset, from_offset, bytes);
    }
    return copy_chunks(to, to_offset, from, from_offset, bytes) && gl_error_check(to->device, "buffer_copy");
}

bool buffer_copy_rows(Buffer *to, Buffer *from, const BufferRows *rows)
{
    if (!to->map || !from->map || to == from || to->device != from->device || rows->count == 0) {
        return false;
    }
    uint64_t last = rows->count - 1, to_end = rows->to + last * rows->to_pitch + rows->bytes;
    if (to_end > to->capacity || rows->from + last * rows->from_pitch + rows->bytes > from->capacity) {
        return false;
    }
    buffer_wrote(to, &(BufferRegion){.from = rows->to, .to = to_end, .pitch = rows->to_pitch, .width = rows->bytes});
    const uint8_t *source = from->map + rows->from;
    uint8_t *target = to->map + rows->to;
    for (uint64_t k = 0; k < rows->count; k++) {
        memcpy(target + k * rows->to_pitch, source + k * rows->from_pitch, rows->bytes);
    }
    return true;
}

/* Fills host memory; doubles the filled part in each step. */
static void fill_host(uint8_t *to, uint64_t bytes, const void *pattern, uint64_t pattern_bytes)
{
    memcpy(to, pattern, pattern_bytes);
    uint64_t done = pattern_bytes, block = 64 * 1024 / pattern_bytes * pattern_bytes;
    while (done < bytes) {
        uint64_t count = done < block ? done : block;
        count = count < bytes - done ? count : bytes - done;
        memcpy(to + done, to, count);
        done += count;
    }
}

typedef struct FillFormat {
    int bytes;
    GLenum internal, format, type;
} FillFormat;

static const FillFormat *fill_format(int bytes)
{
    static const FillFormat formats[] = {
        {1, GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE},    {2, GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT},
        {4, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT},    {8, GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT},
        {12, GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT}, {16, GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].bytes == bytes) {
            return &formats[i];
        }
    }
    return NULL;
}

static bool fill_words(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes)
{
    const FillFormat *how = fill_format(pattern_bytes);
    /* Chunks consist of whole patterns. */
    const uint64_t most = CHUNK / (uint64_t)how->bytes * (uint64_t)how->bytes;
    uint64_t begin = 0;
    if (buffer->device->staged && bytes >= BULK &&
        !buffer->device->fill_many(buffer, offset, bytes, pattern, pattern_bytes, &begin)) {
        return false;
    }
    bindings_barrier(buffer->device, GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->name);
    for (uint64_t done = begin; done < bytes; done += most) {
        uint64_t count = bytes - done < most ? bytes - done : most;
        glClearBufferSubData(GL_COPY_WRITE_BUFFER, how->internal, (GLintptr)(offset + done), (GLsizeiptr)count,
                             how->format, how->type, pattern);
    }
    return true;
}

bool buffer_fill(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes)
{
    const FillFormat *how = fill_format(pattern_bytes);
    if (!how || offset % (uint64_t)pattern_bytes || bytes % (uint64_t)pattern_bytes) {
        return error_set("buffer_fill: %llu bytes from %llu in patterns of %d; expected patterns of 1, 2, 4, 8, 12 or "
                         "16 bytes and whole multiples of them",
                         (Count)bytes, (Count)offset, pattern_bytes);
    }
    if (!in_range(buffer, offset, bytes, "buffer_fill")) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    wrote_bytes(buffer, offset, bytes);
    if (buffer->map) {
        fill_host(buffer->map + offset, bytes, pattern, (uint64_t)pattern_bytes);
        return true;
    }
    return fill_words(buffer, offset, bytes, pattern, pattern_bytes) && gl_error_check(buffer->device, "buffer_fill");
}
