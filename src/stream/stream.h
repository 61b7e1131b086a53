/* A stream is a small struct (also called a header) that refers to a reference-counted buffer. It maps
 * indices of its shape to elements of the buffer. Views are streams that share the buffer.
 *
 * Index i of a dimension d becomes k[d] = ((i * step + start) / div) % mod, where mod 0 means no modulo. The
 * element's index in the buffer is offset + the sum of k[d] * stride[d]. A plain dimension has step 1, start
 * 0, div 1, mod 0. stream_domain and stream_stride change offset and stride, stream_replicate sets div,
 * stream_tile sets mod. */
#ifndef RILL_STREAM_STREAM_H
#define RILL_STREAM_STREAM_H

#include "gpu/memory/buffer.h"
#include "gpu/memory/texture.h"
#include "gpu/program/indirect.h"
#include "stream/boundary.h"
#include "stream/shape.h"
#include "stream/type.h"

typedef struct ViewDim {
    int64_t stride; /* elements */
    int64_t step, start, div, mod;
} ViewDim;

/* The elements before and after a view along a dimension that neighbors may read: see stream_halo. */
typedef struct Halo {
    int32_t before, after;
} Halo;

/* Where the elements come from. */
typedef enum Source { SOURCE_BUFFER, SOURCE_RAMP, SOURCE_MAPPED } Source;

/* Maps indices of a container to its memory: see kernel/variant/address_map.h. */
typedef struct AddressMap AddressMap;

/* An iterator stream. Component c of element e (an index as in a buffer) is
 * from[c] + delta[c] * ((e / div[c]) % mod[c]). */
typedef struct Ramp {
    double from[4], delta[4];
    int64_t div[4], mod[4];
} Ramp;

typedef struct Stream {
    Device *device;
    const Type *type;
    Shape shape;
    Source source;
    Buffer *buffer; /* NULL for a ramp */
    /* Only for SOURCE_MAPPED: the map of a container, not owned. The stream is a box of the container that
     * begins at dim[d].start. Only kernels read and write such a stream. It may have more elements than a
     * buffer. */
    AddressMap *map;
    Ramp ramp;
    int64_t offset; /* elements */
    ViewDim dim[SHAPE_MAX_RANK];
    Boundary boundary[SHAPE_MAX_RANK];
    bool explicit_boundary;    /* set by stream_boundary: reads outside are not reported under rill.check */
    bool inherited_boundary;   /* the modes are those of the streams from which this stream was made */
    double outside;            /* BOUNDARY_VALUE: the value of every component outside the shape */
    Halo halo[SHAPE_MAX_RANK]; /* set by stream_halo, else zeros */
    bool baked; /* the stream is a whole container whose sizes and origin may be compiled into kernels as constants */
    bool contiguous; /* row-major without gaps, beginning at offset */
    bool writable;   /* false for ramps, results of tile and replicate, and overlapping windows */
    /* Number of elements of a one-dimensional stream, if only the device has it; shape.size[0] is then an upper
     * bound. Holds a reference. Buffer NULL: the shape is exact. */
    DeviceLength length;
    uint64_t indices; /* set by stream_set_indices: the version of the buffer, plus 1. 0: not set */
} Stream;

/* Returns the number of elements of the shape. */
int64_t stream_elements(const Stream *stream);
/* Returns the packed size of the elements: elements * type->bytes. */
uint64_t stream_bytes(const Stream *stream);

/* Returns the element's index in the buffer (or along the ramp) for an index inside the shape (0-based). */
int64_t stream_locate(const Stream *stream, const int64_t *index);
/* Writes element `number` of a ramp, packed. Uses the arithmetic of the kernels: float32 for floats. */
void stream_ramp_element(const Stream *stream, int64_t number, void *element);

/* Constructors fill `result` and take references to its type and buffer: release it with stream_release. On
 * failure they return false with error_set, and `result` is closed (its device is NULL). */

/* Creates a stream with a new buffer, which is filled with zeros if `zero` is set, else undefined. */
bool stream_create(Device *device, const Type *type, const Shape *shape, bool zero, Stream *result);
/* Creates a stream as buffer_create_readable creates a buffer. */
bool stream_create_readable(Device *device, const Type *type, const Shape *shape, Stream *result);
/* Creates an iterator stream, a ramp from `from` (inclusive) to `to` (exclusive) with one value per
 * component. If the type is a vector, its component x varies along the last dimension, y along the dimension
 * before it, and so on. Fails if the type is not float, double, int, uint or a vector of them, or if an
 * integer cannot hold the values. */
