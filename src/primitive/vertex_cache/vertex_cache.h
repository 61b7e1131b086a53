/* Orders of triangles and models of vertex caches: functions of the host over lists of vertex indices. The lists are dense: their values are
 * 0 .. vertices - 1, as number_indices gives them. Triangles are three indices each. */
#ifndef RILL_PRIMITIVE_VERTEX_CACHE_VERTEX_CACHE_H
#define RILL_PRIMITIVE_VERTEX_CACHE_VERTEX_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* The most entries of a modelled cache. */
enum { VERTEX_CACHE_MOST = 1 << 20, FORSYTH_LEAST = 4, FORSYTH_MOST = 256, HOPPE_LEAST = 3, HOPPE_MOST = 128 };

/* Replaces `count` indices, which may be any ints, by the numbers 0, 1, ... of their distinct values. Returns how many there are, or -1 with error_set. */
int32_t number_indices(const int32_t *indices, int64_t count, int32_t *dense);

/* Splits indices into batches, as the load-time analysis of M. Kenzel et al. (2018), section 3.4: from the first one on, each batch takes primitives of `corners`
 * indices until the next one would make it more than `most` indices or more than `unique` distinct ones, each at least `corners`. Writes the positions where
 * batches begin, and `count` after the last, to `starts`, which has room for count / corners + 1. Returns how many batches there are, or -1 with error_set. */
int64_t batches_find(const int32_t *dense, int64_t count, int32_t vertices, int corners, int most, int unique,
                     int32_t *starts);

/* Writes to `order` the numbers of `faces` triangles in an order with locality; false with error_set. By T. Forsyth, Linear-speed vertex cache optimisation
 * (2006), with scores for a cache of `entries` with replacement of the least recently used. */
bool forsyth_order(const int32_t *dense, int64_t faces, int32_t vertices, int entries, int32_t *order);
/* By H. Hoppe, Optimization of mesh locality for transparent vertex caching (1999): greedy strips for a FIFO of `entries`, which begin anew where a simulation
 * of the next entries + 5 triangles makes that cheaper. */
bool hoppe_order(const int32_t *dense, int64_t faces, int32_t vertices, int entries, int32_t *order);

/* How a modelled cache replaces entries, and when a vertex that is being shaded becomes available: at once, with its block of `parallel` indices,
 * or `parallel` indices later. */
typedef struct CacheModel {
    int entries;
    bool lru;     /* of replacement: least recently used; else first in, first out */
    int parallel; /* indices in flight; 0: a vertex is available at once */
    bool sliding; /* with `parallel`: a window slides over the indices; else they are taken in blocks */
} CacheModel;

/* Returns how many of `count` indices are not in the cache when they are looked up, or -1 with error_set. */
int64_t vertex_cache_misses(const int32_t *dense, int64_t count, int32_t vertices, const CacheModel *model);

#endif
