/* Declarations shared by profile.c and recorder.c. */
#ifndef RILL_GPU_PROGRAM_RECORDER_H
#define RILL_GPU_PROGRAM_RECORDER_H

#include "gpu/context/device_private.h"
#include "gpu/program/profile.h"

/* A dispatch whose timestamps have not been read yet. */
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
    uint64_t copies_launches; /* launches and time when profile_copies_begin was called */
    double copies_started;
};

#endif
