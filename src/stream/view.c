#include "stream/view_dim.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Completes a view. Views are built in a borrowed header `made`, which is copied to `result` after everything
 * has succeeded. */
static bool view_accept(Stream *made, Stream *result)
{
    view_finish(made);
    memset(made->halo, 0, sizeof made->halo);
    stream_copy_view(made, result);
    return true;
}

static bool view_needs_copy(const char *name)
{
    return error_set("%s: the elements of this view are not regularly spaced; call :copy() first", name);
}

static void boundary_reset(Stream *s)
{
    memset(s->boundary, 0, sizeof s->boundary);
    s->explicit_boundary = s->inherited_boundary = false;
    s->outside = 0;
}

static bool counts_check(const char *name, const Stream *s, const int64_t *n)
{
    for (int d = 0; d < s->shape.rank; d++) {
        if (n[d] < 1) {
            return error_set("%s: dimension %d: expected a whole number from 1, got %" PRId64, name, d + 1, n[d]);
        }
    }
    return true;
}

bool stream_domain(const Stream *s, const int64_t *first, const int64_t *last, Stream *result)
{
    Stream made = *s;
    memset(result, 0, sizeof *result);
    for (int d = 0; d < s->shape.rank; d++) {
        if (first[d] < 0 || last[d] < first[d] || last[d] > s->shape.size[d]) {
            return error_set("domain: dimension %d: %" PRId64 " .. %" PRId64 " is out of range 1 .. %" PRId64, d + 1,
                             first[d] + 1, last[d], s->shape.size[d]);
        }
        made.shape.size[d] = last[d] - first[d];
    }
    bool empty = shape_elements(&made.shape) == 0;
    for (int d = 0; d < s->shape.rank; d++) {
        made.dim[d].start += empty ? 0 : first[d] * made.dim[d].step;
        if (!view_dim_simplify(&made, d)) {
            return view_needs_copy("domain");
        }
    }
    return view_accept(&made, result);
}

/* Reverses dimension d. `name`: the method, for the message. */
static bool reverse_dim(Stream *made, int d, const char *name)
{
    int64_t size = made->shape.size[d];
    if (size < 2 || stream_elements(made) == 0) {
        return true; /* an empty buffer has no last element */
    }
    if (!view_dim_plain(&made->dim[d]) || made->map) {
        return view_needs_copy(name);
    }
    made->offset += (size - 1) * made->dim[d].stride;
    made->dim[d].stride = -made->dim[d].stride;
    return true;
}

bool stream_flip(const Stream *s, unsigned axes, Stream *result)
{
    Stream made = *s;
    memset(result, 0, sizeof *result);
    for (int d = 0; d < s->shape.rank; d++) {
        if (axes >> d & 1 && !reverse_dim(&made, d, "flip")) {
            return false;
        }
    }
    return view_accept(&made, result);
}

/* Replaces the vectors of a stream by a new last dimension of components. */
static void split_vectors(Stream *made, int components)
{
    for (int d = 0; d < made->shape.rank; d++) {
        made->dim[d].stride *= components;
    }
    made->offset *= components;
    made->dim[made->shape.rank] = (ViewDim){.stride = 1, .step = 1, .div = 1};
    made->shape.size[made->shape.rank++] = components;
}

/* Replaces the last dimension, whose size is `components`, by vectors. Returns false if they are not aligned. */
static bool join_vectors(Stream *made, int components)
{
    int last = --made->shape.rank;
    bool good = made->offset % components == 0 && view_dim_plain(&made->dim[last]) && made->dim[last].stride == 1;
    for (int d = 0; d < last; d++) {
        good = good && (made->shape.size[d] < 2 || made->dim[d].stride % components == 0);
        made->dim[d].stride /= components;
    }
    made->offset /= components;
    return good;
}

