#include "primitive/engine/scanner.h"

#include "base/round.h"
#include "gpu/memory/buffer.h"
#include "gpu/memory/workspace.h"
#include "kernel/launch/copy.h"
#include "primitive/engine/scanner_glsl.h"

#include <string.h>

enum {
    CPU_LANES = 2048,    /* on a software device */
    CPU_PAGE = 1024,     /* long runs are a multiple of this number of elements */
    CPU_ONE_LANE = 4096, /* longest row that is one run */
    CPU_RUN = 256,       /* least number of elements of a run */
    GPU_LANES = 16384,   /* if accumulators are too large for shared memory */
    GPU_SHORT = 64,      /* longest row that one lane scans */
    GPU_MANY_ROWS = 16384,
    GPU_MANY_SHORT = 1024, /* the same limit if there are many rows */
    ACROSS = 8,            /* least number of adjacent rows for which adjacent lanes scan adjacent rows */
    ACROSS_RUN = 128,      /* elements of a run, so that the next lanes find its pages in the cache */
    MAX_RUN_TRIPS = 16384, /* far below the limit on loop trips */
    /* For bodies with loops. A group traverses its run twice, and lanes may differ in whether they use whole steps. */
    MAX_BODY_TRIPS = 8192,
    MAX_TREE_TRIPS = 2048, /* of a body that a group's scan calls eight times in sequence */
    LOOPING_RUN = 16,
    SPECIAL_CHUNK = 16,
};

/* One level: the rows of some inputs, divided into units. */
typedef struct Level {
    const ScannerText *text;
    const Inputs *in;
    Blocks blocks;
    bool inner;
    int64_t total, divisor;
    DeviceLength length;
    Buffer *counts;           /* compact: the final values of the counters */
    bool tree, across;        /* see ScannerKey */
    int64_t units, unit, run; /* units per row, elements of a unit and of a lane */
    Stream *outputs;
    Stream sums, carry; /* of the units; the sums before each unit */
} Level;

/* Returns the longest run. The loops of the bodies and of the run share one invocation's trips. */
static int64_t longest_run(const Level *level, int64_t chunk)
{
    const Inputs *in = level->in;
    if (device_traits(in->device)->loop_limit == 0 || (in->trips == 0 && !in->unbounded)) {
        return MAX_RUN_TRIPS * chunk;
    }
    int64_t fit = in->unbounded ? LOOPING_RUN : (int64_t)((double)MAX_BODY_TRIPS / (in->trips + 1));
    return fit / chunk > 0 ? fit / chunk * chunk
           : fit > 2       ? fit
                           : 2; /* runs of one element would not shorten anything */
}

/* Returns whether work groups scan units: rows fill them, and shared memory holds their sums. */
static bool uses_groups(const Level *level)
{
    const Blocks *b = &level->blocks;
    Device *device = level->in->device;
    bool shared =
        (uint64_t)type_array_bytes(level->text->accumulator) * SCANNER_GROUP <= device_limits(device)->shared_bytes;
    bool small = b->block <= GPU_SHORT || (b->outputs >= GPU_MANY_ROWS && b->block <= GPU_MANY_SHORT);
    bool looping = device_traits(device)->loop_limit && level->in->trips > (double)MAX_TREE_TRIPS;
    return device_traits(device)->family == FAMILY_GPU && shared && !small && !looping;
}

/* Returns the length of a run. Runs that are read and written as whole texels are aligned to pages, so that a store
 * of one lane never seems to overlap a load of another lane. Runs that are read as 32-bit words avoid powers of two,
 * which compete for cache sets. */
static int64_t lane_run(int64_t least, int64_t chunk)
{
    int64_t run = round_up(least, chunk > 1 && least >= 4 * CPU_PAGE ? CPU_PAGE : chunk);
    return chunk == 1 && run >= 1024 && (run & (run - 1)) == 0 ? run + 16 : run;
}

