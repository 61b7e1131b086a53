#include "linalg/fft/fft.h"

#include "base/strbuf.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "linalg/fft/fft_private.h"

#include <stdlib.h>
#include <string.h>

/* The contiguous stream that is transformed. `own`: nobody else uses its memory. */
typedef struct Work {
    Stream s;
    bool own;
} Work;

static void replace(Work *work, Stream *s)
{
    stream_release(&work->s);
    *work = (Work){*s, true};
}

static const Type *of_width(const Stream *s, int components)
{
    return type_of(s->type->value->scalar == SCALAR_DOUBLE ? SCALAR_DOUBLE : SCALAR_FLOAT, components);
}

static int half_axis(const FftSpec *spec)
{
    return spec->axes[spec->axis_count - 1];
}

static int64_t inverse_length(const Stream *s, const FftSpec *spec)
{
    return spec->length ? spec->length : 2 * (s->shape.size[half_axis(spec)] - 1);
}

static bool accepts_type(const Stream *s, const FftSpec *spec)
{
    const Type *value = s->type->value;
    bool plain = !s->type->is_struct && value->scalar != SCALAR_BOOL, real = plain && value->components == 1;
    bool complex = plain && value->components == 2 && type_scalar_is_float(value->scalar);
    if (spec->real && !spec->inverse) {
        return real || error_set("expected real numbers, float or double, got elements of %s", s->type->name);
    } else if (spec->real) {
        return complex || error_set("expected half a spectrum, elements of vec2 or dvec2, got %s", s->type->name);
    }
    return real || complex ||
           error_set("expected complex numbers, vec2 or dvec2, or real ones, got elements of %s", s->type->name);
}

bool fft_accepts(const Stream *s, const FftSpec *spec)
{
    int axis = spec->real ? half_axis(spec) : 0;
    int64_t size = s->shape.size[axis], length = inverse_length(s, spec);
    if (!accepts_type(s, spec)) {
        return false;
    }
    if (spec->real && size == 0) {
        return error_set("dimension %d is empty: there is nothing to transform", axis + 1);
    }
    if (spec->real && spec->inverse && (length < 1 || length / 2 + 1 != size)) {
        if (size == 1) {
            return error_set("1 coefficient is half the spectrum of 1 number: give 'length', which is 1");
        }
        return error_set("%lld coefficients are half the spectrum of %lld or %lld numbers, not of %lld",
                         (long long)size, (long long)(2 * size - 2), (long long)(2 * size - 1), (long long)length);
    }
    return true;
}

/* kernels */

/* Launches the text over to's shape. C is the complex type in it, and R the real type. */
static bool launch(const char *text, const Argument *args, const Stream *to)
{
    StrBuf out = STRBUF_EMPTY;
    bool wide = to->type->scalar == SCALAR_DOUBLE;
    strbuf_addf(&out, "#define C %s\n#define R %s\n%s", wide ? "dvec2" : "vec2", wide ? "double" : "float", text);
    Kernel *kernel = builtin_kernel(to->device, strbuf_text(&out));
    strbuf_free(&out);
    return kernel && kernel_launch(kernel, to->device, args, &to->shape, false);
}

/* Launches a text with one input and a new output. */
static bool launch_new(const char *text, const Stream *from, const Type *type, Stream *to)
{
    if (!stream_create(from->device, type, &from->shape, false, to)) {
        return false;
    }
    if (!launch(text, (Argument[]){{.stream = from}, {.stream = to}}, to)) {
        stream_release(to);
        return false;
    }
    return true;
}

/* complex transforms */

static const char complex_text[] = "kernel void complex(R x<>, out C r<>) { r = C(x, 0); }\n";

static bool is_dense(const Stream *s, const Type *type)
{
    return s->type == type && s->source == SOURCE_BUFFER && s->contiguous;
}

static bool start(const Stream *s, const Type *type, Work *work)
{
    if (is_dense(s, type)) {
        *work = (Work){.own = false};
        stream_copy_view(s, &work->s);
        return true;
    }
    work->own = true;
    if (s->type->value->components == type->components) {
        return copy_whole(s, type, "the transform's argument 's'", &work->s);
    }
    return launch_new(complex_text, s, type, &work->s);
}

