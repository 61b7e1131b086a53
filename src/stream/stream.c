#include "stream/stream.h"

#include "base/error.h"
#include "stream/view_dim.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

int64_t stream_elements(const Stream *stream)
{
    return shape_elements(&stream->shape);
}

uint64_t stream_bytes(const Stream *stream)
{
    return (uint64_t)stream_elements(stream) * (uint64_t)stream->type->bytes;
}

int64_t stream_locate(const Stream *stream, const int64_t *index)
{
    int64_t number = stream->offset;
    for (int d = 0; d < stream->shape.rank; d++) {
        number += view_dim_at(&stream->dim[d], index[d]) * stream->dim[d].stride;
    }
    return number;
}

/* Fills a header over contiguous elements beginning at `offset`. It has no buffer yet and holds no references. */
static void stream_header(Device *device, const Type *type, const Shape *shape, int64_t offset, Stream *result)
{
    memset(result, 0, sizeof *result);
    result->device = device;
    result->type = type;
    result->shape = *shape;
    result->offset = offset;
    result->contiguous = true;
    int64_t stride = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        result->dim[d] = (ViewDim){.stride = stride, .step = 1, .div = 1};
        stride *= shape->size[d];
    }
}

static bool create(Device *device, const Type *type, const Shape *shape, bool zero, bool readable, Stream *result)
{
    memset(result, 0, sizeof *result);
    if (!shape_check(shape)) {
        return false;
    }
    uint64_t bytes = (uint64_t)shape_elements(shape) * (uint64_t)type->bytes;
    Buffer *buffer = readable ? buffer_create_readable(device, bytes) : buffer_create(device, bytes, zero);
    if (!buffer) {
        return false;
    }
    stream_header(device_retain(device), type_retain(type), shape, 0, result);
    result->buffer = buffer;
    result->writable = true;
    return true;
}

bool stream_create(Device *device, const Type *type, const Shape *shape, bool zero, Stream *result)
{
    return create(device, type, shape, zero, false, result);
}

bool stream_create_readable(Device *device, const Type *type, const Shape *shape, Stream *result)
{
    return create(device, type, shape, false, true, result);
}

bool stream_over(Buffer *buffer, const Type *type, const Shape *shape, int64_t offset, Stream *result)
{
    memset(result, 0, sizeof *result);
    if (!shape_check(shape)) {
        return false;
    }
    uint64_t room = buffer_bytes(buffer) / (uint64_t)type->bytes;
    uint64_t count = (uint64_t)shape_elements(shape);
    if (offset < 0 || (uint64_t)offset > room || count > room - (uint64_t)offset) {
        char text[SHAPE_TEXT];
        return error_set("a stream of %s %s from element %" PRId64 " does not fit into a buffer of %" PRIu64 " bytes",
                         shape_text(shape, text), type->name, offset, buffer_bytes(buffer));
    }
    stream_header(device_retain(buffer_device(buffer)), type_retain(type), shape, offset, result);
    result->buffer = buffer_retain(buffer);
    result->writable = true;
    return true;
}

void stream_copy_view(const Stream *from, Stream *result)
{
    *result = *from;
    device_retain(result->device);
    type_retain(result->type);
    if (result->buffer) {
        buffer_retain(result->buffer);
    }
    if (result->length.buffer) {
        buffer_retain(result->length.buffer);
    }
}

void stream_set_length(Stream *stream, DeviceLength length)
{
    buffer_retain(length.buffer);
    buffer_release(stream->length.buffer);
    stream->length = length;
}

bool stream_settle(Stream *stream)
{
    uint32_t count;
    if (!stream->length.buffer) {
        return true;
    }
    const uint32_t *host = buffer_host(stream->length.buffer);
    if (host) {
        count = host[stream->length.word];
    } else if (!buffer_read(stream->length.buffer, UINT64_C(4) * stream->length.word, &count, sizeof count)) {
        return false;
    }
    buffer_release(stream->length.buffer);
    stream->length = (DeviceLength){0};
    stream->shape.size[0] = count < stream->shape.size[0] ? count : stream->shape.size[0];
    return true;
}

