/* Radix sort over words in buffers, eight bits of the key per pass, least significant first (Knuth, vol. 3, 5.2.5): every pass
 * counts digits per run of keys, turns the counts into places, and moves the keys in order, so that the sort is stable.
 * Keys are moved raw; how they are ordered is looked up in every pass (shaders/shared/radix_key.glsl). */
#ifndef RILL_PRIMITIVE_ENGINE_RADIX_H
#define RILL_PRIMITIVE_ENGINE_RADIX_H

#include "gpu/memory/buffer.h"
#include "gpu/program/indirect.h"

typedef enum RadixKind { RADIX_UNSIGNED, RADIX_SIGNED, RADIX_FLOAT } RadixKind;

typedef enum RadixPayload { RADIX_NONE, RADIX_WORDS, RADIX_NUMBERS } RadixPayload;

/* Keys of 8 and 16 bits stand in the low bits of a word each; keys of 64 bits take two words. */
typedef struct RadixKey {
    RadixKind kind;
    int bits; /* 8, 16, 32 or 64 */
    int used; /* bits that can differ: 1 for booleans */
    bool descending;
} RadixKey;

typedef struct RadixJob {
    Device *device;
    RadixKey key;
    int64_t rows, length; /* each row is sorted on its own */
    Buffer *keys;
    int64_t key_base; /* word where the first key stands */
    RadixPayload payload;
    Buffer *words; /* RADIX_WORDS: what goes with the keys, a word each */
    int64_t word_base;
    bool flat; /* RADIX_NUMBERS: the key's number through all rows, not in its own */
    bool want_keys;
    DeviceLength known; /* of one row: its length where only the device knows it; `length` is the most it can be */
} RadixJob;

/* Sorts into new buffers (references for the caller): *keys where they are wanted, *words where there is a payload. */
bool radix_sort(const RadixJob *job, Buffer **keys, Buffer **words);

/* What shaders/shared/radix_key.glsl asks for: bits to exchange, and defines. */
uint32_t radix_flip(const RadixKey *key);
enum { RADIX_DEFINES = 64 };
const char *radix_defines(const RadixKey *key, char text[RADIX_DEFINES]);

#endif
