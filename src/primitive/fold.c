#include "primitive/fold.h"

#include "gpu/buffer.h"
#include "kernel/copy.h"
#include "primitive/fold_text.h"

#include <string.h>

enum {
    CPU_LANES = 2048,      /* runs in all on a software device */
    CPU_ONE_LEVEL = 16384, /* blocks up to here are one run */
    GPU_GROUP = 256,
    GPU_RUN = 32, /* elements per thread before the tree */
    GPU_FEW_OUTPUTS = 4096,
    MAX_RUN_TRIPS = 16384, /* far below the limit on loop trips */
    LOOPING_RUN = 16,      /* elements per run of a body with loops: they share one invocation's trips */
};

/* Inputs as dimensions of a block: fastest first. */
static bool plain_dim(const ViewDim *dim)
{
    return dim->step == 1 && dim->start == 0 && dim->div == 1 && dim->mod == 0;
}

static bool block_sizes(const Shape *in, const Shape *out, FoldShape *shape)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    bool one = shape_elements(out) == 1;
    shape->rank = in->rank;
    shape->outputs = shape->block = 1;
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
        shape->out[d] = m;
        shape->part[d] = m ? n / m : 1;
        shape->outputs *= m;
        shape->block *= shape->part[d];
    }
    return true;
}

static bool can_merge(const FoldArgs *args, const FoldShape *shape, int d)
{
    if (shape->out[d] != 1 && shape->part[d + 1] != 1) {
        return false;
    }
    for (int i = 0; i < args->inputs; i++) {
        const Stream *s = args->args[i].stream;
        const ViewDim *inner = &shape->dim[i][d], *outer = &shape->dim[i][d + 1];
        int64_t n = shape->out[d] * shape->part[d];
        if (!plain_dim(inner) || !plain_dim(outer) || outer->stride != inner->stride * n) {
            return false;
        }
        (void)s;
    }
    return true;
}

/* Dimensions d and d + 1 become one: (outer, inner) = outer * n + inner. */
static void merge(const FoldArgs *args, FoldShape *shape, int d)
{
    shape->out[d] *= shape->out[d + 1];
    shape->part[d] *= shape->part[d + 1];
    for (int k = d + 1; k < shape->rank - 1; k++) {
        shape->out[k] = shape->out[k + 1];
        shape->part[k] = shape->part[k + 1];
        for (int i = 0; i < args->inputs; i++) {
            shape->dim[i][k] = shape->dim[i][k + 1];
        }
    }
    shape->rank--;
}

static bool find_shape(const FoldArgs *args, const Shape *out, FoldShape *shape)
{
    const Shape *in = &args->args[0].stream->shape;
    if (!block_sizes(in, out, shape)) {
        return false;
    }
    for (int i = 0; i < args->inputs; i++) {
        for (int d = 0; d < in->rank; d++) {
            shape->dim[i][d] = args->args[i].stream->dim[in->rank - 1 - d];
        }
    }
    for (int d = shape->rank - 2; d >= 0; d--) {
        if (can_merge(args, shape, d)) {
            merge(args, shape, d);
        }
    }
    return true;
}

/* Blocks that are contiguous runs of one dense input, each starting on a texel. */
static bool is_flat(const FoldArgs *args, const FoldShape *shape, int chunk)
{
    for (int i = 0; i < args->inputs; i++) {
        const Stream *s = args->args[i].stream;
        if (s->source != SOURCE_BUFFER || shape->rank != 1 || !plain_dim(&shape->dim[i][0]) ||
            shape->dim[i][0].stride != 1 || s->offset * s->type->bytes % 16 != 0) {
            return false;
        }
    }
    return shape->outputs == 1 || shape->block % chunk == 0;
}

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* The body's loops and the run's own share one invocation's trips. */
static int64_t longest_run(const DeviceTraits *traits, const FoldText *text, int64_t chunk)
{
    if (traits->loop_limit == 0 || (text->trips == 0 && !text->unbounded)) {
        return MAX_RUN_TRIPS * chunk;
    }
    int64_t fit = text->unbounded ? LOOPING_RUN : (int64_t)(MAX_RUN_TRIPS / (text->trips + 1));
    return fit / chunk > 0 ? fit / chunk * chunk : fit > 0 ? fit : 1;
}

