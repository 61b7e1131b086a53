/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011). 32-bit word w of a sequence is
 * word w % 4 of the block with counter w / 4 under the key (low word of the seed, high word of the seed). It is the
 * same on every device. The third and fourth word of a counter are 0. They are 1 and 0 for the low words of integers,
 * and (round, 1) for the distributions of lua/rill/random/distributions.lua, where each number has its own counter and
 * uses as many rounds as it needs. */
#ifndef RILL_PRIMITIVE_INDEXED_RANDOM_H
#define RILL_PRIMITIVE_INDEXED_RANDOM_H

#include "stream/stream.h"

typedef enum RandomKind {
    RANDOM_WORDS,   /* the 32-bit words themselves: int and uint types */
    RANDOM_INTEGER, /* low .. high, both included */
    RANDOM_UNIFORM, /* [low, high): 24 bits for float, 53 for double */
    RANDOM_NORMAL   /* mean low, standard deviation high, by the Box-Muller transform */
} RandomKind;

typedef struct RandomSpec {
    RandomKind kind;
    uint64_t seed, block; /* block: the counter of the first block */
    double low, high;
    const Type *type; /* float, double, int, uint or a vector of them */
} RandomSpec;

/* Creates a stream of random numbers. *blocks receives the number of counters that were used. */
bool random_stream(Device *device, const RandomSpec *spec, const Shape *shape, Stream *result, uint64_t *blocks);

/* Returns the text of shaders/functions/philox.glsl. */
const char *random_philox(void);

#endif
