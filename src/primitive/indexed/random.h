/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011). Word w of a sequence is word w % 4 of
 * the block with counter w / 4 under the key (seed's low word, seed's high word): the same on every device. */
#ifndef RILL_PRIMITIVE_INDEXED_RANDOM_H
#define RILL_PRIMITIVE_INDEXED_RANDOM_H

#include "stream/stream.h"

typedef enum RandomKind {
    RANDOM_WORDS,   /* the 32-bit words themselves: int and uint types */
    RANDOM_INTEGER, /* low .. high, both included */
    RANDOM_UNIFORM, /* [low, high): 24 bits for float, 53 for double */
    RANDOM_NORMAL   /* mean low, standard deviation high, by Box and Muller's transform */
} RandomKind;

typedef struct RandomSpec {
    RandomKind kind;
    uint64_t seed, block; /* the first block's counter */
    double low, high;
    const Type *type; /* float, double, int or uint and their vectors */
} RandomSpec;

/* Fills a new stream; *blocks is how many counters were used. */
bool random_stream(Device *device, const RandomSpec *spec, const Shape *shape, Stream *result, uint64_t *blocks);

#endif
