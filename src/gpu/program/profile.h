/* Profiles of launches: one row per program name. Device time is measured by timestamps of the device, or by
 * the host's clock if the device is synchronous. */
#ifndef RILL_GPU_PROGRAM_PROFILE_H
#define RILL_GPU_PROGRAM_PROFILE_H

#include "gpu/context/device.h"

enum { PROFILE_REASON = 192 };

typedef struct ProfileRow {
    char name[96];
    char reason[PROFILE_REASON]; /* of a copy: the launch and the argument that need it, and why; else empty */
    uint64_t calls, bytes;
    double device_seconds, host_seconds; /* host: time to issue the launches */
} ProfileRow;

typedef struct Profile {
    ProfileRow *rows;
    size_t count;
    uint64_t compiled;       /* number of programs compiled */
    double compile_seconds;  /* before the programs' first launches */
    double seconds;          /* from start to stop */
    uint64_t peak, launches; /* peak of device memory during the profile; number of dispatches */
} Profile;

/* Starts a profile of the device. Returns false with error_set if one is running. */
bool profile_start(Device *device);
/* Waits for the work, ends the profile and returns its rows in order of first use. Release it with profile_free. */
bool profile_stop(Device *device, Profile *profile);
/* Frees the rows. */
void profile_free(Profile *profile);
/* Sets the reason for which the next dispatches copy an argument, until profile_copies_end. `reason` must live as long.
 * Returns the reason of a surrounding copy, or NULL; this one stays in effect. */
const char *profile_copies_begin(Device *device, const char *reason);
/* Ends what profile_copies_begin began, which returned `former`. `copied`: elements were copied; the profile then has a
 * row also if this took no launch. */
void profile_copies_end(Device *device, const char *former, bool copied);
/* Returns whether a profile is running. Callers then set Dispatch.bytes. */
bool profile_running(const Device *device);

/* Returns the rate of a copy on the device in bytes per second, reads and writes both counted. It is measured
 * once, over 64 MiB. Returns 0 with error_set on failure. */
double profile_copy_rate(Device *device);

#endif
