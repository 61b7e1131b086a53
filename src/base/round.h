/* Divisions that round up, of numbers from 0 by numbers above 0. */
#ifndef RILL_BASE_ROUND_H
#define RILL_BASE_ROUND_H

#include <stdint.h>

/* The quotient. */
static inline int64_t divide_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

/* The least multiple of `unit` that is not below n. */
static inline int64_t round_up(int64_t n, int64_t unit)
{
    return divide_up(n, unit) * unit;
}

#endif
