/* What has an order, and streams as the words that radix sorts and merges work on. */
#ifndef RILL_PRIMITIVE_ENGINE_ORDER_H
#define RILL_PRIMITIVE_ENGINE_ORDER_H

#include "primitive/engine/radix.h"
#include "stream/stream.h"

/* How elements of `type` are ordered; false with error_set where they are not. */
bool order_key(const Type *type, bool descending, RadixKey *key);

/* Streams that a call holds until it returns. */
typedef struct Held {
    Stream items[8];
    int count;
} Held;

/* A header to fill. */
Stream *order_hold(Held *held);
/* Releases them all. */
void order_release(Held *held);

/* A contiguous copy of s, or s itself where it is so, without a length that only the device knows. NULL with error_set. */
const Stream *order_packed(Held *held, const Stream *s);
/* The elements as words that start at word *base of the result's buffer: narrow ones in the low bits of a word each. NULL with
 * error_set. */
const Stream *order_words(Held *held, const Stream *s, int64_t *base);
/* A stream over such words: elements of `type` again. */
bool order_elements(Buffer *words, const Type *type, const Shape *shape, Stream *result);

#endif
