/* The key of a program, its uniform words and its bindings. */
#include "primitive/engine/inputs.h"

#include "gpu/memory/buffer.h"
#include "kernel/emit/glsl.h"
#include "stream/view_dim.h"

#include <string.h>

static bool is_element(const Param *param)
{
    return param->kind == PARAM_INPUT || param->kind == PARAM_ITER;
}

/* the key */

/* Returns whether stream i is dense, one run, and begins on a texel. */
static bool reads_texels(const Inputs *in, const Blocks *blocks, int i)
{
    const Stream *s = in->args[i].stream;
    return s->source == SOURCE_BUFFER && blocks->rank == 1 && view_dim_plain(&blocks->dim[i][0]) &&
           blocks->dim[i][0].stride == 1 && s->offset * s->type->bytes % 16 == 0;
}

enum { MAX_RAGGED = 16, RAGGED_STREAMS = 8 }; /* elements of a step that may skip some; streams, all read as textures */
enum { SMALL_BODY = 40, MAX_CHUNK_TEXELS = 64, MAX_STEP_TEXELS = 20 };

/* Returns the streams of `texels` to read by whole texels, so that a step has at most MAX_STEP_TEXELS texels. Streams
 * whose texels need the most elements are dropped first and read element by element. */
static uint32_t joint_texels(const Inputs *in, uint32_t texels)
{
    for (int most = 16; most > 0; most /= 2) {
        int chunk = 1, bytes = 0;
        uint32_t kept = 0;
        for (int i = 0; i < in->streams; i++) {
            const Type *type = in->args[i].stream->type;
            int elements = texels >> i & 1 ? type_texel_elements(type) : most + 1;
            if (elements <= most) {
                kept |= 1u << i;
                chunk = elements > chunk ? elements : chunk;
                bytes += type->bytes;
            }
        }
        if (chunk * bytes <= MAX_STEP_TEXELS * 16) {
            return kept;
        }
    }
    return texels;
}

/* Returns the number of elements of a step: whole texels of every stream in `texels`, and four times as many if an
 * element is little work. */
static int suitable_chunk(const Inputs *in, uint32_t texels, int wanted)
{
    int chunk = 1, bytes = 0, widest = 0;
    for (int i = 0; i < in->streams; i++) {
        if (!(texels >> i & 1)) {
            continue;
        }
        int own = in->args[i].stream->type->bytes, elements = type_texel_elements(in->args[i].stream->type);
        chunk = elements > chunk ? elements : chunk;
        widest = own > widest ? own : widest;
        bytes += own;
    }
    if (wanted && wanted % chunk == 0 && wanted * bytes <= MAX_CHUNK_TEXELS * 16) {
        return wanted;
    }
    bool small = in->tokens ? in->tokens < SMALL_BODY : widest <= 4;
    return small && chunk <= 4 ? 4 * chunk : chunk;
}

static void choose_chunk(const Inputs *in, const Blocks *blocks, int wanted, InputKey *key)
{
    for (int i = 0; i < in->streams; i++) {
        key->texels |= (uint32_t)reads_texels(in, blocks, i) << i;
    }
    key->texels = joint_texels(in, key->texels);
    int chunk = suitable_chunk(in, key->texels, wanted);
    bool fits = key->texels && (blocks->outputs == 1 || blocks->block % chunk == 0);
    key->texels = fits ? key->texels : 0;
    key->chunk = (uint8_t)(fits ? chunk : 0);
}

static void arg_key(const Inputs *in, const Blocks *blocks, int i, InputKey *key)
{
    const Stream *s = in->args[i].stream;
    ArgKey *a = &key->args[i];
    bool element = i < in->streams;
    TexelFormat format = element && key->texels >> i & 1 ? TEXEL_VECTOR : TEXEL_WORD;
    a->block = s->buffer && !buffer_texture_reaches(in->device, format, buffer_capacity(s->buffer));
    a->outside = s->explicit_boundary ? OUTSIDE_QUIET : OUTSIDE_REPORTED;
    a->type = s->type;
    a->sampled = access_sampled(s, &in->use[i]);
    a->path = s->source == SOURCE_RAMP ? PATH_RAMP : PATH_DENSE;
    a->rank = (uint8_t)(element ? blocks->rank : in->params[i].rank);
    for (int d = 0; d < a->rank; d++) {
        const ViewDim *dim = element ? &blocks->dim[i][d] : &s->dim[s->shape.rank - 1 - d];
        a->addressing = view_dim_plain(dim) ? a->addressing : ADDRESS_DIVIDED;
        if (!element) {
            a->boundary = (uint16_t)(a->boundary | (unsigned)s->boundary[s->shape.rank - 1 - d] << (2 * d));
        }
    }
}