/* How a level is cut: runs per block and their length. */
static void cut(Device *device, const FoldText *text, const FoldShape *shape, FoldKey *key, FoldLevel *level)
{
    const DeviceTraits *traits = device_traits(device);
    bool shared = (uint64_t)text->accumulator->bytes * GPU_GROUP <= device_limits(device)->shared_bytes;
    int64_t chunk = key->flat ? key->chunk : 1, most = longest_run(traits, text, chunk);
    key->tree = 0;
    level->runs = 1;
    level->length = shape->block;
    if (traits->family == FAMILY_CPU || !shared) {
        int64_t runs = CPU_LANES / (shape->outputs < CPU_LANES ? shape->outputs : CPU_LANES);
        if (shape->outputs == 1 && shape->block <= CPU_ONE_LEVEL) {
            runs = 1;
        }
        runs = runs < shape->block / 64 ? runs : shape->block / 64;
        runs = runs < 1 ? 1 : runs;
        level->length = round_up((shape->block + runs - 1) / runs, chunk);
        level->length = level->length < most ? level->length : most;
        if (level->length >= 1024 && level->length < most && power_of_two(level->length)) {
            level->length += chunk > 16 ? chunk : 16; /* powers of two fight over cache sets */
        }
        level->runs = (shape->block + level->length - 1) / level->length;
        return;
    }
    /* A group folds one block's runs: worth it where blocks fill it, or where there are too few of them to fill the device. */
    if (shape->block >= GPU_GROUP * GPU_RUN || (shape->block > GPU_RUN && shape->outputs <= GPU_FEW_OUTPUTS)) {
        key->tree = 1;
        level->length = round_up(GPU_RUN, chunk);
        level->length = level->length < most ? level->length : most;
        level->runs = (shape->block + level->length - 1) / level->length;
    } else if (level->length > most) {
        level->length = most;
        level->runs = (shape->block + most - 1) / most;
    }
}

static int chunk_of(const FoldArgs *args, const FoldText *text, bool special)
{
    int chunk = 1;
    for (int i = 0; i < args->inputs; i++) {
        int elements = 1;
        while (elements * args->args[i].stream->type->bytes % 16) {
            elements *= 2;
        }
        chunk = elements > chunk ? elements : chunk;
    }
    bool four = special || (text->body ? text->body->tokens < 40 : args->args[0].stream->type->bytes <= 4);
    return four && chunk <= 4 ? 4 * chunk : chunk;
}

static bool uses_chunk(const FoldText *text, const FoldArgs *args)
{
    return text->chunk && args->inputs == 1 && strcmp(args->args[0].stream->type->name, "float") == 0;
}

static void fold_key(Device *device, const FoldText *text, const FoldArgs *args, const FoldShape *shape, bool first,
                     FoldKey *key, FoldLevel *level)
{
    const DeviceLimits *limits = device_limits(device);
    memset(key, 0, sizeof *key);
    key->check = text->check;
    key->first = first;
    key->rank = (uint8_t)shape->rank;
    key->special = first && uses_chunk(text, args);
    key->chunk = (uint8_t)chunk_of(args, text, key->special);
    key->flat = is_flat(args, shape, key->chunk);
    key->special = key->special && key->flat;
    for (int d = 0; d < shape->rank; d++) {
        key->parts = (uint8_t)(key->parts | (shape->part[d] > 1 || shape->rank == 1) << d);
    }
    for (int i = 0; i < args->count; i++) {
        const Stream *s = param_kinds[args->params[i].kind].stream ? args->args[i].stream : NULL;
        ArgKey *a = &key->args[i];
        if (!s) {
            continue;
        }
        uint64_t texel = key->flat && i < args->inputs ? 16 : 4;
        a->block = s->buffer && buffer_capacity(s->buffer) / texel > limits->texture_texels;
        a->quiet = s->explicit_boundary;
        a->type = s->type;
        a->path = s->source == SOURCE_RAMP ? PATH_RAMP : PATH_DENSE;
        a->rank = (uint8_t)(i < args->inputs ? shape->rank : args->params[i].rank);
        for (int d = 0; d < a->rank; d++) {
            const ViewDim *dim = i < args->inputs ? &shape->dim[i][d] : &s->dim[s->shape.rank - 1 - d];
            a->mapped = a->mapped || !plain_dim(dim);
            if (i >= args->inputs) {
                a->boundary = (uint16_t)(a->boundary | (unsigned)s->boundary[s->shape.rank - 1 - d] << (2 * d));
            }
        }
    }
    cut(device, text, shape, key, level);
    level->last = key->tree ? level->runs <= GPU_GROUP : level->runs == 1;
}

