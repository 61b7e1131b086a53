/* Nodes of a tree in a table of words: after the words of the root, of equal size. */
#ifndef RILL_CONTAINER_PAGE_NODE_POOL_H
#define RILL_CONTAINER_PAGE_NODE_POOL_H

#include "container/storage/word_table.h"

typedef struct NodePool {
    int64_t root, node; /* words of the root, which begins the table, and of a node */
    struct {
        int32_t *items;
        size_t count, capacity;
    } used,
        spare; /* of each node how many of its words are in use, as the owner counts; where nodes begin that are free */
} NodePool;

/* The count of the node that contains a word behind the root. */
int32_t *node_pool_used(const NodePool *pool, int64_t word);
/* Returns where a free node begins, for which the table becomes larger by `grow`: word_table_grow, or word_table_reserve. 0 with error_set. */
int64_t node_pool_take(NodePool *pool, WordTable *table, bool (*grow)(WordTable *table, int64_t count, int64_t most));
/* Returns a node to the free ones; never fails. */
void node_pool_give(NodePool *pool, int64_t node);
/* Forgets the nodes that are not in the table any more, which are free ones. */
void node_pool_shrink(NodePool *pool, const WordTable *table);
void node_pool_free(NodePool *pool);

#endif
