/* GatherOp. Fetch k (0-based) of an element reads the element after k applications of the operation. The indices are
 * sorted, so k is the distance to the first equal index. For built-in operations each fetch computes the k-th
 * application directly, since all of them reach a fixed point after few steps: sums of floats at infinity, sums of
 * integers at 0. For reduce kernels each step is a launch over the elements that are fetched again, until no element
 * changes. */
#include "primitive/indexed/gather_op.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "kernel/launch/raw.h"
#include "primitive/indexed/gather.h"
#include "primitive/indexed/index.h"
#include "primitive/reduction/reduce.h"
#include "primitive/reduction/scan.h"
#include "primitive/reduction/segment.h"
#include "primitive/sorting/sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct Fetch {
    Device *device;
    Stream *dst, *src;
    Stream index, flat;         /* one-dimensional: the indices, and src in the type that kernels read */
    Stream keys, order, starts; /* sorted destinations, positions of their indices, first position of equal keys */
    Stream got, after, to,
        back;       /* in sorted order: fetched values, final values, and their destinations (out of range: none) */
    uint32_t count; /* elements of src */
    ScatterOp op;
    Kernel *kernel;
} Fetch;

static bool launch(Fetch *f, StrBuf *text, const Argument *args, const Shape *domain)
{
    Kernel *kernel = builtin_kernel(f->device, strbuf_text(text));
    strbuf_free(text);
    return kernel && kernel_launch(kernel, f->device, args, domain, false);
}

static bool launch_text(Fetch *f, const char *source, const Argument *args, const Shape *domain)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_add(&text, source);
    return launch(f, &text, args, domain);
}

static bool create(Fetch *f, const Type *type, int64_t elements, Stream *result)
{
    Shape shape = {.rank = 1, .size = {elements}};
    return stream_create(f->device, type, &shape, false, result);
}

static const Type *word_type(void)
{
    return type_of(SCALAR_UINT, 1);
}

/* Computes, for each key, the position of the first equal key. */
static bool find_starts(Fetch *f)
{
    Stream heads;
    ScanSpec spec = {.op = SCAN_MAX, .device = f->device, .domain = f->keys.shape, .axis = -1};
    if (!create(f, type_of(SCALAR_INT, 1), stream_elements(&f->keys), &heads)) {
        return false;
    }
    Argument args[] = {{.stream = &f->keys}, {.stream = &f->keys}, {.stream = &heads}}, arg = {.stream = &heads};
    spec.args = &arg;
    bool done =
        launch_text(f,
                    "kernel void heads(uint key<>, uint keys[], out int r<>) { int i = indexof(key).x; r = i > 0 && "
                    "keys[i - 1] == key ? 0 : i; }",
                    args, &f->keys.shape) &&
        scan_run(&spec, &f->starts);
    stream_release(&heads);
    return done;
}

/* Computes the destination of each fetched value, and for the last of equal keys the destination of the final value. */
static bool find_targets(Fetch *f)
{
    Argument args[] = {{.stream = &f->keys}, {.stream = &f->keys}, {.stream = &f->order},
                       {.words = &f->count}, {.stream = &f->to},   {.stream = &f->back}};
    int64_t n = stream_elements(&f->keys);
    return create(f, word_type(), n, &f->to) && create(f, word_type(), n, &f->back) &&
           launch_text(f,
                       "kernel void targets(uint key<>, uint keys[], int order<>, uint count, out uint to<>, out uint "
                       "back<>) {\n"
                       "  int i = indexof(key).x; bool last = i + 1 >= sizeof_stream(key).x || keys[i + 1] != key;\n"
                       "  to = key < count ? uint(order) : 4294967295u;\n"
                       "  back = key < count && last ? key : 4294967295u;\n}\n",
                       args, &f->keys.shape);
}

/* built-in operations */

