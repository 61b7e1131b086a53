/* Integer division that rounds up. The dividend must be >= 0 and the divisor > 0. */
#ifndef RILL_BASE_ROUND_H
#define RILL_BASE_ROUND_H

#include <stdint.h>

/* Returns n / unit, rounded up. */
static inline int64_t divide_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

/* Returns the smallest multiple of `unit` that is >= n. */
static inline int64_t round_up(int64_t n, int64_t unit)
{
    return divide_up(n, unit) * unit;
}

#endif
