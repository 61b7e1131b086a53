/* A stream: a small header over a counted buffer, and how an index in its shape finds its element. Views share the buffer.
 *
 * Index i of a dimension becomes ((i * step + start) / div) % mod (mod 0: no modulo), then times stride, summed over
 * the dimensions, plus offset: the element's number in the buffer. A plain dimension has step 1, start 0, div 1, mod 0 (domains and
 * strides go into offset and stride); replicate sets div, tile sets mod. */
#ifndef RILL_STREAM_STREAM_H
#define RILL_STREAM_STREAM_H

#include "gpu/memory/buffer.h"
#include "gpu/memory/texture.h"
#include "gpu/program/indirect.h"
#include "stream/shape.h"
#include "stream/type.h"

typedef struct ViewDim {
    int64_t stride; /* elements */
    int64_t step, start, div, mod;
} ViewDim;

typedef enum Boundary { BOUNDARY_CLAMP, BOUNDARY_WRAP, BOUNDARY_MIRROR, BOUNDARY_VALUE } Boundary;

/* Where elements come from. Further sources are further rows. */
typedef enum Source { SOURCE_BUFFER, SOURCE_RAMP, SOURCE_MAPPED } Source;

/* Finds the elements of a container in its memory: see kernel/variant/address_map.h. */
typedef struct AddressMap AddressMap;

/* An iterator stream: element number e (found as in a buffer) has component c =
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
    /* SOURCE_MAPPED, the box of a container that begins at dim[d].start: borrowed. Such a header is read and written by kernels only, and
     * may have more elements than a buffer. */
    AddressMap *map;
    Ramp ramp;
    int64_t offset; /* elements */
    ViewDim dim[SHAPE_MAX_RANK];
    Boundary boundary[SHAPE_MAX_RANK];
    bool explicit_boundary; /* set by stream_boundary: never reported under check */
    double outside;         /* BOUNDARY_VALUE: every component outside */
    bool baked;             /* all of a container that is: kernels may be compiled for its sizes, and where it begins */
    bool contiguous;        /* row-major without gaps, from offset on */
    bool writable;          /* false for tile, replicate and ramps */
    /* Of a stream of one dimension counted on the device: how many elements there are; shape.size[0] is the most there can be.
     * A reference is held. Buffer NULL: the shape is exact. */
    DeviceLength length;
} Stream;

/* As seen through the view; a stream of no elements has 0 of both. */
int64_t stream_elements(const Stream *stream);
uint64_t stream_bytes(const Stream *stream); /* packed size of the elements: elements * type->bytes */

/* The element's number in the buffer (or along the ramp) of an index inside the shape, counted from 0. */
int64_t stream_locate(const Stream *stream, const int64_t *index);
/* Element `number` of a ramp in packed bytes, in the arithmetic of the kernels: float32 for floats. */
void stream_ramp_element(const Stream *stream, int64_t number, void *element);

/* All constructors fill `result` and take references to its type and to the buffer (or a new one); release it with stream_release. */
bool stream_create(Device *device, const Type *type, const Shape *shape, bool zero, Stream *result);
bool stream_ramp(Device *device, const Type *type, const Shape *shape, const double *from, const double *to,
                 Stream *result);
/* A stream over part of an existing buffer: `offset` in elements of `type`. */
bool stream_over(Buffer *buffer, const Type *type, const Shape *shape, int64_t offset, Stream *result);
void stream_copy_view(const Stream *from, Stream *result); /* another header over the same elements */
/* Gives a stream of one dimension, whose size is an upper bound, a length that a launch has counted. */
void stream_set_length(Stream *stream, DeviceLength length);
/* Learns the length from the device, waiting where it must; nothing to do for other streams. */
bool stream_settle(Stream *stream);
void stream_release(Stream *stream); /* drops the references; closed afterwards (device NULL) */

/* Views: another header over the same elements; a failed one leaves `result` closed. `result` may be `s` itself only where `s` is
 * borrowed. Dimensions keep their boundary under domain, stride, tile, replicate and transpose, else it is clamp again.
 * Not every composition has the form above: such a view fails with an error that says to copy first. Indices from 0, `first` inclusive, `last` exclusive here; the binding counts as Lua does. */
bool stream_domain(const Stream *s, const int64_t *first, const int64_t *last, Stream *result);
bool stream_stride(const Stream *s, const int64_t *n, Stream *result); /* elements 0, n, 2n ... */
bool stream_tile(const Stream *s, const int64_t *n, Stream *result);
bool stream_replicate(const Stream *s, const int64_t *n, Stream *result);
bool stream_group(const Stream *s, const int64_t *n, Stream *result);     /* block sizes, divide the shape */
bool stream_reshape(const Stream *s, const Shape *shape, Stream *result); /* fails where a copy is needed, says so */
bool stream_transpose(const Stream *s, const int *axes,
                      Stream *result);                           /* axes: a permutation, from 0; NULL reverses */
bool stream_row(const Stream *s, int64_t index, Stream *result); /* drops the first dimension */
bool stream_boundary(const Stream *s, const Boundary *modes, double outside, Stream *result); /* one per dimension */
bool stream_retype(const Stream *s, const Type *type, Stream *result); /* same-sized elements seen as another type */

/* How a texture is to be sampled: see TextureForm. */
typedef struct TextureWish {
    bool linear, normalized, cube;
    int levels;   /* 0: all there can be */
    int internal; /* 0: as the elements are */
} TextureWish;

/* Textures, in stream/texture.c. Gives a stream that is all of its buffer's elements from the first on a texture of its shape, for the device's
 * filters, whose levels are zeros; false with error_set: a type or shape that has none, or no memory. */
bool stream_texture_attach(const Stream *s, const TextureWish *wish);
/* The texture that shows the same elements in the same shape as the stream; NULL: none does. */
const TextureForm *stream_texture(const Stream *s);
/* Bytes of device memory of the buffer's texture. */
uint64_t stream_texture_bytes(const Stream *s);

/* How two streams lie in memory. */
bool stream_overlaps(const Stream *a, const Stream *b);     /* may share a byte; exact for boxes, else conservative */
bool stream_same_mapping(const Stream *a, const Stream *b); /* same buffer, and index i is the same element in both */

/* The version of what a stream shows, and whether it may have been written since: exact for views that are rows of one pitch. A
 * ramp is never written. Whatever writes a stream by a shader says so with stream_wrote. */
uint64_t stream_version(const Stream *stream);
bool stream_written_since(const Stream *stream, uint64_t version);
void stream_wrote(const Stream *stream);

/* Makes `s` a view of the shape of a launch, as Brook resizes inputs: a dimension of which the new extent is a multiple repeats its
 * elements, and of a larger dimension of n elements, element i of m is ceil(i n / m). Missing leading dimensions count as 1, on either
 * side. If no view has this form, *needs_copy is set and the result is closed: copy_resampled makes a stream of it. False with
 * error_set, both shapes printed, if a dimension is smaller than the new extent and does not divide it. */
bool stream_resample(const Stream *s, const Shape *shape, Stream *result, bool *needs_copy);

#endif
