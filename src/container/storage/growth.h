/* Determines how much memory that grows is allocated each time. */
#ifndef RILL_CONTAINER_STORAGE_GROWTH_H
#define RILL_CONTAINER_STORAGE_GROWTH_H

#include "stream/stream.h"

/* Returns the capacity to allocate if at least `needed` (more than `have`) elements of `bytes` bytes are
 * required: twice `have`, or 9/8 of it from 1 MiB on, so that little memory is unused. The result is at most
 * `most`. All counts are multiples of `unit`. */
int64_t growth_elements(int64_t have, int64_t needed, int64_t most, int64_t unit, int64_t bytes);

/* Creates memory of at least `needed` elements that is to replace `have`. If the capacity of growth_elements
 * cannot be allocated, it has `needed` elements. The elements are undefined, or zeros with `zero`. Returns
 * false with error_set on failure. */
bool growth_create(const Stream *have, int64_t needed, int64_t most, int64_t unit, bool zero, Stream *result);
/* Creates memory as growth_create does, and copies the first `kept` elements of `have` to it. Returns false
 * with error_set on failure. */
bool growth_copy(const Stream *have, int64_t kept, int64_t needed, int64_t most, int64_t unit, Stream *result);

#endif
