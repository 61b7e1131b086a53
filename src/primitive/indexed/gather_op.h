/* Brook's GatherOp: a gather whose every fetch changes what it fetched. */
#ifndef RILL_PRIMITIVE_INDEXED_GATHER_OP_H
#define RILL_PRIMITIVE_INDEXED_GATHER_OP_H

#include "primitive/indexed/scatter.h"

/* As the loop over i in order: dst[i] = src[index[i]]; src[index[i]] = op(src[index[i]], src[index[i]]). Index has dst's shape, src's type
 * converts to dst's; see indexed/index.h for indices. Where an index is out of range dst keeps its element; such are counted in *skipped unless
 * that is NULL. Both streams must not overlap. */
bool gather_op_stream(Stream *dst, const Stream *index, Stream *src, ScatterOp op, Kernel *kernel, uint32_t *skipped);

#endif
