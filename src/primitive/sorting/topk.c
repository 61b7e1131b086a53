#include "primitive/sorting/topk.h"

#include "base/error.h"
#include "base/round.h"
#include "gpu/program/shader.h"
#include "kernel/launch/copy.h"
#include "primitive/engine/order.h"
#include "primitive/sorting/sort.h"
#include "shared/radix_words.h"
#include "shared/topk_words.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_GROUP = 8,
    CPU_LANES = 4096,
    CPU_MOST_RUN = 65536, /* loops process four keys per trip, and the number of trips is limited */
    CPU_SHORT_RUN = 1024,
    GPU_RUN = 256,
    GPU_TILE = 16384,
    DIGITS = 256,
    MOSTLY = 4, /* if k is more than 1 / MOSTLY of the elements, all are sorted */
};

typedef struct TopK {
    Device *device;
    RadixKey key;
    Buffer *keys;
    int64_t count, k, runs, run_length;
    bool tiles, read_blocks;
    Buffer *state, *counts, *totals, *marks, *keys_out, *numbers_out;
    uint32_t params[4 * RADIX_P_VECTORS];
} TopK;

static void cut(TopK *t)
{
    int64_t lanes = divide_up(t->count, CPU_SHORT_RUN);
    lanes = lanes < CPU_LANES ? lanes : CPU_LANES;
    int64_t length = divide_up(divide_up(t->count, lanes), 16) * 16 + (lanes > 1 ? 16 : 0);
    t->run_length = t->tiles ? GPU_RUN : length < CPU_MOST_RUN ? length : CPU_MOST_RUN;
    t->runs = divide_up(t->count, t->run_length);
}

static void fill_params(TopK *t, int64_t key_base)
{
    t->params[RADIX_P_LENGTH] = (uint32_t)t->count;
    t->params[RADIX_P_RUNS] = (uint32_t)t->runs;
    t->params[RADIX_P_RUN] = (uint32_t)t->run_length;
    t->params[RADIX_P_ROWS] = 1;
    t->params[RADIX_P_KEY_BASE] = (uint32_t)key_base;
    t->params[RADIX_P_FLIP] = radix_flip(&t->key);
}

static bool create_buffers(TopK *t)
{
    uint32_t state[TOPK_STATE_WORDS] = {(uint32_t)t->k};
    t->state = buffer_create(t->device, sizeof state, false);
    t->totals = buffer_create(t->device, DIGITS * 4, true);
    t->counts = t->tiles ? NULL : buffer_create(t->device, (uint64_t)t->runs * DIGITS * 4, false);
    return t->state && t->totals && (t->tiles || t->counts) && buffer_write(t->state, 0, state, sizeof state);
}

static void release_buffers(TopK *t)
{
    Buffer *all[] = {t->state, t->counts, t->totals, t->marks, t->keys_out, t->numbers_out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        buffer_release(all[i]);
    }
}

/* Dispatches a shader over the keys, or with `keyless` over the counts. `third` is bound to texture unit 3. */
static bool run(const TopK *t, const char *shader, bool keyless, bool write, Buffer *first, Buffer *second,
                Buffer *third, int64_t groups)
{
    char key[RADIX_DEFINES], defines[192];
    snprintf(defines, sizeof defines,
             "%s#define READ_BLOCKS %d\n#define GROUP %d\n#define PAYLOAD 0\n#define WRITE %d\n#define TILE_KEYS %d\n",
             radix_defines(&t->key, key), t->read_blocks, CPU_GROUP, write, GPU_TILE);
    Program *program = shader_program(t->device, shader, keyless ? "" : defines);
    Dispatch dispatch = {.program = program,
                         .params = t->params,
                         .param_vectors = RADIX_P_VECTORS,
                         .texture_count = 4,
                         .block_count = 2};
    Buffer *keys = keyless ? first : t->read_blocks ? t->state : t->keys;
    dispatch.textures[0] = dispatch.textures[1] = (DispatchTexture){keys, TEXEL_VECTOR};
    dispatch.textures[2] = (DispatchTexture){t->state, TEXEL_WORD};
    dispatch.textures[3] = (DispatchTexture){third ? third : t->state, TEXEL_WORD};
    dispatch.blocks[0].buffer = first;
    dispatch.blocks[1].buffer = second ? second : first;
    if (t->read_blocks) {
        dispatch.blocks[2].buffer = dispatch.blocks[3].buffer = first;
        dispatch.blocks[4].buffer = t->keys;
        dispatch.block_count = 5;
    }
    dispatch.groups[0] = (uint64_t)groups;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    return program && device_dispatch(t->device, &dispatch);
}

/* Runs radix_total.comp over the counts of the runs. */
static bool sum_counts(const TopK *t)
{
    Dispatch dispatch = {.program = shader_program(t->device, "radix_total.comp", ""),
                         .params = t->params,
                         .param_vectors = RADIX_P_VECTORS,
                         .texture_count = 1,
                         .block_count = 1,
                         .groups = {DIGITS / 4 / CPU_GROUP, 1, 1}};
    dispatch.textures[0] = (DispatchTexture){t->counts, TEXEL_VECTOR};
    dispatch.blocks[0].buffer = t->totals;
    return dispatch.program && device_dispatch(t->device, &dispatch);
}