bool stream_ramp(Device *device, const Type *type, const Shape *shape, const double *from, const double *to,
                 Stream *result);
/* Creates a stream over a part of an existing buffer; `offset` counts elements of `type`. */
bool stream_over(Buffer *buffer, const Type *type, const Shape *shape, int64_t offset, Stream *result);
/* Creates another stream over the same elements. */
void stream_copy_view(const Stream *from, Stream *result);
/* Sets the length of a one-dimensional stream, whose size is an upper bound, to a count that a launch computes. */
void stream_set_length(Stream *stream, DeviceLength length);
/* Reads the length back from the device, if it is not known, and sets the shape. May wait. Returns false with
 * error_set on failure. */
bool stream_settle(Stream *stream);
/* Drops the references. The stream is closed afterwards (device NULL). */
void stream_release(Stream *stream);

/* View functions create another stream over the same elements and take references, which stream_release
 * drops. On failure they return false with error_set, and `result` is closed. `result` may be `s` itself only
 * if `s` holds no references of its own, because they would be lost. A dimension keeps its boundary under
 * domain, stride, tile, replicate and transpose; other views reset it to clamp. A view that cannot be
 * described by the formula above fails with an error that says to copy first. Indices are 0-based; `first` is
 * inclusive, `last` exclusive. The binding converts from Lua's convention. */

/* Creates the view of a box. */
bool stream_domain(const Stream *s, const int64_t *first, const int64_t *last, Stream *result);
/* Creates the view with the elements in reverse order along the dimensions whose bits are set in `axes`. */
bool stream_flip(const Stream *s, unsigned axes, Stream *result);
/* Creates a view of vectors as scalars, with the components as a new last dimension, or the reverse. */
bool stream_as(const Stream *s, const Type *type, Stream *result);
/* Creates the view of elements 0, n, 2n ... of each dimension; from the last element back if n < 0. */
bool stream_stride(const Stream *s, const int64_t *n, Stream *result);
/* Creates a view that repeats the whole n[d] times along each dimension. It is not writable. */
bool stream_tile(const Stream *s, const int64_t *n, Stream *result);
/* Creates a view that repeats each element n[d] times along each dimension. It is not writable. */
bool stream_replicate(const Stream *s, const int64_t *n, Stream *result);
/* Creates a view with blocks of n[d] elements as trailing dimensions. n[d] must divide the size. */
bool stream_group(const Stream *s, const int64_t *n, Stream *result);
/* Creates a view with a new last dimension of n elements: element (..., i, k) is element i * hop + k of the last dimension.
 * It has as many windows as fit completely. It is not writable if windows overlap. */
bool stream_windows(const Stream *s, int64_t n, int64_t hop, Stream *result);
/* Creates a view with another shape. Fails if this needs a copy. */
bool stream_reshape(const Stream *s, const Shape *shape, Stream *result);
/* Creates a view with permuted dimensions. axes: a 0-based permutation, or NULL to reverse. */
bool stream_transpose(const Stream *s, const int *axes, Stream *result);
/* Creates the view of one index of the first dimension, which is removed. */
bool stream_row(const Stream *s, int64_t index, Stream *result);
/* Creates a view with one boundary mode per dimension; `outside` is the value of BOUNDARY_VALUE. */
bool stream_boundary(const Stream *s, const Boundary *modes, double outside, Stream *result);
/* Sets the modes in a header, as stream_boundary does. A halo is kept. */
void stream_set_modes(Stream *s, const Boundary *modes, double outside);
/* Returns whether the stream has boundary modes: set by stream_boundary, or inherited. */
static inline bool stream_has_boundary(const Stream *s)
{
    return s->explicit_boundary || s->inherited_boundary;
}
/* Returns whether both streams have the same modes, or both have none. */
bool stream_same_boundary(const Stream *a, const Stream *b);
/* Sets inherited modes, one for each dimension. If the stream already has inherited modes, and these are different, all
 * modes become BOUNDARY_CLAMP. */
