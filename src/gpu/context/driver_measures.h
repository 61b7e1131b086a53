/* What the driver test measures of a driver, and what traits are looked up by. */
#ifndef RILL_GPU_CONTEXT_DRIVER_MEASURES_H
#define RILL_GPU_CONTEXT_DRIVER_MEASURES_H

#include <stdint.h>

/* Names as in the record on disk. */
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
    X(exact_zeros)    /* operations on a 0 that the compiler knows are IEEE's */                                       \
    X(exact_not)      /* !(x < y) is not x >= y where one is NaN */                                                    \
    X(exact_literals) /* literals of doubles are correctly rounded */

typedef struct DriverTestMeasures {
#define X(name) uint32_t name;
    DRIVER_TEST_MEASURES(X)
#undef X
} DriverTestMeasures;

#endif