static bool transform_axis(Work *work, int axis, bool inverse)
{
    const Shape *shape = &work->s.shape;
    Fft f = {.outer = 1, .length = shape->size[axis], .inner = 1, .backwards = inverse};
    for (int d = 0; d < shape->rank; d++) {
        f.outer *= d < axis ? shape->size[d] : 1;
        f.inner *= d > axis ? shape->size[d] : 1;
    }
    f.scale = inverse ? 1 / (double)f.length : 1;
    if (f.length < 2) {
        return true;
    }
    bool done =
        fft_serves(f.length) ? fft_run_passes(&f, work->own, &work->s) : fft_run_bluestein(&f, work->own, &work->s);
    work->own = true;
    return done;
}

/* Transforms along the first `count` axes. */
static bool transform_axes(Work *work, const FftSpec *spec, int count)
{
    bool done = true;
    for (int i = count; i-- > 0 && done;) {
        done = transform_axis(work, spec->axes[i], spec->inverse);
    }
    return done;
}

static bool run_complex(const Stream *s, const FftSpec *spec, Work *work)
{
    return start(s, of_width(s, 2), work) && transform_axes(work, spec, spec->axis_count);
}

/* real transforms: along the last dimension, of rows */

/* Fills in exp(-2 pi i k / n) for k from 0 to n / 2. Arguments: the length n, whether doubles. */
static bool fill_roots(const Constants *constants, Buffer *buffer)
{
    int64_t length = constants->arguments[0];
    void *data = malloc(constants->bytes);
    for (int64_t k = 0; data && k <= length / 2; k++) {
        double x, y;
        twiddles_find(k, length, &x, &y);
        twiddles_put(data, k, constants->arguments[1] != 0, x, y);
    }
    return twiddles_write(constants, buffer, data);
}

static bool find_roots(Device *device, const Type *type, int64_t length, Stream *result)
{
    Shape shape = {.rank = 1, .size = {length / 2 + 1}};
    Constants constants = {
        fill_roots, {length, type->scalar == SCALAR_DOUBLE}, (uint64_t)(shape.size[0] * type->bytes)};
    Buffer *buffer = constants_find(device, &constants);
    return buffer && stream_over(buffer, type, &shape, 0, result);
}

/* Computes the spectrum of n real numbers from z, the transform of the same numbers as n / 2 complex ones. The
 * transforms of the even and odd elements follow by symmetry, and a pass of radix 2 combines them. */
static const char split_text[] = "kernel void split(C z[][], C w[], int half, out C r<>) {\n"
                                 "  ivec2 at = indexof(r).xy;\n"
                                 "  C a = z[at.y][at.x == half ? 0 : at.x], b = z[at.y][at.x == 0 ? 0 : half - at.x];\n"
                                 "  C even = C(a.x + b.x, a.y - b.y), odd = C(a.y + b.y, b.x - a.x), v = w[at.x];\n"
                                 "  r = (even + C(odd.x * v.x - odd.y * v.y, odd.x * v.y + odd.y * v.x)) * R(0.5);\n"
                                 "}\n";

/* The inverse of `split`. Only the real parts of the first and the last coefficient are used. */
static const char join_text[] = "kernel void join(C x[][], C w[], int half, out C r<>) {\n"
                                "  ivec2 at = indexof(r).xy;\n"
                                "  C a = x[at.y][at.x], b = x[at.y][half - at.x];\n"
                                "  if (at.x == 0) { a.y = 0; b.y = 0; }\n"
                                "  C even = C(a.x + b.x, a.y - b.y), odd = C(a.x - b.x, a.y + b.y), v = w[at.x];\n"
                                "  odd = C(odd.x * v.x + odd.y * v.y, odd.y * v.x - odd.x * v.y);\n"
                                "  r = C(even.x - odd.y, even.y + odd.x) * R(0.5);\n"
                                "}\n";

