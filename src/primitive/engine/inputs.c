#include "primitive/engine/inputs.h"

#include "gpu/memory/buffer.h"
#include "gpu/memory/workspace.h"
#include "kernel/emit/glsl.h"
#include "kernel/launch/copy.h"
#include "stream/view_dim.h"

#include <stdio.h>
#include <string.h>

/* kernels as sources */

static bool refuse(const Kernel *kernel, const char *why)
{
    return error_set("%s: %s", kernel->function.name, why);
}

bool inputs_accepts(const Kernel *kernel)
{
    const Function *f = &kernel->function;
    int outputs = 0;
    if (f->kind != FUNCTION_KERNEL || f->group_rank) {
        return refuse(kernel, "expected a kernel that is neither a reduce nor a group kernel");
    }
    for (int i = 0; i < f->param_count; i++) {
        ParamKind kind = f->params[i].kind;
        outputs += kind == PARAM_OUTPUT;
        if (kind != PARAM_OUTPUT && kind != PARAM_INPUT && kind != PARAM_ITER && kind != PARAM_CONSTANT &&
            kind != PARAM_GATHER) {
            return error_set("%s: '%s' is not an element-wise input, constant or gather", f->name, f->params[i].name);
        }
        if (kernel->body.use[i].size) {
            return refuse(kernel, "sizeof_stream has no meaning in an element's expression");
        }
    }
    if (kernel->body.uses_position) {
        return refuse(kernel, "indexof has no meaning in an element's expression");
    }
    if (kernel->body.random) {
        return refuse(kernel, "an element's expression has no random numbers: run the kernel first");
    }
    return outputs == 1 || refuse(kernel, "expected a kernel with one output");
}

static int output_of(const Function *f)
{
    int i = 0;
    while (f->params[i].kind != PARAM_OUTPUT) {
        i++;
    }
    return i;
}

const Type *inputs_kernel_type(const Kernel *kernel)
{
    return kernel->function.params[output_of(&kernel->function)].type;
}

static bool type_fits(const Type *value, const Type *wanted)
{
    if (value->is_struct || wanted->is_struct) {
        return type_converts(value, wanted);
    }
    return value->components == wanted->components;
}

/* collecting */

static bool elementwise(const Param *param)
{
    return param->kind == PARAM_INPUT || param->kind == PARAM_ITER;
}

/* Returns the next temporary, or NULL with error_set if all are used. The caller increments the count after it filled
 * it. */
static Stream *next_temporary(Inputs *in)
{
    if (in->temporary_count == INPUT_ARGS) {
        error_set("more than %d streams of other shapes: evaluate a part of the expression first", INPUT_ARGS);
        return NULL;
    }
    return &in->temporaries[in->temporary_count];
}

/* Returns the stream, or a resampled view of it, with the domain's shape. */
static const Stream *shaped(Inputs *in, const Stream *s)
{
    if (shape_equal(&s->shape, &in->domain)) {
        return s;
    }
    Stream *view = next_temporary(in);
    if (!view || !copy_resampled(s, &in->domain, view)) {
        return NULL;
    }
    in->temporary_count++;
    return view;
}

static bool same_stream(const Inputs *in, int i, const Stream *s, const Type *seen)
{
    const Stream *other = in->args[i].stream;
    return in->params[i].type == seen && other->type == s->type && other->source == s->source &&
           (other == s || (s->source == SOURCE_BUFFER && stream_same_mapping(other, s)));
}

static bool take_length(Inputs *in, const Stream *s)
{
    if (!s->length.buffer) {
        return true;
    }
    if (in->length.buffer && (in->length.buffer != s->length.buffer || in->length.word != s->length.word)) {
        return error_set(
            "the lengths of the streams are on the device and may differ: read the size of one of them first");
    }
    in->length = s->length;
    return true;
}

static bool add_stream(Inputs *in, const Stream *given, const Type *seen, int *slot)
{
    const Stream *s = shaped(in, given);
    if (!s || !take_length(in, given)) {
        return false;
    }
    for (*slot = 0; *slot < in->streams; ++*slot) {
        if (same_stream(in, *slot, s, seen)) {
            return true;
        }
    }
    if (in->streams == INPUT_STREAMS) {
        return error_set("an expression of more than %d different streams: evaluate a part of it first", INPUT_STREAMS);
    }
    Param *param = &in->params[in->streams];
    *param = (Param){.kind = PARAM_INPUT, .type = seen};
    snprintf(param->name, sizeof param->name, "%de", in->streams); /* no user's name begins with a digit */
    in->args[in->streams++].stream = s;
    in->count = in->streams;
    return true;
}

/* Sets a gather as the next argument. Its rank must be the declared rank. An empty stream is replaced by a small
 * stream of zeros. */
