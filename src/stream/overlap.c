/* Compares the memory of two streams: whether they overlap, and which ranges were written. Works in bytes. */
#include "stream/view_dim.h"

/* Both streams are described as boxes in one grid of bytes. Axis k has the same stride for both. */
enum { BOX_AXES = 2 * SHAPE_MAX_RANK + 1 };

typedef struct Grid {
    int count;
    int64_t stride[BOX_AXES]; /* descending, the last is 1 */
} Grid;

typedef struct Box {
    int64_t first[BOX_AXES], size[BOX_AXES];
} Box;

static int64_t dim_highest(const ViewDim *dim, int64_t extent)
{
    int64_t number = ((extent - 1) * dim->step + dim->start) / dim->div;
    return dim->mod && number >= dim->mod ? dim->mod - 1 : number;
}

/* Computes the byte range [low, high) of a stream that is not empty. */
static void byte_range(const Stream *s, int64_t *low, int64_t *high)
{
    int64_t first = s->offset, last = first;
    for (int d = 0; d < s->shape.rank; d++) {
        int64_t reach = dim_highest(&s->dim[d], s->shape.size[d]) * s->dim[d].stride;
        first += reach < 0 ? reach : 0;
        last += reach > 0 ? reach : 0;
    }
    *low = first * s->type->bytes;
    *high = (last + 1) * s->type->bytes;
}

static void grid_add(Grid *grid, int64_t stride)
{
    int at = 0;
    while (at < grid->count && grid->stride[at] > stride) {
        at++;
    }
    if (at < grid->count && grid->stride[at] == stride) {
        return;
    }
    for (int k = grid->count++; k > at; k--) {
        grid->stride[k] = grid->stride[k - 1];
    }
    grid->stride[at] = stride;
}

static void grid_add_stream(Grid *grid, const Stream *s)
{
    for (int d = 0; d < s->shape.rank; d++) {
        if (s->shape.size[d] > 1) {
            grid_add(grid, s->dim[d].stride * s->type->bytes);
        }
    }
}

static bool box_set(Box *box, const Grid *grid, int64_t stride, int64_t size)
{
    int k = 0;
    while (grid->stride[k] != stride) {
        k++;
    }
    bool fresh = box->size[k] == 1;
    box->size[k] = size;
    return fresh;
}

/* Describes the stream as a box of the grid. Returns false if it is not a box: two dimensions share an axis, or
 * an axis extends into the next one. */
static bool box_of(const Stream *s, const Grid *grid, Box *box)
{
    int64_t rest = s->offset * s->type->bytes;
    for (int k = 0; k < grid->count; k++) {
        box->first[k] = rest / grid->stride[k];
        box->size[k] = 1;
        rest %= grid->stride[k];
    }
    bool exact = s->type->bytes == 1 || box_set(box, grid, 1, s->type->bytes);
    for (int d = 0; d < s->shape.rank && exact; d++) {
        if (s->shape.size[d] > 1) {
            exact = box_set(box, grid, s->dim[d].stride * s->type->bytes, s->shape.size[d]);
        }
    }
    int64_t tail = 0;
    for (int k = grid->count - 1; k > 0 && exact; k--) {
        tail += (box->first[k] + box->size[k] - 1) * grid->stride[k];
        exact = tail < grid->stride[k - 1];
    }
    return exact;
}

/* Returns whether every dimension is plain with a positive stride, so that the stream may be a box. */
static bool is_regular(const Stream *s)
{
    for (int d = 0; d < s->shape.rank; d++) {
        if (s->shape.size[d] > 1 && (!view_dim_plain(&s->dim[d]) || s->dim[d].stride < 1)) {
            return false;
        }
    }
    return true;
}

/* A container without bounds has sizes of 0 although it has elements. */
static bool is_empty(const Stream *s)
{
    return !s->map && stream_elements(s) == 0;
}

