#include "kernel/launch/copy.h"

#include "gpu/memory/buffer.h"
#include "gpu/program/profile.h"
#include "kernel/kernel.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/launch.h"
#include "kernel/launch/raw.h"
#include "kernel/launch/transpose.h"
#include "kernel/variant/address_map.h"

#include <stdio.h>
#include <string.h>

enum { LONG_ROW = 512 }; /* bytes of a row that the CPU copies */

static bool launch_over(StrBuf *text, const Argument *args, Device *device, const Domain *domain)
{
    Kernel *kernel = builtin_kernel(device, strbuf_text(text));
    strbuf_free(text);
    return kernel && launch_run(kernel, device, args, domain, false, copy_argument);
}

/* Converts values to another type by a kernel. */
static bool copy_values(Stream *to, const Stream *from, const Domain *domain)
{
    const char *type = from->type->value->name;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "kernel void copy(%s x<>, out %s r<>) { r = x; }", type, type);
    return launch_over(&text, (Argument[]){{.stream = from}, {.stream = to}}, to->device, domain);
}

/* Returns whether a stream interpolates between elements. Structures are not interpolated. */
static bool blended(const Stream *from)
{
    return from->map && from->map->blends && !from->type->is_struct;
}

/* Launches a kernel over the bytes of both streams. `format` contains two %s for their type.
 * `numbers`: its second argument, or NULL. */
static bool launch_raw(Stream *to, const Stream *from, const Stream *numbers, const Domain *domain, const char *format)
{
    Stream a, b;
    if (!raw_view(from, &a)) {
        return false;
    }
    if (!raw_view(to, &b)) {
        stream_release(&a);
        return false;
    }
    const char *raw = b.type->value->name;
    StrBuf text = STRBUF_EMPTY;
    raw_declare(&text, b.type);
    strbuf_addf(&text, format, raw, raw);
    Argument args[] = {{.stream = &a}, {.stream = numbers ? numbers : &b}, {.stream = &b}};
    bool done = launch_over(&text, args, b.device, domain);
    stream_release(&a);
    stream_release(&b);
    return done;
}

bool copy_over(Stream *to, const Stream *from, const Domain *domain)
{
    return blended(from) ? copy_values(to, from, domain)
                         : launch_raw(to, from, NULL, domain, "kernel void copy(%s x<>, out %s r<>) { r = x; }");
}

bool copy_take(Stream *to, const Stream *from, const Stream *numbers)
{
    Domain domain = {.shape = to->shape};
    return launch_raw(to, from, numbers, &domain, "kernel void take(%s x[], int i<>, out %s r<>) { r = x[i]; }");
}

/* Kernels see halves and unorm8s as floats. A double that is converted to one of them must not be
 * rounded to nearest twice. odd(x) truncates x to the bits of a float and sets the last bit if
 * anything is lost (rounding to odd, Boldo and Melquiond 2005). level(x) is the value of the
 * nearest unorm8. */
static const char narrowing[] =
    "kernel float odd(double x) {\n"
    "  float f = float(x); double back = double(f); uint u = floatBitsToUint(f);\n"
    "  return back == x ? f : uintBitsToFloat((abs(back) > abs(x) ? u - 1u : u) | 1u);\n}\n"
    "kernel float level(double x) { return float(floor(clamp(x, 0.0LF, 1.0LF) * 255.0LF + 0.5LF)) / 255.0; }\n";

static const char *narrowed(const Type *from, const Type *to)
{
    bool wide = from->scalar == SCALAR_DOUBLE;
    return wide && to->scalar == SCALAR_HALF ? "odd" : wide && to->scalar == SCALAR_UNORM8 ? "level" : NULL;
}

/* Writes a conversion to the value type of `stored`. In GLSL the conversion of negative floats to
 * uint is undefined. */
static void add_conversion(StrBuf *text, const Type *from, const Type *stored)
{
    const Type *to = stored->value;
    const char *function = narrowed(from, stored);
    bool real = from->scalar == SCALAR_FLOAT || from->scalar == SCALAR_DOUBLE;
    if (!function && (!real || to->scalar != SCALAR_UINT)) {
        strbuf_addf(text, "%s(x)", to->name);
        return;
    }
    strbuf_addf(text, "%s(", to->name);
    for (int c = 0; c < to->components; c++) {
        char part[4] = {'x', '.', "xyzw"[c], '\0'};
        part[1] = to->components > 1 ? '.' : '\0';
        if (function) {
            strbuf_addf(text, "%s%s(%s)", c ? ", " : "", function, part);
        } else {
            strbuf_addf(text, "%s(%s < 0 ? uint(int(%s)) : uint(%s))", c ? ", " : "", part, part, part);
        }
    }
    strbuf_add(text, ")");
}