void stream_release(Stream *stream)
{
    Device *device = stream->device;
    if (!device) {
        return;
    }
    if (stream->buffer) {
        buffer_release(stream->buffer);
    }
    buffer_release(stream->length.buffer);
    type_release(stream->type);
    memset(stream, 0, sizeof *stream);
    device_release(device);
}

/* Ramps. */

static bool ramp_type_check(const Type *type)
{
    if (type->is_struct || type->value != type || type->scalar == SCALAR_BOOL) {
        return error_set("an iterator stream must be of float, double, int, uint or a vector of them, got %s",
                         type->name);
    }
    return true;
}

/* Sets component c of a ramp over `count` elements. Returns false with error_set if an end is not finite or an
 * integer cannot hold a value. */
static bool ramp_component(Stream *s, int c, double from, double to, int64_t count)
{
    double delta = count > 0 ? (to - from) / (double)count : 0;
    if (!isfinite(from) || !isfinite(delta)) {
        return error_set("an iterator stream needs finite ends, got %g and %g", from, to);
    }
    if (!type_scalar_is_float(s->type->scalar)) {
        double low = s->type->scalar == SCALAR_INT ? -2147483648.0 : 0,
               high = s->type->scalar == SCALAR_INT ? 2147483647.0 : 4294967295.0;
        double last = from + delta * (double)(count > 0 ? count - 1 : 0);
        if (from != floor(from) || delta != floor(delta)) {
            return error_set("an iterator stream of %s from %g to %g over %" PRId64
                             " elements would step by %g: not a whole number",
                             s->type->name, from, to, count, delta);
        }
        if (from < low || from > high || last < low || last > high) {
            return error_set("an iterator stream from %.0f to %.0f does not fit %s (%.0f .. %.0f)", from, to,
                             s->type->name, low, high);
        }
    }
    s->ramp.from[c] = from;
    s->ramp.delta[c] = delta;
    return true;
}

bool stream_ramp(Device *device, const Type *type, const Shape *shape, const double *from, const double *to,
                 Stream *result)
{
    memset(result, 0, sizeof *result);
    if (!shape_check(shape) || !ramp_type_check(type)) {
        return false;
    }
    Stream made;
    stream_header(device, type, shape, 0, &made);
    made.source = SOURCE_RAMP;
    int64_t all = shape_elements(shape), below = 1;
    for (int c = 0; c < type->components; c++) {
        int d = shape->rank - 1 - c;
        bool flat = type->components == 1 || shape->rank == 1;
        int64_t count = flat ? all : d >= 0 ? shape->size[d] : 1;
        bool runs = flat || d >= 0;
        made.ramp.div[c] = flat || below < 1 ? 1 : below;
        made.ramp.mod[c] = count > 0 ? count : 1;
        if (!ramp_component(&made, c, from[c], runs ? to[c] : from[c], count)) {
            return false;
        }
        below *= count;
    }
    device_retain(device);
    *result = made;
    return true;
}

void stream_ramp_element(const Stream *stream, int64_t number, void *element)
{
    const Ramp *ramp = &stream->ramp;
    char *to = element;
    for (int c = 0; c < stream->type->components; c++) {
        int64_t k = number / ramp->div[c] % ramp->mod[c];
        if (stream->type->scalar == SCALAR_FLOAT) {
            float product = (float)ramp->delta[c] * (float)k;
            float value = (float)ramp->from[c] + product;
            memcpy(to + 4 * c, &value, sizeof value);
        } else if (stream->type->scalar == SCALAR_DOUBLE) {
            double product = ramp->delta[c] * (double)k;
            double value = ramp->from[c] + product;
            memcpy(to + 8 * c, &value, sizeof value);
        } else {
            uint32_t value = (uint32_t)((int64_t)ramp->from[c] + (int64_t)ramp->delta[c] * k);
            memcpy(to + 4 * c, &value, sizeof value);
        }
    }
}
