/* A bounded list of items, the most recently used first: for caches. The owner compares items itself. */
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
/* Adds an item in front; beyond `limit` the one used longest ago is destroyed. False with error_set, the item is then the caller's. */
bool lru_add(Lru *list, void *item, size_t limit, void (*destroy)(void *item));
/* Destroys the items that are over. */
void lru_drop(Lru *list, bool (*over)(const void *item), void (*destroy)(void *item));
/* Destroys all. */
void lru_clear(Lru *list, void (*destroy)(void *item));

#endif