void stream_inherit_modes(Stream *s, const Boundary *modes, double outside);
/* Sets the modes of `from` as stream_inherit_modes does. Has no effect if `from` has no modes or another rank. */
void stream_inherit(Stream *s, const Stream *from);
/* Creates a view for a `neighbor` argument. Its neighbors outside the shape are the elements that memory contains
 * before and after the view: halo[d].before and halo[d].after elements along dimension d. In such a dimension, neighbors
 * beyond them have the value of BOUNDARY_VALUE; with other modes they are clamped to the last of them. Fails if the
 * memory does not contain all these elements. Views of the result have no halo. */
bool stream_halo(const Stream *s, const Halo *halo, Stream *result);
bool stream_has_halo(const Stream *s);
/* Creates the view of a stream together with its halo, as a stream without a halo. */
void stream_extended(const Stream *s, Stream *result);
/* Returns whether the elements of `s` form one range of its buffer without gaps, and are all elements of the buffer. */
bool stream_is_whole(const Stream *s);
/* Copies the header of `s` without references: the copy is closed. It can be used as the pattern of stream_rebase for as
 * long as its type exists. */
void stream_pattern(const Stream *s, Stream *pattern);
/* Creates the view of `memory`, a contiguous stream of scalars at offset 0, whose elements have the places that the
 * elements of the pattern have in its buffer. The type has the scalar of `memory`; the view has no boundary modes. Fails
 * if `memory` is smaller than the pattern needs. */
bool stream_rebase(const Stream *pattern, const Stream *memory, Stream *result);
/* Creates a view of the elements as another type of the same size. */
bool stream_retype(const Stream *s, const Type *type, Stream *result);

/* How to sample a texture: see TextureForm. */
typedef struct TextureWish {
    bool linear, normalized, cube;
    int levels;   /* 0: the full mipmap chain */
    int internal; /* 0: the format of the elements */
} TextureWish;

/* Attaches a texture of the stream's shape to its buffer, for the device's filters. Implemented in
 * stream/texture.c. The stream must contain all elements of its buffer. Mipmap levels from 1 on are zeros.
 * Returns false with error_set if there is no texture for the type or shape, or no memory. */
bool stream_texture_attach(const Stream *s, const TextureWish *wish);
/* Returns the texture that shows the elements of the stream in the same shape, or NULL. */
const TextureForm *stream_texture(const Stream *s);
/* Returns the bytes of device memory of the buffer's texture. */
uint64_t stream_texture_bytes(const Stream *s);

/* Returns whether two streams may share a byte. The answer is exact for boxes of a buffer; otherwise it may
 * be true although they share none. */
bool stream_overlaps(const Stream *a, const Stream *b);
/* Computes the range of the bytes of the buffer that the elements of a stream are in. It is empty for a ramp. */
void stream_range(const Stream *s, int64_t *low, int64_t *high);
/* Returns whether both streams have the same buffer, and each index denotes the same element in both. */
bool stream_same_mapping(const Stream *a, const Stream *b);

/* Returns the version of the stream's buffer, to be passed to stream_written_since, or 0 for a ramp. */
uint64_t stream_version(const Stream *stream);
/* Returns whether an element may have been written since a version. The answer is exact if the elements form
 * a BufferRegion (gpu/context/device.h); otherwise it may be true without a write. */
bool stream_written_since(const Stream *stream, uint64_t version);
/* Records that a shader wrote the stream. Every such write must be recorded. */
void stream_wrote(const Stream *stream);

/* Records that the elements are 0-based indices. Copies of the header keep this, such as views. Writes end it. */
void stream_set_indices(Stream *stream);
/* Returns whether the elements are known to be 0-based indices: stream_set_indices was called for this header or for
 * one that it is a copy of, and no element may have been written since. */
bool stream_has_indices(const Stream *stream);

/* Makes `s` a view with the shape of a launch, as Brook resizes inputs. If the new extent of a dimension is a
 * multiple of its size, its elements are repeated. If a dimension has n elements, more than the new extent m,
 * element i of the view is element ceil(i n / m). Missing leading dimensions count as 1, on either side. If no
 * view has this form, the function sets *needs_copy and closes the result: copy_resampled creates a stream
 * instead. Returns false with error_set (both shapes printed) if a size is smaller than the new extent and does
 * not divide it. */
bool stream_resample(const Stream *s, const Shape *shape, Stream *result, bool *needs_copy);

#endif
