#include "primitive/indexed/scatter.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "kernel/launch/raw.h"
#include "primitive/indexed/count.h"
#include "primitive/indexed/gather.h"
#include "primitive/indexed/index.h"
#include "primitive/reduction/segment.h"

#include <string.h>

/* Reasons of copies in profiles. */
static const char destination[] = "rill.scatter: argument 'dst'";
static const char stored[] = "rill.scatter: the result is stored into argument 'dst', which was copied";

typedef struct OpRow {
    const char *name;
    const char *atomic; /* atomic operation for int and uint, whose order does not influence the result; NULL: none */
} OpRow;

static const OpRow rows[SCATTER_KERNEL] = {
    [SCATTER_SET] = {"set", NULL},        [SCATTER_ADD] = {"add", "atomicAdd"}, [SCATTER_MUL] = {"mul", NULL},
    [SCATTER_MIN] = {"min", "atomicMin"}, [SCATTER_MAX] = {"max", "atomicMax"}, [SCATTER_AND] = {"and", "atomicAnd"},
    [SCATTER_OR] = {"or", "atomicOr"},    [SCATTER_XOR] = {"xor", "atomicXor"},
};

ScatterOp scatter_op(const char *name)
{
    int op = 0;
    while (op < SCATTER_KERNEL && strcmp(rows[op].name, name) != 0) {
        op++;
    }
    return op < SCATTER_KERNEL ? (ScatterOp)op : SCATTER_OPS;
}

ScatterOp scatter_of(ScatterOp op, const Type *type)
{
    static const ScatterOp logic[SCATTER_OPS] = {[SCATTER_ADD] = SCATTER_OR,
                                                 [SCATTER_MAX] = SCATTER_OR,
                                                 [SCATTER_MUL] = SCATTER_AND,
                                                 [SCATTER_MIN] = SCATTER_AND};
    return !type->is_struct && type->scalar == SCALAR_BOOL && logic[op] ? logic[op] : op;
}

/* The arguments of a scatter: dense, one-dimensional, and of dst's type. */
typedef struct Scatter {
    Stream *dst;
    Stream index, src, bad; /* bad: the number of indices out of range; closed if it is not wanted */
    ScatterOp op;
    uint32_t size[4];
} Scatter;

static bool launch(Scatter *s, StrBuf *text, const Argument *args, const Shape *domain)
{
    Kernel *kernel = builtin_kernel(s->dst->device, strbuf_text(text));
    strbuf_free(text);
    return kernel && kernel_launch(kernel, s->dst->device, args, domain, false);
}

/* Adds the end of a kernel text: computes the destination `p`, applies the action if it is in range, and else counts
 * it. */
static void add_guarded(const Scatter *s, StrBuf *text, const char *action)
{
    strbuf_addf(text, " int p = place(index, size); if (p >= 0) %s", action);
    strbuf_add(text, s->bad.device ? "; else atomicAdd(bad[0], 1u); }" : "; }");
}

/* Scatters with "set" in two passes: each destination stores the largest index of the elements for it, then copies
 * this element. */
static bool set_last(Scatter *s)
{
    const char *type = s->index.type->value->name;
    Stream winner, to = {0}, from = {0};
    if (!stream_create(s->dst->device, type_of(SCALAR_UINT, 1), &s->dst->shape, true, &winner)) {
        return false;
    }
    Stream places;
    bool done = index_flatten(&winner, "rill.scatter: the stream of winners of duplicates", &places);
    StrBuf text = STRBUF_EMPTY;
    index_declare(&text, s->index.type);
    strbuf_addf(&text, "kernel void scatter(%s index<>, int4 size, inout uint last[]%s) {", type,
                s->bad.device ? ", inout uint bad[]" : "");
    add_guarded(s, &text, "atomicMax(last[p], uint(indexof(index).x) + 1u)");
    Argument mark[] = {{.stream = &s->index}, {.words = s->size}, {.stream = &places}, {.stream = &s->bad}};
    done = done && launch(s, &text, mark, &s->index.shape) && raw_view(s->dst, &to) && raw_view(&s->src, &from);
    if (done) { /* a src of one element is read at every index, since gathers clamp */
        const char *raw = to.type->value->name;
        raw_declare(&text, to.type);
        strbuf_addf(&text, "kernel void take(uint last<>, %s src[], inout %s dst<>) ", raw, raw);
        strbuf_add(&text, "{ if (last != 0u) dst = src[int(last - 1u)]; }");
        Argument take[] = {{.stream = &winner}, {.stream = &from}, {.stream = &to}};
        done = launch(s, &text, take, &to.shape);
    }
    strbuf_free(&text);
    stream_release(&from);
    stream_release(&to);
    stream_release(&places);
    stream_release(&winner);
    return done;
}

