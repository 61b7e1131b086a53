#include "primitive/reduction/scan.h"

#include "kernel/emit/glsl.h"
#include "primitive/engine/scanner.h"
#include "shaders_embedded.h"

#include <string.h>

/* Returns a structure of an accumulator and a flag: whether a segment begins in it. The caller releases it. */
static const Type *segment_type(const Type *accumulator)
{
    Field fields[2] = {{.type = accumulator}, {.type = type_of(SCALAR_INT, 1), .offset = accumulator->bytes}};
    strcpy(fields[0].name, "v");
    strcpy(fields[1].name, "f");
    return type_struct("RillSegment", fields, 2);
}

static void write_whole(const ScanSpec *spec, const ScanOperator *op, StrBuf *out)
{
    const char *a = glsl_type(op->accumulator), *t = glsl_type(op->value), *r = glsl_type(op->result);
    strbuf_addf(
        out,
        "%s rill_lift(%s x, int i) { return rill_from(x); }\n%s rill_merge(%s a, %s b) { return rill_join(a, b); "
        "}\n%s rill_identity() { return rill_none(); }\n",
        a, t, a, a, a, a);
    strbuf_addf(out, "%s rill_out_0(%s x, int i, %s before, %s after, bool first) { return rill_finish(%s); }\n", r, t,
                a, a, spec->exclusive ? "before" : "after");
}

/* Writes the text of a segmented scan. In a reverse scan a segment ends at the element that the flag marks, so the
 * previous flag is used. */
static void write_segmented(const ScanSpec *spec, const ScanOperator *op, StrBuf *out)
{
    const char *a = glsl_type(op->accumulator), *t = glsl_type(op->value), *r = glsl_type(op->result);
    const char *flags = spec->reverse ? "bool flag, bool last" : "bool flag";
    const char *head = spec->reverse ? "last && i > 0" : "flag";
    strbuf_addf(
        out,
        "#define S u_RillSegment\nS rill_lift(%s x, %s, int i) { return S(rill_from(x), int(%s)); }\n"
        "S rill_merge(S a, S b) { %s v = rill_join(a.v, b.v); if (b.f != 0) v = b.v; return S(v, a.f | b.f); }\n"
        "S rill_identity() { return S(rill_none(), 0); }\n",
        t, flags, head, a);
    strbuf_addf(out, "%s rill_out_0(%s x, %s, int i, S before, S after, bool first) { ", r, t, flags);
    if (spec->exclusive) {
        strbuf_addf(out, "%s v = before.v; if (%s) v = rill_none(); return rill_finish(v); }\n", a, head);
    } else {
        strbuf_add(out, "return rill_finish(after.v); }\n");
    }
}

static const Type *element_type(const ScanSpec *spec)
{
    return spec->input ? inputs_kernel_type(spec->input) : spec->args[0].stream->type;
}

static bool find_operator(const ScanSpec *spec, const Inputs *in, StrBuf *out, ScanOperator *op)
{
    if (!spec->operation) {
        return scan_operator(spec->op, element_type(spec), false, out, op);
    }
    StrBuf call = STRBUF_EMPTY;
    inputs_write_operation(&call, in);
    bool done = scan_operator_kernel(spec->operation, strbuf_text(&call), out, op);
    strbuf_free(&call);
    return done;
}

static bool run(const ScanSpec *spec, const Inputs *in, const ScanOperator *op, StrBuf *functions, Stream *result)
{
    ScannerText text = {.name = spec->operation ? spec->operation->function.name : "scan",
                        .accumulator = spec->heads ? segment_type(op->accumulator) : type_retain(op->accumulator),
                        .identity = op->identity,
                        .special = op->plain && !spec->heads ? shader_scan_chunk : NULL,
                        .output_count = 1,
                        .outputs = {{.type = op->result}}};
    text.previous[1] = spec->heads && spec->reverse;
    if (spec->heads) {
        write_segmented(spec, op, functions);
    } else {
        write_whole(spec, op, functions);
        strbuf_add(functions, spec->exclusive ? "#define RILL_EXCLUSIVE 1\n" : "#define RILL_EXCLUSIVE 0\n");
    }
    text.functions = strbuf_text(functions);
    Shape rows = {.rank = spec->domain.rank};
    for (int d = 0; d < rows.rank; d++) {
        rows.size[d] = spec->axis < 0 || d == spec->axis ? 1 : spec->domain.size[d];
    }
    bool done = text.accumulator && scanner_dense(&text, in, &rows, spec->reverse, result);
    type_release(text.accumulator);
    return done;
}

const Type *scan_input(const Kernel *kernel)
{
    return inputs_accepts(kernel) ? inputs_kernel_type(kernel) : NULL;
}

bool scan_run(const ScanSpec *spec, Stream *result)
{
    ScanOperator op;
    StrBuf functions = STRBUF_EMPTY;
    Argument heads = {.stream = spec->heads};
    InputSource sources[2] = {{.kernel = spec->input, .args = spec->args},
                              {.args = &heads, .type = type_of(SCALAR_BOOL, 1)}};
    /* The operator's value type is needed before its text, since the call of a reduce kernel needs the collected
     * inputs. */
    if (spec->operation && !scan_accepts(spec->operation)) {
        return false;
    }
    if (spec->operation) {
        for (int i = 0; i < spec->operation->function.param_count; i++) {
            if (spec->operation->function.params[i].kind == PARAM_REDUCE) {
                sources[0].type = spec->operation->function.params[i].type;
            }
        }
    } else if (!scan_operator(spec->op, element_type(spec), false, &functions, &op)) {
        strbuf_free(&functions);
        return false;
    } else {
        sources[0].type = op.value;
    }
    strbuf_free(&functions);
    Inputs *in = inputs_new(spec->device);
    bool done = in &&
                inputs_collect(in, &spec->domain, sources, spec->heads ? 2 : 1, spec->operation, NULL, spec->check) &&
                find_operator(spec, in, &functions, &op) && run(spec, in, &op, &functions, result);
    inputs_release(in);
    strbuf_free(&functions);
    return done;
}