bool stream_as(const Stream *s, const Type *type, Stream *result)
{
    Stream made = *s;
    int rank = s->shape.rank, from = s->type->components, to = type->components;
    memset(result, 0, sizeof *result);
    if (s->type->is_struct || type->is_struct || s->type->scalar != type->scalar ||
        (from > 1 && to > 1 && from != to)) {
        return error_set("as: elements of %s cannot be viewed as %s: only a vector and its components can",
                         s->type->name, type->name);
    }
    if (s->source != SOURCE_BUFFER) {
        return error_set("as: an iterator stream has no memory; call :copy() first");
    }
    made.type = type;
    if (to == 1 && from > 1) {
        if (rank == SHAPE_MAX_RANK) {
            return error_set("as: the components would be dimension %d, but the limit is %d", rank + 1, SHAPE_MAX_RANK);
        }
        split_vectors(&made, from);
        if (!shape_check(&made.shape)) {
            return error_prefix("as");
        }
    } else if (to > 1 && from == 1) {
        if (rank < 2 || s->shape.size[rank - 1] != to) {
            char text[SHAPE_TEXT];
            return error_set("as: %s needs a last dimension of %d after another dimension, got shape %s", type->name,
                             to, shape_text(&s->shape, text));
        }
        if (!join_vectors(&made, to) && stream_elements(s) > 0) {
            return view_needs_copy("as");
        }
    }
    boundary_reset(&made);
    return view_accept(&made, result);
}

bool stream_stride(const Stream *s, const int64_t *n, Stream *result)
{
    Stream made = *s;
    memset(result, 0, sizeof *result);
    for (int d = 0; d < s->shape.rank; d++) {
        if (n[d] == 0) {
            return error_set("stride: dimension %d: expected a whole number that is not 0, got 0", d + 1);
        }
        if (n[d] < 0 && !reverse_dim(&made, d, "stride")) {
            return false;
        }
    }
    for (int d = 0; d < s->shape.rank; d++) {
        int64_t size = s->shape.size[d];
        int64_t step = n[d] < -size || n[d] > size ? size : n[d] < 0 ? -n[d] : n[d]; /* a longer step does not differ */
        if (size > 0 && !view_dim_stride(&made, d, step)) {
            return view_needs_copy("stride");
        }
    }
    return view_accept(&made, result);
}

/* Implements tile and replicate: checks the counts, then calls `repeat` for each dimension. */
static bool view_repeat(const char *name, bool (*repeat)(Stream *, int, int64_t), const Stream *s, const int64_t *n,
                        Stream *result)
{
    Stream made = *s;
    memset(result, 0, sizeof *result);
    if (!counts_check(name, s, n)) {
        return false;
    }
    Shape shape = s->shape;
    for (int d = 0; d < shape.rank; d++) {
        bool fits = shape.size[d] == 0 || n[d] <= SHAPE_MAX_ELEMENTS / shape.size[d];
        shape.size[d] = fits ? shape.size[d] * n[d] : SHAPE_MAX_ELEMENTS + 1;
        made.writable = made.writable && n[d] == 1;
    }
    if (!shape_check(&shape)) {
        return error_prefix("%s", name);
    }
    for (int d = 0; d < shape.rank; d++) {
        if (!repeat(&made, d, n[d])) {
            return view_needs_copy(name);
        }
    }
    return view_accept(&made, result);
}

bool stream_tile(const Stream *s, const int64_t *n, Stream *result)
{
    return view_repeat("tile", view_dim_tile, s, n, result);
}

bool stream_replicate(const Stream *s, const int64_t *n, Stream *result)
{
    return view_repeat("replicate", view_dim_replicate, s, n, result);
}

/* Splits dimension `from` of s, i = i1 * n + i2, into dimensions d1 (i1) and d2 (i2) of `made`, whose sizes are
 * already set. */
static bool group_split(const Stream *s, int from, int64_t n, Stream *made, int d1, int d2)
{
    ViewDim dim = s->dim[from];
    made->dim[d1] = made->dim[d2] = dim;
    if (n == 1 || s->shape.size[from] == n) {
        int single = n == 1 ? d2 : d1;
        made->dim[single] = (ViewDim){.stride = dim.stride, .step = 1, .div = 1};
        return true;
    }
    int64_t block = n * dim.step;
    if (block % dim.div) {
        return false;
    }
    int64_t jump = block / dim.div; /* the value k increases by this much per block */
    if (dim.mod && jump % dim.mod == 0) {
        made->dim[d1] = (ViewDim){.step = 1, .div = 1};
    } else if (!dim.mod || (dim.mod % jump == 0 && dim.start % block == 0)) {
        made->dim[d1] = (ViewDim){.stride = dim.stride, .step = jump, .div = 1, .mod = dim.mod};
        made->dim[d1].start = dim.mod ? dim.start / dim.div : 0;
        made->dim[d2].start = dim.mod ? 0 : dim.start;
        made->dim[d2].mod = 0;
    } else {
        return false;
    }
    return view_dim_simplify(made, d1) && view_dim_simplify(made, d2);
}

