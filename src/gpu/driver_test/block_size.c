/* Determines the largest storage block that really works. */
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"
#include "gpu/program/shader.h"
#include "shared/gpu_words.h"

/* Kernels use signed 32-bit indices, so buffers are smaller than 2 GiB. */
static const uint64_t most_bytes = (UINT64_C(1) << 31) - 1;

/* Tests a block by writing the last spare word of the buffer and reading it back. */
static bool test_block(Device *device, Buffer *buffer)
{
    uint64_t at = buffer_capacity(buffer) - 4;
    uint32_t params[4] = {[PROBE_P_WORD] = (uint32_t)(at / 4), [PROBE_P_VALUE] = 0x5ca1ab1eu}, word = 0;
    Program *program = shader_program(device, "block_size.comp", "");
    Dispatch dispatch = {
        .program = program, .params = params, .param_vectors = 1, .block_count = 1, .groups = {1, 1, 1}};
    dispatch.blocks[0].buffer = buffer;
    bool works = program && buffer_write(buffer, at, &word, sizeof word) && device_dispatch(device, &dispatch) &&
                 buffer_read(buffer, at, &word, sizeof word) && word == params[PROBE_P_VALUE];
    return works;
}

bool buffer_block_fits(Buffer *buffer)
{
    Device *device = buffer_device(buffer);
    uint64_t bytes = buffer_capacity(buffer);
    if (bytes <= device->limits.block_bytes || bytes <= device->probed_block) {
        return buffer_bytes(buffer) <= most_bytes ||
               error_set("a stream of %llu bytes is larger than kernels can address (2 GiB)",
                         (unsigned long long)buffer_bytes(buffer));
    }
    if (buffer_bytes(buffer) > most_bytes || !test_block(device, buffer)) {
        return gl_error_alive(device) &&
               error_set(
                   "a stream of %llu bytes is larger than the storage blocks of this device (%llu bytes): split it "
                   "into several streams",
                   (unsigned long long)buffer_bytes(buffer), (unsigned long long)device->limits.block_bytes);
    }
    device->probed_block = bytes;
    return true;
}
