/* The first k elements of a sorted stream without a complete sort. The k-th key is determined digit by digit, from
 * the most significant one. The keys that precede it are compacted and sorted. */
#ifndef RILL_PRIMITIVE_SORTING_TOPK_H
#define RILL_PRIMITIVE_SORTING_TOPK_H

#include "stream/stream.h"

/* Creates `values`, the first k elements in order, and `numbers`, their 0-based indices as int. s has one dimension
 * and a type with an order, and 0 <= k <= its number of elements. `largest`: largest first, else smallest first. Of
 * equal elements the first ones are taken, in their order. NaNs are last. */
bool topk_stream(const Stream *s, int64_t k, bool largest, Stream *values, Stream *numbers);

/* An element of a sorted stream. */
typedef struct TopKRank {
    uint64_t key;  /* its bits: in the low bits, and zeros above */
    int64_t count; /* the number of elements that are not greater */
} TopKRank;

/* Finds the k-th smallest element, 1 <= k <= the number of elements of s. s has one dimension and a type with an order.
 * A zero is returned as +0, a NaN as any NaN. NaNs are last. Waits for the device. */
bool topk_rank(const Stream *s, int64_t k, TopKRank *rank);

#endif
