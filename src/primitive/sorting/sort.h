/* Sorting, stable in both directions: equal keys keep their order. Keys are scalars: int, uint, float, double, bool, half, unorm8,
 * int8, int16, uint8, uint16. NaNs come last, also in descending order; both zeros are equal. */
#ifndef RILL_PRIMITIVE_SORTING_SORT_H
#define RILL_PRIMITIVE_SORTING_SORT_H

#include "stream/stream.h"

/* False with error_set where elements of `type` have no order. */
bool sort_has_order(const Type *type);

/* Sorts along the last dimension. `payload` (of keys' shape, four bytes per element) goes with the keys; NULL: the keys' numbers along the
 * dimension, from 0, as int. Results are new streams; either may be NULL where it isn't wanted. Keys may have a length that
 * only the device knows: the results have it too. */
bool sort_pairs(const Stream *keys, const Stream *payload, bool descending, Stream *keys_out, Stream *payload_out);

/* Options of the calls below; `axis` from 0. */
typedef struct SortOptions {
    bool descending;
    int axis;
} SortOptions;

/* The elements in order along the axis. */
bool sort_stream(const Stream *s, const SortOptions *options, Stream *result);
/* The keys' numbers along the axis, from 0, in sorted order. */
bool sort_numbers(const Stream *s, const SortOptions *options, Stream *result);
/* Values of any type and of keys' shape, in the order of the keys. keys_out may be NULL. */
bool sort_by_key(const Stream *keys, const Stream *const *values, int count, const SortOptions *options,
                 Stream *keys_out, Stream *const *values_out);

#endif