static bool cast_over(Stream *to, const Stream *from, const Domain *domain)
{
    const Type *a = from->type->value, *b = to->type->value;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "%skernel void cast(%s x<>, out %s r<>) { r = ", narrowed(a, to->type) ? narrowing : "", a->name,
                b->name);
    add_conversion(&text, a, to->type);
    strbuf_add(&text, "; }");
    return launch_over(&text, (Argument[]){{.stream = from}, {.stream = to}}, to->device, domain);
}

bool copy_converts(const Stream *to, const Stream *from)
{
    const Type *a = from->type, *b = to->type;
    return type_same_layout(b, a) || (!b->is_struct && !a->is_struct && b->components == a->components) ||
           error_set("a stream of %s can't be converted to %s", a->name, b->name);
}

bool copy_elements(Stream *to, const Stream *from, const Domain *domain)
{
    if (type_same_layout(to->type, from->type) && from->source != SOURCE_RAMP) {
        return copy_over(to, from, domain);
    }
    return copy_converts(to, from) && cast_over(to, from, domain);
}

static bool whole_bytes(const Stream *s)
{
    return s->source == SOURCE_BUFFER && s->contiguous;
}

/* Copies streams whose rows are contiguous and long by the CPU, if they are in host memory. Returns false if they are
 * not: then nothing is copied. */
static bool copy_rows(Stream *to, const Stream *from)
{
    TransposeDimension dims[SHAPE_MAX_RANK];
    int count;
    int64_t size = to->type->bytes, planes = 1;
    if (to->source != SOURCE_BUFFER || from->source != SOURCE_BUFFER || to->map || from->map ||
        !transpose_dimensions(to, from, dims, &count) || count < 2 || dims[0].from != 1 || dims[0].to != 1 ||
        dims[0].size * size < LONG_ROW || dims[1].from < dims[0].size || dims[1].to < dims[0].size) {
        return false;
    }
    for (int d = 2; d < count; d++) {
        planes *= dims[d].size;
    }
    for (int64_t k = 0; k < planes; k++) {
        int64_t from_at = from->offset, to_at = to->offset, rest = k;
        for (int d = 2; d < count; d++) {
            from_at += rest % dims[d].size * dims[d].from;
            to_at += rest % dims[d].size * dims[d].to;
            rest /= dims[d].size;
        }
        BufferRows rows = {.to = (uint64_t)(to_at * size),
                           .to_pitch = (uint64_t)(dims[1].to * size),
                           .from = (uint64_t)(from_at * size),
                           .from_pitch = (uint64_t)(dims[1].from * size),
                           .bytes = (uint64_t)(dims[0].size * size),
                           .count = (uint64_t)dims[1].size};
        if (!buffer_copy_rows(to->buffer, from->buffer, &rows)) {
            return false;
        }
    }
    return true;
}

bool copy_stream(Stream *to, const Stream *from)
{
    if (stream_elements(to) == 0) {
        return true;
    }
    bool same = type_same_layout(to->type, from->type);
    if (same && whole_bytes(to) && whole_bytes(from) && !stream_overlaps(to, from)) {
        uint64_t size = (uint64_t)from->type->bytes;
        return buffer_copy(to->buffer, (uint64_t)to->offset * size, from->buffer, (uint64_t)from->offset * size,
                           stream_bytes(from));
    }
    if (same && copy_rows(to, from)) {
        return true;
    }
    if (same && !to->map && !from->map && transpose_serves(to, from) && !stream_overlaps(to, from)) {
        return transpose_copy(to, from);
    }
    Domain domain = {.shape = to->shape};
    if (same && from->source != SOURCE_RAMP && !blended(from)) { /* otherwise values are computed */
        return copy_over(to, from, &domain);
    }
    return copy_converts(to, from) && cast_over(to, from, &domain);
}

bool copy_new(const Stream *from, const Type *type, Stream *result)
{
    const Type *own = type ? type : from->type;
    if (!stream_create(from->device, own, &from->shape, false, result)) {
        return false;
    }
    if (!copy_stream(result, from)) {
        stream_release(result);
        return false;
    }
    return true;
}

bool copy_stream_for(Stream *to, const Stream *from, const char *reason)
{
    const char *former = profile_copies_begin(to->device, reason);
    bool done = copy_stream(to, from);
    profile_copies_end(to->device, former, done);
    return done;
}

bool copy_new_for(const Stream *from, const Type *type, const char *reason, Stream *result)
{
    const char *former = profile_copies_begin(from->device, reason);
    bool done = copy_new(from, type, result);
    profile_copies_end(from->device, former, done);
    return done;
}

void copy_explain(const Stream *from, const Type *type, const char *what, char reason[PROFILE_REASON])
{
    const char *why = from->source != SOURCE_BUFFER ? "is not stored in memory"
                      : type && from->type != type  ? "has another type than the operation"
                      : !from->contiguous           ? "is a view, and its elements are not contiguous"
                                                    : "begins within a unit of the operation";
    snprintf(reason, PROFILE_REASON, "%s %s", what, why);
}