static void cut(Level *level, int64_t chunk)
{
    const Blocks *b = &level->blocks;
    int64_t most = longest_run(level, chunk);
    level->across = b->part[0] == 1 && b->out[0] >= ACROSS;
    level->tree = !level->across && uses_groups(level);
    if (level->across) {
        level->run = level->unit = ACROSS_RUN < most ? ACROSS_RUN : most;
    } else if (level->tree) {
        level->run = round_up(SCANNER_RUN, chunk);
        level->run = level->run < most ? level->run : most;
        level->unit = level->run * SCANNER_GROUP;
    } else {
        bool cpu = device_traits(level->in->device)->family == FAMILY_CPU;
        int64_t lanes = (cpu ? CPU_LANES : GPU_LANES) / (b->outputs ? b->outputs : 1);
        lanes = lanes < b->block / CPU_RUN ? lanes : b->block / CPU_RUN;
        lanes = lanes < 1 || b->block <= CPU_ONE_LANE ? 1 : lanes;
        level->run = lane_run(divide_up(b->block, lanes), chunk);
        level->run = level->run < most ? level->run : most;
        level->run = level->run > 0 ? level->run : chunk;
        level->unit = level->run;
    }
    level->units = b->block ? divide_up(b->block, level->unit) : 1;
}

/* keys */

static bool is_special(const Level *level)
{
    const ScannerText *text = level->text;
    return text->special && !level->inner && !text->compact && level->in->source_count == 1;
}

static void make_key(const Level *level, bool store, ScannerKey *key)
{
    const ScannerText *text = level->text;
    memset(key, 0, sizeof *key);
    inputs_key(level->in, &level->blocks, is_special(level) ? SPECIAL_CHUNK : 0, &key->input);
    key->store = store;
    key->inner = level->inner;
    key->tree = level->tree;
    key->across = level->across;
    key->carry = store && level->units > 1;
    key->compact = text->compact && !level->inner;
    key->counts = level->counts && level->units == 1 && (store ? level->inner : key->compact);
    key->length = level->length.buffer != NULL;
    key->special = is_special(level) && key->input.chunk == SPECIAL_CHUNK && !level->blocks.reversed;
    key->flat = store && key->input.chunk > 0 && !key->compact && !level->blocks.reversed;
    key->identity = text->identity;
    key->ending = text->ending;
    key->accumulator = text->accumulator;
    key->counter_count = (uint8_t)text->counter_count;
    key->output_count = (uint8_t)(level->inner ? 1 : text->output_count);
    for (int k = 0; k < key->output_count; k++) {
        key->types[k] = level->inner ? text->accumulator : text->outputs[k].type;
        key->counter[k] = (uint8_t)(level->inner ? 0 : text->outputs[k].counter);
    }
    for (int s = 0; s < INPUT_SOURCES; s++) {
        key->previous[s] = !level->inner && text->previous[s];
    }
}

/* dispatches */

static void fill(const Level *level, const ScannerKey *key, const ScannerLayout *layout, uint32_t *words)
{
    words[layout->count] = (uint32_t)(level->blocks.outputs * level->units);
    words[layout->units] = (uint32_t)level->units;
    access_divisor(level->units, &words[layout->units + 1], &words[layout->units + 2]);
    words[layout->rows] = (uint32_t)level->blocks.outputs;
    access_divisor(level->blocks.outputs, &words[layout->rows + 1], &words[layout->rows + 2]);
    words[layout->unit] = (uint32_t)level->unit;
    words[layout->run] = (uint32_t)level->run;
    words[layout->total] = (uint32_t)level->total;
    words[layout->divisor] = (uint32_t)level->divisor;
    words[layout->length] = level->length.word;
    for (int k = 0; key->compact && key->store && k < key->output_count; k++) {
        words[layout->dump + k] = (uint32_t)level->outputs[k].shape.size[0];
    }
    inputs_fill(level->in, &level->blocks, &key->input, &layout->input, words);
}

static void bind(const Level *level, const ScannerKey *key, const ScannerLayout *layout, Dispatch *dispatch)
{
    inputs_bind(level->in, &key->input, &layout->input, dispatch);
    if (key->store) {
        for (int k = 0; k < key->output_count; k++) {
            dispatch->blocks[k].buffer = level->outputs[k].buffer;
        }
    } else {
        dispatch->blocks[0].buffer = level->sums.buffer;
    }
    if (key->counts) {
        dispatch->blocks[layout->counts].buffer = level->counts;
    }
    if (layout->carry != NO_UNIT) {
        dispatch->textures[layout->carry] = (DispatchTexture){level->carry.buffer, TEXEL_WORD};
    }
    if (layout->partial != NO_UNIT) {
        dispatch->textures[layout->partial] = (DispatchTexture){level->sums.buffer, TEXEL_WORD};
    }
    if (layout->length_unit != NO_UNIT) {
        dispatch->textures[layout->length_unit] = (DispatchTexture){level->length.buffer, TEXEL_WORD};
    }
}

