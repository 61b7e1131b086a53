/* Elements of streams as packed bytes in host memory, and copies that need no kernel if streams are
 * contiguous. All functions must be called inside a device scope. On failure they return false or
 * NULL with error_set. */
#ifndef RILL_KERNEL_HOST_PACKED_H
#define RILL_KERNEL_HOST_PACKED_H

#include "kernel/launch/copy.h"

/* Copies all elements of a stream of any layout to packed bytes. */
bool packed_download(const Stream *stream, void *bytes);
/* Copies packed bytes to all elements of a stream of any layout. Bools may be any word. */
bool packed_upload(const Stream *stream, const void *bytes);
/* Returns all elements, packed, in memory that the caller frees. */
void *packed_bytes(const Stream *stream);
/* Returns all elements of a stream of scalars, cast to double, in memory that the caller frees. */
double *packed_doubles(const Stream *stream);
/* Returns the elements themselves if they are in host memory in one piece; otherwise NULL, without
 * an error. */
const void *packed_in_place(const Stream *stream);
/* Returns where the host writes the elements itself, before the next launch, if they are in host memory in one piece;
 * otherwise NULL, without an error. */
void *packed_destination(const Stream *stream);
/* Creates a contiguous stream of packed elements. */
bool packed_stream(Device *device, const Type *type, const Shape *shape, const void *bytes, Stream *result);
/* Copies elements to a stream of the same shape, without a kernel if that is possible. */
bool packed_write(Stream *to, const Stream *from);
/* Creates a contiguous stream of `type` (NULL: the type of s) with the elements of s. */
bool packed_copy(const Stream *s, const Type *type, Stream *result);
/* Sets all elements to one packed element. */
bool packed_fill(Stream *s, const void *element);

#endif
