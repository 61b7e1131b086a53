#include "primitive/engine/reducer.h"

#include "base/round.h"
#include "gpu/memory/workspace.h"
#include "kernel/launch/copy.h"
#include "primitive/engine/reducer_glsl.h"

#include <string.h>

enum {
    CPU_LANES = 2048,      /* runs of all blocks on a software device */
    CPU_ONE_LEVEL = 16384, /* longest block that is one run, if there is one block */
    MANY_OUTPUTS = 65536,
    GPU_GROUP = 256,
    GPU_RUN = 32,        /* elements per lane before the tree */
    GPU_FLUSH_RUN = 256, /* longest run of sums with long accumulators, if there are GPU_FLUSH_GROUPS groups */
    GPU_FLUSH_GROUPS = 1024,
    GPU_FEW_OUTPUTS = 4096,
    /* for columns */
    CPU_FEW_LANES = 256, /* on later levels */
    CPU_ROWS = 64,       /* shortest run for which another level pays */
    GPU_LANES = 1 << 16,
    GPU_ROWS = 128, /* on later levels */
    /* for kernels' bodies */
    FLUSH_LANES = 256, /* runs of sums that must be flushed, whose accumulators are long */
    FLUSH_LENGTH = 256,
    FLUSH_ATTEMPTS = 4,    /* loops over the elements of a run, and some more */
    FLUSH_UNEVEN = 64,     /* lengths that are powers of two compete for cache sets */
    MAX_RUN_TRIPS = 16384, /* far below the limit on loop trips */
    BLOCK_TRIPS = 4,       /* of a block in addition to those over its elements */
    MAX_TREE_TRIPS = 2048, /* of a body that a group's tree calls eight times in sequence */
    LOOPING_RUN = 16,      /* elements per run of a body with loops, which share one invocation's trips */
    SPECIAL_CHUNK = 16,
    SPECIAL_ROWS = 4,     /* or 16 */
    MAX_CHUNK_BODY = 400, /* tokens of a body that is repeated for each of them */
};

static bool power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Returns the longest run. The loops of the body and of the run share one invocation's trips. `twice`: elements may be
 * computed again, and runs of one element are permitted. Otherwise they would not reduce anything. */
static int64_t longest_run(const DeviceTraits *traits, const Inputs *in, int64_t chunk, bool twice)
{
    if (traits->loop_limit == 0 || (in->trips == 0 && !in->unbounded)) {
        return MAX_RUN_TRIPS * chunk;
    }
    int64_t fit = in->unbounded ? LOOPING_RUN / (twice ? 2 : 1) : (int64_t)((double)MAX_RUN_TRIPS / (in->trips + 1));
    int64_t least = twice ? 1 : 2;
    return fit / chunk > 0 ? fit / chunk * chunk : fit > least ? fit : least;
}

/* Divides the blocks of a level: computes the number of runs per block and their length. */
static void cut(const ReducerText *text, const Inputs *in, const Blocks *shape, ReducerKey *key, ReducerLevel *level)
{
    const DeviceTraits *traits = device_traits(in->device);
    bool shared = (uint64_t)type_array_bytes(text->accumulator) * GPU_GROUP <= device_limits(in->device)->shared_bytes;
    bool flush = text->flush && key->first;
    int64_t chunk = key->input.chunk ? key->input.chunk : 1, most = longest_run(traits, in, chunk, flush);
    int64_t flushed = text->flush;
    if (flush && traits->loop_limit && traits->loop_limit / FLUSH_ATTEMPTS < flushed) {
        flushed = traits->loop_limit / FLUSH_ATTEMPTS;
    }
    if (flush && shape->block > flushed) {
        int64_t part = (flushed - FLUSH_UNEVEN) / chunk * chunk; /* runs begin on texels */
        most = most < part ? most : part;
    }
    key->tree = 0;
    level->runs = 1;
    level->length = shape->block;
    bool looping = traits->loop_limit && in->trips > (double)MAX_TREE_TRIPS;
    if (traits->family == FAMILY_CPU || !shared || looping) {
        int64_t lanes = traits->family == FAMILY_GPU ? GPU_LANES : flush ? FLUSH_LANES : CPU_LANES;
        int64_t runs = lanes / (shape->outputs < lanes ? shape->outputs : lanes), least = flush ? FLUSH_LENGTH : 64;
        if (shape->outputs == 1 && shape->block <= (flush ? flushed : CPU_ONE_LEVEL)) {
            runs = 1;
        }
        runs = runs < shape->block / least ? runs : shape->block / least;
        runs = runs < 1 ? 1 : runs;
        level->length = round_up((shape->block + runs - 1) / runs, chunk);
        level->length = level->length < most ? level->length : most;
        if (level->length >= 1024 && level->length < most && power_of_two(level->length)) {
            level->length += chunk > 16 ? chunk : 16; /* lengths that are powers of two compete for cache sets */
        }
        level->runs = (shape->block + level->length - 1) / level->length;
        return;
    }
    /* A work group reduces the runs of one block. This pays if blocks fill the group, or if there are too few blocks
     * to fill the device. */
    if (shape->block >= GPU_GROUP * GPU_RUN || (shape->block > GPU_RUN && shape->outputs <= GPU_FEW_OUTPUTS)) {
        key->tree = 1;
        int64_t run = GPU_RUN, filled = shape->block / (GPU_GROUP * GPU_FLUSH_GROUPS);
        if (flush && filled > GPU_RUN) {
            run = filled < GPU_FLUSH_RUN ? filled : GPU_FLUSH_RUN;
        }
        level->length = round_up(run, chunk);
        level->length = level->length < most ? level->length : most;
        level->runs = (shape->block + level->length - 1) / level->length;
    } else if (level->length > most) {
        level->length = most;
        level->runs = (shape->block + most - 1) / most;
    }
}

