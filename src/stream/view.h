/* The arithmetic of one view dimension, shared by views and resampling: see stream.h for the form. Nothing here touches
 * references. */
#ifndef RILL_STREAM_VIEW_H
#define RILL_STREAM_VIEW_H

#include "stream/stream.h"

/* Whether consecutive indices are `stride` apart: nothing is divided or wrapped. */
bool view_dim_plain(const ViewDim *dim);
/* The number an index contributes before it is multiplied by the stride. */
int64_t view_dim_at(const ViewDim *dim, int64_t index);

/* Replace dimension d of a header, its extent included. False, with no error set, where the result has no such form. */
bool view_dim_stride(Stream *s, int d, int64_t n);
bool view_dim_replicate(Stream *s, int d, int64_t n);
/* Fewer elements of a dimension of n: element i of `extent` reads ceil(i n / extent). */
bool view_dim_thin(Stream *s, int d, int64_t extent);
bool view_dim_tile(Stream *s, int d, int64_t n);

/* Brings dimension d into its simplest form: a plain one wherever it is one. False when its indices pass 32 bits. */
bool view_dim_simplify(Stream *s, int d);
/* Sets `contiguous` from the dimensions. */
void view_finish(Stream *s);

#endif