/* Computes the whole spectrum from half of it, for odd lengths. w has the length 1 and is not used. */
static const char mirror_text[] = "kernel void mirror(C x[][], C w[], int half, out C r<>) {\n"
                                  "  ivec2 at = indexof(r).xy;\n"
                                  "  C a = x[at.y][at.x > half ? 2 * half + 1 - at.x : at.x];\n"
                                  "  r = at.x == 0 ? C(a.x, 0) : at.x > half ? C(a.x, -a.y) : a;\n"
                                  "}\n";

static const char real_text[] = "kernel void real_part(C x<>, out R r<>) { r = x.x; }\n";

/* Launches one of the texts above from rows of complex numbers to new rows of `count` elements. `length`: of the rows
 * of real numbers. */
static bool launch_rows(const char *text, Work *work, int64_t length, int64_t count)
{
    Stream roots = {0}, rows = {0}, to = {0}, result = {0};
    const Stream *s = &work->s;
    Shape shape = s->shape, flat = {.rank = 2, .size = {1, shape.size[shape.rank - 1]}};
    for (int d = 0; d < shape.rank - 1; d++) {
        flat.size[0] *= shape.size[d];
    }
    int32_t half = (int32_t)(length / 2);
    uint32_t words[1];
    memcpy(words, &half, sizeof half);
    shape.size[shape.rank - 1] = count;
    bool done = stream_reshape(s, &flat, &rows);
    flat.size[1] = count;
    done = done && stream_create(s->device, s->type, &flat, false, &to) &&
           find_roots(s->device, s->type, length % 2 == 0 ? length : 1, &roots) &&
           launch(text, (Argument[]){{.stream = &rows}, {.stream = &roots}, {.words = words}, {.stream = &to}}, &to) &&
           stream_reshape(&to, &shape, &result);
    stream_release(&roots);
    stream_release(&rows);
    stream_release(&to);
    if (done) {
        replace(work, &result);
    }
    return done;
}

/* Changes the type without copying: several elements become one vector, or a vector several elements. */
static bool retype(Work *work, const Type *type)
{
    const Stream *s = &work->s;
    Shape shape = s->shape;
    int64_t from = s->type->components, to = type->components;
    Stream result;
    if (s->offset * from % to != 0) {
        if (!copy_whole(s, s->type, "the transform: the stream of rows", &result)) {
            return false;
        }
        replace(work, &result);
    }
    shape.size[shape.rank - 1] = shape.size[shape.rank - 1] * from / to;
    if (!stream_over(s->buffer, type, &shape, s->offset * from / to, &result)) {
        return false;
    }
    bool own = work->own;
    replace(work, &result);
    work->own = own;
    return true;
}

static bool launch_over(const char *text, Work *work, const Type *type)
{
    Stream to;
    if (!launch_new(text, &work->s, type, &to)) {
        return false;
    }
    replace(work, &to);
    return true;
}

/* Keeps the first `count` elements of each row. */
static bool cut_rows(Work *work, int64_t count)
{
    int64_t from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK];
    Stream part, result;
    memcpy(to, work->s.shape.size, sizeof to);
    to[work->s.shape.rank - 1] = count;
    if (!stream_domain(&work->s, from, to, &part)) {
        return false;
    }
    bool done = copy_new_for(&part, NULL, "the transform: the first elements of its rows become the result", &result);
    stream_release(&part);
    if (done) {
        replace(work, &result);
    }
    return done;
}

/* Transforms rows of real numbers without copying them, if fft_real_serves allows it. Otherwise *served is false. */
static bool transform_rows(Work *work, bool *served)
{
    const Stream *s = &work->s;
    Shape shape = s->shape, flat = {.rank = 2, .size = {1, shape.size[shape.rank - 1]}};
    for (int d = 0; d < shape.rank - 1; d++) {
        flat.size[0] *= shape.size[d];
    }
    FftWindows windows = {.size = flat.size[1], .hop = flat.size[1], .count = 1};
    Stream rows = {0}, result = {0};
    if (!stream_reshape(s, &flat, &rows)) {
        return false;
    }
    bool done = true;
    *served = fft_real_serves(&rows, &windows) && fft_real_aligned(&rows);
    if (*served) {
        shape.size[shape.rank - 1] = flat.size[1] / 2 + 1;
        done =
            stream_create(s->device, of_width(s, 2), &shape, false, &result) && fft_run_real(&rows, &windows, &result);
    }
    stream_release(&rows);
    if (*served && done) {
        replace(work, &result);
    } else {
        stream_release(&result);
    }
    return done;
}