/* columns */

enum { COLUMNS = 4, WIDE_COLUMNS = INPUT_WIDE_COLUMNS, WIDE_LEAST = 1 << 16, SHORT_STEP = 4, WIDE_STEP = 8 };

/* Returns the fastest dimension along which a block has several elements, or -1 if blocks have one element. */
static int first_part(const Blocks *blocks)
{
    int d = 0;
    while (d < blocks->rank && blocks->part[d] == 1) {
        d++;
    }
    return d < blocks->rank ? d : -1;
}

/* Returns whether neighbors in memory belong to different blocks. */
static bool has_adjacent_blocks(const Inputs *in, const Blocks *blocks)
{
    int d = first_part(blocks);
    bool rows = d > 0 && blocks->out[0] > 1 && !blocks->reversed;
    for (int i = 0; i < in->streams; i++) {
        rows = rows && !(in->args[i].stream->source == SOURCE_BUFFER && view_dim_plain(&blocks->dim[i][d]) &&
                         blocks->dim[i][d].stride == 1);
    }
    return rows;
}

/* Returns whether every row of stream i begins on a texel and rows have a constant distance. */
static bool reads_rows(const Inputs *in, const Blocks *blocks, int i)
{
    const Stream *s = in->args[i].stream;
    const ViewDim *dim = blocks->dim[i];
    int parts = 0;
    bool whole = s->source == SOURCE_BUFFER && s->type->bytes % 4 == 0 && s->type->bytes <= 16 &&
                 s->offset * s->type->bytes % 16 == 0 && view_dim_plain(&dim[0]) && dim[0].stride == 1;
    for (int d = 1; d < blocks->rank; d++) {
        parts += blocks->part[d] > 1;
        whole = whole && view_dim_plain(&dim[d]) && dim[d].stride * s->type->bytes % 16 == 0;
    }
    return whole && parts == 1;
}

static bool all_plain(const Inputs *in, const Blocks *blocks)
{
    bool plain = true;
    for (int i = 0; i < in->streams; i++) {
        for (int d = 0; d < blocks->rank; d++) {
            plain = plain && view_dim_plain(&blocks->dim[i][d]);
        }
    }
    return plain;
}

/* Returns the number of columns of an invocation. Software devices read contiguous memory faster, so one invocation
 * reduces the columns of a whole cache line. */
static int suitable_columns(const Inputs *in, const Blocks *blocks, bool small)
{
    bool wide =
        small && device_traits(in->device)->family == FAMILY_CPU && blocks->outputs * blocks->block >= WIDE_LEAST;
    int columns = wide ? WIDE_COLUMNS : COLUMNS;
    for (int i = 0; i < in->streams; i++) {
        columns = in->args[i].stream->type->bytes > 4 ? COLUMNS : columns;
    }
    columns = in->unbounded || in->trips > 0 ? 1 : columns; /* columns would share the trips of one invocation */
    columns = blocks->out[0] % columns ? COLUMNS : columns;
    return blocks->out[0] % columns ? 1 : columns;
}

