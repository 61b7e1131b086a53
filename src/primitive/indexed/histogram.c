#include "primitive/indexed/histogram.h"

#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "primitive/indexed/count.h"
#include "primitive/indexed/scatter.h"
#include "primitive/reduction/reduce.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Type *word_type(void)
{
    return type_of(SCALAR_UINT, 1);
}

/* Returns the type in which elements are compared: floats as float, all others as double, which represents them
 * exactly. */
static const Type *compared_type(const Type *type)
{
    return type_of(type->value->scalar == SCALAR_FLOAT ? SCALAR_FLOAT : SCALAR_DOUBLE, 1);
}

/* range of the data */

/* Finds one end of the range per component. If the result is NaN, since min and max return NaN if an element is NaN,
 * it is computed again without NaNs (`clean`). */
static bool find_end(const Stream *s, ReduceOp op, bool clean, double end[2])
{
    Shape one = {.rank = 1, .size = {1}};
    const Type *type = s->type->value;
    const char *name = type->name, *limit = op == REDUCE_MIN ? "0x7f800000u" : "0xff800000u";
    Stream cleaned = {0}, found;
    bool done = true;
    if (clean) {
        StrBuf text = STRBUF_EMPTY;
        strbuf_addf(&text, "kernel void clean(%s x<>, out %s r<>) { r = mix(x, %s(uintBitsToFloat(%s)), isnan(x)); }",
                    name, name, name, limit);
        Kernel *kernel = builtin_kernel(s->device, strbuf_text(&text));
        strbuf_free(&text);
        done = kernel && stream_create(s->device, type, &s->shape, false, &cleaned) &&
               kernel_launch(kernel, s->device, (Argument[]){{.stream = s}, {.stream = &cleaned}}, &s->shape, false);
    }
    done = done && reduce_stream(op, clean ? &cleaned : s, NULL, &one, false, &found);
    stream_release(&cleaned);
    if (!done) {
        return false;
    }
    Stream wide;
    done = copy_new(&found, type_of(SCALAR_DOUBLE, type->components), &wide);
    if (done) {
        done = buffer_read(wide.buffer, 0, end, (uint64_t)wide.type->bytes);
        stream_release(&wide);
    }
    stream_release(&found);
    bool dirty = isnan(end[0]) || (type->components == 2 && isnan(end[1]));
    return done && (!dirty || clean || find_end(s, op, true, end));
}

bool histogram_range(const Stream *s, HistogramSpec *spec)
{
    double low[2] = {1, 1}, high[2] = {0, 0};
    if (stream_elements(s) > 0 && !(find_end(s, REDUCE_MIN, false, low) && find_end(s, REDUCE_MAX, false, high))) {
        return false;
    }
    for (int a = 0; a < spec->axes; a++) {
        spec->axis[a].low = low[a];
        spec->axis[a].high = high[a];
    }
    return true;
}

/* indices of bins */

/* Converts an edge to float. `end`: it is an end of the axis, which must be finite to exclude infinities. */
static float as_float(double edge, bool end)
{
    float f = (float)edge;
    return end && isinf(f) ? copysignf(FLT_MAX, f) : f;
}

/* Uploads the edges of an axis, equal to numpy.linspace, as double or rounded to float. */
static bool upload_edges(Device *device, const HistogramAxis *axis, const Type *type, Stream *result)
{
    Shape shape = {.rank = 1, .size = {axis->bins + 1}};
    size_t bytes = (size_t)(axis->bins + 1) * (size_t)type->bytes;
    double step = (axis->high - axis->low) / (double)axis->bins;
    void *edges = malloc(bytes);
    if (!edges) {
        return error_set("out of host memory");
    }
    for (int64_t k = 0; k <= axis->bins; k++) {
        double edge = k < axis->bins ? axis->low + (double)k * step : axis->high;
        if (type->scalar == SCALAR_DOUBLE) {
            ((double *)edges)[k] = edge;
        } else {
            ((float *)edges)[k] = as_float(edge, false);
        }
    }
    bool done = stream_create(device, type, &shape, false, result);
    if (done && !(done = buffer_write(result->buffer, 0, edges, bytes))) {
        stream_release(result);
    }
    free(edges);
    return done;
}

/* Computes bin k_A of a number v_A. The estimate is corrected by one if necessary. -1: no bin. */
static const char estimate[] = "  TYPE v_A = TYPE(x PART); int k_A = -1, n_A = bins PART;\n"
                               "  k_A = int(clamp((v_A - low_A) * scale_A, TYPE(0), TYPE(n_A - 1)));\n"
                               "  k_A -= int(v_A < edges_A[k_A]);\n"
                               "  k_A += int(k_A + 1 < n_A && v_A >= edges_A[k_A + 1]);\n";
