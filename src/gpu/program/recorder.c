/* Records dispatches, their times, and compilation while a profile runs. */
#include "gpu/program/recorder.h"

#include "base/array.h"
#include "base/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds or adds a row of a program, or of its copies for a reason. Returns NULL if host memory is exhausted; the dispatch is then not recorded. */
static ProfileRow *find_row(Recorder *recorder, const char *name, const char *reason)
{
    for (size_t i = 0; i < recorder->rows.count; i++) {
        const ProfileRow *row = &recorder->rows.items[i];
        if (strcmp(row->name, name) == 0 && strcmp(row->reason, reason) == 0) {
            return &recorder->rows.items[i];
        }
    }
    if (!ARRAY_ROOM(&recorder->rows)) {
        return NULL;
    }
    ProfileRow *row = &recorder->rows.items[recorder->rows.count++];
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
    return row;
}

/* Estimates the bytes moved if the caller does not specify them: each bound buffer is read or written once. */
static uint64_t bound_bytes(const Dispatch *dispatch)
{
    uint64_t bytes = 0;
    for (int k = 0; k < dispatch->texture_count; k++) {
        bytes += dispatch->textures[k].buffer ? dispatch->textures[k].buffer->bytes : 0;
    }
    for (int k = 0; k < dispatch->block_count; k++) {
        bytes += dispatch->blocks[k].buffer ? dispatch->blocks[k].buffer->bytes : 0;
    }
    return bytes;
}

static bool uses_stamps(const Device *device)
{
    return !device->info.software;
}

void recorder_before(Device *device, double *before)
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

void recorder_after(Device *device, const Dispatch *dispatch, double entered, double before)
{
    Recorder *recorder = device->recorder;
    if (!recorder) {
        return;
    }
    double now = timer_clock();
    const char *name = dispatch->program->label;
    ProfileRow *row = find_row(recorder, name, device->copies_for ? device->copies_for : "");
    bool stamped = uses_stamps(device) && recorder->pending.count < recorder->pending.capacity;
    if (!row) {
        if (stamped) {
            glDeleteQueries(2, recorder->pending.items[recorder->pending.count].queries);
        }
        return;
    }
    row->calls++;
    row->bytes += dispatch->bytes ? dispatch->bytes : bound_bytes(dispatch);
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

const char *profile_copies_begin(Device *device, const char *reason)
{
    const char *former = device->copies_for;
    device->copies_for = former ? former : reason;
    if (!former && device->recorder) {
        device->recorder->copies_launches = device->recorder->launches;
        device->recorder->copies_started = timer_clock();
    }
    return former;
}

void profile_copies_end(Device *device, const char *former, bool copied)
{
    Recorder *recorder = device->recorder;
    bool alone = copied && !former && recorder && recorder->launches == recorder->copies_launches;
    ProfileRow *row = alone ? find_row(recorder, "copy", device->copies_for) : NULL;
    if (row) { /* a copy of bytes, without a launch */
        row->calls++;
        row->device_seconds += timer_clock() - recorder->copies_started;
    }
    device->copies_for = former;
}

void recorder_compiled(Device *device, double seconds)
{
    if (device->recorder) {
        device->recorder->compiled++;
        device->recorder->compile_seconds += seconds;
    }
}

void recorder_destroy(Device *device)
{
    if (device->recorder) {
        free(device->recorder->rows.items);
        free(device->recorder->pending.items);
        free(device->recorder);
        device->recorder = NULL;
    }
}
