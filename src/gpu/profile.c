#include "gpu/profile.h"

#include "base/array.h"
#include "gpu/buffer.h"
#include "gpu/device_private.h"
#include "gpu/program.h"
#include "gpu/shader.h"
#include "gpu/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A launch whose timestamps are still to be read. */
typedef struct Pending {
    size_t row;
    GLuint queries[2];
} Pending;

struct Recorder {
    struct {
        ProfileRow *items;
        size_t count, capacity;
    } rows;
    struct {
        Pending *items;
        size_t count, capacity;
    } pending;
    uint64_t compiled, launches, former_peak;
    double compile_seconds, started;
};

bool profile_running(const Device *device)
{
    return device->recorder != NULL;
}

bool profile_start(Device *device)
{
    if (device->recorder) {
        return error_set("a profile is being taken already");
    }
    if (!device_wait(device)) {
        return false;
    }
    Recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        return error_set("out of host memory");
    }
    recorder->former_peak = device->memory.peak;
    device->memory.peak = device->memory.bytes;
    recorder->started = timer_clock();
    device->recorder = recorder;
    return true;
}

/* NULL when out of host memory: the launch goes unrecorded. */
static ProfileRow *find_row(Recorder *recorder, const char *name)
{
    for (size_t i = 0; i < recorder->rows.count; i++) {
        if (strcmp(recorder->rows.items[i].name, name) == 0) {
            return &recorder->rows.items[i];
        }
    }
    if (!ARRAY_ROOM(&recorder->rows)) {
        return NULL;
    }
    ProfileRow *row = &recorder->rows.items[recorder->rows.count++];
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* Without a figure from the caller: every buffer bound is read or written once. */
static uint64_t bound_bytes(const Launch *launch)
{
    uint64_t bytes = 0;
    for (int k = 0; k < launch->texture_count; k++) {
        bytes += launch->textures[k].buffer ? buffer_bytes(launch->textures[k].buffer) : 0;
    }
    for (int k = 0; k < launch->block_count; k++) {
        bytes += launch->blocks[k].buffer ? buffer_bytes(launch->blocks[k].buffer) : 0;
    }
    return bytes;
}

static bool uses_stamps(const Device *device)
{
    return !device->info.software;
}

void profile_before(Device *device, double *before)
{
    Recorder *recorder = device->recorder;
    if (!recorder) {
        return;
    }
    *before = timer_clock();
    if (uses_stamps(device) && ARRAY_ROOM(&recorder->pending)) {
        Pending *next = &recorder->pending.items[recorder->pending.count];
        glGenQueries(2, next->queries);
        glQueryCounter(next->queries[0], GL_TIMESTAMP);
    }
}

void profile_after(Device *device, const Launch *launch, double entered, double before)
{
    Recorder *recorder = device->recorder;
    if (!recorder) {
        return;
    }
    double now = timer_clock();
    const char *name = launch->program->label;
    ProfileRow *row = find_row(recorder, name);
    bool stamped = uses_stamps(device) && recorder->pending.count < recorder->pending.capacity;
    if (!row) {
        if (stamped) {
            glDeleteQueries(2, recorder->pending.items[recorder->pending.count].queries);
        }
        return;
    }
    row->calls++;
    row->bytes += launch->bytes ? launch->bytes : bound_bytes(launch);
    row->host_seconds += stamped ? now - entered : before - entered;
    recorder->launches++;
    if (stamped) {
        Pending *next = &recorder->pending.items[recorder->pending.count++];
        next->row = (size_t)(row - recorder->rows.items);
        glQueryCounter(next->queries[1], GL_TIMESTAMP);
    } else {
        row->device_seconds += now - before;
    }
}

void profile_compiled(Device *device, double seconds)
{
    if (device->recorder) {
        device->recorder->compiled++;
        device->recorder->compile_seconds += seconds;
    }
}

static void read_stamps(Recorder *recorder)
{
    for (size_t i = 0; i < recorder->pending.count; i++) {
        const Pending *pending = &recorder->pending.items[i];
        GLuint64 times[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            glGetQueryObjectui64v(pending->queries[k], GL_QUERY_RESULT, &times[k]);
        }
        recorder->rows.items[pending->row].device_seconds +=
            times[1] > times[0] ? 1e-9 * (double)(times[1] - times[0]) : 0;
        glDeleteQueries(2, pending->queries);
    }
    recorder->pending.count = 0;
}

bool profile_stop(Device *device, Profile *profile)
{
    Recorder *recorder = device->recorder;
    if (!recorder) {
        return error_set("no profile is being taken");
    }
    bool done = device_wait(device);
    read_stamps(recorder);
    *profile = (Profile){.rows = recorder->rows.items,
                         .count = recorder->rows.count,
                         .compiled = recorder->compiled,
                         .compile_seconds = recorder->compile_seconds,
                         .seconds = timer_clock() - recorder->started,
                         .peak = device->memory.peak,
                         .launches = recorder->launches};
    device->memory.peak = recorder->former_peak > device->memory.peak ? recorder->former_peak : device->memory.peak;
    device->recorder = NULL;
    free(recorder->pending.items);
    free(recorder);
    if (!done) {
        profile_free(profile);
    }
    return done;
}

void profile_free(Profile *profile)
{
    free(profile->rows);
    *profile = (Profile){0};
}

void profile_destroy(Device *device)
{
    if (device->recorder) {
        free(device->recorder->rows.items);
        free(device->recorder->pending.items);
        free(device->recorder);
        device->recorder = NULL;
    }
}

/* --- the rate of copies --- */

enum { COPY_BYTES = 64 * 1024 * 1024, COPY_ROUNDS = 5, TEXEL_BYTES = 16 };

/* Lanes of a group and steps of a lane: what each family likes best. Their product divides the texels. */
static const struct {
    int lanes, trips;
    const char *defines;
} copy_plans[] = {
    [FAMILY_CPU] = {8, 256, "#define LANES 8\n#define TRIPS 256\n"},
    [FAMILY_GPU] = {256, 4, "#define LANES 256\n#define TRIPS 4\n"},
};

static bool copy_once(Device *device, Program *program, Buffer *from, Buffer *to)
{
    int per_group = copy_plans[device->traits.family].lanes * copy_plans[device->traits.family].trips;
    Launch launch = {.program = program,
                     .texture_count = 1,
                     .block_count = 1,
                     .groups = {(uint64_t)(COPY_BYTES / TEXEL_BYTES / per_group), 1, 1}};
    launch.textures[0] = (LaunchTexture){from, TEXEL_VECTOR};
    launch.blocks[0].buffer = to;
    return device_dispatch(device, &launch);
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
    Program *program = shader_program(device, "copy_rate.comp", copy_plans[device->traits.family].defines);
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