static bool select_last(TopK *t)
{
    int64_t groups = divide_up(t->runs, CPU_GROUP);
    for (int shift = (t->key.used + 7) / 8 * 8 - 8; shift >= 0; shift -= 8) {
        t->params[RADIX_P_SHIFT] = (uint32_t)shift;
        bool counted =
            t->tiles
                ? run(t, "topk_tile_count.comp", false, false, t->totals, NULL, NULL, divide_up(t->count, GPU_TILE))
                : run(t, "topk_count.comp", false, false, t->counts, NULL, NULL, groups) && sum_counts(t);
        if (!counted || !run(t, "topk_pick.comp", true, false, t->state, t->totals, NULL, 1)) {
            return false;
        }
    }
    return true;
}

static bool pick_out(TopK *t)
{
    int64_t groups = divide_up(t->runs, CPU_GROUP);
    uint64_t words = t->key.bits == 64 ? 2 : 1;
    t->marks = buffer_create(t->device, (uint64_t)(t->runs + 1) * 8, false);
    t->keys_out = buffer_create(t->device, (uint64_t)t->k * 4 * words, false);
    t->numbers_out = buffer_create(t->device, (uint64_t)t->k * 4, false);
    return t->marks && t->keys_out && t->numbers_out &&
           run(t, "topk_mark.comp", false, false, t->marks, NULL, NULL, groups) &&
           run(t, "topk_place.comp", true, false, t->marks, NULL, NULL, 1) &&
           run(t, "topk_mark.comp", false, true, t->keys_out, t->numbers_out, t->marks, groups);
}

/* Sorts the selected elements and creates their indices. */
static bool sort_picked(const TopK *t, Stream *numbers)
{
    Shape shape = {.rank = 1, .size = {t->k}};
    RadixJob job = {.device = t->device,
                    .key = t->key,
                    .rows = 1,
                    .length = t->k,
                    .keys = t->keys_out,
                    .payload = RADIX_WORDS,
                    .words = t->numbers_out};
    Buffer *sorted = NULL;
    bool done = radix_sort(&job, NULL, &sorted) && stream_over(sorted, type_of(SCALAR_INT, 1), &shape, 0, numbers);
    buffer_release(sorted);
    return done;
}

static bool find_numbers(TopK *t, void *numbers)
{
    return select_last(t) && pick_out(t) && sort_picked(t, numbers);
}

/* Reads the last key to select and the number of keys that do not follow it. `found` is a TopKRank. */
static bool find_rank(TopK *t, void *found)
{
    TopKRank *rank = found;
    uint32_t state[TOPK_STATE_WORDS];
    if (!select_last(t) || !buffer_read(t->state, 0, state, sizeof state)) {
        return false;
    }
    rank->key = state[TOPK_PREFIX] | (uint64_t)state[TOPK_PREFIX + 1] << 32;
    rank->count = (int64_t)state[TOPK_BETTER] + state[TOPK_EQUAL];
    return true;
}

/* Runs `find` with the keys of s, after filling in `t` for the first k keys. */
static bool with_keys(const Stream *s, int64_t k, const RadixKey *key, bool (*find)(TopK *, void *), void *result)
{
    const DeviceTraits *traits = device_traits(s->device);
    Held held = {.count = 0};
    int64_t key_base;
    const Stream *words = order_words(&held, s, &key_base);
    TopK t = {.device = s->device, .key = *key, .count = stream_elements(s), .k = k};
    bool done = words != NULL;
    if (done) {
        t.keys = words->buffer;
        t.tiles = traits->family == FAMILY_GPU;
        t.read_blocks = !traits->tuning[TUNING_BUFFER_TEXTURES] ||
                        !buffer_texture_reaches(t.device, TEXEL_VECTOR, buffer_bytes(t.keys));
        cut(&t);
        fill_params(&t, key_base);
        done = create_buffers(&t) && find(&t, result);
        release_buffers(&t);
    }
    order_release(&held);
    return done;
}

/* Sorts the whole stream and copies the first k indices. */
static bool sort_and_cut(const Stream *s, int64_t k, bool largest, Stream *numbers)
{
    Stream all, part;
    int64_t first = 0;
    if (!sort_pairs(s, NULL, largest, NULL, &all)) {
        return false;
    }
    bool done = stream_domain(&all, &first, &k, &part);
    if (done) {
        done = copy_new(&part, NULL, numbers);
        stream_release(&part);
    }
    stream_release(&all);
    return done;
}

static bool take(const Stream *s, const Stream *numbers, Stream *values)
{
    Held held = {.count = 0};
    const Stream *source = order_packed(&held, s);
    bool done = source && stream_create(s->device, s->type, &numbers->shape, false, values);
    if (done && stream_elements(values) > 0 && !copy_take(values, source, numbers)) {
        stream_release(values);
        done = false;
    }
    order_release(&held);
    return done;
}

bool topk_stream(const Stream *s, int64_t k, bool largest, Stream *values, Stream *numbers)
{
    RadixKey key;
    if (!order_key(s->type, largest, &key)) {
        return false;
    }
    bool few = k > 0 && k < stream_elements(s) / MOSTLY;
    if (!(few ? with_keys(s, k, &key, find_numbers, numbers) : sort_and_cut(s, k, largest, numbers))) {
        return false;
    }
    if (!take(s, numbers, values)) {
        stream_release(numbers);
        return false;
    }
    return true;
}

bool topk_rank(const Stream *s, int64_t k, TopKRank *rank)
{
    RadixKey key;
    if (!order_key(s->type, false, &key) || !with_keys(s, k, &key, find_rank, rank)) {
        return false;
    }
    uint64_t sign = (uint64_t)1 << (key.bits - 1), bits = rank->key;
    if (key.kind != RADIX_FLOAT) {
        bits ^= key.kind == RADIX_SIGNED ? sign : 0;
    } else {
        bits = bits >= sign ? bits - sign : sign | (sign - bits);
    }
    rank->key = bits;
    return true;
}