static bool combine_atomically(Scatter *s)
{
    const char *type = s->index.type->value->name, *value = s->dst->type->name;
    Stream flat, dense = {0};
    Shape shape = {.rank = 1, .size = {stream_elements(s->dst)}};
    bool view = stream_reshape(s->dst, &shape, &flat);
    if (!view && !(copy_whole(s->dst, NULL, destination, &dense) && stream_reshape(&dense, &shape, &flat))) {
        return false;
    }
    StrBuf text = STRBUF_EMPTY, action = STRBUF_EMPTY;
    index_declare(&text, s->index.type);
    strbuf_addf(&text, "kernel void scatter(%s index<>, %s src<>, int4 size, inout %s dst[]%s) {", type, value, value,
                s->bad.device ? ", inout uint bad[]" : "");
    strbuf_addf(&action, "%s(dst[p], src)", rows[s->op].atomic);
    add_guarded(s, &text, strbuf_text(&action));
    strbuf_free(&action);
    Argument args[] = {
        {.stream = &s->index}, {.stream = &s->src}, {.words = s->size}, {.stream = &flat}, {.stream = &s->bad}};
    bool done = launch(s, &text, args, &s->index.shape) && (view || copy_stream_for(s->dst, &dense, stored));
    stream_release(&flat);
    stream_release(&dense);
    return done;
}

static bool atomic_type(const Type *type)
{
    return !type->is_struct && type->components == 1 && type->value == type &&
           (type->scalar == SCALAR_INT || type->scalar == SCALAR_UINT);
}

/* in index order: the indices are sorted, the elements of each destination are reduced, and the result is combined
 * with dst */

/* Reduces the elements of each destination: found[0] are the destinations in ascending order, found[1] the values. */
static bool reduce_destinations(Scatter *s, const SegmentSpec *spec, Stream found[2])
{
    Stream keys = {0}, order = {0}, values = {0};
    bool needs_copy;
    uint32_t count = (uint32_t)stream_elements(s->dst);
    bool done = index_sort(&s->index, s->size, count, s->bad.device ? &s->bad : NULL, &keys, &order);
    if (done && stream_elements(&s->src) == 1) {
        done = stream_resample(&s->src, &keys.shape, &values, &needs_copy);
    } else if (done) {
        done = gather_stream(&s->src, &order, false, &values);
    }
    done = done && segment_reduce_by_key(spec, &keys, &values, found) && stream_settle(&found[0]) &&
           stream_settle(&found[1]);
    stream_release(&keys);
    stream_release(&order);
    stream_release(&values);
    return done;
}

/* Combines each element of `now` with the element of `more`, as neighbors with the same key. */
static bool combine_pairs(const SegmentSpec *spec, const Stream *places, const Stream *now, const Stream *more,
                          Stream *result)
{
    int64_t n = stream_elements(places), from[2] = {0, 0}, to[2] = {n, 1}, two = 2;
    Shape shape = {.rank = 2, .size = {n, 2}}, flat = {.rank = 1, .size = {2 * n}},
          column = {.rank = 2, .size = {n, 1}};
    Stream pairs = {0}, sides[2] = {{0}}, columns[2] = {{0}}, keys = {0}, values = {0}, results[2] = {{0}};
    bool done = stream_create(now->device, now->type, &shape, false, &pairs) && stream_replicate(places, &two, &keys) &&
                stream_reshape(&pairs, &flat, &values);
    for (int c = 0; c < 2 && done; c++) {
        from[1] = c;
        to[1] = c + 1;
        done = stream_domain(&pairs, from, to, &sides[c]) && stream_reshape(c ? more : now, &column, &columns[c]) &&
               copy_stream_for(&sides[c], &columns[c],
                               "rill.scatter: elements are put next to those with the same destination");
    }
    done = done && segment_reduce_by_key(spec, &keys, &values, results) && stream_settle(&results[1]);
    if (done) {
        *result = results[1];
        results[1] = (Stream){0};
    }
    for (int c = 0; c < 2; c++) {
        stream_release(&sides[c]);
        stream_release(&columns[c]);
        stream_release(&results[c]);
    }
    stream_release(&pairs);
    stream_release(&keys);
    stream_release(&values);
    return done;
}