/* Returns the statement that applies the operation k times to v. */
static const char *steps(ScatterOp op, const Type *type)
{
    bool wide = type->scalar == SCALAR_DOUBLE, whole = type->scalar != SCALAR_FLOAT && !wide;
    switch (op) {
    case SCATTER_ADD: /* multiplies by 2^k exactly, from the smallest number to infinity; integers lose all bits */
        return whole  ? "if (k > 31) v -= v; else v <<= k;"
               : wide ? "for (k = min(k, 2100); k > 0; k -= 512) v *= packDouble2x32(uvec2(0u, uint(1023 + min(k, "
                        "512)) << 20));"
                      : "for (k = min(k, 280); k > 0; k -= 64) v *= uintBitsToFloat(uint(127 + min(k, 64)) << 23);";
    case SCATTER_MUL: /* 70 squares reach 0, 1 or infinity from the neighbors of 1 */
        return "k = min(k, 70); for (int j = 0; j < k; j++) v *= v;";
    case SCATTER_XOR: return type->scalar == SCALAR_BOOL ? "v = v && k == 0;" : "if (k > 0) v ^= v;";
    default: return ""; /* x op x is x */
    }
}

static bool fetch_built_in(Fetch *f)
{
    static const ScanOp ops[SCATTER_KERNEL] = {
        [SCATTER_ADD] = SCAN_ADD, [SCATTER_MUL] = SCAN_MUL, [SCATTER_MIN] = SCAN_MIN, [SCATTER_MAX] = SCAN_MAX,
        [SCATTER_AND] = SCAN_AND, [SCATTER_OR] = SCAN_OR,   [SCATTER_XOR] = SCAN_XOR};
    const Type *type = f->flat.type;
    StrBuf text = STRBUF_EMPTY;
    ScanOperator found;
    bool known = f->op == SCATTER_SET || scan_operator(ops[f->op], type, false, &text, &found);
    strbuf_free(&text);
    int64_t n = stream_elements(&f->keys);
    if (!known || !create(f, type, n, &f->got) || !create(f, type, n, &f->after)) {
        return false;
    }
    Stream src = {0}, got = {0}, after = {0};
    bool plain = !type->is_struct; /* structures are only copied here */
    bool done = plain ? (src = f->flat, got = f->got, after = f->after, true)
                      : raw_view(&f->flat, &src) && raw_view(&f->got, &got) && raw_view(&f->after, &after);
    if (done) {
        const char *name = src.type->value->name, *step = plain ? steps(f->op, type) : "";
        raw_declare(&text, src.type);
        strbuf_addf(
            &text,
            "kernel void fetch(uint key<>, int start<>, %s src[], out %s got<>, out %s after<>) {\n"
            "  %s v = src[key]; int k = indexof(key).x - start;\n  %s\n  got = v;\n  k = 1; %s\n  after = v;\n}\n",
            name, name, name, name, step, step);
        Argument args[] = {
            {.stream = &f->keys}, {.stream = &f->starts}, {.stream = &src}, {.stream = &got}, {.stream = &after}};
        done = launch(f, &text, args, &f->keys.shape);
    }
    if (!plain) {
        stream_release(&src);
        stream_release(&got);
        stream_release(&after);
    }
    return done;
}

/* reduce kernels */

/* The distinct indices, the most frequent ones first. */
typedef struct Chains {
    Stream starts, places; /* position of their first fetch in sorted order; the indices */
    Stream values;         /* after the steps so far */
    uint32_t *lengths;     /* number of fetches of each, on the host; 0 if out of range */
    int64_t count;
} Chains;

static bool read_lengths(Fetch *f, const Stream *keys, Stream *counts, Stream *order, Chains *chains)
{
    Stream lengths = {0};
    Argument args[] = {{.stream = keys}, {.words = &f->count}, {.stream = counts}};
    chains->count = stream_elements(keys);
    chains->lengths = malloc((size_t)chains->count * sizeof *chains->lengths);
    bool done =
        (chains->lengths || error_set("out of host memory")) &&
        launch_text(f, "kernel void clear(uint key<>, uint count, inout uint n<>) { if (key >= count) n = 0u; }", args,
                    &keys->shape) &&
        sort_pairs(counts, NULL, true, &lengths, order) &&
        buffer_read(lengths.buffer, (uint64_t)lengths.offset * 4, chains->lengths, (uint64_t)chains->count * 4);
    stream_release(&lengths);
    return done;
}

