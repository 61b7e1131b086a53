/* What launches cost while a profile is taken: one row per program name. Device time is measured by timestamps of the device, or by the clock
 * where work is finished when a dispatch returns. */
#ifndef RILL_GPU_PROGRAM_PROFILE_H
#define RILL_GPU_PROGRAM_PROFILE_H

#include "gpu/context/device.h"

typedef struct ProfileRow {
    char name[96];
    uint64_t calls, bytes;
    double device_seconds, host_seconds; /* host: issuing the launches */
} ProfileRow;

typedef struct Profile {
    ProfileRow *rows;
    size_t count;
    uint64_t compiled;       /* programs */
    double compile_seconds;  /* before their first launch */
    double seconds;          /* from start to stop */
    uint64_t peak, launches; /* device memory at most while it was taken; dispatches */
} Profile;

/* Starts a profile of the device; false when one is being taken. */
bool profile_start(Device *device);
/* Waits for the work, and hands the rows over, in order of first use; release with profile_free. */
bool profile_stop(Device *device, Profile *profile);
void profile_free(Profile *profile);
/* Whether one is being taken: callers then fill in Launch.bytes. */
bool profile_running(const Device *device);

/* Bytes per second of a copy on the device, read and written counted both: measured once, over 64 MiB. 0 with error_set. */
double profile_copy_rate(Device *device);

#endif
