/* Stable sorts, ascending and descending: elements with equal keys keep their order. Keys are scalars: int, uint,
 * float, double, bool, half, unorm8, int8, int16, uint8, uint16. NaNs are last, also in descending order. 0 and -0
 * are equal. */
#ifndef RILL_PRIMITIVE_SORTING_SORT_H
#define RILL_PRIMITIVE_SORTING_SORT_H

#include "stream/stream.h"

/* Returns true if elements of `type` have an order, otherwise false with error_set. */
bool sort_has_order(const Type *type);

/* Sorts along the last dimension. `payload` has the shape of the keys and four bytes per element, and is moved with the
 * keys. NULL: the payload is the 0-based index of each key along the dimension, as int. Creates new streams; keys_out
 * or payload_out may be NULL if that result is not wanted. If only the device has the length of the keys, the results
 * have the same length. */
bool sort_pairs(const Stream *keys, const Stream *payload, bool descending, Stream *keys_out, Stream *payload_out);

/* Options of the functions below. */
typedef struct SortOptions {
    bool descending;
    int axis; /* 0-based */
} SortOptions;

/* Creates a stream of the elements in order along the axis. */
bool sort_stream(const Stream *s, const SortOptions *options, Stream *result);
/* Creates an int stream of the 0-based indices along the axis in sorted order. */
bool sort_numbers(const Stream *s, const SortOptions *options, Stream *result);
/* Sorts the keys, and moves the elements of `count` value streams with them. The values have the shape of the keys and
 * any type. keys_out may be NULL if the sorted keys are not wanted. */
bool sort_by_key(const Stream *keys, const Stream *const *values, int count, const SortOptions *options,
                 Stream *keys_out, Stream *const *values_out);

#endif
