#include "primitive/sorting/merge.h"

#include "base/error.h"
#include "gpu/program/shader.h"
#include "kernel/launch/copy.h"
#include "primitive/engine/order.h"
#include "shared/radix_words.h"

#include <stdio.h>

enum {
    GROUP = 8,
    CPU_LANES = 4096,
    CPU_SHORT_RUN = 256,
    CPU_MOST_RUN = 8192, /* largest number of trips of one invocation */
    GPU_RUN = 16,
};

static int64_t run_length(const Device *device, int64_t count)
{
    if (device_traits(device)->family == FAMILY_GPU) {
        return GPU_RUN;
    }
    int64_t run = (count + CPU_LANES - 1) / CPU_LANES;
    run = run < CPU_SHORT_RUN ? CPU_SHORT_RUN : run;
    return run < CPU_MOST_RUN ? run : CPU_MOST_RUN;
}

static bool too_large(const Buffer *buffer)
{
    return !buffer_texture_reaches(buffer_device(buffer), TEXEL_VECTOR, buffer_bytes(buffer));
}

static bool dispatch(const RadixKey *key, const Stream *a, int64_t base_a, const Stream *b, int64_t base_b, Buffer *to)
{
    char keys[RADIX_DEFINES], defines[RADIX_DEFINES + 32];
    bool block = too_large(a->buffer) || too_large(b->buffer);
    snprintf(defines, sizeof defines, "%s#define READ_BLOCKS %d\n", radix_defines(key, keys), block);
    int64_t count_a = stream_elements(a), count_b = stream_elements(b);
    int64_t run = run_length(a->device, count_a + count_b), runs = (count_a + count_b + run - 1) / run;
    uint32_t params[4 * MERGE_P_VECTORS] = {
        [MERGE_P_COUNT_A] = (uint32_t)count_a, [MERGE_P_COUNT_B] = (uint32_t)count_b, [MERGE_P_RUN] = (uint32_t)run};
    params[MERGE_P_BASE_A] = (uint32_t)base_a;
    params[MERGE_P_BASE_B] = (uint32_t)base_b;
    params[RADIX_P_FLIP] = radix_flip(key);
    Dispatch merge = {.program = shader_program(a->device, "merge.comp", defines),
                      .params = params,
                      .param_vectors = MERGE_P_VECTORS,
                      .texture_count = block ? 0 : 2,
                      .block_count = block ? 3 : 1,
                      .groups = {(uint64_t)(runs + GROUP - 1) / GROUP, 1, 1}};
    merge.textures[0] = (DispatchTexture){a->buffer, TEXEL_VECTOR};
    merge.textures[1] = (DispatchTexture){b->buffer, TEXEL_VECTOR};
    merge.blocks[0].buffer = to;
    merge.blocks[1].buffer = a->buffer;
    merge.blocks[2].buffer = b->buffer;
    return merge.program && device_dispatch(a->device, &merge);
}

bool merge_streams(const Stream *a, const Stream *b, bool descending, Stream *result)
{
    RadixKey key;
    Held held = {.count = 0};
    int64_t base_a, base_b;
    if (!order_key(a->type, descending, &key)) {
        return false;
    }
    if (stream_elements(a) == 0 || stream_elements(b) == 0) {
        return copy_new(stream_elements(a) == 0 ? b : a, NULL, result);
    }
    Shape shape = {.rank = 1, .size = {stream_elements(a) + stream_elements(b)}};
    uint64_t bytes = (uint64_t)shape.size[0] * (key.bits == 64 ? 8 : 4);
    const Stream *words_a = order_words(&held, a, &base_a);
    const Stream *words_b = words_a ? order_words(&held, b, &base_b) : NULL;
    Buffer *to = words_b && shape_check(&shape) ? buffer_create(a->device, bytes, false) : NULL;
    bool done = to && buffer_block_fits(to) && dispatch(&key, words_a, base_a, words_b, base_b, to) &&
                order_elements(to, a->type, &shape, result);
    buffer_release(to);
    order_release(&held);
    return done;
}