static bool find_chains(Fetch *f, Chains *chains)
{
    SegmentSpec spec = {.op = SCAN_ADD, .device = f->device};
    ScanSpec scan = {.op = SCAN_ADD, .device = f->device, .exclusive = true, .axis = -1};
    Stream ones = {0}, found[2] = {{0}}, starts = {0}, order = {0};
    uint32_t one = 1;
    bool done = create(f, word_type(), stream_elements(&f->keys), &ones) && copy_fill(&ones, &one) &&
                segment_reduce_by_key(&spec, &f->keys, &ones, found) && stream_settle(&found[0]) &&
                stream_settle(&found[1]);
    Argument arg = {.stream = &found[1]};
    scan.args = &arg;
    scan.domain = found[1].shape;
    done = done && scan_run(&scan, &starts) && read_lengths(f, &found[0], &found[1], &order, chains) &&
           gather_stream(&found[0], &order, false, &chains->places) &&
           gather_stream(&starts, &order, false, &chains->starts) &&
           gather_stream(&f->flat, &chains->places, false, &chains->values);
    stream_release(&ones);
    stream_release(&found[0]);
    stream_release(&found[1]);
    stream_release(&starts);
    stream_release(&order);
    return done;
}

/* Stores the values of the first chains as the results of their fetch number `step`. */
static bool store_step(Fetch *f, const Chains *chains, const Stream *values, uint32_t step)
{
    Stream starts = {0}, from = {0}, to = {0};
    int64_t first = 0;
    bool done = stream_domain(&chains->starts, &first, values->shape.size, &starts) && raw_view(values, &from) &&
                raw_view(&f->got, &to);
    if (done) {
        const char *raw = from.type->value->name;
        StrBuf text = STRBUF_EMPTY;
        raw_declare(&text, from.type);
        strbuf_addf(
            &text, "kernel void store(uint start<>, %s x<>, uint step, inout %s got[]) { got[int(start + step)] = x; }",
            raw, raw);
        Argument args[] = {{.stream = &starts}, {.stream = &from}, {.words = &step}, {.stream = &to}};
        done = launch(f, &text, args, &starts.shape);
    }
    stream_release(&starts);
    stream_release(&from);
    stream_release(&to);
    return done;
}

/* Compares the bits of two streams; stores the result in *same. */
static bool same_bits(Fetch *f, const Stream *a, const Stream *b, bool *same)
{
    Stream x = {0}, y = {0}, differ = {0};
    uint32_t any = 0;
    bool done = create(f, word_type(), 1, &differ) && copy_fill(&differ, &any) && raw_view(a, &x) && raw_view(b, &y);
    if (done) {
        const char *raw = x.type->value->name;
        StrBuf text = STRBUF_EMPTY;
        raw_declare(&text, x.type);
        strbuf_addf(&text, "kernel void compare(%s x<>, %s y<>, inout uint differ[]) { if (x != y) differ[0] = 1u; }",
                    raw, raw);
        Argument args[] = {{.stream = &x}, {.stream = &y}, {.stream = &differ}};
        done = launch(f, &text, args, &x.shape) && buffer_read(differ.buffer, 0, &any, sizeof any);
    }
    stream_release(&x);
    stream_release(&y);
    stream_release(&differ);
    *same = any == 0;
    return done;
}

/* Runs one step of the first `left` chains. *ended is set if it changed none of them. */
static bool step_chains(Fetch *f, Chains *chains, int64_t left, uint32_t step, bool *ended)
{
    Stream values = {0}, pairs = {0}, next = {0};
    int64_t first = 0, two = 2;
    const Function *function = kernel_function(f->kernel);
    Argument args[MAX_PARAMS] = {{0}};
    bool done = stream_domain(&chains->values, &first, &left, &values) && store_step(f, chains, &values, step) &&
                stream_replicate(&values, &two, &pairs) && create(f, values.type, left, &next);
    for (int i = 0; i < function->param_count; i++) {
        args[i].stream = function->params[i].kind == PARAM_INPUT ? &pairs : NULL;
    }
    *ended = false;
    done = done && reduce_kernel(f->kernel, args, false, &next) &&
           ((step & (step - 1)) != 0 || same_bits(f, &values, &next, ended)) &&
           copy_stream_for(&values, &next, "rill.gather_op: the values of a round become those of the next");
    stream_release(&values);
    stream_release(&pairs);
    stream_release(&next);
    return done;
}