/* Stores values at distinct destinations. Destinations beyond the end are ignored. */
static bool put(Scatter *s, const Stream *places, const Stream *values, Stream *flat)
{
    Stream from = {0}, to = {0};
    uint32_t count = (uint32_t)stream_elements(flat);
    bool done = raw_view(values, &from) && raw_view(flat, &to);
    if (done) {
        const char *raw = to.type->value->name;
        StrBuf text = STRBUF_EMPTY;
        raw_declare(&text, to.type);
        strbuf_addf(&text, "kernel void put(uint place<>, %s x<>, uint count, inout %s dst[]) ", raw, raw);
        strbuf_add(&text, "{ if (place < count) dst[int(place)] = x; }");
        Argument args[] = {{.stream = places}, {.stream = &from}, {.words = &count}, {.stream = &to}};
        done = launch(s, &text, args, &places->shape);
    }
    stream_release(&from);
    stream_release(&to);
    return done;
}

static bool combine_in_order(Scatter *s, Kernel *kernel)
{
    static const ScanOp ops[SCATTER_KERNEL] = {
        [SCATTER_ADD] = SCAN_ADD, [SCATTER_MUL] = SCAN_MUL, [SCATTER_MIN] = SCAN_MIN, [SCATTER_MAX] = SCAN_MAX,
        [SCATTER_AND] = SCAN_AND, [SCATTER_OR] = SCAN_OR,   [SCATTER_XOR] = SCAN_XOR};
    SegmentSpec spec = {.op = kernel ? SCAN_ADD : ops[s->op], .operation = kernel, .device = s->dst->device};
    Shape shape = {.rank = 1, .size = {stream_elements(s->dst)}};
    const Type *type = s->dst->type->value;
    Stream found[2] = {{0}}, flat = {0}, dense = {0}, now = {0}, sums = {0};
    bool view = type == s->dst->type && stream_reshape(s->dst, &shape, &flat);
    bool done = (view || (copy_whole(s->dst, type, destination, &dense) && stream_reshape(&dense, &shape, &flat))) &&
                reduce_destinations(s, &spec, found) && gather_stream(&flat, &found[0], false, &now) &&
                combine_pairs(&spec, &found[0], &now, &found[1], &sums) && put(s, &found[0], &sums, &flat) &&
                (view || copy_stream_for(s->dst, &dense, stored));
    stream_release(&found[0]);
    stream_release(&found[1]);
    stream_release(&flat);
    stream_release(&dense);
    stream_release(&now);
    stream_release(&sums);
    return done;
}

/* sums to few destinations */

enum {
    FEW_EACH = 4,       /* least number of elements per destination */
    FEW_ELEMENTS = 4096 /* with fewer, there is little to gain */
};

static bool few_destinations(const Scatter *s)
{
    const Type *type = s->dst->type;
    int64_t places = stream_elements(s->dst), count = stream_elements(&s->index);
    bool real = type == type_of(SCALAR_FLOAT, 1) || type == type_of(SCALAR_DOUBLE, 1);
    return s->op == SCATTER_ADD && real && count >= FEW_EACH * places && count >= FEW_ELEMENTS &&
           shape_equal(&s->src.shape, &s->index.shape) && count_has_weights(&s->index, &s->src, places);
}

/* Computes the flat index of each element's destination as uint. Out of range it is larger than all others (the bits
 * of a negative int). */
static bool find_destinations(Scatter *s, Stream *numbers)
{
    const Stream *index = &s->index;
    bool whole = index->type == type_of(SCALAR_INT, 1) || index->type == type_of(SCALAR_UINT, 1);
    if (whole && !s->bad.device && index->source == SOURCE_BUFFER && index->contiguous) {
        return stream_over(index->buffer, type_of(SCALAR_UINT, 1), &index->shape, index->offset, numbers);
    }
    if (!stream_create(s->dst->device, type_of(SCALAR_UINT, 1), &s->index.shape, false, numbers)) {
        return false;
    }
    StrBuf text = STRBUF_EMPTY;
    index_declare(&text, s->index.type);
    strbuf_addf(&text, "kernel void number(%s index<>, int4 size, out uint r<>%s) { int p = place(index, size); ",
                s->index.type->value->name, s->bad.device ? ", inout uint bad[]" : "");
    strbuf_add(&text, s->bad.device ? "r = uint(p); if (p < 0) atomicAdd(bad[0], 1u); }" : "r = uint(p); }");
    Argument args[] = {{.stream = &s->index}, {.words = s->size}, {.stream = numbers}, {.stream = &s->bad}};
    bool done = launch(s, &text, args, &s->index.shape);
    if (!done) {
        stream_release(numbers);
    }
    return done;
}

