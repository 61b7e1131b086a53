/* Functions that change one dimension of a view, for views and resampling. stream.h defines the formula of a
 * dimension. The functions change the Stream struct only; they neither take nor drop references. */
#ifndef RILL_STREAM_VIEW_DIM_H
#define RILL_STREAM_VIEW_DIM_H

#include "stream/stream.h"

/* Returns whether consecutive indices are `stride` apart: there is no division and no modulo. */
bool view_dim_plain(const ViewDim *dim);
/* Returns the value k of an index, before it is multiplied by the stride. */
int64_t view_dim_at(const ViewDim *dim, int64_t index);

/* The next functions replace dimension d of a stream, including its size. They return false without error_set
 * if the formula cannot describe the result. */

/* Keeps every n-th element of dimension d. */
bool view_dim_stride(Stream *s, int d, int64_t n);
/* Repeats each element of dimension d n times. */
bool view_dim_replicate(Stream *s, int d, int64_t n);
/* Reduces dimension d from n to `extent` elements: element i becomes element ceil(i n / extent). */
bool view_dim_thin(Stream *s, int d, int64_t extent);
/* Repeats dimension d as a whole n times. */
bool view_dim_tile(Stream *s, int d, int64_t n);

/* Brings dimension d into its simplest form: a plain one if possible. Returns false if its indices exceed 32
 * bits. */
bool view_dim_simplify(Stream *s, int d);
/* Sets `contiguous` from the dimensions. */
void view_finish(Stream *s);

#endif