/* Copies the results of the last step to all fetches after it. */
static bool spread(Fetch *f, uint32_t last)
{
    Stream from = {0}, spread = {0}, to = {0};
    bool done =
        create(f, f->got.type, stream_elements(&f->got), &spread) && raw_view(&f->got, &from) && raw_view(&spread, &to);
    if (done) {
        const char *raw = from.type->value->name;
        StrBuf text = STRBUF_EMPTY;
        raw_declare(&text, from.type);
        strbuf_addf(&text,
                    "kernel void spread(int start<>, %s got[], uint last, out %s r<>) { r = got[start + "
                    "min(indexof(start).x - start, int(last))]; }",
                    raw, raw);
        Argument args[] = {{.stream = &f->starts}, {.stream = &from}, {.words = &last}, {.stream = &to}};
        done = launch(f, &text, args, &f->starts.shape);
    }
    stream_release(&from);
    stream_release(&to);
    stream_release(&f->got);
    f->got = spread;
    return done;
}

static bool fetch_kernel(Fetch *f)
{
    Chains chains = {0};
    bool done = create(f, f->flat.type, stream_elements(&f->keys), &f->got) && find_chains(f, &chains), ended = false;
    uint32_t step = 0;
    int64_t left = chains.count;
    for (; done && !ended; step++) {
        while (left > 0 && chains.lengths[left - 1] <= step) {
            left--;
        }
        if (left == 0) {
            break;
        }
        done = step_chains(f, &chains, left, step, &ended);
    }
    done = done && (!ended || spread(f, step - 1));
    if (done) { /* the final value of each chain goes to its index */
        stream_release(&f->back);
        f->back = chains.places;
        f->after = chains.values;
        chains.places = chains.values = (Stream){0};
    }
    stream_release(&chains.starts);
    stream_release(&chains.places);
    stream_release(&chains.values);
    free(chains.lengths);
    return done;
}

/* entry points */

static bool check_arguments(const Stream *dst, const Stream *index, const Stream *src)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    if (!dst->writable || !src->writable) {
        return error_set("'%s' is a view that can't be written to", dst->writable ? "src" : "dst");
    }
    if (!type_converts(src->type->value, dst->type->value)) {
        return error_set("elements of 'src' (%s) can't be put into a stream of %s", src->type->name, dst->type->name);
    }
    if (!shape_equal(&dst->shape, &index->shape)) {
        return error_set("the shapes of 'dst' (%s) and 'index' (%s) differ", shape_text(&dst->shape, a),
                         shape_text(&index->shape, b));
    }
    if (stream_overlaps(dst, src)) {
        return error_set("'dst' and 'src' overlap in memory");
    }
    return index_check_stream(index, &src->shape);
}

static bool prepare(Fetch *f, const Stream *index, uint32_t *skipped)
{
    uint32_t size[4], none = 0;
    Stream bad = {0}, values = {0};
    const Type *type = f->src->type->value;
    index_size(index->type, &f->src->shape, size);
    bool done = (type == f->src->type ? (stream_copy_view(f->src, &values), true)
                                      : copy_whole(f->src, type, "rill.gather_op: argument 'src'", &values)) &&
                index_flatten(&values, "rill.gather_op: argument 'src'", &f->flat) &&
                index_flatten(index, "rill.gather_op: argument 'index'", &f->index) &&
                (!skipped || (create(f, word_type(), 1, &bad) && copy_fill(&bad, &none))) &&
                index_sort(&f->index, size, f->count, skipped ? &bad : NULL, &f->keys, &f->order) &&
                (!skipped || buffer_read(bad.buffer, 0, skipped, sizeof *skipped));
    stream_release(&bad);
    stream_release(&values);
    return done;
}

bool gather_op_stream(Stream *dst, const Stream *index, Stream *src, ScatterOp op, Kernel *kernel, uint32_t *skipped)
{
    if (!check_arguments(dst, index, src)) {
        return false;
    }
    Fetch f = {.device = dst->device, .dst = dst, .src = src, .op = scatter_of(op, src->type), .kernel = kernel};
    if (skipped) {
        *skipped = 0;
    }
    if (stream_elements(index) == 0) {
        return true;
    }
    f.count = (uint32_t)stream_elements(src);
    bool done = prepare(&f, index, skipped) && find_starts(&f) && find_targets(&f) &&
                (kernel ? fetch_kernel(&f) : fetch_built_in(&f)) &&
                scatter_stream(dst, &f.to, &f.got, SCATTER_SET, NULL, NULL) &&
                scatter_stream(src, &f.back, &f.after, SCATTER_SET, NULL, NULL);
    Stream *all[] = {&f.index, &f.flat, &f.keys, &f.order, &f.starts, &f.got, &f.after, &f.to, &f.back};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        stream_release(all[i]);
    }
    return done;
}
