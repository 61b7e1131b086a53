/* What a driver is tried for before it is trusted: traits that decide what is right are measured, and elementary work is compared
 * with the processor's. Once per version of a driver; what came out is kept in the cache directory. */
#ifndef RILL_GPU_DRIVER_TEST_DRIVER_TEST_H
#define RILL_GPU_DRIVER_TEST_DRIVER_TEST_H

#include "gpu/context/device.h"

/* What is measured; names as in the record on disk. */
#define DRIVER_TEST_MEASURES(X)                                                                                        \
    X(synchronous)    /* what a launch writes is there when it returns */                                              \
    X(exact_ranges)   /* stores past a bound range are cut off word by word */                                         \
    X(lanes)          /* of a subgroup; 0: the driver does not say */                                                  \
    X(loop_limit)     /* trips after which loops are cut in silence; 0: none found */                                  \
    X(exact_division) /* quotients of floats are correctly rounded */                                                  \
    X(fused_fma)      /* fma rounds once */                                                                            \
    X(nearest_half)   /* packHalf2x16 rounds to nearest even */                                                        \
    X(denormals)      /* small numbers are not taken for 0 */                                                          \
    X(nans)           /* comparisons and isnan see NaNs */                                                             \
    X(stable_arrays)  /* private arrays keep their order of loads and stores around loops */                           \
    X(kept_loads)     /* what a loop loaded stays with the lanes that left it before others */                         \
    X(exact_rounds)   /* loops left by comparing with a minimum run all their rounds */                                \
    X(exact_zeros)    /* operations on a 0 that the compiler knows are IEEE's */

typedef struct DriverTestMeasures {
#define X(name) uint32_t name;
    DRIVER_TEST_MEASURES(X)
#undef X
} DriverTestMeasures;

typedef enum DriverTestVerdict { DRIVER_TEST_RIGHT, DRIVER_TEST_ALLOWED, DRIVER_TEST_WRONG } DriverTestVerdict;

typedef struct DriverTestLine {
    const char *name;
    DriverTestVerdict verdict;
    char text[200]; /* what differs; "" where all is right */
} DriverTestLine;

enum { DRIVER_TEST_LINES = 16 };

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