/* Returns the number of consecutive blocks that an invocation of a software device reduces, if there are more blocks
 * than lanes; else 1. */
static int64_t blocks_per_invocation(const Inputs *in, const Blocks *shape, const ReducerKey *key)
{
    const DeviceTraits *traits = device_traits(in->device);
    if (traits->family != FAMILY_CPU || in->trips > 0 || in->unbounded || in->check) {
        return 1;
    }
    int64_t chunk = key->input.chunk ? key->input.chunk : 1, trips = shape->block / chunk + BLOCK_TRIPS;
    int64_t blocks = shape->outputs / CPU_LANES, most = traits->loop_limit ? MAX_RUN_TRIPS / trips : blocks;
    blocks = blocks < most ? blocks : most;
    if (blocks > 1 && blocks % 2 == 0) {
        blocks++; /* lengths that are powers of two compete for cache sets */
    }
    return blocks < 1 ? 1 : blocks;
}

/* Divides columns into runs of rows, enough to fill the device. Adjacent lanes continue where the rows of a run end,
 * so that short runs use memory pages that were just read. */
static void cut_columns(const Inputs *in, const Blocks *shape, const ReducerKey *key, ReducerLevel *level)
{
    const DeviceTraits *traits = device_traits(in->device);
    bool cpu = traits->family == FAMILY_CPU;
    int64_t groups = shape->outputs / key->input.columns, chunk = key->input.chunk;
    int64_t trip = key->input.columns == INPUT_WIDE_COLUMNS ? 1 : chunk; /* rows per trip */
    int64_t most = longest_run(traits, in, trip, false), least = cpu ? CPU_ROWS : key->first ? GPU_RUN : GPU_ROWS;
    int64_t lanes = !cpu ? GPU_LANES : key->first ? CPU_LANES : CPU_FEW_LANES, runs = lanes / groups;
    runs = runs < shape->block / least ? runs : shape->block / least;
    level->length = round_up(runs < 1 ? shape->block : (shape->block + runs - 1) / runs, chunk);
    level->length = level->length < most ? level->length : most;
    level->runs = (shape->block + level->length - 1) / level->length;
}

/* Returns whether sixteen floats are processed at once. Only the value must be a float, whatever the streams are. */
static bool uses_chunk(const ReducerText *text, const Inputs *in)
{
    return text->chunk && in->source_count == 1 && in->tokens < MAX_CHUNK_BODY;
}

static void make_key(const ReducerText *text, const Inputs *in, const Blocks *shape, bool first, ReducerKey *key,
                     ReducerLevel *level)
{
    memset(key, 0, sizeof *key);
    bool special = first && uses_chunk(text, in);
    if (!text->flush) {
        inputs_key_columns(in, shape, special ? SPECIAL_CHUNK : 0, &key->input);
    }
    if (!key->input.columns) {
        inputs_key(in, shape, special ? SPECIAL_CHUNK : 0, &key->input);
        if (device_traits(in->device)->family == FAMILY_CPU) {
            inputs_key_ragged(in, shape, special ? SPECIAL_CHUNK : 0, &key->input);
        }
    }
    key->first = first;
    key->many = shape->outputs >= MANY_OUTPUTS;
    key->special = special && key->input.chunk >= (key->input.columns ? SPECIAL_ROWS : SPECIAL_CHUNK);
    if (key->input.columns) {
        cut_columns(in, shape, key, level);
        key->last = level->runs == 1;
    } else {
        cut(text, in, shape, key, level);
        bool one = !key->tree && level->runs == 1;
        key->once = one && key->many && !key->input.ragged && shape->block == key->input.chunk;
        key->special = key->special && !key->once; /* checking the results again costs more than sums in double */
        level->blocks = one && !key->once ? blocks_per_invocation(in, shape, key) : 1;
        key->several = level->blocks > 1;
        key->last = one && key->many;
    }
    key->again = first && (key->special || text->again);
    level->last = key->tree ? level->runs <= GPU_GROUP : level->runs == 1;
}

