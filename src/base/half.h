/* Converts 16-bit floats (IEEE 754 binary16) on the host. */
#ifndef RILL_BASE_HALF_H
#define RILL_BASE_HALF_H

#include <stdint.h>

/* Rounds to nearest, ties to even. Values that are too large become infinity, NaN stays NaN. */
uint16_t half_from_double(double value);
/* Converts a half to a double. The result is exact. */
double half_to_double(uint16_t half);

#endif
