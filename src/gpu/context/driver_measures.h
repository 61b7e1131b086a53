/* The properties of a driver that the driver test measures. Traits are derived from them. */
#ifndef RILL_GPU_CONTEXT_DRIVER_MEASURES_H
#define RILL_GPU_CONTEXT_DRIVER_MEASURES_H

#include <stdint.h>

/* The names are also used in the record on disk. */
#define DRIVER_TEST_MEASURES(X)                                                                                        \
    X(synchronous)    /* work is finished when a launch returns */                                                     \
    X(exact_ranges)   /* stores past a range are discarded word by word */                                             \
    X(lanes)          /* lanes of a subgroup; 0: unknown */                                                            \
    X(loop_limit)     /* iterations after which loops end silently; 0: none */                                         \
    X(exact_division) /* quotients of floats are correctly rounded */                                                  \
    X(fused_fma)      /* fma rounds once */                                                                            \
    X(nearest_half)   /* packHalf2x16 rounds to nearest even */                                                        \
    X(denormals)      /* subnormal numbers are not replaced by 0 */                                                    \
    X(nans)           /* comparisons and isnan handle NaN */                                                           \
    X(stable_arrays)  /* private arrays keep the order of loads and stores around loops */                             \
    X(kept_loads)     /* lanes that leave a loop early keep the values loaded in it */                                 \
    X(exact_rounds)   /* loops that compare with a minimum run all iterations */                                       \
    X(exact_zeros)    /* operations with a constant 0 follow IEEE 754 */                                               \
    X(exact_not)      /* !(x < y) is true if one operand is NaN */                                                     \
    X(exact_literals) /* double literals are correctly rounded */                                                      \
    X(group_progress) /* groups with lower indices continue while a group waits for them */                            \
    X(pinned)         /* buffers can use pages of the process */

typedef struct DriverTestMeasures {
#define X(name) uint32_t name;
    DRIVER_TEST_MEASURES(X)
#undef X
} DriverTestMeasures;

#endif
