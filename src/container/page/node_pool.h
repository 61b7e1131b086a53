/* Nodes of equal size of a tree, stored in a WordTable after the words of the root. */
#ifndef RILL_CONTAINER_PAGE_NODE_POOL_H
#define RILL_CONTAINER_PAGE_NODE_POOL_H

#include "container/storage/word_table.h"

typedef struct NodePool {
    int64_t root, node; /* number of 32-bit words of the root, which begins the table, and of each other node */
    struct {
        int32_t *items;
        size_t count, capacity;
    } used,
        spare; /* used: for each node how many of its words are in use, counted by the owner. spare: where free nodes begin */
} NodePool;

/* Returns the counter of the node that contains a word after the root. */
int32_t *node_pool_used(const NodePool *pool, int64_t word);
/* Takes a free node and returns the index of its first word in the table. If all nodes are in use, it calls
 * `grow` (word_table_grow or word_table_reserve) to make the table larger. Returns 0 with error_set on
 * failure. */
int64_t node_pool_take(NodePool *pool, WordTable *table, bool (*grow)(WordTable *table, int64_t count, int64_t most));
/* Frees a node. Cannot fail. */
void node_pool_give(NodePool *pool, int64_t node);
/* Removes free nodes after the end of the table from the pool. */
void node_pool_shrink(NodePool *pool, const WordTable *table);
/* Releases the host memory of a pool. */
void node_pool_free(NodePool *pool);

#endif
