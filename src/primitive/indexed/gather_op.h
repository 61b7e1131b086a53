/* Brook's GatherOp: a gather that changes each element that it reads. */
#ifndef RILL_PRIMITIVE_INDEXED_GATHER_OP_H
#define RILL_PRIMITIVE_INDEXED_GATHER_OP_H

#include "primitive/indexed/scatter.h"

/* Computes, for each i in order, dst[i] = src[index[i]] and then src[index[i]] = op(src[index[i]], src[index[i]]).
 * `index` has the shape of dst, and src's type converts to dst's. indexed/index.h describes the indices. If an index
 * is out of range, its element of dst is not changed. `skipped` may be NULL; else it receives the number of such
 * indices. dst and src must not overlap. Returns false with error_set on failure. */
bool gather_op_stream(Stream *dst, const Stream *index, Stream *src, ScatterOp op, Kernel *kernel, uint32_t *skipped);

#endif