static bool add_gather(Inputs *in, const Kernel *kernel, const Param *param, const Stream *s)
{
    if (s->shape.rank != param->rank) {
        return kernel_error_rank(&kernel->function, param, s);
    }
    for (int i = in->streams; i < in->count; i++) {
        if (in->params[i].kind == PARAM_GATHER && strcmp(in->params[i].name, param->name) == 0) {
            return error_set("%s: two kernels of one launch have a gather named '%s': rename one of them",
                             kernel->function.name, param->name);
        }
    }
    if (stream_elements(s) == 0) {
        Shape one = {.rank = s->shape.rank, .size = {1, 1, 1, 1, 1, 1, 1, 1}};
        Stream *zero = next_temporary(in);
        if (!zero || !stream_create(s->device, s->type, &one, true, zero)) {
            return false;
        }
        in->temporary_count++;
        s = zero;
    }
    in->args[in->count].stream = s;
    return true;
}

static bool add_bound(Inputs *in, const Kernel *kernel, const Argument *args, int *slots)
{
    const Function *f = &kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        bool gather = param->kind == PARAM_GATHER;
        if (kernel->baked[i] || (!gather && param->kind != PARAM_CONSTANT)) {
            continue;
        }
        if (in->count == INPUT_ARGS) {
            return error_set("%s: too many constants and gathers", f->name);
        }
        if (!gather) {
            in->args[in->count] = args[i];
        } else if (!add_gather(in, kernel, param, args[i].stream)) {
            return false;
        }
        slots[i] = in->count;
        in->params[in->count] = *param;
        in->number[in->count] = i;
        in->use[in->count++] = kernel->body.use[i];
        in->fault_id = gather && !in->fault_id ? kernel->id : in->fault_id;
    }
    return true;
}

static bool add_streams(Inputs *in, int s)
{
    const InputSource *source = &in->sources[s];
    if (!source->kernel) {
        return add_stream(in, source->args[0].stream, source->type, &in->slot[s][0]);
    }
    const Function *f = &source->kernel->function;
    if (!inputs_accepts(source->kernel)) {
        return false;
    }
    if (!type_fits(inputs_kernel_type(source->kernel), source->type)) {
        return error_set("%s: returns %s, but %s is expected", f->name, inputs_kernel_type(source->kernel)->name,
                         source->type->name);
    }
    for (int i = 0; i < f->param_count; i++) {
        if (elementwise(&f->params[i]) && !add_stream(in, source->args[i].stream, f->params[i].type, &in->slot[s][i])) {
            return error_prefix("%s", f->name);
        }
    }
    return true;
}

static void add_body(Inputs *in, const Kernel *kernel)
{
    in->unbounded = in->unbounded || kernel->body.unbounded;
    in->trips += kernel->body.trips;
    in->tokens += kernel->body.tokens;
}

static bool check_blocks(const Inputs *in)
{
    for (int i = 0; i < in->count; i++) {
        const Stream *s = param_kinds[in->params[i].kind].stream ? in->args[i].stream : NULL;
        if (s && s->buffer && !buffer_block_fits(s->buffer)) {
            return false;
        }
    }
    return true;
}

static bool names_clash(const Type *a, const Type *b)
{
    return a != b && a->is_struct && b->is_struct && strcmp(a->name, b->name) == 0;
}

/* Checks that no two different structures have the same name, since they are declared in one program. */
static bool check_structures(const Inputs *in)
{
    for (int s = 0; s < in->source_count; s++) {
        for (int k = 0; k < s; k++) {
            const Type *type = in->sources[s].type;
            if (names_clash(type, in->sources[k].type)) {
                return error_set("two different structures have the name '%s': rename one of them", type->name);
            }
        }
    }
    return true;
}

Inputs *inputs_new(Device *device)
{
    Inputs *in = workspace_take(device, sizeof *in);
    if (in) {
        memset(in, 0, offsetof(Inputs, temporaries));
        in->device = device;
    }
    return in;
}

bool inputs_collect(Inputs *in, const Shape *domain, const InputSource *sources, int count, const Kernel *operation,
                    const Argument *operation_args, bool check)
{
    in->domain = *domain;
    in->check = check;
    in->source_count = count;
    in->operation = operation;
    memcpy(in->sources, sources, (size_t)count * sizeof *sources);
    for (int s = 0; s < count; s++) {
        if (!add_streams(in, s)) {
            return false;
        }
    }
    for (int s = 0; s < count; s++) {
        const Kernel *kernel = sources[s].kernel;
        if (kernel) {
            add_body(in, kernel);
            if (!add_bound(in, kernel, sources[s].args, in->slot[s])) {
                return false;
            }
        }
    }
    if (operation) {
        add_body(in, operation);
        if (!add_bound(in, operation, operation_args, in->slot[INPUT_SOURCES])) {
            return false;
        }
        in->fault_id = in->fault_id ? in->fault_id : operation->id;
    }
    return check_structures(in) && check_blocks(in);
}

