#include "container/page/node_pool.h"

#include "base/array.h"
#include "base/error.h"
#include "stream/shape.h"

#include <stdlib.h>

int32_t *node_pool_used(const NodePool *pool, int64_t word)
{
    return &pool->used.items[(word - pool->root) / pool->node];
}

int64_t node_pool_take(NodePool *pool, WordTable *table, bool (*grow)(WordTable *table, int64_t count, int64_t most))
{
    if (pool->spare.count) {
        return pool->spare.items[--pool->spare.count];
    }
    int64_t begin = pool->root + (int64_t)pool->used.count * pool->node;
    if (begin > SHAPE_MAX_ELEMENTS - pool->node) {
        return error_set("the page table is full: use larger pages, or more levels");
    }
    /* Reserves room for every node to become spare, so that freeing a node cannot fail. */
    if (!ARRAY_ROOM(&pool->used) ||
        !array_reserve((void **)&pool->spare.items, &pool->spare.capacity, pool->used.count,
                       sizeof *pool->spare.items) ||
        !grow(table, begin + pool->node, SHAPE_MAX_ELEMENTS)) {
        return 0;
    }
    pool->used.items[pool->used.count++] = 0;
    return begin;
}

void node_pool_give(NodePool *pool, int64_t node)
{
    pool->spare.items[pool->spare.count++] = (int32_t)node;
}

void node_pool_shrink(NodePool *pool, const WordTable *table)
{
    int64_t nodes = (table->count - pool->root) / pool->node;
    size_t kept = 0;
    for (size_t i = 0; i < pool->spare.count; i++) {
        if (pool->spare.items[i] < pool->root + nodes * pool->node) {
            pool->spare.items[kept++] = pool->spare.items[i];
        }
    }
    pool->spare.count = kept;
    pool->used.count = (int64_t)pool->used.count < nodes ? pool->used.count : (size_t)nodes;
}

void node_pool_free(NodePool *pool)
{
    free(pool->used.items);
    free(pool->spare.items);
}
