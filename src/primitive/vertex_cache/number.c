#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { SPARSE = 4 /* values per index from which a hash table is used */ };

/* Numbers the values with a table of `span` entries, one for each value from `least` on. */
static int32_t number_by_table(const int32_t *indices, int64_t count, int32_t least, int64_t span, int32_t *dense)
{
    int32_t *numbers = calloc((size_t)span, sizeof *numbers), vertices = 0;
    if (!numbers) {
        error_set("out of host memory");
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t *number = &numbers[(int64_t)indices[i] - least];
        if (*number == 0) {
            *number = ++vertices;
        }
        dense[i] = *number - 1;
    }
    free(numbers);
    return vertices;
}

/* Numbers the values with a hash table of 1-based positions of indices. It is at most half full and uses linear
 * probing. */
static int32_t number_by_hash(const int32_t *indices, int64_t count, int32_t *dense)
{
    int bits = 4;
    while ((INT64_C(1) << bits) < 2 * count) {
        bits++;
    }
    int64_t slots = INT64_C(1) << bits;
    int64_t *table = calloc((size_t)slots, sizeof *table);
    int32_t vertices = 0;
    if (!table) {
        error_set("out of host memory");
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t slot = (int64_t)((uint32_t)indices[i] * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
        while (table[slot] && indices[table[slot] - 1] != indices[i]) {
            slot = (slot + 1) & (slots - 1);
        }
        dense[i] = table[slot] ? dense[table[slot] - 1] : vertices++;
        table[slot] = table[slot] ? table[slot] : i + 1;
    }
    free(table);
    return vertices;
}

int32_t number_indices(const int32_t *indices, int64_t count, bool gaps, int32_t *dense)
{
    int32_t least = count ? indices[0] : 0, most = least;
    for (int64_t i = 1; i < count; i++) {
        least = indices[i] < least ? indices[i] : least;
        most = indices[i] > most ? indices[i] : most;
    }
    int64_t span = (int64_t)most - least + 1;
    if (span > SPARSE * count + 1) {
        return number_by_hash(indices, count, dense);
    } else if (!gaps || span > INT32_MAX) {
        return number_by_table(indices, count, least, span, dense);
    }
    for (int64_t i = 0; i < count; i++) {
        dense[i] = (int32_t)((int64_t)indices[i] - least);
    }
    return (int32_t)span;
}
