/* Copies between streams of any layout, on the device, by the kernel compiler's own access paths. */
#ifndef RILL_KERNEL_LAUNCH_COPY_H
#define RILL_KERNEL_LAUNCH_COPY_H

#include "kernel/kernel.h"

/* Copies element by element: equal shapes; types of the same layout, or any two numeric types with equal
 * component counts (a cast: floats truncate towards zero into integers, integers are cut to the low bits, unorm8 is clamped, x != 0 for bool). Overlapping streams are
 * copied through a temporary. */
bool copy_stream(Stream *to, const Stream *from);
/* Copies elements of the same layout over any domain: the first parameter of the launch is `from`, the second is `to`. */
bool copy_over(Stream *to, const Stream *from, const Domain *domain);
/* Whether copy_stream takes elements of `from` to `to`; false with error_set. */
bool copy_converts(const Stream *to, const Stream *from);
/* The same for types as copy_stream takes them. */
bool copy_elements(Stream *to, const Stream *from, const Domain *domain);
/* A new contiguous stream of `type` (NULL: from's own) with from's shape and elements. */
bool copy_new(const Stream *from, const Type *type, Stream *result);
/* A view or a new stream of `shape` with the elements that stream_resample says. */
bool copy_resampled(const Stream *from, const Shape *shape, Stream *result);
/* Copies an argument of a launch: see LaunchCopy. */
bool copy_argument(const Stream *from, const Shape *shape, Stream *result);
/* Copies from[numbers[i]] to to[i]: `from` of one dimension, the same layout; int numbers in range, of to's shape. */
bool copy_take(Stream *to, const Stream *from, const Stream *numbers);
/* Sets every element of a view to one packed element. */
bool copy_fill(Stream *to, const void *element);
/* The same over any domain. */
bool copy_fill_over(Stream *to, const void *element, const Domain *domain);

#endif