static bool halve_rows(Work *work)
{
    bool served = false, done = transform_rows(work, &served);
    if (!done || served) {
        return done;
    }
    int last = work->s.shape.rank - 1;
    int64_t length = work->s.shape.size[last];
    const Type *type = of_width(&work->s, 2);
    if (length % 2 == 0) {
        return retype(work, type) && transform_axis(work, last, false) &&
               launch_rows(split_text, work, length, length / 2 + 1);
    }
    return launch_over(complex_text, work, type) && transform_axis(work, last, false) && cut_rows(work, length / 2 + 1);
}

static bool restore_rows(Work *work, int64_t length)
{
    int last = work->s.shape.rank - 1;
    const Type *type = of_width(&work->s, 1);
    if (length % 2 == 0) {
        return launch_rows(join_text, work, length, length / 2) && transform_axis(work, last, true) &&
               retype(work, type);
    }
    return launch_rows(mirror_text, work, length, length) && transform_axis(work, last, true) &&
           launch_over(real_text, work, type);
}

/* Creates a view whose last dimension is the stream's `axis`, or with `back` the inverse. */
static bool exchange_axis(const Stream *s, int axis, bool back, Stream *result)
{
    int axes[SHAPE_MAX_RANK], last = s->shape.rank - 1;
    for (int d = 0; d <= last; d++) {
        axes[d] = back ? (d < axis ? d : d == axis ? last : d - 1) : (d < axis ? d : d == last ? axis : d + 1);
    }
    return stream_transpose(s, axes, result);
}

static bool turn_work(Work *work, int axis, bool back)
{
    Stream view, result;
    if (axis == work->s.shape.rank - 1) {
        return true;
    }
    if (!exchange_axis(&work->s, axis, back, &view)) {
        return false;
    }
    bool done = copy_new_for(&view, NULL, "the transform: an axis that is not the last is exchanged with it", &result);
    stream_release(&view);
    if (done) {
        replace(work, &result);
    }
    return done;
}

static bool run_real(const Stream *s, const FftSpec *spec, Work *work)
{
    int axis = half_axis(spec), others = spec->axis_count - 1;
    if (spec->inverse) {
        return start(s, of_width(s, 2), work) && transform_axes(work, spec, others) && turn_work(work, axis, false) &&
               restore_rows(work, inverse_length(s, spec)) && turn_work(work, axis, true);
    }
    return start(s, of_width(s, 1), work) && turn_work(work, axis, false) && halve_rows(work) &&
           turn_work(work, axis, true) && transform_axes(work, spec, others);
}

/* Stores the result in a new stream, also if nothing was transformed. */
static bool finish(Work *work, Stream *result)
{
    if (!work->own) {
        return copy_new_for(&work->s, NULL, "the transform: the result is a new stream, although nothing is computed",
                            result);
    }
    stream_copy_view(&work->s, result);
    return true;
}

/* Creates the result for a stream without elements: only the shape changes. */
static bool make_empty(const Stream *s, const FftSpec *spec, Stream *result)
{
    Shape shape = s->shape;
    if (spec->real) {
        int64_t *size = &shape.size[half_axis(spec)];
        *size = spec->inverse ? inverse_length(s, spec) : *size / 2 + 1;
    }
    return stream_create(s->device, of_width(s, spec->real && spec->inverse ? 1 : 2), &shape, false, result);
}

bool fft_stream(const Stream *s, const FftSpec *spec, Stream *result)
{
    memset(result, 0, sizeof *result);
    if (!fft_accepts(s, spec)) {
        return false;
    }
    if (stream_elements(s) == 0) {
        return make_empty(s, spec, result);
    }
    Work work = {.own = false};
    bool done = (spec->real ? run_real(s, spec, &work) : run_complex(s, spec, &work)) && finish(&work, result);
    stream_release(&work.s);
    return done;
}