static void choose_columns(const Inputs *in, const Blocks *blocks, int rows, InputKey *key)
{
    bool small = in->tokens < SMALL_BODY;
    int columns = suitable_columns(in, blocks, small), texels = 0;
    for (int i = 0; i < in->streams && columns > 1; i++) {
        bool whole = reads_rows(in, blocks, i);
        key->texels |= (uint32_t)whole << i;
        texels += whole ? columns * in->args[i].stream->type->bytes / 16 : 0;
    }
    columns = key->texels ? columns : 1;
    bool wide = columns == WIDE_COLUMNS;
    int step = wide ? (rows > 0 && blocks->block >= WIDE_STEP ? WIDE_STEP : 1)
                    : (rows > 0 && blocks->block >= rows ? rows : SHORT_STEP);
    bool fits = texels * (wide ? 1 : step) <= MAX_CHUNK_TEXELS && blocks->block >= step && all_plain(in, blocks);
    key->columns = (uint8_t)columns;
    key->chunk = (uint8_t)(fits && small ? step : 1);
}

enum {
    FOLD_EVEN = 8,
    FOLD_ODD = 16,
    FOLDED_ROWS = 64
}; /* rows that are combined, so that wide columns fit; least number of combined rows */

/* Returns whether the blocks are the columns of dense two-dimensional streams. */
static bool has_dense_columns(const Inputs *in, const Blocks *blocks)
{
    bool dense = blocks->rank == 2 && blocks->part[0] == 1 && blocks->out[1] == 1 && !blocks->reversed;
    for (int i = 0; dense && i < in->streams; i++) {
        const Stream *s = in->args[i].stream;
        const ViewDim *dim = blocks->dim[i];
        dense = s->source == SOURCE_BUFFER && s->type->bytes % 4 == 0 && s->offset * s->type->bytes % 16 == 0 &&
                view_dim_plain(&dim[0]) && view_dim_plain(&dim[1]) && dim[0].stride == 1 &&
                dim[1].stride == blocks->out[0];
    }
    return dense && in->streams > 0;
}

int64_t inputs_fold_columns(const Inputs *in, const Blocks *blocks, Blocks *folded, Blocks *rest)
{
    int64_t columns = blocks->out[0], fold = columns % 2 ? FOLD_ODD : FOLD_EVEN;
    if (columns % 4 == 0 || !has_dense_columns(in, blocks) || blocks->block / fold < FOLDED_ROWS) {
        return 1;
    }
    int64_t rows = blocks->block / fold;
    *folded = *rest = *blocks;
    folded->out[0] = folded->outputs = fold * columns;
    folded->part[1] = folded->block = rows;
    rest->part[1] = rest->block = blocks->block - rows * fold;
    for (int i = 0; i < in->streams; i++) {
        folded->dim[i][1].stride = fold * columns;
        rest->offset[i] += rows * fold * columns;
    }
    return fold;
}

static void fill_key(const Inputs *in, const Blocks *blocks, InputKey *key)
{
    key->check = in->check;
    key->rank = (uint8_t)blocks->rank;
    for (int d = 0; d < blocks->rank; d++) {
        key->parts = (uint8_t)(key->parts | (blocks->part[d] > 1 || blocks->rank == 1) << d);
    }
    int n = 0;
    for (int s = 0; s < in->source_count; s++) {
        const Kernel *kernel = in->sources[s].kernel;
        key->seen[s] = in->sources[s].type;
        key->serials[s] = kernel ? kernel->serial : 0;
        for (int i = 0; i < (kernel ? kernel->function.param_count : 1); i++) {
            if (!kernel || is_element(&kernel->function.params[i])) {
                key->slots[n++] = (uint8_t)in->slot[s][i];
            }
        }
    }
    key->serials[INPUT_SOURCES] = in->operation ? in->operation->serial : 0;
    for (int i = 0; i < in->count; i++) {
        if (param_kinds[in->params[i].kind].stream) {
            arg_key(in, blocks, i, key);
        }
    }
}

void inputs_key(const Inputs *in, const Blocks *blocks, int chunk, InputKey *key)
{
    memset(key, 0, sizeof *key);
    choose_chunk(in, blocks, chunk, key);
    fill_key(in, blocks, key);
}

/* Returns the number of elements that fill whole texels of all streams, or 0 if not all can be read so. Steps read
 * beyond the last element, which only textures allow. The family cpu always uses ragged steps where they are
 * possible, whatever is faster, because the order of sums depends on it. */