static void fill(const FoldArgs *args, const FoldShape *shape, const FoldKey *key, const FoldLevel *level,
                 const FoldLayout *layout, uint32_t *words)
{
    int64_t runs = key->tree ? round_up(level->runs, GPU_GROUP) : level->runs;
    words[layout->count] = (uint32_t)(shape->outputs * runs);
    words[layout->runs] = (uint32_t)runs;
    access_divisor(runs, &words[layout->runs + 1], &words[layout->runs + 2]);
    words[layout->length] = (uint32_t)level->length;
    words[layout->block] = (uint32_t)shape->block;
    words[layout->four] = 4;
    words[layout->total] = (uint32_t)level->total;
    words[layout->last] = level->last;
    for (int d = 0; d < shape->rank; d++) {
        uint32_t *w = words + layout->shape + 6 * d;
        w[0] = (uint32_t)shape->out[d];
        access_divisor(shape->out[d], &w[1], &w[2]);
        w[3] = (uint32_t)shape->part[d];
        access_divisor(shape->part[d], &w[4], &w[5]);
    }
    for (int i = 0; i < args->count; i++) {
        const ArgLayout *arg = &layout->args[i];
        if (!param_kinds[args->params[i].kind].stream) {
            int n = args->params[i].matrix ? args->params[i].matrix * args->params[i].matrix
                                           : (args->params[i].type->bytes + 3) / 4;
            memcpy(words + arg->constant, args->args[i].words, (size_t)n * sizeof *words);
            continue;
        }
        Stream view = *args->args[i].stream; /* a header only */
        if (i < args->inputs) {
            view.shape.rank = shape->rank;
            for (int d = 0; d < shape->rank; d++) {
                view.shape.size[shape->rank - 1 - d] = shape->out[d] * shape->part[d];
                view.dim[shape->rank - 1 - d] = shape->dim[i][d];
            }
        }
        access_fill(&key->args[i], arg, &view, view.offset, key->args[i].rank, words);
        access_paths[key->args[i].path].fill(arg, &view, words);
    }
}

static bool dispatch(Device *device, const FoldText *text, const FoldArgs *args, const FoldShape *shape,
                     const FoldKey *key, const FoldLevel *level, Stream *to)
{
    const FoldProgram *program = fold_program(device, text, args, key);
    if (!program) {
        return false;
    }
    static uint32_t words[MAX_PARAM_VECTORS * 4];
    const FoldLayout *layout = &program->layout;
    fill(args, shape, key, level, layout, words);
    words[layout->out_base] = (uint32_t)(to->offset * fold_words(to->type));
    Launch launch = {.program = program->program,
                     .params = words,
                     .param_vectors = (layout->words + 3) / 4,
                     .texture_count = layout->textures,
                     .block_count = layout->blocks,
                     .faults = layout->canary || key->check};
    for (int i = 0; i < args->count; i++) {
        const ArgLayout *arg = &layout->args[i];
        if (arg->texture != NO_UNIT) {
            launch.textures[arg->texture].buffer = args->args[i].stream->buffer;
            launch.textures[arg->texture].format = key->flat && i < args->inputs ? TEXEL_VECTOR : TEXEL_WORD;
        } else if (arg->block != NO_UNIT) {
            launch.blocks[arg->block].buffer = args->args[i].stream->buffer;
        }
    }
    launch.blocks[0].buffer = to->buffer;
    uint64_t group = key->tree ? GPU_GROUP : (uint64_t)layout->group;
    launch.groups[0] = (words[layout->count] + group - 1) / group;
    launch.groups[1] = launch.groups[2] = 1;
    if (!device_dispatch(device, &launch)) {
        return false;
    }
    return !launch.faults || !device_traits(device)->synchronous || kernel_fault_check(device);
}