/* Searches from the estimate, for bins that are too narrow for a correction by one. */
static const char search[] = "  int first_A = k_A, last_A = k_A + 1;\n"
                             "  if (v_A < edges_A[k_A]) { first_A = 0; last_A = k_A; }\n"
                             "  else if (last_A < n_A && v_A >= edges_A[last_A]) { first_A = last_A; last_A = n_A; }\n"
                             "  for (int j = 0; j < 32 && last_A - first_A > 1; j++) {\n"
                             "    int middle = (first_A + last_A) >> 1;\n"
                             "    if (v_A < edges_A[middle]) last_A = middle; else first_A = middle;\n"
                             "  }\n"
                             "  k_A = first_A;\n";
static const char outside[] = "  k_A = v_A >= low_A && v_A <= high_A ? k_A : clamped == 0 ? -1 : v_A < low_A ? 0 : v_A "
                              "> high_A ? n_A - 1 : -1;\n";

/* Adds a form with the axis, the type and the component of x inserted. */
static void add_form(StrBuf *text, const char *form, char a, const char *type, const char *part)
{
    for (const char *at = form; *at;) {
        if (strncmp(at, "TYPE", 4) == 0) {
            strbuf_add(text, type);
            at += 4;
        } else if (strncmp(at, " PART", 5) == 0) {
            strbuf_add(text, part);
            at += 5;
        } else if (at[0] == '_' && at[1] == 'A') {
            strbuf_addf(text, "_%c", a);
            at += 2;
        } else {
            strbuf_add_bytes(text, at++, 1);
        }
    }
}

/* Returns whether an estimate may be wrong by more than one bin, from its rounding errors and the rounding of the
 * ends to float. */
static bool narrow(const HistogramAxis *axis, const Type *type)
{
    double epsilon = type->scalar == SCALAR_FLOAT ? 0x1p-23 : 0x1p-52;
    double reach = fmax(fabs(axis->low), fabs(axis->high)), width = (axis->high - axis->low) / (double)axis->bins;
    return 2 * epsilon * (reach / width + (double)axis->bins) > 0.5 || width < 1e-30;
}

static Kernel *number_kernel(Device *device, const Type *value, const Type *type, const HistogramSpec *spec)
{
    static const char names[] = "xy";
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "kernel void number(%s x<>, int2 bins, int clamped, ", value->name);
    for (int a = 0; a < spec->axes; a++) {
        char form[] = "TYPE edges_A[], TYPE scale_A, TYPE low_A, TYPE high_A, ";
        add_form(&text, form, names[a], type->name, "");
    }
    strbuf_add(&text, "out uint r<>) {\n");
    for (int a = 0; a < spec->axes; a++) {
        char part[3] = {'.', names[a], '\0'};
        add_form(&text, estimate, names[a], type->name, part);
        add_form(&text, narrow(&spec->axis[a], type) ? search : "", names[a], type->name, part);
        add_form(&text, outside, names[a], type->name, part);
    }
    strbuf_add(&text, spec->axes == 2 ? "  r = k_x < 0 || k_y < 0 ? 4294967295u : uint(k_y * bins.x + k_x);\n}\n"
                                      : "  r = uint(k_x);\n}\n");
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* Packs a number of the compared type. */
static void pack(const Type *type, double value, uint32_t words[2])
{
    float f = as_float(value, true);
    if (type->scalar == SCALAR_DOUBLE) {
        memcpy(words, &value, sizeof value);
    } else {
        memcpy(words, &f, sizeof f);
    }
}

/* Computes the bin of every element, and the edges of each axis. */
static bool find_numbers(const Stream *s, const HistogramSpec *spec, Stream *numbers, Stream edges[2])
{
    const Type *type = compared_type(s->type);
    Kernel *kernel = number_kernel(s->device, s->type->value, type, spec);
    uint32_t bins[2] = {(uint32_t)spec->axis[0].bins, (uint32_t)spec->axis[1].bins}, clamped = spec->clamp;
    uint32_t scale[2][2], low[2][2], high[2][2];
    Argument args[12] = {{.stream = s}, {.words = bins}, {.words = &clamped}};
    int count = 3;
    bool done = kernel != NULL;
    for (int a = 0; a < spec->axes && done; a++) {
        const HistogramAxis *axis = &spec->axis[a];
        double factor = (double)axis->bins / (axis->high - axis->low);
        pack(type, factor < 1e38 ? factor : 1e38, scale[a]);
        pack(type, axis->low, low[a]);
        pack(type, axis->high, high[a]);
        done = upload_edges(s->device, axis, type, &edges[a]);
        args[count++].stream = &edges[a];
        args[count++].words = scale[a];
        args[count++].words = low[a];
        args[count++].words = high[a];
    }
    args[count].stream = numbers;
    done = done && stream_create(s->device, word_type(), &s->shape, false, numbers);
    if (done && !(done = kernel_launch(kernel, s->device, args, &s->shape, false))) {
        stream_release(numbers);
    }
    return done;
}

