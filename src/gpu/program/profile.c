#include "gpu/program/profile.h"

#include "base/timer.h"
#include "gpu/program/recorder.h"

#include <stdlib.h>

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
