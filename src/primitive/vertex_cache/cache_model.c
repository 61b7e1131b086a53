/* Models of vertex caches. */
#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <stdlib.h>

enum { ABSENT = -1 };

/* The cached vertices in a doubly linked ring, the next one to replace first. */
typedef struct Cache {
    const CacheModel *model;
    /* Per vertex; `next` is ABSENT if it is not cached. Element `vertices` is the head of the ring. */
    int32_t *next, *before;
    int32_t head, count;
} Cache;

static void unlink_vertex(Cache *cache, int32_t v)
{
    cache->next[cache->before[v]] = cache->next[v];
    cache->before[cache->next[v]] = cache->before[v];
    cache->next[v] = ABSENT;
    cache->count--;
}

static void link_last(Cache *cache, int32_t v)
{
    int32_t last = cache->before[cache->head];
    cache->next[last] = v;
    cache->before[v] = last;
    cache->next[v] = cache->head;
    cache->before[cache->head] = v;
    cache->count++;
}

/* Makes a shaded vertex available. Replaces another vertex if the cache is full. */
static void insert(Cache *cache, int32_t v)
{
    bool cached = cache->next[v] != ABSENT;
    if (cached && !cache->model->lru) {
        return;
    }
    if (cached) {
        unlink_vertex(cache, v);
    } else if (cache->count == cache->model->entries) {
        unlink_vertex(cache, cache->next[cache->head]);
    }
    link_last(cache, v);
}

int64_t vertex_cache_misses(const int32_t *dense, int64_t count, int32_t vertices, const CacheModel *model)
{
    size_t bytes = ((size_t)vertices + 1) * sizeof(int32_t);
    Cache cache = {model, malloc(bytes), malloc(bytes), vertices, 0};
    int64_t misses = 0, available = 0;
    if (!cache.next || !cache.before) {
        free(cache.next);
        free(cache.before);
        error_set("out of host memory");
        return -1;
    }
    for (int32_t v = 0; v < vertices; v++) {
        cache.next[v] = ABSENT;
    }
    cache.next[cache.head] = cache.before[cache.head] = cache.head;
    for (int64_t i = 0; i < count; i++) {
        int64_t shaded = !model->parallel ? i
                         : model->sliding ? i - model->parallel
                                          : i / model->parallel * model->parallel;
        for (; available < shaded; available++) {
            insert(&cache, dense[available]);
        }
        misses += cache.next[dense[i]] == ABSENT;
    }
    free(cache.next);
    free(cache.before);
    return misses;
}