static void fill(const Inputs *in, const Blocks *shape, const ReducerKey *key, const ReducerLevel *level,
                 const ReducerLayout *layout, uint32_t *words)
{
    int64_t runs = key->tree ? round_up(level->runs, GPU_GROUP) : level->runs;
    int64_t columns = key->input.columns ? key->input.columns : 1, groups = shape->outputs / columns;
    words[layout->count] = (uint32_t)(groups * runs);
    if (key->several) {
        words[layout->count] = (uint32_t)((shape->outputs + level->blocks - 1) / level->blocks);
        words[layout->blocks] = (uint32_t)level->blocks;
        words[layout->outputs] = (uint32_t)shape->outputs;
    }
    if (key->input.columns) {
        words[layout->groups] = (uint32_t)groups;
        access_divisor(groups, &words[layout->groups + 1], &words[layout->groups + 2]);
    }
    words[layout->runs] = (uint32_t)runs;
    access_divisor(runs, &words[layout->runs + 1], &words[layout->runs + 2]);
    words[layout->length] = (uint32_t)level->length;
    words[layout->total] = (uint32_t)level->total;
    words[layout->total + 1] = (uint32_t)(level->total >> 32);
    words[layout->last] = level->last;
    inputs_fill(in, shape, &key->input, &layout->input, words);
}

static bool issue(const ReducerText *text, const Inputs *in, const Blocks *shape, ReducerKey *key,
                  const ReducerLevel *level, Stream *to)
{
    const ReducerLayout *layout;
    int words_each = reducer_words(to->type);
    key->vectors = key->input.columns * words_each % 4 == 0 && key->input.columns && to->offset * words_each % 4 == 0;
    Program *program = reducer_program(text, in, key, &layout);
    if (!program) {
        return false;
    }
    int vectors = (layout->words + 3) / 4;
    uint32_t *words = workspace_zeros(in->device, (size_t)vectors * 4 * sizeof *words);
    if (!words) {
        return false;
    }
    fill(in, shape, key, level, layout, words);
    words[layout->out_base] = (uint32_t)(to->offset * words_each);
    if (text->constant_count > 0) {
        memcpy(&words[layout->constants], text->constants, (size_t)text->constant_count * sizeof *text->constants);
    }
    Dispatch dispatch = {.program = program, .params = words, .param_vectors = vectors};
    inputs_bind(in, &key->input, &layout->input, &dispatch);
    dispatch.blocks[0].buffer = to->buffer;
    uint64_t group = key->tree ? GPU_GROUP : (uint64_t)layout->group;
    dispatch.groups[0] = (words[layout->count] + group - 1) / group;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    bool done = device_dispatch(in->device, &dispatch);
    workspace_give(in->device, words);
    if (!done) {
        return false;
    }
    return !dispatch.faults || !device_traits(in->device)->synchronous || kernel_fault_check(in->device);
}

/* Returns whether the number of lanes fits a signed 32-bit integer. */
static bool fits(const Blocks *shape, const ReducerKey *key, const ReducerLevel *level)
{
    int64_t runs = key->tree ? round_up(level->runs, GPU_GROUP) : level->runs;
    return shape->outputs <= (INT32_MAX - GPU_GROUP) / runs;
}

static bool run_level(const ReducerText *text, const Inputs *in, const Shape *out, int64_t total, bool first,
                      Stream *result);

/* Reduces the accumulators of a level on the next level. The operation's constants and gathers are passed on, since
 * its body may use them again. */
static bool run_next(const ReducerText *text, const Inputs *in, const Stream *partial, bool columns, int64_t total,
                     Stream *result)
{
    Shape out = {.rank = 2, .size = {columns ? 1 : partial->shape.size[0], columns ? partial->shape.size[1] : 1}};
    Argument arg = {.stream = partial}, args[MAX_PARAMS] = {{NULL}};
    InputSource source = {.args = &arg, .type = text->accumulator};
    for (int i = 0; in->operation && i < in->operation->function.param_count; i++) {
        args[i] = in->args[in->slot[INPUT_SOURCES][i]];
    }
    Inputs *next = inputs_new(in->device);
    bool done = next && inputs_collect(next, &partial->shape, &source, 1, in->operation, args, in->check) &&
                run_level(text, next, &out, total, false, result);
    inputs_release(next);
    return done;
}

