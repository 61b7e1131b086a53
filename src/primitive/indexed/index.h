/* Streams of indices for gathers and scatters. Indices are 0-based. An int, uint or float is the flat index of an
 * element in row-major order. A vector holds one index per dimension, the fastest dimension first. Floats are rounded
 * down after 1/1024 is added, as in kernels. */
#ifndef RILL_PRIMITIVE_INDEXED_INDEX_H
#define RILL_PRIMITIVE_INDEXED_INDEX_H

#include "base/strbuf.h"
#include "stream/stream.h"

/* Returns true if elements of this type can be indices for a stream of this shape, otherwise false with error_set. */
bool index_check_stream(const Stream *index, const Shape *shape);
/* Adds the definition of `int place(INDEX at, int4 size)` to a kernel text. This function returns the flat index, or -1
 * if `at` is out of range. */
void index_declare(StrBuf *text, const Type *index);
/* Computes the argument `size` of the function that index_declare adds. */
void index_size(const Type *index, const Shape *shape, uint32_t size[4]);
/* Sorts a dense one-dimensional stream of indices by the flat index. `size` is from index_size, `count` the number of
 * elements of the indexed stream. Creates `keys`, the flat indices in ascending order with `count` for indices out of
 * range, and `order`, the position of each key in `index`. The sort is stable. `bad` may be NULL; else the number of
 * indices out of range is added to its first element (uint). */
bool index_sort(const Stream *index, const uint32_t size[4], uint32_t count, const Stream *bad, Stream *keys,
                Stream *order);
/* Creates a one-dimensional stream of all elements: a view if possible, else a copy, whose reason in
 * profiles begins with `what`. The caller releases it. */
bool index_flatten(const Stream *stream, const char *what, Stream *result);

#endif