/* Creates a dense one-dimensional stream for `tally`: another header if the stream is already dense, else a copy, whose
 * reason in profiles begins with `what`. */
static bool dense(const Stream *s, const Type *type, const char *what, Stream *result)
{
    Shape flat = {.rank = 1, .size = {stream_elements(s)}};
    Stream copy = {0};
    bool as_is = s->source == SOURCE_BUFFER && s->contiguous && s->type == type;
    bool done = (as_is || copy_whole(s, type, what, &copy)) &&
                stream_over(as_is ? s->buffer : copy.buffer, type, &flat, as_is ? s->offset : 0, result);
    stream_release(&copy);
    return done;
}

static bool tally(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result)
{
    if (!weights) {
        return count_numbers(numbers, bins, result);
    }
    Stream flat;
    if (!dense(weights, compared_type(weights->type), "the histogram: option 'weights'", &flat)) {
        return false;
    }
    Shape shape = {.rank = 1, .size = {bins}};
    bool done = false;
    if (count_has_weights(numbers, &flat, bins)) {
        done = count_weights(numbers, &flat, bins, result);
    } else if (stream_create(flat.device, flat.type, &shape, true, result) &&
               !(done = scatter_stream(result, numbers, &flat, SCATTER_ADD, NULL, NULL))) {
        stream_release(result);
    }
    stream_release(&flat);
    return done;
}

static bool count_in_bins(const Stream *s, const HistogramSpec *spec, const Stream *weights, Stream *result,
                          Stream edges[2])
{
    Stream found, numbers, counts;
    Shape shape = {.rank = 1, .size = {spec->axis[0].bins}};
    if (spec->axes == 2) {
        shape = (Shape){.rank = 2, .size = {spec->axis[1].bins, spec->axis[0].bins}};
    }
    if (!find_numbers(s, spec, &found, edges)) {
        return false;
    }
    bool done = dense(&found, word_type(), "the histogram: the stream of bin numbers", &numbers);
    stream_release(&found);
    if (!done) {
        return false;
    }
    done = tally(&numbers, weights, shape_elements(&shape), &counts);
    stream_release(&numbers);
    if (done) {
        done = stream_over(counts.buffer, counts.type, &shape, 0, result);
        stream_release(&counts);
    }
    return done;
}

bool histogram_stream(const Stream *s, const HistogramSpec *spec, const Stream *weights, Stream *result,
                      Stream *edges[2])
{
    Stream found[2] = {{0}};
    bool done = count_in_bins(s, spec, weights, result, found);
    for (int a = 0; a < spec->axes; a++) {
        if (done) {
            *edges[a] = found[a];
        } else {
            stream_release(&found[a]);
        }
    }
    return done;
}

/* integers */

/* Converts integers to uint by their bits, so that negative ones are larger than all others. */
static bool as_words(const Stream *s, Stream *numbers)
{
    Stream flat;
    bool done = dense(s, s->type->value, "the histogram: argument 's'", &flat);
    if (done) {
        done = stream_retype(&flat, word_type(), numbers);
        stream_release(&flat);
    }
    return done;
}

static bool count_integers(const Stream *numbers, const Stream *weights, bool negative, int64_t least, Stream *result)
{
    if (!weights) {
        return count_all_numbers(numbers, negative, least, result);
    }
    return count_bins(numbers, negative, &least) && tally(numbers, weights, least, result);
}

bool histogram_integers(const Stream *s, const Stream *weights, int64_t least, Stream *result)
{
    Stream numbers;
    if (!as_words(s, &numbers)) {
        return false;
    }
    bool done = count_integers(&numbers, weights, s->type->value->scalar == SCALAR_INT, least, result);
    stream_release(&numbers);
    return done;
}

bool histogram_sums(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result)
{
    Stream flat_numbers, flat;
    if (!as_words(numbers, &flat_numbers)) {
        return false;
    }
    bool done = dense(weights, compared_type(weights->type), "the sums of groups", &flat);
    if (done) {
        done = count_sums(&flat_numbers, &flat, bins, result);
        stream_release(&flat);
    }
    stream_release(&flat_numbers);
    return done;
}
