#include "primitive/reduction/segment.h"

#include "gpu/memory/buffer.h"
#include "kernel/emit/glsl.h"
#include "kernel/launch/builtin.h"
#include "primitive/engine/scanner.h"
#include "primitive/reduction/reduce.h"
#include "primitive/reduction/scan.h"

#include <stdio.h>
#include <string.h>

/* lengths */

static bool read_value(ReduceOp op, const Stream *lengths, uint32_t words[2])
{
    Shape one = {.rank = 1, .size = {1}};
    Stream result;
    if (!reduce_stream(op, lengths, NULL, &one, true, &result)) {
        return false;
    }
    bool done = buffer_read(result.buffer, 0, words, (uint64_t)result.type->bytes);
    stream_release(&result);
    return done;
}

static bool check_lengths(const Stream *lengths, int64_t elements, bool *empty)
{
    uint32_t least[2] = {1, 0}, sum[2] = {0, 0};
    if (stream_elements(lengths) > 0 &&
        (!read_value(REDUCE_MIN, lengths, least) || !read_value(REDUCE_SUM, lengths, sum))) {
        return false;
    }
    int64_t total = (int64_t)((uint64_t)sum[1] << 32 | sum[0]);
    *empty = least[0] == 0;
    if (lengths->type->value->scalar == SCALAR_INT && (int32_t)least[0] < 0) {
        return error_set("a segment has the length %d: lengths must not be negative", (int)(int32_t)least[0]);
    }
    return total == elements || error_set("the segments' lengths add up to %lld, but the stream has %lld elements",
                                          (long long)total, (long long)elements);
}

static bool scan_lengths(const Stream *lengths, Kernel *input, Stream *result)
{
    Argument arg = {.stream = lengths};
    ScanSpec spec = {.op = SCAN_ADD,
                     .input = input,
                     .args = &arg,
                     .device = lengths->device,
                     .domain = lengths->shape,
                     .exclusive = true,
                     .axis = -1};
    return scan_run(&spec, result);
}

bool segment_heads(const Stream *lengths, const Shape *shape, Stream *heads, bool *empty)
{
    static const char text[] = "kernel void heads(int start<>, int length<>, inout uint head[]) { if (length > 0) { "
                               "head[start] = 1u; } }";
    int64_t elements = shape_elements(shape);
    if (!check_lengths(lengths, elements, empty) ||
        !stream_create(lengths->device, type_of(SCALAR_UINT, 1), shape, true, heads)) {
        return false;
    }
    if (elements == 0) {
        return true;
    }
    Shape line = {.rank = 1, .size = {elements}};
    Stream starts = {0}, flat = {0};
    Kernel *kernel = builtin_kernel(lengths->device, text);
    bool done = kernel && scan_lengths(lengths, NULL, &starts) && stream_reshape(heads, &line, &flat);
    done = done && kernel_launch(kernel, lengths->device,
                                 (Argument[]){{.stream = &starts}, {.stream = lengths}, {.stream = &flat}},
                                 &lengths->shape, false);
    stream_release(&starts);
    stream_release(&flat);
    if (!done) {
        stream_release(heads);
    }
    return done;
}

/* texts */

/* Returns the accumulator: the value of the last segment, how it began (0: before this part, 1: with a head in this
 * part, 2: no element yet), and the number of complete segments. The caller releases it. */
static const Type *group_type(const Type *accumulator)
{
    const Type *whole = type_of(SCALAR_INT, 1);
    Field fields[3] = {{.type = accumulator},
                       {.type = whole, .offset = accumulator->bytes},
                       {.type = whole, .offset = accumulator->bytes + 4}};
    strcpy(fields[0].name, "v");
    strcpy(fields[1].name, "f");
    strcpy(fields[2].name, "n");
    return type_struct("RillGroup", fields, 3);
}

