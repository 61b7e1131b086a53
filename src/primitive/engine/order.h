/* The order of element types, and conversions between streams and the 32-bit words that radix sorts and merges work
 * on. */
#ifndef RILL_PRIMITIVE_ENGINE_ORDER_H
#define RILL_PRIMITIVE_ENGINE_ORDER_H

#include "primitive/engine/radix.h"
#include "stream/stream.h"

/* Fills in the key description for elements of `type`. Returns false with error_set if they have no order. */
bool order_key(const Type *type, bool descending, RadixKey *key);

/* Streams that a call holds until it returns. */
typedef struct Held {
    Stream items[8];
    int count;
} Held;

/* Adds an empty Stream and returns it. The caller fills it in. */
Stream *order_hold(Held *held);
/* Releases all held streams. */
void order_release(Held *held);

/* Returns s if it is contiguous, else a contiguous copy, which `held` holds. The length of the result is its
 * shape, even if the length of s is only known to the device. Returns NULL with error_set on failure. */
const Stream *order_packed(Held *held, const Stream *s);
/* Returns the elements as 32-bit words, which begin at word *base of the buffer. Narrow elements use the low bits of
 * one word each. Returns NULL with error_set on failure. */
const Stream *order_words(Held *held, const Stream *s, int64_t *base);
/* Creates a stream of elements of `type` from words of the form that order_words returns. */
bool order_elements(Buffer *words, const Type *type, const Shape *shape, Stream *result);

#endif
