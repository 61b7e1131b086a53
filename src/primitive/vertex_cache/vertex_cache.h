/* Orders of triangles and models of vertex caches. The functions run on the host and work on lists of vertex indices.
 * Except for the argument of number_indices, a list is dense: its values are 0 .. vertices - 1. A triangle is three
 * consecutive indices. */
#ifndef RILL_PRIMITIVE_VERTEX_CACHE_VERTEX_CACHE_H
#define RILL_PRIMITIVE_VERTEX_CACHE_VERTEX_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Largest number of entries of a modeled cache, and limits of the cache sizes of the two orders. */
enum { VERTEX_CACHE_MOST = 1 << 20, FORSYTH_LEAST = 4, FORSYTH_MOST = 256, HOPPE_LEAST = 3, HOPPE_MOST = 128 };

/* Replaces `count` arbitrary ints by 0, 1, ... in the order in which distinct values occur first. With `gaps` the order
 * is another one, and some numbers may not occur, which takes less time. Returns the number of numbers, or -1 with
 * error_set. */
int32_t number_indices(const int32_t *indices, int64_t count, bool gaps, int32_t *dense);

/* Divides indices into batches, as the load-time analysis of M. Kenzel et al. (2018), section 3.4. Each batch takes
 * primitives of `corners` indices until the next primitive would exceed `most` indices or `unique` distinct indices,
 * each at least `corners`. Writes the position of the first index of each batch and the number of distinct indices of
 * all earlier batches to `starts`, and then both numbers for all batches. `starts` has room for count / corners + 1
 * elements. Returns the number of batches, or -1 with error_set. */
int64_t batches_find(const int32_t *dense, int64_t count, int32_t vertices, int corners, int most, int unique,
                     int32_t (*starts)[2]);

/* Writes the indices of `faces` triangles to `order`, in an order with locality (T. Forsyth, Linear-speed vertex
 * cache optimisation, 2006). The scores are for a cache of `entries` that replaces the least recently used entry.
 * Returns false with error_set if memory is short. */
bool forsyth_order(const int32_t *dense, int64_t faces, int32_t vertices, int entries, int32_t *order);
/* Writes the indices of `faces` triangles to `order`, in an order with locality (H. Hoppe, Optimization of mesh
 * locality for transparent vertex caching, 1999): greedy strips for a FIFO cache of `entries`. A strip ends where a
 * simulation of the next entries + 5 triangles shows that a new strip is cheaper. Returns false with error_set if
 * memory is short. */
bool hoppe_order(const int32_t *dense, int64_t faces, int32_t vertices, int entries, int32_t *order);

/* A model of a cache: how it replaces entries, and when a shaded vertex becomes available. */
typedef struct CacheModel {
    int entries;
    bool lru;     /* replaces the least recently used entry; else first in, first out */
    int parallel; /* indices in flight; 0: a vertex is available at once */
    bool sliding; /* with `parallel`: the indices in flight are a sliding window; else they are processed in blocks */
} CacheModel;

/* Returns the number of cache misses of `count` indices, or -1 with error_set. */
int64_t vertex_cache_misses(const int32_t *dense, int64_t count, int32_t vertices, const CacheModel *model);

#endif
