/* A bounded list of items for caches, most recently used first. The owner searches the list itself. */
#ifndef RILL_BASE_LRU_H
#define RILL_BASE_LRU_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Lru {
    void **items;
    size_t count, capacity;
} Lru;

/* Moves item `i` to the front and returns it. */
void *lru_use(Lru *list, size_t i);
/* Adds an item at the front. If there are more than `limit` items, destroys the least recently used ones. On
 * failure returns false with error_set, and the caller still owns the item. */
bool lru_add(Lru *list, void *item, size_t limit, void (*destroy)(void *item));
/* Destroys the items for which `over` returns true. */
void lru_drop(Lru *list, bool (*over)(const void *item), void (*destroy)(void *item));
/* Destroys all items and frees the list. */
void lru_clear(Lru *list, void (*destroy)(void *item));

#endif
