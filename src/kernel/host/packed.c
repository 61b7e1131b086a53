#include "kernel/host/packed.h"

#include "gpu/memory/buffer.h"

#include <stdlib.h>
#include <string.h>

/* Computes the elements of a ramp, which has no bytes. */
static void ramp_download(const Stream *s, char *to)
{
    int64_t index[SHAPE_MAX_RANK] = {0};
    int64_t count = stream_elements(s);
    for (int64_t e = 0; e < count; e++, to += s->type->bytes) {
        stream_ramp_element(s, s->contiguous ? s->offset + e : stream_locate(s, index), to);
        for (int d = s->shape.rank - 1; d >= 0 && ++index[d] == s->shape.size[d]; d--) {
            index[d] = 0;
        }
    }
}

bool packed_download(const Stream *stream, void *bytes)
{
    uint64_t size = stream_bytes(stream);
    if (size == 0) {
        return true;
    }
    if (stream->source == SOURCE_RAMP) {
        ramp_download(stream, bytes);
        return true;
    }
    if (stream->contiguous) {
        return buffer_read(stream->buffer, (uint64_t)stream->offset * (uint64_t)stream->type->bytes, bytes, size);
    }
    Stream whole;
    if (!copy_whole(stream, NULL, "the read-back: the stream", &whole)) {
        return false;
    }
    bool good = buffer_read(whole.buffer, 0, bytes, size);
    stream_release(&whole);
    return good;
}

static bool upload(const Stream *stream, const void *bytes)
{
    uint64_t size = stream_bytes(stream);
    if (stream->contiguous) {
        return buffer_write(stream->buffer, (uint64_t)stream->offset * (uint64_t)stream->type->bytes, bytes, size);
    }
    Stream whole, to = *stream;
    if (!stream_create(stream->device, stream->type, &stream->shape, false, &whole)) {
        return false;
    }
    bool good = buffer_write(whole.buffer, 0, bytes, size) && copy_stream(&to, &whole);
    stream_release(&whole);
    return good;
}

/* Bytes may come from strings and files, so bools may be any word. */
bool packed_upload(const Stream *stream, const void *bytes)
{
    int64_t count = stream_elements(stream);
    if (count == 0) {
        return true;
    }
    if (type_normal(stream->type, bytes, count)) {
        return upload(stream, bytes);
    }
    void *normal = malloc((size_t)stream_bytes(stream));
    if (!normal) {
        return error_set("out of host memory");
    }
    memcpy(normal, bytes, (size_t)stream_bytes(stream));
    type_normalize(stream->type, normal, count);
    bool done = upload(stream, normal);
    free(normal);
    return done;
}

bool packed_stream(Device *device, const Type *type, const Shape *shape, const void *bytes, Stream *result)
{
    if (!stream_create(device, type, shape, false, result)) {
        return false;
    }
    if (!packed_upload(result, bytes)) {
        stream_release(result);
        return false;
    }
    return true;
}

void *packed_bytes(const Stream *stream)
{
    uint64_t size = stream_bytes(stream);
    void *bytes = malloc(size + 1);
    if (!bytes) {
        error_set("out of host memory for %llu bytes", (unsigned long long)size);
        return NULL;
    }
    if (!packed_download(stream, bytes)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

const void *packed_in_place(const Stream *s)
{
    const char *base = s->contiguous && s->buffer && stream_elements(s) > 0 ? buffer_host(s->buffer) : NULL;
    return base ? base + s->offset * s->type->bytes : NULL;
}

void *packed_destination(const Stream *s)
{
    const uint64_t bytes = (uint64_t)s->type->bytes;
    return packed_in_place(s) ? buffer_overwrite(s->buffer, (uint64_t)s->offset * bytes, stream_bytes(s)) : NULL;
}

double *packed_doubles(const Stream *stream)
{
    const Type *type = type_of(SCALAR_DOUBLE, 1);
    Stream cast;
    if (stream->type == type) {
        return packed_bytes(stream);
    }
    if (!copy_new(stream, type, &cast)) {
        return NULL;
    }
    double *numbers = packed_bytes(&cast);
    stream_release(&cast);
    return numbers;
}

bool packed_write(Stream *to, const Stream *from)
{
    bool direct = to->contiguous && from->contiguous && from->buffer && type_same_layout(from->type, to->type) &&
                  !stream_overlaps(to, from);
    if (stream_elements(to) == 0) {
        return true;
    }
    if (!direct) {
        return copy_stream(to, from);
    }
    return buffer_copy(to->buffer, (uint64_t)to->offset * (uint64_t)to->type->bytes, from->buffer,
                       (uint64_t)from->offset * (uint64_t)from->type->bytes, stream_bytes(to));
}

bool packed_copy(const Stream *s, const Type *type, Stream *result)
{
    if (!s->contiguous || !s->buffer || (type && type != s->type)) {
        return copy_new(s, type, result);
    }
    return stream_create(s->device, s->type, &s->shape, false, result) &&
           buffer_copy(result->buffer, 0, s->buffer, (uint64_t)s->offset * (uint64_t)s->type->bytes, stream_bytes(s));
}

bool packed_fill(Stream *s, const void *element)
{
    int bytes = s->type->bytes;
    bool pattern = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
    if (stream_elements(s) == 0) {
        return true;
    }
    if (!s->contiguous || !pattern) {
        return copy_fill(s, element);
    }
    return buffer_fill(s->buffer, (uint64_t)s->offset * (uint64_t)bytes, stream_bytes(s), element, bytes);
}
