/* Measures the rate of copies, with which profiles are compared. */
#include "base/timer.h"
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"
#include "gpu/program/profile.h"
#include "gpu/program/shader.h"

enum { MOST_TEXELS = 4 * 1024 * 1024, COPY_ROUNDS = 5, TEXEL_BYTES = 16 };

/* The fastest numbers of lanes per group and steps per lane, by family. Their product divides the number of
 * texels. */
static const struct {
    int lanes, trips;
    const char *defines;
} copy_grids[] = {
    [FAMILY_CPU] = {8, 256, "#define LANES 8\n#define TRIPS 256\n"},
    [FAMILY_GPU] = {256, 4, "#define LANES 256\n#define TRIPS 4\n"},
};

static uint64_t group_texels(const Device *device)
{
    return (uint64_t)copy_grids[device->traits.family].lanes * (uint64_t)copy_grids[device->traits.family].trips;
}

/* Returns the number of groups, limited by the device's largest buffer texture. OpenGL guarantees 65,536 texels. */
static uint64_t copy_groups(const Device *device)
{
    uint64_t reach = device->limits.texture_texels;
    return (reach < MOST_TEXELS ? reach : MOST_TEXELS) / group_texels(device);
}

static uint64_t copy_bytes(const Device *device)
{
    return copy_groups(device) * group_texels(device) * TEXEL_BYTES;
}

static bool copy_once(Device *device, Program *program, Buffer *from, Buffer *to)
{
    Dispatch dispatch = {
        .program = program, .texture_count = 1, .block_count = 1, .groups = {copy_groups(device), 1, 1}};
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
        double rate = 2.0 * (double)copy_bytes(device) / (timer_clock() - start);
        best = round > 0 && rate > best ? rate : best; /* the first round compiles */
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
    Buffer *from = program ? buffer_create(device, copy_bytes(device), true) : NULL;
    Buffer *to = from ? buffer_create(device, copy_bytes(device), false) : NULL;
    if (to) {
        device->copy_rate = measure(device, program, from, to);
    }
    buffer_release(to);
    buffer_release(from);
    device->recorder = recorder;
    return device->copy_rate;
}
