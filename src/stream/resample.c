#include "base/error.h"
#include "stream/view_dim.h"

#include <inttypes.h>
#include <string.h>

/* Returns a header with the rank of the launch. Missing leading dimensions are added with size 1; surplus
 * leading dimensions are reduced to their first index, since a dimension that the launch does not have counts
 * as 1. */
static Stream with_rank(const Stream *s, int rank)
{
    Stream made = *s;
    int shift = rank - s->shape.rank;
    for (int d = 0; d < -shift; d++) {
        made.offset += view_dim_at(&s->dim[d], 0) * s->dim[d].stride;
    }
    made.shape.rank = rank;
    for (int d = 0; d < rank; d++) {
        bool added = d < shift;
        made.shape.size[d] = added ? 1 : s->shape.size[d - shift];
        made.dim[d] = added ? (ViewDim){.step = 1, .div = 1} : s->dim[d - shift];
        made.boundary[d] = added ? BOUNDARY_CLAMP : s->boundary[d - shift];
    }
    return made;
}

static bool resample_error(const Stream *s, const Shape *shape, int d, int64_t extent)
{
    char from[SHAPE_TEXT], to[SHAPE_TEXT];
    return error_set("shape %s does not fit %s: dimension %d must be %" PRId64 ", a divisor of it, or larger",
                     shape_text(&s->shape, from), shape_text(shape, to), d + 1, extent);
}

/* Returns whether a size fits an extent of the launch. An empty stream fits an empty launch only. */
static bool fits(int64_t size, int64_t extent)
{
    if (size == 0 || extent == 0) {
        return extent == 0;
    }
    return extent % size == 0 || size > extent;
}

static bool resample_dim(Stream *made, int d, int64_t extent)
{
    int64_t size = made->shape.size[d];
    if (size == extent) {
        return true;
    }
    if (extent == 0) {
        made->shape.size[d] = 0;
        return view_dim_simplify(made, d);
    }
    return extent > size ? view_dim_replicate(made, d, extent / size) : view_dim_thin(made, d, extent);
}

bool stream_resample(const Stream *s, const Shape *shape, Stream *result, bool *needs_copy)
{
    memset(result, 0, sizeof *result);
    *needs_copy = false;
    for (int d = 0; d < s->shape.rank - shape->rank; d++) {
        if (s->shape.size[d] == 0 && shape_elements(shape) > 0) {
            return resample_error(s, shape, d, 1);
        }
    }
    Stream made = with_rank(s, shape->rank);
    for (int d = 0; d < shape->rank; d++) {
        if (!fits(made.shape.size[d], shape->size[d])) {
            return resample_error(s, shape, d, shape->size[d]);
        }
    }
    for (int d = 0; d < shape->rank; d++) {
        if (!resample_dim(&made, d, shape->size[d])) {
            *needs_copy = true;
            return true;
        }
    }
    made.writable = made.writable && shape_equal(&s->shape, shape);
    view_finish(&made);
    stream_copy_view(&made, result);
    return true;
}
