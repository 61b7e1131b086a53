/* Divisions that round up, of numbers from 0 by numbers above 0. */
#ifndef RILL_BASE_ROUND_H
#define RILL_BASE_ROUND_H

#include <stdint.h>

static inline int64_t divide_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

/* To a multiple of `unit`. */
static inline int64_t round_up(int64_t n, int64_t unit)
{
    return divide_up(n, unit) * unit;
}

#endif