bool copy_whole(const Stream *from, const Type *type, const char *what, Stream *result)
{
    char reason[PROFILE_REASON];
    copy_explain(from, type, what, reason);
    return copy_new_for(from, type, reason, result);
}

/* Strides dimension d of a contiguous stream if the product of the sizes exceeds 32 bits. i n / m
 * is i (n / m) + i rest / m. A quotient of doubles is off by at most one, which the remainder
 * corrects. */
static bool thin(const Stream *from, int d, int64_t extent, Stream *result)
{
    Shape shape = from->shape, flat = {.rank = 1, .size = {stream_elements(from)}};
    Stream a = {0}, b = {0}, in = {0}, out = {0};
    int64_t inner = 1, n = shape.size[d];
    for (int k = d + 1; k < shape.rank; k++) {
        inner *= shape.size[k];
    }
    shape.size[d] = extent;
    if (!stream_create(from->device, from->type, &shape, false, result)) {
        return false;
    }
    bool done = raw_view(from, &a) && raw_view(result, &b) && stream_reshape(&a, &flat, &in);
    flat.size[0] = stream_elements(result);
    done = done && stream_reshape(&b, &flat, &out);
    if (done) {
        uint32_t words[] = {(uint32_t)inner, (uint32_t)n, (uint32_t)extent, (uint32_t)(n % extent)};
        const char *raw = b.type->value->name;
        StrBuf text = STRBUF_EMPTY;
        raw_declare(&text, b.type);
        strbuf_addf(&text,
                    "kernel void thin(%s x[], int inner, int n, int m, int rest, out %s r<>) {\n"
                    "    int e = indexof(r).x, outer = e / inner / m, i = e / inner - outer * m;\n"
                    "    int k = int(double(i) * double(rest) / double(m));\n"
                    "    int left = int(uint(i) * uint(rest) - uint(k) * uint(m));\n"
                    "    k += left > m ? 2 : left > 0 ? 1 : left > -m ? 0 : -1;\n"
                    "    r = x[(outer * n + i * (n / m) + k) * inner + e %% inner];\n"
                    "}",
                    raw, raw);
        Argument args[] = {{.stream = &in},      {.words = words},     {.words = words + 1},
                           {.words = words + 2}, {.words = words + 3}, {.stream = &out}};
        Domain domain = {.shape = out.shape};
        done = launch_over(&text, args, out.device, &domain);
    }
    stream_release(&a);
    stream_release(&b);
    stream_release(&in);
    stream_release(&out);
    if (!done) {
        stream_release(result);
    }
    return done;
}

bool copy_resampled(const Stream *from, const Shape *shape, Stream *result)
{
    bool needs_copy;
    Stream dense;
    if (!stream_resample(from, shape, result, &needs_copy)) {
        return false;
    }
    if (!needs_copy) {
        return true;
    }
    if (!copy_new(from, NULL, &dense)) {
        return false;
    }
    int shift = dense.shape.rank - shape->rank;
    bool done = stream_resample(&dense, shape, result, &needs_copy);
    for (int d = shape->rank; done && needs_copy && d-- > 0;) {
        int64_t size = d + shift < 0 ? 1 : dense.shape.size[d + shift];
        if (size <= shape->size[d] || size % shape->size[d] == 0) {
            continue;
        }
        Stream thinned;
        done = thin(&dense, d + shift, shape->size[d], &thinned);
        if (done) {
            stream_release(&dense);
            dense = thinned;
            done = stream_resample(&dense, shape, result, &needs_copy);
        }
    }
    stream_release(&dense);
    return done;
}

bool copy_argument(const Stream *from, const Shape *shape, Stream *result)
{
    return shape ? copy_resampled(from, shape, result) : copy_new(from, NULL, result);
}

bool copy_fill_over(Stream *to, const void *element, const Domain *domain)
{
    Stream view;
    uint32_t words[1024] = {0};
    if (!raw_view(to, &view)) {
        return false;
    }
    memcpy(words, element, (size_t)to->type->bytes); /* narrow elements: little-endian, in the low bits of the word */
    StrBuf text = STRBUF_EMPTY;
    raw_declare(&text, view.type);
    const char *raw = view.type->value->name;
    strbuf_addf(&text, "kernel void fill(%s x, out %s r<>) { r = x; }", raw, raw);
    bool done = launch_over(&text, (Argument[]){{.words = words}, {.stream = &view}}, view.device, domain);
    stream_release(&view);
    return done;
}

bool copy_fill(Stream *to, const void *element)
{
    Domain domain = {.shape = to->shape};
    return copy_fill_over(to, element, &domain);
}
