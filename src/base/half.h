/* The 16-bit float of IEEE 754, on the host. */
#ifndef RILL_BASE_HALF_H
#define RILL_BASE_HALF_H

#include <stdint.h>

/* Rounds to nearest, ties to even; what is too large becomes infinity, NaN stays NaN. */
uint16_t half_from_double(double value);
double half_to_double(uint16_t half); /* exact */

#endif
