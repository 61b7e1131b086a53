/* Records dispatches, their times, and compilation while a profile runs. */
#include "gpu/program/recorder.h"

#include "base/array.h"
#include "gpu/context/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds or adds a row. Returns NULL if host memory is exhausted; the dispatch is then not recorded. */
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
    ProfileRow *row = find_row(recorder, name);
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