bool stream_group(const Stream *s, const int64_t *n, Stream *result)
{
    Stream made = *s;
    int rank = s->shape.rank;
    memset(result, 0, sizeof *result);
    if (!counts_check("group", s, n)) {
        return false;
    }
    if (2 * rank > SHAPE_MAX_RANK) {
        return error_set("group: a stream of %d dimensions would get %d, but the limit is %d", rank, 2 * rank,
                         SHAPE_MAX_RANK);
    }
    made.shape.rank = 2 * rank;
    for (int d = 0; d < rank; d++) {
        if (s->shape.size[d] % n[d]) {
            return error_set("group: dimension %d: blocks of %" PRId64 " do not divide its size %" PRId64, d + 1, n[d],
                             s->shape.size[d]);
        }
        made.shape.size[d] = s->shape.size[d] / n[d];
        made.shape.size[rank + d] = n[d];
    }
    if (!shape_check(&made.shape)) { /* every block size divides an empty dimension */
        return error_prefix("group");
    }
    for (int d = 0; d < rank; d++) {
        if (!group_split(s, d, n[d], &made, d, rank + d)) {
            return view_needs_copy("group");
        }
    }
    boundary_reset(&made);
    return view_accept(&made, result);
}

bool stream_windows(const Stream *s, int64_t n, int64_t hop, Stream *result)
{
    Stream made = *s;
    int d = s->shape.rank - 1;
    int64_t size = s->shape.size[d], count = size < n ? 0 : (size - n) / hop + 1;
    memset(result, 0, sizeof *result);
    if (d + 1 == SHAPE_MAX_RANK) {
        return error_set("windows: the elements of the windows would be dimension %d, but the limit is %d", d + 2,
                         SHAPE_MAX_RANK);
    }
    if (made.map || !view_dim_plain(&s->dim[d])) {
        return view_needs_copy("windows");
    }
    made.shape.rank = d + 2;
    made.shape.size[d] = count;
    made.shape.size[d + 1] = n;
    if (!shape_check(&made.shape)) {
        return error_prefix("windows");
    }
    made.dim[d + 1] = made.dim[d];
    made.dim[d].stride *= count > 1 ? hop : 1;
    made.writable = made.writable && (hop >= n || count < 2);
    boundary_reset(&made);
    return view_accept(&made, result);
}

/* Computes the strides of the new dimensions [to, stop) from the old dimensions [from, end), which have the
 * same number of elements. */
static bool reshape_run(const Stream *s, int from, int end, Stream *made, int to, int stop)
{
    if (end - from == 1 && stop - to == 1) {
        made->dim[to] = s->dim[from];
        return true;
    }
    for (int d = from; d < end; d++) {
        bool joins = d + 1 == end || s->dim[d].stride == s->dim[d + 1].stride * s->shape.size[d + 1];
        if (!joins || !view_dim_plain(&s->dim[d])) {
            return false;
        }
    }
    int64_t stride = s->dim[end - 1].stride;
    for (int d = stop - 1; d >= to; d--) {
        made->dim[d] = (ViewDim){.stride = stride, .step = 1, .div = 1};
        stride *= made->shape.size[d];
    }
    return true;
}

/* Returns the header without dimensions of size 1, which do not matter for reshaping. */
static Stream squeezed(const Stream *s)
{
    Stream tight = *s;
    tight.shape.rank = 0;
    for (int d = 0; d < s->shape.rank; d++) {
        if (s->shape.size[d] != 1) {
            tight.dim[tight.shape.rank] = s->dim[d];
            tight.shape.size[tight.shape.rank++] = s->shape.size[d];
        }
    }
    return tight;
}

/* Pairs runs of old and new dimensions that have the same number of elements. The address function of a container takes
 * one coordinate per dimension, also for dimensions of size 1. */
