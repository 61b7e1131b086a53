/* Radix sort of 32-bit words in buffers, eight bits of the key per pass, least significant digit first (Knuth, vol. 3,
 * 5.2.5). Each pass counts the digits of every block of consecutive keys, converts the counts to destinations, and
 * moves the keys in order, so the sort is stable. Keys are stored unchanged; every pass computes their order from the
 * bits (shaders/shared/radix_key.glsl). */
#ifndef RILL_PRIMITIVE_ENGINE_RADIX_H
#define RILL_PRIMITIVE_ENGINE_RADIX_H

#include "gpu/memory/buffer.h"
#include "gpu/program/indirect.h"

typedef enum RadixKind { RADIX_UNSIGNED, RADIX_SIGNED, RADIX_FLOAT } RadixKind;

typedef enum RadixPayload { RADIX_NONE, RADIX_WORDS, RADIX_NUMBERS } RadixPayload;

/* Keys of 8 and 16 bits are stored in the low bits of one 32-bit word each. Keys of 64 bits take two words. */
typedef struct RadixKey {
    RadixKind kind;
    int bits; /* 8, 16, 32 or 64 */
    int used; /* bits that can differ: 1 for booleans */
    bool descending;
} RadixKey;

typedef struct RadixJob {
    Device *device;
    RadixKey key;
    int64_t rows, length; /* each row is sorted separately */
    /* Keys of 32 bits only: the lowest bit that is compared. Keys are ordered by the `key.used` bits from this one on.
     * If it is not 0, the other bits may differ. */
    int first_bit;
    Buffer *keys;
    int64_t key_base; /* index of the first key in `keys`, in 32-bit words */
    RadixPayload payload;
    Buffer *words; /* RADIX_WORDS: one word per key, moved with the key */
    int64_t word_base;
    bool flat; /* RADIX_NUMBERS: the payload is the key's flat index in all rows; else its index in its own row */
    bool want_keys;
    DeviceLength known; /* length of one row, if only the device has it; `length` is then an upper bound */
} RadixJob;

/* Sorts into new buffers, to which the caller owns references: *keys if job->want_keys, *words if there is a payload. */
bool radix_sort(const RadixJob *job, Buffer **keys, Buffer **words);

/* Returns the mask of bits that radix_order in shaders/shared/radix_key.glsl inverts. */
uint32_t radix_flip(const RadixKey *key);
enum { RADIX_DEFINES = 64 };
/* Writes the defines for shaders/shared/radix_key.glsl into `text` and returns it. */
const char *radix_defines(const RadixKey *key, char text[RADIX_DEFINES]);

#endif