/* Writes the accumulators of blocks to `to`, for a following level. */
static bool run_part(const ReducerText *text, const Inputs *in, const Blocks *shape, ReducerKey *key,
                     ReducerLevel *level, Stream *to)
{
    key->last = 0;
    level->last = false;
    return issue(text, in, shape, key, level, to);
}

/* Runs the first level of folded columns, which begin on texels only if `fold` rows are combined, and of the
 * remaining rows. Then runs the following levels. */
static bool run_folded(const ReducerText *text, const Inputs *in, const Blocks *folded, const Blocks *rest,
                       int64_t fold, int64_t total, Stream *result)
{
    ReducerKey key;
    ReducerLevel level = {.total = total};
    make_key(text, in, folded, true, &key, &level);
    int64_t columns = rest->outputs, rows = level.runs * fold;
    Shape partial_shape = {.rank = 2, .size = {rows + (rest->block > 0), columns}};
    Stream partial;
    if (!stream_create(in->device, text->accumulator, &partial_shape, false, &partial)) {
        return false;
    }
    bool done = run_part(text, in, folded, &key, &level, &partial);
    if (done && rest->block > 0) {
        Stream behind = partial;
        behind.offset += rows * columns;
        level = (ReducerLevel){.total = total};
        make_key(text, in, rest, true, &key, &level);
        done = run_part(text, in, rest, &key, &level, &behind);
    }
    done = done && run_next(text, in, &partial, true, total, result);
    stream_release(&partial);
    return done;
}

/* Runs one level and the levels after it. */
static bool run_level(const ReducerText *text, const Inputs *in, const Shape *out, int64_t total, bool first,
                      Stream *result)
{
    Blocks shape;
    ReducerKey key;
    ReducerLevel level = {.total = total};
    if (!inputs_blocks(in, out, false, &shape)) {
        return error_prefix("%s", text->name);
    }
    Blocks folded, rest;
    bool software = device_traits(in->device)->family == FAMILY_CPU;
    int64_t fold =
        software && first && text->any_order && !text->flush ? inputs_fold_columns(in, &shape, &folded, &rest) : 1;
    if (fold > 1) {
        return run_folded(text, in, &folded, &rest, fold, total, result);
    }
    make_key(text, in, &shape, first, &key, &level);
    if (!fits(&shape, &key, &level)) {
        return error_set("%s: a reduction of %lld blocks of %lld elements needs more lanes than a launch can have: "
                         "reduce it in parts",
                         text->name, (long long)shape.outputs, (long long)shape.block);
    }
    if (level.last) {
        return issue(text, in, &shape, &key, &level, result);
    }
    int64_t left = key.tree ? (level.runs + GPU_GROUP - 1) / GPU_GROUP : level.runs;
    bool columns = key.input.columns > 0;
    Shape partial_shape = {.rank = 2, .size = {columns ? left : shape.outputs, columns ? shape.outputs : left}};
    Stream partial;
    if (!stream_create(in->device, text->accumulator, &partial_shape, false, &partial)) {
        return false;
    }
    bool done = issue(text, in, &shape, &key, &level, &partial) && run_next(text, in, &partial, columns, total, result);
    stream_release(&partial);
    return done;
}

bool reducer_run(const ReducerText *text, const Inputs *in, Stream *result)
{
    if (stream_elements(result) == 0) {
        return true;
    }
    int64_t elements = shape_elements(&in->domain);
    if (elements == 0) {
        return error_set("%s: an empty stream has no result", text->name);
    }
    int64_t total = elements / stream_elements(result);
    if (result->contiguous && result->writable && result->type == text->result && !inputs_overlap(in, result)) {
        stream_wrote(result);
        return run_level(text, in, &result->shape, total, true, result);
    }
    Stream dense;
    if (!stream_create(result->device, text->result, &result->shape, false, &dense)) {
        return false;
    }
    bool done =
        run_level(text, in, &result->shape, total, true, &dense) &&
        copy_stream_for(result, &dense,
                        "the reduction: the stream for the result is a view, has another type, or overlaps an input");
    stream_release(&dense);
    return done;
}

bool reducer_join(const ReducerText *text, const Stream *states, int64_t total, Stream *result)
{
    const Argument arg = {.stream = states};
    InputSource source = {.args = &arg, .type = text->accumulator};
    Inputs *in = inputs_new(states->device);
    bool done = in && inputs_collect(in, &states->shape, &source, 1, NULL, NULL, false) &&
                run_level(text, in, &result->shape, total, false, result);
    inputs_release(in);
    return done;
}