static bool issue(const Level *level, bool store)
{
    Device *device = level->in->device;
    ScannerKey key;
    make_key(level, store, &key);
    const ScannerLayout *layout;
    Program *program = scanner_program(level->text, level->in, &key, &layout);
    if (!program) {
        return false;
    }
    int vectors = (layout->words + 3) / 4;
    uint32_t *words = workspace_zeros(device, (size_t)vectors * 4 * sizeof *words);
    if (!words) {
        return false;
    }
    fill(level, &key, layout, words);
    Dispatch dispatch = {.program = program, .params = words, .param_vectors = vectors};
    bind(level, &key, layout, &dispatch);
    uint64_t units = words[layout->count], per_group = level->tree ? 1 : (uint64_t)layout->group;
    dispatch.groups[0] = (units + per_group - 1) / per_group;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    int64_t covered = (int64_t)per_group * level->unit * level->divisor;
    bool indirect = level->length.buffer && !key.counts && covered <= INT32_MAX;
    bool done = indirect ? indirect_dispatch(device, &dispatch, level->length, (uint32_t)covered)
                         : device_dispatch(device, &dispatch);
    workspace_give(device, words);
    if (!done) {
        return false;
    }
    return !dispatch.faults || !device_traits(device)->synchronous || kernel_fault_check(device);
}

/* levels */

static bool run_level(Level *level);

static bool start_level(Level *level, const Shape *rows, bool reversed)
{
    ScannerKey key;
    if (!inputs_blocks(level->in, rows, reversed, &level->blocks)) {
        return error_prefix("%s", level->text->name);
    }
    make_key(level, true, &key);
    cut(level, key.input.chunk ? key.input.chunk : 1);
    return level->blocks.outputs <= (INT32_MAX - SCANNER_GROUP) / level->units ||
           error_set("%s: %lld rows of %lld elements need more lanes than a launch can have: scan it in parts",
                     level->text->name, (long long)level->blocks.outputs, (long long)level->blocks.block);
}

/* Scans the sums of the units: creates the sum before every unit. The operation's constants and gathers are passed
 * on, since its body may use them again. */
static bool scan_sums(const Level *outer, Stream *carry)
{
    const Inputs *in = outer->in;
    Shape rows = {.rank = 2, .size = {outer->blocks.outputs, 1}};
    Argument arg = {.stream = &outer->sums}, args[MAX_PARAMS] = {{NULL}};
    InputSource source = {.args = &arg, .type = outer->text->accumulator};
    for (int i = 0; in->operation && i < in->operation->function.param_count; i++) {
        args[i] = in->args[in->slot[INPUT_SOURCES][i]];
    }
    Inputs *inner = inputs_new(in->device);
    Level level = {.text = outer->text,
                   .in = inner,
                   .inner = true,
                   .total = outer->total,
                   .divisor = outer->divisor * outer->unit,
                   .length = outer->length,
                   .counts = outer->counts,
                   .outputs = carry};
    bool done = inner && inputs_collect(inner, &outer->sums.shape, &source, 1, in->operation, args, in->check) &&
                start_level(&level, &rows, false) && run_level(&level);
    inputs_release(inner);
    return done;
}

/* Creates the sums of the units and, if a row has several units, the sum before each unit. */
static bool sum_units(Level *level)
{
    Device *device = level->in->device;
    const Type *type = level->text->accumulator;
    Shape shape = {.rank = 2, .size = {level->blocks.outputs, level->units}};
    if (!stream_create(device, type, &shape, false, &level->sums) || !issue(level, false)) {
        return false;
    }
    return level->units == 1 ||
           (stream_create(device, type, &shape, false, &level->carry) && scan_sums(level, &level->carry));
}

static void release_all(Stream *streams, int count)
{
    for (int k = 0; k < count; k++) {
        stream_release(&streams[k]);
    }
}

static bool run_level(Level *level)
{
    bool done = (level->units == 1 || sum_units(level)) && issue(level, true);
    stream_release(&level->sums);
    stream_release(&level->carry);
    return done;
}

/* the two kinds of scan */