bool stream_overlaps(const Stream *a, const Stream *b)
{
    if (!a->buffer || a->buffer != b->buffer || is_empty(a) || is_empty(b)) {
        return false;
    }
    if (a->map || b->map) {
        return true;
    }
    int64_t a_low, a_high, b_low, b_high;
    byte_range(a, &a_low, &a_high);
    byte_range(b, &b_low, &b_high);
    if (a_high <= b_low || b_high <= a_low) {
        return false;
    }
    if (!is_regular(a) || !is_regular(b)) {
        return true;
    }
    Grid grid = {.count = 0};
    Box box[2];
    grid_add(&grid, 1);
    grid_add_stream(&grid, a);
    grid_add_stream(&grid, b);
    if (!box_of(a, &grid, &box[0]) || !box_of(b, &grid, &box[1])) {
        return true;
    }
    for (int k = 0; k < grid.count; k++) {
        if (box[0].first[k] + box[0].size[k] <= box[1].first[k] ||
            box[1].first[k] + box[1].size[k] <= box[0].first[k]) {
            return false;
        }
    }
    return true;
}

/* Sorts the dimensions with more than one element by ascending stride. Returns their number. */
static int dims_by_stride(const Stream *s, int order[SHAPE_MAX_RANK])
{
    int count = 0;
    for (int d = 0; d < s->shape.rank; d++) {
        if (s->shape.size[d] < 2) {
            continue;
        }
        int at = count++;
        for (; at > 0 && s->dim[order[at - 1]].stride > s->dim[d].stride; at--) {
            order[at] = order[at - 1];
        }
        order[at] = d;
    }
    return count;
}

/* Describes a regular view as rows of equal width and pitch. Leaves the region as one range if that is not
 * possible. */
static void find_rows(const Stream *s, BufferRegion *region)
{
    int order[SHAPE_MAX_RANK];
    uint64_t width = (uint64_t)s->type->bytes, pitch = 0;
    int count = dims_by_stride(s, order);
    for (int k = 0; k < count; k++) {
        uint64_t stride = (uint64_t)s->dim[order[k]].stride * (uint64_t)s->type->bytes;
        if (pitch == 0 && stride == width) {
            width *= (uint64_t)s->shape.size[order[k]];
        } else if (pitch == 0 && stride > width) {
            pitch = stride;
        } else if (pitch == 0 || stride % pitch != 0) {
            return;
        }
    }
    if (pitch) {
        region->pitch = pitch;
        region->width = width;
    }
}

static BufferRegion region_of(const Stream *s)
{
    int64_t low = 0, high = (int64_t)buffer_bytes(s->buffer);
    if (!s->map) {
        byte_range(s, &low, &high);
    }
    BufferRegion region = {.from = (uint64_t)low, .to = (uint64_t)high, .width = (uint64_t)(high - low)};
    if (!s->contiguous && !s->map && is_regular(s)) {
        find_rows(s, &region);
    }
    return region;
}

bool stream_is_whole(const Stream *s)
{
    return s->buffer && !s->map && s->contiguous && s->offset == 0 && stream_bytes(s) == buffer_bytes(s->buffer);
}

void stream_range(const Stream *s, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    if (s->buffer && !s->map && !is_empty(s)) {
        byte_range(s, low, high);
    }
}

uint64_t stream_version(const Stream *stream)
{
    return stream->buffer ? buffer_version(stream->buffer) : 0;
}

bool stream_written_since(const Stream *stream, uint64_t version)
{
    if (!stream->buffer || buffer_version(stream->buffer) == version || is_empty(stream)) {
        return false;
    }
    BufferRegion region = region_of(stream);
    return buffer_written_since(stream->buffer, version, &region);
}

void stream_wrote(const Stream *stream)
{
    if (stream->buffer && !is_empty(stream)) {
        BufferRegion region = region_of(stream);
        buffer_wrote(stream->buffer, &region);
    }
}

void stream_set_indices(Stream *stream)
{
    stream->indices = stream_version(stream) + 1;
}

bool stream_has_indices(const Stream *stream)
{
    return stream->indices > 0 && !stream_written_since(stream, stream->indices - 1);
}

bool stream_same_mapping(const Stream *a, const Stream *b)
{
    if (!a->buffer || a->buffer != b->buffer || a->map != b->map || !shape_equal(&a->shape, &b->shape) ||
        a->type->bytes != b->type->bytes || a->offset != b->offset) {
        return false;
    }
    for (int d = 0; d < a->shape.rank; d++) {
        const ViewDim *x = &a->dim[d], *y = &b->dim[d];
        if (a->shape.size[d] > 1 && (x->stride != y->stride || x->step != y->step || x->start != y->start ||
                                     x->div != y->div || x->mod != y->mod)) {
            return false;
        }
    }
    return true;
}
