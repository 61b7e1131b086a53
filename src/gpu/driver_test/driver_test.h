/* What a driver is tried for before it is trusted: traits that decide what is right are measured, and elementary work is compared
 * with the processor's. Once per version of a driver; what came out is kept in the cache directory. */
#ifndef RILL_GPU_DRIVER_TEST_DRIVER_TEST_H
#define RILL_GPU_DRIVER_TEST_DRIVER_TEST_H

#include "gpu/context/device.h"
#include "gpu/context/driver_measures.h"

typedef enum DriverTestVerdict { DRIVER_TEST_RIGHT, DRIVER_TEST_ALLOWED, DRIVER_TEST_WRONG } DriverTestVerdict;

typedef struct DriverTestLine {
    const char *name;
    DriverTestVerdict verdict;
    char text[200]; /* what differs; "" where all is right */
} DriverTestLine;

enum { DRIVER_TEST_LINES = 24 };

typedef struct DriverTest {
    DriverTestMeasures measures;
    int count;
    DriverTestLine lines[DRIVER_TEST_LINES];
} DriverTest;

/* Tries the driver anew, whatever is kept. False with error_set where it fails at all. */
bool driver_test_run(Device *device, DriverTest *trial);

/* What a user can do about a line that is wrong. */
const char *driver_test_remedy(const Device *device, const DriverTestLine *line);

#endif
