/* Indices kept in streams: what they may be, and where they point. Counted from 0; int, uint or float number elements in
 * row-major order, a vector holds one index per dimension, the fastest first. Floats are floored after 1/1024 is added, as in kernels. */
#ifndef RILL_PRIMITIVE_INDEXED_INDEX_H
#define RILL_PRIMITIVE_INDEXED_INDEX_H

#include "base/strbuf.h"
#include "stream/stream.h"

/* Whether elements of `index` can point into `shape`; false with error_set. */
bool index_check_stream(const Stream *index, const Shape *shape);
/* Writes into a kernel text `int place(INDEX at, int4 size)`: the element's number, or -1 where the index is out of range. */
void index_declare(StrBuf *text, const Type *index);
/* What its `size` has to be. */
void index_size(const Type *index, const Shape *shape, uint32_t size[4]);
/* Brings a dense index stream of one dimension into the order of the places: `keys` are the places of `size` (`count` where out of range),
 * ascending, `order` the numbers of their indices, ascending among equals. `bad` (NULL: not wanted) is a uint stream whose first
 * element the number of indices out of range is added to. */
bool index_sort(const Stream *index, const uint32_t size[4], uint32_t count, const Stream *bad, Stream *keys,
                Stream *order);
/* All elements as one dimension: a view where there is one, else a copy. To be released. */
bool index_flatten(const Stream *stream, Stream *result);

#endif
