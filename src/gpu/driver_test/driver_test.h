/* Tests a driver before it is used: measures the traits that affect correctness, and compares elementary work
 * with the processor's results. The test runs once per version of a driver. Its outcome is kept in the cache
 * directory. */
#ifndef RILL_GPU_DRIVER_TEST_DRIVER_TEST_H
#define RILL_GPU_DRIVER_TEST_DRIVER_TEST_H

#include "gpu/context/device.h"
#include "gpu/context/driver_measures.h"

typedef enum DriverTestVerdict { DRIVER_TEST_RIGHT, DRIVER_TEST_ALLOWED, DRIVER_TEST_WRONG } DriverTestVerdict;

typedef struct DriverTestLine {
    const char *name;
    DriverTestVerdict verdict;
    char text[200]; /* the difference; "" if there is none */
} DriverTestLine;

enum { DRIVER_TEST_LINES = 24 };

typedef struct DriverTest {
    DriverTestMeasures measures;
    int count;
    DriverTestLine lines[DRIVER_TEST_LINES];
} DriverTest;

/* Tests the driver, even if a record of an earlier test exists. Returns false with error_set if the test
 * cannot run. */
bool driver_test_run(Device *device, DriverTest *test);

/* Returns what the user can do about a line with the verdict DRIVER_TEST_WRONG. */
const char *driver_test_remedy(const Device *device, const DriverTestLine *line);

#endif
