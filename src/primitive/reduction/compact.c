#include "primitive/reduction/compact.h"

#include "kernel/emit/glsl.h"
#include "kernel/launch/copy.h"
#include "kernel/launch/raw.h"
#include "primitive/engine/scanner.h"

/* An output of a mode: the elements or their indices, by the counter of kept (0) or other (1) elements. */
typedef struct ModeOutput {
    bool number;
    int counter;
} ModeOutput;

static const struct {
    int count;
    ModeOutput outputs[2];
} modes[COMPACT_MODES] = {
    [COMPACT_FILTER] = {1, {{false, 0}}},
    [COMPACT_FIND] = {1, {{true, 0}}},
    [COMPACT_PARTITION] = {2, {{false, 0}, {false, 1}}},
    [COMPACT_BOTH] = {2, {{false, 0}, {true, 0}}},
};

/* Writes the text. The accumulator counts the kept elements. `seen`: the type of the elements, or NULL if only the
 * mask is read. */
static void write_text(CompactMode mode, const Type *seen, StrBuf *out)
{
    const char *x = seen ? glsl_type(seen) : "", *name = seen ? " x, " : "";
    strbuf_addf(out,
                "#define ELEMENT %s%suint k\n"
                "int rill_lift(ELEMENT, int i) { return int(k); }\n"
                "int rill_merge(int a, int b) { return a + b; }\n"
                "int rill_identity() { return 0; }\n"
                "int rill_count_0(int a, int n) { return a; }\n"
                "int rill_count_1(int a, int n) { return n - a; }\n",
                x, name);
    for (int i = 0; i < modes[mode].count; i++) {
        bool number = modes[mode].outputs[i].number;
        strbuf_addf(out, "%s rill_out_%d(ELEMENT, int i, int before, int after) { return %s; }\n", number ? "int" : x,
                    i, number ? "i" : "x");
    }
}

/* Converts a result from the engine's raw type to the stored raw type, and then to `type`. */
static bool restore(Stream *result, const Type *type)
{
    const Type *raw = raw_type(type->bytes);
    Stream typed;
    if (!raw || !scanner_restore(result, raw) || !stream_retype(result, type, &typed)) {
        return false;
    }
    stream_release(result);
    *result = typed;
    return true;
}

static void fill_text(CompactMode mode, const Type *seen, ScannerText *text)
{
    text->accumulator = type_of(SCALAR_INT, 1);
    text->identity = text->compact = true;
    text->output_count = modes[mode].count;
    text->counter_count = mode == COMPACT_PARTITION ? 2 : 1;
    for (int i = 0; i < text->output_count; i++) {
        text->outputs[i].type = modes[mode].outputs[i].number ? type_of(SCALAR_INT, 1) : seen;
        text->outputs[i].counter = modes[mode].outputs[i].counter;
    }
}

static bool scan(CompactMode mode, const Stream *raw, const Stream *mask, Stream *results)
{
    static const char *const names[] = {"s:filter", "s:find", "s:partition", "s:runs"};
    const Type *seen = mode == COMPACT_FIND ? NULL : raw->type->value;
    const Argument args[2] = {{.stream = raw}, {.stream = mask}};
    InputSource sources[2] = {{.args = args, .type = seen}, {.args = args + 1, .type = type_of(SCALAR_UINT, 1)}};
    StrBuf functions = STRBUF_EMPTY;
    write_text(mode, seen, &functions);
    ScannerText text = {.name = names[mode], .functions = strbuf_text(&functions)};
    fill_text(mode, seen, &text);
    Inputs *in = inputs_new(mask->device);
    bool done = in && inputs_collect(in, &mask->shape, seen ? sources : sources + 1, seen ? 2 : 1, NULL, NULL, false) &&
                scanner_compact(&text, in, results);
    inputs_release(in);
    strbuf_free(&functions);
    return done;
}

static bool empty(CompactMode mode, const Stream *s, Stream *results)
{
    const Shape none = {.rank = 1, .size = {0}};
    for (int i = 0; i < modes[mode].count; i++) {
        const Type *type = modes[mode].outputs[i].number ? type_of(SCALAR_INT, 1) : s->type;
        if (!stream_create(s->device, type, &none, false, &results[i])) {
            return false;
        }
    }
    return true;
}

static bool make_results(CompactMode mode, const Stream *s, const Stream *mask, Stream *results)
{
    Stream raw = {0};
    if (stream_elements(s) == 0) {
        return empty(mode, s, results);
    }
    bool done = mode == COMPACT_FIND || raw_view(s, &raw);
    done = done && scan(mode, &raw, mask, results);
    for (int i = 0; done && i < modes[mode].count; i++) {
        done = modes[mode].outputs[i].number || restore(&results[i], s->type);
    }
    stream_release(&raw);
    return done;
}

bool compact_stream(CompactMode mode, const Stream *s, const Stream *mask, Stream *first, Stream *second)
{
    Stream results[2] = {{0}};
    bool done = make_results(mode, s, mask, results);
    if (!done) {
        stream_release(&results[0]);
        stream_release(&results[1]);
        return false;
    }
    *first = results[0];
    if (second) {
        *second = results[1];
    }
    return true;
}

bool compact_mask(const Stream *s, Stream *mask)
{
    if (!stream_create(s->device, type_of(SCALAR_UINT8, 1), &s->shape, false, mask)) {
        return false;
    }
    if (s->length.buffer) {
        stream_set_length(mask, s->length);
    }
    return true;
}

bool compact_flat(const Stream *s, Stream *flat)
{
    const Shape shape = {.rank = 1, .size = {stream_elements(s)}};
    if (s->source == SOURCE_BUFFER && s->contiguous) {
        bool done = stream_over(s->buffer, s->type, &shape, s->offset, flat);
        if (done && s->length.buffer) {
            stream_set_length(flat, s->length);
        }
        return done;
    }
    Stream copy = {0};
    bool done = copy_new(s, NULL, &copy) && stream_reshape(&copy, &shape, flat);
    stream_release(&copy);
    return done;
}
