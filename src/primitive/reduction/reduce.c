#include "primitive/reduction/reduce.h"

#include "gpu/memory/buffer.h"
#include "primitive/engine/reducer.h"
#include "primitive/reduction/reduce_ops.h"

#include <math.h>
#include <string.h>

const Type *reduce_result_type(ReduceOp op, const Type *type, bool whole)
{
    const ReduceRow *row = reduce_row(op, type, whole, whole);
    return row ? row->result : NULL;
}

static ReducerText text_of(ReduceOp op, const ReduceRow *row)
{
    return (ReducerText){.name = reduce_ops_name(op),
                         .functions = row->functions.text,
                         .any_order = op != REDUCE_ARGMIN && op != REDUCE_ARGMAX,
                         .chunk = row->chunk,
                         .again = row->again,
                         .flush = row->flush,
                         .value = row->value,
                         .accumulator = row->accumulator,
                         .result = row->result};
}

static void set_center(ReducerText *text, const ReduceCenter *center)
{
    text->constants = (const double *)center;
    text->constant_count = center ? sizeof *center / sizeof(double) : 0;
}

static bool run_row(ReduceOp op, const ReduceRow *row, const ReduceCenter *center, InputSource *sources, int count,
                    Device *device, const Shape *domain, const Shape *shape, bool whole, bool check, Stream *result)
{
    if (!row || !(whole ? stream_create_readable(device, row->result, shape, result)
                        : stream_create(device, row->result, shape, false, result))) {
        return false;
    }
    for (int s = 0; s < count; s++) {
        sources[s].type = row->value;
    }
    ReducerText text = text_of(op, row);
    set_center(&text, center);
    Inputs *in = inputs_new(device);
    bool done = in && inputs_collect(in, domain, sources, count, NULL, NULL, check) && reducer_run(&text, in, result);
    inputs_release(in);
    if (!done) {
        stream_release(result);
    }
    return done;
}

static bool reduce_sources(ReduceOp op, const Type *type, InputSource *sources, int count, Device *device,
                           const Shape *domain, const Shape *shape, bool whole, bool ordered, bool check,
                           Stream *result)
{
    const ReduceRow *row = reduce_row(op, type, whole, !ordered && shape_elements(shape) == 1);
    ReduceCenter center;
    if (row && row->centered) {
        Stream mean;
        bool done = run_row(REDUCE_CENTER, reduce_row(REDUCE_CENTER, type, true, true), NULL, sources, count, device,
                            domain, shape, true, check, &mean) &&
                    reduce_read_center(&mean, &center);
        if (!done) {
            return false;
        }
    }
    return run_row(op, row, row && row->centered ? &center : NULL, sources, count, device, domain, shape, whole, check,
                   result);
}

bool reduce_read_center(Stream *result, ReduceCenter *center)
{
    static const double far = 0x1p960; /* differences may be infinite */
    double pair[8];
    int components = result->type->fields[0].type->components;
    uint64_t bytes = (uint64_t)result->type->bytes;
    bool done = buffer_read(result->buffer, (uint64_t)result->offset * bytes, pair, bytes);
    *center = (ReduceCenter){.scale = 1};
    for (int c = 0; done && c < components; c++) {
        center->scale = fabs(pair[c]) > far ? 0.25 : center->scale;
    }
    for (int c = 0; done && c < components; c++) {
        center->mean[c] = pair[c] * center->scale;
        center->rest[c] = pair[components + c] * center->scale;
    }
    stream_release(result);
    return done;
}

bool reduce_stream(ReduceOp op, const Stream *x, const Stream *y, const Shape *shape, bool whole, Stream *result)
{
    Argument args[2] = {{.stream = x}, {.stream = y}};
    InputSource sources[2] = {{.args = &args[0]}, {.args = &args[1]}};
    return reduce_sources(op, x->type, sources, y ? 2 : 1, x->device, &x->shape, shape, whole, false, false, result);
}

bool reduce_ordered(ReduceOp op, const Stream *x, const Stream *y, Stream *result)
{
    static const Shape one = {.rank = 1, .size = {1}};
    const Argument args[2] = {{.stream = x}, {.stream = y}};
    InputSource sources[2] = {{.args = &args[0]}, {.args = &args[1]}};
    return reduce_sources(op, x->type, sources, y ? 2 : 1, x->device, &x->shape, &one, true, true, false, result);
}

bool reduce_accepts(const Kernel *kernel)
{
    return inputs_accepts(kernel);
}

const Type *reduce_input_type(const Kernel *kernel)
{
    return inputs_kernel_type(kernel);
}