bool scanner_dense(const ScannerText *text, const Inputs *in, const Shape *rows, bool reversed, Stream *results)
{
    Level level = {.text = text, .in = in, .divisor = 1, .length = in->length, .outputs = results};
    memset(results, 0, (size_t)text->output_count * sizeof *results);
    bool done = true;
    for (int k = 0; done && k < text->output_count; k++) {
        done = stream_create(in->device, text->outputs[k].type, &in->domain, false, &results[k]);
        if (done && in->length.buffer) {
            stream_set_length(&results[k], in->length);
        }
    }
    if (done && shape_elements(&in->domain) > 0) {
        done = start_level(&level, rows, reversed);
        level.total = level.blocks.block;
        done = done && run_level(&level);
    }
    if (!done) {
        release_all(results, text->output_count);
    }
    return done;
}

/* Creates a result with room for `count` elements and, after them, one element per lane for stores that are
 * discarded. */
static bool make_result(const Level *level, const Type *type, int64_t count, Stream *result)
{
    int64_t spare = level->tree ? 0 : level->units;
    Shape shape = {.rank = 1, .size = {count}};
    Buffer *buffer = buffer_create(level->in->device, (uint64_t)(count + spare) * (uint64_t)type->bytes, false);
    bool done = buffer && stream_over(buffer, type, &shape, 0, result);
    buffer_release(buffer);
    return done;
}

static bool read_counts(Buffer *counts, uint32_t *words)
{
    const uint32_t *host = buffer_host(counts);
    if (host) {
        memcpy(words, host, SCANNER_COUNTERS * sizeof *words);
        return true;
    }
    return buffer_read(counts, 0, words, SCANNER_COUNTERS * sizeof *words);
}

/* Creates the results of a compact scan. On the family cpu the counters are read and the lengths are exact. Otherwise
 * results have the largest possible length, and their length stays on the device. */
static bool make_results(const Level *level, Stream *results, int64_t *most)
{
    const ScannerText *text = level->text;
    uint32_t counts[SCANNER_COUNTERS] = {0};
    bool exact = device_traits(level->in->device)->family == FAMILY_CPU, done = true;
    if (exact && !read_counts(level->counts, counts)) {
        return false;
    }
    *most = 0;
    for (int k = 0; k < text->output_count; k++) {
        int counter = text->outputs[k].counter;
        int64_t count = exact ? counts[counter] : level->blocks.block + (text->ending && level->blocks.block > 0);
        done = done && make_result(level, text->outputs[k].type, count, &results[k]);
        if (done && !exact) {
            stream_set_length(&results[k], (DeviceLength){level->counts, (uint32_t)counter});
        }
        *most = count > *most ? count : *most;
    }
    return done;
}

static bool compact(Level *level, Stream *results)
{
    int64_t most;
    bool done = sum_units(level) && make_results(level, results, &most) && (most == 0 || issue(level, true));
    stream_release(&level->sums);
    stream_release(&level->carry);
    return done;
}

bool scanner_compact(const ScannerText *text, const Inputs *in, Stream *results)
{
    Shape one = {.rank = 1, .size = {1}};
    Level level = {.text = text, .in = in, .divisor = 1, .length = in->length, .outputs = results};
    memset(results, 0, (size_t)text->output_count * sizeof *results);
    level.counts = buffer_create(in->device, SCANNER_COUNTERS * sizeof(uint32_t), true);
    bool done = level.counts && start_level(&level, &one, false);
    level.total = level.blocks.block;
    if (done && level.blocks.block == 0) { /* an empty input has empty results */
        Shape none = {.rank = 1, .size = {0}};
        for (int k = 0; done && k < text->output_count; k++) {
            done = stream_create(in->device, text->outputs[k].type, &none, false, &results[k]);
        }
    } else {
        done = done && compact(&level, results);
    }
    buffer_release(level.counts);
    if (!done) {
        release_all(results, text->output_count);
    }
    return done;
}

bool scanner_restore(Stream *result, const Type *type)
{
    if (result->type == type || type->is_struct) {
        return true;
    }
    Stream from = *result, made; /* a header only: all elements that the buffer has room for are cast */
    from.length = (DeviceLength){0};
    if (!copy_new_for(&from, type, "the scan: results become elements of the stream's type", &made)) {
        return false;
    }
    if (result->length.buffer) {
        stream_set_length(&made, result->length);
    }
    stream_release(result);
    *result = made;
    return true;
}