void inputs_release(Inputs *in)
{
    while (in && in->temporary_count > 0) {
        stream_release(&in->temporaries[--in->temporary_count]);
    }
    if (in) {
        workspace_give(in->device, in);
    }
}

bool inputs_overlap(const Inputs *in, const Stream *stream)
{
    for (int i = 0; i < in->count; i++) {
        if (param_kinds[in->params[i].kind].stream && stream_overlaps(in->args[i].stream, stream)) {
            return true;
        }
    }
    return false;
}

/* blocks */

static bool block_sizes(const Shape *in, const Shape *out, Blocks *blocks)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    bool one = shape_elements(out) == 1;
    blocks->rank = in->rank;
    blocks->outputs = blocks->block = 1;
    if (!one && out->rank > in->rank) {
        return error_set("a stream of shape %s can't be reduced to %s: it has more dimensions", shape_text(in, a),
                         shape_text(out, b));
    }
    for (int d = 0; d < in->rank; d++) {
        int64_t n = in->size[in->rank - 1 - d];
        int64_t m = one || d >= out->rank ? 1 : out->size[out->rank - 1 - d];
        if (m == 0 ? n != 0 : n % m != 0) {
            return error_set("a stream of shape %s can't be reduced to %s: every size must divide", shape_text(in, a),
                             shape_text(out, b));
        }
        blocks->out[d] = m;
        blocks->part[d] = m ? n / m : 1;
        blocks->outputs *= m;
        blocks->block *= blocks->part[d];
    }
    return true;
}

static bool can_merge(const Blocks *blocks, int streams, int d)
{
    if (blocks->out[d] != 1 && blocks->part[d + 1] != 1) {
        return false;
    }
    int64_t n = blocks->out[d] * blocks->part[d];
    for (int i = 0; i <= streams; i++) {
        const ViewDim *dim = blocks->dim[i < streams ? i : BLOCK_PLACE];
        if (!view_dim_plain(&dim[d]) || !view_dim_plain(&dim[d + 1]) || dim[d + 1].stride != dim[d].stride * n) {
            return false;
        }
    }
    return true;
}

/* Merges dimensions d and d + 1: (outer, inner) = outer * n + inner. */
static void merge(Blocks *blocks, int streams, int d)
{
    blocks->out[d] *= blocks->out[d + 1];
    blocks->part[d] *= blocks->part[d + 1];
    for (int k = d + 1; k < blocks->rank - 1; k++) {
        blocks->out[k] = blocks->out[k + 1];
        blocks->part[k] = blocks->part[k + 1];
        for (int i = 0; i <= streams; i++) {
            ViewDim *dim = blocks->dim[i < streams ? i : BLOCK_PLACE];
            dim[k] = dim[k + 1];
        }
    }
    blocks->rank--;
}

/* Reverses a dimension of n elements. */
static void reverse(ViewDim *dim, int64_t n, int64_t *offset)
{
    if (view_dim_plain(dim)) {
        *offset += (n - 1) * dim->stride;
        dim->stride = -dim->stride;
    } else {
        dim->start += (n - 1) * dim->step;
        dim->step = -dim->step;
    }
}

bool inputs_blocks(const Inputs *in, const Shape *out, bool reversed, Blocks *blocks)
{
    const Shape *domain = &in->domain;
    if (!block_sizes(domain, out, blocks)) {
        return false;
    }
    blocks->reversed = reversed;
    int64_t stride = 1;
    for (int d = 0; d < domain->rank; d++) {
        blocks->dim[BLOCK_PLACE][d] = (ViewDim){stride, 1, 0, 1, 0};
        stride *= domain->size[domain->rank - 1 - d];
    }
    for (int i = 0; i <= in->streams; i++) {
        int k = i < in->streams ? i : BLOCK_PLACE;
        blocks->offset[k] = k == BLOCK_PLACE ? 0 : in->args[i].stream->offset;
        for (int d = 0; d < domain->rank; d++) {
            int64_t n = domain->size[domain->rank - 1 - d];
            if (k != BLOCK_PLACE) {
                blocks->dim[k][d] = in->args[i].stream->dim[domain->rank - 1 - d];
            }
            if (reversed && blocks->part[d] > 1 && blocks->out[d] == 1) {
                reverse(&blocks->dim[k][d], n, &blocks->offset[k]);
            }
        }
    }
    for (int d = blocks->rank - 2; d >= 0; d--) {
        if (can_merge(blocks, in->streams, d)) {
            merge(blocks, in->streams, d);
        }
    }
    return true;
}