/* Lanes are numbered by signed words. */
static bool fits(const FoldShape *shape, const FoldKey *key, const FoldLevel *level)
{
    int64_t runs = key->tree ? round_up(level->runs, GPU_GROUP) : level->runs;
    return shape->outputs <= (INT32_MAX - GPU_GROUP) / runs;
}

/* One level; what is left goes to the next. */
static bool run_level(const FoldText *text, const FoldArgs *args, const Shape *out, int64_t total, bool first,
                      Stream *result)
{
    Device *device = result->device;
    FoldShape shape;
    FoldKey key;
    FoldLevel level = {.total = total};
    if (!find_shape(args, out, &shape)) {
        return error_prefix("%s", text->name);
    }
    fold_key(device, text, args, &shape, first, &key, &level);
    if (level.last && fits(&shape, &key, &level)) {
        return dispatch(device, text, args, &shape, &key, &level, result);
    }
    if (!fits(&shape, &key, &level)) {
        return error_set(
            "%s: a reduction of %lld blocks of %lld elements needs more lanes than can be numbered: reduce it in parts",
            text->name, (long long)shape.outputs, (long long)shape.block);
    }
    int64_t left = key.tree ? (level.runs + GPU_GROUP - 1) / GPU_GROUP : level.runs;
    Shape partial_shape = {.rank = 2, .size = {shape.outputs, left}};
    Shape next_out = {.rank = 2, .size = {shape.outputs, 1}};
    Stream partial;
    if (!stream_create(device, text->accumulator, &partial_shape, false, &partial)) {
        return false;
    }
    FoldArgs next = {.inputs = 1, .count = 1};
    next.params[0] = (Param){.name = "rill_partial", .kind = PARAM_INPUT, .type = text->accumulator};
    next.args[0].stream = &partial;
    for (int i = args->inputs; i < args->count; i++) { /* a body may use its constants and gathers again */
        next.params[next.count] = args->params[i];
        next.args[next.count] = args->args[i];
        next.number[next.count] = args->number[i];
        next.use[next.count++] = args->use[i];
    }
    bool done = dispatch(device, text, args, &shape, &key, &level, &partial) &&
                run_level(text, &next, &next_out, total, false, result);
    stream_release(&partial);
    return done;
}

static bool aliased(const FoldArgs *args, const Stream *result)
{
    for (int i = 0; i < args->count; i++) {
        if (param_kinds[args->params[i].kind].stream && stream_overlaps(args->args[i].stream, result)) {
            return true;
        }
    }
    return false;
}

bool fold_run(const FoldText *text, const FoldArgs *args, Stream *result)
{
    if (stream_elements(result) == 0) {
        return true;
    }
    for (int i = 0; i < args->count; i++) {
        const Stream *s = param_kinds[args->params[i].kind].stream ? args->args[i].stream : NULL;
        if (s && s->buffer && !buffer_block_fits(s->buffer)) {
            return false;
        }
    }
    int64_t elements = stream_elements(args->args[0].stream), total = elements / stream_elements(result);
    FoldShape shape;
    if (!block_sizes(&args->args[0].stream->shape, &result->shape, &shape)) {
        return error_prefix("%s", text->name);
    }
    if (elements == 0) {
        return error_set("%s: an empty stream has no value to start from", text->name);
    }
    if (result->contiguous && result->writable && result->type == text->result && !aliased(args, result)) {
        return run_level(text, args, &result->shape, total, true, result);
    }
    Stream dense;
    if (!stream_create(result->device, text->result, &result->shape, false, &dense)) {
        return false;
    }
    bool done = run_level(text, args, &result->shape, total, true, &dense) && copy_stream(result, &dense);
    stream_release(&dense);
    return done;
}