static int joint_filling(const Inputs *in, const Blocks *blocks)
{
    int most = in->streams <= RAGGED_STREAMS && device_traits(in->device)->family == FAMILY_CPU;
    for (int i = 0; i < in->streams && most > 0; i++) {
        const Stream *s = in->args[i].stream;
        bool whole =
            reads_texels(in, blocks, i) && buffer_texture_reaches(in->device, TEXEL_VECTOR, buffer_capacity(s->buffer));
        int own = type_texel_elements(s->type);
        most = !whole ? 0 : own > most ? own : most;
    }
    return in->streams > 0 ? most : 0;
}

bool inputs_key_ragged(const Inputs *in, const Blocks *blocks, int chunk, InputKey *key)
{
    bool simple = !in->check && in->trips == 0 && !in->unbounded && in->tokens < SMALL_BODY;
    int unit = simple && key->chunk == 0 ? joint_filling(in, blocks) : 0;
    uint32_t texels = (1u << in->streams) - 1;
    int steps = unit > 0 ? suitable_chunk(in, texels, chunk) : 0;
    if (unit == 0 || steps > MAX_RAGGED) {
        return false;
    }
    memset(key, 0, sizeof *key);
    key->texels = texels;
    key->chunk = (uint8_t)steps;
    key->ragged = (uint8_t)unit;
    fill_key(in, blocks, key);
    return true;
}

void inputs_key_columns(const Inputs *in, const Blocks *blocks, int rows, InputKey *key)
{
    memset(key, 0, sizeof *key);
    if (has_adjacent_blocks(in, blocks)) {
        choose_columns(in, blocks, rows, key);
    }
    fill_key(in, blocks, key);
}

size_t inputs_key_bytes(const Inputs *in)
{
    return offsetof(InputKey, args) + (size_t)in->count * sizeof(ArgKey);
}

size_t inputs_types(const Inputs *in, const Type **types)
{
    size_t count = 0;
    for (int s = 0; s < in->source_count; s++) {
        types[count++] = in->sources[s].type;
    }
    for (int i = 0; i < in->count; i++) {
        if (param_kinds[in->params[i].kind].stream) {
            types[count++] = in->args[i].stream->type;
        }
    }
    return count;
}

void inputs_lives(const Inputs *in, InputLives *lives)
{
    for (int s = 0; s <= INPUT_SOURCES; s++) {
        const Kernel *kernel = s == INPUT_SOURCES ? in->operation : s < in->source_count ? in->sources[s].kernel : NULL;
        lives->lives[s] = kernel ? kernel_life_retain(kernel->life) : NULL;
    }
}

bool inputs_lives_over(const InputLives *lives)
{
    bool over = false;
    for (int s = 0; s <= INPUT_SOURCES; s++) {
        over = over || (lives->lives[s] && lives->lives[s]->over);
    }
    return over;
}

void inputs_lives_release(InputLives *lives)
{
    for (int s = 0; s <= INPUT_SOURCES; s++) {
        kernel_life_release(lives->lives[s]);
    }
}

/* words and bindings */

static int take(int *words, int count)
{
    int at = *words;
    *words += count;
    return at;
}

static int constant_words(const Param *param)
{
    return param->matrix ? param->matrix * param->matrix : glsl_words(param->type);
}

/* Returns the number of texture units for inputs. An engine needs a few units after them. */
static int input_textures(const DeviceLimits *limits)
{
    enum { OWN_TEXTURES = 3, FEW_UNITS = 8 }; /* devices with fewer units are tests of inputs, not of engines */
    return limits->texture_units > FEW_UNITS ? limits->texture_units - OWN_TEXTURES : limits->texture_units;
}