static void write_group(const ScanOperator *op, const char *element, const char *value, const char *head, StrBuf *out)
{
    const char *a = glsl_type(op->accumulator);
    strbuf_addf(out,
                "#define S u_RillGroup\n"
                "S rill_lift(%s, int i) { bool head = i == 0 || %s; return S(rill_from(%s), int(head), int(head && i > "
                "0)); }\n"
                "int rill_count_0(S a, int n) { return a.n; }\n",
                element, head, value);
    if (op->identity) {
        strbuf_addf(
            out,
            "S rill_identity() { return S(rill_none(), 0, 0); }\n"
            "S rill_merge(S a, S b) { %s v = rill_join(a.v, b.v); if (b.f != 0) v = b.v; return S(v, a.f | b.f, "
            "a.n + b.n); }\n",
            a);
    } else {
        strbuf_addf(out,
                    "S rill_identity() { return S(rill_none(), 2, 0); }\n"
                    "S rill_merge(S a, S b) { %s v = rill_join(a.v, b.v); int f = a.f | b.f;\n"
                    "    if (b.f == 1 || a.f == 2) { v = b.v; f = max(b.f, a.f & 1); }\n"
                    "    if (b.f == 2) { v = a.v; f = a.f; }\n    return S(v, f, a.n + b.n); }\n",
                    a);
    }
}

static bool find_operator(const SegmentSpec *spec, const Type *type, const Inputs *in, StrBuf *out, ScanOperator *op)
{
    if (!spec->operation) {
        return scan_operator(spec->op, type, true, out, op);
    }
    StrBuf call = STRBUF_EMPTY;
    if (in) {
        inputs_write_operation(&call, in);
    }
    bool done = scan_accepts(spec->operation) && scan_operator_kernel(spec->operation, strbuf_text(&call), out, op);
    strbuf_free(&call);
    return done;
}

static ScannerText group_text(const SegmentSpec *spec, const ScanOperator *op)
{
    return (ScannerText){.name = spec->operation ? kernel_function(spec->operation)->name : "segments",
                         .accumulator = group_type(op->accumulator),
                         .identity = true,
                         .compact = true,
                         .ending = true,
                         .counter_count = 1};
}

/* Collects the inputs, calls `write` to add the text, and runs the scan. */
static bool run(const SegmentSpec *spec, const Type *type, const Shape *domain, InputSource *sources, int value,
                void (*write)(const InputSource *sources, const ScanOperator *op, StrBuf *out, ScannerText *text),
                Stream *results)
{
    ScanOperator op;
    StrBuf functions = STRBUF_EMPTY;
    if (!find_operator(spec, type, NULL, &functions, &op)) {
        strbuf_free(&functions);
        return false;
    }
    strbuf_free(&functions);
    sources[value].type = op.value;
    Inputs *in = inputs_new(spec->device);
    bool done = in && inputs_collect(in, domain, sources, 2, spec->operation, NULL, false) &&
                find_operator(spec, type, in, &functions, &op);
    if (done) {
        ScannerText text = group_text(spec, &op);
        write(sources, &op, &functions, &text);
        text.functions = strbuf_text(&functions);
        done = text.accumulator && scanner_compact(&text, in, results);
        type_release(text.accumulator);
    }
    inputs_release(in);
    strbuf_free(&functions);
    return done;
}

/* segments */

static void write_segments(const InputSource *sources, const ScanOperator *op, StrBuf *out, ScannerText *text)
{
    const char *t = glsl_type(op->value), *r = glsl_type(op->result);
    char element[256];
    snprintf(element, sizeof element, "%s x, bool flag", t);
    (void)sources;
    write_group(op, element, "x", "flag", out);
    strbuf_addf(out,
                "%s rill_out_0(%s, int i, S before, S after) { return rill_finish(before.v); }\n"
                "%s rill_end_0(%s, int n, S total) { return rill_finish(total.v); }\n",
                r, element, r, element);
    text->output_count = 1;
    text->outputs[0].type = op->result;
}

/* Reduces segments by the flags of their first elements. Empty segments have no value. */
static bool reduce_flagged(const SegmentSpec *spec, const Stream *values, const Stream *heads, Stream *result)
{
    Argument args[2] = {{.stream = values}, {.stream = heads}};
    InputSource sources[2] = {{.args = &args[0]}, {.args = &args[1], .type = type_of(SCALAR_BOOL, 1)}};
    return run(spec, values->type, &values->shape, sources, 0, write_segments, result);
}

/* Creates the values of all segments from `present`, the values of the segments that have elements; empty ones get
 * the neutral element. */