/* Sums the elements of every destination and adds the sums to dst. */
static bool add_sums(Scatter *s)
{
    Shape shape = {.rank = 1, .size = {stream_elements(s->dst)}};
    Stream numbers, sums, flat = {0}, dense = {0};
    bool view = stream_reshape(s->dst, &shape, &flat);
    if (!view && !(copy_whole(s->dst, NULL, destination, &dense) && stream_reshape(&dense, &shape, &flat))) {
        return false;
    }
    bool done = find_destinations(s, &numbers);
    if (done) {
        done = count_weights(&numbers, &s->src, shape.size[0], &sums);
        stream_release(&numbers);
    }
    if (done) {
        const char *type = s->dst->type->name;
        StrBuf text = STRBUF_EMPTY;
        strbuf_addf(&text, "kernel void add(%s sum<>, inout %s dst<>) { if (sum != 0.0) dst += sum; }", type, type);
        Argument args[] = {{.stream = &sums}, {.stream = &flat}};
        done = launch(s, &text, args, &shape) && (view || copy_stream_for(s->dst, &dense, stored));
        stream_release(&sums);
    }
    stream_release(&flat);
    stream_release(&dense);
    return done;
}

static bool check_arguments(const Stream *dst, const Stream *index, const Stream *src)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    if (!dst->writable) {
        return error_set("'dst' is a view that can't be written to");
    }
    if (!type_converts(src->type->value, dst->type->value)) {
        return error_set("elements of 'src' (%s) can't be put into a stream of %s", src->type->name, dst->type->name);
    }
    if (stream_elements(src) != 1 && !shape_equal(&src->shape, &index->shape)) {
        return error_set("the shapes of 'index' (%s) and 'src' (%s) differ", shape_text(&index->shape, a),
                         shape_text(&src->shape, b));
    }
    return index_check_stream(index, &dst->shape);
}

/* Prepares the arguments. Except for "set", elements are combined in the type that kernels read. */
static bool prepare(Scatter *s, const Stream *index, const Stream *src, bool count)
{
    const Type *type = s->op == SCATTER_SET ? s->dst->type : s->dst->type->value;
    Shape one = {.rank = 1, .size = {1}};
    Stream cast = {0};
    bool same = src->type == type && src->source == SOURCE_BUFFER;
    bool done = (same || copy_whole(src, type, "rill.scatter: argument 'src'", &cast)) &&
                index_flatten(same ? src : &cast, "rill.scatter: argument 'src'", &s->src) &&
                index_flatten(index, "rill.scatter: argument 'index'", &s->index) &&
                (!count || stream_create(s->dst->device, type_of(SCALAR_UINT, 1), &one, true, &s->bad));
    stream_release(&cast);
    index_size(index->type, &s->dst->shape, s->size);
    return done;
}

bool scatter_stream(Stream *dst, const Stream *index, const Stream *src, ScatterOp op, Kernel *kernel,
                    uint32_t *skipped)
{
    if (!check_arguments(dst, index, src)) {
        return false;
    }
    op = scatter_of(op, dst->type);
    Scatter s = {.dst = dst, .op = op};
    if (skipped) {
        *skipped = 0;
    }
    if (stream_elements(index) == 0) {
        return true;
    }
    bool done = prepare(&s, index, src, skipped != NULL);
    if (done && op == SCATTER_SET) {
        done = set_last(&s);
    } else if (done && op != SCATTER_KERNEL && rows[op].atomic && atomic_type(dst->type)) {
        done = combine_atomically(&s);
    } else if (done && few_destinations(&s)) {
        done = add_sums(&s);
    } else if (done) {
        done = combine_in_order(&s, kernel);
    }
    if (done && skipped) {
        done = buffer_read(s.bad.buffer, 0, skipped, sizeof *skipped);
    }
    stream_release(&s.bad);
    stream_release(&s.src);
    stream_release(&s.index);
    return done;
}
