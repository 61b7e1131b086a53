/* Bluestein's algorithm (IEEE Transactions on Audio and Electroacoustics 18, 1970). With 2 j k = j^2 + k^2 - (k -
 * j)^2 a transform of any length becomes a convolution with a chirp, c[k] = exp(-pi i k^2 / n), which is computed by
 * longer transforms. */
#include "kernel/launch/builtin.h"
#include "linalg/fft/fft_private.h"

#include <stdlib.h>
#include <string.h>

/* A chirp of `length` elements, convolved by transforms of `room` elements. */
typedef struct Chirp {
    Device *device;
    const Type *type;
    int64_t length, room;
} Chirp;

static int64_t chirp_power(int64_t k, int64_t length)
{
    return (int64_t)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)length));
}

/* Fills in the chirp. Arguments: the length, whether doubles. */
static bool fill_chirp(const Constants *constants, Buffer *buffer)
{
    int64_t length = constants->arguments[0];
    void *data = malloc(constants->bytes);
    for (int64_t k = 0; data && k < length; k++) {
        double x, y;
        twiddles_find(chirp_power(k, length), 2 * length, &x, &y);
        twiddles_put(data, k, constants->arguments[1] != 0, x, y);
    }
    return twiddles_write(constants, buffer, data);
}

/* Fills in the transform of the chirp's conjugate, on both sides of 0, over the room. Arguments: the length, the
 * room, whether doubles. */
static bool fill_response(const Constants *constants, Buffer *buffer)
{
    int64_t length = constants->arguments[0], room = constants->arguments[1];
    bool wide = constants->arguments[2] != 0;
    Constants plain = {.bytes = constants->bytes};
    Fft f = {1, room, 1, false, 1.0 / (double)room};
    Stream s;
    Shape shape = {.rank = 1, .size = {room}};
    void *data = calloc(1, constants->bytes);
    for (int64_t k = 0; data && k < length; k++) {
        double x, y;
        twiddles_find(chirp_power(k, length), 2 * length, &x, &y);
        twiddles_put(data, k, wide, x, -y);
        twiddles_put(data, (room - k) % room, wide, x, -y);
    }
    if (!twiddles_write(&plain, buffer, data) ||
        !stream_over(buffer, type_of(wide ? SCALAR_DOUBLE : SCALAR_FLOAT, 2), &shape, 0, &s)) {
        return false;
    }
    bool done = fft_run_passes(&f, false, &s) &&
                buffer_copy(buffer, 0, s.buffer, (uint64_t)(s.offset * s.type->bytes), constants->bytes);
    stream_release(&s);
    return done;
}

/* Creates a stream over constants, with `count` elements along the middle one of three dimensions. */
static bool find_stream(const Chirp *c, const Constants *constants, int64_t count, Stream *result)
{
    Shape shape = {.rank = 3, .size = {1, count, 1}};
    Buffer *buffer = constants_find(c->device, constants);
    return buffer && stream_over(buffer, c->type, &shape, 0, result);
}

static bool find_chirp(const Chirp *c, Stream *result)
{
    Constants constants = {
        fill_chirp, {c->length, c->type->scalar == SCALAR_DOUBLE}, (uint64_t)(c->length * c->type->bytes)};
    return find_stream(c, &constants, c->length, result);
}

static bool find_response(const Chirp *c, Stream *result)
{
    Constants constants = {
        fill_response, {c->length, c->room, c->type->scalar == SCALAR_DOUBLE}, (uint64_t)(c->room * c->type->bytes)};
    return find_stream(c, &constants, c->room, result);
}

/* Computes to = from * factors * scale, or with the conjugates of the factors. */
static bool multiply(const Stream *from, const Stream *factors, bool conjugate, double scale, const Stream *to)
{
    static const char text[] =
        "kernel void chirp(%s x<>, %s w<>, float direction, %s scale, out %s r<>) {\n"
        "  r = %s(x.x * w.x - x.y * w.y * direction, x.x * w.y * direction + x.y * w.x) * scale;\n"
        "}\n";
    bool wide = fft_wide(to);
    const char *type = to->type->name;
    StrBuf out = STRBUF_EMPTY;
    strbuf_addf(&out, text, type, type, wide ? "double" : "float", type, type);
    Kernel *kernel = builtin_kernel(to->device, strbuf_text(&out));
    strbuf_free(&out);
    float direction = conjugate ? -1 : 1, narrow = (float)scale;
    uint32_t direction_words[1], scale_words[2];
    memcpy(direction_words, &direction, sizeof direction);
    memcpy(scale_words, wide ? (const void *)&scale : (const void *)&narrow, wide ? sizeof scale : sizeof narrow);
    Argument args[] = {
        {.stream = from}, {.stream = factors}, {.words = direction_words}, {.words = scale_words}, {.stream = to}};
    return kernel && kernel_launch(kernel, to->device, args, &to->shape, false);
}

/* Creates a view of the first `length` elements along the middle one of three dimensions. */
static bool take_first(const Stream *s, int64_t length, Stream *result)
{
    int64_t from[3] = {0}, to[3] = {s->shape.size[0], length, s->shape.size[2]};
    return stream_domain(s, from, to, result);
}

/* Convolves with the chirp. from: three dimensions; padded: zeros with the length of the room along the middle
 * dimension; to: the shape of from. */
static bool convolve(const Fft *f, const Chirp *c, const Stream *from, Stream *padded, Stream *to)
{
    Stream chirp = {0}, response = {0}, part = {0};
    Fft inner = {f->outer, c->room, f->inner, false, 1};
    bool done = find_chirp(c, &chirp) && find_response(c, &response) && take_first(padded, c->length, &part) &&
                multiply(from, &chirp, f->backwards, 1, &part);
    stream_release(&part);
    done = done && fft_run_passes(&inner, true, padded) && multiply(padded, &response, f->backwards, 1, padded);
    inner.backwards = true;
    done = done && fft_run_passes(&inner, true, padded) && take_first(padded, c->length, &part) &&
           multiply(&part, &chirp, f->backwards, f->scale, to);
    stream_release(&part);
    stream_release(&response);
    stream_release(&chirp);
    return done;
}

bool fft_run_bluestein(const Fft *f, bool own, Stream *s)
{
    Chirp c = {s->device, s->type, f->length, fft_above(s->device, 2 * f->length - 1)};
    Shape shape = {.rank = 3, .size = {f->outer, f->length, f->inner}}, room = shape;
    Stream from = {0}, padded = {0}, to = {0}, result = {0};
    room.size[1] = c.room;
    bool done = shape_check(&room) && stream_reshape(s, &shape, &from) &&
                stream_create(c.device, c.type, &room, true, &padded) &&
                (own ? (stream_copy_view(&from, &to), true) : stream_create(c.device, c.type, &shape, false, &to)) &&
                convolve(f, &c, &from, &padded, &to) && stream_reshape(&to, &s->shape, &result);
    stream_release(&from);
    stream_release(&padded);
    stream_release(&to);
    if (done) {
        stream_release(s);
        *s = result;
    }
    return done;
}