bool reduce_input(ReduceOp op, const ReduceInput *inputs, Device *device, const Shape *domain, const Shape *shape,
                  bool whole, bool check, Stream *result)
{
    InputSource sources[2];
    int count = op == REDUCE_DOT ? 2 : 1;
    for (int i = 0; i < count; i++) {
        if (!inputs_accepts(inputs[i].kernel)) {
            return false;
        }
        sources[i] = (InputSource){.kernel = inputs[i].kernel, .args = inputs[i].args};
    }
    return reduce_sources(op, inputs_kernel_type(inputs[0].kernel), sources, count, device, domain, shape, whole, false,
                          check, result);
}

const Type *reduce_state_type(ReduceOp op, const Type *type)
{
    const ReduceRow *row = reduce_row(op, type, true, true);
    return row ? row->accumulator : NULL;
}

bool reduce_state(ReduceOp op, const Stream *x, const Stream *y, const ReduceCenter *center, Stream *result)
{
    static const Shape one = {.rank = 1, .size = {1}};
    const Argument args[2] = {{.stream = x}, {.stream = y}};
    InputSource sources[2] = {{.args = &args[0]}, {.args = &args[1]}};
    return run_row(op, reduce_state_row(op, x->type), center, sources, y ? 2 : 1, x->device, &x->shape, &one, true,
                   false, result);
}

bool reduce_join(ReduceOp op, const Type *type, const Stream *states, int64_t total, const ReduceCenter *center,
                 Stream *result)
{
    static const Shape one = {.rank = 1, .size = {1}};
    const ReduceRow *row = reduce_row(op, type, true, true);
    if (!row || !stream_create_readable(states->device, row->result, &one, result)) {
        return false;
    }
    ReducerText text = text_of(op, row);
    set_center(&text, center);
    bool done = reducer_join(&text, states, total, result);
    if (!done) {
        stream_release(result);
    }
    return done;
}

/* Returns the type of the reduce parameter, which is also the type of the input. */
static const Type *reduced_type(const Function *f)
{
    int i = 0;
    while (f->params[i].kind != PARAM_REDUCE) {
        i++;
    }
    return f->params[i].type;
}

/* Writes the functions of the reducer from a reduce kernel: a run starts with its first element, and a step calls the
 * kernel. */
static void write_functions(const Inputs *in, StrBuf *out)
{
    const Type *type = reduced_type(&in->operation->function);
    char name[80];
    strcpy(name, type->is_struct ? "u_" : "");
    strcat(name, type->name);
    strbuf_addf(out, "%s rill_merge(%s a, %s x) { ", name, name, name);
    inputs_write_operation(out, in);
    strbuf_addf(out,
                "; return a; }\n%s rill_first(%s x, int t) { return x; }\n%s rill_step(%s a, %s x, int t) { return "
                "rill_merge(a, x); }\n%s rill_finish(%s a, double n) { return a; }\n",
                name, name, name, name, name, name, name);
}

static bool reduce_by_kernel(Kernel *kernel, const Argument *args, InputSource *source, const Shape *domain, bool check,
                             Stream *result)
{
    const Function *f = &kernel->function;
    if (kernel->body.uses_position) {
        return error_set("%s: indexof has no meaning in a reduce kernel", f->name);
    }
    source->type = reduced_type(f);
    Inputs *in = inputs_new(result->device);
    bool done = in && inputs_collect(in, domain, source, 1, kernel, args, check);
    StrBuf functions = STRBUF_EMPTY;
    if (done) {
        write_functions(in, &functions);
        ReducerText text = {.name = f->name,
                            .functions = strbuf_text(&functions),
                            .value = source->type,
                            .accumulator = source->type,
                            .result = source->type};
        done = reducer_run(&text, in, result);
    }
    strbuf_free(&functions);
    inputs_release(in);
    return done;
}

bool reduce_kernel(Kernel *kernel, const Argument *args, bool check, Stream *result)
{
    const Function *f = &kernel->function;
    int i = 0;
    while (f->params[i].kind != PARAM_INPUT) {
        i++;
    }
    InputSource source = {.args = &args[i]};
    return reduce_by_kernel(kernel, args, &source, &args[i].stream->shape, check, result);
}

bool reduce_kernel_input(Kernel *kernel, const Argument *args, Kernel *input, const Argument *input_args,
                         const Shape *domain, bool check, Stream *result)
{
    InputSource source = {.kernel = input, .args = input_args};
    return reduce_by_kernel(kernel, args, &source, domain, check, result);
}
