/* The rate of copies, which profiles compare with. */
#include "gpu/buffer.h"
#include "gpu/device_private.h"
#include "gpu/profile.h"
#include "gpu/shader.h"
#include "gpu/timer.h"

enum { COPY_BYTES = 64 * 1024 * 1024, COPY_ROUNDS = 5, TEXEL_BYTES = 16 };

/* Lanes of a group and steps of a lane: what each family likes best. Their product divides the texels. */
static const struct {
    int lanes, trips;
    const char *defines;
} copy_grids[] = {
    [FAMILY_CPU] = {8, 256, "#define LANES 8\n#define TRIPS 256\n"},
    [FAMILY_GPU] = {256, 4, "#define LANES 256\n#define TRIPS 4\n"},
};

static bool copy_once(Device *device, Program *program, Buffer *from, Buffer *to)
{
    int per_group = copy_grids[device->traits.family].lanes * copy_grids[device->traits.family].trips;
    Dispatch dispatch = {.program = program,
                         .texture_count = 1,
                         .block_count = 1,
                         .groups = {(uint64_t)(COPY_BYTES / TEXEL_BYTES / per_group), 1, 1}};
    dispatch.textures[0] = (DispatchTexture){from, TEXEL_VECTOR};
    dispatch.blocks[0].buffer = to;
    return device_dispatch(device, &dispatch);
}

static double measure(Device *device, Program *program, Buffer *from, Buffer *to)
{
    double best = 0;
    for (int round = 0; round < COPY_ROUNDS; round++) {
        if (!device_wait(device)) {
            return 0;
        }
        double start = timer_clock();
        if (!copy_once(device, program, from, to) || !device_wait(device)) {
            return 0;
        }
        double rate = 2.0 * (double)COPY_BYTES / (timer_clock() - start);
        best = round > 0 && rate > best ? rate : best; /* the first one compiles */
    }
    return best;
}

double profile_copy_rate(Device *device)
{
    if (device->copy_rate > 0) {
        return device->copy_rate;
    }
    Recorder *recorder = device->recorder;
    device->recorder = NULL;
    Program *program = shader_program(device, "copy_rate.comp", copy_grids[device->traits.family].defines);
    Buffer *from = program ? buffer_create(device, COPY_BYTES, true) : NULL;
    Buffer *to = from ? buffer_create(device, COPY_BYTES, false) : NULL;
    if (to) {
        device->copy_rate = measure(device, program, from, to);
    }
    buffer_release(to);
    buffer_release(from);
    device->recorder = recorder;
    return device->copy_rate;
}