bool inputs_lay_out(const Inputs *in, const InputKey *key, int blocks, int *words, InputLayout *layout)
{
    const DeviceTraits *traits = device_traits(in->device);
    const DeviceLimits *limits = device_limits(in->device);
    *layout = (InputLayout){.blocks = blocks, .id = in->fault_id};
    layout->canary = traits->loop_limit > 0 && (in->unbounded || in->trips > 0);
    layout->block = take(words, 1);
    layout->four = take(words, 1);
    layout->shape = take(words, 6 * key->rank);
    layout->place = take(words, 1 + key->rank);
    for (int i = 0; i < in->count; i++) {
        ArgLayout *arg = &layout->args[i];
        const Param *param = &in->params[i];
        const ArgKey *a = &key->args[i];
        memset(arg, 0xff, sizeof *arg); /* sets all fields to NO_SLOT or NO_UNIT */
        if (!param_kinds[param->kind].stream) {
            arg->constant = take(words, constant_words(param));
            continue;
        }
        arg->base = arg->store_base = take(words, 1);
        arg->dims = take(words, a->rank * variant_dim_words(a));
        if (i >= in->streams) {
            arg->sizes = take(words, a->rank);
            arg->outside = take(words, 2);
        }
        if (a->sampled != SAMPLED_BY_KERNEL) {
            arg->sampler = layout->textures++;
        }
        if (a->path == PATH_RAMP) {
            arg->ramp = take(words, RAMP_WORDS * a->type->components);
        } else if (!a->block && layout->textures < input_textures(limits) &&
                   (key->ragged || traits->tuning[TUNING_BUFFER_TEXTURES] ||
                    layout->blocks == limits->storage_blocks)) {
            arg->texture = layout->textures++;
        } else {
            arg->block = layout->blocks++;
        }
    }
    if (layout->blocks > limits->storage_blocks || layout->textures > input_textures(limits)) {
        return error_set("%d streams at once need more bindings than this device has: evaluate a part first",
                         in->count);
    }
    return *words <= limits->uniform_vectors * 4 ||
           error_set("the constants need more uniform memory than this device has");
}

void inputs_fill(const Inputs *in, const Blocks *blocks, const InputKey *key, const InputLayout *layout,
                 uint32_t *words)
{
    words[layout->block] = (uint32_t)blocks->block;
    words[layout->four] = 4;
    for (int d = 0; d < blocks->rank; d++) {
        uint32_t *w = words + layout->shape + 6 * d;
        w[0] = (uint32_t)blocks->out[d];
        access_divisor(blocks->out[d], &w[1], &w[2]);
        w[3] = (uint32_t)blocks->part[d];
        access_divisor(blocks->part[d], &w[4], &w[5]);
        words[layout->place + 1 + d] = (uint32_t)blocks->dim[BLOCK_PLACE][d].stride;
    }
    words[layout->place] = (uint32_t)blocks->offset[BLOCK_PLACE];
    for (int i = 0; i < in->count; i++) {
        const ArgLayout *arg = &layout->args[i];
        if (!param_kinds[in->params[i].kind].stream) {
            memcpy(words + arg->constant, in->args[i].words, (size_t)constant_words(&in->params[i]) * sizeof *words);
            continue;
        }
        Stream view = *in->args[i].stream; /* a header only */
        if (i < in->streams) {
            view.shape.rank = blocks->rank;
            view.offset = blocks->offset[i];
            for (int d = 0; d < blocks->rank; d++) {
                view.shape.size[blocks->rank - 1 - d] = blocks->out[d] * blocks->part[d];
                view.dim[blocks->rank - 1 - d] = blocks->dim[i][d];
            }
        }
        access_fill(&key->args[i], arg, &view, view.offset, key->args[i].rank, words);
        access_paths[key->args[i].path].fill(arg, &view, words);
    }
}

void inputs_bind(const Inputs *in, const InputKey *key, const InputLayout *layout, Dispatch *dispatch)
{
    dispatch->texture_count = layout->textures;
    dispatch->block_count = layout->blocks;
    dispatch->faults = layout->canary || key->check;
    for (int i = 0; i < in->count; i++) {
        const ArgLayout *arg = &layout->args[i];
        access_sampler_bind(arg, in->args[i].stream, dispatch);
        if (arg->texture != NO_UNIT) {
            bool vector = i < in->streams && key->texels >> i & 1;
            dispatch->textures[arg->texture].buffer = in->args[i].stream->buffer;
            dispatch->textures[arg->texture].format = vector ? TEXEL_VECTOR : TEXEL_WORD;
        } else if (arg->block != NO_UNIT) {
            dispatch->blocks[arg->block].buffer = in->args[i].stream->buffer;
        }
    }
}