static bool reshape_dims(const Stream *s, Stream *made)
{
    if (s->map) {
        return false;
    }
    Stream old = squeezed(s);
    int i = 0, j = 0, rank = made->shape.rank;
    while (i < old.shape.rank) {
        int end = i + 1, stop = j;
        int64_t have = old.shape.size[i], want = 1;
        while (stop < rank && want < have) {
            want *= made->shape.size[stop++];
        }
        while (have != want) {
            if (have < want) {
                have *= old.shape.size[end++];
            } else {
                want *= made->shape.size[stop++];
            }
        }
        int last = stop;
        while (last - j > 1 && made->shape.size[j] == 1) {
            made->dim[j++] = (ViewDim){.stride = 0, .step = 1, .div = 1};
        }
        if (!reshape_run(&old, i, end, made, j, last)) {
            return false;
        }
        i = end;
        j = stop;
    }
    for (; j < rank; j++) {
        made->dim[j] = (ViewDim){.stride = 0, .step = 1, .div = 1};
    }
    return true;
}

bool stream_reshape(const Stream *s, const Shape *shape, Stream *result)
{
    Stream made = *s;
    memset(result, 0, sizeof *result);
    if (!shape_check(shape)) {
        return error_prefix("reshape");
    }
    if (shape_elements(shape) != stream_elements(s)) {
        char from[SHAPE_TEXT], to[SHAPE_TEXT];
        return error_set("reshape: the stream's shape %s has %" PRId64 " elements, %s has %" PRId64,
                         shape_text(&s->shape, from), stream_elements(s), shape_text(shape, to), shape_elements(shape));
    }
    if (shape_equal(shape, &s->shape)) {
        return view_accept(&made, result);
    }
    made.shape = *shape;
    if (shape_elements(shape) == 0) {
        made.map = NULL; /* an empty view accesses no container */
        for (int d = 0; d < shape->rank; d++) {
            made.dim[d] = (ViewDim){.stride = 1, .step = 1, .div = 1};
        }
    } else if (!reshape_dims(s, &made)) {
        char from[SHAPE_TEXT], to[SHAPE_TEXT];
        return error_set(
            "reshape: the elements of this view of shape %s are not contiguous, as shape %s requires; call "
            ":copy() first",
            shape_text(&s->shape, from), shape_text(shape, to));
    }
    boundary_reset(&made);
    return view_accept(&made, result);
}

bool stream_transpose(const Stream *s, const int *axes, Stream *result)
{
    Stream made = *s;
    unsigned seen = 0;
    int rank = s->shape.rank;
    memset(result, 0, sizeof *result);
    for (int d = 0; d < rank; d++) {
        int from = axes ? axes[d] : rank - 1 - d;
        if (from < 0 || from >= rank || (seen >> from & 1)) {
            return error_set("transpose: the axes must be 1 .. %d in some order", rank);
        }
        seen |= 1u << from;
        made.shape.size[d] = s->shape.size[from];
        made.dim[d] = s->dim[from];
        made.boundary[d] = s->boundary[from];
    }
    return view_accept(&made, result);
}

bool stream_row(const Stream *s, int64_t index, Stream *result)
{
    Stream made = *s;
    memset(result, 0, sizeof *result);
    if (s->shape.rank < 2) {
        return error_set("a stream of one dimension has no rows");
    }
    if (index < 0 || index >= s->shape.size[0]) {
        return error_set("row %" PRId64 " is out of range 1 .. %" PRId64, index + 1, s->shape.size[0]);
    }
    made.offset += view_dim_at(&s->dim[0], index) * s->dim[0].stride;
    made.shape.rank--;
    for (int d = 0; d < made.shape.rank; d++) {
        made.shape.size[d] = s->shape.size[d + 1];
        made.dim[d] = s->dim[d + 1];
    }
    boundary_reset(&made);
    return view_accept(&made, result);
}

bool stream_boundary(const Stream *s, const Boundary *modes, double outside, Stream *result)
{
    Stream made = *s;
    memset(made.halo, 0, sizeof made.halo);
    stream_set_modes(&made, modes, outside);
    return view_accept(&made, result);
}

/* Returns the mode of a dimension beyond the halo. */
static Boundary beyond_halo(const Stream *s, int d, Boundary mode)
{
    bool wide = s->halo[d].before || s->halo[d].after;
    return wide && mode != BOUNDARY_VALUE ? BOUNDARY_CLAMP : mode;
}

void stream_set_modes(Stream *s, const Boundary *modes, double outside)
{
    for (int d = 0; d < s->shape.rank; d++) {
        s->boundary[d] = beyond_halo(s, d, modes[d]);
    }
    s->explicit_boundary = true;
    s->inherited_boundary = false;
    s->outside = outside;
}