static bool expand(const SegmentSpec *spec, const Type *type, const Stream *lengths, const Stream *present,
                   Stream *result)
{
    StrBuf text = STRBUF_EMPTY;
    ScanOperator op;
    Stream counted = *present; /* a header only, without the length: the launch runs over all segments */
    counted.length = (DeviceLength){0};
    Kernel *some = builtin_kernel(spec->device, "kernel int some(int length<>) { return length > 0 ? 1 : 0; }");
    Stream rank = {0};
    bool done = some && scan_lengths(lengths, some, &rank) && scan_operator(spec->op, type, true, &text, &op) &&
                stream_create(spec->device, op.result, &lengths->shape, false, result);
    if (done) {
        const char *name = op.result->name;
        strbuf_free(&text);
        strbuf_addf(&text,
                    "kernel void expand(int length<>, int rank<>, %s v[], out %s r<>) { r = length > 0 ? v[rank] : "
                    "%s(%s); }",
                    name, name, name, op.neutral);
        Kernel *kernel = builtin_kernel(spec->device, strbuf_text(&text));
        done = kernel &&
               kernel_launch(
                   kernel, spec->device,
                   (Argument[]){{.stream = lengths}, {.stream = &rank}, {.stream = &counted}, {.stream = result}},
                   &lengths->shape, false);
        if (!done) {
            stream_release(result);
        }
    }
    stream_release(&rank);
    strbuf_free(&text);
    return done;
}

static bool reduce_lengths(const SegmentSpec *spec, const Stream *values, const Stream *lengths, Stream *result)
{
    Stream heads = {0}, present = {0};
    bool empty;
    if (!segment_heads(lengths, &values->shape, &heads, &empty)) {
        return false;
    }
    bool done = reduce_flagged(spec, values, &heads, &present);
    stream_release(&heads);
    if (!done) {
        return false;
    }
    if (!empty) { /* every segment has a value, in order */
        done = stream_over(present.buffer, present.type, &lengths->shape, 0, result);
    } else if (spec->operation) {
        done = error_set("%s: a segment has no elements, and a reduce kernel has no neutral element",
                         kernel_function(spec->operation)->name);
    } else {
        done = expand(spec, values->type, lengths, &present, result);
    }
    stream_release(&present);
    return done;
}

bool segment_reduce(const SegmentSpec *spec, const Stream *values, const Stream *segments, Stream *result)
{
    memset(result, 0, sizeof *result);
    if (segments->type->scalar == SCALAR_BOOL) {
        return reduce_flagged(spec, values, segments, result);
    }
    return reduce_lengths(spec, values, segments, result);
}

/* keys */

static void write_keys(const InputSource *sources, const ScanOperator *op, StrBuf *out, ScannerText *text)
{
    const char *k = glsl_type(sources[0].type), *t = glsl_type(op->value), *r = glsl_type(op->result);
    char element[512];
    snprintf(element, sizeof element, "%s key, %s last, %s x", k, k, t);
    write_group(op, element, "x", "key != last", out);
    strbuf_addf(out,
                "%s rill_out_0(%s, int i, S before, S after) { return last; }\n"
                "%s rill_end_0(%s, int n, S total) { return key; }\n",
                k, element, k, element);
    strbuf_addf(out,
                "%s rill_out_1(%s, int i, S before, S after) { return rill_finish(before.v); }\n"
                "%s rill_end_1(%s, int n, S total) { return rill_finish(total.v); }\n",
                r, element, r, element);
    text->previous[0] = true;
    text->output_count = 2;
    text->outputs[0].type = sources[0].type;
    text->outputs[1].type = op->result;
}

bool segment_reduce_by_key(const SegmentSpec *spec, const Stream *keys, const Stream *values, Stream results[2])
{
    Argument args[2] = {{.stream = keys}, {.stream = values}};
    const Type *key = keys->type->is_struct ? keys->type : keys->type->value;
    InputSource sources[2] = {{.args = &args[0], .type = key}, {.args = &args[1]}};
    if (!run(spec, values->type, &values->shape, sources, 1, write_keys, results)) {
        return false;
    }
    if (!scanner_restore(&results[0], keys->type)) {
        stream_release(&results[0]);
        stream_release(&results[1]);
        return false;
    }
    return true;
}

bool segment_scan(ScanSpec *spec, Stream *segments, Stream *result)
{
    Stream heads = {0};
    bool lengths = segments && segments->type->scalar != SCALAR_BOOL, empty;
    spec->heads = lengths ? &heads : segments;
    bool done = (!lengths || segment_heads(segments, &spec->domain, &heads, &empty)) && scan_run(spec, result);
    stream_release(&heads);
    return done;
}
