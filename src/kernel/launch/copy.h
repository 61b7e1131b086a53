/* Copies between streams of any layout on the device, with the access paths of the kernel
 * compiler. */
#ifndef RILL_KERNEL_LAUNCH_COPY_H
#define RILL_KERNEL_LAUNCH_COPY_H

#include "gpu/program/profile.h"
#include "kernel/kernel.h"

/* Copies all elements to a stream of the same shape. The types have the same layout, or are numeric
 * types with the same number of components. Numeric types are cast: floats are truncated towards
 * zero into integers, integers are reduced to their low bits, unorm8 is clamped, bool is x != 0.
 * Overlapping streams are copied through a temporary stream. */
bool copy_stream(Stream *to, const Stream *from);
/* Copies elements of the same layout over any domain. The first parameter of the launch is `from`,
 * the second is `to`. */
bool copy_over(Stream *to, const Stream *from, const Domain *domain);
/* Returns whether copy_stream can convert elements of `from` to `to`. Returns false with error_set
 * on failure. */
bool copy_converts(const Stream *to, const Stream *from);
/* Copies and casts elements over any domain, with the types that copy_stream accepts. */
bool copy_elements(Stream *to, const Stream *from, const Domain *domain);
/* Creates a contiguous stream of `type` (NULL: the type of `from`) with the shape and the elements
 * of `from`. */
bool copy_new(const Stream *from, const Type *type, Stream *result);
/* Copies like copy_stream and copy_new. `reason` appears in profiles: the operation and its argument, and why it needs
 * the copy. */
bool copy_stream_for(Stream *to, const Stream *from, const char *reason);
bool copy_new_for(const Stream *from, const Type *type, const char *reason, Stream *result);
/* Writes why the argument `what`, for example "rill.fft: argument 's'", is copied before it is a stream of `type` in
 * contiguous memory. */
void copy_explain(const Stream *from, const Type *type, const char *what, char reason[PROFILE_REASON]);
/* Creates a contiguous stream of `type` (NULL: the type of `from`) like copy_new. Profiles show copy_explain's text. */
bool copy_whole(const Stream *from, const Type *type, const char *what, Stream *result);
/* Creates a view or a new stream of `shape` with the elements that stream_resample selects. */
bool copy_resampled(const Stream *from, const Shape *shape, Stream *result);
/* Implements LaunchCopy (launch.h) for the arguments of a launch. */
bool copy_argument(const Stream *from, const Shape *shape, Stream *result);
/* Copies from[numbers[i]] to to[i]. `from` has one dimension and the same layout as `to`. `numbers`
 * contains int indices in range and has the shape of `to`. */
bool copy_take(Stream *to, const Stream *from, const Stream *numbers);
/* Sets every element of a view to one packed element. */
bool copy_fill(Stream *to, const void *element);
/* Sets the elements of a domain to one packed element. */
bool copy_fill_over(Stream *to, const void *element, const Domain *domain);

#endif