/* Returns whether the modes of a stream are `modes`. */
static bool same_modes(const Stream *s, const Boundary *modes, double outside)
{
    bool same = s->outside == outside || (isnan(s->outside) && isnan(outside));
    for (int d = 0; d < s->shape.rank; d++) {
        same = same && s->boundary[d] == modes[d];
    }
    return same;
}

bool stream_same_boundary(const Stream *a, const Stream *b)
{
    bool any = stream_has_boundary(a);
    return any == stream_has_boundary(b) &&
           (!any || (a->shape.rank == b->shape.rank && same_modes(a, b->boundary, b->outside)));
}

void stream_inherit_modes(Stream *s, const Boundary *modes, double outside)
{
    bool same = !s->inherited_boundary || same_modes(s, modes, outside);
    for (int d = 0; d < s->shape.rank; d++) {
        s->boundary[d] = same ? modes[d] : BOUNDARY_CLAMP;
    }
    s->outside = same ? outside : 0;
    s->inherited_boundary = true;
}

void stream_inherit(Stream *s, const Stream *from)
{
    if (stream_has_boundary(from) && from->shape.rank == s->shape.rank) {
        stream_inherit_modes(s, from->boundary, from->outside);
    }
}

bool stream_retype(const Stream *s, const Type *type, Stream *result)
{
    memset(result, 0, sizeof *result);
    if (s->source != SOURCE_BUFFER) {
        return error_set("an iterator stream has no memory that could be viewed as another type; call :copy() first");
    }
    if (s->type->bytes != type->bytes) {
        return error_set("elements of %s (%d bytes) cannot be viewed as %s (%d bytes)", s->type->name, s->type->bytes,
                         type->name, type->bytes);
    }
    Stream made = *s;
    made.type = type;
    return view_accept(&made, result);
}

bool stream_has_halo(const Stream *s)
{
    bool wide = false;
    for (int d = 0; d < s->shape.rank; d++) {
        wide = wide || s->halo[d].before || s->halo[d].after;
    }
    return wide;
}

void stream_extended(const Stream *s, Stream *result)
{
    Stream made = *s;
    for (int d = 0; d < s->shape.rank; d++) {
        made.offset -= s->halo[d].before * s->dim[d].stride;
        made.shape.size[d] += s->halo[d].before + s->halo[d].after;
    }
    view_accept(&made, result);
}

bool stream_halo(const Stream *s, const Halo *halo, Stream *result)
{
    Stream made = *s;
    int64_t first = s->offset, last = first;
    memset(result, 0, sizeof *result);
    memcpy(made.halo, halo, sizeof *halo * (size_t)s->shape.rank);
    for (int d = 0; d < s->shape.rank; d++) {
        bool wide = halo[d].before || halo[d].after;
        if (!view_dim_plain(&s->dim[d]) || s->dim[d].stride < 0 || (wide && s->dim[d].stride == 0)) {
            return view_needs_copy("halo");
        }
        first -= halo[d].before * s->dim[d].stride;
        last += (s->shape.size[d] - 1 + halo[d].after) * s->dim[d].stride;
        made.boundary[d] = beyond_halo(&made, d, made.boundary[d]);
    }
    if (!s->buffer || s->map || first < 0 || (last + 1) * s->type->bytes > (int64_t)buffer_bytes(s->buffer)) {
        return error_set("halo: the memory of the stream does not contain all elements around the view");
    }
    view_finish(&made);
    stream_copy_view(&made, result);
    return true;
}

void stream_pattern(const Stream *s, Stream *pattern)
{
    *pattern = *s;
    pattern->device = NULL;
    pattern->buffer = NULL;
    pattern->length = (DeviceLength){0};
}

bool stream_rebase(const Stream *pattern, const Stream *memory, Stream *result)
{
    int64_t low, high;
    Stream made = *pattern;
    memset(result, 0, sizeof *result);
    made.device = memory->device;
    made.buffer = memory->buffer;
    made.type = type_of(memory->type->scalar, pattern->type->is_struct ? 1 : pattern->type->components);
    made.indices = 0;
    made.baked = false;
    boundary_reset(&made);
    stream_range(&made, &low, &high);
    if (!made.type || memory->offset != 0 || !memory->contiguous || high > (int64_t)stream_bytes(memory)) {
        return error_set("the memory does not fit the view");
    }
    return view_accept(&made, result);
}
